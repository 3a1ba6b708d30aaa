//! Where counts are kept: in Redis when there is one and it answers, else in this process.

use hourmeter_runtime::error::ServiceError;
use secrecy::SecretString;

use super::local::Local;
use super::shared::{self, Shared};

/// So many times in so many seconds.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    /// How many times.
    pub times: u32,
    /// In how many seconds from the first one.
    pub seconds: i64,
}

impl Rate {
    /// So many times in so many seconds.
    pub const fn new(times: u32, seconds: i64) -> Self {
        Self { times, seconds }
    }

    /// What one of several processes may allow while they can't count together.
    pub(super) fn half(self) -> Self {
        Self {
            times: (self.times / 2).max(1),
            ..self
        }
    }
}

/// What holds while Redis, though there is one, does not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenAway {
    /// Half the figure, counted in this process.
    Half,
    /// Nothing is refused.
    Open,
}

/// Failures after which a name has to wait, and how long.
#[derive(Clone, Copy, Debug)]
pub struct GuardRate {
    /// Failures that are free, and how long they count.
    pub free: Rate,
    /// The first wait, in seconds; doubles with each failure.
    pub first_wait: i64,
    /// The longest.
    pub longest_wait: i64,
}

/// All counts.
pub struct Counters {
    local: Local,
    shared: Option<Shared>,
}

impl Counters {
    /// No counts yet. Redis need not answer at the start.
    pub fn new(redis: Option<&SecretString>) -> Result<Self, ServiceError> {
        Ok(Self {
            local: Local::default(),
            shared: redis.map(Shared::connect).transpose()?,
        })
    }

    /// Counts once more; or how long to wait when it is full.
    pub async fn count(&self, key: &str, rate: Rate, now: i64, away: WhenAway) -> Option<i64> {
        let Some(shared) = &self.shared else {
            return self.local.count(key, rate, now);
        };
        match shared.count(key, rate, now).await {
            Ok(wait) => wait,
            Err(shared::Unavailable) if away == WhenAway::Open => None,
            Err(shared::Unavailable) => self.local.count(key, rate.half(), now),
        }
    }

    /// Counts once more in this process only; or how long to wait when it is full.
    pub fn count_here(&self, key: &str, rate: Rate, now: i64) -> Option<i64> {
        self.local.count(key, rate, now)
    }

    /// Adds to a count of this process only, however full it is.
    pub fn add_here(&self, key: &str, amount: u32, rate: Rate, now: i64) {
        self.local.add(key, amount, rate, now);
    }

    /// How long to wait while a count of this process is full.
    pub fn full_here(&self, key: &str, rate: Rate, now: i64) -> Option<i64> {
        self.local.full(key, rate, now)
    }

    /// Counts once less in this process only.
    pub fn uncount_here(&self, key: &str) {
        self.local.uncount(key);
    }

    /// Counts once less.
    pub async fn uncount(&self, key: &str) {
        self.local.uncount(key);
        if let Some(shared) = &self.shared {
            shared.uncount(key).await;
        }
    }

    /// How many there have been in a row, this one included; a row ends after a quiet time.
    pub async fn streak(&self, key: &str, quiet: i64, now: i64) -> u32 {
        if let Some(shared) = &self.shared
            && let Ok(count) = shared.streak(key, quiet, now).await
        {
            return count;
        }
        let count = self.local.streak(key, quiet, now);
        if self.shared.is_some() {
            count * 2
        } else {
            count
        }
    }

    /// Counts a failure of a name; or how long it still has to wait.
    pub async fn guard(&self, key: &str, rate: GuardRate, now: i64) -> Option<i64> {
        let Some(shared) = &self.shared else {
            return self.local.guard(key, rate, now);
        };
        let Ok(wait) = shared.guard(key, rate, now).await else {
            let free = rate.free.half();
            return self.local.guard(key, GuardRate { free, ..rate }, now);
        };
        wait
    }

    /// How long a name still has to wait; counts nothing.
    pub async fn blocked(&self, key: &str, now: i64) -> Option<i64> {
        let shared = match &self.shared {
            Some(shared) => shared.blocked(key, now).await,
            None => Err(shared::Unavailable),
        };
        shared.unwrap_or_else(|shared::Unavailable| self.local.blocked(key, now))
    }

    /// Takes the last failure of a name back.
    pub async fn unguard(&self, key: &str) {
        self.local.unguard(key);
        if let Some(shared) = &self.shared {
            shared.unguard(key).await;
        }
    }

    /// Begins a count, a row or a name anew.
    pub async fn clear(&self, key: &str) {
        self.local.clear(key);
        if let Some(shared) = &self.shared {
            shared.clear(key).await;
        }
    }

    /// Notes that something runs, and answers how much does, this included. At most `most` may.
    pub async fn enter(&self, key: String, most: u32) -> (InFlight, u32) {
        let Some(shared) = &self.shared else {
            let (running, at_once) = self.local.enter(key);
            return (InFlight::until_dropped(running), at_once);
        };
        match shared.enter(&key, most).await {
            Ok((running, at_once)) => (InFlight::until_dropped(running), at_once),
            // Uncounted while Redis is away.
            Err(shared::Unavailable) => (InFlight::until_dropped(()), 1),
        }
    }

    /// Whether counts are shared but can't be reached now.
    pub fn is_away(&self) -> bool {
        self.shared.as_ref().is_some_and(Shared::is_away)
    }
}

/// Something that runs; dropped, it has ended.
pub struct InFlight {
    _counted: Box<dyn Send + Sync>,
}

impl InFlight {
    fn until_dropped(counted: impl Send + Sync + 'static) -> Self {
        Self {
            _counted: Box::new(counted),
        }
    }
}

impl std::fmt::Debug for InFlight {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("InFlight")
    }
}
