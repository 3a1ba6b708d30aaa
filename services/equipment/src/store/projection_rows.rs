//! Rows from which projections are computed.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use hourmeter_runtime::quantity::Quantity;
use sqlx::postgres::PgRow;
use sqlx::types::Json;
use sqlx::{FromRow, Row as _};
use uuid::Uuid;

use super::columns::{
    meter_move, optional_count, optional_word, replacement, triple, unknown_value, word,
};
use super::rules;
use crate::domain::due::{DuePoints, SpecialPoints};
use crate::domain::fold::{Folded, MarkedBy, Marks, OutOfRange, Projection, fold, marked_by};
use crate::domain::initial_state::{InitialState, TaskPlan};
use crate::domain::kinds::{CalendarUnit, FuelKind, MeterUnit};
use crate::domain::ledger::{Fact, Fuel, MarkUsage, MeterMove};
use crate::domain::meter::{MeterFact, MeterState, NewMeter};
use crate::domain::tasks::clamped_text;
use crate::domain::timeline::{MeterAt, Step, meter_at, steps};
use crate::domain::typical_usage::DailyUse;

/// Stored projections of equipment, and everything to compute them again.
#[derive(Clone, Debug)]
pub struct MachineLedger {
    pub id: Uuid,
    pub name: String,
    pub stored: Projection,
    pub initial: InitialState,
    /// Names of the service tasks; empty for the form's.
    pub task_names: BTreeMap<Uuid, String>,
    /// Entries that count.
    pub facts: Vec<Fact>,
}

impl MachineLedger {
    pub fn fold(&self) -> Result<Folded, OutOfRange> {
        fold(&self.initial, &self.facts)
    }

    pub fn marked_by(&self) -> MarkedBy {
        marked_by(&self.initial, &self.facts)
    }

    /// Empty for the form's.
    pub fn task_name(&self, task: Uuid) -> &str {
        self.task_names.get(&task).map_or("", String::as_str)
    }

    /// Texts of the entries for last services whose stored usage is another one in `folded`. One that
    /// another entry set now is no moved one, unless the meter has lowered it.
    pub fn moved_marks<'a>(
        &'a self,
        folded: &'a Folded,
        marked_before: &'a MarkedBy,
    ) -> impl Iterator<Item = String> + 'a {
        let tasks = folded.projection.tasks.iter();
        tasks.filter_map(|(task, marks)| {
            let before = self.stored.tasks.get(task)?.last_usage?;
            let is_same = folded.marked_by.get(task) == marked_before.get(task);
            let is_lowered = folded.clamped.contains(task) && Some(before) > marks.last_usage;
            let is_moved = Some(before) != marks.last_usage && (is_same || is_lowered);
            is_moved.then(|| clamped_text(self.task_name(*task), before, marks.last_usage))
        })
    }

    pub fn steps(&self) -> Vec<Step<'_>> {
        steps(&self.initial, &self.facts)
    }

    /// The meter at a time.
    pub fn meter_at(&self, at: DateTime<Utc>) -> MeterAt {
        meter_at(&self.steps(), at)
    }
}

/// Equipment without its tasks and facts.
impl FromRow<'_, PgRow> for MachineLedger {
    fn from_row(row: &PgRow) -> sqlx::Result<Self> {
        let unit = word(row, "unit", MeterUnit::parse)?;
        let added_at = row.try_get("added_at")?;
        let last_fact_at: Option<DateTime<Utc>> = row.try_get("last_fact_at")?;
        let special: Option<Json<Vec<SpecialPoints>>> = row.try_get("special_points")?;
        let daily_use = DailyUse::from_row(row)?;
        let company_zone: Option<&str> = row.try_get("company_zone")?;
        let company_zone: Option<Tz> = company_zone.and_then(|zone| zone.parse().ok());
        let initial_usage = row.try_get("initial_usage")?;
        let read: Option<bool> = row.try_get("initial_read")?;
        Ok(Self {
            id: row.try_get("id")?,
            name: row.try_get("name")?,
            task_names: BTreeMap::new(),
            initial: InitialState {
                meter: MeterState {
                    usage: initial_usage,
                    offset: row.try_get("initial_offset")?,
                },
                read: read
                    .unwrap_or(initial_usage > Quantity::ZERO || unit == MeterUnit::NotApplicable),
                unit,
                zone: company_zone.or(daily_use.zone).unwrap_or_default(),
                added_at,
                fuel_period: row.try_get("fuel_period")?,
                tasks: Vec::new(),
            },
            stored: Projection {
                meter: MeterState::from_row(row)?,
                read_at: row.try_get("meter_read_at")?,
                last_fact_at: last_fact_at.unwrap_or(added_at),
                gas: row.try_get("total_gas")?,
                diesel: row.try_get("total_diesel")?,
                tasks: BTreeMap::new(),
                due: DuePoints {
                    usage: triple(row, ["approaching_usage", "due_usage", "overdue_usage"])?,
                    next_date: row.try_get("next_date")?,
                    special: special.map(|points| points.0).unwrap_or_default(),
                },
                usual_fill: row.try_get("usual_fill")?,
                daily_use,
            },
            facts: Vec::new(),
        })
    }
}

#[derive(sqlx_macros::FromRow)]
pub struct PlanRow {
    pub name: String,
    #[sqlx(flatten)]
    pub marks: Marks,
    #[sqlx(flatten)]
    pub plan: TaskPlan,
}

impl FromRow<'_, PgRow> for Marks {
    fn from_row(row: &PgRow) -> sqlx::Result<Self> {
        Ok(Self {
            last_usage: row.try_get("last_usage")?,
            start: row.try_get("start_date")?,
            next: row.try_get("next_date")?,
        })
    }
}

impl FromRow<'_, PgRow> for TaskPlan {
    fn from_row(row: &PgRow) -> sqlx::Result<Self> {
        let interval = optional_count(row, "calendar_interval")?;
        let unit = optional_word(row, "calendar_unit", CalendarUnit::parse)?;
        Ok(Self {
            id: row.try_get("id")?,
            created_at: row.try_get("created_at")?,
            usage_interval: row.try_get("usage_interval")?,
            calendar_interval: interval.zip(unit),
            initial_usage: row.try_get("initial_last_usage")?,
            initial_start: row.try_get("initial_start_date")?,
            rule: rules::rule(row)?,
        })
    }
}

impl FromRow<'_, PgRow> for Fact {
    fn from_row(row: &PgRow) -> sqlx::Result<Self> {
        let moved = meter_move(row, "usage_before", "usage_after")?;
        let effect: Option<&str> = row.try_get("meter_effect")?;
        let meter = effect.zip(moved);
        let meter = meter.map(|(effect, moved)| meter_fact(row, effect, moved));
        let kind = optional_word(row, "fuel_kind", FuelKind::parse)?;
        let amount = row.try_get("fuel")?;
        let full = row.try_get("full_fill")?;
        let added = kind.map(|kind| Fuel { amount, kind, full });
        let mark = match row.try_get("mark")? {
            None => None,
            Some("meter") => Some(MarkUsage::Meter),
            Some("given") => Some(MarkUsage::Given(row.try_get("mark_usage")?)),
            Some(other) => return Err(unknown_value(other)),
        };
        let task: Option<Uuid> = row.try_get("task_id")?;
        let mark_date = row.try_get("mark_date")?;
        let service_day: Option<NaiveDate> = row.try_get("service_day")?;
        Ok(Self {
            id: row.try_get("id")?,
            captured_at: row.try_get("captured_at")?,
            meter: meter.transpose()?,
            unit: word(row, "unit", MeterUnit::parse)?,
            fuel: added.zip(row.try_get("fuel_period")?),
            mark: task.zip(mark).map(|(task, usage)| (task, usage, mark_date)),
            service: service_day.map(|day| (task, day)),
            stored: moved,
            entered: (row.try_get("sequence")?, row.try_get("recorded_at")?),
        })
    }
}

fn meter_fact(row: &PgRow, effect: &str, moved: MeterMove) -> sqlx::Result<MeterFact> {
    let reading: Option<Quantity> = row.try_get("reading")?;
    let new_unit: Option<bool> = row.try_get("new_unit")?;
    let service_day: Option<NaiveDate> = row.try_get("service_day")?;
    Ok(match (effect, reading) {
        ("increase", _) => {
            let by: Option<Quantity> = row.try_get("increase")?;
            MeterFact::Increase(by.unwrap_or_else(|| moved.after.minus(moved.before)))
        }
        ("reading", reading) if new_unit == Some(true) => {
            MeterFact::NewUnit(reading.map(|reading| MeterState {
                usage: moved.after,
                offset: moved.after.minus(reading),
            }))
        }
        // An earlier release read it on the meter of its day and then applied its usage.
        ("reading", _) if row.try_get("reordered")? => MeterFact::Usage(moved.after),
        ("reading", Some(reading)) if service_day.is_some() => MeterFact::ServiceReading(reading),
        ("reading", Some(reading)) => MeterFact::Reading(reading),
        ("reading", None) => MeterFact::Usage(moved.after),
        ("replacement", reading) => {
            let stored = replacement(row)?.ok_or_else(|| unknown_value("replacement"))?;
            let final_given: Option<bool> = row.try_get("final_given")?;
            let new = NewMeter {
                change: stored.change,
                last: Some(stored.last).filter(|_| final_given != Some(false)),
                first: stored.first,
            };
            MeterFact::Replacement(new, reading.unwrap_or(stored.first))
        }
        _ => return Err(unknown_value(effect)),
    })
}
