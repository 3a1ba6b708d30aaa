//! The faults, one case after the other.

mod faults;
mod neighbour;
mod overload;
mod provider;
mod slow_headers;

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use fastrand::Rng;
use tokio::time::{Instant, sleep};

use super::load::{Load, usual};
use super::report::Figures;
use super::world::World;
use crate::fleet::Fleet;

/// How long it may take until no request fails any more.
const TIMEOUT: Duration = Duration::from_mins(2);

/// A fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    Kills,
    DatabaseKilled,
    DatabaseStopped,
    RedisStopped,
    Paused,
    SlowDatabase,
    Rolling,
    /// Twice the capacity.
    Overload,
    /// One company at ten times its share.
    Neighbour,
    /// Thousands of clients that never finish their headers.
    SlowHeaders,
    /// The payment provider is away.
    Provider,
}

/// What a case works with.
pub struct Stage {
    pub fleet: Fleet,
    pub world: Arc<World>,
    /// Requests a second.
    pub rate: u32,
    /// Quick enough for every test run.
    pub short: bool,
    pub rng: Rng,
}

/// The result of a case.
#[derive(Default)]
pub struct CaseResult {
    pub figures: Figures,
    /// What must not happen.
    pub wrongs: Vec<String>,
    /// Figures of speed, and whether each is good enough.
    pub speeds: Vec<(String, bool)>,
}

impl CaseResult {
    /// Adds a wrong if any request failed.
    fn without_failures(mut self, when: &str) -> Self {
        let failed = self.figures.failures();
        if failed > 0 {
            self.wrongs.push(format!("{failed} requests failed {when}"));
        }
        self
    }
}

impl Case {
    /// In the order in which they run. The noisy neighbour is last: its requests count against its
    /// rate limit for a minute.
    pub const ALL: [Self; 11] = [
        Self::Kills,
        Self::DatabaseKilled,
        Self::DatabaseStopped,
        Self::RedisStopped,
        Self::Paused,
        Self::SlowDatabase,
        Self::Rolling,
        Self::Overload,
        Self::SlowHeaders,
        Self::Provider,
        Self::Neighbour,
    ];

    /// The name on the command line, the title, and that of the short version if it differs.
    const fn names(self) -> (&'static str, &'static str, Option<&'static str>) {
        match self {
            Self::Kills => (
                "kill",
                "kill -9 of each process in turn, twice",
                Some("kill -9 of each process in turn"),
            ),
            Self::DatabaseKilled => (
                "database-killed",
                "PostgreSQL killed and started again",
                None,
            ),
            Self::DatabaseStopped => (
                "database-stopped",
                "PostgreSQL stopped for 10 s",
                Some("PostgreSQL stopped for 2 s"),
            ),
            Self::RedisStopped => {
                let short = Some("Redis stopped for 4 s");
                ("redis-stopped", "Redis stopped for 60 s", short)
            }
            Self::Paused => (
                "paused",
                "one replica of each service held (SIGSTOP) for 8 s",
                Some("one replica of equipment held (SIGSTOP) for 3 s"),
            ),
            Self::SlowDatabase => ("slow-database", "database 200 ms slower", None),
            Self::Rolling => ("rolling", "rolling restart of everything", None),
            Self::Overload => ("overload", "twice the capacity", None),
            Self::Neighbour => ("neighbour", "one company at ten times its share", None),
            Self::SlowHeaders => (
                "slow-headers",
                "5,000 sockets with slow headers",
                Some("400 sockets with slow headers"),
            ),
            Self::Provider => ("provider", "provider of payments away", None),
        }
    }

    /// The case of a name.
    pub fn named(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|case| case.names().0 == name);
        let names = || Self::ALL.map(|case| case.names().0).join(", ");
        found.with_context(|| format!("no case \"{name}\"; there are {}", names()))
    }

    /// Its title in the table.
    pub const fn title(self, short: bool) -> &'static str {
        match (self.names(), short) {
            ((_, _, Some(title)), true) | ((_, title, _), _) => title,
        }
    }

    /// Runs it.
    pub async fn run(self, stage: &mut Stage) -> Result<CaseResult> {
        match self {
            Self::Kills => faults::kills(stage).await,
            Self::DatabaseKilled => faults::database_killed(stage).await,
            Self::DatabaseStopped => faults::database_stopped(stage).await,
            Self::RedisStopped => faults::redis_stopped(stage).await,
            Self::Paused => faults::paused(stage).await,
            Self::SlowDatabase => faults::slow_database(stage).await,
            Self::Rolling => faults::rolling(stage).await,
            Self::Overload => overload::run(stage).await,
            Self::Neighbour => neighbour::run(stage).await,
            Self::SlowHeaders => slow_headers::run(stage).await,
            Self::Provider => provider::run(stage).await,
        }
    }
}

impl Stage {
    const fn or_short<T: Copy>(&self, long: T, short: T) -> T {
        if self.short { short } else { long }
    }

    /// The usual load from now on.
    fn load(&mut self) -> Load {
        Load::start(&self.world, self.rate, usual, self.rng.fork())
    }

    /// Injects a fault under the usual load, which goes on until no request fails any more.
    async fn under_load(
        &mut self,
        fault: impl AsyncFnOnce(&mut Fleet, &mut Rng) -> Result<()>,
    ) -> Result<CaseResult> {
        self.until_ready().await?;
        self.world.take_attempts();
        let begun = Instant::now();
        let load = self.load();
        sleep(self.or_short(Duration::from_secs(3), Duration::from_secs(1))).await;
        fault(&mut self.fleet, &mut self.rng).await?;
        let lifted = Instant::now();
        let is_calm = self.until_calm(lifted).await;
        load.stop().await?;
        let ended = Instant::now();
        self.fleet.check_running()?;
        let attempts = self.world.take_attempts();
        let figures = Figures::of(&attempts, begun, lifted, ended);
        let mut wrongs = figures.wrongs();
        if !is_calm {
            wrongs.push("requests went on failing after the fault was over".to_owned());
        }
        Ok(CaseResult {
            figures,
            wrongs,
            speeds: Vec::new(),
        })
    }

    /// Waits until both gateways are ready.
    pub async fn until_ready(&self) -> Result<()> {
        let begun = Instant::now();
        while !self.world.gateways.all_ready().await {
            ensure!(begun.elapsed() < TIMEOUT, "a gateway does not get ready");
            sleep(Duration::from_millis(50)).await;
        }
        Ok(())
    }

    /// Waits until no request fails for some time; false if that takes too long.
    async fn until_calm(&self, lifted: Instant) -> bool {
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
