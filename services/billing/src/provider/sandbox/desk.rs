//! What a person does at the sandbox's own pages, and how its events leave it.

use chrono::{DateTime, Utc};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;

use super::Sandbox;
use super::account::{Account, Event};
use super::engine::Refusal;
use crate::store::sandbox as store;

/// What becomes of a checkout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The card pays.
    Succeed,
    /// The card is declined.
    Decline,
    /// The person goes back.
    Cancel,
}

/// Why nothing was done at a page.
#[derive(Debug, thiserror::Error)]
pub enum DeskError {
    /// The sandbox said no.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Our own fault.
    #[error(transparent)]
    Ours(#[from] ServiceError),
}

impl Sandbox {
    /// A company's customer as of `now`, without storing what came due; none: it never was one.
    pub(crate) async fn account(
        &self,
        tenant: Tenant,
        now: DateTime<Utc>,
    ) -> Result<Option<Account>, ServiceError> {
        let mut tx = self.database.tenant(tenant).await?;
        let account = store::find(&mut tx, tenant).await?;
        tx.commit().await?;
        Ok(account.map(|mut account| {
            account.advance(now);
            account
        }))
    }

    /// Decides a checkout.
    pub async fn decide(
        &self,
        tenant: Tenant,
        id: &str,
        decision: Decision,
        now: DateTime<Utc>,
    ) -> Result<(), DeskError> {
        self.visit(tenant, |account| match decision {
            Decision::Succeed => account.pay(id, now),
            Decision::Decline => account.decline(id, now),
            Decision::Cancel => account.leave(id, now),
        })
        .await?;
        Ok(())
    }

    /// Gives the customer another card; answers how it stands then.
    pub async fn set_card(
        &self,
        tenant: Tenant,
        declines: bool,
        now: DateTime<Utc>,
    ) -> Result<Account, DeskError> {
        self.visit(tenant, |account| {
            account.set_card(declines, now);
            Ok(())
        })
        .await
    }

    /// Lets everything due until `now` happen; fine where there is no customer.
    pub async fn advance(&self, tenant: Tenant, now: DateTime<Utc>) -> Result<(), ServiceError> {
        let advanced = self.visit(tenant, |account| {
            account.advance(now);
            Ok(())
        });
        match advanced.await {
            Ok(_) | Err(DeskError::Refused(_)) => Ok(()),
            Err(DeskError::Ours(failure)) => Err(failure),
        }
    }

    /// The oldest event not yet delivered. The customer is not locked while it is.
    pub(crate) async fn first_event(&self, tenant: Tenant) -> Result<Option<Event>, ServiceError> {
        let mut tx = self.database.tenant(tenant).await?;
        let account = store::find(&mut tx, tenant).await?;
        tx.commit().await?;
        Ok(account.and_then(|account| account.outbox.into_iter().next()))
    }

    /// Forgets an event that was delivered.
    pub(crate) async fn forget_event(&self, tenant: Tenant, id: &str) -> Result<(), ServiceError> {
        let mut tx = self.database.tenant(tenant).await?;
        if let Some(mut account) = store::lock(&mut tx, tenant).await? {
            account.outbox.retain(|event| event.id != id);
            self.store(tx, &account).await?;
        }
        Ok(())
    }

    async fn visit(
        &self,
        tenant: Tenant,
        act: impl FnOnce(&mut Account) -> Result<(), Refusal> + Send,
    ) -> Result<Account, DeskError> {
        let mut tx = self.database.tenant(tenant).await?;
        let mut account = store::lock(&mut tx, tenant)
            .await?
            .ok_or(Refusal::Unknown)?;
        act(&mut account)?;
        self.store(tx, &account).await?;
        Ok(account)
    }
}
