//! The companies, the gateways and the shared history.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fastrand::Rng;
use hourmeter_runtime::clock::Clock;
use reqwest::Method;
use serde_json::Value;
use tokio::time::Instant;

use super::balancer::{Answer, Balancer};
use super::companies::Company;
use super::history::{History, WriteOutcome, index_of};
use super::jobs::{self, Draft, Job, Order};
use super::outcome::Outcome;
use crate::lock;

/// First retry delay; it doubles each time.
const RETRY_MS: u64 = 200;
const MAX_RETRY_MS: u64 = 3000;

/// Maximum submissions per review request.
const MAX_REVIEWED: usize = 100;

pub struct World {
    pub companies: Vec<Company>,
    pub gateways: Balancer,
    pub history: History,
    pub clock: Clock,
    /// Whether failed requests are retried.
    pub repeats: AtomicBool,
    attempts: Mutex<Vec<Attempt>>,
    contradictions: Mutex<Vec<String>>,
}

#[derive(Clone, Copy, Debug)]
pub struct Attempt {
    pub job: Job,
    pub company: usize,
    pub due: Instant,
    /// Time from the scheduled start to the end.
    pub took: Duration,
    pub outcome: Outcome,
}

impl World {
    pub fn new(companies: Vec<Company>, gateways: Balancer, clock: Clock) -> Self {
        Self {
            companies,
            gateways,
            history: History::default(),
            clock,
            repeats: AtomicBool::new(true),
            attempts: Mutex::default(),
            contradictions: Mutex::default(),
        }
    }

    /// An order of a company, by REST or grpc-web.
    pub fn draft<'a>(&'a self, company: usize, rng: &'a mut Rng) -> Draft<'a> {
        Draft {
            clock: &self.clock,
            history: &self.history,
            company: &self.companies[company],
            grpc_web: rng.bool(),
            rng,
        }
    }

    /// One job of one company with a scheduled time that may be in the past.
    pub async fn work(&self, job: Job, company: usize, due: Instant, mut rng: Rng) {
        let order = self.draft(company, &mut rng).order(job);
        self.execute(&order, due, &mut rng).await;
        // Submissions that could not be applied go back.
        let left = order.applies.into_iter();
        let left = left.filter(|(index, _)| !self.history.is_applied(*index));
        lock(&self.companies[company].pending).extend(left);
    }

    /// Sends an order until it succeeds or its client would give up.
    pub async fn execute(&self, order: &Order, mut due: Instant, rng: &mut Rng) {
        for again in 0..=order.job.repeats() {
            let answer = self.gateways.send(&order.request).await;
            let outcome = Outcome::of(&answer, order.grpc_web);
            let took = due.elapsed();
            lock(&self.attempts).push(Attempt {
                job: order.job,
                company: order.company,
                due,
                took,
                outcome,
            });
            let answer = answer.ok();
            self.record(order, outcome, answer.as_ref());
            if !outcome.is_temporary() || !self.repeats.load(Ordering::Relaxed) {
                break;
            }
            let longest = (RETRY_MS << again.min(5)).min(MAX_RETRY_MS);
            let pause = Duration::from_millis(rng.u64(longest / 2..=longest));
            let retry_after = answer.and_then(|answer| answer.retry_after);
            tokio::time::sleep(retry_after.unwrap_or_default() + pause).await;
            due = Instant::now();
        }
    }

    fn record(&self, order: &Order, outcome: Outcome, answer: Option<&Answer>) {
        let answer = answer.filter(|_| outcome == Outcome::Done);
        if let (Some(answer), false) = (answer, order.applies.is_empty()) {
            let effective = jobs::effective(order, answer);
            for (index, id) in &order.applies {
                if effective.contains(id) {
                    self.history.record_applied(*index);
                }
            }
        }
        let Some(write) = order.write else { return };
        match outcome {
            Outcome::Done => self.history.record(write, WriteOutcome::Acknowledged),
            Outcome::Wrong(_) => self.history.record(write, WriteOutcome::Rejected),
            _ => {}
        }
        let (Job::Submit, Some(answer)) = (order.job, answer) else {
            return;
        };
        match jobs::stored(order, answer) {
            Some((id, is_pending)) => {
                let parsed = id.parse();
                if !parsed.is_ok_and(|parsed| self.history.record_id(write, parsed)) {
                    self.contradiction(format!("write {write} has another id now: {id}"));
                } else if is_pending {
                    let mut pending = lock(&self.companies[order.company].pending);
                    if !pending.iter().any(|(known, _)| *known == write) {
                        pending.push_back((write, id));
                    }
                }
            }
            None => self.contradiction(format!("write {write} was acknowledged without an id")),
        }
    }

    /// Pending submissions of a company by history index and id; none without a response.
    pub async fn pending(&self, company: usize) -> Vec<(usize, String)> {
        let owner = &self.companies[company].owner;
        let call = owner.call(Method::GET, "/api/operator-updates?status=pending");
        let answer = self.gateways.send(&call.build().expect("a request")).await;
        let rows = answer.map(|answer| serde_json::from_slice(&answer.body).unwrap_or_default());
        let rows: Vec<Value> = rows.unwrap_or_default();
        let known = |row: &Value| {
            let index = index_of(row["clientId"].as_str()?)?;
            Some((index, row["id"].as_str()?.to_owned()))
        };
        rows.iter().filter_map(known).collect()
    }

    pub async fn apply_all(&self, rng: &mut Rng) {
        for (index, company) in self.companies.iter().enumerate() {
            loop {
                let mut pending = self.pending(index).await;
                if pending.is_empty() {
                    break;
                }
                pending.truncate(MAX_REVIEWED);
                let order = self.draft(index, rng).apply(pending);
                self.execute(&order, Instant::now(), rng).await;
            }
            lock(&company.pending).clear();
        }
    }

    /// Takes the requests that have ended since the last call.
    pub fn take_attempts(&self) -> Vec<Attempt> {
        std::mem::take(&mut lock(&self.attempts))
    }

    /// The same, without taking them.
    pub fn attempts(&self) -> Vec<Attempt> {
        lock(&self.attempts).clone()
    }

    /// Failed and successful requests scheduled since a moment.
    pub fn since(&self, moment: Instant) -> (usize, usize) {
        let attempts = lock(&self.attempts);
        let due = attempts.iter().filter(|one| one.due >= moment);
        due.fold((0, 0), |(failed, done), one| match one.outcome {
            Outcome::Done => (failed, done + 1),
            _ => (failed + 1, done),
        })
    }

    fn contradiction(&self, what: String) {
        lock(&self.contradictions).push(what);
    }

    /// Responses that contradict earlier ones.
    pub fn contradictions(&self) -> Vec<String> {
        lock(&self.contradictions).clone()
    }
}
