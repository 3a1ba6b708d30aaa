//! The RPCs, one file per group.

mod agreement;
mod audit_log;
mod change;
mod checkout;
mod convert;
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
use hourmeter_proto::billing::v1::billing_service_server::{BillingService, BillingServiceServer};
use hourmeter_proto::billing::v1::{
    CancelSubscriptionRequest, CancelSubscriptionResponse, ChangePlanRequest, ChangePlanResponse,
    CreateCheckoutSessionRequest, CreateCheckoutSessionResponse, CreatePortalSessionRequest,
    CreatePortalSessionResponse, DecideSandboxCheckoutRequest, DecideSandboxCheckoutResponse,
    ExtendTrialRequest, ExtendTrialResponse, GetEntitlementsRequest, GetEntitlementsResponse,
    GetSandboxCheckoutRequest, GetSandboxCheckoutResponse, GetSandboxPortalRequest,
    GetSandboxPortalResponse, GetSubscriptionRequest, GetSubscriptionResponse,
    ListAuditEventsRequest, ListAuditEventsResponse, ListPlansRequest, ListPlansResponse,
    ListSubscriptionsRequest, ListSubscriptionsResponse, MoveSandboxClockRequest,
    MoveSandboxClockResponse, PauseSubscriptionRequest, PauseSubscriptionResponse,
    ReactivateSubscriptionRequest, ReactivateSubscriptionResponse, ReceiveWebhookRequest,
    ReceiveWebhookResponse, SetEquipmentLimitRequest, SetEquipmentLimitResponse, SetPlanRequest,
    SetPlanResponse, SetSandboxCardRequest, SetSandboxCardResponse,
};
use hourmeter_runtime::audit::NO_COMPANY;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::events::Events;
use hourmeter_runtime::idempotency::{Key, run_once};
use hourmeter_runtime::identity::{Caller, Identity, StaffIdentity, Tenant};
use hourmeter_runtime::server::max_message_bytes;
use opentelemetry::trace::FutureExt as _;
use prost::Message;
use secrecy::SecretString;
use tonic::service::Routes;
use tonic::{Request, Response, Status};
use tracing::Instrument as _;
use uuid::Uuid;

use self::change::RequestedChange;
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

/// Implements `BillingService`. Cheap to clone.
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
    ) -> BoxFuture<'static, Result<Response<A>, Status>> {
        let billing = self.clone();
        let work =
            async move { run_once(&billing.database, sender, key, &billing.clock, work).await };
        Box::pin(async move { Ok(Response::new(detached(work).await?)) })
    }

    /// The RPCs without authentication.
    pub fn routes(self) -> Routes {
        let server = BillingServiceServer::new(self);
        Routes::new(server.max_decoding_message_size(max_message_bytes()))
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
        _request: Request<ListPlansRequest>,
    ) -> Result<Response<ListPlansResponse>, Status> {
        Ok(Response::new(plans::list(&self.settings)))
    }

    async fn get_entitlements(
        &self,
        request: Request<GetEntitlementsRequest>,
    ) -> Result<Response<GetEntitlementsResponse>, Status> {
        let response = self.entitlements(request.into_inner()).await?;
        Ok(Response::new(response))
    }

    async fn get_subscription(
        &self,
        request: Request<GetSubscriptionRequest>,
    ) -> Result<Response<GetSubscriptionResponse>, Status> {
        let identity = Caller::person(&request)?;
        let response = self.subscription(identity.tenant()).await?;
        Ok(Response::new(response))
    }

    async fn list_audit_events(
        &self,
        request: Request<ListAuditEventsRequest>,
    ) -> Result<Response<ListAuditEventsResponse>, Status> {
        let tenant = Caller::person(&request)?.tenant();
        let response = self.audit_events(tenant, request.get_ref()).await?;
        Ok(Response::new(response))
    }

    async fn list_subscriptions(
        &self,
        request: Request<ListSubscriptionsRequest>,
    ) -> Result<Response<ListSubscriptionsResponse>, Status> {
        Caller::staff(&request)?;
        let response = self.subscriptions(request.get_ref()).await?;
        Ok(Response::new(response))
    }

    async fn set_equipment_limit(
        &self,
        request: Request<SetEquipmentLimitRequest>,
    ) -> Result<Response<SetEquipmentLimitResponse>, Status> {
        let staff = Caller::staff(&request)?;
        let key = Key::read(&request, "SetEquipmentLimit")?;
        let (billing, request) = (self.clone(), request.into_inner());
        let sender = staff_member(&staff);
        let work = async move { billing.limit(&staff, &request).await };
        self.run_once(sender, key, work).await
    }

    async fn create_checkout_session(
        &self,
        request: Request<CreateCheckoutSessionRequest>,
    ) -> Result<Response<CreateCheckoutSessionResponse>, Status> {
        let identity = Caller::person(&request)?;
        let key = Key::read(&request, "CreateCheckoutSession")?;
        let offer = convert::offer(request.into_inner())?;
        let (billing, sender) = (self.clone(), person(&identity));
        let work = async move {
            let url = billing.checkout(identity, offer).await?;
            Ok(CreateCheckoutSessionResponse { url })
        };
        self.run_once(sender, key, work).await
    }

    async fn change_plan(
        &self,
        request: Request<ChangePlanRequest>,
    ) -> Result<Response<ChangePlanResponse>, Status> {
        let identity = Caller::person(&request)?;
        let key = Key::read(&request, "ChangePlan")?;
        let change = convert::plan_change(request.into_inner())?;
        let (billing, sender) = (self.clone(), person(&identity));
        let work = async move {
            let subscription = Some(billing.changed(identity, change).await?);
            Ok(ChangePlanResponse { subscription })
        };
        self.run_once(sender, key, work).await
    }

    async fn pause_subscription(
        &self,
        request: Request<PauseSubscriptionRequest>,
    ) -> Result<Response<PauseSubscriptionResponse>, Status> {
        let identity = Caller::person(&request)?;
        let key = Key::read(&request, "PauseSubscription")?;
        let change = convert::pause(request.into_inner())?;
        let (billing, sender) = (self.clone(), person(&identity));
        let work = async move {
            let subscription = Some(billing.changed(identity, change).await?);
            Ok(PauseSubscriptionResponse { subscription })
        };
        self.run_once(sender, key, work).await
    }

    async fn reactivate_subscription(
        &self,
        request: Request<ReactivateSubscriptionRequest>,
    ) -> Result<Response<ReactivateSubscriptionResponse>, Status> {
        let identity = Caller::person(&request)?;
        let key = Key::read(&request, "ReactivateSubscription")?;
        let (billing, sender) = (self.clone(), person(&identity));
        let work = async move {
            let subscription = Some(
                billing
                    .changed(identity, RequestedChange::Reactivate)
                    .await?,
            );
            Ok(ReactivateSubscriptionResponse { subscription })
        };
        self.run_once(sender, key, work).await
    }

    async fn cancel_subscription(
        &self,
        request: Request<CancelSubscriptionRequest>,
    ) -> Result<Response<CancelSubscriptionResponse>, Status> {
        let identity = Caller::person(&request)?;
        let key = Key::read(&request, "CancelSubscription")?;
        let (billing, sender) = (self.clone(), person(&identity));
        let work = async move {
            let subscription = Some(billing.changed(identity, RequestedChange::Cancel).await?);
            Ok(CancelSubscriptionResponse { subscription })
        };
        self.run_once(sender, key, work).await
    }

    async fn create_portal_session(
        &self,
        request: Request<CreatePortalSessionRequest>,
    ) -> Result<Response<CreatePortalSessionResponse>, Status> {
        let identity = Caller::person(&request)?;
        let key = Key::read(&request, "CreatePortalSession")?;
        let (billing, sender) = (self.clone(), person(&identity));
        let work = async move {
            let url = billing.portal(&identity).await?;
            Ok(CreatePortalSessionResponse { url })
        };
        self.run_once(sender, key, work).await
    }

    async fn receive_webhook(
        &self,
        request: Request<ReceiveWebhookRequest>,
    ) -> Result<Response<ReceiveWebhookResponse>, Status> {
        let ReceiveWebhookRequest { body, signature } = request.into_inner();
        self.receive(&body, &signature).await?;
        Ok(Response::new(ReceiveWebhookResponse {}))
    }

    async fn extend_trial(
        &self,
        request: Request<ExtendTrialRequest>,
    ) -> Result<Response<ExtendTrialResponse>, Status> {
        let staff = Caller::staff(&request)?;
        let key = Key::read(&request, "ExtendTrial")?;
        let (billing, request) = (self.clone(), request.into_inner());
        let sender = staff_member(&staff);
        let work = async move {
            let subscription = Some(billing.move_trial_end(&staff, &request).await?);
            Ok(ExtendTrialResponse { subscription })
        };
        self.run_once(sender, key, work).await
    }

    async fn set_plan(
        &self,
        request: Request<SetPlanRequest>,
    ) -> Result<Response<SetPlanResponse>, Status> {
        let staff = Caller::staff(&request)?;
        let key = Key::read(&request, "SetPlan")?;
        let (billing, request) = (self.clone(), request.into_inner());
        let sender = staff_member(&staff);
        let work = async move {
            let subscription = Some(billing.give_agreed_plan(&staff, &request).await?);
            Ok(SetPlanResponse { subscription })
        };
        self.run_once(sender, key, work).await
    }

    async fn get_sandbox_checkout(
        &self,
        request: Request<GetSandboxCheckoutRequest>,
    ) -> Result<Response<GetSandboxCheckoutResponse>, Status> {
        let tenant = Caller::person(&request)?.tenant();
        let session_id = &request.get_ref().session_id;
        let response = self.sandbox_checkout(tenant, session_id).await?;
        Ok(Response::new(response))
    }

    async fn decide_sandbox_checkout(
        &self,
        request: Request<DecideSandboxCheckoutRequest>,
    ) -> Result<Response<DecideSandboxCheckoutResponse>, Status> {
        let sender = person(&Caller::person(&request)?);
        let key = Key::read(&request, "DecideSandboxCheckout")?;
        let (billing, request) = (self.clone(), request.into_inner());
        let work = async move { billing.decide_checkout(sender.0, &request).await };
        self.run_once(sender, key, work).await
    }

    async fn get_sandbox_portal(
        &self,
        request: Request<GetSandboxPortalRequest>,
    ) -> Result<Response<GetSandboxPortalResponse>, Status> {
        let tenant = Caller::person(&request)?.tenant();
        let response = self.sandbox_portal(tenant).await?;
        Ok(Response::new(response))
    }

    async fn set_sandbox_card(
        &self,
        request: Request<SetSandboxCardRequest>,
    ) -> Result<Response<SetSandboxCardResponse>, Status> {
        let sender = person(&Caller::person(&request)?);
        let key = Key::read(&request, "SetSandboxCard")?;
        let (billing, declines) = (self.clone(), request.get_ref().declines);
        let work = async move { billing.sandbox_card(sender.0, declines).await };
        self.run_once(sender, key, work).await
    }

    async fn move_sandbox_clock(
        &self,
        request: Request<MoveSandboxClockRequest>,
    ) -> Result<Response<MoveSandboxClockResponse>, Status> {
        let sender = person(&Caller::person(&request)?);
        let key = Key::read(&request, "MoveSandboxClock")?;
        let (billing, days) = (self.clone(), request.get_ref().advance_days);
        let work = async move { billing.move_clock(sender.0, days).await };
        self.run_once(sender, key, work).await
    }
}
