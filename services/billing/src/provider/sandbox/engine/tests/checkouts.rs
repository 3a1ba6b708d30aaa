//! Checkouts and stored history.

use super::*;

#[test]
fn checkout_paid_charges_catalogue_price() {
    for plan in PLANS {
        for (interval, cents, end) in [
            (Interval::Month, plan.monthly_cents, "2026-12-02"),
            (Interval::Year, plan.yearly_cents * 12, "2027-11-02"),
        ] {
            let now = day("2026-11-02");
            let mut account = Account::new(Uuid::nil(), now);
            let checkout = account.open_checkout(offer(plan.tier, interval), None, now, "key");
            assert!(
                account.subscriptions(now).is_empty(),
                "no effect before payment"
            );
            assert_eq!(take_event_types(&mut account), Vec::<String>::new());
            account.pay(&checkout.id, now).expect("paid");
            assert_eq!(
                take_event_types(&mut account),
                [
                    "checkout.session.completed",
                    "customer.subscription.created",
                    "invoice.paid"
                ]
            );
            let subscription = newest(&mut account, now);
            assert_eq!(subscription.offer, offer(plan.tier, interval));
            assert_eq!(subscription.payment_status, PaymentStatus::Paid);
            assert_eq!(subscription.period_start, now);
            assert_eq!(subscription.period_end, day(end));
            assert_eq!(billed(&account), [(i64::from(cents), InvoiceStatus::Paid)]);
            assert_balanced(&account);
        }
    }
    assert_eq!(price(offer(Tier::Basic, Interval::Year)), 32_640);
}

#[test]
fn checkout_is_payable_once_within_a_day() {
    let now = day("2026-11-02");
    let mut account = Account::new(Uuid::nil(), now);
    let checkout = account.open_checkout(PRO_MONTH, None, now, "a");
    assert_eq!(account.open_checkout(PRO_MONTH, None, now, "a"), checkout);
    assert_eq!(checkout.expires_at, now + TimeDelta::hours(24));
    let before = account.clone();
    assert_eq!(account.pay("cs_other", now), Err(Refusal::Unknown));
    let late = now + TimeDelta::hours(24);
    for refused in [
        account.clone().pay(&checkout.id, late),
        account.clone().decline(&checkout.id, late),
        account.clone().leave(&checkout.id, late),
    ] {
        assert_eq!(refused, Err(Refusal::Closed));
    }
    assert_eq!(account, before);

    let last = late - TimeDelta::microseconds(1);
    account.decline(&checkout.id, now).expect("declined");
    account.decline(&checkout.id, last).expect("declined again");
    account.pay(&checkout.id, last).expect("paid");
    assert_eq!(account.pay(&checkout.id, last), Err(Refusal::Closed));
    assert_eq!(account.leave(&checkout.id, last), Err(Refusal::Closed));
    account.close_checkout(&checkout.id);
    let state = account.checkout(&checkout.id).expect("there").state;
    assert_eq!(
        state,
        SessionState::Paid,
        "closing a paid checkout has no effect"
    );
    assert_eq!(account.subscriptions.len(), 1);

    let left = account.open_checkout(PRO_YEAR, None, last, "b");
    account.leave(&left.id, last).expect("left");
    let closed = account.open_checkout(PRO_YEAR, None, last, "c");
    account.close_checkout(&closed.id);
    for id in [left.id, closed.id] {
        assert_eq!(account.pay(&id, last), Err(Refusal::Closed));
    }
    assert_eq!(account.subscriptions.len(), 1);
}

#[test]
fn checkouts_paid_twice_list_newest_first() {
    let now = day("2026-11-02");
    let (mut account, first) = subscribed(PRO_MONTH, now);
    let second = buy(&mut account, TOP_MONTH, now + TimeDelta::seconds(1));
    let subscriptions = account.subscriptions(now + TimeDelta::days(1));
    let ids: Vec<_> = subscriptions.iter().map(|it| &it.subscription_id).collect();
    assert_eq!(ids, [&second, &first]);
    assert_ne!(first, second);
}

#[test]
fn events_have_stripe_shape_and_unique_ids() {
    let now = day("2026-11-02");
    let mut account = Account::new(Uuid::nil(), now);
    buy(&mut account, PRO_MONTH, now);
    account.advance(day("2027-03-02"));
    let mut ids: Vec<_> = account.outbox.iter().map(|event| &event.id).collect();
    for event in &account.outbox {
        assert_eq!(event.body["id"], Value::from(event.id.clone()));
        assert_eq!(event.body["livemode"], Value::from(false));
        let customer = &event.body["data"]["object"]["customer"];
        assert_eq!(customer.as_str(), Some(account.customer_id().as_str()));
    }
    let made: Vec<_> = account
        .outbox
        .iter()
        .map(|it| it.body["created"].as_i64())
        .collect();
    assert!(made.is_sorted(), "in order of time");
    assert_eq!(
        made.last().copied().flatten(),
        Some(day("2027-03-02").timestamp())
    );
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), account.outbox.len());
}

#[test]
fn account_round_trips_through_json() {
    let (mut account, id) = subscribed(PRO_MONTH, at("2026-11-02T08:00:00.123456Z"));
    account
        .pause(&id, day("2027-02-10"), day("2026-11-10"))
        .expect("paused");
    account.mark_applied("key");
    account.advance(day("2027-01-01"));
    let text = serde_json::to_string(&account).expect("text");
    let read: Account = serde_json::from_str(&text).expect("an account");
    assert_eq!(read, account);
}

#[test]
fn account_history_is_bounded() {
    let now = day("2026-11-02");
    let mut account = Account::new(Uuid::nil(), now);
    for number in 0..300 {
        account.mark_applied(&number.to_string());
        account.open_checkout(PRO_MONTH, None, now, &number.to_string());
    }
    assert!(account.has_applied("299") && account.has_applied("200"));
    assert!(!account.has_applied("199"));
    assert_eq!(account.checkouts.len(), MAX_CHECKOUTS);
}
