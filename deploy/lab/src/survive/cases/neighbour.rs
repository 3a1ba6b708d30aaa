//! One company sends ten times its share; the others must not be affected.

use std::time::Duration;

use anyhow::Result;
use fastrand::Rng;
use tokio::time::{Instant, sleep};

use super::{CaseResult, Stage};
use crate::survive::jobs::Job;
use crate::survive::load::Load;
use crate::survive::outcome::Outcome;
use crate::survive::report::{Figures, done, p99};
use crate::survive::world::{Attempt, World};

const NOISY_COMPANY: usize = 0;
const TIMES: u32 = 10;

/// Measures the others without and with it.
pub async fn run(stage: &mut Stage) -> Result<CaseResult> {
    stage.wait_until_ready().await?;
    stage.world.take_attempts();
    let span = stage.or_short(Duration::from_secs(20), Duration::from_secs(3));
    let load = stage.load();
    sleep(span).await;
    let before = stage.world.take_attempts();
    let companies = u32::try_from(stage.world.companies.len())?;
    let extra = f64::from((stage.rate * TIMES / companies).max(1));
    let noisy = |_: &World, rng: &mut Rng| (Job::random(rng), NOISY_COMPANY);
    let extra_load = Load::start(&stage.world, extra, noisy, stage.rng.fork());
    sleep(span).await;
    extra_load.stop().await?;
    load.stop().await?;
    let beside = stage.world.take_attempts();
    let figures = Figures::of(&beside, Instant::now(), Instant::now());
    let mut result = CaseResult::of(figures);
    judge(&mut result, &before, &beside, stage.short);
    Ok(result)
}

fn judge(result: &mut CaseResult, before: &[Attempt], beside: &[Attempt], short: bool) {
    let is_other = |one: &&Attempt| one.company != NOISY_COMPANY;
    // A debug build beside other tests may return 503; 429 never.
    let is_harm = |one: &&Attempt| match one.outcome {
        Outcome::Done => false,
        Outcome::Limited => true,
        _ => !short,
    };
    let harmed = beside.iter().filter(is_other).filter(is_harm).count();
    if harmed > 0 {
        let why = format!("{harmed} requests of others were not done beside one company's");
        result.violations.push(why);
    }
    let p99 = |attempts| p99(done(attempts).filter(is_other));
    let (before, after) = (p99(before), p99(beside));
    let (ms_before, ms_after) = (before.as_millis(), after.as_millis());
    result.speeds.push((
        format!(
            "p99 of the others {ms_before} ms before, {ms_after} ms beside it, wanted twice at most"
        ),
        after <= before * 2,
    ));
    let own = beside.iter().filter(|one| one.company == NOISY_COMPANY);
    let limited = own.clone().filter(|one| one.outcome == Outcome::Limited);
    let (limited, all) = (limited.count(), own.count());
    let text = format!("of the one company's {all} requests {limited} were refused with 429");
    result.speeds.push((text, true));
}
