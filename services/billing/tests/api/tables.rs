//! What keeps companies apart inside the database.

use hourmeter_runtime::identity::Tenant;
use uuid::Uuid;

use crate::support::TestBilling;

#[tokio::test]
async fn every_tenant_table_is_closed() {
    let billing = TestBilling::new().await;
    let tables: Vec<(String, bool, bool, Option<String>)> = sqlx::query_as(
        "SELECT
            c.relname::text,
            c.relrowsecurity AND c.relforcerowsecurity,
            EXISTS (
                SELECT 1 FROM pg_policy p
                WHERE p.polrelid = c.oid AND p.polname = 'tenant' AND p.polcmd = '*'
                  AND p.polroles = '{0}'
                  AND pg_get_expr(p.polqual, c.oid) LIKE '%app.company_id%'
                  AND pg_get_expr(p.polwithcheck, c.oid) = pg_get_expr(p.polqual, c.oid)
            ),
            (
                SELECT a.attname::text FROM pg_index i
                JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
                WHERE i.indrelid = c.oid AND i.indisprimary
            )
        FROM pg_class c
        WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
          AND c.relname NOT LIKE '\\_sqlx%'",
    )
    .fetch_all(&mut billing.admin().await)
    .await
    .unwrap();
    assert!(!tables.is_empty());
    for (name, forced, policy, first_key) in tables {
        assert!(forced, "{name} has no forced row-level security");
        assert!(policy, "{name} has no tenant policy");
        assert_eq!(first_key.as_deref(), Some("company_id"), "{name}");
    }
}

#[tokio::test]
async fn the_service_role_sees_one_company() {
    let billing = TestBilling::new().await;
    let (ours, theirs) = (Uuid::now_v7(), Uuid::now_v7());
    billing.entitlements(ours).await;
    billing.entitlements(theirs).await;
    let count = "SELECT count(*) FROM subscriptions";

    let mut nobody = billing.database.database.lookup().await.unwrap();
    let seen: i64 = sqlx::query_scalar(count)
        .fetch_one(&mut *nobody)
        .await
        .unwrap();
    assert_eq!(seen, 0);

    let tenant = Tenant::found_by_lookup(ours);
    let mut tx = billing.database.database.tenant(tenant).await.unwrap();
    let seen: i64 = sqlx::query_scalar(count).fetch_one(&mut *tx).await.unwrap();
    assert_eq!(seen, 1);
    let changed = sqlx::query("UPDATE subscriptions SET tier = 'enterprise' WHERE company_id = $1")
        .bind(theirs)
        .execute(&mut *tx)
        .await
        .unwrap();
    assert_eq!(changed.rows_affected(), 0);
    let stolen = sqlx::query("UPDATE subscriptions SET company_id = $1 WHERE company_id = $2")
        .bind(Uuid::now_v7())
        .bind(ours)
        .execute(&mut *tx)
        .await;
    assert!(stolen.is_err());
}

#[tokio::test]
async fn the_service_role_may_not_delete() {
    let billing = TestBilling::new().await;
    let company_id = Uuid::now_v7();
    billing.entitlements(company_id).await;
    let tenant = Tenant::found_by_lookup(company_id);
    let mut tx = billing.database.database.tenant(tenant).await.unwrap();
    let deleted = sqlx::query("DELETE FROM subscriptions")
        .execute(&mut *tx)
        .await;
    assert!(deleted.is_err());
}
