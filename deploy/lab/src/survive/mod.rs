//! Faults under load: everything runs as real processes, people work at a steady rate, and one
//! fault after the other is injected. After each, every acknowledged write must be there once.

mod audit;
mod balancer;
mod cases;
mod files;
mod history;
mod jobs;
mod load;
mod outcome;
mod people;
mod phones;
mod proxy;
mod report;
mod world;

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use fastrand::Rng;
use hourmeter_runtime::clock::Clock;

use crate::fleet::Fleet;
use crate::program::Program;
use balancer::Balancer;
pub use cases::Case;
use cases::Stage;
use world::World;

/// Files that a process needs in the long version: 5,000 sockets, and its own.
const FILES: u64 = 8192;
/// The same in the short version.
const FILES_SHORT: u64 = 1024;

/// What a run does.
#[derive(Clone)]
pub struct Options {
    /// The cases, in this order.
    pub cases: Vec<Case>,
    /// Requests a second.
    pub rate: u32,
    /// Quick enough for every test run; figures of speed are then not judged.
    pub short: bool,
    /// The same seed draws the same jobs and moments.
    pub seed: u64,
}

impl Options {
    /// All cases of the version.
    pub fn new(short: bool) -> Self {
        let cases = Case::ALL.into_iter();
        Self {
            cases: cases.filter(|case| case.in_short || !short).collect(),
            rate: if short { 15 } else { 200 },
            short,
            seed: fastrand::u64(..),
        }
    }

    /// Runs all cases on an empty data folder; how much is wrong. Prints a table.
    pub async fn run(&self, program: &Program, data: &Path) -> Result<usize> {
        files::allow(if self.short { FILES_SHORT } else { FILES })?;
        let mut stage = self.stage(program, data).await?;
        let world = stage.world.clone();
        let probe = tokio::spawn(async move { world.gateways.probe().await });
        let (rate, companies, seed) = (stage.rate, stage.world.companies.len(), self.seed);
        report::fact(&format!(
            "{rate} requests a second of {companies} companies, seed {seed}"
        ));
        report::head();
        let mut wrongs = 0;
        for case in &self.cases {
            wrongs += run_case(case, &mut stage).await?;
        }
        probe.abort();
        stage.fleet.stop().await?;
        Ok(wrongs)
    }

    async fn stage(&self, program: &Program, data: &Path) -> Result<Stage> {
        let (companies, stop_wait) = if self.short { (8, 1) } else { (40, 3) };
        let fleet = Fleet::start(program, data, !self.short, stop_wait).await?;
        let origin = format!("http://127.0.0.1:{}", fleet.gateways[0]);
        let (gateways, clock) = (Balancer::new(&fleet.gateways)?, Clock::system());
        let companies = people::companies(&origin, companies, &clock).await;
        Ok(Stage {
            fleet,
            world: Arc::new(World::new(companies, gateways, clock)),
            rate: self.rate,
            short: self.short,
            rng: Rng::with_seed(self.seed),
        })
    }
}

async fn run_case(case: &Case, stage: &mut Stage) -> Result<usize> {
    let before = stage.world.history.len();
    let result = (case.run)(stage).await?;
    let findings = audit::check(&stage.world, &stage.fleet, before).await?;
    let title = if stage.short { case.name } else { case.title };
    report::row(title, &result.figures, &findings);
    for (speed, fine) in &result.speeds {
        report::fact(&format!(
            "  {} {speed}",
            if *fine { "pass" } else { "FAIL" }
        ));
    }
    let mut wrongs = result.wrongs;
    wrongs.extend(findings.wrongs);
    for wrong in wrongs.iter().take(20) {
        report::fact(&format!("  WRONG: {wrong}"));
    }
    // The speed of a debug build beside other tests says nothing.
    let too_slow = result.speeds.iter().filter(|(_, fine)| !fine);
    let too_slow = if stage.short { 0 } else { too_slow.count() };
    Ok(wrongs.len() + findings.lost + findings.doubled + too_slow)
}
