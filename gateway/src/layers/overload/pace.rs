//! How many requests may run at the same moment: as many as are still done in good time. What
//! more of them would wait for is not known here, be it cores, connections or the database; that
//! they wait shows in how long they take.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// How long half of the requests may take before fewer are let in at the same moment. Leaves room
/// for the other half to stay below half a second.
const GOOD_TIME: Duration = Duration::from_millis(120);
/// How often that is looked at.
const WINDOW: Duration = Duration::from_millis(200);
/// With fewer requests in a window than this, it goes on.
const ENOUGH: usize = 16;
/// How much smaller it gets at a time, at most.
const LEAST_STEP: f64 = 0.8;
/// How much larger it gets at a time.
const GROWTH: f64 = 1.05;

/// What was seen lately.
pub struct Pace {
    least: usize,
    most: usize,
    window: Mutex<Window>,
}

struct Window {
    began: Instant,
    times: Vec<Duration>,
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
            fullest: 0,
            waited: false,
        }
    }
}

impl Pace {
    /// Between so few and so many, from `now` on.
    pub const fn between(least: usize, most: usize, now: Instant) -> Self {
        Self {
            least,
            most,
            window: Mutex::new(Window::new(now)),
        }
    }

    /// Notes that a request found no turn left.
    pub fn note_waiting(&self) {
        self.window().waited = true;
    }

    /// Notes how long a request took that has ended `now`, while so many ran and `limit` could
    /// have; answers another limit when there is reason for one.
    pub fn note(
        &self,
        now: Instant,
        took: Duration,
        (running, limit): (usize, usize),
    ) -> Option<usize> {
        let mut window = self.window();
        window.times.push(took);
        window.fullest = window.fullest.max(running);
        if now.saturating_duration_since(window.began) < WINDOW || window.times.len() < ENOUGH {
            return None;
        }
        let mut seen = std::mem::replace(&mut *window, Window::new(now));
        drop(window);
        let middle = seen.times.len() / 2;
        let (_, median, _) = seen.times.select_nth_unstable(middle);
        let next = self.next(*median, (seen.fullest, seen.waited), limit);
        (next != limit).then_some(next)
    }

    /// The limit after a window.
    fn next(&self, median: Duration, (fullest, waited): (usize, bool), limit: usize) -> usize {
        let next = if median > GOOD_TIME && fullest * 2 >= limit {
            let share = GOOD_TIME.as_secs_f64() / median.as_secs_f64();
            scaled(limit, share.max(LEAST_STEP))
        } else if median < GOOD_TIME.mul_f64(LEAST_STEP) && waited {
            scaled(limit, GROWTH) + 1
        } else {
            limit
        };
        next.clamp(self.least, self.most)
    }

    fn window(&self) -> std::sync::MutexGuard<'_, Window> {
        self.window.lock().unwrap_or_else(PoisonError::into_inner)
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
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn slow_answers_make_it_smaller() {
        let pace = Pace::between(16, 256, Instant::now());
        let full = |median, limit| pace.next(median, (limit, true), limit);
        assert_eq!(full(ms(121), 256), 253);
        assert_eq!(full(ms(150), 250), 200);
        assert_eq!(full(ms(5000), 250), 200, "not all at once");
        assert_eq!(full(ms(5000), 16), 16, "some always run");
    }

    #[test]
    fn quick_answers_make_it_larger_when_somebody_waits() {
        let pace = Pace::between(16, 256, Instant::now());
        assert_eq!(pace.next(ms(20), (100, true), 100), 106);
        assert_eq!(pace.next(ms(20), (100, false), 100), 100);
        assert_eq!(pace.next(ms(20), (256, true), 256), 256);
        assert_eq!(pace.next(ms(110), (100, true), 100), 100, "neither");
        assert_eq!(pace.next(ms(120), (100, true), 100), 100, "neither");
    }

    #[test]
    fn slow_answers_to_few_are_no_reason() {
        let pace = Pace::between(16, 256, Instant::now());
        assert_eq!(pace.next(ms(900), (49, false), 100), 100);
        assert_eq!(pace.next(ms(900), (50, false), 100), 80);
    }

    #[test]
    fn a_window_is_looked_at_when_it_is_over() {
        let began = Instant::now();
        let pace = Pace::between(16, 256, began);
        for _ in 0..100 {
            assert_eq!(pace.note(began, ms(400), (256, 256)), None);
        }
        let next = began + WINDOW;
        assert_eq!(pace.note(next, ms(400), (256, 256)), Some(204));
        // The next one begins empty.
        let after = next + WINDOW;
        for _ in 1..ENOUGH {
            assert_eq!(pace.note(after, ms(400), (204, 204)), None);
        }
        assert_eq!(pace.note(after, ms(400), (204, 204)), Some(163));
    }

    #[test]
    fn a_few_slow_ones_are_no_reason() {
        let began = Instant::now();
        let pace = Pace::between(16, 256, began);
        for number in 0..100 {
            let took = if number % 3 == 0 { ms(4000) } else { ms(10) };
            assert_eq!(pace.note(began, took, (256, 256)), None);
        }
        assert_eq!(pace.note(began + WINDOW, ms(10), (256, 256)), None);
    }
}
