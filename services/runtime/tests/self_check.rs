//! What keeps a service from serving in production: each wrong made on a real database, and told.

use hourmeter_runtime::db::{Database, connect_admin};
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::self_check::problems;
use hourmeter_runtime::testing::{TestDatabase, database};
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::{AssertSqlSafe, Executor as _, PgConnection, SqlSafeStr as _};

/// A table as all tables with companies are.
const SCHEMA: &str = "
CREATE TABLE things (company_id uuid NOT NULL, name text NOT NULL, PRIMARY KEY (company_id, name));
ALTER TABLE things ENABLE ROW LEVEL SECURITY;
ALTER TABLE things FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON things
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));
CREATE POLICY lookup ON things FOR SELECT TO tenant_lookup USING (true);
CREATE TABLE plans (name text PRIMARY KEY);
";

async fn made() -> (TestDatabase, PgConnection) {
    let step = Migration::new(
        1,
        "things".into(),
        MigrationType::Simple,
        SCHEMA.into_sql_str(),
        false,
    );
    let migrator = Migrator {
        migrations: vec![step].into(),
        ..Migrator::DEFAULT
    };
    let made = database(Service::Equipment, &migrator).await;
    let admin = connect_admin(&made.admin_url).await.expect("an answer");
    (made, admin)
}

async fn run(admin: &mut PgConnection, sql: String) {
    admin.execute(AssertSqlSafe(sql)).await.expect("it runs");
}

#[tokio::test]
async fn a_database_as_it_should_be_is_fine() {
    let (made, _) = made().await;
    assert_eq!(problems(&made.database).await.expect("an answer"), [""; 0]);
}

#[tokio::test]
async fn a_table_that_does_not_keep_companies_apart_is_told() {
    let unforced = "table things has no forced row-level security";
    let open = "table things has no policy that keeps companies apart";
    for (wrong, told) in [
        ("ALTER TABLE things NO FORCE ROW LEVEL SECURITY", unforced),
        ("ALTER TABLE things DISABLE ROW LEVEL SECURITY", unforced),
        ("DROP POLICY tenant ON things", open),
        ("ALTER POLICY tenant ON things USING (true)", open),
        ("ALTER POLICY tenant ON things WITH CHECK (true)", open),
        ("ALTER POLICY lookup ON things TO PUBLIC", open),
        (
            "CREATE POLICY more ON things FOR INSERT WITH CHECK (true)",
            open,
        ),
        (
            "CREATE TABLE forgotten (company_id uuid NOT NULL); ALTER TABLE forgotten ENABLE ROW \
             LEVEL SECURITY; ALTER TABLE forgotten FORCE ROW LEVEL SECURITY",
            "table forgotten has no policy that keeps companies apart",
        ),
    ] {
        let (made, mut admin) = made().await;
        run(&mut admin, wrong.to_owned()).await;
        let found = problems(&made.database).await.expect("an answer");
        assert_eq!(found, [told], "{wrong}");
    }
}

/// A service's connections as a role of the test's own, since others share the real one.
async fn as_role(made: &TestDatabase, admin: &mut PgConnection, more: &str) -> (Database, String) {
    let role = format!("role_{}", uuid::Uuid::now_v7().simple());
    run(
        admin,
        format!("CREATE ROLE {role} LOGIN PASSWORD 'test' {more}"),
    )
    .await;
    let name: String = sqlx::query_scalar("SELECT current_database()")
        .fetch_one(&mut *admin)
        .await
        .expect("a name");
    run(admin, format!("GRANT CONNECT ON DATABASE {name} TO {role}")).await;
    let url = hourmeter_runtime::db::url_for(&made.url, &role, &"test".into(), &name);
    let database = Database::connect(&url.expect("a URL"), 2).expect("a pool");
    (database, role)
}

#[tokio::test]
async fn a_role_that_may_too_much_is_told() {
    let (made, mut admin) = made().await;
    for (more, told) in [
        ("SUPERUSER", "is a superuser"),
        ("BYPASSRLS", "has BYPASSRLS"),
        ("IN ROLE tenant_lookup", "is a member of tenant_lookup"),
        ("IN ROLE hourmeter_equipment_owner", "is an owner of things"),
    ] {
        let (database, role) = as_role(&made, &mut admin, more).await;
        let found = problems(&database).await.expect("an answer");
        let told = format!("the database role {role} {told}");
        assert!(found.contains(&told), "{more}: {found:?}");
        database.close().await;
        run(
            &mut admin,
            format!("DROP OWNED BY {role}; DROP ROLE {role}"),
        )
        .await;
    }
    let (database, role) = as_role(&made, &mut admin, "").await;
    run(&mut admin, format!("ALTER TABLE plans OWNER TO {role}")).await;
    let found = problems(&database).await.expect("an answer");
    assert_eq!(
        found,
        [format!("the database role {role} is an owner of plans")]
    );
    database.close().await;
    run(
        &mut admin,
        format!("DROP OWNED BY {role} CASCADE; DROP ROLE {role}"),
    )
    .await;
}
