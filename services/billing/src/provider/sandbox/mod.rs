//! The built-in provider, which moves no money.
//!
//! Each customer is one stored `Account`. Operations are pure functions of account and time; this
//! module locks the account, applies one and stores it.

pub(crate) mod account;
pub(crate) mod engine;
mod events;
mod money;
mod pages;
mod time;

use chrono::{DateTime, Utc};
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::{Database, TenantTx};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;

use self::account::{Account, customer_id};
use self::engine::Refusal;
use super::{Change, Checkout, Offer, Payer, PaymentError, Payments, ProviderSubscription};
use crate::store::sandbox as store;

pub(crate) use self::money::price;
pub use self::pages::Decision;

pub const NAME: &str = "sandbox";

#[derive(Clone, Debug)]
pub struct Sandbox {
    database: Database,
    clock: Clock,
}

impl Sandbox {
    /// `clock` is the real clock.
    pub fn new(database: Database, clock: Clock) -> Self {
        Self { database, clock }
    }

    /// Locks the account until the transaction ends.
    async fn lock(&self, payer: &Payer) -> Result<(TenantTx, Account), PaymentError> {
        if payer.customer_id != customer_id(payer.tenant.company_id()) {
            return Err(PaymentError::NoCustomer);
        }
        let mut tx = self.database.tenant(payer.tenant).await?;
        let account = store::lock(&mut tx).await?;
        Ok((tx, account.ok_or(PaymentError::NoCustomer)?))
    }

    async fn store(&self, mut tx: TenantTx, account: &Account) -> Result<(), ServiceError> {
        store::save(&mut tx, account, self.clock.now()).await?;
        tx.commit().await
    }
}

impl From<Refusal> for PaymentError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Declined => Self::Declined(refusal.to_string()),
            refusal => Self::Refused(refusal.to_string()),
        }
    }
}

#[tonic::async_trait]
impl Payments for Sandbox {
    fn name(&self) -> &'static str {
        NAME
    }

    async fn create_customer(&self, tenant: Tenant, _key: &str) -> Result<String, PaymentError> {
        // A company always gets the same customer.
        let now = self.clock.now();
        // The account's time starts with its first operation.
        let account = Account::new(tenant.company_id(), DateTime::UNIX_EPOCH);
        let mut tx = self.database.tenant(tenant).await?;
        store::insert(&mut tx, &account, now).await?;
        tx.commit().await?;
        Ok(account.customer_id())
    }

    async fn open_checkout(
        &self,
        payer: &Payer,
        offer: Offer,
        first_charge: Option<DateTime<Utc>>,
        now: DateTime<Utc>,
        key: &str,
    ) -> Result<Checkout, PaymentError> {
        let (tx, mut account) = self.lock(payer).await?;
        let checkout = account.open_checkout(offer, first_charge, now, key);
        self.store(tx, &account).await?;
        Ok(checkout)
    }

    async fn close_checkout(&self, payer: &Payer, checkout_id: &str) -> Result<(), PaymentError> {
        let (tx, mut account) = self.lock(payer).await?;
        account.close_checkout(checkout_id);
        Ok(self.store(tx, &account).await?)
    }

    async fn subscriptions(
        &self,
        payer: &Payer,
        now: DateTime<Utc>,
    ) -> Result<Vec<ProviderSubscription>, PaymentError> {
        let (tx, mut account) = match self.lock(payer).await {
            Err(PaymentError::NoCustomer) => return Ok(Vec::new()),
            locked => locked?,
        };
        let events = account.outbox.len();
        let subscriptions = account.subscriptions(now);
        // Reads are frequent; elapsed time alone is not worth a write.
        if account.outbox.len() > events {
            self.store(tx, &account).await?;
        }
        Ok(subscriptions)
    }

    async fn change(
        &self,
        payer: &Payer,
        subscription_id: &str,
        change: Change,
        now: DateTime<Utc>,
        key: &str,
    ) -> Result<(), PaymentError> {
        let (tx, mut account) = self.lock(payer).await?;
        if account.has_applied(key) {
            return Ok(());
        }
        let mut has_effect = true;
        match change {
            Change::Plan(offer) => account.change_plan(subscription_id, offer, now)?,
            Change::Pause(until) => account.pause(subscription_id, until, now)?,
            Change::Resume => account.resume(subscription_id, now)?,
            Change::BeginPeriod => has_effect = account.begin_period(subscription_id, now)?,
            Change::CancelAtPeriodEnd => account.cancel_at_period_end(subscription_id, now)?,
            Change::CancelNow { credit } => account.cancel_now(subscription_id, credit, now)?,
        }
        // Without an effect the call may be repeated with the same key.
        if has_effect {
            account.mark_applied(key);
        }
        Ok(self.store(tx, &account).await?)
    }

    async fn open_portal(&self, payer: &Payer, _key: &str) -> Result<String, PaymentError> {
        self.lock(payer).await?;
        Ok("/sandbox/portal".to_owned())
    }
}
