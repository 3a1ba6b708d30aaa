//! Lists that are longer than a page.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use chrono::TimeDelta;
use hourmeter_proto::equipment::v1::{ListNotesRequest, ListNotesResponse};
use hourmeter_runtime::client::{Backend, GrpcRequest};
use hourmeter_runtime::db::connect_admin;
use http::{Method, Request, Response};
use http_body_util::BodyExt as _;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use prost::Message as _;
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tonic::Status;
use tower::{ServiceExt as _, service_fn};

use crate::grpc_web;
use crate::product::{Browser, Product, id};

/// A backend, and a counter of its calls with paths that end with `method`.
pub fn counting(backend: Backend, method: &'static str) -> (Backend, Arc<AtomicU32>) {
    let calls = Arc::new(AtomicU32::new(0));
    let counter = calls.clone();
    let backend = service_fn(move |request: GrpcRequest| {
        if request.uri().path().ends_with(method) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
        backend.clone().oneshot(request)
    });
    (Backend::new(backend), calls)
}

#[tokio::test]
async fn history_of_several_pages_is_returned_complete() {
    const ENTRIES: usize = 501;
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let machine = owner.machine("Excavator 320").await;
    let path = format!("/api/equipment/{}", id(&machine));
    for n in 0..ENTRIES {
        let usage = json!({"usageIncrease": 0.01, "fuelAdded": 1, "notes": n.to_string()});
        owner
            .patch(&format!("{path}/usage"), usage)
            .await
            .expect(200);
    }
    let (backend, calls) = counting(product.backends.equipment.clone(), "/ListHistory");
    let router = product.gateway_with(|_, backends| backends.equipment = backend);
    let browser = Browser { router, ..owner };
    for (path, text) in [
        ("/api/equipment-history/export", "content"),
        ("/api/fuel-usage/export", "notes"),
        ("/api/equipment-history", "content"),
        (&format!("{path}/history"), "content"),
    ] {
        calls.store(0, Ordering::Relaxed);
        let reply = browser.get(path).await;
        let rows = reply.expect(200);
        let rows = rows.as_array().expect("a list");
        assert_eq!(rows.len(), ENTRIES, "{path}");
        let texts: BTreeSet<_> = rows.iter().map(|row| row[text].as_str()).collect();
        assert_eq!(texts.len(), ENTRIES, "{path}");
        assert_eq!(rows[0][text], "500", "{path}");
        assert_eq!(calls.load(Ordering::Relaxed), 2, "{path}");
        assert_eq!(reply.header("x-next-cursor"), "", "{path}");
    }
    let notes = browser.get(&format!("{path}/notes")).await.expect(200);
    assert_eq!(notes.as_array().map(Vec::len), Some(ENTRIES));
    // With a cursor and without a limit: the rest.
    let first = browser.get("/api/equipment-history?limit=100").await;
    let cursor = first.header("x-next-cursor");
    let rest = browser
        .get(&format!("/api/equipment-history?cursor={cursor}"))
        .await;
    assert_eq!(
        rest.expect(200).as_array().map(Vec::len),
        Some(ENTRIES - 100)
    );
    let wrong = browser.get("/api/equipment-history?cursor=zzz").await;
    assert_ne!(wrong.expect(400)["fields"]["cursor"], Value::Null);
}

/// Rows of three pages and one more.
const LONG: usize = 1501;

/// Inserts entries for a machine directly, since the API would take long.
async fn fill_history(product: &Product, machine: &Value, entries: usize) {
    let text = "'Entry ' || n";
    fill_ledger(product, machine, entries, "'usage', 'usage_update'", text).await;
}

async fn fill_ledger(
    product: &Product,
    machine: &Value,
    entries: usize,
    kind: &str,
    content: &str,
) {
    let mut admin = connect_admin(&product.stores.equipment_url)
        .await
        .expect("a connection");
    let sql = format!(
        "INSERT INTO ledger (
            company_id, id, equipment_id, equipment_name, unit, kind, note_type, actor_id,
            actor_name, source, captured_at, recorded_at, fuel, fuel_kind, content
        )
        SELECT company_id, gen_random_uuid(), id, name, unit, {kind}, id,
            'Olivia Owner', 'manager', now(), now() - n * interval '1 minute', 100, 'diesel',
            {content}
        FROM equipment, generate_series(1, $2) n
        WHERE id = $1::text::uuid"
    );
    sqlx::query(AssertSqlSafe(sql))
        .bind(id(machine))
        .bind(i32::try_from(entries).expect("a small number"))
        .execute(&mut admin)
        .await
        .expect("entries");
}

/// A gateway with an equipment service that fails from this call of `ListHistory` on.
fn failing_from(product: &Product, first: u32) -> Router {
    let (backend, calls) = counting(product.backends.equipment.clone(), "/ListHistory");
    let backend = service_fn(move |request: GrpcRequest| {
        let (backend, calls) = (backend.clone(), calls.clone());
        async move {
            if request.uri().path().ends_with("/ListHistory")
                && calls.load(Ordering::Relaxed) >= first
            {
                return Err(Status::unavailable("stopped"));
            }
            backend.oneshot(request).await
        }
    });
    product.gateway_with(|_, backends| backends.equipment = Backend::new(backend))
}

/// The head of a response; the body is not read yet.
async fn head_of(browser: &Browser, mut request: Request<Body>) -> Response<Body> {
    let address = ConnectInfo(browser.address);
    request.extensions_mut().insert(address);
    let response = browser.router.clone().oneshot(request).await;
    response.expect("a response")
}

#[tokio::test]
async fn export_streams_page_by_page() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let machine = owner.machine("Excavator 320").await;
    fill_history(&product, &machine, LONG).await;
    let (backend, calls) = counting(product.backends.equipment.clone(), "/ListHistory");
    let router = product.gateway_with(|_, backends| backends.equipment = backend);
    let browser = Browser { router, ..owner };

    let mut pages = Vec::new();
    let mut cursor = String::new();
    loop {
        let path = format!("/api/equipment-history?limit=500&cursor={cursor}");
        let reply = browser.get(&path).await;
        let rows = reply.expect(200);
        pages.extend(rows.as_array().expect("a list").clone());
        reply.header("x-next-cursor").clone_into(&mut cursor);
        if cursor.is_empty() {
            break;
        }
    }
    assert_eq!(pages.len(), LONG);

    calls.store(0, Ordering::Relaxed);
    let request = browser.request(Method::GET, "/api/equipment-history/export", None);
    let response = head_of(&browser, request).await;
    assert_eq!(response.status(), 200);
    assert!(!response.headers().contains_key("content-length"));
    let mut body = response.into_body();
    let mut whole = Vec::new();
    for read in [1, 2, 3, 4] {
        let frame = body.frame().await.expect("a page").expect("a whole body");
        whole.extend(frame.into_data().expect("data"));
        assert_eq!(calls.load(Ordering::Relaxed), read);
    }
    assert!(body.frame().await.is_none());
    let rows: Vec<Value> = serde_json::from_slice(&whole).expect("JSON");
    assert!(rows == pages, "the rows or their order differ");
}

#[tokio::test]
async fn export_with_gzip_flushes_each_page() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let machine = owner.machine("Excavator 320").await;
    fill_history(&product, &machine, LONG).await;
    let (backend, calls) = counting(product.backends.equipment.clone(), "/ListHistory");
    let held = service_fn(move |request: GrpcRequest| {
        let (backend, calls) = (backend.clone(), calls.clone());
        async move {
            let is_history = request.uri().path().ends_with("/ListHistory");
            if is_history && calls.load(Ordering::Relaxed) == 1 {
                std::future::pending::<()>().await;
            }
            backend.oneshot(request).await
        }
    });
    let router = product.gateway_with(|_, backends| backends.equipment = Backend::new(held));
    let browser = Browser { router, ..owner };
    let mut request = browser.request(Method::GET, "/api/equipment-history/export", None);
    let gzip = "gzip".parse().expect("a value");
    request.headers_mut().insert("accept-encoding", gzip);
    let response = head_of(&browser, request).await;
    assert_eq!(response.headers()["content-encoding"], "gzip");
    // The second page never arrives; all data is of the first.
    let mut body = response.into_body();
    let (mut first, pause) = (Vec::new(), Duration::from_millis(500));
    while let Ok(frame) = tokio::time::timeout(pause, body.frame()).await {
        let frame = frame.expect("no end").expect("no failure");
        first.extend(frame.into_data().expect("data"));
    }
    // The end of a flushed block of deflate.
    assert!(first.ends_with(&[0, 0, 0xff, 0xff]), "{first:?}");
}

#[tokio::test]
async fn export_aborts_when_the_service_fails() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let machine = owner.machine("Excavator 320").await;
    fill_history(&product, &machine, LONG).await;
    let path = "/api/equipment-history/export";
    let router = failing_from(&product, 0);
    let browser = Browser { router, ..owner };
    browser.get(path).await.expect(503);

    for http2 in [false, true] {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let stop = CancellationToken::new();
        let router = failing_from(&product, 2);
        tokio::spawn(hourmeter_gateway::serve(listener, router, stop.into()));
        let mut client = Client::builder(TokioExecutor::new());
        let client = client.http2_only(http2).build_http::<Body>();
        let path = format!("http://{address}{path}");
        let response = client.request(browser.request(Method::GET, &path, None));
        let response = response.await.expect("a response");
        assert_eq!(response.status(), 200);
        let body = response.into_body().collect().await;
        assert!(body.is_err(), "HTTP/2: {http2}");
    }
}

#[tokio::test]
async fn export_aborts_when_the_session_ends() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let machine = owner.machine("Excavator 320").await;
    fill_history(&product, &machine, LONG).await;
    let request = owner.request(Method::GET, "/api/equipment-history/export", None);
    let mut body = head_of(&owner, request).await.into_body();
    body.frame().await.expect("a page").expect("rows");
    let ended = owner.call(Method::POST, "/api/auth/logout", None).await;
    assert!(ended.status.is_success(), "{}", ended.text());
    let next = body.frame().await.expect("a failure");
    assert!(next.is_err(), "rows after the session ended");
}

#[tokio::test]
async fn streamed_lists_count_as_concurrent_calls() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let machine = owner.machine("Excavator 320").await;
    fill_history(&product, &machine, LONG).await;
    let router = product.gateway_with(|settings, _| settings.rate_limits = true);
    let browser = Browser { router, ..owner };
    let path = "/api/equipment-history/export";
    let mut open = Vec::new();
    for call in 0..32 {
        if call % 10 == 0 {
            // The number of exports a company may start per minute.
            let later = product.clock.now() + TimeDelta::minutes(1);
            product.clock.set(later);
        }
        let response = head_of(&browser, browser.request(Method::GET, path, None)).await;
        assert_eq!(response.status(), 200);
        open.push(response);
    }
    browser.get("/api/equipment").await.expect(429);
    drop(open.pop());
    browser.get("/api/equipment").await.expect(200);
}

#[tokio::test]
async fn list_without_limit_has_5000_rows_and_an_export_all() {
    const ROWS: usize = 5200;
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let machine = owner.machine("Excavator 320").await;
    fill_history(&product, &machine, ROWS).await;
    let path = format!("/api/equipment/{}/history", id(&machine));
    let first = owner.get(&path).await;
    let count = |reply: &crate::product::Reply| reply.expect(200).as_array().map(Vec::len);
    assert_eq!(count(&first), Some(5000));
    let cursor = first.header("x-next-cursor");
    let rest = owner.get(&format!("{path}?cursor={cursor}")).await;
    assert_eq!(count(&rest), Some(ROWS - 5000));
    assert_eq!(rest.header("x-next-cursor"), "");
    let export = owner.get("/api/equipment-history/export").await;
    assert_eq!(count(&export), Some(ROWS));
}

#[tokio::test]
async fn page_of_long_texts_is_limited_to_one_mebibyte() {
    const NOTES: usize = 120;
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let machine = owner.machine("Excavator 320").await;
    let text = "repeat(chr(128668), 5000)";
    fill_ledger(&product, &machine, NOTES, "'note', 'note'", text).await;
    let message = ListNotesRequest {
        equipment_id: id(&machine),
        ..ListNotesRequest::default()
    };
    let path = "/hourmeter.equipment.v1.EquipmentService/ListNotes";
    let request = grpc_web::request(&owner, path, &message.encode_to_vec());
    let (_, message) = grpc_web::outcome(&owner.send(request).await);
    let page = ListNotesResponse::decode(message.as_slice()).expect("a page");
    assert_eq!(page.notes.len(), 52);
    assert_ne!(page.page.expect("a page").next_cursor, "");
    // The REST list continues to the end.
    let path = format!("/api/equipment/{}/notes", id(&machine));
    let notes = owner.get(&path).await.expect(200);
    assert_eq!(notes.as_array().map(Vec::len), Some(NOTES));
}
