//! The cases, run one by one.

mod attack;
mod expensive_company;
mod faults;
mod floods;
mod neighbour;
mod overload;
mod provider;
mod slow_bodies;
mod slow_headers;
mod slow_readers;

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

const fn case(name: &'static str, title: &'static str, run: Run) -> Case {
    Case {
        name,
        title,
        run,
        in_short: true,
    }
}

/// A case of the long version only: the effect on others is a matter of speed.
const fn attack(name: &'static str, title: &'static str, run: Run) -> Case {
    Case {
        in_short: false,
        ..case(name, title, run)
    }
}

/// Context of a case.
pub struct Stage {
    pub fleet: Fleet,
    pub world: Arc<World>,
    pub rate: u32,
    /// Short enough for every test run.
    pub short: bool,
    pub rng: Rng,
}

#[derive(Default)]
pub struct CaseResult {
    pub figures: Figures,
    /// Violations.
    pub violations: Vec<String>,
    /// Speed figures and whether each is acceptable.
    pub speeds: Vec<(String, bool)>,
}

impl CaseResult {
    /// Adds a violation if any request failed.
    fn without_failures(mut self, when: &str) -> Self {
        let failed = self.figures.failures();
        if failed > 0 {
            self.violations
                .push(format!("{failed} requests failed {when}"));
        }
        self
    }
}

impl Case {
    /// In order of execution. The noisy neighbour is last: its requests count against its rate
    /// limit for a minute.
    pub const ALL: [Self; 19] = [
        case("kill", "kill -9 of each process in turn, twice", |stage| {
            faults::kills(stage).boxed_local()
        }),
        case(
            "database-killed",
            "PostgreSQL killed and restarted",
            |stage| faults::database_killed(stage).boxed_local(),
        ),
        case("database-stopped", "PostgreSQL stopped for 10 s", |stage| {
            faults::database_stopped(stage).boxed_local()
        }),
        case("redis-stopped", "Redis stopped for 60 s", |stage| {
            faults::redis_stopped(stage).boxed_local()
        }),
        case(
            "paused",
            "one replica of each service paused (SIGSTOP) for 8 s",
            |stage| faults::paused(stage).boxed_local(),
        ),
        case("slow-database", "database slowed by 200 ms", |stage| {
            faults::slow_database(stage).boxed_local()
        }),
        case("rolling", "rolling restart of everything", |stage| {
            faults::rolling(stage).boxed_local()
        }),
        case("overload", "twice the capacity", |stage| {
            overload::run(stage).boxed_local()
        }),
        case("slow-headers", "5,000 sockets with slow headers", |stage| {
            slow_headers::run(stage).boxed_local()
        }),
        case("provider", "payment provider unavailable", |stage| {
            provider::run(stage).boxed_local()
        }),
        attack(
            "slow-bodies",
            "2,000 sockets with endless bodies",
            |stage| slow_bodies::http1(stage).boxed_local(),
        ),
        attack(
            "slow-bodies-http2",
            "2,560 streams with endless bodies",
            |stage| slow_bodies::http2(stage).boxed_local(),
        ),
        attack("slow-readers", "clients that read nothing", |stage| {
            slow_readers::run(stage).boxed_local()
        }),
        attack("header-flood", "15 to 60 kB of headers", |stage| {
            floods::headers(stage).boxed_local()
        }),
        attack("resets", "HTTP/2 streams reset immediately", |stage| {
            floods::resets(stage).boxed_local()
        }),
        attack("cookies", "2,000 unknown cookies per second", |stage| {
            floods::cookies(stage).boxed_local()
        }),
        attack("huge-rows", "one company reads 100 MB lists", |stage| {
            expensive_company::huge_rows(stage).boxed_local()
        }),
        attack("hashing", "one company hashes without a pause", |stage| {
            expensive_company::hashing(stage).boxed_local()
        }),
        case("neighbour", "one company at ten times its share", |stage| {
            neighbour::run(stage).boxed_local()
        }),
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

    /// Starts the usual load.
    fn load(&mut self) -> Load {
        Load::start(&self.world, self.rate, any_job, self.rng.fork())
    }

    /// Injects a fault under the usual load, which continues until no request fails any more.
    async fn under_load(
        &mut self,
        fault: impl AsyncFnOnce(&mut Fleet, &mut Rng) -> Result<()>,
    ) -> Result<CaseResult> {
        self.wait_until_ready().await?;
        self.world.take_attempts();
        let begun = Instant::now();
        let load = self.load();
        sleep(self.or_short(Duration::from_secs(3), Duration::from_secs(1))).await;
        fault(&mut self.fleet, &mut self.rng).await?;
        let lifted = Instant::now();
        let is_calm = self.until_recovered(lifted).await;
        load.stop().await?;
        let ended = Instant::now();
        self.fleet.check_running()?;
        let attempts = self.world.take_attempts();
        let figures = Figures::of(&attempts, begun, lifted, ended);
        let mut violations = figures.violations();
        if !is_calm {
            violations.push("requests went on failing after the fault was over".to_owned());
        }
        Ok(CaseResult {
            figures,
            violations,
            speeds: Vec::new(),
        })
    }

    /// Waits until both gateways are ready.
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
