use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_runtime::identity::SigningDevice;
use hourmeter_runtime::quantity::Quantity;
use hourmeter_runtime::stored_enum;
use uuid::Uuid;

use super::check::{REMOVED_DEVICE, REMOVED_PERSON, Report, Unit};
use super::fuel::{DecidedFuel, Fuel};
use super::replacement::Replacement;

/// Stored reason of a rejection by the author. No manager's reason is stored with this text.
pub const WITHDRAWN: &str = "WITHDRAWN";

stored_enum! {
    pub enum Status {
        /// Waits for review or for its effect.
        Pending = "pending",
        /// Applied without review, not acknowledged yet.
        Recent = "recent",
        Applied = "applied",
        Rejected = "rejected",
        /// Its entry was voided.
        TakenBack = "taken_back",
    }
}

/// State of the decision to apply a pending update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Not decided, or applied.
    None,
    Queued,
    /// Not retried automatically any more.
    Parked,
}

/// The enrolled phone that captured an update without a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capture {
    /// The phone's label; empty: captured in a session.
    pub device: String,
    /// A manager had removed the phone, or it was received long after that.
    pub device_removed: bool,
    /// The person had left the phone or the company, or it was received long after that.
    pub person_removed: bool,
}

/// How long after a removal the phone's capture time is believed.
const BELIEVED_AFTER_REMOVAL: TimeDelta = TimeDelta::days(14);

impl Capture {
    pub fn by(
        device: &SigningDevice,
        captured_at: DateTime<Utc>,
        received_at: DateTime<Utc>,
    ) -> Self {
        let was_removed = |removed_at: Option<DateTime<Utc>>| {
            removed_at
                .is_some_and(|at| at < captured_at || at < received_at - BELIEVED_AFTER_REMOVAL)
        };
        Self {
            device: device.label.clone(),
            device_removed: was_removed(device.removed_at),
            person_removed: was_removed(device.person_removed_at),
        }
    }

    /// Flags that stay until a manager decides.
    pub fn flags(&self) -> impl Iterator<Item = &'static str> {
        let flags = [
            (self.device_removed, REMOVED_DEVICE),
            (self.person_removed, REMOVED_PERSON),
        ];
        flags
            .into_iter()
            .filter_map(|(holds, flag)| holds.then_some(flag))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    pub id: Uuid,
    pub equipment_id: Uuid,
    pub equipment_name: String,
    /// Name of the original equipment if a manager moved the update.
    pub reported_equipment_name: String,
    pub operator_id: Uuid,
    pub operator_name: String,
    pub new_usage: Option<Quantity>,
    /// Reported instead of a reading.
    pub usage_increase: Option<Quantity>,
    /// Unit of the usage. None: unknown.
    pub unit: Option<Unit>,
    pub fuel: Fuel,
    pub notes: String,
    pub status: Status,
    pub decision: Decision,
    pub client_id: String,
    pub captured_at: DateTime<Utc>,
    pub capture: Capture,
    pub previous_usage: Option<Quantity>,
    /// The reading after the effect.
    pub applied_usage: Option<Quantity>,
    /// The reading that a manager applied in place of the reported one.
    pub applied_reading: Option<Quantity>,
    /// The fuel that a manager applied in place of the reported fuel.
    pub applied_fuel: Option<DecidedFuel>,
    /// The new meter that a manager recorded with the reading.
    pub applied_replacement: Option<Replacement>,
    /// The meter was read after this reading was captured.
    pub late: bool,
    pub below_current: bool,
    pub flags: Vec<String>,
    pub reviewed_by_id: Option<Uuid>,
    pub reviewed_by: String,
    pub reviewed_at: Option<DateTime<Utc>>,
    /// Why it was rejected, or why its entry was voided.
    pub reject_reason: String,
    /// How often its entry was voided.
    pub attempt: i32,
    /// It was applied without review and then acknowledged.
    pub acknowledged: bool,
    /// Who voided its entry, and when.
    pub taken_back: Option<(String, DateTime<Utc>)>,
    pub created_at: DateTime<Utc>,
}

impl Update {
    pub fn report(&self, repeated: bool) -> Report {
        Report {
            reading: self.new_usage,
            increase: self.usage_increase,
            unit: self.unit,
            fuel_added: self.fuel.added,
            fuel_kind: self.fuel.kind,
            captured_at: self.captured_at,
            repeated,
        }
    }

    /// A manager's reading lowered the meter.
    pub fn has_set_back(&self) -> bool {
        let meter = self.applied_usage.zip(self.previous_usage);
        self.applied_reading.is_some()
            && self.applied_replacement.is_none()
            && meter.is_some_and(|(after, before)| after < before)
    }

    /// When it was decided last, or its entry voided. None: neither.
    pub fn decided_at(&self) -> Option<DateTime<Utc>> {
        let voided_at = self.taken_back.as_ref().map(|(_, at)| *at);
        voided_at.or(self.reviewed_at)
    }

    /// Rejected by its author.
    pub fn is_withdrawn(&self) -> bool {
        self.status == Status::Rejected
            && self.reviewed_by_id == Some(self.operator_id)
            && self.reject_reason == WITHDRAWN
    }

    /// Waits for a decision.
    pub fn is_undecided(&self) -> bool {
        self.status == Status::Pending && self.decision == Decision::None
    }
}

/// The reading before and after. None: it has no usage, or the reading is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effect {
    pub before: Option<Quantity>,
    pub after: Option<Quantity>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reviewer {
    pub id: Uuid,
    pub name: String,
    pub at: DateTime<Utc>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capture_is_flagged_only_after_a_removal() {
        let at = |seconds| DateTime::from_timestamp(seconds, 0);
        let device = SigningDevice {
            label: "Shop phone".to_owned(),
            removed_at: at(20),
            person_removed_at: at(10),
        };
        for (seconds, expected) in [
            (10, vec![]),
            (11, vec![REMOVED_PERSON]),
            (20, vec![REMOVED_PERSON]),
            (21, vec![REMOVED_DEVICE, REMOVED_PERSON]),
        ] {
            let captured_at = at(seconds).expect("a time");
            let capture = Capture::by(&device, captured_at, captured_at);
            assert_eq!(capture.device, "Shop phone");
            assert_eq!(capture.flags().collect::<Vec<_>>(), expected, "{seconds}");
        }
        // The capture time is not believed any more.
        for (seconds, expected) in [
            (10, vec![]),
            (11, vec![REMOVED_PERSON]),
            (21, vec![REMOVED_DEVICE, REMOVED_PERSON]),
        ] {
            let received_at = at(seconds).expect("a time") + TimeDelta::days(14);
            let capture = Capture::by(&device, at(0).expect("a time"), received_at);
            assert_eq!(capture.flags().collect::<Vec<_>>(), expected, "{seconds}");
        }
        assert_eq!(Capture::default().flags().count(), 0);
    }

    #[test]
    fn status_round_trips_as_text() {
        for status in [
            Status::Pending,
            Status::Recent,
            Status::Applied,
            Status::Rejected,
            Status::TakenBack,
        ] {
            assert_eq!(Status::parse(status.as_str()), Some(status));
        }
        assert_eq!(Status::parse("lost"), None);
    }
}
