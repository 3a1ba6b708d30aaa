//! Brings a schema up to date while services work on it.

use futures::future::BoxFuture;
use std::time::Duration;

use secrecy::{ExposeSecret as _, SecretString};
use sqlx::error::DatabaseError;
use sqlx::migrate::{AppliedMigration, Migrate as _, MigrateError, Migration, Migrator};
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _, PgConnection};
use tokio::time::Instant;

use super::{run, service_role};
use crate::error::ServiceError;
use crate::identity::Service;

/// Where sqlx notes what was done.
const DONE: &str = "_sqlx_migrations";
/// How often a step that waited too long for a lock is tried before it fails.
const LOCK_TRIES: u32 = 10;
/// The same for an index that is built or dropped beside the services' work; each try waits long.
const INDEX_TRIES: u32 = 4;
/// How long services get between two such tries.
const LOCK_PAUSE: Duration = Duration::from_secs(1);
/// How often is asked whether another migration has ended.
const TURN_PAUSE: Duration = Duration::from_millis(100);
/// How often the server looks whether the migration that a statement is for is still there.
const NOTICE_GONE: &str = "SET client_connection_check_interval = '5s'";
/// How often is said that it has not.
const TURN_NOTICE: Duration = Duration::from_secs(30);

/// How long a migration waits before it gives up, for a try or for good.
#[derive(Clone, Copy, Debug)]
pub struct MigrationTimeouts {
    /// For a lock. Everybody who comes after a statement that waits for one waits behind it.
    pub lock: Duration,
    /// For transactions that began before an index that is built or dropped concurrently, such as
    /// a backup. Neither readers nor writers wait behind that.
    pub index: Duration,
    /// For another migration of the same database.
    pub turn: Duration,
}

impl Default for MigrationTimeouts {
    fn default() -> Self {
        Self {
            lock: Duration::from_secs(2),
            index: Duration::from_mins(5),
            turn: Duration::from_mins(10),
        }
    }
}

/// Brings one service's schema up to date, as the owner role of `owner_url`. May run while services
/// work on it, and at the same time as another: one does it, the others wait.
///
/// A schema that a later release has brought further stays as it is: the programs of these `steps`
/// work on it too.
pub fn migrate<'a>(
    service: Service,
    owner_url: &'a SecretString,
    steps: &'a Migrator,
) -> BoxFuture<'a, Result<(), ServiceError>> {
    Box::pin(
        async move { migrate_with(service, owner_url, steps, &MigrationTimeouts::default()).await },
    )
}

/// The same, waiting as long as said.
pub fn migrate_with<'a>(
    service: Service,
    owner_url: &'a SecretString,
    steps: &'a Migrator,
    patience: &'a MigrationTimeouts,
) -> BoxFuture<'a, Result<(), ServiceError>> {
    Box::pin(async move {
        let options: PgConnectOptions = owner_url
            .expose_secret()
            .parse()
            .map_err(ServiceError::internal)?;
        let options = options.options([("statement_timeout", "0")]);
        let mut owner = options.disable_statement_logging().connect().await?;
        // Else the server goes on with a long statement of a migration that was killed, and with its
        // turn. Not every system can tell the server that a client has gone.
        if let Err(error) = owner.execute(NOTICE_GONE).await {
            tracing::info!(%error, "the server will not notice if this migration is killed");
        }
        wait_for_turn(&mut owner, patience.turn).await?;
        set_lock_timeout(&mut owner, patience.lock).await?;
        let done = in_turn(&mut owner, service, steps, patience).await;
        // However it went, and whatever one that was killed has left.
        let revoked = owner
            .execute("REVOKE CREATE ON SCHEMA public FROM tenant_lookup")
            .await;
        done?;
        revoked?;
        // Ends its turn.
        Ok(owner.close().await?)
    })
}

async fn in_turn(
    owner: &mut PgConnection,
    service: Service,
    steps: &Migrator,
    patience: &MigrationTimeouts,
) -> Result<(), ServiceError> {
    let internal = |error: MigrateError| ServiceError::internal(error);
    owner
        .ensure_migrations_table(DONE)
        .await
        .map_err(internal)?;
    let done = owner
        .list_applied_migrations(DONE)
        .await
        .map_err(internal)?;
    if let Some(newest) = newer_release(&done, steps) {
        tracing::warn!(
            newest,
            "a later release has brought the schema further; it stays as it is"
        );
        let mut known = Migrator::with_migrations(steps.iter().cloned().collect());
        known.set_ignore_missing(true);
        // All of them are there: it only compares what they were.
        return known.run_direct(None, owner, false).await.map_err(internal);
    }
    // The functions of the lookup role are made here, and nothing else is.
    owner
        .execute("GRANT USAGE, CREATE ON SCHEMA public TO tenant_lookup")
        .await?;
    run(
        owner,
        format!("GRANT USAGE ON SCHEMA public TO {}", service_role(service)),
    )
    .await?;
    let is_done = |step: &Migration| done.iter().any(|known| known.version == step.version);
    for step in steps.iter().filter(|step| !is_done(step)) {
        run_step(owner, steps, step, patience).await?;
    }
    // Also where nothing was left to do, what was done has to be what is known.
    steps.run_direct(None, owner, false).await.map_err(internal)
}

/// The newest step that was done, if all of these were and only later ones besides them.
fn newer_release(done: &[AppliedMigration], steps: &Migrator) -> Option<i64> {
    let last = steps.iter().map(|step| step.version).max()?;
    let was_done = |step: &Migration| done.iter().any(|known| known.version == step.version);
    let mut unknown = done
        .iter()
        .map(|known| known.version)
        .filter(|version| !steps.version_exists(*version));
    let newest = unknown.clone().max()?;
    (unknown.all(|version| version > last) && steps.iter().all(was_done)).then_some(newest)
}

/// Runs one step, again while it waits too long for a lock.
async fn run_step(
    owner: &mut PgConnection,
    steps: &Migrator,
    step: &Migration,
    patience: &MigrationTimeouts,
) -> Result<(), ServiceError> {
    let is_index = step.no_tx && says(step, &["INDEX", "CONCURRENTLY"]);
    let most = if is_index { INDEX_TRIES } else { LOCK_TRIES };
    let mut tries = 1;
    loop {
        let result = if is_index {
            set_lock_timeout(owner, patience.index).await?;
            let result = run_index_step(owner, steps, step).await;
            set_lock_timeout(owner, patience.lock).await?;
            result
        } else {
            steps.run_direct(Some(step.version), owner, false).await
        };
        let Err(error) = result else {
            return Ok(());
        };
        if tries == most || !is_lock_timeout(&error) {
            return Err(ServiceError::internal(error));
        }
        tracing::warn!(
            step = step.version,
            tries,
            "a migration waited too long for a lock; trying again"
        );
        tries += 1;
        tokio::time::sleep(LOCK_PAUSE).await;
    }
}

/// An index that a try before this one built, or began to, is in the way of the next.
async fn run_index_step(
    owner: &mut PgConnection,
    steps: &Migrator,
    step: &Migration,
) -> Result<(), MigrateError> {
    drop_unnoted_index(owner, step).await?;
    steps.run_direct(Some(step.version), owner, false).await
}

/// Takes away what a build left that broke off, or that ended and was not noted because the
/// migration was killed beside it, so that the step can run again.
async fn drop_unnoted_index(owner: &mut PgConnection, step: &Migration) -> sqlx::Result<()> {
    let there: Vec<String> = sqlx::query_scalar(
        "SELECT relname::text
        FROM pg_class
        WHERE relkind = 'i' AND relnamespace = 'public'::regnamespace",
    )
    .fetch_all(&mut *owner)
    .await?;
    let builds = |name: &String| {
        let mut ways = ["CREATE", "UNIQUE"].into_iter();
        ways.any(|way| says(step, &[way, "INDEX", "CONCURRENTLY", name]))
    };
    for name in there.iter().filter(|name| builds(name)) {
        tracing::warn!(name, "dropping an index whose build was not noted as done");
        let drop = format!("DROP INDEX CONCURRENTLY {name}");
        owner.execute(AssertSqlSafe(drop)).await?;
    }
    Ok(())
}

/// Whether these words stand in a step, one after the other.
fn says(step: &Migration, phrase: &[&str]) -> bool {
    let words: Vec<&str> = step.sql.as_str().split_whitespace().collect();
    let same = |(word, wanted): (&&str, &&str)| word.eq_ignore_ascii_case(wanted);
    let mut places = words.windows(phrase.len());
    places.any(|place| place.iter().zip(phrase).all(same))
}

/// Returns once nobody else migrates this database. Asks again and again: a statement that waits
/// would hold a snapshot, and an index that is built meanwhile would wait for that.
async fn wait_for_turn(owner: &mut PgConnection, most: Duration) -> Result<(), ServiceError> {
    let ask = "SELECT pg_try_advisory_lock(4713)";
    let (since, mut notice) = (Instant::now(), Instant::now());
    while !sqlx::query_scalar(ask).fetch_one(&mut *owner).await? {
        if since.elapsed() >= most {
            let other = whose_turn(owner).await?;
            return Err(ServiceError::internal(format!(
                "another migration of this database has not ended within {} s: {other}; \
                 end it, or start this one again later",
                most.as_secs()
            )));
        }
        if Instant::now() >= notice {
            let other = whose_turn(owner).await?;
            tracing::info!(other, "waiting for another migration of this database");
            notice += TURN_NOTICE;
        }
        tokio::time::sleep(TURN_PAUSE).await;
    }
    Ok(())
}

/// Whose session has the turn, in words.
async fn whose_turn(owner: &mut PgConnection) -> Result<String, ServiceError> {
    let ask = "
        SELECT format('process %s of the server, %s from %s since %s',
            a.pid, a.usename, coalesce(host(a.client_addr), 'its own host'), a.backend_start)
        FROM pg_locks l
        JOIN pg_stat_activity a ON a.pid = l.pid
        WHERE l.locktype = 'advisory' AND l.granted AND (l.classid, l.objid, l.objsubid) = (0, 4713, 1)
            AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    let other: Option<String> = sqlx::query_scalar(ask).fetch_optional(owner).await?;
    Ok(other.unwrap_or_else(|| "one that has just ended".to_owned()))
}

async fn set_lock_timeout(owner: &mut PgConnection, most: Duration) -> Result<(), ServiceError> {
    run(
        owner,
        format!("SET lock_timeout = {}", most.as_millis().max(1)),
    )
    .await
}

fn is_lock_timeout(error: &MigrateError) -> bool {
    let (MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _)) = error else {
        return false;
    };
    let code = error.as_database_error().and_then(DatabaseError::code);
    code.as_deref() == Some("55P03")
}
