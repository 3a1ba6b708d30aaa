use std::time::Duration;

/// Intervals and timeouts of watching; changed only in tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchPace {
    /// Longest time without a message.
    pub heartbeat: Duration,
    /// Interval of session checks. Together with the call it must stay below 15 seconds.
    pub check: Duration,
    /// Interval of session checks while accounts is unavailable.
    pub check_again: Duration,
    /// How long a stream continues while accounts is unavailable.
    pub unconfirmed: Duration,
    /// Longest lifetime of a stream.
    pub life: Duration,
    /// Interval of revision polls while events arrive.
    pub calm: Duration,
    /// Interval of revision polls while events do not arrive.
    pub alone: Duration,
    /// How long events are distrusted after a change without one.
    pub doubt: Duration,
}

impl WatchPace {
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
