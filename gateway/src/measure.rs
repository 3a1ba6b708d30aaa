//! What the gateway's own caches count.

use hourmeter_runtime::telemetry::{Counter, names};

/// Counts how often a cache could answer.
pub struct CacheMeter {
    hits: Counter,
    misses: Counter,
}

impl CacheMeter {
    /// For the cache that metrics call `cache`.
    pub fn new(cache: &'static str) -> Self {
        let of = |outcome| names::CACHE_REQUESTS.counter([cache, outcome]);
        Self {
            hits: of("hit"),
            misses: of("miss"),
        }
    }

    /// Counts what a question found.
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
