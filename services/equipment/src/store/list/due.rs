//! The date by which equipment is sorted and filtered, in the database. The parameters are those of
//! `super::day_values`.

use std::sync::LazyLock;

use crate::domain::forecast::{MAX_DAYS, SHARE_DAYS, assumed_daily_use};
use crate::domain::kinds::MeterUnit;

/// As `domain::forecast::assumed_due`.
pub static ASSUMED_DUE: LazyLock<String> = LazyLock::new(|| {
    let by_usage = reaches("e.due_usage");
    let (awake, all) = (special_due("awake"), special_due("true"));
    format!(
        "coalesce(
            least(
                CASE WHEN e.next_date IS NOT NULL THEN greatest(e.next_date, $2) END,
                {by_usage},
                {awake}
            ),
            {all}
        )"
    )
});

/// The earliest projected date of the special points for which the condition is true.
fn special_due(condition: &str) -> String {
    let (due, wakes) = (reaches("p.due_usage"), reaches("p.from_usage"));
    format!(
        "(
            SELECT min(
                CASE WHEN due.day IS NOT NULL AND due.wakes IS NOT NULL
                THEN greatest(due.day, due.wakes) END
            )
            FROM (
                SELECT
                    coalesce(p.from_date <= $2, true)
                        AND coalesce(p.from_usage <= e.current_usage, true) AS awake,
                    least(
                        CASE WHEN p.next_date IS NOT NULL THEN greatest(p.next_date, $2) END,
                        {due}
                    ) AS day,
                    CASE
                        WHEN p.from_usage IS NULL THEN greatest(p.from_date, $2)
                        ELSE {wakes}
                    END AS wakes
                FROM jsonb_to_recordset(e.special_points)
                    AS p (from_date date, from_usage bigint, due_usage bigint, next_date date)
            ) due
            WHERE {condition}
        )"
    )
}

/// The projected date on which the meter reaches a usage, at the assumed use while the use is
/// unknown; null: none.
fn reaches(usage: &str) -> String {
    let assumed = |unit| assumed_daily_use(unit) * SHARE_DAYS;
    let (hours, miles) = (assumed(MeterUnit::Hours), assumed(MeterUnit::Miles));
    let kilometers = assumed(MeterUnit::Kilometers);
    format!(
        "CASE WHEN e.current_usage >= {usage} THEN $2 ELSE (
            SELECT greatest(
                $2,
                rate.begins + least(
                    {MAX_DAYS},
                    (({usage} - e.current_usage) * {SHARE_DAYS} + rate.per_share - 1)
                        / rate.per_share
                )::integer
            )
            FROM (
                SELECT nullif(e.use_usual * count(*), 0) AS per_share
                FROM unnest(e.use_days) AS day
                WHERE day <= $2
                  AND day > $2 - {SHARE_DAYS}
            ) known
            CROSS JOIN LATERAL (
                SELECT
                    CASE WHEN known.per_share IS NULL THEN $2 ELSE greatest(
                        e.use_days[1],
                        (e.meter_read_at AT TIME ZONE 'UTC' + make_interval(secs => $3))::date
                    ) END AS begins,
                    coalesce(known.per_share, CASE e.unit
                        WHEN 'miles' THEN {miles}
                        WHEN 'kilometers' THEN {kilometers}
                        ELSE {hours}
                    END) AS per_share
            ) rate
            WHERE {usage} IS NOT NULL
        ) END"
    )
}
