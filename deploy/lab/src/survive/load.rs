//! Constant-rate load, independent of responses.

use std::pin::pin;
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

pub fn any_job(world: &World, rng: &mut Rng) -> (Job, usize) {
    (Job::random(rng), rng.usize(..world.companies.len()))
}

impl Load {
    pub fn start(world: &Arc<World>, per_second: f64, draw: Draw, mut rng: Rng) -> Self {
        let (world, stop) = (world.clone(), CancellationToken::new());
        let request = move |due| {
            let (job, company) = draw(&world, &mut rng);
            let (world, rng) = (world.clone(), rng.fork());
            async move { world.work(job, company, due, rng).await }
        };
        let load = at_rate(per_second, stop.clone().cancelled_owned(), request);
        let task = tokio::spawn(load);
        Self { stop, task }
    }

    /// Stops sending and waits for open requests and their retries.
    pub async fn stop(self) -> Result<()> {
        self.stop.cancel();
        Ok(self.task.await?)
    }
}

/// Starts tasks at a constant rate until `stop`, and waits for all. `start` gets the scheduled time.
/// Panics after a panic in a task.
pub async fn at_rate<F: Future<Output = ()> + Send + 'static>(
    per_second: f64,
    stop: impl Future<Output = ()>,
    mut start: impl FnMut(Instant) -> F,
) {
    let (begun, mut stop) = (Instant::now(), pin!(stop));
    let mut running = JoinSet::new();
    for number in 0_u32.. {
        let due = begun + Duration::from_secs(1).mul_f64(f64::from(number) / per_second);
        tokio::select! {
            () = &mut stop => break,
            () = tokio::time::sleep_until(due) => {}
        }
        while let Some(ended) = running.try_join_next() {
            ended.expect("no panic in a task");
        }
        running.spawn(start(due));
    }
    running.join_all().await;
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
    running.join_all().await;
}
