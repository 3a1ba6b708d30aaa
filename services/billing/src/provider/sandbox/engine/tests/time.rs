use super::*;

#[test]
fn periods_clamp_to_short_months() {
    let (mut account, _) = subscribed(PRO_MONTH, day("2027-01-31"));
    for (now, end) in [
        ("2027-01-31", "2027-02-28"),
        ("2027-02-28", "2027-03-31"),
        ("2027-03-31", "2027-04-30"),
        ("2027-04-30", "2027-05-31"),
        ("2028-01-31", "2028-02-29"),
        ("2028-02-29", "2028-03-31"),
    ] {
        let subscription = newest(&mut account, day(now));
        assert_eq!(subscription.period_start, day(now));
        assert_eq!(subscription.period_end, day(end));
    }
    let (mut account, _) = subscribed(PRO_YEAR, day("2028-02-29"));
    for end in ["2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29"] {
        let subscription = newest(&mut account, day(end) - TimeDelta::microseconds(1));
        assert_eq!(subscription.period_end, day(end));
    }
    assert_eq!(
        newest(&mut account, day("2032-02-29")).period_end,
        day("2033-02-28")
    );
}

#[test]
fn renewal_is_paid_when_due() {
    let (mut account, _) = subscribed(PRO_MONTH, day("2026-11-02"));
    let due = day("2026-12-02");
    account.advance(due - TimeDelta::microseconds(1));
    assert_eq!(account.invoices.len(), 1);
    assert_eq!(account.next_due(), Some(due));
    let subscription = newest(&mut account, due);
    assert_eq!(subscription.period_start, due);
    assert_eq!(
        take_event_types(&mut account),
        ["invoice.paid", "customer.subscription.updated"]
    );
    let before = account.clone();
    account.advance(due);
    account.advance(day("2026-11-02"));
    assert_eq!(
        account, before,
        "repeating has no effect and time never decreases"
    );
}

#[test]
fn renewal_declined_is_retried_for_14_days() {
    let (mut account, id) = subscribed(PRO_MONTH, day("2026-11-02"));
    account.set_card(true, day("2026-11-20"));
    let due = day("2026-12-02");
    assert_eq!(
        newest(&mut account, due).payment_status,
        PaymentStatus::PastDue
    );
    assert_eq!(newest(&mut account, due).period_start, due);
    let failed = ["invoice.payment_failed", "customer.subscription.updated"];
    assert_eq!(take_event_types(&mut account), failed);
    assert_eq!(
        account.change_plan(&id, TOP_MONTH, due),
        Err(Refusal::State)
    );
    assert_eq!(
        account.pause(&id, day("2027-03-01"), due),
        Err(Refusal::State)
    );

    let last = due + TimeDelta::days(14);
    account.advance(last - TimeDelta::microseconds(1));
    assert_eq!(take_event_types(&mut account).len(), 13, "once a day");
    assert_eq!(
        newest(&mut account, last).payment_status,
        PaymentStatus::Ended(last)
    );
    assert_eq!(
        take_event_types(&mut account),
        ["invoice.payment_failed", "customer.subscription.deleted"]
    );
    assert_eq!(account.invoices[1].status, InvoiceStatus::Void);
    account.set_card(false, last);
    assert_eq!(account.next_due(), None);
    assert_eq!(
        take_event_types(&mut account),
        Vec::<String>::new(),
        "stays ended"
    );
    assert_balanced(&account);
}

#[test]
fn set_card_pays_open_invoice_of_same_period() {
    let (mut account, _) = subscribed(PRO_MONTH, day("2026-11-02"));
    account.set_card(true, day("2026-11-20"));
    account.advance(day("2026-12-05"));
    take_event_types(&mut account);
    account.set_card(false, day("2026-12-05"));
    assert_eq!(
        take_event_types(&mut account),
        ["invoice.paid", "customer.subscription.updated"]
    );
    let subscription = newest(&mut account, day("2026-12-05"));
    assert_eq!(subscription.payment_status, PaymentStatus::Paid);
    assert_eq!(subscription.period_end, day("2027-01-02"));
    assert_eq!(billed(&account), [(5400, InvoiceStatus::Paid); 2]);
}

#[test]
fn retry_pays_open_invoice() {
    let (mut account, _) = subscribed(PRO_MONTH, day("2026-11-02"));
    account.set_card(true, day("2026-11-20"));
    account.advance(day("2026-12-05"));
    // The card works again.
    account.card_declines = false;
    let almost = day("2026-12-06") - TimeDelta::microseconds(1);
    assert_eq!(
        newest(&mut account, almost).payment_status,
        PaymentStatus::PastDue
    );
    assert_eq!(
        newest(&mut account, day("2026-12-06")).payment_status,
        PaymentStatus::Paid
    );
}

#[test]
fn pause_moves_end_of_paid_period() {
    // 22 days of the paid month are left.
    for (until, end, next) in [
        ("2027-02-10", "2027-03-04", "2027-04-04"),
        ("2027-05-10", "2027-06-01", "2027-07-01"),
    ] {
        let (mut account, id) = subscribed(PRO_MONTH, day("2026-11-02"));
        let now = day("2026-11-10");
        account.pause(&id, day(until), now).expect("paused");
        account
            .pause(&id, day(until), now)
            .expect("already applied");
        assert_eq!(
            take_event_types(&mut account),
            ["customer.subscription.updated"]
        );
        assert_eq!(
            account.change_plan(&id, TOP_MONTH, now),
            Err(Refusal::State)
        );

        let almost = day(until) - TimeDelta::microseconds(1);
        assert_eq!(newest(&mut account, almost).paused_until, Some(day(until)));
        let subscription = newest(&mut account, day(until));
        assert_eq!(subscription.paused_until, None);
        assert_eq!(subscription.payment_status, PaymentStatus::Paid);
        assert_eq!(subscription.period_end, day(end));
        assert_eq!(billed(&account), [(5400, InvoiceStatus::Paid)]);
        assert_eq!(newest(&mut account, day(end)).period_end, day(next));
        assert_eq!(billed(&account), [(5400, InvoiceStatus::Paid); 2]);
        assert_balanced(&account);
    }
}

#[test]
fn pause_of_last_release_collects_nothing_until_its_end() {
    let (mut account, _) = subscribed(PRO_MONTH, day("2026-11-02"));
    hold(&mut account, day("2027-02-10"));
    account.advance(day("2027-02-10"));
    assert_eq!(billed(&account)[1..], [(5400, InvoiceStatus::Void); 3]);
    assert_eq!(
        newest(&mut account, day("2027-02-10")).period_end,
        day("2027-03-02")
    );
}

#[test]
fn pause_of_last_release_ends_before_renewal() {
    let (mut account, _) = subscribed(PRO_MONTH, day("2026-11-02"));
    let until = day("2026-12-02");
    hold(&mut account, until);
    assert_eq!(newest(&mut account, until).period_start, until);
    assert_eq!(billed(&account), [(5400, InvoiceStatus::Paid); 2]);
}
