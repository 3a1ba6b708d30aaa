//! Until when a call has to be answered. It is told along with each call, which no library here does
//! by itself, so that nobody works on for a caller who has given up, and a call made on the way never
//! takes longer than what is left of the one it is made for.

use std::time::Duration;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue};
use tokio::time::{Instant, timeout, timeout_at};
use tonic::Status;

use super::{GrpcRequest, GrpcResponse};
use crate::error::UNAVAILABLE_MESSAGE;

/// Metadata entry of how long the caller waits, in gRPC's own notation.
pub const GRPC_TIMEOUT: HeaderName = HeaderName::from_static("grpc-timeout");

tokio::task_local! {
    /// Until when what runs here has to be done.
    static UNTIL: Instant;
}

/// The time is up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it took too long")]
pub struct DeadlineExceeded;

impl From<DeadlineExceeded> for Status {
    fn from(DeadlineExceeded: DeadlineExceeded) -> Self {
        Self::unavailable(UNAVAILABLE_MESSAGE)
    }
}

/// Does work for so long at most, and no longer than what it is a part of. The calls it makes are told.
pub async fn with_deadline<T>(
    limit: Duration,
    work: impl Future<Output = T>,
) -> Result<T, DeadlineExceeded> {
    let until = Instant::now() + no_longer_than_left(limit);
    let done = timeout_at(until, UNTIL.scope(until, work)).await;
    done.map_err(|_| DeadlineExceeded)
}

/// Makes a call that may take so long at most; less where its sender or what it is made for wants it.
pub(super) async fn call<F>(
    limit: Duration,
    mut request: GrpcRequest,
    send: impl FnOnce(GrpcRequest) -> F,
) -> Result<GrpcResponse, Status>
where
    F: Future<Output = Result<GrpcResponse, Status>>,
{
    let asked = asked(request.headers()).unwrap_or(limit);
    let limit = no_longer_than_left(limit.min(asked));
    let told = format!("{}m", limit.as_millis());
    let told = HeaderValue::try_from(told).map_err(|_| DeadlineExceeded)?;
    request.headers_mut().insert(GRPC_TIMEOUT, told);
    if limit.is_zero() {
        return Err(DeadlineExceeded.into());
    }
    timeout(limit, send(request))
        .await
        .map_err(|_| DeadlineExceeded)?
}

/// Answers a call as long as its caller waits.
pub(crate) async fn answer(request: Request, next: Next) -> Response {
    let Some(limit) = asked(request.headers()) else {
        return next.run(request).await;
    };
    let answer = with_deadline(limit, next.run(request)).await;
    answer.unwrap_or_else(|late| Status::from(late).into_http())
}

fn no_longer_than_left(limit: Duration) -> Duration {
    let left = UNTIL.try_with(|until| until.saturating_duration_since(Instant::now()));
    left.map_or(limit, |left| left.min(limit))
}

fn asked(headers: &HeaderMap) -> Option<Duration> {
    parse_timeout(headers.get(GRPC_TIMEOUT)?)
}

/// What a [`GRPC_TIMEOUT`] says: up to eight digits, and a unit from hours to nanoseconds.
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

    /// A service that answers with what it was told, as services do it.
    fn service<F>(answer: impl Fn(GrpcRequest) -> F + Clone + Send + Sync + 'static) -> Backend
    where
        F: Future<Output = GrpcResponse> + Send,
    {
        let handler = move |request: Request| {
            let answer = answer(request.map(tonic::body::Body::new));
            async move { answer.await.map(axum::body::Body::new) }
        };
        let app = Router::new()
            .fallback(handler)
            .layer(from_fn(super::answer));
        let policy = Arc::new(policy_table().expect("a whole table"));
        in_process(Routes::from(app), policy)
    }

    /// Answers at once, and says in a header how long it might have taken.
    async fn told(request: GrpcRequest) -> GrpcResponse {
        let mut answer = GrpcResponse::new(tonic::body::Body::empty());
        let told = &request.headers()[GRPC_TIMEOUT];
        answer.headers_mut().insert("told", told.clone());
        answer
    }

    async fn ask(backend: &Backend, path: &str, asked: Option<&'static str>) -> GrpcResponse {
        let mut request = http::Request::post(path);
        if let Some(asked) = asked {
            request = request.header(GRPC_TIMEOUT, asked);
        }
        let request = request.body(tonic::body::Body::empty());
        let answer = backend.clone().oneshot(request.expect("a request")).await;
        answer.unwrap_or_else(Status::into_http)
    }

    fn ms(answer: &GrpcResponse) -> u128 {
        parse_timeout(&answer.headers()["told"]).map_or(0, |told| told.as_millis())
    }

    fn code(answer: &GrpcResponse) -> Option<tonic::Code> {
        Status::from_header_map(answer.headers()).map(|status| status.code())
    }

    #[tokio::test]
    async fn a_call_is_told_how_long_it_may_take() {
        let backend = service(told);
        for (path, asked, expected) in [
            (READ, None, 2000),
            (WRITE, None, 5000),
            (WRITE, Some("10S"), 5000),
            (WRITE, Some("1500m"), 1500),
            (WRITE, Some("nonsense"), 5000),
        ] {
            let answer = ask(&backend, path, asked).await;
            assert_eq!(ms(&answer), expected, "{path} {asked:?}");
        }
    }

    #[tokio::test]
    async fn a_call_on_the_way_has_what_is_left() {
        let inner = service(told);
        let outer = service(move |_| {
            let inner = inner.clone();
            async move {
                tokio::time::sleep(Duration::from_millis(100)).await;
                ask(&inner, WRITE, None).await
            }
        });
        let left = ms(&ask(&outer, WRITE, Some("1000m")).await);
        assert!((1..=900).contains(&left), "{left}");
        let left = ms(&ask(&outer, WRITE, None).await);
        assert!((1..=4900).contains(&left), "{left}");
        // What surrounds it counts as well, and the shorter of two does.
        let long = with_deadline(Duration::from_mins(1), ask(&outer, WRITE, None));
        let left = ms(&with_deadline(Duration::from_secs(1), long)
            .await
            .expect("in time")
            .expect("in time"));
        assert!((1..=900).contains(&left), "{left}");
    }

    #[tokio::test]
    async fn nobody_works_on_for_who_has_given_up() {
        let (held, mut dropped) = tokio::sync::mpsc::channel::<()>(1);
        let slow = service(move |request| {
            let held = held.clone();
            async move {
                tokio::time::sleep(Duration::from_mins(1)).await;
                drop(held);
                told(request).await
            }
        });
        let began = Instant::now();
        let answer = ask(&slow, WRITE, Some("50m")).await;
        assert_eq!(code(&answer), Some(tonic::Code::Unavailable));
        assert!(began.elapsed() < Duration::from_secs(30));
        drop(slow);
        assert_eq!(dropped.recv().await, None);
    }

    #[tokio::test]
    async fn the_side_that_answers_ends_it_too() {
        // This path alone needs nobody's identity.
        let path = "/grpc.health.v1.Health/Check";
        let app = Router::new().fallback(async || std::future::pending::<()>().await);
        let policy = Arc::new(policy_table().expect("a whole table"));
        let verifier = Verifier::new(Service::Equipment, &TrustedIssuers::default());
        let guard = Guard::new(verifier, policy, Clock::system());
        let app = guarded(Routes::from(app), guard).into_axum_router();
        let request = http::Request::post(path).header(GRPC_TIMEOUT, "50m");
        let request = request.body(axum::body::Body::empty());
        let answer = app.oneshot(request.expect("a request"));
        let answer = timeout(Duration::from_secs(30), answer).await;
        let answer = answer.expect("an end").expect("an answer");
        assert_eq!(
            code(&answer.map(tonic::body::Body::new)),
            Some(tonic::Code::Unavailable)
        );
    }

    #[tokio::test]
    async fn without_any_time_left_nothing_is_sent() {
        let backend = service(async |_| panic!("it was sent"));
        let answer = ask(&backend, WRITE, Some("0m")).await;
        assert_eq!(code(&answer), Some(tonic::Code::Unavailable));
    }

    #[test]
    fn timeouts_are_digits_and_a_unit() {
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
