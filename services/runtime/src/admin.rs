//! The admin port: liveness, readiness and metrics, for operations only.

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

/// Returns whether the process is ready for traffic.
pub type ReadinessProbe = Arc<dyn Fn() -> BoxFuture<'static, bool> + Send + Sync>;

/// The open port; dropping it closes the port.
#[derive(Debug)]
pub struct AdminPort {
    _serving: AbortOnDropHandle<()>,
}

impl AdminPort {
    /// Binds `address` and serves `/livez`, `/readyz` and `/metrics`.
    pub async fn open(address: SocketAddr, ready: ReadinessProbe) -> Result<Self, ServiceError> {
        let listener = TcpListener::bind(address).await.map_err(|error| {
            ServiceError::internal(format!("failed to bind ADMIN_LISTEN {address}: {error}"))
        })?;
        let router = router(ready);
        let serving = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                tracing::error!(%error, "admin server failed; the admin port is closed");
            }
        });
        Ok(Self {
            _serving: AbortOnDropHandle::new(serving),
        })
    }
}

fn router(ready: ReadinessProbe) -> Router {
    Router::new()
        .route("/livez", get(async || "ok"))
        .route("/readyz", get(async move || readiness(ready().await)))
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
