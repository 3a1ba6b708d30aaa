//! The cases, run one by one.

mod attack;
mod expensive_company;
mod faults;
mod floods;
mod neighbour;
mod overload;
mod provider;
mod slow_clients;
mod slow_headers;

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use fastrand::Rng;
use futures::FutureExt as _;
use futures::future::LocalBoxFuture;
use tokio::time::{Instant, sleep};

use super::load::{Load, any_job};
use super::report::Figures;
use super::world::World;
use crate::fleet::Fleet;

/// Time until no request fails any more.
const TIMEOUT: Duration = Duration::from_mins(2);

/// A fault and the expectations during and after it.
#[derive(Clone, Copy)]
pub struct Case {
    /// For the command line and the table of the short version.
    pub(super) name: &'static str,
    /// For the table of the long version.
    pub(super) title: &'static str,
    pub(super) run: Run,
    pub(super) in_short: bool,
}

pub(super) type Run = for<'a> fn(&'a mut Stage) -> LocalBoxFuture<'a, Result<CaseResult>>;

macro_rules! case {
    ($in_short:literal, $name:literal, $title:literal, $run:path) => {
        Case {
            name: $name,
            title: $title,
            run: |stage| $run(stage).boxed_local(),
            in_short: $in_short,
        }
    };
}

pub struct Stage {
    pub fleet: Fleet,
    pub world: Arc<World>,
    pub rate: u32,
    pub short: bool,
    pub rng: Rng,
}

pub struct CaseResult {
    pub figures: Figures,
    pub violations: Vec<String>,
    /// Speed figures and whether each is acceptable.
    pub speeds: Vec<(String, bool)>,
}

impl CaseResult {
    fn of(figures: Figures) -> Self {
        Self {
            violations: figures.violations(),
            figures,
            speeds: Vec::new(),
        }
    }

    /// Adds a violation if any request failed.
    fn without_failures(mut self, when: &str) -> Self {
        let failed = self.figures.failures();
        if failed > 0 {
            let wrong = format!("{failed} requests failed {when}");
            self.violations.push(wrong);
        }
        self
    }
}

impl Case {
    /// In order of execution. The noisy neighbour is last: its requests count against its rate
    /// limit for a minute. Attacks are not in the short version: their effect on others is a matter
    /// of speed.
    #[rustfmt::skip]
    pub const ALL: [Self; 19] = [
        case!(true, "kill", "kill -9 of each process in turn, twice", faults::kills),
        case!(true, "database-killed", "PostgreSQL killed and restarted", faults::database_killed),
        case!(true, "database-stopped", "PostgreSQL stopped for 10 s", faults::database_stopped),
        case!(true, "redis-stopped", "Redis stopped for 60 s", faults::redis_stopped),
        case!(true, "paused", "one replica of each service paused (SIGSTOP) for 8 s", faults::paused),
        case!(true, "slow-database", "database slowed by 200 ms", faults::slow_database),
        case!(true, "rolling", "rolling restart of everything", faults::rolling),
        case!(true, "overload", "twice the capacity", overload::run),
        case!(true, "slow-headers", "5,000 sockets with slow headers", slow_headers::run),
        case!(true, "provider", "payment provider unavailable", provider::run),
        case!(false, "slow-bodies", "2,000 sockets with endless bodies", slow_clients::bodies),
        case!(false, "slow-bodies-http2", "2,560 streams with endless bodies", slow_clients::bodies_http2),
        case!(false, "slow-readers", "clients that read nothing", slow_clients::readers),
        case!(false, "header-flood", "15 to 60 kB of headers", floods::headers),
        case!(false, "resets", "HTTP/2 streams reset immediately", floods::resets),
        case!(false, "cookies", "2,000 unknown cookies per second", floods::cookies),
        case!(false, "huge-rows", "one company reads 100 MB lists", expensive_company::huge_rows),
        case!(false, "hashing", "one company hashes without a pause", expensive_company::hashing),
        case!(true, "neighbour", "one company at ten times its share", neighbour::run),
    ];

    pub fn named(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|case| case.name == name);
        let names = || Self::ALL.map(|case| case.name).join(", ");
        found.with_context(|| format!("no case \"{name}\"; there are {}", names()))
    }
}

impl Stage {
    const fn or_short<T: Copy>(&self, long: T, short: T) -> T {
        if self.short { short } else { long }
    }

    fn load(&mut self) -> Load {
        Load::start(&self.world, f64::from(self.rate), any_job, self.rng.fork())
    }

    /// Injects a fault under the usual load, which continues until no request fails any more.
    async fn under_load(
        &mut self,
        fault: impl AsyncFnOnce(&mut Fleet, &mut Rng) -> Result<()>,
    ) -> Result<CaseResult> {
        self.wait_until_ready().await?;
        self.world.take_attempts();
        let load = self.load();
        sleep(self.or_short(Duration::from_secs(3), Duration::from_secs(1))).await;
        fault(&mut self.fleet, &mut self.rng).await?;
        let lifted = Instant::now();
        let is_calm = self.until_recovered(lifted).await;
        load.stop().await?;
        let ended = Instant::now();
        self.fleet.check_running()?;
        let attempts = self.world.take_attempts();
        let mut result = CaseResult::of(Figures::of(&attempts, lifted, ended));
        if !is_calm {
            let wrong = "requests went on failing after the fault was over";
            result.violations.push(wrong.to_owned());
        }
        Ok(result)
    }

    pub async fn wait_until_ready(&self) -> Result<()> {
        let begun = Instant::now();
        while !self.world.gateways.all_ready().await {
            ensure!(begun.elapsed() < TIMEOUT, "a gateway did not become ready");
            sleep(Duration::from_millis(50)).await;
        }
        Ok(())
    }

    /// Waits until no request has failed for some time; false after the timeout.
    async fn until_recovered(&self, lifted: Instant) -> bool {
        let span = self.or_short(Duration::from_secs(4), Duration::from_millis(1500));
        let mut from = lifted;
        while lifted.elapsed() < TIMEOUT {
            sleep(Duration::from_millis(100)).await;
            match self.world.since(from) {
                (0, done) if done > 0 && from.elapsed() > span => return true,
                (0, _) => {}
                _ => from = Instant::now(),
            }
        }
        false
    }
}
