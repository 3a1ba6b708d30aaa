//! Actions on the sandbox's pages, and its event queue.

use chrono::{DateTime, Utc};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;

use super::Sandbox;
use super::account::{Account, Event};
use super::engine::Refusal;
use crate::refusals;
use crate::store::sandbox as store;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    Succeed,
    Decline,
    Cancel,
}

impl From<Refusal> for ServiceError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Unknown => Self::not_found(),
            Refusal::Closed => Self::conflict(refusals::CHECKOUT_CLOSED),
            // The sandbox's pages never cause such an error.
            Refusal::Declined | Refusal::State => Self::internal(refusal),
        }
    }
}

impl Sandbox {
    /// The company's account as of `now`, without storing changes that came due.
    pub(crate) async fn account(
        &self,
        tenant: Tenant,
        now: DateTime<Utc>,
    ) -> Result<Option<Account>, ServiceError> {
        let mut tx = self.database.tenant(tenant).await?;
        let account = store::find(&mut tx).await?;
        tx.commit().await?;
        Ok(account.map(|mut account| {
            account.advance(now);
            account
        }))
    }

    pub async fn decide(
        &self,
        tenant: Tenant,
        id: &str,
        decision: Decision,
        now: DateTime<Utc>,
    ) -> Result<(), ServiceError> {
        self.update_account(tenant, |account| match decision {
            Decision::Succeed => account.pay(id, now),
            Decision::Decline => account.decline(id, now),
            Decision::Cancel => account.leave(id, now),
        })
        .await?;
        Ok(())
    }

    pub async fn set_card(
        &self,
        tenant: Tenant,
        declines: bool,
        now: DateTime<Utc>,
    ) -> Result<Account, ServiceError> {
        self.update_account(tenant, |account| {
            account.set_card(declines, now);
            Ok(())
        })
        .await
    }

    /// Processes everything due until `now`; does nothing without a customer.
    pub async fn advance(&self, tenant: Tenant, now: DateTime<Utc>) -> Result<(), ServiceError> {
        let mut tx = self.database.tenant(tenant).await?;
        if let Some(mut account) = store::lock(&mut tx).await? {
            account.advance(now);
            self.store(tx, &account).await?;
        }
        Ok(())
    }

    /// The oldest undelivered event. The row is not locked during delivery.
    pub(crate) async fn first_event(&self, tenant: Tenant) -> Result<Option<Event>, ServiceError> {
        let mut tx = self.database.tenant(tenant).await?;
        let account = store::find(&mut tx).await?;
        tx.commit().await?;
        Ok(account.and_then(|account| account.outbox.into_iter().next()))
    }

    pub(crate) async fn remove_event(&self, tenant: Tenant, id: &str) -> Result<(), ServiceError> {
        let mut tx = self.database.tenant(tenant).await?;
        if let Some(mut account) = store::lock(&mut tx).await? {
            account.outbox.retain(|event| event.id != id);
            self.store(tx, &account).await?;
        }
        Ok(())
    }

    async fn update_account(
        &self,
        tenant: Tenant,
        act: impl FnOnce(&mut Account) -> Result<(), Refusal> + Send,
    ) -> Result<Account, ServiceError> {
        let mut tx = self.database.tenant(tenant).await?;
        let mut account = store::lock(&mut tx).await?.ok_or(Refusal::Unknown)?;
        act(&mut account)?;
        self.store(tx, &account).await?;
        Ok(account)
    }
}
