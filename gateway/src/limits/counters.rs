//! Counters in Redis, or in this process when there is no Redis or it does not respond.

use hourmeter_runtime::error::ServiceError;
use secrecy::SecretString;

use super::local::Local;
use super::rates::{Lockout, Rate};
use super::shared::{self, Shared};

pub struct Counters {
    /// Of this process only.
    pub local: Local,
    shared: Option<Shared>,
}

impl Counters {
    /// Redis need not respond at the start.
    pub fn new(redis: Option<&SecretString>) -> Result<Self, ServiceError> {
        Ok(Self {
            local: Local::default(),
            shared: redis.map(Shared::connect).transpose()?,
        })
    }

    /// Counts one more. Returns the seconds to wait if the limit is reached.
    pub async fn count(&self, key: &str, rate: Rate, now: i64) -> Option<i64> {
        let Some(shared) = &self.shared else {
            return self.local.count(key, rate, now);
        };
        match shared.count(key, rate, now).await {
            Ok(wait) => wait,
            Err(shared::Unavailable) if rate.is_lenient => None,
            Err(shared::Unavailable) => self.local.count(key, rate.half(), now),
        }
    }

    pub async fn uncount(&self, key: &str) {
        self.local.uncount(key);
        if let Some(shared) = &self.shared {
            shared.uncount(key).await;
        }
    }

    /// Counts one more in a row and returns the length of the row, which ends after a quiet time.
    pub async fn count_in_a_row(&self, key: &str, quiet: i64, now: i64) -> u32 {
        if let Some(shared) = &self.shared
            && let Ok(count) = shared.count_in_a_row(key, quiet, now).await
        {
            return count;
        }
        let count = self.local.count_in_a_row(key, quiet, now);
        if self.shared.is_some() {
            count * 2
        } else {
            count
        }
    }

    /// Counts a failure of a name. Returns the seconds that it is still locked.
    pub async fn fail(&self, key: &str, rate: Lockout, now: i64) -> Option<i64> {
        let Some(shared) = &self.shared else {
            return self.local.fail(key, rate, now);
        };
        let Ok(wait) = shared.fail(key, rate, now).await else {
            let free = rate.free.half();
            return self.local.fail(key, Lockout { free, ..rate }, now);
        };
        wait
    }

    /// The seconds that a name is still locked.
    pub async fn locked_for(&self, key: &str, now: i64) -> Option<i64> {
        let shared = match &self.shared {
            Some(shared) => shared.locked_for(key, now).await,
            None => Err(shared::Unavailable),
        };
        shared.unwrap_or_else(|shared::Unavailable| self.local.locked_for(key, now))
    }

    pub async fn undo_failure(&self, key: &str) {
        self.local.undo_failure(key);
        if let Some(shared) = &self.shared {
            shared.undo_failure(key).await;
        }
    }

    pub async fn clear(&self, key: &str) {
        self.local.clear(key);
        if let Some(shared) = &self.shared {
            shared.clear(key).await;
        }
    }

    /// Counts a running call. Returns how many run, including this one; at most `most` may.
    pub async fn enter(&self, key: String, most: u32) -> (InFlight, u32) {
        let Some(shared) = &self.shared else {
            let (running, running_count) = self.local.enter(key);
            return (InFlight::until_dropped(running), running_count);
        };
        match shared.enter(&key, most).await {
            Ok((running, running_count)) => (InFlight::until_dropped(running), running_count),
            // Not limited while Redis is unavailable.
            Err(shared::Unavailable) => (InFlight::until_dropped(()), 1),
        }
    }

    /// Whether Redis is configured but unavailable.
    pub fn is_unavailable(&self) -> bool {
        self.shared.as_ref().is_some_and(Shared::is_unavailable)
    }
}

/// A running call; ends when dropped.
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
