//! Refuses early what the process can't take, so that what it took is done in time: exports and
//! beginning to watch first, signing in and operators' submissions last: a fifth is theirs alone,
//! and no more than that while others wait, or the dearest work would leave no room for any other.
//! How much the process can take is found out from how long it takes, since it is mostly others
//! that do the work.

mod pace;
mod pool;

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use hourmeter_runtime::telemetry::names;
use http::Method;
use tokio::time::Instant;

use self::pace::Pace;
use self::pool::{Pool, Turn};
use super::visit_of;
use crate::rescue::Refusal;

/// The most requests at the same moment, for each core.
const MOST_PER_CORE: usize = 128;
/// So many may run for each core, however long they take.
const LEAST_PER_CORE: usize = 4;
/// How long a request waits for its turn.
const PATIENCE: Duration = Duration::from_millis(50);

/// Turns for requests, with a fifth kept for signing in and operators' submissions.
pub struct Turns {
    general: Pool,
    reserve: Pool,
    pace: Pace,
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
        Arc::new(Self::new(cores * LEAST_PER_CORE, cores * MOST_PER_CORE))
    }

    fn new(least: usize, most: usize) -> Self {
        tell_limit(most);
        Self {
            general: Pool::new(most - reserved(most)),
            reserve: Pool::new(reserved(most)),
            pace: Pace::between(least, most, Instant::now()),
        }
    }

    async fn take(&self, rank: Rank) -> Option<Turn<'_>> {
        let left = self.general.used().1;
        // Half of the turns are for those who can't wait.
        if rank == Rank::Patient && left <= self.general.wanted() / 2 {
            return None;
        }
        if left == 0 {
            self.pace.note_waiting();
        }
        if rank != Rank::Urgent {
            return self.general.take(PATIENCE).await;
        }
        match self.general.take_now() {
            None => self.reserve.take(PATIENCE).await,
            turn => turn,
        }
    }

    /// Notes how long the usual things take. Signing in takes as long as a hash, exports as long as
    /// they are.
    fn note(&self, rank: Rank, began: Instant, now: Instant) {
        if rank != Rank::Usual {
            return;
        }
        let running = self.general.used().0 + self.reserve.used().0;
        let limit = self.general.wanted() + self.reserve.wanted();
        if let Some(limit) = self.pace.note(now, now - began, (running, limit)) {
            self.general.resize(limit - reserved(limit));
            self.reserve.resize(reserved(limit));
            tell_limit(limit);
        }
    }
}

fn tell_limit(limit: usize) {
    let limit = u32::try_from(limit).unwrap_or(u32::MAX);
    names::OVERLOAD_LIMIT.gauge(names::NONE).set(limit);
}

/// How many of so many turns are kept for who can't wait; with few of them still one.
const fn reserved(turns: usize) -> usize {
    turns.div_ceil(5)
}

/// The layer.
pub async fn layer(State(turns): State<Arc<Turns>>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    // Whether the process is well must be answered most of all when it is not.
    if matches!(path, "/healthz" | "/readyz") {
        return next.run(request).await;
    }
    let rank = rank(request.method(), path);
    let Some(_turn) = turns.take(rank).await else {
        names::OVERLOAD_REFUSED.count([rank.name()]);
        let visit = visit_of(&request);
        return Refusal::Overloaded.into_response(visit.door, visit.request_id);
    };
    let of_client = !path.starts_with("/api/") && !path.starts_with("/hourmeter.");
    let began = Instant::now();
    let response = next.run(request).await;
    // A file, or a refusal, takes no time and tells nothing of what does.
    if !of_client && is_done(&response) {
        turns.note(rank, began, Instant::now());
    }
    response
}

/// Whether something came of it; gRPC tells so in a header when nothing did.
fn is_done(response: &Response) -> bool {
    let refused = response.headers().get("grpc-status");
    response.status().is_success() && refused.is_none_or(|code| code == "0")
}

fn rank(method: &Method, path: &str) -> Rank {
    // What is read there is part of every page.
    let signs_in = path.starts_with("/api/auth/") || path == "/api/employee/login";
    let submits = path == "/api/operator-updates";
    if *method == Method::POST && (signs_in || submits)
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
        let turns = Turns::new(5, 5);
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
    async fn urgent_work_has_all_turns_while_nobody_else_wants_them() {
        let turns = Turns::new(5, 5);
        let mut taken = Vec::new();
        for _ in 0..5 {
            taken.push(turns.take(Rank::Urgent).await.expect("a turn"));
        }
        assert!(turns.take(Rank::Urgent).await.is_none());
        assert!(turns.take(Rank::Usual).await.is_none());
    }

    #[tokio::test]
    async fn urgent_work_does_not_pass_who_waits_for_the_others_turns() {
        let turns = Turns::new(5, 5);
        let mut taken = Vec::new();
        for _ in 0..5 {
            taken.push(turns.take(Rank::Urgent).await.expect("a turn"));
        }
        let free_soon = async {
            tokio::task::yield_now().await;
            // The first one's turn is of those for all.
            drop(taken.swap_remove(0));
        };
        let (usual, urgent, ()) =
            tokio::join!(turns.take(Rank::Usual), turns.take(Rank::Urgent), free_soon);
        assert!(usual.is_some() && urgent.is_none());
    }

    #[tokio::test]
    async fn urgent_work_waits_for_its_own_turns() {
        let turns = Turns::new(1, 1);
        let mine = turns
            .take(Rank::Urgent)
            .await
            .expect("the only one is kept");
        assert!(turns.take(Rank::Usual).await.is_none());
        let free_soon = async {
            tokio::task::yield_now().await;
            drop(mine);
        };
        let (urgent, ()) = tokio::join!(turns.take(Rank::Urgent), free_soon);
        assert!(urgent.is_some());
    }

    #[tokio::test]
    async fn who_can_wait_goes_first() {
        let turns = Turns::new(10, 10);
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
            axum::middleware::from_fn_with_state(Arc::new(Turns::new(0, 0)), layer),
        );
        let request = Request::get("/api/fuel-usage/export").body(Body::empty());
        let answer = app.oneshot(request.expect("a request")).await;
        assert_eq!(answer.expect("an answer").status(), 503);
        let text = hourmeter_runtime::telemetry::metrics_text();
        let line = "hourmeter_overload_refused_total{rank=\"patient\"} 1";
        assert!(text.contains(line), "{text}");
    }

    #[tokio::test]
    async fn slow_answers_leave_fewer_turns_and_the_reserve_its_share() {
        let turns = Turns::new(10, 100);
        let told = |limit: u32| {
            let text = hourmeter_runtime::telemetry::metrics_text();
            let line = format!("hourmeter_overload_limit {limit}");
            text.lines().any(|found| found == line)
        };
        assert!(told(100));
        let mut taken = Vec::new();
        for _ in 0..80 {
            taken.push(turns.take(Rank::Usual).await.expect("a turn"));
        }
        let began = Instant::now();
        let now = began + Duration::from_secs(1);
        for _ in 0..16 {
            turns.note(Rank::Urgent, began, now);
        }
        assert_eq!(turns.general.wanted(), 80, "hashes tell nothing");
        for _ in 0..16 {
            turns.note(Rank::Usual, began, now);
        }
        assert_eq!((turns.general.wanted(), turns.reserve.wanted()), (40, 10));
        assert!(told(50));
        taken.truncate(40);
        assert!(turns.take(Rank::Usual).await.is_none());
        assert!(turns.take(Rank::Urgent).await.is_some());
    }

    #[test]
    fn ranks() {
        let (get, post) = (Method::GET, Method::POST);
        for (method, path, expected) in [
            (&post, "/api/auth/login", Rank::Urgent),
            (&post, "/api/auth/reset-password", Rank::Urgent),
            (&get, "/api/auth/user", Rank::Usual),
            (&get, "/api/auth/security-questions", Rank::Usual),
            (&post, "/api/employee/login", Rank::Urgent),
            (&post, "/api/operator-updates", Rank::Urgent),
            (&get, "/api/operator-updates", Rank::Usual),
            (
                &post,
                "/hourmeter.operator_updates.v1.OperatorUpdatesService/SubmitUpdate",
                Rank::Urgent,
            ),
            (&get, "/api/fuel-usage/export", Rank::Patient),
            (&get, "/api/equipment-history/export", Rank::Patient),
            (
                &post,
                "/hourmeter.events.v1.EventsService/Watch",
                Rank::Patient,
            ),
            (&get, "/api/equipment-history", Rank::Usual),
            (&get, "/export", Rank::Usual),
        ] {
            assert_eq!(rank(method, path), expected, "{method} {path}");
        }
    }
}
