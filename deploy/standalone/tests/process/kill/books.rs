//! Looking into the books: what was stored, and what it did.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::quantity::Quantity;
use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

use super::field::{Total, totals};
use super::fleet::Fleet;
use super::phones::Crowd;

/// How many decisions to apply are still on their way, or given up.
pub async fn on_their_way(updates: &mut PgConnection) -> i64 {
    let count = sqlx::query_scalar("SELECT count(*) FROM decisions");
    count.fetch_one(updates).await.expect("a count")
}

/// Each acknowledged submission is stored once, nothing else is, and each has taken effect or
/// waits. Nothing is on its way. Answers how many wait.
pub async fn check_submissions(crowd: &Crowd, fleet: &Fleet) -> usize {
    let mut updates = fleet.database(Service::OperatorUpdates).await;
    let rows: Vec<(Uuid, String, String)> =
        sqlx::query_as("SELECT id, client_id, status FROM updates ORDER BY id")
            .fetch_all(&mut updates)
            .await
            .expect("submissions");
    let acknowledged = crowd.acknowledged.lock().expect("no panic before").clone();
    let mut expected: Vec<_> = acknowledged
        .iter()
        .map(|((_, client_id), id)| (id.parse().expect("an id"), client_id.clone()))
        .collect();
    expected.sort();
    let stored: Vec<(Uuid, String)> = rows
        .iter()
        .map(|(id, client_id, _)| (*id, client_id.clone()))
        .collect();
    assert_eq!(stored, expected, "stored and acknowledged");

    let mut equipment = fleet.database(Service::Equipment).await;
    let booked: Vec<Uuid> = sqlx::query_scalar(
        "SELECT update_id FROM ledger WHERE update_id IS NOT NULL ORDER BY update_id",
    )
    .fetch_all(&mut equipment)
    .await
    .expect("entries");
    let applied = |status: &str| matches!(status, "applied" | "recent");
    let effective: Vec<Uuid> = rows
        .iter()
        .filter(|row| applied(&row.2))
        .map(|row| row.0)
        .collect();
    assert_eq!(
        booked, effective,
        "in the history, and said to have taken effect"
    );
    let waiting = rows.iter().filter(|row| row.2 == "pending").count();
    assert_eq!(
        effective.len() + waiting,
        rows.len(),
        "taken effect or waiting"
    );
    waiting
}

/// Every machine's history has each entry once, and its figures are the sums of them, for those
/// who look at the screens and in the database.
pub async fn check_machines(crowd: &Crowd, fleet: &Fleet) {
    let mut equipment = fleet.database(Service::Equipment).await;
    for ((company, machine), total) in totals(&crowd.plan) {
        let id = &crowd.companies[company].machines[machine];
        let path = format!("/api/equipment/{id}");
        let history = crowd.read(company, &format!("{path}/history")).await;
        let history = history.as_array().expect("records");
        let reported = history
            .iter()
            .filter(|record| record["fromOperator"] == true);
        let mut captured: Vec<_> = reported.map(captured_at).collect();
        captured.sort_unstable();
        assert_eq!(captured, total.captured, "the history of {id}");

        let shown = crowd.read(company, &path).await;
        let number = |hundredths| Quantity::from_hundredths(hundredths).to_f64();
        assert_eq!(shown["currentUsage"], number(total.meter), "{shown}");
        assert_eq!(shown["totalDieselUsed"], number(total.fuel), "{shown}");
        let booked = booked(&mut equipment, id).await;
        let expected = BTreeMap::from([
            ("meter", total.meter),
            ("fuel", total.fuel),
            ("entries", count(&total)),
            ("submissions", count(&total)),
        ]);
        assert_eq!(booked, expected, "the ledger of {id}");
    }
}

fn count(total: &Total) -> i64 {
    i64::try_from(total.captured.len()).expect("a count")
}

fn captured_at(record: &Value) -> DateTime<Utc> {
    let time = record["capturedAt"].as_str().expect("a time");
    time.parse().expect("a time")
}

/// What the ledger of one machine adds up to.
async fn booked(equipment: &mut PgConnection, id: &str) -> BTreeMap<&'static str, i64> {
    let (meter, fuel, entries, submissions): (i64, i64, i64, i64) = sqlx::query_as(
        "SELECT
            e.initial_usage + sum(coalesce(l.usage_after - l.usage_before, 0))::bigint,
            sum(l.fuel)::bigint,
            count(*),
            count(DISTINCT l.update_id)
        FROM ledger l
        JOIN equipment e ON e.company_id = l.company_id AND e.id = l.equipment_id
        WHERE l.equipment_id = $1 AND l.update_id IS NOT NULL
        GROUP BY e.initial_usage",
    )
    .bind(id.parse::<Uuid>().expect("an id"))
    .fetch_one(equipment)
    .await
    .expect("sums");
    BTreeMap::from([
        ("meter", meter),
        ("fuel", fuel),
        ("entries", entries),
        ("submissions", submissions),
    ])
}
