//! Actions of a company at the sandbox payment provider.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::product::Browser;

/// How soon a change at the provider must be visible.
const SOON: Duration = Duration::from_secs(1);

impl Browser {
    pub async fn subscription(&self) -> Value {
        self.get("/api/subscription/info").await.expect(200)
    }

    /// Waits until the subscription has these values.
    #[track_caller]
    pub fn settled(&self, expected: Value) -> impl Future<Output = Value> + use<> {
        let browser = self.clone();
        let place = std::panic::Location::caller();
        async move {
            let began = Instant::now();
            loop {
                let info = browser.subscription().await;
                let fields = expected.as_object().expect("an object");
                let wrong = fields.iter().find(|(name, value)| info[*name] != **value);
                let Some((name, value)) = wrong else {
                    return info;
                };
                let late = began.elapsed() > SOON;
                assert!(!late, "{place}: {name} is not {value}: {info}");
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    }

    /// Creates a checkout; returns the path of its calls.
    pub async fn checkout(&self, tier: &str, interval: &str) -> String {
        let body = json!({"tier": tier, "billingInterval": interval});
        let reply = self.post_as("/api/create-checkout-session", body).await;
        let link = reply.expect(200);
        let path = link["url"].as_str().expect("a text");
        assert!(path.starts_with("/sandbox/checkout/"), "{link}");
        format!("/api{path}")
    }

    pub async fn pay(&self, tier: &str, interval: &str) -> Value {
        let checkout = self.checkout(tier, interval).await;
        let succeed = format!("{checkout}/succeed");
        let link = self.post_as(&succeed, json!({})).await.expect(200);
        assert_eq!(link, json!({"url": "/subscription?success=true"}));
        let expected = json!({"status": "active", "tier": tier, "billingInterval": interval});
        self.settled(expected).await
    }

    /// Advances the company's billing clock.
    pub async fn forward(&self, days: u32) -> Value {
        let body = json!({"advanceDays": days});
        self.post_as("/api/sandbox/clock", body).await.expect(200)
    }

    /// Replaces the company's card.
    pub async fn card(&self, declines: bool) -> Value {
        let body = json!({"declines": declines});
        let reply = self.post_as("/api/sandbox/portal/card", body).await;
        reply.expect(200)
    }

    /// Whether premium features are available.
    pub async fn premium(&self) -> bool {
        let premium = self.premium_features().await;
        premium.expect("all or no premium features")
    }

    /// Whether fuel analytics and service parts are available. None: only one of them, because the
    /// entitlements changed between the two calls.
    async fn premium_features(&self) -> Option<bool> {
        let analytics = self.get("/api/fuel/summary").await;
        let parts = json!({
            "name": "Parts", "type": "tools", "unit": "n/a",
            "serviceParts": [{"part": "Filter", "partNumber": "F-1", "qty": 1}],
        });
        let created = self.post_as("/api/equipment", parts).await;
        let open = (analytics.status.as_u16(), created.status.as_u16());
        if open.1 == 201 {
            let row = created.json();
            let path = format!("/api/equipment/{}", crate::product::id(&row));
            match self.delete(&path).await.status.as_u16() {
                204 => {}
                // Access ended after it was created.
                402 => return None,
                status => panic!("{status}"),
            }
        }
        match open {
            (200, 201) => Some(true),
            (403, 402 | 403) => {
                let closed = [analytics.error(403), created.json()["code"].to_string()];
                assert_eq!(closed[0], "FEATURE_NOT_IN_PLAN");
                assert!(closed[1].contains("FEATURE_NOT_IN_PLAN") || open.1 == 402);
                Some(false)
            }
            (200, 402 | 403) | (403, 201) => None,
            _ => panic!("{} {}", analytics.text(), created.text()),
        }
    }

    /// Waits until premium features are available or not.
    pub async fn until_premium(&self, wanted: bool) {
        let began = Instant::now();
        while self.premium_features().await != Some(wanted) {
            assert!(began.elapsed() < SOON, "premium is not {wanted} in time");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}
