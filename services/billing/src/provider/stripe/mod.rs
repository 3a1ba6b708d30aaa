//! Payments through Stripe.
//!
//! Checkout and portal are pages at Stripe. `wire` converts answers to [`ProviderSubscription`];
//! `change` holds the calls that change a subscription.

pub mod api;
mod change;
mod offers;
mod portal;
pub mod wire;

use std::collections::HashMap;
use std::time::Duration;

use chrono::{DateTime, Utc};
use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use stripe_billing::subscription::{ListSubscription, ListSubscriptionStatus};
use stripe_checkout::CheckoutSessionMode;
use stripe_checkout::checkout_session::{
    CreateCheckoutSession, CreateCheckoutSessionCustomerUpdate,
    CreateCheckoutSessionCustomerUpdateAddress, CreateCheckoutSessionCustomerUpdateName,
    CreateCheckoutSessionLineItems, CreateCheckoutSessionSubscriptionData, ExpireCheckoutSession,
    RetrieveCheckoutSession,
};
use stripe_client_core::StripeRequest as _;
use stripe_core::customer::CreateCustomer;
use tokio::sync::RwLock;
use uuid::Uuid;

use self::api::{Api, PAGE, is_missing};
use self::offers::Offers;
use self::wire::{CheckoutSession, Named, Subscription, time};
use super::{Change, Checkout, Offer, Payer, PaymentError, Payments, ProviderSubscription};
use crate::settings::StripeSettings;

/// Of one call.
pub const TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub struct StripePayments {
    api: Api,
    offers: Offers,
    /// The id of our configuration of the portal, once known.
    configuration: RwLock<Option<String>>,
    public_origin: String,
}

impl StripePayments {
    pub fn new(
        settings: &StripeSettings,
        database: Database,
        timeout: Duration,
    ) -> Result<Self, ServiceError> {
        Ok(Self {
            api: Api::new(settings, timeout)?,
            offers: Offers::new(database),
            configuration: RwLock::default(),
            public_origin: settings.public_origin.clone(),
        })
    }

    /// A URL of this site.
    fn address(&self, path: &str) -> String {
        format!("{}{path}", self.public_origin)
    }
}

/// Shown in Stripe's dashboard; never read here.
fn metadata(tenant: Tenant) -> HashMap<String, String> {
    let company_id = tenant.company_id().to_string();
    HashMap::from([("company_id".to_owned(), company_id)])
}

#[tonic::async_trait]
impl Payments for StripePayments {
    fn name(&self) -> &'static str {
        "stripe"
    }

    async fn create_customer(&self, tenant: Tenant, key: &str) -> Result<String, PaymentError> {
        let customer = CreateCustomer::new().metadata(metadata(tenant));
        let customer: Named = self.api.write(customer.build(), key).await?;
        Ok(customer.id)
    }

    /// Stripe's default expiry (24 hours) is not sent: a changed value would make a repeated call
    /// with the same key fail.
    async fn open_checkout(
        &self,
        payer: &Payer,
        offer: Offer,
        first_charge: Option<DateTime<Utc>>,
        _now: DateTime<Utc>,
        key: &str,
    ) -> Result<Checkout, PaymentError> {
        let mut line = CreateCheckoutSessionLineItems::new();
        line.price = Some(self.offers.sold(offer).await?.price_id);
        line.quantity = Some(1);
        let mut subscription = CreateCheckoutSessionSubscriptionData::new();
        subscription.metadata = Some(metadata(payer.tenant));
        subscription.trial_end = first_charge.map(|at| at.timestamp());
        let mut update = CreateCheckoutSessionCustomerUpdate::new();
        update.address = Some(CreateCheckoutSessionCustomerUpdateAddress::Auto);
        update.name = Some(CreateCheckoutSessionCustomerUpdateName::Auto);
        let create = CreateCheckoutSession::new()
            .mode(CheckoutSessionMode::Subscription)
            .customer(&payer.customer_id)
            .customer_update(update)
            .line_items(vec![line])
            .subscription_data(subscription)
            .success_url(self.address("/subscription?success=true"))
            .cancel_url(self.address("/subscription?canceled=true"));
        let session: CheckoutSession = self.api.write(create.build(), key).await?;
        let (Some(url), Some(expires_at)) = (session.url, time(session.expires_at)) else {
            return Err(PaymentError::Refused("the checkout is closed".to_owned()));
        };
        Ok(Checkout {
            id: session.id,
            url,
            expires_at,
        })
    }

    async fn close_checkout(&self, _payer: &Payer, checkout_id: &str) -> Result<(), PaymentError> {
        // A random key: Stripe would repeat an old response, and expiring twice is harmless.
        let key = format!("{checkout_id}:expire:{}", Uuid::now_v7());
        let expire = ExpireCheckoutSession::new(checkout_id);
        let error = match self.api.write::<Named>(expire.build(), &key).await {
            Ok(_) => return Ok(()),
            Err(error) if is_missing(&error) => return Ok(()),
            Err(error @ PaymentError::Refused(_)) => error,
            Err(other) => return Err(other),
        };
        let retrieve = RetrieveCheckoutSession::new(checkout_id);
        let session: CheckoutSession = self.api.read(retrieve.build()).await?;
        match session.status.as_deref() {
            Some("complete" | "expired") => Ok(()),
            _ => Err(error),
        }
    }

    async fn subscriptions(
        &self,
        payer: &Payer,
        now: DateTime<Utc>,
    ) -> Result<Vec<ProviderSubscription>, PaymentError> {
        let list = ListSubscription::new()
            .customer(&payer.customer_id)
            .status(ListSubscriptionStatus::All)
            .expand(vec!["data.latest_invoice".to_owned()])
            .limit(PAGE);
        let listed = self
            .api
            .read_all(|| list.build(), |one: &Subscription| &one.id);
        let listed = match listed.await {
            // An unknown customer has none; the next checkout creates a new customer.
            Err(PaymentError::NoCustomer) => return Ok(Vec::new()),
            listed => listed?,
        };
        let mut subscriptions = Vec::new();
        for subscription in listed {
            if subscription.was_paid() {
                let price = self.offers.of(&subscription.item()?.price.id).await?;
                subscriptions.push(subscription.to_provider_subscription(price.offer, now)?);
            }
        }
        subscriptions.sort_by_key(|subscription| std::cmp::Reverse(subscription.created_at));
        Ok(subscriptions)
    }

    async fn change(
        &self,
        _payer: &Payer,
        subscription_id: &str,
        change: Change,
        now: DateTime<Utc>,
        key: &str,
    ) -> Result<(), PaymentError> {
        let update = match change {
            Change::Plan(offer) => self.plan_update(subscription_id, offer, now).await?,
            Change::Pause(until) => self.pause_update(subscription_id, until, now).await?,
            Change::Resume => self.resume_update(subscription_id, now).await?,
            Change::BeginPeriod => self.period_update(subscription_id, now).await?,
            Change::CancelAtPeriodEnd => {
                return self.cancel_at_period_end(subscription_id, now, key).await;
            }
            Change::CancelNow { credit } => {
                return self.cancel_now(subscription_id, credit, key).await;
            }
        };
        if let Some(update) = update {
            let _: Named = self.api.write(update, key).await?;
        }
        Ok(())
    }

    async fn open_portal(&self, payer: &Payer, key: &str) -> Result<String, PaymentError> {
        self.open_portal(payer, key).await
    }
}
