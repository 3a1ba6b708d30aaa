//! Faults under load: all processes are real, users work at a constant rate, and one fault after
//! the other is injected. After each, every acknowledged write must be stored exactly once.

mod audit;
mod balancer;
mod cases;
mod companies;
mod history;
mod jobs;
mod load;
mod outcome;
mod phones;
mod proxy;
mod report;
mod world;

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, ensure};
use fastrand::Rng;
use hourmeter_runtime::clock::Clock;

use crate::fleet::Fleet;
use crate::program::Program;
use balancer::Balancer;
pub use cases::Case;
use cases::Stage;
use world::World;

/// Open files per process in the long version: 5,000 sockets plus its own.
const FILES: u64 = 8192;
const FILES_SHORT: u64 = 1024;

pub struct Options {
    pub cases: Vec<Case>,
    pub rate: u32,
    /// Short enough for every test run; speed is not judged.
    pub short: bool,
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

    /// Runs all cases on an empty data folder, prints a table and returns the number of violations.
    pub async fn run(&self, program: &Program, data: &Path) -> Result<usize> {
        raise_file_limit(if self.short { FILES_SHORT } else { FILES })?;
        let mut stage = self.stage(program, data).await?;
        let world = stage.world.clone();
        let probe = tokio::spawn(async move { world.gateways.probe().await });
        let (rate, companies, seed) = (self.rate, stage.world.companies.len(), self.seed);
        report::fact(&format!(
            "{rate} requests per second of {companies} companies, seed {seed}"
        ));
        report::head();
        let mut violations = 0;
        for case in &self.cases {
            violations += run_case(case, &mut stage).await?;
        }
        probe.abort();
        stage.fleet.stop().await?;
        Ok(violations)
    }

    async fn stage(&self, program: &Program, data: &Path) -> Result<Stage> {
        let (companies, stop_wait) = if self.short { (8, 1) } else { (40, 3) };
        let fleet = Fleet::start(program, data, !self.short, stop_wait).await?;
        let (gateways, clock) = (Balancer::new(&fleet.gateways)?, Clock::system());
        let companies = companies::companies(&fleet.origin(0), companies, &clock).await;
        Ok(Stage {
            fleet,
            world: Arc::new(World::new(companies, gateways, clock)),
            rate: self.rate,
            short: self.short,
            rng: Rng::with_seed(self.seed),
        })
    }
}

/// Raises the limit of open files of this process and its children. Fails if the hard limit is lower.
fn raise_file_limit(needed: u64) -> Result<()> {
    let allowed = rlimit::increase_nofile_limit(needed)?;
    ensure!(
        allowed >= needed,
        "{needed} open files are needed, but only {allowed} are allowed: start it in a shell after `ulimit -Hn \
         {needed}`, or set LimitNOFILE of its service",
    );
    Ok(())
}

async fn run_case(case: &Case, stage: &mut Stage) -> Result<usize> {
    let before = stage.world.history.len();
    let result = (case.run)(stage).await?;
    let findings = audit::check(&stage.world, &stage.fleet, before).await?;
    let title = if stage.short { case.name } else { case.title };
    report::row(title, &result.figures, &findings);
    for (speed, fine) in &result.speeds {
        let verdict = if *fine { "pass" } else { "FAIL" };
        report::fact(&format!("  {verdict} {speed}"));
    }
    let mut violations = result.violations;
    violations.extend(findings.violations);
    for wrong in violations.iter().take(20) {
        report::fact(&format!("  WRONG: {wrong}"));
    }
    // The speed of a debug build beside other tests is meaningless.
    let too_slow = result.speeds.iter().filter(|(_, fine)| !fine);
    let too_slow = if stage.short { 0 } else { too_slow.count() };
    Ok(violations.len() + findings.lost + findings.duplicates + too_slow)
}
