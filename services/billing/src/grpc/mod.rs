//! The RPCs, one file per group.

mod agreement;
mod change;
mod checkout;
mod convert;
mod error;
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
use hourmeter_proto::billing::v1::digest_service_server::{DigestService, DigestServiceServer};
use hourmeter_proto::billing::v1::sandbox_service_server::{SandboxService, SandboxServiceServer};
use hourmeter_proto::billing::v1::staff_service_server::{StaffService, StaffServiceServer};
use hourmeter_runtime::audit::NO_COMPANY;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::events::Events;
use hourmeter_runtime::idempotency::{Key, run_once};
use hourmeter_runtime::identity::{Identity, StaffIdentity, Tenant};
use hourmeter_runtime::rpcs;
use hourmeter_runtime::server::max_message_bytes;
use opentelemetry::trace::FutureExt as _;
use prost::Message;
use secrecy::SecretString;
use tonic::service::Routes;
use tracing::Instrument as _;
use uuid::Uuid;

use crate::provider::Payments;
use crate::provider::metered::Metered;
use crate::provider::sandbox::Sandbox;
use crate::provider::stripe::{StripePayments, TIMEOUT};
use crate::webhook::{Webhooks, hex};
use crate::{BillingSettings, PaymentSettings};

/// Runs work in its own task, which continues when the client disconnects. A panic is an error.
async fn detached<T: Send + 'static>(
    work: impl Future<Output = Result<T, ServiceError>> + Send + 'static,
) -> Result<T, ServiceError> {
    let work = work.in_current_span().with_current_context();
    tokio::spawn(work).await.map_err(ServiceError::internal)?
}

/// Implements the RPCs. Cheap to clone.
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
        let (payments, sandbox, webhooks): (Arc<dyn Payments>, _, _) = match &settings.payments {
            PaymentSettings::Sandbox => {
                let sandbox = Arc::new(Sandbox::new(database.clone(), clock.clone()));
                let webhooks = Webhooks::new(vec![random_secret()?], false);
                (sandbox.clone(), Some(sandbox), webhooks)
            }
            PaymentSettings::Stripe(stripe) => {
                let payments = StripePayments::new(stripe, database.clone(), TIMEOUT)?;
                let webhooks = Webhooks::new(stripe.webhook_secrets.clone(), stripe.is_live());
                (Arc::new(payments), None, webhooks)
            }
        };
        Ok(Self {
            database,
            clock,
            settings,
            payments: Arc::new(Metered::new(payments)),
            sandbox,
            webhooks,
            events,
            refused_at: Arc::default(),
        })
    }

    /// Replaces the provider; for tests.
    #[must_use]
    pub fn with_payments(self, make: impl FnOnce(Arc<dyn Payments>) -> Arc<dyn Payments>) -> Self {
        let payments = make(self.payments);
        Self { payments, ..self }
    }

    /// Replaces the webhook secrets; for tests.
    #[must_use]
    pub fn with_webhooks(self, webhooks: Webhooks) -> Self {
        Self { webhooks, ..self }
    }

    /// Runs a write once per idempotency key, in its own task, so that a client that disconnects
    /// neither leaves it half done nor keeps the key claimed.
    fn run_once<A, W>(
        &self,
        sender: (Tenant, Uuid),
        key: Option<Key>,
        work: impl FnOnce(Self) -> W,
    ) -> BoxFuture<'static, Result<A, ServiceError>>
    where
        A: Message + Default + 'static,
        W: Future<Output = Result<A, ServiceError>> + Send + 'static,
    {
        let billing = self.clone();
        // A task within the task, so that a panic of the work also releases the key.
        let work = detached(work(self.clone()));
        let once =
            async move { run_once(&billing.database, sender, key, &billing.clock, work).await };
        Box::pin(detached(once))
    }

    /// The RPCs without authentication; those of the sandbox only if it is the provider.
    pub fn routes(self) -> Routes {
        let limit = max_message_bytes();
        let billing = BillingServiceServer::new(self.clone());
        let staff = StaffServiceServer::new(self.clone());
        let routes = Routes::new(billing.max_decoding_message_size(limit))
            .add_service(staff.max_decoding_message_size(limit))
            .add_service(DigestServiceServer::new(self.clone()));
        if self.sandbox.is_none() {
            return routes;
        }
        let sandbox = SandboxServiceServer::new(self);
        routes.add_service(sandbox.max_decoding_message_size(limit))
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

rpcs! { Billing, BillingService:
    agreement {
        extend_trial(ExtendTrialRequest) -> ExtendTrialResponse;
        set_plan(SetPlanRequest) -> SetPlanResponse;
    }
    change {
        change_plan(ChangePlanRequest) -> ChangePlanResponse;
        pause_subscription(PauseSubscriptionRequest) -> PauseSubscriptionResponse;
        reactivate_subscription(ReactivateSubscriptionRequest) -> ReactivateSubscriptionResponse;
        cancel_subscription(CancelSubscriptionRequest) -> CancelSubscriptionResponse;
    }
    checkout {
        create_checkout_session(CreateCheckoutSessionRequest) -> CreateCheckoutSessionResponse;
        create_portal_session(CreatePortalSessionRequest) -> CreatePortalSessionResponse;
    }
    staff {
        list_subscriptions(ListSubscriptionsRequest) -> ListSubscriptionsResponse;
        set_equipment_limit(SetEquipmentLimitRequest) -> SetEquipmentLimitResponse;
    }
    subscription {
        list_plans(ListPlansRequest) -> ListPlansResponse;
        get_entitlements(GetEntitlementsRequest) -> GetEntitlementsResponse;
        get_subscription(GetSubscriptionRequest) -> GetSubscriptionResponse;
        list_audit_events(ListAuditEventsRequest) -> ListAuditEventsResponse;
    }
    webhook {
        receive_webhook(ReceiveWebhookRequest) -> ReceiveWebhookResponse;
    }
}

rpcs! { Billing, DigestService:
    subscription {
        find_subscription(FindSubscriptionRequest) -> FindSubscriptionResponse;
    }
}

rpcs! { Billing, SandboxService:
    sandbox {
        get_sandbox_checkout(GetSandboxCheckoutRequest) -> GetSandboxCheckoutResponse;
        decide_sandbox_checkout(DecideSandboxCheckoutRequest) -> DecideSandboxCheckoutResponse;
        get_sandbox_portal(GetSandboxPortalRequest) -> GetSandboxPortalResponse;
        set_sandbox_card(SetSandboxCardRequest) -> SetSandboxCardResponse;
        move_sandbox_clock(MoveSandboxClockRequest) -> MoveSandboxClockResponse;
    }
}

rpcs! { Billing, StaffService:
    staff {
        list_subscriptions_in_state(ListSubscriptionsInStateRequest)
            -> ListSubscriptionsInStateResponse;
        list_account_events(ListAccountEventsRequest) -> ListAccountEventsResponse;
    }
}
