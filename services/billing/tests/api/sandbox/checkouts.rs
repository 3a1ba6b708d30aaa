//! Checkouts: paid, declined, canceled, expired, paid twice, of other companies.

use super::*;

#[tokio::test]
async fn checkout_is_shown_and_paid() {
    let billing = TestBilling::new().await;
    let company = Company::on_trial(&billing).await;
    for (tier, interval, cents) in [
        (Tier::Basic, MONTH, 3200),
        (Tier::Basic, YEAR, 32_640),
        (PRO, MONTH, 5400),
        (PRO, YEAR, 55_080),
        (TOP, MONTH, 10_000),
        (TOP, YEAR, 102_000),
    ] {
        let session = company.check_out(tier, interval).await;
        let page = company.page(&session).await.unwrap();
        assert_eq!((page.tier(), page.interval()), (tier, interval));
        assert_eq!(
            (page.due_cents, page.open, page.declined),
            (cents, true, false)
        );
    }
    let before = company.subscription().await;
    assert_eq!(
        state_of(&before).1,
        SubscriptionStatus::Expired,
        "no effect before payment"
    );

    let session = company.check_out(PRO, YEAR).await;
    let url = company.decide(&session, SandboxDecision::Succeed).await;
    assert_eq!(url.unwrap(), "/subscription?success=true");
    let paid = company.subscription().await;
    assert_eq!(state_of(&paid), ACTIVE);
    assert_eq!(paid.billing_interval, "year");
    assert_eq!(paid.current_period_end, Some(at("2027-11-02")));
    assert_eq!(company.invoices().await, [(55_080, PAID)]);
    let portal = company.portal().await.unwrap();
    assert_eq!(portal.invoices[0].created_at, Some(at("2026-11-02")));
    assert_eq!(
        (portal.invoices[0].tier(), portal.invoices[0].interval()),
        (PRO, YEAR)
    );
    assert!(!company.page(&session).await.unwrap().open);
}

#[tokio::test]
async fn checkout_declined_stays_open_and_canceled_closes() {
    let billing = TestBilling::new().await;
    let company = Company::on_trial(&billing).await;
    let session = company.check_out(PRO, MONTH).await;
    for _ in 0..2 {
        let url = company
            .decide(&session, SandboxDecision::Decline)
            .await
            .unwrap();
        assert_eq!(url, format!("/sandbox/checkout/{session}?declined=true"));
    }
    let page = company.page(&session).await.unwrap();
    assert!(page.open && page.declined);
    assert_eq!(
        state_of(&company.subscription().await).1,
        SubscriptionStatus::Expired
    );

    let url = company.decide(&session, SandboxDecision::Cancel).await;
    assert_eq!(url.unwrap(), "/subscription?canceled=true");
    for decision in [
        SandboxDecision::Succeed,
        SandboxDecision::Decline,
        SandboxDecision::Cancel,
    ] {
        assert_closed(&company.decide(&session, decision).await.unwrap_err());
    }
    assert!(!company.page(&session).await.unwrap().open);
    assert_eq!(
        state_of(&company.subscription().await).1,
        SubscriptionStatus::Expired
    );
    assert_eq!(company.invoices().await, []);

    // The same choice opens a new page.
    let next = company.check_out(PRO, MONTH).await;
    assert_ne!(next, session);
    assert!(company.page(&next).await.unwrap().open);

    let wrong = company.decide(&session, SandboxDecision::Unspecified).await;
    assert_eq!(wrong.unwrap_err().code(), Code::InvalidArgument);
}

fn assert_closed(status: &Status) {
    let failure = ServiceError::from_status(status);
    assert_eq!(failure.kind, Kind::Conflict);
    assert_eq!(failure.reason, "CHECKOUT_CLOSED");
}

#[tokio::test]
async fn checkout_expires_after_a_day() {
    let billing = TestBilling::new().await;
    let company = Company::on_trial(&billing).await;
    let session = company.check_out(PRO, MONTH).await;
    billing
        .clock
        .set(start() + TimeDelta::hours(24) - TimeDelta::microseconds(1));
    assert!(company.page(&session).await.unwrap().open);
    billing.clock.set(start() + TimeDelta::hours(24));
    assert!(!company.page(&session).await.unwrap().open);
    let late = company.decide(&session, SandboxDecision::Succeed).await;
    assert_closed(&late.unwrap_err());
    assert_eq!(company.invoices().await, []);
}

#[tokio::test]
async fn concurrent_payments_pay_once() {
    let billing = TestBilling::new().await;
    let company = Company::on_trial(&billing).await;
    let session = company.check_out(PRO, MONTH).await;
    let presses = (0..10).map(|_| company.decide(&session, SandboxDecision::Succeed));
    let presses = futures::future::join_all(presses).await;
    assert_eq!(presses.iter().filter(|press| press.is_ok()).count(), 1);
    for refused in presses.iter().filter_map(|press| press.as_ref().err()) {
        assert_closed(refused);
    }
    assert_eq!(company.invoices().await, [(5400, PAID)]);
    assert_eq!(state_of(&company.subscription().await), ACTIVE);
}

#[tokio::test]
async fn two_paid_checkouts_leave_one_subscription() {
    let billing = TestBilling::new().await;
    let company = Company::on_trial(&billing).await;
    let first = company.check_out(PRO, MONTH).await;
    // A checkout that billing did not store, as after a crash.
    let sandbox = Sandbox::new(billing.database.database.clone(), billing.clock.clone());
    let offer = Offer {
        tier: PlanTier::Enterprise,
        interval: Interval::Month,
    };
    let payer = company.payer();
    let second = sandbox
        .open_checkout(&payer, offer, None, start(), "lost")
        .await;
    let second = second.unwrap().id;
    company
        .decide(&first, SandboxDecision::Succeed)
        .await
        .unwrap();
    company
        .decide(&second, SandboxDecision::Succeed)
        .await
        .unwrap();
    assert_eq!(state_of(&company.subscription().await).0, TOP);
    company.travel(40).await.unwrap();
    let invoices = company.invoices().await;
    let expected = [(10_000, PAID), (-5400, PAID), (10_000, PAID), (5400, PAID)];
    assert_eq!(invoices, expected, "the older subscription is credited");
}

#[tokio::test]
async fn customer_of_another_company_is_not_found() {
    let billing = TestBilling::new().await;
    let company = Company::on_trial(&billing).await;
    let stranger = Company::paying(&billing, PRO, MONTH).await;
    let session = company.check_out(PRO, MONTH).await;
    for id in [session.as_str(), "", "cs_sandbox_0", "%", "../x", "a\0b"] {
        let page = stranger.page(id).await.unwrap_err();
        assert_eq!(page.code(), Code::NotFound, "{id}");
        for decision in [SandboxDecision::Succeed, SandboxDecision::Cancel] {
            let decided = stranger.decide(id, decision).await.unwrap_err();
            assert_eq!(decided.code(), Code::NotFound, "{id}");
            assert_eq!(decided.message(), page.message());
        }
    }
    assert!(company.page(&session).await.unwrap().open);
    assert_eq!(company.invoices().await, []);

    let sandbox = Sandbox::new(billing.database.database.clone(), billing.clock.clone());
    let mixed = Payer {
        tenant: company.owner.tenant(),
        ..stranger.payer()
    };
    let none = sandbox.subscriptions(&mixed, start()).await;
    assert_eq!(none.unwrap(), []);
    assert!(sandbox.close_checkout(&mixed, &session).await.is_err());
    let read = sandbox
        .subscriptions(&company.payer(), start())
        .await
        .unwrap();
    assert_eq!(read, []);
}
