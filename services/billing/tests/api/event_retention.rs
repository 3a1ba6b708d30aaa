//! Retention of provider events.

use uuid::Uuid;

use crate::support::TestBilling;

async fn event(billing: &TestBilling, id: &str, age: &str) {
    sqlx::query(
        "INSERT INTO stripe_events (company_id, id, kind, made_at, received_at)
        VALUES ($1, $2, 'invoice.paid', now(), now() - $3::interval)",
    )
    .bind(Uuid::now_v7())
    .bind(id)
    .bind(age)
    .execute(&mut billing.admin().await)
    .await
    .unwrap();
}

async fn kept(billing: &TestBilling) -> Vec<String> {
    sqlx::query_scalar("SELECT id FROM stripe_events ORDER BY id")
        .fetch_all(&mut billing.admin().await)
        .await
        .unwrap()
}

#[tokio::test]
async fn provider_event_is_deleted_after_90_days() {
    let billing = TestBilling::new().await;
    event(&billing, "evt_new", "0 days").await;
    event(&billing, "evt_young", "89 days 23 hours").await;
    event(&billing, "evt_old", "90 days 1 second").await;
    event(&billing, "evt_older", "4000 days").await;
    assert_eq!(billing.service.delete_old_events().await.unwrap(), 2);
    assert_eq!(kept(&billing).await, ["evt_new", "evt_young"]);
    assert_eq!(billing.service.delete_old_events().await.unwrap(), 0);
}

#[tokio::test]
async fn provider_events_are_deleted_in_batches() {
    let billing = TestBilling::new().await;
    sqlx::query(
        "INSERT INTO stripe_events (company_id, id, kind, made_at, received_at)
        SELECT $1, 'evt_' || n, 'invoice.paid', now(), now() - interval '91 days'
        FROM generate_series(1, 2001) n",
    )
    .bind(Uuid::now_v7())
    .execute(&mut billing.admin().await)
    .await
    .unwrap();
    assert_eq!(billing.service.delete_old_events().await.unwrap(), 2001);
    assert!(kept(&billing).await.is_empty());
}
