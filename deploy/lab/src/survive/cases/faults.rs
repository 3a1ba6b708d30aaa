//! Killed, paused and replaced processes; stopped or slow database and Redis.

use std::time::Duration;

use anyhow::Result;
use fastrand::Rng;
use hourmeter_runtime::identity::Service;
use rustix::process::Signal;
use tokio::time::sleep;

use super::{CaseResult, Stage};
use crate::fleet::{Fleet, Member};
use crate::survive::phones::Phones;
use crate::survive::proxy::Proxy;

/// Entries that offline phones send around each kill.
const ENTRIES: u32 = 40;
/// Delay of each query with a slow database.
const DELAY: Duration = Duration::from_millis(200);

#[derive(Clone, Copy)]
enum FaultTarget {
    /// A process of the product; restarted some time later.
    Member(Member),
    /// The database process of one connection.
    Connection,
    Database,
}

async fn kill(fleet: &mut Fleet, target: FaultTarget, rng: &mut Rng) -> Result<()> {
    sleep(Duration::from_millis(rng.u64(..=200))).await;
    match target {
        FaultTarget::Member(member) => {
            fleet.member(member)?.kill().await?;
            sleep(Duration::from_millis(rng.u64(..=600))).await;
            fleet.start_ended(&[member]).await
        }
        FaultTarget::Connection => fleet.kill_connection(Service::OperatorUpdates).await,
        FaultTarget::Database => fleet.kill_database().await,
    }
}

/// Kills the targets one by one while offline phones send their entries.
async fn kill_all(
    stage: &mut Stage,
    targets: &[FaultTarget],
    pause: Duration,
) -> Result<CaseResult> {
    let world = stage.world.clone();
    let count = targets.len() * usize::try_from(ENTRIES)?;
    let fault = async |fleet: &mut Fleet, rng: &mut Rng| {
        let mut phones = Phones::new(&world, count, rng);
        for target in targets {
            let mut moments = rng.fork();
            let fault = kill(fleet, *target, &mut moments);
            phones.send_during(ENTRIES, rng, fault).await?;
            sleep(pause).await;
        }
        Ok(())
    };
    let result = stage.under_load(fault).await?;
    stage.world.apply_all(&mut stage.rng).await;
    Ok(result)
}

pub async fn kills(stage: &mut Stage) -> Result<CaseResult> {
    let mut targets = Vec::new();
    for _ in 0..stage.or_short(2, 1) {
        let mut members = Member::all();
        stage.rng.shuffle(&mut members);
        targets.extend(members.into_iter().map(FaultTarget::Member));
    }
    let pause = stage.or_short(Duration::from_secs(2), Duration::from_millis(300));
    kill_all(stage, &targets, pause).await
}

/// Kills the database and restarts it immediately.
pub async fn database_killed(stage: &mut Stage) -> Result<CaseResult> {
    let servers = stage.or_short(3, 1);
    let mut targets = vec![FaultTarget::Database; servers];
    targets.push(FaultTarget::Connection);
    let pause = stage.or_short(Duration::from_secs(4), Duration::from_secs(1));
    let mut result = kill_all(stage, &targets, pause).await?;
    if result.figures.failures() == 0 {
        let wrong = "no request noticed that the database was killed";
        result.violations.push(wrong.to_owned());
    }
    Ok(result)
}

pub async fn database_stopped(stage: &mut Stage) -> Result<CaseResult> {
    let span = stage.or_short(Duration::from_secs(10), Duration::from_secs(2));
    let fault = async |fleet: &mut Fleet, _: &mut Rng| {
        fleet.stop_database().await?;
        sleep(span).await;
        fleet.start_database().await
    };
    stage.under_load(fault).await
}

/// Stops Redis for a while; only change events are delayed.
pub async fn redis_stopped(stage: &mut Stage) -> Result<CaseResult> {
    let span = stage.or_short(Duration::from_mins(1), Duration::from_secs(4));
    let fault = async |fleet: &mut Fleet, _: &mut Rng| {
        fleet.redis.kill().await?;
        sleep(span).await;
        fleet.redis.restart()
    };
    let result = stage.under_load(fault).await?;
    Ok(result.without_failures("while only Redis was stopped"))
}

/// Pauses one replica of each service in turn: it accepts requests and does not respond.
pub async fn paused(stage: &mut Stage) -> Result<CaseResult> {
    let span = stage.or_short(Duration::from_secs(8), Duration::from_secs(3));
    let services = if stage.short {
        &[Service::Equipment][..]
    } else {
        &Service::ALL
    };
    let fault = async |fleet: &mut Fleet, rng: &mut Rng| {
        for service in services {
            let replica = fleet.member(Member::Service(*service, rng.usize(..2)))?;
            replica.signal(Signal::STOP)?;
            sleep(span).await;
            replica.signal(Signal::CONT)?;
            sleep(Duration::from_secs(1)).await;
        }
        Ok(())
    };
    stage.under_load(fault).await
}

pub async fn slow_database(stage: &mut Stage) -> Result<CaseResult> {
    let direct = stage.fleet.installation.database_port;
    let proxy = Proxy::start(direct).await?;
    stage.fleet.installation.database_port = proxy.port;
    restart_services(stage).await?;
    let span = stage.or_short(Duration::from_secs(15), Duration::from_secs(4));
    let fault = async |_: &mut Fleet, _: &mut Rng| {
        proxy.delay.send_replace(DELAY);
        sleep(span).await;
        proxy.delay.send_replace(Duration::ZERO);
        Ok(())
    };
    let result = stage.under_load(fault).await?;
    stage.fleet.installation.database_port = direct;
    restart_services(stage).await?;
    Ok(result)
}

async fn restart_services(stage: &mut Stage) -> Result<()> {
    let services = Service::ALL.map(Member::replicas);
    stage.fleet.restart(services.as_flattened()).await
}

/// Restarts every process in turn, services first, as in a rolling update.
pub async fn rolling(stage: &mut Stage) -> Result<CaseResult> {
    let fault = async |fleet: &mut Fleet, _: &mut Rng| fleet.roll(&Member::all()).await;
    let result = stage.under_load(fault).await?;
    Ok(result.without_failures("during a rolling restart"))
}
