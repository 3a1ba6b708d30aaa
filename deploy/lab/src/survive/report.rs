//! The table.
#![expect(clippy::print_stdout, reason = "the table is the output")]

use std::collections::BTreeMap;
use std::fmt::Display;
use std::time::Duration;

use tokio::time::Instant;

use super::audit::Findings;
use super::outcome::Outcome;
use super::world::Attempt;
use crate::percentile;

#[derive(Debug, Default)]
pub struct Figures {
    /// Times of successful requests, sorted.
    pub times: Vec<Duration>,
    pub failed: BTreeMap<Outcome, usize>,
    /// The longest time without a successful request.
    pub gap: Duration,
    /// From the end of the fault to the scheduled time of the last failed request.
    pub recovery: Duration,
}

impl Figures {
    /// For the requests until a moment; `lifted` is the end of the fault.
    pub fn of(attempts: &[Attempt], lifted: Instant, ended: Instant) -> Self {
        let mut figures = Self::default();
        let begun = attempts.iter().map(|attempt| attempt.due).min();
        let mut moments = vec![begun.unwrap_or(ended), ended];
        for attempt in attempts {
            if attempt.outcome == Outcome::Done {
                figures.times.push(attempt.took);
                moments.push((attempt.due + attempt.took).min(ended));
            } else {
                *figures.failed.entry(attempt.outcome).or_default() += 1;
                let after = attempt.due.saturating_duration_since(lifted);
                figures.recovery = figures.recovery.max(after);
            }
        }
        figures.times.sort_unstable();
        moments.sort_unstable();
        let gaps = moments.windows(2).map(|pair| pair[1] - pair[0]);
        figures.gap = gaps.max().unwrap_or_default();
        figures
    }

    /// Adds a second part of the same case; of gaps and recoveries the longer ones count.
    pub fn join(&mut self, other: Self) {
        self.times.extend(other.times);
        self.times.sort_unstable();
        for (how, count) in other.failed {
            *self.failed.entry(how).or_default() += count;
        }
        self.gap = self.gap.max(other.gap);
        self.recovery = self.recovery.max(other.recovery);
    }

    pub fn failures(&self) -> usize {
        self.failed.values().sum()
    }

    /// Violations among the outcomes.
    pub fn violations(&self) -> Vec<String> {
        let never =
            |outcome: &&Outcome| matches!(outcome, Outcome::Wrong(_) | Outcome::NoRetryAfter(_));
        let found = self.failed.keys().filter(never);
        found
            .map(|outcome| format!("{outcome} was answered"))
            .collect()
    }
}

/// The successful requests.
pub fn done(attempts: &[Attempt]) -> impl Iterator<Item = &Attempt> {
    let is_done = |one: &&Attempt| one.outcome == Outcome::Done;
    attempts.iter().filter(is_done)
}

pub fn p99<'a>(attempts: impl Iterator<Item = &'a Attempt>) -> Duration {
    let mut times: Vec<Duration> = attempts.map(|one| one.took).collect();
    times.sort_unstable();
    percentile(&times, 99)
}

/// Counts of something, such as `3 × 503, 1 × cut`.
pub fn counted<T: Display>(counts: &BTreeMap<T, usize>) -> String {
    let counts = counts.iter();
    let counts: Vec<_> = counts
        .map(|(what, count)| format!("{count} × {what}"))
        .collect();
    counts.join(", ")
}

pub fn head() {
    println!(
        "| case | requests | ok | failed | p50 ms | p99 ms | longest gap s | recovery s | writes \
         acknowledged | lost | doubled |"
    );
    println!("|{}", " --- |".repeat(11));
}

pub fn row(name: &str, figures: &Figures, findings: &Findings) {
    let failed = match counted(&figures.failed) {
        none if none.is_empty() => "0".to_owned(),
        failed => failed,
    };
    println!(
        "| {name} | {} | {} | {failed} | {:.0} | {:.0} | {:.2} | {:.1} | {} | {} | {} |",
        figures.times.len() + figures.failures(),
        figures.times.len(),
        percentile(&figures.times, 50).as_secs_f64() * 1e3,
        percentile(&figures.times, 99).as_secs_f64() * 1e3,
        figures.gap.as_secs_f64(),
        figures.recovery.as_secs_f64(),
        findings.acknowledged,
        findings.lost,
        findings.duplicates,
    );
}

/// A line beside the table.
pub fn fact(text: &str) {
    println!("{text}");
}
