//! Twice as much as can be done: as much is done as before, in time, and the rest is told at once.

use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::Result;
use tokio::time::{Instant, sleep};

use super::{Played, Stage};
use crate::fleet::Member;
use crate::load::{self, Draw, Load, closed};
use crate::outcome::Outcome;
use crate::report::{Figures, percentile};
use crate::world::Attempt;

/// People who ask as fast as they are answered, while the capacity is measured.
const PEOPLE: usize = 48;
/// How often the capacity is measured and overrun in turn: a machine that others use too is quicker in
/// one second than in the next, and so both have their share of its good ones.
const ROUNDS: usize = 8;
/// How long what is done may take for all but one in a hundred.
const WANTED: Duration = Duration::from_millis(500);

/// Measures the capacity and sends twice as much, in turn.
pub async fn play(stage: &mut Stage) -> Result<Played> {
    set_limits(stage, false).await?;
    stage.world.repeats.store(false, Ordering::Relaxed);
    let played = twice(stage).await?;
    stage.world.repeats.store(true, Ordering::Relaxed);
    set_limits(stage, true).await?;
    Ok(played)
}

async fn twice(stage: &mut Stage) -> Result<Played> {
    let warm = stage.or_short(Duration::from_secs(4), Duration::from_secs(1));
    within_capacity(stage, warm).await;
    let (mut capacity, mut goodput) = (Parts::default(), Parts::default());
    for _ in 0..stage.or_short(ROUNDS, 2) {
        let span = stage.or_short(Duration::from_secs(4), Duration::from_secs(2));
        capacity.add(&within_capacity(stage, span).await, span);
        let span = stage.or_short(Duration::from_secs(6), Duration::from_secs(3));
        let twice = to_rate(capacity.per_second() * 2.0);
        goodput.add(&overrun(stage, twice, span).await?, span);
    }
    let speeds = judge(&capacity, &goodput);
    Ok(Played {
        wrongs: goodput.figures.wrongs(),
        figures: goodput.figures,
        speeds,
    })
}

/// Times that have something in common, with pauses between them.
#[derive(Default)]
struct Parts {
    figures: Figures,
    /// How long each took of what was done, the shortest first.
    times: Vec<Duration>,
    /// What was done before its part was over.
    in_time: usize,
    span: Duration,
    /// How long cores were busy with asking, and how long that went on.
    asking: Duration,
    asked: Duration,
}

impl Parts {
    fn add(&mut self, part: &Part, span: Duration) {
        let Part {
            begun,
            ended,
            asking,
            attempts,
        } = part;
        let end = *begun + span;
        let figures = Figures::of(attempts, *begun, *ended, *ended);
        self.figures.join(figures);
        let done = attempts.iter().filter(|one| one.outcome == Outcome::Done);
        self.in_time += done.clone().filter(|one| one.due + one.took < end).count();
        self.span += span;
        self.asking += *asking;
        self.asked += *ended - *begun;
        self.times.extend(done.map(|one| one.took));
        self.times.sort_unstable();
        // Of all of it and not of the slowest part.
        self.figures.p50 = percentile(&self.times, 50);
        self.figures.p99 = percentile(&self.times, 99);
    }

    fn per_second(&self) -> f64 {
        rate(self.in_time, self.span)
    }

    /// So many cores were busy with asking.
    fn cores(&self) -> f64 {
        self.asking.as_secs_f64() / self.asked.as_secs_f64()
    }
}

/// One of them.
struct Part {
    begun: Instant,
    ended: Instant,
    /// How long cores were busy in this process, which only asks.
    asking: Duration,
    attempts: Vec<Attempt>,
}

/// The moment at which one begins.
struct Begun {
    at: Instant,
    busy: Duration,
}

impl Begun {
    fn now() -> Self {
        Self {
            at: Instant::now(),
            busy: busy(),
        }
    }

    fn part(&self, stage: &Stage) -> Part {
        Part {
            begun: self.at,
            ended: Instant::now(),
            asking: busy().saturating_sub(self.busy),
            attempts: stage.world.take_attempts(),
        }
    }
}

/// How long cores have been busy in this process.
fn busy() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

async fn within_capacity(stage: &mut Stage, span: Duration) -> Part {
    let begun = Begun::now();
    closed(&stage.world, PEOPLE, span, stage.chance.fork()).await;
    begun.part(stage)
}

async fn overrun(stage: &mut Stage, per_second: u32, span: Duration) -> Result<Part> {
    let begun = Begun::now();
    let chance = stage.chance.fork();
    let load = Load::begin(&stage.world, per_second, load::usual as Draw, chance);
    sleep(span).await;
    load.end().await?;
    Ok(begun.part(stage))
}

fn judge(capacity: &Parts, goodput: &Parts) -> Vec<(String, bool)> {
    let share = goodput.per_second() / capacity.per_second();
    let p99 = goodput.figures.p99;
    let (few, many) = (capacity.cores(), goodput.cores());
    vec![
        (
            format!(
                "capacity with {PEOPLE} people at once {:.0}/s, p99 {} ms",
                capacity.per_second(),
                capacity.figures.p99.as_millis()
            ),
            true,
        ),
        (
            format!(
                "of twice that {:.0}/s were done, which is {share:.2} of it, wanted 0.9",
                goodput.per_second()
            ),
            share >= 0.9,
        ),
        (
            format!(
                "p99 of these {} ms, from the first second on, wanted 500",
                p99.as_millis()
            ),
            p99 < WANTED,
        ),
        (
            format!(
                "asking took {few:.2} of this machine's cores within the capacity, {many:.2} at twice of it"
            ),
            true,
        ),
    ]
}

async fn set_limits(stage: &mut Stage, on: bool) -> Result<()> {
    stage.fleet.installation.limits = on;
    let gateways = [Member::Gateway(0), Member::Gateway(1)];
    stage.fleet.restart(&gateways).await?;
    stage.until_ready().await
}

#[expect(clippy::cast_precision_loss, reason = "a figure to read")]
fn rate(count: usize, span: Duration) -> f64 {
    count as f64 / span.as_secs_f64()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a pace of some thousands"
)]
fn to_rate(per_second: f64) -> u32 {
    (per_second as u32).max(1)
}
