//! What the product survives: everything as real processes, people who work at a steady pace, and
//! whatever may go wrong. Afterwards every write that was acknowledged must be there once.
//!
//! `make survive` runs it. Each case prints one line of a table; what is wrong or, in
//! the long version, too slow ends it with 1.

mod books;
mod cases;
#[path = "../../../tests/process/kill/chance.rs"]
mod chance;
mod fleet;
mod frames;
mod history;
mod http;
mod installation;
mod jobs;
mod load;
mod options;
mod outcome;
mod people;
mod process;
mod proxy;
mod report;
mod world;

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
use hourmeter_runtime::clock::Clock;

use cases::{Case, Stage};
use chance::Chance;
use fleet::Fleet;
use http::Balancer;
use options::Options;
use world::World;

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let options = Options::read()?;
    let data = tempfile::Builder::new()
        .prefix("hourmeter-survive-")
        .tempdir_in("/var/tmp")?;
    // The database's server may be another user.
    std::fs::set_permissions(data.path(), std::fs::Permissions::from_mode(0o755))?;
    let result = run(&options, data.path()).await;
    if matches!(result, Ok(0)) {
        return Ok(ExitCode::SUCCESS);
    }
    let (seed, kept) = (options.seed, data.keep());
    let kept = kept.display();
    report::fact(&format!(
        "HOURMETER_SURVIVE_SEED={seed} draws the same again; what they wrote is in {kept}"
    ));
    result.map(|_| ExitCode::FAILURE)
}

/// Plays all cases; answers how much is wrong.
async fn run(options: &Options, data: &Path) -> Result<usize> {
    let mut stage = stage(options, data).await?;
    let (world, seed) = (stage.world.clone(), options.seed);
    let probe = tokio::spawn(async move { world.gateways.probe().await });
    let (rate, companies) = (stage.rate, stage.world.companies.len());
    report::fact(&format!(
        "{rate} requests a second of {companies} companies, seed {seed}"
    ));
    report::head();
    let mut wrongs = 0;
    for case in &options.cases {
        wrongs += play(*case, &mut stage).await?;
    }
    probe.abort();
    stage.fleet.stop().await?;
    Ok(wrongs)
}

async fn stage(options: &Options, data: &Path) -> Result<Stage> {
    let (companies, stop_wait) = if options.short { (8, 1) } else { (40, 3) };
    let fleet = Fleet::start(data, !options.short, stop_wait).await?;
    let gateways = Balancer::new(&fleet.installation.gateways);
    while !gateways.all_ready().await {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let clock = Clock::system();
    let companies = people::companies(&gateways, companies, &clock).await?;
    Ok(Stage {
        fleet,
        world: Arc::new(World::new(companies, gateways, clock)),
        rate: options.rate,
        short: options.short,
        chance: Chance::new(options.seed),
    })
}

async fn play(case: Case, stage: &mut Stage) -> Result<usize> {
    let before = stage.world.history.len();
    let played = case.play(stage).await?;
    let findings = books::check(&stage.world, &stage.fleet, before).await?;
    report::row(case.title(stage.short), &played.figures, &findings);
    for (speed, fine) in &played.speeds {
        report::fact(&format!(
            "  {} {speed}",
            if *fine { "pass" } else { "FAIL" }
        ));
    }
    let mut wrongs = played.wrongs;
    wrongs.extend(findings.wrongs);
    for wrong in wrongs.iter().take(20) {
        report::fact(&format!("  WRONG: {wrong}"));
    }
    // A debug build beside other tests shows nothing by its speed.
    let too_slow = played.speeds.iter().filter(|(_, fine)| !fine);
    let too_slow = if stage.short { 0 } else { too_slow.count() };
    Ok(wrongs.len() + findings.lost + findings.doubled + too_slow)
}
