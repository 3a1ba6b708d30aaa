//! A bug in one request is one answer with status 500, not a lost connection.

use std::panic::AssertUnwindSafe;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use futures::FutureExt as _;
use hourmeter_runtime::telemetry::names;

use super::visit_of;
use crate::rescue;

/// The layer.
pub async fn layer(request: Request, next: Next) -> Response {
    let visit = visit_of(&request);
    // Nothing of the request is looked at after a panic, so it can't be seen half-done.
    let answer = AssertUnwindSafe(next.run(request)).catch_unwind().await;
    answer.unwrap_or_else(|_| {
        names::PANICS.count(names::NONE);
        tracing::error!(request.id = %visit.request_id, "a request panicked");
        rescue::panicked(visit.door, visit.request_id)
    })
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::Body;
    use axum::middleware::from_fn;
    use axum::routing::get;
    use tower::ServiceExt as _;

    async fn broken() -> &'static str {
        panic!("secret")
    }

    #[tokio::test]
    async fn a_panic_is_answered() {
        let app = Router::new().route("/api/x", get(broken));
        let request = axum::extract::Request::get("/api/x").body(Body::empty());
        let answer = app
            .layer(from_fn(super::layer))
            .oneshot(request.expect("a request"));
        let answer = answer.await.expect("an answer");
        assert_eq!(answer.status(), 500);
        let body = axum::body::to_bytes(answer.into_body(), 4096).await;
        let body = String::from_utf8(body.expect("a body").to_vec()).expect("text");
        assert!(
            body.contains("requestId") && !body.contains("secret"),
            "{body}"
        );
        let told = hourmeter_runtime::telemetry::metrics_text();
        assert!(told.contains("hourmeter_panics_total 1"), "{told}");
    }
}
