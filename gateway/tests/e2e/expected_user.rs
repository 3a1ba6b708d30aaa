//! Updates that a phone stored for one person are never sent as another.

use http::{HeaderValue, Method};
use serde_json::{Value, json};

use crate::product::{Browser, Product, Reply, id};

const PATH: &str = "/api/operator-updates";

async fn report(by: &Browser, machine: &str, reading: f64, expected: &str) -> Reply {
    let body =
        json!({"equipmentId": machine, "newUsage": reading, "clientId": reading.to_string()});
    let mut request = by.request(Method::POST, PATH, Some(body));
    let expected = HeaderValue::from_str(expected).expect("a header");
    request.headers_mut().insert("x-expected-user", expected);
    by.send(request).await
}

async fn user_id(of: &Browser) -> String {
    id(&of.get("/api/auth/user").await.expect(200))
}

#[tokio::test]
async fn submit_for_another_person_is_rejected() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let machine = id(&owner.machine("Crane").await);
    let (maria, luis) = (
        product.operator_of(&owner).await,
        product.operator_of(&owner).await,
    );
    let (hers, his) = (user_id(&maria).await, user_id(&luis).await);

    for other in [hers.as_str(), "nobody", "", &almost(&hers)] {
        let refused = report(&luis, &machine, 10.0, other).await;
        assert_eq!(refused.expect(409)["code"], "OTHER_PERSON", "{other:?}");
    }
    let none: Value = owner.get(PATH).await.expect(200);
    assert_eq!(none, json!([]));

    let stored = report(&luis, &machine, 10.0, &his).await.expect(201);
    assert_eq!(stored["operatorId"], his.as_str());
    let capitals = report(&luis, &machine, 11.0, &his.to_uppercase()).await;
    capitals.expect(201);
}

#[tokio::test]
async fn submit_without_session_is_unauthenticated() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let machine = id(&owner.machine("Crane").await);
    let maria = product.operator_of(&owner).await;
    let hers = user_id(&maria).await;
    let signed_out = maria.signed_out();
    report(&signed_out, &machine, 10.0, &hers).await.expect(401);
}

/// An id that differs in its last digit.
fn almost(id: &str) -> String {
    let last = if id.ends_with('0') { '1' } else { '0' };
    format!("{}{last}", &id[..id.len() - 1])
}
