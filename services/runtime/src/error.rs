//! `Failure`: the one error type of handlers, with its one table to gRPC and HTTP status.
//!
//! A failure has a text for the caller and, for internal ones, a cause that is only logged. Clients
//! branch on the stable `reason`, never on text.

use std::borrow::Cow;
use std::time::Duration;

use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt as _};

/// Reason of [`Kind::SubscriptionInactive`].
const SUBSCRIPTION_INACTIVE: &str = "SUBSCRIPTION_INACTIVE";
/// Reason of [`Kind::KeyReused`].
const KEY_REUSED: &str = "IDEMPOTENCY_KEY_REUSED";
/// Reason of [`Kind::Provider`].
const PAYMENT_PROVIDER: &str = "PAYMENT_PROVIDER";
/// Domain of the `ErrorInfo` detail.
const DOMAIN: &str = "hourmeter";

/// What the caller reads when the fault is ours.
pub const INTERNAL_MESSAGE: &str = "Something went wrong. Please try again.";
/// What the caller reads when a part is away for the moment.
pub const UNAVAILABLE_MESSAGE: &str = "The service is not available right now. Please try again.";

/// What the caller reads when the payment provider is away.
pub const PROVIDER_MESSAGE: &str =
    "The payment provider is not available right now. Please try again.";

/// What the caller reads who comes too often.
pub const TOO_MANY_MESSAGE: &str = "Too many attempts. Please wait and try again.";

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
        match reason {
            SUBSCRIPTION_INACTIVE => return Self::SubscriptionInactive,
            KEY_REUSED => return Self::KeyReused,
            PAYMENT_PROVIDER => return Self::Provider,
            _ => {}
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
pub struct Failure {
    /// What kind.
    pub kind: Kind,
    /// Stable word in capitals for clients; empty: the kind says it all.
    pub reason: Cow<'static, str>,
    /// For the person.
    pub message: Cow<'static, str>,
    /// Per field: name on the wire and text for the person.
    pub fields: Vec<(String, String)>,
    /// For [`Kind::TooMany`]: when it may be tried again, in seconds; absent: soon.
    pub retry_after: Option<u64>,
    /// What happened inside; logged once, never answered.
    #[source]
    pub cause: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Failure {
    /// A failure with a text for the person.
    pub fn new(kind: Kind, message: impl Into<Cow<'static, str>>) -> Self {
        let message = message.into();
        Self {
            kind,
            reason: Cow::Borrowed(""),
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
            ..Self::new(Kind::TooMany, TOO_MANY_MESSAGE)
        }
    }

    /// One wrong field; its text is the message too.
    pub fn field(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::fields(vec![(field.into(), message.into())])
    }

    /// Several wrong fields; the first one's text is the message. Must not be empty.
    pub fn fields(fields: Vec<(String, String)>) -> Self {
        let message = fields
            .first()
            .map_or_else(String::new, |(_, message)| message.clone());
        Self {
            fields,
            ..Self::new(Kind::Invalid, message)
        }
    }

    /// Unknown, or another company's: one text for both.
    pub fn not_found() -> Self {
        Self::new(Kind::NotFound, "Not found.")
    }

    /// Our fault; the cause is logged.
    pub fn internal(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self {
            cause: Some(cause.into()),
            ..Self::new(Kind::Internal, INTERNAL_MESSAGE)
        }
    }

    /// A part is away for the moment; the cause is logged.
    pub fn unavailable(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self {
            cause: Some(cause.into()),
            ..Self::new(Kind::Unavailable, UNAVAILABLE_MESSAGE)
        }
    }

    /// The payment provider is away; the cause is logged.
    pub fn provider(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self {
            cause: Some(cause.into()),
            ..Self::new(Kind::Provider, PROVIDER_MESSAGE).with_reason(PAYMENT_PROVIDER)
        }
    }

    /// The subscription gives no access.
    pub fn subscription_inactive() -> Self {
        Self::new(
            Kind::SubscriptionInactive,
            "Your subscription is not active.",
        )
        .with_reason(SUBSCRIPTION_INACTIVE)
    }

    /// The key of a repeat came with another request than the first time.
    pub fn key_reused() -> Self {
        let message = "This request's key was used for another request.";
        Self::new(Kind::KeyReused, message).with_reason(KEY_REUSED)
    }

    /// The first request with the key of a repeat is still at work.
    pub fn key_in_progress() -> Self {
        let message = "This request is still being processed. Please try again in a moment.";
        Self::new(Kind::Conflict, message).with_reason("IDEMPOTENCY_KEY_IN_PROGRESS")
    }

    /// The password must be confirmed first.
    pub fn reauth_required() -> Self {
        Self::new(Kind::Forbidden, "Please confirm your password.").with_reason("REAUTH_REQUIRED")
    }

    /// The second factor that the company requires must be set up first.
    pub fn second_factor_required() -> Self {
        Self::new(
            Kind::Forbidden,
            "Your company requires a second factor. Please set it up first.",
        )
        .with_reason("SECOND_FACTOR_REQUIRED")
    }

    /// Not for this role or scope.
    pub fn forbidden() -> Self {
        Self::new(Kind::Forbidden, "You do not have permission to do this.")
    }

    /// No session, or a dead one.
    pub fn unauthenticated() -> Self {
        Self::new(Kind::Unauthenticated, "Please sign in.")
    }

    /// The same with a stable word for clients.
    #[must_use]
    pub fn with_reason(mut self, reason: &'static str) -> Self {
        self.reason = Cow::Borrowed(reason);
        self
    }

    /// Reads back what a service answered. Text of faults that are not ours to show is replaced.
    pub fn from_status(status: &Status) -> Self {
        let details = status.get_error_details();
        let reason = details
            .error_info()
            .map_or_else(String::new, |info| info.reason.clone());
        let kind = Kind::from_code(status.code(), &reason);
        let violations = details
            .bad_request()
            .map(|bad| bad.field_violations.as_slice());
        let fields = violations
            .unwrap_or_default()
            .iter()
            .map(|violation| (violation.field.clone(), violation.description.clone()))
            .collect();
        let message = match kind {
            Kind::Internal => INTERNAL_MESSAGE.to_owned(),
            Kind::Unavailable => UNAVAILABLE_MESSAGE.to_owned(),
            Kind::Provider => PROVIDER_MESSAGE.to_owned(),
            _ => status.message().to_owned(),
        };
        Self {
            kind,
            reason: reason.into(),
            message: message.into(),
            fields,
            retry_after: details
                .retry_info()
                .and_then(|info| info.retry_delay)
                .map(|delay| delay.as_secs()),
            cause: None,
        }
    }

    /// The HTTP status.
    pub const fn http_status(&self) -> u16 {
        self.kind.codes().1
    }
}

impl From<Failure> for Status {
    /// Logs the cause, since this is where it would be lost.
    fn from(failure: Failure) -> Self {
        if let Some(cause) = &failure.cause {
            tracing::error!(kind = ?failure.kind, error = %chain(cause.as_ref()), "call failed");
        }
        let mut details = ErrorDetails::new();
        if !failure.reason.is_empty() {
            details.set_error_info(failure.reason, DOMAIN, std::collections::HashMap::new());
        }
        if let Some(seconds) = failure.retry_after {
            details.set_retry_info(Some(Duration::from_secs(seconds)));
        }
        for (field, text) in failure.fields {
            details.add_bad_request_violation(field, text);
        }
        Status::with_error_details(failure.kind.codes().0, failure.message, details)
    }
}

impl From<sqlx::Error> for Failure {
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
                Kind::SubscriptionInactive => Failure::subscription_inactive(),
                Kind::KeyReused => Failure::key_reused(),
                Kind::Provider => Failure::provider("connection refused"),
                kind => Failure::new(kind, "text"),
            };
            let read = Failure::from_status(&Status::from(sent));
            assert_eq!(read.kind, kind);
        }
        let sent = Failure::fields(vec![("name".into(), "Required.".into())]);
        let read = Failure::from_status(&Status::from(sent));
        assert_eq!(read.fields, [("name".to_owned(), "Required.".to_owned())]);
        assert_eq!(read.message, "Required.");
        let read = Failure::from_status(&Status::from(Failure::too_many(86_400)));
        assert_eq!(read.retry_after, Some(86_400));
    }

    #[test]
    fn a_provider_that_is_away_is_not_a_service_that_is() {
        let status = Status::from(Failure::provider("timed out at api.stripe.com"));
        assert_eq!(status.code(), Code::Unavailable);
        let read = Failure::from_status(&status);
        assert_eq!(
            (read.http_status(), &*read.reason),
            (502, "PAYMENT_PROVIDER")
        );
        assert_eq!(
            read.message,
            "The payment provider is not available right now. Please try again."
        );
        let away = Failure::from_status(&Status::unavailable("no connection"));
        assert_eq!((away.kind, away.http_status()), (Kind::Unavailable, 503));
    }

    #[test]
    fn inner_text_never_leaves() {
        let status = Status::from(Failure::internal("relation \"users\" does not exist"));
        assert_eq!(status.message(), INTERNAL_MESSAGE);
        let foreign = Status::internal("h2 protocol error at 10.0.0.3");
        assert_eq!(Failure::from_status(&foreign).message, INTERNAL_MESSAGE);
    }
}
