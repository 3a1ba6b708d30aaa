//! One company does ten times its share, and the others do not notice.

use std::time::Duration;

use anyhow::Result;
use tokio::time::{Instant, sleep};

use super::{Played, Stage};
use crate::chance::Chance;
use crate::jobs::Job;
use crate::load::{Draw, Load, usual};
use crate::outcome::Outcome;
use crate::report::{Figures, percentile};
use crate::world::{Attempt, World};

/// Number of the company.
const NOISY: usize = 0;
/// Times its share.
const TIMES: u32 = 10;

/// Measures the others without it and with it.
pub async fn play(stage: &mut Stage) -> Result<Played> {
    stage.until_ready().await?;
    stage.world.take_attempts();
    let span = stage.or_short(Duration::from_secs(20), Duration::from_secs(3));
    let load = Load::begin(&stage.world, stage.rate, usual as Draw, stage.chance.fork());
    sleep(span).await;
    let quiet = stage.world.take_attempts();
    let begun = Instant::now();
    let companies = u32::try_from(stage.world.companies.len())?;
    let extra = (stage.rate * TIMES / companies).max(1);
    let noise = Load::begin(&stage.world, extra, noisy as Draw, stage.chance.fork());
    sleep(span).await;
    noise.end().await?;
    load.end().await?;
    let beside = stage.world.take_attempts();
    let figures = Figures::of(&beside, begun, Instant::now(), Instant::now());
    let mut played = Played {
        wrongs: figures.wrongs(),
        figures,
        ..Played::default()
    };
    judge(&mut played, &quiet, &beside, stage.short);
    Ok(played)
}

fn noisy(_: &World, chance: &mut Chance) -> (Job, usize) {
    (Job::drawn(chance), NOISY)
}

fn judge(played: &mut Played, quiet: &[Attempt], beside: &[Attempt], short: bool) {
    let of_others = |one: &&Attempt| one.company != NOISY;
    // A debug build beside other tests may have to send somebody away for a second for reasons of its
    // own; for one company's calls, never.
    let is_harm = |one: &&Attempt| match one.outcome {
        Outcome::Done => false,
        Outcome::Limited => true,
        _ => !short,
    };
    let harmed = beside.iter().filter(of_others).filter(is_harm).count();
    if harmed > 0 {
        let why = format!("{harmed} requests of others were not done beside one company's");
        played.wrongs.push(why);
    }
    let p99 = |attempts: &[Attempt]| {
        let done = attempts.iter().filter(of_others);
        let done = done.filter(|one| one.outcome == Outcome::Done);
        let mut times: Vec<Duration> = done.map(|one| one.took).collect();
        times.sort_unstable();
        percentile(&times, 99)
    };
    let (before, after) = (p99(quiet), p99(beside));
    played.speeds.push((
        format!(
            "p99 of the others {} ms before, {} ms beside it, wanted twice at most",
            before.as_millis(),
            after.as_millis()
        ),
        after <= before * 2,
    ));
    let own = beside.iter().filter(|one| one.company == NOISY);
    let limited = own.clone().filter(|one| one.outcome == Outcome::Limited);
    let (limited, all) = (limited.count(), own.count());
    played.speeds.push((
        format!("of the one company's {all} requests {limited} were refused with 429"),
        true,
    ));
}
