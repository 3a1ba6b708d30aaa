//! Reading requests: everything wrong is told at once, under the documented titles.

use std::collections::BTreeSet;

use chrono::{DateTime, Datelike as _, Utc};
use hourmeter_proto::equipment::v1 as equipment;
use hourmeter_proto::operator_updates::v1 as proto;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::message::{Message, Reason};
use hourmeter_runtime::quantity::Quantity;
use hourmeter_runtime::refusals as shared;
use hourmeter_runtime::text::{self, LineBreaks};
use prost_types::Timestamp;
use uuid::Uuid;

use crate::domain::review::{MeterChange, Replacement, Word};
use crate::domain::update::FuelKind;
use crate::refusals;

const MOST_NOTES: usize = 5000;
const MOST_CLIENT_ID: usize = 100;
const MOST_REASON: usize = 1000;
/// How many may be named in one call.
const MOST_IDS: usize = 500;

/// Years an operator may have read a meter in, as the equipment service accepts them: all it can
/// keep. A telephone that lost its clock must not lose the report.
const CAPTURED_YEARS: std::ops::RangeInclusive<i32> = 1..=9999;

/// A submission as asked for.
#[derive(Debug, PartialEq, Eq)]
pub struct Submission {
    /// None: not an id, so nothing can be there.
    pub equipment_id: Option<Uuid>,
    pub new_usage: Option<Quantity>,
    pub fuel_added: Quantity,
    pub fuel_kind: FuelKind,
    pub notes: String,
    /// Empty: the server makes one.
    pub client_id: String,
    pub captured_at: Option<DateTime<Utc>>,
}

/// What is wrong with a request: field, what the person reads first, and why.
#[derive(Default)]
struct Problems(Vec<(&'static str, Message, Message)>);

impl Problems {
    fn add(&mut self, field: &'static str, title: Reason, text: impl Into<Message>) {
        self.0.push((field, title.into(), text.into()));
    }

    /// Without a title of its own, the reason is what the person reads first.
    fn add_plain(&mut self, field: &'static str, text: impl Into<Message>) {
        let text = text.into();
        self.0.push((field, text.clone(), text));
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

/// Reads a submission.
pub fn submission(request: &proto::SubmitUpdateRequest) -> Result<Submission, ServiceError> {
    let mut problems = Problems::default();
    let equipment_id = request.equipment_id.trim();
    if equipment_id.is_empty() {
        problems.add(
            "equipmentId",
            refusals::NO_EQUIPMENT_SELECTED,
            refusals::EQUIPMENT_NOT_SELECTED,
        );
    }
    let new_usage = reading(request.new_usage, &mut problems);
    let fuel_added = Quantity::from_input(request.fuel_added.unwrap_or(0.0));
    let fuel_added = fuel_added.unwrap_or_else(|error| {
        problems.add("fuelAdded", refusals::FUEL_AMOUNT_INVALID, error);
        Quantity::ZERO
    });
    let fuel_kind = fuel_kind(request.fuel_kind, &mut problems);
    let notes = clean(
        "notes",
        &request.notes,
        MOST_NOTES,
        LineBreaks::Allowed,
        &mut problems,
    );
    let client_id = client_id(&request.client_id, &mut problems);
    let captured_at = captured_at(request.captured_at.as_ref(), &mut problems);
    let nothing = new_usage.is_none() && fuel_added.is_zero() && notes.is_empty();
    if nothing && !problems.0.iter().any(|(field, ..)| is_content(field)) {
        problems.add(
            "newUsage",
            refusals::NO_INFORMATION_PROVIDED,
            refusals::NOTHING_ENTERED,
        );
    }
    problems.finish()?;
    Ok(Submission {
        equipment_id: Uuid::parse_str(equipment_id).ok(),
        new_usage,
        fuel_added,
        fuel_kind,
        notes,
        client_id,
        captured_at,
    })
}

/// Reads what a manager says with the word to apply.
pub fn word(request: &proto::ApplyUpdateRequest) -> Result<Word, ServiceError> {
    let mut problems = Problems::default();
    let word = Word {
        reading: reading(request.new_usage, &mut problems),
        replacement: request
            .meter_replacement
            .as_ref()
            .and_then(|meter| replacement(meter, &mut problems)),
        superseded: false,
    };
    problems.finish()?;
    Ok(word)
}

fn replacement(
    meter: &equipment::MeterReplacement,
    problems: &mut Problems,
) -> Option<Replacement> {
    let change = match equipment::MeterChange::try_from(meter.change) {
        Ok(equipment::MeterChange::Replaced) => Some(MeterChange::Replaced),
        Ok(equipment::MeterChange::RolledOver) => Some(MeterChange::RolledOver),
        Ok(equipment::MeterChange::Unspecified) | Err(_) => {
            let text = refusals::METER_CHANGE_UNKNOWN;
            problems.add_plain("meterReplacement.kind", text);
            None
        }
    };
    let mut quantity = |field, value: f64| match Quantity::from_input(value) {
        Ok(quantity) => Some(quantity),
        Err(error) => {
            problems.add(field, refusals::INVALID_USAGE, error);
            None
        }
    };
    let final_reading = meter
        .final_reading
        .map(|value| quantity("meterReplacement.finalReading", value));
    let start_reading = quantity("meterReplacement.startReading", meter.start_reading);
    if change == Some(MeterChange::RolledOver) && start_reading.is_some_and(|at| !at.is_zero()) {
        let text = refusals::ROLLED_OVER_NOT_AT_ZERO;
        problems.add_plain("meterReplacement.startReading", text);
    }
    Some(Replacement {
        change: change?,
        final_reading: final_reading.flatten(),
        start_reading: start_reading?,
    })
}

/// Reads the ids of several rows; those that are not ids are left out.
pub fn several(ids: &[String]) -> Result<BTreeSet<Uuid>, ServiceError> {
    if ids.is_empty() || ids.len() > MOST_IDS {
        let text = refusals::UPDATES_BETWEEN
            .with("min", 1)
            .with("max", MOST_IDS);
        return Err(ServiceError::field("ids", text));
    }
    Ok(ids.iter().filter_map(|id| id.parse().ok()).collect())
}

/// Reads why a submission is refused.
pub fn reject_reason(raw: &str) -> Result<String, ServiceError> {
    let mut problems = Problems::default();
    let reason = clean(
        "reason",
        raw,
        MOST_REASON,
        LineBreaks::Allowed,
        &mut problems,
    );
    problems.finish()?;
    Ok(reason)
}

/// The id of a row; what is not an id is unknown.
pub fn row_id(raw: &str) -> Result<Uuid, ServiceError> {
    Uuid::parse_str(raw).map_err(|_| ServiceError::not_found())
}

fn is_content(field: &str) -> bool {
    matches!(field, "newUsage" | "fuelAdded" | "notes")
}

fn reading(value: Option<f64>, problems: &mut Problems) -> Option<Quantity> {
    match value.map(Quantity::from_input)? {
        Ok(reading) => Some(reading),
        Err(error) => {
            problems.add("newUsage", refusals::INVALID_USAGE, error);
            None
        }
    }
}

fn fuel_kind(value: i32, problems: &mut Problems) -> FuelKind {
    match proto::FuelKind::try_from(value) {
        Ok(proto::FuelKind::Diesel) => FuelKind::Diesel,
        Ok(proto::FuelKind::Gas | proto::FuelKind::Unspecified) => FuelKind::Gas,
        Err(_) => {
            problems.add_plain("fuelType", refusals::FUEL_TYPE_UNKNOWN);
            FuelKind::Gas
        }
    }
}

fn clean(
    field: &'static str,
    raw: &str,
    most: usize,
    lines: LineBreaks,
    problems: &mut Problems,
) -> String {
    text::clean(raw, most, lines).unwrap_or_else(|error| {
        problems.add_plain(field, error);
        String::new()
    })
}

fn client_id(raw: &str, problems: &mut Problems) -> String {
    let id = clean(
        "clientId",
        raw,
        MOST_CLIENT_ID,
        LineBreaks::Forbidden,
        problems,
    );
    if id.chars().any(text::is_zero_width) {
        problems.add_plain("clientId", shared::CHARACTERS_NOT_ALLOWED);
    }
    id
}

fn captured_at(value: Option<&Timestamp>, problems: &mut Problems) -> Option<DateTime<Utc>> {
    let value = value?;
    let nanos = u32::try_from(value.nanos).ok();
    let time = nanos
        // Whole microseconds, as PostgreSQL keeps it.
        .and_then(|nanos| DateTime::from_timestamp(value.seconds, nanos / 1000 * 1000))
        .filter(|time| CAPTURED_YEARS.contains(&time.year()));
    if time.is_none() {
        problems.add_plain("capturedAt", shared::NOT_A_TIME);
    }
    time
}
