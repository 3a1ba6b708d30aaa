//! Counts what becomes of those who want a connection.

use std::sync::Arc;
use std::time::Instant;

use metrics::{Counter, Histogram};

use super::pool::Pool;
use crate::telemetry::{self, names};

/// The meter of one service's connections.
pub struct PoolMeter {
    service: &'static str,
    acquire: Histogram,
    timeouts: Counter,
}

impl std::fmt::Debug for PoolMeter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PoolMeter")
    }
}

impl PoolMeter {
    /// For the connections of `service`.
    pub fn new(service: &'static str) -> Self {
        Self {
            service,
            acquire: names::DB_ACQUIRE.histogram([service]),
            timeouts: names::DB_TIMEOUTS.counter([service]),
        }
    }

    /// Notes what became of somebody who wanted a connection since then.
    pub fn note<T>(&self, since: Instant, got: &Result<T, sqlx::Error>) {
        self.acquire.record(since.elapsed());
        if matches!(got, Err(sqlx::Error::PoolTimedOut)) {
            self.timeouts.increment(1);
        }
    }
}

/// Counts the connections whenever the metrics are read.
pub fn watch(pool: &Arc<Pool>, max: u32) {
    let service = pool.meter.service;
    let of = |state| names::DB_CONNECTIONS.gauge([service, state]);
    let (used, idle) = (of("used"), of("idle"));
    names::DB_CONNECTIONS_MAX.gauge([service]).set(max);
    let pool = Arc::downgrade(pool);
    telemetry::watch(move || {
        let (in_use, free) = pool.upgrade()?.counts();
        used.set(in_use);
        idle.set(free);
        Some(())
    });
}
