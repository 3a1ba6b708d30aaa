//! Deadline propagation: each call sends its remaining time in `grpc-timeout`, and calls that a
//! handler makes get at most the rest. A service stops working when its caller has given up. tonic
//! does none of this.

use std::time::Duration;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue};
use tokio::time::{Instant, timeout, timeout_at};
use tonic::Status;

use super::{GrpcRequest, GrpcResponse};
use crate::error::{ServiceError, UNAVAILABLE_MESSAGE};

/// Metadata key of the remaining time, in gRPC's notation.
pub const GRPC_TIMEOUT: HeaderName = HeaderName::from_static("grpc-timeout");

tokio::task_local! {
    static DEADLINE: Instant;
}

/// The deadline has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it took too long")]
pub struct DeadlineExceeded;

impl From<DeadlineExceeded> for Status {
    fn from(DeadlineExceeded: DeadlineExceeded) -> Self {
        Self::unavailable(UNAVAILABLE_MESSAGE)
    }
}

/// Runs work within `limit` and the surrounding deadline. Calls within `work` inherit both.
pub async fn with_deadline<T>(
    limit: Duration,
    work: impl Future<Output = T>,
) -> Result<T, DeadlineExceeded> {
    let deadline = Instant::now() + at_most_remaining(limit);
    let done = timeout_at(deadline, DEADLINE.scope(deadline, work)).await;
    done.map_err(|_| DeadlineExceeded)
}

/// Makes a call of a generated client within `limit` and the surrounding deadline.
pub async fn call_within<T>(
    limit: Duration,
    call: impl Future<Output = Result<tonic::Response<T>, Status>>,
) -> Result<T, ServiceError> {
    match with_deadline(limit, call).await {
        Ok(Ok(response)) => Ok(response.into_inner()),
        Ok(Err(status)) => Err(ServiceError::from_status(&status)),
        Err(late) => Err(ServiceError::unavailable(late)),
    }
}

/// Makes a call within `limit`, its own `grpc-timeout` and the surrounding deadline.
pub(super) async fn call<F>(
    limit: Duration,
    mut request: GrpcRequest,
    send: impl FnOnce(GrpcRequest) -> F,
) -> Result<GrpcResponse, Status>
where
    F: Future<Output = Result<GrpcResponse, Status>>,
{
    let requested = requested_timeout(request.headers()).unwrap_or(limit);
    let limit = at_most_remaining(limit.min(requested));
    let value = format!("{}m", limit.as_millis());
    let value = HeaderValue::try_from(value).map_err(|_| DeadlineExceeded)?;
    request.headers_mut().insert(GRPC_TIMEOUT, value);
    if limit.is_zero() {
        return Err(DeadlineExceeded.into());
    }
    timeout(limit, send(request))
        .await
        .map_err(|_| DeadlineExceeded)?
}

/// Middleware of services: stops a handler at the deadline of its caller.
pub(crate) async fn enforce(request: Request, next: Next) -> Response {
    let Some(limit) = requested_timeout(request.headers()) else {
        return next.run(request).await;
    };
    let response = with_deadline(limit, next.run(request)).await;
    response.unwrap_or_else(|late| Status::from(late).into_http())
}

fn at_most_remaining(limit: Duration) -> Duration {
    let remaining = DEADLINE.try_with(|end| end.saturating_duration_since(Instant::now()));
    remaining.map_or(limit, |remaining| remaining.min(limit))
}

fn requested_timeout(headers: &HeaderMap) -> Option<Duration> {
    parse_timeout(headers.get(GRPC_TIMEOUT)?)
}

/// Parses a [`GRPC_TIMEOUT`]: up to eight digits and a unit from hours to nanoseconds.
pub fn parse_timeout(value: &HeaderValue) -> Option<Duration> {
    let text = value.to_str().ok()?;
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let plain = digits.len() <= 8 && digits.bytes().all(|byte| byte.is_ascii_digit());
    let amount: u64 = digits.parse().ok().filter(|_| plain)?;
    match unit {
        "H" => Some(Duration::from_hours(amount)),
        "M" => Some(Duration::from_mins(amount)),
        "S" => Some(Duration::from_secs(amount)),
        "m" => Some(Duration::from_millis(amount)),
        "u" => Some(Duration::from_micros(amount)),
        "n" => Some(Duration::from_nanos(amount)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use axum::Router;
    use axum::middleware::from_fn;
    use hourmeter_proto::access::policy_table;
    use tonic::service::Routes;
    use tower::ServiceExt as _;

    use super::*;
    use crate::client::{Backend, in_process};
    use crate::clock::Clock;
    use crate::identity::{Service, TrustedIssuers, Verifier};
    use crate::server::{Guard, guarded};

    const READ: &str = "/hourmeter.equipment.v1.EquipmentService/ListEquipment";
    const WRITE: &str = "/hourmeter.equipment.v1.EquipmentService/AddNote";

    /// A service with the deadline middleware.
    fn service<F>(answer: impl Fn(GrpcRequest) -> F + Clone + Send + Sync + 'static) -> Backend
    where
        F: Future<Output = GrpcResponse> + Send,
    {
        let handler = move |request: Request| {
            let answer = answer(request.map(tonic::body::Body::new));
            async move { answer.await.map(axum::body::Body::new) }
        };
        let app = Router::new().fallback(handler).layer(from_fn(enforce));
        let policy = Arc::new(policy_table().expect("a complete table"));
        in_process(Routes::from(app), policy)
    }

    /// Returns the received timeout in a header.
    async fn echo_timeout(request: GrpcRequest) -> GrpcResponse {
        let mut response = GrpcResponse::new(tonic::body::Body::empty());
        let timeout = &request.headers()[GRPC_TIMEOUT];
        response
            .headers_mut()
            .insert("received-timeout", timeout.clone());
        response
    }

    async fn send(backend: &Backend, path: &str, timeout: Option<&'static str>) -> GrpcResponse {
        let mut request = http::Request::post(path);
        if let Some(timeout) = timeout {
            request = request.header(GRPC_TIMEOUT, timeout);
        }
        let request = request.body(tonic::body::Body::empty());
        let response = backend.clone().oneshot(request.expect("a request")).await;
        response.unwrap_or_else(Status::into_http)
    }

    fn received_ms(response: &GrpcResponse) -> u128 {
        let timeout = parse_timeout(&response.headers()["received-timeout"]);
        timeout.map_or(0, |timeout| timeout.as_millis())
    }

    fn code(response: &GrpcResponse) -> Option<tonic::Code> {
        Status::from_header_map(response.headers()).map(|status| status.code())
    }

    #[tokio::test]
    async fn call_sends_the_timeout() {
        let backend = service(echo_timeout);
        for (path, timeout, expected) in [
            (READ, None, 2000),
            (WRITE, None, 5000),
            (WRITE, Some("10S"), 5000),
            (WRITE, Some("1500m"), 1500),
            (WRITE, Some("nonsense"), 5000),
        ] {
            let response = send(&backend, path, timeout).await;
            assert_eq!(received_ms(&response), expected, "{path} {timeout:?}");
        }
    }

    #[tokio::test]
    async fn nested_call_gets_the_remaining_time() {
        let inner = service(echo_timeout);
        let outer = service(move |_| {
            let inner = inner.clone();
            async move {
                tokio::time::sleep(Duration::from_millis(100)).await;
                send(&inner, WRITE, None).await
            }
        });
        let left = received_ms(&send(&outer, WRITE, Some("1000m")).await);
        assert!((1..=900).contains(&left), "{left}");
        let left = received_ms(&send(&outer, WRITE, None).await);
        assert!((1..=4900).contains(&left), "{left}");
        // The earlier of two surrounding deadlines applies.
        let long = with_deadline(Duration::from_mins(1), send(&outer, WRITE, None));
        let response = with_deadline(Duration::from_secs(1), long).await;
        let left = received_ms(&response.expect("in time").expect("in time"));
        assert!((1..=900).contains(&left), "{left}");
    }

    #[tokio::test]
    async fn call_drops_the_handler_at_the_deadline() {
        let (held, mut dropped) = tokio::sync::mpsc::channel::<()>(1);
        let slow = service(move |request| {
            let held = held.clone();
            async move {
                tokio::time::sleep(Duration::from_mins(1)).await;
                drop(held);
                echo_timeout(request).await
            }
        });
        let began = Instant::now();
        let response = send(&slow, WRITE, Some("50m")).await;
        assert_eq!(code(&response), Some(tonic::Code::Unavailable));
        assert!(began.elapsed() < Duration::from_secs(30));
        drop(slow);
        assert_eq!(dropped.recv().await, None);
    }

    #[tokio::test]
    async fn guarded_service_enforces_the_deadline() {
        // Only health checks need no identity.
        let path = "/grpc.health.v1.Health/Check";
        let app = Router::new().fallback(async || std::future::pending::<()>().await);
        let policy = Arc::new(policy_table().expect("a complete table"));
        let verifier = Verifier::new(Service::Equipment, &TrustedIssuers::default());
        let guard = Guard::new(verifier, policy, Clock::system());
        let app = guarded(Routes::from(app), guard).into_axum_router();
        let request = http::Request::post(path).header(GRPC_TIMEOUT, "50m");
        let request = request.body(axum::body::Body::empty());
        let response = app.oneshot(request.expect("a request"));
        let response = timeout(Duration::from_secs(30), response).await;
        let response = response.expect("in time").expect("a response");
        assert_eq!(
            code(&response.map(tonic::body::Body::new)),
            Some(tonic::Code::Unavailable)
        );
    }

    #[tokio::test]
    async fn call_without_remaining_time_is_not_sent() {
        let backend = service(async |_| panic!("the call was sent"));
        let response = send(&backend, WRITE, Some("0m")).await;
        assert_eq!(code(&response), Some(tonic::Code::Unavailable));
    }

    #[test]
    fn parse_timeout_accepts_digits_and_a_unit() {
        for (text, expected) in [
            ("2H", Some(Duration::from_hours(2))),
            ("3M", Some(Duration::from_mins(3))),
            ("5S", Some(Duration::from_secs(5))),
            ("15000m", Some(Duration::from_secs(15))),
            ("7u", Some(Duration::from_micros(7))),
            ("99999999n", Some(Duration::from_nanos(99_999_999))),
            ("999999999S", None),
            ("-1S", None),
            ("+1S", None),
            ("1.5S", None),
            ("5s", None),
            ("S", None),
            ("5", None),
            ("", None),
        ] {
            let value = HeaderValue::from_static(text);
            assert_eq!(parse_timeout(&value), expected, "{text}");
        }
    }
}
