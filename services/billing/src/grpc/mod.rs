//! The RPCs, one file per group.

mod agreement;
mod audit_log;
mod change;
mod checkout;
mod convert;
mod digest;
mod error;
mod plans;
mod reconcile;
mod sandbox;
mod staff;
mod subscription;
mod webhook;

use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use futures::future::BoxFuture;
use hourmeter_proto::billing::v1;
use hourmeter_proto::billing::v1::billing_service_server::{BillingService, BillingServiceServer};
use hourmeter_proto::billing::v1::digest_service_server::DigestServiceServer;
use hourmeter_proto::billing::v1::sandbox_service_server::SandboxServiceServer;
use hourmeter_proto::billing::v1::staff_service_server::{StaffService, StaffServiceServer};
use hourmeter_runtime::audit::NO_COMPANY;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::events::Events;
use hourmeter_runtime::idempotency::{Key, run_once};
use hourmeter_runtime::identity::{Identity, StaffIdentity, Tenant};
use hourmeter_runtime::server::{max_message_bytes, respond};
use opentelemetry::trace::FutureExt as _;
use prost::Message;
use secrecy::SecretString;
use tonic::service::Routes;
use tonic::{Request, Response, Status};
use tracing::Instrument as _;
use uuid::Uuid;

use crate::provider::Payments;
use crate::provider::metered::Metered;
use crate::provider::sandbox::Sandbox;
use crate::provider::stripe::StripePayments;
use crate::webhook::{Webhooks, hex};
use crate::{BillingSettings, PaymentSettings};

/// Runs work in its own task, which continues when the client disconnects.
async fn detached<T: Send + 'static>(
    work: impl Future<Output = Result<T, ServiceError>> + Send + 'static,
) -> Result<T, ServiceError> {
    let work = work.in_current_span().with_current_context();
    tokio::spawn(work).await.map_err(ServiceError::internal)?
}

/// Implements `BillingService`, `StaffService` and `SandboxService`. Cheap to clone.
#[derive(Clone)]
pub struct Billing {
    pub(crate) database: Database,
    /// The real time; a company's billing clock may be ahead of it.
    pub(crate) clock: Clock,
    pub(crate) settings: BillingSettings,
    pub(crate) payments: Arc<dyn Payments>,
    /// Set if the sandbox is the provider.
    pub(crate) sandbox: Option<Arc<Sandbox>>,
    pub(crate) webhooks: Webhooks,
    pub(crate) events: Events,
    /// When the last rejected event was logged, in seconds since the epoch.
    refused_at: Arc<AtomicI64>,
}

impl std::fmt::Debug for Billing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Billing({})", self.payments.name())
    }
}

impl Billing {
    /// Creates the service with the configured provider. Sandbox events are signed with a random
    /// secret of this process.
    pub fn new(
        database: Database,
        clock: Clock,
        events: Events,
        settings: BillingSettings,
    ) -> Result<Self, ServiceError> {
        let live = settings.payments.is_live();
        let (payments, sandbox, secrets): (Arc<dyn Payments>, _, _) = match &settings.payments {
            PaymentSettings::Sandbox => {
                let sandbox = Arc::new(Sandbox::new(database.clone(), clock.clone()));
                (sandbox.clone(), Some(sandbox), vec![random_secret()?])
            }
            PaymentSettings::Stripe(stripe) => {
                let payments = StripePayments::new(stripe, database.clone())?;
                (Arc::new(payments), None, stripe.webhook_secrets.clone())
            }
        };
        Ok(Self {
            database,
            clock,
            settings,
            payments: Arc::new(Metered::new(payments)),
            sandbox,
            webhooks: Webhooks::new(secrets, live),
            events,
            refused_at: Arc::default(),
        })
    }

    pub fn payments(&self) -> Arc<dyn Payments> {
        self.payments.clone()
    }

    /// Replaces the provider; for tests.
    #[must_use]
    pub fn with_payments(self, payments: Arc<dyn Payments>) -> Self {
        Self { payments, ..self }
    }

    /// Replaces the webhook secrets; for tests.
    #[must_use]
    pub fn with_webhooks(self, webhooks: Webhooks) -> Self {
        Self { webhooks, ..self }
    }

    /// Runs a write once per idempotency key, in its own task, so that a client that disconnects
    /// does not keep the key claimed.
    fn run_once<A: Message + Default + 'static>(
        &self,
        sender: (Tenant, Uuid),
        key: Option<Key>,
        work: impl Future<Output = Result<A, ServiceError>> + Send + 'static,
    ) -> BoxFuture<'static, Result<A, ServiceError>> {
        let billing = self.clone();
        let work =
            async move { run_once(&billing.database, sender, key, &billing.clock, work).await };
        Box::pin(detached(work))
    }

    /// The RPCs without authentication; those of the sandbox only if it is the provider.
    pub fn routes(self) -> Routes {
        let sandbox = self.sandbox.is_some().then(|| self.clone());
        let staff = StaffServiceServer::new(self.clone());
        let digest = DigestServiceServer::new(self.clone());
        let server = BillingServiceServer::new(self);
        let routes = Routes::new(server.max_decoding_message_size(max_message_bytes()))
            .add_service(staff.max_decoding_message_size(max_message_bytes()))
            .add_service(digest);
        let Some(sandbox) = sandbox else {
            return routes;
        };
        let server = SandboxServiceServer::new(sandbox);
        routes.add_service(server.max_decoding_message_size(max_message_bytes()))
    }
}

/// The owner of an idempotency key.
const fn person(identity: &Identity) -> (Tenant, Uuid) {
    (identity.tenant(), identity.user_id)
}

/// Staff belong to no company.
const fn staff_member(staff: &StaffIdentity) -> (Tenant, Uuid) {
    (NO_COMPANY, staff.staff_id)
}

fn random_secret() -> Result<SecretString, ServiceError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(ServiceError::internal)?;
    Ok(hex(&bytes).into())
}

#[tonic::async_trait]
impl BillingService for Billing {
    async fn list_plans(
        &self,
        request: Request<v1::ListPlansRequest>,
    ) -> Result<Response<v1::ListPlansResponse>, Status> {
        drop(request);
        respond(Ok(plans::list(self)))
    }

    async fn get_entitlements(
        &self,
        request: Request<v1::GetEntitlementsRequest>,
    ) -> Result<Response<v1::GetEntitlementsResponse>, Status> {
        respond(subscription::get_entitlements(self, request).await)
    }

    async fn get_subscription(
        &self,
        request: Request<v1::GetSubscriptionRequest>,
    ) -> Result<Response<v1::GetSubscriptionResponse>, Status> {
        respond(subscription::get(self, request).await)
    }

    async fn list_audit_events(
        &self,
        request: Request<v1::ListAuditEventsRequest>,
    ) -> Result<Response<v1::ListAuditEventsResponse>, Status> {
        respond(audit_log::list(self, request).await)
    }

    async fn list_subscriptions(
        &self,
        request: Request<v1::ListSubscriptionsRequest>,
    ) -> Result<Response<v1::ListSubscriptionsResponse>, Status> {
        respond(staff::list_subscriptions(self, request).await)
    }

    async fn set_equipment_limit(
        &self,
        request: Request<v1::SetEquipmentLimitRequest>,
    ) -> Result<Response<v1::SetEquipmentLimitResponse>, Status> {
        respond(staff::set_equipment_limit(self, request).await)
    }

    async fn create_checkout_session(
        &self,
        request: Request<v1::CreateCheckoutSessionRequest>,
    ) -> Result<Response<v1::CreateCheckoutSessionResponse>, Status> {
        respond(checkout::create_session(self, request).await)
    }

    async fn change_plan(
        &self,
        request: Request<v1::ChangePlanRequest>,
    ) -> Result<Response<v1::ChangePlanResponse>, Status> {
        respond(change::change_plan(self, request).await)
    }

    async fn pause_subscription(
        &self,
        request: Request<v1::PauseSubscriptionRequest>,
    ) -> Result<Response<v1::PauseSubscriptionResponse>, Status> {
        respond(change::pause(self, request).await)
    }

    async fn reactivate_subscription(
        &self,
        request: Request<v1::ReactivateSubscriptionRequest>,
    ) -> Result<Response<v1::ReactivateSubscriptionResponse>, Status> {
        respond(change::reactivate(self, request).await)
    }

    async fn cancel_subscription(
        &self,
        request: Request<v1::CancelSubscriptionRequest>,
    ) -> Result<Response<v1::CancelSubscriptionResponse>, Status> {
        respond(change::cancel(self, request).await)
    }

    async fn create_portal_session(
        &self,
        request: Request<v1::CreatePortalSessionRequest>,
    ) -> Result<Response<v1::CreatePortalSessionResponse>, Status> {
        respond(checkout::create_portal_session(self, request).await)
    }

    async fn receive_webhook(
        &self,
        request: Request<v1::ReceiveWebhookRequest>,
    ) -> Result<Response<v1::ReceiveWebhookResponse>, Status> {
        respond(webhook::receive(self, request).await)
    }

    async fn extend_trial(
        &self,
        request: Request<v1::ExtendTrialRequest>,
    ) -> Result<Response<v1::ExtendTrialResponse>, Status> {
        respond(agreement::extend_trial(self, request).await)
    }

    async fn set_plan(
        &self,
        request: Request<v1::SetPlanRequest>,
    ) -> Result<Response<v1::SetPlanResponse>, Status> {
        respond(agreement::set_plan(self, request).await)
    }
}

#[tonic::async_trait]
impl StaffService for Billing {
    async fn list_subscriptions_in_state(
        &self,
        request: Request<v1::ListSubscriptionsInStateRequest>,
    ) -> Result<Response<v1::ListSubscriptionsInStateResponse>, Status> {
        respond(staff::list_subscriptions_in_state(self, request).await)
    }

    async fn list_account_events(
        &self,
        request: Request<v1::ListAccountEventsRequest>,
    ) -> Result<Response<v1::ListAccountEventsResponse>, Status> {
        respond(staff::list_account_events(self, request).await)
    }
}
