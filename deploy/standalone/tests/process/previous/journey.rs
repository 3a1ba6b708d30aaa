//! The most common calls, distributed over several gateways.

use std::cell::Cell;

use hourmeter_lab::Visitor;
use reqwest::Method;
use serde_json::{Value, json};

/// Round robin over origins.
struct RoundRobin<'a> {
    origins: &'a [String],
    next: Cell<usize>,
}

impl RoundRobin<'_> {
    fn next(&self) -> &str {
        let index = self.next.get();
        self.next.set(index + 1);
        &self.origins[index % self.origins.len()]
    }

    async fn get(&self, person: &Visitor, path: &str) -> Value {
        person.through(self.next()).get(path).await
    }

    async fn post(&self, person: &Visitor, path: &str, body: Value) -> Value {
        person.through(self.next()).post(path, body).await
    }

    async fn patch(&self, person: &Visitor, path: &str, body: Value) -> Value {
        let person = person.through(self.next());
        let (status, answer) = person.send(Method::PATCH, path, body).await;
        assert!(status.is_success(), "{path}: {status} {answer}");
        answer
    }
}

/// A company signs up, reads its plan and adds a machine; an operator submits; a manager applies
/// and records the service; the history shows all of it.
pub async fn journey(name: &str, origins: &[String]) {
    let gateways = RoundRobin {
        origins,
        next: Cell::new(0),
    };
    let owner = Visitor::sign_up(gateways.next(), name).await;
    let plan = gateways.get(&owner, "/api/subscription/info").await;
    assert_eq!(plan["status"], "trial", "{plan}");
    let machine = owner
        .through(gateways.next())
        .add_machine("Excavator")
        .await;
    let path = format!("/api/equipment/{machine}");

    let operator = owner.through(gateways.next()).operator().await;
    let report = json!({"equipmentId": machine, "newUsage": 312.5, "fuelAdded": 40.25,
        "fuelType": "diesel", "notes": "Todo bien"});
    let sent = gateways
        .post(&operator, "/api/operator-updates", report)
        .await;
    assert_eq!(sent["status"], "pending");
    let waiting = "/api/operator-updates?status=pending";
    assert_eq!(gateways.get(&owner, waiting).await[0]["id"], sent["id"]);
    let id = sent["id"].as_str().expect("an id");
    let apply = format!("/api/operator-updates/{id}/apply");
    assert_eq!(
        gateways.post(&owner, &apply, json!({})).await["status"],
        "applied"
    );
    // A repeat at any gateway has no further effect.
    assert_eq!(
        gateways.post(&owner, &apply, json!({})).await["status"],
        "applied"
    );

    let shown = gateways.get(&owner, &path).await;
    assert_eq!(shown["currentUsage"], 312.5);
    assert_eq!(shown["totalDieselUsed"], 40.25);
    let serviced = gateways
        .patch(&owner, &format!("{path}/reset-service"), json!({}))
        .await;
    assert_eq!(serviced["lastServiceUsage"], 312.5);
    let usage = json!({"usageIncrease": 2, "notes": "Dug"});
    let used = gateways
        .patch(&owner, &format!("{path}/usage"), usage)
        .await;
    assert_eq!(used["currentUsage"], 314.5);

    let history = gateways.get(&owner, &format!("{path}/history")).await;
    let history = history.as_array().expect("entries");
    assert_eq!(history.len(), 3, "{history:?}");
    assert_eq!(history[0]["content"], "Dug");
    assert_eq!(history[2]["content"], "Todo bien");
    let seen = gateways.get(&operator, "/api/operator-updates").await;
    assert_eq!(seen[0]["status"], "applied");
    let listed = gateways.get(&owner, "/api/equipment").await;
    assert_eq!(listed[0]["currentUsage"], 314.5);
}
