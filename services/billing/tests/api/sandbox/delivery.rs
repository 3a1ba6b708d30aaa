//! Delivery of sandbox events.

use super::*;

#[tokio::test]
async fn failed_event_is_redelivered_in_order() {
    let billing = TestBilling::new().await;
    let mut company = Company::on_trial(&billing).await;
    let session = company.check_out(PRO, MONTH).await;
    // Without a secret no event is accepted.
    let deaf = service(&billing).with_webhooks(Webhooks::new(Vec::new(), false));
    let whole = company.backend.clone();
    company.backend = backend(&billing, deaf);
    let url = company.decide(&session, SandboxDecision::Succeed).await;
    assert_eq!(
        url.unwrap(),
        "/subscription?success=true",
        "paid nevertheless"
    );
    assert_eq!(waiting(&billing, &company).await, 3);
    let due: Option<DateTime<Utc>> =
        sqlx::query_scalar("SELECT next_due_at FROM subscriptions WHERE company_id = $1")
            .bind(company.owner.company_id)
            .fetch_one(&mut billing.admin().await)
            .await
            .unwrap();
    assert!(due.unwrap() <= start(), "the next check is due now");

    company.backend = whole;
    let tenant: Tenant = company.owner.tenant();
    let service = service(&billing);
    let both = [
        service.deliver_sandbox(tenant),
        service.deliver_sandbox(tenant),
    ];
    for delivered in futures::future::join_all(both).await {
        delivered.unwrap();
    }
    assert_eq!(waiting(&billing, &company).await, 0);
    let kinds: Vec<String> =
        sqlx::query_scalar("SELECT kind FROM stripe_events WHERE company_id = $1 ORDER BY id")
            .bind(company.owner.company_id)
            .fetch_all(&mut billing.admin().await)
            .await
            .unwrap();
    let expected = [
        "checkout.session.completed",
        "customer.subscription.created",
        "invoice.paid",
    ];
    assert_eq!(kinds, expected, "each is recorded once");
    assert_eq!(state_of(&company.subscription().await), ACTIVE);
}

#[tokio::test]
async fn scheduler_renews_and_publishes() {
    let billing = TestBilling::new().await;
    let company = Company::paying(&billing, PRO, MONTH).await;
    billing.clock.set(start() + TimeDelta::days(30));
    service(&billing).run_due_checks().await.unwrap();
    assert_eq!(
        company.subscription().await.current_period_end,
        Some(at("2027-01-02"))
    );
    assert_eq!(company.invoices().await, [(5400, PAID), (5400, PAID)]);
    assert_eq!(waiting(&billing, &company).await, 0);
}

#[tokio::test]
async fn sandbox_service_requires_sandbox_provider() {
    let billing = TestBilling::new().await;
    let mut company = Company::paying(&billing, PRO, MONTH).await;
    let stripe = StripeSettings {
        api_key: "sk_test_1".to_owned().into(),
        webhook_secrets: vec!["whsec_1".to_owned().into()],
        api_base: Some("http://127.0.0.1:9/".to_owned()),
        public_origin: "http://localhost".to_owned(),
    };
    let settings = BillingSettings {
        trial_days: 28,
        payments: PaymentSettings::Stripe(stripe),
    };
    let database = billing.database.database.clone();
    let service = Billing::new(database, billing.clock.clone(), Events::off(), settings);
    company.backend = backend(&billing, service.unwrap());
    let session = "cs_sandbox_1";
    let codes = [
        company.page(session).await.unwrap_err().code(),
        company
            .decide(session, SandboxDecision::Succeed)
            .await
            .unwrap_err()
            .code(),
        company.portal().await.unwrap_err().code(),
        company.card(true).await.unwrap_err().code(),
        company.travel(1).await.unwrap_err().code(),
    ];
    assert_eq!(codes, [Code::Unimplemented; 5]);
    // Sandbox subscriptions give no access where Stripe takes payments.
    let there = company.subscription().await;
    assert_eq!(state_of(&there).1, SubscriptionStatus::Expired);
    let entitled = there.entitlements.unwrap();
    assert!(!entitled.active && !entitled.fuel_analytics);
    assert_eq!(there.current_period_end, None);
}
