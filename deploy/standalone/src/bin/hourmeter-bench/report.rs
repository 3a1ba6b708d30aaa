//! Lines a person reads.
#![expect(clippy::print_stdout, reason = "the figures are the output")]

use crate::load::Figures;

/// One figure with its name.
pub fn fact(name: &str, value: &str) {
    println!("{name:<42} {value}");
}

/// The head of the table.
pub fn head() {
    println!(
        "{:<42} {:>9} {:>9} {:>9} {:>7}",
        "", "per s", "p50 ms", "p99 ms", "errors"
    );
}

/// A line of the table.
pub fn row(name: &str, figures: &Figures) {
    let (p50, p99) = (figures.percentile(50), figures.percentile(99));
    println!(
        "{name:<42} {:>9.0} {p50:>9.2} {p99:>9.2} {:>7}",
        figures.rate(),
        figures.errors
    );
}
