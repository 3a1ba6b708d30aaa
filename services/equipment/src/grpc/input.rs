//! Parses requests into domain types. Errors name the field as on the wire.

use chrono::{DateTime, Datelike as _, TimeZone, Utc};
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::clock::plausible_time;
use hourmeter_runtime::message::{Message, Reason};
use hourmeter_runtime::page::MAX_LIMIT;
use hourmeter_runtime::quantity::Quantity;
use hourmeter_runtime::refusals as shared;
use hourmeter_runtime::text::{LineBreaks, clean};
use uuid::Uuid;

use crate::domain::calendar::read_date;
use crate::domain::change::Change;
use crate::domain::field_change::FieldChange;
use crate::domain::field_errors::FieldErrors;
use crate::domain::fields::{self, PartInput};
use crate::domain::kinds::{
    CalendarUnit, EquipmentFuel, EquipmentType, FuelKind, MeterUnit, OperationalStatus,
};
use crate::domain::ledger::{Fuel, NoteType};
use crate::domain::months::{day_begins, day_ends};
use crate::domain::status::ServiceStatus;
use crate::domain::task_sets::{Mode, Start};
use crate::refusals;
use crate::store::list::{Order, Sorting};

mod task;

pub use task::{snooze_end, task_change};

/// Parses the fields that are present.
pub fn change(input: &v1::EquipmentInput, errors: &mut FieldErrors) -> Change {
    let number = |value: Option<f64>, field: &str, errors: &mut FieldErrors| {
        errors.keep(field, value.map(Quantity::from_input).transpose())?
    };
    let line =
        |value: Option<&str>, longest| value.map(|text| fields::optional_line(text, longest));
    let serial = line(input.serial_number.as_deref(), fields::MAX_SERIAL_NUMBER);
    let unit_number = line(input.unit_number.as_deref(), fields::MAX_UNIT_NUMBER);
    let group = line(input.group.as_deref(), fields::MAX_GROUP);
    let lifespan = input.threshold.map(fields::lifespan);
    let interval = input.service_interval.map(fields::service_interval);
    let alert = input.alert_threshold.map(fields::alert_threshold);
    let description = input.description.as_deref().map(fields::long_text);
    let start = input.maintenance_start_date.as_deref().map(start_date);
    let name = input.name.as_deref().map(fields::name);
    Change {
        name: errors.keep("name", name.transpose()).flatten(),
        kind: required(input.r#type, "type", refusals::TYPE_MISSING, errors, kind),
        serial_number: field_change(serial, "serialNumber", errors),
        unit_number: field_change(unit_number, "unitNumber", errors),
        group: field_change(group, "group", errors),
        operational_status: choice(
            input.operational_status,
            "operationalStatus",
            errors,
            operational_status,
        ),
        unit: required(input.unit, "unit", refusals::UNIT_MISSING, errors, unit),
        current_usage: number(input.current_usage, "currentUsage", errors),
        meter_reading: number(input.meter_reading, "meterReading", errors),
        threshold: field_change(lifespan, "threshold", errors),
        fuel: choice(input.fuel, "fuelType", errors, fuel),
        alert_threshold: errors.keep("alertThreshold", alert.transpose()).flatten(),
        service_interval: errors
            .keep("serviceInterval", interval.transpose())
            .flatten(),
        last_service_usage: number(input.last_service_usage, "lastServiceUsage", errors),
        clear_last_service_usage: input.clear_last_service_usage,
        scheduled: input.has_scheduled_maintenance,
        start: field_change(start, "maintenanceStartDate", errors),
        interval: match input.maintenance_interval {
            None => FieldChange::Keep,
            Some(0) => FieldChange::Clear,
            Some(interval) => FieldChange::Set(interval),
        },
        interval_unit: choice(
            input.maintenance_interval_unit,
            "maintenanceIntervalUnit",
            errors,
            calendar_unit,
        ),
        parts: input
            .service_parts
            .as_ref()
            .map(|parts| fields::parts(&rows(parts), errors)),
        description: errors
            .keep("description", description.transpose())
            .flatten(),
    }
}

fn rows(parts: &v1::ServiceParts) -> Vec<PartInput> {
    let rows = parts.parts.iter().map(|part| PartInput {
        part: part.part.clone(),
        part_number: part.part_number.clone(),
        quantity: part.quantity,
    });
    rows.collect()
}

fn field_change<T, E: Into<Message>>(
    read: Option<Result<FieldChange<T>, E>>,
    field: &str,
    errors: &mut FieldErrors,
) -> FieldChange<T> {
    let read = read.and_then(|read| errors.keep(field, read));
    read.unwrap_or(FieldChange::Keep)
}

fn start_date(text: &str) -> Result<FieldChange<chrono::NaiveDate>, Reason> {
    if text.trim().is_empty() {
        return Ok(FieldChange::Clear);
    }
    read_date(text.trim())
        .map(FieldChange::Set)
        .ok_or(refusals::DATE_INVALID)
}

/// Parses a choice without default: an unspecified value is an error.
fn required<T>(
    value: Option<i32>,
    field: &str,
    message: Reason,
    errors: &mut FieldErrors,
    read: impl Fn(i32) -> Option<T>,
) -> Option<T> {
    if value == Some(0) {
        errors.add(field, message);
        return None;
    }
    choice(value, field, errors, read)
}

fn choice<T>(
    value: Option<i32>,
    field: &str,
    errors: &mut FieldErrors,
    read: impl Fn(i32) -> Option<T>,
) -> Option<T> {
    let read = value.map(|value| read(value).ok_or(refusals::CHOICE_UNKNOWN));
    errors.keep(field, read.transpose()).flatten()
}

pub fn type_filter(value: i32, errors: &mut FieldErrors) -> Option<EquipmentType> {
    choice((value != 0).then_some(value), "type", errors, kind)
}

pub fn operational_filter(value: i32, errors: &mut FieldErrors) -> Option<OperationalStatus> {
    let value = (value != 0).then_some(value);
    choice(value, "operationalStatus", errors, operational_status)
}

/// Unspecified: none.
pub fn unit_or_none(value: i32, errors: &mut FieldErrors) -> Option<MeterUnit> {
    choice((value != 0).then_some(value), "unit", errors, unit)
}

pub fn task_set_mode(value: i32, errors: &mut FieldErrors) -> Mode {
    let read = |value| match v1::TaskSetMode::try_from(value).ok()? {
        v1::TaskSetMode::Unspecified | v1::TaskSetMode::Update => Some(Mode::Update),
        v1::TaskSetMode::Reset => Some(Mode::Reset),
        v1::TaskSetMode::Remove => Some(Mode::Remove),
    };
    choice(Some(value), "mode", errors, read).unwrap_or(Mode::Update)
}

pub fn task_set_start(value: i32, errors: &mut FieldErrors) -> Start {
    let read = |value| match v1::TaskSetStart::try_from(value).ok()? {
        v1::TaskSetStart::Unspecified | v1::TaskSetStart::Now => Some(Start::Now),
        v1::TaskSetStart::LastService => Some(Start::LastService),
    };
    choice(Some(value), "start", errors, read).unwrap_or(Start::Now)
}

pub fn status_filter(value: i32, errors: &mut FieldErrors) -> Option<ServiceStatus> {
    let read = |value| match v1::ServiceStatus::try_from(value).ok()? {
        v1::ServiceStatus::Unspecified => None,
        v1::ServiceStatus::Good => Some(ServiceStatus::Good),
        v1::ServiceStatus::ApproachingService => Some(ServiceStatus::ApproachingService),
        v1::ServiceStatus::TimeForService => Some(ServiceStatus::TimeForService),
        v1::ServiceStatus::Overdue => Some(ServiceStatus::Overdue),
    };
    choice((value != 0).then_some(value), "status", errors, read)
}

/// Unspecified: by name. Urgency puts the most severe first unless `descending` is set.
pub fn sorting(value: i32, descending: bool, errors: &mut FieldErrors) -> Sorting {
    let read = |value| match v1::EquipmentOrder::try_from(value).ok()? {
        v1::EquipmentOrder::Unspecified | v1::EquipmentOrder::Name => Some(Order::Name),
        v1::EquipmentOrder::Urgency => Some(Order::Urgency),
        v1::EquipmentOrder::Usage => Some(Order::Usage),
        v1::EquipmentOrder::Updated => Some(Order::Updated),
        v1::EquipmentOrder::Due => Some(Order::Due),
    };
    let order = choice(Some(value), "order", errors, read).unwrap_or(Order::Name);
    Sorting {
        order,
        descending: descending != (order == Order::Urgency),
    }
}

pub fn search(text: &str, errors: &mut FieldErrors) -> Option<String> {
    let text = errors.keep(
        "search",
        clean(text, fields::MAX_NAME, LineBreaks::Forbidden),
    )?;
    (!text.is_empty()).then_some(text)
}

/// None: no filter. Empty: without a group.
pub fn group_filter(text: Option<&str>, errors: &mut FieldErrors) -> Option<String> {
    let group = clean(text?, fields::MAX_GROUP, LineBreaks::Forbidden);
    errors.keep("group", group)
}

/// None: no filter. Malformed ids match nothing.
pub fn ids(texts: &[String], errors: &mut FieldErrors) -> Option<Vec<Uuid>> {
    let most = MAX_LIMIT as usize;
    if texts.len() > most {
        errors.add("ids", shared::AT_MOST.with("max", most));
    }
    let ids = texts.iter().filter_map(|text| Uuid::try_parse(text).ok());
    (!texts.is_empty()).then(|| ids.collect())
}

/// 0 or absent: no fuel. The kind is used only with an amount.
pub fn fuel_added(
    amount: Option<f64>,
    (kind, full): (i32, bool),
    default: FuelKind,
    errors: &mut FieldErrors,
) -> Option<Fuel> {
    let amount = amount.map(Quantity::from_input).transpose();
    let amount = errors.keep("fuelAdded", amount)??;
    let read = |value| match value {
        0 => Some(default),
        value => fuel_kind(value),
    };
    let kind = choice(Some(kind), "fuelType", errors, read)?;
    (!amount.is_zero()).then_some(Fuel { amount, kind, full })
}

pub fn fuel_kind(value: i32) -> Option<FuelKind> {
    match v1::FuelKind::try_from(value).ok()? {
        v1::FuelKind::Unspecified => None,
        v1::FuelKind::Gas => Some(FuelKind::Gas),
        v1::FuelKind::Diesel => Some(FuelKind::Diesel),
    }
}

/// The times from the beginning of a day to the end of another one, in `zone`; empty: no limit.
pub fn days(
    from: &str,
    to: &str,
    zone: &impl TimeZone,
    errors: &mut FieldErrors,
) -> (Option<DateTime<Utc>>, Option<DateTime<Utc>>) {
    let mut day = |text: &str, field: &str| match text.trim() {
        "" => None,
        text => errors.keep(field, read_date(text).ok_or(refusals::DATE_INVALID)),
    };
    let (from, to) = (day(from, "from"), day(to, "to"));
    if from.zip(to).is_some_and(|(from, to)| from > to) {
        errors.add("from", refusals::DATES_REVERSED);
    }
    (
        from.map(|day| day_begins(day, zone)),
        to.map(|day| day_ends(day, zone)),
    )
}

pub fn long_text(text: &str, field: &str, errors: &mut FieldErrors) -> String {
    let text = errors.keep(field, fields::long_text(text));
    text.unwrap_or_default()
}

pub fn note_type(value: i32, errors: &mut FieldErrors) -> Option<NoteType> {
    let read = |value| match v1::NoteType::try_from(value).ok()? {
        v1::NoteType::Unspecified | v1::NoteType::Note => Some(NoteType::Note),
        v1::NoteType::UsageUpdate => Some(NoteType::UsageUpdate),
        v1::NoteType::Maintenance => Some(NoteType::Maintenance),
    };
    choice(Some(value), "type", errors, read)
}

/// Absent or implausible: now.
pub fn captured_at(
    at: Option<&prost_types::Timestamp>,
    field: &str,
    now: DateTime<Utc>,
    errors: &mut FieldErrors,
) -> DateTime<Utc> {
    plausible_time(at.and_then(|at| time(at, field, errors)), now)
}

pub fn time(
    at: &prost_types::Timestamp,
    field: &str,
    errors: &mut FieldErrors,
) -> Option<DateTime<Utc>> {
    let nanos = u32::try_from(at.nanos).ok();
    let read = nanos
        .and_then(|nanos| DateTime::from_timestamp(at.seconds, nanos))
        // The years that operator-updates accepts; whole microseconds, as PostgreSQL stores them.
        .filter(|at| (1..=9999).contains(&at.year()))
        .and_then(|at| DateTime::from_timestamp_micros(at.timestamp_micros()));
    errors.keep(field, read.ok_or(shared::NOT_A_TIME))
}

fn kind(value: i32) -> Option<EquipmentType> {
    match v1::EquipmentType::try_from(value).ok()? {
        v1::EquipmentType::Unspecified => None,
        v1::EquipmentType::Vehicle => Some(EquipmentType::Vehicle),
        v1::EquipmentType::Machinery => Some(EquipmentType::Machinery),
        v1::EquipmentType::Tools => Some(EquipmentType::Tools),
        v1::EquipmentType::Other => Some(EquipmentType::Other),
    }
}

/// None: unspecified or unknown.
pub fn unit(value: i32) -> Option<MeterUnit> {
    match v1::MeterUnit::try_from(value).ok()? {
        v1::MeterUnit::Unspecified => None,
        v1::MeterUnit::Hours => Some(MeterUnit::Hours),
        v1::MeterUnit::Miles => Some(MeterUnit::Miles),
        v1::MeterUnit::Kilometers => Some(MeterUnit::Kilometers),
        v1::MeterUnit::NotApplicable => Some(MeterUnit::NotApplicable),
    }
}

fn operational_status(value: i32) -> Option<OperationalStatus> {
    match v1::OperationalStatus::try_from(value).ok()? {
        v1::OperationalStatus::Unspecified => None,
        v1::OperationalStatus::InUse => Some(OperationalStatus::InUse),
        v1::OperationalStatus::Standing => Some(OperationalStatus::Standing),
        v1::OperationalStatus::InShop => Some(OperationalStatus::InShop),
        v1::OperationalStatus::OutOfService => Some(OperationalStatus::OutOfService),
    }
}

fn fuel(value: i32) -> Option<EquipmentFuel> {
    match v1::EquipmentFuel::try_from(value).ok()? {
        v1::EquipmentFuel::Gasoline => Some(EquipmentFuel::Gasoline),
        v1::EquipmentFuel::Diesel => Some(EquipmentFuel::Diesel),
        v1::EquipmentFuel::Unspecified | v1::EquipmentFuel::NotApplicable => {
            Some(EquipmentFuel::NotApplicable)
        }
    }
}

fn calendar_unit(value: i32) -> Option<CalendarUnit> {
    match v1::CalendarUnit::try_from(value).ok()? {
        v1::CalendarUnit::Days => Some(CalendarUnit::Days),
        v1::CalendarUnit::Unspecified | v1::CalendarUnit::Months => Some(CalendarUnit::Months),
        v1::CalendarUnit::Years => Some(CalendarUnit::Years),
    }
}
