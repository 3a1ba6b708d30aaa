//! Streams read the session without extending it or rotating its token.

use std::time::Duration;

use hourmeter_runtime::db::connect_admin;
use serde_json::json;
use sqlx::AssertSqlSafe;
use tonic::Code;

use super::ends::{end, with_timing};
use super::{Received, SOON};
use crate::product::{Browser, PASSWORD, Product};

const MOMENT: Duration = Duration::from_millis(200);

/// With frequent session checks.
async fn with_frequent_checks() -> Product {
    with_timing(|timing| timing.check = MOMENT).await
}

async fn count(product: &Product, what: &str) -> i64 {
    let mut admin = connect_admin(&product.stores.accounts.admin_url)
        .await
        .expect("the test server answers");
    let query = sqlx::query_scalar(AssertSqlSafe(format!("SELECT count(*) FROM {what}")));
    query.fetch_one(&mut admin).await.expect("a number")
}

/// All sessions are idle, with this time left.
async fn nearly_idle(product: &Product, left: &str) {
    let statement = format!(
        "UPDATE sessions SET last_seen = now() + interval '{left}' - idle, \
         expire = now() + interval '{left}'"
    );
    product.in_accounts(&statement).await;
}

/// Watches as the client does, which reconnects when a stream ends regularly. Returns the code of
/// the end and the number of streams.
async fn watch_until_end(browser: &Browser) -> (Code, usize) {
    for streams in 1..20 {
        let (code, _) = end(&mut browser.watch(&[]).await).await;
        if code != Code::Ok {
            return (code, streams);
        }
    }
    panic!("streams continue");
}

#[tokio::test]
async fn watching_does_not_extend_the_session() {
    let product = with_timing(|timing| {
        timing.check = MOMENT;
        // Short streams.
        timing.max_age = 3 * MOMENT;
    })
    .await;
    let owner = product.owner("Acme").await;
    let mut first = owner.watching(&[]).await;
    nearly_idle(&product, "3 seconds").await;
    assert_eq!(end(&mut first).await.0, Code::Ok);
    // Streams continue until the idle limit, over many checks and several streams.
    let (code, streams) = watch_until_end(&owner).await;
    assert_eq!(code, Code::Unauthenticated);
    assert!(streams > 1, "{streams}");
    assert_eq!(owner.get("/api/auth/user").await.status, 401);
}

#[tokio::test]
async fn other_requests_extend_the_session_of_a_stream() {
    let product = with_frequent_checks().await;
    let owner = product.owner("Acme").await;
    let mut watching = owner.watching(&[]).await;
    nearly_idle(&product, "3 seconds").await;
    owner.get("/api/auth/user").await.expect(200);
    assert!(watching.within(4 * SOON).await.is_none());
    owner.get("/api/auth/user").await.expect(200);
}

#[tokio::test]
async fn stream_survives_the_token_rotation_and_triggers_none() {
    let product = with_frequent_checks().await;
    let mut owner = product.owner("Acme").await;
    let login = json!({"emailOrBusinessName": "Acme", "password": PASSWORD, "rememberMe": true});
    owner.post("/api/auth/login", login).await.expect(200);
    product
        .in_accounts(
            "UPDATE sessions SET token_at = token_at - interval '25 hours', \
             auth_time = auth_time - interval '25 hours', \
             absolute_expires = absolute_expires - interval '25 hours'",
        )
        .await;
    // Neither the start nor a check prepares the next token.
    let mut watching = owner.watching(&[]).await;
    assert!(!watching.headers.contains_key("set-cookie"));
    assert!(watching.within(3 * MOMENT).await.is_none());
    let prepared = "sessions WHERE next_sid IS NOT NULL";
    assert_eq!(count(&product, prepared).await, 0);

    let old = owner.clone();
    let reply = owner.get("/api/auth/user").await;
    owner.keep_cookie(&reply);
    assert_ne!(owner.cookie, old.cookie);
    // The prepared token is not activated either.
    owner.watching(&[]).await;
    assert_eq!(count(&product, prepared).await, 1);
    owner.get("/api/auth/user").await.expect(200);
    assert_eq!(count(&product, prepared).await, 0);
    assert!(watching.within(3 * MOMENT).await.is_none());

    // When the old token expires, only the stream with that token ends.
    product
        .in_accounts("UPDATE retired_tokens SET valid_until = now() - interval '1 second'")
        .await;
    assert_eq!(end(&mut watching).await.0, Code::Unauthenticated);
    let late = old.watch(&[]).await.next().await;
    assert_eq!(late, Received::End(Code::Unauthenticated));
    owner.get("/api/auth/user").await.expect(200);
    owner.watching(&[]).await;
    let reuse = "audit_events WHERE event = 'session_reused'";
    assert_eq!(count(&product, reuse).await, 0);
}
