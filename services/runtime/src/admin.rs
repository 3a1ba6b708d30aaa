//! The port for those who run the product, never open to its users: whether the process lives,
//! whether it takes traffic, and what it counts.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use futures::future::BoxFuture;
use http::{StatusCode, header};
use tokio::net::TcpListener;
use tokio_util::task::AbortOnDropHandle;

use crate::error::ServiceError;
use crate::telemetry;

/// Returns whether the process takes traffic.
pub type ReadinessProbe = Arc<dyn Fn() -> BoxFuture<'static, bool> + Send + Sync>;

/// The open port; it closes when this is dropped.
#[derive(Debug)]
pub struct AdminPort {
    _serving: AbortOnDropHandle<()>,
}

impl AdminPort {
    /// Opens it.
    pub fn open(
        address: SocketAddr,
        ready: ReadinessProbe,
    ) -> BoxFuture<'static, Result<Self, ServiceError>> {
        Box::pin(async move {
            let listener = TcpListener::bind(address).await;
            let listener = listener.map_err(|error| {
                ServiceError::internal(format!("ADMIN_LISTEN {address} can't be used: {error}"))
            })?;
            let router = router(ready);
            let serving = tokio::spawn(async move {
                if let Err(error) = axum::serve(listener, router).await {
                    tracing::error!(%error, "the admin port has closed");
                }
            });
            Ok(Self {
                _serving: AbortOnDropHandle::new(serving),
            })
        })
    }
}

fn router(ready: ReadinessProbe) -> Router {
    Router::new()
        .route("/livez", get(async || "ok"))
        .route(
            "/readyz",
            get(move || {
                let answer = ready();
                async move { readiness(answer.await) }
            }),
        )
        .route("/metrics", get(metrics))
}

fn readiness(ready: bool) -> Response {
    if ready {
        "ok".into_response()
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "not ready").into_response()
    }
}

async fn metrics() -> Response {
    let kind = (header::CONTENT_TYPE, "text/plain; version=0.0.4");
    ([kind], telemetry::metrics_text()).into_response()
}
