//! Test infrastructure with real processes: installation, fleet and HTTP client.
//!
//! Used by the process tests of `hourmeter-standalone` and two programs: `hourmeter-survive`
//! injects faults under load and audits every write, `hourmeter-bench` measures the release build.
//! The product contains none of it.

pub mod bench;
mod collector;
mod fleet;
mod grpc_web;
mod installation;
mod process;
mod program;
pub mod survive;
mod visitor;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub use collector::Collector;
pub use fleet::start_database;
pub use installation::Installation;
pub use process::{Environment, Process, TIMEOUT, free_port};
pub use program::{Product, Program, data_folder, root};
pub use visitor::Visitor;

/// A percentile of sorted times; zero of none.
fn percentile(sorted: &[Duration], percent: usize) -> Duration {
    let place = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(place).copied().unwrap_or_default()
}

/// Locks, also after a panic in another thread.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
