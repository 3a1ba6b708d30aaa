//! One REST route: who may call it, what it reads, what it answers, and what it does. The router,
//! the API document and the permission tests are all made from these.

use std::borrow::Cow;
use std::sync::Arc;

use futures::future::BoxFuture;
use hourmeter_proto::common::v1::{Access, Audience};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Service;
use http::{Method, StatusCode};
use schemars::JsonSchema;
use serde_json::Value;

use super::answer::Answer;
use super::call::Call;
use super::fields::{Field, Fields, describe};
use super::values::schema;
use crate::gateway::Gateway;
use crate::limits::CompanyLimit;
use crate::rescue::Refusal;

/// Who may call a REST route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// Anyone, signed in or not.
    Public,
    /// An owner or manager with full scope.
    Manager,
    /// The same, or support staff.
    ManagerOrStaff,
    /// The same, also before the second factor that the company requires is set up.
    Confirming,
    /// Whoever may call this RPC.
    Rpc(Service, &'static str),
}

impl Admission {
    /// The RPC's path, if an RPC decides.
    pub fn rpc_path(self) -> Option<String> {
        let Self::Rpc(service, method) = self else {
            return None;
        };
        let name = match service {
            Service::Accounts => "accounts.v1.AccountsService",
            Service::Equipment => "equipment.v1.EquipmentService",
            Service::OperatorUpdates => "operator_updates.v1.OperatorUpdatesService",
            Service::Billing => "billing.v1.BillingService",
        };
        Some(format!("/hourmeter.{name}/{method}"))
    }

    /// The access policy; fails when the RPC has none.
    pub(crate) fn access(self, gateway: &Gateway) -> Result<Access, ServiceError> {
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
            Self::Confirming => Ok(Access {
                staff_too: true,
                before_second_factor: true,
                ..audience(Audience::Manager)
            }),
            Self::Rpc(..) => {
                let path = self.rpc_path().unwrap_or_default();
                let access = gateway.policy.get(&path).cloned();
                access.ok_or_else(|| ServiceError::internal(format!("no access policy for {path}")))
            }
        }
    }
}

/// What reviewers and tests may know of a route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestRoute {
    /// GET, POST, ...
    pub method: Method,
    /// Like `/api/equipment/{id}`.
    pub path: &'static str,
    /// Who may call it.
    pub admission: Admission,
}

impl RestRoute {
    pub(crate) const fn of(route: &Route) -> Self {
        Self {
            method: route.method.method(),
            path: route.path,
            admission: route.admission,
        }
    }
}

type Handler = Arc<dyn Fn(Call) -> BoxFuture<'static, Result<Answer, Refusal>> + Send + Sync>;

/// One route.
pub struct Route {
    pub method: Verb,
    pub path: &'static str,
    pub admission: Admission,
    pub summary: &'static str,
    pub query: Vec<Field>,
    pub body: Vec<Field>,
    pub answers: Vec<(StatusCode, AnswerDoc)>,
    pub limit: Option<CompanyLimit>,
    /// The header that vouches for a body which is taken as it is; absent: the body is JSON.
    pub signed_by: Option<&'static str>,
    pub handler: Handler,
}

/// The methods routes have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verb {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

impl Verb {
    /// The HTTP method.
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

/// What an answer looks like, for the API document.
pub enum AnswerDoc {
    /// No body.
    Empty,
    /// An object.
    One(Cow<'static, str>, Schema),
    /// A list of objects.
    List(Cow<'static, str>, Schema),
    /// A list of objects that can be read in pages.
    Pages(Cow<'static, str>, Schema),
    /// JSON of another kind.
    Json(Value),
    /// Not JSON.
    Other(&'static str),
}

/// Makes the JSON schema of what is answered.
pub type Schema = fn() -> Value;

impl Route {
    /// A route with its handler.
    pub fn new<H, F>(
        (method, path): (Verb, &'static str),
        admission: Admission,
        summary: &'static str,
        handler: H,
    ) -> Self
    where
        H: Fn(Call) -> F + Send + Sync + 'static,
        F: Future<Output = Result<Answer, Refusal>> + Send + 'static,
    {
        Self {
            method,
            path,
            admission,
            summary,
            query: Vec::new(),
            body: Vec::new(),
            answers: Vec::new(),
            limit: None,
            signed_by: None,
            handler: Arc::new(move |call| Box::pin(handler(call))),
        }
    }

    /// What it reads from the query.
    pub fn query<T>(mut self, reader: impl Fn(&mut Fields) -> T) -> Self {
        self.query = describe(reader);
        self
    }

    /// What it reads from the body.
    pub fn body<T>(mut self, reader: impl Fn(&mut Fields) -> T) -> Self {
        self.body = describe(reader);
        self
    }

    /// Takes the body byte for byte and of any type; this header vouches for it.
    pub const fn signed_by(mut self, header: &'static str) -> Self {
        self.signed_by = Some(header);
        self
    }

    /// What it answers.
    pub fn answers(mut self, status: StatusCode, doc: AnswerDoc) -> Self {
        self.answers.push((status, doc));
        self
    }

    /// Answers 200 with an object.
    pub fn ok<T: JsonSchema>(self) -> Self {
        self.answers(
            StatusCode::OK,
            AnswerDoc::One(T::schema_name(), schema::<T>),
        )
    }

    /// Answers 201 with an object.
    pub fn created<T: JsonSchema>(self) -> Self {
        self.answers(
            StatusCode::CREATED,
            AnswerDoc::One(T::schema_name(), schema::<T>),
        )
    }

    /// Answers 200 with a list.
    pub fn list<T: JsonSchema>(self) -> Self {
        self.answers(
            StatusCode::OK,
            AnswerDoc::List(T::schema_name(), schema::<T>),
        )
    }

    /// Answers 200 with a list that can be read in pages.
    pub fn pages<T: JsonSchema>(self) -> Self {
        self.answers(
            StatusCode::OK,
            AnswerDoc::Pages(T::schema_name(), schema::<T>),
        )
    }

    /// Answers 204.
    pub fn empty(self) -> Self {
        self.answers(StatusCode::NO_CONTENT, AnswerDoc::Empty)
    }

    /// Counts for the company, beyond counting as a call.
    pub const fn limited(mut self, limit: CompanyLimit) -> Self {
        self.limit = Some(limit);
        self
    }
}
