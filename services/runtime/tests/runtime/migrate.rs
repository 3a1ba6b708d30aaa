//! Migrations while other sessions use the database.

use std::borrow::Cow;
use std::time::Duration;

use hourmeter_runtime::db::{MigrationTimeouts, connect_admin, migrate, migrate_with};
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::testing::{TestDatabase, database};
use secrecy::{ExposeSecret as _, SecretString};
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::postgres::PgConnectOptions;
use sqlx::{PgConnection, SqlSafeStr as _};
use tokio::net::{TcpListener, TcpStream};

const TABLE: &str = "CREATE TABLE things (name text NOT NULL)";
const INDEX: &str =
    "-- no-transaction\nCREATE UNIQUE INDEX CONCURRENTLY things_name ON things (name)";

fn steps(all: &[&'static str]) -> Migrator {
    let step = |(version, sql): (i64, &&'static str)| {
        let alone = sql.starts_with("-- no-transaction");
        let name = Cow::Borrowed("step");
        Migration::new(
            version,
            name,
            MigrationType::Simple,
            sql.into_sql_str(),
            alone,
        )
    };
    Migrator::with_migrations((1..).zip(all).map(step).collect())
}

/// A database with the first step applied.
async fn with_first_step() -> (TestDatabase, PgConnection) {
    let test = database(Service::Billing, &steps(&[TABLE])).await;
    let admin = connect_admin(&test.admin_url).await.expect("a connection");
    (test, admin)
}

async fn run(test: &TestDatabase, all: &[&'static str]) -> Result<(), String> {
    let done = migrate(Service::Billing, &test.owner_url, &steps(all)).await;
    done.map_err(|error| format!("{error:?}"))
}

async fn execute(connection: &mut PgConnection, sql: &'static str) {
    let done = sqlx::query(sql).execute(connection).await;
    done.unwrap_or_else(|error| panic!("{sql}: {error}"));
}

async fn query<T>(admin: &mut PgConnection, sql: &'static str) -> T
where
    T: for<'r> sqlx::Decode<'r, sqlx::Postgres> + sqlx::Type<sqlx::Postgres> + Send + Unpin,
{
    let found = sqlx::query_scalar(sql).fetch_one(admin).await;
    found.expect("an answer")
}

#[tokio::test]
async fn migrate_waits_for_a_server_that_is_not_reachable_yet() {
    let (test, mut admin) = with_first_step().await;
    let owner: PgConnectOptions = test.owner_url.expose_secret().parse().expect("a URL");
    let server = format!("{}:{}", owner.get_host(), owner.get_port());
    let free = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = free.local_addr().expect("an address");
    drop(free);
    let url = test.owner_url.expose_secret();
    let url = SecretString::from(url.replace(&server, &address.to_string()));
    let all = steps(&[TABLE, "CREATE TABLE others (name text)"]);

    let at_once = MigrationTimeouts {
        connect: Duration::ZERO,
        ..MigrationTimeouts::default()
    };
    let done = migrate_with(Service::Billing, &url, &all, &at_once).await;
    done.expect_err("no server");

    let start = async {
        tokio::time::sleep(Duration::from_millis(1500)).await;
        let listener = TcpListener::bind(address).await.expect("the port");
        let (mut client, _) = listener.accept().await.expect("a client");
        let mut server = TcpStream::connect(&server).await.expect("the server");
        tokio::io::copy_bidirectional(&mut client, &mut server).await
    };
    let (done, copied) = tokio::join!(migrate(Service::Billing, &url, &all), start);
    done.expect("done");
    copied.expect("the connection ended in order");
    let others = "SELECT count(*) FROM pg_class WHERE relname = 'others'";
    assert_eq!(query::<i64>(&mut admin, others).await, 1);
}

#[tokio::test]
async fn migrate_uses_the_lock_timeout() {
    let (test, mut admin) = with_first_step().await;
    let query_settings = "CREATE TABLE seen AS SELECT
        current_setting('lock_timeout') AS lock, current_setting('statement_timeout') AS statement";
    run(&test, &[TABLE, query_settings]).await.expect("done");
    let seen: String = query(&mut admin, "SELECT lock || ', ' || statement FROM seen").await;
    assert_eq!(seen, "2s, 0");
}

#[tokio::test]
async fn migrate_retries_after_a_lock_timeout() {
    let (test, mut admin) = with_first_step().await;
    let hold = async {
        for sql in ["BEGIN", "LOCK TABLE things IN ACCESS SHARE MODE"] {
            sqlx::query(sql).execute(&mut admin).await.expect("done");
        }
        // Longer than one attempt waits.
        tokio::time::sleep(Duration::from_millis(2500)).await;
        sqlx::query("COMMIT")
            .execute(&mut admin)
            .await
            .expect("done");
    };
    let add = "ALTER TABLE things ADD COLUMN size integer";
    let (done, ()) = tokio::join!(
        async {
            // After the lock is held.
            tokio::time::sleep(Duration::from_millis(100)).await;
            run(&test, &[TABLE, add]).await
        },
        hold
    );
    done.expect("done at the second attempt");
}

#[tokio::test]
async fn migrate_rebuilds_an_invalid_index() {
    let (test, mut admin) = with_first_step().await;
    let twice = "INSERT INTO things VALUES ('one'), ('one')";
    sqlx::query(twice).execute(&mut admin).await.expect("done");
    assert!(run(&test, &[TABLE, INDEX]).await.is_err());
    let broken =
        "SELECT count(*) FROM pg_index WHERE indrelid = 'things'::regclass AND NOT indisvalid";
    assert_eq!(query::<i64>(&mut admin, broken).await, 1);

    sqlx::query("DELETE FROM things")
        .execute(&mut admin)
        .await
        .expect("done");
    run(&test, &[TABLE, INDEX]).await.expect("done");
    let whole = "SELECT count(*) FROM pg_index WHERE indrelid = 'things'::regclass AND indisvalid";
    assert_eq!(query::<i64>(&mut admin, whole).await, 1);
    assert_eq!(query::<i64>(&mut admin, broken).await, 0);
}

#[tokio::test]
async fn migrate_rebuilds_an_unrecorded_index() {
    let (test, mut admin) = with_first_step().await;
    let whole = "SELECT count(*) FROM pg_index WHERE indrelid = 'things'::regclass AND indisvalid";
    // The state after a migration was killed while the server built the index.
    execute(&mut admin, "CREATE INDEX things_name ON things (name)").await;
    execute(&mut admin, "CREATE INDEX things_name_2 ON things (name)").await;
    run(&test, &[TABLE, INDEX]).await.expect("done");
    assert_eq!(query::<i64>(&mut admin, whole).await, 2);
    let unique = "SELECT string_agg(indexrelid::regclass::text, ',') FROM pg_index
        WHERE indrelid = 'things'::regclass AND indisunique";
    let unique: String = query(&mut admin, unique).await;
    assert_eq!(unique, "things_name", "of this step");
}

#[tokio::test]
async fn killed_migration_is_cancelled_by_the_server() {
    let (test, mut admin) = with_first_step().await;
    let wait = "-- a long step\nSELECT pg_sleep(600)";
    let all = [TABLE, wait];
    let killed = run(&test, &all);
    let running = "SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE '%pg_sleep(600)' AND state = 'active'";
    let until = async |admin: &mut PgConnection, wanted: i64| {
        for _ in 0..600 {
            if query::<i64>(admin, running).await == wanted {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("not {wanted} in time");
    };
    tokio::select! {
        _ = killed => panic!("it ended"),
        () = until(&mut admin, 1) => {}
    }
    // The dropped connection cancels the statement.
    until(&mut admin, 0).await;
}

#[tokio::test]
async fn concurrent_migrations_wait_for_each_other() {
    let (test, mut admin) = with_first_step().await;
    let all = [TABLE, INDEX, "CREATE TABLE others (name text)"];
    let runs = (0..4).map(|_| run(&test, &all));
    for done in futures::future::join_all(runs).await {
        done.expect("done");
    }
    let steps = "SELECT count(*) FROM _sqlx_migrations";
    assert_eq!(query::<i64>(&mut admin, steps).await, 3);
}

/// Whether the lookup role may create objects.
const LOOKUP_MAY_CREATE: &str = "SELECT has_schema_privilege('tenant_lookup', 'public', 'CREATE')";
const BUILT: &str =
    "SELECT count(*) FROM pg_index WHERE indrelid = 'things'::regclass AND indisvalid";

/// Opens a transaction that reads `things`, like a backup, for this time.
async fn read_for(connection: &mut PgConnection, time: Duration) {
    execute(connection, "BEGIN ISOLATION LEVEL REPEATABLE READ").await;
    query::<i64>(connection, "SELECT count(*) FROM things").await;
    tokio::time::sleep(time).await;
    execute(connection, "COMMIT").await;
}

#[tokio::test]
async fn migrate_waits_long_for_concurrent_indexes() {
    let (test, mut admin) = with_first_step().await;
    let (done, ()) = tokio::join!(
        async {
            // After the transaction started.
            tokio::time::sleep(Duration::from_millis(200)).await;
            run(&test, &[TABLE, INDEX]).await
        },
        // Longer than the lock timeout of other steps.
        read_for(&mut admin, Duration::from_secs(3))
    );
    done.expect("done");
    assert_eq!(query::<i64>(&mut admin, BUILT).await, 1);
}

#[tokio::test]
async fn migrate_retries_an_index_after_a_timeout() {
    let (test, mut admin) = with_first_step().await;
    let timeouts = MigrationTimeouts {
        index: Duration::from_millis(300),
        ..MigrationTimeouts::default()
    };
    let all = steps(&[TABLE, INDEX]);
    let (done, ()) = tokio::join!(
        async {
            tokio::time::sleep(Duration::from_millis(200)).await;
            migrate_with(Service::Billing, &test.owner_url, &all, &timeouts).await
        },
        // The first build and the drop of its remains both time out.
        read_for(&mut admin, Duration::from_secs(2))
    );
    done.expect("done at a later attempt");
    let all = "SELECT count(*) FROM pg_index WHERE indrelid = 'things'::regclass";
    assert_eq!(query::<i64>(&mut admin, all).await, 1);
    assert_eq!(query::<i64>(&mut admin, BUILT).await, 1);
}

#[tokio::test]
async fn migrate_leaves_a_later_schema_unchanged() {
    let (test, mut admin) = with_first_step().await;
    let others = "CREATE TABLE others (name text)";
    let more = "CREATE TABLE more (name text)";
    run(&test, &[TABLE, others, more]).await.expect("done");
    run(&test, &[TABLE]).await.expect("left unchanged");
    run(&test, &[TABLE, others]).await.expect("left unchanged");
    let all = "SELECT count(*) FROM _sqlx_migrations";
    assert_eq!(query::<i64>(&mut admin, all).await, 3);
    assert!(!query::<bool>(&mut admin, LOOKUP_MAY_CREATE).await);
    run(&test, &[TABLE, others, more]).await.expect("done");
}

#[tokio::test]
async fn migrate_rejects_a_diverged_schema() {
    let second = "CREATE TABLE others (name text)";
    let third = "CREATE TABLE third (name text)";
    let all = [TABLE, second, third];
    // Applied steps, known steps, and the expected error.
    let cases: [(&[i64], &[i64], &str); 3] = [
        (&[1, 2, 3], &[1, 3], "VersionMissing(2)"),
        (&[1, 2, 3], &[2, 3], "VersionMissing(1)"),
        (&[1, 3], &[1, 2], "VersionMissing(3)"),
    ];
    for (done, known, wrong) in cases {
        let (test, mut admin) = with_first_step().await;
        let some = |wanted: &[i64]| {
            let all = steps(&all);
            let wanted = all.iter().filter(|step| wanted.contains(&step.version));
            Migrator::with_migrations(wanted.cloned().collect())
        };
        let of = |wanted| {
            let (service, url) = (Service::Billing, &test.owner_url);
            async move { migrate(service, url, &some(wanted)).await }
        };
        of(done).await.expect("done");
        let refused = of(known).await.expect_err("not its schema");
        assert!(format!("{refused:?}").contains(wrong), "{refused:?}");
        let recorded = "SELECT count(*) FROM _sqlx_migrations";
        let recorded = query::<i64>(&mut admin, recorded).await;
        assert_eq!(recorded, i64::try_from(done.len()).expect("few"));
    }
    // All unknown steps are newer, but the known step has another checksum.
    let (test, _) = with_first_step().await;
    run(&test, &all).await.expect("done");
    let refused = run(&test, &[second]).await.expect_err("not its schema");
    assert!(refused.contains("VersionMismatch(1)"), "{refused}");
}

#[tokio::test]
async fn failed_migration_revokes_rights() {
    let (test, mut admin) = with_first_step().await;
    let failed = run(&test, &[TABLE, "SELECT 1 / 0"]).await;
    assert!(failed.is_err_and(|error| error.contains("division by zero")));
    assert!(!query::<bool>(&mut admin, LOOKUP_MAY_CREATE).await);

    // Also after a killed migration, once another one has run.
    execute(&mut admin, "GRANT CREATE ON SCHEMA public TO tenant_lookup").await;
    run(&test, &[TABLE]).await.expect("done");
    assert!(!query::<bool>(&mut admin, LOOKUP_MAY_CREATE).await);
}

#[tokio::test]
async fn migrate_times_out_and_names_the_lock_holder() {
    let (test, mut admin) = with_first_step().await;
    execute(&mut admin, "SELECT pg_advisory_lock(4713)").await;
    let other: i32 = query(&mut admin, "SELECT pg_backend_pid()").await;
    let timeouts = MigrationTimeouts {
        migration_lock: Duration::from_millis(300),
        ..MigrationTimeouts::default()
    };
    let all = steps(&[TABLE, "CREATE TABLE others (name text)"]);
    let wait = || migrate_with(Service::Billing, &test.owner_url, &all, &timeouts);
    let error = format!("{:?}", wait().await.expect_err("a timeout"));
    let holder = format!("process {other} of the server, postgres from ");
    assert!(
        error.contains("has not ended") && error.contains(&holder),
        "{error}"
    );

    execute(&mut admin, "SELECT pg_advisory_unlock(4713)").await;
    wait().await.expect("done");
}
