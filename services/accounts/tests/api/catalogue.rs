//! Row-level security and grants of the service's database.

use sqlx::{Connection as _, Executor as _, PgConnection};
use uuid::Uuid;

use hourmeter_runtime::db::connect_admin;
use hourmeter_runtime::identity::Tenant;

use crate::support::App;

/// All tenant tables.
const TABLES: [&str; 16] = [
    "audit_events",
    "authenticators",
    "browsers",
    "companies",
    "device_people",
    "devices",
    "idempotency_keys",
    "notices",
    "passkey_challenges",
    "passkeys",
    "recovery_codes",
    "retired_tokens",
    "security_events",
    "sessions",
    "sign_in_addresses",
    "users",
];

const POLICY: &str = "(company_id = ( SELECT (NULLIF(current_setting('app.company_id'::text, true), ''::text))::uuid AS \"nullif\"))";

async fn tenant_tables(admin: &mut PgConnection) -> Vec<String> {
    sqlx::query_scalar(
        "SELECT c.relname::text FROM pg_class c
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'company_id'
        WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
        ORDER BY 1",
    )
    .fetch_all(admin)
    .await
    .unwrap()
}

#[tokio::test]
async fn tenant_tables_have_forced_row_level_security() {
    let app = App::new().await;
    let mut admin = app.admin().await;
    let tables = tenant_tables(&mut admin).await;
    assert_eq!(tables, TABLES);
    for table in tables {
        let forced: bool = sqlx::query_scalar(
            "SELECT relrowsecurity AND relforcerowsecurity FROM pg_class WHERE relname = $1",
        )
        .bind(&table)
        .fetch_one(&mut admin)
        .await
        .unwrap();
        assert!(forced, "{table}");
        let policy: (String, String, String) = sqlx::query_as(
            "SELECT cmd, qual, with_check FROM pg_policies
            WHERE tablename = $1 AND policyname = 'tenant' AND roles = '{public}'",
        )
        .bind(&table)
        .fetch_one(&mut admin)
        .await
        .unwrap();
        assert_eq!(
            policy,
            ("ALL".to_owned(), POLICY.to_owned(), POLICY.to_owned()),
            "{table}"
        );
        let only_lookup: bool = sqlx::query_scalar(
            "SELECT coalesce(bool_and(roles = '{tenant_lookup}'), true) FROM pg_policies
            WHERE tablename = $1 AND policyname <> 'tenant'",
        )
        .bind(&table)
        .fetch_one(&mut admin)
        .await
        .unwrap();
        assert!(only_lookup, "{table}");
        let leading: bool = sqlx::query_scalar(
            "SELECT a.attname = 'company_id' FROM pg_index i
            JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
            WHERE i.indisprimary AND i.indrelid = $1::regclass",
        )
        .bind(&table)
        .fetch_one(&mut admin)
        .await
        .unwrap();
        assert!(leading, "{table}");
    }
}

#[tokio::test]
async fn foreign_keys_include_the_company() {
    let app = App::new().await;
    let lonely: Vec<String> = sqlx::query_scalar(
        "SELECT conname::text FROM pg_constraint k
        WHERE k.contype = 'f' AND EXISTS (
            SELECT FROM pg_attribute a WHERE a.attrelid = k.conrelid AND a.attname = 'company_id'
        ) AND NOT EXISTS (
            SELECT FROM pg_attribute a
            WHERE a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey) AND a.attname = 'company_id'
        )",
    )
    .fetch_all(&mut app.admin().await)
    .await
    .unwrap();
    assert!(lonely.is_empty(), "{lonely:?}");
}

#[tokio::test]
async fn lookup_functions_are_granted_to_the_service_only() {
    let app = App::new().await;
    let functions: Vec<(String, bool, bool, bool)> = sqlx::query_as(
        "SELECT p.proname::text,
            p.prosecdef AND p.proowner = 'tenant_lookup'::regrole
                AND p.proconfig = ARRAY['search_path=\"\"'],
            has_function_privilege('hourmeter_accounts', p.oid, 'EXECUTE'),
            EXISTS (SELECT FROM aclexplode(p.proacl) WHERE grantee = 0)
        FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace ORDER BY 1",
    )
    .fetch_all(&mut app.admin().await)
    .await
    .unwrap();
    assert!(functions.len() >= 9, "{functions:?}");
    for (name, is_safe, is_granted, is_public) in functions {
        // A command of the tables' owner calls it.
        let for_owner = name == "companies_due_for_deletion";
        assert!(is_safe && is_granted != for_owner && !is_public, "{name}");
    }
}

async fn service(app: &App) -> PgConnection {
    connect_admin(&app.test.url).await.unwrap()
}

#[tokio::test]
async fn rows_are_invisible_without_the_company() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    app.set_operator_password(&owner).await;
    app.operator(&owner, "Li", "Wu").await;
    let other = app.company("Borealis").await.identity.company_id;
    let own = owner.identity.company_id;
    for company in [None, Some(String::new()), Some(Uuid::now_v7().to_string())] {
        let mut connection = service(&app).await;
        let mut tx = connection.begin().await.unwrap();
        if let Some(company) = company {
            sqlx::query("SELECT set_config('app.company_id', $1, true)")
                .bind(company)
                .execute(&mut *tx)
                .await
                .unwrap();
        }
        for table in TABLES {
            let sql = sqlx::AssertSqlSafe(format!("SELECT count(*) FROM {table}"));
            let count: i64 = sqlx::query_scalar(sql).fetch_one(&mut *tx).await.unwrap();
            assert_eq!(count, 0, "{table}");
        }
        for sql in [
            "UPDATE companies SET name = 'x'",
            "UPDATE users SET first_name = 'x'",
            "UPDATE sessions SET revoked_at = now()",
            "UPDATE notices SET dismissed_at = now()",
            "DELETE FROM users",
            "DELETE FROM sessions",
            "DELETE FROM retired_tokens",
            "DELETE FROM sign_in_addresses",
            "DELETE FROM authenticators",
            "DELETE FROM passkeys",
            "DELETE FROM passkey_challenges",
            "DELETE FROM recovery_codes",
        ] {
            let done = sqlx::query(sql).execute(&mut *tx).await.unwrap();
            assert_eq!(done.rows_affected(), 0, "{sql}");
        }
    }
    // Writes to another company fail.
    let mut tx = app
        .test
        .database
        .tenant(Tenant::from_lookup(other))
        .await
        .unwrap();
    let stolen = sqlx::query(
        "INSERT INTO audit_events (company_id, id, event, outcome, request_id)
        VALUES ($1, $2, 'x', 'success', $2)",
    );
    let stolen = stolen
        .bind(own)
        .bind(Uuid::now_v7())
        .execute(&mut *tx)
        .await;
    assert!(stolen.is_err());
}

#[tokio::test]
async fn service_role_has_minimal_rights() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    app.operator(&owner, "Li", "Wu").await;
    let set = format!(
        "SELECT set_config('app.company_id', '{}', true)",
        owner.identity.company_id
    );
    for sql in [
        "UPDATE audit_events SET outcome = 'x'",
        "DELETE FROM audit_events",
        "DELETE FROM companies",
        "DELETE FROM notices",
        "UPDATE notices SET kind = 'session_reused'",
        "UPDATE retired_tokens SET valid_until = now()",
        "UPDATE sign_in_addresses SET address_prefix = 'x'",
        "UPDATE passkeys SET public_key = ''",
        "UPDATE devices SET public_key = ''",
        "DELETE FROM devices",
        "UPDATE device_people SET person_id = gen_random_uuid()",
        "UPDATE passkeys SET user_id = gen_random_uuid()",
        "UPDATE authenticators SET user_id = gen_random_uuid()",
        "UPDATE recovery_codes SET code_hash = sha256('x')",
        "TRUNCATE users",
        "SELECT * FROM operator_usernames",
        "INSERT INTO operator_usernames VALUES ('x', 'x')",
        "DELETE FROM operator_usernames",
        "ALTER TABLE users DISABLE ROW LEVEL SECURITY",
        "CREATE TABLE x ()",
        "SET ROLE tenant_lookup",
    ] {
        let mut connection = service(&app).await;
        let mut tx = connection.begin().await.unwrap();
        sqlx::query(sqlx::AssertSqlSafe(set.clone()))
            .execute(&mut *tx)
            .await
            .unwrap();
        let refused = sqlx::query(sql).execute(&mut *tx).await.unwrap_err();
        let code = refused
            .as_database_error()
            .and_then(|error| error.code().map(String::from));
        assert_eq!(code.as_deref(), Some("42501"), "{sql}: {refused}");
    }
}

/// The generic plan of a query with these parameters.
async fn plan(app: &App, query: &str, parameters: &str) -> String {
    let mut admin = app.admin().await;
    for setting in [
        "SET plan_cache_mode = force_generic_plan",
        "SET enable_seqscan = off",
        "SET enable_bitmapscan = off",
    ] {
        admin.execute(setting).await.unwrap();
    }
    let prepare = sqlx::AssertSqlSafe(format!("PREPARE known AS {query}"));
    admin.execute(prepare).await.unwrap();
    let explain = sqlx::AssertSqlSafe(format!("EXPLAIN EXECUTE known({parameters})"));
    let plan: Vec<String> = sqlx::query_scalar(explain)
        .fetch_all(&mut admin)
        .await
        .unwrap();
    plan.join("\n")
}

#[tokio::test]
async fn staff_sign_ins_use_an_index() {
    let app = App::new().await;
    let query = "SELECT EXISTS (
        SELECT FROM audit_events
        WHERE company_id = '00000000-0000-0000-0000-000000000000' AND actor_id = $1
          AND event = 'sign_in' AND outcome = 'success' AND address_prefix = $2
          AND at > now() - interval '30 days'
    )";
    let parameters = "'0191b2c4-0000-7000-8000-000000000001', '203.0.113.0/24'";
    let plan = plan(&app, query, parameters).await;
    assert!(plan.contains("audit_events_staff_sign_ins_idx"), "{plan}");
}

#[tokio::test]
async fn last_sign_ins_and_reveals_use_indexes() {
    let app = App::new().await;
    let company = "'0191b2c4-0000-7000-8000-000000000001'";
    // In an empty table the planner has no reason to prefer an index.
    let mut admin = app.admin().await;
    for fill in [
        "INSERT INTO audit_events (company_id, id, event, outcome, request_id)
        SELECT '0191b2c4-0000-7000-8000-000000000001', gen_random_uuid(),
            CASE n WHEN 1 THEN 'operator_password_revealed_by_support' ELSE 'sign_in' END,
            CASE n % 100 WHEN 0 THEN 'success' ELSE 'failed' END, gen_random_uuid()
        FROM generate_series(1, 5000) n",
        "ANALYZE audit_events",
    ] {
        admin.execute(fill).await.unwrap();
    }
    for (query, index) in [
        (
            "SELECT at FROM audit_events
            WHERE company_id = $1 AND event = 'sign_in' AND outcome = 'success'
            ORDER BY at DESC LIMIT 1",
            "audit_events_sign_ins_idx",
        ),
        (
            "SELECT at FROM audit_events
            WHERE company_id = $1 AND event = 'sign_in' AND outcome = 'success'
              AND scope = 'full' AND actor_id = $1
            ORDER BY at DESC LIMIT 1",
            "audit_events_sign_ins_idx",
        ),
        (
            "SELECT id FROM audit_events
            WHERE company_id = $1 AND event IN ('operator_password_revealed_by_support')
            ORDER BY at DESC, id DESC LIMIT 100",
            "audit_events_support_reveals_idx",
        ),
    ] {
        let plan = plan(&app, query, company).await;
        assert!(plan.contains(index), "{plan}");
    }
}

#[tokio::test]
async fn languages_are_known() {
    let app = App::new().await;
    app.company("Acme").await;
    for language in ["'en'", "'es'", "NULL"] {
        app.execute(&format!("UPDATE users SET language = {language}"))
            .await;
    }
    let unknown = "UPDATE users SET language = 'fr'";
    let refused = sqlx::query(unknown).execute(&mut app.admin().await).await;
    let refused = refused.unwrap_err().into_database_error().unwrap();
    assert_eq!(refused.constraint(), Some("users_language_known"));
}
