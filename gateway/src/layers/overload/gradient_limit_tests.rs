use std::collections::VecDeque;

use super::*;

const TARGET: Duration = Duration::from_millis(90);

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// A limiter on a simulated clock.
struct Simulation {
    gradient: GradientLimit,
    now: Instant,
    limit: usize,
}

impl Simulation {
    fn new(limit: usize) -> Self {
        let now = Instant::now();
        let gradient = GradientLimit::between(16, 256, now);
        Self {
            gradient,
            now,
            limit,
        }
    }

    /// Windows in which all requests took the same time, at this concurrency.
    fn windows(&mut self, count: usize, took: Duration, running: impl Fn(usize) -> usize) {
        for _ in 0..count {
            self.window(MIN_SAMPLES, took, running(self.limit));
        }
    }

    /// A window in which this number of requests ended, each after the same time.
    fn window(&mut self, ended: usize, took: Duration, running: usize) {
        if running >= self.limit {
            self.gradient.note_waiting();
        }
        for _ in 1..ended {
            let next = self.gradient.note(self.now, took, (running, self.limit));
            assert_eq!(next, None);
        }
        self.now += WINDOW;
        let next = self.gradient.note(self.now, took, (running, self.limit));
        self.limit = next.unwrap_or(self.limit);
    }
}

/// The latency at this concurrency with a capacity of 400 requests a second.
fn sharing(running: usize) -> Duration {
    Duration::from_micros(2500) * u32::try_from(running).unwrap_or(0)
}

/// All permits taken and a request waiting.
const fn full(median: Duration, limit: usize) -> Observed {
    Observed {
        median,
        target: TARGET,
        max_running: limit,
        done_in_target: 0,
        waited: true,
        drained: false,
    }
}

#[test]
fn next_falls_after_slow_answers() {
    let gradient = GradientLimit::between(16, 256, Instant::now());
    let next = |median, limit| gradient.next(full(median, limit), limit);
    assert_eq!(next(ms(90), 256), 256);
    assert_eq!(next(ms(91), 256), 254);
    assert_eq!(next(ms(100), 256), 242);
    assert_eq!(next(ms(5000), 250), 125, "not in one step");
    assert_eq!(next(ms(5000), 16), 16, "never below the minimum");
}

#[test]
fn next_falls_below_concurrency() {
    let gradient = GradientLimit::between(16, 256, Instant::now());
    let next = |median, max_running| {
        let observed = Observed {
            max_running,
            ..full(median, 256)
        };
        gradient.next(observed, 256)
    };
    assert_eq!(next(ms(100), 200), 189);
    assert_eq!(next(ms(100), 300), 242, "older requests still run");
    assert_eq!(next(ms(5000), 200), 128, "not in one step");
}

#[test]
fn next_keeps_the_limit_while_a_backlog_drains() {
    let gradient = GradientLimit::between(16, 256, Instant::now());
    let next = |waited, drained| {
        let observed = Observed {
            waited,
            drained,
            ..full(ms(5000), 100)
        };
        gradient.next(observed, 100)
    };
    assert_eq!(next(false, true), 100);
    assert_eq!(next(false, false), 50);
    assert_eq!(next(true, true), 50, "only because requests wait");
}

#[test]
fn next_keeps_the_limit_after_a_stall() {
    // 200 requests came during the stall; then throughput is as before.
    let began = Instant::now();
    let gradient = GradientLimit::between(16, 256, began);
    for (number, running) in (20..200).rev().enumerate() {
        let millis = u64::try_from(number).expect("a small number") * 3;
        let now = began + ms(2000 + millis);
        assert_eq!(
            gradient.note(now, ms(1800), (running, 256)),
            None,
            "{running}"
        );
    }
}

#[test]
fn next_stays_above_what_finishes_in_target() {
    let gradient = GradientLimit::between(16, 256, Instant::now());
    let next = |done_in_target| {
        let observed = Observed {
            done_in_target,
            ..full(ms(5000), 100)
        };
        gradient.next(observed, 100)
    };
    assert_eq!(next(40), 50);
    assert_eq!(next(60), 60);
    assert_eq!(next(200), 100, "never above the current limit");
}

#[test]
fn done_in_follows_from_throughput() {
    let mut simulation = Simulation::new(100);
    // 500 a second, so 60 finish in 120 ms.
    simulation.window(50, ms(2000), 100);
    assert_eq!(simulation.limit, 60);
}

#[test]
fn next_rises_after_fast_answers_while_requests_wait() {
    let gradient = GradientLimit::between(16, 256, Instant::now());
    let next = |median, waited, limit| {
        let observed = Observed {
            waited,
            ..full(median, limit)
        };
        gradient.next(observed, limit)
    };
    assert_eq!(next(ms(71), true, 100), 106);
    assert_eq!(next(ms(71), false, 100), 100);
    assert_eq!(next(ms(71), true, 256), 256);
    assert_eq!(next(ms(88), true, 100), 102);
    assert_eq!(next(ms(90), true, 100), 100, "neither up nor down");
}

#[test]
fn next_recovers_at_low_load() {
    let gradient = GradientLimit::between(16, 256, Instant::now());
    let next = |median, max_running, limit| {
        let observed = Observed {
            max_running,
            waited: false,
            ..full(median, limit)
        };
        gradient.next(observed, limit)
    };
    assert_eq!(next(ms(10), 33, 100), 126);
    assert_eq!(next(ms(10), 34, 100), 100, "not at this concurrency");
    assert_eq!(next(ms(90), 33, 100), 100, "not at this latency");
    assert_eq!(next(ms(10), 33, 256), 256);
    let mut simulation = Simulation::new(16);
    simulation.windows(13, ms(10), |_| 5);
    assert_eq!(simulation.limit, 256, "within some seconds");
}

#[test]
fn note_keeps_a_burst_within_the_target() {
    // 800 arrive a second, 400 finish, in order of arrival.
    let mut now = Instant::now();
    let (gradient, mut limit) = (GradientLimit::between(16, 256, now), 256);
    let (mut inside, mut longest) = (VecDeque::new(), Duration::ZERO);
    for _ in 0..4000 {
        now += Duration::from_micros(2500);
        for _ in 0..2 {
            if inside.len() < limit {
                inside.push_back(now);
            } else {
                gradient.note_waiting();
            }
        }
        let took = now - inside.pop_front().expect("a request");
        longest = longest.max(took);
        let next = gradient.note(now, took, (inside.len() + 1, limit));
        limit = next.unwrap_or(limit);
    }
    assert!(longest < ms(350), "{longest:?}");
    assert!((40..=60).contains(&limit), "{limit}");
}

#[test]
fn next_keeps_the_limit_at_low_concurrency() {
    let mut simulation = Simulation::new(100);
    simulation.windows(1, ms(900), |_| 33);
    assert_eq!(simulation.limit, 100);
    let mut simulation = Simulation::new(100);
    simulation.windows(1, ms(900), |_| 50);
    assert_eq!(simulation.limit, 50);
}

#[test]
fn note_lowers_the_limit_until_requests_are_fast() {
    let mut simulation = Simulation::new(256);
    for _ in 0..60 {
        simulation.windows(1, sharing(simulation.limit), |limit| limit);
    }
    assert!(
        (40..=50).contains(&simulation.limit),
        "{}",
        simulation.limit
    );
}

#[test]
fn note_does_not_overshoot_because_of_older_requests() {
    let mut simulation = Simulation::new(256);
    let (mut limits, mut min) = ([256; 4], 256);
    for _ in 0..100 {
        // Requests that end in a window began four windows earlier.
        simulation.window(40, sharing(limits[0]), limits[3]);
        limits = [limits[1], limits[2], limits[3], simulation.limit];
        min = min.min(simulation.limit);
    }
    assert!(min >= 40, "{min}");
    assert!(
        (40..=56).contains(&simulation.limit),
        "{}",
        simulation.limit
    );
}

#[test]
fn note_keeps_the_limit_when_the_database_becomes_slow() {
    let mut simulation = Simulation::new(100);
    simulation.windows(20, ms(10), |_| 5);
    // Latency does not depend on concurrency, so the limit must stay high.
    simulation.windows(200, ms(600), |limit| limit.min(100));
    assert!(simulation.limit >= 100, "{}", simulation.limit);
}

#[test]
fn baseline_ignores_windows_of_high_concurrency() {
    let mut simulation = Simulation::new(256);
    simulation.windows(50, ms(300), |_| 60);
    assert_eq!(simulation.limit, 256);
    simulation.windows(1, ms(300), |limit| limit);
    assert_eq!(simulation.limit, 161);
}

#[test]
fn baseline_falls_after_slow_windows() {
    let mut simulation = Simulation::new(256);
    simulation.windows(50, ms(900), |_| 5);
    simulation.windows(20, ms(10), |_| 5);
    simulation.windows(1, ms(100), |limit| limit);
    assert_eq!(simulation.limit, 167);
}

#[test]
fn note_adjusts_at_the_end_of_a_window() {
    let began = Instant::now();
    let gradient = GradientLimit::between(16, 256, began);
    for _ in 0..100 {
        assert_eq!(gradient.note(began, ms(400), (256, 256)), None);
    }
    let next = began + WINDOW;
    assert_eq!(gradient.note(next, ms(400), (256, 256)), Some(140));
    // The next window begins empty.
    let after = next + WINDOW;
    for _ in 1..MIN_SAMPLES {
        assert_eq!(gradient.note(after, ms(400), (140, 140)), None);
    }
    assert_eq!(gradient.note(after, ms(400), (140, 140)), Some(76));
}

#[test]
fn note_ignores_a_few_slow_answers() {
    let began = Instant::now();
    let gradient = GradientLimit::between(16, 256, began);
    for number in 0..100 {
        let took = if number % 3 == 0 { ms(4000) } else { ms(10) };
        assert_eq!(gradient.note(began, took, (256, 256)), None);
    }
    assert_eq!(gradient.note(began + WINDOW, ms(10), (256, 256)), None);
}
