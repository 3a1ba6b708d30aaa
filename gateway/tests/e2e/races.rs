//! Concurrent requests.

use futures::future::join_all;
use serde_json::json;

use crate::product::{Product, id};

#[tokio::test]
async fn concurrent_creations_keep_the_equipment_limit() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    for n in 0..14 {
        owner.machine(&format!("Machine {n}")).await;
    }
    let creations = (0..6).map(|n| {
        let body = json!({"name": format!("Last {n}"), "type": "tools", "unit": "n/a"});
        let owner = &owner;
        async move { owner.post_as("/api/equipment", body).await }
    });
    let replies = join_all(creations).await;
    let created = replies.iter().filter(|reply| reply.status == 201).count();
    assert_eq!(created, 1);
    for reply in replies.iter().filter(|reply| reply.status != 201) {
        assert_eq!(reply.error(403), "EQUIPMENT_LIMIT_REACHED");
    }
    let count = owner.get("/api/equipment/count").await.expect(200);
    assert_eq!(count, json!({"count": 15, "limit": 15}));
}

#[tokio::test]
async fn concurrent_applies_take_effect_once() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let machine = owner.machine("A").await;
    let operator = product.operator_of(&owner).await;
    let report = json!({"equipmentId": machine["id"], "newUsage": 150, "fuelAdded": 10});
    let update = operator
        .post_as("/api/operator-updates", report)
        .await
        .expect(201);
    let path = format!("/api/operator-updates/{}/apply", id(&update));
    let replies = join_all((0..8).map(|_| owner.post_as(&path, json!({})))).await;
    for reply in replies {
        assert_eq!(reply.expect(200)["status"], "applied");
    }
    let row = owner.get(&format!("/api/equipment/{}", id(&machine))).await;
    let row = row.expect(200);
    assert_eq!(
        (&row["currentUsage"], &row["totalFuelUsed"]),
        (&json!(150), &json!(10))
    );
}

#[tokio::test]
async fn concurrent_usage_updates_add_up() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let machine = owner.machine("A").await;
    let path = format!("/api/equipment/{}/usage", id(&machine));
    // Few enough that the last waits less than a second, the limit, for the row.
    let replies = join_all((0..5).map(|_| owner.patch(&path, json!({"usageIncrease": 0.1}))));
    for reply in replies.await {
        assert_eq!(reply.status, 200, "{}", reply.text());
    }
    let row = owner.get(&format!("/api/equipment/{}", id(&machine))).await;
    assert_eq!(row.expect(200)["currentUsage"], 100.5);
}
