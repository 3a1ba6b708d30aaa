//! Handles events of the payment provider.

use std::sync::atomic::Ordering;

use hourmeter_proto::billing::v1;
use hourmeter_proto::common::v1::AuditEventType;
use hourmeter_runtime::audit::AuditEntry;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::Tenant;
use hourmeter_runtime::telemetry::names;
use tonic::Request;

use super::Billing;
use super::reconcile::system_actor;
use crate::refusals;
use crate::store::{due, payments, support};
use crate::webhook::{ProviderEvent, Refusal};

/// Limits log entries during a flood of forged events.
const LOG_INTERVAL_SECONDS: i64 = 60;

pub async fn receive_webhook(
    api: &Billing,
    request: Request<v1::ReceiveWebhookRequest>,
) -> Result<v1::ReceiveWebhookResponse, ServiceError> {
    let v1::ReceiveWebhookRequest { body, signature } = request.get_ref();
    api.receive(body, signature).await?;
    Ok(v1::ReceiveWebhookResponse {})
}

impl Billing {
    /// Handles an event: reconciles the company and records the event in one transaction. An
    /// invalid event is rejected; after any other error the provider delivers it again.
    #[tracing::instrument(name = "billing.receive_event", level = "debug", skip_all)]
    pub(crate) async fn receive(&self, body: &[u8], signature: &str) -> Result<(), ServiceError> {
        let event = match self.webhooks.read(body, signature, self.clock.now()) {
            Ok(event) => event,
            Err(refusal) => {
                names::WEBHOOK_EVENTS.count([refusal.name()]);
                return Err(self.reject(refusal).await);
            }
        };
        let taken = self.process_event(&event).await;
        names::WEBHOOK_EVENTS.count([*taken.as_ref().unwrap_or(&"failed")]);
        taken.map(|_| ())
    }

    /// Returns the outcome as a metric label.
    async fn process_event(&self, event: &ProviderEvent) -> Result<&'static str, ServiceError> {
        if !event.is_relevant() {
            return Ok("ignored");
        }
        let Some(tenant) = self.find_tenant(event).await? else {
            return Ok("ignored");
        };
        self.reconcile(tenant, Some(event)).await?;
        Ok("taken")
    }

    /// The company whose subscription the event changes; `None` if it is unknown, or the event was
    /// handled before or is older than one that was.
    async fn find_tenant(&self, event: &ProviderEvent) -> Result<Option<Tenant>, ServiceError> {
        let Some(customer_id) = &event.customer_id else {
            return Ok(None);
        };
        let mut lookup = self.database.lookup().await?;
        let tenant = due::find_company(&mut lookup, customer_id).await?;
        drop(lookup);
        let Some(tenant) = tenant else {
            return Ok(None);
        };
        let mut tx = self.database.tenant(tenant).await?;
        let row = self.lock(&mut tx).await?;
        if row.customer_id.as_ref() != Some(customer_id) {
            return Ok(None);
        }
        let is_recorded = due::is_recorded(&mut tx, &event.id).await?;
        let payment_state = payments::payment_state(&mut tx, self.payments.name()).await?;
        let is_late = payment_state
            .event_at
            .is_some_and(|newest| event.made_at < newest);
        if is_late && !is_recorded {
            due::record_event(&mut tx, event, self.clock.now()).await?;
        }
        tx.commit().await?;
        Ok(Some(tenant).filter(|_| !is_recorded && !is_late))
    }

    async fn reject(&self, refusal: Refusal) -> ServiceError {
        let error = ServiceError::new(Kind::Invalid, refusals::NOT_A_PAYMENT_EVENT);
        let now = self.clock.now().timestamp();
        let last = self.refused_at.load(Ordering::Relaxed);
        let is_first = now - last >= LOG_INTERVAL_SECONDS
            && (self.refused_at)
                .compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok();
        if is_first {
            tracing::warn!(why = refusal.name(), "rejected a webhook event");
            let entry = AuditEntry::failed(AuditEventType::WebhookRefused).detail(refusal.name());
            if let Err(error) = self.record_for_platform(&entry).await {
                tracing::warn!(error = ?error.cause, "failed to write audit entry");
            }
        }
        error
    }

    async fn record_for_platform(&self, entry: &AuditEntry<'_>) -> Result<(), ServiceError> {
        let mut lookup = self.database.lookup().await?;
        support::record(&mut lookup, None, &system_actor(), entry).await
    }
}
