//! Twice the capacity: throughput stays, latency stays within bounds, and the rest is refused
//! immediately.

use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::Result;
use tokio::time::{Instant, sleep};

use super::{CaseResult, Stage};
use crate::fleet::Member;
use crate::percentile;
use crate::survive::load::{Load, any_job, closed};
use crate::survive::report::{Figures, done};
use crate::survive::world::Attempt;

/// Closed-loop clients during the capacity measurement.
const CLIENTS: usize = 48;
/// Alternating capacity and overload rounds, since the machine's speed varies.
const ROUNDS: usize = 8;
/// Maximum p99 of successful requests.
const ACCEPTED: Duration = Duration::from_millis(500);

/// Alternates between measuring the capacity and sending twice as much.
pub async fn run(stage: &mut Stage) -> Result<CaseResult> {
    set_limits(stage, false).await?;
    stage.world.repeats.store(false, Ordering::Relaxed);
    let result = double(stage).await?;
    stage.world.repeats.store(true, Ordering::Relaxed);
    set_limits(stage, true).await?;
    Ok(result)
}

async fn double(stage: &mut Stage) -> Result<CaseResult> {
    let warm_up = stage.or_short(Duration::from_secs(4), Duration::from_secs(1));
    Sum::default().add(stage, warm_up, None).await?;
    let (mut capacity, mut goodput) = (Sum::default(), Sum::default());
    for _ in 0..stage.or_short(ROUNDS, 2) {
        let span = stage.or_short(Duration::from_secs(4), Duration::from_secs(2));
        capacity.add(stage, span, None).await?;
        let span = stage.or_short(Duration::from_secs(6), Duration::from_secs(3));
        let twice = capacity.per_second() * 2.0;
        goodput.add(stage, span, Some(twice)).await?;
    }
    let speeds = judge(&capacity, &goodput);
    let result = CaseResult::of(goodput.figures);
    Ok(CaseResult { speeds, ..result })
}

#[derive(Default)]
struct Sum {
    figures: Figures,
    /// Requests that succeeded within their span.
    in_time: usize,
    span: Duration,
    /// CPU time of the load generator, and its duration.
    cpu: Duration,
    wall: Duration,
}

impl Sum {
    /// Adds a span of load at a constant rate, or closed loop.
    async fn add(&mut self, stage: &mut Stage, span: Duration, rate: Option<f64>) -> Result<()> {
        let (begun, cpu, rng) = (Instant::now(), cpu_time(), stage.rng.fork());
        if let Some(rate) = rate {
            let load = Load::start(&stage.world, rate.max(1.0), any_job, rng);
            sleep(span).await;
            load.stop().await?;
        } else {
            closed(&stage.world, CLIENTS, span, rng).await;
        }
        let (ended, attempts) = (Instant::now(), stage.world.take_attempts());
        self.cpu += cpu_time().saturating_sub(cpu);
        self.wall += ended - begun;
        self.span += span;
        self.figures.join(Figures::of(&attempts, ended, ended));
        let is_in_time = |one: &&Attempt| one.due + one.took < begun + span;
        self.in_time += done(&attempts).filter(is_in_time).count();
        Ok(())
    }

    #[expect(clippy::cast_precision_loss, reason = "a displayed figure")]
    fn per_second(&self) -> f64 {
        self.in_time as f64 / self.span.as_secs_f64()
    }

    /// Cores used by the load generator.
    fn cores(&self) -> f64 {
        self.cpu.as_secs_f64() / self.wall.as_secs_f64()
    }
}

/// CPU time of this process.
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

fn judge(capacity: &Sum, goodput: &Sum) -> Vec<(String, bool)> {
    let (most, served) = (capacity.per_second(), goodput.per_second());
    let share = served / most;
    let [before, p99] = [capacity, goodput].map(|sum| percentile(&sum.figures.times, 99));
    let (few, many) = (capacity.cores(), goodput.cores());
    let (ms, ms_before) = (p99.as_millis(), before.as_millis());
    let capacity =
        format!("capacity with {CLIENTS} clients at once {most:.0}/s, p99 {ms_before} ms");
    let goodput =
        format!("of twice that {served:.0}/s were done, which is {share:.2} of it, wanted 0.9");
    let latency = format!("p99 of these {ms} ms, from the first second on, wanted 500");
    let generator = format!(
        "the load generator used {few:.2} cores at capacity, {many:.2} at twice the capacity"
    );
    vec![
        (capacity, true),
        (goodput, share >= 0.9),
        (latency, p99 < ACCEPTED),
        (generator, true),
    ]
}

async fn set_limits(stage: &mut Stage, on: bool) -> Result<()> {
    stage.fleet.rate_limits = on;
    // Forgets the requests without limits, which are counted too.
    stage.fleet.redis.kill().await?;
    stage.fleet.redis.restart()?;
    stage.fleet.restart(&Member::gateways()).await?;
    stage.wait_until_ready().await
}
