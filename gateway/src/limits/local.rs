//! Counters of this process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use moka::sync::Cache;

use super::rates::{Lockout, Rate};

/// Capacity; the least recently used are evicted.
const MAX_COUNTERS: u64 = 200_000;
/// Longer than any window, lock or quiet time.
const FORGET_AFTER: Duration = Duration::from_hours(25);

pub struct Local {
    windows: Cache<String, Arc<Mutex<Window>>>,
    names: Cache<String, Arc<Mutex<LockoutState>>>,
    in_flight: Arc<Mutex<HashMap<String, u32>>>,
}

/// The count of a fixed window, or of a row, which begins with its last member.
#[derive(Default)]
struct Window {
    began: i64,
    count: u32,
}

/// Failures of a name from an address.
#[derive(Default)]
struct LockoutState {
    began: i64,
    failures: u32,
    wait: i64,
    locked_until: i64,
}

impl Default for Local {
    fn default() -> Self {
        Self {
            windows: counters(),
            names: counters(),
            in_flight: Arc::default(),
        }
    }
}

impl Local {
    pub fn count(&self, key: &str, rate: Rate, now: i64) -> Option<i64> {
        change(&self.windows, key, |window| {
            window.renew(rate, now);
            if window.count >= rate.times {
                return Some(window.began + rate.seconds - now);
            }
            window.count += 1;
            None
        })
    }

    /// Adds to a counter, even above the limit.
    pub fn add(&self, key: &str, amount: u32, rate: Rate, now: i64) {
        change(&self.windows, key, |window| {
            window.renew(rate, now);
            window.count = window.count.saturating_add(amount);
        });
    }

    /// The seconds to wait while a window is full.
    pub fn full(&self, key: &str, rate: Rate, now: i64) -> Option<i64> {
        let window = self.windows.get(key)?;
        let window = lock(&window);
        let end = window.began + rate.seconds;
        (window.count >= rate.times && (window.began..end).contains(&now)).then(|| end - now)
    }

    pub fn uncount(&self, key: &str) {
        if let Some(window) = self.windows.get(key) {
            let mut window = lock(&window);
            window.count = window.count.saturating_sub(1);
        }
    }

    pub fn count_in_a_row(&self, key: &str, quiet: i64, now: i64) -> u32 {
        change(&self.windows, key, |row| {
            let goes_on = now < row.began + quiet;
            let count = if goes_on { row.count + 1 } else { 1 };
            *row = Window { began: now, count };
            count
        })
    }

    pub fn fail(&self, key: &str, rate: Lockout, now: i64) -> Option<i64> {
        change(&self.names, key, |state| {
            if now < state.locked_until {
                return Some(state.locked_until - now);
            }
            state.fail(rate, now);
            None
        })
    }

    pub fn locked_for(&self, key: &str, now: i64) -> Option<i64> {
        let state = self.names.get(key)?;
        let until = lock(&state).locked_until;
        (now < until).then_some(until - now)
    }

    pub fn undo_failure(&self, key: &str) {
        if let Some(state) = self.names.get(key) {
            lock(&state).unfail();
        }
    }

    pub fn clear(&self, key: &str) {
        self.windows.invalidate(key);
        self.names.invalidate(key);
    }

    pub fn enter(&self, key: String) -> (Running, u32) {
        let mut all = lock(&self.in_flight);
        let count = all.entry(key.clone()).or_default();
        *count += 1;
        let running_count = *count;
        drop(all);
        let all = self.in_flight.clone();
        (Running { key, all }, running_count)
    }
}

impl Window {
    /// Begins a new window if this one is empty or over.
    fn renew(&mut self, rate: Rate, now: i64) {
        if self.count == 0 || !(self.began..self.began + rate.seconds).contains(&now) {
            *self = Self {
                began: now,
                count: 0,
            };
        }
    }
}

impl LockoutState {
    fn fail(&mut self, rate: Lockout, now: i64) {
        let last = self.began.max(self.locked_until);
        if now >= last + rate.free.seconds {
            *self = Self::default();
        }
        if self.failures == 0 {
            self.began = now;
        }
        self.failures += 1;
        if self.failures >= rate.free.times {
            self.wait = (self.wait * 2).clamp(rate.first_lock, rate.longest_lock);
            self.locked_until = now + self.wait;
        }
    }

    const fn unfail(&mut self) {
        self.failures = self.failures.saturating_sub(1);
        self.locked_until = 0;
        self.wait /= 2;
    }
}

pub struct Running {
    key: String,
    all: Arc<Mutex<HashMap<String, u32>>>,
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut all = lock(&self.all);
        if let Some(count) = all.get_mut(&self.key) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                all.remove(&self.key);
            }
        }
    }
}

fn counters<V: Clone + Send + Sync + 'static>() -> Cache<String, V> {
    Cache::builder()
        .max_capacity(MAX_COUNTERS)
        .eviction_policy(moka::policy::EvictionPolicy::lru())
        .time_to_idle(FORGET_AFTER)
        .build()
}

/// Changes a counter, which is created with its default.
fn change<V: Default + Send + 'static, T>(
    counters: &Cache<String, Arc<Mutex<V>>>,
    key: &str,
    change: impl FnOnce(&mut V) -> T,
) -> T {
    let counter = counters.get_with_by_ref(key, Arc::default);
    let mut counter = lock(&counter);
    change(&mut counter)
}

/// A counter is valid after any panic.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::{Local, Rate};

    const THREADS: u32 = 8;
    const CALLS: u32 = 500;

    /// How many calls of all threads return true.
    fn count_true(call: impl Fn() -> bool + Sync) -> usize {
        thread::scope(|scope| {
            let calls = || (0..CALLS).filter(|_| call()).count();
            let threads = [(); THREADS as usize].map(|()| scope.spawn(calls));
            threads
                .map(|thread| thread.join().unwrap())
                .into_iter()
                .sum()
        })
    }

    #[test]
    fn count_from_many_threads_is_exact() {
        let local = Local::default();
        let rate = Rate::new(1000, 60);
        assert_eq!(count_true(|| local.count("key", rate, 0).is_none()), 1000);
        local.uncount("key");
        assert_eq!(count_true(|| local.count("key", rate, 0).is_none()), 1);
    }

    #[test]
    fn enter_counts_what_runs() {
        let local = Local::default();
        let enter = || local.enter("key".to_owned());
        let (first, second) = (enter(), enter());
        drop(first);
        let third = enter();
        assert_eq!((second.1, third.1), (2, 2));
        drop((second, third));
        assert!(super::lock(&local.in_flight).is_empty());
    }

    #[test]
    fn streak_from_many_threads_is_exact() {
        let local = Local::default();
        let last = THREADS * CALLS;
        let reached = count_true(|| local.count_in_a_row("key", 60, 0) == last);
        assert_eq!(reached, 1);
        assert_eq!(local.count_in_a_row("key", 60, 0), last + 1);
    }
}
