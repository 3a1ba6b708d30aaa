//! All who take part: the companies, the gateways they reach, and what they know.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hourmeter_runtime::clock::Clock;
use tokio::time::Instant;

use crate::chance::Chance;
use crate::history::{Fate, History};
use crate::http::{Answer, Balancer};
use crate::jobs::{self, Job, Order};
use crate::outcome::Outcome;
use crate::people::Company;

/// How long somebody waits before the first repeat; doubles.
const PAUSE_MS: u64 = 200;
/// The longest such wait.
const LONGEST_MS: u64 = 3000;

/// Everybody.
pub struct World {
    /// Who share the load.
    pub companies: Vec<Company>,
    /// Where they ask.
    pub gateways: Balancer,
    /// What they wrote.
    pub history: History,
    /// Their watches.
    pub clock: Clock,
    /// Whether they ask again.
    pub repeats: AtomicBool,
    attempts: Mutex<Vec<Attempt>>,
    broken_promises: Mutex<Vec<String>>,
}

/// One request.
#[derive(Clone, Copy, Debug)]
pub struct Attempt {
    /// Number of the company.
    pub company: usize,
    /// When it was due.
    pub due: Instant,
    /// How long after that it had ended.
    pub took: Duration,
    /// How it ended.
    pub outcome: Outcome,
}

impl World {
    /// Before the first request.
    pub fn new(companies: Vec<Company>, gateways: Balancer, clock: Clock) -> Self {
        Self {
            companies,
            gateways,
            history: History::default(),
            clock,
            repeats: AtomicBool::new(true),
            attempts: Mutex::default(),
            broken_promises: Mutex::default(),
        }
    }

    /// One job of one company, due at a moment that may have passed, repeated as its client would.
    pub async fn work(&self, job: Job, company: usize, due: Instant, mut chance: Chance) {
        let of = &self.companies[company];
        let order = jobs::order(job, of, &self.history, &self.clock, &mut chance);
        let mut due = due;
        for again in 0..=job.repeats() {
            let answer = self.gateways.ask(&order.ask).await;
            let outcome = Outcome::of(&answer, order.grpc_web());
            self.record(Attempt {
                company,
                due,
                took: due.elapsed(),
                outcome,
            });
            let answer = answer.ok();
            self.note(of, &order, outcome, answer.as_ref());
            if !outcome.passes() || !self.repeats.load(Ordering::Relaxed) {
                break;
            }
            let most = (PAUSE_MS << again.min(5)).min(LONGEST_MS);
            let pause = Duration::from_millis(most / 2 + chance.up_to(most / 2));
            // As the clients do: not before the time that was asked for.
            let asked = answer.and_then(|answer| answer.retry_after);
            tokio::time::sleep(asked.unwrap_or_default() + pause).await;
            due = Instant::now();
        }
        self.give_back(of, order.applied);
    }

    fn note(&self, company: &Company, order: &Order, outcome: Outcome, answer: Option<&Answer>) {
        let Some(write) = order.write else {
            return self.note_applied(order, outcome, answer);
        };
        match outcome {
            Outcome::Done => self.history.note(write, Fate::Acknowledged),
            Outcome::Wrong(_) => self.history.note(write, Fate::Refused),
            _ => return,
        }
        if order.job != Job::Submit || outcome != Outcome::Done {
            return;
        }
        let id = answer.and_then(|answer| jobs::stored_id(order, answer));
        match id.as_ref().and_then(|id| id.parse().ok()) {
            Some(parsed) if self.history.note_id(write, parsed) => {
                if let (Ok(mut waiting), Some(id)) = (company.waiting.lock(), id) {
                    waiting.push_back((write, id));
                }
            }
            Some(id) => self.complain(format!("write {write} has another id now: {id}")),
            None => self.complain(format!("write {write} was acknowledged without an id")),
        }
    }

    fn note_applied(&self, order: &Order, outcome: Outcome, answer: Option<&Answer>) {
        let Some(answer) = answer.filter(|_| outcome == Outcome::Done) else {
            return;
        };
        if order.applied.is_empty() {
            return;
        }
        let effective = jobs::effective(order, answer);
        for (number, id) in &order.applied {
            if effective.contains(id) {
                self.history.note_applied(*number);
            }
        }
    }

    /// What a manager could not apply waits on.
    fn give_back(&self, company: &Company, applied: Vec<(usize, String)>) {
        if applied.is_empty() {
            return;
        }
        if let Ok(mut waiting) = company.waiting.lock() {
            let left = applied.into_iter();
            waiting.extend(left.filter(|(number, _)| !self.history.is_applied(*number)));
        }
    }

    fn record(&self, attempt: Attempt) {
        if let Ok(mut attempts) = self.attempts.lock() {
            attempts.push(attempt);
        }
    }

    /// Takes the requests that have ended since this was last asked.
    pub fn take_attempts(&self) -> Vec<Attempt> {
        let attempts = self.attempts.lock();
        attempts.map_or_else(|_| Vec::new(), |mut attempts| std::mem::take(&mut attempts))
    }

    /// How many requests that were due since a moment have failed, and how many have not.
    pub fn since(&self, moment: Instant) -> (usize, usize) {
        let attempts = self.attempts.lock();
        attempts.map_or((0, 0), |attempts| {
            let due = attempts.iter().filter(|one| one.due >= moment);
            due.fold((0, 0), |(failed, done), one| match one.outcome {
                Outcome::Done => (failed, done + 1),
                _ => (failed + 1, done),
            })
        })
    }

    fn complain(&self, what: String) {
        if let Ok(mut promises) = self.broken_promises.lock() {
            promises.push(what);
        }
    }

    /// What was answered against what had been answered before.
    pub fn broken_promises(&self) -> Vec<String> {
        let promises = self.broken_promises.lock();
        promises.map_or_else(|_| Vec::new(), |promises| promises.clone())
    }
}
