//! Reads rows of equipment with service tasks.

use chrono::{DateTime, Utc};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row as _};
use uuid::Uuid;

use super::columns::{count, optional_count, word};
use super::{daily_use, rules};
use crate::domain::equipment::{
    Details, Equipment, Lifespan, Recurrence, Retired, ServiceTask, Snoozed,
};
use crate::domain::fuel::Gallons;
use crate::domain::kinds::{
    CalendarUnit, EquipmentFuel, EquipmentType, MeterUnit, OperationalStatus,
};
use crate::domain::rule::Schedule;

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

impl FromRow<'_, PgRow> for ServiceTask {
    fn from_row(row: &PgRow) -> sqlx::Result<Self> {
        let position: i32 = row.try_get("task_position")?;
        Ok(Self {
            id: row.try_get("task_id")?,
            name: row.try_get("task_name")?,
            from_form: position == 0,
            recurrence: Recurrence {
                interval: row.try_get("usage_interval")?,
                last_usage: row.try_get("last_usage")?,
                schedule: schedule(row)?,
                rule: rules::rule(row)?,
            },
            snoozed: snoozed(row)?,
        })
    }
}

/// The database checks that all four columns are set together.
fn schedule(row: &PgRow) -> sqlx::Result<Option<Schedule>> {
    let Some(interval) = optional_count(row, "calendar_interval")? else {
        return Ok(None);
    };
    Ok(Some(Schedule {
        start: row.try_get("start_date")?,
        interval,
        unit: word(row, "calendar_unit", CalendarUnit::parse)?,
        next: row.try_get("next_date")?,
    }))
}

/// None: not snoozed, or one of the columns is missing, which the database does not check.
fn snoozed(row: &PgRow) -> sqlx::Result<Option<Snoozed>> {
    let reason: Option<String> = row.try_get("snooze_reason")?;
    let by: Option<String> = row.try_get("snoozed_by")?;
    let at: Option<DateTime<Utc>> = row.try_get("snoozed_at")?;
    let known = reason.zip(by).zip(at);
    Ok(known.map(|((reason, by), at)| Snoozed { reason, by, at }))
}

/// Equipment with its form's task, without what only entries need.
impl FromRow<'_, PgRow> for Equipment {
    fn from_row(row: &PgRow) -> sqlx::Result<Self> {
        let form_task_id: Option<Uuid> = row.try_get("task_id")?;
        let form = form_task_id
            .map(|_| ServiceTask::from_row(row))
            .transpose()?;
        Ok(Self {
            id: row.try_get("id")?,
            form_task_id: form_task_id.unwrap_or_default(),
            form_snoozed: form.as_ref().and_then(|task| task.snoozed.clone()),
            details: Details {
                name: row.try_get("name")?,
                kind: word(row, "kind", EquipmentType::parse)?,
                serial_number: row.try_get("serial_number")?,
                unit_number: row.try_get("unit_number")?,
                group: row.try_get("equipment_group")?,
                operational_status: word(row, "operational_status", OperationalStatus::parse)?,
                unit: word(row, "unit", MeterUnit::parse)?,
                current_usage: row.try_get("current_usage")?,
                lifespan: Lifespan {
                    threshold: row.try_get("lifespan")?,
                    alert_threshold: count(row, "alert_threshold")?,
                },
                fuel: word(row, "fuel", EquipmentFuel::parse)?,
                task: form.map(|task| task.recurrence).unwrap_or_default(),
                parts: Vec::new(),
                description: row.try_get("description")?,
            },
            more_tasks: Vec::new(),
            meter_offset: row.try_get("meter_offset")?,
            meter_read_at: row.try_get("meter_read_at")?,
            known_at: row.try_get("known_at")?,
            unit_since: row.try_get("unit_since")?,
            daily_use: daily_use::of_list(row)?,
            usual_fill: row.try_get("usual_fill")?,
            total_gas: row.try_get("total_gas")?,
            total_diesel: row.try_get("total_diesel")?,
            added_at: row.try_get("added_at")?,
            updated_at: row.try_get("updated_at")?,
            version: row.try_get("version")?,
            sort_key: row.try_get("sort_key")?,
        })
    }
}

impl FromRow<'_, PgRow> for Retired {
    fn from_row(row: &PgRow) -> sqlx::Result<Self> {
        Ok(Self {
            archive_id: row.try_get("archive_id")?,
            equipment: Equipment::from_row(row)?,
            fuel: Gallons::from_row(row)?,
            notes: row.try_get("retirement_notes")?,
            by: row.try_get("retired_by")?,
            at: row.try_get("retired_at")?,
        })
    }
}
