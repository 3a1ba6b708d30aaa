//! Parses requests into domain types. Errors name the field as on the wire.

use chrono::{DateTime, Datelike as _, NaiveDate, TimeZone, Utc};
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::clock::plausible_time;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::message::{Message, Reason};
use hourmeter_runtime::page::MAX_LIMIT;
use hourmeter_runtime::quantity::Quantity;
use hourmeter_runtime::refusals as shared;
use hourmeter_runtime::text::{LineBreaks, clean};
use uuid::Uuid;

use crate::domain::calendar::read_date;
use crate::domain::change::Change;
use crate::domain::equipment::ServicePart;
use crate::domain::field_change::FieldChange;
use crate::domain::field_errors::FieldErrors;
use crate::domain::fields;
use crate::domain::kinds::FuelKind;
use crate::domain::ledger::Fuel;
use crate::domain::months::{day_begins, day_ends};
use crate::refusals;
use crate::store::list::{Order, Sorting};

mod task;

pub use task::{snooze_end, task_change};

/// Parses the fields that are present.
pub fn change(input: &v1::EquipmentInput, errors: &mut FieldErrors) -> Change {
    let line =
        |value: Option<&str>, longest| value.map(|text| fields::optional_line(text, longest));
    let name = input.name.as_deref().map(fields::name);
    let serial = line(input.serial_number.as_deref(), fields::MAX_SERIAL_NUMBER);
    let unit_number = line(input.unit_number.as_deref(), fields::MAX_UNIT_NUMBER);
    let group = line(input.group.as_deref(), fields::MAX_GROUP);
    let lifespan = input.threshold.map(fields::lifespan);
    let alert = input.alert_threshold.map(fields::alert_threshold);
    let service_interval = input.service_interval.map(fields::service_interval);
    let start = input.maintenance_start_date.as_deref().map(start_date);
    let parts = input.service_parts.as_ref();
    let description = input.description.as_deref().map(fields::long_text);
    Change {
        name: optional(name, "name", errors),
        kind: required(input.r#type, "type", refusals::TYPE_MISSING, errors),
        serial_number: field_change(serial, "serialNumber", errors),
        unit_number: field_change(unit_number, "unitNumber", errors),
        group: field_change(group, "group", errors),
        operational_status: choice(input.operational_status, "operationalStatus", errors),
        unit: required(input.unit, "unit", refusals::UNIT_MISSING, errors),
        current_usage: quantity(input.current_usage, "currentUsage", errors),
        meter_reading: quantity(input.meter_reading, "meterReading", errors),
        threshold: field_change(lifespan, "threshold", errors),
        fuel: choice(input.fuel, "fuelType", errors),
        alert_threshold: optional(alert, "alertThreshold", errors),
        service_interval: optional(service_interval, "serviceInterval", errors),
        last_service_usage: quantity(input.last_service_usage, "lastServiceUsage", errors),
        clear_last_service_usage: input.clear_last_service_usage,
        scheduled: input.has_scheduled_maintenance,
        start: field_change(start, "maintenanceStartDate", errors),
        interval: interval(input.maintenance_interval),
        interval_unit: choice(
            input.maintenance_interval_unit,
            "maintenanceIntervalUnit",
            errors,
        ),
        parts: parts.map(|parts| fields::parts(&rows(parts), errors)),
        description: optional(description, "description", errors),
    }
}

fn rows(parts: &v1::ServiceParts) -> Vec<ServicePart> {
    let rows = parts.parts.iter().map(|part| ServicePart {
        part: part.part.clone(),
        part_number: part.part_number.clone(),
        quantity: part.quantity,
    });
    rows.collect()
}

/// The value of a field that may be absent.
pub fn optional<T, E: Into<Message>>(
    read: Option<Result<T, E>>,
    field: &str,
    errors: &mut FieldErrors,
) -> Option<T> {
    errors.keep(field, read?)
}

fn field_change<T, E: Into<Message>>(
    read: Option<Result<FieldChange<T>, E>>,
    field: &str,
    errors: &mut FieldErrors,
) -> FieldChange<T> {
    optional(read, field, errors).unwrap_or(FieldChange::Keep)
}

pub fn quantity(value: Option<f64>, field: &str, errors: &mut FieldErrors) -> Option<Quantity> {
    optional(value.map(Quantity::from_input), field, errors)
}

/// 0 clears.
fn interval(value: Option<u32>) -> FieldChange<u32> {
    match value {
        None => FieldChange::Keep,
        Some(0) => FieldChange::Clear,
        Some(interval) => FieldChange::Set(interval),
    }
}

/// A text without line breaks.
pub fn line(text: &str, longest: usize, field: &str, errors: &mut FieldErrors) -> Option<String> {
    errors.keep(field, clean(text, longest, LineBreaks::Forbidden))
}

pub fn id(text: &str, field: &str, errors: &mut FieldErrors) -> Option<Uuid> {
    errors.keep(field, Uuid::try_parse(text).map_err(|_| shared::NOT_AN_ID))
}

/// Empty: none.
pub fn date(text: &str, field: &str, errors: &mut FieldErrors) -> Option<NaiveDate> {
    match text.trim() {
        "" => None,
        text => errors.keep(field, read_date(text).ok_or(refusals::DATE_INVALID)),
    }
}

fn start_date(text: &str) -> Result<FieldChange<NaiveDate>, Reason> {
    if text.trim().is_empty() {
        return Ok(FieldChange::Clear);
    }
    read_date(text.trim())
        .map(FieldChange::Set)
        .ok_or(refusals::DATE_INVALID)
}

/// Parses a choice without default: an unspecified value is an error.
fn required<T: TryFrom<i32, Error = Reason>>(
    value: Option<i32>,
    field: &str,
    message: Reason,
    errors: &mut FieldErrors,
) -> Option<T> {
    if value == Some(0) {
        errors.add(field, message);
        return None;
    }
    choice(value, field, errors)
}

pub fn choice<T: TryFrom<i32, Error = Reason>>(
    value: Option<i32>,
    field: &str,
    errors: &mut FieldErrors,
) -> Option<T> {
    optional(value.map(T::try_from), field, errors)
}

/// Unspecified: none.
pub fn filter<T: TryFrom<i32, Error = Reason>>(
    value: i32,
    field: &str,
    errors: &mut FieldErrors,
) -> Option<T> {
    choice((value != 0).then_some(value), field, errors)
}

/// Unspecified: by name. Urgency puts the most severe first unless `descending` is set.
pub fn sorting(value: i32, descending: bool, errors: &mut FieldErrors) -> Sorting {
    let order = choice(Some(value), "order", errors).unwrap_or(Order::Name);
    Sorting {
        order,
        descending: descending != (order == Order::Urgency),
    }
}

pub fn search(text: &str, errors: &mut FieldErrors) -> Option<String> {
    line(text, fields::MAX_NAME, "search", errors).filter(|text| !text.is_empty())
}

/// None: no filter. Empty: without a group.
pub fn group_filter(text: Option<&str>, errors: &mut FieldErrors) -> Option<String> {
    line(text?, fields::MAX_GROUP, "group", errors)
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
    let amount = quantity(amount, "fuelAdded", errors)?;
    let kind = match kind {
        0 => default,
        kind => choice(Some(kind), "fuelType", errors)?,
    };
    (!amount.is_zero()).then_some(Fuel { amount, kind, full })
}

/// The times from the beginning of a day to the end of another one, in `zone`; empty: no limit.
pub fn days(
    from: &str,
    to: &str,
    zone: &impl TimeZone,
    errors: &mut FieldErrors,
) -> (Option<DateTime<Utc>>, Option<DateTime<Utc>>) {
    let (from, to) = (date(from, "from", errors), date(to, "to", errors));
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

/// Checks that a number, or the length of a list, is at least 1 and at most `max`.
pub fn between(field: &str, number: usize, max: usize) -> Result<(), ServiceError> {
    if (1..=max).contains(&number) {
        return Ok(());
    }
    let message = shared::BETWEEN.with("min", 1).with("max", max);
    Err(ServiceError::field(field, message))
}
