//! Processes subscriptions that time has changed. Several processes share the work: each company is
//! claimed by one, and becomes due again if that one is killed. Reads do not depend on this job.

use std::time::Duration;

use chrono::TimeDelta;
use futures::StreamExt as _;
use hourmeter_runtime::error::{ServiceError, chain};
use hourmeter_runtime::identity::Tenant;
use tokio_util::sync::CancellationToken;

use crate::Billing;
use crate::domain::due::{self, Waiting};
use crate::store::{due as due_store, payments, subscriptions};

const EVERY: Duration = Duration::from_secs(15);
const AT_ONCE: i32 = 50;
const SIDE_BY_SIDE: usize = 4;
/// A claimed company becomes due again after this time unless its check has completed.
const LEASE: TimeDelta = TimeDelta::minutes(3);

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
    /// Checks all due companies and returns their number.
    pub async fn look_at_due(&self) -> Result<usize, Failure> {
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
            // Other processes have claimed all of them.
            if taken == 0 {
                return Ok(looked);
            }
        }
    }

    /// Checks a company. Returns false if another process has claimed it or it is not due any more.
    async fn look(&self, tenant: Tenant) -> Result<bool, Failure> {
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

    /// Backs off while the provider is unavailable.
    async fn postpone(&self, tenant: Tenant) -> Result<(), Failure> {
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
