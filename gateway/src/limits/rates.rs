//! Rates and lockouts.

/// A number of times in a window.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    pub times: u32,
    /// Length of the window from the first time, in seconds.
    pub seconds: i64,
    /// No limit applies while Redis is configured but does not respond; else half of it does,
    /// counted in this process.
    pub is_lenient: bool,
}

impl Rate {
    pub const fn new(times: u32, seconds: i64) -> Self {
        Self {
            times,
            seconds,
            is_lenient: false,
        }
    }

    pub const fn lenient(times: u32, seconds: i64) -> Self {
        Self {
            is_lenient: true,
            ..Self::new(times, seconds)
        }
    }

    /// The limit of one of several processes while they can't count together.
    pub(super) fn half(self) -> Self {
        Self {
            times: (self.times / 2).max(1),
            ..self
        }
    }
}

/// When a name is locked after failures, and for how long.
#[derive(Clone, Copy, Debug)]
pub struct Lockout {
    /// Failures without a lock, and their window.
    pub free: Rate,
    /// The first lock, in seconds; doubles with each failure.
    pub first_lock: i64,
    /// The longest lock, in seconds.
    pub longest_lock: i64,
}
