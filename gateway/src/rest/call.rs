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
    path: HashMap<String, String>,
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
        requester.authorize(access, &gateway.services.clock)?;
        let in_flight = request.extensions().get::<Arc<InFlight>>().cloned();
        let background = request.extensions().get::<BackgroundTasks>().cloned();
        let (mut parts, body) = request.into_parts();
        let path = parts.extract::<Path<HashMap<String, String>>>().await;
        let path = path.map(|Path(path)| path).unwrap_or_default();
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
            path,
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
        let limits = &self.services.limits;
        limits.count_requester(limit, &self.requester).await
    }

    /// The `{id}` of the path; empty if it has none.
    pub fn id(&self) -> String {
        self.path_param("id")
    }

    /// A parameter of the path; empty if it has none.
    pub fn path_param(&self, name: &str) -> String {
        self.path.get(name).cloned().unwrap_or_default()
    }

    pub fn body<T>(&self, reader: impl Fn(&mut Fields) -> T) -> Result<T, ApiError> {
        fields::read(&self.body, false, reader)
    }

    pub fn query<T>(&self, reader: impl Fn(&mut Fields) -> T) -> Result<T, ApiError> {
        fields::read(&self.query, true, reader)
    }

    /// The memory of responses, and the quota this one counts for.
    pub fn response_memory(&self) -> (ResponseMemory, QuotaKey) {
        (self.response_memory.clone(), QuotaKey::of(&self.requester))
    }

    /// Fails if the session has ended.
    pub async fn check_session(self: Arc<Self>) -> Result<(), Status> {
        let token = self.requester.token.clone();
        let token = token.ok_or_else(ServiceError::unauthenticated)?;
        let request_id = self.requester.context.request_id;
        session::resolve_read_only(&self.services, request_id, token).await?;
        Ok(())
    }

    fn as_requester(&self) -> Outgoing {
        Outgoing::as_requester(self.services.clone(), self.requester.clone())
    }

    /// As the gateway itself; not for calls that change or end sessions.
    pub fn as_gateway(&self) -> Outgoing {
        Outgoing::as_gateway(&self.services, self.requester.context.request_id)
    }

    /// Accounts, as the gateway itself: for signing in and out.
    pub fn edge_accounts(&self) -> AccountsServiceClient<Outgoing> {
        outgoing::accounts(Outgoing::as_gateway_for(&self.services, &self.requester))
    }
}

/// Clients of services, as the sender of the request.
macro_rules! clients {
    ($($name:ident: $client:ident,)+) => {
        impl Call {$(
            pub fn $name(&self) -> $client<Outgoing> {
                outgoing::$name(self.as_requester())
            }
        )+}
    };
}

clients! {
    accounts: AccountsServiceClient,
    accounts_staff: AccountsStaff,
    billing: BillingServiceClient,
    billing_staff: BillingStaff,
    equipment: EquipmentServiceClient,
    equipment_staff: EquipmentStaff,
    operator_updates: OperatorUpdatesServiceClient,
    sandbox: SandboxServiceClient,
    task_sets: TaskSetServiceClient,
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
