//! Changes by time, with the billing clock.

use super::*;

#[tokio::test]
async fn portal_requires_customer_and_clock_does_not() {
    let billing = TestBilling::new().await;
    let company = Company::on_trial(&billing).await;
    let codes = [
        company.portal().await.unwrap_err().code(),
        company.card(true).await.unwrap_err().code(),
        company.page("cs_sandbox_1").await.unwrap_err().code(),
    ];
    assert_eq!(codes, [Code::NotFound; 3]);
    let last = company.travel(27).await.unwrap();
    assert_eq!(state_of(&last).1, SubscriptionStatus::Trial);
    assert_eq!((last.trial_days_left, last.clock_days_ahead), (1, 27));
    let over = company.travel(1).await.unwrap();
    assert_eq!(state_of(&over).1, SubscriptionStatus::Expired);
    assert!(!state_of(&over).2);
    let stored = billing.stored_status(company.owner.company_id).await;
    assert_eq!(stored.unwrap(), "expired");

    let session = company.check_out(PRO, MONTH).await;
    company
        .decide(&session, SandboxDecision::Succeed)
        .await
        .unwrap();
    let paid = company.subscription().await;
    assert_eq!(state_of(&paid), ACTIVE);
    assert_eq!(
        paid.current_period_end,
        Some(at("2026-12-30")),
        "by the company's billing clock"
    );
}

#[tokio::test]
async fn clock_is_limited() {
    let billing = TestBilling::new().await;
    let company = Company::on_trial(&billing).await;
    for days in [0, 401, u32::MAX] {
        let wrong = company.travel(days).await.unwrap_err();
        assert_eq!(wrong.code(), Code::InvalidArgument, "{days}");
        let fields = ServiceError::from_status(&wrong).fields;
        assert_eq!(fields[0].0, "advanceDays");
    }
    for _ in 0..9 {
        company.travel(400).await.unwrap();
    }
    let wrong = company.travel(61).await.unwrap_err();
    assert_eq!(wrong.code(), Code::InvalidArgument);
    assert_eq!(company.subscription().await.clock_days_ahead, 3600);
    let farthest = company.travel(60).await.unwrap();
    assert_eq!(farthest.clock_days_ahead, 3660);
    let other = Company::on_trial(&billing).await;
    assert_eq!(other.subscription().await.clock_days_ahead, 0);
}

#[tokio::test]
async fn clock_move_pays_each_month() {
    let billing = TestBilling::new().await;
    let company = Company::paying(&billing, PRO, MONTH).await;
    let renewed = company.travel(365).await.unwrap();
    assert_eq!(state_of(&renewed), ACTIVE);
    assert_eq!(renewed.current_period_end, Some(at("2027-12-02")));
    assert_eq!(company.invoices().await, [(5400, PAID); 13]);
    assert_eq!(waiting(&billing, &company).await, 0);
}

#[tokio::test]
async fn new_card_ends_grace() {
    let billing = TestBilling::new().await;
    let company = Company::paying(&billing, PRO, MONTH).await;
    assert!(company.card(true).await.unwrap().card_declines);
    let failed = company.travel(30).await.unwrap();
    assert_eq!(state_of(&failed), ACTIVE, "in the grace period");
    assert_eq!(failed.grace_end, Some(at("2026-12-09")));
    assert_eq!(company.invoices().await, [(5400, OPEN), (5400, PAID)]);

    let last = company.travel(6).await.unwrap();
    assert!(state_of(&last).2);
    let portal = company.card(false).await.unwrap();
    assert!(!portal.card_declines);
    assert_eq!(portal.invoices[0].status(), PAID);
    let mended = company.subscription().await;
    assert_eq!(state_of(&mended), ACTIVE);
    assert_eq!(mended.grace_end, None);
    assert_eq!(mended.current_period_end, Some(at("2027-01-02")));

    // The next renewal fails too and is never paid.
    company.card(true).await.unwrap();
    let last = company.travel(31).await.unwrap();
    assert!(state_of(&last).2);
    let over = company.travel(1).await.unwrap();
    assert_eq!(state_of(&over).1, SubscriptionStatus::Expired);
    let portal = company.card(false).await.unwrap();
    assert_eq!(portal.invoices[0].status(), VOID);
    assert!(!state_of(&company.subscription().await).2);
}

#[tokio::test]
async fn unpaid_renewal_ends_subscription() {
    let billing = TestBilling::new().await;
    let company = Company::paying(&billing, PRO, MONTH).await;
    company.card(true).await.unwrap();
    let over = company.travel(60).await.unwrap();
    assert_eq!(state_of(&over).1, SubscriptionStatus::Expired);
    assert_eq!(company.invoices().await, [(5400, VOID), (5400, PAID)]);
    company.card(false).await.unwrap();
    assert_eq!(
        state_of(&company.subscription().await).1,
        SubscriptionStatus::Expired
    );

    let session = company.check_out(Tier::Basic, MONTH).await;
    company
        .decide(&session, SandboxDecision::Succeed)
        .await
        .unwrap();
    let again = company.subscription().await;
    assert_eq!(
        state_of(&again),
        (Tier::Basic, SubscriptionStatus::Active, true, false)
    );
}

#[tokio::test]
async fn pause_of_3_or_6_months_ends_automatically() {
    for (months, end, days, next) in [
        (3, "2027-02-02", 92, "2027-03-04"),
        (6, "2027-05-02", 181, "2027-06-01"),
    ] {
        let billing = TestBilling::new().await;
        let company = Company::paying(&billing, PRO, MONTH).await;
        let paused = company.pause(months).await.unwrap();
        assert_eq!(
            state_of(&paused),
            (PRO, SubscriptionStatus::Paused, false, false)
        );
        assert_eq!(paused.pause_end, Some(at(end)));
        assert_eq!(paused.current_period_end, Some(at(next)));
        let still = company.travel(days - 1).await.unwrap();
        assert_eq!(state_of(&still).1, SubscriptionStatus::Paused);
        let resumed = company.travel(1).await.unwrap();
        assert_eq!(state_of(&resumed), ACTIVE);
        assert_eq!(resumed.pause_end, None);
        assert_eq!(resumed.current_period_end, Some(at(next)));
        assert_eq!(company.invoices().await, [(5400, PAID)]);
        let renewed = company.travel(30).await.unwrap();
        assert_eq!(state_of(&renewed), ACTIVE);
        assert_eq!(company.invoices().await, [(5400, PAID); 2]);
    }
}

#[tokio::test]
async fn year_paused_for_6_months_lasts_6_months_longer() {
    let billing = TestBilling::new().await;
    let company = Company::paying(&billing, Tier::Basic, YEAR).await;
    company.pause(6).await.unwrap();
    let resumed = company.travel(185).await.unwrap();
    assert_eq!(
        state_of(&resumed),
        (Tier::Basic, SubscriptionStatus::Active, true, false)
    );
    // 2027-11-02 and the 181 days of the pause.
    let end = at("2028-05-01");
    assert_eq!(resumed.current_period_end, Some(end));
    assert_eq!(company.invoices().await, [(32_640, PAID)]);
    let last = company.travel(360).await.unwrap();
    assert_eq!(last.current_period_end, Some(end));
    let renewed = company.travel(1).await.unwrap();
    assert_eq!(renewed.current_period_end, Some(at("2029-05-01")));
    assert_eq!(company.invoices().await, [(32_640, PAID); 2]);
}

#[tokio::test]
async fn pause_ended_early_moves_period_by_its_days() {
    let billing = TestBilling::new().await;
    let company = Company::paying(&billing, Tier::Basic, YEAR).await;
    company.travel(10).await.unwrap();
    company.pause(6).await.unwrap();
    company.travel(60).await.unwrap();
    let resumed = company.reactivate().await.unwrap();
    assert_eq!(state_of(&resumed).1, SubscriptionStatus::Active);
    assert_eq!(resumed.current_period_end, Some(at("2028-01-01")));
    assert_eq!(company.invoices().await, [(32_640, PAID)]);
}

#[tokio::test]
async fn checkout_in_trial_charges_at_its_end() {
    let billing = TestBilling::new().await;
    let company = Company::on_trial(&billing).await;
    let trial = company.subscription().await;
    assert_eq!(trial.first_charge_at, Some(at("2026-11-30")));
    let session = company.check_out_in_trial(PRO, MONTH).await;
    let page = company.page(&session).await.unwrap();
    assert_eq!(page.due_cents, 0);
    assert_eq!(page.first_charge_at, Some(at("2026-11-30")));
    let paid = company.decide(&session, SandboxDecision::Succeed).await;
    paid.unwrap();
    let chosen = company.subscription().await;
    assert_eq!(state_of(&chosen), ACTIVE);
    assert_eq!(chosen.first_charge_at, None);
    assert_eq!(chosen.current_period_end, Some(at("2026-11-30")));
    assert_eq!(company.invoices().await, []);
    company.travel(27).await.unwrap();
    assert_eq!(company.invoices().await, []);
    let charged = company.travel(1).await.unwrap();
    assert_eq!(charged.current_period_end, Some(at("2026-12-30")));
    assert_eq!(company.invoices().await, [(5400, PAID)]);
}

#[tokio::test]
async fn pause_in_trial_moves_first_charge() {
    let billing = TestBilling::new().await;
    let company = Company::on_trial(&billing).await;
    let session = company.check_out_in_trial(PRO, MONTH).await;
    let paid = company.decide(&session, SandboxDecision::Succeed).await;
    paid.unwrap();
    company.pause(3).await.unwrap();
    company.travel(10).await.unwrap();
    let resumed = company.reactivate().await.unwrap();
    assert_eq!(state_of(&resumed), ACTIVE);
    assert_eq!(resumed.current_period_end, Some(at("2026-12-10")));
    assert_eq!(resumed.trial_end, resumed.current_period_end);
    let charged = company.travel(28).await.unwrap();
    assert_eq!(company.invoices().await, [(5400, PAID)]);
    assert_eq!(charged.trial_end, Some(at("2026-12-10")));
    assert_eq!(charged.current_period_end, Some(at("2027-01-10")));
}

#[tokio::test]
async fn checkout_at_end_of_trial_charges_after_49_hours() {
    let billing = TestBilling::new().await;
    let company = Company::on_trial(&billing).await;
    let last = company.travel(27).await.unwrap();
    let mut earliest = at("2026-12-01");
    earliest.seconds += 3600;
    assert_eq!(last.first_charge_at, Some(earliest));
    let over = company.travel(1).await.unwrap();
    assert_eq!(over.first_charge_at, None);
}

#[tokio::test]
async fn year_paused_before_its_end_is_renewed_at_moved_end() {
    let billing = TestBilling::new().await;
    let company = Company::paying(&billing, PRO, YEAR).await;
    company.travel(358).await.unwrap();
    let paused = company.pause(3).await.unwrap();
    assert_eq!(paused.pause_end, Some(at("2028-01-26")));
    let still = company.travel(91).await.unwrap();
    assert_eq!(state_of(&still).1, SubscriptionStatus::Paused);
    assert_eq!(company.invoices().await, [(55_080, PAID)]);

    let resumed = company.travel(60).await.unwrap();
    assert_eq!(state_of(&resumed), ACTIVE);
    assert_eq!(resumed.current_period_end, Some(at("2029-02-02")));
    assert_eq!(company.invoices().await, [(55_080, PAID); 2]);
    assert_eq!(waiting(&billing, &company).await, 0);
}
