use std::collections::VecDeque;

use super::*;

const GOOD: Duration = Duration::from_millis(90);

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// A pace, and the moment it is at.
struct Played {
    pace: Pace,
    now: Instant,
    limit: usize,
}

impl Played {
    fn new(limit: usize) -> Self {
        let now = Instant::now();
        let pace = Pace::between(16, 256, now);
        Self { pace, now, limit }
    }

    /// Windows in which all requests took the same, with so many at the same moment.
    fn windows(&mut self, count: usize, took: Duration, running: impl Fn(usize) -> usize) {
        for _ in 0..count {
            self.window(ENOUGH, took, running(self.limit));
        }
    }

    /// A window in which so many requests ended that all took the same.
    fn window(&mut self, ended: usize, took: Duration, running: usize) {
        if running >= self.limit {
            self.pace.note_waiting();
        }
        for _ in 1..ended {
            let next = self.pace.note(self.now, took, (running, self.limit));
            assert_eq!(next, None);
        }
        self.now += WINDOW;
        let next = self.pace.note(self.now, took, (running, self.limit));
        self.limit = next.unwrap_or(self.limit);
    }
}

/// How long each takes of so many when four hundred a second can be done.
fn sharing(running: usize) -> Duration {
    Duration::from_micros(2500) * u32::try_from(running).unwrap_or(0)
}

/// As many as there may be, somebody waiting.
const fn full(median: Duration, limit: usize) -> Found {
    Found {
        median,
        good: GOOD,
        fullest: limit,
        in_time: 0,
        waited: true,
        emptied: false,
    }
}

#[test]
fn slow_answers_make_it_smaller() {
    let pace = Pace::between(16, 256, Instant::now());
    let next = |median, limit| pace.next(full(median, limit), limit);
    assert_eq!(next(ms(90), 256), 256);
    assert_eq!(next(ms(91), 256), 254);
    assert_eq!(next(ms(100), 256), 242);
    assert_eq!(next(ms(5000), 250), 125, "not all at once");
    assert_eq!(next(ms(5000), 16), 16, "some always run");
}

#[test]
fn it_becomes_smaller_than_what_ran() {
    let pace = Pace::between(16, 256, Instant::now());
    let next = |median, fullest| {
        let found = Found {
            fullest,
            ..full(median, 256)
        };
        pace.next(found, 256)
    };
    assert_eq!(next(ms(100), 200), 189);
    assert_eq!(next(ms(100), 300), 242, "those of before are still there");
    assert_eq!(next(ms(5000), 200), 128, "not all at once");
}

#[test]
fn what_becomes_less_by_itself_is_no_reason() {
    let pace = Pace::between(16, 256, Instant::now());
    let next = |waited, emptied| {
        let found = Found {
            waited,
            emptied,
            ..full(ms(5000), 100)
        };
        pace.next(found, 100)
    };
    assert_eq!(next(false, true), 100);
    assert_eq!(next(false, false), 50);
    assert_eq!(next(true, true), 50, "only because others are kept waiting");
}

#[test]
fn after_a_halt_nobody_is_refused() {
    // Two hundred have come while nothing ended; then it goes on as before.
    let began = Instant::now();
    let pace = Pace::between(16, 256, began);
    for (number, running) in (20..200).rev().enumerate() {
        let millis = u64::try_from(number).expect("few") * 3;
        let now = began + ms(2000 + millis);
        assert_eq!(pace.note(now, ms(1800), (running, 256)), None, "{running}");
    }
}

#[test]
fn it_stays_above_what_is_done_in_good_time() {
    let pace = Pace::between(16, 256, Instant::now());
    let next = |in_time| {
        let found = Found {
            in_time,
            ..full(ms(5000), 100)
        };
        pace.next(found, 100)
    };
    assert_eq!(next(40), 50);
    assert_eq!(next(60), 60);
    assert_eq!(next(200), 100, "and is no larger than before");
}

#[test]
fn what_is_done_in_good_time_is_told_from_what_was_done() {
    let mut played = Played::new(100);
    // Five hundred a second, of which sixty are done in 120 ms.
    played.window(50, ms(2000), 100);
    assert_eq!(played.limit, 60);
}

#[test]
fn quick_answers_make_it_larger_when_somebody_waits() {
    let pace = Pace::between(16, 256, Instant::now());
    let next = |median, waited, limit| {
        let found = Found {
            waited,
            ..full(median, limit)
        };
        pace.next(found, limit)
    };
    assert_eq!(next(ms(71), true, 100), 106);
    assert_eq!(next(ms(71), false, 100), 100);
    assert_eq!(next(ms(71), true, 256), 256);
    assert_eq!(next(ms(88), true, 100), 102);
    assert_eq!(next(ms(90), true, 100), 100, "neither");
}

#[test]
fn it_becomes_as_large_as_before_when_less_happens() {
    let pace = Pace::between(16, 256, Instant::now());
    let next = |median, fullest, limit| {
        let found = Found {
            fullest,
            waited: false,
            ..full(median, limit)
        };
        pace.next(found, limit)
    };
    assert_eq!(next(ms(10), 33, 100), 126);
    assert_eq!(next(ms(10), 34, 100), 100, "not little");
    assert_eq!(next(ms(90), 33, 100), 100, "not quick");
    assert_eq!(next(ms(10), 33, 256), 256);
    let mut played = Played::new(16);
    played.windows(13, ms(10), |_| 5);
    assert_eq!(played.limit, 256, "within some seconds");
}

#[test]
fn who_comes_all_at_once_is_done_in_time() {
    // Eight hundred a second come, four hundred are done, the first to come first.
    let mut now = Instant::now();
    let (pace, mut limit) = (Pace::between(16, 256, now), 256);
    let (mut inside, mut longest) = (VecDeque::new(), Duration::ZERO);
    for _ in 0..4000 {
        now += Duration::from_micros(2500);
        for _ in 0..2 {
            if inside.len() < limit {
                inside.push_back(now);
            } else {
                pace.note_waiting();
            }
        }
        let took = now - inside.pop_front().expect("somebody");
        longest = longest.max(took);
        let next = pace.note(now, took, (inside.len() + 1, limit));
        limit = next.unwrap_or(limit);
    }
    assert!(longest < ms(350), "{longest:?}");
    assert!((40..=60).contains(&limit), "{limit}");
}

#[test]
fn slow_answers_to_few_are_no_reason() {
    let mut played = Played::new(100);
    played.windows(1, ms(900), |_| 33);
    assert_eq!(played.limit, 100);
    let mut played = Played::new(100);
    played.windows(1, ms(900), |_| 50);
    assert_eq!(played.limit, 50);
}

#[test]
fn what_waits_for_each_other_becomes_less_until_it_is_quick() {
    let mut played = Played::new(256);
    for _ in 0..60 {
        played.windows(1, sharing(played.limit), |limit| limit);
    }
    assert!((40..=50).contains(&played.limit), "{}", played.limit);
}

#[test]
fn it_does_not_shrink_far_too_much_because_of_what_began_before() {
    let mut played = Played::new(256);
    let (mut limits, mut least) = ([256; 4], 256);
    for _ in 0..100 {
        // What ends in a window began four before it.
        played.window(40, sharing(limits[0]), limits[3]);
        limits = [limits[1], limits[2], limits[3], played.limit];
        least = least.min(played.limit);
    }
    assert!(least >= 40, "{least}");
    assert!((40..=56).contains(&played.limit), "{}", played.limit);
}

#[test]
fn a_database_that_has_become_slow_is_no_reason_for_less() {
    let mut played = Played::new(100);
    played.windows(20, ms(10), |_| 5);
    // What takes as long however many run: as much as possible has to run.
    played.windows(200, ms(600), |limit| limit.min(100));
    assert!(played.limit >= 100, "{}", played.limit);
}

#[test]
fn many_teach_nothing_of_what_is_usual_however_many_more_there_could_be() {
    let mut played = Played::new(256);
    played.windows(50, ms(300), |_| 60);
    assert_eq!(played.limit, 256);
    played.windows(1, ms(300), |limit| limit);
    assert_eq!(played.limit, 161);
}

#[test]
fn what_was_slow_once_is_forgotten() {
    let mut played = Played::new(256);
    played.windows(50, ms(900), |_| 5);
    played.windows(20, ms(10), |_| 5);
    played.windows(1, ms(100), |limit| limit);
    assert_eq!(played.limit, 167);
}

#[test]
fn a_window_is_looked_at_when_it_is_over() {
    let began = Instant::now();
    let pace = Pace::between(16, 256, began);
    for _ in 0..100 {
        assert_eq!(pace.note(began, ms(400), (256, 256)), None);
    }
    let next = began + WINDOW;
    assert_eq!(pace.note(next, ms(400), (256, 256)), Some(140));
    // The next one begins empty.
    let after = next + WINDOW;
    for _ in 1..ENOUGH {
        assert_eq!(pace.note(after, ms(400), (140, 140)), None);
    }
    assert_eq!(pace.note(after, ms(400), (140, 140)), Some(76));
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
