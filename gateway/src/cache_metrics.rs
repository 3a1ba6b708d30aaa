//! Metrics of the gateway's caches.

use hourmeter_runtime::telemetry::{Counter, names};

pub struct CacheMetrics {
    hits: Counter,
    misses: Counter,
}

impl CacheMetrics {
    /// `cache` is the label in metrics.
    pub fn new(cache: &'static str) -> Self {
        let of = |outcome| names::CACHE_REQUESTS.counter([cache, outcome]);
        Self {
            hits: of("hit"),
            misses: of("miss"),
        }
    }

    /// Counts a lookup and returns its result.
    pub fn count<T>(&self, found: Option<T>) -> Option<T> {
        let counter = if found.is_some() {
            &self.hits
        } else {
            &self.misses
        };
        counter.increment(1);
        found
    }
}
