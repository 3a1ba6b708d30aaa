//! Prices for checkouts, and prices of existing subscriptions.

use super::*;

#[tokio::test]
async fn checkout_without_prices_is_a_setup_error() {
    let (billing, fake) = serving(TIMEOUT).await;
    let mut admin = billing.admin().await;
    sqlx::query("DELETE FROM stripe_prices")
        .execute(&mut admin)
        .await
        .unwrap();
    let company = Company::on_trial(&billing).await;
    assert_away(company.check_out(Tier::Basic, MONTH).await);
    assert_eq!(fake.world(|world| world.sessions.len()), 0);

    let payments = provider(&billing, &fake, API_KEY);
    let payer = customer(&payments).await;
    let said = payments
        .open_checkout(&payer, BASIC, None, start(), "1")
        .await
        .unwrap_err();
    let expected =
        "payments are not configured: no price for plan basic per month; run sync-catalogue";
    assert_eq!(said.to_string(), expected);

    // A stored price that Stripe does not have.
    sqlx::query(
        "INSERT INTO stripe_prices (price_id, tier, billing_interval, cents, sold, created_at)
        VALUES ('price_gone', 'basic', 'month', 3200, true, now())",
    )
    .execute(&mut admin)
    .await
    .unwrap();
    let said = payments
        .open_checkout(&payer, BASIC, None, start(), "2")
        .await
        .unwrap_err();
    assert_eq!(
        said.to_string(),
        "payments are not configured: No such price: 'price_gone'"
    );
}

#[tokio::test]
async fn unknown_price_is_a_setup_error_and_unpaid_is_ignored() {
    let (billing, fake) = serving(TIMEOUT).await;
    let payments = provider(&billing, &fake, API_KEY);
    let payer = customer(&payments).await;
    let price = fake
        .world(|world| world.prices.keys().next().cloned())
        .unwrap();
    for never in ["incomplete", "incomplete_expired"] {
        fake.world(|world| world.subscribe(&payer.customer_id, &price, never));
    }
    assert_eq!(payments.subscriptions(&payer, start()).await.unwrap(), []);
    fake.world(|world| {
        let mut other = world.prices[&price].clone();
        other["id"] = "price_by_hand".into();
        world.prices.insert("price_by_hand".to_owned(), other);
        world.subscribe(&payer.customer_id, "price_by_hand", "active");
    });
    let said = payments.subscriptions(&payer, start()).await.unwrap_err();
    assert!(matches!(said, PaymentError::NotConfigured(_)));
    assert!(said.to_string().contains("price_by_hand"), "{said}");
}

#[tokio::test]
async fn subscriptions_are_read_from_all_pages() {
    let (billing, fake) = serving(TIMEOUT).await;
    let payments = provider(&billing, &fake, API_KEY);
    let payer = customer(&payments).await;
    let price = fake
        .world(|world| world.prices.keys().next().cloned())
        .unwrap();
    fake.world(|world| {
        for _ in 0..205 {
            world.subscribe(&payer.customer_id, &price, "active");
        }
    });
    assert_eq!(
        payments.subscriptions(&payer, start()).await.unwrap().len(),
        205
    );
}
