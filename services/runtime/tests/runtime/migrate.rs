//! Migrations on a database that is at work: they wait in turn, give up locks soon, and clean up.

use std::borrow::Cow;
use std::time::Duration;

use hourmeter_runtime::db::{MigrationTimeouts, connect_admin, migrate, migrate_with};
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::testing::{TestDatabase, database};
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::{PgConnection, SqlSafeStr as _};

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

/// A database where the first step was done.
async fn begun() -> (TestDatabase, PgConnection) {
    let test = database(Service::Billing, &steps(&[TABLE])).await;
    let admin = connect_admin(&test.admin_url).await.expect("a connection");
    (test, admin)
}

async fn run(test: &TestDatabase, all: &[&'static str]) -> Result<(), String> {
    let done = migrate(Service::Billing, &test.owner_url, &steps(all)).await;
    done.map_err(|failure| format!("{failure:?}"))
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
async fn a_migration_waits_for_locks_as_long_as_it_should() {
    let (test, mut admin) = begun().await;
    let ask = "CREATE TABLE seen AS SELECT
        current_setting('lock_timeout') AS lock, current_setting('statement_timeout') AS statement";
    run(&test, &[TABLE, ask]).await.expect("done");
    let seen: String = query(&mut admin, "SELECT lock || ', ' || statement FROM seen").await;
    assert_eq!(seen, "2s, 0");
}

#[tokio::test]
async fn a_lock_that_is_held_for_a_while_stops_no_migration() {
    let (test, mut admin) = begun().await;
    let hold = async {
        for sql in ["BEGIN", "LOCK TABLE things IN ACCESS SHARE MODE"] {
            sqlx::query(sql).execute(&mut admin).await.expect("done");
        }
        // Longer than one try waits.
        tokio::time::sleep(Duration::from_millis(2500)).await;
        sqlx::query("COMMIT")
            .execute(&mut admin)
            .await
            .expect("done");
    };
    let add = "ALTER TABLE things ADD COLUMN size integer";
    let (done, ()) = tokio::join!(
        async {
            // After the lock was taken.
            tokio::time::sleep(Duration::from_millis(100)).await;
            run(&test, &[TABLE, add]).await
        },
        hold
    );
    done.expect("done at the second try");
}

#[tokio::test]
async fn an_index_whose_build_broke_off_is_built_again() {
    let (test, mut admin) = begun().await;
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
async fn an_index_that_was_built_and_not_noted_is_built_again() {
    let (test, mut admin) = begun().await;
    let whole = "SELECT count(*) FROM pg_index WHERE indrelid = 'things'::regclass AND indisvalid";
    // As it is when a migration is killed while the server builds.
    execute(&mut admin, "CREATE INDEX things_name ON things (name)").await;
    execute(&mut admin, "CREATE INDEX things_name_2 ON things (name)").await;
    run(&test, &[TABLE, INDEX]).await.expect("done");
    assert_eq!(query::<i64>(&mut admin, whole).await, 2);
    let unique = "SELECT string_agg(indexrelid::regclass::text, ',') FROM pg_index
        WHERE indrelid = 'things'::regclass AND indisunique";
    let unique: String = query(&mut admin, unique).await;
    assert_eq!(unique, "things_name", "the step's own");
}

#[tokio::test]
async fn the_statement_of_a_migration_that_was_killed_ends() {
    let (test, mut admin) = begun().await;
    let wait = "-- a step that goes on for long\nSELECT pg_sleep(600)";
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
    // With the connection, which nobody closes in order.
    until(&mut admin, 0).await;
}

#[tokio::test]
async fn many_at_the_same_time_take_turns() {
    let (test, mut admin) = begun().await;
    let all = [TABLE, INDEX, "CREATE TABLE others (name text)"];
    let runs = (0..4).map(|_| run(&test, &all));
    for done in futures::future::join_all(runs).await {
        done.expect("done");
    }
    let steps = "SELECT count(*) FROM _sqlx_migrations";
    assert_eq!(query::<i64>(&mut admin, steps).await, 3);
}

/// Whether the role of the lookup functions could make anything else.
const LOOKUP_MAY_CREATE: &str = "SELECT has_schema_privilege('tenant_lookup', 'public', 'CREATE')";
const BUILT: &str =
    "SELECT count(*) FROM pg_index WHERE indrelid = 'things'::regclass AND indisvalid";

/// Opens a transaction that reads `things`, as a backup does, and goes on for a while.
async fn read_for(connection: &mut PgConnection, time: Duration) {
    execute(connection, "BEGIN ISOLATION LEVEL REPEATABLE READ").await;
    query::<i64>(connection, "SELECT count(*) FROM things").await;
    tokio::time::sleep(time).await;
    execute(connection, "COMMIT").await;
}

#[tokio::test]
async fn an_index_waits_for_a_transaction_that_goes_on_for_long() {
    let (test, mut admin) = begun().await;
    let (done, ()) = tokio::join!(
        async {
            // After it began.
            tokio::time::sleep(Duration::from_millis(200)).await;
            run(&test, &[TABLE, INDEX]).await
        },
        // Longer than other steps wait.
        read_for(&mut admin, Duration::from_secs(3))
    );
    done.expect("done");
    assert_eq!(query::<i64>(&mut admin, BUILT).await, 1);
}

#[tokio::test]
async fn an_index_that_waited_too_long_is_built_anew() {
    let (test, mut admin) = begun().await;
    let patience = MigrationTimeouts {
        index: Duration::from_millis(300),
        ..MigrationTimeouts::default()
    };
    let all = steps(&[TABLE, INDEX]);
    let (done, ()) = tokio::join!(
        async {
            tokio::time::sleep(Duration::from_millis(200)).await;
            migrate_with(Service::Billing, &test.owner_url, &all, &patience).await
        },
        // Neither the build nor, at the second try, taking its rest away come to an end.
        read_for(&mut admin, Duration::from_secs(2))
    );
    done.expect("done at a later try");
    let all = "SELECT count(*) FROM pg_index WHERE indrelid = 'things'::regclass";
    assert_eq!(query::<i64>(&mut admin, all).await, 1);
    assert_eq!(query::<i64>(&mut admin, BUILT).await, 1);
}

#[tokio::test]
async fn a_release_that_is_taken_back_leaves_a_newer_schema_as_it_is() {
    let (test, mut admin) = begun().await;
    let others = "CREATE TABLE others (name text)";
    let more = "CREATE TABLE more (name text)";
    run(&test, &[TABLE, others, more]).await.expect("done");
    run(&test, &[TABLE]).await.expect("left as it is");
    run(&test, &[TABLE, others]).await.expect("left as it is");
    let all = "SELECT count(*) FROM _sqlx_migrations";
    assert_eq!(query::<i64>(&mut admin, all).await, 3);
    assert!(!query::<bool>(&mut admin, LOOKUP_MAY_CREATE).await);
    run(&test, &[TABLE, others, more]).await.expect("done");
}

#[tokio::test]
async fn a_schema_that_is_not_a_later_one_of_the_same_line_is_refused() {
    let second = "CREATE TABLE others (name text)";
    let third = "CREATE TABLE third (name text)";
    let all = [TABLE, second, third];
    // Steps that were done, those that are known, and what is wrong with that.
    let cases: [(&[i64], &[i64], &str); 3] = [
        (&[1, 2, 3], &[1, 3], "VersionMissing(2)"),
        (&[1, 2, 3], &[2, 3], "VersionMissing(1)"),
        (&[1, 3], &[1, 2], "VersionMissing(3)"),
    ];
    for (done, known, wrong) in cases {
        let (test, mut admin) = begun().await;
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
        let noted = "SELECT count(*) FROM _sqlx_migrations";
        let noted = query::<i64>(&mut admin, noted).await;
        assert_eq!(noted, i64::try_from(done.len()).expect("few"));
    }
    // All that is unknown is newer, but what is known was something else.
    let (test, _) = begun().await;
    run(&test, &all).await.expect("done");
    let refused = run(&test, &[second]).await.expect_err("not its schema");
    assert!(refused.contains("VersionMismatch(1)"), "{refused}");
}

#[tokio::test]
async fn a_migration_that_fails_leaves_no_right_behind() {
    let (test, mut admin) = begun().await;
    let failed = run(&test, &[TABLE, "SELECT 1 / 0"]).await;
    assert!(failed.is_err_and(|said| said.contains("division by zero")));
    assert!(!query::<bool>(&mut admin, LOOKUP_MAY_CREATE).await);

    // Nor does one that was killed, once another has run.
    execute(&mut admin, "GRANT CREATE ON SCHEMA public TO tenant_lookup").await;
    run(&test, &[TABLE]).await.expect("done");
    assert!(!query::<bool>(&mut admin, LOOKUP_MAY_CREATE).await);
}

#[tokio::test]
async fn a_turn_that_never_comes_is_given_up_and_says_who_has_it() {
    let (test, mut admin) = begun().await;
    execute(&mut admin, "SELECT pg_advisory_lock(4713)").await;
    let other: i32 = query(&mut admin, "SELECT pg_backend_pid()").await;
    let patience = MigrationTimeouts {
        turn: Duration::from_millis(300),
        ..MigrationTimeouts::default()
    };
    let all = steps(&[TABLE, "CREATE TABLE others (name text)"]);
    let wait = || migrate_with(Service::Billing, &test.owner_url, &all, &patience);
    let said = format!("{:?}", wait().await.expect_err("not its turn"));
    let who = format!("process {other} of the server, postgres from ");
    assert!(
        said.contains("has not ended") && said.contains(&who),
        "{said}"
    );

    execute(&mut admin, "SELECT pg_advisory_unlock(4713)").await;
    wait().await.expect("done");
}
