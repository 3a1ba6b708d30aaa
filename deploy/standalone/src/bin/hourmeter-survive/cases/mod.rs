//! What goes wrong, one case after the other.

mod away;
mod flood;
mod hold;
mod kills;
mod neighbour;
mod overload;
mod provider;
mod rolling;
mod slow;

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use tokio::time::{Instant, sleep};

use crate::chance::Chance;
use crate::fleet::Fleet;
use crate::load::{Draw, Load, usual};
use crate::report::Figures;
use crate::world::World;

/// How long it may take until nothing fails any more.
const PATIENCE: Duration = Duration::from_mins(2);

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// Every process is killed in turn.
    Kills,
    /// The database is killed and started again.
    DatabaseKilled,
    /// The database is away for a while.
    DatabaseStopped,
    /// Redis is away for a while.
    RedisStopped,
    /// A replica of a service stands still.
    Paused,
    /// The database is slow.
    SlowDatabase,
    /// Everything is replaced by a new version.
    Rolling,
    /// Twice as much as can be done.
    Overload,
    /// One company does ten times its share.
    Neighbour,
    /// Thousands of clients that never finish their headers.
    SlowHeaders,
    /// The provider of payments is away.
    Provider,
}

/// Everything a case works with.
pub struct Stage {
    /// What runs.
    pub fleet: Fleet,
    /// Who uses it.
    pub world: Arc<World>,
    /// Requests a second.
    pub rate: u32,
    /// Quick enough for every test run.
    pub short: bool,
    /// Draws the moments.
    pub chance: Chance,
}

/// What came of a case.
#[derive(Default)]
pub struct Played {
    /// For the table.
    pub figures: Figures,
    /// What must not be.
    pub wrongs: Vec<String>,
    /// Figures on speed, and whether they are as wanted.
    pub speeds: Vec<(String, bool)>,
}

impl Case {
    /// In the order in which they run. The noisy neighbour comes last: what its people did counts for
    /// a minute, and in another case they would be refused for it.
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

    /// As it is called on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kills => "kill",
            Self::DatabaseKilled => "database-killed",
            Self::DatabaseStopped => "database-stopped",
            Self::RedisStopped => "redis-stopped",
            Self::Paused => "paused",
            Self::SlowDatabase => "slow-database",
            Self::Rolling => "rolling",
            Self::Overload => "overload",
            Self::Neighbour => "neighbour",
            Self::SlowHeaders => "slow-headers",
            Self::Provider => "provider",
        }
    }

    /// The one of this name.
    pub fn named(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|case| case.name() == name);
        let names = || Self::ALL.map(Self::name).join(", ");
        found.with_context(|| format!("there is no case \"{name}\", but {}", names()))
    }

    /// As it is called in the table.
    pub const fn title(self, short: bool) -> &'static str {
        match (self, short) {
            (Self::Kills, false) => "kill -9 of each process in turn, twice",
            (Self::Kills, true) => "kill -9 of each process in turn",
            (Self::DatabaseKilled, _) => "PostgreSQL killed and started again",
            (Self::DatabaseStopped, false) => "PostgreSQL stopped for 10 s",
            (Self::DatabaseStopped, true) => "PostgreSQL stopped for 2 s",
            (Self::RedisStopped, false) => "Redis stopped for 60 s",
            (Self::RedisStopped, true) => "Redis stopped for 4 s",
            (Self::Paused, false) => "one replica of each service held (SIGSTOP) for 8 s",
            (Self::Paused, true) => "one replica of equipment held (SIGSTOP) for 3 s",
            (Self::SlowDatabase, _) => "database 200 ms slower",
            (Self::Rolling, _) => "rolling restart of everything",
            (Self::Overload, _) => "twice the capacity",
            (Self::Neighbour, _) => "one company at ten times its share",
            (Self::SlowHeaders, false) => "5,000 sockets with slow headers",
            (Self::SlowHeaders, true) => "400 sockets with slow headers",
            (Self::Provider, _) => "provider of payments away",
        }
    }

    /// Plays it.
    pub async fn play(self, stage: &mut Stage) -> Result<Played> {
        match self {
            Self::Kills => kills::play(stage).await,
            Self::DatabaseKilled => away::database_killed(stage).await,
            Self::DatabaseStopped => away::database_stopped(stage).await,
            Self::RedisStopped => away::redis_stopped(stage).await,
            Self::Paused => hold::play(stage).await,
            Self::SlowDatabase => slow::play(stage).await,
            Self::Rolling => rolling::play(stage).await,
            Self::Overload => overload::play(stage).await,
            Self::Neighbour => neighbour::play(stage).await,
            Self::SlowHeaders => flood::play(stage).await,
            Self::Provider => provider::play(stage).await,
        }
    }
}

impl Stage {
    /// One of two, by whether it has to be quick.
    pub const fn or_short<T: Copy>(&self, long: T, short: T) -> T {
        if self.short { short } else { long }
    }

    /// Plays some trouble while everybody works, and goes on until nothing fails any more.
    pub async fn under_load(
        &mut self,
        trouble: impl AsyncFnOnce(&mut Fleet, &mut Chance) -> Result<()>,
    ) -> Result<Played> {
        self.until_ready().await?;
        self.world.take_attempts();
        let begun = Instant::now();
        let load = Load::begin(&self.world, self.rate, usual as Draw, self.chance.fork());
        sleep(self.or_short(Duration::from_secs(3), Duration::from_secs(1))).await;
        trouble(&mut self.fleet, &mut self.chance).await?;
        let lifted = Instant::now();
        let calm = self.until_calm(lifted).await;
        load.end().await?;
        let ended = Instant::now();
        self.fleet.must_run()?;
        let attempts = self.world.take_attempts();
        let figures = Figures::of(&attempts, begun, lifted, ended);
        let mut wrongs = figures.wrongs();
        if !calm {
            wrongs.push("requests went on failing after the trouble was over".to_owned());
        }
        Ok(Played {
            figures,
            wrongs,
            speeds: Vec::new(),
        })
    }

    /// Waits until both gateways take traffic.
    pub async fn until_ready(&self) -> Result<()> {
        let begun = Instant::now();
        while !self.world.gateways.all_ready().await {
            anyhow::ensure!(begun.elapsed() < PATIENCE, "a gateway does not get ready");
            sleep(Duration::from_millis(50)).await;
        }
        Ok(())
    }

    /// Waits until for some time nothing fails; false when that does not come about.
    async fn until_calm(&self, lifted: Instant) -> bool {
        let span = self.or_short(Duration::from_secs(4), Duration::from_millis(1500));
        let mut from = lifted;
        while lifted.elapsed() < PATIENCE {
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
