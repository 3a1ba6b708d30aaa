//! Configuration of Stripe's customer portal.
//!
//! Every manager may open it, but only the owner may cancel, and plan changes have rules of ours.
//! So the portal uses our own configuration instead of the account's default.

use std::sync::{PoisonError, RwLock};

use miniserde::Deserialize;
use serde::Serialize;
use stripe_billing::billing_portal_session::CreateBillingPortalSession;
use stripe_client_core::{RequestBuilder, StripeMethod, StripeRequest as _};

use super::StripePayments;
use super::wire::{List, Named, Page};
use crate::provider::{Payer, PaymentError};

const PATH: &str = "/billing_portal/configurations";
/// Identifies our configuration. Change it whenever [`ours`] changes.
const MARK: &str = "portal-1";

/// The id of our configuration, once known.
#[derive(Debug, Default)]
pub struct Configuration(RwLock<Option<String>>);

impl Configuration {
    fn get(&self) -> Option<String> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        known.clone()
    }

    fn set(&self, id: Option<String>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = id;
    }
}

#[derive(Debug, Deserialize)]
struct Found {
    id: String,
    metadata: Option<Metadata>,
    features: FoundFeatures,
}

#[derive(Debug, Default, Deserialize, Serialize)]
struct Metadata {
    hourmeter: Option<String>,
}

#[derive(Debug, Deserialize)]
struct FoundFeatures {
    subscription_cancel: Switch,
    subscription_update: Switch,
}

#[derive(Debug, Deserialize, Serialize)]
struct Switch {
    enabled: bool,
}

impl Found {
    /// True if it is ours and nothing has enabled cancellation or plan changes in it.
    fn is_ours(&self) -> bool {
        let features = &self.features;
        let mark = self
            .metadata
            .as_ref()
            .and_then(|all| all.hourmeter.as_deref());
        mark == Some(MARK)
            && !features.subscription_cancel.enabled
            && !features.subscription_update.enabled
    }
}

#[derive(Serialize)]
struct Listed<'a> {
    active: bool,
    limit: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    starting_after: Option<&'a str>,
}

#[derive(Serialize)]
struct Made {
    features: Features,
    metadata: Metadata,
}

#[derive(Serialize)]
struct Features {
    customer_update: CustomerUpdate,
    invoice_history: Switch,
    payment_method_update: Switch,
    subscription_cancel: Switch,
    subscription_update: Switch,
}

#[derive(Serialize)]
struct CustomerUpdate {
    enabled: bool,
    allowed_updates: [&'static str; 3],
}

/// Invoices, card and invoice details; nothing about the subscription.
fn ours() -> Made {
    let (on, off) = (|| Switch { enabled: true }, || Switch { enabled: false });
    Made {
        features: Features {
            customer_update: CustomerUpdate {
                enabled: true,
                allowed_updates: ["address", "email", "tax_id"],
            },
            invoice_history: on(),
            payment_method_update: on(),
            subscription_cancel: off(),
            subscription_update: off(),
        },
        metadata: Metadata {
            hourmeter: Some(MARK.to_owned()),
        },
    }
}

impl StripePayments {
    pub(super) async fn open_portal(
        &self,
        payer: &Payer,
        key: &str,
    ) -> Result<String, PaymentError> {
        let configuration = match self.configuration.get() {
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
            self.configuration.set(None);
        }
        Ok(page?.url)
    }

    /// Finds or creates our configuration. Two processes may create two, which is harmless.
    async fn find_configuration(&self, key: &str) -> Result<String, PaymentError> {
        let id = if let Some(id) = self.listed_configuration().await? {
            id
        } else {
            let request = RequestBuilder::new(StripeMethod::Post, PATH).form(&ours());
            let key = format!("{key}:configuration");
            let made: Named = self.api.write(request, &key).await?;
            made.id
        };
        self.configuration.set(Some(id.clone()));
        Ok(id)
    }

    async fn listed_configuration(&self) -> Result<Option<String>, PaymentError> {
        let mut last: Option<String> = None;
        loop {
            let request = RequestBuilder::new(StripeMethod::Get, PATH).query(&Listed {
                active: true,
                limit: 100,
                starting_after: last.as_deref(),
            });
            let page: List<Found> = self.api.read(request).await?;
            last = page.data.last().map(|one| one.id.clone());
            if let Some(ours) = page.data.into_iter().find(Found::is_ours) {
                return Ok(Some(ours.id));
            }
            if !page.has_more || last.is_none() {
                return Ok(None);
            }
        }
    }
}
