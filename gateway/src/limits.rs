//! How often what may be done. Counted per process; keys are hashed, so that memory holds no name
//! or address.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::error::Failure;
use moka::ops::compute::Op;
use moka::sync::Cache;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::rescue::Refusal;
use crate::visitor::Visitor;

mod sign_in;

use sign_in::NameGuard;
pub use sign_in::SignInTry;

/// So many times in so many seconds.
#[derive(Clone, Copy)]
struct Rate {
    times: u32,
    seconds: i64,
}

/// Calls of one session.
const SESSION_CALLS: Rate = Rate {
    times: 600,
    seconds: 60,
};
/// Calls of one company.
const COMPANY_CALLS: Rate = Rate {
    times: 3000,
    seconds: 60,
};
/// Exports of one company.
const COMPANY_EXPORTS: Rate = Rate {
    times: 10,
    seconds: 60,
};
/// Passwords set for somebody else in one company.
const COMPANY_PASSWORD_RESETS: Rate = Rate {
    times: 20,
    seconds: 60 * 60,
};
/// Calls of one company at the same moment.
const COMPANY_IN_FLIGHT: u32 = 32;

/// Counters kept at most; the longest unused go first.
const MAX_COUNTERS: u64 = 200_000;
/// Longer than any window or wait.
const FORGET_AFTER: Duration = Duration::from_hours(2);

type Key = [u8; 32];

/// What a company may do only so often, beyond its calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompanyLimit {
    /// Reading all of a history.
    Exports,
    /// Setting the password of somebody else.
    PasswordResets,
}

/// All limits of the process.
pub struct Limits {
    clock: Clock,
    on: bool,
    /// Makes hashes of this process unlike any other's.
    salt: [u8; 32],
    windows: Cache<Key, Window>,
    names: Cache<Key, NameGuard>,
    in_flight: Arc<Mutex<HashMap<Uuid, u32>>>,
}

/// A fixed window's count.
#[derive(Clone, Copy, Default)]
struct Window {
    began: i64,
    count: u32,
}

impl Limits {
    /// No counts yet; with `on` false nothing is ever refused.
    pub fn new(clock: Clock, on: bool) -> Result<Self, Failure> {
        let mut salt = [0; 32];
        getrandom::fill(&mut salt).map_err(|error| Failure::internal(error.to_string()))?;
        Ok(Self {
            clock,
            on,
            salt,
            windows: counters(),
            names: counters(),
            in_flight: Arc::default(),
        })
    }

    /// Counts a call of a session and its company; hold what comes back while it runs.
    pub fn call(&self, session: Uuid, company: Uuid) -> Result<InFlight, Refusal> {
        self.count(self.key("session", &[&session.to_string()]), SESSION_CALLS)?;
        self.count(self.key("company", &[&company.to_string()]), COMPANY_CALLS)?;
        let running = InFlight {
            company,
            all: self.in_flight.clone(),
        };
        let mut all = lock(&self.in_flight);
        let count = all.entry(company).or_default();
        *count += 1;
        let full = self.on && *count > COMPANY_IN_FLIGHT;
        drop(all);
        if full {
            return Err(Refusal::TooMany(1));
        }
        Ok(running)
    }

    /// Counts what a company may do only so often.
    pub fn company(&self, limit: CompanyLimit, company: Uuid) -> Result<(), Refusal> {
        let (kind, rate) = match limit {
            CompanyLimit::Exports => ("export", COMPANY_EXPORTS),
            CompanyLimit::PasswordResets => ("password reset", COMPANY_PASSWORD_RESETS),
        };
        self.count(self.key(kind, &[&company.to_string()]), rate)
    }

    /// Counts it for the company of whoever sent a request.
    pub fn of_sender(&self, limit: CompanyLimit, visitor: &Visitor) -> Result<(), Refusal> {
        match visitor.identity() {
            Some(identity) => self.company(limit, identity.company_id),
            None => Ok(()),
        }
    }

    fn key(&self, kind: &str, parts: &[&str]) -> Key {
        let mut hash = Sha256::new();
        hash.update(self.salt);
        for part in std::iter::once(&kind).chain(parts) {
            // The length keeps "ab" + "c" apart from "a" + "bc".
            hash.update(part.len().to_le_bytes());
            hash.update(part.as_bytes());
        }
        hash.finalize().into()
    }

    fn count(&self, key: Key, rate: Rate) -> Result<(), Refusal> {
        let now = self.clock.now().timestamp();
        let mut wait = None;
        self.windows.entry(key).and_compute_with(|entry| {
            let mut window = entry.map_or(
                Window {
                    began: now,
                    count: 0,
                },
                moka::Entry::into_value,
            );
            if !(window.began..window.began + rate.seconds).contains(&now) {
                window = Window {
                    began: now,
                    count: 0,
                };
            }
            if window.count >= rate.times {
                wait = Some(window.began + rate.seconds - now);
                return Op::Nop;
            }
            window.count += 1;
            Op::Put(window)
        });
        self.refuse(wait)
    }

    fn uncount(&self, key: Key) {
        self.windows.entry(key).and_compute_with(|entry| {
            let Some(mut window) = entry.map(moka::Entry::into_value) else {
                return Op::Nop;
            };
            window.count = window.count.saturating_sub(1);
            Op::Put(window)
        });
    }

    fn refuse(&self, wait: Option<i64>) -> Result<(), Refusal> {
        match wait {
            Some(seconds) if self.on => Err(Refusal::TooMany(u64::try_from(seconds).unwrap_or(1))),
            _ => Ok(()),
        }
    }
}

/// A running call of a company.
#[derive(Debug)]
pub struct InFlight {
    company: Uuid,
    all: Arc<Mutex<HashMap<Uuid, u32>>>,
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let mut all = lock(&self.all);
        if let Some(count) = all.get_mut(&self.company) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                all.remove(&self.company);
            }
        }
    }
}

fn counters<V: Clone + Send + Sync + 'static>() -> Cache<Key, V> {
    Cache::builder()
        .max_capacity(MAX_COUNTERS)
        .eviction_policy(moka::policy::EvictionPolicy::lru())
        .time_to_idle(FORGET_AFTER)
        .build()
}

/// A count that a panic interrupted is still a count.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[path = "limits_tests.rs"]
mod tests;
