//! Rows of equipment with service tasks, converted to domain types.

use chrono::{DateTime, NaiveDate, Utc};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::quantity::Quantity;
use uuid::Uuid;

use super::daily_use::DailyUseRow;
use super::rules::RuleRow;
use super::{quantity, unknown_value};
use crate::domain::equipment::{
    Details, Equipment, Lifespan, Retired, Schedule, ServiceTask, Snoozed, Task,
};
use crate::domain::fuel::Gallons;
use crate::domain::kinds::{
    CalendarUnit, EquipmentFuel, EquipmentType, MeterUnit, OperationalStatus,
};

/// Columns of the equipment `e`.
pub const EQUIPMENT_COLUMNS: &str = "
    e.id,
    e.name,
    e.kind,
    e.serial_number,
    e.unit_number,
    e.equipment_group,
    e.operational_status,
    e.unit,
    e.current_usage,
    e.meter_offset,
    e.meter_read_at,
    greatest(e.last_fact_at, e.meter_read_at, e.added_at) AS known_at,
    e.unit_since,
    e.usual_fill,
    e.use_low,
    e.use_usual,
    e.use_high,
    e.use_days,
    e.lifespan,
    e.alert_threshold,
    e.fuel,
    e.total_gas,
    e.total_diesel,
    e.description,
    e.added_at,
    e.updated_at,
    e.version,
    e.sort_key";

/// Columns of the service task `t`; null without one.
pub const TASK_COLUMNS: &str = "
    t.id AS task_id,
    t.name AS task_name,
    t.position AS task_position,
    t.usage_interval,
    t.last_usage,
    t.start_date,
    t.calendar_interval,
    t.calendar_unit,
    t.next_date,
    t.basis,
    t.first_usage,
    t.first_date,
    t.warning_percent,
    t.warning_usage,
    t.warning_days,
    t.snoozed_until_date,
    t.snoozed_until_usage,
    t.snooze_reason,
    t.snoozed_by,
    t.snoozed_at";

#[derive(sqlx_macros::FromRow)]
pub struct TaskRow {
    task_id: Option<Uuid>,
    task_name: Option<String>,
    task_position: Option<i32>,
    usage_interval: Option<i64>,
    last_usage: Option<i64>,
    start_date: Option<NaiveDate>,
    calendar_interval: Option<i32>,
    calendar_unit: Option<String>,
    next_date: Option<NaiveDate>,
    #[sqlx(flatten)]
    rule: RuleRow,
    snooze_reason: Option<String>,
    snoozed_by: Option<String>,
    snoozed_at: Option<DateTime<Utc>>,
}

impl TaskRow {
    pub fn task(&self) -> Result<Option<Task>, ServiceError> {
        let (Some(id), Some(interval)) = (self.task_id, self.usage_interval) else {
            return Ok(None);
        };
        Ok(Some(Task {
            id,
            name: self.task_name.clone().unwrap_or_default(),
            from_form: self.task_position == Some(0),
            plan: ServiceTask {
                interval: Quantity::from_hundredths(interval),
                last_usage: self.last_usage.map(Quantity::from_hundredths),
                schedule: self.schedule()?,
                rule: self.rule.rule()?,
            },
            snoozed: self.snoozed(),
        }))
    }

    fn snoozed(&self) -> Option<Snoozed> {
        Some(Snoozed {
            reason: self.snooze_reason.clone()?,
            by: self.snoozed_by.clone()?,
            at: self.snoozed_at?,
        })
    }

    fn schedule(&self) -> Result<Option<Schedule>, ServiceError> {
        let (Some(start), Some(interval), Some(unit), Some(next)) = (
            self.start_date,
            self.calendar_interval,
            self.calendar_unit.as_deref(),
            self.next_date,
        ) else {
            return Ok(None);
        };
        Ok(Some(Schedule {
            start,
            interval: u32::try_from(interval).map_err(ServiceError::internal)?,
            unit: CalendarUnit::parse(unit).ok_or_else(|| unknown_value(unit))?,
            next,
        }))
    }
}

/// Equipment with one of its tasks.
#[derive(sqlx_macros::FromRow)]
pub struct EquipmentRow {
    id: Uuid,
    name: String,
    kind: String,
    serial_number: Option<String>,
    unit_number: Option<String>,
    equipment_group: Option<String>,
    operational_status: String,
    unit: String,
    current_usage: i64,
    meter_offset: i64,
    meter_read_at: Option<DateTime<Utc>>,
    known_at: DateTime<Utc>,
    unit_since: Option<DateTime<Utc>>,
    usual_fill: Option<i64>,
    #[sqlx(flatten)]
    daily_use: DailyUseRow,
    lifespan: Option<i64>,
    alert_threshold: i32,
    fuel: String,
    total_gas: i64,
    total_diesel: i64,
    description: String,
    added_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
    version: i64,
    sort_key: String,
    #[sqlx(flatten)]
    task: TaskRow,
}

impl TryFrom<EquipmentRow> for Equipment {
    type Error = ServiceError;

    fn try_from(row: EquipmentRow) -> Result<Self, ServiceError> {
        let alert_threshold = u32::try_from(row.alert_threshold).map_err(ServiceError::internal)?;
        let form = row.task.task()?;
        Ok(Self {
            id: row.id,
            form_task_id: form.as_ref().map_or(Uuid::nil(), |task| task.id),
            form_snoozed: form.as_ref().and_then(|task| task.snoozed.clone()),
            details: Details {
                kind: EquipmentType::parse(&row.kind).ok_or_else(|| unknown_value(&row.kind))?,
                operational_status: OperationalStatus::parse(&row.operational_status)
                    .ok_or_else(|| unknown_value(&row.operational_status))?,
                unit: MeterUnit::parse(&row.unit).ok_or_else(|| unknown_value(&row.unit))?,
                fuel: EquipmentFuel::parse(&row.fuel).ok_or_else(|| unknown_value(&row.fuel))?,
                task: form.map(|task| task.plan).unwrap_or_default(),
                name: row.name,
                serial_number: row.serial_number,
                unit_number: row.unit_number,
                group: row.equipment_group,
                current_usage: Quantity::from_hundredths(row.current_usage),
                lifespan: Lifespan {
                    threshold: row.lifespan.map(Quantity::from_hundredths),
                    alert_threshold,
                },
                parts: Vec::new(),
                description: row.description,
            },
            more_tasks: Vec::new(),
            meter_offset: Quantity::from_hundredths(row.meter_offset),
            meter_read_at: row.meter_read_at,
            known_at: row.known_at,
            unit_since: row.unit_since,
            daily_use: row.daily_use.into(),
            usual_fill: quantity(row.usual_fill),
            total_gas: Quantity::from_hundredths(row.total_gas),
            total_diesel: Quantity::from_hundredths(row.total_diesel),
            added_at: row.added_at,
            updated_at: row.updated_at,
            version: row.version,
            sort_key: row.sort_key,
        })
    }
}

/// Builds equipment from rows with one task each, sorted by equipment and position.
pub fn fold(rows: impl Iterator<Item = EquipmentRow>) -> Result<Vec<Equipment>, ServiceError> {
    let mut found: Vec<Equipment> = Vec::new();
    for row in rows {
        match found.last_mut().filter(|last| last.id == row.id) {
            Some(last) => last.more_tasks.extend(row.task.task()?),
            None => found.push(row.try_into()?),
        }
    }
    Ok(found)
}

#[derive(sqlx_macros::FromRow)]
pub struct RetiredRow {
    #[sqlx(flatten)]
    equipment: EquipmentRow,
    archive_id: Uuid,
    retirement_notes: String,
    retired_by: String,
    retired_at: DateTime<Utc>,
    all_gas: i64,
    all_diesel: i64,
}

impl TryFrom<RetiredRow> for Retired {
    type Error = ServiceError;

    fn try_from(row: RetiredRow) -> Result<Self, ServiceError> {
        Ok(Self {
            archive_id: row.archive_id,
            equipment: row.equipment.try_into()?,
            fuel: Gallons {
                gas: Quantity::from_hundredths(row.all_gas),
                diesel: Quantity::from_hundredths(row.all_diesel),
            },
            notes: row.retirement_notes,
            by: row.retired_by,
            at: row.retired_at,
        })
    }
}
