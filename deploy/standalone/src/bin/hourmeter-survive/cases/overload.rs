//! Twice as much as can be done: as much is done as before, in time, and the rest is told at once.

use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::Result;
use tokio::time::{Instant, sleep};

use super::{Played, Stage};
use crate::fleet::Member;
use crate::load::{Draw, Load, closed, usual};
use crate::outcome::Outcome;
use crate::report::Figures;
use crate::world::Attempt;

/// People who ask as fast as they are answered, while the capacity is measured.
const PEOPLE: usize = 48;
/// How long what is done may take for all but one in a hundred.
const WANTED: Duration = Duration::from_millis(500);

/// Measures the capacity, and sends twice as much.
pub async fn play(stage: &mut Stage) -> Result<Played> {
    set_limits(stage, false).await?;
    stage.world.repeats.store(false, Ordering::Relaxed);
    let capacity = capacity(stage).await;
    let twice = to_rate(capacity * 2.0);
    let begun = Instant::now();
    let load = Load::begin(&stage.world, twice, usual as Draw, stage.chance.fork());
    let warm = stage.or_short(Duration::from_secs(5), Duration::from_secs(1));
    sleep(warm).await;
    let from = Instant::now();
    sleep(stage.or_short(Duration::from_secs(20), Duration::from_secs(4))).await;
    let to = Instant::now();
    load.end().await?;
    stage.world.repeats.store(true, Ordering::Relaxed);
    let attempts = stage.world.take_attempts();
    let figures = Figures::of(&attempts, begun, Instant::now(), Instant::now());
    let mut played = Played {
        wrongs: figures.wrongs(),
        figures,
        ..Played::default()
    };
    judge(&mut played, &attempts, capacity, (from, to));
    set_limits(stage, true).await?;
    Ok(played)
}

async fn capacity(stage: &mut Stage) -> f64 {
    let warm = stage.or_short(Duration::from_secs(4), Duration::from_secs(1));
    closed(&stage.world, PEOPLE, warm, stage.chance.fork()).await;
    stage.world.take_attempts();
    let span = stage.or_short(Duration::from_secs(12), Duration::from_secs(3));
    let begun = Instant::now();
    closed(&stage.world, PEOPLE, span, stage.chance.fork()).await;
    let span = begun.elapsed();
    let attempts = stage.world.take_attempts();
    let done = attempts.iter().filter(|one| one.outcome == Outcome::Done);
    rate(done.count(), span)
}

/// Only of what ended while the load was steady.
fn judge(played: &mut Played, attempts: &[Attempt], capacity: f64, (from, to): (Instant, Instant)) {
    let ended = attempts.iter().filter(|one| {
        let end = one.due + one.took;
        one.outcome == Outcome::Done && end >= from && end < to
    });
    let goodput = rate(ended.count(), to - from);
    let share = goodput / capacity;
    played.speeds.push((
        format!(
            "capacity {capacity:.0}/s, at twice that {goodput:.0}/s done: {share:.2}, wanted 0.9"
        ),
        share >= 0.9,
    ));
    let p99 = played.figures.p99;
    played.speeds.push((
        format!("p99 of what was done {} ms, wanted 500", p99.as_millis()),
        p99 < WANTED,
    ));
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
