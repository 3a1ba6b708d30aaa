//! Adding entries to the ledger.

use chrono::{DateTime, NaiveDate, Utc};
use hourmeter_runtime::error::Failure;
use hourmeter_runtime::quantity::Quantity;
use sqlx::PgConnection;
use uuid::Uuid;

use super::meter::{Posting, post};
use super::usual;
use crate::domain::ledger::{Entry, EntryKind, MarkUsage, MeterEffect};

/// Books an entry on its equipment, under the row lock, gives it its place and adds it.
pub async fn book(
    connection: &mut PgConnection,
    company: Uuid,
    entry: &mut Entry,
    now: DateTime<Utc>,
) -> Result<(), Failure> {
    let posting = Posting::of(entry);
    entry.sequence = post(connection, company, entry.subject.id, posting, now).await?;
    insert(connection, company, std::slice::from_ref(entry)).await
}

/// Adds entries that have their places, and what their equipment usually does with them.
pub async fn insert(
    connection: &mut PgConnection,
    company: Uuid,
    entries: &[Entry],
) -> Result<(), Failure> {
    insert_rows(&mut *connection, company, entries).await?;
    let telling = entries
        .iter()
        // An edit may have changed the unit, and with that which entries say what is usual.
        .filter(|entry| {
            let edit = entry.kind == EntryKind::Edit;
            entry.effect.is_some() || entry.fuel.is_some() || edit
        });
    let mut ids: Vec<Uuid> = telling.map(|entry| entry.subject.id).collect();
    ids.sort_unstable();
    ids.dedup();
    if ids.is_empty() {
        return Ok(());
    }
    usual::refresh(connection, company, &ids).await
}

/// The columns of entries that say what they did to a service task.
struct Marks<'e> {
    tasks: Vec<Option<Uuid>>,
    names: Vec<Option<&'e str>>,
    words: Vec<Option<&'static str>>,
    usages: Vec<Option<i64>>,
    dates: Vec<Option<NaiveDate>>,
}

impl<'e> Marks<'e> {
    fn of(entries: &'e [Entry]) -> Self {
        let marks = || entries.iter().map(|entry| entry.mark.as_ref());
        let given = |usage: MarkUsage| match usage {
            MarkUsage::Meter => ("meter", None),
            MarkUsage::Given(usage) => ("given", usage.map(Quantity::hundredths)),
        };
        Self {
            tasks: marks().map(|mark| mark.map(|mark| mark.task)).collect(),
            names: marks()
                .map(|mark| mark.map(|mark| mark.name.as_str()))
                .collect(),
            words: marks()
                .map(|mark| mark.map(|mark| given(mark.usage).0))
                .collect(),
            usages: marks()
                .map(|mark| mark.and_then(|mark| given(mark.usage).1))
                .collect(),
            dates: marks()
                .map(|mark| mark.and_then(|mark| mark.start))
                .collect(),
        }
    }
}

/// One column of all entries.
fn column<'e, T>(entries: &'e [Entry], of: impl Fn(&'e Entry) -> T) -> Vec<T> {
    entries.iter().map(of).collect()
}

#[expect(
    clippy::too_many_lines,
    reason = "one line for each column, three times"
)]
async fn insert_rows(
    connection: &mut PgConnection,
    company: Uuid,
    entries: &[Entry],
) -> Result<(), Failure> {
    let marks = Marks::of(entries);
    let ended = |entry: &Entry| entry.effect.and_then(MeterEffect::replacement);
    sqlx::query(
        "INSERT INTO ledger (
            company_id,
            fuel_period,
            id,
            equipment_id,
            equipment_name,
            unit,
            kind,
            note_type,
            actor_id,
            actor_name,
            source,
            captured_at,
            recorded_at,
            usage_before,
            usage_after,
            reading,
            fuel,
            fuel_kind,
            cost,
            performed_on,
            content,
            update_id,
            sequence,
            meter_effect,
            task_id,
            task_name,
            mark,
            mark_usage,
            mark_date,
            meter_change,
            meter_final,
            meter_start
        )
        SELECT
            $1,
            e.fuel_period,
            row.*
        FROM unnest(
            $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::uuid[],
            $9::text[], $10::text[], $11::timestamptz[], $12::timestamptz[], $13::bigint[],
            $14::bigint[], $15::bigint[], $16::bigint[], $17::text[], $18::bigint[], $19::date[],
            $20::text[], $21::uuid[], $22::bigint[], $23::text[], $24::uuid[], $25::text[],
            $26::text[], $27::bigint[], $28::date[], $29::text[], $30::bigint[], $31::bigint[]
        ) AS row (
            id, equipment_id, equipment_name, unit, kind, note_type, actor_id, actor_name, source,
            captured_at, recorded_at, usage_before, usage_after, reading, fuel, fuel_kind, cost,
            performed_on, content, update_id, sequence, meter_effect, task_id, task_name, mark,
            mark_usage, mark_date, meter_change, meter_final, meter_start
        )
        JOIN equipment e
          ON e.company_id = $1 AND e.id = row.equipment_id",
    )
    .bind(company)
    .bind(column(entries, |entry| entry.id))
    .bind(column(entries, |entry| entry.subject.id))
    .bind(column(entries, |entry| entry.subject.name.as_str()))
    .bind(column(entries, |entry| entry.subject.unit.word()))
    .bind(column(entries, |entry| entry.kind.word()))
    .bind(column(entries, |entry| entry.kind.note_type().word()))
    .bind(column(entries, |entry| entry.actor.id))
    .bind(column(entries, |entry| entry.actor.name.as_str()))
    .bind(column(entries, |entry| entry.actor.source.word()))
    .bind(column(entries, |entry| entry.captured_at))
    .bind(column(entries, |entry| entry.recorded_at))
    .bind(column(entries, |entry| {
        entry.usage.map(|moved| moved.before.hundredths())
    }))
    .bind(column(entries, |entry| {
        entry.usage.map(|moved| moved.after.hundredths())
    }))
    .bind(column(entries, |entry| {
        entry.reading.map(Quantity::hundredths)
    }))
    .bind(column(entries, |entry| {
        entry.fuel.map_or(0, |fuel| fuel.amount.hundredths())
    }))
    .bind(column(entries, |entry| {
        entry.fuel.map(|fuel| fuel.kind.word())
    }))
    .bind(column(entries, |entry| {
        entry.cost.map(Quantity::hundredths)
    }))
    .bind(column(entries, |entry| entry.performed_on))
    .bind(column(entries, |entry| entry.content.as_str()))
    .bind(column(entries, |entry| entry.update_id))
    .bind(column(entries, |entry| entry.sequence))
    .bind(column(entries, |entry| entry.effect.map(MeterEffect::word)))
    .bind(marks.tasks)
    .bind(marks.names)
    .bind(marks.words)
    .bind(marks.usages)
    .bind(marks.dates)
    .bind(column(entries, |entry| {
        ended(entry).map(|ended| ended.change.word())
    }))
    .bind(column(entries, |entry| {
        ended(entry).map(|ended| ended.last.hundredths())
    }))
    .bind(column(entries, |entry| {
        ended(entry).map(|ended| ended.first.hundredths())
    }))
    .execute(connection)
    .await?;
    Ok(())
}
