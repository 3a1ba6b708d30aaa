//! An attack beside the usual load, and its effect on others.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Result;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, sleep_until, timeout_at};

use super::{CaseResult, Stage};
use crate::fleet::REPLICAS;
use crate::survive::jobs::Job;
use crate::survive::outcome::Outcome;
use crate::survive::report::{Figures, percentile};
use crate::survive::world::Attempt;

/// Always acceptable p99 of others during an attack; otherwise twice the p99 before it.
const ACCEPTABLE_P99: Duration = Duration::from_millis(250);
/// One failure per this many requests of others is acceptable.
const REQUESTS_PER_FAILURE: usize = 100;
/// Time for an attack to end after its deadline.
const GRACE: Duration = Duration::from_secs(30);

/// The attacked gateways and the end of the attack.
#[derive(Clone)]
pub struct Target {
    ports: [u16; REPLICAS],
    pub end: Instant,
    observed: Arc<Mutex<BTreeMap<String, usize>>>,
}

impl Target {
    /// Alternates between gateways.
    pub fn port(&self, number: usize) -> u16 {
        self.ports[number % self.ports.len()]
    }

    pub fn origin(&self, number: usize) -> String {
        format!("http://127.0.0.1:{}", self.port(number))
    }

    pub async fn connect(&self, number: usize) -> std::io::Result<TcpStream> {
        TcpStream::connect(("127.0.0.1", self.port(number))).await
    }

    pub fn is_over(&self) -> bool {
        Instant::now() >= self.end
    }

    /// Counts an observation of an attacker.
    pub fn observed(&self, what: impl Into<String>) {
        let mut observed = self.observed.lock().unwrap_or_else(PoisonError::into_inner);
        *observed.entry(what.into()).or_default() += 1;
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let observed = self.observed.lock().unwrap_or_else(PoisonError::into_inner);
        let parts = observed
            .iter()
            .map(|(what, count)| format!("{count} × {what}"));
        f.write_str(&parts.collect::<Vec<_>>().join(", "))
    }
}

/// An address that no company of the lab uses.
pub fn attacker_address(number: usize) -> String {
    let [.., a, b] = number.to_be_bytes();
    format!("172.16.{a}.{b}")
}

/// Measures the usual load without and with an attack.
pub async fn run<F>(stage: &mut Stage, attack: impl FnOnce(Target) -> F) -> Result<CaseResult>
where
    F: Future<Output = Result<()>> + Send + 'static,
{
    stage.wait_until_ready().await?;
    stage.world.take_attempts();
    let span = stage.or_short(Duration::from_secs(20), Duration::from_secs(3));
    let load = stage.load();
    sleep(span).await;
    let before = stage.world.take_attempts();
    let memory_before = stage.fleet.gateway_megabytes()?;
    let begun = Instant::now();
    let target = Target {
        ports: stage.fleet.gateways,
        end: begun + span,
        observed: Arc::default(),
    };
    let attack = tokio::spawn(attack(target.clone()));
    let mut memory = memory_before;
    while !target.is_over() {
        memory = memory.max(stage.fleet.gateway_megabytes()?);
        sleep_until(target.end.min(Instant::now() + Duration::from_millis(250))).await;
    }
    let beside = stage.world.take_attempts();
    timeout_at(target.end + GRACE, attack).await???;
    let lifted = Instant::now();
    let is_calm = stage.until_recovered(lifted).await;
    load.stop().await?;
    let ended = Instant::now();
    stage.fleet.check_running()?;
    let after = stage.world.take_attempts();
    let figures = Figures::of(&[&beside[..], &after].concat(), begun, lifted, ended);
    let mut violations = figures.violations();
    if !is_calm {
        violations.push("requests went on failing after the attack".to_owned());
    }
    let mut speeds = judged(&before, &beside);
    speeds.push((format!("the attackers met: {target}"), true));
    let memory = format!("gateway {memory_before:.0} MB before, {memory:.0} MB at most");
    speeds.push((memory, true));
    Ok(CaseResult {
        figures,
        violations,
        speeds,
    })
}

fn judged(before: &[Attempt], beside: &[Attempt]) -> Vec<(String, bool)> {
    let mut speeds = vec![compared("p99 of the others", before, beside)];
    let failed = beside.iter().filter(|one| one.outcome != Outcome::Done);
    let (failed, all) = (failed.count(), beside.len());
    speeds.push((
        format!("of {all} requests of the others {failed} failed, wanted 1 in {REQUESTS_PER_FAILURE} at most"),
        failed * REQUESTS_PER_FAILURE <= all,
    ));
    let sign_ins = |attempts: &[Attempt]| -> Vec<Attempt> {
        let found = attempts.iter().filter(|one| one.job == Job::SignIn);
        found.copied().collect()
    };
    let (before, beside) = (sign_ins(before), sign_ins(beside));
    if !before.is_empty() && !beside.is_empty() {
        let done = beside.iter().filter(|one| one.outcome == Outcome::Done);
        let (done, all) = (done.count(), beside.len());
        let (text, _) = compared("their p99", &before, &beside);
        speeds.push((format!("of {all} sign-ins {done} were done; {text}"), true));
    }
    speeds
}

fn compared(what: &str, before: &[Attempt], beside: &[Attempt]) -> (String, bool) {
    let p99 = |attempts: &[Attempt]| {
        let done = attempts.iter().filter(|one| one.outcome == Outcome::Done);
        let mut times: Vec<Duration> = done.map(|one| one.took).collect();
        times.sort_unstable();
        percentile(&times, 99)
    };
    let (before, beside) = (p99(before), p99(beside));
    let wanted = ACCEPTABLE_P99.max(before * 2);
    let [before, beside_ms, wanted_ms] = [before, beside, wanted].map(|time| time.as_millis());
    (
        format!("{what} {before} ms before, {beside_ms} ms beside it, wanted {wanted_ms}"),
        beside <= wanted,
    )
}
