//! The times of watching, in one place.

use std::time::Duration;

/// How often and how long; another than the usual one only in tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchPace {
    /// How long a stream may be silent.
    pub heartbeat: Duration,
    /// How often the session is asked for. With the time of an answer this stays below 15 seconds.
    pub check: Duration,
    /// How soon it is asked for again when accounts could not say.
    pub check_again: Duration,
    /// How long a stream goes on while accounts can't say.
    pub unconfirmed: Duration,
    /// How long a stream lives at most.
    pub life: Duration,
    /// How often markers are compared while events arrive.
    pub calm: Duration,
    /// How often while they don't.
    pub alone: Duration,
    /// How long events are not relied on after something changed without one.
    pub doubt: Duration,
}

impl WatchPace {
    /// The usual one.
    pub const USUAL: Self = Self {
        heartbeat: Duration::from_secs(15),
        check: Duration::from_secs(12),
        check_again: Duration::from_secs(2),
        unconfirmed: Duration::from_secs(30),
        life: Duration::from_mins(5),
        calm: Duration::from_secs(15),
        alone: Duration::from_secs(2),
        doubt: Duration::from_mins(1),
    };
}
