//! An attack beside the usual load, and its effect on others.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::Result;
use fastrand::Rng;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout_at};

use super::{CaseResult, Stage};
use crate::fleet::{Fleet, REPLICAS};
use crate::lock;
use crate::survive::jobs::Job;
use crate::survive::report::{counted, done, p99};
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

    pub fn observed(&self, what: impl Into<String>) {
        *lock(&self.observed).entry(what.into()).or_default() += 1;
    }
}

/// An address that no company of the lab uses.
pub fn attacker_address(number: usize) -> String {
    let [.., a, b] = number.to_be_bytes();
    format!("172.16.{a}.{b}")
}

/// Attacks with concurrent clients until the end. `client` gets its number; after an error it pauses.
pub async fn repeat<F: Future<Output = Result<()>> + Send>(
    target: &Target,
    clients: usize,
    pause: Duration,
    client: impl Fn(Target, usize) -> F + Clone + Send + 'static,
) {
    let mut tasks = JoinSet::new();
    for number in 0..clients {
        let (target, client) = (target.clone(), client.clone());
        tasks.spawn(async move {
            while !target.is_over() {
                if client(target.clone(), number).await.is_err() {
                    target.observed("connection error");
                    sleep(pause).await;
                }
            }
        });
    }
    tasks.join_all().await;
}

/// Runs an attack of concurrent clients, see [`repeat`].
pub async fn run_clients<F: Future<Output = Result<()>> + Send>(
    stage: &mut Stage,
    clients: usize,
    pause: Duration,
    client: impl Fn(Target, usize) -> F + Clone + Send + 'static,
) -> Result<CaseResult> {
    let attack = async move |target: Target| repeat(&target, clients, pause, client).await;
    run(stage, attack).await
}

/// Measures the usual load without and with an attack.
pub async fn run<F: Future<Output = ()> + Send + 'static>(
    stage: &mut Stage,
    attack: impl FnOnce(Target) -> F,
) -> Result<CaseResult> {
    let (world, ports) = (stage.world.clone(), stage.fleet.gateways);
    let span = stage.or_short(Duration::from_secs(20), Duration::from_secs(3));
    let mut speeds = Vec::new();
    let fault = async |fleet: &mut Fleet, _: &mut Rng| {
        sleep(span).await;
        let before = world.take_attempts();
        let memory_before = fleet.gateway_megabytes()?;
        let target = Target {
            ports,
            end: Instant::now() + span,
            observed: Arc::default(),
        };
        let attack = tokio::spawn(attack(target.clone()));
        let mut memory = memory_before;
        while !target.is_over() {
            memory = memory.max(fleet.gateway_megabytes()?);
            sleep_until(target.end.min(Instant::now() + Duration::from_millis(250))).await;
        }
        speeds = judged(&before, &world.attempts());
        timeout_at(target.end + GRACE, attack).await??;
        let observed = counted(&lock(&target.observed));
        speeds.push((format!("the attackers met: {observed}"), true));
        let memory = format!("gateway {memory_before:.0} MB before, {memory:.0} MB at most");
        speeds.push((memory, true));
        Ok(())
    };
    let result = stage.under_load(fault).await?;
    Ok(CaseResult { speeds, ..result })
}

fn judged(before: &[Attempt], beside: &[Attempt]) -> Vec<(String, bool)> {
    let mut speeds = vec![compared("p99 of the others", before, beside)];
    let (all, failed) = (beside.len(), beside.len() - done(beside).count());
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
        let (all, done) = (beside.len(), done(&beside).count());
        let (text, _) = compared("their p99", &before, &beside);
        speeds.push((format!("of {all} sign-ins {done} were done; {text}"), true));
    }
    speeds
}

fn compared(what: &str, before: &[Attempt], beside: &[Attempt]) -> (String, bool) {
    let (before, beside) = (p99(done(before)), p99(done(beside)));
    let wanted = ACCEPTABLE_P99.max(before * 2);
    let [before, beside_ms, wanted_ms] = [before, beside, wanted].map(|time| time.as_millis());
    (
        format!("{what} {before} ms before, {beside_ms} ms beside it, wanted {wanted_ms}"),
        beside <= wanted,
    )
}
