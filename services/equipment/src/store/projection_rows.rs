//! Rows from which projections are computed.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::quantity::Quantity;
use sqlx::types::Json;
use uuid::Uuid;

use super::daily_use::DailyUseRow;
use super::rules::RuleRow;
use super::{quantity, replacement, unknown_value};
use crate::domain::due::{DuePoints, SpecialPoints};
use crate::domain::fold::{
    Folded, InitialState, MarkedBy, Marks, OutOfRange, Projection, TaskPlan, fold, marked_by,
};
use crate::domain::kinds::{CalendarUnit, FuelKind, MeterUnit};
use crate::domain::ledger::{Fact, Fuel, MarkUsage, MeterMove};
use crate::domain::meter::{MeterFact, MeterState, NewMeter};
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

/// A last service whose usage changes.
#[derive(Clone, Copy, Debug)]
pub struct MovedMark {
    pub task: Uuid,
    pub before: Quantity,
    pub after: Option<Quantity>,
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

    /// Last services whose stored usage is another one in `folded`. One that another entry set now is
    /// no moved one, unless the meter has lowered it.
    pub fn moved_marks<'a>(
        &'a self,
        folded: &'a Folded,
        marked_before: &'a MarkedBy,
    ) -> impl Iterator<Item = MovedMark> + 'a {
        let tasks = folded.projection.tasks.iter();
        tasks.filter_map(|(task, marks)| {
            let before = self.stored.tasks.get(task)?.last_usage?;
            let (task, after) = (*task, marks.last_usage);
            let is_same = folded.marked_by.get(&task) == marked_before.get(&task);
            let is_lowered = folded.clamped.contains(&task) && Some(before) > after;
            let moved = MovedMark {
                task,
                before,
                after,
            };
            (Some(before) != after && (is_same || is_lowered)).then_some(moved)
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

/// Stored projections of equipment, and its initial state.
#[derive(sqlx_macros::FromRow)]
pub struct StoredRow {
    pub id: Uuid,
    name: String,
    unit: String,
    initial_usage: i64,
    initial_offset: i64,
    initial_read: Option<bool>,
    added_at: DateTime<Utc>,
    last_fact_at: Option<DateTime<Utc>>,
    fuel_period: i32,
    current_usage: i64,
    meter_offset: i64,
    #[sqlx(flatten)]
    daily_use: DailyUseRow,
    company_zone: Option<String>,
    usual_fill: Option<i64>,
    meter_read_at: Option<DateTime<Utc>>,
    total_gas: i64,
    total_diesel: i64,
    approaching_usage: Option<i64>,
    due_usage: Option<i64>,
    overdue_usage: Option<i64>,
    next_date: Option<NaiveDate>,
    special_points: Option<Json<Vec<SpecialPoints>>>,
}

/// Either all three or none are set.
fn points(row: &StoredRow) -> Option<[Quantity; 3]> {
    let points = [row.approaching_usage?, row.due_usage?, row.overdue_usage?];
    Some(points.map(Quantity::from_hundredths))
}

impl TryFrom<StoredRow> for MachineLedger {
    type Error = ServiceError;

    fn try_from(row: StoredRow) -> Result<Self, ServiceError> {
        let usage = points(&row);
        let unit = MeterUnit::parse(&row.unit).ok_or_else(|| unknown_value(&row.unit))?;
        let daily_use = DailyUse::from(row.daily_use);
        let zone = daily_use.zone;
        let company_zone = row.company_zone.and_then(|zone| zone.parse().ok());
        Ok(Self {
            id: row.id,
            name: row.name,
            task_names: BTreeMap::new(),
            stored: Projection {
                meter: MeterState {
                    usage: Quantity::from_hundredths(row.current_usage),
                    offset: Quantity::from_hundredths(row.meter_offset),
                },
                read_at: row.meter_read_at,
                last_fact_at: row.last_fact_at.unwrap_or(row.added_at),
                gas: Quantity::from_hundredths(row.total_gas),
                diesel: Quantity::from_hundredths(row.total_diesel),
                tasks: BTreeMap::new(),
                due: DuePoints {
                    usage,
                    next_date: row.next_date,
                    special: row.special_points.map(|row| row.0).unwrap_or_default(),
                },
                usual_fill: quantity(row.usual_fill),
                daily_use,
            },
            initial: InitialState {
                meter: MeterState {
                    usage: Quantity::from_hundredths(row.initial_usage),
                    offset: Quantity::from_hundredths(row.initial_offset),
                },
                read: row
                    .initial_read
                    .unwrap_or(row.initial_usage > 0 || unit == MeterUnit::NotApplicable),
                unit,
                zone: company_zone.or(zone).unwrap_or_default(),
                added_at: row.added_at,
                fuel_period: row.fuel_period,
                tasks: Vec::new(),
            },
            facts: Vec::new(),
        })
    }
}

#[derive(sqlx_macros::FromRow)]
pub struct PlanRow {
    pub equipment_id: Uuid,
    pub id: Uuid,
    pub name: String,
    created_at: Option<DateTime<Utc>>,
    usage_interval: i64,
    calendar_interval: Option<i32>,
    calendar_unit: Option<String>,
    initial_last_usage: Option<i64>,
    initial_start_date: Option<NaiveDate>,
    last_usage: Option<i64>,
    start_date: Option<NaiveDate>,
    next_date: Option<NaiveDate>,
    #[sqlx(flatten)]
    rule: RuleRow,
}

impl PlanRow {
    pub const fn marks(&self) -> Marks {
        Marks {
            last_usage: quantity(self.last_usage),
            start: self.start_date,
            next: self.next_date,
        }
    }

    pub fn plan(&self) -> Result<TaskPlan, ServiceError> {
        let calendar = self.calendar_interval.zip(self.calendar_unit.as_deref());
        let calendar = calendar.map(|(interval, unit)| {
            let interval = u32::try_from(interval).map_err(ServiceError::internal)?;
            let unit = CalendarUnit::parse(unit).ok_or_else(|| unknown_value(unit))?;
            Ok::<_, ServiceError>((interval, unit))
        });
        Ok(TaskPlan {
            id: self.id,
            created_at: self.created_at,
            usage_interval: Quantity::from_hundredths(self.usage_interval),
            calendar_interval: calendar.transpose()?,
            initial_usage: quantity(self.initial_last_usage),
            initial_start: self.initial_start_date,
            rule: self.rule.rule()?,
        })
    }
}

#[derive(sqlx_macros::FromRow)]
pub struct FactRow {
    pub equipment_id: Uuid,
    id: Uuid,
    captured_at: DateTime<Utc>,
    sequence: i64,
    recorded_at: DateTime<Utc>,
    usage_before: Option<i64>,
    usage_after: Option<i64>,
    meter_effect: Option<String>,
    increase: Option<i64>,
    reading: Option<i64>,
    final_given: Option<bool>,
    new_unit: Option<bool>,
    unit: String,
    reordered: bool,
    meter_change: Option<String>,
    meter_final: Option<i64>,
    meter_start: Option<i64>,
    fuel: i64,
    fuel_kind: Option<String>,
    fuel_period: i32,
    full_fill: bool,
    task_id: Option<Uuid>,
    mark: Option<String>,
    mark_usage: Option<i64>,
    mark_date: Option<NaiveDate>,
    service_day: Option<NaiveDate>,
}

impl FactRow {
    pub fn fact(&self) -> Result<Fact, ServiceError> {
        let moved = self.usage_before.zip(self.usage_after);
        let moved = moved.map(|(before, after)| MeterMove {
            before: Quantity::from_hundredths(before),
            after: Quantity::from_hundredths(after),
        });
        let effect = self.meter_effect.as_deref().zip(moved);
        let meter = effect.map(|(effect, moved)| self.meter_fact(effect, moved));
        let kind = self.fuel_kind.as_deref().map(|text| {
            let parsed = FuelKind::parse(text);
            parsed.ok_or_else(|| unknown_value(text))
        });
        let mark = self.mark.as_deref().map(|text| match text {
            "meter" => Ok(MarkUsage::Meter),
            "given" => Ok(MarkUsage::Given(quantity(self.mark_usage))),
            other => Err(unknown_value(other)),
        });
        let amount = Quantity::from_hundredths(self.fuel);
        let fuel = kind.transpose()?.map(|kind| Fuel {
            amount,
            kind,
            full: self.full_fill,
        });
        let mark = self.task_id.zip(mark.transpose()?);
        Ok(Fact {
            id: self.id,
            captured_at: self.captured_at,
            meter: meter.transpose()?,
            unit: MeterUnit::parse(&self.unit).ok_or_else(|| unknown_value(&self.unit))?,
            fuel: fuel.map(|fuel| (fuel, self.fuel_period)),
            mark: mark.map(|(task, usage)| (task, usage, self.mark_date)),
            service: self.service_day.map(|day| (self.task_id, day)),
            stored: moved,
            entered: (self.sequence, self.recorded_at),
        })
    }

    fn meter_fact(&self, effect: &str, moved: MeterMove) -> Result<MeterFact, ServiceError> {
        let reading = quantity(self.reading);
        match (effect, reading) {
            ("increase", _) => {
                let by = quantity(self.increase);
                let by = by.unwrap_or_else(|| moved.after.minus(moved.before));
                Ok(MeterFact::Increase(by))
            }
            ("reading", Some(reading)) if self.new_unit == Some(true) => {
                let (usage, offset) = (moved.after, moved.after.minus(reading));
                Ok(MeterFact::NewUnit(Some(MeterState { usage, offset })))
            }
            ("reading", None) if self.new_unit == Some(true) => Ok(MeterFact::NewUnit(None)),
            // An earlier release read it on the meter of its day and then applied its usage.
            ("reading", _) if self.reordered => Ok(MeterFact::Usage(moved.after)),
            ("reading", Some(reading)) if self.service_day.is_some() => {
                Ok(MeterFact::ServiceReading(reading))
            }
            ("reading", Some(reading)) => Ok(MeterFact::Reading(reading)),
            ("reading", None) => Ok(MeterFact::Usage(moved.after)),
            ("replacement", reading) => self.replacement(reading),
            _ => Err(unknown_value(effect)),
        }
    }

    fn replacement(&self, reading: Option<Quantity>) -> Result<MeterFact, ServiceError> {
        let change = self.meter_change.as_deref();
        let stored = replacement(change, self.meter_final, self.meter_start)?;
        let stored = stored.ok_or_else(|| unknown_value("replacement"))?;
        let new = NewMeter {
            change: stored.change,
            last: Some(stored.last).filter(|_| self.final_given != Some(false)),
            first: stored.first,
        };
        Ok(MeterFact::Replacement(new, reading.unwrap_or(stored.first)))
    }
}
