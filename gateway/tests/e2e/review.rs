//! The review of submissions over REST.

use serde_json::{Value, json};

use crate::product::{Browser, Product, id};

struct Yard {
    owner: Browser,
    operator: Browser,
    crane: String,
    truck: String,
    _product: Product,
}

impl Yard {
    async fn new() -> Self {
        let product = Product::new().await;
        let owner = product.owner("Acme").await;
        let crane = id(&owner.machine("Crane").await);
        let truck = id(&owner.machine("Truck").await);
        let operator = product.operator_of(&owner).await;
        Self {
            owner,
            operator,
            crane,
            truck,
            _product: product,
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
async fn flagged_machines_come_first() {
    let yard = Yard::new().await;
    let good = yard.report(&yard.crane, 101.0).await;
    let odd = yard.report(&yard.truck, 9.0).await;
    assert_eq!(odd["flags"], json!(["below_meter"]));
    let review = yard.review().await;
    let counts = json!([review["pendingCount"], review["flaggedCount"]]);
    assert_eq!(counts, json!([2, 1]));
    let ids = json!([review["updates"][0]["id"], review["updates"][1]["id"]]);
    assert_eq!(ids, json!([odd["id"], good["id"]]));
    let row = &review["updates"][0];
    assert_eq!(row, &odd);

    let one = yard.owner.get("/api/operator-updates/review?limit=1").await;
    let one = one.expect(200);
    assert_eq!(one["updates"].as_array().map(Vec::len), Some(1));
    assert_eq!(one["pendingCount"], 2);
    for wrong in ["501", "-1", "x", "0.5"] {
        let path = format!("/api/operator-updates/review?limit={wrong}");
        assert_eq!(yard.owner.get(&path).await.status, 400, "{wrong}");
    }
    let refused = yard.operator.get("/api/operator-updates/review").await;
    assert_eq!(refused.status, 403);
}

#[tokio::test]
async fn one_given_to_its_machine_takes_effect() {
    let yard = Yard::new().await;
    let update = yard.report(&yard.truck, 9.0).await;
    let before = yard.machine(&yard.truck).await;
    // Not of this company, or no machine at all.
    for (body, status) in [
        (json!({}), 400),
        (json!({"equipmentId": 1}), 400),
        (
            json!({"equipmentId": "01890000-0000-7000-8000-000000000000"}),
            404,
        ),
    ] {
        let refused = yard.decide(&update, "move", body.clone()).await;
        assert!([status, 404].contains(&refused.status.as_u16()), "{body}");
    }
    assert_eq!(yard.review().await["updates"][0], update);
    let pump = json!({
        "name": "Pump", "type": "machinery", "unit": "hours", "currentUsage": 8,
    });
    let pump = id(&yard.owner.post_as("/api/equipment", pump).await.expect(201));
    let moved = yard
        .decide(&update, "move", json!({"equipmentId": pump}))
        .await;
    let moved = moved.expect(200);
    let told = [
        "equipmentId",
        "equipmentName",
        "reportedEquipmentName",
        "status",
        "appliedUsage",
    ];
    assert_eq!(
        json!(told.map(|name| &moved[name])),
        json!([pump, "Pump", "Truck", "applied", 9])
    );
    assert_eq!(yard.machine(&pump).await["meterReading"], 9);
    assert_eq!(yard.machine(&yard.truck).await, before);
    // Applied, it stays where it is.
    let again = yard
        .decide(&moved, "move", json!({"equipmentId": yard.crane}))
        .await;
    assert_eq!(again.status, 409, "{}", again.text());
}

#[tokio::test]
async fn a_low_reading_may_be_that_of_a_new_meter() {
    let yard = Yard::new().await;
    let update = yard.report(&yard.truck, 9.0).await;
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
        let refused = yard
            .decide(&update, "apply", body.clone())
            .await
            .expect(400);
        assert!(refused["fields"][field].is_string(), "{body}: {refused}");
    }
    assert_eq!(yard.machine(&yard.truck).await["meterReading"], 100);
    let fitted = json!({"kind": "replaced", "finalReading": 104, "startReading": 1});
    let applied = yard
        .decide(&update, "apply", json!({"meterReplacement": fitted}))
        .await;
    let applied = applied.expect(200);
    let told = [
        "status",
        "previousUsage",
        "appliedUsage",
        "applying",
        "late",
    ];
    assert_eq!(
        json!(told.map(|name| &applied[name])),
        json!(["applied", 100, 9, false, false])
    );
    let row = yard.machine(&yard.truck).await;
    assert_eq!(
        json!([row["currentUsage"], row["meterReading"]]),
        json!([112, 9])
    );
    let meters = format!("/api/equipment/{}/meters", yard.truck);
    let meters = yard.owner.get(&meters).await.expect(200);
    assert_eq!(meters.as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn many_are_seen_at_once() {
    let yard = Yard::new().await;
    let settings = json!({"autoApplyUpdates": true});
    let saved = yard.owner.post_as("/api/company-settings", settings).await;
    assert_eq!(saved.status, 200, "{}", saved.text());
    let (one, other) = (
        yard.report(&yard.crane, 101.0).await,
        yard.report(&yard.truck, 102.0).await,
    );
    let unknown = "01890000-0000-7000-8000-000000000000";
    let path = "/api/operator-updates/acknowledge";
    let body = json!({"ids": [one["id"], unknown, other["id"]]});
    let refused = yard.operator.post_as(path, body.clone()).await;
    assert_eq!(refused.status, 403);
    for wrong in [
        json!({}),
        json!({"ids": []}),
        json!({"ids": "x"}),
        json!({"ids": [1]}),
        json!({"ids": [""]}),
    ] {
        let refused = yard.owner.post_as(path, wrong.clone()).await;
        assert_eq!(refused.status, 400, "{wrong}: {}", refused.text());
    }
    let seen = yard.owner.post_as(path, body).await.expect(200);
    let told = |row: &Value| json!([row["id"], row["ok"]]);
    let told: Vec<Value> = seen.as_array().expect("a list").iter().map(told).collect();
    let expected = json!([[one["id"], true], [unknown, false], [other["id"], true]]);
    assert_eq!(json!(told), expected);
    assert_eq!(seen[0]["message"], Value::Null);
    assert!(seen[1]["message"].is_string());
    let list = yard.owner.get("/api/operator-updates").await.expect(200);
    for row in list.as_array().expect("a list") {
        assert_eq!(
            [&row["status"], &row["reviewedBy"]],
            ["applied", "Olivia Owner"]
        );
    }
}
