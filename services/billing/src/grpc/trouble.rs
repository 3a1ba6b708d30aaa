//! What the caller reads when payments say no.

use hourmeter_runtime::error::{Failure, Kind};

use crate::domain::actions::Refusal;
use crate::provider::PaymentError;

/// What the provider did not do.
pub(crate) fn failure(error: PaymentError) -> Failure {
    match error {
        PaymentError::Ours(failure) => failure,
        PaymentError::Refused(why) => {
            tracing::warn!(why, "the payment provider refused");
            state("The payment provider did not accept this. Please check your subscription.")
        }
        PaymentError::Declined(why) => {
            tracing::info!(why, "a card was declined");
            let message = "The card was declined. Please update your card under Invoices and card, \
                then try again.";
            Failure::new(Kind::Conflict, message).with_reason("PAYMENT_DECLINED")
        }
        // A checkout makes the company known again.
        PaymentError::NoCustomer => Refusal::CheckoutRequired.into(),
        away @ (PaymentError::Away(_) | PaymentError::Setup(_)) => Failure::provider(away),
    }
}

/// Where the subscription stands does not allow it.
pub(crate) fn state(sentence: &'static str) -> Failure {
    Failure::new(Kind::Conflict, sentence).with_reason("SUBSCRIPTION_STATE")
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::AlreadySubscribed => {
                Self::new(Kind::Conflict, "You already have a subscription.")
                    .with_reason("ALREADY_SUBSCRIBED")
            }
            Refusal::CheckoutRequired => {
                Self::new(Kind::Conflict, "Please choose a plan and check out first.")
                    .with_reason("CHECKOUT_REQUIRED")
            }
            Refusal::State(sentence) => state(sentence),
        }
    }
}
