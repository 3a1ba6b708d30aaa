//! Operators in the field and the managers at home: how many submissions there may be, how soon
//! they are seen, and how long a review takes.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use hourmeter_proto::events::v1::{Topic, WatchRequest, WatchResponse};
use hourmeter_proto::operator_updates::v1::{
    ApplyUpdatesRequest, ApplyUpdatesResponse, ListReviewRequest, ListReviewResponse,
};
use hyper::Method;
use serde_json::{Value, json};
use sqlx::{Connection as _, PgConnection};

use crate::client::{Answers, Client};
use crate::lists::fill;
use crate::load::{Figures, Load, closed, paced};
use crate::product::Database;
use crate::report;
use crate::seed::{Company, companies, first_reading};

/// Companies whose operators report at the same time.
const COMPANIES: usize = 20;
/// Machines of each.
const MACHINES: usize = 15;
/// Connections that submit as fast as they are answered.
const CONNECTIONS: usize = 16;
/// How long each load goes on.
const SPAN: Duration = Duration::from_secs(8);
/// Submissions a second at which latency is asked for.
const PACE: u32 = 100;
/// How often it is measured how soon a submission is seen.
const SEEN: u32 = 200;
/// How long one may stay unseen before it counts as an error.
const UNSEEN: Duration = Duration::from_secs(10);
/// Submissions in one review.
const REVIEWED: usize = 500;
/// How many machines these are of.
const REVIEWS: [usize; 2] = [1, 50];

/// Measures all of it.
pub async fn measure(origin: &str, database: &Database) -> Result<()> {
    report::head();
    let waiting = companies(origin, "Field", COMPANIES, MACHINES).await?;
    submissions(origin, "waits for review", &waiting).await?;
    let prompt = companies(origin, "Prompt", COMPANIES, MACHINES).await?;
    for company in &prompt {
        let mut owner = signed_in(origin, &company.owner).await?;
        let body = json!({"autoApplyUpdates": true});
        owner
            .must(Method::POST, "/api/company-settings", &body)
            .await?;
    }
    submissions(origin, "takes effect", &prompt).await?;

    let watched = companies(origin, "Watched", 1, MACHINES).await?;
    let seen = until_seen(origin, &watched[0]).await?;
    report::row("submission until another sees it", &seen);
    let reviewed = companies(origin, "Reviewed", REVIEWS.len(), 0).await?;
    let mut equipment = PgConnection::connect(&database.url("hourmeter_equipment")).await?;
    for (company, machines) in reviewed.iter().zip(REVIEWS) {
        let count = i32::try_from(machines)?;
        fill(&mut equipment, &[company.id.parse()?], count).await?;
        review(origin, company, machines).await?;
    }
    Ok(())
}

async fn submissions(origin: &str, what: &str, companies: &[Company]) -> Result<()> {
    let most = closed(CONNECTIONS, SPAN, Load::Submit, origin, companies).await?;
    report::row(&format!("submission, {what}"), &most);
    let steady = paced(PACE, SPAN, Load::Submit, origin, companies).await?;
    report::row(&format!("submission at {PACE}/s, {what}"), &steady);
    Ok(())
}

async fn signed_in(origin: &str, session: &str) -> Result<Client> {
    let mut client = Client::connect(origin).await?;
    session.clone_into(&mut client.cookie);
    Ok(client)
}

/// From an operator's submission until a manager, who watches, has read it: one after the other,
/// while nobody else is there.
async fn until_seen(origin: &str, company: &Company) -> Result<Figures> {
    let mut operator = signed_in(origin, &company.operator).await?;
    let mut reader = signed_in(origin, &company.owner).await?;
    let mut watcher = signed_in(origin, &company.owner).await?;
    let request = WatchRequest {
        topics: vec![Topic::OperatorUpdates.into()],
    };
    let path = "hourmeter.events.v1.EventsService/Watch";
    let mut events: Answers<WatchResponse> = watcher.watch(path, &request).await?;
    events.next().await?.context("no first message")?;
    let (mut times, mut errors) = (Vec::new(), 0);
    let begun = Instant::now();
    for number in 0..SEEN {
        let machine = usize::try_from(number)? % company.machines.len();
        let body = json!({
            "equipmentId": company.machines[machine],
            "newUsage": f64::from(first_reading(machine)?) + f64::from(number) / 100.0,
            "clientId": number.to_string(),
        });
        let client_id = number.to_string();
        let sent = Instant::now();
        let submitted = operator.must(Method::POST, "/api/operator-updates", &body);
        let seen = tokio::time::timeout(UNSEEN, see(&mut events, &mut reader, &client_id));
        let (submitted, seen) = tokio::join!(submitted, seen);
        submitted?;
        match seen {
            Ok(seen) => seen?,
            Err(_) => errors += 1,
        }
        times.push(sent.elapsed().as_secs_f64() * 1e3);
        // At no regular distance from whatever happens every so often inside.
        tokio::time::sleep(Duration::from_millis(u64::from(number * 37 % 90))).await;
    }
    Ok(Figures::new(times, begun.elapsed(), errors))
}

/// Reads what waits whenever something happened, until the submission is there.
async fn see(
    events: &mut Answers<WatchResponse>,
    reader: &mut Client,
    client_id: &str,
) -> Result<()> {
    loop {
        let event = events.next().await?.context("the line has ended")?;
        if event.changed.is_empty() {
            continue;
        }
        let path = "hourmeter.operator_updates.v1.OperatorUpdatesService/ListReview";
        let waiting: ListReviewResponse = reader.ask(path, &ListReviewRequest::default()).await?;
        if waiting
            .updates
            .iter()
            .any(|update| update.client_id == client_id)
        {
            return Ok(());
        }
    }
}

/// Applies all that waits in a company with one request.
async fn review(origin: &str, company: &Company, machines: usize) -> Result<()> {
    let mut owner = signed_in(origin, &company.owner).await?;
    let mut operator = signed_in(origin, &company.operator).await?;
    let (_, rows) = owner.get("/api/equipment").await?;
    let rows: Vec<Value> = serde_json::from_slice(&rows)?;
    anyhow::ensure!(rows.len() == machines, "{} machines", rows.len());
    let mut updates = Vec::with_capacity(REVIEWED);
    for number in 0..REVIEWED {
        let row = &rows[number % machines];
        let meter = row["currentUsage"].as_f64().context("no meter")?;
        let body = json!({
            "equipmentId": row["id"], "fuelAdded": 1.5, "fuelType": "diesel",
            "newUsage": meter + f64::from(u32::try_from(number)?) / 100.0,
        });
        let row = operator
            .must(Method::POST, "/api/operator-updates", &body)
            .await?;
        updates.push(row["id"].as_str().context("no id")?.to_owned());
    }
    let request = ApplyUpdatesRequest { ids: updates };
    let path = "hourmeter.operator_updates.v1.OperatorUpdatesService/ApplyUpdates";
    let sent = Instant::now();
    let answer: ApplyUpdatesResponse = owner.ask(path, &request).await?;
    let seconds = sent.elapsed().as_secs_f64();
    let applied = answer.results.iter().filter(|result| result.ok).count();
    let of = if machines == 1 { "machine" } else { "machines" };
    report::fact(
        &format!("review of {REVIEWED}, {machines} {of}, one request"),
        &format!("{seconds:.2} s, {applied} applied"),
    );
    Ok(())
}
