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
fn what_is_paid_is_taken_over_whole() {
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
fn an_unpaid_renewal_gives_seven_days_from_where_the_paid_time_ended() {
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
    // Collected late, it goes on.
    let after = follow(&after, &[reading("sub_1", 5, Progress::Paid)], day(40));
    assert_eq!(
        (after.status, after.payment_failed),
        (Status::Active, false)
    );
}

#[test]
fn an_unpaid_one_that_is_canceled_keeps_nothing() {
    let mut unpaid = reading("sub_1", 5, Progress::PastDue);
    unpaid.cancel_at_period_end = true;
    let after = follow(&trial(), &[unpaid], day(31));
    let kept = after.standing(day(31));
    // The trial of a company that is only now known to have subscribed goes on.
    assert_eq!((kept.status, kept.active), (Status::Expired, false));
}

#[test]
fn a_pause_ends_on_the_instant_whatever_the_provider_still_says() {
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
fn one_that_does_not_renew_keeps_what_was_paid() {
    let mut ending = reading("sub_1", 5, Progress::Paid);
    ending.cancel_at_period_end = true;
    let after = follow(&trial(), &[ending.clone()], day(60) - BLINK);
    assert_eq!(after.status, Status::Canceled);
    assert!(after.cancel_at_period_end && after.standing(day(60) - BLINK).premium);
    let after = follow(&after, &[ending], day(60));
    assert_eq!(after.status, Status::Expired);
}

#[test]
fn given_up_is_the_own_unpaid_one_of_an_expired_row() {
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
fn an_ended_one_touches_its_own_row_only() {
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
fn the_newest_that_runs_counts_and_older_ones_are_too_many() {
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
    // Of two of one second it is always the same one.
    let twin = reading("sub_9", 6, Progress::Paid);
    assert_eq!(counting(&[twin.clone(), new.clone()]), Some(&twin));
    assert_eq!(counting(&[new.clone(), twin.clone()]), Some(&twin));
    // While the newest is not paid, the older one is left alone.
    let unpaid = reading("sub_2", 6, Progress::PastDue);
    assert_eq!(counting(&[old.clone(), unpaid.clone()]), Some(&unpaid));
    assert!(superfluous(&[old.clone(), unpaid]).is_empty());
    assert!(superfluous(&[old, ended.clone()]).is_empty());
    assert_eq!(counting(&[ended]), None);
}

#[test]
fn time_alone_is_stored_as_it_is_read() {
    let mut row = trial();
    settle(&mut row, day(28) - BLINK);
    assert_eq!(row.status, Status::Trial);
    settle(&mut row, day(28));
    assert_eq!(row.status, Status::Expired);
}
