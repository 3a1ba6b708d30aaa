//! Migrations on a database that is at work: they wait in turn, give up locks soon, and clean up.

use std::borrow::Cow;
use std::time::Duration;

use hourmeter_runtime::db::{connect_admin, migrate};
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
