//! The way to the provider's pages: checkout and portal.
//!
//! At most one checkout of a company can be paid at any time: the row names it, and whoever opens
//! another one closes it first. What was paid meanwhile is found by reading after closing.

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Identity, Tenant};

use super::reading::{HOUR, bucket, payer};
use super::trouble::{failure, state};
use super::{Billing, detached};
use crate::domain::actions::{Action, Refusal, State};
use crate::domain::subscription::Subscription;
use crate::provider::{Checkout, Offer, Payer, PaymentError};
use crate::refusals;
use crate::store::due as due_store;
use crate::store::payments::{self, Ledger, Opened};

/// One that is open and valid for that long is answered again.
const WORTH_ANSWERING: TimeDelta = TimeDelta::minutes(5);
/// When it is first looked at whether it was paid, should the provider's event not come.
const FIRST_LOOK: TimeDelta = TimeDelta::minutes(1);
/// How often it is begun anew when another call opens one at the same moment.
const MOST_TRIES: u32 = 5;

/// What has become of opening one.
enum Opening {
    /// It is here.
    Done(String),
    /// Somebody else has opened another one.
    Overtaken,
    /// The provider does not know the company's customer any more.
    NoCustomer,
}

impl Billing {
    /// Opens a checkout, or answers the one that is open; in a task of its own, so that a person
    /// who goes away leaves no page behind that nobody knows of.
    pub(super) async fn checkout(
        &self,
        identity: Identity,
        offer: Offer,
    ) -> Result<String, ServiceError> {
        let billing = self.clone();
        detached(async move { billing.open(&identity, offer).await }).await
    }

    async fn open(&self, identity: &Identity, offer: Offer) -> Result<String, ServiceError> {
        let tenant = identity.tenant();
        let mut payer = self.make_customer(tenant, None).await?;
        for attempt in 1..=MOST_TRIES {
            let before = self.check_at_provider(tenant).await?;
            if let Some(opened) = &before.opened {
                let row = self.current(tenant).await?;
                let now = row.now(self.clock.now());
                if opened.offer == offer && is_worth_answering(opened, now) {
                    return Ok(opened.checkout.url.clone());
                }
                self.close(&payer, opened).await?;
                // It may have been paid just before it was closed.
                self.check_at_provider(tenant).await?;
            }
            let request = identity.request_id;
            let key = format!("{}:checkout-{attempt}:{request}", identity.company_id);
            match self.open_after(&payer, &before, offer, &key).await? {
                Opening::Done(url) => return Ok(url),
                Opening::Overtaken => {}
                Opening::NoCustomer => {
                    payer = self.make_customer(tenant, Some(&payer.customer_id)).await?;
                }
            }
        }
        Err(state(refusals::CHECKOUT_IN_PROGRESS))
    }

    /// Closes one that is not wanted any more. Killed in between, nobody is led to the closed page.
    async fn close(&self, payer: &Payer, opened: &Opened) -> Result<(), ServiceError> {
        let id = &opened.checkout.id;
        let mut tx = self.database.tenant(payer.tenant).await?;
        payments::spoil_checkout(&mut tx, payer.tenant, id).await?;
        tx.commit().await?;
        let closed = self.payments.close_checkout(payer, id).await;
        closed.map_err(failure)
    }

    /// Opens one, unless somebody else has since `before`.
    async fn open_after(
        &self,
        payer: &Payer,
        before: &Ledger,
        offer: Offer,
        key: &str,
    ) -> Result<Opening, ServiceError> {
        let tenant = payer.tenant;
        let real = self.clock.now();
        let now = self.current(tenant).await?.now(real);
        let checkout = self.payments.open_checkout(payer, offer, now, key).await;
        let checkout = match checkout {
            Err(PaymentError::NoCustomer) => return Ok(Opening::NoCustomer),
            opened => opened.map_err(failure)?,
        };
        let opened = Opened { offer, checkout };
        let before = before.opened.as_ref();
        let before = before.map(|before| before.checkout.id.as_str());
        let mut tx = self.database.tenant(tenant).await?;
        let is_ours = payments::set_checkout(&mut tx, tenant, before, &opened).await?;
        due_store::look_by(&mut tx, tenant, real + FIRST_LOOK).await?;
        tx.commit().await?;
        if is_ours {
            return Ok(Opening::Done(opened.checkout.url));
        }
        // Its address was told to nobody; it is closed all the same.
        let closed = self
            .payments
            .close_checkout(payer, &opened.checkout.id)
            .await;
        closed.map_err(failure)?;
        Ok(Opening::Overtaken)
    }

    /// What is kept of the company, once it is sure that nothing paid runs at the provider.
    async fn check_at_provider(&self, tenant: Tenant) -> Result<Ledger, ServiceError> {
        let row = self.read(tenant, None).await?;
        State::of(&row, row.now(self.clock.now())).check(Action::Checkout)?;
        let mut tx = self.database.tenant(tenant).await?;
        let ledger = payments::ledger(&mut tx, tenant, self.payments.name()).await?;
        tx.commit().await?;
        Ok(ledger)
    }

    /// The company's customer, made once and stored before anything else; another one than `gone`,
    /// which the provider does not know any more.
    async fn make_customer(
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
        let made = self.payments.create_customer(tenant, &key).await;
        let made = made.map_err(failure)?;
        let provider = self.payments.name();
        let mut tx = self.database.tenant(tenant).await?;
        payments::set_customer(&mut tx, tenant, provider, &made, gone, real).await?;
        // Another call may have stored one first.
        let row = self.find(&mut tx).await?;
        tx.commit().await?;
        self.tell(tenant);
        payer(tenant, &row)
            .ok_or_else(|| ServiceError::internal("a customer just stored is not there"))
    }

    /// Opens the provider's pages of invoices and card; answers where.
    pub(super) async fn portal(&self, identity: &Identity) -> Result<String, ServiceError> {
        let tenant = identity.tenant();
        let row = self.current(tenant).await?;
        let payer = payer(tenant, &row).ok_or(Refusal::CheckoutRequired)?;
        let key = format!("{}:portal:{}", identity.company_id, identity.request_id);
        self.payments
            .open_portal(&payer, &key)
            .await
            .map_err(failure)
    }

    /// The company's subscription as stored.
    pub(super) async fn current(&self, tenant: Tenant) -> Result<Subscription, ServiceError> {
        let mut tx = self.database.tenant(tenant).await?;
        let row = self.find(&mut tx).await?;
        tx.commit().await?;
        Ok(row)
    }
}

fn is_worth_answering(opened: &Opened, now: DateTime<Utc>) -> bool {
    let Checkout {
        url, expires_at, ..
    } = &opened.checkout;
    !url.is_empty() && *expires_at - now >= WORTH_ANSWERING
}
