//! The only way to call a service, so that no call omits the permission check or the identity.

use std::sync::Arc;
use std::task::{Context, Poll};

use futures::future::BoxFuture;
use hourmeter_proto::accounts::v1::accounts_service_client::AccountsServiceClient;
use hourmeter_proto::accounts::v1::staff_service_client::StaffServiceClient as AccountsStaff;
use hourmeter_proto::billing::v1::billing_service_client::BillingServiceClient;
use hourmeter_proto::billing::v1::sandbox_service_client::SandboxServiceClient;
use hourmeter_proto::billing::v1::staff_service_client::StaffServiceClient as BillingStaff;
use hourmeter_proto::equipment::v1::equipment_service_client::EquipmentServiceClient;
use hourmeter_proto::equipment::v1::staff_service_client::StaffServiceClient as EquipmentStaff;
use hourmeter_proto::equipment::v1::task_set_service_client::TaskSetServiceClient;
use hourmeter_proto::notifications::v1::digest_service_client::DigestServiceClient;
use hourmeter_proto::notifications::v1::notifications_service_client::NotificationsServiceClient;
use hourmeter_proto::operator_updates::v1::operator_updates_service_client::OperatorUpdatesServiceClient;
use hourmeter_runtime::client::{GrpcRequest, GrpcResponse, PUBLIC_ORIGIN, REQUEST_BROWSER};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Caller, Service};
use http::{HeaderName, HeaderValue, header};
use tonic::{Code, Status};
use tower::ServiceExt as _;
use uuid::Uuid;

use crate::requester::Requester;
use crate::retry;
use crate::rpc_limits;
use crate::rpc_status::failed_code;
use crate::services::Services;
use crate::session_cache::AffectedSessions;

/// The key that makes a repeated write one write.
pub const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// The largest response to a REST call: a page of the longest rows.
const MAX_RESPONSE_BYTES: usize = 64 * 1024 * 1024;

/// Calls services on behalf of one request. The transport of generated clients.
#[derive(Clone)]
pub struct Outgoing {
    services: Arc<Services>,
    actor: Actor,
}

#[derive(Clone)]
enum Actor {
    /// The sender of the request, within the access policy.
    Requester(Arc<Requester>),
    /// The gateway itself, for signing in and resolving sessions.
    Gateway {
        request_id: Uuid,
        /// Sessions that a write to accounts may end.
        affected: AffectedSessions,
        public_origin: Option<HeaderValue>,
        browser: Option<HeaderValue>,
    },
}

/// A call that passed the checks.
struct Prepared {
    service: Service,
    read_only: bool,
    /// Sessions and entitlements that the call may change.
    affected: AffectedSessions,
}

impl Outgoing {
    /// Calls as the sender of the request.
    pub const fn as_requester(services: Arc<Services>, requester: Arc<Requester>) -> Self {
        Self {
            services,
            actor: Actor::Requester(requester),
        }
    }

    /// Calls as the gateway itself; not for calls that change or end sessions.
    pub fn as_gateway(services: &Arc<Services>, request_id: Uuid) -> Self {
        Self {
            services: services.clone(),
            actor: Actor::Gateway {
                request_id,
                affected: AffectedSessions::None,
                public_origin: None,
                browser: None,
            },
        }
    }

    /// Calls as the gateway itself, for the sender of a request.
    pub fn as_gateway_for(services: &Arc<Services>, requester: &Requester) -> Self {
        Self {
            services: services.clone(),
            actor: Actor::Gateway {
                request_id: requester.context.request_id,
                affected: requester.affected(),
                public_origin: requester.public_origin.clone(),
                browser: requester.browser.clone(),
            },
        }
    }

    /// Checks a call and adds its caller.
    fn prepare(&self, request: &mut GrpcRequest) -> Result<Prepared, ServiceError> {
        let path = request.uri().path();
        let access = self.services.policy.get(path);
        let access = access.ok_or_else(ServiceError::forbidden)?;
        let service = Service::from_path(path).ok_or_else(ServiceError::forbidden)?;
        let headers = request.headers_mut();
        let (caller, affected, origin, browser) = match &self.actor {
            Actor::Requester(requester) => {
                if let Some(key) = &requester.idempotency_key
                    && !access.read_only
                {
                    headers.insert(IDEMPOTENCY_KEY, key.clone());
                }
                if let Some(languages) = &requester.accept_language {
                    headers.insert(header::ACCEPT_LANGUAGE, languages.clone());
                }
                let caller = requester.authorize(access, &self.services.clock)?;
                let (origin, browser) = (&requester.public_origin, &requester.browser);
                (caller, requester.affected(), origin, browser)
            }
            Actor::Gateway {
                request_id,
                affected,
                public_origin,
                browser,
            } => {
                let request_id = *request_id;
                let caller = Caller::Edge { request_id };
                (caller, *affected, public_origin, browser)
            }
        };
        if service == Service::Accounts {
            for (name, value) in [(PUBLIC_ORIGIN, origin), (REQUEST_BROWSER, browser)] {
                if let Some(value) = value {
                    headers.insert(name, value.clone());
                }
            }
        }
        let extensions = request.extensions_mut();
        self.services.callers.attach(extensions, caller);
        Ok(Prepared {
            service,
            read_only: access.read_only,
            affected,
        })
    }
}

impl tower::Service<GrpcRequest> for Outgoing {
    type Response = GrpcResponse;
    type Error = Status;
    type Future = BoxFuture<'static, Result<GrpcResponse, Status>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Status>> {
        // The backend is known only from the request.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: GrpcRequest) -> Self::Future {
        let prepared = self.prepare(&mut request);
        let Self { services, actor } = self.clone();
        Box::pin(async move {
            let prepared = prepared?;
            let backend = services.backends.get(prepared.service);
            let (request, new_name) = match &actor {
                Actor::Requester(requester) => {
                    rpc_limits::begin_new_name(&services, requester, request).await?
                }
                Actor::Gateway { .. } => (request, None),
            };
            let response = if prepared.read_only {
                retry::read(&services.retries, (prepared.service, backend), request).await
            } else {
                backend.oneshot(request).await
            };
            if let Some(new_name) = new_name
                && failed_code(&response) != Some(Code::AlreadyExists)
            {
                new_name.take_back().await;
            }
            // Also after a failure: a call that timed out may have written.
            match (prepared.service, prepared.affected) {
                (Service::Accounts, affected) if !prepared.read_only => {
                    services.sessions.invalidate(affected).await;
                }
                // The event of the change may arrive later than the next read.
                (Service::Billing, AffectedSessions::Company(id)) => {
                    services.entitlements.invalidate(id);
                }
                _ => {}
            }
            response
        })
    }
}

/// Declares the client of each service, built from an [`Outgoing`].
macro_rules! clients {
    ($($name:ident: $client:ident,)+) => {$(
        pub fn $name(outgoing: Outgoing) -> $client<Outgoing> {
            $client::new(outgoing).max_decoding_message_size(MAX_RESPONSE_BYTES)
        }
    )+};
}

clients! {
    accounts: AccountsServiceClient,
    accounts_staff: AccountsStaff,
    billing: BillingServiceClient,
    billing_staff: BillingStaff,
    digest: DigestServiceClient,
    equipment: EquipmentServiceClient,
    equipment_staff: EquipmentStaff,
    notifications: NotificationsServiceClient,
    operator_updates: OperatorUpdatesServiceClient,
    sandbox: SandboxServiceClient,
    task_sets: TaskSetServiceClient,
}
