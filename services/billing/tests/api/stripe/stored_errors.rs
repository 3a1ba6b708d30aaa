//! Errors that Stripe stores with a key and repeats.

use super::*;

#[tokio::test]
async fn stored_failure_does_not_block_checkout() {
    let (billing, fake) = serving(TIMEOUT).await;
    let company = Company::on_trial(&billing).await;
    fake.set_fault(Some(FakeFault::Status(500)));
    assert_away(company.check_out(Tier::Basic, MONTH).await);
    fake.set_fault(None);
    assert_away(company.check_out(Tier::Basic, MONTH).await);
    assert_eq!(fake.world(|world| world.customers.len()), 0);
    advance(&billing, &fake, start() + TimeDelta::hours(1));
    let url = company.check_out(Tier::Basic, MONTH).await.unwrap();
    pay(&fake, &url);
    deliver(&billing, &fake).await;
    assert_eq!(
        status(&company.subscription().await),
        SubscriptionStatus::Active
    );
    assert_eq!(fake.world(|world| world.customers.len()), 1);
}

#[tokio::test]
async fn stored_failure_retries_begin_period_next_day() {
    let (billing, fake) = serving(TIMEOUT).await;
    let company = paying(&billing, &fake).await;
    let now = start() + TimeDelta::days(20);
    advance(&billing, &fake, now);
    let until = now + Months::new(3);
    fake.world(|world| world.hold(until));
    deliver(&billing, &fake).await;
    let paid = fake.world(|world| world.paid());
    advance(&billing, &fake, until);
    fake.take_events();
    fake.set_fault(Some(FakeFault::Writes(500)));
    billing.service.run_due_checks().await.unwrap();
    fake.set_fault(None);
    advance(&billing, &fake, until + TimeDelta::hours(12));
    billing.service.run_due_checks().await.unwrap();
    assert_eq!(
        fake.world(|world| world.paid()),
        paid,
        "the stored response is repeated"
    );
    advance(&billing, &fake, until + TimeDelta::hours(24));
    billing.service.run_due_checks().await.unwrap();
    assert_eq!(fake.world(|world| world.paid()), paid + 3200);
    assert_eq!(
        status(&company.subscription().await),
        SubscriptionStatus::Active
    );
}

#[tokio::test]
async fn stored_failure_retries_cancel_after_an_hour() {
    let (billing, fake) = serving(TIMEOUT).await;
    let company = paying(&billing, &fake).await;
    let second = fake.world(|world| {
        let mut second = world.subscriptions[0].clone();
        second.id = world.new_id("sub");
        second.created = world.now + TimeDelta::seconds(1);
        let id = second.id.clone();
        world.subscriptions.push(second);
        world.push_subscription_event(1, "created");
        id
    });
    fake.set_fault(Some(FakeFault::Writes(500)));
    deliver(&billing, &fake).await;
    fake.set_fault(None);
    let running = || {
        fake.world(|world| {
            let all = world.subscriptions.iter();
            let running = all.filter(|one| one.status == "active");
            running.map(|one| one.id.clone()).collect::<Vec<_>>()
        })
    };
    assert_eq!(running().len(), 2);
    for minutes in [2, 70, 200] {
        advance(&billing, &fake, start() + TimeDelta::minutes(minutes));
        billing.service.run_due_checks().await.unwrap();
    }
    assert_eq!(running(), [second]);
    assert_eq!(
        status(&company.subscription().await),
        SubscriptionStatus::Active
    );
}
