//! Errors of the gateway, and their responses: JSON, grpc-web trailers, or text for pages.

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use hourmeter_runtime::error::{Kind, ServiceError, chain};
use hourmeter_runtime::message::Message;
use hourmeter_runtime::refusals as shared;
use http::{HeaderValue, StatusCode, header};
use serde_json::{Map, Value};
use tonic::{Code, Status};
use uuid::Uuid;

use crate::refusals;
use crate::requester::Protocol;

/// `Retry-After` where no better value is known.
const DEFAULT_RETRY_SECONDS: u64 = 1;

#[derive(Debug)]
pub enum ApiError {
    /// An error of a service or of a rule.
    Service(ServiceError),
    /// Rate-limited; retry after this many seconds.
    RateLimited(u64),
    /// Overloaded; retry after a second.
    Overloaded,
    /// Cross-site request (CSRF check failed).
    CrossSite,
    UnknownPath,
    MethodNotAllowed,
    BodyTooLarge,
    UnsupportedMediaType,
    BodyTimeout,
    HeadersTooLarge,
}

/// The kind of a denied request, for the audit log. Stored in the extensions of the response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeniedKind {
    /// The role or scope does not permit it.
    Permission,
    /// An unknown id, or one of another company.
    NotFound,
    CrossSite,
    /// By the gateway, not by a service.
    RateLimited,
}

/// Reasons of an error about permissions; services of older releases send none.
const FORBIDDEN: [&str; 2] = ["", shared::FORBIDDEN.code];
/// Reasons of an object that is of the caller's company, but not where it was expected.
const ELSEWHERE: [&str; 3] = [
    shared::EQUIPMENT_DELETED.code,
    shared::EQUIPMENT_NOT_RETIRED.code,
    shared::EQUIPMENT_RETIRED.code,
];

impl DeniedKind {
    /// The kind of a service's error. One with a specific reason is not about permissions.
    pub fn of(failure: &ServiceError) -> Option<Self> {
        match failure.kind {
            Kind::Forbidden if FORBIDDEN.contains(&&*failure.reason) => Some(Self::Permission),
            Kind::NotFound if !ELSEWHERE.contains(&&*failure.reason) => Some(Self::NotFound),
            _ => None,
        }
    }
}

impl From<ServiceError> for ApiError {
    fn from(failure: ServiceError) -> Self {
        Self::Service(failure)
    }
}

impl From<Status> for ApiError {
    fn from(status: Status) -> Self {
        // Billing has no sandbox when another payment provider is configured.
        if status.code() == Code::Unimplemented {
            return Self::UnknownPath;
        }
        Self::Service(ServiceError::from_status(&status))
    }
}

impl ApiError {
    pub fn field(field: impl Into<String>, message: impl Into<Message>) -> Self {
        Self::Service(ServiceError::field(field, message))
    }

    /// The gRPC code, the HTTP status, and the error in the form of a service's.
    fn into_parts(self) -> (Code, StatusCode, ServiceError) {
        let own = |code, status, reason| ((code, status), ServiceError::new(Kind::Invalid, reason));
        let ((code, status), failure) = match self {
            Self::Service(failure) => (failure.kind.codes(), failure),
            Self::RateLimited(_) => own(Code::ResourceExhausted, 429, refusals::TOO_MANY_REQUESTS),
            Self::Overloaded => own(Code::Unavailable, 503, refusals::OVERLOADED),
            Self::CrossSite => own(Code::PermissionDenied, 403, refusals::FOREIGN_REQUEST),
            Self::UnknownPath => own(Code::Unimplemented, 404, shared::NOT_FOUND),
            Self::MethodNotAllowed => own(Code::Unimplemented, 405, refusals::METHOD_NOT_TAKEN),
            Self::BodyTooLarge => own(Code::ResourceExhausted, 413, refusals::REQUEST_TOO_LARGE),
            Self::UnsupportedMediaType => {
                own(Code::InvalidArgument, 415, refusals::BODY_TYPE_NOT_TAKEN)
            }
            Self::BodyTimeout => own(Code::DeadlineExceeded, 408, refusals::REQUEST_TOO_SLOW),
            Self::HeadersTooLarge => own(Code::ResourceExhausted, 431, refusals::HEADERS_TOO_LARGE),
        };
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        (code, status, failure)
    }

    fn retry_after(&self) -> Option<u64> {
        match self {
            Self::RateLimited(seconds) => Some((*seconds).max(1)),
            Self::Overloaded => Some(DEFAULT_RETRY_SECONDS),
            Self::Service(failure) => retry_after(failure),
            _ => None,
        }
    }

    pub fn into_response(self, protocol: Protocol, request_id: Uuid) -> Response {
        self.log();
        let (denied_kind, retry_after) = (self.denied_kind(), self.retry_after());
        let mut response = match protocol {
            Protocol::Rest => self.into_json(request_id),
            Protocol::GrpcWeb => self.into_trailers(),
            Protocol::Page => self.into_text(),
        };
        set_retry_after(&mut response, retry_after);
        if let Some(denied_kind) = denied_kind {
            response.extensions_mut().insert(denied_kind);
        }
        response
    }

    fn denied_kind(&self) -> Option<DeniedKind> {
        match self {
            Self::Service(failure) => DeniedKind::of(failure),
            Self::RateLimited(_) => Some(DeniedKind::RateLimited),
            Self::CrossSite => Some(DeniedKind::CrossSite),
            _ => None,
        }
    }

    /// Logs the cause, which the response does not contain.
    fn log(&self) {
        if let Self::Service(failure) = self
            && let Some(cause) = &failure.cause
        {
            tracing::error!(kind = ?failure.kind, error = %chain(cause.as_ref()), "request failed");
        }
    }

    fn into_json(self, request_id: Uuid) -> Response {
        let (_, status, failure) = self.into_parts();
        let mut body = body(&failure);
        if status.is_server_error() {
            body.insert("requestId".to_owned(), request_id.to_string().into());
        }
        let json = [(header::CONTENT_TYPE, "application/json")];
        (status, json, Value::Object(body).to_string()).into_response()
    }

    fn into_trailers(self) -> Response {
        // Pages of other sites must see the error even without gRPC.
        let keeps_status = matches!(
            self,
            Self::CrossSite
                | Self::UnsupportedMediaType
                | Self::MethodNotAllowed
                | Self::HeadersTooLarge
        );
        let (code, status, failure) = self.into_parts();
        let mut response = failure.into_status(code).into_http::<Body>();
        if keeps_status {
            *response.status_mut() = status;
        }
        let grpc_web = HeaderValue::from_static("application/grpc-web+proto");
        response
            .headers_mut()
            .insert(header::CONTENT_TYPE, grpc_web);
        response
    }

    fn into_text(self) -> Response {
        let text = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
        let (_, status, failure) = self.into_parts();
        (status, text, format!("{}\n", failure.message)).into_response()
    }
}

/// Omits empty members.
fn body(failure: &ServiceError) -> Map<String, Value> {
    let text_code = failure.text_code().unwrap_or_default();
    let parameters = failure.parameters().into_iter();
    let parameters = parameters.map(|(name, value)| (name, value.into()));
    let parts: [(&str, Value); 6] = [
        ("message", (&*failure.message).into()),
        ("code", (&*failure.reason).into()),
        ("textCode", text_code.into()),
        ("parameters", Value::Object(parameters.collect())),
        ("fields", by_field(failure, |message| &message.text)),
        ("fieldCodes", by_field(failure, |message| &message.code)),
    ];
    let filled = parts.into_iter().filter(|(name, part)| match part {
        Value::String(text) => *name == "message" || !text.is_empty(),
        Value::Object(entries) => !entries.is_empty(),
        _ => true,
    });
    filled.map(|(name, part)| (name.to_owned(), part)).collect()
}

fn by_field(failure: &ServiceError, part: impl Fn(&Message) -> &str) -> Value {
    let mut map = Map::new();
    for (field, message) in &failure.fields {
        // The first message of a field is also the message of the error.
        map.entry(field.clone())
            .or_insert_with(|| part(message).into());
    }
    map.retain(|_, part| part != "");
    Value::Object(map)
}

/// `Retry-After` in seconds, if retrying helps.
pub fn retry_after(failure: &ServiceError) -> Option<u64> {
    let passes = matches!(failure.kind, Kind::TooMany | Kind::Unavailable);
    passes.then(|| failure.retry_after.unwrap_or(DEFAULT_RETRY_SECONDS))
}

pub fn set_retry_after<B>(response: &mut http::Response<B>, seconds: Option<u64>) {
    if let Some(seconds) = seconds {
        response
            .headers_mut()
            .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn json(error: ApiError) -> (StatusCode, Value) {
        let response = error.into_response(Protocol::Rest, Uuid::nil());
        let status = response.status();
        let bytes = axum::body::to_bytes(response.into_body(), 4096).await;
        let value = serde_json::from_slice(&bytes.expect("a body")).expect("JSON");
        (status, value)
    }

    #[tokio::test]
    async fn into_json_of_internal_error_shows_only_the_request_id() {
        let (status, body) = json(ServiceError::internal("relation users").into()).await;
        assert_eq!(status, 500);
        let expected = serde_json::json!({
            "message": "Something went wrong. Please try again.",
            "code": "INTERNAL",
            "requestId": Uuid::nil(),
        });
        assert_eq!(body, expected);
    }

    #[tokio::test]
    async fn into_json_lists_invalid_fields() {
        let failure = ServiceError::fields(vec![
            ("name".into(), refusals::FIELD_MISSING.into()),
            ("unit".into(), refusals::ONE_OF.with("words", "km, mi")),
        ]);
        let (status, body) = json(failure.into()).await;
        assert_eq!(status, 400);
        let expected = serde_json::json!({
            "message": "Is missing.",
            "code": "FIELD_MISSING",
            "fields": {"name": "Is missing.", "unit": "Must be one of: km, mi."},
            "fieldCodes": {"name": "FIELD_MISSING", "unit": "ONE_OF"},
            "parameters": {"unit.words": "km, mi"},
        });
        assert_eq!(body, expected);
    }

    #[tokio::test]
    async fn into_response_has_the_text_code_in_both_protocols() {
        let failure = || ServiceError::forbidden_because(refusals::FOREIGN_REQUEST);
        let (_, body) = json(failure().into()).await;
        let code = (&body["code"], &body["textCode"]);
        assert_eq!(code, (&"FORBIDDEN".into(), &"FOREIGN_REQUEST".into()));
        let error = ApiError::from(failure());
        let response = error.into_response(Protocol::GrpcWeb, Uuid::nil());
        let status = Status::from_header_map(response.headers()).expect("a status");
        let read = ServiceError::from_status(&status);
        assert_eq!(
            (&*read.reason, &*read.message.code),
            ("FORBIDDEN", "FOREIGN_REQUEST")
        );
    }

    #[test]
    fn into_trailers_has_code_and_reason() {
        for (error, code, reason) in [
            (
                ApiError::BodyTooLarge,
                Code::ResourceExhausted,
                "REQUEST_TOO_LARGE",
            ),
            (ApiError::UnknownPath, Code::Unimplemented, "NOT_FOUND"),
        ] {
            let response = error.into_response(Protocol::GrpcWeb, Uuid::nil());
            let status = Status::from_header_map(response.headers()).expect("a status");
            assert_eq!(status.code(), code);
            assert_eq!(ServiceError::from_status(&status).reason, reason);
        }
    }

    #[tokio::test]
    async fn rpc_that_is_not_registered_is_not_found() {
        let (status, body) = json(Status::unimplemented("").into()).await;
        assert_eq!(status, 404);
        assert_eq!(body["code"], "NOT_FOUND");
    }

    #[test]
    fn into_trailers_is_trailers_only() {
        let error = ApiError::from(ServiceError::unauthenticated());
        let response = error.into_response(Protocol::GrpcWeb, Uuid::nil());
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["grpc-status"], "16");
        assert_eq!(
            response.headers()["content-type"],
            "application/grpc-web+proto"
        );
    }

    #[test]
    fn into_response_has_the_denied_kind_as_extension() {
        for (error, expected) in [
            (
                ServiceError::forbidden().into(),
                Some(DeniedKind::Permission),
            ),
            (
                ServiceError::forbidden_because(refusals::FOREIGN_REQUEST).into(),
                Some(DeniedKind::Permission),
            ),
            (ServiceError::reauth_required().into(), None),
            (ServiceError::not_found().into(), Some(DeniedKind::NotFound)),
            (
                ServiceError::new(Kind::NotFound, shared::EQUIPMENT_RETIRED).into(),
                None,
            ),
            (
                ServiceError::new(Kind::NotFound, shared::EQUIPMENT_NOT_RETIRED).into(),
                None,
            ),
            (ApiError::UnknownPath, None),
            (ApiError::RateLimited(1), Some(DeniedKind::RateLimited)),
            (ApiError::CrossSite, Some(DeniedKind::CrossSite)),
            (ServiceError::too_many(1).into(), None),
            (ServiceError::unauthenticated().into(), None),
        ] {
            let response = error.into_response(Protocol::Rest, Uuid::nil());
            assert_eq!(response.extensions().get(), expected.as_ref());
        }
    }

    #[test]
    fn into_response_sets_retry_after() {
        for (error, seconds) in [
            (ApiError::RateLimited(61), "61"),
            (ApiError::RateLimited(0), "1"),
            (ApiError::Overloaded, "1"),
            (ServiceError::unavailable("timed out").into(), "1"),
        ] {
            let response = error.into_response(Protocol::Rest, Uuid::nil());
            assert_eq!(response.headers()["retry-after"], seconds);
        }
    }
}
