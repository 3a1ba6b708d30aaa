//! Meters over REST: the list, replacing one, and the meters of a machine.

use serde_json::{Value, json};

use crate::product::{Browser, Product, id, masked};

/// A company with an excavator at 100 hours, and its path.
async fn yard() -> (Product, Browser, String) {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let machine = owner.machine("Excavator 320").await;
    let path = format!("/api/equipment/{}", id(&machine));
    (product, owner, path)
}

async fn replace(owner: &Browser, path: &str, body: Value) -> Value {
    let reply = owner.post_as(&format!("{path}/replace-meter"), body).await;
    reply.expect(200)
}

/// Usage and reading of a row.
fn scales(row: &Value) -> Value {
    json!([
        row["currentUsage"],
        row["meterReading"],
        row["nextServiceDueUsage"]
    ])
}

#[tokio::test]
async fn replace_meter_continues_usage() {
    let (_product, owner, path) = yard().await;
    let row = owner.get(&path).await.expect(200);
    assert_eq!(scales(&row), json!([100, 100, 350]));
    let body = json!({
        "kind": "replaced", "finalReading": 110.5, "startReading": 5, "reading": 7,
        "notes": "Struck by a stone", "expectedReading": 100,
    });
    let row = replace(&owner, &path, body).await;
    assert_eq!(scales(&row), json!([112.5, 7, 350]));
    let usage = json!({"meterReading": 10});
    let row = owner.patch(&format!("{path}/usage"), usage).await;
    assert_eq!(scales(&row.expect(200)), json!([115.5, 10, 350]));
    let row = owner.patch(&path, json!({"meterReading": 12.25})).await;
    assert_eq!(scales(&row.expect(200)), json!([117.75, 12.25, 350]));

    let meters = owner.get(&format!("{path}/meters")).await.expect(200);
    let expected = json!([
        {
            "number": 2, "startedAt": "<time>", "startReading": 5, "startUsage": 110.5,
            "endedAt": null, "endReading": 12.25, "endUsage": 117.75, "endedBy": null,
            "endedByName": null,
        },
        {
            "number": 1, "startedAt": "<time>", "startReading": 100, "startUsage": 100,
            "endedAt": "<time>", "endReading": 110.5, "endUsage": 110.5, "endedBy": "replaced",
            "endedByName": "Olivia Owner",
        },
    ]);
    assert_eq!(masked(&meters), expected);

    let history = owner.get(&format!("{path}/history")).await.expect(200);
    let entries = history.as_array().expect("a list").iter();
    let replaced: Vec<&Value> = entries
        .filter(|entry| !entry["meterReplacement"].is_null())
        .collect();
    assert_eq!(replaced.len(), 1, "{history}");
    let expected = json!({"kind": "replaced", "finalReading": 110.5, "startReading": 5});
    assert_eq!(replaced[0]["meterReplacement"], expected);
    let words = ["type", "noteType", "usage", "reading"].map(|name| &replaced[0][name]);
    assert_eq!(json!(words), json!(["update", "usage_update", 112.5, 7]));
}

#[tokio::test]
async fn replace_meter_continues_usage_after_rollover() {
    let (_product, owner, path) = yard().await;
    let body = json!({"kind": "rolled_over", "finalReading": 1000, "reading": 2.5});
    let row = replace(&owner, &path, body).await;
    assert_eq!(scales(&row), json!([1002.5, 2.5, 350]));
    let meters = owner.get(&format!("{path}/meters")).await.expect(200);
    assert_eq!(meters[1]["endedBy"], "rolled_over");
    // Without readings, the old meter ends at its last one and the new one begins at 0.
    let row = replace(&owner, &path, json!({"kind": "replaced"})).await;
    assert_eq!(scales(&row), json!([1002.5, 0, 350]));
    let meters = owner.get(&format!("{path}/meters")).await.expect(200);
    assert_eq!(meters.as_array().map(Vec::len), Some(3));
}

#[tokio::test]
async fn replace_meter_rejects_invalid_input() {
    let (product, owner, path) = yard().await;
    let operator = product.operator_of(&owner).await;
    let before = owner.get(&path).await.expect(200);
    let replace = format!("{path}/replace-meter");
    for (body, field) in [
        (json!({}), "kind"),
        (json!({"kind": null}), "kind"),
        (json!({"kind": "broken"}), "kind"),
        (
            json!({"kind": "replaced", "finalReading": 99.99}),
            "finalReading",
        ),
        (
            json!({"kind": "replaced", "finalReading": 100.001}),
            "finalReading",
        ),
        (
            json!({"kind": "replaced", "startReading": -1}),
            "startReading",
        ),
        (
            json!({"kind": "replaced", "startReading": "5"}),
            "startReading",
        ),
        (
            json!({"kind": "replaced", "startReading": 5, "reading": 4}),
            "reading",
        ),
        (
            json!({"kind": "rolled_over", "startReading": 1, "reading": 1}),
            "startReading",
        ),
        (
            json!({"kind": "replaced", "replacedAt": "today"}),
            "replacedAt",
        ),
        (
            json!({"kind": "replaced", "notes": "x".repeat(5001)}),
            "notes",
        ),
        (
            json!({"kind": "replaced", "expectedReading": "x"}),
            "expectedReading",
        ),
    ] {
        let refused = owner.post_as(&replace, body.clone()).await.expect(400);
        assert!(refused["fields"][field].is_string(), "{body}: {refused}");
    }
    let stale = json!({"kind": "replaced", "expectedReading": 101});
    assert_eq!(owner.post_as(&replace, stale).await.error(409), "STALE");
    let refused = operator
        .post_as(&replace, json!({"kind": "replaced"}))
        .await;
    assert_eq!(refused.status, 403);
    let both = json!({"currentUsage": 120, "meterReading": 121});
    let refused = owner.patch(&path, both).await.expect(400);
    assert!(refused["fields"]["meterReading"].is_string(), "{refused}");
    for wrong in [json!(-1), json!("1"), json!(0.001), json!(1e10)] {
        let refused = owner.patch(&path, json!({"meterReading": wrong})).await;
        let refused = refused.expect(400);
        assert!(refused["fields"]["meterReading"].is_string(), "{refused}");
    }
    assert_eq!(owner.get(&path).await.expect(200), before);
    let meters = owner.get(&format!("{path}/meters")).await.expect(200);
    assert_eq!(meters.as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn replace_meter_is_idempotent() {
    let (_product, owner, path) = yard().await;
    let send = async || {
        let body = json!({"kind": "replaced", "reading": 3});
        let path = format!("{path}/replace-meter");
        let mut request = owner.request(http::Method::POST, &path, Some(body));
        let key = "same-key".parse().expect("a value");
        request.headers_mut().insert("idempotency-key", key);
        owner.send(request).await.expect(200)
    };
    let first = send().await;
    assert_eq!(send().await, first);
    let meters = owner.get(&format!("{path}/meters")).await.expect(200);
    assert_eq!(meters.as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn list_meters_returns_all_meters() {
    let (product, owner, _) = yard().await;
    owner.machine("Crane").await;
    let operator = product.operator_of(&owner).await;
    let expected = json!({
        "equipmentId": "<id>", "name": "Crane", "type": "machinery", "serialNumber": null, "unitNumber": null,
        "unit": "hours", "fuelType": "diesel", "meterReading": 100, "meterReadAt": "<time>",
        "usualDailyUse": null, "usualFill": null, "serviceStatus": "good", "operationalStatus": "in_use",
    });
    for person in [&owner, &operator] {
        let all = person.get("/api/meters").await.expect(200);
        assert_eq!(masked(&all[0]), expected);
        assert_eq!(all[1]["name"], "Excavator 320");
        assert_eq!(all.as_array().map(Vec::len), Some(2));
    }
    let first = operator.get("/api/meters?limit=1").await;
    let cursor = first.header("x-next-cursor").to_owned();
    assert_eq!(first.expect(200)[0]["name"], "Crane");
    let path = format!("/api/meters?limit=1&cursor={cursor}");
    let rest = operator.get(&path).await.expect(200);
    assert_eq!(rest[0]["name"], "Excavator 320");
    for wrong in ["limit=x", "limit=-1", "limit=1&cursor=x"] {
        let path = format!("/api/meters?{wrong}");
        assert_eq!(operator.get(&path).await.status, 400, "{wrong}");
    }
}
