//! Stripe unavailable, slow or disconnecting.

use super::*;

#[tokio::test]
async fn unavailable_stripe_changes_nothing() {
    let timeout = Duration::from_millis(300);
    let (billing, fake) = serving(timeout).await;
    let company = paying(&billing, &fake).await;
    let fresh = Company::on_trial(&billing).await;
    let before = (company.subscription().await, fresh.subscription().await);
    let slow = FakeFault::Slow(Duration::from_secs(20));
    for error in [FakeFault::Status(500), FakeFault::Status(429), slow] {
        // A slow call still takes effect, so only repeatable calls are tested.
        fake.set_fault(Some(error));
        assert_away(company.portal().await);
        assert_away(fresh.check_out_in_trial(Tier::Basic, MONTH).await);
        if error != slow {
            later(&billing);
            assert_away(company.pause(3).await);
            later(&billing);
            assert_away(company.change(Tier::Enterprise, YEAR).await);
            later(&billing);
            assert_away(company.cancel().await);
        }
        assert_eq!(
            company.subscription().await.entitlements,
            before.0.entitlements
        );
        assert_eq!(
            fresh.subscription().await.entitlements,
            before.1.entitlements
        );
        assert!(billing.entitlements(fresh.owner.company_id).await.active);
    }
    fake.set_fault(None);
    // Stripe repeats stored errors.
    advance(&billing, &fake, billing.clock.now() + TimeDelta::hours(1));
    let url = fresh.check_out(Tier::Basic, MONTH).await.unwrap();
    pay(&fake, &url);
    deliver(&billing, &fake).await;
    assert_eq!(
        status(&fresh.subscription().await),
        SubscriptionStatus::Active
    );
    assert_eq!(
        fake.world(|world| world.customers.len()),
        2,
        "one customer per company"
    );
    company.portal().await.unwrap();
}

/// Advances the clock beyond the time in which an earlier call may still be running.
fn later(billing: &TestBilling) {
    let now = billing.clock.now();
    billing.clock.set(now + chrono::TimeDelta::seconds(41));
}

#[tokio::test]
async fn change_with_lost_response_is_reported_by_webhook() {
    let (billing, fake) = serving(TIMEOUT).await;
    let company = paying(&billing, &fake).await;
    fake.cut_after_writes(1);
    assert_away(
        company
            .change(Tier::Professional, BillingInterval::Unspecified)
            .await,
    );
    assert!(deliver(&billing, &fake).await > 0);
    assert_eq!(tier(&company.subscription().await), Tier::Professional);
    let paid = fake.world(|world| world.paid());
    company
        .change(Tier::Professional, BillingInterval::Unspecified)
        .await
        .unwrap();
    assert_eq!(fake.world(|world| world.paid()), paid, "no double payment");
}

#[tokio::test]
async fn payment_without_webhook_is_found_by_check() {
    let (billing, fake) = serving(TIMEOUT).await;
    let company = Company::on_trial(&billing).await;
    let url = company.check_out(Tier::Basic, MONTH).await.unwrap();
    pay(&fake, &url);
    fake.take_events();
    advance(&billing, &fake, start() + TimeDelta::hours(25));
    billing.service.run_due_checks().await.unwrap();
    assert_eq!(
        status(&company.subscription().await),
        SubscriptionStatus::Active
    );
}

#[tokio::test]
async fn refused_connection_is_unavailable() {
    let (billing, fake) = serving(TIMEOUT).await;
    let mut settings = fake.settings();
    // A port that was free a moment ago.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    settings.api_base = Some(format!("http://{}/", listener.local_addr().unwrap()));
    drop(listener);
    let database = billing.database.database.clone();
    let payments = StripePayments::new(&settings, database, TIMEOUT).unwrap();
    let tenant = Tenant::from_lookup(Uuid::now_v7());
    let said = payments.create_customer(tenant, "c").await;
    assert!(
        matches!(said, Err(PaymentError::Unavailable(_))),
        "{said:?}"
    );
}
