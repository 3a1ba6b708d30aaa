//! Metrics of requests: counts by route, method and status, and durations.

use std::collections::HashMap;
use std::sync::{LazyLock, PoisonError, RwLock};
use std::time::Duration;

use axum::extract::{MatchedPath, Request};
use axum::response::Response;
use hourmeter_proto::access::PolicyTable;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::telemetry::{Counter, Gauge, GaugeGuard, Histogram, names};
use http::{Method, StatusCode};

use crate::requester::Protocol;
use crate::rpc_status::failed_status;

/// Label of all paths without a route.
const UNMATCHED: &str = "unmatched";
/// Label of the web client's pages and files.
const PAGES: &str = "pages";

static METRICS: LazyLock<RwLock<HashMap<String, ByResponse>>> = LazyLock::new(RwLock::default);
static IN_FLIGHT: LazyLock<Gauge> = LazyLock::new(|| names::HTTP_IN_FLIGHT.gauge(names::NO_LABELS));

/// Counts a request as in flight until dropped.
pub fn in_flight() -> GaugeGuard {
    GaugeGuard::new(&IN_FLIGHT)
}

pub fn count(route: &Route, method: &'static str, status: StatusCode, took: Duration) {
    let meter = meter_of(route.name(), method, status);
    meter.duration.record(took);
    meter.requests.increment(1);
}

/// The route of a request, as metrics and traces name it.
#[derive(Clone, Debug)]
pub enum Route {
    Rpc(String),
    Template(MatchedPath),
    Other(&'static str),
}

impl Route {
    /// Paths without a route or RPC may contain anything and get a fixed label.
    pub fn of(policy: &PolicyTable, request: &Request) -> Self {
        let path = request.uri().path();
        match (Protocol::from_path(path), request.extensions().get()) {
            (Protocol::GrpcWeb, _) if policy.contains_key(path) => Self::Rpc(path.to_owned()),
            (Protocol::Rest | Protocol::Page, Some(template)) => {
                Self::Template(MatchedPath::clone(template))
            }
            (Protocol::Page, None) => Self::Other(PAGES),
            (Protocol::GrpcWeb | Protocol::Rest, _) => Self::Other(UNMATCHED),
        }
    }

    pub fn name(&self) -> &str {
        match self {
            Self::Rpc(path) => path,
            Self::Template(template) if is_catch_all(template.as_str()) => UNMATCHED,
            Self::Template(template) => template.as_str(),
            Self::Other(name) => name,
        }
    }
}

/// Templates of the handler for unknown paths under `/api`.
fn is_catch_all(template: &str) -> bool {
    matches!(template, "/api" | "/api/" | "/api/{*rest}")
}

/// The method as a label; clients may send any method.
pub fn method_name(method: &Method) -> &'static str {
    const KNOWN: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
    let mut known = KNOWN.into_iter();
    known.find(|name| method == name).unwrap_or("other")
}

/// The HTTP status; for a failed RPC, which has HTTP status 200, the status of its gRPC code.
pub fn status_of(response: &Response) -> StatusCode {
    let failure = failed_status(response.headers());
    let status = failure.map(|status| ServiceError::from_status(&status).http_status());
    status
        .and_then(|status| StatusCode::from_u16(status).ok())
        .unwrap_or_else(|| response.status())
}

type ByResponse = HashMap<(&'static str, StatusCode), RouteMetrics>;

#[derive(Clone)]
struct RouteMetrics {
    requests: Counter,
    duration: Histogram,
}

fn meter_of(route: &str, method: &'static str, status: StatusCode) -> RouteMetrics {
    let key = (method, status);
    let all = METRICS.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(meter) = all.get(route).and_then(|by_response| by_response.get(&key)) {
        return meter.clone();
    }
    drop(all);
    let labels = [
        route.to_owned(),
        method.to_owned(),
        status.as_str().to_owned(),
    ];
    let meter = RouteMetrics {
        requests: names::HTTP_REQUESTS.counter(labels),
        duration: names::HTTP_DURATION.histogram([route.to_owned(), method.to_owned()]),
    };
    let mut all = METRICS.write().unwrap_or_else(PoisonError::into_inner);
    let by_response = all.entry(route.to_owned()).or_default();
    by_response.insert(key, meter.clone());
    meter
}
