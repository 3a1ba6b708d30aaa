//! Pauses that end by themselves, heard of by the webhook.

use super::*;

/// A company that pays a year of Basic and pauses it for three months, a week before it renews;
/// and the end of the pause.
async fn paused<'a>(billing: &'a TestBilling, fake: &Fake) -> (Company<'a>, DateTime<Utc>) {
    let company = Company::met(billing).await;
    let url = company.check_out(Tier::Basic, YEAR).await.unwrap();
    pay(fake, &url);
    deliver(billing, fake).await;
    let now = start() + Months::new(12) - TimeDelta::days(7);
    advance(billing, fake, now);
    company.pause(3).await.unwrap();
    (company, now + Months::new(3))
}

/// What a year of Basic costs, cents.
const PRICE: i64 = 32_640;

#[tokio::test]
async fn a_year_that_began_in_a_pause_is_paid_at_its_end() {
    let (billing, fake) = serving(PATIENCE).await;
    let (company, until) = paused(&billing, &fake).await;
    advance(&billing, &fake, until - TimeDelta::seconds(1));
    deliver(&billing, &fake).await;
    let still = company.subscription().await;
    assert_eq!(status(&still), SubscriptionStatus::Paused);
    assert_eq!(fake.world(|world| world.paid()), PRICE);

    advance(&billing, &fake, until);
    let events = deliver(&billing, &fake).await;
    assert!(events > 0, "Stripe tells that the pause is over");
    let running = company.subscription().await;
    assert_eq!(status(&running), SubscriptionStatus::Active);
    let end = timestamp(until + Months::new(12));
    assert_eq!(running.current_period_end, Some(end));
    assert_eq!(running.grace_end, None);
    assert_eq!(fake.world(|world| world.paid()), 2 * PRICE);

    // What tells of the payment begins nothing again, nor does a look.
    assert!(deliver(&billing, &fake).await > 0);
    advance(&billing, &fake, until + TimeDelta::days(1));
    billing.service.look_at_due().await.unwrap();
    assert_eq!(company.subscription().await.current_period_end, Some(end));
    assert_eq!(fake.world(|world| world.paid()), 2 * PRICE);
    assert_eq!(company.words().await, ["!subscribed", "paused", "!resumed"]);
}

#[tokio::test]
async fn a_declined_year_has_seven_days_from_the_end_of_its_pause() {
    let (billing, fake) = serving(PATIENCE).await;
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
    billing.service.look_at_due().await.unwrap();
    let over = company.subscription().await;
    assert_eq!(status(&over), SubscriptionStatus::Expired);

    fake.world(|world| {
        world.declines = false;
        world.settle(0);
    });
    deliver(&billing, &fake).await;
    let mended = company.subscription().await;
    assert_eq!(status(&mended), SubscriptionStatus::Active);
    let end = timestamp(until + Months::new(12));
    assert_eq!(mended.current_period_end, Some(end));
    assert_eq!(fake.world(|world| world.paid()), 2 * PRICE);
}

#[tokio::test]
async fn a_lost_answer_begins_one_period() {
    let (billing, fake) = serving(PATIENCE).await;
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
    billing.service.look_at_due().await.unwrap();
    let running = company.subscription().await;
    let end = timestamp(until + Months::new(12));
    assert_eq!(running.current_period_end, Some(end));
    assert_eq!(fake.world(|world| world.paid()), 2 * PRICE);
}

#[tokio::test]
async fn a_pause_stripe_has_not_lifted_yet_does_not_void_the_new_period() {
    let (billing, fake) = serving(PATIENCE).await;
    let (company, until) = paused(&billing, &fake).await;
    // Stripe is a little behind.
    advance(&billing, &fake, until - TimeDelta::seconds(1));
    billing.clock.set(until);
    billing.service.look_at_due().await.unwrap();
    let running = company.subscription().await;
    assert_eq!(status(&running), SubscriptionStatus::Active);
    assert_eq!(fake.world(|world| world.paid()), 2 * PRICE);
}

#[tokio::test]
async fn what_the_portal_canceled_in_a_pause_ends_with_the_pause() {
    let (billing, fake) = serving(PATIENCE).await;
    let (company, until) = paused(&billing, &fake).await;
    advance(&billing, &fake, until - TimeDelta::days(1));
    fake.world(|world| {
        world.subscriptions[0].cancel_at_period_end = true;
        world.tell_subscription(0, "updated");
    });
    deliver(&billing, &fake).await;
    let still = company.subscription().await;
    assert_eq!(status(&still), SubscriptionStatus::Paused);
    advance(&billing, &fake, until);
    deliver(&billing, &fake).await;
    let over = company.subscription().await;
    assert_eq!(status(&over), SubscriptionStatus::Expired, "nobody paid it");
    assert_eq!(fake.world(|world| world.paid()), PRICE);
}
