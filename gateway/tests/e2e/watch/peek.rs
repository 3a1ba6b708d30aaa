//! An open page is no use of its session, and never in the way of the daily token.

use std::time::Duration;

use hourmeter_runtime::db::connect_admin;
use serde_json::json;
use sqlx::AssertSqlSafe;
use tonic::Code;

use super::ends::{at_pace, end};
use super::{Heard, SOON};
use crate::product::{Browser, PASSWORD, Product};

const MOMENT: Duration = Duration::from_millis(200);

/// Sessions are looked at often.
async fn watchful() -> Product {
    at_pace(|pace| pace.check = MOMENT).await
}

async fn count(product: &Product, what: &str) -> i64 {
    let mut admin = connect_admin(&product.stores.accounts.admin_url)
        .await
        .expect("the test server answers");
    let query = sqlx::query_scalar(AssertSqlSafe(format!("SELECT count(*) FROM {what}")));
    query.fetch_one(&mut admin).await.expect("a number")
}

/// Nothing has been used for two hours, but for this.
async fn nearly_idle(product: &Product, left: &str) {
    let statement = format!(
        "UPDATE sessions SET last_seen = now() + interval '{left}' - idle, \
         expire = now() + interval '{left}'"
    );
    product.in_accounts(&statement).await;
}

/// Watches as a page does, which comes again whenever a stream has had its time; how it ends.
async fn watch_on(browser: &Browser) -> (Code, usize) {
    for streams in 1..20 {
        let (code, _) = end(&mut browser.watch(&[]).await).await;
        if code != Code::Ok {
            return (code, streams);
        }
    }
    panic!("it goes on");
}

#[tokio::test]
async fn an_idle_tab_loses_its_session_though_it_watches() {
    let product = at_pace(|pace| {
        pace.check = MOMENT;
        // Streams soon have to come again.
        pace.life = 3 * MOMENT;
    })
    .await;
    let owner = product.owner("Acme").await;
    let mut first = owner.watching(&[]).await;
    nearly_idle(&product, "3 seconds").await;
    assert_eq!(end(&mut first).await.0, Code::Ok);
    // It goes on until the limit, over many looks and several streams, and no longer.
    let (code, streams) = watch_on(&owner).await;
    assert_eq!(code, Code::Unauthenticated);
    assert!(streams > 1, "{streams}");
    assert_eq!(owner.get("/api/auth/user").await.status, 401);
}

#[tokio::test]
async fn whoever_uses_it_keeps_the_session_while_watching() {
    let product = watchful().await;
    let owner = product.owner("Acme").await;
    let mut watching = owner.watching(&[]).await;
    nearly_idle(&product, "3 seconds").await;
    owner.get("/api/auth/user").await.expect(200);
    assert!(watching.within(4 * SOON).await.is_none());
    owner.get("/api/auth/user").await.expect(200);
}

#[tokio::test]
async fn a_stream_stays_over_the_daily_token_and_takes_none() {
    let product = watchful().await;
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
    // Neither beginning nor going on has the next token prepared.
    let mut watching = owner.watching(&[]).await;
    assert!(!watching.headers.contains_key("set-cookie"));
    assert!(watching.within(3 * MOMENT).await.is_none());
    let prepared = "sessions WHERE next_sid IS NOT NULL";
    assert_eq!(count(&product, prepared).await, 0);

    let old = owner.clone();
    let reply = owner.get("/api/auth/user").await;
    owner.keep_cookie(&reply);
    assert_ne!(owner.cookie, old.cookie);
    // Nor is the prepared one taken up.
    owner.watching(&[]).await;
    assert_eq!(count(&product, prepared).await, 1);
    owner.get("/api/auth/user").await.expect(200);
    assert_eq!(count(&product, prepared).await, 0);
    assert!(watching.within(3 * MOMENT).await.is_none());

    // Once the old one is no longer good, the stream that came with it ends, and nothing else.
    product
        .in_accounts("UPDATE retired_tokens SET valid_until = now() - interval '1 second'")
        .await;
    assert_eq!(end(&mut watching).await.0, Code::Unauthenticated);
    let late = old.watch(&[]).await.next().await;
    assert_eq!(late, Heard::End(Code::Unauthenticated));
    owner.get("/api/auth/user").await.expect(200);
    owner.watching(&[]).await;
    let alarm = "audit_events WHERE event = 'session_reused'";
    assert_eq!(count(&product, alarm).await, 0);
}
