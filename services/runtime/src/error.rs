//! `ServiceError`: the error type of all handlers, and the table from its kinds to gRPC and HTTP
//! status codes.
//!
//! An error has a message for the user and, where it is internal, a cause that is only logged.
//! Clients branch on the stable `reason`, never on text, and translate the message by its code.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use tonic::{Code, Status};
use tonic_types::{ErrorDetails, FieldViolation, StatusExt as _};

use crate::message::{Message, Reason};
use crate::refusals;

/// Domain of the `ErrorInfo` detail.
const DOMAIN: &str = "hourmeter";

/// Metadata key of the `ErrorInfo` detail: the code of the message, where it differs from the reason.
const TEXT_CODE: &str = "textCode";

/// Message of an internal error.
pub const INTERNAL_MESSAGE: &str = refusals::INTERNAL.sentence;
/// Message when a service or its database is unavailable.
pub const UNAVAILABLE_MESSAGE: &str = refusals::UNAVAILABLE.sentence;
/// Message when the payment provider is unavailable.
pub const PROVIDER_MESSAGE: &str = refusals::PAYMENT_PROVIDER.sentence;

/// The kind of an error; determines the gRPC and the HTTP status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The request is malformed or has invalid fields.
    Invalid,
    /// No session, an expired one, or a wrong password.
    Unauthenticated,
    /// The subscription gives no access.
    SubscriptionInactive,
    /// The caller lacks permission.
    Forbidden,
    /// The object does not exist in the caller's company.
    NotFound,
    /// A unique value, such as a name, is taken.
    AlreadyExists,
    /// The current state does not allow the change.
    Conflict,
    /// The object was changed since the caller read it.
    Stale,
    /// The object existed and was removed.
    Gone,
    /// An idempotency key was used for a different request.
    KeyReused,
    /// A rate limit or lockout.
    TooMany,
    /// A service or its database is temporarily unavailable.
    Unavailable,
    /// The payment provider is unavailable; everything else works.
    Provider,
    /// A bug or an inconsistency.
    Internal,
}

impl Kind {
    /// The gRPC code and the HTTP status.
    pub const fn codes(self) -> (Code, u16) {
        match self {
            Self::Invalid => (Code::InvalidArgument, 400),
            Self::Unauthenticated => (Code::Unauthenticated, 401),
            Self::SubscriptionInactive => (Code::FailedPrecondition, 402),
            Self::Forbidden => (Code::PermissionDenied, 403),
            Self::NotFound => (Code::NotFound, 404),
            Self::AlreadyExists => (Code::AlreadyExists, 409),
            Self::Conflict => (Code::FailedPrecondition, 409),
            Self::Stale => (Code::Aborted, 409),
            Self::Gone => (Code::FailedPrecondition, 410),
            Self::KeyReused => (Code::FailedPrecondition, 422),
            Self::TooMany => (Code::ResourceExhausted, 429),
            Self::Unavailable => (Code::Unavailable, 503),
            Self::Provider => (Code::Unavailable, 502),
            Self::Internal => (Code::Internal, 500),
        }
    }

    fn from_code(code: Code, reason: &str) -> Self {
        // Kinds that share a gRPC code with another kind are identified by their reason.
        let by_reason = [
            (refusals::SUBSCRIPTION_INACTIVE, Self::SubscriptionInactive),
            (refusals::DEVICE_REMOVED, Self::Gone),
            (refusals::IDEMPOTENCY_KEY_REUSED, Self::KeyReused),
            (refusals::PAYMENT_PROVIDER, Self::Provider),
        ];
        if let Some((_, kind)) = by_reason.iter().find(|(known, _)| known.code == reason) {
            return *kind;
        }
        match code {
            Code::InvalidArgument | Code::OutOfRange => Self::Invalid,
            Code::Unauthenticated => Self::Unauthenticated,
            Code::PermissionDenied => Self::Forbidden,
            Code::NotFound => Self::NotFound,
            Code::AlreadyExists => Self::AlreadyExists,
            Code::FailedPrecondition => Self::Conflict,
            Code::Aborted => Self::Stale,
            Code::ResourceExhausted => Self::TooMany,
            Code::Unavailable | Code::Cancelled | Code::DeadlineExceeded => Self::Unavailable,
            _ => Self::Internal,
        }
    }
}

type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct ServiceError {
    /// Determines the status.
    pub kind: Kind,
    /// Stable code that clients branch on; that of the message unless several messages share it.
    pub reason: Cow<'static, str>,
    /// The message for the user.
    pub message: Message,
    /// Invalid fields: name on the wire, and message.
    pub fields: Vec<(String, Message)>,
    /// For [`Kind::TooMany`]: seconds until a retry may succeed; None: soon.
    pub retry_after: Option<u64>,
    /// The internal cause; logged once, never sent.
    #[source]
    pub cause: Option<Cause>,
}

impl ServiceError {
    /// An error with a message for the user.
    pub fn new(kind: Kind, message: impl Into<Message>) -> Self {
        let message = message.into();
        Self {
            kind,
            reason: message.code.clone(),
            message,
            fields: Vec::new(),
            retry_after: None,
            cause: None,
        }
    }

    /// The current state does not allow the change.
    pub fn conflict(message: impl Into<Message>) -> Self {
        Self::new(Kind::Conflict, message)
    }

    /// A rate limit or lockout that ends after `retry_after` seconds.
    pub fn too_many(retry_after: u64) -> Self {
        Self {
            retry_after: Some(retry_after),
            ..Self::new(Kind::TooMany, refusals::TOO_MANY_ATTEMPTS)
        }
    }

    /// One invalid field; its message is also that of the error.
    pub fn field(field: impl Into<String>, message: impl Into<Message>) -> Self {
        Self::fields(vec![(field.into(), message.into())])
    }

    /// Several invalid fields, at least one; the message of the first is also that of the error.
    pub fn fields(fields: Vec<(String, Message)>) -> Self {
        let message = fields.first().map(|(_, message)| message.clone());
        Self {
            fields,
            ..Self::new(Kind::Invalid, message.unwrap_or_default())
        }
    }

    /// The same error for an unknown id and for another company's object.
    pub fn not_found() -> Self {
        Self::new(Kind::NotFound, refusals::NOT_FOUND)
    }

    fn caused(kind: Kind, message: Reason, cause: Cause) -> Self {
        Self {
            cause: Some(cause),
            ..Self::new(kind, message)
        }
    }

    /// An internal error; the cause is logged.
    pub fn internal(cause: impl Into<Cause>) -> Self {
        Self::caused(Kind::Internal, refusals::INTERNAL, cause.into())
    }

    /// Temporarily unavailable; the cause is logged.
    pub fn unavailable(cause: impl Into<Cause>) -> Self {
        Self::caused(Kind::Unavailable, refusals::UNAVAILABLE, cause.into())
    }

    /// The payment provider is unavailable; the cause is logged.
    pub fn provider(cause: impl Into<Cause>) -> Self {
        Self::caused(Kind::Provider, refusals::PAYMENT_PROVIDER, cause.into())
    }

    /// The subscription gives no access.
    pub fn subscription_inactive() -> Self {
        Self::new(Kind::SubscriptionInactive, refusals::SUBSCRIPTION_INACTIVE)
    }

    /// The plan does not include the feature.
    pub fn feature_not_in_plan() -> Self {
        Self::new(Kind::Forbidden, refusals::FEATURE_NOT_IN_PLAN)
    }

    /// A manager removed the phone.
    pub fn device_removed() -> Self {
        Self::new(Kind::Gone, refusals::DEVICE_REMOVED)
    }

    /// The first request with this idempotency key is still running.
    pub fn key_in_progress() -> Self {
        Self::conflict(refusals::IDEMPOTENCY_KEY_IN_PROGRESS)
    }

    /// The user must confirm the password first.
    pub fn reauth_required() -> Self {
        Self::new(Kind::Forbidden, refusals::REAUTH_REQUIRED)
    }

    /// The user must first set up the second factor that the company requires.
    pub fn second_factor_required() -> Self {
        Self::new(Kind::Forbidden, refusals::SECOND_FACTOR_REQUIRED)
    }

    /// The role or scope of the caller does not allow the call.
    pub fn forbidden() -> Self {
        Self::forbidden_because(refusals::FORBIDDEN)
    }

    /// [`ServiceError::forbidden`] with a specific message.
    pub fn forbidden_because(message: impl Into<Message>) -> Self {
        Self::new(Kind::Forbidden, message).with_reason(refusals::FORBIDDEN.code)
    }

    /// No session, or an expired one.
    pub fn unauthenticated() -> Self {
        Self::new(Kind::Unauthenticated, refusals::SIGN_IN_REQUIRED)
    }

    /// Replaces the reason, where several messages share one.
    #[must_use]
    pub fn with_reason(mut self, reason: &'static str) -> Self {
        self.reason = Cow::Borrowed(reason);
        self
    }

    /// Reads the error that a service returned. Messages of internal and unavailable errors are
    /// replaced by fixed ones, so that internal text cannot leak.
    pub fn from_status(status: &Status) -> Self {
        let details = status.get_error_details();
        let info = details.error_info();
        let reason = info.map_or_else(String::new, |info| info.reason.clone());
        let mut parameters = info.map_or_else(HashMap::new, |info| info.metadata.clone());
        let kind = Kind::from_code(status.code(), &reason);
        let code = parameters.remove(TEXT_CODE);
        let received = Message {
            code: code.unwrap_or_else(|| reason.clone()).into(),
            text: status.message().to_owned().into(),
            parameters: parameters_of("", &parameters),
        };
        let message = match kind {
            Kind::Internal => refusals::INTERNAL.into(),
            Kind::Unavailable => refusals::UNAVAILABLE.into(),
            Kind::Provider => refusals::PAYMENT_PROVIDER.into(),
            _ => received,
        };
        let violations = details
            .bad_request()
            .map(|bad| bad.field_violations.as_slice());
        let fields = violations.unwrap_or_default().iter().map(|violation| {
            let message = Message {
                code: violation.reason.clone().into(),
                text: violation.description.clone().into(),
                parameters: parameters_of(&violation.field, &parameters),
            };
            (violation.field.clone(), message)
        });
        Self {
            kind,
            reason: reason.into(),
            message,
            fields: fields.collect(),
            retry_after: details
                .retry_info()
                .and_then(|info| info.retry_delay)
                .map(|delay| delay.as_secs()),
            cause: None,
        }
    }

    /// The code of the message, where it differs from the reason.
    pub fn text_code(&self) -> Option<&str> {
        let code = &*self.message.code;
        (!code.is_empty() && code != self.reason).then_some(code)
    }

    /// The parameters of the message by name, and those of field messages as `field.name`.
    pub fn parameters(&self) -> HashMap<String, String> {
        let of_message = self.message.parameters.clone().into_iter();
        let of_fields = self.fields.iter().flat_map(|(field, message)| {
            let parameters = message.parameters.iter();
            parameters.map(move |(name, value)| (format!("{field}.{name}"), value.clone()))
        });
        of_message.chain(of_fields).collect()
    }

    /// Converts to a gRPC status with `code` instead of the code of the kind.
    pub fn into_status(self, code: Code) -> Status {
        let mut details = ErrorDetails::new();
        let mut metadata = self.parameters();
        if let Some(code) = self.text_code() {
            metadata.insert(TEXT_CODE.to_owned(), code.to_owned());
        }
        if !self.reason.is_empty() {
            details.set_error_info(self.reason, DOMAIN, metadata);
        }
        if let Some(seconds) = self.retry_after {
            details.set_retry_info(Some(Duration::from_secs(seconds)));
        }
        let violations = self
            .fields
            .into_iter()
            .map(|(field, message)| FieldViolation {
                reason: message.code.into_owned(),
                ..FieldViolation::new(field, message.text)
            });
        let violations: Vec<_> = violations.collect();
        if !violations.is_empty() {
            details.set_bad_request(violations);
        }
        Status::with_error_details(code, self.message.text, details)
    }

    /// The HTTP status of the kind.
    pub const fn http_status(&self) -> u16 {
        self.kind.codes().1
    }
}

impl From<ServiceError> for Status {
    /// Logs the cause, because the status does not carry it.
    fn from(error: ServiceError) -> Self {
        if let Some(cause) = &error.cause {
            tracing::error!(kind = ?error.kind, error = %chain(cause.as_ref()), "call failed");
        }
        let code = error.kind.codes().0;
        error.into_status(code)
    }
}

impl From<sqlx::Error> for ServiceError {
    /// A database that is down or busy is UNAVAILABLE; other errors are internal.
    fn from(error: sqlx::Error) -> Self {
        // Shutdown, too many connections, lock and statement timeouts, serialization failures; from
        // Citus, a worker that its coordinator can't reach.
        const TRANSIENT: [&str; 9] = [
            "57P01", "57P02", "57P03", "53300", "55P03", "57014", "40001", "40P01", "08006",
        ];
        let is_transient = match &error {
            sqlx::Error::Io(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed
            | sqlx::Error::Protocol(_)
            | sqlx::Error::Tls(_) => true,
            sqlx::Error::Database(inner) => inner
                .code()
                .is_some_and(|code| TRANSIENT.contains(&code.as_ref())),
            _ => false,
        };
        if is_transient {
            Self::unavailable(error)
        } else {
            Self::internal(error)
        }
    }
}

/// The parameters of one field's message, or those of the error's message for an empty `field`.
fn parameters_of(field: &str, all: &HashMap<String, String>) -> BTreeMap<String, String> {
    let named = all.iter().map(|(path, value)| {
        let (of, name) = path.rsplit_once('.').unwrap_or(("", path));
        (of, name.to_owned(), value.clone())
    });
    let own = named.filter(|(of, ..)| *of == field);
    own.map(|(_, name, value)| (name, value)).collect()
}

/// Formats an error and its causes in one line, for logs.
pub fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [Kind; 14] = [
        Kind::Invalid,
        Kind::Unauthenticated,
        Kind::SubscriptionInactive,
        Kind::Forbidden,
        Kind::NotFound,
        Kind::AlreadyExists,
        Kind::Conflict,
        Kind::Stale,
        Kind::Gone,
        Kind::KeyReused,
        Kind::TooMany,
        Kind::Unavailable,
        Kind::Provider,
        Kind::Internal,
    ];

    #[test]
    fn status_round_trip_keeps_the_error() {
        for kind in KINDS {
            let sent = match kind {
                Kind::SubscriptionInactive => ServiceError::subscription_inactive(),
                Kind::Gone => ServiceError::device_removed(),
                Kind::KeyReused => {
                    ServiceError::new(Kind::KeyReused, refusals::IDEMPOTENCY_KEY_REUSED)
                }
                Kind::Provider => ServiceError::provider("connection refused"),
                kind => ServiceError::new(kind, refusals::NOT_FOUND),
            };
            let read = ServiceError::from_status(&Status::from(sent));
            assert_eq!(read.kind, kind);
        }
        let sent = ServiceError::field("name", refusals::TEXT_TOO_LONG.with("max", 100));
        let read = ServiceError::from_status(&Status::from(sent));
        let too_long = refusals::TEXT_TOO_LONG.with("max", 100);
        assert_eq!(read.message, "Must be at most 100 characters.");
        assert_eq!(read.reason, "TEXT_TOO_LONG");
        assert_eq!(read.message, too_long);
        assert_eq!(read.fields, [("name".to_owned(), too_long)]);
        let sent = ServiceError::forbidden_because(refusals::SIGN_IN_REQUIRED);
        let read = ServiceError::from_status(&Status::from(sent));
        assert_eq!(
            (&*read.reason, &*read.message.code),
            ("FORBIDDEN", "SIGN_IN_REQUIRED")
        );
        let read = ServiceError::from_status(&Status::from(ServiceError::too_many(86_400)));
        assert_eq!(read.retry_after, Some(86_400));
    }

    #[test]
    fn from_status_distinguishes_provider_from_service() {
        let status = Status::from(ServiceError::provider("timed out at api.stripe.com"));
        assert_eq!(status.code(), Code::Unavailable);
        let read = ServiceError::from_status(&status);
        assert_eq!(
            (read.http_status(), &*read.reason),
            (502, "PAYMENT_PROVIDER")
        );
        assert_eq!(
            read.message,
            "The payment provider is not available right now. Please try again."
        );
        let service = ServiceError::from_status(&Status::unavailable("no connection"));
        assert_eq!(
            (service.kind, service.http_status()),
            (Kind::Unavailable, 503)
        );
    }

    #[test]
    fn from_status_hides_internal_text() {
        let status = Status::from(ServiceError::internal("relation \"users\" does not exist"));
        assert_eq!(status.message(), INTERNAL_MESSAGE);
        let foreign = Status::internal("h2 protocol error at 10.0.0.3");
        assert_eq!(
            ServiceError::from_status(&foreign).message,
            INTERNAL_MESSAGE
        );
    }
}
