//! Metrics of the connection pool.

use std::time::Instant;

use metrics::{Counter, Histogram};

use crate::telemetry::{self, names};

#[derive(Debug)]
pub struct PoolMeter {
    service: &'static str,
    acquire: Histogram,
    timeouts: Counter,
}

impl PoolMeter {
    pub fn new(service: &'static str, max: u32) -> Self {
        names::DB_CONNECTIONS_MAX.gauge([service]).set(max);
        Self {
            service,
            acquire: names::DB_ACQUIRE.histogram([service]),
            timeouts: names::DB_TIMEOUTS.counter([service]),
        }
    }

    /// Records the result of a request for a connection made at `since`.
    pub fn record<T>(&self, since: Instant, got: &Result<T, sqlx::Error>) {
        self.acquire.record(since.elapsed());
        if matches!(got, Err(sqlx::Error::PoolTimedOut)) {
            self.timeouts.increment(1);
        }
    }

    /// Sets the gauges of used and idle connections at each scrape, until `counts` returns None.
    pub fn watch(&self, counts: impl Fn() -> Option<(usize, usize)> + Send + 'static) {
        let of = |state| names::DB_CONNECTIONS.gauge([self.service, state]);
        let (used, idle) = (of("used"), of("idle"));
        telemetry::on_scrape(move || {
            let (in_use, free) = counts()?;
            used.set(u32::try_from(in_use).unwrap_or(u32::MAX));
            idle.set(u32::try_from(free).unwrap_or(u32::MAX));
            Some(())
        });
    }
}
