//! The audit log: events of the gateway, and the merged log of all services.

use std::time::Duration;

use chrono::TimeDelta;
use hourmeter_proto::equipment::v1::ListHistoryRequest;
use hourmeter_runtime::client::{Backend, GrpcRequest};
use hourmeter_runtime::db::connect_admin;
use http::Method;
use prost::Message as _;
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tonic::{Code, Status};
use tower::{ServiceExt as _, service_fn};

use crate::grpc_web;
use crate::product::{Browser, Product, config, id, masked};

const UNKNOWN: &str = "01890000-0000-7000-8000-000000000000";
const HISTORY: &str = "/hourmeter.equipment.v1.EquipmentService/ListHistory";

/// The details of a company's events of one kind, oldest first, once there are `count`.
pub async fn audit_lines(owner: &Browser, event: &str, count: usize) -> Vec<Value> {
    let path = format!("/api/audit-log?event={event}&limit=100");
    for _ in 0..500 {
        let lines = owner.get(&path).await.expect(200);
        let lines = lines.as_array().expect("a list");
        assert!(lines.len() <= count, "{lines:?}");
        if lines.len() == count {
            return lines.iter().rev().cloned().collect();
        }
        // Denied requests are written after the response.
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("fewer than {count} lines of {event}")
}

/// The number of events of one kind in the platform's log.
async fn platform(product: &Product, event: &str, outcome: &str) -> i64 {
    let mut admin = connect_admin(&product.stores.accounts.admin_url)
        .await
        .expect("the test server answers");
    let query = format!(
        "SELECT count(*) FROM audit_events WHERE event = '{event}' AND outcome = '{outcome}' AND \
         company_id = '00000000-0000-0000-0000-000000000000'"
    );
    let count = sqlx::query_scalar(AssertSqlSafe(query));
    count.fetch_one(&mut admin).await.expect("a count")
}

async fn platform_has(product: &Product, event: &str, outcome: &str, count: i64) {
    for _ in 0..500 {
        if platform(product, event, outcome).await == count {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("not {count} lines of {event} {outcome}")
}

#[tokio::test]
async fn denied_requests_are_recorded() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let operator = product.operator_of(&owner).await;
    let person = operator.get("/api/auth/user").await.expect(200);

    assert_eq!(operator.get("/api/company-settings").await.status, 403);
    let list = "/hourmeter.accounts.v1.AccountsService/ListEmployees";
    let code = grpc_web::code(&operator, list, &[]).await;
    assert_eq!(code, Code::PermissionDenied);
    let lines = audit_lines(&owner, "permission_denied", 2).await;
    let expected = json!({
        "id": "<id>", "at": "<time>", "event": "permission_denied", "outcome": "failed",
        "actorId": "<id>", "actorName": "Oscar Operator", "scope": "operator",
        "addressPrefix": lines[0]["addressPrefix"], "requestId": "<id>", "targetId": null,
        "targetName": "", "detail": "GET /api/company-settings",
    });
    assert_eq!(masked(&lines[0]), expected);
    assert_eq!(lines[0]["actorId"], person["id"]);
    let prefix = lines[0]["addressPrefix"].as_str().expect("a text");
    assert!(
        prefix.starts_with("10.") && prefix.ends_with(".0/24"),
        "{prefix}"
    );
    assert_eq!(lines[1]["detail"], "AccountsService/ListEmployees");

    // Unknown ids; the log does not contain them. Accounts records those of people itself.
    for path in [
        format!("/api/equipment/{UNKNOWN}"),
        "/api/equipment/x/history".to_owned(),
    ] {
        assert_eq!(owner.get(&path).await.status, 404);
    }
    let people = format!("/api/employees/{UNKNOWN}");
    assert_eq!(owner.delete(&people).await.status, 404);
    let lines = audit_lines(&owner, "unknown_object", 3).await;
    let mut details: Vec<_> = lines.iter().map(|line| line["detail"].as_str()).collect();
    details.sort_unstable();
    let expected = [
        "GET /api/equipment/{id}",
        "GET /api/equipment/{id}/history",
        "person",
    ];
    assert_eq!(details, expected.map(Some));

    // A cross-site request.
    let mut foreign = owner.request(Method::POST, "/api/fuel/reset", Some(json!({})));
    let evil = "https://evil.example".parse().expect("a value");
    foreign.headers_mut().insert("origin", evil);
    assert_eq!(owner.send(foreign).await.status, 403);
    let lines = audit_lines(&owner, "request_refused", 1).await;
    assert_eq!(
        [&lines[0]["detail"], &lines[0]["actorName"]],
        ["POST /api/fuel/reset", "Olivia Owner"]
    );
    let visitor = product.visitor();
    let mut foreign = visitor.request(Method::POST, "/api/auth/login", Some(json!({})));
    foreign.headers_mut().remove("x-requested-with");
    assert_eq!(visitor.send(foreign).await.status, 403);
    platform_has(&product, "request_refused", "failed", 1).await;

    // Requests without a session are not recorded; those of staff are in the platform's log.
    assert_eq!(visitor.get("/api/equipment").await.status, 401);
    let staff = product.staff().await;
    assert_eq!(staff.get("/api/equipment").await.status, 403);
    platform_has(&product, "permission_denied", "failed", 1).await;
    audit_lines(&owner, "permission_denied", 2).await;
}

#[tokio::test]
async fn denied_requests_are_limited_to_30_a_minute_per_person() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let operator = product.operator_of(&owner).await;
    for _ in 0..70 {
        assert_eq!(operator.get("/api/employees").await.status, 403);
    }
    audit_lines(&owner, "permission_denied", 30).await;
    let other = product.operator_of(&owner).await;
    assert_eq!(other.get("/api/employees").await.status, 403);
    audit_lines(&owner, "permission_denied", 31).await;
    product
        .clock
        .set(product.clock.now() + TimeDelta::minutes(1));
    assert_eq!(operator.get("/api/employees").await.status, 403);
    audit_lines(&owner, "permission_denied", 32).await;
}

#[tokio::test]
async fn rate_limited_sign_ins_are_recorded() {
    let mut settings = config();
    settings.rate_limits = true;
    let product = Product::with(settings).await;
    let owner = product.owner("Acme").await;
    let guesser = owner.signed_out();
    for name in ["Acme", "Nobody"] {
        for _ in 0..6 {
            let body = json!({"emailOrBusinessName": name, "password": "wrong-one"});
            guesser.post_as("/api/auth/login", body).await;
        }
    }
    let body = json!({"operatorName": "Acme", "password": "wrong-one"});
    guesser.post_as("/api/employee/login", body).await;
    platform_has(&product, "sign_in", "limited", 1).await;
    // The sign-up, five failures and two rate-limited attempts.
    let lines = audit_lines(&owner, "sign_in", 8).await;
    for (line, detail) in [(&lines[6], ""), (&lines[7], "operator_login")] {
        assert_eq!(
            [&line["outcome"], &line["targetName"], &line["detail"]],
            ["limited", "Olivia Owner", detail]
        );
        assert_eq!(line["actorId"], Value::Null);
    }
    for _ in 0..6 {
        owner
            .post_as("/api/auth/reauth", json!({"password": "wrong-one"}))
            .await;
    }
    let lines = audit_lines(&owner, "reauthentication", 6).await;
    assert_eq!(lines[5]["outcome"], "limited");
}

#[tokio::test]
async fn exports_are_recorded_before_the_response() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    owner.machine("Crane").await;
    let exports = [
        "/api/equipment-history/export",
        "/api/fuel-usage/export",
        "/api/equipment-history",
        "/api/audit-log",
    ];
    for (done, path) in exports.iter().enumerate() {
        assert_eq!(owner.get(path).await.status, 200);
        let lines = owner.get("/api/audit-log?event=export&limit=9").await;
        let lines = lines.expect(200);
        assert_eq!(lines.as_array().map(Vec::len), Some(done + 1), "{path}");
        assert_eq!(lines[0]["detail"], format!("GET {path}"));
        assert_eq!(lines[0]["outcome"], "success");
    }
    let all = ListHistoryRequest::default().encode_to_vec();
    assert_eq!(grpc_web::code(&owner, HISTORY, &all).await, Code::Ok);
    let logs = "/hourmeter.equipment.v1.EquipmentService/ListAuditEvents";
    assert_eq!(grpc_web::code(&owner, logs, &[]).await, Code::Ok);
    let lines = audit_lines(&owner, "export", 6).await;
    assert_eq!(lines[4]["detail"], "EquipmentService/ListHistory");
    assert_eq!(lines[5]["detail"], "EquipmentService/ListAuditEvents");
    let everything = "/api/company-settings/export";
    assert_eq!(owner.post_as(everything, json!({})).await.status, 204);
    let lines = audit_lines(&owner, "export", 7).await;
    assert_eq!(lines[6]["detail"], format!("POST {everything}"));
    // Pages and rejected requests are not exports.
    owner
        .get("/api/equipment-history?limit=1")
        .await
        .expect(200);
    assert_eq!(owner.get("/api/audit-log?event=wrong").await.status, 400);
    audit_lines(&owner, "export", 7).await;
}

#[tokio::test]
async fn exports_fail_while_the_audit_log_is_unavailable() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let operator = product.operator_of(&owner).await;
    let inner = product.backends.accounts.clone();
    let without_log = service_fn(move |request: GrpcRequest| {
        let inner = inner.clone();
        async move {
            if request.uri().path().ends_with("/RecordAuditEvents") {
                return Err(Status::unavailable("down"));
            }
            inner.oneshot(request).await
        }
    });
    let router = product.gateway_with(|_, backends| backends.accounts = Backend::new(without_log));
    let (mut owner, mut operator) = (owner, operator);
    owner.router = router.clone();
    operator.router = router;
    assert_eq!(operator.get("/api/employees").await.status, 403);
    assert_eq!(owner.get("/api/equipment-history/export").await.status, 503);
    let all = ListHistoryRequest::default().encode_to_vec();
    let code = grpc_web::code(&owner, HISTORY, &all).await;
    assert_eq!(code, Code::Unavailable);
    assert_eq!(owner.get("/api/equipment").await.status, 200);
}

#[tokio::test]
async fn get_api_audit_log_reads_all_services_as_one() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let manager = product.manager_of(&owner).await;
    let machine = id(&owner.machine("Crane").await);
    let path = format!("/api/equipment/{machine}");
    assert_eq!(manager.delete(&path).await.status, 204);
    let rename = json!({"companyName": "Acme Two"});
    owner
        .patch("/api/company/settings", rename)
        .await
        .expect(200);
    manager.machine("Truck").await;
    manager.post_as("/api/fuel/reset", json!({})).await;

    let newest = owner.get("/api/audit-log?limit=3").await;
    let cursor = newest.header("x-next-cursor").to_owned();
    assert_ne!(cursor, "");
    let newest = newest.expect(200);
    let words: Vec<_> = [0, 1, 2].map(|n| newest[n]["event"].as_str()).into();
    assert_eq!(
        words,
        [
            Some("fuel_reset"),
            Some("company_renamed"),
            Some("equipment_deleted")
        ]
    );
    // Pages of any size give the same log.
    let all = owner.get("/api/audit-log?limit=500").await.expect(200);
    for limit in [1, 2, 5] {
        let (mut read, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = format!("/api/audit-log?limit={limit}&cursor={cursor}");
            let page = owner.get(&page).await;
            cursor = page.header("x-next-cursor").to_owned();
            read.extend(page.expect(200).as_array().expect("a list").clone());
            if cursor.is_empty() {
                break;
            }
        }
        assert_eq!(json!(read), all, "{limit}");
    }
    let whole = owner.get("/api/audit-log").await;
    assert_eq!(whole.header("x-next-cursor"), "");
    assert_eq!(whole.expect(200), all);

    let person = manager.get("/api/auth/user").await.expect(200);
    let by = format!(
        "/api/audit-log?limit=9&event=fuel_reset,equipment_deleted&actor={}",
        id(&person)
    );
    assert_eq!(
        owner.get(&by).await.expect(200).as_array().map(Vec::len),
        Some(2)
    );
    let at = newest[1]["at"].as_str().expect("a time");
    let words = "fuel_reset,company_renamed,equipment_deleted";
    let later = format!("/api/audit-log?limit=9&event={words}&from={at}");
    let later = owner.get(&later).await;
    assert_eq!(later.expect(200), json!([newest[0], newest[1]]));
    let earlier = owner.get(&format!("/api/audit-log?limit=1&to={at}")).await;
    assert_eq!(earlier.expect(200), json!([newest[2]]));
    for (query, field) in [
        ("event=sign", "event"),
        ("actor=me", "actor"),
        ("from=yesterday", "from"),
        ("to=2026-13-01T00:00:00Z", "to"),
        ("limit=501", "limit"),
        ("limit=1&cursor=x", "cursor"),
    ] {
        let reply = owner.get(&format!("/api/audit-log?{query}")).await;
        assert!(reply.expect(400)["fields"][field].is_string(), "{query}");
    }
    assert_eq!(manager.get("/api/audit-log?limit=1").await.status, 403);

    // Fails rather than returning a log with a gap.
    let unavailable = || {
        Backend::new(service_fn(async |_: GrpcRequest| {
            Err(Status::unavailable("down"))
        }))
    };
    for which in 0..2 {
        let router = product.gateway_with(|_, backends| {
            if which == 0 {
                backends.equipment = unavailable();
            } else {
                backends.billing = unavailable();
            }
        });
        let partial = Browser {
            router,
            ..owner.clone()
        };
        assert_eq!(partial.get("/api/audit-log?limit=1").await.status, 503);
        assert_eq!(partial.get("/api/audit-log").await.status, 503);
    }
}

#[tokio::test]
async fn shutdown_waits_for_queued_events() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let operator = product.operator_of(&owner).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let stop = CancellationToken::new();
    let serving = hourmeter_gateway::serve(listener, product.router.clone(), stop.clone().into());
    let serving = tokio::spawn(serving);
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let cookie = operator.cookie.expect("a session");
    let request = format!(
        "GET /api/employees HTTP/1.1\r\nhost: app.example.com\r\ncookie: {cookie}\r\n\
         connection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
    stop.cancel();
    serving.await.expect("no panic").expect("a clean shutdown");
    let lines = owner
        .get("/api/audit-log?event=permission_denied&limit=9")
        .await;
    assert_eq!(lines.expect(200).as_array().map(Vec::len), Some(1));
}
