//! Life cycle of a subscription.

use super::*;

#[tokio::test]
async fn webhook_turns_checkout_into_subscription() {
    let (billing, fake) = serving(TIMEOUT).await;
    let company = Company::on_trial(&billing).await;
    let url = company.check_out(Tier::Professional, YEAR).await.unwrap();
    assert!(url.starts_with("https://checkout.stripe.com/"), "{url}");
    let again = company.check_out(Tier::Professional, YEAR).await.unwrap();
    assert_eq!(again, url, "a repeat returns the same checkout");
    assert_eq!(fake.world(|world| world.sessions.len()), 1);
    let session = fake
        .world(|world| world.sessions.values().next().cloned())
        .unwrap();
    assert_eq!(
        session.success_url,
        "https://app.example.com/subscription?success=true"
    );
    assert_eq!(
        session.cancel_url,
        "https://app.example.com/subscription?canceled=true"
    );
    let company_id = company.owner.company_id.to_string();
    assert_eq!(session.metadata["company_id"], company_id);

    pay(&fake, &url);
    let unreported = company.subscription().await;
    assert_eq!(status(&unreported), SubscriptionStatus::Expired);
    assert!(deliver(&billing, &fake).await >= 2);
    let paid = company.subscription().await;
    assert_eq!(status(&paid), SubscriptionStatus::Active);
    assert_eq!(tier(&paid), Tier::Professional);
    assert_eq!(paid.billing_interval, "year");
    assert_eq!(paid.provider(), PaymentProvider::Stripe);
    assert_eq!(
        paid.current_period_end,
        Some(timestamp(start() + Months::new(12)))
    );
    assert_eq!(fake.world(|world| world.paid()), 55_080);
    let portal = company.portal().await.unwrap();
    assert!(
        portal.starts_with("https://billing.stripe.com/"),
        "{portal}"
    );
}

#[tokio::test]
async fn other_choice_closes_previous_checkout() {
    let (billing, fake) = serving(TIMEOUT).await;
    let company = Company::on_trial(&billing).await;
    let basic = company.check_out(Tier::Basic, MONTH).await.unwrap();
    let year = company.check_out(Tier::Basic, YEAR).await.unwrap();
    let (_, id) = basic.rsplit_once('/').unwrap();
    assert!(!fake.world(|world| world.pay(id)), "the checkout is closed");
    pay(&fake, &year);
    deliver(&billing, &fake).await;
    assert_eq!(company.subscription().await.billing_interval, "year");
    assert_eq!(fake.world(|world| world.subscriptions.len()), 1);
    assert_eq!(fake.world(|world| world.customers.len()), 1);
}

#[tokio::test]
async fn subscription_life_cycle() {
    let (billing, fake) = serving(TIMEOUT).await;
    let company = paying(&billing, &fake).await;
    let changed = company
        .change(Tier::Enterprise, BillingInterval::Unspecified)
        .await
        .unwrap();
    assert_eq!(tier(&changed), Tier::Enterprise);
    assert_eq!(
        fake.world(|world| world.paid()),
        10_000,
        "prorated from the first day"
    );

    let paused = company.pause(3).await.unwrap();
    assert_eq!(status(&paused), SubscriptionStatus::Paused);
    let until = start() + Months::new(3);
    assert_eq!(paused.pause_end, Some(timestamp(until)));
    advance(&billing, &fake, until);
    deliver(&billing, &fake).await;
    let running = company.subscription().await;
    assert_eq!(status(&running), SubscriptionStatus::Active);
    let moved = start() + Months::new(1) + (until - start());
    assert_eq!(running.current_period_end, Some(timestamp(moved)));
    assert_eq!(fake.world(|world| world.paid()), 10_000);

    let canceled = company.cancel().await.unwrap();
    assert_eq!(status(&canceled), SubscriptionStatus::Canceled);
    let back = company.reactivate().await.unwrap();
    assert_eq!(status(&back), SubscriptionStatus::Active);
    assert!(!back.cancel_at_period_end);
    company.cancel().await.unwrap();
    advance(&billing, &fake, moved);
    deliver(&billing, &fake).await;
    assert_eq!(
        status(&company.subscription().await),
        SubscriptionStatus::Expired
    );
}

/// The body of the last write.
fn last_body(fake: &Fake) -> String {
    let calls = fake.calls();
    let last = calls.into_iter().rfind(|call| call.method == "POST");
    last.unwrap().body
}

/// Stripe ends a pause only if `pause_collection` is empty.
#[tokio::test]
async fn reactivation_sends_empty_pause_collection() {
    let (billing, fake) = serving(TIMEOUT).await;
    let company = paying(&billing, &fake).await;
    company.pause(3).await.unwrap();
    company.reactivate().await.unwrap();
    let end = (start() + Months::new(1)).timestamp();
    assert_eq!(
        last_body(&fake),
        format!(
            "pause_collection=&cancel_at_period_end=false&metadata[paid_until]={end}\
             &proration_behavior=none&trial_end={end}"
        )
    );
    company.pause(3).await.unwrap();
    company.cancel().await.unwrap();
    assert_eq!(
        last_body(&fake),
        format!(
            "pause_collection=&cancel_at_period_end=true&metadata[paid_until]={end}\
             &proration_behavior=none&trial_end={end}"
        )
    );
    company.reactivate().await.unwrap();
    assert_eq!(
        last_body(&fake),
        "pause_collection=&cancel_at_period_end=false"
    );
}

/// As set at Stripe's dashboard.
#[tokio::test]
async fn cancellation_by_date_is_undone() {
    let (billing, fake) = serving(TIMEOUT).await;
    let company = paying(&billing, &fake).await;
    fake.world(|world| {
        world.subscriptions[0].cancel_at = Some(start() + TimeDelta::days(10));
        world.push_subscription_event(0, "updated");
    });
    deliver(&billing, &fake).await;
    let ending = company.subscription().await;
    assert_eq!(status(&ending), SubscriptionStatus::Canceled);
    let back = company.reactivate().await.unwrap();
    assert_eq!(status(&back), SubscriptionStatus::Active);
    assert_eq!(last_body(&fake), "pause_collection=&cancel_at=");
    assert_eq!(fake.world(|world| world.subscriptions[0].cancel_at), None);
}

#[tokio::test]
async fn failed_renewal_has_grace() {
    let (billing, fake) = serving(TIMEOUT).await;
    let company = paying(&billing, &fake).await;
    fake.world(|world| world.declines = true);
    let due = start() + Months::new(1);
    advance(&billing, &fake, due + TimeDelta::hours(1));
    deliver(&billing, &fake).await;
    let grace = company.subscription().await;
    assert_eq!(status(&grace), SubscriptionStatus::Active);
    assert_eq!(grace.grace_end, Some(timestamp(due + TimeDelta::days(7))));
    fake.world(|world| {
        world.declines = false;
        world.refresh_status(0);
    });
    deliver(&billing, &fake).await;
    let mended = company.subscription().await;
    assert_eq!(mended.grace_end, None);
    assert_eq!(
        mended.current_period_end,
        Some(timestamp(start() + Months::new(2)))
    );
}

#[tokio::test]
async fn declined_card_keeps_plan() {
    let (billing, fake) = serving(TIMEOUT).await;
    let company = paying(&billing, &fake).await;
    fake.world(|world| world.declines = true);
    let before = company.subscription().await;
    let refused = company.change(Tier::Enterprise, YEAR).await.unwrap_err();
    assert_eq!(refused.kind, Kind::Conflict, "{refused:?}");
    assert_eq!(refused.reason, "PAYMENT_DECLINED");
    assert_eq!(
        refused.message,
        "The card was declined. Please update your card under Invoices and card, then try again."
    );
    let after = company.subscription().await;
    assert_eq!(tier(&after), Tier::Basic);
    assert_eq!(after.current_period_end, before.current_period_end);
    assert_eq!(fake.world(|world| world.paid()), 3200);
}
