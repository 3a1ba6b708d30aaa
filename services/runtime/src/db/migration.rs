//! Schema migrations that run while services use the database.

use futures::future::BoxFuture;
use std::time::Duration;

use secrecy::SecretString;
use sqlx::error::DatabaseError;
use sqlx::migrate::{AppliedMigration, Migrate as _, MigrateError, Migration, Migrator};
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _, PgConnection};
use tokio::time::Instant;

use super::{parse_url, run, service_role};
use crate::error::ServiceError;
use crate::identity::Service;

/// sqlx's table of applied migrations.
const APPLIED_TABLE: &str = "_sqlx_migrations";
/// Attempts of a step that fails with a lock timeout.
const LOCK_ATTEMPTS: u32 = 10;
/// Attempts to build or drop an index concurrently; each waits long.
const INDEX_ATTEMPTS: u32 = 4;
const LOCK_PAUSE: Duration = Duration::from_secs(1);
/// Interval of attempts to connect.
const CONNECT_POLL: Duration = Duration::from_secs(1);
/// Interval of attempts to take the migration lock.
const MIGRATION_LOCK_POLL: Duration = Duration::from_millis(100);
/// Lets the server cancel a statement whose client was killed.
const CHECK_CLIENT: &str = "SET client_connection_check_interval = '5s'";
/// Interval of log lines while waiting for the migration lock.
const MIGRATION_LOCK_LOG: Duration = Duration::from_secs(30);

/// Timeouts of a migration.
#[derive(Clone, Copy, Debug)]
pub struct MigrationTimeouts {
    /// For a server that is not reachable yet.
    pub connect: Duration,
    /// For a lock, in one attempt. Statements that need the same lock queue behind the migration.
    pub lock: Duration,
    /// For an index that is built or dropped concurrently, in one attempt. It waits for older
    /// transactions, such as a backup; readers and writers do not queue behind it.
    pub index: Duration,
    /// For another migration of the same database.
    pub migration_lock: Duration,
}

impl Default for MigrationTimeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(30),
            lock: Duration::from_secs(2),
            index: Duration::from_mins(5),
            migration_lock: Duration::from_mins(10),
        }
    }
}

/// Migrates one service's schema as the owner role of `owner_url`. Services may keep running.
/// Concurrent migrations wait for each other.
///
/// A schema of a later release is left unchanged; the programs of these `steps` work with it.
pub async fn migrate(
    service: Service,
    owner_url: &SecretString,
    steps: &Migrator,
) -> Result<(), ServiceError> {
    migrate_with(service, owner_url, steps, &MigrationTimeouts::default()).await
}

/// [`migrate`] with other timeouts.
pub fn migrate_with<'a>(
    service: Service,
    owner_url: &'a SecretString,
    steps: &'a Migrator,
    timeouts: &'a MigrationTimeouts,
) -> BoxFuture<'a, Result<(), ServiceError>> {
    Box::pin(async move {
        let options = parse_url(owner_url)?.options([("statement_timeout", "0")]);
        let options = options.disable_statement_logging();
        let mut owner = connect(&options, timeouts.connect).await?;
        // Otherwise the server continues a long statement of a killed migration and keeps its lock.
        // Not every operating system supports the check.
        if let Err(error) = owner.execute(CHECK_CLIENT).await {
            tracing::info!(%error, "the server does not detect a killed migration");
        }
        take_migration_lock(&mut owner, timeouts.migration_lock).await?;
        set_lock_timeout(&mut owner, timeouts.lock).await?;
        let done = apply(&mut owner, service, steps, timeouts).await;
        // Also after a failure, and after an earlier migration that was killed.
        let revoked = owner
            .execute("REVOKE CREATE ON SCHEMA public FROM tenant_lookup")
            .await;
        done?;
        revoked?;
        // Releases the migration lock.
        Ok(owner.close().await?)
    })
}

/// Waits for a server that starts, and for the network of a new pod: a cluster may apply its rules
/// after the pod's start, and until then names are not found and connections fail.
async fn connect(
    options: &PgConnectOptions,
    timeout: Duration,
) -> Result<PgConnection, sqlx::Error> {
    let end = Instant::now() + timeout;
    loop {
        match options.connect().await {
            Err(error) if is_not_reachable(&error) && Instant::now() < end => {
                tracing::info!(%error, "the database is not reachable yet");
                tokio::time::sleep(CONNECT_POLL).await;
            }
            done => return done,
        }
    }
}

fn is_not_reachable(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) => true,
        // The server starts or shuts down.
        sqlx::Error::Database(inner) => inner.code().is_some_and(|code| code == "57P03"),
        _ => false,
    }
}

async fn apply(
    owner: &mut PgConnection,
    service: Service,
    steps: &Migrator,
    timeouts: &MigrationTimeouts,
) -> Result<(), ServiceError> {
    let internal = |error: MigrateError| ServiceError::internal(error);
    owner
        .ensure_migrations_table(APPLIED_TABLE)
        .await
        .map_err(internal)?;
    let applied = owner
        .list_applied_migrations(APPLIED_TABLE)
        .await
        .map_err(internal)?;
    if let Some(newest) = newer_release(&applied, steps) {
        tracing::warn!(
            newest,
            "the schema is from a later release; leaving it unchanged"
        );
        let mut known = Migrator::with_migrations(steps.iter().cloned().collect());
        known.set_ignore_missing(true);
        // All of these are applied, so this only compares their checksums.
        return known.run_direct(None, owner, false).await.map_err(internal);
    }
    // The lookup role may create objects only during a migration.
    owner
        .execute("GRANT USAGE, CREATE ON SCHEMA public TO tenant_lookup")
        .await?;
    let role = service_role(service);
    run(owner, format!("GRANT USAGE ON SCHEMA public TO {role}")).await?;
    let is_applied = |step: &Migration| applied.iter().any(|known| known.version == step.version);
    for step in steps.iter().filter(|step| !is_applied(step)) {
        run_step(owner, steps, step, timeouts).await?;
    }
    // Compares the checksums of all steps, also if there was nothing to apply.
    steps.run_direct(None, owner, false).await.map_err(internal)
}

/// The newest applied step, if all of `steps` are applied and all others are later.
fn newer_release(applied: &[AppliedMigration], steps: &Migrator) -> Option<i64> {
    let last = steps.iter().map(|step| step.version).max()?;
    let is_applied = |step: &Migration| applied.iter().any(|known| known.version == step.version);
    let mut unknown = applied
        .iter()
        .map(|known| known.version)
        .filter(|version| !steps.version_exists(*version));
    let newest = unknown.clone().max()?;
    (unknown.all(|version| version > last) && steps.iter().all(is_applied)).then_some(newest)
}

/// Applies one step; retries it after a lock timeout.
async fn run_step(
    owner: &mut PgConnection,
    steps: &Migrator,
    step: &Migration,
    timeouts: &MigrationTimeouts,
) -> Result<(), ServiceError> {
    let is_index = step.no_tx && contains_phrase(step, &["INDEX", "CONCURRENTLY"]);
    let max_attempts = if is_index {
        INDEX_ATTEMPTS
    } else {
        LOCK_ATTEMPTS
    };
    let mut attempt = 1;
    loop {
        let result = if is_index {
            set_lock_timeout(owner, timeouts.index).await?;
            let result = match drop_unrecorded_index(owner, step).await {
                Ok(()) => steps.run_direct(Some(step.version), owner, false).await,
                Err(error) => Err(error.into()),
            };
            set_lock_timeout(owner, timeouts.lock).await?;
            result
        } else {
            steps.run_direct(Some(step.version), owner, false).await
        };
        let Err(error) = result else {
            return Ok(());
        };
        if attempt == max_attempts || !is_lock_timeout(&error) {
            return Err(ServiceError::internal(error));
        }
        tracing::warn!(
            step = step.version,
            attempt,
            "migration step failed with a lock timeout; retrying in 1 s"
        );
        attempt += 1;
        tokio::time::sleep(LOCK_PAUSE).await;
    }
}

/// Drops the index of an earlier attempt, which failed or was killed before it was recorded.
async fn drop_unrecorded_index(owner: &mut PgConnection, step: &Migration) -> sqlx::Result<()> {
    let existing: Vec<String> = sqlx::query_scalar(
        "SELECT relname::text
        FROM pg_class
        WHERE relkind = 'i' AND relnamespace = 'public'::regnamespace",
    )
    .fetch_all(&mut *owner)
    .await?;
    let builds = |name: &String| {
        let mut ways = ["CREATE", "UNIQUE"].into_iter();
        ways.any(|way| contains_phrase(step, &[way, "INDEX", "CONCURRENTLY", name]))
    };
    for name in existing.iter().filter(|name| builds(name)) {
        tracing::warn!(name, "dropping the index of an incomplete migration step");
        let drop = format!("DROP INDEX CONCURRENTLY {name}");
        owner.execute(AssertSqlSafe(drop)).await?;
    }
    Ok(())
}

/// Whether the SQL of a step contains these words in sequence, ignoring case.
fn contains_phrase(step: &Migration, phrase: &[&str]) -> bool {
    let words: Vec<&str> = step.sql.as_str().split_whitespace().collect();
    let same = |(word, wanted): (&&str, &&str)| word.eq_ignore_ascii_case(wanted);
    let mut places = words.windows(phrase.len());
    places.any(|place| place.iter().zip(phrase).all(same))
}

/// Takes the lock that serializes migrations of this database. It polls, because a waiting statement
/// would hold a snapshot that a concurrent index build waits for.
async fn take_migration_lock(
    owner: &mut PgConnection,
    timeout: Duration,
) -> Result<(), ServiceError> {
    let query = "SELECT pg_try_advisory_lock(4713)";
    let (since, mut next_log) = (Instant::now(), Instant::now());
    while !sqlx::query_scalar(query).fetch_one(&mut *owner).await? {
        if since.elapsed() >= timeout {
            let other = lock_holder(owner).await?;
            return Err(ServiceError::internal(format!(
                "another migration of this database has not ended within {} s: {other}; \
                 end it, or start this one again later",
                timeout.as_secs()
            )));
        }
        if Instant::now() >= next_log {
            let other = lock_holder(owner).await?;
            tracing::info!(other, "waiting for another migration of this database");
            next_log += MIGRATION_LOCK_LOG;
        }
        tokio::time::sleep(MIGRATION_LOCK_POLL).await;
    }
    Ok(())
}

/// Describes the session that holds the migration lock.
async fn lock_holder(owner: &mut PgConnection) -> Result<String, ServiceError> {
    let query = "
        SELECT format('process %s of the server, %s from %s since %s',
            a.pid, a.usename, coalesce(host(a.client_addr), 'its own host'), a.backend_start)
        FROM pg_locks l
        JOIN pg_stat_activity a ON a.pid = l.pid
        WHERE l.locktype = 'advisory' AND l.granted AND (l.classid, l.objid, l.objsubid) = (0, 4713, 1)
            AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    let other: Option<String> = sqlx::query_scalar(query).fetch_optional(owner).await?;
    Ok(other.unwrap_or_else(|| "one that has just ended".to_owned()))
}

async fn set_lock_timeout(owner: &mut PgConnection, timeout: Duration) -> Result<(), ServiceError> {
    let milliseconds = timeout.as_millis().max(1);
    run(owner, format!("SET lock_timeout = {milliseconds}")).await
}

fn is_lock_timeout(error: &MigrateError) -> bool {
    let (MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _)) = error else {
        return false;
    };
    let code = error.as_database_error().and_then(DatabaseError::code);
    code.as_deref() == Some("55P03")
}
