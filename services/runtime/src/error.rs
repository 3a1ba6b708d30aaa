//! `ServiceError`: the one error type of handlers, with its one table to gRPC and HTTP status.
//!
//! A failure has a message for the caller and, for internal ones, a cause that is only logged.
//! Clients branch on the stable `reason`, never on text, and find their own text by the code of the
//! message.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use tonic::{Code, Status};
use tonic_types::{ErrorDetails, FieldViolation, StatusExt as _};

use crate::message::Message;
use crate::refusals;

/// Domain of the `ErrorInfo` detail.
const DOMAIN: &str = "hourmeter";

/// Parameter of the `ErrorInfo` detail: the code of the message, where it is not the reason.
const TEXT_CODE: &str = "textCode";

/// What the caller reads when the fault is ours.
pub const INTERNAL_MESSAGE: &str = refusals::INTERNAL.sentence;
/// What the caller reads when a part is away for the moment.
pub const UNAVAILABLE_MESSAGE: &str = refusals::UNAVAILABLE.sentence;
/// What the caller reads when the payment provider is away.
pub const PROVIDER_MESSAGE: &str = refusals::PAYMENT_PROVIDER.sentence;
/// What the caller reads who comes too often.
pub const TOO_MANY_MESSAGE: &str = refusals::TOO_MANY_ATTEMPTS.sentence;

/// What kind of failure it is; decides both statuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The request is wrong in itself.
    Invalid,
    /// No session, or a dead one, or a wrong password.
    Unauthenticated,
    /// The subscription gives no access.
    SubscriptionInactive,
    /// Not allowed for this caller.
    Forbidden,
    /// Unknown, or another company's.
    NotFound,
    /// Taken already, e.g. a name.
    AlreadyExists,
    /// The state does not allow it.
    Conflict,
    /// Somebody else changed it since.
    Stale,
    /// A repeat's key with another request.
    KeyReused,
    /// Too often.
    TooMany,
    /// A part is away for the moment.
    Unavailable,
    /// The payment provider is away; everything else works.
    Provider,
    /// Our fault.
    Internal,
}

impl Kind {
    /// All kinds, for reading a status back.
    const ALL: [Self; 13] = [
        Self::Invalid,
        Self::Unauthenticated,
        Self::SubscriptionInactive,
        Self::Forbidden,
        Self::NotFound,
        Self::AlreadyExists,
        Self::Conflict,
        Self::Stale,
        Self::KeyReused,
        Self::TooMany,
        Self::Unavailable,
        Self::Provider,
        Self::Internal,
    ];

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
            Self::KeyReused => (Code::FailedPrecondition, 422),
            Self::TooMany => (Code::ResourceExhausted, 429),
            Self::Unavailable => (Code::Unavailable, 503),
            Self::Provider => (Code::Unavailable, 502),
            Self::Internal => (Code::Internal, 500),
        }
    }

    const fn is_known_by_reason(self) -> bool {
        matches!(
            self,
            Self::SubscriptionInactive | Self::KeyReused | Self::Provider
        )
    }

    fn from_code(code: Code, reason: &str) -> Self {
        // Those that share a code with another kind are known by their reason.
        let by_reason = [
            (refusals::SUBSCRIPTION_INACTIVE, Self::SubscriptionInactive),
            (refusals::IDEMPOTENCY_KEY_REUSED, Self::KeyReused),
            (refusals::PAYMENT_PROVIDER, Self::Provider),
        ];
        if let Some((_, kind)) = by_reason.iter().find(|(known, _)| known.code == reason) {
            return *kind;
        }
        Self::ALL
            .into_iter()
            .find(|kind| kind.codes().0 == code && !kind.is_known_by_reason())
            .unwrap_or(match code {
                Code::OutOfRange => Self::Invalid,
                Code::Cancelled | Code::DeadlineExceeded => Self::Unavailable,
                _ => Self::Internal,
            })
    }
}

/// Why a call did not do what was asked.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct ServiceError {
    /// What kind.
    pub kind: Kind,
    /// Stable word in capitals that clients branch on; the code of the message unless several
    /// messages share it.
    pub reason: Cow<'static, str>,
    /// For the person.
    pub message: Message,
    /// Per field: name on the wire and what is wrong with it.
    pub fields: Vec<(String, Message)>,
    /// For [`Kind::TooMany`]: when it may be tried again, in seconds; absent: soon.
    pub retry_after: Option<u64>,
    /// What happened inside; logged once, never answered.
    #[source]
    pub cause: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl ServiceError {
    /// A failure with a message for the person.
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

    /// Too often; may be tried again after so many seconds.
    pub fn too_many(retry_after: u64) -> Self {
        Self {
            retry_after: Some(retry_after),
            ..Self::new(Kind::TooMany, refusals::TOO_MANY_ATTEMPTS)
        }
    }

    /// One wrong field; its message is that of the failure too.
    pub fn field(field: impl Into<String>, message: impl Into<Message>) -> Self {
        Self::fields(vec![(field.into(), message.into())])
    }

    /// Several wrong fields; the first one's message is that of the failure. Must not be empty.
    pub fn fields(fields: Vec<(String, Message)>) -> Self {
        let message = fields.first().map(|(_, message)| message.clone());
        Self {
            fields,
            ..Self::new(Kind::Invalid, message.unwrap_or_default())
        }
    }

    /// Unknown, or another company's: one text for both.
    pub fn not_found() -> Self {
        Self::new(Kind::NotFound, refusals::NOT_FOUND)
    }

    /// Our fault; the cause is logged.
    pub fn internal(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self {
            cause: Some(cause.into()),
            ..Self::new(Kind::Internal, refusals::INTERNAL)
        }
    }

    /// A part is away for the moment; the cause is logged.
    pub fn unavailable(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self {
            cause: Some(cause.into()),
            ..Self::new(Kind::Unavailable, refusals::UNAVAILABLE)
        }
    }

    /// The payment provider is away; the cause is logged.
    pub fn provider(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self {
            cause: Some(cause.into()),
            ..Self::new(Kind::Provider, refusals::PAYMENT_PROVIDER)
        }
    }

    /// The subscription gives no access.
    pub fn subscription_inactive() -> Self {
        Self::new(Kind::SubscriptionInactive, refusals::SUBSCRIPTION_INACTIVE)
    }

    /// The plan does not include it.
    pub fn feature_not_in_plan() -> Self {
        Self::new(Kind::Forbidden, refusals::FEATURE_NOT_IN_PLAN)
    }

    /// The key of a repeat came with another request than the first time.
    pub fn key_reused() -> Self {
        Self::new(Kind::KeyReused, refusals::IDEMPOTENCY_KEY_REUSED)
    }

    /// The first request with the key of a repeat is still at work.
    pub fn key_in_progress() -> Self {
        Self::new(Kind::Conflict, refusals::IDEMPOTENCY_KEY_IN_PROGRESS)
    }

    /// The password must be confirmed first.
    pub fn reauth_required() -> Self {
        Self::new(Kind::Forbidden, refusals::REAUTH_REQUIRED)
    }

    /// The second factor that the company requires must be set up first.
    pub fn second_factor_required() -> Self {
        Self::new(Kind::Forbidden, refusals::SECOND_FACTOR_REQUIRED)
    }

    /// Not for this role or scope.
    pub fn forbidden() -> Self {
        Self::forbidden_because(refusals::FORBIDDEN)
    }

    /// Not for this role or scope, with a message of its own.
    pub fn forbidden_because(message: impl Into<Message>) -> Self {
        Self::new(Kind::Forbidden, message).with_reason(refusals::FORBIDDEN.code)
    }

    /// No session, or a dead one.
    pub fn unauthenticated() -> Self {
        Self::new(Kind::Unauthenticated, refusals::SIGN_IN_REQUIRED)
    }

    /// The same with a stable word that it shares with other messages.
    #[must_use]
    pub fn with_reason(mut self, reason: &'static str) -> Self {
        self.reason = Cow::Borrowed(reason);
        self
    }

    /// Reads back what a service answered. Text of faults that are not ours to show is replaced.
    pub fn from_status(status: &Status) -> Self {
        let details = status.get_error_details();
        let info = details.error_info();
        let reason = info.map_or_else(String::new, |info| info.reason.clone());
        let mut parameters = info.map_or_else(HashMap::new, |info| info.metadata.clone());
        let kind = Kind::from_code(status.code(), &reason);
        let code = parameters.remove(TEXT_CODE);
        let said = Message {
            code: code.unwrap_or_else(|| reason.clone()).into(),
            text: status.message().to_owned().into(),
            parameters: parameters_of("", &parameters),
        };
        let message = match kind {
            Kind::Internal => refusals::INTERNAL.into(),
            Kind::Unavailable => refusals::UNAVAILABLE.into(),
            Kind::Provider => refusals::PAYMENT_PROVIDER.into(),
            _ => said,
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

    /// The code of the message, where it is not the reason.
    pub fn text_code(&self) -> Option<&str> {
        let code = &*self.message.code;
        (!code.is_empty() && code != self.reason).then_some(code)
    }

    /// The parameters of the message by name, and those of fields as `field.name`.
    pub fn parameters(&self) -> HashMap<String, String> {
        let of_message = self.message.parameters.clone().into_iter();
        let of_fields = self.fields.iter().flat_map(|(field, message)| {
            let parameters = message.parameters.iter();
            parameters.map(move |(name, value)| (format!("{field}.{name}"), value.clone()))
        });
        of_message.chain(of_fields).collect()
    }

    /// The status with this code in place of the kind's own.
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

    /// The HTTP status.
    pub const fn http_status(&self) -> u16 {
        self.kind.codes().1
    }
}

impl From<ServiceError> for Status {
    /// Logs the cause, since this is where it would be lost.
    fn from(failure: ServiceError) -> Self {
        if let Some(cause) = &failure.cause {
            tracing::error!(kind = ?failure.kind, error = %chain(cause.as_ref()), "call failed");
        }
        let code = failure.kind.codes().0;
        failure.into_status(code)
    }
}

impl From<sqlx::Error> for ServiceError {
    /// A database that is away or busy is UNAVAILABLE; all else is ours.
    fn from(error: sqlx::Error) -> Self {
        // Shutdown, too many connections, lock and statement time-outs, serialisation.
        const PASSING: [&str; 8] = [
            "57P01", "57P02", "57P03", "53300", "55P03", "57014", "40001", "40P01",
        ];
        let passing = match &error {
            sqlx::Error::Io(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed
            | sqlx::Error::Protocol(_)
            | sqlx::Error::Tls(_) => true,
            sqlx::Error::Database(inner) => inner
                .code()
                .is_some_and(|code| PASSING.contains(&code.as_ref())),
            _ => false,
        };
        if passing {
            Self::unavailable(error)
        } else {
            Self::internal(error)
        }
    }
}

/// Those of `field`, or with no field those of the message: `name` of `field.name`.
fn parameters_of(field: &str, all: &HashMap<String, String>) -> BTreeMap<String, String> {
    let named = all.iter().map(|(path, value)| {
        let (of, name) = path.rsplit_once('.').unwrap_or(("", path));
        (of, name.to_owned(), value.clone())
    });
    let own = named.filter(|(of, ..)| *of == field);
    own.map(|(_, name, value)| (name, value)).collect()
}

/// An error and its causes in one line, for logs.
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

    #[test]
    fn a_failure_survives_the_wire() {
        for kind in Kind::ALL {
            let sent = match kind {
                Kind::SubscriptionInactive => ServiceError::subscription_inactive(),
                Kind::KeyReused => ServiceError::key_reused(),
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
    fn a_provider_that_is_away_is_not_a_service_that_is() {
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
        let away = ServiceError::from_status(&Status::unavailable("no connection"));
        assert_eq!((away.kind, away.http_status()), (Kind::Unavailable, 503));
    }

    #[test]
    fn inner_text_never_leaves() {
        let status = Status::from(ServiceError::internal("relation \"users\" does not exist"));
        assert_eq!(status.message(), INTERNAL_MESSAGE);
        let foreign = Status::internal("h2 protocol error at 10.0.0.3");
        assert_eq!(
            ServiceError::from_status(&foreign).message,
            INTERNAL_MESSAGE
        );
    }
}
