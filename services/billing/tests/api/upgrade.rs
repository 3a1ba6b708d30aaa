//! Companies from before the payments migration.

use chrono::TimeDelta;
use hourmeter_billing::MIGRATIONS;
use hourmeter_runtime::db::{connect_admin, migrate};
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::testing;
use sqlx::migrate::Migrator;
use uuid::Uuid;

use crate::support::{TestBilling, start};

/// The last migration before payments.
const BEFORE: i64 = 20_261_121_040_100;

#[tokio::test]
async fn migration_keeps_existing_companies() {
    let before = MIGRATIONS.iter().filter(|step| step.version <= BEFORE);
    let before = Migrator::with_migrations(before.cloned().collect());
    let database = testing::database(Service::Billing, &before).await;
    let [over, running, agreed] = [Uuid::now_v7(), Uuid::now_v7(), Uuid::now_v7()];
    let day = TimeDelta::days(1);
    let mut admin = connect_admin(&database.admin_url).await.unwrap();
    for (company, status, trial_end, period_end) in [
        (over, "trial", start() - day, None),
        (running, "trial", start() + day, None),
        (agreed, "active", start() - day, Some(start() + day * 30)),
    ] {
        sqlx::query(
            "INSERT INTO subscriptions (
                company_id, tier, status, trial_start, trial_end, current_period_end,
                billing_interval, created_at, updated_at
            )
            VALUES (
                $1, 'professional', $2, $3 - interval '28 days', $3, $4,
                CASE WHEN $4 IS NOT NULL THEN 'year' END, $3, $3
            )",
        )
        .bind(company)
        .bind(status)
        .bind(trial_end)
        .bind(period_end)
        .execute(&mut admin)
        .await
        .unwrap();
    }
    let url = &database.owner_url;
    migrate(Service::Billing, url, &MIGRATIONS).await.unwrap();

    let billing = TestBilling::on(database, |billing| billing);
    assert!(billing.entitlements(agreed).await.fuel_analytics);
    assert!(billing.entitlements(running).await.active);
    let due: Vec<Uuid> = sqlx::query_scalar(
        "SELECT company_id FROM subscriptions WHERE next_due_at IS NOT NULL ORDER BY company_id",
    )
    .fetch_all(&mut billing.admin().await)
    .await
    .unwrap();
    assert_eq!(due, [over, running, agreed]);
    // Rows inserted by an older version are checked too.
    sqlx::query(
        "INSERT INTO subscriptions (
            company_id, tier, status, trial_start, trial_end, created_at, updated_at
        )
        VALUES ($1, 'basic', 'trial', now(), now() + interval '1 day', now(), now())",
    )
    .bind(Uuid::now_v7())
    .execute(&mut billing.admin().await)
    .await
    .unwrap();
    let waiting: i64 =
        sqlx::query_scalar("SELECT count(*) FROM subscriptions WHERE next_due_at IS NULL")
            .fetch_one(&mut billing.admin().await)
            .await
            .unwrap();
    assert_eq!(waiting, 0);
}
