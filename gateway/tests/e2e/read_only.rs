//! What is left of the product without access: reading, exporting, one's own account, paying, and
//! what protects the account. Every route and RPC there is, is held against this.

use hourmeter_gateway::rest_routes;
use hourmeter_proto::access::policy_table;
use hourmeter_proto::common::v1::Audience;
use hourmeter_runtime::error::ServiceError;
use http::Method;
use serde_json::{Value, json};

use crate::grpc_web;
use crate::matrix::{Things, access};
use crate::product::Product;

/// The reviewed list of writes that stay.
const STAY: [&str; 34] = [
    // One's own session and account.
    "PATCH /api/user/change-password",
    "PATCH /api/user/profile",
    "POST /api/auth/login",
    "POST /api/auth/reauth",
    "POST /api/auth/setup-security-questions",
    "POST /api/auth/signup",
    "POST /api/auth/forgot-password",
    "POST /api/auth/reset-password",
    "POST /api/employee/login",
    // What protects the account; of the settings only the operator password.
    "DELETE /api/employees/{id}",
    "POST /api/admin/reset-user-password",
    "POST /api/company-settings",
    "DELETE /api/auth/second-factor",
    "DELETE /api/auth/second-factor/passkeys/{id}",
    "POST /api/admin/reset-second-factor",
    "POST /api/auth/passkey-options",
    "POST /api/auth/second-factor/authenticator",
    "POST /api/auth/second-factor/authenticator/confirm",
    "POST /api/auth/second-factor/passkey-options",
    "POST /api/auth/second-factor/passkeys",
    "POST /api/auth/second-factor/recovery-codes",
    "POST /api/auth/staff-enrolment",
    "POST /api/auth/staff-enrolment/finish",
    "PUT /api/company-settings/second-factor",
    // No field data is lost.
    "POST /api/operator-updates",
    // Paying.
    "POST /api/billing-portal",
    "POST /api/create-checkout-session",
    "POST /api/sandbox/clock",
    "POST /api/sandbox/portal/card",
    "POST /api/stripe/webhook",
    "POST /api/subscription/cancel",
    "POST /api/subscription/pause",
    "POST /api/subscription/reactivate",
    "POST /api/subscription/upgrade",
];

/// The same for RPCs of a company's people.
const RPCS_STAY: [&str; 26] = [
    "AccountsService/AddPasskey",
    "AccountsService/ConfirmAuthenticator",
    "AccountsService/DeleteEmployee",
    "AccountsService/DismissNotice",
    "AccountsService/RemovePasskey",
    "AccountsService/ReplaceRecoveryCodes",
    "AccountsService/ResetSecondFactor",
    "AccountsService/ResetUserPassword",
    "AccountsService/RevealOperatorPassword",
    "AccountsService/SetSecondFactorRequired",
    "AccountsService/SetSecurityQuestions",
    "AccountsService/StartAuthenticator",
    "AccountsService/StartPasskey",
    "AccountsService/TurnOffSecondFactor",
    "AccountsService/UpdateCompanySettings",
    "AccountsService/UpdateProfile",
    "BillingService/CancelSubscription",
    "BillingService/ChangePlan",
    "BillingService/CreateCheckoutSession",
    "BillingService/CreatePortalSession",
    "BillingService/DecideSandboxCheckout",
    "BillingService/MoveSandboxClock",
    "BillingService/PauseSubscription",
    "BillingService/ReactivateSubscription",
    "BillingService/SetSandboxCard",
    "OperatorUpdatesService/SubmitUpdate",
];

/// How a company can come to have no access.
const WAYS: [&str; 4] = ["expired", "trial canceled", "paused", "canceled and over"];

/// A company with one of each thing, which then lost its access.
async fn lapsed(product: &Product, way: &str) -> Things {
    let owner = product.owner(way).await;
    if matches!(way, "paused" | "canceled and over") {
        owner.pay("professional", "month").await;
    }
    let things = Things::of(product, owner.clone()).await;
    let post = async |path: &str, body: Value| owner.post_as(path, body).await.expect(200);
    match way {
        "expired" => drop(owner.forward(29).await),
        "paused" => drop(post("/api/subscription/pause", json!({"months": 6})).await),
        _ => drop(post("/api/subscription/cancel", json!({})).await),
    }
    if way == "canceled and over" {
        owner.forward(32).await;
    }
    owner.settled(json!({"hasActiveSubscription": false})).await;
    things
}

#[tokio::test]
async fn without_access_every_other_write_is_closed() {
    let product = Product::new().await;
    for way in WAYS {
        let things = lapsed(&product, way).await;
        let owner = &things.owner;
        let before = things.seen().await;
        for route in rest_routes() {
            let name = format!("{} {}", route.method, route.path);
            let read = route.method == Method::GET;
            let stays = STAY.contains(&name.as_str()) || read;
            // Deciding a checkout is paying, which `payments.rs` does from every state.
            let decides = !read && route.path.starts_with("/api/sandbox/checkout/");
            let staffs = access(route.admission).audience() == Audience::Staff;
            // Both end a pause, which `payments.rs` does too.
            let ends = way == "paused"
                && (name.ends_with("subscription/cancel") || name.ends_with("/reactivate"));
            if staffs || decides || ends || route.path.ends_with("/logout") {
                continue;
            }
            let path = things.filled(route.path);
            let body = (!read).then(|| json!({}));
            let reply = owner.call(route.method.clone(), &path, body).await;
            let told = format!("{way}: {name}: {}", reply.text());
            if stays {
                assert!(reply.status != 402, "{told}");
                assert!(!reply.status.is_server_error(), "{told}");
            } else {
                assert_eq!(reply.status, 402, "{told}");
                assert_eq!(reply.json()["code"], "SUBSCRIPTION_INACTIVE", "{told}");
            }
        }
        // Neither equipment, nor archive, nor submissions, nor history.
        assert_eq!(things.seen().await[..4], before[..4], "{way}");
        assert_eq!(
            owner.get("/api/fuel/summary").await.error(403),
            "FEATURE_NOT_IN_PLAN"
        );
        for export in ["/api/equipment-history/export", "/api/fuel-usage/export"] {
            owner.get(export).await.expect(200);
        }
    }
}

#[tokio::test]
async fn the_settings_that_stay() {
    let product = Product::new().await;
    let things = lapsed(&product, "expired").await;
    let owner = &things.owner;
    let settings = "/api/company-settings";
    for closed in [
        json!({"companyName": "Other"}),
        json!({"timeZone": "UTC"}),
        json!({"autoApplyUpdates": true}),
        json!({"masterPassword": "quarry-road-8", "companyName": "Other"}),
    ] {
        let reply = owner.post_as(settings, closed.clone()).await;
        assert_eq!(reply.error(402), "SUBSCRIPTION_INACTIVE", "{closed}");
    }
    let name = json!({"companyName": "Other"});
    let reply = owner.patch("/api/company/settings", name).await;
    assert_eq!(reply.error(402), "SUBSCRIPTION_INACTIVE");
    let password = json!({"masterPassword": "quarry-road-8"});
    owner.post_as(settings, password).await.expect(200);
    let reset = json!({"targetUserId": things.operator, "newPassword": "gravel-pit-41"});
    let reset = owner.post_as("/api/admin/reset-user-password", reset).await;
    assert_eq!(reset.status, 204, "{}", reset.text());
    let path = format!("/api/employees/{}", things.operator);
    assert_eq!(owner.delete(&path).await.status, 204);
    let profile = json!({"firstName": "Olga", "lastName": "Owner"});
    let profile = owner.patch("/api/user/profile", profile).await;
    assert_eq!(profile.expect(200)["firstName"], "Olga");
}

#[tokio::test]
async fn rpcs_are_closed_alike() {
    let table = policy_table().expect("a whole table");
    let brief = |path: &str| path.rsplit('.').next().unwrap_or_default().to_owned();
    let mut stay = Vec::new();
    for (path, access) in &table {
        let of_people = matches!(
            access.audience(),
            Audience::Tenant | Audience::Manager | Audience::Owner
        );
        if of_people && !access.read_only && !access.needs_subscription {
            stay.push(brief(path));
        }
        assert!(!(access.read_only && access.needs_subscription), "{path}");
    }
    stay.sort();
    assert_eq!(stay, RPCS_STAY);

    let product = Product::new().await;
    let owner = lapsed(&product, "expired").await.owner;
    for (path, access) in &table {
        if !access.needs_subscription {
            continue;
        }
        let reply = owner.send(grpc_web::request(&owner, path, &[])).await;
        let (status, _) = grpc_web::outcome(&reply);
        let failure = ServiceError::from_status(&status);
        assert_eq!(
            failure.reason, "SUBSCRIPTION_INACTIVE",
            "{path}: {status:?}"
        );
    }
}

#[tokio::test]
async fn what_operators_report_meanwhile_is_applied_after_paying() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let machine = owner.machine("Crane").await;
    let operator = product.operator_of(&owner).await;
    let auto = json!({"autoApplyUpdates": true});
    owner
        .post_as("/api/company-settings", auto)
        .await
        .expect(200);
    owner.forward(29).await;
    owner.settled(json!({"status": "expired"})).await;
    let report = json!({"equipmentId": machine["id"], "newUsage": 104, "notes": "Done"});
    let report = operator.post_as("/api/operator-updates", report).await;
    let report = report.expect(201);
    assert_eq!(report["status"], "pending");
    let apply = format!(
        "/api/operator-updates/{}/apply",
        crate::product::id(&report)
    );
    let refused = owner.post_as(&apply, json!({})).await;
    assert_eq!(refused.error(402), "SUBSCRIPTION_INACTIVE");
    owner.pay("basic", "month").await;
    let mut applied = owner.post_as(&apply, json!({})).await;
    for _ in 0..50 {
        if applied.status != 402 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        applied = owner.post_as(&apply, json!({})).await;
    }
    assert_eq!(applied.expect(200)["status"], "applied");
    let path = format!("/api/equipment/{}", crate::product::id(&machine));
    assert_eq!(owner.get(&path).await.expect(200)["currentUsage"], 104);
}
