//! Customers that Stripe does not know any more.

use super::*;

/// Deletes all customers, as a key of the other mode would appear.
fn lose_customers(fake: &Fake) {
    fake.world(|world| {
        world.customers.clear();
        world.subscriptions.clear();
        world.sessions.clear();
        world.events.clear();
    });
}

#[tokio::test]
async fn checkout_replaces_unknown_customer() {
    let (billing, fake) = serving(TIMEOUT).await;
    let company = paying(&billing, &fake).await;
    company.cancel().await.unwrap();
    let old = company.customer_id().await;
    lose_customers(&fake);
    advance(&billing, &fake, start() + Months::new(1));
    billing.service.run_due_checks().await.unwrap();
    let over = company.subscription().await;
    assert_eq!(status(&over), SubscriptionStatus::Expired);
    let refused = company.portal().await.unwrap_err();
    assert_eq!(refused.reason, "CHECKOUT_REQUIRED", "{refused:?}");

    let url = company.check_out(Tier::Professional, YEAR).await.unwrap();
    assert_ne!(company.customer_id().await, old);
    let again = company.check_out(Tier::Professional, YEAR).await.unwrap();
    assert_eq!(again, url);
    assert_eq!(fake.world(|world| world.customers.len()), 1);
    pay(&fake, &url);
    assert!(deliver(&billing, &fake).await > 0);
    let paid = company.subscription().await;
    assert_eq!(status(&paid), SubscriptionStatus::Active);
    assert_eq!(tier(&paid), Tier::Professional);
    company.portal().await.unwrap();
}

#[tokio::test]
async fn concurrent_checkouts_create_one_customer() {
    let (billing, fake) = serving(TIMEOUT).await;
    let company = Company::on_trial(&billing).await;
    company.check_out(Tier::Basic, MONTH).await.unwrap();
    let old = company.customer_id().await;
    lose_customers(&fake);
    let (one, two) = tokio::join!(
        company.check_out(Tier::Basic, YEAR),
        company.check_out(Tier::Basic, YEAR)
    );
    let (one, two) = (one.unwrap(), two.unwrap());
    assert_ne!(company.customer_id().await, old);
    assert_eq!(fake.world(|world| world.customers.len()), 1);
    let open = fake.world(|world| {
        let open = world.sessions.values().filter(|one| one.status == "open");
        open.map(|one| one.id.clone()).collect::<Vec<_>>()
    });
    assert_eq!(open.len(), 1, "one checkout is payable: {one} {two}");
}

#[tokio::test]
async fn unknown_customer_keeps_paid_period() {
    let (billing, fake) = serving(TIMEOUT).await;
    let company = paying(&billing, &fake).await;
    lose_customers(&fake);
    advance(&billing, &fake, start() + TimeDelta::days(20));
    billing.service.run_due_checks().await.unwrap();
    assert_eq!(
        status(&company.subscription().await),
        SubscriptionStatus::Active
    );
    assert!(billing.entitlements(company.owner.company_id).await.active);
}
