//! Maps payment errors to service errors.

use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::message::Reason;

use crate::domain::actions::Refusal;
use crate::provider::PaymentError;
use crate::refusals;

/// Logs what the provider refused.
impl From<PaymentError> for ServiceError {
    fn from(error: PaymentError) -> Self {
        match error {
            PaymentError::Internal(error) => error,
            PaymentError::Refused(why) => {
                tracing::warn!(why, "the payment provider refused");
                state_conflict(refusals::PAYMENT_REFUSED)
            }
            PaymentError::Declined(why) => {
                tracing::info!(why, "a card was declined");
                Self::conflict(refusals::PAYMENT_DECLINED)
            }
            // A checkout creates a new customer.
            PaymentError::NoCustomer => Refusal::CheckoutRequired.into(),
            away @ (PaymentError::Unavailable(_) | PaymentError::NotConfigured(_)) => {
                Self::provider(away)
            }
        }
    }
}

pub(super) fn state_conflict(reason: Reason) -> ServiceError {
    ServiceError::conflict(reason).with_reason("SUBSCRIPTION_STATE")
}

impl From<Refusal> for ServiceError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::AlreadySubscribed => Self::conflict(refusals::ALREADY_SUBSCRIBED),
            Refusal::CheckoutRequired => Self::conflict(refusals::CHECKOUT_REQUIRED),
            Refusal::State(reason) => state_conflict(reason),
        }
    }
}
