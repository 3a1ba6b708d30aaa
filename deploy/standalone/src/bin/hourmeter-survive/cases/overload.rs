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
/// How long what is done may take for all but one in a hundred.
const WANTED: Duration = Duration::from_millis(500);

/// Measures the capacity, sends twice as much, and measures the capacity again: a machine that others
/// use too is not as quick in every minute.
pub async fn play(stage: &mut Stage) -> Result<Played> {
    set_limits(stage, false).await?;
    stage.world.repeats.store(false, Ordering::Relaxed);
    let played = twice(stage).await?;
    stage.world.repeats.store(true, Ordering::Relaxed);
    set_limits(stage, true).await?;
    Ok(played)
}

async fn twice(stage: &mut Stage) -> Result<Played> {
    let before = capacity(stage).await;
    let begun = Instant::now();
    let rate = to_rate(before.per_second * 2.0);
    let load = Load::begin(&stage.world, rate, load::usual as Draw, stage.chance.fork());
    sleep(stage.or_short(Duration::from_secs(5), Duration::from_secs(1))).await;
    let from = Instant::now();
    sleep(stage.or_short(Duration::from_secs(20), Duration::from_secs(4))).await;
    let to = Instant::now();
    load.end().await?;
    let attempts = stage.world.take_attempts();
    let figures = Figures::of(&attempts, begun, Instant::now(), Instant::now());
    // Only what ended while the load was steady.
    let steady = attempts.iter().filter(|one| {
        let end = one.due + one.took;
        end >= from && end < to
    });
    let done = Done::of(steady, to - from);
    let after = capacity(stage).await;
    Ok(Played {
        wrongs: figures.wrongs(),
        figures,
        speeds: judge(&before, &done, &after),
    })
}

/// What was done in some time.
struct Done {
    per_second: f64,
    p99: Duration,
}

impl Done {
    fn of<'a>(attempts: impl Iterator<Item = &'a Attempt>, span: Duration) -> Self {
        let done = attempts.filter(|one| one.outcome == Outcome::Done);
        let mut times: Vec<_> = done.map(|one| one.took).collect();
        times.sort_unstable();
        Self {
            per_second: rate(times.len(), span),
            p99: percentile(&times, 99),
        }
    }
}

async fn capacity(stage: &mut Stage) -> Done {
    let warm = stage.or_short(Duration::from_secs(4), Duration::from_secs(1));
    closed(&stage.world, PEOPLE, warm, stage.chance.fork()).await;
    stage.world.take_attempts();
    let span = stage.or_short(Duration::from_secs(12), Duration::from_secs(3));
    let begun = Instant::now();
    closed(&stage.world, PEOPLE, span, stage.chance.fork()).await;
    Done::of(stage.world.take_attempts().iter(), begun.elapsed())
}

fn judge(before: &Done, done: &Done, after: &Done) -> Vec<(String, bool)> {
    let capacity = |of: &Done, when: &str| {
        let (per_second, p99) = (of.per_second, of.p99.as_millis());
        format!("capacity with {PEOPLE} people at once {per_second:.0}/s {when}, p99 {p99} ms")
    };
    let share = done.per_second / f64::midpoint(before.per_second, after.per_second);
    vec![
        (capacity(before, "before"), true),
        (capacity(after, "after"), true),
        (
            format!(
                "of twice the first {:.0}/s were done: {share:.2} of the capacity, wanted 0.9",
                done.per_second
            ),
            share >= 0.9,
        ),
        (
            format!(
                "p99 of what was done {} ms, wanted 500",
                done.p99.as_millis()
            ),
            done.p99 < WANTED,
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
