//! Complete journeys of a paying company, with the sandbox payment provider.

use serde_json::json;

use crate::product::{Browser, Product, id};

fn upgrade(tier: &str) -> serde_json::Value {
    json!({"tier": tier})
}

#[tokio::test]
async fn subscription_from_trial_to_expiry_and_renewal() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let trial = owner.subscription().await;
    assert_eq!(trial["actions"], json!(["checkout", "cancel"]));
    assert_eq!(
        [&trial["provider"], &trial["hasPortal"]],
        [&json!("sandbox"), &json!(false)]
    );
    owner.until_premium(false).await;

    let paid = owner.pay("basic", "month").await;
    assert_eq!(paid["actions"], json!(["change_plan", "pause", "cancel"]));
    assert_eq!(
        [&paid["hasPortal"], &paid["equipmentLimit"]],
        [&json!(true), &json!(15)]
    );
    owner.until_premium(false).await;

    let path = "/api/subscription/upgrade";
    let changed = owner
        .post_as(path, upgrade("professional"))
        .await
        .expect(200);
    assert_eq!(
        [&changed["tier"], &changed["equipmentLimit"]],
        [&json!("professional"), &json!(30)]
    );
    owner.until_premium(true).await;
    // Repeating the change has no effect.
    let again = owner
        .post_as(path, upgrade("professional"))
        .await
        .expect(200);
    assert_eq!(again, changed);
    let yearly = json!({"tier": "professional", "billingInterval": "year"});
    let yearly = owner.post_as(path, yearly).await.expect(200);
    assert_eq!(yearly["billingInterval"], "year");
    let monthly = json!({"tier": "professional", "billingInterval": "month"});
    owner.post_as(path, monthly).await.expect(200);

    let path = "/api/subscription/pause";
    let paused = owner.post_as(path, json!({"months": 3})).await.expect(200);
    assert_eq!(paused["status"], "paused");
    assert_eq!(paused["hasActiveSubscription"], false);
    assert!(paused["pauseEndDate"].is_string());
    assert_eq!(paused["actions"], json!(["reactivate", "cancel"]));
    owner.until_premium(false).await;
    let twice = owner.post_as(path, json!({"months": 3})).await;
    assert_eq!(twice.error(409), "SUBSCRIPTION_STATE");
    // It resumes automatically.
    owner.forward(89).await;
    owner.settled(json!({"status": "paused"})).await;
    owner.forward(4).await;
    owner
        .settled(json!({"status": "active", "pauseEndDate": null}))
        .await;
    owner.until_premium(true).await;

    let cancel = "/api/subscription/cancel";
    let canceled = owner.post_as(cancel, json!({})).await.expect(200);
    assert_eq!(
        [&canceled["status"], &canceled["hasActiveSubscription"]],
        [&json!("canceled"), &json!(true)]
    );
    assert_eq!(canceled["cancelAtPeriodEnd"], true);
    assert_eq!(canceled["actions"], json!(["reactivate"]));
    owner.until_premium(true).await;
    let twice = owner.post_as(cancel, json!({})).await;
    assert_eq!(twice.error(409), "SUBSCRIPTION_STATE");
    let undone = owner
        .post_as("/api/subscription/reactivate", json!({}))
        .await;
    let undone = undone.expect(200);
    assert_eq!(
        [&undone["status"], &undone["cancelAtPeriodEnd"]],
        [&json!("active"), &json!(false)]
    );

    owner.post_as(cancel, json!({})).await.expect(200);
    owner.forward(32).await;
    let ended = owner.settled(json!({"status": "expired"})).await;
    assert_eq!(ended["hasActiveSubscription"], false);
    assert_eq!(ended["actions"], json!(["checkout"]));
    owner.until_premium(false).await;
    owner.pay("enterprise", "year").await;
    owner.until_premium(true).await;

    assert_logged(
        &owner,
        &[
            ("subscribed", 2),
            ("tier_changed", 1),
            ("interval_changed", 2),
            ("paused", 1),
            ("resumed", 1),
            ("canceled", 2),
            ("cancel_undone", 1),
            ("expired", 1),
        ],
    )
    .await;
}

/// Checks the number of entries in the audit log.
async fn assert_logged(owner: &Browser, words: &[(&str, usize)]) {
    let log = owner
        .get("/api/audit-log?event=plan_changed&limit=50")
        .await;
    let log = log.expect(200);
    let details = log.as_array().expect("a list").iter().rev();
    let details: Vec<_> = details.map(|line| line["detail"].as_str()).collect();
    for (detail, times) in words {
        let found = details
            .iter()
            .filter(|found| **found == Some(*detail))
            .count();
        assert_eq!(found, *times, "{detail}: {details:?}");
    }
}

#[tokio::test]
async fn checkout_can_be_declined_and_canceled() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let checkout = owner.checkout("professional", "month").await;
    // A double click opens the same checkout.
    assert_eq!(owner.checkout("professional", "month").await, checkout);
    let shown = owner.get(&checkout).await.expect(200);
    // The trial continues.
    let expected = json!({
        "tier": "professional", "billingInterval": "month", "dueCents": 0, "open": true,
        "declined": false, "firstChargeAt": owner.subscription().await["trialEndDate"],
    });
    assert_eq!(shown, expected);
    let declined = owner
        .post_as(&format!("{checkout}/decline"), json!({}))
        .await;
    assert!(declined.expect(200)["url"].is_string());
    let shown = owner.get(&checkout).await.expect(200);
    assert_eq!([&shown["open"], &shown["declined"]], [true, true]);
    assert_eq!(owner.subscription().await["status"], "trial");
    owner.until_premium(false).await;

    let left = owner
        .post_as(&format!("{checkout}/cancel"), json!({}))
        .await;
    assert_eq!(
        left.expect(200),
        json!({"url": "/subscription?canceled=true"})
    );
    assert_eq!(owner.subscription().await["status"], "trial");
    let late = owner
        .post_as(&format!("{checkout}/succeed"), json!({}))
        .await;
    assert_eq!(late.error(409), "CHECKOUT_CLOSED");
    assert_eq!(owner.subscription().await["status"], "trial");

    // Another plan closes the earlier checkout.
    let yearly = owner.checkout("basic", "year").await;
    assert_eq!(owner.get(&yearly).await.expect(200)["dueCents"], 0);
    let monthly = owner.checkout("basic", "month").await;
    let late = owner.post_as(&format!("{yearly}/succeed"), json!({})).await;
    assert_eq!(late.error(409), "CHECKOUT_CLOSED");
    let paid = owner
        .post_as(&format!("{monthly}/succeed"), json!({}))
        .await;
    paid.expect(200);
    owner
        .settled(json!({"status": "active", "billingInterval": "month"}))
        .await;
    let twice = json!({"tier": "basic", "billingInterval": "month"});
    let twice = owner.post_as("/api/create-checkout-session", twice).await;
    assert_eq!(twice.error(409), "ALREADY_SUBSCRIBED");
}

#[tokio::test]
async fn failed_renewal_has_a_grace_period() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    owner.pay("professional", "month").await;
    owner.card(true).await;
    owner.forward(32).await;
    let grace = owner.settled(json!({"status": "active"})).await;
    assert!(grace["graceEndDate"].is_string(), "{grace}");
    assert_eq!(grace["hasActiveSubscription"], true);
    assert_eq!(grace["actions"], json!(["cancel"]));
    owner.until_premium(true).await;
    let portal = owner.post_as("/api/billing-portal", json!({})).await;
    let portal = portal.expect(200)["url"].as_str().map(str::to_owned);
    assert!(portal.is_some_and(|path| path.starts_with('/')));

    let portal = owner.card(false).await;
    assert_eq!(portal["cardDeclines"], false);
    owner
        .settled(json!({"status": "active", "graceEndDate": null}))
        .await;
    assert_eq!(owner.get("/api/sandbox/portal").await.expect(200), portal);
    for invoice in portal["invoices"].as_array().expect("a list") {
        assert_eq!(invoice["status"], "paid", "{portal}");
    }

    // Not paid in time.
    owner.card(true).await;
    owner.forward(31).await;
    owner.forward(8).await;
    let ended = owner.settled(json!({"hasActiveSubscription": false})).await;
    assert_eq!(ended["status"], "expired");
    owner.until_premium(false).await;
}

#[tokio::test]
async fn trial_can_not_be_paused_and_ends_immediately() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    for (path, body, code) in [
        ("pause", json!({"months": 3}), "CHECKOUT_REQUIRED"),
        ("reactivate", json!({}), "CHECKOUT_REQUIRED"),
        ("upgrade", upgrade("enterprise"), "CHECKOUT_REQUIRED"),
    ] {
        let path = format!("/api/subscription/{path}");
        let refused = owner.post_as(&path, body).await;
        assert_eq!(refused.error(409), code, "{path}");
    }
    let portal = owner.post_as("/api/billing-portal", json!({})).await;
    assert_eq!(portal.error(409), "CHECKOUT_REQUIRED");
    let ended = owner.post_as("/api/subscription/cancel", json!({})).await;
    let ended = ended.expect(200);
    assert_eq!(
        [&ended["status"], &ended["hasActiveSubscription"]],
        [&json!("canceled"), &json!(false)]
    );
    assert_eq!(ended["actions"], json!(["checkout"]));
    owner.pay("basic", "month").await;
}

#[tokio::test]
async fn checkout_of_another_company_is_not_found() {
    let product = Product::new().await;
    let ours = product.owner("Acme").await;
    let theirs = product.owner("Beta").await;
    let checkout = theirs.checkout("basic", "month").await;
    let own = ours.checkout("basic", "month").await;
    assert_ne!(own, checkout);
    let unknown = "/api/sandbox/checkout/cs_none";
    assert_eq!(ours.get(unknown).await.status, 404);
    let foreign = ours.get(&checkout).await;
    assert_eq!(foreign.status, 404);
    assert_eq!(foreign.body, ours.get(unknown).await.body);
    for what in ["succeed", "decline", "cancel"] {
        let reply = ours.post_as(&format!("{checkout}/{what}"), json!({})).await;
        assert_eq!(reply.status, 404, "{what}");
    }
    let shown = theirs.get(&checkout).await.expect(200);
    assert_eq!([&shown["open"], &shown["declined"]], [true, false]);
    for owner in [&ours, &theirs] {
        assert_eq!(owner.subscription().await["status"], "trial");
    }
    // Each company has its own clock.
    ours.forward(29).await;
    ours.settled(json!({"status": "expired", "clockDaysAhead": 29}))
        .await;
    let other = theirs.subscription().await;
    assert_eq!(
        [&other["status"], &other["clockDaysAhead"]],
        [&json!("trial"), &json!(0)]
    );
}

#[tokio::test]
async fn only_the_owner_cancels() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let manager = product.manager_of(&owner).await;
    manager.pay("professional", "month").await;
    for path in ["/api/subscription/cancel", "/api/sandbox/clock"] {
        let refused = manager.post_as(path, json!({"advanceDays": 1})).await;
        assert_eq!(refused.status, 403, "{path}");
    }
    let pause = json!({"months": 6});
    let paused = manager.post_as("/api/subscription/pause", pause).await;
    assert_eq!(paused.expect(200)["status"], "paused");
    let resumed = manager.post_as("/api/subscription/reactivate", json!({}));
    assert_eq!(resumed.await.expect(200)["status"], "active");
    let operator = product.operator_of(&owner).await;
    for path in ["/api/create-checkout-session", "/api/billing-portal"] {
        let body = json!({"tier": "basic", "billingInterval": "month"});
        assert_eq!(operator.post_as(path, body).await.status, 403, "{path}");
    }
}

#[tokio::test]
async fn canceling_a_pause_keeps_the_paid_period() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    owner.forward(29).await;
    let paid = owner.pay("professional", "year").await;
    let pause = json!({"months": 6});
    let paused = owner.post_as("/api/subscription/pause", pause).await;
    assert_eq!(paused.expect(200)["hasActiveSubscription"], false);
    let canceled = owner.post_as("/api/subscription/cancel", json!({})).await;
    let canceled = canceled.expect(200);
    assert_eq!(canceled["status"], "canceled");
    assert_eq!(canceled["hasActiveSubscription"], true);
    assert_eq!(canceled["currentPeriodEnd"], paid["currentPeriodEnd"]);
    assert!(canceled["pauseEndDate"].is_null());
    assert_eq!(canceled["actions"], json!(["reactivate"]));
    owner.forward(364).await;
    owner.settled(json!({"status": "canceled"})).await;
    owner.forward(1).await;
    owner
        .settled(json!({"status": "expired", "hasActiveSubscription": false}))
        .await;
}

#[tokio::test]
async fn invalid_choices_are_reported_by_field() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let before = owner.subscription().await;
    let checkout = "/api/create-checkout-session";
    let good = json!({"tier": "basic", "billingInterval": "month"});
    for (path, field, values) in [
        (checkout, "tier", json!(["gold", "", "Basic", 1, null])),
        (checkout, "billingInterval", json!(["week", "", 12, null])),
        ("/api/subscription/upgrade", "tier", json!(["trial", null])),
        (
            "/api/subscription/upgrade",
            "billingInterval",
            json!(["day"]),
        ),
        (
            "/api/subscription/pause",
            "months",
            json!([0, 1, 4, 12, -3, 3.5, "3", null]),
        ),
        (
            "/api/sandbox/clock",
            "advanceDays",
            json!([0, 401, -1, 1.5, "1", null]),
        ),
        ("/api/sandbox/portal/card", "declines", json!(["yes", 1])),
    ] {
        for value in values.as_array().expect("a list") {
            let mut body = good.clone();
            body[field] = value.clone();
            let reply = owner.post_as(path, body).await;
            let name = format!("{path} {field} {value}: {}", reply.text());
            assert_eq!(reply.status, 400, "{name}");
            assert!(reply.json()["fields"][field].is_string(), "{name}");
        }
    }
    assert_eq!(owner.subscription().await, before);
}

#[tokio::test]
async fn smaller_plan_only_blocks_new_equipment() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    owner.pay("professional", "month").await;
    owner.until_premium(true).await;
    let mut machines = Vec::new();
    for number in 0..17 {
        machines.push(id(&owner.machine(&format!("Crane {number}")).await));
    }
    let smaller = owner.post_as("/api/subscription/upgrade", upgrade("basic"));
    let smaller = smaller.await.expect(200);
    assert_eq!(
        [&smaller["equipmentLimit"], &smaller["equipmentCount"]],
        [15, 17]
    );
    owner.until_premium(false).await;
    let one_more = json!({"name": "Truck", "type": "vehicle", "unit": "miles"});
    let create = || owner.post_as("/api/equipment", one_more.clone());
    assert_eq!(create().await.error(403), "EQUIPMENT_LIMIT_REACHED");
    let path = |id: &str| format!("/api/equipment/{id}");
    let renamed = owner
        .patch(&path(&machines[0]), json!({"name": "Crane"}))
        .await;
    assert_eq!(renamed.expect(200)["name"], "Crane");
    let usage = json!({"usageIncrease": 1});
    let used = owner
        .patch(&format!("{}/usage", path(&machines[0])), usage)
        .await;
    used.expect(200);
    let retire = format!("{}/retire", path(&machines[1]));
    let retired = id(&owner.post_as(&retire, json!({})).await.expect(200));
    let restore = format!("/api/retired-equipment/{retired}/restore");
    let restored = owner.post_as(&restore, json!({})).await;
    assert_eq!(restored.error(403), "EQUIPMENT_LIMIT_REACHED");
    for machine in &machines[2..4] {
        assert_eq!(owner.delete(&path(machine)).await.status, 204);
    }
    // One slot is left for two concurrent calls.
    let (one, other) = tokio::join!(create(), create());
    let mut both = [one.status.as_u16(), other.status.as_u16()];
    both.sort_unstable();
    assert_eq!(both, [201, 403], "{} {}", one.text(), other.text());
    assert_eq!(owner.subscription().await["equipmentCount"], 15);
}
