//! What a company without access can still call: reads, exports, the own account, payment and
//! account protection. Checks every route and RPC.

use hourmeter_gateway::rest_routes;
use hourmeter_proto::access::policy_table;
use hourmeter_proto::common::v1::Audience;
use hourmeter_runtime::error::ServiceError;
use http::Method;
use serde_json::{Value, json};

use crate::grpc_web;
use crate::matrix::{Things, access};
use crate::product::Product;

/// Writes that stay allowed.
const STAY: [&str; 48] = [
    // Own session and account.
    "PATCH /api/user/change-password",
    "PATCH /api/user/profile",
    "POST /api/auth/login",
    "POST /api/auth/reauth",
    "POST /api/auth/setup-security-questions",
    "POST /api/auth/signup",
    "POST /api/auth/forgot-password",
    "POST /api/auth/reset-password",
    "POST /api/auth/verify-email",
    "POST /api/auth/recovery-link",
    "POST /api/auth/new-password",
    "POST /api/unsubscribe/{id}",
    "POST /api/employee/login",
    // Account protection; of the settings only the operator password.
    "DELETE /api/employees/{id}",
    "POST /api/admin/reset-user-password",
    "PATCH /api/company/settings",
    "POST /api/company-settings",
    "DELETE /api/company-settings/deletion",
    "POST /api/company-settings/deletion",
    "POST /api/company-settings/export",
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
    // Phones that are used without signal.
    "DELETE /api/devices/{id}",
    "DELETE /api/devices/{id}/people/me",
    "POST /api/devices",
    "POST /api/devices/{id}/contact",
    // No field data is lost.
    "POST /api/devices/{id}/updates",
    "POST /api/operator-updates",
    "POST /api/operator-updates/{id}/withdraw",
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

/// RPCs that stay allowed for members of a company.
const RPCS_STAY: [&str; 47] = [
    "AccountsService/AddPasskey",
    "AccountsService/CancelCompanyDeletion",
    "AccountsService/ConfirmAuthenticator",
    "AccountsService/CreateCalendarFeed",
    "AccountsService/CreateCardCodes",
    "AccountsService/DeleteCalendarFeed",
    "AccountsService/DeleteEmployee",
    "AccountsService/DismissNotice",
    "AccountsService/EnrolDevice",
    "AccountsService/LeaveDevice",
    "AccountsService/RemoveDevice",
    "AccountsService/RemovePasskey",
    "AccountsService/ReplaceRecoveryCodes",
    "AccountsService/RequestCompanyDeletion",
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
    "BillingService/PauseSubscription",
    "BillingService/ReactivateSubscription",
    "DigestService/SendDigest",
    "DigestService/SetDigestSchedule",
    "NotificationsService/MarkAllRead",
    "NotificationsService/MarkRead",
    "NotificationsService/SendAddressVerification",
    "OperatorUpdatesService/SubmitUpdate",
    "OperatorUpdatesService/WithdrawUpdate",
    "PushService/AddPushSubscription",
    "PushService/RemovePushSubscription",
    "PushService/SendTestPush",
    "SandboxService/DecideSandboxCheckout",
    "SandboxService/MoveSandboxClock",
    "SandboxService/SetSandboxCard",
    "SettingsService/SetSettings",
    "SettingsService/SetWatch",
    "SmsService/RemoveSmsNumber",
    "SmsService/VerifySmsNumber",
];

/// Ways to lose access.
const CAUSES: [&str; 4] = ["expired", "trial canceled", "paused", "canceled and over"];

/// A company with one resource of each kind that lost its access.
async fn lapsed(product: &Product, cause: &str) -> Things {
    let owner = product.owner(cause).await;
    if matches!(cause, "paused" | "canceled and over") {
        owner.pay("professional", "month").await;
    }
    let things = Things::of(product, owner.clone()).await;
    let post = async |path: &str, body: Value| owner.post_as(path, body).await.expect(200);
    match cause {
        "expired" => drop(owner.forward(29).await),
        "paused" => drop(post("/api/subscription/pause", json!({"months": 6})).await),
        _ => drop(post("/api/subscription/cancel", json!({})).await),
    }
    if cause == "canceled and over" {
        owner.forward(32).await;
    }
    owner.settled(json!({"hasActiveSubscription": false})).await;
    things
}

#[tokio::test]
async fn rest_writes_without_access_return_402_except_the_reviewed_ones() {
    let product = Product::new().await;
    for cause in CAUSES {
        let things = lapsed(&product, cause).await;
        let owner = &things.owner;
        let before = things.seen().await;
        for route in rest_routes() {
            let name = format!("{} {}", route.method, route.path);
            let read = route.method == Method::GET;
            let stays = STAY.contains(&name.as_str()) || read;
            // `payments.rs` decides checkouts in every state.
            let decides = !read && route.path.starts_with("/api/sandbox/checkout/");
            let is_staff = access(route.access_rule).audience() == Audience::Staff;
            // Both end a pause; see `payments.rs`.
            let ends = cause == "paused"
                && (name.ends_with("subscription/cancel") || name.ends_with("/reactivate"));
            if is_staff || decides || ends || route.path.ends_with("/logout") {
                continue;
            }
            let path = things.filled(route.path);
            let body = (!read).then(|| json!({}));
            let reply = owner.call(route.method.clone(), &path, body).await;
            let context = format!("{cause}: {name}: {}", reply.text());
            if stays {
                assert!(reply.status != 402, "{context}");
                assert!(!reply.status.is_server_error(), "{context}");
            } else {
                assert_eq!(reply.status, 402, "{context}");
                assert_eq!(reply.json()["code"], "SUBSCRIPTION_INACTIVE", "{context}");
            }
        }
        // Equipment, archive, submissions and history are unchanged.
        assert_eq!(things.seen().await[..4], before[..4], "{cause}");
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
async fn settings_without_access_allow_only_the_operator_password() {
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
async fn rpcs_without_access_fail_except_the_reviewed_ones() {
    let table = policy_table().expect("a complete table");
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
async fn updates_submitted_without_access_are_applied_after_payment() {
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
