//! Health and readiness endpoints.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use hourmeter_proto::accounts::v1::{ListSecurityQuestionsRequest, ResolveSessionRequest};
use tokio::sync::Mutex;
use tokio::time::Instant;
use tonic::{Code, Status};

use crate::api_error::ApiError;
use crate::layers::context_of;
use crate::outgoing::{self, Outgoing};
use crate::requester::{RequestContext, unavailable};
use crate::services::Services;
use crate::session::TOKEN_LENGTH;

/// How long a result is cached.
const FRESH: Duration = Duration::from_secs(1);

/// Whether accounts responds, asked at most once a second.
#[derive(Default)]
struct Health(Mutex<Option<(Instant, bool)>>);

impl Health {
    /// The result of the last second, or else of `ask`. Concurrent callers share one call.
    async fn of(&self, ask: impl Future<Output = bool>) -> bool {
        let mut last = self.0.lock().await;
        if let Some((at, ready)) = *last
            && at.elapsed() < FRESH
        {
            return ready;
        }
        let ready = ask.await;
        *last = Some((Instant::now(), ready));
        ready
    }
}

pub fn router(services: &Arc<Services>) -> Router {
    let state = (services.clone(), Arc::<Health>::default());
    Router::new()
        .route("/healthz", get(async || "ok"))
        .route("/readyz", get(ready))
        .with_state(state)
}

/// Ready while accounts responds: without it there are no sessions; other services only affect
/// their own routes. Load balancers use the admin port, see [`crate::ready_once_reached`].
async fn ready(
    State((services, health)): State<(Arc<Services>, Arc<Health>)>,
    request: axum::extract::Request,
) -> Result<&'static str, Response> {
    let context = context_of(&request);
    let asked = async {
        let response = call_accounts(&services, context).await;
        let failed = response
            .inspect_err(|error| tracing::warn!(%error, "readiness check of accounts failed"));
        failed.is_ok()
    };
    if health.of(asked).await {
        return Ok("ok");
    }
    let error = ApiError::from(unavailable());
    Err(error.into_response(context.protocol, context.request_id))
}

async fn call_accounts(services: &Arc<Services>, context: RequestContext) -> Result<(), Status> {
    let mut accounts = outgoing::accounts(Outgoing::as_gateway(services, context.request_id));
    // Fails if accounts does not trust the gateway's identity.
    let request = ListSecurityQuestionsRequest {};
    accounts.list_security_questions(request).await?;
    // Fails if accounts does not reach its database.
    let token = "A".repeat(TOKEN_LENGTH);
    let request = ResolveSessionRequest {
        token,
        ..ResolveSessionRequest::default()
    };
    match accounts.resolve_session(request).await {
        Err(status) if status.code() != Code::Unauthenticated => Err(status),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[tokio::test]
    async fn check_is_shared_for_a_second() {
        let (health, asked) = (Health::default(), AtomicU32::new(0));
        let ask = async || {
            tokio::time::sleep(Duration::from_millis(20)).await;
            asked.fetch_add(1, Ordering::Relaxed) == 0
        };
        let all = (0..100).map(|_| health.of(ask()));
        let responses = futures::future::join_all(all).await;
        assert!(responses.into_iter().all(|ready| ready));
        assert_eq!(asked.load(Ordering::Relaxed), 1);
        tokio::time::sleep(FRESH).await;
        assert!(!health.of(ask()).await);
    }
}
