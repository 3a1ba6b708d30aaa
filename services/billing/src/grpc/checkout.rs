//! Opens the provider's checkout and portal pages.
//!
//! At most one checkout of a company can be paid at any time: the row stores its id, and opening
//! another one closes it first. A payment made meanwhile is found by reconciling after closing.

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_proto::billing::v1;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::idempotency::Key;
use hourmeter_runtime::identity::{Caller, Identity, Tenant};
use tonic::Request;

use super::error::state_conflict;
use super::reconcile::{HOUR, bucket, payer};
use super::{Billing, convert, person};
use crate::domain::actions::{Action, Refusal, State};
use crate::domain::subscription::Subscription;
use crate::provider::{Offer, Payer, PaymentError};
use crate::refusals;
use crate::store::due as due_store;
use crate::store::payments::{self, Opened, PaymentState};

/// A checkout that stays open at least this long is returned again.
const MIN_VALIDITY: TimeDelta = TimeDelta::minutes(5);
/// First check for a payment in case the provider's event does not arrive.
const FIRST_CHECK: TimeDelta = TimeDelta::minutes(1);
/// Attempts when concurrent calls open checkouts.
const MAX_ATTEMPTS: u32 = 5;

enum OpenOutcome {
    Done(String),
    /// A concurrent call has opened another checkout.
    LostRace,
    /// The provider has deleted the customer.
    NoCustomer,
}

pub async fn create_checkout_session(
    api: &Billing,
    request: Request<v1::CreateCheckoutSessionRequest>,
) -> Result<v1::CreateCheckoutSessionResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let key = Key::read(&request, "CreateCheckoutSession")?;
    let offer = convert::offer(request.into_inner())?;
    let sender = person(&identity);
    let work = |billing: Billing| async move {
        let url = billing.checkout(&identity, offer).await?;
        Ok(v1::CreateCheckoutSessionResponse { url })
    };
    api.run_once(sender, key, work).await
}

pub async fn create_portal_session(
    api: &Billing,
    request: Request<v1::CreatePortalSessionRequest>,
) -> Result<v1::CreatePortalSessionResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let key = Key::read(&request, "CreatePortalSession")?;
    let sender = person(&identity);
    let work = |billing: Billing| async move {
        let tenant = identity.tenant();
        let row = billing.current(tenant).await?;
        let payer = payer(tenant, &row).ok_or(Refusal::CheckoutRequired)?;
        let provider_key = format!("{}:portal:{}", identity.company_id, identity.request_id);
        let url = billing.payments.open_portal(&payer, &provider_key).await?;
        Ok(v1::CreatePortalSessionResponse { url })
    };
    api.run_once(sender, key, work).await
}

impl Billing {
    /// Returns the URL of the open checkout or opens one.
    async fn checkout(&self, identity: &Identity, offer: Offer) -> Result<String, ServiceError> {
        let tenant = identity.tenant();
        let mut payer = self.ensure_customer(tenant, None).await?;
        for attempt in 1..=MAX_ATTEMPTS {
            let before = self.check_can_subscribe(tenant).await?;
            if let Some(opened) = &before.opened {
                let row = self.current(tenant).await?;
                let now = row.now(self.clock.now());
                if opened.offer == offer && is_reusable(opened, now) {
                    return Ok(opened.checkout.url.clone());
                }
                self.close(&payer, opened).await?;
                // It may have been paid just before it was closed.
                self.check_can_subscribe(tenant).await?;
            }
            let request = identity.request_id;
            let key = format!("{}:checkout-{attempt}:{request}", identity.company_id);
            match self.open_if_unchanged(&payer, &before, offer, &key).await? {
                OpenOutcome::Done(url) => return Ok(url),
                OpenOutcome::LostRace => {}
                OpenOutcome::NoCustomer => {
                    payer = self
                        .ensure_customer(tenant, Some(&payer.customer_id))
                        .await?;
                }
            }
        }
        Err(state_conflict(refusals::CHECKOUT_IN_PROGRESS))
    }

    /// Closes a checkout. Its URL is cleared first, so that a process killed in between never
    /// returns a closed page.
    async fn close(&self, payer: &Payer, opened: &Opened) -> Result<(), ServiceError> {
        let id = &opened.checkout.id;
        let mut tx = self.database.tenant(payer.tenant).await?;
        payments::clear_checkout_url(&mut tx, id).await?;
        tx.commit().await?;
        Ok(self.payments.close_checkout(payer, id).await?)
    }

    /// Opens a checkout unless a concurrent call has opened one since `before`.
    async fn open_if_unchanged(
        &self,
        payer: &Payer,
        before: &PaymentState,
        offer: Offer,
        key: &str,
    ) -> Result<OpenOutcome, ServiceError> {
        let tenant = payer.tenant;
        let real = self.clock.now();
        let row = self.current(tenant).await?;
        let now = row.now(real);
        let first_charge = row.first_charge(now);
        let checkout = self
            .payments
            .open_checkout(payer, offer, first_charge, now, key);
        let checkout = match checkout.await {
            Err(PaymentError::NoCustomer) => return Ok(OpenOutcome::NoCustomer),
            opened => opened?,
        };
        let opened = Opened { offer, checkout };
        let before = before.opened.as_ref();
        let before = before.map(|before| before.checkout.id.as_str());
        let mut tx = self.database.tenant(tenant).await?;
        let is_ours = payments::set_checkout(&mut tx, before, &opened).await?;
        due_store::check_by(&mut tx, real + FIRST_CHECK).await?;
        tx.commit().await?;
        if is_ours {
            return Ok(OpenOutcome::Done(opened.checkout.url));
        }
        // No client has its URL, but it must not be payable.
        self.payments
            .close_checkout(payer, &opened.checkout.id)
            .await?;
        Ok(OpenOutcome::LostRace)
    }

    /// Reconciles and returns the payment state; fails if a paid subscription runs.
    async fn check_can_subscribe(&self, tenant: Tenant) -> Result<PaymentState, ServiceError> {
        let row = self.reconcile(tenant, None).await?;
        State::of(&row, row.now(self.clock.now())).check(Action::Checkout)?;
        let mut tx = self.database.tenant(tenant).await?;
        let payment_state = payments::payment_state(&mut tx, self.payments.name()).await?;
        tx.commit().await?;
        Ok(payment_state)
    }

    /// Returns the company's customer and creates it if necessary. `gone` is a customer that the
    /// provider does not know any more.
    async fn ensure_customer(
        &self,
        tenant: Tenant,
        gone: Option<&str>,
    ) -> Result<Payer, ServiceError> {
        let stored = payer(tenant, &self.current(tenant).await?);
        if let Some(payer) = stored.filter(|payer| gone != Some(&payer.customer_id)) {
            return Ok(payer);
        }
        let real = self.clock.now();
        let after = gone.map_or(String::new(), |gone| format!("{gone}:"));
        let hour = bucket(real, HOUR);
        let key = format!("{}:customer:{after}{hour}", tenant.company_id());
        let made = self.payments.create_customer(tenant, &key).await?;
        let provider = self.payments.name();
        let mut tx = self.database.tenant(tenant).await?;
        payments::set_customer(&mut tx, provider, &made, gone, real).await?;
        // A concurrent call may have stored one first.
        let row = self.find(&mut tx).await?;
        tx.commit().await?;
        self.publish_change(tenant);
        payer(tenant, &row).ok_or_else(|| ServiceError::internal("stored customer not found"))
    }

    pub(super) async fn current(&self, tenant: Tenant) -> Result<Subscription, ServiceError> {
        let mut tx = self.database.tenant(tenant).await?;
        let row = self.find(&mut tx).await?;
        tx.commit().await?;
        Ok(row)
    }
}

fn is_reusable(opened: &Opened, now: DateTime<Utc>) -> bool {
    let checkout = &opened.checkout;
    !checkout.url.is_empty() && checkout.expires_at - now >= MIN_VALIDITY
}
