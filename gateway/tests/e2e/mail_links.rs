//! Mailed links, from the request to their use.

use std::time::Duration;

use axum::body::Body;
use chrono::TimeDelta;
use hourmeter_proto::notifications::v1::{
    GetDigestScheduleRequest, GetDigestScheduleResponse, GetSettingsRequest, GetSettingsResponse,
    ListSandboxMailRequest, ListSandboxMailResponse, SendAddressVerificationRequest,
    SendAddressVerificationResponse, SendDigestRequest, SendDigestResponse, SetSettingsRequest,
    SetSettingsResponse, Settings,
};
use hourmeter_runtime::client::REQUEST_BROWSER;
use http::{Method, header};
use serde_json::json;

use crate::notifications::call;
use crate::product::{Browser, PASSWORD, Product, Reply, id};

/// Waits for mail with this subject and returns the secret of its link.
async fn mailed(owner: &Browser, subject: &str) -> String {
    let plain = mailed_text(owner, subject).await;
    let (_, rest) = plain.split_once('#').expect("a link");
    rest.split_whitespace().next().expect("a secret").to_owned()
}

async fn mailed_text(owner: &Browser, subject: &str) -> String {
    for _ in 0..200 {
        let request = ListSandboxMailRequest {};
        let listed: ListSandboxMailResponse =
            call(owner, "NotificationsService/ListSandboxMail", request).await;
        if let Some(mail) = listed.mail.iter().find(|mail| mail.subject == subject) {
            return mail.plain.clone();
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("no mail with the subject {subject}");
}

async fn request_recovery(visitor: &Browser, name: &str) {
    let body = json!({"emailOrBusinessName": name});
    let reply = visitor.post_as("/api/auth/recovery-link", body).await;
    assert_eq!(reply.status, 204, "{}", reply.text());
}

#[tokio::test]
async fn mailed_links_verify_an_address_and_recover_a_password() {
    const NEW: &str = "quarry-road-52";
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let (visitor, email) = (product.visitor(), "owner@acme.example");
    request_recovery(&visitor, email).await;

    let request = SendAddressVerificationRequest {};
    let sent: SendAddressVerificationResponse = call(
        &owner,
        "NotificationsService/SendAddressVerification",
        request,
    )
    .await;
    assert!(sent.sandbox);
    let secret = mailed(&owner, "Verify your email for Hourmeter").await;
    let body = json!({ "secret": secret });
    let reply = visitor.post_as("/api/auth/verify-email", body).await;
    assert_eq!(reply.expect(200)["email"], email);

    request_recovery(&visitor, "nobody@example.com").await;
    request_recovery(&visitor, email).await;
    let secret = mailed(&owner, "Set a new Hourmeter password").await;
    let body = json!({"secret": secret, "newPassword": NEW});
    let reply = visitor
        .post_as("/api/auth/new-password", body.clone())
        .await;
    assert_eq!(reply.status, 204, "{}", reply.text());
    assert_eq!(owner.get("/api/auth/user").await.status, 401);
    let again = visitor.post_as("/api/auth/new-password", body).await;
    assert_eq!(again.status, 404);

    for (password, status) in [(PASSWORD, 401), (NEW, 200)] {
        let mut browser = product.visitor();
        let body = json!({"emailOrBusinessName": email, "password": password});
        let reply = browser.post("/api/auth/login", body).await;
        assert_eq!(reply.status, status, "{}", reply.text());
    }
}

#[tokio::test]
async fn changed_password_is_mailed_with_the_browser() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let request = SendAddressVerificationRequest {};
    let _: SendAddressVerificationResponse = call(
        &owner,
        "NotificationsService/SendAddressVerification",
        request,
    )
    .await;
    let secret = mailed(&owner, "Verify your email for Hourmeter").await;
    let body = json!({ "secret": secret });
    let reply = owner.post_as("/api/auth/verify-email", body).await;
    reply.expect(200);
    let body = json!({"currentPassword": PASSWORD, "newPassword": "quarry-road-52"});
    let path = "/api/user/change-password";
    let mut request = owner.request(Method::PATCH, path, Some(body));
    let agent = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";
    let headers = request.headers_mut();
    headers.insert(header::USER_AGENT, agent.parse().expect("a text"));
    // Only the gateway names the browser.
    let forged = "Forged, Browser".parse().expect("a text");
    headers.insert(REQUEST_BROWSER, forged);
    let changed = owner.send(request).await;
    assert_eq!(changed.status, 204, "{}", changed.text());
    let mut owner = product.visitor();
    let body = json!({"emailOrBusinessName": "Acme", "password": "quarry-road-52"});
    let reply = owner.post("/api/auth/login", body).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let text = mailed_text(&owner, "Your Hourmeter password was changed").await;
    assert!(text.contains("From: Firefox, Linux\n"), "{text}");
}

#[tokio::test]
async fn digest_is_mailed_and_ends_with_one_post() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let visitor = product.visitor();
    let operator = product.operator_of(&owner).await;
    let machine = id(&owner.machine("Crane").await);
    product
        .clock
        .set(product.clock.now() + TimeDelta::seconds(1));
    let below = json!({"equipmentId": machine, "newUsage": 1});
    operator
        .post_as("/api/operator-updates", below)
        .await
        .expect(201);
    let request = SendAddressVerificationRequest {};
    let _: SendAddressVerificationResponse = call(
        &owner,
        "NotificationsService/SendAddressVerification",
        request,
    )
    .await;
    let secret = mailed(&owner, "Verify your email for Hourmeter").await;
    let body = json!({ "secret": secret });
    visitor
        .post_as("/api/auth/verify-email", body)
        .await
        .expect(200);

    let send = SendDigestRequest {};
    let _: SendDigestResponse = call(&owner, "DigestService/SendDigest", send).await;
    let text = mailed_text(&owner, "Hourmeter: 1 to review").await;
    assert!(text.contains("- 1 report, 1 flagged"), "{text}");
    let (_, key) = text.rsplit_once("/unsubscribe#").expect("a link");
    let path = format!("/api/unsubscribe/{}", key.trim());
    let page = visitor.get(&path).await;
    assert_eq!(page.status, 303);
    let to = format!("/unsubscribe#{}", key.trim());
    assert_eq!(page.header("location"), to);
    assert_eq!(weekdays(&owner).await, [1, 2, 3, 4, 5]);

    // As a mail program: a form, and no CSRF header.
    let ended = post_form(&visitor, &path, "List-Unsubscribe=One-Click").await;
    assert_eq!(ended.status, 204, "{}", ended.text());
    assert!(weekdays(&owner).await.is_empty());

    let settings = Settings {
        flagged_mail: true,
        ..Settings::default()
    };
    let request = SetSettingsRequest {
        settings: Some(settings),
    };
    let _: SetSettingsResponse = call(&owner, "SettingsService/SetSettings", request).await;
    let flagged = format!("{path}?mail=flagged");
    let page = visitor.get(&flagged).await;
    let to = format!("/unsubscribe?mail=flagged#{}", key.trim());
    assert_eq!(page.header("location"), to);
    let ended = post_form(&visitor, &flagged, "List-Unsubscribe=One-Click").await;
    assert_eq!(ended.status, 204, "{}", ended.text());
    let request = GetSettingsRequest {};
    let found: GetSettingsResponse = call(&owner, "SettingsService/GetSettings", request).await;
    assert!(!found.settings.expect("settings").flagged_mail);
    let other = post_form(&visitor, &format!("{path}?mail=other"), "").await;
    assert_eq!(other.status, 400);
    let other = visitor.get(&format!("{path}?mail=other")).await;
    assert_eq!(other.status, 400);
    let malformed = visitor.get("/api/unsubscribe/x?mail=other").await;
    assert_eq!(malformed.status, 404, "the key is checked before the query");

    let unknown = "/api/unsubscribe/01890000-0000-7000-8000-000000000000";
    let unknown = post_form(&visitor, unknown, "List-Unsubscribe=One-Click").await;
    assert_eq!(unknown.status, 404);
    let wrong = post_form(&visitor, "/api/auth/verify-email", "secret=x").await;
    assert_eq!(wrong.status, 403);
}

/// Without the header that pages of the product send.
async fn post_form(visitor: &Browser, path: &str, body: &'static str) -> Reply {
    let mut request = visitor.request(Method::POST, path, None);
    let form = "application/x-www-form-urlencoded".parse().expect("a type");
    request.headers_mut().insert(header::CONTENT_TYPE, form);
    for name in ["x-requested-with", "origin", "sec-fetch-site"] {
        request.headers_mut().remove(name);
    }
    *request.body_mut() = Body::from(body);
    visitor.send(request).await
}

async fn weekdays(owner: &Browser) -> Vec<u32> {
    let request = GetDigestScheduleRequest {};
    let found: GetDigestScheduleResponse =
        call(owner, "DigestService/GetDigestSchedule", request).await;
    found.schedule.expect("a schedule").weekdays
}
