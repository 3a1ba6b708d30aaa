//! Which actions each subscription state allows. Clients get the list from this table, and every
//! call is checked against it.

use chrono::{DateTime, Utc};
use hourmeter_runtime::message::Reason;

use super::subscription::{Status, Subscription};
use crate::refusals;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Checkout,
    ChangePlan,
    Pause,
    /// Ends a pause or undoes a cancellation.
    Reactivate,
    Cancel,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    AlreadySubscribed,
    /// Needs a paid subscription, which only a checkout creates.
    CheckoutRequired,
    State(Reason),
}

/// The state of a subscription, as far as it decides which actions are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Trial,
    /// No access: the trial or plan has ended.
    Over,
    /// Paid through the provider.
    Paid,
    /// Paid through the provider, but the last renewal failed.
    Grace,
    Agreed,
    Paused,
    /// Canceled at the provider, ends with the paid period.
    Ending,
    /// Canceled, ends with the agreed period.
    AgreedEnding,
}

impl State {
    pub fn of(subscription: &Subscription, now: DateTime<Utc>) -> Self {
        let access_state = subscription.access_state(now);
        let through_provider = subscription.provider_subscription_id.is_some();
        let is_canceling = subscription.cancel_at_period_end;
        match (access_state.status, through_provider) {
            (Status::Trial, _) => Self::Trial,
            (Status::Expired, _) => Self::Over,
            (Status::Canceled, _) if !access_state.active => Self::Over,
            (Status::Canceled, true) => Self::Ending,
            (Status::Canceled, false) => Self::AgreedEnding,
            (Status::Active, true) if subscription.payment_failed => Self::Grace,
            (Status::Active, true) if is_canceling => Self::Ending,
            (Status::Active, true) => Self::Paid,
            (Status::Active | Status::Paused, false) => Self::Agreed,
            (Status::Paused, true) => Self::Paused,
        }
    }

    /// Allowed actions in display order.
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

    pub fn check(self, action: Action) -> Result<(), Refusal> {
        if self.actions().contains(&action) {
            return Ok(());
        }
        Err(match action {
            Action::Checkout => Refusal::AlreadySubscribed,
            Action::Cancel => Refusal::State(self.reason()),
            _ if !self.is_at_provider() => Refusal::CheckoutRequired,
            _ => Refusal::State(self.reason()),
        })
    }

    /// Whether the company pays through the provider.
    pub const fn is_at_provider(self) -> bool {
        match self {
            Self::Trial | Self::Over | Self::Agreed | Self::AgreedEnding => false,
            Self::Paid | Self::Grace | Self::Paused | Self::Ending => true,
        }
    }

    /// Why the state does not allow an action, as a message for the person.
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
