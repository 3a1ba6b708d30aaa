//! How many requests may run at the same moment: as many as are still done in good time. What
//! more of them would wait for is not known here, be it cores, connections or the database; that
//! they wait shows in how much longer they take than when few run.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// So many times as long as usual half of the requests may take before fewer are let in at the
/// same moment: what is longer is spent waiting for each other.
const GOOD_TIMES: u32 = 4;
/// No reason to let fewer in, whatever is usual.
const ALWAYS_GOOD: Duration = Duration::from_millis(40);
/// Always a reason.
pub const NEVER_GOOD: Duration = Duration::from_secs(1);
/// What is usual before anything was seen.
const FIRST: Duration = Duration::from_millis(30);
/// How much of a difference a window makes to what is usual.
const LEARNT: f64 = 0.3;
/// How often that is looked at: with everybody coming at once, what is let in before the first look
/// must still be done in good time.
const WINDOW: Duration = Duration::from_millis(100);
/// With fewer requests in a window than this, it goes on.
const ENOUGH: usize = 16;
/// When this part of what could run runs, slow answers are a reason for less.
const FULL: usize = 3;
/// How much smaller the limit gets at a time, at most.
const LEAST_STEP: f64 = 0.5;
/// How much larger it gets at a time, at most.
const MOST_STEP: f64 = 1.05;
/// How much larger when much less happens than could.
const CALM_STEP: f64 = 1.25;

/// What was seen lately.
pub struct Pace {
    least: usize,
    most: usize,
    seen: Mutex<Seen>,
}

struct Seen {
    /// How long half of the requests take while they do not wait for each other.
    usual: Duration,
    window: Window,
}

struct Window {
    began: Instant,
    times: Vec<Duration>,
    /// How many ran when the first of them ended.
    first: Option<usize>,
    /// The most that ran at the same moment.
    fullest: usize,
    /// Somebody had to wait for a turn.
    waited: bool,
}

impl Window {
    const fn new(began: Instant) -> Self {
        Self {
            began,
            times: Vec::new(),
            first: None,
            fullest: 0,
            waited: false,
        }
    }

    fn median(&mut self) -> Duration {
        let middle = self.times.len() / 2;
        *self.times.select_nth_unstable(middle).1
    }

    /// How many of them are done in `good` time, at the speed of this window.
    fn done_in(&self, good: Duration, now: Instant) -> usize {
        let span = now.saturating_duration_since(self.began);
        scaled(self.times.len(), good.as_secs_f64() / span.as_secs_f64())
    }
}

/// What a window has shown.
#[derive(Clone, Copy)]
struct Found {
    /// How long half of the requests took, and how long would be good.
    median: Duration,
    good: Duration,
    /// The most that ran at the same moment.
    fullest: usize,
    /// How many are done in good time.
    in_time: usize,
    /// Somebody had to wait for a turn.
    waited: bool,
    /// Fewer ran at its end than at its beginning.
    emptied: bool,
}

impl Seen {
    /// Learns what is usual, from so few at the same moment that they hardly wait for each other.
    /// A database that has become slow is so for one request as for many, and fewer of them would
    /// only mean less done.
    fn learn(&mut self, median: Duration, alone: bool) {
        if alone || median < self.usual {
            let (seen, usual) = (median.mul_f64(LEARNT), self.usual.mul_f64(1.0 - LEARNT));
            self.usual = seen + usual;
        }
    }

    fn good(&self) -> Duration {
        (self.usual * GOOD_TIMES).clamp(ALWAYS_GOOD, NEVER_GOOD)
    }
}

impl Pace {
    /// Between so few and so many, from `now` on.
    pub const fn between(least: usize, most: usize, now: Instant) -> Self {
        let seen = Seen {
            usual: FIRST,
            window: Window::new(now),
        };
        Self {
            least,
            most,
            seen: Mutex::new(seen),
        }
    }

    /// Notes that a request found no turn left.
    pub fn note_waiting(&self) {
        self.seen().window.waited = true;
    }

    /// Notes how long a request took that has ended `now`, while so many ran and `limit` could
    /// have; answers another limit when there is reason for one.
    pub fn note(
        &self,
        now: Instant,
        took: Duration,
        (running, limit): (usize, usize),
    ) -> Option<usize> {
        let mut seen = self.seen();
        let window = &mut seen.window;
        window.times.push(took);
        window.fullest = window.fullest.max(running);
        let first = *window.first.get_or_insert(running);
        if now.saturating_duration_since(window.began) < WINDOW || window.times.len() < ENOUGH {
            return None;
        }
        let mut window = std::mem::replace(window, Window::new(now));
        let median = window.median();
        seen.learn(median, window.fullest <= self.least);
        let good = seen.good();
        drop(seen);
        let next = self.next(
            Found {
                median,
                good,
                fullest: window.fullest,
                in_time: window.done_in(good, now),
                waited: window.waited,
                emptied: running < first,
            },
            limit,
        );
        (next != limit).then_some(next)
    }

    /// The limit after such a window.
    fn next(&self, found: Found, limit: usize) -> usize {
        let full = found.fullest * FULL >= limit;
        // What a moment's halt has left behind becomes less by itself.
        let passes = found.emptied && !found.waited;
        let step = found.good.as_secs_f64() / found.median.as_secs_f64();
        let next = if full && found.median > found.good && !passes {
            // Half of the way, as what ended now began under the limits before this one, and not
            // below what is done in good time, which hardly changes with the limit.
            let fewer = scaled(limit.min(found.fullest), step.sqrt()).max(found.in_time);
            fewer.clamp(scaled(limit, LEAST_STEP), limit)
        } else if found.median < found.good && found.waited {
            scaled(limit, step.sqrt().min(MOST_STEP)) + 1
        } else if found.median < found.good && !full {
            // Soon as before: a trouble that is over is no reason to refuse anybody at the next
            // moment's halt.
            scaled(limit, CALM_STEP) + 1
        } else {
            limit
        };
        next.clamp(self.least, self.most)
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
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
#[path = "pace_tests.rs"]
mod tests;
