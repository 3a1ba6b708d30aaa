//! Turns a panic in a request into a response with status 500.

use std::panic::AssertUnwindSafe;

use axum::response::Response;
use futures::FutureExt as _;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::refusals as shared;
use hourmeter_runtime::telemetry::names;

use crate::api_error::ApiError;
use crate::requester::RequestContext;

pub async fn catch(context: RequestContext, response: impl Future<Output = Response>) -> Response {
    // Nothing of the request is used after a panic, so no inconsistent state is visible.
    let response = AssertUnwindSafe(response).catch_unwind().await;
    response.unwrap_or_else(|_| {
        names::PANICS.count(names::NO_LABELS);
        tracing::error!("request handler panicked");
        let error = ApiError::from(ServiceError::new(Kind::Internal, shared::INTERNAL));
        error.into_response(context.protocol, context.request_id)
    })
}

#[cfg(test)]
mod tests {
    use axum::extract::Request;

    use crate::layers::context_of;

    #[tokio::test]
    async fn catch_responds_500_to_a_panic() {
        let request = Request::get("/api/x").body(axum::body::Body::empty());
        let context = context_of(&request.expect("a request"));
        let response = super::catch(context, async { panic!("secret") }).await;
        assert_eq!(response.status(), 500);
        let body = axum::body::to_bytes(response.into_body(), 4096).await;
        let body = String::from_utf8(body.expect("a body").to_vec()).expect("text");
        assert!(
            body.contains("requestId") && !body.contains("secret"),
            "{body}"
        );
        let text = hourmeter_runtime::telemetry::metrics_text();
        assert!(text.contains("hourmeter_panics_total 1"), "{text}");
    }
}
