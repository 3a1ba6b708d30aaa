//! Support staff: sign-in with a code, and the calls for staff only.

use chrono::TimeDelta;
use hourmeter_runtime::client::{Backend, GrpcRequest};
use serde_json::{Value, json};
use tonic::Status;
use tower::service_fn;

use crate::product::{Browser, OPERATOR_PASSWORD, Product, masked};

const REASON: &str = "Customer called, ticket 4711";

#[tokio::test]
async fn staff_sign_in_with_a_code_and_without_a_company() {
    let product = Product::new().await;
    let staff_account = product.enrol_staff().await;
    let mut browser = product.visitor();
    let login = |code: String| json!({"emailOrBusinessName": staff_account.email, "password": staff_account.password, "totp": code});
    let without = browser.post("/api/auth/login", login(String::new())).await;
    assert_eq!(without.error(401), "TOTP_REQUIRED");
    let code = staff_account.code(product.clock.now().timestamp());
    let user = browser.post("/api/auth/login", login(code)).await;
    // Staff sessions are never remembered.
    assert!(!user.header("set-cookie").contains("Max-Age"));
    let user = user.expect(200);
    assert_eq!(
        [&user["role"], &user["companyId"]],
        [&json!("support"), &json!(null)]
    );
    assert_eq!(browser.get("/api/auth/user").await.expect(200), user);

    let before = browser.clone();
    let wrong = json!({"password": "wrong-one"});
    assert_eq!(browser.post_as("/api/auth/reauth", wrong).await.status, 401);
    let right = json!({"password": staff_account.password});
    assert_eq!(browser.post("/api/auth/reauth", right).await.status, 204);
    assert_ne!(browser.cookie, before.cookie);
    assert_eq!(before.get("/api/auth/user").await.status, 401);
    let out = browser.clone();
    assert_eq!(
        browser.post("/api/auth/logout", json!({})).await.status,
        204
    );
    assert_eq!(out.get("/api/auth/user").await.status, 401);
}

#[tokio::test]
async fn get_api_admin_accounts() {
    let product = Product::new().await;
    let acme = product.owner("Acme").await;
    let mut fresh = product.visitor();
    let body = json!({
        "businessName": "Beta Rentals", "email": "b@beta.example", "password": "horse-battery-9",
    });
    let signed_up = fresh.post("/api/auth/signup", body).await.expect(201);
    let staff = product.staff().await;
    let path = format!(
        "/api/admin/accounts/{}",
        signed_up["companyId"].as_str().expect("an id")
    );
    let body = json!({"equipmentLimit": null, "reason": REASON});
    let row = staff
        .post_as(&format!("{path}/equipment-limit"), body)
        .await;
    assert_eq!(row.expect(200)["equipment_limit"], 15);
    let all = staff.get("/api/admin/accounts").await;
    assert!(!all.text().contains(OPERATOR_PASSWORD));
    let all = all.expect(200);
    // Newest first; the new company has made no call.
    let new = json!({
        "id": "<id>", "business_name": "Beta Rentals", "company_name": "Beta Rentals",
        "email": "b@beta.example", "subscription_tier": "basic",
        "subscription_status": "trial", "equipment_limit": 15, "equipment_limit_override": null,
        "subscription_expiry": "<time>", "master_password": null, "created_at": "<time>",
    });
    let old = json!({
        "id": "<id>", "business_name": "Acme", "company_name": "Acme",
        "email": "owner@acme.example", "subscription_tier": "basic",
        "subscription_status": "trial", "equipment_limit": 15, "equipment_limit_override": null,
        "subscription_expiry": "<time>", "master_password": "********", "created_at": "<time>",
    });
    assert_eq!(masked(&all), json!([new, old]));
    let user = acme.get("/api/auth/user").await.expect(200);
    assert_eq!(all[1]["id"], user["companyId"]);

    for search in ["RENTALS", "b@beta"] {
        let path = format!("/api/admin/accounts?search={search}");
        assert_eq!(staff.get(&path).await.expect(200), json!([all[0]]));
    }
    let page = staff.get("/api/admin/accounts?limit=1").await;
    let cursor = page.header("x-next-cursor").to_owned();
    assert_eq!(page.expect(200), json!([all[0]]));
    let path = format!("/api/admin/accounts?limit=1&cursor={cursor}");
    let rest = staff.get(&path).await;
    assert_eq!(rest.header("x-next-cursor"), "");
    assert_eq!(rest.expect(200), json!([all[1]]));

    let unavailable = service_fn(async |_: GrpcRequest| Err(Status::unavailable("stopped")));
    let router = product.gateway_with(|_, backends| backends.billing = Backend::new(unavailable));
    let half = Browser { router, ..staff };
    assert_eq!(half.get("/api/admin/accounts").await.status, 503);
}

#[tokio::test]
async fn get_api_admin_accounts_in_a_state() {
    let product = Product::new().await;
    product.owner("Acme").await.pay("basic", "month").await;
    for name in ["Beta", "Gamma"] {
        product.owner(name).await;
    }
    let staff = product.staff().await;
    let all = staff.get("/api/admin/accounts").await.expect(200);
    for (query, expected) in [
        ("state=active", json!([all[2]])),
        ("state=trial", json!([all[0], all[1]])),
        ("state=past_due", json!([])),
        ("state=", all.clone()),
        ("state=trial&search=beta", json!([all[1]])),
        ("state=active&search=beta", json!([])),
    ] {
        let path = format!("/api/admin/accounts?{query}");
        assert_eq!(staff.get(&path).await.expect(200), expected, "{query}");
    }
    let page = staff.get("/api/admin/accounts?state=trial&limit=1").await;
    let cursor = page.header("x-next-cursor").to_owned();
    assert_eq!(page.expect(200), json!([all[0]]));
    let path = format!("/api/admin/accounts?state=trial&limit=1&cursor={cursor}");
    assert_eq!(staff.get(&path).await.expect(200), json!([all[1]]));
    let wrong = staff.get("/api/admin/accounts?state=frozen").await;
    assert!(wrong.expect(400)["fields"]["state"].is_string());
}

#[tokio::test]
async fn get_api_admin_accounts_id() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    for name in ["Loader", "Truck"] {
        owner.machine(name).await;
    }
    let staff = product.staff().await;
    let listed = staff.get("/api/admin/accounts").await.expect(200);
    let path = format!(
        "/api/admin/accounts/{}",
        listed[0]["id"].as_str().expect("an id")
    );
    let because = json!({"reason": REASON});
    let reveal = format!("{path}/reveal-master-password");
    staff.post_as(&reveal, because).await.expect(200);
    let longer = json!({"days": 60, "reason": REASON});
    let extend = format!("{path}/extend-trial");
    staff.post_as(&extend, longer).await.expect(200);

    let shown = staff.get(&path).await;
    assert!(!shown.text().contains(OPERATOR_PASSWORD));
    let shown = shown.expect(200);
    let event = |event: &str, target: &Value| {
        json!({
            "id": "<id>", "at": "<time>", "event": event, "outcome": "success", "actorId": "<id>",
            "actorName": "Sam Support", "scope": "staff", "requestId": "<id>", "targetId": "<id>",
            "targetName": target, "detail": REASON,
        })
    };
    let mut seen = masked(&shown);
    for event in seen["events"].as_array_mut().expect("a list") {
        event
            .as_object_mut()
            .expect("an event")
            .remove("addressPrefix");
    }
    let extended = &shown["events"][0]["targetName"];
    let expected = json!({
        "id": "<id>", "business_name": "Acme", "company_name": "Acme",
        "email": "owner@acme.example", "subscription_tier": "basic",
        "subscription_status": "trial", "equipment_limit": 15, "equipment_limit_override": null,
        "subscription_expiry": "<time>", "master_password": "********", "created_at": "<time>",
        "owner_name": shown["owner_name"], "owner_last_sign_in": "<time>",
        "last_sign_in": "<time>", "managers": 0, "operators": shown["operators"],
        "equipment_count": 2,
        "events": [
            event("trial_extended", extended),
            event("operator_password_revealed_by_support", &json!("")),
        ],
    });
    assert_eq!(seen, expected);
    for unknown in ["01890000-0000-7000-8000-000000000000", "not-an-id"] {
        let path = format!("/api/admin/accounts/{unknown}");
        assert_eq!(staff.get(&path).await.status, 404);
    }
    assert_eq!(owner.get(&path).await.status, 403);
}

#[tokio::test]
async fn post_api_admin_accounts_reveal_and_limit() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    owner.get("/api/auth/user").await.expect(200);
    let staff = product.staff().await;
    let rows = staff.get("/api/admin/accounts").await.expect(200);
    let path = format!(
        "/api/admin/accounts/{}",
        rows[0]["id"].as_str().expect("an id")
    );
    let reveal = format!("{path}/reveal-master-password");
    let limit = format!("{path}/equipment-limit");
    let because = json!({"reason": REASON});
    let shown = staff.post_as(&reveal, because.clone()).await.expect(200);
    assert_eq!(shown, json!({"masterPassword": OPERATOR_PASSWORD}));
    let short = staff.post_as(&reveal, json!({"reason": "because"})).await;
    assert!(short.expect(400)["fields"]["reason"].is_string());

    for (requested, in_force) in [(json!(20), 20), (json!(-1), -1), (json!(null), 15)] {
        let body = json!({"equipmentLimit": requested, "reason": REASON});
        let row = staff.post_as(&limit, body).await.expect(200);
        assert_eq!(row["equipment_limit"], in_force);
        assert_eq!(row["equipment_limit_override"], requested);
        let listed = staff.get("/api/admin/accounts").await.expect(200);
        assert_eq!(listed[0], row);
    }
    for wrong in [json!(1.5), json!(-2), json!("5"), json!(1_000_001)] {
        let body = json!({"equipmentLimit": wrong, "reason": REASON});
        let reply = staff.post_as(&limit, body).await.expect(400);
        assert!(reply["fields"]["equipmentLimit"].is_string(), "{wrong}");
    }
    // An omitted field is not null.
    let reply = staff.post_as(&limit, because.clone()).await.expect(400);
    assert!(reply["fields"]["equipmentLimit"].is_string());
    let unknown = "/api/admin/accounts/01890000-0000-7000-8000-000000000000";
    for id in [unknown, "/api/admin/accounts/not-an-id"] {
        let body = json!({"equipmentLimit": 5, "reason": REASON});
        assert_eq!(
            staff
                .post_as(&format!("{id}/equipment-limit"), body)
                .await
                .status,
            404
        );
        let path = format!("{id}/reveal-master-password");
        assert_eq!(staff.post_as(&path, because.clone()).await.status, 404);
    }
    // The owner's audit log shows who did it and why.
    let seen = owner
        .get("/api/audit-log?event=operator_password_revealed_by_support")
        .await
        .expect(200);
    assert_eq!(
        [&seen[0]["actorName"], &seen[0]["scope"], &seen[0]["detail"]],
        ["Sam Support", "staff", REASON]
    );
    let later = product.clock.now() + TimeDelta::minutes(31);
    product.clock.set(later);
    let late = staff.post_as(&reveal, because).await;
    assert_eq!(late.error(403), "REAUTH_REQUIRED");
}

#[tokio::test]
async fn post_api_admin_accounts_extend_trial_and_plan() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    owner.get("/api/auth/user").await.expect(200);
    let staff = product.staff().await;
    let rows = staff.get("/api/admin/accounts").await.expect(200);
    let path = format!(
        "/api/admin/accounts/{}",
        rows[0]["id"].as_str().expect("an id")
    );
    let (trial, plan) = (format!("{path}/extend-trial"), format!("{path}/plan"));
    let longer = json!({"days": 60, "reason": REASON});
    let row = staff.post_as(&trial, longer.clone()).await.expect(200);
    assert_eq!(row["subscription_status"], "trial");
    let info = owner.settled(json!({"trialDaysLeft": 60})).await;
    assert_eq!(info["trialEndDate"], row["subscription_expiry"]);
    // An expired trial is active again.
    owner.forward(61).await;
    owner.settled(json!({"status": "expired"})).await;
    staff.post_as(&trial, longer.clone()).await.expect(200);
    owner
        .settled(json!({"status": "trial", "trialDaysLeft": 60}))
        .await;

    let agreed = json!({"tier": "enterprise", "days": 365, "reason": REASON});
    let row = staff.post_as(&plan, agreed).await.expect(200);
    assert_eq!(
        [&row["subscription_tier"], &row["subscription_status"]],
        ["enterprise", "active"]
    );
    assert_eq!(row["equipment_limit"], 65);
    let listed = staff.get("/api/admin/accounts").await.expect(200);
    assert_eq!(listed[0], row);
    owner
        .settled(json!({"status": "active", "tier": "enterprise"}))
        .await;
    owner.until_premium(true).await;
    let refused = staff.post_as(&trial, longer).await;
    assert_eq!(refused.error(409), "SUBSCRIPTION_STATE");

    for (path, field, values) in [
        (&trial, "days", json!([0, 366, -1, 1.5, "9", null])),
        (&plan, "days", json!([0, 3661, "9", null])),
        (&plan, "tier", json!(["gold", null, 1])),
        (&trial, "reason", json!(["because", null, 1])),
        (&plan, "reason", json!(["because", null])),
    ] {
        for value in values.as_array().expect("a list") {
            let mut body = json!({"tier": "basic", "days": 30, "reason": REASON});
            body[field] = value.clone();
            let reply = staff.post_as(path, body).await.expect(400);
            assert!(reply["fields"][field].is_string(), "{path} {field} {value}");
        }
    }
    let listed = staff.get("/api/admin/accounts").await.expect(200);
    assert_eq!(listed[0], row);
    for company in ["01890000-0000-7000-8000-000000000000", "not-an-id"] {
        for what in ["extend-trial", "plan"] {
            let path = format!("/api/admin/accounts/{company}/{what}");
            let body = json!({"tier": "basic", "days": 30, "reason": REASON});
            assert_eq!(staff.post_as(&path, body).await.status, 404);
        }
    }
    // The owner's audit log shows who did it and why.
    for event in ["trial_extended", "plan_set"] {
        let path = format!("/api/audit-log?event={event}");
        let seen = owner.get(&path).await.expect(200);
        assert_eq!(
            [&seen[0]["actorName"], &seen[0]["detail"]],
            ["Sam Support", REASON]
        );
    }
    // The plan of a paying company can't be set.
    let other = product.owner("Beta").await;
    other.pay("basic", "month").await;
    let rows = staff
        .get("/api/admin/accounts?search=Beta")
        .await
        .expect(200);
    let path = format!(
        "/api/admin/accounts/{}/plan",
        rows[0]["id"].as_str().expect("an id")
    );
    let body = json!({"tier": "enterprise", "days": 30, "reason": REASON});
    let refused = staff.post_as(&path, body).await;
    assert_eq!(refused.error(409), "SUBSCRIPTION_STATE");
    let later = product.clock.now() + TimeDelta::minutes(31);
    product.clock.set(later);
    let body = json!({"days": 30, "reason": REASON});
    assert_eq!(
        staff.post_as(&trial, body).await.error(403),
        "REAUTH_REQUIRED"
    );
}
