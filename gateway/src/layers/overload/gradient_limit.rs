//! A gradient limiter: derives how many requests may run concurrently from the ratio of their median
//! latency to a baseline. It does not need to know which resource is short: queueing for any of them
//! raises latency above the baseline of low concurrency.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Tolerated ratio of median latency to baseline; above it, requests wait for each other.
const TOLERANCE: u32 = 4;
/// A median up to this never lowers the limit, whatever the baseline.
const ALWAYS_FAST: Duration = Duration::from_millis(40);
/// A median above this always lowers the limit.
pub const ALWAYS_SLOW: Duration = Duration::from_secs(1);
/// The baseline before the first sample.
const INITIAL_BASELINE: Duration = Duration::from_millis(30);
/// Weight of a window in the moving average of the baseline.
const SMOOTHING: f64 = 0.3;
/// How often the limit is adjusted. After a sudden burst, the requests admitted before the first
/// adjustment must still finish in time.
const WINDOW: Duration = Duration::from_millis(100);
/// A window with fewer samples is extended.
const MIN_SAMPLES: usize = 16;
/// The divisor of the limit: slow responses lower it only if at least this part of it ran.
const FULL_DIVISOR: usize = 3;
/// The smallest factor of one adjustment.
const MAX_DECREASE: f64 = 0.5;
/// The largest factor of one adjustment while requests wait.
const MAX_INCREASE: f64 = 1.05;
/// The factor of one adjustment while few permits are used.
const RECOVERY_FACTOR: f64 = 1.25;

pub struct GradientLimit {
    min: usize,
    max: usize,
    state: Mutex<State>,
}

struct State {
    /// Median latency at low concurrency.
    baseline: Duration,
    window: Window,
}

struct Window {
    began: Instant,
    times: Vec<Duration>,
    /// How many ran when the first of them ended.
    first: Option<usize>,
    max_running: usize,
    /// A request waited for a permit.
    waited: bool,
}

impl Window {
    const fn new(began: Instant) -> Self {
        Self {
            began,
            times: Vec::new(),
            first: None,
            max_running: 0,
            waited: false,
        }
    }

    fn median(&mut self) -> Duration {
        let middle = self.times.len() / 2;
        *self.times.select_nth_unstable(middle).1
    }

    /// How many requests finish within `target`, at the throughput of this window.
    fn done_in(&self, target: Duration, now: Instant) -> usize {
        let span = now.saturating_duration_since(self.began);
        scaled(self.times.len(), target.as_secs_f64() / span.as_secs_f64())
    }
}

#[derive(Clone, Copy)]
struct Observed {
    /// Median latency, and the highest one that is fine.
    median: Duration,
    target: Duration,
    max_running: usize,
    /// How many requests finish within the target.
    done_in_target: usize,
    /// A request waited for a permit.
    waited: bool,
    /// Concurrency fell within the window.
    drained: bool,
}

impl State {
    /// Updates the baseline from windows of low concurrency, where requests hardly wait for each
    /// other. A database that became slow is slow for one request as for many; a lower limit would
    /// only lower throughput.
    fn update_baseline(&mut self, median: Duration, alone: bool) {
        if alone || median < self.baseline {
            self.baseline = median.mul_f64(SMOOTHING) + self.baseline.mul_f64(1.0 - SMOOTHING);
        }
    }

    fn target(&self) -> Duration {
        (self.baseline * TOLERANCE).clamp(ALWAYS_FAST, ALWAYS_SLOW)
    }
}

impl GradientLimit {
    pub const fn between(min: usize, max: usize, now: Instant) -> Self {
        let state = State {
            baseline: INITIAL_BASELINE,
            window: Window::new(now),
        };
        Self {
            min,
            max,
            state: Mutex::new(state),
        }
    }

    /// Records that a request found no free permit.
    pub fn note_waiting(&self) {
        self.state().window.waited = true;
    }

    /// Records the latency of a request that ended at `now`, with the concurrency and limit of that
    /// moment. Returns the new limit if it changes.
    pub fn note(
        &self,
        now: Instant,
        took: Duration,
        (running, limit): (usize, usize),
    ) -> Option<usize> {
        let mut state = self.state();
        let window = &mut state.window;
        window.times.push(took);
        window.max_running = window.max_running.max(running);
        let first = *window.first.get_or_insert(running);
        if now.saturating_duration_since(window.began) < WINDOW || window.times.len() < MIN_SAMPLES
        {
            return None;
        }
        let mut window = std::mem::replace(window, Window::new(now));
        let median = window.median();
        state.update_baseline(median, window.max_running <= self.min);
        let target = state.target();
        drop(state);
        let next = self.next(
            Observed {
                median,
                target,
                max_running: window.max_running,
                done_in_target: window.done_in(target, now),
                waited: window.waited,
                drained: running < first,
            },
            limit,
        );
        (next != limit).then_some(next)
    }

    fn next(&self, observed: Observed, limit: usize) -> usize {
        let full = observed.max_running * FULL_DIVISOR >= limit;
        // The backlog of a short stall drains without a lower limit.
        let passes = observed.drained && !observed.waited;
        let step = observed.target.as_secs_f64() / observed.median.as_secs_f64();
        let next = if full && observed.median > observed.target && !passes {
            // The square root damps the step, as requests that end now began under earlier limits.
            // The limit stays above what finishes within the target, which hardly depends on it.
            let fewer =
                scaled(limit.min(observed.max_running), step.sqrt()).max(observed.done_in_target);
            fewer.clamp(scaled(limit, MAX_DECREASE), limit)
        } else if observed.median < observed.target && observed.waited {
            scaled(limit, step.sqrt().min(MAX_INCREASE)) + 1
        } else if observed.median < observed.target && !full {
            // Recovers fast, so that a past incident causes no refusals at the next short stall.
            scaled(limit, RECOVERY_FACTOR) + 1
        } else {
            limit
        };
        next.clamp(self.min, self.max)
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "some hundreds, times about one"
)]
fn scaled(limit: usize, by: f64) -> usize {
    (limit as f64 * by) as usize
}

#[cfg(test)]
#[path = "gradient_limit_tests.rs"]
mod tests;
