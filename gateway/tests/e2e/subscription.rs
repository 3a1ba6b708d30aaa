//! Plans, entitlements and what happens when they end or billing fails.

use std::sync::Arc;

use chrono::TimeDelta;
use hourmeter_proto::access::policy_table;
use hourmeter_runtime::client::{Backend, GrpcRequest};
use hourmeter_runtime::error::ServiceError;
use serde_json::json;
use tonic::Status;
use tower::{ServiceExt as _, service_fn};

use crate::grpc_web;
use crate::product::{Browser, Product, id, masked};

/// A backend that fails every call.
pub fn unavailable() -> Backend {
    Backend::new(service_fn(async |_: GrpcRequest| {
        Err(Status::unavailable("10.0.0.3 refused"))
    }))
}

#[tokio::test]
async fn plans_need_no_session() {
    let product = Product::new().await;
    let catalogue = product.visitor().get("/api/plans").await.expect(200);
    assert_eq!(catalogue["trialDays"], 28);
    assert_eq!(catalogue["yearlyDiscountPercent"], 15);
    assert_eq!(catalogue["launchDiscountPercent"], 20);
    let plans = catalogue["plans"].as_array().expect("plans");
    let brief: Vec<_> = plans
        .iter()
        .map(|plan| {
            json!([
                plan["tier"],
                plan["equipmentLimit"],
                plan["monthlyCents"],
                plan["yearlyCents"],
                plan["listMonthlyCents"],
                plan["listYearlyCents"]
            ])
        })
        .collect();
    let expected = [
        json!(["basic", 15, 3200, 2720, 4000, 3400]),
        json!(["professional", 30, 5400, 4590, 6800, 5800]),
        json!(["enterprise", 65, 10000, 8500, 12500, 10600]),
    ];
    assert_eq!(brief, expected);
    assert!(plans[0]["name"].is_string() && plans[0]["description"].is_string());
    let feature = &plans[0]["features"][0];
    assert!(feature["key"].is_string() && feature["premium"].is_boolean());
}

#[tokio::test]
async fn trial_gives_access_until_its_end() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let machine = owner.machine("A").await;
    let operator = product.operator_of(&owner).await;
    let info = owner.get("/api/subscription/info").await.expect(200);
    let expected = json!({
        "tier": "basic", "status": "trial", "hasActiveSubscription": true,
        "canAccessFuelAnalytics": false, "canAccessPartsEntry": false, "equipmentLimit": 15,
        "equipmentCount": 1, "trialEndDate": "<time>", "trialDaysLeft": 28,
        "currentPeriodEnd": null, "cancelAtPeriodEnd": false, "pauseEndDate": null,
        "billingInterval": null, "actions": ["checkout", "cancel"], "graceEndDate": null,
        "provider": "sandbox", "clockDaysAhead": 0, "hasPortal": false, "firstChargeAt": "<time>",
    });
    assert_eq!(masked(&info), expected);

    product.clock.set(product.clock.now() + TimeDelta::days(28));
    let info = owner.get("/api/subscription/info").await.expect(200);
    assert_eq!(info["status"], "expired");
    assert_eq!(info["hasActiveSubscription"], false);
    let path = format!("/api/equipment/{}", id(&machine));
    let refused = owner.patch(&path, json!({"name": "B"})).await;
    assert_eq!(refused.error(402), "SUBSCRIPTION_INACTIVE");
    assert_eq!(owner.get(&path).await.expect(200)["name"], "A");
    // No field data is lost.
    let report = json!({"equipmentId": machine["id"], "notes": "Still here"});
    let report = operator.post_as("/api/operator-updates", report).await;
    assert_eq!(report.expect(201)["status"], "pending");
}

#[tokio::test]
async fn parts_entry_requires_a_premium_plan() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let body = json!({
        "name": "A", "type": "tools", "unit": "n/a",
        "serviceParts": [{"part": "Filter", "partNumber": "F-1", "qty": 1}],
    });
    let refused = owner.post_as("/api/equipment", body).await;
    assert_eq!(refused.error(403), "FEATURE_NOT_IN_PLAN");
}

#[tokio::test]
async fn reads_work_without_billing() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let machine = owner.machine("A").await;
    let router = product.gateway_with(|_, backends| backends.billing = unavailable());
    let cut_off = Browser {
        router,
        ..owner.clone()
    };
    assert_eq!(cut_off.get("/api/equipment").await.status, 200);
    assert_eq!(cut_off.get("/api/auth/user").await.status, 200);
    let settings = owner.get("/api/company-settings").await.expect(200);
    let path = format!("/api/equipment/{}", id(&machine));
    let change = json!({"autoApplyUpdates": true, "masterPassword": "gravel-pit-78"});
    let name = json!({"companyName": "Acme Two"});
    for reply in [
        cut_off.patch(&path, json!({"name": "B"})).await,
        cut_off.get("/api/plans").await,
        cut_off.get("/api/subscription/info").await,
        cut_off.get("/api/company-settings").await,
        cut_off.post_as("/api/company-settings", change).await,
        cut_off.patch("/api/company/settings", name).await,
    ] {
        let body = reply.expect(503);
        assert_eq!(reply.header("retry-after"), "1");
        assert!(body["requestId"].is_string() && !reply.text().contains("10.0.0.3"));
    }
    // A failed change must not have happened.
    let unchanged = owner.get("/api/company-settings").await.expect(200);
    assert_eq!(unchanged, settings);
}

#[tokio::test]
async fn public_calls_work_without_accounts() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let router = product.gateway_with(|_, backends| backends.accounts = unavailable());
    let cut_off = Browser { router, ..owner };
    assert_eq!(cut_off.get("/api/equipment").await.status, 503);
    assert_eq!(cut_off.get("/api/plans").await.status, 200);
    assert_eq!(cut_off.get("/healthz").await.text(), "ok");
    assert_eq!(cut_off.get("/readyz").await.status, 503);
    assert_eq!(product.visitor().get("/readyz").await.text(), "ok");
    let anonymous = Browser {
        cookie: None,
        ..cut_off
    };
    assert_eq!(anonymous.get("/api/equipment").await.status, 401);
}

/// Calls of the payment provider fail with a plain text; all other calls work.
#[tokio::test]
async fn only_payment_fails_without_the_provider() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let inner = product.backends.billing.clone();
    let policy = Arc::new(policy_table().expect("a complete table"));
    let billing = service_fn(move |request: GrpcRequest| {
        let (inner, policy) = (inner.clone(), policy.clone());
        async move {
            if policy[request.uri().path()].deadline_seconds > 0 {
                return Err(ServiceError::provider("timed out at 10.0.0.9").into());
            }
            inner.oneshot(request).await
        }
    });
    let router = product.gateway_with(|_, backends| backends.billing = Backend::new(billing));
    let owner = Browser { router, ..owner };
    let buy = json!({"tier": "basic", "billingInterval": "month"});
    for (path, body) in [
        ("/api/create-checkout-session", buy.clone()),
        ("/api/billing-portal", json!({})),
        ("/api/subscription/upgrade", buy),
        ("/api/subscription/pause", json!({"months": 3})),
        ("/api/subscription/reactivate", json!({})),
        ("/api/subscription/cancel", json!({})),
    ] {
        let reply = owner.post_as(path, body).await;
        let error = reply.expect(502);
        assert_eq!(error["code"], "PAYMENT_PROVIDER", "{path}");
        let text = "The payment provider is not available right now. Please try again.";
        assert_eq!(error["message"], text, "{path}");
        assert!(error["requestId"].is_string() && !reply.text().contains("10.0.0.9"));
    }
    let cancel = "/hourmeter.billing.v1.BillingService/CancelSubscription";
    let reply = owner.send(grpc_web::request(&owner, cancel, &[])).await;
    let (status, _) = grpc_web::outcome(&reply);
    assert_eq!(status.code(), tonic::Code::Unavailable);
    let failure = ServiceError::from_status(&status);
    assert_eq!(failure.reason, "PAYMENT_PROVIDER");
    assert!(!status.message().contains("10.0.0.9"));
    owner.machine("Crane").await;
    assert_eq!(owner.subscription().await["status"], "trial");
    assert_eq!(owner.get("/api/plans").await.status, 200);
}

#[tokio::test]
async fn payment_works_without_equipment() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let router = product.gateway_with(|_, backends| backends.equipment = unavailable());
    let owner = Browser { router, ..owner };
    let info = owner.pay("professional", "month").await;
    assert_eq!(info["equipmentCount"], json!(null));
    let canceled = owner.post_as("/api/subscription/cancel", json!({})).await;
    assert_eq!(canceled.expect(200)["status"], "canceled");
}
