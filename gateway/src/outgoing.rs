//! The only way to call a service: REST handlers and the grpc-web proxy use it, so neither can omit
//! the permission check or the identity.

use std::sync::Arc;
use std::task::{Context, Poll};

use futures::future::BoxFuture;
use hourmeter_proto::accounts::v1::accounts_service_client::AccountsServiceClient;
use hourmeter_proto::billing::v1::billing_service_client::BillingServiceClient;
use hourmeter_proto::equipment::v1::equipment_service_client::EquipmentServiceClient;
use hourmeter_proto::operator_updates::v1::operator_updates_service_client::OperatorUpdatesServiceClient;
use hourmeter_runtime::client::{GrpcRequest, GrpcResponse, PUBLIC_ORIGIN};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Caller, Service};
use http::{HeaderName, HeaderValue, header};
use tonic::Status;
use tower::ServiceExt as _;
use uuid::Uuid;

use crate::counted;
use crate::gateway::Gateway;
use crate::retry;
use crate::session_cache::Affected;
use crate::visitor::Visitor;

/// The key that makes a repeated write one write.
pub const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// The largest response to a REST call: a page of the longest rows.
const MAX_ANSWER_BYTES: usize = 64 * 1024 * 1024;

/// Calls services on behalf of one request. The transport of generated clients.
#[derive(Clone)]
pub struct Outgoing {
    gateway: Arc<Gateway>,
    behalf: Behalf,
}

#[derive(Clone)]
enum Behalf {
    /// The sender of the request, within the access policy.
    Visitor(Arc<Visitor>),
    /// The gateway itself, for signing in and resolving sessions.
    Edge {
        request_id: Uuid,
        /// Sessions that a write to accounts may end.
        affected: Affected,
        public_origin: Option<HeaderValue>,
    },
}

/// A call that passed the checks.
struct Prepared {
    service: Service,
    read_only: bool,
    /// Sessions and entitlements that the call may have changed.
    affected: Affected,
}

impl Outgoing {
    /// Calls as the sender of the request.
    pub const fn visitor(gateway: Arc<Gateway>, visitor: Arc<Visitor>) -> Self {
        Self {
            gateway,
            behalf: Behalf::Visitor(visitor),
        }
    }

    /// Calls as the gateway itself; not for calls that change or end sessions.
    pub fn edge(gateway: &Arc<Gateway>, request_id: Uuid) -> Self {
        Self::edge_affecting(gateway, request_id, Affected::Nobody, None)
    }

    /// Calls as the gateway itself, for the sender of a request.
    pub fn edge_for(gateway: &Arc<Gateway>, visitor: &Visitor) -> Self {
        let request_id = visitor.visit.request_id;
        let origin = visitor.public_origin.clone();
        Self::edge_affecting(gateway, request_id, visitor.affected(), origin)
    }

    fn edge_affecting(
        gateway: &Arc<Gateway>,
        request_id: Uuid,
        affected: Affected,
        public_origin: Option<HeaderValue>,
    ) -> Self {
        Self {
            gateway: gateway.clone(),
            behalf: Behalf::Edge {
                request_id,
                affected,
                public_origin,
            },
        }
    }

    fn prepare(&self, request: &mut GrpcRequest) -> Result<Prepared, ServiceError> {
        let path = request.uri().path();
        let access = self.gateway.policy.get(path);
        let access = access.ok_or_else(ServiceError::forbidden)?;
        let service = Service::from_path(path).ok_or_else(ServiceError::forbidden)?;
        let headers = request.headers_mut();
        let origin = match &self.behalf {
            Behalf::Visitor(visitor) => visitor.public_origin.as_ref(),
            Behalf::Edge { public_origin, .. } => public_origin.as_ref(),
        };
        if service == Service::Accounts
            && let Some(origin) = origin
        {
            headers.insert(PUBLIC_ORIGIN, origin.clone());
        }
        let (caller, affected) = match &self.behalf {
            Behalf::Visitor(visitor) => {
                if let Some(key) = &visitor.idempotency_key
                    && !access.read_only
                {
                    headers.insert(IDEMPOTENCY_KEY, key.clone());
                }
                if let Some(languages) = &visitor.accept_language {
                    headers.insert(header::ACCEPT_LANGUAGE, languages.clone());
                }
                let caller = visitor.permit(access, &self.gateway.clock)?;
                (caller, visitor.affected())
            }
            Behalf::Edge {
                request_id,
                affected,
                ..
            } => {
                let request_id = *request_id;
                (Caller::Edge { request_id }, *affected)
            }
        };
        let extensions = request.extensions_mut();
        self.gateway.callers.attach(extensions, caller);
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
        let Self { gateway, behalf } = self.clone();
        Box::pin(async move {
            let Prepared {
                service,
                read_only,
                affected,
            } = prepared?;
            let backend = gateway.backends.of(service);
            let (request, new_name) = match &behalf {
                Behalf::Visitor(visitor) => counted::new_name(&gateway, visitor, request).await?,
                Behalf::Edge { .. } => (request, None),
            };
            let answer = if read_only {
                retry::read(&gateway.retries, (service, backend), request).await
            } else {
                backend.oneshot(request).await
            };
            if let Some(new_name) = new_name
                && !counted::is_in_use(&answer)
            {
                new_name.not_in_use().await;
            }
            // Also after a failure: a call that timed out may have written.
            match (service, affected) {
                (Service::Accounts, _) if !read_only => {
                    gateway.sessions.drop_affected(affected).await;
                }
                // The event of the change may arrive later than the next read.
                (Service::Billing, Affected::Company(id)) => gateway.entitlements.drop_one(id),
                _ => {}
            }
            answer
        })
    }
}

pub fn accounts(way: Outgoing) -> AccountsServiceClient<Outgoing> {
    AccountsServiceClient::new(way).max_decoding_message_size(MAX_ANSWER_BYTES)
}

pub fn equipment(way: Outgoing) -> EquipmentServiceClient<Outgoing> {
    EquipmentServiceClient::new(way).max_decoding_message_size(MAX_ANSWER_BYTES)
}

pub fn operator_updates(way: Outgoing) -> OperatorUpdatesServiceClient<Outgoing> {
    OperatorUpdatesServiceClient::new(way).max_decoding_message_size(MAX_ANSWER_BYTES)
}

pub fn billing(way: Outgoing) -> BillingServiceClient<Outgoing> {
    BillingServiceClient::new(way).max_decoding_message_size(MAX_ANSWER_BYTES)
}
