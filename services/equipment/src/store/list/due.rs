//! The date by which equipment is sorted and filtered, in the database.

use chrono::Days;

use super::Sql;
use crate::domain::forecast::{CompanyDay, MAX_DAYS, SHARE_DAYS, assumed_daily_use};
use crate::domain::kinds::MeterUnit;

impl Sql {
    /// As `domain::forecast::assumed_due`.
    pub(super) fn assumed_due(&mut self, day: &CompanyDay) {
        let today = day.today;
        self.push("coalesce(least(CASE WHEN e.next_date IS NOT NULL THEN greatest(e.next_date, ");
        self.bind(today);
        self.push(") END, ");
        self.reaches("e.due_usage", day);
        self.push(", ");
        self.special_due(day, "awake");
        self.push("), ");
        self.special_due(day, "true");
        self.push(")");
    }

    /// The earliest projected date of the special points for which the condition is true.
    fn special_due(&mut self, day: &CompanyDay, condition: &'static str) {
        let today = day.today;
        self.push(
            "(SELECT min(CASE WHEN due.day IS NOT NULL AND due.wakes IS NOT NULL
                THEN greatest(due.day, due.wakes) END)
            FROM (SELECT coalesce(p.from_date <= ",
        );
        self.bind(today);
        self.push(
            ", true) AND coalesce(p.from_usage <= e.current_usage, true) AS awake,
                least(greatest(p.next_date, CASE WHEN p.next_date IS NOT NULL THEN ",
        );
        self.bind(today);
        self.push(" END), ");
        self.reaches("p.due_usage", day);
        self.push(") AS day, CASE WHEN p.from_usage IS NULL THEN greatest(p.from_date, ");
        self.bind(today);
        self.push(") ELSE ");
        self.reaches("p.from_usage", day);
        self.push(
            " END AS wakes FROM jsonb_to_recordset(e.special_points) AS p (
                from_date date, from_usage bigint, due_usage bigint, next_date date)) due WHERE ",
        );
        self.push(condition);
        self.push(")");
    }

    /// The projected date on which the meter reaches a usage, at the assumed use while the use is
    /// unknown; null: none.
    fn reaches(&mut self, usage: &'static str, day: &CompanyDay) {
        self.push("CASE WHEN e.current_usage >= ");
        self.push(usage);
        self.push(" THEN ");
        self.bind(day.today);
        self.push(" ELSE coalesce((SELECT greatest(");
        self.bind(day.today);
        self.push(", greatest(e.use_days[1], (e.meter_read_at AT TIME ZONE 'UTC' + make_interval(secs => ");
        self.bind(f64::from(day.utc_offset));
        self.push("))::date) + least(");
        self.bind(MAX_DAYS);
        self.push(", ((");
        self.push(usage);
        self.push(" - e.current_usage) * ");
        self.bind(SHARE_DAYS);
        self.push(
            " + e.use_usual * used.days - 1) / (e.use_usual * used.days))::integer)
            FROM (SELECT count(*) AS days FROM unnest(e.use_days) AS day WHERE day <= ",
        );
        self.bind(day.today);
        self.push(" AND day > ");
        self.bind(day.today - Days::new(SHARE_DAYS.unsigned_abs()));
        self.push(") used WHERE used.days > 0 AND e.use_usual > 0 AND ");
        self.push(usage);
        self.push(" IS NOT NULL), ");
        self.reaches_at_assumed_use(usage, day);
        self.push(") END");
    }

    fn reaches_at_assumed_use(&mut self, usage: &'static str, day: &CompanyDay) {
        self.push("CASE WHEN ");
        self.push(usage);
        self.push(" IS NOT NULL THEN ");
        self.bind(day.today);
        self.push(" + least(");
        self.bind(MAX_DAYS);
        self.push(", (SELECT (");
        self.push(usage);
        self.push(" - e.current_usage + used.a_day - 1) / used.a_day FROM (SELECT CASE e.unit");
        for unit in [MeterUnit::Miles, MeterUnit::Kilometers] {
            self.push(" WHEN ");
            self.bind(unit.as_str());
            self.push(" THEN ");
            self.bind(assumed_daily_use(unit));
        }
        self.push(" ELSE ");
        self.bind(assumed_daily_use(MeterUnit::Hours));
        self.push(" END AS a_day) used))::integer END");
    }
}
