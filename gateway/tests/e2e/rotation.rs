//! The daily token rotation of remembered sessions, over REST and grpc-web.

use crate::grpc_web;
use crate::product::{Browser, PASSWORD, Product};
use serde_json::json;

async fn remembered(product: &Product) -> Browser {
    let mut owner = product.owner("Acme").await;
    let login = json!({"emailOrBusinessName": "Acme", "password": PASSWORD, "rememberMe": true});
    owner.post("/api/auth/login", login).await.expect(200);
    owner
}

/// Moves the token age of all sessions by a day.
async fn age_tokens_by_a_day(product: &Product) {
    let statement = "UPDATE sessions SET token_at = token_at - interval '25 hours', \
        absolute_expires = absolute_expires - interval '25 hours', next_sid = NULL, next_at = NULL";
    product.in_accounts(statement).await;
}

/// The rest of 30 days after 25 hours.
fn assert_renewed(cookie: &str) {
    let seconds = cookie.rsplit_once("; Max-Age=").expect("lasting").1;
    let seconds: u32 = seconds.parse().expect("a number");
    let left = 30 * 86_400 - 25 * 3600;
    assert!((left - 60..=left).contains(&seconds), "{cookie}");
    for part in ["; Path=/", "; HttpOnly", "; SameSite=Strict", "; Secure"] {
        assert!(cookie.contains(part), "{cookie}");
    }
}

#[tokio::test]
async fn daily_token_is_set_over_rest_and_grpc_web() {
    let product = Product::new().await;
    let mut owner = remembered(&product).await;
    assert_eq!(owner.get("/api/auth/user").await.header("set-cookie"), "");
    for rest in [true, false] {
        age_tokens_by_a_day(&product).await;
        let before = owner.clone();
        let reply = if rest {
            owner.get("/api/nothing-here").await
        } else {
            let request = grpc_web::request(&owner, grpc_web::USER, &[]);
            owner.send(request).await
        };
        if rest {
            assert_eq!(reply.status, 404);
            assert_renewed(reply.header("set-cookie"));
        } else {
            assert!(reply.header("set-cookie").starts_with("__Host-sid="));
        }
        owner.keep_cookie(&reply);
        assert_ne!(owner.cookie, before.cookie);
        let next = owner.get("/api/auth/user").await;
        assert_eq!((next.status.as_u16(), next.header("set-cookie")), (200, ""));
        // A request in flight with the old token still works.
        assert_eq!(before.get("/api/auth/user").await.status, 200);
    }
}

#[tokio::test]
async fn response_with_its_own_session_cookie_gets_no_second_one() {
    let product = Product::new().await;
    let mut owner = remembered(&product).await;
    age_tokens_by_a_day(&product).await;
    let confirmed = owner
        .post("/api/auth/reauth", json!({"password": PASSWORD}))
        .await;
    assert_eq!(confirmed.status, 204);
    assert_eq!(confirmed.headers.get_all("set-cookie").iter().count(), 1);
    assert_eq!(owner.get("/api/auth/user").await.status, 200);
    age_tokens_by_a_day(&product).await;
    let out = owner.post("/api/auth/logout", json!({})).await;
    assert_eq!(out.headers.get_all("set-cookie").iter().count(), 1);
    assert!(out.header("set-cookie").contains("Max-Age=0"));
    assert_eq!(owner.cookie, None);
}
