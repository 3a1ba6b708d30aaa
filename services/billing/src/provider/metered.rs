//! Metrics and traces of provider calls.

use std::sync::Arc;
use std::time::Instant;

use chrono::{DateTime, Utc};
use hourmeter_runtime::identity::Tenant;
use hourmeter_runtime::telemetry::names;
use tracing::Instrument as _;
use tracing::field::Empty;

use super::{Change, Checkout, Offer, Payer, PaymentError, Payments, ProviderSubscription};

/// A provider whose calls are counted and traced.
pub struct Metered(Arc<dyn Payments>);

impl Metered {
    pub fn new(inner: Arc<dyn Payments>) -> Self {
        Self(inner)
    }

    /// Runs a call. The span records operation and outcome, never request or response data.
    async fn timed<T>(
        &self,
        operation: &'static str,
        call: impl Future<Output = Result<T, PaymentError>>,
    ) -> Result<T, PaymentError> {
        let provider = self.0.name();
        let began = Instant::now();
        let span = tracing::debug_span!(
            "provider",
            otel.name = format!("{provider}/{operation}"),
            otel.kind = "client",
            otel.status_code = Empty,
            peer.service = provider,
            provider.operation = operation,
            provider.outcome = Empty,
        );
        let answer = call.instrument(span.clone()).await;
        let duration = names::PROVIDER_DURATION.histogram([operation]);
        duration.record(began.elapsed());
        let outcome = answer.as_ref().map_or_else(PaymentError::name, |_| "ok");
        names::PROVIDER_REQUESTS.count([operation, outcome]);
        span.record("provider.outcome", outcome);
        if answer.is_err() {
            span.record("otel.status_code", "ERROR");
        }
        answer
    }
}

#[tonic::async_trait]
impl Payments for Metered {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    async fn create_customer(&self, tenant: Tenant, key: &str) -> Result<String, PaymentError> {
        self.timed("create_customer", self.0.create_customer(tenant, key))
            .await
    }

    async fn open_checkout(
        &self,
        payer: &Payer,
        offer: Offer,
        first_charge: Option<DateTime<Utc>>,
        now: DateTime<Utc>,
        key: &str,
    ) -> Result<Checkout, PaymentError> {
        let opened = self.0.open_checkout(payer, offer, first_charge, now, key);
        self.timed("open_checkout", opened).await
    }

    async fn close_checkout(&self, payer: &Payer, checkout_id: &str) -> Result<(), PaymentError> {
        self.timed("close_checkout", self.0.close_checkout(payer, checkout_id))
            .await
    }

    async fn subscriptions(
        &self,
        payer: &Payer,
        now: DateTime<Utc>,
    ) -> Result<Vec<ProviderSubscription>, PaymentError> {
        self.timed("subscriptions", self.0.subscriptions(payer, now))
            .await
    }

    async fn change(
        &self,
        payer: &Payer,
        subscription_id: &str,
        change: Change,
        now: DateTime<Utc>,
        key: &str,
    ) -> Result<(), PaymentError> {
        let done = self.0.change(payer, subscription_id, change, now, key);
        self.timed(change.name(), done).await
    }

    async fn open_portal(&self, payer: &Payer, key: &str) -> Result<String, PaymentError> {
        self.timed("open_portal", self.0.open_portal(payer, key))
            .await
    }
}
