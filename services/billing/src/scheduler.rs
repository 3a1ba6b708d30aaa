//! Processes subscriptions that time has changed. Several processes share the work: each company is
//! claimed by one, and becomes due again if that one is killed. Reads do not depend on this job.

use std::time::Duration;

use chrono::TimeDelta;
use futures::StreamExt as _;
use hourmeter_runtime::error::{ServiceError, chain};
use hourmeter_runtime::identity::Tenant;
use tokio_util::sync::CancellationToken;

use crate::Billing;
use crate::domain::due::{self, CheckContext};
use crate::store::{due as due_store, payments, subscriptions};

const EVERY: Duration = Duration::from_secs(15);
const BATCH_SIZE: i32 = 50;
const CONCURRENCY: usize = 4;
/// A claimed company becomes due again after this time unless its check has completed.
const LEASE: TimeDelta = TimeDelta::minutes(3);

pub(crate) async fn run(billing: Billing, stop: CancellationToken) {
    while let Some(()) = stop.run_until_cancelled(tokio::time::sleep(EVERY)).await {
        if let Err(failure) = billing.run_due_checks().await {
            tracing::warn!(error = cause(&failure), "billing scheduler round failed");
        }
    }
}

/// The cause of a failure, for logs.
pub(crate) fn cause(failure: &ServiceError) -> String {
    let cause = failure.cause.as_deref();
    cause.map_or_else(|| failure.to_string(), |cause| chain(cause))
}

impl Billing {
    /// Checks all due companies and returns their number.
    pub async fn run_due_checks(&self) -> Result<usize, ServiceError> {
        let mut checked = 0;
        loop {
            let mut lookup = self.database.lookup().await?;
            let due = due_store::due(&mut lookup, self.clock.now(), BATCH_SIZE).await?;
            drop(lookup);
            if due.is_empty() {
                return Ok(checked);
            }
            let due = due.into_iter().map(Tenant::from_lookup);
            let checks = due.map(|tenant| self.check_company(tenant));
            let mut checks = futures::stream::iter(checks).buffer_unordered(CONCURRENCY);
            let mut taken = 0;
            while let Some(was_due) = checks.next().await {
                taken += usize::from(was_due?);
            }
            checked += taken;
            // Other processes have claimed all of them.
            if taken == 0 {
                return Ok(checked);
            }
        }
    }

    /// Checks a company. Returns false if another process has claimed it or it is not due any more.
    async fn check_company(&self, tenant: Tenant) -> Result<bool, ServiceError> {
        let now = self.clock.now();
        let mut tx = self.database.tenant(tenant).await?;
        let is_ours = due_store::claim(&mut tx, now, now + LEASE).await?;
        tx.commit().await?;
        if !is_ours {
            return Ok(false);
        }
        if let Err(failure) = self.run_check(tenant).await {
            let error = cause(&failure);
            tracing::warn!(error, "billing check of a company failed; postponed");
            self.postpone(tenant).await?;
        }
        Ok(true)
    }

    async fn run_check(&self, tenant: Tenant) -> Result<(), ServiceError> {
        self.reconcile(tenant, None).await?;
        self.deliver_sandbox(tenant).await
    }

    /// Backs off while the provider is unavailable.
    async fn postpone(&self, tenant: Tenant) -> Result<(), ServiceError> {
        let provider = self.payments.name();
        let mut tx = self.database.tenant(tenant).await?;
        let row = subscriptions::lock(&mut tx, provider).await?;
        let payment_state = payments::payment_state(&mut tx, provider).await?;
        let check = CheckContext {
            awaits_provider: true,
            quiet_looks: payment_state.quiet_looks,
        };
        let next = row.and_then(|row| due::next(&row, check, self.clock.now()));
        let quiet_looks = payment_state.quiet_looks.saturating_add(1);
        due_store::set_next_check(&mut tx, next, quiet_looks).await?;
        tx.commit().await
    }
}
