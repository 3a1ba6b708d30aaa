//! What falls due by time alone. Several processes may do it: each company is taken by one, and is
//! due again should that one be killed. Reading stays right without it.

use std::time::Duration;

use chrono::TimeDelta;
use futures::StreamExt as _;
use hourmeter_runtime::error::{ServiceError, chain};
use hourmeter_runtime::identity::Tenant;
use tokio_util::sync::CancellationToken;

use crate::Billing;
use crate::domain::due::{self, Waiting};
use crate::store::{due as due_store, payments, subscriptions};

/// How often it is looked what is due.
const EVERY: Duration = Duration::from_secs(15);
/// How many companies are taken at once.
const AT_ONCE: i32 = 50;
/// How many of them are looked at side by side.
const SIDE_BY_SIDE: usize = 4;
/// When a company that was taken is due again, should nobody finish with it.
const LEASE: TimeDelta = TimeDelta::minutes(3);

/// Looks at what is due, until `stop`.
pub(crate) async fn run(billing: Billing, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(EVERY) => {}
        }
        if let Err(failure) = billing.look_at_due().await {
            let cause = failure.cause.as_deref();
            let error = cause.map_or_else(String::new, |cause| chain(cause));
            tracing::warn!(error, "what is due was not looked at");
        }
    }
}

impl Billing {
    /// Looks at all companies where something is due; answers how many there were.
    pub async fn look_at_due(&self) -> Result<usize, ServiceError> {
        let mut looked = 0;
        loop {
            let mut lookup = self.database.lookup().await?;
            let due = due_store::due(&mut lookup, self.clock.now(), AT_ONCE).await?;
            drop(lookup);
            if due.is_empty() {
                return Ok(looked);
            }
            let due = due.into_iter().map(Tenant::from_lookup);
            let looks = due.map(|tenant| self.look(tenant));
            let mut looks = futures::stream::iter(looks).buffer_unordered(SIDE_BY_SIDE);
            let mut taken = 0;
            while let Some(was_due) = looks.next().await {
                taken += usize::from(was_due?);
            }
            looked += taken;
            // Somebody else has taken all of them.
            if taken == 0 {
                return Ok(looked);
            }
        }
    }

    /// Looks at a company; false: somebody else does, or it is not due any more.
    async fn look(&self, tenant: Tenant) -> Result<bool, ServiceError> {
        let now = self.clock.now();
        let mut tx = self.database.tenant(tenant).await?;
        let is_ours = due_store::claim(&mut tx, tenant, now, now + LEASE).await?;
        tx.commit().await?;
        if !is_ours {
            return Ok(false);
        }
        if let Err(failure) = self.follow(tenant).await {
            let cause = failure.cause.as_deref();
            let error = cause.map_or_else(|| failure.to_string(), |cause| chain(cause));
            tracing::warn!(error, "a company that is due waits");
            self.postpone(tenant).await?;
        }
        Ok(true)
    }

    async fn follow(&self, tenant: Tenant) -> Result<(), ServiceError> {
        self.read(tenant, None).await?;
        self.deliver_sandbox(tenant).await
    }

    /// The provider does not answer: later, and later each time.
    async fn postpone(&self, tenant: Tenant) -> Result<(), ServiceError> {
        let provider = self.payments.name();
        let mut tx = self.database.tenant(tenant).await?;
        let row = subscriptions::lock(&mut tx, tenant, provider).await?;
        let ledger = payments::ledger(&mut tx, tenant, provider).await?;
        let waiting = Waiting {
            for_provider: true,
            quiet_looks: ledger.quiet_looks,
        };
        let next = row.and_then(|row| due::next(&row, waiting, self.clock.now()));
        let quiet_looks = ledger.quiet_looks.saturating_add(1);
        due_store::set_next(&mut tx, tenant, next, quiet_looks).await?;
        tx.commit().await
    }
}
