//! Constant-rate load, independent of responses.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use fastrand::Rng;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::jobs::Job;
use super::world::World;

/// A load that runs until it is stopped.
pub struct Load {
    stop: CancellationToken,
    task: JoinHandle<()>,
}

/// Chooses a job and a company.
pub type Draw = fn(&World, &mut Rng) -> (Job, usize);

/// Any job of any company.
pub fn any_job(world: &World, rng: &mut Rng) -> (Job, usize) {
    (Job::random(rng), rng.usize(..world.companies.len()))
}

impl Load {
    /// Starts `per_second` requests per second.
    pub fn start(world: &Arc<World>, per_second: u32, draw: Draw, rng: Rng) -> Self {
        let stop = CancellationToken::new();
        let load = generate(world.clone(), per_second, draw, rng, stop.clone());
        let task = tokio::spawn(load);
        Self { stop, task }
    }

    /// Stops sending and waits for open requests and their retries.
    pub async fn stop(self) -> Result<()> {
        self.stop.cancel();
        Ok(self.task.await?)
    }
}

async fn generate(
    world: Arc<World>,
    per_second: u32,
    draw: Draw,
    mut rng: Rng,
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
        let (job, company) = draw(&world, &mut rng);
        let (world, rng) = (world.clone(), rng.fork());
        running.spawn(async move { world.work(job, company, due, rng).await });
    }
    while running.join_next().await.is_some() {}
}

/// Closed-loop load of several clients for some time.
pub async fn closed(world: &Arc<World>, clients: usize, span: Duration, mut rng: Rng) {
    let end = Instant::now() + span;
    let mut running = JoinSet::new();
    for _ in 0..clients {
        let (world, mut rng) = (world.clone(), rng.fork());
        running.spawn(async move {
            while Instant::now() < end {
                let (job, company) = any_job(&world, &mut rng);
                let own = rng.fork();
                world.work(job, company, Instant::now(), own).await;
            }
        });
    }
    while running.join_next().await.is_some() {}
}
