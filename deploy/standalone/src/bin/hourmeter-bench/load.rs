//! Loads: as fast as answers come, or at a steady pace.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use hyper::Method;
use serde_json::json;
use tokio::sync::Mutex;
use tokio::task::JoinSet;

use crate::client::Client;
use crate::seed::{Company, PASSWORD, first_reading};

/// What is called.
#[derive(Clone, Copy)]
pub enum Load {
    /// `POST /api/auth/login`.
    SignIn,
    /// `GET /api/auth/user`.
    User,
    /// `GET /api/equipment`.
    List,
    /// `PATCH /api/equipment/{id}/usage`.
    Usage,
    /// `POST /api/operator-updates`.
    Submit,
}

/// What came of it.
#[derive(Default)]
pub struct Figures {
    /// How long each call took, in milliseconds, sorted.
    times: Vec<f64>,
    span: Duration,
    /// Answers that were not a success.
    pub errors: usize,
}

impl Figures {
    /// From unsorted times.
    pub fn new(mut times: Vec<f64>, span: Duration, errors: usize) -> Self {
        times.sort_by(f64::total_cmp);
        Self {
            times,
            span,
            errors,
        }
    }

    /// Calls a second.
    #[allow(clippy::cast_precision_loss)]
    pub fn rate(&self) -> f64 {
        self.times.len() as f64 / self.span.as_secs_f64()
    }

    /// Milliseconds within which so many percent were answered.
    pub fn percentile(&self, percent: usize) -> f64 {
        let place = (self.times.len() * percent).div_ceil(100).saturating_sub(1);
        self.times.get(place).copied().unwrap_or(f64::NAN)
    }
}

/// Calls over several connections, each as fast as it is answered, spread over all companies.
pub async fn closed(
    connections: usize,
    span: Duration,
    load: Load,
    host: &str,
    companies: &[Company],
) -> Result<Figures> {
    let companies: Arc<[Company]> = companies.into();
    let mut workers = JoinSet::new();
    for worker in 0..connections {
        let (companies, host) = (companies.clone(), host.to_owned());
        workers.spawn(async move {
            let mut client = Client::connect(&host).await?;
            let (mut times, mut errors) = (Vec::new(), 0);
            let begun = Instant::now();
            let mut turn = worker;
            while begun.elapsed() < span {
                let sent = Instant::now();
                let fine = call(&mut client, load, &companies, turn).await?;
                times.push(sent.elapsed().as_secs_f64() * 1e3);
                errors += usize::from(!fine);
                turn += connections;
            }
            anyhow::Ok((times, errors))
        });
    }
    let (mut times, mut errors) = (Vec::new(), 0);
    while let Some(result) = workers.join_next().await {
        let (more, failed) = result??;
        times.extend(more);
        errors += failed;
    }
    Ok(Figures::new(times, span, errors))
}

/// Calls at a steady pace; each one's time counts from when it was due, so that a stall is seen.
pub async fn paced(
    per_second: u32,
    span: Duration,
    load: Load,
    host: &str,
    companies: &[Company],
) -> Result<Figures> {
    let companies: Arc<[Company]> = companies.into();
    let turns = Arc::new(AtomicUsize::new(0));
    let times = Arc::new(Mutex::new(Vec::new()));
    let begun = Instant::now() + Duration::from_millis(50);
    let gap = Duration::from_secs(1) / per_second;
    let mut workers = JoinSet::new();
    for _ in 0..32 {
        let (companies, host) = (companies.clone(), host.to_owned());
        let (turns, times) = (turns.clone(), times.clone());
        workers.spawn(async move {
            let mut client = Client::connect(&host).await?;
            let mut errors = 0;
            loop {
                let turn = turns.fetch_add(1, Ordering::Relaxed);
                let due = begun + gap * u32::try_from(turn)?;
                if due >= begun + span {
                    return anyhow::Ok(errors);
                }
                tokio::time::sleep_until(due.into()).await;
                let fine = call(&mut client, load, &companies, turn).await?;
                times.lock().await.push(due.elapsed().as_secs_f64() * 1e3);
                errors += usize::from(!fine);
            }
        });
    }
    let mut errors = 0;
    while let Some(result) = workers.join_next().await {
        errors += result??;
    }
    let times = std::mem::take(&mut *times.lock().await);
    Ok(Figures::new(times, span, errors))
}

async fn call(client: &mut Client, load: Load, companies: &[Company], turn: usize) -> Result<bool> {
    let company = &companies[turn % companies.len()];
    let machine = &company.machines[turn / companies.len() % company.machines.len()];
    client.cookie.clone_from(match load {
        Load::SignIn => &EMPTY,
        Load::Submit => &company.operator,
        Load::User | Load::List | Load::Usage => &company.owner,
    });
    let (status, _) = match load {
        Load::SignIn => {
            let body = json!({"emailOrBusinessName": company.email, "password": PASSWORD});
            client.json(Method::POST, "/api/auth/login", &body).await?
        }
        Load::User => client.get("/api/auth/user").await?,
        Load::List => client.get("/api/equipment").await?,
        Load::Usage => {
            let path = format!("/api/equipment/{machine}/usage");
            client
                .json(Method::PATCH, &path, &json!({"usageIncrease": 0.1}))
                .await?
        }
        Load::Submit => {
            let number = turn / companies.len() % company.machines.len();
            let body = json!({
                "equipmentId": machine, "newUsage": plausible(number)?, "fuelAdded": 1.5,
                "fuelType": "diesel",
            });
            client
                .json(Method::POST, "/api/operator-updates", &body)
                .await?
        }
    };
    Ok((200..300).contains(&status))
}

/// How many readings were reported.
static REPORTED: AtomicU32 = AtomicU32::new(0);

/// A reading as an operator reports it: each of a machine a little more than the one before, and
/// none so much that it is asked for again. What was measured before may have moved the meter by
/// some hours.
fn plausible(machine: usize) -> Result<f64> {
    let hundredths = REPORTED.fetch_add(1, Ordering::Relaxed) / 100;
    Ok(f64::from(first_reading(machine)?) + 10.0 + f64::from(hundredths) / 100.0)
}

/// No session.
static EMPTY: String = String::new();
