//! Reconciles a company's row with the provider's subscriptions and the clock.

use chrono::{DateTime, Utc};

use super::subscription::{Status, Subscription};
use crate::provider::{Progress, Reading};

/// The newest subscription that has not ended.
pub fn counting(readings: &[Reading]) -> Option<&Reading> {
    readings
        .iter()
        .filter(|reading| is_running(reading))
        .max_by_key(|reading| (reading.created_at, &reading.subscription_id))
}

/// Older subscriptions that run beside a newer paid one; they are canceled so that the company does
/// not pay twice.
pub fn superfluous(readings: &[Reading]) -> Vec<&Reading> {
    let Some(newest) = counting(readings).filter(|newest| newest.progress == Progress::Paid) else {
        return Vec::new();
    };
    readings
        .iter()
        .filter(|reading| is_running(reading))
        .filter(|reading| reading.subscription_id != newest.subscription_id)
        .collect()
}

/// A past-due subscription whose grace period is over; it must not be collected any more.
pub fn given_up<'a>(followed: &Subscription, readings: &'a [Reading]) -> Option<&'a Reading> {
    let own = followed.provider_subscription_id.as_deref();
    counting(readings)
        .filter(|counting| counting.progress == Progress::PastDue)
        .filter(|counting| own == Some(counting.subscription_id.as_str()))
        .filter(|_| followed.status == Status::Expired)
}

fn is_running(reading: &Reading) -> bool {
    !matches!(reading.progress, Progress::Ended(_))
}

/// The row after a read from the provider at `now`.
pub fn follow(row: &Subscription, readings: &[Reading], now: DateTime<Utc>) -> Subscription {
    let mut followed = row.clone();
    let own = row.provider_subscription_id.as_deref();
    if let Some(reading) = counting(readings) {
        run(&mut followed, reading, now);
        // A subscription without access must not replace a plan that was agreed on meanwhile.
        let is_own = own == Some(reading.subscription_id.as_str());
        if !is_own && !followed.standing(now).active && row.standing(now).active {
            followed = row.clone();
        }
    } else if let Some(reading) = readings
        .iter()
        .find(|reading| own == Some(reading.subscription_id.as_str()))
    {
        end(&mut followed, reading);
    }
    settle(&mut followed, now);
    followed
}

/// Sets the stored status to the status at `now`.
pub fn settle(row: &mut Subscription, now: DateTime<Utc>) {
    row.status = row.standing(now).status;
}

fn run(row: &mut Subscription, reading: &Reading, now: DateTime<Utc>) {
    row.tier = reading.offer.tier;
    row.billing_interval = Some(reading.offer.interval);
    row.provider_subscription_id = Some(reading.subscription_id.clone());
    row.cancel_at_period_end = reading.cancel_at_period_end;
    row.pause_end = reading.paused_until.filter(|until| *until > now);
    row.payment_failed = reading.progress == Progress::PastDue;
    row.current_period_end = Some(match reading.progress {
        // The paid time ended where the unpaid period began.
        Progress::PastDue => reading.period_start,
        _ => reading.period_end,
    });
    row.status = if row.pause_end.is_some() {
        Status::Paused
    } else if row.cancel_at_period_end {
        Status::Canceled
    } else {
        Status::Active
    };
}

fn end(row: &mut Subscription, reading: &Reading) {
    let Progress::Ended(at) = reading.progress else {
        return;
    };
    row.status = Status::Canceled;
    row.current_period_end = Some(at);
    row.cancel_at_period_end = true;
    row.pause_end = None;
    row.payment_failed = false;
}

#[cfg(test)]
#[path = "follow_tests.rs"]
mod tests;
