//! Field submissions and their review: throughput, time until visible, duration of a review.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use hourmeter_proto::events::v1::{Topic, WatchRequest, WatchResponse};
use hourmeter_proto::operator_updates::v1::{
    ApplyUpdatesRequest, ApplyUpdatesResponse, ListReviewRequest, ListReviewResponse,
};
use serde_json::json;

use super::lists::fill;
use super::load::{Load, PACED_CLIENTS, drive_load};
use super::report::{self, Figures};
use super::seed::{Company, companies, first_reading};
use super::{CLIENTS, Database, MACHINES, SPAN};
use crate::visitor::{Answers, Visitor};

/// Companies with concurrent operators.
const COMPANIES: usize = 20;
/// Submissions per second for the latency measurement.
const PACE: u32 = 100;
/// Samples of the time until visible.
const SAMPLES: u32 = 200;
/// Longer counts as an error.
const MAX_VISIBLE: Duration = Duration::from_secs(10);
const REVIEWED: usize = 500;
/// Numbers of machines that they are spread over.
const REVIEWS: [usize; 2] = [1, 50];

pub async fn measure(origin: &str, database: &Database) -> Result<()> {
    report::head();
    let manual = companies(origin, "Field", COMPANIES, MACHINES).await;
    submissions("pending review", &manual).await?;
    let automatic = companies(origin, "Prompt", COMPANIES, MACHINES).await;
    for company in &automatic {
        let body = json!({"autoApplyUpdates": true});
        company.owner.post("/api/company-settings", body).await;
    }
    submissions("applied automatically", &automatic).await?;

    let watched = companies(origin, "Watched", 1, MACHINES).await;
    let seen = measure_visibility(&watched[0]).await?;
    report::row("submission until visible to a manager", &seen);
    let reviewed = companies(origin, "Reviewed", REVIEWS.len(), 0).await;
    let mut equipment = database.connect("hourmeter_equipment").await?;
    for (company, machines) in reviewed.iter().zip(REVIEWS) {
        let count = i32::try_from(machines)?;
        fill(&mut equipment, &[company.id.parse()?], count).await?;
        review(company, machines).await?;
    }
    Ok(())
}

async fn submissions(what: &str, companies: &[Company]) -> Result<()> {
    let most = drive_load(Load::Submit, companies, CLIENTS, SPAN, None).await?;
    report::row(&format!("submission, {what}"), &most);
    let steady = drive_load(Load::Submit, companies, PACED_CLIENTS, SPAN, Some(PACE)).await?;
    report::row(&format!("submission at {PACE}/s, {what}"), &steady);
    Ok(())
}

/// Time from an operator's submission until a watching manager has read it; sequential, without
/// other load.
async fn measure_visibility(company: &Company) -> Result<Figures> {
    let Company {
        owner, operator, ..
    } = company;
    let request = WatchRequest {
        topics: vec![Topic::OperatorUpdates.into()],
    };
    let path = "events.v1.EventsService/Watch";
    let mut events = owner.watch(path, &request).await?;
    events.next().await?.context("no first message")?;
    let (mut times, mut errors) = (Vec::new(), 0);
    let begun = Instant::now();
    for number in 0..SAMPLES {
        let machine = usize::try_from(number)? % company.machines.len();
        let client_id = number.to_string();
        let body = json!({
            "equipmentId": company.machines[machine], "clientId": client_id,
            "newUsage": f64::from(first_reading(machine)) + f64::from(number) / 100.0,
        });
        let sent = Instant::now();
        let submitted = operator.post("/api/operator-updates", body);
        let seen = tokio::time::timeout(MAX_VISIBLE, see(&mut events, owner, &client_id));
        match tokio::join!(submitted, seen).1 {
            Ok(seen) => seen?,
            Err(_) => errors += 1,
        }
        times.push(sent.elapsed());
        // Irregular intervals avoid resonance with timers of the product.
        tokio::time::sleep(Duration::from_millis(u64::from(number * 37 % 90))).await;
    }
    Ok(Figures::new(times, begun.elapsed(), errors))
}

/// Reads pending submissions after every event until the submission is there.
async fn see(events: &mut Answers<WatchResponse>, reader: &Visitor, client_id: &str) -> Result<()> {
    loop {
        let event = events.next().await?.context("the stream has ended")?;
        if event.changed.is_empty() {
            continue;
        }
        let path = "operator_updates.v1.OperatorUpdatesService/ListReview";
        let request = ListReviewRequest::default();
        let review: ListReviewResponse = reader.call_rpc(path, &request).await?;
        let mut updates = review.updates.iter();
        if updates.any(|update| update.client_id == client_id) {
            return Ok(());
        }
    }
}

/// Applies all pending submissions of a company with one request.
async fn review(company: &Company, machines: usize) -> Result<()> {
    let Company {
        owner, operator, ..
    } = company;
    let rows = owner.get("/api/equipment").await;
    let rows = rows.as_array().context("no rows")?;
    ensure!(rows.len() == machines, "{} machines", rows.len());
    let mut ids = Vec::with_capacity(REVIEWED);
    for number in 0..REVIEWED {
        let row = &rows[number % machines];
        let meter = row["currentUsage"].as_f64().context("no meter")?;
        let body = json!({
            "equipmentId": row["id"], "fuelAdded": 1.5, "fuelType": "diesel",
            "newUsage": meter + f64::from(u32::try_from(number)?) / 100.0,
        });
        let row = operator.post("/api/operator-updates", body).await;
        ids.push(row["id"].as_str().context("no id")?.to_owned());
    }
    let path = "operator_updates.v1.OperatorUpdatesService/ApplyUpdates";
    let sent = Instant::now();
    let answer: ApplyUpdatesResponse = owner.call_rpc(path, &ApplyUpdatesRequest { ids }).await?;
    let seconds = sent.elapsed().as_secs_f64();
    let applied = answer.results.iter().filter(|result| result.ok).count();
    let of = if machines == 1 { "machine" } else { "machines" };
    report::fact(
        &format!("review of {REVIEWED}, {machines} {of}, one request"),
        &format!("{seconds:.2} s, {applied} applied"),
    );
    Ok(())
}
