use chrono::TimeDelta;

use super::*;
use crate::domain::plan::Tier;
use crate::domain::subscription::Interval;
use crate::provider::Offer;

fn day(day: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::days(day)
}

fn trial() -> Subscription {
    Subscription::trial(day(0), day(28), day(0))
}

fn subscription(id: &str, created: i64, payment_status: PaymentStatus) -> ProviderSubscription {
    ProviderSubscription {
        subscription_id: id.to_owned(),
        created_at: day(created),
        offer: Offer {
            tier: Tier::Professional,
            interval: Interval::Month,
        },
        payment_status,
        period_start: day(30),
        period_end: day(60),
        cancel_at_period_end: false,
        paused_until: None,
        waived: false,
        in_trial: false,
    }
}

const BLINK: TimeDelta = TimeDelta::microseconds(1);

#[test]
fn reconcile_copies_paid_subscription() {
    let mut before = trial();
    before.equipment_limit_override = Some(99);
    let after = reconcile(
        &before,
        &[subscription("sub_1", 5, PaymentStatus::Paid)],
        day(31),
    );
    let expected = Subscription {
        tier: Tier::Professional,
        status: Status::Active,
        current_period_end: Some(day(60)),
        billing_interval: Some(Interval::Month),
        provider_subscription_id: Some("sub_1".to_owned()),
        ..before
    };
    assert_eq!(after, expected);
    let again = reconcile(
        &after,
        &[subscription("sub_1", 5, PaymentStatus::Paid)],
        day(31),
    );
    assert_eq!(again, after, "idempotent");
}

#[test]
fn reconcile_moves_trial_end_with_first_charge() {
    let mut moved = subscription("sub_1", 5, PaymentStatus::Paid);
    moved.in_trial = true;
    let after = reconcile(&trial(), &[moved.clone()], day(10));
    assert_eq!(after.trial_end, day(60));
    assert_eq!(after.current_period_end, Some(day(60)));
    moved.in_trial = false;
    moved.period_end = day(90);
    let charged = reconcile(&after, &[moved], day(61));
    assert_eq!(charged.trial_end, day(60));
    assert_eq!(charged.current_period_end, Some(day(90)));
}

#[test]
fn reconcile_past_due_starts_grace_at_end_of_paid_time() {
    let unpaid = [subscription("sub_1", 5, PaymentStatus::PastDue)];
    let after = reconcile(&trial(), &unpaid, day(37) - BLINK);
    assert_eq!((after.status, after.payment_failed), (Status::Active, true));
    assert_eq!(after.current_period_end, Some(day(30)));
    assert_eq!(after.grace_end(day(37) - BLINK), Some(day(37)));
    let after = reconcile(&after, &unpaid, day(37));
    assert_eq!(
        (after.status, after.payment_failed),
        (Status::Expired, true)
    );
    assert_eq!(after.grace_end(day(37)), None);
    // A late payment restores access.
    let after = reconcile(
        &after,
        &[subscription("sub_1", 5, PaymentStatus::Paid)],
        day(40),
    );
    assert_eq!(
        (after.status, after.payment_failed),
        (Status::Active, false)
    );
}

#[test]
fn reconcile_past_due_and_canceled_has_no_access() {
    let mut unpaid = subscription("sub_1", 5, PaymentStatus::PastDue);
    unpaid.cancel_at_period_end = true;
    let after = reconcile(&trial(), &[unpaid], day(31));
    let kept = after.access_state(day(31));
    // A new company keeps its trial.
    assert_eq!((kept.status, kept.active), (Status::Expired, false));
}

#[test]
fn reconcile_ends_pause_by_time() {
    let mut paused = subscription("sub_1", 5, PaymentStatus::Paid);
    paused.paused_until = Some(day(50));
    let before = reconcile(
        &trial(),
        &[subscription("sub_1", 5, PaymentStatus::Paid)],
        day(31),
    );
    let after = reconcile(&before, &[paused.clone()], day(50) - BLINK);
    assert_eq!(
        (after.status, after.pause_end),
        (Status::Paused, Some(day(50)))
    );
    let after = reconcile(&after, &[paused], day(50));
    assert_eq!((after.status, after.pause_end), (Status::Active, None));
}

#[test]
fn reconcile_canceled_keeps_paid_period() {
    let mut ending = subscription("sub_1", 5, PaymentStatus::Paid);
    ending.cancel_at_period_end = true;
    let after = reconcile(&trial(), &[ending.clone()], day(60) - BLINK);
    assert_eq!(after.status, Status::Canceled);
    assert!(after.cancel_at_period_end && after.access_state(day(60) - BLINK).premium);
    let after = reconcile(&after, &[ending], day(60));
    assert_eq!(after.status, Status::Expired);
}

#[test]
fn uncollectible_is_own_past_due_of_expired_row() {
    let unpaid = [subscription("sub_1", 5, PaymentStatus::PastDue)];
    let expired = reconcile(&trial(), &unpaid, day(37));
    assert_eq!(uncollectible(&expired, &unpaid), Some(&unpaid[0]));
    let grace = reconcile(&trial(), &unpaid, day(37) - BLINK);
    assert_eq!(uncollectible(&grace, &unpaid), None);
    let others = [subscription("sub_2", 5, PaymentStatus::PastDue)];
    assert_eq!(uncollectible(&expired, &others), None);
    let paid = [subscription("sub_1", 5, PaymentStatus::Paid)];
    assert_eq!(uncollectible(&expired, &paid), None);
}

#[test]
fn reconcile_ended_changes_own_row_only() {
    let own = reconcile(
        &trial(),
        &[subscription("sub_1", 5, PaymentStatus::Paid)],
        day(31),
    );
    let ended = |id| [subscription(id, 5, PaymentStatus::Ended(day(40)))];
    let after = reconcile(&own, &ended("sub_1"), day(41));
    assert_eq!(after.status, Status::Expired);
    assert_eq!(after.current_period_end, Some(day(40)));
    assert_eq!(reconcile(&own, &ended("sub_2"), day(41)), own);
    assert_eq!(reconcile(&trial(), &ended("sub_1"), day(20)), trial());
    let mut agreed = trial();
    agreed.agree(Tier::Enterprise, day(90));
    assert_eq!(reconcile(&agreed, &ended("sub_1"), day(41)), agreed);
}

#[test]
fn current_is_newest_and_older_are_duplicates() {
    let old = subscription("sub_1", 5, PaymentStatus::Paid);
    let new = subscription("sub_2", 6, PaymentStatus::Paid);
    let ended = subscription("sub_3", 7, PaymentStatus::Ended(day(8)));
    for subscriptions in [
        [old.clone(), new.clone(), ended.clone()],
        [ended.clone(), new.clone(), old.clone()],
    ] {
        assert_eq!(current_subscription(&subscriptions), Some(&new));
        assert_eq!(duplicates(&subscriptions), [&old]);
    }
    // Subscriptions created in the same second have a fixed order.
    let twin = subscription("sub_9", 6, PaymentStatus::Paid);
    assert_eq!(
        current_subscription(&[twin.clone(), new.clone()]),
        Some(&twin)
    );
    assert_eq!(
        current_subscription(&[new.clone(), twin.clone()]),
        Some(&twin)
    );
    // The older one stays while the newest is not paid.
    let unpaid = subscription("sub_2", 6, PaymentStatus::PastDue);
    assert_eq!(
        current_subscription(&[old.clone(), unpaid.clone()]),
        Some(&unpaid)
    );
    assert!(duplicates(&[old.clone(), unpaid]).is_empty());
    assert!(duplicates(&[old, ended.clone()]).is_empty());
    assert_eq!(current_subscription(&[ended]), None);
}

#[test]
fn refresh_status_stores_computed_status() {
    let mut row = trial();
    refresh_status(&mut row, day(28) - BLINK);
    assert_eq!(row.status, Status::Trial);
    refresh_status(&mut row, day(28));
    assert_eq!(row.status, Status::Expired);
}
