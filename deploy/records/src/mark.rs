//! One moment of all databases, while the product goes on writing.
//!
//! Writers are held up for some milliseconds: until each database has shown what it is at that
//! moment, and the log has a named point a restore can stop at exactly.

use std::time::{Duration, Instant};

use hourmeter_runtime::identity::Service;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};

use crate::catalogue::tables;
use crate::databases::{Databases, RecordsError};

/// How often the locks are tried for before giving up.
const TRIES: u32 = 60;
/// Between two tries. Short locks and longer pauses: whoever waits behind them waits for 200 ms.
const PAUSE: Duration = Duration::from_millis(500);

/// A name for a point in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark(String);

impl Mark {
    /// Letters, digits, `_` and `-`, up to 60: it goes into commands and settings.
    pub fn parse(text: &str) -> Option<Self> {
        let fine = |found: char| found.is_ascii_alphanumeric() || matches!(found, '_' | '-');
        let is_fine = (1..=60).contains(&text.len()) && text.chars().all(fine);
        is_fine.then(|| Self(text.to_owned()))
    }
}

/// Connections that see one moment.
#[derive(Debug)]
pub struct Reading {
    /// One a service.
    pub connections: Vec<(Service, PgConnection)>,
    /// The file of the log that has the point; empty without a mark.
    pub wal_file: String,
    /// How long writers were held up at most.
    pub held: Duration,
}

impl Reading {
    /// Each database as it is, one after the other: for servers on which nothing is written.
    pub async fn now(databases: &Databases) -> Result<Self, RecordsError> {
        let mut connections = Vec::new();
        for service in Service::ALL {
            let mut connection = databases.connect(service).await?;
            connection
                .execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
                .await?;
            connections.push((service, connection));
        }
        Ok(Self {
            connections,
            wal_file: String::new(),
            held: Duration::ZERO,
        })
    }

    /// All databases at one moment, which gets a name in their servers' logs.
    pub async fn at(databases: &Databases, mark: &Mark) -> Result<Self, RecordsError> {
        for attempt in 1.. {
            match Self::try_at(databases, mark).await {
                Err(RecordsError::Failed(failure)) if attempt < TRIES => {
                    if attempt == TRIES / 2 {
                        tell_waiting(&failure.to_string());
                    }
                    tokio::time::sleep(PAUSE).await;
                }
                result => return result,
            }
        }
        unreachable!("the loop has no end")
    }

    async fn try_at(databases: &Databases, mark: &Mark) -> Result<Self, RecordsError> {
        // A failure closes the connections, and so gives the locks back.
        let (mut holders, mut connections) = (Vec::new(), Vec::new());
        for service in Service::ALL {
            // Before the locks: opening a connection takes longer than all that is done under them.
            connections.push((service, databases.connect(service).await?));
            let mut holder = databases.connect(service).await?;
            let names = tables(&mut holder).await?;
            let names: Vec<String> = names
                .iter()
                .map(|table| format!("public.\"{}\"", table.name))
                .collect();
            holders.push((holder, names));
        }
        let begun = Instant::now();
        for (holder, names) in &mut holders {
            holder
                .execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL lock_timeout = '200ms'")
                .await?;
            // Takes no snapshot yet: the first SELECT does, when nobody writes any more.
            let lock = format!("LOCK TABLE {} IN SHARE MODE", names.join(", "));
            holder.execute(AssertSqlSafe(lock)).await?;
        }
        for ((holder, _), (_, reader)) in holders.iter_mut().zip(&mut connections) {
            let snapshot: String = sqlx::query_scalar("SELECT pg_export_snapshot()")
                .fetch_one(&mut *holder)
                .await?;
            let see = format!(
                "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET TRANSACTION SNAPSHOT '{snapshot}'"
            );
            reader.execute(AssertSqlSafe(see)).await?;
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
        // So that the point reaches the archive now, not when the file happens to be full.
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
fn tell_waiting(text: &str) {
    eprintln!("still waiting for a moment in which nobody writes: {text}");
}
