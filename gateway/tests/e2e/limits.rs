//! Rate limits, and their `Retry-After`.

use chrono::TimeDelta;
use futures::future::join_all;
use hourmeter_proto::accounts::v1::ResetUserPasswordRequest;
use hourmeter_proto::common::v1::PageRequest;
use hourmeter_proto::equipment::v1::ListHistoryRequest;
use hourmeter_runtime::db::connect_admin;
use http::Method;
use prost::Message as _;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Executor as _};
use tonic::Code;

use crate::grpc_web;
use crate::product::{Browser, OPERATOR_PASSWORD, PASSWORD, Product, Reply, config, id};

async fn limited() -> Product {
    let mut settings = config();
    settings.rate_limits = true;
    settings.trusted_proxies = vec!["127.0.0.0/8".parse().expect("a net")];
    Product::with(settings).await
}

async fn login(browser: &Browser, name: &str, password: &str) -> Reply {
    let body = json!({"emailOrBusinessName": name, "password": password});
    browser.post_as("/api/auth/login", body).await
}

#[tokio::test]
async fn sign_in_locks_a_name_also_for_the_right_password() {
    let product = limited().await;
    product.owner("Acme").await;
    let guesser = product.visitor();
    let mut answers: Vec<(String, Value)> = Vec::new();
    for name in ["Acme", "Nobody"] {
        for _ in 0..5 {
            assert_eq!(login(&guesser, name, "wrong-one").await.status, 401);
        }
        let reply = login(&guesser, name, PASSWORD).await;
        answers.push((reply.header("retry-after").to_owned(), reply.expect(429)));
    }
    // Known and unknown names get the same response.
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[0].0, "60");
    // Another address is not affected.
    assert_eq!(
        login(&product.visitor(), "Acme", PASSWORD).await.status,
        200
    );
    product
        .clock
        .set(product.clock.now() + TimeDelta::seconds(60));
    assert_eq!(login(&guesser, "Acme", PASSWORD).await.status, 200);
    assert_eq!(login(&guesser, "Acme", PASSWORD).await.status, 200);
}

#[tokio::test]
async fn sign_in_limits_concurrent_guesses() {
    let product = limited().await;
    product.owner("Acme").await;
    let guesser = product.visitor();
    let replies = join_all((0..20).map(|_| login(&guesser, "Acme", "wrong-one"))).await;
    let tried = replies.iter().filter(|reply| reply.status == 401).count();
    assert_eq!(tried, 5);
}

#[tokio::test]
async fn operator_login_and_reauth_are_limited() {
    let product = limited().await;
    let owner = product.owner("Acme").await;
    let guesser = product.visitor();
    for attempt in 0..6 {
        let body = json!({"operatorName": "Acme", "password": "wrong-one"});
        let reply = guesser.post_as("/api/employee/login", body).await;
        assert_eq!(reply.status, if attempt < 5 { 401 } else { 429 });
    }
    for attempt in 0..6 {
        let body = json!({"password": "wrong-one"});
        let reply = owner.post_as("/api/auth/reauth", body).await;
        assert_eq!(reply.status, if attempt < 5 { 401 } else { 429 });
    }
}

#[tokio::test]
async fn shared_password_does_not_reset_guesses_at_the_owners() {
    let product = limited().await;
    product.owner("Acme").await;
    let guesser = product.visitor();
    for _ in 0..5 {
        assert_eq!(login(&guesser, "Acme", "wrong-one").await.status, 401);
        let body = json!({"operatorName": "Acme", "password": OPERATOR_PASSWORD});
        guesser.post_as("/api/employee/login", body).await;
    }
    assert_eq!(login(&guesser, "Acme", PASSWORD).await.status, 429);
}

#[tokio::test]
async fn sign_in_ignores_padding_of_a_name() {
    let product = limited().await;
    product.owner("Acme").await;
    let guesser = product.visitor();
    for spaces in [0, 300, 299, 298, 3000] {
        let name = format!("{}owner@acme.example", " ".repeat(spaces));
        assert_eq!(login(&guesser, &name, "wrong-one").await.status, 401);
    }
    for spaces in [0, 297, 4900] {
        let name = format!("{}owner@acme.example", " ".repeat(spaces));
        let expected = if spaces == 4900 { 401 } else { 429 };
        assert_eq!(login(&guesser, &name, PASSWORD).await.status, expected);
    }
}

#[tokio::test]
async fn sign_in_with_a_persons_id_does_not_lock_the_session() {
    let product = limited().await;
    let owner = product.owner("Acme").await;
    let person = id(&owner.get("/api/auth/user").await.expect(200));
    for _ in 0..6 {
        login(&owner.signed_out(), &person, "wrong-one").await;
    }
    let body = json!({"password": PASSWORD});
    let confirmed = owner.post_as("/api/auth/reauth", body).await;
    assert_eq!(confirmed.status, 204);
}

async fn operate(browser: &Browser, name: &str, password: &str) -> Reply {
    let body = json!({"operatorName": name, "password": password});
    browser.post_as("/api/employee/login", body).await
}

async fn execute(product: &Product, sql: String) {
    let admin = connect_admin(&product.stores.accounts.admin_url).await;
    let mut admin = admin.expect("the test server answers");
    let done = admin.execute(AssertSqlSafe(sql)).await;
    assert!(done.expect("a statement").rows_affected() > 0);
}

#[tokio::test]
async fn shared_password_keeps_the_row_of_guesses_at_the_owners() {
    let product = limited().await;
    let owner = product.owner("Acme").await;
    let from = |last: u8, network: [u8; 3]| {
        let [a, b, c] = network;
        let mut browser = product.visitor();
        browser.address = ([a, b, c, last], 40_000).into();
        browser
    };
    for n in 0..100 {
        let guesser = from(n, [192, 0, 2]);
        assert_eq!(operate(&guesser, "Acme", "wrong-one").await.status, 401);
        let shared = operate(&guesser, "Acme", OPERATOR_PASSWORD).await;
        assert_eq!(shared.status, 200, "{n}");
    }
    // The hour counted by accounts for the company has passed.
    let past = "UPDATE audit_events SET at = at - interval '61 minutes'";
    execute(&product, past.to_owned()).await;
    for guesser in [from(1, [192, 0, 2]), from(1, [203, 0, 113])] {
        assert_eq!(operate(&guesser, "Acme", PASSWORD).await.status, 401);
        let shared = operate(&guesser, "Acme", OPERATOR_PASSWORD).await;
        assert_eq!(shared.status, 200);
    }
    // The owner's address is known, and a success ends the lock.
    let own = operate(&owner.signed_out(), "Acme", PASSWORD).await;
    assert_eq!(own.expect(200)["redirect"], "/");
    let own = operate(&from(2, [203, 0, 113]), "Acme", PASSWORD).await;
    assert_eq!(own.expect(200)["redirect"], "/");
}

#[tokio::test]
async fn closed_operator_login_does_not_reveal_names() {
    let product = limited().await;
    let owner = product.owner("Acme").await;
    product.owner("Beta").await;
    let body = json!({"firstName": "Oscar", "lastName": "Operator"});
    let row = owner.post_as("/api/employees", body).await.expect(201);
    let username = row["operatorUsername"].as_str().expect("a username");
    let person = owner.get("/api/auth/user").await.expect(200);
    execute(
        &product,
        format!(
            "INSERT INTO audit_events (company_id, id, event, outcome, request_id, detail,
                target_id)
            SELECT '{}', gen_random_uuid(), 'sign_in', 'failed', gen_random_uuid(),
                'operator_login', gen_random_uuid()
            FROM generate_series(1, 100)",
            person["companyId"].as_str().expect("an id"),
        ),
    )
    .await;
    let guesser = product.visitor();
    assert_eq!(operate(&guesser, "nobody1234", "x").await.status, 401);
    let mut answers = Vec::new();
    for name in [username, "nobody1234", "nobody5678", username, "Beta"] {
        let reply = operate(&guesser, name, "wrong-one").await;
        answers.push((reply.header("retry-after").to_owned(), reply.expect(429)));
    }
    assert!(answers.iter().all(|one| *one == answers[0]), "{answers:?}");
    // Right passwords work for open companies; business names count apart from usernames.
    for name in ["Beta", "Acme"] {
        let open = operate(&guesser, name, OPERATOR_PASSWORD).await;
        assert_eq!(open.status, 200, "{name}");
    }
    let elsewhere = product.visitor();
    assert_eq!(operate(&elsewhere, "nobody1234", "x").await.status, 401);
}

#[tokio::test]
async fn sign_up_limits_address_to_5_an_hour() {
    let product = limited().await;
    let visitor = product.visitor();
    let sign_up = |n: u32| {
        let body = json!({"businessName": format!("Acme {n}"), "email": format!("a{n}@b.example"), "password": PASSWORD});
        visitor.post_as("/api/auth/signup", body)
    };
    for _ in 0..10 {
        let body = json!({"businessName": "A", "email": "x", "password": ""});
        assert_eq!(visitor.post_as("/api/auth/signup", body).await.status, 400);
    }
    for n in 0..5 {
        assert_eq!(sign_up(n).await.status, 201);
    }
    let refused = sign_up(6).await;
    assert_eq!(refused.status, 429);
    assert_eq!(refused.header("retry-after"), "3600");
    product.clock.set(product.clock.now() + TimeDelta::hours(1));
    assert_eq!(sign_up(6).await.status, 201);
}

#[tokio::test]
async fn session_is_limited_to_600_calls_a_minute() {
    let product = limited().await;
    let owner = product.owner("Acme").await;
    let mut last = 0;
    for _ in 0..601 {
        last = owner.get("/api/login/owner").await.status.as_u16();
    }
    assert_eq!(last, 429);
    let refused = owner.get("/api/equipment").await;
    assert_eq!(refused.status, 429);
    assert!(!refused.header("retry-after").is_empty());
    product
        .clock
        .set(product.clock.now() + TimeDelta::seconds(60));
    assert_eq!(owner.get("/api/equipment").await.status, 200);
}

#[tokio::test]
async fn exports_are_limited_to_10_a_minute() {
    let product = limited().await;
    let owner = product.owner("Acme").await;
    for attempt in 0..11 {
        let reply = owner.get("/api/fuel-usage/export").await;
        assert_eq!(reply.status, if attempt < 10 { 200 } else { 429 });
    }
}

#[tokio::test]
async fn complete_history_counts_as_export() {
    let product = limited().await;
    let owner = product.owner("Acme").await;
    let machine = owner.machine("A").await;
    let whole = [
        "/api/equipment-history",
        "/api/equipment-history?limit=0",
        "/api/equipment-history?limit=&cursor=",
    ];
    for attempt in 0..9 {
        let reply = owner.get(whole[attempt % whole.len()]).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
    }
    // An invalid request is not an export.
    let wrong = owner.get("/api/equipment-history?limit=x").await;
    assert_eq!(wrong.status, 400);
    let export = "/api/equipment-history/export";
    assert_eq!(owner.get(export).await.status, 200);
    for path in [export, "/api/fuel-usage/export"].iter().chain(&whole) {
        assert_eq!(owner.get(path).await.status, 429, "{path}");
    }
    let one = format!("/api/equipment/{}/history", id(&machine));
    for path in ["/api/equipment-history?limit=100", &one] {
        assert_eq!(owner.get(path).await.status, 200, "{path}");
    }
}

#[tokio::test]
async fn complete_history_counts_as_export_in_grpc_web() {
    const PATH: &str = "/hourmeter.equipment.v1.EquipmentService/ListHistory";
    let product = limited().await;
    let owner = product.owner("Acme").await;
    let machine = owner.machine("A").await;
    let ask = |equipment_id: &str, limit: u32| {
        let message = ListHistoryRequest {
            equipment_id: equipment_id.to_owned(),
            page: (limit > 0).then(|| PageRequest {
                limit,
                ..PageRequest::default()
            }),
            ..ListHistoryRequest::default()
        };
        let request = grpc_web::request(&owner, PATH, &message.encode_to_vec());
        let owner = &owner;
        async move {
            let reply = owner.send(request).await;
            let wait = reply.header("retry-after").to_owned();
            (grpc_web::outcome(&reply).0.code(), wait)
        }
    };
    for _ in 0..10 {
        assert_eq!(ask("", 0).await.0, Code::Ok);
    }
    let (code, wait) = ask("", 0).await;
    assert_eq!(code, Code::ResourceExhausted);
    assert!(!wait.is_empty());
    // Both protocols share one limit.
    let export = owner.get("/api/equipment-history/export").await;
    assert_eq!(export.status, 429);
    assert_eq!(ask("", 100).await.0, Code::Ok);
    assert_eq!(ask(&id(&machine), 0).await.0, Code::Ok);
    product
        .clock
        .set(product.clock.now() + TimeDelta::seconds(60));
    assert_eq!(ask("", 0).await.0, Code::Ok);
}

#[tokio::test]
async fn password_resets_are_limited_to_20_an_hour() {
    const PATH: &str = "/hourmeter.accounts.v1.AccountsService/ResetUserPassword";
    let product = limited().await;
    let owner = product.owner("Acme").await;
    let other = product.owner("Beta").await;
    product.operator_of(&owner).await;
    let people = owner.get("/api/employees").await.expect(200);
    let body = json!({"targetUserId": people[0]["id"], "newPassword": null});
    let message = ResetUserPasswordRequest {
        user_id: id(&people[0]),
        new_password: None,
    };
    let message = message.encode_to_vec();
    let over_rest = || owner.post_as("/api/admin/reset-user-password", body.clone());
    for _ in 0..10 {
        assert_eq!(over_rest().await.status, 204);
        assert_eq!(grpc_web::code(&owner, PATH, &message).await, Code::Ok);
    }
    let refused = over_rest().await;
    assert_eq!(refused.status, 429);
    assert!(!refused.header("retry-after").is_empty());
    let refused = grpc_web::code(&owner, PATH, &message).await;
    assert_eq!(refused, Code::ResourceExhausted);
    let elsewhere = other.post_as("/api/admin/reset-user-password", body.clone());
    assert_eq!(elsewhere.await.status, 404);
    // By then the sign-in is not recent, which is checked first and does not count.
    product.clock.set(product.clock.now() + TimeDelta::hours(1));
    for _ in 0..25 {
        assert_eq!(over_rest().await.error(403), "REAUTH_REQUIRED");
    }
}

#[tokio::test]
async fn limits_count_the_address_behind_a_trusted_proxy() {
    let product = limited().await;
    product.owner("Acme").await;
    let mut proxy = product.visitor();
    proxy.address = ([127, 0, 0, 1], 5000).into();
    let from = |address: &str| {
        let body = json!({"emailOrBusinessName": "Acme", "password": "wrong-one"});
        let mut request = proxy.request(Method::POST, "/api/auth/login", Some(body));
        let value = address.parse().expect("a value");
        request.headers_mut().insert("x-forwarded-for", value);
        proxy.send(request)
    };
    for n in 0..5 {
        // Addresses claimed by the client make no difference.
        let chain = format!("192.0.2.{n}, 203.0.113.7");
        assert_eq!(from(&chain).await.status, 401);
    }
    assert_eq!(from("203.0.113.7").await.status, 429);
    assert_eq!(from("203.0.113.8").await.status, 401);
}
