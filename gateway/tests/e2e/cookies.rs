//! Session cookies.

use chrono::TimeDelta;
use hourmeter_runtime::config::AppEnv;
use http::Method;
use serde_json::json;

use crate::product::{PASSWORD, Product, config};

#[tokio::test]
async fn cookie_is_secure_and_persistent_only_with_remember_me() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    for (remember, lasting) in [
        (json!(true), true),
        (json!(false), false),
        (json!(null), false),
    ] {
        let login =
            json!({"emailOrBusinessName": "Acme", "password": PASSWORD, "rememberMe": remember});
        let reply = product.visitor().post_as("/api/auth/login", login).await;
        assert_eq!(reply.status, 200);
        let cookie = reply.header("set-cookie");
        assert!(cookie.starts_with("__Host-sid="), "{cookie}");
        for part in ["; Path=/", "; HttpOnly", "; SameSite=Strict", "; Secure"] {
            assert!(cookie.contains(part), "{cookie}");
        }
        assert!(!cookie.contains("Domain"), "{cookie}");
        assert_eq!(cookie.contains("; Max-Age=2592000"), lasting, "{cookie}");
    }
    assert_eq!(owner.get("/api/auth/user").await.status, 200);
}

#[tokio::test]
async fn malformed_cookies_are_rejected() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let other = product.owner("Beta").await;
    let (good, second) = (
        owner.cookie.clone().expect("one"),
        other.cookie.expect("one"),
    );
    for cookie in [
        format!("{good}; {second}"),
        format!("{good}; {good}"),
        format!("{good}x"),
        good.replace("__Host-sid", "sid"),
        "__Host-sid=".to_owned(),
        format!("__Host-sid={}", "A".repeat(43)),
        format!("__Host-sid={}", "'".repeat(43)),
    ] {
        let mut browser = owner.clone();
        browser.cookie = Some(cookie.clone());
        assert_eq!(browser.get("/api/auth/user").await.status, 401, "{cookie}");
        assert_eq!(browser.get("/api/plans").await.status, 200, "{cookie}");
    }
    let mut among_others = owner.clone();
    among_others.cookie = Some(format!("theme=dark; {good}; lang=es"));
    assert_eq!(among_others.get("/api/auth/user").await.status, 200);
}

#[tokio::test]
async fn sign_in_and_reauth_change_the_token() {
    let product = Product::new().await;
    let mut owner = product.owner("Acme").await;
    let first = owner.clone();
    let login = json!({"emailOrBusinessName": "Acme", "password": PASSWORD});
    owner.post("/api/auth/login", login).await.expect(200);
    assert_ne!(owner.cookie, first.cookie);
    assert_eq!(first.get("/api/auth/user").await.status, 401);

    let second = owner.clone();
    let wrong = owner
        .post_as("/api/auth/reauth", json!({"password": "wrong-one"}))
        .await;
    assert_eq!(wrong.status, 401);
    assert_eq!(second.get("/api/auth/user").await.status, 200);
    let right = owner
        .post("/api/auth/reauth", json!({"password": PASSWORD}))
        .await;
    assert_eq!((right.status.as_u16(), right.body.len()), (204, 0));
    assert_ne!(owner.cookie, second.cookie);
    assert_eq!(second.get("/api/auth/user").await.status, 401);
    assert_eq!(owner.get("/api/auth/user").await.status, 200);
}

#[tokio::test]
async fn sensitive_calls_require_a_recent_sign_in() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    product
        .clock
        .set(product.clock.now() + TimeDelta::minutes(31));
    for (path, body) in [
        (
            "/api/auth/setup-security-questions",
            json!({"securityQuestion1": "x"}),
        ),
        (
            "/api/company-settings",
            json!({"masterPassword": "another-one-8"}),
        ),
        ("/api/company-settings", json!({"companyName": "Other"})),
    ] {
        let reply = owner.post_as(path, body).await;
        assert_eq!(reply.error(403), "REAUTH_REQUIRED", "{path}");
        assert_eq!(reply.json()["message"], "Please confirm your password.");
    }
    let change = json!({"timeZone": "Europe/Madrid"});
    assert_eq!(
        owner.post_as("/api/company-settings", change).await.status,
        200
    );
}

#[tokio::test]
async fn logout_by_link_requires_the_csrf_header() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let mut link = owner.request(Method::GET, "/api/logout", None);
    link.headers_mut().remove("x-requested-with");
    let reply = owner.send(link).await;
    assert_eq!(
        (reply.status.as_u16(), reply.header("location")),
        (303, "/")
    );
    assert_eq!(owner.get("/api/auth/user").await.status, 200);
    let reply = owner.get("/api/logout").await;
    assert_eq!(reply.status, 204);
    assert_eq!(reply.header("clear-site-data"), "\"cache\"");
    let cookie = reply.header("set-cookie");
    assert!(
        cookie.starts_with("__Host-sid=;") && cookie.contains("Max-Age=0"),
        "{cookie}"
    );
    assert_eq!(owner.get("/api/auth/user").await.status, 401);
    // The same without a session.
    assert_eq!(product.visitor().get("/api/logout").await.status, 204);
    let owner_link = product.visitor().get("/api/login/owner").await;
    let target = owner_link.header("location");
    assert_eq!((owner_link.status.as_u16(), target), (302, "/login"));
}

#[tokio::test]
async fn cookie_has_no_prefix_without_tls() {
    for origin in [None, Some("http://192.168.0.5:8080".to_owned())] {
        let mut settings = config();
        settings.env = AppEnv::Development;
        settings.rate_limits = true;
        settings.public_origin.clone_from(&origin);
        let product = Product::with(settings).await;
        let visitor = product.visitor();
        let body = json!({"businessName": "Acme", "email": "a@b.example", "password": PASSWORD});
        let mut request = visitor.request(Method::POST, "/api/auth/signup", Some(body));
        if let Some(origin) = origin {
            let origin = origin.parse().expect("a value");
            request.headers_mut().insert("origin", origin);
        }
        let reply = visitor.send(request).await;
        assert_eq!(reply.status, 201, "{}", reply.text());
        let cookie = reply.header("set-cookie");
        assert!(
            cookie.starts_with("sid=") && !cookie.contains("Secure"),
            "{cookie}"
        );
    }
}
