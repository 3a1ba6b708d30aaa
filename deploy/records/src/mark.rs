//! A consistent snapshot of all databases while the product is writing.
//!
//! Writers are blocked for some milliseconds, until every database has a snapshot and the WAL has a
//! named restore point.

use std::time::{Duration, Instant};

use hourmeter_runtime::identity::Service;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};

use crate::catalogue::tables;
use crate::databases::{Databases, RecordsError};

/// Attempts to lock before giving up.
const MAX_ATTEMPTS: u32 = 60;
/// Pause between attempts. Writers wait at most 200 ms for a lock attempt.
const PAUSE: Duration = Duration::from_millis(500);

/// Name of a restore point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark(String);

impl Mark {
    /// Up to 60 letters, digits, `_` and `-`, since it is used in commands and settings.
    pub fn parse(text: &str) -> Option<Self> {
        let fine = |found: char| found.is_ascii_alphanumeric() || matches!(found, '_' | '-');
        let is_fine = (1..=60).contains(&text.len()) && text.chars().all(fine);
        is_fine.then(|| Self(text.to_owned()))
    }
}

/// Connections with a common snapshot.
#[derive(Debug)]
pub struct Snapshot {
    pub connections: Vec<(Service, PgConnection)>,
    /// WAL file with the restore point; empty without a mark.
    pub wal_file: String,
    /// Maximum time that writers were blocked.
    pub held: Duration,
}

impl Snapshot {
    /// Snapshots one after another, for servers without writes.
    pub async fn now(databases: &Databases) -> Result<Self, RecordsError> {
        let mut connections = Vec::new();
        for service in Service::ALL {
            let mut connection = databases.connect(service).await?;
            let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
            connection.execute(begin).await?;
            connections.push((service, connection));
        }
        Ok(Self {
            connections,
            wal_file: String::new(),
            held: Duration::ZERO,
        })
    }

    /// A common snapshot of all databases, named in their WALs.
    pub async fn at(databases: &Databases, mark: &Mark) -> Result<Self, RecordsError> {
        for attempt in 1..MAX_ATTEMPTS {
            match Self::try_at(databases, mark).await {
                Err(RecordsError::Failed(failure)) => {
                    if attempt == MAX_ATTEMPTS / 2 {
                        report_waiting(&failure.to_string());
                    }
                    tokio::time::sleep(PAUSE).await;
                }
                result => return result,
            }
        }
        Self::try_at(databases, mark).await
    }

    async fn try_at(databases: &Databases, mark: &Mark) -> Result<Self, RecordsError> {
        // An error closes the connections and releases the locks.
        let (mut holders, mut connections) = (Vec::new(), Vec::new());
        for service in Service::ALL {
            // Before the locks: connecting takes longer than everything under them.
            connections.push((service, databases.connect(service).await?));
            let mut holder = databases.connect(service).await?;
            let names = tables(&mut holder).await?;
            let names = names
                .iter()
                .map(|table| format!("public.\"{}\"", table.name));
            holders.push((holder, names.collect::<Vec<_>>().join(", ")));
        }
        let begun = Instant::now();
        for (holder, names) in &mut holders {
            holder
                .execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL lock_timeout = '200ms'")
                .await?;
            // The first SELECT takes the snapshot, after the lock is held.
            let lock = format!("LOCK TABLE {names} IN SHARE MODE");
            holder.execute(AssertSqlSafe(lock)).await?;
        }
        for ((holder, _), (_, reader)) in holders.iter_mut().zip(&mut connections) {
            let snapshot: String = sqlx::query_scalar("SELECT pg_export_snapshot()")
                .fetch_one(&mut *holder)
                .await?;
            let set_company = format!(
                "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET TRANSACTION SNAPSHOT '{snapshot}'"
            );
            reader.execute(AssertSqlSafe(set_company)).await?;
        }
        let mut wal_file = String::new();
        for (holder, _) in &mut holders {
            wal_file = sqlx::query_scalar("SELECT pg_walfile_name(pg_create_restore_point($1))")
                .bind(&mark.0)
                .fetch_one(&mut *holder)
                .await?;
        }
        let mut switcher = None;
        for (mut holder, _) in holders {
            holder.execute("ROLLBACK").await?;
            switcher = Some(holder);
        }
        let held = begun.elapsed();
        // Archives the restore point now instead of when the file is full.
        if let Some(mut switcher) = switcher {
            switcher.execute("SELECT pg_switch_wal()").await?;
            switcher.close().await?;
        }
        Ok(Self {
            connections,
            wal_file,
            held,
        })
    }
}

#[expect(clippy::print_stderr, reason = "for the person at the terminal")]
fn report_waiting(text: &str) {
    eprintln!("waiting for a moment without open write transactions: {text}");
}
