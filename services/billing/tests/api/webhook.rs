//! `ReceiveWebhook`: accepted and rejected events.

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_billing::webhook::{MAX_BODY_BYTES, sign};
use hourmeter_proto::billing::v1::{
    BillingInterval, ReceiveWebhookRequest, SubscriptionStatus, Tier,
};
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::testing::as_edge;

use crate::company::Company;
use crate::faulty::{Fault, Faulty};
use crate::support::{TestBilling, WEBHOOK_SECRET, start};

async fn post(billing: &TestBilling, body: &str, signature: String) -> Result<(), ServiceError> {
    let request = ReceiveWebhookRequest {
        body: body.as_bytes().to_vec(),
        signature,
    };
    let request = as_edge(Service::Billing, request);
    let answer = billing.client.clone().receive_webhook(request).await;
    answer
        .map(|_| ())
        .map_err(|status| ServiceError::from_status(&status))
}

/// Sends an event as the provider would.
async fn deliver(billing: &TestBilling, body: &str) -> Result<(), ServiceError> {
    let signature = sign(&WEBHOOK_SECRET.into(), body.as_bytes(), billing.clock.now());
    post(billing, body, signature).await
}

fn event(id: &str, kind: &str, customer: &str, made_at: DateTime<Utc>) -> String {
    let created = made_at.timestamp();
    format!(
        r#"{{"id":"{id}","type":"{kind}","created":{created},"livemode":false,
        "data":{{"object":{{"customer":"{customer}","status":"active"}}}}}}"#
    )
}

/// Ids of recorded events.
async fn taken(billing: &TestBilling) -> Vec<String> {
    sqlx::query_scalar(
        "SELECT id FROM stripe_events WHERE id LIKE 'test%' ORDER BY received_at, id",
    )
    .fetch_all(&mut billing.admin().await)
    .await
    .unwrap()
}

/// Details of the platform's entries about rejected events.
async fn refusals(billing: &TestBilling) -> Vec<String> {
    sqlx::query_scalar(
        "SELECT detail FROM audit_events
        WHERE event = 'webhook_refused' AND outcome = 'failed'
          AND company_id = '00000000-0000-0000-0000-000000000000'
        ORDER BY at, id",
    )
    .fetch_all(&mut billing.admin().await)
    .await
    .unwrap()
}

/// A company whose payment has not been reported.
async fn unreported(billing: &TestBilling) -> Company<'_> {
    let company = Company::on_trial(billing).await;
    let url = company
        .check_out(Tier::Professional, BillingInterval::Month)
        .await;
    company.pay_without_event(&url.unwrap()).await;
    company
}

async fn is_paid(company: &Company<'_>) -> bool {
    let subscription = company.subscription().await;
    subscription.entitlements.unwrap().status() == SubscriptionStatus::Active
}

#[tokio::test]
async fn event_reconciles_once() {
    let faulty = std::sync::OnceLock::new();
    let billing =
        TestBilling::with_payments(|inner| faulty.get_or_init(|| Faulty::new(inner)).clone()).await;
    let provider = faulty.get().unwrap();
    let company = unreported(&billing).await;
    let customer = company.customer_id().await;
    let body = event("test_1", "checkout.session.completed", &customer, start());
    deliver(&billing, &body).await.unwrap();
    assert!(is_paid(&company).await);
    let asked = provider.count("read");
    for _ in 0..3 {
        deliver(&billing, &body).await.unwrap();
    }
    assert_eq!(provider.count("read"), asked, "a repeat causes no read");
    assert_eq!(taken(&billing).await, ["test_1"]);
    assert_eq!(company.audit_details().await, ["!subscribed"]);
}

#[tokio::test]
async fn concurrent_deliveries_count_once() {
    let billing = TestBilling::new().await;
    let company = unreported(&billing).await;
    let customer = company.customer_id().await;
    let body = event("test_1", "invoice.paid", &customer, start());
    let results = futures::future::join_all((0..5).map(|_| deliver(&billing, &body))).await;
    assert!(results.iter().any(Result::is_ok));
    assert_eq!(taken(&billing).await, ["test_1"]);
    assert_eq!(company.audit_details().await, ["!subscribed"]);
}

#[tokio::test]
async fn late_event_is_recorded_only() {
    let billing = TestBilling::new().await;
    let company = unreported(&billing).await;
    let customer = company.customer_id().await;
    let kind = "customer.subscription.updated";
    let at = |seconds| start() + TimeDelta::seconds(seconds);
    deliver(&billing, &event("test_2", kind, &customer, at(9)))
        .await
        .unwrap();
    let before = company.subscription().await;
    deliver(&billing, &event("test_1", kind, &customer, at(8)))
        .await
        .unwrap();
    deliver(&billing, &event("test_3", kind, &customer, at(9)))
        .await
        .unwrap();
    let mut ids = taken(&billing).await;
    ids.sort();
    assert_eq!(ids, ["test_1", "test_2", "test_3"]);
    assert_eq!(company.subscription().await, before);
    assert_eq!(company.audit_details().await, ["!subscribed"]);
}

#[tokio::test]
async fn event_content_is_not_trusted() {
    let billing = TestBilling::new().await;
    let company = Company::on_trial(&billing).await;
    company
        .check_out(Tier::Enterprise, BillingInterval::Year)
        .await
        .unwrap();
    let customer = company.customer_id().await;
    let body = event("test_1", "checkout.session.completed", &customer, start());
    deliver(&billing, &body).await.unwrap();
    assert!(!is_paid(&company).await);
    assert!(company.audit_details().await.is_empty());
}

#[tokio::test]
async fn unrelated_event_is_accepted() {
    let billing = TestBilling::new().await;
    let company = unreported(&billing).await;
    let customer = company.customer_id().await;
    for body in [
        event("test_1", "invoice.paid", "cus_unknown", start()),
        event("test_2", "payment_intent.created", &customer, start()),
        event("test_3", "a.new.kind", &customer, start()),
        event("test_4", "invoice.paid", "x", start()).replace("\"x\"", "null"),
    ] {
        deliver(&billing, &body).await.unwrap();
    }
    assert!(taken(&billing).await.is_empty());
    assert!(!is_paid(&company).await);
}

#[tokio::test]
async fn event_fails_while_provider_is_unavailable() {
    let faulty = std::sync::OnceLock::new();
    let billing =
        TestBilling::with_payments(|inner| faulty.get_or_init(|| Faulty::new(inner)).clone()).await;
    let company = unreported(&billing).await;
    let customer = company.customer_id().await;
    let body = event("test_1", "invoice.paid", &customer, start());
    faulty.get().unwrap().fail("read", Some(Fault::Before));
    let failure = deliver(&billing, &body).await.unwrap_err();
    assert_eq!(failure.kind, Kind::Provider);
    assert!(taken(&billing).await.is_empty());
    faulty.get().unwrap().fail("read", None);
    deliver(&billing, &body).await.unwrap();
    assert!(is_paid(&company).await);
}

#[tokio::test]
async fn invalid_event_is_rejected_and_logged_once_a_minute() {
    let billing = TestBilling::new().await;
    let company = unreported(&billing).await;
    let customer = company.customer_id().await;
    let good = event("test_1", "invoice.paid", &customer, start());
    let now = start();
    let by = |secret: &str, body: &str, at| sign(&secret.into(), body.as_bytes(), at);
    let live = good.replace("false", "true");
    let long = format!("{good}{}", " ".repeat(MAX_BODY_BYTES + 1 - good.len()));
    let minute = TimeDelta::seconds(60);
    let wrong = [
        (good.clone(), by("whsec_other", &good, now), "signature"),
        (
            good.clone(),
            by(
                WEBHOOK_SECRET,
                &good,
                now + minute - TimeDelta::seconds(301),
            ),
            "stale",
        ),
        (live.clone(), by(WEBHOOK_SECRET, &live, now), "livemode"),
        ("{}".to_owned(), by(WEBHOOK_SECRET, "{}", now), "form"),
        (long.clone(), by(WEBHOOK_SECRET, &long, now), "form"),
        (good.clone(), String::new(), "signature"),
    ];
    let mut words = Vec::new();
    for (round, (body, signature, word)) in wrong.iter().enumerate() {
        billing
            .clock
            .set(now + minute * i32::try_from(round).unwrap());
        for _ in 0..3 {
            let refused = post(&billing, body, signature.clone()).await.unwrap_err();
            assert_eq!(refused.kind, Kind::Invalid, "{word}");
        }
        words.push((*word).to_owned());
        assert_eq!(refusals(&billing).await, words);
    }
    billing
        .clock
        .set(billing.clock.now() + minute - TimeDelta::seconds(1));
    post(&billing, "{}", String::new()).await.unwrap_err();
    assert_eq!(refusals(&billing).await, words, "at most once a minute");
    assert!(taken(&billing).await.is_empty() && !is_paid(&company).await);
}
