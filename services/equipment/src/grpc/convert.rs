//! Converts domain types to protobuf messages.

use chrono::{DateTime, NaiveDate, Utc};
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Identity;
use hourmeter_runtime::quantity::Quantity;

use crate::domain::due::urgent_task;
use crate::domain::equipment::{Equipment, Retired, ServicePart, Task};
use crate::domain::kinds::CalendarUnit;
use crate::domain::ledger::{EntryKind, Record, Source, Voiding};
use crate::domain::meter::{Replacement, Segment};
use crate::domain::problems::Problems;
use crate::domain::status::{self, Figures, figures};
use crate::store::meters::MeterInShort;

mod words;

use words::{
    badge, calendar_unit, equipment_type, fuel_kind, history_kind, meter_change, note_type,
    overall_status, service_status,
};
pub use words::{equipment_fuel, meter_unit};

impl From<Problems> for ServiceError {
    fn from(problems: Problems) -> Self {
        Self::fields(problems.into_fields())
    }
}

pub fn equipment(item: &Equipment, identity: &Identity, today: NaiveDate) -> v1::Equipment {
    let body = &item.body;
    let figures = figures(&item.plans(), body.current_usage, body.lifespan, today);
    let urgent = urgent_task(item, today);
    let schedule = body.task.schedule;
    let plain = v1::Equipment {
        id: item.id.to_string(),
        owner_id: identity.owner_id.to_string(),
        name: body.name.clone(),
        r#type: equipment_type(body.kind).into(),
        serial_number: body.serial_number.clone(),
        unit_number: body.unit_number.clone(),
        unit: meter_unit(body.unit).into(),
        current_usage: body.current_usage.to_f64(),
        threshold: body.lifespan.threshold.map(Quantity::to_f64),
        fuel: equipment_fuel(body.fuel).into(),
        alert_threshold: body.lifespan.alert_threshold,
        service_interval: body.task.interval.to_f64(),
        last_service_usage: body.task.last_usage.map(Quantity::to_f64),
        total_fuel_used: item.total_gas.plus(item.total_diesel).to_f64(),
        total_gas_used: item.total_gas.to_f64(),
        total_diesel_used: item.total_diesel.to_f64(),
        has_scheduled_maintenance: schedule.is_some(),
        maintenance_start_date: schedule
            .map(|known| known.start.to_string())
            .unwrap_or_default(),
        maintenance_interval: schedule.map_or(0, |known| known.interval),
        maintenance_interval_unit: calendar_unit(
            schedule.map_or(CalendarUnit::Months, |known| known.unit),
        )
        .into(),
        next_maintenance_date: schedule
            .map(|known| known.next.to_string())
            .unwrap_or_default(),
        service_parts: body.parts.iter().map(part).collect(),
        description: body.description.clone(),
        date_added: Some(timestamp(item.added_at)),
        last_updated: Some(timestamp(item.updated_at)),
        version: item.version.unsigned_abs(),
        urgent_task: urgent.map(|task| in_short(service_task(task, body.current_usage, today))),
        // At most `MAX_TASKS`.
        more_tasks: u32::try_from(item.more_tasks.len()).unwrap_or(u32::MAX),
        meter_reading: item.stand().reading().to_f64(),
        meter_read_at: item.meter_read_at.map(timestamp),
        usual_daily_use: item.usual.daily_use.map(Quantity::to_f64),
        usual_fill: item.usual.fill.map(Quantity::to_f64),
        ..v1::Equipment::default()
    };
    with_figures(plain, &figures)
}

fn with_figures(plain: v1::Equipment, figures: &Figures) -> v1::Equipment {
    let percent = |hundredths| Quantity::from_hundredths(hundredths).to_f64();
    // Dates are within 300 years, so the days always fit.
    let days = figures.days_until_maintenance.map(i32::try_from);
    v1::Equipment {
        service_status: service_status(figures.service_status).into(),
        overall_status: overall_status(figures.overall_status).into(),
        badge: badge(figures.badge).into(),
        usage_percent: figures.usage_percent.map(percent),
        days_until_maintenance: days.and_then(Result::ok),
        critical: figures.critical,
        severely_critical: figures.severely_critical,
        lifespan_percent: figures.lifespan_percent.map(percent),
        lifespan_alert: figures.lifespan_alert,
        next_service_due_usage: figures.next_due.map(Quantity::to_f64),
        remaining_usage: figures.remaining.map(Quantity::to_f64),
        ..plain
    }
}

pub fn service_task(task: &Task, usage: Quantity, today: NaiveDate) -> v1::ServiceTask {
    let (plan, schedule) = (&task.plan, task.plan.schedule);
    let status = status::service_status(std::slice::from_ref(plan), usage, today);
    let percent = |hundredths| Quantity::from_hundredths(hundredths).to_f64();
    let days = status::days_left(plan, today).map(i32::try_from);
    let unit = schedule.map_or(CalendarUnit::Months, |known| known.unit);
    v1::ServiceTask {
        id: task.id.to_string(),
        name: task.name.clone(),
        from_form: task.from_form,
        usage_interval: plan.interval.to_f64(),
        last_done_usage: plan.last_usage.map(Quantity::to_f64),
        last_done_on: schedule
            .map(|known| known.start.to_string())
            .unwrap_or_default(),
        calendar_interval: schedule.map_or(0, |known| known.interval),
        calendar_unit: calendar_unit(unit).into(),
        next_due_date: schedule
            .map(|known| known.next.to_string())
            .unwrap_or_default(),
        status: service_status(status).into(),
        usage_percent: status::usage_percent(plan, usage).map(percent),
        next_due_usage: status::next_due(plan).map(Quantity::to_f64),
        remaining_usage: status::remaining(plan, usage).map(Quantity::to_f64),
        days_until_due: days.and_then(Result::ok),
    }
}

fn in_short(task: v1::ServiceTask) -> v1::UrgentTask {
    v1::UrgentTask {
        id: task.id,
        name: task.name,
        status: task.status,
        next_due_usage: task.next_due_usage,
        remaining_usage: task.remaining_usage,
        days_until_due: task.days_until_due,
    }
}

fn part(part: &ServicePart) -> v1::ServicePart {
    v1::ServicePart {
        part: part.part.clone(),
        part_number: part.part_number.clone(),
        quantity: part.quantity,
    }
}

pub fn retired(row: &Retired, identity: &Identity) -> v1::RetiredEquipment {
    let (item, body) = (&row.equipment, &row.equipment.body);
    v1::RetiredEquipment {
        id: row.archive_id.to_string(),
        original_equipment_id: item.id.to_string(),
        owner_id: identity.owner_id.to_string(),
        name: body.name.clone(),
        r#type: equipment_type(body.kind).into(),
        serial_number: body.serial_number.clone(),
        unit_number: body.unit_number.clone(),
        unit: meter_unit(body.unit).into(),
        final_usage: body.current_usage.to_f64(),
        threshold: body.lifespan.threshold.map(Quantity::to_f64),
        fuel: equipment_fuel(body.fuel).into(),
        service_interval: body.task.interval.to_f64(),
        last_service_usage: body.task.last_usage.map(Quantity::to_f64),
        total_fuel_used: item.total_gas.plus(item.total_diesel).to_f64(),
        total_gas_used: item.total_gas.to_f64(),
        total_diesel_used: item.total_diesel.to_f64(),
        description: body.description.clone(),
        retirement_notes: row.notes.clone(),
        retired_by: row.by.clone(),
        original_date_added: Some(timestamp(item.added_at)),
        retired_at: Some(timestamp(row.at)),
    }
}

pub fn history(record: &Record) -> v1::HistoryRecord {
    v1::HistoryRecord {
        id: record.id.to_string(),
        equipment_id: record.subject.id.to_string(),
        equipment_name: record.subject.name.clone(),
        kind: history_kind(record.kind).into(),
        note_type: note_type(record.kind.note_type()).into(),
        operator_name: record.actor_name.clone(),
        usage: record.usage.map(|moved| moved.after.to_f64()),
        fuel_added: record.fuel.map_or(0.0, |fuel| fuel.amount.to_f64()),
        fuel_kind: record
            .fuel
            .map_or(v1::FuelKind::Unspecified, |fuel| fuel_kind(fuel.kind))
            .into(),
        content: record.content.clone(),
        created_at: Some(timestamp(record.recorded_at)),
        usage_before: record.usage.map(|moved| moved.before.to_f64()),
        unit: meter_unit(record.subject.unit).into(),
        captured_at: Some(timestamp(record.captured_at)),
        cost: record.cost.map(Quantity::to_f64),
        performed_on: record
            .performed_on
            .map(|day| day.to_string())
            .unwrap_or_default(),
        task_name: task_name(record),
        from_operator: record.source == Source::Operator,
        reading: record.reading.map(Quantity::to_f64),
        voiding: record.voiding.as_ref().map(voiding),
        meter_replacement: record.replacement.map(replacement),
    }
}

fn replacement(replacement: Replacement) -> v1::MeterReplacement {
    v1::MeterReplacement {
        change: meter_change(replacement.change).into(),
        final_reading: Some(replacement.last.to_f64()),
        start_reading: replacement.first.to_f64(),
    }
}

/// `number` counts the meters of a machine from 1.
pub fn segment(number: usize, segment: &Segment) -> v1::MeterSegment {
    let ending = segment.ending.as_ref();
    v1::MeterSegment {
        number: u32::try_from(number).unwrap_or(u32::MAX),
        started_at: Some(timestamp(segment.started_at)),
        start_reading: segment.start.reading().to_f64(),
        start_usage: segment.start.usage.to_f64(),
        ended_at: ending.map(|ending| timestamp(ending.at)),
        end_reading: segment.end.reading().to_f64(),
        end_usage: segment.end.usage.to_f64(),
        ended_by: ending
            .map_or(v1::MeterChange::Unspecified, |ending| {
                meter_change(ending.replacement.change)
            })
            .into(),
        ended_by_name: ending.map(|ending| ending.by.clone()).unwrap_or_default(),
    }
}

pub fn meter(item: MeterInShort) -> v1::Meter {
    v1::Meter {
        equipment_id: item.id.to_string(),
        name: item.name,
        r#type: equipment_type(item.kind).into(),
        serial_number: item.serial_number,
        unit_number: item.unit_number,
        unit: meter_unit(item.unit).into(),
        fuel: equipment_fuel(item.fuel).into(),
        meter_reading: item.stand.reading().to_f64(),
        meter_read_at: item.read_at.map(timestamp),
        usual_daily_use: item.usual.daily_use.map(Quantity::to_f64),
        usual_fill: item.usual.fill.map(Quantity::to_f64),
        service_status: service_status(item.status).into(),
    }
}

/// Edits of a task have its name too; only services are shown with it.
fn task_name(record: &Record) -> String {
    let done = record.task_name.clone();
    done.filter(|_| record.kind == EntryKind::Service)
        .unwrap_or_default()
}

fn voiding(voiding: &Voiding) -> v1::Voiding {
    v1::Voiding {
        reason: voiding.reason.clone(),
        by: voiding.by.clone(),
        at: Some(timestamp(voiding.at)),
        usage_before: voiding.usage.map(|moved| moved.before.to_f64()),
        usage_after: voiding.usage.map(|moved| moved.after.to_f64()),
    }
}

pub fn note(record: &Record) -> v1::Note {
    v1::Note {
        id: record.id.to_string(),
        equipment_id: record.subject.id.to_string(),
        content: record.content.clone(),
        r#type: note_type(record.kind.note_type()).into(),
        author_name: record.actor_name.clone(),
        created_at: Some(timestamp(record.recorded_at)),
        voiding: record.voiding.as_ref().map(voiding),
    }
}

pub fn timestamp(at: DateTime<Utc>) -> prost_types::Timestamp {
    prost_types::Timestamp {
        seconds: at.timestamp(),
        // Below 2 billion, also in a leap second.
        nanos: i32::try_from(at.timestamp_subsec_nanos()).unwrap_or_default(),
    }
}
