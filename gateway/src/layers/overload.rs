//! Refuses early what the process can't take, so that what it took is done in time: exports and
//! beginning to watch first, signing in and operators' submissions last.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use hourmeter_runtime::telemetry::names;
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
    /// With no more turns left than this, who can wait is turned away.
    busy_below: usize,
}

/// Who goes first and who last when there is too much to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rank {
    /// Can wait: what is missed meanwhile is got all the same, later.
    Patient,
    Usual,
    Urgent,
}

impl Rank {
    /// The name in metrics.
    const fn name(self) -> &'static str {
        match self {
            Self::Patient => "patient",
            Self::Usual => "usual",
            Self::Urgent => "urgent",
        }
    }
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
            busy_below: (permits - reserve) / 2,
        }
    }

    async fn take(&self, rank: Rank) -> Option<SemaphorePermit<'_>> {
        if rank == Rank::Patient && self.general.available_permits() <= self.busy_below {
            return None;
        }
        let turn = tokio::time::timeout(PATIENCE, self.general.acquire()).await;
        match turn {
            Ok(turn) => turn.ok(),
            Err(_) if rank == Rank::Urgent => self.reserve.try_acquire().ok(),
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
    let Some(_turn) = turns.take(rank(path)).await else {
        names::OVERLOAD_REFUSED.count([rank(path).name()]);
        let visit = visit_of(&request);
        return Refusal::Overloaded.into_response(visit.door, visit.request_id);
    };
    next.run(request).await
}

fn rank(path: &str) -> Rank {
    if path.starts_with("/api/auth/")
        || path == "/api/employee/login"
        || path == "/api/operator-updates"
        || path.ends_with("OperatorUpdatesService/SubmitUpdate")
    {
        Rank::Urgent
    } else if path.starts_with("/api/") && path.ends_with("/export")
        || path.ends_with("EventsService/Watch")
    {
        Rank::Patient
    } else {
        Rank::Usual
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_reserve_is_for_urgent_work() {
        let turns = Turns::new(5);
        let mut taken = Vec::new();
        for _ in 0..4 {
            taken.push(turns.take(Rank::Usual).await.expect("a turn"));
        }
        assert!(turns.take(Rank::Usual).await.is_none());
        let urgent = turns.take(Rank::Urgent).await;
        assert!(urgent.is_some());
        assert!(turns.take(Rank::Urgent).await.is_none());
        drop(taken);
        assert!(turns.take(Rank::Usual).await.is_some());
    }

    #[tokio::test]
    async fn who_can_wait_goes_first() {
        let turns = Turns::new(10);
        let mut taken = Vec::new();
        for _ in 0..3 {
            taken.push(turns.take(Rank::Usual).await.expect("a turn"));
        }
        taken.push(turns.take(Rank::Patient).await.expect("a turn"));
        assert!(turns.take(Rank::Patient).await.is_none());
        for _ in 0..4 {
            taken.push(turns.take(Rank::Usual).await.expect("a turn"));
        }
        assert!(turns.take(Rank::Usual).await.is_none());
        drop(taken);
        assert!(turns.take(Rank::Patient).await.is_some());
    }

    #[tokio::test]
    async fn refusals_count_by_rank() {
        use axum::body::Body;
        use tower::ServiceExt as _;

        let app = axum::Router::new().fallback(async || "done").layer(
            axum::middleware::from_fn_with_state(Arc::new(Turns::new(0)), layer),
        );
        let request = Request::get("/api/fuel-usage/export").body(Body::empty());
        let answer = app.oneshot(request.expect("a request")).await;
        assert_eq!(answer.expect("an answer").status(), 503);
        let text = hourmeter_runtime::telemetry::metrics_text();
        let line = "hourmeter_overload_refused_total{rank=\"patient\"} 1";
        assert!(text.contains(line), "{text}");
    }

    #[test]
    fn ranks() {
        for (path, expected) in [
            ("/api/auth/login", Rank::Urgent),
            ("/api/employee/login", Rank::Urgent),
            ("/api/operator-updates", Rank::Urgent),
            ("/api/fuel-usage/export", Rank::Patient),
            ("/api/equipment-history/export", Rank::Patient),
            ("/hourmeter.events.v1.EventsService/Watch", Rank::Patient),
            ("/api/equipment-history", Rank::Usual),
            ("/export", Rank::Usual),
        ] {
            assert_eq!(rank(path), expected, "{path}");
        }
    }
}
