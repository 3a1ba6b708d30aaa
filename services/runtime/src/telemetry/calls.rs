//! Metrics and spans of RPCs, on the server and on the client side.

use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};
use std::time::Instant;

use axum::body::HttpBody;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use hourmeter_proto::access::policy_table;
use http_body_util::BodyExt as _;
use metrics::{Counter, Histogram};
use opentelemetry::trace::{self as otel, FutureExt as _};
use tonic::{Code, Status};
use tower::{Service, ServiceExt as _};
use tracing::{Instrument as _, Span};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

use super::names::{self, Metric};
use super::trace;
use crate::client::backend::{Backend, GrpcRequest, GrpcResponse};
use crate::client::caller::CallerExtension;
use crate::identity;

/// The label of paths that are not an RPC.
const UNMATCHED: &str = "unmatched";
/// gRPC codes by number.
const CODES: [&str; 17] = [
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
];

static SERVER: LazyLock<Meters> =
    LazyLock::new(|| Meters::new(names::RPC_REQUESTS, names::RPC_DURATION));
static CLIENT: LazyLock<Meters> =
    LazyLock::new(|| Meters::new(names::BACKEND_REQUESTS, names::BACKEND_DURATION));

/// Middleware that measures the calls a service handles; the outermost layer.
pub async fn measure(request: Request, next: Next) -> Response {
    let meter = SERVER.of(request.uri().path());
    let mut call = Call::start(meter);
    // A call within this process continues the spans of its caller and ignores its headers.
    let is_local = request.extensions().get::<CallerExtension>().is_some();
    let caller = if is_local {
        None
    } else {
        trace::context_of_call(request.headers())
    };
    call.span = match &caller {
        Some(caller) => trace::root_span(caller, || meter.span_name()),
        None => meter.span("server"),
    };
    let response = next.run(request).instrument(call.span.clone());
    let response = match caller {
        Some(caller) => response.with_context(caller).await,
        None => response.await,
    };
    call.end_with(response, |body, call| {
        axum::body::Body::new(call.watch(body))
    })
}

/// Measures the calls made to a service.
pub fn measured<S>(service: S) -> Backend
where
    S: Service<GrpcRequest, Response = GrpcResponse, Error = Status> + Clone,
    S: Send + Sync + 'static,
    S::Future: Send,
{
    Backend::new(tower::service_fn(move |request: GrpcRequest| {
        let service = service.clone();
        async move {
            let meter = CLIENT.of(request.uri().path());
            let mut call = Call::start(meter);
            call.span = meter.span("client");
            let response = service.oneshot(request).instrument(call.span.clone());
            match response.await {
                Ok(response) => Ok(call.end_with(response, |body, call| {
                    tonic::body::Body::new(call.watch(body))
                })),
                Err(status) => {
                    call.end(status.code());
                    Err(status)
                }
            }
        }
    }))
}

struct Meters {
    known: HashMap<String, Meter>,
    unmatched: Meter,
}

struct Meter {
    requests: Metric,
    durations: Metric,
    service: &'static str,
    method: String,
    // Both registered at the first use, so that only metrics with values are exported.
    duration: OnceLock<Histogram>,
    codes: [OnceLock<Counter>; CODES.len()],
}

impl Meters {
    fn new(requests: Metric, durations: Metric) -> Self {
        let meter = |service: &'static str, method: &str| Meter {
            requests,
            durations,
            service,
            method: method.to_owned(),
            duration: OnceLock::new(),
            codes: std::array::from_fn(|_| OnceLock::new()),
        };
        // No process starts without a valid table.
        let paths = policy_table().unwrap_or_default().into_keys();
        let known = paths.filter_map(|path| {
            let service = identity::Service::from_path(&path)?;
            let (_, method) = path.rsplit_once('/')?;
            let meter = meter(service.name(), method);
            Some((path, meter))
        });
        Self {
            known: known.collect(),
            unmatched: meter(UNMATCHED, UNMATCHED),
        }
    }

    fn of(&self, path: &str) -> &Meter {
        self.known.get(path).unwrap_or(&self.unmatched)
    }
}

impl Meter {
    fn span_name(&self) -> String {
        format!("{}/{}", self.service, self.method)
    }

    fn span(&self, kind: &'static str) -> Span {
        tracing::debug_span!("rpc", otel.name = self.span_name(), otel.kind = kind)
    }
}

struct Call {
    meter: &'static Meter,
    started: Instant,
    ended: bool,
    span: Span,
}

impl Call {
    fn start(meter: &'static Meter) -> Self {
        Self {
            meter,
            started: Instant::now(),
            ended: false,
            span: Span::none(),
        }
    }

    /// Ends with the code in the response's headers, or in the trailers after its body.
    fn end_with<B>(
        mut self,
        response: http::Response<B>,
        watch: impl FnOnce(B, Self) -> B,
    ) -> http::Response<B> {
        if let Some(code) = code_in(response.headers()) {
            self.end(code);
            return response;
        }
        response.map(|body| watch(body, self))
    }

    /// Ends with the code in the trailers of the body.
    fn watch<B: HttpBody>(mut self, body: B) -> impl HttpBody<Data = B::Data, Error = B::Error> {
        body.map_frame(move |frame| {
            if let Some(code) = frame.trailers_ref().and_then(code_in) {
                self.end(code);
            }
            frame
        })
    }

    fn end(&mut self, code: Code) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        let meter = self.meter;
        let duration = meter.duration.get_or_init(|| {
            let values = [meter.service, &meter.method].map(str::to_owned);
            meter.durations.histogram(values)
        });
        duration.record(self.started.elapsed());
        let number = (code as usize).min(CODES.len() - 1);
        let counter = meter.codes[number].get_or_init(|| {
            let values = [meter.service, &meter.method, CODES[number]].map(str::to_owned);
            meter.requests.counter(values)
        });
        counter.increment(1);
        // The span ends when it is exited for the last time.
        let span = std::mem::replace(&mut self.span, Span::none());
        let _entered = span.enter();
        span.set_attribute("rpc.system", "grpc");
        span.set_attribute("rpc.response.status_code", CODES[number]);
        if is_fault(code) {
            span.set_status(otel::Status::error(""));
        }
    }
}

impl Drop for Call {
    /// The caller gave up, or the response was interrupted.
    fn drop(&mut self) {
        self.end(Code::Cancelled);
    }
}

/// Whether the code means a fault of the service rather than of the caller.
const fn is_fault(code: Code) -> bool {
    matches!(
        code,
        Code::Unknown
            | Code::DeadlineExceeded
            | Code::Internal
            | Code::Unavailable
            | Code::DataLoss
    )
}

fn code_in(headers: &http::HeaderMap) -> Option<Code> {
    headers
        .get(Status::GRPC_STATUS)
        .map(|value| Code::from_bytes(value.as_bytes()))
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::middleware::from_fn;
    use bytes::Bytes;
    use http_body_util::Full;

    use super::super::metrics_text;
    use super::*;

    const LIST: &str = "/hourmeter.equipment.v1.EquipmentService/ListEquipment";

    fn count(metric: &str, labels: &str) -> u64 {
        let text = metrics_text();
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(&format!("{metric}{{{labels}}} ")));
        line.map_or(0, |value| value.parse().expect("a number"))
    }

    /// A body with the code in its trailers.
    fn body_with_code(code: &'static str) -> axum::body::Body {
        let mut trailers = http::HeaderMap::new();
        trailers.insert(Status::GRPC_STATUS, code.parse().expect("a value"));
        let message = Full::new(Bytes::from_static(b"message"));
        axum::body::Body::new(message.with_trailers(async { Some(Ok(trailers)) }))
    }

    async fn serve(
        path: &str,
        body: impl Fn() -> Response + Clone + Send + Sync + 'static,
    ) -> Response {
        let app = Router::new().fallback(move || {
            let body = body.clone();
            async move { body() }
        });
        let request = Request::post(path).body(axum::body::Body::empty());
        let app = app.layer(from_fn(measure));
        let response = app.oneshot(request.expect("a request")).await;
        response.expect("a response")
    }

    #[tokio::test]
    async fn measure_reads_codes_of_headers_and_trailers() {
        let of = |code: &str| {
            count(
                names::RPC_REQUESTS.name,
                &format!("service=\"equipment\",method=\"ListEquipment\",code=\"{code}\""),
            )
        };
        let refused = serve(LIST, || Status::not_found("x").into_http()).await;
        assert_eq!((of("NOT_FOUND"), of("CANCELLED")), (1, 0));
        drop(refused);
        let response = serve(LIST, || Response::new(body_with_code("0"))).await;
        assert_eq!(of("OK"), 0, "the body is not read yet");
        response.into_body().collect().await.expect("a body");
        assert_eq!((of("OK"), of("CANCELLED")), (1, 0));
        let response = serve(LIST, || Response::new(body_with_code("13"))).await;
        response.into_body().collect().await.expect("a body");
        assert_eq!(of("INTERNAL"), 1);
        drop(serve(LIST, || Response::new(body_with_code("0"))).await);
        assert_eq!((of("OK"), of("CANCELLED")), (1, 1));
        let seconds = "service=\"equipment\",method=\"ListEquipment\"";
        let name = format!("{}_count", names::RPC_DURATION.name);
        assert_eq!(count(&name, seconds), 4);
    }

    #[tokio::test]
    async fn measure_continues_the_trace_of_the_caller() {
        const CALLER: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        let app = Router::new().fallback(async || trace::current().unwrap_or_default());
        let request = Request::post(LIST).header(trace::TRACEPARENT, CALLER);
        let request = request.body(axum::body::Body::empty()).expect("a request");
        let response = app.layer(from_fn(measure)).oneshot(request).await;
        let body = response.expect("a response").into_body().collect().await;
        assert_eq!(body.expect("a body").to_bytes(), CALLER);
    }

    #[tokio::test]
    async fn measure_uses_no_unknown_path_as_label() {
        let path = "/hourmeter.equipment.v1.EquipmentService/Secret";
        serve(path, || Status::unimplemented("x").into_http()).await;
        assert!(!metrics_text().contains("Secret"));
        let labels = "service=\"unmatched\",method=\"unmatched\",code=\"UNIMPLEMENTED\"";
        assert_eq!(count(names::RPC_REQUESTS.name, labels), 1);
    }

    #[tokio::test]
    async fn measured_counts_errors_of_the_transport() {
        let service = tower::service_fn(async |_: GrpcRequest| {
            Err::<GrpcResponse, _>(Status::unavailable("unreachable"))
        });
        let request = http::Request::post(LIST).body(tonic::body::Body::empty());
        let response = measured(service).oneshot(request.expect("a request")).await;
        assert!(response.is_err());
        let labels = "backend=\"equipment\",method=\"ListEquipment\",code=\"UNAVAILABLE\"";
        assert_eq!(count(names::BACKEND_REQUESTS.name, labels), 1);
    }

    #[test]
    fn codes_are_ordered_by_number() {
        for (number, name) in CODES.iter().enumerate() {
            let code = Code::from_i32(i32::try_from(number).expect("small"));
            let text = format!("{code:?}");
            assert_eq!(text.to_lowercase(), name.replace('_', "").to_lowercase());
        }
    }
}
