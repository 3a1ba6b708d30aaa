use std::time::Duration;

/// Intervals and timeouts of watching; changed only in tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchTiming {
    /// Longest time without a message.
    pub heartbeat: Duration,
    /// Interval of session checks. Together with the call it must stay below 15 seconds.
    pub check: Duration,
    /// Interval of session checks while accounts is unavailable.
    pub check_retry: Duration,
    /// How long a stream continues while accounts is unavailable.
    pub max_unconfirmed: Duration,
    /// Longest lifetime of a stream.
    pub max_age: Duration,
    /// Interval of marker polls while events arrive.
    pub poll_with_events: Duration,
    /// Interval of marker polls while events do not arrive.
    pub poll_without_events: Duration,
    /// How long events are distrusted after a change without one.
    pub distrust: Duration,
}

impl WatchTiming {
    pub const DEFAULT: Self = Self {
        heartbeat: Duration::from_secs(15),
        check: Duration::from_secs(12),
        check_retry: Duration::from_secs(2),
        max_unconfirmed: Duration::from_secs(30),
        max_age: Duration::from_mins(5),
        poll_with_events: Duration::from_secs(15),
        poll_without_events: Duration::from_secs(2),
        distrust: Duration::from_mins(1),
    };
}
