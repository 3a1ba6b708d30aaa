//! A REST call: permitted, limited and parsed, ready for the handler.

use std::collections::HashMap;
use std::sync::Arc;

use axum::RequestPartsExt as _;
use axum::body::{Body, Bytes};
use axum::extract::{Path, Query, Request};
use hourmeter_proto::accounts::v1::accounts_service_client::AccountsServiceClient;
use hourmeter_proto::accounts::v1::staff_service_client::StaffServiceClient as AccountsStaff;
use hourmeter_proto::billing::v1::billing_service_client::BillingServiceClient;
use hourmeter_proto::billing::v1::sandbox_service_client::SandboxServiceClient;
use hourmeter_proto::billing::v1::staff_service_client::StaffServiceClient as BillingStaff;
use hourmeter_proto::common::v1::Access;
use hourmeter_proto::equipment::v1::equipment_service_client::EquipmentServiceClient;
use hourmeter_proto::equipment::v1::staff_service_client::StaffServiceClient as EquipmentStaff;
use hourmeter_proto::equipment::v1::task_set_service_client::TaskSetServiceClient;
use hourmeter_proto::notifications::v1::digest_service_client::DigestServiceClient;
use hourmeter_proto::notifications::v1::notifications_service_client::NotificationsServiceClient;
use hourmeter_proto::operator_updates::v1::operator_updates_service_client::OperatorUpdatesServiceClient;
use hourmeter_runtime::error::ServiceError;
use http::request::Parts;
use http::{HeaderMap, Method, header};
use http_body_util::BodyExt as _;
use serde_json::{Map, Value};
use tonic::Status;

use super::fields::{self, Fields};
use crate::api_error::ApiError;
use crate::audit::AuditSink;
use crate::gateway::Gateway;
use crate::limits::{CompanyLimit, InFlight};
use crate::outgoing::{self, Outgoing};
use crate::refusals;
use crate::requester::Requester;
use crate::response_memory::{QuotaKey, ResponseMemory};
use crate::rpc_limits;
use crate::server::BackgroundTasks;
use crate::services::Services;
use crate::session;

pub struct Call {
    pub services: Arc<Services>,
    pub audit: Arc<AuditSink>,
    response_memory: ResponseMemory,
    pub requester: Arc<Requester>,
    /// The `{id}` of the path; empty if it has none.
    pub id: String,
    /// Other parameters of the path.
    parts: HashMap<String, String>,
    pub headers: HeaderMap,
    /// The raw body of a route that accepts one; else empty.
    pub bytes: Bytes,
    query: Map<String, Value>,
    body: Map<String, Value>,
    /// None in tests.
    pub background: Option<BackgroundTasks>,
    /// Counts the call as in flight until it is dropped, by the handler or a streamed response.
    _in_flight: Option<Arc<InFlight>>,
}

impl Call {
    /// Checks the access policy, then parses the request.
    pub async fn admit(
        gateway: &Arc<Gateway>,
        access: &Access,
        has_raw_body: bool,
        request: Request,
    ) -> Result<Self, ApiError> {
        let requester = request.extensions().get::<Arc<Requester>>().cloned();
        let requester = requester.ok_or_else(|| ServiceError::internal("no session layer"))?;
        requester.permit(access, &gateway.services.clock)?;
        let in_flight = request.extensions().get::<Arc<InFlight>>().cloned();
        let background = request.extensions().get::<BackgroundTasks>().cloned();
        let (mut parts, body) = request.into_parts();
        let path = parts.extract::<Path<HashMap<String, String>>>().await;
        let mut path = path.map(|Path(path)| path).unwrap_or_default();
        let id = path.remove("id");
        let mut bytes = Bytes::new();
        let mut fields = Map::new();
        if has_raw_body {
            bytes = read_bytes(body).await?;
        } else if !matches!(parts.method, Method::GET | Method::HEAD) {
            fields = read_body(&parts.headers, body).await?;
        }
        let call = Self {
            services: gateway.services.clone(),
            audit: gateway.audit.clone(),
            response_memory: gateway.response_memory.clone(),
            requester,
            id: id.unwrap_or_default(),
            parts: path,
            query: read_query(&parts)?,
            headers: parts.headers,
            bytes,
            body: fields,
            background,
            _in_flight: in_flight,
        };
        call.count_all(access).await?;
        Ok(call)
    }

    /// Counts the call for all limits of its access policy.
    pub async fn count_all(&self, access: &Access) -> Result<(), ApiError> {
        for limit in rpc_limits::of_every_call(access) {
            self.count(limit).await?;
        }
        Ok(())
    }

    /// Counts the call for the company of the sender.
    pub async fn count(&self, limit: CompanyLimit) -> Result<(), ApiError> {
        self.services
            .limits
            .count_requester(limit, &self.requester)
            .await
    }

    /// A parameter of the path; empty if it has none.
    pub fn path_param(&self, name: &str) -> String {
        self.parts.get(name).cloned().unwrap_or_default()
    }

    pub fn body<T>(&self, reader: impl Fn(&mut Fields) -> T) -> Result<T, ApiError> {
        fields::read(&self.body, false, reader)
    }

    pub fn query<T>(&self, reader: impl Fn(&mut Fields) -> T) -> Result<T, ApiError> {
        fields::read(&self.query, true, reader)
    }

    /// The session, for a response that is streamed after the handler returned.
    pub fn session(&self) -> CallSession {
        CallSession {
            services: self.services.clone(),
            response_memory: self.response_memory.clone(),
            requester: self.requester.clone(),
        }
    }

    fn outgoing(&self) -> Outgoing {
        Outgoing::as_requester(self.services.clone(), self.requester.clone())
    }

    /// Client of accounts, as the sender.
    pub fn accounts(&self) -> AccountsServiceClient<Outgoing> {
        outgoing::accounts(self.outgoing())
    }

    /// Client of accounts, as the gateway itself: for signing in and out.
    pub fn edge_accounts(&self) -> AccountsServiceClient<Outgoing> {
        outgoing::accounts(Outgoing::as_gateway_for(&self.services, &self.requester))
    }

    /// Client of equipment, as the sender.
    pub fn equipment(&self) -> EquipmentServiceClient<Outgoing> {
        outgoing::equipment(self.outgoing())
    }

    /// Client of the task sets of equipment, as the sender.
    pub fn task_sets(&self) -> TaskSetServiceClient<Outgoing> {
        outgoing::task_sets(self.outgoing())
    }

    /// Client of operator-updates, as the sender.
    pub fn operator_updates(&self) -> OperatorUpdatesServiceClient<Outgoing> {
        outgoing::operator_updates(self.outgoing())
    }

    /// Client of billing, as the gateway itself: for webhooks.
    pub fn edge_billing(&self) -> BillingServiceClient<Outgoing> {
        outgoing::billing(Outgoing::as_gateway(
            &self.services,
            self.requester.context.request_id,
        ))
    }

    /// Client of notifications, as the gateway.
    pub fn edge_notifications(&self) -> NotificationsServiceClient<Outgoing> {
        outgoing::notifications(Outgoing::as_gateway(
            &self.services,
            self.requester.context.request_id,
        ))
    }

    /// Client of the digest, as the gateway.
    pub fn edge_digest(&self) -> DigestServiceClient<Outgoing> {
        outgoing::digest(Outgoing::as_gateway(
            &self.services,
            self.requester.context.request_id,
        ))
    }

    /// Client of billing, as the sender.
    pub fn billing(&self) -> BillingServiceClient<Outgoing> {
        outgoing::billing(self.outgoing())
    }

    /// Client of billing's sandbox, as the sender.
    pub fn sandbox(&self) -> SandboxServiceClient<Outgoing> {
        outgoing::sandbox(self.outgoing())
    }

    /// Client of accounts for support staff, as the sender.
    pub fn accounts_staff(&self) -> AccountsStaff<Outgoing> {
        outgoing::accounts_staff(self.outgoing())
    }

    /// Client of equipment for support staff, as the sender.
    pub fn equipment_staff(&self) -> EquipmentStaff<Outgoing> {
        outgoing::equipment_staff(self.outgoing())
    }

    /// Client of billing for support staff, as the sender.
    pub fn billing_staff(&self) -> BillingStaff<Outgoing> {
        outgoing::billing_staff(self.outgoing())
    }
}

pub struct CallSession {
    services: Arc<Services>,
    response_memory: ResponseMemory,
    requester: Arc<Requester>,
}

impl CallSession {
    /// The memory of responses, and the quota this one counts for.
    pub fn response_memory(&self) -> (ResponseMemory, QuotaKey) {
        (self.response_memory.clone(), QuotaKey::of(&self.requester))
    }

    /// Fails if the session has ended.
    pub fn check(&self) -> impl Future<Output = Result<(), Status>> + Send + use<> {
        let (services, requester) = (self.services.clone(), self.requester.clone());
        async move {
            let token = requester.token.clone();
            let token = token.ok_or_else(ServiceError::unauthenticated)?;
            let found =
                session::resolve_read_only(&services, requester.context.request_id, token).await;
            found.map(drop).map_err(Status::from)
        }
    }
}

/// Returns the body, which `layers/body.rs` has already read and limited.
async fn read_bytes(body: Body) -> Result<Bytes, ApiError> {
    let body = body.collect().await.map_err(ServiceError::internal)?;
    Ok(body.to_bytes())
}

async fn read_body(headers: &HeaderMap, body: Body) -> Result<Map<String, Value>, ApiError> {
    let bytes = read_bytes(body).await?;
    if !bytes.is_empty() && !is_json(headers) {
        return Err(ApiError::UnsupportedMediaType);
    }
    match fields::parse(&bytes)? {
        Value::Object(fields) => Ok(fields),
        _ => Ok(Map::new()),
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let content_type = headers.get(header::CONTENT_TYPE);
    let content_type = content_type.and_then(|value| value.to_str().ok());
    let essence = content_type.and_then(|value| value.split(';').next());
    essence.is_some_and(|value| value.trim().eq_ignore_ascii_case("application/json"))
}

fn read_query(parts: &Parts) -> Result<Map<String, Value>, ApiError> {
    let pairs = Query::<Vec<(String, String)>>::try_from_uri(&parts.uri);
    let pairs = pairs.map_err(|_| ApiError::field("query", refusals::NOT_READABLE))?;
    let values = pairs.0.into_iter();
    Ok(values.map(|(name, value)| (name, value.into())).collect())
}
