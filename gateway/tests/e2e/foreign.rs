//! Cross-site requests with a person's cookie.

use axum::body::Body;
use hourmeter_gateway::rest_routes;
use hourmeter_proto::access::policy_table;
use http::{HeaderName, Method, Request};
use serde_json::json;

use crate::grpc_web;
use crate::product::{Browser, Product, filled};

/// Makes a valid request a cross-site one.
fn cross_site(request: Request<Body>, way: usize) -> Request<Body> {
    let mut request = request;
    let headers = request.headers_mut();
    let mut set = |name: &'static str, value: &str| {
        let value = value.parse().expect("a value");
        headers.insert(HeaderName::from_static(name), value);
    };
    match way {
        0 => drop(headers.remove("x-requested-with")),
        1 => set("x-requested-with", "fetch"),
        2 => set("origin", "https://evil.example"),
        3 => set("origin", "null"),
        4 => set("origin", "http://app.example.com"),
        5 => set("sec-fetch-site", "cross-site"),
        6 => set("sec-fetch-site", "same-site"),
        _ => set("sec-fetch-site", "none"),
    }
    request
}

/// Fails unless every cross-site call of this browser is rejected.
async fn assert_all_rejected(browser: &Browser, id: &str) {
    for route in rest_routes() {
        // These calls are exempt; `webhook.rs` and `mail_links.rs` test them.
        let is_unsubscribe = route.method == Method::POST && route.path == "/api/unsubscribe/{id}";
        if route.path == "/api/stripe/webhook" || is_unsubscribe {
            continue;
        }
        let path = filled(route.path, id);
        for way in 0..8 {
            let is_read = route.method == Method::GET;
            // Reads need no CSRF header and may be typed into the address bar.
            if is_read && matches!(way, 0 | 1 | 7) {
                continue;
            }
            let body = (!is_read).then(|| json!({"name": "Hacked"}));
            let request = cross_site(browser.request(route.method.clone(), &path, body), way);
            let reply = browser.send(request).await;
            let name = format!("{} {path}, way {way}", route.method);
            assert_eq!(reply.status, 403, "{name}");
            let message = "The request does not come from this application.";
            let expected = json!({"message": message, "code": "FOREIGN_REQUEST"});
            assert_eq!(reply.json(), expected, "{name}");
        }
    }
    for path in policy_table().expect("a whole table").keys() {
        for way in 0..8 {
            let request = cross_site(grpc_web::request(browser, path, &[]), way);
            let reply = browser.send(request).await;
            assert_eq!(reply.status, 403, "{path}, way {way}");
            assert_eq!(reply.header("grpc-status"), "7", "{path}, way {way}");
        }
    }
}

#[tokio::test]
async fn cross_site_writes_and_rpcs_are_rejected() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let machine = owner.machine("A").await;
    let id = machine["id"].as_str().expect("an id");
    let operator = product.operator_of(&owner).await;
    let staff = product.staff().await;
    for browser in [&owner, &operator, &staff, &product.visitor()] {
        assert_all_rejected(browser, id).await;
    }
    let list = owner.get("/api/equipment").await.expect(200);
    assert_eq!(list, json!([machine]));
    // All sessions still exist.
    for browser in [&owner, &operator, &staff] {
        assert_eq!(browser.get("/api/auth/user").await.status, 200);
    }
}

#[tokio::test]
async fn origin_must_match_the_host_without_public_origin() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let router = product.gateway_with(|config, _| config.public_origin = None);
    let local = Browser { router, ..owner };
    for (host, origin, good) in [
        ("localhost:8080", "http://localhost:8080", true),
        ("192.168.0.5:8080", "http://192.168.0.5:8080", true),
        ("localhost:8080", "http://127.0.0.1:8080", false),
        ("localhost:8080", "http://localhost:9090", false),
        ("localhost:8080", "null", false),
    ] {
        let mut request = local.request(Method::POST, "/api/auth/logout", Some(json!({})));
        let headers = request.headers_mut();
        headers.insert("host", host.parse().expect("a value"));
        headers.insert("origin", origin.parse().expect("a value"));
        let status = local.send(request).await.status;
        assert_eq!(status == 204, good, "{host} {origin}: {status}");
        assert_eq!(status == 403, !good, "{host} {origin}: {status}");
    }
}
