//! SQL statements. Functions take the transaction's connection and never commit.

pub mod changed_at;
mod columns;
pub mod companies;
pub mod decisions;
pub mod deliveries;
pub mod facts;
pub mod last_reports;
pub mod review;
pub mod states;
pub mod updates;
pub mod waiting;

fn column<'r, R, T>(rows: &'r [R], of: impl FnMut(&'r R) -> T) -> Vec<T> {
    rows.iter().map(of).collect()
}
