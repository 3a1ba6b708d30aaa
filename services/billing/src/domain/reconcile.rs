//! Reconciles a company's row with the provider's subscriptions and the clock.

use chrono::{DateTime, Utc};

use super::subscription::{Status, Subscription};
use crate::provider::{PaymentStatus, ProviderSubscription};

/// The newest subscription that has not ended.
pub fn current_subscription(
    subscriptions: &[ProviderSubscription],
) -> Option<&ProviderSubscription> {
    subscriptions
        .iter()
        .filter(|subscription| is_running(subscription))
        .max_by_key(|subscription| (subscription.created_at, &subscription.subscription_id))
}

/// Older subscriptions that run beside a newer paid one; they are canceled so that the company does
/// not pay twice.
pub fn duplicates(subscriptions: &[ProviderSubscription]) -> Vec<&ProviderSubscription> {
    let Some(newest) = current_subscription(subscriptions)
        .filter(|newest| newest.payment_status == PaymentStatus::Paid)
    else {
        return Vec::new();
    };
    subscriptions
        .iter()
        .filter(|subscription| is_running(subscription))
        .filter(|subscription| subscription.subscription_id != newest.subscription_id)
        .collect()
}

/// A past-due subscription whose grace period is over; it must not be collected any more.
pub fn uncollectible<'a>(
    reconciled: &Subscription,
    subscriptions: &'a [ProviderSubscription],
) -> Option<&'a ProviderSubscription> {
    let own = reconciled.provider_subscription_id.as_deref();
    current_subscription(subscriptions).filter(|current| {
        current.payment_status == PaymentStatus::PastDue
            && own == Some(current.subscription_id.as_str())
            && reconciled.status == Status::Expired
    })
}

fn is_running(subscription: &ProviderSubscription) -> bool {
    !matches!(subscription.payment_status, PaymentStatus::Ended(_))
}

/// The row after a read from the provider at `now`.
pub fn reconcile(
    row: &Subscription,
    subscriptions: &[ProviderSubscription],
    now: DateTime<Utc>,
) -> Subscription {
    let mut reconciled = row.clone();
    let own = row.provider_subscription_id.as_deref();
    if let Some(subscription) = current_subscription(subscriptions) {
        run(&mut reconciled, subscription, now);
        // A subscription without access must not replace a plan that was agreed on meanwhile.
        let is_own = own == Some(subscription.subscription_id.as_str());
        if !is_own && !reconciled.access_state(now).active && row.access_state(now).active {
            reconciled = row.clone();
        }
    } else if let Some(subscription) = subscriptions
        .iter()
        .find(|subscription| own == Some(subscription.subscription_id.as_str()))
    {
        end(&mut reconciled, subscription);
    }
    refresh_status(&mut reconciled, now);
    reconciled
}

/// Sets the stored status to the status at `now`.
pub fn refresh_status(row: &mut Subscription, now: DateTime<Utc>) {
    row.status = row.access_state(now).status;
}

fn run(row: &mut Subscription, subscription: &ProviderSubscription, now: DateTime<Utc>) {
    row.tier = subscription.offer.tier;
    row.billing_interval = Some(subscription.offer.interval);
    row.provider_subscription_id = Some(subscription.subscription_id.clone());
    row.cancel_at_period_end = subscription.cancel_at_period_end;
    row.pause_end = subscription.paused_until.filter(|until| *until > now);
    row.payment_failed = subscription.payment_status == PaymentStatus::PastDue;
    if subscription.in_trial {
        // A pause or the minimum trial moves the first charge.
        row.trial_end = subscription.period_end;
    }
    row.current_period_end = Some(match subscription.payment_status {
        // The paid time ended where the unpaid period began.
        PaymentStatus::PastDue => subscription.period_start,
        _ => subscription.period_end,
    });
    row.status = if row.pause_end.is_some() {
        Status::Paused
    } else if row.cancel_at_period_end {
        Status::Canceled
    } else {
        Status::Active
    };
}

fn end(row: &mut Subscription, subscription: &ProviderSubscription) {
    let PaymentStatus::Ended(at) = subscription.payment_status else {
        return;
    };
    row.status = Status::Canceled;
    row.current_period_end = Some(at);
    row.cancel_at_period_end = true;
    row.pause_end = None;
    row.payment_failed = false;
}

#[cfg(test)]
#[path = "reconcile_tests.rs"]
mod tests;
