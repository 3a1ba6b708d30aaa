//! CPU time of the whole stack, from /proc.

use std::fs;

use anyhow::{Context as _, Result};
use rustix::process::Pid;

use crate::process::Process;

/// Microseconds per clock tick: 100 ticks per second on Linux.
const TICK: f64 = 10_000.0;

/// The product with its database, or a handler with the same database.
pub struct Stack<'p> {
    pub product: &'p Process,
    pub database: Pid,
}

impl Stack<'_> {
    /// CPU time so far in microseconds.
    pub fn cpu(&self) -> Result<f64> {
        Ok(self.product.cpu_ticks()? * TICK + database(self.database)?)
    }
}

/// CPU time of a database server so far in microseconds, including ended child processes.
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

/// CPU time of a thread of this process so far in microseconds.
pub fn thread(id: Pid) -> Result<f64> {
    let stat = fs::read_to_string(format!("/proc/self/task/{}/stat", id.as_raw_nonzero()))?;
    Ok(sum(&fields(&stat)?[11..13])? * TICK)
}

/// The fields of a `stat` file from the state on. The name before it may contain spaces.
fn fields(stat: &str) -> Result<Vec<&str>> {
    let (_, fields) = stat.rsplit_once(") ").context("no fields")?;
    Ok(fields.split(' ').collect())
}

fn sum(ticks: &[&str]) -> Result<f64> {
    let ticks = ticks.iter().map(|text| text.parse::<f64>());
    Ok(ticks.sum::<Result<f64, _>>()?)
}
