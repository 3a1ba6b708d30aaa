//! Refuses early what the process can't take, so that what it took is done in time.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::visit_of;
use crate::rescue::Refusal;

/// Requests at the same moment, for each core.
const PERMITS_PER_CORE: usize = 128;
/// How long a request waits for its turn.
const PATIENCE: Duration = Duration::from_millis(50);

/// Turns for requests, with a fifth kept for signing in and operators' submissions.
pub struct Turns {
    general: Semaphore,
    reserve: Semaphore,
}

impl Turns {
    /// As many as this machine's cores can take.
    pub fn for_this_machine() -> Arc<Self> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Arc::new(Self::new(cores * PERMITS_PER_CORE))
    }

    fn new(permits: usize) -> Self {
        let reserve = permits / 5;
        Self {
            general: Semaphore::new(permits - reserve),
            reserve: Semaphore::new(reserve),
        }
    }

    async fn take(&self, urgent: bool) -> Option<SemaphorePermit<'_>> {
        let turn = tokio::time::timeout(PATIENCE, self.general.acquire()).await;
        match turn {
            Ok(turn) => turn.ok(),
            Err(_) if urgent => self.reserve.try_acquire().ok(),
            Err(_) => None,
        }
    }
}

/// The layer.
pub async fn layer(State(turns): State<Arc<Turns>>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    // Whether the process is well must be answered most of all when it is not.
    if matches!(path, "/healthz" | "/readyz") {
        return next.run(request).await;
    }
    let Some(_turn) = turns.take(is_urgent(path)).await else {
        let visit = visit_of(&request);
        return Refusal::Overloaded.into_response(visit.door, visit.request_id);
    };
    next.run(request).await
}

fn is_urgent(path: &str) -> bool {
    path.starts_with("/api/auth/")
        || path == "/api/employee/login"
        || path == "/api/operator-updates"
        || path.ends_with("OperatorUpdatesService/SubmitUpdate")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_reserve_is_for_urgent_work() {
        let turns = Turns::new(5);
        let mut taken = Vec::new();
        for _ in 0..4 {
            taken.push(turns.take(false).await.expect("a turn"));
        }
        assert!(turns.take(false).await.is_none());
        let urgent = turns.take(true).await;
        assert!(urgent.is_some());
        assert!(turns.take(true).await.is_none());
        drop(taken);
        assert!(turns.take(false).await.is_some());
    }
}
