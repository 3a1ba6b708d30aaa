//! Loads: as fast as answers come, or at a steady rate.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use reqwest::Method;
use serde_json::json;
use tokio::task::JoinSet;

use super::report::Figures;
use super::seed::{Company, first_reading};
use crate::visitor::PASSWORD;

/// Clients of a paced load.
const PACED_CLIENTS: usize = 32;

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

/// Calls of several clients, each as fast as it is answered, spread over all companies.
pub async fn closed(
    clients: usize,
    span: Duration,
    load: Load,
    companies: &[Company],
) -> Result<Figures> {
    let companies: Arc<[Company]> = companies.into();
    let call = move |turn| call(load, companies.clone(), turn);
    drive(clients, span, None, call).await
}

/// Calls at a steady rate; the time of each counts from when it was due, so that a stall shows.
pub async fn paced(
    per_second: u32,
    span: Duration,
    load: Load,
    companies: &[Company],
) -> Result<Figures> {
    let companies: Arc<[Company]> = companies.into();
    let call = move |turn| call(load, companies.clone(), turn);
    drive(PACED_CLIENTS, span, Some(per_second), call).await
}

/// Calls of several clients, at a rate or each as fast as it is answered. `call` gets its number and
/// answers whether it succeeded.
pub async fn drive<F>(
    clients: usize,
    span: Duration,
    per_second: Option<u32>,
    call: impl Fn(usize) -> F + Clone + Send + 'static,
) -> Result<Figures>
where
    F: Future<Output = Result<bool>> + Send,
{
    let begun = Instant::now();
    let turns = Arc::new(AtomicUsize::new(0));
    let mut workers = JoinSet::new();
    for _ in 0..clients {
        let (call, turns) = (call.clone(), turns.clone());
        workers.spawn(async move {
            let (mut times, mut errors) = (Vec::new(), 0);
            loop {
                let turn = turns.fetch_add(1, Ordering::Relaxed);
                let due = match per_second {
                    Some(rate) => begun + Duration::from_secs(1) / rate * u32::try_from(turn)?,
                    None => Instant::now(),
                };
                if due >= begun + span {
                    return anyhow::Ok((times, errors));
                }
                tokio::time::sleep_until(due.into()).await;
                errors += usize::from(!call(turn).await?);
                times.push(due.elapsed().as_secs_f64() * 1e3);
            }
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

async fn call(load: Load, companies: Arc<[Company]>, turn: usize) -> Result<bool> {
    let Company {
        name,
        owner,
        operator,
        machines,
        ..
    } = &companies[turn % companies.len()];
    let machine = turn / companies.len() % machines.len();
    let id = &machines[machine];
    let call = match load {
        Load::SignIn => {
            let body = json!({"emailOrBusinessName": name, "password": PASSWORD});
            owner
                .signed_out()
                .call(Method::POST, "/api/auth/login")
                .json(&body)
        }
        Load::User => owner.call(Method::GET, "/api/auth/user"),
        Load::List => owner.call(Method::GET, "/api/equipment"),
        Load::Usage => {
            let call = owner.call(Method::PATCH, &format!("/api/equipment/{id}/usage"));
            call.json(&json!({"usageIncrease": 0.1}))
        }
        Load::Submit => {
            let body = json!({
                "equipmentId": id, "newUsage": plausible(machine), "fuelAdded": 1.5,
                "fuelType": "diesel",
            });
            operator
                .call(Method::POST, "/api/operator-updates")
                .json(&body)
        }
    };
    let answer = call.send().await?;
    let fine = answer.status().is_success();
    // Read whole, so that the connection can be used again.
    answer.bytes().await?;
    Ok(fine)
}

/// A reading as an operator reports it: each of a machine a little more than the one before, and
/// none so much that it is flagged. Earlier loads may have moved the meter by some hours.
fn plausible(machine: usize) -> f64 {
    static REPORTED: AtomicU32 = AtomicU32::new(0);
    let hundredths = REPORTED.fetch_add(1, Ordering::Relaxed) / 100;
    f64::from(first_reading(machine)) + 10.0 + f64::from(hundredths) / 100.0
}
