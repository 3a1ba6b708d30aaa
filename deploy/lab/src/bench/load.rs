//! Load generators: closed loop or constant rate.

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

/// Clients of a constant-rate load.
pub const PACED_CLIENTS: usize = 32;

#[derive(Clone, Copy)]
pub enum Load {
    SignIn,
    User,
    List,
    Get,
    Count,
    Updates,
    Export,
    Usage,
    Submit,
    Note,
    /// The others in the proportions of [`MIX`].
    Mixed,
}

/// Calls of each kind per hundred: nine reads per write.
const MIX: [(usize, Load); 7] = [
    (50, Load::List),
    (20, Load::User),
    (15, Load::Get),
    (5, Load::Count),
    (5, Load::Usage),
    (3, Load::Submit),
    (2, Load::Note),
];

impl Load {
    /// The call number `index`; kinds and companies alternate.
    fn at(self, index: usize) -> Self {
        if !matches!(self, Self::Mixed) {
            return self;
        }
        // 37 and 100 are coprime.
        let mut place = (index * 37 + index / 100) % 100;
        for (share, load) in MIX {
            match place.checked_sub(share) {
                Some(rest) => place = rest,
                None => return load,
            }
        }
        Self::List
    }
}

/// Load of several clients, spread over all companies: at a constant rate or closed loop.
pub async fn drive_load(
    load: Load,
    companies: &[Company],
    clients: usize,
    span: Duration,
    per_second: Option<u32>,
) -> Result<Figures> {
    let companies: Arc<[Company]> = companies.into();
    let call = move |index| call(load, companies.clone(), index);
    drive(clients, span, per_second, call).await
}

/// Load of several clients. With a constant rate, latency counts from the scheduled time, so that
/// stalls show. `call` gets its number and returns success.
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
    let next_index = Arc::new(AtomicUsize::new(0));
    let mut workers = JoinSet::new();
    for _ in 0..clients {
        let (call, next_index) = (call.clone(), next_index.clone());
        workers.spawn(async move {
            let (mut times, mut errors) = (Vec::new(), 0);
            loop {
                let index = next_index.fetch_add(1, Ordering::Relaxed);
                let due = match per_second {
                    Some(rate) => begun + Duration::from_secs(1) / rate * u32::try_from(index)?,
                    None => Instant::now(),
                };
                if due >= begun + span {
                    return anyhow::Ok((times, errors));
                }
                tokio::time::sleep_until(due.into()).await;
                errors += usize::from(!call(index).await?);
                times.push(due.elapsed());
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

async fn call(load: Load, companies: Arc<[Company]>, index: usize) -> Result<bool> {
    let Company {
        name,
        owner,
        operator,
        machines,
        ..
    } = &companies[index % companies.len()];
    let machine = index / companies.len() % machines.len();
    let id = &machines[machine];
    let get = |path: &str| owner.call(Method::GET, path);
    let call = match load.at(index) {
        Load::SignIn => {
            let body = json!({"emailOrBusinessName": name, "password": PASSWORD});
            let visitor = owner.signed_out();
            visitor.call(Method::POST, "/api/auth/login").json(&body)
        }
        Load::User => get("/api/auth/user"),
        Load::List | Load::Mixed => get("/api/equipment"),
        Load::Get => get(&format!("/api/equipment/{id}")),
        Load::Count => get("/api/equipment/count"),
        Load::Updates => get("/api/operator-updates"),
        Load::Export => get("/api/equipment-history/export"),
        Load::Note => {
            let body = json!({"content": "Checked the oil and the belts.", "type": "note"});
            let call = owner.call(Method::POST, &format!("/api/equipment/{id}/notes"));
            call.json(&body)
        }
        Load::Usage => {
            let call = owner.call(Method::PATCH, &format!("/api/equipment/{id}/usage"));
            call.json(&json!({"usageIncrease": 0.1}))
        }
        Load::Submit => {
            let body = json!({
                "equipmentId": id, "newUsage": plausible(machine), "fuelAdded": 1.5,
                "fuelType": "diesel",
            });
            let call = operator.call(Method::POST, "/api/operator-updates");
            call.json(&body)
        }
    };
    let answer = call.send().await?;
    let fine = answer.status().is_success();
    // Read completely, so that the connection can be reused.
    answer.bytes().await?;
    Ok(fine)
}

/// A plausible reading: slightly above the machine's last one, so that it is not flagged, though
/// earlier loads may have moved the meter by some hours.
fn plausible(machine: usize) -> f64 {
    static REPORTED: AtomicU32 = AtomicU32::new(0);
    let hundredths = REPORTED.fetch_add(1, Ordering::Relaxed) / 100;
    f64::from(first_reading(machine)) + 10.0 + f64::from(hundredths) / 100.0
}
