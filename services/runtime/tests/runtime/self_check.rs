//! The self-check: each problem created in a real database and reported.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Router;
use hourmeter_proto::access::policy_table;
use hourmeter_runtime::client::over_tcp;
use hourmeter_runtime::db::{Database, connect_admin};
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::self_check::problems;
use hourmeter_runtime::server::{SelfCheck, ServicePort};
use hourmeter_runtime::shutdown::{BackgroundTasks, Shutdown};
use hourmeter_runtime::testing::{TestDatabase, database};
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::{AssertSqlSafe, Executor as _, PgConnection, SqlSafeStr as _};
use tokio_util::sync::CancellationToken;
use tonic::body::Body;
use tonic::service::Routes;
use tonic::{Code, Status};
use tower::ServiceExt as _;

/// A tenant table like those of the services.
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

async fn migrated() -> (TestDatabase, PgConnection) {
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
    admin
        .execute(AssertSqlSafe(sql))
        .await
        .expect("the statement runs");
}

#[tokio::test]
async fn self_check_accepts_migrated_databases() {
    let (made, _) = migrated().await;
    assert_eq!(problems(&made.database).await.expect("an answer"), [""; 0]);
}

#[tokio::test]
async fn self_check_reports_tables_without_tenant_policy() {
    let unforced = "table things has no forced row-level security";
    let open = "table things has no policy that keeps companies apart";
    for (wrong, expected) in [
        ("ALTER TABLE things NO FORCE ROW LEVEL SECURITY", unforced),
        ("ALTER TABLE things DISABLE ROW LEVEL SECURITY", unforced),
        ("DROP POLICY tenant ON things", open),
        ("ALTER POLICY tenant ON things USING (true)", open),
        ("ALTER POLICY tenant ON things WITH CHECK (true)", open),
        (
            "ALTER POLICY tenant ON things USING (current_setting('app.company_id', true) <> 'x')",
            open,
        ),
        (
            "ALTER POLICY tenant ON things USING (company_id = (SELECT nullif(current_setting(\
             'app.company_id', true), '')::uuid) OR name = 'shared')",
            open,
        ),
        (
            "ALTER POLICY tenant ON things WITH CHECK (company_id = (SELECT nullif(current_setting(\
             'app.company_id', true), '')::uuid) OR name = 'shared')",
            open,
        ),
        // A function with the same name that returns something else.
        (
            "CREATE FUNCTION current_setting(text, boolean) RETURNS text LANGUAGE sql RETURN $1; \
             ALTER POLICY tenant ON things USING (company_id = (SELECT nullif(\
             public.current_setting('app.company_id', true), '')::uuid))",
            open,
        ),
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
        let (made, mut admin) = migrated().await;
        run(&mut admin, wrong.to_owned()).await;
        let found = problems(&made.database).await.expect("an answer");
        assert_eq!(found, [expected], "{wrong}");
    }
}

/// A pool with a role of this test, because other tests use the service's role.
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

/// The default of WITH CHECK is the USING condition.
#[tokio::test]
async fn self_check_accepts_one_condition_for_read_and_write() {
    let (made, mut admin) = migrated().await;
    let wanted = "company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid)";
    run(
        &mut admin,
        format!("DROP POLICY tenant ON things; CREATE POLICY tenant ON things USING ({wanted})"),
    )
    .await;
    assert_eq!(problems(&made.database).await.expect("an answer"), [""; 0]);
}

/// Drops a role of a test.
async fn drop_role(admin: &mut PgConnection, role: &str) {
    run(
        admin,
        format!("DROP OWNED BY {role} CASCADE; DROP ROLE {role}"),
    )
    .await;
}

#[tokio::test]
async fn self_check_reports_memberships_in_privileged_roles() {
    let (made, mut admin) = migrated().await;
    let name = |kind: &str| format!("{kind}_{}", uuid::Uuid::now_v7().simple());
    for (above, expected) in [
        ("SUPERUSER", ", a superuser"),
        ("BYPASSRLS", ", which has BYPASSRLS"),
    ] {
        let (above_name, between) = (name("above"), name("between"));
        run(
            &mut admin,
            format!("CREATE ROLE {above_name} {above}; CREATE ROLE {between} IN ROLE {above_name}"),
        )
        .await;
        let member = format!("NOINHERIT IN ROLE {between}");
        let (database, role) = as_role(&made, &mut admin, &member).await;
        let found = problems(&database).await.expect("an answer");
        let expected = format!("the database role {role} is a member of {above_name}{expected}");
        assert!(found.contains(&expected), "{found:?}");
        database.close().await;
        for role in [role, between, above_name] {
            drop_role(&mut admin, &role).await;
        }
    }
    // Through another role.
    for (above, expected) in [
        ("tenant_lookup", "is a member of tenant_lookup"),
        ("hourmeter_equipment_owner", "is an owner of things"),
    ] {
        let between = name("between");
        run(&mut admin, format!("CREATE ROLE {between} IN ROLE {above}")).await;
        let (database, role) = as_role(&made, &mut admin, &format!("IN ROLE {between}")).await;
        let found = problems(&database).await.expect("an answer");
        let expected = format!("the database role {role} {expected}");
        assert!(found.contains(&expected), "{found:?}");
        database.close().await;
        for role in [role, between] {
            drop_role(&mut admin, &role).await;
        }
    }
}

#[tokio::test]
async fn self_check_reports_privileged_roles() {
    let (made, mut admin) = migrated().await;
    for (more, expected) in [
        ("SUPERUSER", "is a superuser"),
        ("BYPASSRLS", "has BYPASSRLS"),
        ("IN ROLE tenant_lookup", "is a member of tenant_lookup"),
        ("IN ROLE hourmeter_equipment_owner", "is an owner of things"),
    ] {
        let (database, role) = as_role(&made, &mut admin, more).await;
        let found = problems(&database).await.expect("an answer");
        let expected = format!("the database role {role} {expected}");
        assert!(found.contains(&expected), "{more}: {found:?}");
        database.close().await;
        drop_role(&mut admin, &role).await;
    }
    let (database, role) = as_role(&made, &mut admin, "").await;
    run(&mut admin, format!("ALTER TABLE plans OWNER TO {role}")).await;
    let found = problems(&database).await.expect("an answer");
    assert_eq!(
        found,
        [format!("the database role {role} is an owner of plans")]
    );
    database.close().await;
    drop_role(&mut admin, &role).await;
}

/// Serves with a self-check until it is ready, ends or 3 s pass. Returns the result of a call, and the
/// error if it ended.
async fn serve_and_call(
    database: Database,
    linger: Duration,
) -> (Result<(), Code>, Option<String>) {
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = free.local_addr().expect("an address");
    drop(free);
    let port = ServicePort::open(Service::Equipment, address, database);
    let mut port = port.await.expect("a port");
    port.self_check = Some(SelfCheck { linger });
    let readiness = port.readiness.clone();
    let answer = async || {
        let answer = http::Response::builder().header("grpc-status", "0");
        answer.body(Body::empty()).expect("an answer")
    };
    let routes = Routes::from(Router::new().fallback(answer));
    let stop = CancellationToken::new();
    let mut serving = tokio::spawn(port.serve(routes, Shutdown::from(stop.clone())));
    let known = async {
        while !readiness.load(Ordering::Relaxed) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let wait = tokio::time::sleep(Duration::from_secs(3));
    let ended = tokio::select! {
        ended = &mut serving => Some(ended.expect("no panic").expect_err("a failed self-check").to_string()),
        () = known => None,
        () = wait => None,
    };
    let policy = Arc::new(policy_table().expect("a complete table"));
    let backend = over_tcp(
        Service::Equipment,
        &format!("http://{address}"),
        policy,
        None,
    );
    let request = http::Request::post("/hourmeter.equipment.v1.EquipmentService/Any");
    let request = request.body(Body::empty()).expect("a request");
    let answer = backend.expect("a backend").oneshot(request).await;
    let answer = answer.map_err(|status| status.code()).and_then(|answer| {
        match Status::from_header_map(answer.headers()) {
            Some(status) if status.code() != Code::Ok => Err(status.code()),
            _ => Ok(()),
        }
    });
    serving.abort();
    (answer, ended)
}

#[tokio::test]
async fn failed_self_check_serves_no_calls() {
    let (made, _) = migrated().await;
    let (answer, ended) = serve_and_call(made.database, Duration::ZERO).await;
    assert_eq!((answer, ended), (Ok(()), None));
    let superuser = || Database::connect(&made.admin_url, 2).expect("a pool");
    // It does not serve while it lingers, and then it ends.
    let (answer, ended) = serve_and_call(superuser(), Duration::from_mins(1)).await;
    assert_eq!((answer, ended), (Err(Code::Unavailable), None));
    let (_, ended) = serve_and_call(superuser(), Duration::ZERO).await;
    assert!(ended.is_some());
}

#[tokio::test]
async fn failed_self_check_starts_no_background_tasks() {
    let (made, mut admin) = migrated().await;
    for (more, fine) in [("SUPERUSER", false), ("", true)] {
        let (database, role) = as_role(&made, &mut admin, more).await;
        let (stop, started) = (CancellationToken::new(), CancellationToken::new());
        let background = BackgroundTasks::paused(stop.clone());
        let signal = started.clone();
        background.spawn(|_| async move { signal.cancel() });
        let address = ([127, 0, 0, 1], 0).into();
        let port = ServicePort::open(Service::Equipment, address, database.clone()).await;
        let mut port = port.expect("a port");
        port.self_check = Some(SelfCheck {
            linger: Duration::ZERO,
        });
        port.background = Some(background);
        let ended = tokio::select! {
            ended = port.serve(Routes::default(), stop.into()) => Some(ended.is_err()),
            () = started.cancelled() => None,
        };
        assert_eq!(ended, (!fine).then_some(true), "{more}");
        database.close().await;
        drop_role(&mut admin, &role).await;
    }
}
