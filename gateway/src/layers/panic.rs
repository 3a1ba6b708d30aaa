//! A bug in one request is one answer with status 500, not a lost connection.

use std::panic::AssertUnwindSafe;

use axum::response::Response;
use futures::FutureExt as _;
use hourmeter_runtime::telemetry::names;

use crate::rescue;
use crate::visitor::Visit;

/// Answers 500 when answering a request panics.
pub async fn catch(visit: Visit, answer: impl Future<Output = Response>) -> Response {
    // Nothing of the request is looked at after a panic, so it can't be seen half-done.
    let answer = AssertUnwindSafe(answer).catch_unwind().await;
    answer.unwrap_or_else(|_| {
        names::PANICS.count(names::NO_LABELS);
        tracing::error!("a request panicked");
        rescue::panicked(visit.door, visit.request_id)
    })
}

#[cfg(test)]
mod tests {
    use axum::extract::Request;

    use crate::layers::visit_of;

    #[tokio::test]
    async fn a_panic_is_answered() {
        let request = Request::get("/api/x").body(axum::body::Body::empty());
        let visit = visit_of(&request.expect("a request"));
        let answer = super::catch(visit, async { panic!("secret") }).await;
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
