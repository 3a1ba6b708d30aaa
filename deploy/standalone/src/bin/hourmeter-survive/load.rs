//! Requests at a steady pace, whether or not those before have been answered.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::chance::Chance;
use crate::jobs::Job;
use crate::world::World;

/// A pace that goes on until it is ended.
pub struct Load {
    stop: CancellationToken,
    task: JoinHandle<()>,
}

/// Whose turn it is, and what is done.
pub type Draw = fn(&World, &mut Chance) -> (Job, usize);

/// Any company, anything.
pub fn usual(world: &World, chance: &mut Chance) -> (Job, usize) {
    (Job::drawn(chance), chance.place(world.companies.len()))
}

impl Load {
    /// So many a second from now on.
    pub fn begin(world: &Arc<World>, per_second: u32, draw: Draw, chance: Chance) -> Self {
        let stop = CancellationToken::new();
        let pace = pace(world.clone(), per_second, draw, chance, stop.clone());
        let task = tokio::spawn(pace);
        Self { stop, task }
    }

    /// Sends nothing new, and waits for what is on its way, with its repeats.
    pub async fn end(self) -> Result<()> {
        self.stop.cancel();
        Ok(self.task.await?)
    }
}

async fn pace(
    world: Arc<World>,
    per_second: u32,
    draw: Draw,
    mut chance: Chance,
    stop: CancellationToken,
) {
    let begun = Instant::now();
    let mut running = JoinSet::new();
    for number in 0_u32.. {
        let due = begun + Duration::from_secs(1).mul_f64(f64::from(number) / f64::from(per_second));
        tokio::select! {
            () = stop.cancelled() => break,
            () = tokio::time::sleep_until(due) => {}
        }
        while running.try_join_next().is_some() {}
        let (job, company) = draw(&world, &mut chance);
        let (world, chance) = (world.clone(), chance.fork());
        running.spawn(async move { world.work(job, company, due, chance).await });
    }
    while running.join_next().await.is_some() {}
}

/// As fast as so many people are answered, for some time.
pub async fn closed(world: &Arc<World>, people: usize, span: Duration, mut chance: Chance) {
    let end = Instant::now() + span;
    let mut running = JoinSet::new();
    for _ in 0..people {
        let (world, mut chance) = (world.clone(), chance.fork());
        running.spawn(async move {
            while Instant::now() < end {
                let (job, company) = usual(&world, &mut chance);
                let own = chance.fork();
                world.work(job, company, Instant::now(), own).await;
            }
        });
    }
    while running.join_next().await.is_some() {}
}
