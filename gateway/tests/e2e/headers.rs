//! Headers of every kind of response.

use http::Method;
use serde_json::json;

use crate::product::{Browser, Product, Reply};

const REQUIRED: [(&str, &str); 6] = [
    (
        "strict-transport-security",
        "max-age=63072000; includeSubDomains",
    ),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "strict-origin-when-cross-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    (
        "permissions-policy",
        "geolocation=(), camera=(), microphone=()",
    ),
];

fn check(reply: &Reply, name: &str) {
    for (header, value) in REQUIRED {
        assert_eq!(reply.header(header), value, "{name}: {header}");
    }
    let policy = "default-src 'none'; script-src 'self' https://js.stripe.com; style-src 'self'; \
        img-src 'self' data:; font-src 'self'; connect-src 'self' https://api.stripe.com; \
        frame-src https://js.stripe.com https://hooks.stripe.com; worker-src 'self'; \
        manifest-src 'self'; form-action 'self'; base-uri 'none'; object-src 'none'; \
        frame-ancestors 'none'";
    assert_eq!(reply.header("content-security-policy"), policy, "{name}");
    for absent in ["server", "x-powered-by", "access-control-allow-origin"] {
        assert!(!reply.headers.contains_key(absent), "{name}: {absent}");
    }
}

#[tokio::test]
async fn all_responses_have_security_headers() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    for path in [
        "/api/auth/user",
        "/api/nothing",
        "/api/docs",
        "/api/openapi.json",
        "/api/logout",
        "/api/equipment?status=wrong",
        "/hourmeter.accounts.v1.AccountsService/GetCurrentUser",
        "/",
        "/x.php",
        "/healthz",
    ] {
        let reply = owner.get(path).await;
        check(&reply, path);
        let secret = path.starts_with("/api") || path.starts_with("/hourmeter");
        assert_eq!(
            reply.header("cache-control") == "no-store",
            secret,
            "{path}"
        );
    }
    let mut foreign = owner.request(Method::POST, "/api/equipment", Some(json!({})));
    foreign.headers_mut().remove("x-requested-with");
    check(&owner.send(foreign).await, "refused");
    for (method, path) in [
        (Method::PUT, "/api/equipment"),
        (Method::POST, "/sw.js"),
        (Method::GET, "/sw.js"),
        (Method::GET, "/manifest.webmanifest"),
        (Method::GET, "/.env"),
        (Method::OPTIONS, "/api/equipment"),
    ] {
        check(&owner.call(method, path, None).await, path);
    }
}

/// The form of errors per protocol.
#[tokio::test]
async fn large_requests_are_rejected_in_the_form_of_the_protocol() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    for (path, kind) in [
        ("/api/equipment", "application/json"),
        ("/", "text/plain; charset=utf-8"),
    ] {
        let mut request = owner.request(Method::GET, path, None);
        let long = "y".repeat(16 * 1024).parse().expect("a value");
        request.headers_mut().insert("x-long", long);
        let reply = owner.send(request).await;
        assert_eq!(
            (reply.status.as_u16(), reply.header("content-type")),
            (431, kind)
        );
        check(&reply, path);
        let mut request = owner.request(Method::GET, path, None);
        let fits = "y".repeat(15 * 1024).parse().expect("a value");
        request.headers_mut().insert("x-long", fits);
        assert_ne!(owner.send(request).await.status, 431);
    }
    let mut large = owner.request(Method::POST, "/api/equipment", Some(json!({})));
    *large.body_mut() = axum::body::Body::from(vec![b' '; 10 * 1024 * 1024]);
    let reply = owner.send(large).await;
    assert_eq!(reply.status, 413);
    check(&reply, "too large");
    assert_eq!(reply.header("cache-control"), "no-store");
}

#[tokio::test]
async fn large_json_is_compressed() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    for (path, compressed) in [("/api/openapi.json", true), ("/api/equipment/count", false)] {
        let mut request = owner.request(Method::GET, path, None);
        let gzip = "gzip".parse().expect("a value");
        request.headers_mut().insert("accept-encoding", gzip);
        let reply = owner.send(request).await;
        assert_eq!(
            reply.header("content-encoding") == "gzip",
            compressed,
            "{path}"
        );
        let plain = owner.get(path).await;
        assert_eq!(plain.header("content-encoding"), "");
    }
}

#[tokio::test]
async fn openapi_document_lists_every_route() {
    let product = Product::new().await;
    let visitor: Browser = product.visitor();
    let document = visitor.get("/api/openapi.json").await.expect(200);
    assert_eq!(document["openapi"], "3.1.0");
    // Every documented call exists: neither unknown path nor wrong method.
    let paths = document["paths"].as_object().expect("paths");
    let mut documented = 0;
    for (path, operations) in paths {
        for method in operations.as_object().expect("operations").keys() {
            let method: Method = method.to_uppercase().parse().expect("a method");
            let path = path.replace("{id}", "x");
            let reply = visitor.call(method.clone(), &path, None).await;
            // There is no such calendar, no such mailed link and no such digest.
            let unknown = [
                "/api/calendar/x",
                "/api/auth/verify-email",
                "/api/auth/new-password",
                "/api/unsubscribe/x",
            ];
            let is_found = reply.status != 404 || unknown.contains(&path.as_str());
            assert!(
                is_found && reply.status != 405,
                "{method} {path}: {}",
                reply.status
            );
            documented += 1;
        }
    }
    assert_eq!(documented, hourmeter_gateway::rest_routes().len());
    let page = visitor.get("/api/docs").await;
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    assert!(page.text().contains("/api/docs/style.css") && !page.text().contains("<script"));
    let style = visitor.get("/api/docs/style.css").await;
    assert_eq!(style.header("content-type"), "text/css; charset=utf-8");
}
