//! CPU time of the whole stack, from /proc.

use std::fs;

use anyhow::{Context as _, Result};
use rustix::process::Pid;

use crate::process::Process;

/// Microseconds of a clock tick: 100 a second on every Linux of today.
const TICK: f64 = 10_000.0;

/// The product with its database, or a handler with the same database.
pub struct Stack<'p> {
    /// The product's only process.
    pub product: &'p Process,
    /// The database server's first process.
    pub database: Pid,
}

impl Stack<'_> {
    /// CPU time used so far, in microseconds.
    pub fn cpu(&self) -> Result<f64> {
        Ok(self.product.cpu_ticks()? * TICK + database(self.database)?)
    }
}

/// CPU time that a database server used so far, in microseconds: its first process, what it started
/// and what of that has ended.
pub fn database(server: Pid) -> Result<f64> {
    let server = server.as_raw_nonzero().get();
    let mut ticks = 0.0;
    for entry in fs::read_dir("/proc")? {
        let Ok(stat) = fs::read_to_string(entry?.path().join("stat")) else {
            continue;
        };
        let (id, _) = stat.split_once(' ').context("no process id")?;
        let fields = fields(&stat)?;
        if id == server.to_string() {
            ticks += sum(&fields[11..15])?;
        } else if fields[1] == server.to_string() {
            ticks += sum(&fields[11..13])?;
        }
    }
    Ok(ticks * TICK)
}

/// CPU time that a thread of this process used so far, in microseconds.
pub fn thread(id: Pid) -> Result<f64> {
    let stat = fs::read_to_string(format!("/proc/self/task/{}/stat", id.as_raw_nonzero()))?;
    Ok(sum(&fields(&stat)?[11..13])? * TICK)
}

/// The fields of a `stat` file from the state on. The name before it may contain blanks.
fn fields(stat: &str) -> Result<Vec<&str>> {
    let (_, fields) = stat.rsplit_once(") ").context("no fields")?;
    Ok(fields.split(' ').collect())
}

fn sum(ticks: &[&str]) -> Result<f64> {
    let ticks = ticks.iter().map(|text| text.parse::<f64>());
    Ok(ticks.sum::<Result<f64, _>>()?)
}
