//! REST routes: access rule, inputs, responses and handler. The router, the OpenAPI document and
//! the permission tests are built from them.

use std::borrow::Cow;
use std::future::ready;
use std::sync::Arc;

use futures::future::BoxFuture;
use hourmeter_proto::access::PolicyTable;
use hourmeter_proto::common::v1::{Access, Audience, AuditEventType};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Service;
use http::{Method, StatusCode};
use schemars::JsonSchema;
use serde_json::Value;

use super::call::Call;
use super::fields::kind::Field;
use super::fields::{Fields, describe};
use super::response::RestResult;
use super::values::schema;
use crate::api_error::ApiError;
use crate::audit::RestAudit;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessRule {
    Public,
    Manager,
    /// `Manager`, or support staff.
    ManagerOrStaff,
    /// `ManagerOrStaff`, also before a required second factor is set up.
    BeforeSecondFactor,
    /// As for this RPC.
    Rpc(Service, &'static str),
    /// As for this RPC of billing's sandbox.
    SandboxRpc(&'static str),
    /// As for this RPC of equipment's task sets.
    TaskSetRpc(&'static str),
    /// As for this RPC of accounts for support staff.
    StaffRpc(&'static str),
}

impl AccessRule {
    /// The path of the RPC, if there is one.
    pub fn rpc_path(self) -> Option<String> {
        let (name, method) = match self {
            Self::Rpc(Service::Accounts, method) => ("accounts.v1.AccountsService", method),
            Self::Rpc(Service::Equipment, method) => ("equipment.v1.EquipmentService", method),
            Self::Rpc(Service::OperatorUpdates, method) => {
                ("operator_updates.v1.OperatorUpdatesService", method)
            }
            Self::Rpc(Service::Billing, method) => ("billing.v1.BillingService", method),
            Self::SandboxRpc(method) => ("billing.v1.SandboxService", method),
            Self::TaskSetRpc(method) => ("equipment.v1.TaskSetService", method),
            Self::StaffRpc(method) => ("accounts.v1.StaffService", method),
            _ => return None,
        };
        Some(format!("/hourmeter.{name}/{method}"))
    }

    /// A route for which this rule holds, whose handler gets only the call.
    pub fn route<F>(
        self,
        method: Verb,
        path: &'static str,
        handler: impl Fn(Call) -> F + Send + Sync + 'static,
    ) -> Route
    where
        F: Future<Output = RestResult> + Send + 'static,
    {
        let handler: Handler = Arc::new(move |call| Box::pin(handler(call)));
        self.at(method, path).handled(handler)
    }

    /// The place of a route for which this rule holds; its input and handler follow.
    pub const fn at(self, method: Verb, path: &'static str) -> Place {
        Place {
            method,
            path,
            access_rule: self,
        }
    }

    /// Checks this rule and its limits for a call of another route. Denied calls do not count.
    pub async fn authorize(self, call: &Call) -> Result<(), ApiError> {
        let access = self.access(&call.services.policy)?;
        call.requester.authorize(&access, &call.services.clock)?;
        call.count_all(&access).await
    }

    /// The access policy; fails if the RPC has none.
    pub(crate) fn access(self, policy: &PolicyTable) -> Result<Access, ServiceError> {
        let audience = |audience: Audience| Access {
            audience: audience.into(),
            ..Access::default()
        };
        match self {
            Self::Public => Ok(audience(Audience::Public)),
            Self::Manager => Ok(audience(Audience::Manager)),
            Self::ManagerOrStaff => Ok(Access {
                staff_too: true,
                ..audience(Audience::Manager)
            }),
            Self::BeforeSecondFactor => Ok(Access {
                staff_too: true,
                before_second_factor: true,
                ..audience(Audience::Manager)
            }),
            Self::Rpc(..) | Self::SandboxRpc(_) | Self::TaskSetRpc(_) | Self::StaffRpc(_) => {
                let path = self.rpc_path().unwrap_or_default();
                let access = policy.get(&path).cloned();
                access.ok_or_else(|| ServiceError::internal(format!("no access policy for {path}")))
            }
        }
    }
}

/// The public description of a route, for tests and reviewers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestRoute {
    pub method: Method,
    /// E.g. `/api/equipment/{id}`.
    pub path: &'static str,
    pub access_rule: AccessRule,
}

impl RestRoute {
    pub(crate) const fn of(route: &Route) -> Self {
        Self {
            method: route.method.method(),
            path: route.path,
            access_rule: route.access_rule,
        }
    }
}

type Handler = Arc<dyn Fn(Call) -> BoxFuture<'static, RestResult> + Send + Sync>;

/// Where a route is and who may call it.
pub struct Place {
    method: Verb,
    path: &'static str,
    access_rule: AccessRule,
}

impl Place {
    /// Reads the body for the handler, and documents it.
    pub fn body<T, F>(
        self,
        reader: impl Fn(&mut Fields) -> T + Send + Sync + 'static,
        handler: impl Fn(Call, T) -> F + Send + Sync + 'static,
    ) -> Route
    where
        F: Future<Output = RestResult> + Send + 'static,
    {
        let body = describe(&reader);
        let handler = with_input(move |call| call.body(&reader), handler);
        Route {
            body,
            ..self.handled(handler)
        }
    }

    /// Reads the query for the handler, and documents it.
    pub fn query<T, F>(
        self,
        reader: impl Fn(&mut Fields) -> T + Send + Sync + 'static,
        handler: impl Fn(Call, T) -> F + Send + Sync + 'static,
    ) -> Route
    where
        F: Future<Output = RestResult> + Send + 'static,
    {
        let query = describe(&reader);
        let handler = with_input(move |call| call.query(&reader), handler);
        Route {
            query,
            ..self.handled(handler)
        }
    }

    const fn handled(self, handler: Handler) -> Route {
        Route {
            method: self.method,
            path: self.path,
            access_rule: self.access_rule,
            summary: "",
            query: Vec::new(),
            body: Vec::new(),
            responses: Vec::new(),
            is_export: false,
            limited_event: None,
            has_raw_body: false,
            signature_header: None,
            handler,
        }
    }
}

fn with_input<T, F>(
    read: impl Fn(&Call) -> Result<T, ApiError> + Send + Sync + 'static,
    handler: impl Fn(Call, T) -> F + Send + Sync + 'static,
) -> Handler
where
    F: Future<Output = RestResult> + Send + 'static,
{
    Arc::new(move |call| match read(&call) {
        Ok(input) => Box::pin(handler(call, input)),
        Err(error) => Box::pin(ready(Err(error))),
    })
}

pub struct Route {
    pub method: Verb,
    pub path: &'static str,
    pub access_rule: AccessRule,
    pub summary: &'static str,
    pub query: Vec<Field>,
    pub body: Vec<Field>,
    pub responses: Vec<(StatusCode, ResponseDoc)>,
    /// Returns all rows: limited, audited and of low priority.
    pub is_export: bool,
    /// The event that records a rate-limited call in the audit log.
    pub limited_event: Option<AuditEventType>,
    /// Whether the body may be of any type; else it is JSON.
    pub has_raw_body: bool,
    /// The header with the signature of a raw body.
    pub signature_header: Option<&'static str>,
    pub handler: Handler,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verb {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

impl Verb {
    pub const fn method(self) -> Method {
        match self {
            Self::Get => Method::GET,
            Self::Post => Method::POST,
            Self::Put => Method::PUT,
            Self::Patch => Method::PATCH,
            Self::Delete => Method::DELETE,
        }
    }
}

/// The form of a response, for the OpenAPI document.
pub enum ResponseDoc {
    Empty,
    One(Cow<'static, str>, Schema),
    List(Cow<'static, str>, Schema),
    Pages(Cow<'static, str>, Schema),
    Json(Value),
    Other(&'static str),
}

pub type Schema = fn() -> Value;

fn typed<T: JsonSchema>(form: fn(Cow<'static, str>, Schema) -> ResponseDoc) -> ResponseDoc {
    form(T::schema_name(), schema::<T>)
}

impl Route {
    pub const fn audit(&self) -> RestAudit {
        let service = match self.access_rule {
            AccessRule::Rpc(service, _) => service,
            AccessRule::SandboxRpc(_) => Service::Billing,
            AccessRule::TaskSetRpc(_) => Service::Equipment,
            // The gateway itself calls accounts.
            _ => Service::Accounts,
        };
        RestAudit {
            service,
            limited_event: self.limited_event,
        }
    }

    pub const fn summary(mut self, summary: &'static str) -> Self {
        self.summary = summary;
        self
    }

    /// Documents a query that the handler itself reads, after another check.
    pub fn reads_query<T>(mut self, reader: impl Fn(&mut Fields) -> T) -> Self {
        self.query = describe(reader);
        self
    }

    /// Accepts a raw body of any type, signed in this header.
    pub const fn signature_header(mut self, header: &'static str) -> Self {
        self.signature_header = Some(header);
        self.raw_body()
    }

    /// Accepts a body of any type.
    pub const fn raw_body(mut self) -> Self {
        self.has_raw_body = true;
        self
    }

    pub fn responds(mut self, status: StatusCode, doc: ResponseDoc) -> Self {
        self.responses.push((status, doc));
        self
    }

    /// 200 with an object.
    pub fn ok<T: JsonSchema>(self) -> Self {
        self.responds(StatusCode::OK, typed::<T>(ResponseDoc::One))
    }

    /// 201 with an object.
    pub fn created<T: JsonSchema>(self) -> Self {
        self.responds(StatusCode::CREATED, typed::<T>(ResponseDoc::One))
    }

    /// 200 with a list.
    pub fn list<T: JsonSchema>(self) -> Self {
        self.responds(StatusCode::OK, typed::<T>(ResponseDoc::List))
    }

    /// 200 with a list with pages.
    pub fn pages<T: JsonSchema>(self) -> Self {
        self.responds(StatusCode::OK, typed::<T>(ResponseDoc::Pages))
    }

    /// 204.
    pub fn empty(self) -> Self {
        self.responds(StatusCode::NO_CONTENT, ResponseDoc::Empty)
    }

    pub const fn export(mut self) -> Self {
        self.is_export = true;
        self
    }

    pub const fn audited_if_limited(mut self, event: AuditEventType) -> Self {
        self.limited_event = Some(event);
        self
    }

    pub fn has_pages(&self) -> bool {
        let mut responses = self.responses.iter();
        responses.any(|(_, response)| matches!(response, ResponseDoc::Pages(..)))
    }
}
