//! Metrics and traces of provider calls.

use std::sync::Arc;
use std::time::Instant;

use chrono::{DateTime, Utc};
use hourmeter_runtime::identity::Tenant;
use hourmeter_runtime::telemetry::names;
use tracing::Instrument as _;
use tracing::field::Empty;

use super::{Checkout, Offer, Payer, PaymentError, Payments, ProviderSubscription};

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
        self.timed(
            "open_checkout",
            self.0.open_checkout(payer, offer, first_charge, now, key),
        )
        .await
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

    async fn change_plan(
        &self,
        payer: &Payer,
        subscription_id: &str,
        offer: Offer,
        now: DateTime<Utc>,
        key: &str,
    ) -> Result<(), PaymentError> {
        self.timed(
            "change_plan",
            self.0.change_plan(payer, subscription_id, offer, now, key),
        )
        .await
    }

    async fn pause(
        &self,
        payer: &Payer,
        subscription_id: &str,
        until: DateTime<Utc>,
        now: DateTime<Utc>,
        key: &str,
    ) -> Result<(), PaymentError> {
        self.timed(
            "pause",
            self.0.pause(payer, subscription_id, until, now, key),
        )
        .await
    }

    async fn resume(
        &self,
        payer: &Payer,
        subscription_id: &str,
        now: DateTime<Utc>,
        key: &str,
    ) -> Result<(), PaymentError> {
        self.timed("resume", self.0.resume(payer, subscription_id, now, key))
            .await
    }

    async fn begin_period(
        &self,
        payer: &Payer,
        subscription_id: &str,
        now: DateTime<Utc>,
        key: &str,
    ) -> Result<(), PaymentError> {
        self.timed(
            "begin_period",
            self.0.begin_period(payer, subscription_id, now, key),
        )
        .await
    }

    async fn cancel_at_period_end(
        &self,
        payer: &Payer,
        subscription_id: &str,
        now: DateTime<Utc>,
        key: &str,
    ) -> Result<(), PaymentError> {
        self.timed(
            "cancel_at_period_end",
            self.0
                .cancel_at_period_end(payer, subscription_id, now, key),
        )
        .await
    }

    async fn cancel_now(
        &self,
        payer: &Payer,
        subscription_id: &str,
        credit: bool,
        now: DateTime<Utc>,
        key: &str,
    ) -> Result<(), PaymentError> {
        self.timed(
            "cancel_now",
            self.0.cancel_now(payer, subscription_id, credit, now, key),
        )
        .await
    }

    async fn open_portal(&self, payer: &Payer, key: &str) -> Result<String, PaymentError> {
        self.timed("open_portal", self.0.open_portal(payer, key))
            .await
    }
}
