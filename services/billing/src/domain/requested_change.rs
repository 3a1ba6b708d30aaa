//! A change of the subscription that a person requests.

use super::actions::Action;
use super::changes::ChangeName;
use super::plan::Tier;
use super::subscription::{Interval, Subscription};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestedChange {
    /// Another plan or interval; no interval keeps the current one.
    Plan(Tier, Option<Interval>),
    /// A number of months.
    Pause(u32),
    Reactivate,
    Cancel,
}

impl RequestedChange {
    pub const fn action(self) -> Action {
        match self {
            Self::Plan(..) => Action::ChangePlan,
            Self::Pause(_) => Action::Pause,
            Self::Reactivate => Action::Reactivate,
            Self::Cancel => Action::Cancel,
        }
    }

    /// Names of the changes that this request may cause.
    pub const fn change_names(self) -> &'static [ChangeName] {
        match self {
            Self::Plan(..) => &["tier_changed", "interval_changed"],
            Self::Pause(_) => &["paused"],
            Self::Reactivate => &["resumed", "cancel_undone"],
            Self::Cancel => &["canceled", "expired"],
        }
    }

    pub fn is_current(self, row: &Subscription) -> bool {
        matches!(self, Self::Plan(tier, interval)
            if tier == row.tier && interval.is_none_or(|new| Some(new) == row.billing_interval))
    }
}
