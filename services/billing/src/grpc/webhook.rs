//! Handles events of the payment provider.

use std::sync::atomic::Ordering;

use hourmeter_runtime::audit::AuditEntry;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::Tenant;
use hourmeter_runtime::telemetry::names;

use super::Billing;
use super::reading::nobody;
use crate::refusals;
use crate::store::{due, payments, support};
use crate::webhook::{Refusal, Told};

/// Limits log entries during a flood of forged events.
const SECONDS_BETWEEN_LINES: i64 = 60;

impl Billing {
    /// Handles an event: reconciles the company and records the event in one transaction. An
    /// invalid event is rejected; after any other error the provider delivers it again.
    #[tracing::instrument(name = "billing.receive_event", level = "debug", skip_all)]
    pub(crate) async fn receive(&self, body: &[u8], signature: &str) -> Result<(), ServiceError> {
        let told = match self.webhooks.read(body, signature, self.clock.now()) {
            Ok(told) => told,
            Err(refusal) => {
                names::WEBHOOK_EVENTS.count([refusal.name()]);
                return Err(self.refuse(refusal).await);
            }
        };
        let taken = self.take(&told).await;
        names::WEBHOOK_EVENTS.count([*taken.as_ref().unwrap_or(&"failed")]);
        taken.map(|_| ())
    }

    /// Returns the outcome as a metric label.
    async fn take(&self, told: &Told) -> Result<&'static str, Failure> {
        if !told.matters() {
            return Ok("ignored");
        }
        let Some(tenant) = self.whose(told).await? else {
            return Ok("ignored");
        };
        self.read(tenant, Some(told)).await?;
        Ok("taken")
    }

    /// The company whose subscription the event changes; `None` if it is unknown, or the event was
    /// handled before or is older than one that was.
    async fn whose(&self, told: &Told) -> Result<Option<Tenant>, Failure> {
        let Some(customer_id) = &told.customer_id else {
            return Ok(None);
        };
        let mut lookup = self.database.lookup().await?;
        let tenant = due::company_of_customer(&mut lookup, customer_id).await?;
        drop(lookup);
        let Some(tenant) = tenant else {
            return Ok(None);
        };
        let mut tx = self.database.tenant(tenant).await?;
        let row = self.lock(&mut tx).await?;
        if row.customer_id.as_ref() != Some(customer_id) {
            return Ok(None);
        }
        let was_taken = due::was_taken(&mut tx, tenant, &told.id).await?;
        let ledger = payments::ledger(&mut tx, tenant, self.payments.name()).await?;
        let is_late = ledger.event_at.is_some_and(|newest| told.made_at < newest);
        if is_late && !was_taken {
            due::take(&mut tx, tenant, told, self.clock.now()).await?;
        }
        tx.commit().await?;
        Ok(Some(tenant).filter(|_| !was_taken && !is_late))
    }

    async fn refuse(&self, refusal: Refusal) -> ServiceError {
        let failure = ServiceError::new(Kind::Invalid, refusals::NOT_A_PAYMENT_EVENT);
        let now = self.clock.now().timestamp();
        let last = self.refused_at.load(Ordering::Relaxed);
        let is_first = now - last >= SECONDS_BETWEEN_LINES
            && (self.refused_at)
                .compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok();
        if is_first {
            tracing::warn!(why = refusal.name(), "an event of the payments was refused");
            let line = AuditEntry::failed("webhook_refused").detail(refusal.name());
            if let Err(failure) = self.note_for_platform(&line).await {
                tracing::warn!(error = ?failure.cause, "a refused event was not written down");
            }
        }
        failure
    }

    async fn note_for_platform(&self, line: &AuditEntry<'_>) -> Result<(), ServiceError> {
        let mut lookup = self.database.lookup().await?;
        support::note(&mut lookup, None, &nobody(), line).await
    }
}
