//! State machine of the review: pending, then applied or rejected; or recent, then applied. An applied
//! or recent one can be taken back, and is then decided as a pending one. The author can withdraw a
//! pending one, which is then rejected.

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_proto::accounts::v1::Role;
use hourmeter_proto::operator_updates::v1::UndoableDecision;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::Identity;
use hourmeter_runtime::quantity::Quantity;
use uuid::Uuid;

use super::check::WRONG_UNIT;
use super::fuel::{DecidedFuel, Fuel, FuelKind};
use super::replacement::Replacement;
use super::update::{Decision, Status, Update};
use crate::refusals;

/// Reason for a reading below the meter, also of the equipment service.
pub const BELOW_CURRENT: &str = "BELOW_CURRENT";
/// Flag of updates that the equipment service refused, or whose machine is not in use any more.
pub const REFUSED: &str = "refused";
/// How long a decision can be undone. Screens end their offer some seconds earlier.
const UNDO_WITHIN: TimeDelta = TimeDelta::seconds(60);

/// What an apply request requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApplyAction {
    AlreadyApplied,
    /// It is decided, and the effect is pending. The input, if any, must be what was decided.
    AlreadyDecided(Option<ApplyParams>),
    Decide(ApplyParams),
}

/// What an undo request requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UndoAction {
    /// Nothing is decided.
    Nothing,
    /// A rejected one is pending, or taken back, again.
    Reopen,
    /// An acknowledged one is recent again.
    Unacknowledge,
    /// The entry of an applied one is voided.
    Void,
}

/// A manager's input to an apply request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ApplyInput {
    /// None: the reported one.
    pub reading: Option<Quantity>,
    /// The reading is of a new meter.
    pub replacement: Option<Replacement>,
    /// None: the reported one.
    pub fuel: Option<FuelInput>,
}

/// Fuel that a manager decides on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FuelInput {
    /// 0: none.
    pub added: Quantity,
    /// None: the reported one.
    pub kind: Option<FuelKind>,
}

impl FuelInput {
    /// None: it is as reported.
    fn in_place_of(self, reported: Fuel) -> Option<DecidedFuel> {
        let fuel = DecidedFuel {
            added: self.added,
            kind: self.kind.unwrap_or(reported.kind),
        };
        let is_same_kind = fuel.added.is_zero() || fuel.kind == reported.kind;
        (fuel.added != reported.added || !is_same_kind).then_some(fuel)
    }
}

/// What exactly is applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ApplyParams {
    /// None: the reported increase, if any, fuel and notes.
    pub reading: Option<Quantity>,
    /// The reading is the manager's.
    pub overridden: bool,
    /// Accept the reading below the meter. False with a replacement: an older process that ignores
    /// replacements would post a correction.
    pub replace_meter: bool,
    /// The reading is of this new meter.
    pub replacement: Option<Replacement>,
    /// The manager's, in place of the reported one.
    pub fuel: Option<DecidedFuel>,
}

impl ApplyParams {
    pub fn as_reported(update: &Update) -> Self {
        Self {
            reading: update.new_usage,
            ..Self::default()
        }
    }

    fn from_input(update: &Update, input: ApplyInput) -> Result<Self, ServiceError> {
        let params = Self {
            fuel: input.fuel.and_then(|fuel| fuel.in_place_of(update.fuel)),
            ..Self::of_reading(update, input)?
        };
        let no_usage = params.reading.or(update.usage_increase).is_none();
        let no_fuel = params.fuel.is_some_and(|fuel| fuel.added.is_zero());
        if no_usage && no_fuel && update.notes.is_empty() {
            return Err(ServiceError::field("fuelAdded", refusals::NOTHING_LEFT));
        }
        Ok(params)
    }

    fn of_reading(update: &Update, input: ApplyInput) -> Result<Self, ServiceError> {
        let Some(replacement) = input.replacement else {
            return match input.reading {
                None if update.below_current => Err(below_current()),
                None if update.flags.iter().any(|flag| flag == WRONG_UNIT) => Err(wrong_unit()),
                None => Ok(Self::as_reported(update)),
                Some(reading) => Ok(Self::overriding(reading)),
            };
        };
        let reading = input.reading.or(update.new_usage);
        let reading =
            reading.ok_or_else(|| ServiceError::field("newUsage", refusals::READING_MISSING))?;
        if reading < replacement.start_reading {
            let text = refusals::START_ABOVE_READING;
            return Err(ServiceError::field("meterReplacement.startReading", text));
        }
        Ok(Self {
            reading: Some(reading),
            overridden: input.reading.is_some(),
            replacement: Some(replacement),
            ..Self::default()
        })
    }

    /// A manager's reading is accepted below the meter.
    fn overriding(reading: Quantity) -> Self {
        Self {
            reading: Some(reading),
            overridden: true,
            replace_meter: true,
            ..Self::default()
        }
    }
}

pub fn apply(update: &Update, input: ApplyInput) -> Result<ApplyAction, ServiceError> {
    match (update.status, update.decision) {
        (Status::Applied | Status::Recent, _) => Ok(ApplyAction::AlreadyApplied),
        (Status::Rejected, _) => Err(already_rejected(update)),
        (Status::Pending, Decision::Queued | Decision::Parked) => {
            let params = (input != ApplyInput::default())
                .then(|| ApplyParams::from_input(update, input))
                .transpose();
            params.map(ApplyAction::AlreadyDecided)
        }
        (Status::Pending | Status::TakenBack, _) => {
            ApplyParams::from_input(update, input).map(ApplyAction::Decide)
        }
    }
}

pub fn move_to(update: &Update, equipment_id: Uuid) -> Result<(), ServiceError> {
    match update.status {
        Status::Applied | Status::Recent => Err(already_applied()),
        Status::Rejected => Err(already_rejected(update)),
        Status::Pending if update.decision != Decision::None => Err(being_applied()),
        Status::Pending | Status::TakenBack if update.equipment_id == equipment_id => {
            Err(ServiceError::conflict(refusals::SAME_EQUIPMENT))
        }
        Status::Pending | Status::TakenBack => Ok(()),
    }
}

/// False: already rejected by a manager.
pub fn reject(update: &Update) -> Result<bool, ServiceError> {
    match update.status {
        Status::Pending if update.decision != Decision::None => Err(being_applied()),
        Status::Pending | Status::TakenBack => Ok(true),
        Status::Rejected if update.is_withdrawn() => Err(already_rejected(update)),
        Status::Rejected => Ok(false),
        Status::Applied | Status::Recent => Err(already_applied()),
    }
}

/// Only operators with their own sign-in can withdraw. Updates of others do not exist for the caller.
pub fn may_withdraw(update: &Update, caller: &Identity) -> Result<(), ServiceError> {
    if update.operator_id != caller.user_id {
        return Err(ServiceError::not_found());
    }
    if caller.role != Role::Operator {
        // The owner and everyone with the shared password have the same id.
        return Err(ServiceError::new(
            Kind::Forbidden,
            refusals::OWN_SIGN_IN_REQUIRED,
        ));
    }
    Ok(())
}

/// False: already withdrawn.
pub fn withdraw(update: &Update) -> Result<bool, ServiceError> {
    match update.status {
        Status::Pending if update.decision != Decision::None => Err(being_applied()),
        Status::Pending => Ok(true),
        Status::Rejected if update.is_withdrawn() => Ok(false),
        Status::Rejected | Status::TakenBack => Err(already_rejected(update)),
        Status::Applied | Status::Recent => Err(already_applied()),
    }
}

/// False: already acknowledged.
pub fn acknowledge(update: &Update) -> Result<bool, ServiceError> {
    match update.status {
        Status::Recent => Ok(true),
        Status::Applied => Ok(false),
        Status::Rejected => Err(already_rejected(update)),
        Status::Pending | Status::TakenBack => Err(ServiceError::conflict(refusals::NOT_APPLIED)),
    }
}

/// Without a name, the last decision is undone. A named one is the caller's own.
pub fn undo(
    update: &Update,
    named: Option<UndoableDecision>,
    caller: Uuid,
    now: DateTime<Utc>,
) -> Result<UndoAction, ServiceError> {
    use UndoableDecision as Made;

    let (made, action) = match update.status {
        Status::Pending if update.decision != Decision::None => return Err(being_applied()),
        Status::Pending if named != Some(Made::Acknowledgement) => return Ok(UndoAction::Nothing),
        Status::TakenBack
            if matches!(
                named,
                None | Some(Made::Rejection | Made::AutomaticApplication)
            ) =>
        {
            return Ok(UndoAction::Nothing);
        }
        Status::Recent if named == Some(Made::Acknowledgement) => return Ok(UndoAction::Nothing),
        Status::Pending | Status::TakenBack => return Err(overtaken()),
        // Its author decided, not a manager.
        Status::Rejected if update.is_withdrawn() => return Err(overtaken()),
        Status::Recent => (Made::AutomaticApplication, UndoAction::Void),
        Status::Rejected => (Made::Rejection, UndoAction::Reopen),
        Status::Applied if update.acknowledged => {
            (Made::Acknowledgement, UndoAction::Unacknowledge)
        }
        Status::Applied => (Made::Application, UndoAction::Void),
    };
    // Without a decision of a person there is no time limit.
    let by_person = update.status != Status::Recent;
    let is_other = named.is_some_and(|named| named != made);
    let by_other = named.is_some() && by_person && update.reviewed_by_id != Some(caller);
    if is_other || by_other {
        return Err(overtaken());
    }
    let recent = |at| now - at <= UNDO_WITHIN;
    if by_person && !update.reviewed_at.is_some_and(recent) {
        return Err(ServiceError::conflict(refusals::UNDO_EXPIRED));
    }
    Ok(action)
}

fn overtaken() -> ServiceError {
    ServiceError::conflict(refusals::UNDO_OVERTAKEN)
}

pub fn below_current() -> ServiceError {
    ServiceError::conflict(refusals::READING_BELOW_CURRENT).with_reason(BELOW_CURRENT)
}

fn wrong_unit() -> ServiceError {
    ServiceError::conflict(refusals::READING_IN_OTHER_UNIT).with_reason("WRONG_UNIT")
}

pub fn equipment_gone() -> ServiceError {
    ServiceError::conflict(refusals::EQUIPMENT_GONE)
}

/// The decision was discarded while a handler waited.
pub fn discarded() -> ServiceError {
    ServiceError::conflict(refusals::APPLY_FAILED).with_reason(refusals::NOT_APPLIED.code)
}

fn already_applied() -> ServiceError {
    ServiceError::conflict(refusals::ALREADY_APPLIED)
}

fn already_rejected(update: &Update) -> ServiceError {
    if update.is_withdrawn() {
        return ServiceError::conflict(refusals::ALREADY_WITHDRAWN);
    }
    ServiceError::conflict(refusals::ALREADY_REJECTED)
}

pub fn being_applied() -> ServiceError {
    ServiceError::conflict(refusals::BEING_APPLIED)
}

#[cfg(test)]
#[path = "review_tests.rs"]
mod tests;
