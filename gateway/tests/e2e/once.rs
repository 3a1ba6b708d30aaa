//! `Idempotency-Key` in the public API.

use http::Method;
use serde_json::{Value, json};

use crate::product::{Browser, Product, Reply, id};

async fn send(browser: &Browser, path: &str, key: &str, body: Value) -> Reply {
    let mut request = browser.request(Method::POST, path, Some(body));
    let key = key.parse().expect("a value");
    request.headers_mut().insert("idempotency-key", key);
    browser.send(request).await
}

#[tokio::test]
async fn create_employee_is_idempotent() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    for (key, body) in [
        ("k1", json!({"firstName": "Li", "lastName": "Wu"})),
        (
            "k2",
            json!({
                "role": "manager", "firstName": "Mo", "lastName": "Meier",
                "email": "mo@x.example",
            }),
        ),
    ] {
        let path = "/api/employees";
        let first = send(&owner, path, key, body.clone()).await.expect(201);
        let again = send(&owner, path, key, body.clone()).await.expect(201);
        assert_eq!(first, again);
        let mut other = body;
        other["lastName"] = json!("Other");
        let reused = send(&owner, path, key, other).await;
        assert_eq!(reused.error(422), "IDEMPOTENCY_KEY_REUSED");
    }
    let people = owner.get("/api/employees").await.expect(200);
    assert_eq!(people.as_array().map(Vec::len), Some(3));
}

#[tokio::test]
async fn submit_update_is_idempotent() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let machine = id(&owner.machine("Digger").await);
    let operator = product.operator_of(&owner).await;
    let path = "/api/operator-updates";
    let body = json!({"equipmentId": machine, "newUsage": 120, "fuelAdded": 3});
    let first = send(&operator, path, "k", body.clone()).await;
    let again = send(&operator, path, "k", body.clone()).await;
    assert_eq!(first.expect(201), again.expect(201));
    let mut other = body.clone();
    other["newUsage"] = json!(121);
    let reused = send(&operator, path, "k", other).await;
    assert_eq!(reused.error(422), "IDEMPOTENCY_KEY_REUSED");
    // A repeat returns the current update, even if the equipment is gone.
    let update = id(&first.json());
    let reject = format!("/api/operator-updates/{update}/reject");
    owner
        .post_as(&reject, json!({"reason": "Wrong machine"}))
        .await
        .expect(200);
    let gone = owner.delete(&format!("/api/equipment/{machine}")).await;
    assert!(gone.status.is_success(), "{}", gone.text());
    let late = send(&operator, path, "k", body).await.expect(201);
    assert_eq!((id(&late), &late["status"]), (update, &json!("rejected")));
    let all = owner.get(path).await.expect(200);
    assert_eq!(all.as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn move_clock_is_idempotent() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let path = "/api/sandbox/clock";
    let body = json!({"advanceDays": 3});
    let first = send(&owner, path, "k", body.clone()).await.expect(200);
    let again = send(&owner, path, "k", body.clone()).await.expect(200);
    assert_eq!(first, again);
    let reused = send(&owner, path, "k", json!({"advanceDays": 4})).await;
    assert_eq!(reused.error(422), "IDEMPOTENCY_KEY_REUSED");
    let moved = send(&owner, path, "l", body).await.expect(200);
    assert_ne!(first, moved);
}
