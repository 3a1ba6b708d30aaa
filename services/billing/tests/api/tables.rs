//! Tenant isolation in the database.

use hourmeter_runtime::identity::Tenant;
use uuid::Uuid;

use crate::support::TestBilling;

#[tokio::test]
async fn tenant_tables_force_row_security() {
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
    let mut names: Vec<_> = tables.iter().map(|(name, ..)| name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "audit_events",
            "idempotency_keys",
            "outbox",
            "sandbox_accounts",
            "stripe_events",
            "stripe_prices",
            "subscriptions"
        ]
    );
    for (name, forced, policy, first_key) in tables {
        // The platform's own prices, without company data.
        if name == "stripe_prices" {
            continue;
        }
        assert!(forced, "{name} has no forced row-level security");
        assert!(policy, "{name} has no tenant policy");
        assert_eq!(first_key.as_deref(), Some("company_id"), "{name}");
    }
}

#[tokio::test]
async fn service_role_sees_one_company() {
    let billing = TestBilling::new().await;
    let (ours, theirs) = (Uuid::now_v7(), Uuid::now_v7());
    billing.entitlements(ours).await;
    billing.entitlements(theirs).await;
    let count = "SELECT count(*) FROM subscriptions";

    let mut system_actor = billing.database.database.lookup().await.unwrap();
    let seen: i64 = sqlx::query_scalar(count)
        .fetch_one(&mut *system_actor)
        .await
        .unwrap();
    assert_eq!(seen, 0);

    let tenant = Tenant::from_lookup(ours);
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
async fn service_role_has_minimal_grants() {
    let billing = TestBilling::new().await;
    let company_id = Uuid::now_v7();
    billing.entitlements(company_id).await;
    let tenant = Tenant::from_lookup(company_id);
    for sql in [
        "DELETE FROM subscriptions",
        "DELETE FROM audit_events",
        "DELETE FROM stripe_events",
        "UPDATE stripe_events SET kind = 'x'",
        "DELETE FROM stripe_prices",
        "DELETE FROM sandbox_accounts",
        "UPDATE audit_events SET outcome = 'x'",
        "TRUNCATE audit_events",
        "SET ROLE tenant_lookup",
        "CREATE TABLE x ()",
    ] {
        let mut tx = billing.database.database.tenant(tenant).await.unwrap();
        let refused = sqlx::query(sql).execute(&mut *tx).await.unwrap_err();
        let code = refused
            .as_database_error()
            .and_then(|error| error.code().map(String::from));
        assert_eq!(code.as_deref(), Some("42501"), "{sql}: {refused}");
    }
}

#[tokio::test]
async fn audit_entries_of_another_company_are_invisible() {
    let billing = TestBilling::new().await;
    let (ours, theirs) = (Uuid::now_v7(), Uuid::now_v7());
    let write = "INSERT INTO audit_events (company_id, id, event, outcome, request_id)
        VALUES ($1, $2, 'plan_changed', 'success', $2)";
    let database = &billing.database.database;
    for (company, fine) in [(ours, true), (theirs, false), (Uuid::nil(), false)] {
        let mut tx = database.tenant(Tenant::from_lookup(ours)).await.unwrap();
        let done = sqlx::query(write)
            .bind(company)
            .bind(Uuid::now_v7())
            .execute(&mut *tx)
            .await;
        assert_eq!(done.is_ok(), fine);
        if fine {
            tx.commit().await.unwrap();
        }
    }
    let count = "SELECT count(*) FROM audit_events";
    for (company, expected) in [(ours, 1), (theirs, 0), (Uuid::nil(), 0)] {
        let mut tx = database.tenant(Tenant::from_lookup(company)).await.unwrap();
        let seen: i64 = sqlx::query_scalar(count).fetch_one(&mut *tx).await.unwrap();
        assert_eq!(seen, expected);
    }
}

#[tokio::test]
async fn lookup_functions_require_service_role() {
    let billing = TestBilling::new().await;
    let functions: Vec<(String, bool, bool, bool)> = sqlx::query_as(
        "SELECT p.proname::text,
            p.prosecdef AND p.proowner = 'tenant_lookup'::regrole
                AND p.proconfig = ARRAY['search_path=\"\"'],
            has_function_privilege('hourmeter_billing', p.oid, 'EXECUTE'),
            EXISTS (SELECT FROM aclexplode(p.proacl) WHERE grantee = 0)
        FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace ORDER BY 1",
    )
    .fetch_all(&mut billing.admin().await)
    .await
    .unwrap();
    let names: Vec<_> = functions.iter().map(|(name, ..)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "company_of_customer",
            "due_facts",
            "due_subscriptions",
            "forget_audit_events",
            "forget_stripe_events",
            "list_subscriptions",
            "list_subscriptions_in_state",
            "note_equipment_limit",
            "note_for_platform"
        ]
    );
    for (name, is_safe, is_granted, is_public) in functions {
        assert!(is_safe && is_granted && !is_public, "{name}");
    }
}
