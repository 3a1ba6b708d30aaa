//! The review of submissions over REST.

use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::product::{Browser, Product, id};

struct Fixture {
    owner: Browser,
    operator: Browser,
    crane: String,
    truck: String,
    pump: String,
    product: Product,
}

impl Fixture {
    async fn new() -> Self {
        let product = Product::new().await;
        let owner = product.owner("Acme").await;
        let crane = id(&owner.machine("Crane").await);
        let truck = id(&owner.machine("Truck").await);
        let pump = json!({
            "name": "Pump", "type": "machinery", "unit": "hours", "currentUsage": 8,
        });
        let pump = id(&owner.post_as("/api/equipment", pump).await.expect(201));
        // Reports are captured after the machines were read.
        product
            .clock
            .set(product.clock.now() + TimeDelta::seconds(1));
        let operator = product.operator_of(&owner).await;
        Self {
            owner,
            operator,
            crane,
            truck,
            pump,
            product,
        }
    }

    async fn report(&self, machine: &str, reading: f64) -> Value {
        let body = json!({"equipmentId": machine, "newUsage": reading});
        let reply = self.operator.post_as("/api/operator-updates", body).await;
        reply.expect(201)
    }

    async fn decide(&self, update: &Value, what: &str, body: Value) -> crate::product::Reply {
        let path = format!("/api/operator-updates/{}/{what}", id(update));
        self.owner.post_as(&path, body).await
    }

    async fn review(&self) -> Value {
        let reply = self.owner.get("/api/operator-updates/review").await;
        reply.expect(200)
    }

    async fn machine(&self, machine: &str) -> Value {
        let path = format!("/api/equipment/{machine}");
        self.owner.get(&path).await.expect(200)
    }
}

#[tokio::test]
async fn review_lists_flagged_machines_first() {
    let fixture = Fixture::new().await;
    let good = fixture.report(&fixture.crane, 101.0).await;
    let odd = fixture.report(&fixture.truck, 9.0).await;
    assert_eq!(odd["flags"], json!(["below_meter"]));
    let review = fixture.review().await;
    let counts = json!([review["pendingCount"], review["flaggedCount"]]);
    assert_eq!(counts, json!([2, 1]));
    let ids = json!([review["updates"][0]["id"], review["updates"][1]["id"]]);
    assert_eq!(ids, json!([odd["id"], good["id"]]));
    let row = &review["updates"][0];
    assert_eq!(row, &odd);

    let one = fixture
        .owner
        .get("/api/operator-updates/review?limit=1")
        .await;
    let one = one.expect(200);
    assert_eq!(one["updates"].as_array().map(Vec::len), Some(1));
    assert_eq!(one["pendingCount"], 2);
    for wrong in ["501", "-1", "x", "0.5"] {
        let path = format!("/api/operator-updates/review?limit={wrong}");
        assert_eq!(fixture.owner.get(&path).await.status, 400, "{wrong}");
    }
    let refused = fixture.operator.get("/api/operator-updates/review").await;
    assert_eq!(refused.status, 403);
}

#[tokio::test]
async fn moved_update_applies_to_the_new_machine() {
    let fixture = Fixture::new().await;
    let update = fixture.report(&fixture.truck, 9.0).await;
    let before = fixture.machine(&fixture.truck).await;
    // Machines of other companies and unknown ids.
    for (body, status) in [
        (json!({}), 400),
        (json!({"equipmentId": 1}), 400),
        (
            json!({"equipmentId": "01890000-0000-7000-8000-000000000000"}),
            404,
        ),
    ] {
        let refused = fixture.decide(&update, "move", body.clone()).await;
        assert!([status, 404].contains(&refused.status.as_u16()), "{body}");
    }
    assert_eq!(fixture.review().await["updates"][0], update);
    let pump = &fixture.pump;
    let moved = fixture
        .decide(&update, "move", json!({"equipmentId": pump}))
        .await;
    let moved = moved.expect(200);
    let names = [
        "equipmentId",
        "equipmentName",
        "reportedEquipmentName",
        "status",
        "appliedUsage",
    ];
    assert_eq!(
        json!(names.map(|name| &moved[name])),
        json!([pump, "Pump", "Truck", "applied", 9])
    );
    assert_eq!(fixture.machine(pump).await["meterReading"], 9);
    assert_eq!(fixture.machine(&fixture.truck).await, before);
    // An applied update can't be moved.
    let again = fixture
        .decide(&moved, "move", json!({"equipmentId": fixture.crane}))
        .await;
    assert_eq!(again.status, 409, "{}", again.text());
}

#[tokio::test]
async fn apply_with_meter_replacement_accepts_a_low_reading() {
    let fixture = Fixture::new().await;
    let update = fixture.report(&fixture.truck, 9.0).await;
    for (body, field) in [
        (json!({"meterReplacement": {}}), "meterReplacement.kind"),
        (
            json!({"meterReplacement": {"kind": "x"}}),
            "meterReplacement.kind",
        ),
        (
            json!({"meterReplacement": {"kind": "replaced", "finalReading": -1}}),
            "meterReplacement.finalReading",
        ),
        (
            json!({"meterReplacement": {"kind": "replaced", "startReading": "0"}}),
            "meterReplacement.startReading",
        ),
        (json!({"meterReplacement": [1]}), "meterReplacement"),
        (json!({"newUsage": "9"}), "newUsage"),
    ] {
        let refused = fixture
            .decide(&update, "apply", body.clone())
            .await
            .expect(400);
        assert!(refused["fields"][field].is_string(), "{body}: {refused}");
    }
    assert_eq!(fixture.machine(&fixture.truck).await["meterReading"], 100);
    let fitted = json!({"kind": "replaced", "finalReading": 104, "startReading": 1});
    let applied = fixture
        .decide(&update, "apply", json!({"meterReplacement": fitted}))
        .await;
    let applied = applied.expect(200);
    let names = [
        "status",
        "previousUsage",
        "appliedUsage",
        "applying",
        "late",
    ];
    assert_eq!(
        json!(names.map(|name| &applied[name])),
        json!(["applied", 100, 9, false, false])
    );
    let row = fixture.machine(&fixture.truck).await;
    assert_eq!(
        json!([row["currentUsage"], row["meterReading"]]),
        json!([112, 9])
    );
    let meters = format!("/api/equipment/{}/meters", fixture.truck);
    let meters = fixture.owner.get(&meters).await.expect(200);
    assert_eq!(meters.as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn acknowledge_handles_many_updates() {
    let fixture = Fixture::new().await;
    let settings = json!({"autoApplyUpdates": true});
    let saved = fixture
        .owner
        .post_as("/api/company-settings", settings)
        .await;
    assert_eq!(saved.status, 200, "{}", saved.text());
    let (one, other) = (
        fixture.report(&fixture.crane, 101.0).await,
        fixture.report(&fixture.truck, 102.0).await,
    );
    let unknown = "01890000-0000-7000-8000-000000000000";
    let path = "/api/operator-updates/acknowledge";
    let body = json!({"ids": [one["id"], unknown, other["id"]]});
    let refused = fixture.operator.post_as(path, body.clone()).await;
    assert_eq!(refused.status, 403);
    for wrong in [
        json!({}),
        json!({"ids": []}),
        json!({"ids": "x"}),
        json!({"ids": [1]}),
        json!({"ids": [""]}),
    ] {
        let refused = fixture.owner.post_as(path, wrong.clone()).await;
        assert_eq!(refused.status, 400, "{wrong}: {}", refused.text());
    }
    let seen = fixture.owner.post_as(path, body).await.expect(200);
    let brief = |row: &Value| json!([row["id"], row["ok"]]);
    let rows: Vec<Value> = seen.as_array().expect("a list").iter().map(brief).collect();
    let expected = json!([[one["id"], true], [unknown, false], [other["id"], true]]);
    assert_eq!(json!(rows), expected);
    assert_eq!(seen[0]["message"], Value::Null);
    assert!(seen[1]["message"].is_string());
    let list = fixture.owner.get("/api/operator-updates").await.expect(200);
    for row in list.as_array().expect("a list") {
        assert_eq!(
            [&row["status"], &row["reviewedBy"]],
            ["applied", "Olivia Owner"]
        );
    }
}

#[tokio::test]
async fn several_are_rejected_and_decisions_are_undone() {
    let fixture = Fixture::new().await;
    let one = fixture.report(&fixture.crane, 101.0).await;
    let two = fixture.report(&fixture.truck, 102.0).await;
    let post = async |what: &str, body: Value| {
        let path = format!("/api/operator-updates/{what}");
        fixture.owner.post_as(&path, body).await
    };
    let ids = json!([one["id"], two["id"]]);
    let reject = json!({"ids": ids, "reason": "Twice"});
    for result in post("reject", reject).await.expect(200).as_array().unwrap() {
        assert_eq!(result["ok"], true, "{result}");
    }
    let undone = fixture.decide(&one, "undo", json!({})).await.expect(200);
    assert_eq!(
        (&undone["status"], &undone["rejectReason"]),
        (&json!("pending"), &Value::Null)
    );
    let results = post("undo", json!({"ids": ids})).await.expect(200);
    assert_eq!(
        (&results[0]["ok"], &results[1]["ok"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(fixture.review().await["pendingCount"], 2);
    for what in ["apply", "reject", "undo", "acknowledge"] {
        assert_eq!(post(what, json!({"ids": [""]})).await.status, 400, "{what}");
    }
    assert_eq!(fixture.decide(&one, "move", json!({})).await.status, 400);
}

#[tokio::test]
async fn undo_names_its_decision_and_may_have_a_reason() {
    let fixture = Fixture::new().await;
    let sent = fixture.report(&fixture.crane, 101.0).await;
    let applied = fixture.decide(&sent, "apply", json!({})).await.expect(200);
    let undo = async |body: Value| fixture.decide(&sent, "undo", body).await;
    let other = undo(json!({"decision": "rejection"})).await;
    assert_eq!(other.status, 409);
    assert_eq!(other.json()["code"], "UNDO_OVERTAKEN");
    assert_eq!(undo(json!({"decision": "guess"})).await.status, 400);
    let taken_back = json!({"decision": "application", "reason": "Wrong machine"});
    let taken_back = undo(taken_back).await.expect(200);
    assert_eq!(
        [&taken_back["status"], &taken_back["takenBackReason"]],
        ["taken_back", "Wrong machine"]
    );
    assert_eq!(applied["status"], "applied");
}

#[tokio::test]
async fn withdraw_is_for_the_author_of_a_pending_update() {
    let fixture = Fixture::new().await;
    let sent = fixture.report(&fixture.crane, 101.0).await;
    let path = format!("/api/operator-updates/{}/withdraw", id(&sent));
    let by_owner = fixture.owner.post_as(&path, json!({})).await;
    assert_eq!(by_owner.status, 404);
    for _ in 0..2 {
        let withdrawn = fixture.operator.post_as(&path, json!({})).await.expect(200);
        assert_eq!(
            json!(["status", "withdrawn", "rejectReason"].map(|name| &withdrawn[name])),
            json!(["rejected", true, "WITHDRAWN"])
        );
        assert_eq!(withdrawn["reviewedBy"], withdrawn["operatorName"]);
    }
    assert_eq!(fixture.review().await["pendingCount"], 0);
    let undone = fixture.decide(&sent, "undo", json!({})).await;
    assert_eq!(undone.json()["code"], "UNDO_OVERTAKEN");
    let shared = fixture.product.shared_session("Acme").await;
    let report = json!({"equipmentId": fixture.crane, "newUsage": 102});
    let report = shared.post_as("/api/operator-updates", report).await;
    let path = format!("/api/operator-updates/{}/withdraw", id(&report.expect(201)));
    let refused = shared.post_as(&path, json!({})).await;
    assert_eq!(
        (refused.status.as_u16(), &refused.json()["code"]),
        (403, &json!("OWN_SIGN_IN_REQUIRED"))
    );
}

#[tokio::test]
async fn increase_is_reported_and_applied_as_an_increase() {
    let fixture = Fixture::new().await;
    let report = json!({"equipmentId": fixture.crane, "usageIncrease": 8, "unit": "hours"});
    let both = json!({"equipmentId": fixture.crane, "usageIncrease": 8, "newUsage": 108});
    let path = "/api/operator-updates";
    assert_eq!(fixture.operator.post_as(path, both).await.status, 400);
    let sent = fixture.operator.post_as(path, report).await.expect(201);
    assert_eq!(
        (&sent["usageIncrease"], &sent["newUsage"]),
        (&json!(8), &Value::Null)
    );
    let before = fixture.machine(&fixture.crane).await["currentUsage"].as_f64();
    let applied = fixture.decide(&sent, "apply", json!({})).await.expect(200);
    assert_eq!(applied["status"], "applied");
    let after = fixture.machine(&fixture.crane).await["currentUsage"].as_f64();
    assert_eq!(after, before.map(|before| before + 8.0));
}
