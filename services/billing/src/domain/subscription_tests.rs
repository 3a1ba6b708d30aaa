use super::*;

fn day(day: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::days(day)
}

const BLINK: TimeDelta = TimeDelta::microseconds(1);

fn trial() -> Subscription {
    Subscription::trial(day(0), day(28), day(0))
}

fn paid(tier: Tier, status: Status) -> Subscription {
    Subscription {
        tier,
        status,
        current_period_end: Some(day(100)),
        billing_interval: Some(Interval::Month),
        ..trial()
    }
}

/// Status, access and premium at `now`.
fn at(subscription: &Subscription, now: DateTime<Utc>) -> (Status, bool, bool) {
    let access_state = subscription.access_state(now);
    (
        access_state.status,
        access_state.active,
        access_state.premium,
    )
}

#[test]
fn access_state_of_trial() {
    let mut trial = trial();
    for tier in [Tier::Basic, Tier::Professional, Tier::Enterprise] {
        trial.tier = tier;
        assert_eq!(at(&trial, day(0)), (Status::Trial, true, false));
        assert_eq!(at(&trial, day(28) - BLINK), (Status::Trial, true, false));
        assert_eq!(at(&trial, day(28)), (Status::Expired, false, false));
    }
}

#[test]
fn trial_days_left_are_rounded_up() {
    let trial = trial();
    for (now, expected) in [
        (day(0), 28),
        (day(0) + BLINK, 28),
        (day(1), 27),
        (day(27), 1),
        (day(28) - BLINK, 1),
        (day(28), 0),
        (day(400), 0),
    ] {
        assert_eq!(trial.trial_days_left(now), expected, "{now}");
    }
    let mut over = paid(Tier::Basic, Status::Active);
    assert_eq!(over.trial_days_left(day(1)), 0, "paid early");
    over.status = Status::Expired;
    assert_eq!(over.trial_days_left(day(1)), 0);
}

#[test]
fn access_state_premium_by_plan() {
    for (tier, premium, limit) in [
        (Tier::Basic, false, 15),
        (Tier::Professional, true, 30),
        (Tier::Enterprise, true, 65),
    ] {
        let subscription = paid(tier, Status::Active);
        assert_eq!(at(&subscription, day(50)), (Status::Active, true, premium));
        assert_eq!(subscription.access_state(day(50)).equipment_limit, limit);
    }
}

#[test]
fn access_state_in_grace_period() {
    let subscription = paid(Tier::Professional, Status::Active);
    assert_eq!(at(&subscription, day(100)), (Status::Active, true, true));
    let last = day(107) - BLINK;
    assert_eq!(at(&subscription, last), (Status::Active, true, true));
    assert_eq!(at(&subscription, day(107)), (Status::Expired, false, false));
}

#[test]
fn access_state_without_renewal_has_no_grace() {
    let mut subscription = paid(Tier::Professional, Status::Active);
    subscription.cancel_at_period_end = true;
    let last = day(100) - BLINK;
    assert_eq!(at(&subscription, last), (Status::Active, true, true));
    assert_eq!(at(&subscription, day(100)), (Status::Expired, false, false));
}

#[test]
fn access_state_without_period_does_not_end() {
    let mut subscription = paid(Tier::Enterprise, Status::Active);
    subscription.current_period_end = None;
    assert_eq!(at(&subscription, day(9999)), (Status::Active, true, true));
}

#[test]
fn access_state_canceled_keeps_paid_period() {
    let subscription = paid(Tier::Professional, Status::Canceled);
    let last = day(100) - BLINK;
    assert_eq!(at(&subscription, last), (Status::Canceled, true, true));
    assert_eq!(at(&subscription, day(100)), (Status::Expired, false, false));
}

#[test]
fn access_state_of_canceled_trial() {
    let mut subscription = trial();
    subscription.status = Status::Canceled;
    assert_eq!(at(&subscription, day(1)), (Status::Canceled, false, false));
    assert_eq!(at(&subscription, day(99)), (Status::Canceled, false, false));
}

#[test]
fn access_state_after_pause() {
    let mut subscription = paid(Tier::Professional, Status::Paused);
    subscription.pause_end = Some(day(190));
    let last = day(190) - BLINK;
    assert_eq!(at(&subscription, day(50)), (Status::Paused, false, false));
    assert_eq!(at(&subscription, last), (Status::Paused, false, false));
    assert_eq!(at(&subscription, day(190)), (Status::Active, true, true));
    assert_eq!(at(&subscription, day(197)), (Status::Expired, false, false));
}

#[test]
fn access_state_expired_stays_expired() {
    let subscription = paid(Tier::Professional, Status::Expired);
    assert_eq!(at(&subscription, day(1)), (Status::Expired, false, false));
}

#[test]
fn access_state_prefers_agreed_limit() {
    let mut subscription = trial();
    for limit in [-1, 0, 500] {
        subscription.equipment_limit_override = Some(limit);
        assert_eq!(subscription.access_state(day(1)).equipment_limit, limit);
    }
}

#[test]
fn access_state_never_lowers_limit_of_paid_plan() {
    let mut subscription = paid(Tier::Professional, Status::Active);
    for (agreed, limit) in [(0, 30), (29, 30), (31, 31), (-1, -1)] {
        subscription.equipment_limit_override = Some(agreed);
        assert_eq!(subscription.access_state(day(1)).equipment_limit, limit);
    }
}

#[test]
fn first_charge_is_end_of_trial_or_49_hours_later() {
    let subscription = trial();
    assert_eq!(subscription.first_charge(day(3)), Some(day(28)));
    assert_eq!(subscription.first_charge(day(25)), Some(day(28)));
    let hour = TimeDelta::hours(1);
    assert_eq!(subscription.first_charge(day(26)), Some(day(28) + hour));
    assert_eq!(subscription.first_charge(day(27)), Some(day(29) + hour));
    assert_eq!(subscription.first_charge(day(28)), None);
}

#[test]
fn names_round_trip() {
    for status in Status::ALL {
        assert_eq!(Status::from_name(status.name()), Some(status));
    }
    assert_eq!(Status::from_name("gone"), None);
    for interval in [Interval::Month, Interval::Year] {
        assert_eq!(Interval::from_name(interval.name()), Some(interval));
        let stored = serde_json::to_value(interval).expect("a word");
        assert_eq!(stored, interval.name());
    }
    assert_eq!(Interval::from_name("week"), None);
}
