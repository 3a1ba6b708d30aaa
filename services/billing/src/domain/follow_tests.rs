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

fn reading(id: &str, created: i64, progress: Progress) -> Reading {
    Reading {
        subscription_id: id.to_owned(),
        created_at: day(created),
        offer: Offer {
            tier: Tier::Professional,
            interval: Interval::Month,
        },
        progress,
        period_start: day(30),
        period_end: day(60),
        cancel_at_period_end: false,
        paused_until: None,
        waived: false,
    }
}

const BLINK: TimeDelta = TimeDelta::microseconds(1);

#[test]
fn reconcile_copies_paid_subscription() {
    let mut before = trial();
    before.equipment_limit_override = Some(99);
    let after = follow(&before, &[reading("sub_1", 5, Progress::Paid)], day(31));
    let expected = Subscription {
        tier: Tier::Professional,
        status: Status::Active,
        current_period_end: Some(day(60)),
        billing_interval: Some(Interval::Month),
        provider_subscription_id: Some("sub_1".to_owned()),
        ..before
    };
    assert_eq!(after, expected);
    let again = follow(&after, &[reading("sub_1", 5, Progress::Paid)], day(31));
    assert_eq!(again, after, "twice is once");
}

#[test]
fn reconcile_past_due_starts_grace_at_end_of_paid_time() {
    let unpaid = [reading("sub_1", 5, Progress::PastDue)];
    let after = follow(&trial(), &unpaid, day(37) - BLINK);
    assert_eq!((after.status, after.payment_failed), (Status::Active, true));
    assert_eq!(after.current_period_end, Some(day(30)));
    assert_eq!(after.grace_end(day(37) - BLINK), Some(day(37)));
    let after = follow(&after, &unpaid, day(37));
    assert_eq!(
        (after.status, after.payment_failed),
        (Status::Expired, true)
    );
    assert_eq!(after.grace_end(day(37)), None);
    // A late payment restores access.
    let after = follow(&after, &[reading("sub_1", 5, Progress::Paid)], day(40));
    assert_eq!(
        (after.status, after.payment_failed),
        (Status::Active, false)
    );
}

#[test]
fn reconcile_past_due_and_canceled_has_no_access() {
    let mut unpaid = reading("sub_1", 5, Progress::PastDue);
    unpaid.cancel_at_period_end = true;
    let after = follow(&trial(), &[unpaid], day(31));
    let kept = after.standing(day(31));
    // A new company keeps its trial.
    assert_eq!((kept.status, kept.active), (Status::Expired, false));
}

#[test]
fn reconcile_ends_pause_by_time() {
    let mut paused = reading("sub_1", 5, Progress::Paid);
    paused.paused_until = Some(day(50));
    let before = follow(&trial(), &[reading("sub_1", 5, Progress::Paid)], day(31));
    let after = follow(&before, &[paused.clone()], day(50) - BLINK);
    assert_eq!(
        (after.status, after.pause_end),
        (Status::Paused, Some(day(50)))
    );
    let after = follow(&after, &[paused], day(50));
    assert_eq!((after.status, after.pause_end), (Status::Active, None));
}

#[test]
fn reconcile_canceled_keeps_paid_period() {
    let mut ending = reading("sub_1", 5, Progress::Paid);
    ending.cancel_at_period_end = true;
    let after = follow(&trial(), &[ending.clone()], day(60) - BLINK);
    assert_eq!(after.status, Status::Canceled);
    assert!(after.cancel_at_period_end && after.standing(day(60) - BLINK).premium);
    let after = follow(&after, &[ending], day(60));
    assert_eq!(after.status, Status::Expired);
}

#[test]
fn uncollectible_is_own_past_due_of_expired_row() {
    let unpaid = [reading("sub_1", 5, Progress::PastDue)];
    let expired = follow(&trial(), &unpaid, day(37));
    assert_eq!(given_up(&expired, &unpaid), Some(&unpaid[0]));
    let grace = follow(&trial(), &unpaid, day(37) - BLINK);
    assert_eq!(given_up(&grace, &unpaid), None);
    let others = [reading("sub_2", 5, Progress::PastDue)];
    assert_eq!(given_up(&expired, &others), None);
    let paid = [reading("sub_1", 5, Progress::Paid)];
    assert_eq!(given_up(&expired, &paid), None);
}

#[test]
fn reconcile_ended_changes_own_row_only() {
    let own = follow(&trial(), &[reading("sub_1", 5, Progress::Paid)], day(31));
    let ended = |id| [reading(id, 5, Progress::Ended(day(40)))];
    let after = follow(&own, &ended("sub_1"), day(41));
    assert_eq!(after.status, Status::Expired);
    assert_eq!(after.current_period_end, Some(day(40)));
    assert_eq!(follow(&own, &ended("sub_2"), day(41)), own);
    assert_eq!(follow(&trial(), &ended("sub_1"), day(20)), trial());
    let mut agreed = trial();
    agreed.agree(Tier::Enterprise, day(90));
    assert_eq!(follow(&agreed, &ended("sub_1"), day(41)), agreed);
}

#[test]
fn current_is_newest_and_older_are_duplicates() {
    let old = reading("sub_1", 5, Progress::Paid);
    let new = reading("sub_2", 6, Progress::Paid);
    let ended = reading("sub_3", 7, Progress::Ended(day(8)));
    for readings in [
        [old.clone(), new.clone(), ended.clone()],
        [ended.clone(), new.clone(), old.clone()],
    ] {
        assert_eq!(counting(&readings), Some(&new));
        assert_eq!(superfluous(&readings), [&old]);
    }
    // Subscriptions created in the same second have a fixed order.
    let twin = reading("sub_9", 6, Progress::Paid);
    assert_eq!(counting(&[twin.clone(), new.clone()]), Some(&twin));
    assert_eq!(counting(&[new.clone(), twin.clone()]), Some(&twin));
    // The older one stays while the newest is not paid.
    let unpaid = reading("sub_2", 6, Progress::PastDue);
    assert_eq!(counting(&[old.clone(), unpaid.clone()]), Some(&unpaid));
    assert!(superfluous(&[old.clone(), unpaid]).is_empty());
    assert!(superfluous(&[old, ended.clone()]).is_empty());
    assert_eq!(counting(&[ended]), None);
}

#[test]
fn refresh_status_stores_computed_status() {
    let mut row = trial();
    settle(&mut row, day(28) - BLINK);
    assert_eq!(row.status, Status::Trial);
    settle(&mut row, day(28));
    assert_eq!(row.status, Status::Expired);
}
