//! Tenant isolation, checked in the database.

use hourmeter_proto::equipment::v1::TaskSetMode;
use hourmeter_runtime::db::{connect_admin, scoped};
use hourmeter_runtime::identity::Tenant;
use sqlx::{AssertSqlSafe, PgConnection};
use uuid::Uuid;

use crate::fuel::gas;
use crate::support::{World, increase, named, parts};
use crate::task_sets::excavators;

const TABLES: [&str; 16] = [
    "applied_updates",
    "audit_events",
    "company_state",
    "deleted_equipment",
    "deleted_fuel",
    "equipment",
    "fuel_periods",
    "idempotency_keys",
    "ledger",
    "ledger_voids",
    "outbox",
    "service_parts",
    "service_tasks",
    "task_set_items",
    "task_set_links",
    "task_sets",
];

#[tokio::test]
async fn tables_have_row_level_security() {
    let world = World::new().await;
    let mut admin = connect_admin(&world.database.admin_url).await.unwrap();
    let tables: Vec<(String, bool, bool)> = sqlx::query_as(
        "SELECT relname::text, relrowsecurity, relforcerowsecurity
        FROM pg_class
        WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
          AND relname <> '_sqlx_migrations'
        ORDER BY relname",
    )
    .fetch_all(&mut admin)
    .await
    .unwrap();
    let names: Vec<&str> = tables.iter().map(|(name, ..)| name.as_str()).collect();
    assert_eq!(names, TABLES);
    for (name, enabled, forced) in &tables {
        assert!(enabled & forced, "{name}");
    }
    let policies: Vec<(String, String, String, String)> = sqlx::query_as(
        "SELECT tablename::text, policyname::text, qual, with_check
        FROM pg_policies
        WHERE schemaname = 'public' AND roles = '{public}'
        ORDER BY tablename",
    )
    .fetch_all(&mut admin)
    .await
    .unwrap();
    assert_eq!(policies.len(), TABLES.len());
    for (table, policy, using, check) in policies {
        assert_eq!(policy, "tenant", "{table}");
        assert!(using.contains("app.company_id"), "{table}");
        assert_eq!(using, check, "{table}");
    }
    // Lookups across companies read ids, count active equipment, and find facts to send.
    let lookups: Vec<(String, String, String)> = sqlx::query_as(
        "SELECT p.tablename::text, p.cmd, string_agg(g.column_name::text, ' ' ORDER BY g.column_name)
        FROM pg_policies p
        JOIN information_schema.column_privileges g
          ON g.table_name = p.tablename AND g.grantee = 'tenant_lookup'
        WHERE p.roles = '{tenant_lookup}' AND p.tablename <> 'audit_events'
        GROUP BY p.tablename, p.cmd
        ORDER BY p.tablename",
    )
    .fetch_all(&mut admin)
    .await
    .unwrap();
    let only = [
        ["equipment", "SELECT", "company_id retired_at"],
        ["outbox", "SELECT", "company_id next_try_at"],
    ];
    let only = only.map(|row| row.map(str::to_owned).into());
    assert_eq!(lookups, only);
}

#[tokio::test]
async fn keys_and_indexes_start_with_the_company() {
    let world = World::new().await;
    let mut admin = connect_admin(&world.database.admin_url).await.unwrap();
    let leading: Vec<(String, String)> = sqlx::query_as(
        "SELECT i.indexrelid::regclass::text, a.attname::text
        FROM pg_index i
        JOIN pg_class c ON c.oid = i.indrelid
        JOIN pg_attribute a ON a.attrelid = i.indexrelid AND a.attnum = 1
        WHERE c.relnamespace = 'public'::regnamespace AND c.relname <> '_sqlx_migrations'",
    )
    .fetch_all(&mut admin)
    .await
    .unwrap();
    assert!(leading.len() >= TABLES.len());
    for (index, column) in leading {
        // Retention deletes, and the sender looks, across companies.
        let expected = match index.as_str() {
            "audit_events_age_idx" => "at",
            "outbox_due" => "next_try_at",
            _ => "company_id",
        };
        assert_eq!(column, expected, "{index}");
    }
    let plain: Vec<(String,)> = sqlx::query_as(
        "SELECT conname::text FROM pg_constraint
        WHERE contype = 'f' AND array_length(conkey, 1) < 2",
    )
    .fetch_all(&mut admin)
    .await
    .unwrap();
    assert_eq!(plain, []);
}

#[tokio::test]
async fn service_role_has_least_privileges() {
    let world = World::new().await;
    let mut admin = connect_admin(&world.database.admin_url).await.unwrap();
    let rights: Vec<(String, String)> = sqlx::query_as(
        "SELECT table_name::text, string_agg(privilege_type, ' ' ORDER BY privilege_type)
        FROM information_schema.role_table_grants
        WHERE grantee = 'hourmeter_equipment' AND table_schema = 'public'
        GROUP BY table_name
        ORDER BY table_name",
    )
    .fetch_all(&mut admin)
    .await
    .unwrap();
    let rights: Vec<(&str, &str)> = rights
        .iter()
        .map(|(table, rights)| (table.as_str(), rights.as_str()))
        .collect();
    assert_eq!(
        rights,
        [
            ("applied_updates", "INSERT SELECT"),
            ("audit_events", "INSERT SELECT"),
            ("company_state", "INSERT SELECT UPDATE"),
            ("deleted_equipment", "INSERT SELECT"),
            ("deleted_fuel", "INSERT SELECT"),
            ("equipment", "DELETE INSERT SELECT UPDATE"),
            ("fuel_periods", "INSERT SELECT"),
            ("idempotency_keys", "DELETE INSERT SELECT UPDATE"),
            ("ledger", "INSERT SELECT"),
            ("ledger_voids", "INSERT SELECT"),
            ("outbox", "DELETE INSERT SELECT"),
            ("service_parts", "DELETE INSERT SELECT"),
            ("service_tasks", "DELETE INSERT SELECT UPDATE"),
            ("task_set_items", "DELETE INSERT SELECT"),
            ("task_set_links", "DELETE INSERT SELECT UPDATE"),
            ("task_sets", "DELETE INSERT SELECT UPDATE"),
        ]
    );
}

async fn count(connection: &mut PgConnection, table: &str) -> i64 {
    let sql = format!("SELECT count(*) FROM {table}");
    let (rows,) = sqlx::query_as(AssertSqlSafe(sql))
        .fetch_one(connection)
        .await
        .unwrap();
    rows
}

#[tokio::test]
async fn rows_are_visible_only_to_their_company() {
    let world = World::new().await;
    let mut premium = world.owner.clone();
    premium.entitlements.parts_entry = true;
    premium.entitlements.equipment_limit = 1;
    let mut input = named("A");
    input.service_parts = Some(parts(&["Filter"]));
    let made = world.create_as(&premium, input).await.unwrap();
    let entry = increase(&made.id, 1.0);
    world.record_once(&premium, "key", entry).await.unwrap();
    let update = hourmeter_proto::equipment::v1::ApplyOperatorUpdateRequest {
        update_id: Uuid::now_v7().to_string(),
        equipment_id: made.id.clone(),
        operator_id: Uuid::now_v7().to_string(),
        reading: Some(2.0),
        ..Default::default()
    };
    world.apply(update).await.unwrap();
    let newest = world.newest(&made.id).await;
    world.void(&made.id, &newest).await.unwrap();
    world.reset_fuel().await.unwrap();
    let set = world.create_set(excavators()).await.unwrap();
    world
        .apply_set(&set.id, &[&made.id], TaskSetMode::Update)
        .await
        .unwrap();
    let gone = world.create(named("Gone")).await.unwrap();
    world.record(gas(&gone.id, 1.0)).await.unwrap();
    world.delete(&gone.id).await.unwrap();

    let database = &world.database.database;
    let mut own = database.tenant(world.owner.tenant()).await.unwrap();
    let stranger = Tenant::from_lookup(Uuid::now_v7());
    let mut foreign = database.tenant(stranger).await.unwrap();
    let mut unset = database.lookup().await.unwrap();
    for table in TABLES {
        assert!(count(&mut own, table).await > 0, "{table}");
        assert_eq!(count(&mut foreign, table).await, 0, "{table}");
        assert_eq!(count(&mut unset, table).await, 0, "{table}");
    }
}

#[tokio::test]
async fn scoped_read_sees_one_company_and_resets_it() {
    let world = World::new().await;
    world.create(named("A")).await.unwrap();
    let database = &world.database.database;
    let stranger = Tenant::from_lookup(Uuid::now_v7());
    // Also without a company filter, and in each form that changes the plan.
    let queries = [
        "SELECT id FROM equipment WHERE company_id = $1",
        "SELECT id FROM equipment",
        "SELECT e.id FROM equipment e JOIN equipment o ON o.id = e.id",
        "SELECT id FROM equipment ORDER BY name LIMIT 5",
        "SELECT max(name) FROM equipment HAVING count(*) > 0",
        "SELECT 1 WHERE EXISTS (SELECT FROM equipment)",
        "WITH found AS MATERIALIZED (SELECT id FROM equipment) SELECT id FROM found",
    ];
    for sql in queries {
        for (tenant, expected) in [(world.owner.tenant(), 1), (stranger, 0)] {
            let mut read = database.read(tenant).await.unwrap();
            // After a few executions a prepared statement gets a generic plan.
            for _ in 0..7 {
                let rows = sqlx::query(AssertSqlSafe(scoped(sql)))
                    .bind(tenant.company_id())
                    .fetch_all(&mut *read)
                    .await
                    .unwrap();
                assert_eq!(rows.len(), expected, "{sql}");
            }
            assert_eq!(count(&mut read, "equipment").await, 0, "outside of it");
            read.done();
        }
    }
}

#[tokio::test]
async fn writes_into_another_company_are_refused() {
    let world = World::new().await;
    let made = world.create(named("A")).await.unwrap();
    let entry = increase(&made.id, 1.0);
    let made = world.record_once(&world.owner, "key", entry).await.unwrap();
    let database = &world.database.database;
    let stranger = Tenant::from_lookup(Uuid::now_v7());
    let changes = [
        "UPDATE equipment SET name = 'x'",
        "DELETE FROM equipment",
        "UPDATE service_tasks SET usage_interval = 1",
        "DELETE FROM service_tasks",
        "DELETE FROM service_parts",
        "UPDATE idempotency_keys SET answer = ''",
        "DELETE FROM idempotency_keys",
        "UPDATE company_state SET claimed_at = now()",
        "UPDATE task_sets SET name = 'x'",
        "DELETE FROM task_sets",
        "DELETE FROM task_set_items",
        "DELETE FROM task_set_links",
    ];
    let mut foreign = database.tenant(stranger).await.unwrap();
    for sql in changes {
        let done = sqlx::query(sql).execute(&mut *foreign).await.unwrap();
        assert_eq!(done.rows_affected(), 0, "{sql}");
    }
    let insert = "INSERT INTO company_state (company_id, claimed_at) VALUES ($1, now())";
    let planted = sqlx::query(insert)
        .bind(Uuid::now_v7())
        .execute(&mut *foreign)
        .await;
    assert!(planted.is_err());
    // The ledger is append-only, even for its own company.
    for sql in [
        "UPDATE audit_events SET detail = 'x'",
        "DELETE FROM audit_events",
        "UPDATE ledger SET content = 'x'",
        "DELETE FROM ledger",
        "UPDATE ledger_voids SET reason = 'x'",
        "DELETE FROM ledger_voids",
        "UPDATE fuel_periods SET began_at = now()",
        "DELETE FROM fuel_periods",
    ] {
        let mut own = database.tenant(world.owner.tenant()).await.unwrap();
        assert!(sqlx::query(sql).execute(&mut *own).await.is_err(), "{sql}");
    }
    assert_eq!(world.get(&made.id).await.unwrap(), made);
}
