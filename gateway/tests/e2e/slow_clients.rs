//! Clients that send slowly, have no session, or are rejected before their body is complete.

use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use axum::Router;
use http::Method;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::product::{Browser, Product, config};
use crate::whole_lists::counting;

const CSRF_HEADERS: &str = "x-requested-with: XMLHttpRequest\r\ncontent-type: application/json\r\n";

async fn serve(router: Router) -> (SocketAddr, DropGuard) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let stop = CancellationToken::new();
    tokio::spawn(hourmeter_gateway::serve(
        listener,
        router,
        stop.clone().into(),
    ));
    (address, stop.drop_guard())
}

/// Sends the head of a POST and a part of its body.
async fn begin(address: SocketAddr, path: &str, headers: &str, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let head = format!("POST {path} HTTP/1.1\r\nhost: x\r\n{headers}content-length: 99\r\n\r\n");
    let request = head + body;
    stream.write_all(request.as_bytes()).await.expect("sent");
    stream
}

/// The head of the next response; reads its body if it has a length.
async fn read_response(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.expect("a response"));
    }
    let head = String::from_utf8(head).expect("text").to_lowercase();
    let length = head.split("content-length: ").nth(1);
    let length = length.and_then(|rest| rest.split("\r\n").next()?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).await.expect("a body");
    head
}

async fn get(address: SocketAddr, path: &str) -> String {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("sent");
    read_response(&mut stream).await
}

#[tokio::test]
async fn slow_bodies_hold_no_permit() {
    hourmeter_runtime::files::raise_limit();
    let product = Product::new().await;
    let (address, _stop) = serve(product.router.clone()).await;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let began = Instant::now();
    let mut slow = Vec::new();
    // More than there are permits.
    for _ in 0..cores * 128 + 60 {
        slow.push(begin(address, "/api/auth/login", CSRF_HEADERS, "{").await);
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    let plans = get(address, "/api/plans").await;
    assert!(plans.starts_with("http/1.1 200"), "{plans}");
    let login = json!({"emailOrBusinessName": "Nobody", "password": "wrong-one"});
    let login = product.visitor().post_as("/api/auth/login", login).await;
    assert_eq!(login.status, 401);
    let response = read_response(&mut slow[0]).await;
    assert!(response.starts_with("http/1.1 408"), "{response}");
    assert!(response.contains("connection: close"), "{response}");
    let took = began.elapsed();
    let range = Duration::from_secs(9)..Duration::from_mins(1);
    assert!(range.contains(&took), "{took:?}");
}

#[tokio::test]
async fn address_may_have_64_incomplete_bodies() {
    let product = Product::new().await;
    let router = product.gateway_with(|settings, _| settings.rate_limits = true);
    let (address, _stop) = serve(router).await;
    let mut slow = Vec::new();
    for _ in 0..64 {
        slow.push(begin(address, "/api/auth/login", CSRF_HEADERS, "{").await);
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    let mut next = begin(address, "/api/auth/login", CSRF_HEADERS, "{").await;
    let refused = read_response(&mut next).await;
    assert!(refused.starts_with("http/1.1 429"), "{refused}");
    assert!(refused.contains("retry-after: 5"), "{refused}");
    drop(slow.pop());
    tokio::time::sleep(Duration::from_millis(200)).await;
    let mut next = begin(
        address,
        "/api/auth/login",
        CSRF_HEADERS,
        &"{}".repeat(50)[..99],
    )
    .await;
    let read = read_response(&mut next).await;
    assert!(read.starts_with("http/1.1 400"), "{read}");
}

#[tokio::test]
async fn rejection_before_the_body_closes_the_connection() {
    let product = Product::new().await;
    let (address, _stop) = serve(product.router.clone()).await;
    let body = format!("{{\"name\": \"{}\"}}", "x".repeat(87));
    // Without the CSRF header.
    let mut stream = begin(address, "/api/equipment", "", "").await;
    let refused = read_response(&mut stream).await;
    assert!(refused.starts_with("http/1.1 403"), "{refused}");
    assert!(refused.contains("connection: close"), "{refused}");
    // Without a session.
    let mut stream = begin(address, "/api/equipment", CSRF_HEADERS, "").await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    stream.write_all(body.as_bytes()).await.expect("sent");
    let refused = read_response(&mut stream).await;
    assert!(refused.starts_with("http/1.1 401"), "{refused}");
    assert!(!refused.contains("connection: close"), "{refused}");
    let request = b"GET /api/plans HTTP/1.1\r\nhost: x\r\n\r\n";
    stream.write_all(request).await.expect("sent");
    let next = read_response(&mut stream).await;
    assert!(next.starts_with("http/1.1 200"), "{next}");
}

#[tokio::test]
async fn invalid_sessions_are_cached_and_limited_by_address() {
    let mut settings = config();
    settings.rate_limits = true;
    let product = Product::with(settings).await;
    let owner = product.owner("Acme").await;
    let (accounts, calls) = counting(product.backends.accounts.clone(), "/ResolveSession");
    let router = product.gateway_with(|_, backends| backends.accounts = accounts);
    let owner = Browser { router, ..owner };
    owner.get("/api/equipment").await.expect(200);
    calls.store(0, Ordering::Relaxed);
    let with = |number: usize| Browser {
        cookie: Some(format!("__Host-sid={number:043}")),
        ..owner.clone()
    };
    for _ in 0..10 {
        with(0).get("/api/equipment").await.expect(401);
    }
    assert_eq!(calls.load(Ordering::Relaxed), 1);
    for number in 1..=290 {
        with(number).get("/api/equipment").await.expect(401);
    }
    calls.store(0, Ordering::Relaxed);
    for number in 291..400 {
        let refused = with(number).get("/api/equipment").await;
        refused.expect(429);
        assert_ne!(refused.header("retry-after"), "");
    }
    with(0).get("/api/plans").await.expect(429);
    owner.signed_out().get("/api/plans").await.expect(429);
    assert_eq!(calls.load(Ordering::Relaxed), 0);
    // Signed-in people at that address, and other addresses, are not limited.
    owner.get("/api/equipment").await.expect(200);
    let elsewhere = Browser::new(owner.router.clone());
    elsewhere.get("/api/plans").await.expect(200);
}

#[tokio::test]
async fn readiness_calls_accounts_once_per_second() {
    let product = Product::new().await;
    let (accounts, calls) = counting(product.backends.accounts.clone(), "/ResolveSession");
    let router = product.gateway_with(|_, backends| backends.accounts = accounts);
    let visitor = Browser::new(router);
    let began = Instant::now();
    for _ in 0..100 {
        assert_eq!(visitor.get("/readyz").await.text(), "ok");
    }
    let most = 1 + began.elapsed().as_secs();
    assert!(u64::from(calls.load(Ordering::Relaxed)) <= most);
}

#[tokio::test]
async fn cross_site_requests_resolve_ten_sessions_per_minute_and_address() {
    let product = Product::new().await;
    let (accounts, calls) = counting(product.backends.accounts.clone(), "/ResolveSession");
    let router = product.gateway_with(|_, backends| backends.accounts = accounts);
    let browser = Browser::new(router);
    for number in 0..50 {
        let foreign = Browser {
            cookie: Some(format!("__Host-sid={number:043}")),
            ..browser.clone()
        };
        let mut request = foreign.request(Method::POST, "/api/equipment", Some(json!({})));
        request.headers_mut().remove("x-requested-with");
        foreign.send(request).await.expect(403);
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(calls.load(Ordering::Relaxed) <= 10);
}
