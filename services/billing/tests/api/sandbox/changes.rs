use super::*;

#[tokio::test]
async fn pause_can_be_ended_early() {
    let billing = TestBilling::new().await;
    let company = Company::paying(&billing, PRO, MONTH).await;
    company.pause(6).await.unwrap();
    company.travel(10).await.unwrap();
    let resumed = company.reactivate().await.unwrap();
    assert_eq!(state_of(&resumed), ACTIVE);
    assert_eq!(resumed.current_period_end, Some(at("2026-12-12")));

    company.pause(3).await.unwrap();
    company.travel(40).await.unwrap();
    let resumed = company.reactivate().await.unwrap();
    assert_eq!(resumed.current_period_end, Some(at("2027-01-21")));
    assert_eq!(company.invoices().await, [(5400, PAID)]);
}

#[tokio::test]
async fn cancellation_can_be_undone_before_period_end() {
    let billing = TestBilling::new().await;
    let company = Company::paying(&billing, PRO, MONTH).await;
    let canceled = company.cancel().await.unwrap();
    assert_eq!(
        state_of(&canceled),
        (PRO, SubscriptionStatus::Canceled, true, true)
    );
    let undone = company.reactivate().await.unwrap();
    assert_eq!(state_of(&undone), ACTIVE);
    assert!(!undone.cancel_at_period_end);
    company.travel(30).await.unwrap();
    assert_eq!(company.invoices().await.len(), 2, "renewed");

    company.cancel().await.unwrap();
    let last = company.travel(30).await.unwrap();
    assert!(state_of(&last).2);
    let over = company.travel(1).await.unwrap();
    assert_eq!(state_of(&over).1, SubscriptionStatus::Expired);
    assert_eq!(company.invoices().await.len(), 2, "not renewed");
}

#[tokio::test]
async fn upgrade_is_prorated_to_the_cent() {
    let billing = TestBilling::new().await;
    let company = Company::paying(&billing, PRO, MONTH).await;
    company.travel(20).await.unwrap();
    let upgraded = company.change(TOP, MONTH).await.unwrap();
    assert_eq!(state_of(&upgraded).0, TOP);
    assert_eq!(upgraded.current_period_end, Some(at("2026-12-02")));
    // A third of the month: 3333.33 minus 1800.
    assert_eq!(company.invoices().await, [(1533, PAID), (5400, PAID)]);
    company.change(TOP, MONTH).await.unwrap();
    assert_eq!(company.invoices().await.len(), 2, "repeating costs nothing");

    let yearly = company.change(TOP, YEAR).await.unwrap();
    assert_eq!(yearly.current_period_end, Some(at("2027-11-22")));
    assert_eq!(company.invoices().await[0], (102_000 - 3333, PAID));
}

#[tokio::test]
async fn declined_upgrade_keeps_plan() {
    let billing = TestBilling::new().await;
    let company = Company::paying(&billing, PRO, MONTH).await;
    company.card(true).await.unwrap();
    let declined = company.change(TOP, MONTH).await.unwrap_err();
    assert_eq!(declined.code(), Code::FailedPrecondition);
    assert!(declined.message().starts_with("The card was declined."));
    assert_eq!(state_of(&company.subscription().await), ACTIVE);
    assert_eq!(company.invoices().await, [(5400, PAID)]);
}

#[tokio::test]
async fn repeated_key_has_one_effect() {
    let billing = TestBilling::new().await;
    let company = Company::paying(&billing, PRO, MONTH).await;
    let sandbox = Sandbox::new(billing.database.database.clone(), billing.clock.clone());
    let payer = company.payer();
    let offer = |tier| Offer {
        tier,
        interval: Interval::Month,
    };
    let running = sandbox.subscriptions(&payer, start()).await.unwrap();
    let id = &running[0].subscription_id;
    for tier in [PlanTier::Enterprise, PlanTier::Basic] {
        let changed = sandbox.change(&payer, id, Change::Plan(offer(tier)), start(), "one");
        changed.await.unwrap();
    }
    let running = sandbox.subscriptions(&payer, start()).await.unwrap();
    assert_eq!(running[0].offer.tier, PlanTier::Enterprise);
    let basic = offer(PlanTier::Basic);
    let first = sandbox
        .open_checkout(&payer, basic, None, start(), "two")
        .await;
    let second = sandbox
        .open_checkout(&payer, basic, None, start(), "two")
        .await;
    assert_eq!(first.unwrap(), second.unwrap());
    let customer = sandbox.create_customer(payer.tenant, "any").await.unwrap();
    assert_eq!(customer, payer.customer_id);
    assert_eq!(company.invoices().await.len(), 2, "idempotent");
}
