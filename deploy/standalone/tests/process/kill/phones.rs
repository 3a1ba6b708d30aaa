//! Phones that send until they are answered, and managers who apply what waits.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::chance::Chance;
use super::field::{Company, Entry};

/// How many a second are sent for the first time, at most.
const PER_SECOND: u32 = 200;
/// How many are on their way at the same time.
const LANES: usize = 32;
/// How many may be applied with one request.
const MOST_APPLIED: usize = 500;

/// Everybody who uses the product, and what they know.
pub struct Crowd {
    /// What is sent, in this order.
    pub plan: Vec<Entry>,
    /// Who sends and applies.
    pub companies: Vec<Company>,
    /// Where the gateways answer.
    pub origins: Vec<String>,
    /// What was acknowledged: client id and the submission's id, once a company.
    pub acknowledged: Mutex<BTreeMap<(usize, String), String>>,
    next: AtomicUsize,
    /// How many were sent.
    pub sent: watch::Sender<usize>,
    /// How many may be sent.
    pub allowed: watch::Sender<usize>,
    /// Calls that were not answered, or with 503.
    pub troubles: AtomicUsize,
    /// Submissions sent again.
    pub repeats: AtomicUsize,
}

impl Crowd {
    /// A crowd that may send nothing yet.
    pub fn new(plan: Vec<Entry>, companies: Vec<Company>, origins: Vec<String>) -> Arc<Self> {
        Arc::new(Self {
            plan,
            companies,
            origins,
            acknowledged: Mutex::default(),
            next: AtomicUsize::new(0),
            sent: watch::Sender::new(0),
            allowed: watch::Sender::new(0),
            troubles: AtomicUsize::new(0),
            repeats: AtomicUsize::new(0),
        })
    }

    /// Sends all of the plan, at the pace or as fast as it is allowed; ends when all of it is
    /// acknowledged.
    pub async fn report_all(self: &Arc<Self>, chance: &mut Chance) {
        let begun = Instant::now();
        let mut lanes = JoinSet::new();
        for _ in 0..LANES {
            let (crowd, chance) = (self.clone(), chance.fork());
            lanes.spawn(async move { crowd.lane(begun, chance).await });
        }
        while let Some(ended) = lanes.join_next().await {
            ended.expect("a lane ends well");
        }
    }

    async fn lane(&self, begun: Instant, mut chance: Chance) {
        let mut allowed = self.allowed.subscribe();
        loop {
            let turn = self.next.fetch_add(1, Ordering::Relaxed);
            if turn >= self.plan.len() {
                return;
            }
            let due = Duration::from_secs(1) / PER_SECOND * u32::try_from(turn).expect("a turn");
            tokio::time::sleep_until(begun + due).await;
            allowed
                .wait_for(|most| turn < *most)
                .await
                .expect("a crowd");
            self.sent.send_modify(|sent| *sent += 1);
            self.report(turn, &mut chance).await;
        }
    }

    /// Sends one, and some twice: at the same time from two tabs, or an older one once more.
    async fn report(&self, turn: usize, chance: &mut Chance) {
        if chance.percent(5) {
            let (mut one, mut other) = (chance.fork(), chance.fork());
            tokio::join!(self.deliver(turn, &mut one), self.deliver(turn, &mut other));
        } else {
            self.deliver(turn, chance).await;
        }
        if chance.percent(10) {
            let older = chance.place(turn + 1);
            self.deliver(older, chance).await;
        }
    }

    /// Sends one until it is answered.
    async fn deliver(&self, turn: usize, chance: &mut Chance) {
        let entry = &self.plan[turn];
        let company = &self.companies[entry.company];
        let body = entry.body(&company.machines[entry.machine]);
        // Some lose their signal before they can have read the answer.
        let mut patience = if chance.percent(10) {
            Duration::from_millis(chance.up_to(60))
        } else {
            LONG
        };
        for again in 1.. {
            let phone = company.operators[entry.operator].through(self.origin(chance));
            let call = phone.call(Method::POST, "/api/operator-updates");
            if let Some(row) = self.ask(call.json(&body).timeout(patience)).await {
                return self.note(entry, &row);
            }
            patience = LONG;
            self.repeats.fetch_add(1, Ordering::Relaxed);
            // Longer and longer, as phones do, so that a slow machine is not kept from recovering.
            pause(chance, (100 << again.min(5)).min(3000)).await;
        }
    }

    /// The same entry is acknowledged by the same submission, however often.
    fn note(&self, entry: &Entry, row: &Value) {
        assert_eq!(row["clientId"], entry.client_id, "{row}");
        let id = text(&row["id"]).to_owned();
        let mut acknowledged = self.acknowledged.lock().expect("no panic before");
        let key = (entry.company, entry.client_id.clone());
        let first = acknowledged.entry(key).or_insert_with(|| id.clone());
        assert_eq!(*first, id, "{} was stored twice", entry.client_id);
    }

    /// Applies some of what waits in a company, again and again, while somebody else does too.
    pub async fn manage(
        &self,
        company: usize,
        who: usize,
        mut chance: Chance,
        stop: &CancellationToken,
    ) {
        while !stop.is_cancelled() {
            let rows = self
                .pending(company, who, &mut chance)
                .await
                .unwrap_or_default();
            let left_alone = |row: &&Value| text(&row["clientId"]).ends_with('9');
            let chosen = rows
                .iter()
                .filter(|row| !left_alone(row) && chance.percent(70));
            let mut ids: Vec<&str> = chosen.map(|row| text(&row["id"])).collect();
            ids.truncate(MOST_APPLIED);
            self.apply(company, who, &mut chance, &ids).await;
            pause(&mut chance, 300).await;
        }
    }

    /// Applies all that waits in a company, until nothing does.
    pub async fn apply_all(&self, company: usize, chance: &mut Chance) {
        loop {
            if let Some(rows) = self.pending(company, 0, chance).await {
                if rows.is_empty() {
                    return;
                }
                let ids = rows.iter().take(MOST_APPLIED).map(|row| text(&row["id"]));
                let ids: Vec<&str> = ids.collect();
                self.apply(company, 0, chance, &ids).await;
            }
            pause(chance, 300).await;
        }
    }

    /// What a manager reads, asked for until it is answered.
    pub async fn read(&self, company: usize, path: &str) -> Value {
        loop {
            let call = self.companies[company].managers[0].call(Method::GET, path);
            if let Some(answer) = self.ask(call).await {
                return answer;
            }
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
    }

    /// What waits; none when nobody can tell.
    async fn pending(&self, company: usize, who: usize, chance: &mut Chance) -> Option<Vec<Value>> {
        let manager = self.companies[company].managers[who].through(self.origin(chance));
        let call = manager.call(Method::GET, "/api/operator-updates?status=pending");
        let rows = self.ask(call).await?;
        Some(rows.as_array().expect("rows").clone())
    }

    async fn apply(&self, company: usize, who: usize, chance: &mut Chance, ids: &[&str]) {
        if ids.is_empty() {
            return;
        }
        let manager = self.companies[company].managers[who].through(self.origin(chance));
        let call = manager.call(Method::POST, "/api/operator-updates/apply");
        self.ask(call.json(&json!({"ids": ids}))).await;
    }

    fn origin(&self, chance: &mut Chance) -> &str {
        &self.origins[chance.place(self.origins.len())]
    }

    /// What a call answers; none when it is not answered, or only that a part is away. Whatever is
    /// killed, nothing else is ever answered: nobody is signed out, and nothing is refused.
    async fn ask(&self, call: RequestBuilder) -> Option<Value> {
        let answer = match call.send().await {
            Ok(answer) => (answer.status(), answer.text().await),
            Err(_) => return self.trouble(),
        };
        match answer {
            (StatusCode::OK | StatusCode::CREATED, Ok(text)) => {
                Some(serde_json::from_str(&text).expect("JSON"))
            }
            (StatusCode::OK | StatusCode::CREATED, Err(_))
            | (StatusCode::SERVICE_UNAVAILABLE, _) => self.trouble(),
            (status, text) => panic!("{status} {text:?}"),
        }
    }

    fn trouble(&self) -> Option<Value> {
        self.troubles.fetch_add(1, Ordering::Relaxed);
        None
    }
}

/// Longer than any answer takes.
const LONG: Duration = Duration::from_secs(30);

fn text(value: &Value) -> &str {
    value.as_str().expect("text")
}

async fn pause(chance: &mut Chance, most: u64) {
    tokio::time::sleep(Duration::from_millis(chance.up_to(most))).await;
}
