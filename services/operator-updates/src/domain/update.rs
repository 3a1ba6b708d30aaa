//! A submission as stored.

use chrono::{DateTime, Utc};
use hourmeter_runtime::quantity::Quantity;
use uuid::Uuid;

/// Where a submission stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Waits for the manager, or for its effect.
    Pending,
    /// Took effect by itself; not yet seen by a manager.
    Recent,
    /// Took effect.
    Applied,
    /// Refused.
    Rejected,
}

impl Status {
    const ALL: [Self; 4] = [Self::Pending, Self::Recent, Self::Applied, Self::Rejected];

    /// The word it is stored as.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Recent => "recent",
            Self::Applied => "applied",
            Self::Rejected => "rejected",
        }
    }

    /// The status a stored word means.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

/// How far a decision to apply a pending submission is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Nobody has decided, or it is done.
    None,
    /// Decided, and on its way.
    Queued,
    /// Decided, and nobody goes on by itself.
    Parked,
}

impl Decision {
    /// It may have taken effect.
    pub const fn is_made(self) -> bool {
        !matches!(self, Self::None)
    }
}

/// What was put in the tank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FuelKind {
    /// Gasoline.
    Gas,
    /// Diesel.
    Diesel,
}

impl FuelKind {
    /// The word it is stored as.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gas => "gas",
            Self::Diesel => "diesel",
        }
    }

    /// The fuel a stored word means.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Gas, Self::Diesel]
            .into_iter()
            .find(|kind| kind.name() == name)
    }
}

/// One submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    pub id: Uuid,
    pub equipment_id: Uuid,
    pub equipment_name: String,
    /// Name of the equipment it was reported for, when a manager gave it to another; empty: the
    /// same.
    pub reported_equipment_name: String,
    pub operator_id: Uuid,
    pub operator_name: String,
    pub new_usage: Option<Quantity>,
    pub fuel_added: Quantity,
    pub fuel_kind: FuelKind,
    pub notes: String,
    pub status: Status,
    /// How far a decision to apply it is.
    pub decision: Decision,
    pub client_id: String,
    pub captured_at: DateTime<Utc>,
    pub previous_usage: Option<Quantity>,
    /// What the meter showed after application.
    pub applied_usage: Option<Quantity>,
    /// The meter was read later than this was captured.
    pub late: bool,
    pub below_current: bool,
    pub flags: Vec<String>,
    pub reviewed_by: String,
    pub reviewed_at: Option<DateTime<Utc>>,
    pub reject_reason: String,
    pub created_at: DateTime<Utc>,
}

/// What an application did to the meter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effect {
    /// What it showed before; none: it was left alone.
    pub before: Option<Quantity>,
    /// What it shows after; none: it was left alone.
    pub after: Option<Quantity>,
}

/// Who decides, and when.
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
    fn words_survive_storing() {
        for status in Status::ALL {
            assert_eq!(Status::from_name(status.name()), Some(status));
        }
        for kind in [FuelKind::Gas, FuelKind::Diesel] {
            assert_eq!(FuelKind::from_name(kind.name()), Some(kind));
        }
        assert_eq!(Status::from_name("lost"), None);
        assert_eq!(FuelKind::from_name("steam"), None);
    }
}
