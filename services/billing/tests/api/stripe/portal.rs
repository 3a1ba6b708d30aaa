//! The portal at Stripe.

use serde_json::json;

use super::*;

/// Number of portal configurations created by this program.
fn made(fake: &Fake) -> usize {
    fake.world(|world| {
        let all = world.configurations.values();
        all.filter(|one| one["metadata"]["hourmeter"] == "portal-1")
            .count()
    })
}

#[tokio::test]
async fn portal_cannot_cancel_or_change_subscription() {
    let (billing, fake) = serving(TIMEOUT).await;
    let company = paying(&billing, &fake).await;
    for _ in 0..2 {
        company.portal().await.unwrap();
    }
    let payer = Payer {
        tenant: company.tenant(),
        customer_id: company.customer_id().await,
    };
    let another_process = provider(&billing, &fake, API_KEY);
    another_process.open_portal(&payer, "other").await.unwrap();
    let portals = fake.world(|world| world.portals.clone());
    assert_eq!(portals.len(), 3);
    for portal in portals {
        let features = &portal["features"];
        let enabled = |name: &str| features[name]["enabled"].as_bool().unwrap();
        assert!(!enabled("subscription_cancel"), "{portal}");
        assert!(!enabled("subscription_update"), "{portal}");
        assert!(enabled("invoice_history"), "{portal}");
        assert!(enabled("payment_method_update"), "{portal}");
        let updates = &features["customer_update"]["allowed_updates"];
        assert_eq!(*updates, json!(["address", "email", "tax_id"]));
    }
    assert_eq!(made(&fake), 1, "created once and then found");
}

#[tokio::test]
async fn portal_configuration_is_found_on_later_page() {
    let (billing, fake) = serving(TIMEOUT).await;
    let first = provider(&billing, &fake, API_KEY);
    let payer = customer(&first).await;
    first.open_portal(&payer, "first").await.unwrap();
    fake.world(|world| {
        let foreign = json!({
            "active": true,
            "metadata": {},
            "features": {
                "subscription_cancel": {"enabled": true},
                "subscription_update": {"enabled": true},
            },
        });
        for number in 0..120 {
            let (id, mut one) = (format!("bpc_x{number:03}"), foreign.clone());
            one["id"] = json!(id);
            world.configurations.insert(id, one);
        }
    });
    let second = provider(&billing, &fake, API_KEY);
    second.open_portal(&payer, "second").await.unwrap();
    assert_eq!(made(&fake), 1);
    let cancel = fake.world(|world| world.portals[1]["features"]["subscription_cancel"].clone());
    assert_eq!(cancel, json!({"enabled": false}));
}

#[tokio::test]
async fn portal_configuration_changed_at_stripe_is_replaced() {
    let (billing, fake) = serving(TIMEOUT).await;
    let company = paying(&billing, &fake).await;
    company.portal().await.unwrap();
    let change = |field: &str, value: bool| {
        fake.world(|world| {
            for one in world.configurations.values_mut() {
                *one.pointer_mut(field).unwrap() = json!(value);
            }
        });
    };
    change("/active", false);
    company.portal().await.unwrap_err();
    company.portal().await.unwrap();
    assert_eq!(made(&fake), 2);

    change("/active", true);
    change("/features/subscription_cancel/enabled", true);
    let another_process = provider(&billing, &fake, API_KEY);
    let payer = customer(&another_process).await;
    another_process.open_portal(&payer, "other").await.unwrap();
    assert_eq!(made(&fake), 3);
    let last = fake.world(|world| world.portals.pop()).unwrap();
    assert_eq!(last["features"]["subscription_cancel"]["enabled"], false);
}
