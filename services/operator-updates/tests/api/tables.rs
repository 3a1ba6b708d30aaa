//! Tenant isolation in the database.

use hourmeter_runtime::testing::owner;

use crate::fake_equipment::Mode;
use crate::support::TestUpdates;

#[tokio::test]
async fn tables_have_row_level_security() {
    let updates = TestUpdates::new().await;
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
    .fetch_all(&mut updates.admin().await)
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
async fn service_role_sees_one_company() {
    let updates = TestUpdates::without_relay().await;
    let (ours, theirs) = (owner(), owner());
    updates.equipment.set(Mode::Normal);
    for owner in [&ours, &theirs] {
        let equipment = updates.equipment.add(owner.company_id, 1.0);
        let sent = updates.submitted(owner, equipment, 5.0).await;
        updates.equipment.set(Mode::Unavailable);
        assert!(updates.apply(owner, &sent.id, None).await.is_err());
        updates.equipment.set(Mode::Normal);
    }
    let database = &updates.database.database;
    for (count, change, steal) in [
        (
            "SELECT count(*) FROM updates",
            "UPDATE updates SET notes = 'x' WHERE company_id = $1",
            "UPDATE updates SET company_id = $1",
        ),
        (
            "SELECT count(*) FROM decisions",
            "DELETE FROM decisions WHERE company_id = $1",
            "UPDATE decisions SET company_id = $1",
        ),
    ] {
        let mut lookup = database.lookup().await.unwrap();
        let seen: i64 = sqlx::query_scalar(count)
            .fetch_one(&mut *lookup)
            .await
            .unwrap();
        assert_eq!(seen, 0);

        let mut tx = database.tenant(ours.tenant()).await.unwrap();
        let seen: i64 = sqlx::query_scalar(count).fetch_one(&mut *tx).await.unwrap();
        assert_eq!(seen, 1);
        let changed = sqlx::query(change)
            .bind(theirs.company_id)
            .execute(&mut *tx)
            .await;
        assert_eq!(changed.unwrap().rows_affected(), 0);
        let stolen = sqlx::query(steal)
            .bind(theirs.company_id)
            .execute(&mut *tx)
            .await;
        assert!(stolen.is_err());
    }
}

#[tokio::test]
async fn service_role_may_not_delete_submissions() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 1.0);
    updates.submitted(&owner, equipment, 5.0).await;
    let mut tx = updates
        .database
        .database
        .tenant(owner.tenant())
        .await
        .unwrap();
    let deleted = sqlx::query("DELETE FROM updates").execute(&mut *tx).await;
    assert!(deleted.is_err());
}

#[tokio::test]
async fn due_queues_returns_ids_to_this_service_only() {
    let updates = TestUpdates::without_relay().await;
    for (name, arguments, expected) in [
        (
            "claim_deliveries",
            "integer, integer",
            "TABLE(company_id uuid, update_id uuid, attempts integer)",
        ),
        (
            "claim_queues",
            "integer, integer, integer",
            "TABLE(company_id uuid, equipment_id uuid, update_id uuid, attempts integer)",
        ),
        (
            "due_queues",
            "integer",
            "TABLE(company_id uuid, equipment_id uuid)",
        ),
    ] {
        let (owner, result, security): (String, String, bool) = sqlx::query_as(
            "SELECT r.rolname::text, pg_get_function_result(p.oid), p.prosecdef
            FROM pg_proc p JOIN pg_roles r ON r.oid = p.proowner
            WHERE p.proname = $1",
        )
        .bind(name)
        .fetch_one(&mut updates.admin().await)
        .await
        .unwrap();
        assert_eq!(owner, "tenant_lookup");
        assert_eq!(result, expected);
        assert!(security);
        let closed: bool = sqlx::query_scalar(
            "SELECT has_function_privilege('hourmeter_operator_updates', $1, 'EXECUTE')
            AND NOT EXISTS (
                SELECT 1 FROM pg_proc p, aclexplode(p.proacl) a
                WHERE p.proname = $2 AND a.grantee = 0
            )",
        )
        .bind(format!("{name}({arguments})"))
        .bind(name)
        .fetch_one(&mut updates.admin().await)
        .await
        .unwrap();
        assert!(closed);
    }
}
