//! Converts domain types to protobuf messages.

use std::fmt::Display;

use chrono::NaiveDate;
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Identity;
use hourmeter_runtime::quantity::Quantity;

use crate::domain::equipment::{Equipment, Recurrence, Retired, ServicePart, ServiceTask};
use crate::domain::field_errors::FieldErrors;
use crate::domain::forecast::{
    CompanyDay, ProjectedDue, is_stale, meter_age_days, projected_due, urgent_task,
};
use crate::domain::kinds::CalendarUnit;
use crate::domain::ledger::{Correction, EntryKind, Source, StoredEntry, Voiding};
use crate::domain::meter::{Replacement, Segment};
use crate::domain::service_text::service_notes;
use crate::domain::status::{self, ServiceStatus, StatusSummary, status_summary};
use crate::store::meters::MeterListItem;

mod task_sets;
mod tasks;

pub use task_sets::{task_set, task_set_result, unknown_task_set_machine};
pub use tasks::service_task;
use tasks::{snoozed_tasks, to_urgent_task};

/// None is an empty text.
pub fn text(value: Option<impl Display>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// None is the unspecified value of a protobuf enum.
fn or_unspecified(value: Option<impl Into<i32>>) -> i32 {
    value.map_or(0, Into::into)
}

impl From<FieldErrors> for ServiceError {
    fn from(errors: FieldErrors) -> Self {
        Self::fields(errors.into_fields())
    }
}

pub fn equipment(item: &Equipment, identity: &Identity, day: &CompanyDay) -> v1::Equipment {
    v1::Equipment {
        owner_id: identity.owner_id.to_string(),
        ..machine(item, day)
    }
}

/// Equipment without its owner, for other services.
pub fn machine(item: &Equipment, day: &CompanyDay) -> v1::Equipment {
    let (details, today) = (&item.details, day.today);
    let (recurrences, usage) = (item.recurrences(), details.current_usage);
    let status = status_summary(&recurrences, usage, details.lifespan, today);
    let urgent = urgent_task(item, day);
    let schedule = details.task.schedule;
    let plain = v1::Equipment {
        id: item.id.to_string(),
        name: details.name.clone(),
        r#type: details.kind.into(),
        serial_number: details.serial_number.clone(),
        unit_number: details.unit_number.clone(),
        group: details.group.clone(),
        unit: details.unit.into(),
        current_usage: usage.to_f64(),
        threshold: details.lifespan.threshold.map(Quantity::to_f64),
        fuel: details.fuel.into(),
        alert_threshold: details.lifespan.alert_threshold,
        service_interval: details.task.interval.to_f64(),
        last_service_usage: details.task.last_usage.map(Quantity::to_f64),
        total_fuel_used: item.total_gas.plus(item.total_diesel).to_f64(),
        total_gas_used: item.total_gas.to_f64(),
        total_diesel_used: item.total_diesel.to_f64(),
        has_scheduled_maintenance: schedule.is_some(),
        maintenance_start_date: text(schedule.map(|known| known.start)),
        maintenance_interval: schedule.map_or(0, |known| known.interval),
        maintenance_interval_unit: schedule
            .map_or(CalendarUnit::Months, |known| known.unit)
            .into(),
        next_maintenance_date: text(schedule.map(|known| known.next)),
        service_parts: details.parts.iter().map(part).collect(),
        description: details.description.clone(),
        date_added: Some(timestamp(item.added_at)),
        last_updated: Some(timestamp(item.updated_at)),
        version: item.version.unsigned_abs(),
        missed_task: missed_task(item, status.missed_rounds, today),
        overdue_tasks: count_overdue(item, today),
        urgent_task: urgent.map(|task| to_urgent_task(service_task(task, item, day))),
        snoozed_tasks: snoozed_tasks(item, today),
        // At most `MAX_TASKS`.
        more_tasks: u32::try_from(item.more_tasks.len()).unwrap_or(u32::MAX),
        meter_reading: item.dial().state.reading().to_f64(),
        meter_read_at: item.meter_read_at.map(timestamp),
        unit_since: item.unit_since.map(timestamp),
        usual_daily_use: item.daily_use.usual().map(Quantity::to_f64),
        usual_fill: item.usual_fill.map(Quantity::to_f64),
        ..v1::Equipment::default()
    };
    with_forecast(with_status(plain, &status), item, day)
}

/// The overdue tasks that are not snoozed, the form's first.
pub fn overdue_tasks(item: &Equipment, today: NaiveDate) -> impl Iterator<Item = ServiceTask> {
    let (dial, usage) = (item.dial(), item.details.current_usage);
    item.tasks().filter(move |task| {
        let recurrence = task.recurrence.counted(dial.is_read());
        is_overdue(&recurrence, usage, today)
    })
}

fn count_overdue(item: &Equipment, today: NaiveDate) -> u32 {
    let usage = item.details.current_usage;
    let recurrences = item.recurrences();
    let overdue = recurrences
        .iter()
        .filter(|recurrence| is_overdue(recurrence, usage, today));
    u32::try_from(overdue.count()).unwrap_or(u32::MAX)
}

fn is_overdue(recurrence: &Recurrence, usage: Quantity, today: NaiveDate) -> bool {
    !recurrence.is_snoozed(usage, today)
        && status::service_status(&[*recurrence], usage, today) == ServiceStatus::Overdue
}

/// Name of the task that has missed the most rounds.
fn missed_task(item: &Equipment, rounds: u32, today: NaiveDate) -> String {
    if rounds == 0 {
        return String::new();
    }
    let (dial, usage) = (item.dial(), item.details.current_usage);
    let missed = item.tasks().find(|task| {
        let recurrence = task.recurrence.counted(dial.is_read());
        !recurrence.is_snoozed(usage, today)
            && status::missed_rounds(&recurrence, usage, today) == rounds
    });
    missed.map(|task| task.name).unwrap_or_default()
}

fn with_forecast(plain: v1::Equipment, item: &Equipment, day: &CompanyDay) -> v1::Equipment {
    let due = projected_due(item, day);
    let date = |date: fn(&ProjectedDue) -> NaiveDate| text(due.as_ref().map(date));
    v1::Equipment {
        operational_status: item.details.operational_status.into(),
        meter_age_days: meter_age_days(item, day),
        stale: is_stale(item, day),
        projected_due_date: date(|due| due.date),
        projected_due_earliest: date(|due| due.earliest),
        projected_due_latest: date(|due| due.latest),
        projected_due_task: due.as_ref().map(|due| v1::ProjectedTask {
            id: due.task.id.to_string(),
            name: due.task.name.clone(),
            by_calendar: due.by_calendar,
            remaining_usage: status::remaining(&due.task.recurrence, item.details.current_usage)
                .map(Quantity::to_f64),
        }),
        ..plain
    }
}

fn with_status(plain: v1::Equipment, status: &StatusSummary) -> v1::Equipment {
    let percent = |hundredths| Quantity::from_hundredths(hundredths).to_f64();
    // Dates are within 300 years, so the days always fit.
    let days = status.days_until_maintenance.map(i32::try_from);
    v1::Equipment {
        service_status: status.service_status.into(),
        overall_status: status.overall_status.into(),
        badge: status.badge.into(),
        usage_percent: status.usage_percent.map(percent),
        days_until_maintenance: days.and_then(Result::ok),
        critical: status.critical,
        severely_critical: status.severely_critical,
        lifespan_percent: status.lifespan_percent.map(percent),
        lifespan_alert: status.lifespan_alert,
        next_service_due_usage: status.next_due.map(Quantity::to_f64),
        remaining_usage: status.remaining.map(Quantity::to_f64),
        missed_rounds: status.missed_rounds,
        ..plain
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
    let (item, details) = (&row.equipment, &row.equipment.details);
    v1::RetiredEquipment {
        id: row.archive_id.to_string(),
        original_equipment_id: item.id.to_string(),
        owner_id: identity.owner_id.to_string(),
        name: details.name.clone(),
        r#type: details.kind.into(),
        serial_number: details.serial_number.clone(),
        unit_number: details.unit_number.clone(),
        group: details.group.clone(),
        unit: details.unit.into(),
        final_usage: details.current_usage.to_f64(),
        threshold: details.lifespan.threshold.map(Quantity::to_f64),
        fuel: details.fuel.into(),
        service_interval: details.task.interval.to_f64(),
        last_service_usage: details.task.last_usage.map(Quantity::to_f64),
        total_fuel_used: row.fuel.total().to_f64(),
        total_gas_used: row.fuel.gas.to_f64(),
        total_diesel_used: row.fuel.diesel.to_f64(),
        description: details.description.clone(),
        retirement_notes: row.notes.clone(),
        retired_by: row.by.clone(),
        original_date_added: Some(timestamp(item.added_at)),
        retired_at: Some(timestamp(row.at)),
    }
}

pub fn history(entry: &StoredEntry) -> v1::HistoryRecord {
    v1::HistoryRecord {
        id: entry.id.to_string(),
        equipment_id: entry.subject.id.to_string(),
        equipment_name: entry.subject.name.clone(),
        kind: history_kind(entry.kind).into(),
        note_type: entry.kind.note_type().into(),
        person_id: entry.actor_id.to_string(),
        operator_name: entry.actor_name.clone(),
        usage: entry.usage.map(|moved| moved.after.to_f64()),
        fuel_added: entry.fuel.map_or(0.0, |fuel| fuel.amount.to_f64()),
        fuel_kind: or_unspecified(entry.fuel.map(|fuel| fuel.kind)),
        content: entry.content.clone(),
        created_at: Some(timestamp(entry.recorded_at)),
        usage_before: entry.usage.map(|moved| moved.before.to_f64()),
        unit: entry.subject.unit.into(),
        captured_at: Some(timestamp(entry.captured_at)),
        cost: entry.cost.map(Quantity::to_f64),
        performed_on: text(entry.performed_on),
        task_name: task_name(entry),
        from_operator: entry.source == Source::Operator,
        reading: entry.reading.map(Quantity::to_f64),
        voiding: entry.voiding.as_ref().map(voiding),
        meter_replacement: entry.replacement.map(replacement),
        fuel_period: entry.fuel_period,
        notes: if entry.kind == EntryKind::Service {
            service_notes(entry).to_owned()
        } else {
            String::new()
        },
        replaces: text(entry.replaces),
        full_fill: entry.fuel.is_some_and(|fuel| fuel.full),
        group: None,
        correction: entry.correction.as_ref().map(correction),
    }
}

const fn history_kind(kind: EntryKind) -> v1::HistoryKind {
    match kind {
        EntryKind::Usage => v1::HistoryKind::Usage,
        EntryKind::Service => v1::HistoryKind::Service,
        EntryKind::Note(_) => v1::HistoryKind::Note,
        EntryKind::Edit => v1::HistoryKind::Edit,
        EntryKind::Retirement => v1::HistoryKind::Retirement,
        EntryKind::Restoration => v1::HistoryKind::Restoration,
        EntryKind::Meter => v1::HistoryKind::Meter,
    }
}

fn correction(correction: &Correction) -> v1::Correction {
    v1::Correction {
        by: correction.by.clone(),
        sent: Some(v1::SentValues {
            reading: correction.reading.map(Quantity::to_f64),
            usage_increase: correction.increase.map(Quantity::to_f64),
            unit: or_unspecified(correction.unit),
            fuel_added: correction.fuel.to_f64(),
            fuel_kind: or_unspecified(correction.fuel_kind),
        }),
        reported_equipment_name: correction.reported_equipment_name.clone(),
        set_back: correction.set_back,
    }
}

fn replacement(replacement: Replacement) -> v1::MeterReplacement {
    v1::MeterReplacement {
        change: replacement.change.into(),
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
        ended_by: or_unspecified(ending.map(|ending| ending.replacement.change)),
        ended_by_name: ending.map(|ending| ending.by.clone()).unwrap_or_default(),
    }
}

pub fn meter(item: MeterListItem) -> v1::Meter {
    v1::Meter {
        equipment_id: item.id.to_string(),
        name: item.name,
        r#type: item.kind.into(),
        serial_number: item.serial_number,
        unit_number: item.unit_number,
        unit: item.unit.into(),
        fuel: item.fuel.into(),
        meter_reading: item.state.reading().to_f64(),
        meter_read_at: item.read_at.map(timestamp),
        usual_daily_use: item.usual_daily_use.map(Quantity::to_f64),
        usual_fill: item.usual_fill.map(Quantity::to_f64),
        service_status: item.status.into(),
        operational_status: item.operational_status.into(),
    }
}

/// Edits of a task have its name too; only services are shown with it.
fn task_name(entry: &StoredEntry) -> String {
    let done = entry.task_name.clone();
    done.filter(|_| entry.kind == EntryKind::Service)
        .unwrap_or_default()
}

fn voiding(voiding: &Voiding) -> v1::Voiding {
    v1::Voiding {
        reason: voiding.reason.clone(),
        undone: voiding.undone,
        by: voiding.by.clone(),
        at: Some(timestamp(voiding.at)),
        usage_before: voiding.usage.map(|moved| moved.before.to_f64()),
        usage_after: voiding.usage.map(|moved| moved.after.to_f64()),
        replaced_by: text(voiding.replaced_by),
    }
}

pub fn note(entry: &StoredEntry) -> v1::Note {
    // The text of a replaced meter is by the manager who decided.
    let decided = entry.correction.as_ref();
    let decided = decided.filter(|_| entry.kind == EntryKind::Meter);
    let (author, reported_by) = match decided {
        Some(correction) => (&correction.by, entry.actor_name.as_str()),
        None => (&entry.actor_name, ""),
    };
    // Operators write when they read the meter.
    let written_at = match entry.source {
        Source::Operator => entry.captured_at,
        Source::Manager => entry.recorded_at,
    };
    v1::Note {
        id: entry.id.to_string(),
        equipment_id: entry.subject.id.to_string(),
        content: entry.content.clone(),
        r#type: entry.kind.note_type().into(),
        author_name: author.clone(),
        reported_by: reported_by.to_owned(),
        created_at: Some(timestamp(written_at)),
        voiding: entry.voiding.as_ref().map(voiding),
        task_name: task_name(entry),
    }
}
