use super::*;

#[test]
fn resume_in_uncollected_period_starts_new_period() {
    let (mut account, id) = subscribed(PRO_MONTH, day("2026-11-02"));
    hold(&mut account, day("2027-02-10"));
    let paid = account.clone();

    account.resume(&id, day("2026-11-20")).expect("resumed");
    let subscription = newest(&mut account, day("2026-11-20"));
    assert_eq!(
        subscription.period_end,
        day("2026-12-02"),
        "still the paid period"
    );
    assert_eq!(account.invoices.len(), 1);

    let mut account = paid;
    let now = day("2027-01-15");
    account.advance(now);
    account.card_declines = true;
    let before = account.clone();
    assert_eq!(account.resume(&id, now), Err(Refusal::Declined));
    assert_eq!(account, before);
    account.card_declines = false;
    account.resume(&id, now).expect("resumed");
    account.resume(&id, now).expect("already applied");
    let subscription = newest(&mut account, now);
    assert_eq!(
        (subscription.period_start, subscription.period_end),
        (now, day("2027-02-15"))
    );
    assert_eq!(subscription.paused_until, None);
    let paid = billed(&account)
        .into_iter()
        .filter(|it| it.1 == InvoiceStatus::Paid);
    assert_eq!(paid.count(), 2);
}

#[test]
fn cancel_at_period_end_can_be_undone() {
    let (mut account, id) = subscribed(PRO_MONTH, day("2026-11-02"));
    let now = day("2026-11-10");
    for _ in 0..2 {
        account.cancel_at_period_end(&id, now).expect("canceled");
    }
    assert_eq!(
        take_event_types(&mut account),
        ["customer.subscription.updated"]
    );
    assert!(newest(&mut account, now).cancel_at_period_end);
    assert_eq!(
        account.pause(&id, day("2027-03-01"), now),
        Err(Refusal::State)
    );
    let mut kept = account.clone();

    let end = day("2026-12-02");
    assert_eq!(
        newest(&mut account, end).payment_status,
        PaymentStatus::Ended(end)
    );
    assert_eq!(
        take_event_types(&mut account),
        ["customer.subscription.deleted"]
    );
    assert_eq!(account.invoices.len(), 1);
    assert_eq!(account.resume(&id, end), Err(Refusal::State));
    assert_eq!(account.cancel_at_period_end(&id, end), Err(Refusal::State));
    account.cancel_now(&id, false, end).expect("already ended");
    assert_eq!(take_event_types(&mut account), Vec::<String>::new());

    kept.resume(&id, now).expect("cancellation undone");
    assert!(!newest(&mut kept, end).cancel_at_period_end);
    assert_eq!(kept.invoices.len(), 2);
}

#[test]
fn cancel_in_pause_keeps_paid_period_only() {
    let (mut account, id) = subscribed(PRO_MONTH, day("2026-11-02"));
    hold(&mut account, day("2027-02-10"));
    let mut late = account.clone();
    let now = day("2026-11-12");
    account.cancel_at_period_end(&id, now).expect("canceled");
    let subscription = newest(&mut account, now);
    assert_eq!(subscription.paused_until, None);
    assert!(subscription.cancel_at_period_end);
    assert_eq!(subscription.period_end, day("2026-12-02"));

    let now = day("2027-01-10");
    late.cancel_at_period_end(&id, now).expect("canceled");
    assert_eq!(
        newest(&mut late, now).payment_status,
        PaymentStatus::Ended(now)
    );
}

#[test]
fn cancel_now_stops_collection() {
    let (mut account, id) = subscribed(PRO_MONTH, day("2026-11-02"));
    account.set_card(true, day("2026-11-20"));
    let now = day("2026-12-04");
    account.advance(now);
    account.cancel_now(&id, false, now).expect("canceled");
    account.set_card(false, now);
    account.advance(day("2030-01-01"));
    assert_eq!(
        billed(&account),
        [(5400, InvoiceStatus::Paid), (5400, InvoiceStatus::Void)]
    );
    assert_eq!(
        newest(&mut account, now).payment_status,
        PaymentStatus::Ended(now)
    );
}

#[test]
fn upgrade_is_prorated_to_the_cent() {
    // November has 30 days.
    let (account, id) = subscribed(PRO_MONTH, day("2026-11-02"));
    for (to, now, cents) in [
        (TOP_MONTH, day("2026-11-02"), 4600),
        (TOP_MONTH, day("2026-11-17"), 2300),
        // A third of the month: 3333.33 for 1800.
        (TOP_MONTH, day("2026-11-22"), 1533),
        (TOP_MONTH, at("2026-12-02T07:59:59Z"), 0),
        (BASIC_MONTH, day("2026-11-17"), -1100),
        // The year in full for half the month.
        (PRO_YEAR, day("2026-11-17"), 55_080 - 2700),
    ] {
        let mut account = account.clone();
        account.change_plan(&id, to, now).expect("changed");
        account.change_plan(&id, to, now).expect("already applied");
        let change: Vec<_> = account.invoices[1..].iter().map(|it| it.cents).collect();
        let expected: Vec<i64> = (cents != 0).then_some(cents).into_iter().collect();
        assert_eq!(change, expected, "{to:?} {now}");
        let subscription = newest(&mut account, now);
        let start = if to == PRO_YEAR {
            now
        } else {
            day("2026-11-02")
        };
        assert_eq!((subscription.offer, subscription.period_start), (to, start));
        assert_balanced(&account);
    }
}

#[test]
fn change_plan_declined_keeps_plan() {
    let (mut account, id) = subscribed(PRO_MONTH, day("2026-11-02"));
    let now = day("2026-11-17");
    account.set_card(true, now);
    let before = account.clone();
    for offer in [TOP_MONTH, PRO_YEAR] {
        assert_eq!(account.change_plan(&id, offer, now), Err(Refusal::Declined));
        assert_eq!(account, before);
    }
    account
        .change_plan(&id, BASIC_MONTH, now)
        .expect("credit without a card");
    assert_eq!(
        account.change_plan("sub_other", PRO_YEAR, now),
        Err(Refusal::Unknown)
    );
}

#[test]
fn charge_uses_credit_first() {
    let (mut account, id) = subscribed(PRO_YEAR, day("2026-11-02"));
    let now = day("2026-11-02");
    account.change_plan(&id, PRO_MONTH, now).expect("changed");
    assert_eq!(account.balance_cents, 55_080 - 5400);
    account.set_card(true, now);
    account.advance(day("2027-07-02"));
    assert!(account.invoices.iter().skip(2).all(|it| it.card_cents == 0));
    assert_eq!(account.balance_cents, 55_080 - 9 * 5400);
    assert_balanced(&account);
    account.advance(day("2027-08-02"));
    assert_eq!(
        newest(&mut account, day("2027-08-02")).payment_status,
        PaymentStatus::Paid
    );
    let subscription = newest(&mut account, day("2027-09-02"));
    assert_eq!(
        subscription.payment_status,
        PaymentStatus::PastDue,
        "1,080 cents are too few"
    );
    account.set_card(false, day("2027-09-03"));
    assert_eq!(
        account.invoices.last().expect("one").card_cents,
        5400 - 1080
    );
    assert_balanced(&account);
}

#[test]
fn change_plan_in_uncollected_period_gives_no_credit() {
    let (mut account, id) = subscribed(PRO_MONTH, day("2026-11-02"));
    hold(&mut account, day("2027-02-10"));
    let now = day("2027-02-11");
    account.change_plan(&id, TOP_MONTH, now).expect("changed");
    assert_eq!(account.invoices.last().expect("one").cents, 10_000);
    assert_eq!(newest(&mut account, now).period_start, now);
}
