//! Output for a person.
#![expect(clippy::print_stdout, reason = "the figures are the output")]

use std::time::Duration;

use crate::percentile;

pub struct Figures {
    /// Of each call, sorted.
    times: Vec<Duration>,
    span: Duration,
    /// Responses other than 2xx.
    pub errors: usize,
    /// CPU time of the whole stack per call in microseconds.
    pub cpu: Option<f64>,
}

impl Figures {
    /// From unsorted times.
    pub fn new(mut times: Vec<Duration>, span: Duration, errors: usize) -> Self {
        times.sort_unstable();
        Self {
            times,
            span,
            errors,
            cpu: None,
        }
    }

    /// Adds the CPU time of all calls in microseconds.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a displayed figure")]
    pub fn with_cpu(self, microseconds: f64) -> Self {
        let cpu = Some(microseconds / self.times.len() as f64);
        Self { cpu, ..self }
    }

    #[expect(clippy::cast_precision_loss, reason = "a displayed figure")]
    pub fn rate(&self) -> f64 {
        self.times.len() as f64 / self.span.as_secs_f64()
    }
}

/// A percentile of sorted times; NaN without any.
pub fn milliseconds(sorted: &[Duration], percent: usize) -> f64 {
    if sorted.is_empty() {
        return f64::NAN;
    }
    percentile(sorted, percent).as_secs_f64() * 1e3
}

pub fn fact(name: &str, value: &str) {
    println!("{name:<42} {value}");
}

pub fn head() {
    println!(
        "{:<42} {:>9} {:>9} {:>9} {:>9} {:>7}",
        "", "CPU us", "per s", "p50 ms", "p99 ms", "errors"
    );
}

pub fn row(name: &str, figures: &Figures) {
    let [p50, p99] = [50, 99].map(|percent| milliseconds(&figures.times, percent));
    let (rate, errors) = (figures.rate(), figures.errors);
    let cpu = figures
        .cpu
        .map_or_else(String::new, |cpu| format!("{cpu:.0}"));
    println!("{name:<42} {cpu:>9} {rate:>9.0} {p50:>9.2} {p99:>9.2} {errors:>7}");
}
