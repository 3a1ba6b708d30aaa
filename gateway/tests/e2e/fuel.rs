//! Fuel figures.

use http::Method;
use serde_json::{Value, json};

use crate::product::{Browser, Product, id, masked};

async fn fill(owner: &Browser, machine: &Value, increase: f64, fuel: f64, kind: &str) {
    let path = format!("/api/equipment/{}/usage", id(machine));
    let usage = json!({"usageIncrease": increase, "fuelAdded": fuel, "fuelType": kind});
    owner.patch(&path, usage).await.expect(200);
}

#[tokio::test]
async fn summary_requires_a_premium_plan() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let refused = owner.get("/api/fuel/summary").await;
    assert_eq!(refused.error(403), "FEATURE_NOT_IN_PLAN");
    // Entries and resets are not premium.
    assert_eq!(owner.get("/api/fuel-usage/export").await.status, 200);
    let reset = owner.call(Method::POST, "/api/fuel/reset", None).await;
    assert_eq!(reset.status, 204);
    let operator = product.professional(&product.operator_of(&owner).await);
    assert_eq!(operator.get("/api/fuel/summary").await.status, 403);
}

#[tokio::test]
async fn summary_groups_by_equipment_and_month() {
    let product = Product::new().await;
    let owner = product.professional(&product.owner("Acme").await);
    let small = owner.machine("Small").await;
    let large = owner.machine("Large").await;
    fill(&owner, &small, 1.0, 2.5, "gas").await;
    fill(&owner, &large, 10.0, 25.0, "diesel").await;
    fill(&owner, &large, 10.0, 5.0, "gas").await;
    let figures = owner.get("/api/fuel/summary").await.expect(200);
    assert_eq!(
        [&figures["total"], &figures["gas"], &figures["diesel"]],
        [&json!(32.5), &json!(7.5), &json!(25)]
    );
    let expected = json!([
        {
            "equipmentId": "<id>", "equipmentName": "Large", "total": 30, "gas": 5,
            "diesel": 25, "perUnit": 1.5, "unit": "hours", "retired": false,
            "consumption": estimate(30, 20, 1.5),
        },
        {
            "equipmentId": "<id>", "equipmentName": "Small", "total": 2.5, "gas": 2.5,
            "diesel": 0, "perUnit": 2.5, "unit": "hours", "retired": false,
            "consumption": estimate(2.5, 1, 2.5),
        },
    ]);
    assert_eq!(masked(&figures["byEquipment"]), expected);
    assert_eq!(figures["byEquipment"][0]["equipmentId"], large["id"]);
    let months = figures["byMonth"].as_array().expect("months");
    assert_eq!(months.len(), 1);
    assert_eq!(
        [&months[0]["gas"], &months[0]["diesel"]],
        [&json!(7.5), &json!(25)]
    );
    assert!(
        months[0]["month"]
            .as_str()
            .is_some_and(|month| month.len() == 7)
    );
    assert_eq!(figures["periodBeganAt"], json!(null));

    let one = format!("/api/fuel/summary?equipmentId={}", id(&small));
    assert_eq!(owner.get(&one).await.expect(200)["total"], 2.5);
    let past = owner.get("/api/fuel/summary?from=2020-01-01&to=2020-12-31");
    assert_eq!(past.await.expect(200)["total"], 0);
}

/// Consumption of a machine without full fills.
fn estimate(fuel: impl Into<Value>, usage: i32, value: f64) -> Value {
    json!({
        "value": value, "unit": "fuel_per_hour", "fuel": fuel.into(), "usage": usage,
        "estimated": true, "fills": 0, "excluded": 0, "from": null, "to": null,
        "unusualEntryIds": [],
    })
}

#[tokio::test]
async fn summary_measures_consumption_between_full_fills() {
    let product = Product::new().await;
    let owner = product.professional(&product.owner("Acme").await);
    let operator = product.operator_of(&owner).await;
    let machine = owner.machine("Truck").await;
    let unit = json!({"unit": "miles"});
    let path = format!("/api/equipment/{}", id(&machine));
    owner.patch(&path, unit).await.expect(200);
    let mut last = Value::Null;
    for reading in [200, 300, 450] {
        let later = product.clock.now() + chrono::TimeDelta::hours(1);
        product.clock.set(later);
        let report = json!({
            "equipmentId": machine["id"], "newUsage": reading, "fuelAdded": 12.5,
            "fuelType": "diesel", "fullFill": true,
        });
        let sent = operator.post_as("/api/operator-updates", report).await;
        last = sent.expect(201);
        assert_eq!(last["fullFill"], true);
        let apply = format!("/api/operator-updates/{}/apply", id(&last));
        owner.post_as(&apply, json!({})).await.expect(200);
    }
    let consumption = async || {
        let figures = owner.get("/api/fuel/summary").await.expect(200);
        figures["byEquipment"][0]["consumption"].clone()
    };
    let expected = json!({
        "value": 10, "unit": "miles_per_fuel", "fuel": 25, "usage": 250, "estimated": false,
        "fills": 2, "excluded": 0, "from": "<time>", "to": "<time>", "unusualEntryIds": [],
    });
    assert_eq!(masked(&consumption().await), expected);

    // An applied update that is corrected stays a full fill.
    let decide = async |what: &str, body: Value| {
        let path = format!("/api/operator-updates/{}/{what}", id(&last));
        owner.post_as(&path, body).await.expect(200)
    };
    assert_eq!(decide("undo", json!({})).await["status"], "pending");
    assert_eq!(consumption().await["estimated"], true);
    decide("apply", json!({"newUsage": 400})).await;
    assert_eq!(consumption().await["value"], 8);
    let history = owner.get(&format!("{path}/history")).await.expect(200);
    assert_eq!(history[0]["fullFill"], true);
    let rows = owner.get("/api/fuel-usage/export").await.expect(200);
    assert_eq!(
        [&rows[0]["fullFill"], &rows[0]["equipmentId"]],
        [&json!(true), &machine["id"]]
    );
}

#[tokio::test]
async fn reset_starts_a_period() {
    let product = Product::new().await;
    let owner = product.professional(&product.owner("Acme").await);
    let machine = owner.machine("Large").await;
    fill(&owner, &machine, 10.0, 25.0, "diesel").await;
    let later = || {
        let later = product.clock.now() + chrono::TimeDelta::minutes(5);
        product.clock.set(later);
    };
    later();
    let reset = owner.call(Method::POST, "/api/fuel/reset", None).await;
    assert_eq!(reset.status, 204, "{}", reset.text());
    let figures = owner.get("/api/fuel/summary").await.expect(200);
    assert_eq!(figures["total"], 0);
    assert!(figures["periodBeganAt"].is_string());
    let ever = owner.get("/api/fuel/summary?to=2199-12-31").await;
    assert_eq!(ever.expect(200)["total"], 25);
    later();
    fill(&owner, &machine, 10.0, 5.0, "diesel").await;
    let history = format!("/api/equipment/{}/history", id(&machine));
    let history = owner.get(&history).await.expect(200);
    assert_eq!([0, 1].map(|n| &history[n]["fuelPeriod"]), [1, 0]);
}

#[tokio::test]
async fn summary_rejects_invalid_ranges() {
    let product = Product::new().await;
    let owner = product.professional(&product.owner("Acme").await);
    for (query, field) in [
        ("from=soon", "from"),
        ("to=2026-02-30", "to"),
        ("from=1899-12-31", "from"),
    ] {
        let reply = owner.get(&format!("/api/fuel/summary?{query}")).await;
        assert!(reply.expect(400)["fields"][field].is_string(), "{query}");
    }
    for unknown in ["x", "01890000-0000-7000-8000-000000000000"] {
        let path = format!("/api/fuel/summary?equipmentId={unknown}");
        let status = owner.get(&path).await.status;
        assert!(status == 404 || status == 400, "{unknown}: {status}");
    }
    let empty = owner.get("/api/fuel/summary?from=&to=&equipmentId=").await;
    assert_eq!(empty.expect(200)["byEquipment"], json!([]));
}
