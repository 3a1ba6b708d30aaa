//! What may be done with a subscription where it stands. The one table: clients are told from it
//! what to offer, and every call is checked against it.

use chrono::{DateTime, Utc};

use super::subscription::{Status, Subscription};

use crate::refusals;
use hourmeter_runtime::message::Reason;

/// Something a person may do with a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Buy a plan.
    Checkout,
    /// Change the plan or how it is paid.
    ChangePlan,
    /// Pause it.
    Pause,
    /// End a pause, or take a cancellation back.
    Reactivate,
    /// End it.
    Cancel,
}

impl Action {
    /// All there are, in the order to offer.
    pub const ALL: [Self; 5] = [
        Self::Checkout,
        Self::ChangePlan,
        Self::Pause,
        Self::Reactivate,
        Self::Cancel,
    ];
}

/// Why something may not be done now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A paid subscription runs already.
    AlreadySubscribed,
    /// It needs a paid subscription, which only a checkout makes.
    CheckoutRequired,
    /// Where it stands does not allow it.
    State(Reason),
}

/// Where a subscription stands, as far as it decides what may be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Free, until the trial ends.
    Trial,
    /// No access: a trial or a plan that is over.
    Over,
    /// Paid through the provider.
    Paid,
    /// Paid through the provider, but the last renewal failed.
    Grace,
    /// Agreed on outside the product.
    Agreed,
    /// Paused at the provider.
    Paused,
    /// Ends with what was paid through the provider.
    Ending,
    /// Ends with what was agreed on.
    AgreedEnding,
}

impl State {
    /// Where it stands at `now`.
    pub fn of(subscription: &Subscription, now: DateTime<Utc>) -> Self {
        let standing = subscription.standing(now);
        let through_provider = subscription.provider_subscription_id.is_some();
        let ends = subscription.cancel_at_period_end;
        match (standing.status, through_provider) {
            (Status::Trial, _) => Self::Trial,
            (Status::Expired, _) => Self::Over,
            (Status::Canceled, _) if !standing.active => Self::Over,
            (Status::Canceled, true) => Self::Ending,
            (Status::Canceled, false) => Self::AgreedEnding,
            (Status::Active, true) if subscription.payment_failed => Self::Grace,
            (Status::Active, true) if ends => Self::Ending,
            (Status::Active, true) => Self::Paid,
            (Status::Active | Status::Paused, false) => Self::Agreed,
            (Status::Paused, true) => Self::Paused,
        }
    }

    /// What may be done, in the order to offer.
    pub const fn actions(self) -> &'static [Action] {
        match self {
            Self::Trial | Self::Agreed => &[Action::Checkout, Action::Cancel],
            Self::Over | Self::AgreedEnding => &[Action::Checkout],
            Self::Paid => &[Action::ChangePlan, Action::Pause, Action::Cancel],
            Self::Grace => &[Action::Cancel],
            Self::Paused => &[Action::Reactivate, Action::Cancel],
            Self::Ending => &[Action::Reactivate],
        }
    }

    /// Whether it may be done, and if not, why.
    pub fn check(self, action: Action) -> Result<(), Refusal> {
        if self.actions().contains(&action) {
            return Ok(());
        }
        let unpaid = matches!(
            self,
            Self::Trial | Self::Over | Self::Agreed | Self::AgreedEnding
        );
        Err(match action {
            Action::Checkout => Refusal::AlreadySubscribed,
            Action::Cancel => Refusal::State(self.reason()),
            _ if unpaid => Refusal::CheckoutRequired,
            _ => Refusal::State(self.reason()),
        })
    }

    /// What stands in the way, for the person.
    const fn reason(self) -> Reason {
        match self {
            Self::Trial => refusals::SUBSCRIPTION_IN_TRIAL,
            Self::Over => refusals::SUBSCRIPTION_ENDED,
            Self::Paid => refusals::SUBSCRIPTION_ACTIVE,
            Self::Grace => refusals::SUBSCRIPTION_PAYMENT_FAILED,
            Self::Agreed => refusals::SUBSCRIPTION_AGREED,
            Self::Paused => refusals::SUBSCRIPTION_PAUSED,
            Self::Ending | Self::AgreedEnding => refusals::SUBSCRIPTION_CANCELED,
        }
    }
}

#[cfg(test)]
#[path = "actions_tests.rs"]
mod tests;
