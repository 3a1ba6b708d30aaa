//! Configuration of Stripe's customer portal.
//!
//! Every manager may open it, but only the owner may cancel, and plan changes have rules of ours.
//! So the portal uses our own configuration instead of the account's default.

use std::collections::HashMap;

use miniserde::Deserialize;
use serde_json::{Value, json};
use stripe_billing::billing_portal_session::CreateBillingPortalSession;
use stripe_client_core::{RequestBuilder, StripeMethod, StripeRequest as _};

use super::StripePayments;
use super::api::PAGE;
use super::wire::{Named, Page};
use crate::provider::{Payer, PaymentError};

const PATH: &str = "/billing_portal/configurations";
/// Identifies our configuration. Change it whenever [`ours`] changes.
const MARK: &str = "portal-1";

#[derive(Debug, Deserialize)]
struct Found {
    id: String,
    metadata: Option<HashMap<String, String>>,
    features: FoundFeatures,
}

#[derive(Debug, Deserialize)]
struct FoundFeatures {
    subscription_cancel: Switch,
    subscription_update: Switch,
}

#[derive(Debug, Deserialize)]
struct Switch {
    enabled: bool,
}

impl Found {
    /// True if it is ours and nothing has enabled cancellation or plan changes in it.
    fn is_ours(&self) -> bool {
        let features = &self.features;
        let mark = self.metadata.as_ref().and_then(|all| all.get("hourmeter"));
        mark.is_some_and(|mark| mark == MARK)
            && !features.subscription_cancel.enabled
            && !features.subscription_update.enabled
    }
}

/// Invoices, card and invoice details; nothing about the subscription.
fn ours() -> Value {
    json!({
        "features": {
            "customer_update": {
                "enabled": true,
                "allowed_updates": ["address", "email", "tax_id"],
            },
            "invoice_history": {"enabled": true},
            "payment_method_update": {"enabled": true},
            "subscription_cancel": {"enabled": false},
            "subscription_update": {"enabled": false},
        },
        "metadata": {"hourmeter": MARK},
    })
}

impl StripePayments {
    pub(super) async fn open_portal(
        &self,
        payer: &Payer,
        key: &str,
    ) -> Result<String, PaymentError> {
        let known = self.configuration.read().await.clone();
        let configuration = match known {
            Some(known) => known,
            None => self.find_configuration(key).await?,
        };
        let create = CreateBillingPortalSession::new()
            .customer(&payer.customer_id)
            .configuration(configuration)
            .return_url(self.address("/subscription"));
        let page = self.api.write::<Page>(create.build(), key).await;
        if matches!(page, Err(PaymentError::Refused(_))) {
            // It may have been disabled at Stripe; the next call looks for one.
            *self.configuration.write().await = None;
        }
        Ok(page?.url)
    }

    /// Finds or creates our configuration. Two processes may create two, which is harmless.
    async fn find_configuration(&self, key: &str) -> Result<String, PaymentError> {
        let query = json!({"active": true, "limit": PAGE});
        let list = || RequestBuilder::new(StripeMethod::Get, PATH).query(&query);
        let listed = self.api.read_all(list, |found: &Found| &found.id).await?;
        let id = if let Some(ours) = listed.into_iter().find(Found::is_ours) {
            ours.id
        } else {
            let request = RequestBuilder::new(StripeMethod::Post, PATH).form(&ours());
            let key = format!("{key}:configuration");
            let made: Named = self.api.write(request, &key).await?;
            made.id
        };
        *self.configuration.write().await = Some(id.clone());
        Ok(id)
    }
}
