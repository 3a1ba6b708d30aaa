//! Parses requests and collects all errors.

use std::collections::BTreeSet;

use chrono::{DateTime, Datelike as _, Utc};
use hourmeter_proto::equipment::v1 as equipment;
use hourmeter_proto::operator_updates::v1::{self, UndoableDecision};
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::message::{Message, Reason};
use hourmeter_runtime::quantity::Quantity;
use hourmeter_runtime::refusals as shared;
use hourmeter_runtime::text::{self, LineBreaks};
use prost_types::Timestamp;
use uuid::Uuid;

use crate::domain::check::Unit;
use crate::domain::fuel::FuelKind;
use crate::domain::replacement::{MeterChange, Replacement};
use crate::domain::review::{ApplyInput, FuelInput};
use crate::domain::update::WITHDRAWN;
use crate::equipment::unit as equipment_unit;
use crate::refusals;

const MAX_NOTES: usize = 5000;
const MAX_CLIENT_ID: usize = 100;
const MAX_REASON: usize = 1000;
/// What the equipment service accepts.
const MAX_VOID_REASON: usize = 500;
const MAX_IDS: usize = 500;

/// Years that the equipment service can store. A phone with a wrong clock must not lose its report.
const CAPTURED_YEARS: std::ops::RangeInclusive<i32> = 1..=9999;

#[derive(Debug, PartialEq, Eq)]
pub struct Submission {
    /// None: malformed, so the equipment can't exist.
    pub equipment_id: Option<Uuid>,
    pub new_usage: Option<Quantity>,
    pub usage_increase: Option<Quantity>,
    /// None: the equipment's.
    pub unit: Option<Unit>,
    pub fuel_added: Quantity,
    /// None: the equipment's, else gas.
    pub fuel_kind: Option<FuelKind>,
    /// The fuel filled the tank.
    pub full_fill: bool,
    pub notes: String,
    /// Empty: the server generates one.
    pub client_id: String,
    pub captured_at: Option<DateTime<Utc>>,
}

/// Errors of a request: field, title and text.
#[derive(Default)]
struct FieldErrors(Vec<(&'static str, Message, Message)>);

impl FieldErrors {
    fn add(&mut self, field: &'static str, title: Reason, text: impl Into<Message>) {
        self.0.push((field, title.into(), text.into()));
    }

    /// Adds an error whose text is also the title.
    fn add_untitled(&mut self, field: &'static str, text: impl Into<Message>) {
        let text = text.into();
        self.0.push((field, text.clone(), text));
    }

    /// None: absent or invalid.
    fn quantity(
        &mut self,
        field: &'static str,
        title: Reason,
        value: Option<f64>,
    ) -> Option<Quantity> {
        match Quantity::from_input(value?) {
            Ok(quantity) => Some(quantity),
            Err(error) => {
                self.add(field, title, error);
                None
            }
        }
    }

    fn clean(&mut self, field: &'static str, raw: &str, most: usize, lines: LineBreaks) -> String {
        text::clean(raw, most, lines).unwrap_or_else(|error| {
            self.add_untitled(field, error);
            String::new()
        })
    }

    fn finish(self) -> Result<(), ServiceError> {
        let Some((_, title, _)) = self.0.first().cloned() else {
            return Ok(());
        };
        let fields = self.0.into_iter();
        let fields = fields.map(|(field, _, text)| (field.to_owned(), text));
        Err(ServiceError {
            fields: fields.collect(),
            ..ServiceError::new(Kind::Invalid, title)
        })
    }
}

pub fn submission(request: &v1::SubmitUpdateRequest) -> Result<Submission, ServiceError> {
    let mut errors = FieldErrors::default();
    let equipment_id = request.equipment_id.trim();
    if equipment_id.is_empty() {
        errors.add(
            "equipmentId",
            refusals::NO_EQUIPMENT_SELECTED,
            refusals::EQUIPMENT_NOT_SELECTED,
        );
    }
    let new_usage = errors.quantity("newUsage", shared::INVALID_USAGE, request.new_usage);
    let usage_increase = increase(request, &mut errors);
    let unit = unit(request.unit, &mut errors);
    let fuel_added = fuel_added(request.fuel_added, &mut errors).unwrap_or_default();
    let fuel_kind = fuel_kind(request.fuel_kind, &mut errors);
    let notes = errors.clean("notes", &request.notes, MAX_NOTES, LineBreaks::Allowed);
    let client_id = client_id(&request.client_id, &mut errors);
    let captured_at = captured_at(request.captured_at.as_ref(), &mut errors);
    let has_usage = new_usage.or(usage_increase).is_some();
    let nothing = !has_usage && fuel_added.is_zero() && notes.is_empty();
    if nothing && !errors.0.iter().any(|(field, ..)| is_content(field)) {
        errors.add(
            "newUsage",
            refusals::NO_INFORMATION_PROVIDED,
            refusals::NOTHING_ENTERED,
        );
    }
    errors.finish()?;
    Ok(Submission {
        equipment_id: Uuid::parse_str(equipment_id).ok(),
        new_usage,
        usage_increase,
        unit,
        fuel_added,
        fuel_kind,
        full_fill: request.full_fill && !fuel_added.is_zero(),
        notes,
        client_id,
        captured_at,
    })
}

pub fn apply_input(request: &v1::ApplyUpdateRequest) -> Result<ApplyInput, ServiceError> {
    let mut errors = FieldErrors::default();
    let input = ApplyInput {
        reading: errors.quantity("newUsage", shared::INVALID_USAGE, request.new_usage),
        replacement: request
            .meter_replacement
            .as_ref()
            .and_then(|meter| replacement(meter, &mut errors)),
        fuel: fuel(request, &mut errors),
    };
    errors.finish()?;
    Ok(input)
}

fn fuel(request: &v1::ApplyUpdateRequest, errors: &mut FieldErrors) -> Option<FuelInput> {
    let kind = fuel_kind(request.fuel_kind, errors);
    let added = fuel_added(request.fuel_added, errors)?;
    Some(FuelInput { added, kind })
}

fn fuel_added(value: Option<f64>, errors: &mut FieldErrors) -> Option<Quantity> {
    errors.quantity("fuelAdded", refusals::FUEL_AMOUNT_INVALID, value)
}

fn replacement(
    meter: &equipment::MeterReplacement,
    errors: &mut FieldErrors,
) -> Option<Replacement> {
    let change = match equipment::MeterChange::try_from(meter.change) {
        Ok(equipment::MeterChange::Replaced) => Some(MeterChange::Replaced),
        Ok(equipment::MeterChange::RolledOver) => Some(MeterChange::RolledOver),
        Ok(equipment::MeterChange::Unspecified) | Err(_) => {
            let text = refusals::METER_CHANGE_UNKNOWN;
            errors.add_untitled("meterReplacement.kind", text);
            None
        }
    };
    let mut quantity = |field, value| errors.quantity(field, shared::INVALID_USAGE, value);
    let final_reading = quantity("meterReplacement.finalReading", meter.final_reading);
    let start_reading = quantity("meterReplacement.startReading", Some(meter.start_reading));
    if change == Some(MeterChange::RolledOver) && start_reading.is_some_and(|at| !at.is_zero()) {
        let text = refusals::ROLLED_OVER_NOT_AT_ZERO;
        errors.add_untitled("meterReplacement.startReading", text);
    }
    Some(Replacement {
        change: change?,
        final_reading,
        start_reading: start_reading?,
    })
}

/// Malformed ids are ignored.
pub fn update_ids(ids: &[String]) -> Result<BTreeSet<Uuid>, ServiceError> {
    if ids.is_empty() || ids.len() > MAX_IDS {
        let text = refusals::UPDATES_BETWEEN
            .with("min", 1)
            .with("max", MAX_IDS);
        return Err(ServiceError::field("ids", text));
    }
    if ids.iter().any(|id| id.trim().is_empty()) {
        return Err(ServiceError::field("ids", shared::NOT_AN_ID));
    }
    Ok(ids.iter().filter_map(|id| id.parse().ok()).collect())
}

fn reason(raw: &str, most: usize) -> Result<String, ServiceError> {
    let mut errors = FieldErrors::default();
    let reason = errors.clean("reason", raw, most, LineBreaks::Allowed);
    errors.finish()?;
    Ok(reason)
}

pub fn reject_reason(raw: &str) -> Result<String, ServiceError> {
    let reason = reason(raw, MAX_REASON)?;
    if reason == WITHDRAWN {
        // The exact word marks a withdrawal by the author.
        return Ok(reason.to_lowercase());
    }
    Ok(reason)
}

/// Why an applied update is taken back; None: its decision is undone.
pub fn void_reason(raw: &str) -> Result<Option<String>, ServiceError> {
    let reason = reason(raw, MAX_VOID_REASON)?;
    Ok(Some(reason).filter(|reason| !reason.is_empty()))
}

/// The decision to undo; None: the last one.
pub fn undoable(value: i32) -> Result<Option<UndoableDecision>, ServiceError> {
    let unknown = |_| ServiceError::field("decision", shared::DECISION_UNKNOWN);
    let named = UndoableDecision::try_from(value).map_err(unknown)?;
    Ok(Some(named).filter(|named| *named != UndoableDecision::Unspecified))
}

/// The equipment that an update is moved to.
pub fn target(raw: &str) -> Result<Uuid, ServiceError> {
    if raw.trim().is_empty() {
        let text = refusals::EQUIPMENT_NOT_SELECTED;
        return Err(ServiceError::field("equipmentId", text));
    }
    parse_id(raw)
}

/// A malformed id is not found.
pub fn parse_id(raw: &str) -> Result<Uuid, ServiceError> {
    Uuid::parse_str(raw).map_err(|_| ServiceError::not_found())
}

fn is_content(field: &str) -> bool {
    matches!(field, "newUsage" | "usageIncrease" | "fuelAdded" | "notes")
}

fn increase(request: &v1::SubmitUpdateRequest, errors: &mut FieldErrors) -> Option<Quantity> {
    let value = request.usage_increase?;
    if request.new_usage.is_some() {
        errors.add(
            "usageIncrease",
            shared::INVALID_USAGE,
            shared::INCREASE_OR_READING,
        );
    }
    let text: Message = match Quantity::from_input(value) {
        Ok(increase) if !increase.is_zero() => return Some(increase),
        Ok(_) => shared::USAGE_INCREASE_INVALID.into(),
        Err(error) => error.into(),
    };
    errors.add("usageIncrease", shared::INVALID_USAGE, text);
    None
}

fn unit(value: i32, errors: &mut FieldErrors) -> Option<Unit> {
    match equipment::MeterUnit::try_from(value) {
        Ok(equipment::MeterUnit::Unspecified) => None,
        Ok(unit) => Some(equipment_unit(unit)),
        Err(_) => {
            errors.add_untitled("unit", refusals::UNIT_UNKNOWN);
            None
        }
    }
}

fn fuel_kind(value: i32, errors: &mut FieldErrors) -> Option<FuelKind> {
    match v1::FuelKind::try_from(value) {
        Ok(v1::FuelKind::Unspecified) => None,
        Ok(v1::FuelKind::Diesel) => Some(FuelKind::Diesel),
        Ok(v1::FuelKind::Gas) => Some(FuelKind::Gas),
        Err(_) => {
            errors.add_untitled("fuelType", refusals::FUEL_TYPE_UNKNOWN);
            None
        }
    }
}

fn client_id(raw: &str, errors: &mut FieldErrors) -> String {
    let id = errors.clean("clientId", raw, MAX_CLIENT_ID, LineBreaks::Forbidden);
    if id.chars().any(text::is_zero_width) {
        errors.add_untitled("clientId", shared::CHARACTERS_NOT_ALLOWED);
    }
    id
}

fn captured_at(value: Option<&Timestamp>, errors: &mut FieldErrors) -> Option<DateTime<Utc>> {
    let value = value?;
    let nanos = u32::try_from(value.nanos).ok();
    let time = nanos
        // Whole microseconds, as PostgreSQL stores them.
        .and_then(|nanos| DateTime::from_timestamp(value.seconds, nanos / 1000 * 1000))
        .filter(|time| CAPTURED_YEARS.contains(&time.year()));
    if time.is_none() {
        errors.add_untitled("capturedAt", shared::NOT_A_TIME);
    }
    time
}
