//! Reviewed lists of who may call which route, and ids of other companies. `matrix.rs` calls every
//! route and RPC.

use std::collections::BTreeMap;

use hourmeter_gateway::rest_routes;
use hourmeter_proto::common::v1::Audience;
use http::Method;
use serde_json::{Value, json};

use crate::matrix::access;
use crate::product::{Browser, Product, filled, id};

const UNKNOWN: &str = "01890000-0000-7000-8000-000000000000";

/// Routes that need no session.
const PUBLIC: [&str; 25] = [
    "GET /api/auth/security-questions",
    "GET /api/calendar/{id}",
    "GET /api/docs",
    "GET /api/docs/style.css",
    "GET /api/login/owner",
    "GET /api/logout",
    "GET /api/openapi.json",
    "GET /api/plans",
    "GET /api/unsubscribe/{id}",
    "POST /api/auth/forgot-password",
    "POST /api/auth/login",
    "POST /api/auth/logout",
    "POST /api/auth/new-password",
    "POST /api/auth/passkey-options",
    "POST /api/auth/recovery-link",
    "POST /api/auth/reset-password",
    "POST /api/auth/signup",
    "POST /api/auth/staff-enrolment",
    "POST /api/auth/staff-enrolment/finish",
    "POST /api/auth/verify-email",
    "POST /api/devices/{id}/contact",
    "POST /api/devices/{id}/updates",
    "POST /api/employee/login",
    "POST /api/stripe/webhook",
    "POST /api/unsubscribe/{id}",
];

/// Routes for all members of a company.
const TENANT: [&str; 11] = [
    "DELETE /api/devices/{id}/people/me",
    "GET /api/auth/user",
    "GET /api/equipment",
    "GET /api/equipment/count",
    "GET /api/equipment/{id}",
    "GET /api/meters",
    "GET /api/operator-updates",
    "PATCH /api/user/profile",
    "POST /api/devices",
    "POST /api/operator-updates",
    "POST /api/operator-updates/{id}/withdraw",
];

/// Routes for the owner only.
const OWNER: [&str; 8] = [
    "DELETE /api/company-settings/deletion",
    "GET /api/audit-log",
    "POST /api/admin/reset-second-factor",
    "POST /api/company-settings/deletion",
    "POST /api/company-settings/export",
    "POST /api/sandbox/clock",
    "POST /api/subscription/cancel",
    "PUT /api/company-settings/second-factor",
];

/// Routes for support staff only.
const STAFF: [&str; 6] = [
    "GET /api/admin/accounts",
    "GET /api/admin/accounts/{id}",
    "POST /api/admin/accounts/{id}/equipment-limit",
    "POST /api/admin/accounts/{id}/extend-trial",
    "POST /api/admin/accounts/{id}/plan",
    "POST /api/admin/accounts/{id}/reveal-master-password",
];

/// Routes that support staff may call too.
const STAFF_TOO: [&str; 3] = [
    "GET /api/auth/user",
    "PATCH /api/user/change-password",
    "POST /api/auth/reauth",
];

/// Routes, beside the public ones, that a person may call before a required second factor is set
/// up.
const BEFORE_SECOND_FACTOR: [&str; 7] = [
    "GET /api/auth/second-factor",
    "GET /api/auth/user",
    "POST /api/auth/reauth",
    "POST /api/auth/second-factor/authenticator",
    "POST /api/auth/second-factor/authenticator/confirm",
    "POST /api/auth/second-factor/passkey-options",
    "POST /api/auth/second-factor/passkeys",
];

#[test]
fn rest_routes_match_the_reviewed_lists() {
    let mut by_audience: BTreeMap<i32, Vec<String>> = BTreeMap::new();
    let (mut staff_too, mut before_second_factor) = (Vec::new(), Vec::new());
    for route in rest_routes() {
        let name = format!("{} {}", route.method, route.path);
        let access = access(route.access_rule);
        if access.staff_too {
            staff_too.push(name.clone());
        }
        if access.before_second_factor {
            before_second_factor.push(name.clone());
        }
        by_audience.entry(access.audience).or_default().push(name);
    }
    staff_too.sort();
    assert_eq!(staff_too, STAFF_TOO);
    before_second_factor.sort();
    assert_eq!(before_second_factor, BEFORE_SECOND_FACTOR);
    let mut listed = |audience: Audience| {
        let mut names = by_audience.remove(&audience.into()).unwrap_or_default();
        names.sort();
        names
    };
    assert_eq!(listed(Audience::Public), PUBLIC);
    assert_eq!(listed(Audience::Tenant), TENANT);
    assert_eq!(listed(Audience::Owner), OWNER);
    assert_eq!(listed(Audience::Staff), STAFF);
    assert!(!listed(Audience::Manager).is_empty());
    assert!(by_audience.is_empty(), "{by_audience:?}");
}

/// A body with the fields of every route.
fn any_body() -> Value {
    json!({
        "firstName": "A", "lastName": "B", "usageIncrease": 1, "content": "x", "name": "Z",
        "companyName": "Z", "ids": [UNKNOWN], "reason": "x", "untilUsage": 900_000, "targetUserId": UNKNOWN,
        "newPassword": "gravel-pit-41", "kind": "replaced", "equipmentId": UNKNOWN,
    })
}

async fn call(browser: &Browser, method: &Method, path: &str) -> crate::product::Reply {
    let body = (*method != Method::GET).then(any_body);
    browser.call(method.clone(), path, body).await
}

/// Ids of one resource of each kind.
struct Things {
    machine: String,
    retired: String,
    /// The id before it was retired.
    gone: String,
    employee: String,
    update: String,
    /// The machine's service task of the form, and a history entry.
    task: String,
    task_set: String,
    entry: String,
}

async fn things(product: &Product, owner: &Browser) -> Things {
    let machine = id(&owner.machine("Theirs").await);
    let gone = id(&owner.machine("Gone").await);
    let retire = format!("/api/equipment/{gone}/retire");
    let retired = owner.post_as(&retire, json!({})).await.expect(200);
    let operator = product.operator_of(owner).await;
    let report = json!({"equipmentId": machine, "notes": "x"});
    let update = operator
        .post_as("/api/operator-updates", report)
        .await
        .expect(201);
    let people = owner.get("/api/employees").await.expect(200);
    let path = format!("/api/equipment/{machine}");
    let note = json!({"content": "Theirs"});
    let note = owner.post_as(&format!("{path}/notes"), note).await;
    let tasks = owner.get(&format!("{path}/service-tasks")).await;
    Things {
        task: id(&tasks.expect(200)[0]),
        task_set: id(&owner.task_set("Theirs").await),
        entry: id(&note.expect(201)),
        machine,
        retired: id(&retired),
        gone,
        employee: id(&people[0]),
        update: id(&update),
    }
}

#[tokio::test]
async fn rest_routes_return_404_for_ids_of_other_companies() {
    let product = Product::new().await;
    let ours = product.owner("Acme").await;
    let theirs = product.owner("Beta").await;
    let things = things(&product, &theirs).await;
    for route in rest_routes() {
        let audience = access(route.access_rule).audience();
        let by_company = !matches!(audience, Audience::Staff | Audience::Public);
        if !by_company || !route.path.contains("{id}") {
            continue;
        }
        let foreign = if route.path.starts_with("/api/employees") {
            &things.employee
        } else if route.path.starts_with("/api/retired-equipment") {
            &things.retired
        } else if route.path.starts_with("/api/operator-updates") {
            &things.update
        } else if route.path.starts_with("/api/task-sets") {
            &things.task_set
        } else {
            &things.machine
        };
        let name = format!("{} {}", route.method, route.path);
        let path = route.path.replace("{taskId}", &things.task);
        let path = path.replace("{entryId}", &things.entry);
        let foreign = call(&ours, &route.method, &path.replace("{id}", foreign)).await;
        assert_eq!(foreign.status, 404, "{name}: {}", foreign.text());
        for unknown_id in [UNKNOWN, "not-an-id", "%00", "%ff"] {
            let unknown = call(&ours, &route.method, &filled(route.path, unknown_id)).await;
            assert_eq!(unknown.status, 404, "{name} {unknown_id}");
            assert_eq!(unknown.body, foreign.body, "{name} {unknown_id}");
        }
    }
    let unreadable_id = ours.get("/api/equipment/%ff/history?limit=x").await;
    assert_eq!(unreadable_id.status, 404, "it is checked before the query");
    let report = json!({"equipmentId": things.machine, "notes": "x"});
    let report = ours.post_as("/api/operator-updates", report).await;
    assert_eq!(report.status, 404);
    let many = json!({"ids": [things.update]});
    for what in ["apply", "reject", "undo", "acknowledge"] {
        let path = format!("/api/operator-updates/{what}");
        let answer = ours.post_as(&path, many.clone()).await;
        assert_eq!(answer.expect(200)[0]["ok"], false);
    }
    // Our machine does not give access to their tasks and entries.
    let machine = id(&ours.machine("Ours").await);
    for (route, inner) in rest_routes().iter().filter_map(|route| {
        let inner = route.path.contains("{taskId}").then_some(&things.task);
        let entry = route.path.contains("{entryId}").then_some(&things.entry);
        Some((route, inner.or(entry)?))
    }) {
        for inner in [inner.as_str(), UNKNOWN, "not-an-id"] {
            let path = filled(&route.path.replace("{id}", &machine), inner);
            let reply = call(&ours, &route.method, &path).await;
            assert_eq!(
                reply.status,
                404,
                "{} {path}: {}",
                route.method,
                reply.text()
            );
        }
    }
    assert_eq!(
        ours.delete(&format!("/api/equipment/{machine}"))
            .await
            .status,
        204
    );
    for person in [&things.employee, &things.machine] {
        let body = json!({"targetUserId": person, "newPassword": "gravel-pit-41"});
        let reply = ours.post_as("/api/admin/reset-user-password", body).await;
        assert_eq!(reply.status, 404);
    }
    // None of their data is visible or changed.
    for list in [
        "/api/equipment",
        "/api/retired-equipment",
        "/api/operator-updates",
        "/api/equipment-history",
        "/api/fuel-usage/export",
        "/api/meters",
    ] {
        assert_eq!(ours.get(list).await.expect(200), json!([]), "{list}");
    }
    let review = ours.get("/api/operator-updates/review").await.expect(200);
    let nothing = json!({"updates": [], "pendingCount": 0, "flaggedCount": 0});
    assert_eq!(review, nothing);
    let retired = format!("/api/retired-equipment/{}", things.gone);
    assert_eq!(ours.get(&retired).await.status, 404);
    assert_eq!(theirs.get(&retired).await.expect(200)["name"], "Gone");
    let machine = theirs
        .get(&format!("/api/equipment/{}", things.machine))
        .await;
    let machine = machine.expect(200);
    assert_eq!(
        (&machine["name"], &machine["currentUsage"]),
        (&json!("Theirs"), &json!(100))
    );
}
