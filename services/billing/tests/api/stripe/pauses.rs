//! Ends of pauses made by hand or by the last release, reported by the webhook.

use super::*;

/// A company that pays a year of Basic and pauses for three months, a week before its renewal.
/// Returns the company and the end of the pause.
async fn paused<'a>(billing: &'a TestBilling, fake: &Fake) -> (Company<'a>, DateTime<Utc>) {
    let company = Company::on_trial(billing).await;
    let url = company.check_out(Tier::Basic, YEAR).await.unwrap();
    pay(fake, &url);
    deliver(billing, fake).await;
    let now = start() + Months::new(12) - TimeDelta::days(7);
    advance(billing, fake, now);
    let until = now + Months::new(3);
    fake.world(|world| world.hold(until));
    deliver(billing, fake).await;
    (company, until)
}

/// Price of a year of Basic in cents.
const PRICE: i64 = 32_640;

#[tokio::test]
async fn year_begun_in_pause_is_paid_at_end_of_pause() {
    let (billing, fake) = serving(TIMEOUT).await;
    let (company, until) = paused(&billing, &fake).await;
    advance(&billing, &fake, until - TimeDelta::seconds(1));
    deliver(&billing, &fake).await;
    let still = company.subscription().await;
    assert_eq!(status(&still), SubscriptionStatus::Paused);
    assert_eq!(fake.world(|world| world.paid()), PRICE);

    advance(&billing, &fake, until);
    let events = deliver(&billing, &fake).await;
    assert!(events > 0, "Stripe sends an event at the end of the pause");
    let running = company.subscription().await;
    assert_eq!(status(&running), SubscriptionStatus::Active);
    let end = timestamp(until + Months::new(12));
    assert_eq!(running.current_period_end, Some(end));
    assert_eq!(running.grace_end, None);
    assert_eq!(fake.world(|world| world.paid()), 2 * PRICE);

    // Neither the payment's events nor a scheduled check begins another period.
    assert!(deliver(&billing, &fake).await > 0);
    advance(&billing, &fake, until + TimeDelta::days(1));
    billing.service.run_due_checks().await.unwrap();
    assert_eq!(company.subscription().await.current_period_end, Some(end));
    assert_eq!(fake.world(|world| world.paid()), 2 * PRICE);
    assert_eq!(
        company.audit_details().await,
        ["!subscribed", "!paused", "!resumed"]
    );
}

#[tokio::test]
async fn declined_year_has_grace_from_end_of_pause() {
    let (billing, fake) = serving(TIMEOUT).await;
    let (company, until) = paused(&billing, &fake).await;
    fake.world(|world| world.declines = true);
    advance(&billing, &fake, until);
    deliver(&billing, &fake).await;
    let grace = company.subscription().await;
    assert_eq!(status(&grace), SubscriptionStatus::Active);
    assert_eq!(grace.grace_end, Some(timestamp(until + TimeDelta::days(7))));
    let last = until + TimeDelta::days(7) - TimeDelta::seconds(1);
    advance(&billing, &fake, last);
    deliver(&billing, &fake).await;
    assert!(billing.entitlements(company.owner.company_id).await.active);
    advance(&billing, &fake, until + TimeDelta::days(7));
    deliver(&billing, &fake).await;
    billing.service.run_due_checks().await.unwrap();
    let over = company.subscription().await;
    assert_eq!(status(&over), SubscriptionStatus::Expired);

    fake.world(|world| {
        world.declines = false;
        world.refresh_status(0);
    });
    deliver(&billing, &fake).await;
    let mended = company.subscription().await;
    assert_eq!(status(&mended), SubscriptionStatus::Active);
    let end = timestamp(until + Months::new(12));
    assert_eq!(mended.current_period_end, Some(end));
    assert_eq!(fake.world(|world| world.paid()), 2 * PRICE);
}

#[tokio::test]
async fn lost_response_begins_one_period() {
    let (billing, fake) = serving(TIMEOUT).await;
    let (company, until) = paused(&billing, &fake).await;
    advance(&billing, &fake, until);
    fake.cut_after_writes(1);
    let mut events = fake.take_events();
    let (body, signature) = events.pop().unwrap();
    let request = ReceiveWebhookRequest { body, signature };
    let request = as_edge(Service::Billing, request);
    let lost = billing.client.clone().receive_webhook(request).await;
    let lost = ServiceError::from_status(&lost.unwrap_err());
    assert_eq!(lost.kind, Kind::Provider, "Stripe repeats it");
    assert_eq!(fake.world(|world| world.paid()), 2 * PRICE);
    billing.service.run_due_checks().await.unwrap();
    let running = company.subscription().await;
    let end = timestamp(until + Months::new(12));
    assert_eq!(running.current_period_end, Some(end));
    assert_eq!(fake.world(|world| world.paid()), 2 * PRICE);
}

#[tokio::test]
async fn pause_still_set_at_stripe_does_not_void_new_period() {
    let (billing, fake) = serving(TIMEOUT).await;
    let (company, until) = paused(&billing, &fake).await;
    // Stripe is a little late.
    advance(&billing, &fake, until - TimeDelta::seconds(1));
    billing.clock.set(until);
    billing.service.run_due_checks().await.unwrap();
    let running = company.subscription().await;
    assert_eq!(status(&running), SubscriptionStatus::Active);
    assert_eq!(fake.world(|world| world.paid()), 2 * PRICE);
}

#[tokio::test]
async fn canceled_in_portal_ends_with_pause() {
    let (billing, fake) = serving(TIMEOUT).await;
    let (company, until) = paused(&billing, &fake).await;
    advance(&billing, &fake, until - TimeDelta::days(1));
    fake.world(|world| {
        world.subscriptions[0].cancel_at_period_end = true;
        world.push_subscription_event(0, "updated");
    });
    deliver(&billing, &fake).await;
    let still = company.subscription().await;
    assert_eq!(status(&still), SubscriptionStatus::Paused);
    advance(&billing, &fake, until);
    deliver(&billing, &fake).await;
    let over = company.subscription().await;
    assert_eq!(
        status(&over),
        SubscriptionStatus::Expired,
        "the period was not paid"
    );
    assert_eq!(fake.world(|world| world.paid()), PRICE);
}
