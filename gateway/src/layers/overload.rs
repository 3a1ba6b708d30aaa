//! Sheds load before it costs anything, so that admitted requests finish in time. Exports and new
//! watch streams have low priority. Sign-in and operators' updates have high priority: a fifth of
//! the permits is reserved for them, and they queue for the rest like all others. A gradient limiter
//! derives the number of permits from latency, since other processes do most of the work.

mod gradient_limit;
mod limiter;

use std::collections::HashSet;
use std::sync::LazyLock;
use std::time::Duration;

use axum::extract::{MatchedPath, Request};
use axum::response::Response;
use hourmeter_runtime::telemetry::names;
use http::{Method, Uri};
use tokio::time::Instant;

use self::gradient_limit::GradientLimit;
use self::limiter::{Limiter, Permit};
use crate::api_error::ApiError;
use crate::rest;

/// The most requests at the same moment, for each core.
const MAX_PER_CORE: usize = 128;
/// The fewest, however slow they are.
const MIN_PER_CORE: usize = 4;
/// How long a request waits for a permit.
const MAX_WAIT: Duration = Duration::from_millis(50);

/// Permits for requests; a fifth is reserved for requests of high priority.
pub struct Permits {
    general: Limiter,
    reserve: Limiter,
    gradient: GradientLimit,
    max_wait: Duration,
}

/// The order in which requests are refused under overload: low first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Priority {
    /// The client gets the same result by a later request.
    Low,
    Normal,
    High,
}

impl Priority {
    /// The name in metrics.
    const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Normal => "normal",
            Self::High => "high",
        }
    }
}

impl Permits {
    /// As many as this machine's cores can take.
    pub fn for_this_machine() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self::new(cores * MIN_PER_CORE, cores * MAX_PER_CORE)
    }

    fn new(least: usize, most: usize) -> Self {
        record_limit(most);
        Self {
            general: Limiter::new(most - reserved(most)),
            reserve: Limiter::new(reserved(most)),
            gradient: GradientLimit::between(least, most, Instant::now()),
            max_wait: MAX_WAIT,
        }
    }

    async fn take(&self, priority: Priority) -> Option<Permit<'_>> {
        let max_wait = self.max_wait;
        let left = self.general.used().1;
        let is_short = match priority {
            // Half of the permits are for higher priorities.
            Priority::Low => left <= self.general.wanted() / 2,
            Priority::Normal => left == 0,
            Priority::High => left == 0 && self.reserve.used().1 == 0,
        };
        if is_short {
            self.gradient.note_waiting();
        }
        match priority {
            Priority::Low if is_short => None,
            Priority::Low | Priority::Normal => self.general.take(max_wait).await,
            // Reserved permits first, so that general ones remain for other requests.
            Priority::High => tokio::select! {
                biased;
                Some(permit) = self.reserve.take(max_wait) => Some(permit),
                Some(permit) = self.general.take(max_wait) => Some(permit),
                else => None,
            },
        }
    }

    /// Records the latency of a request, and resizes the limiters.
    fn note(&self, began: Instant, now: Instant) {
        let running = self.general.used().0 + self.reserve.used().0;
        let limit = self.general.wanted() + self.reserve.wanted();
        if let Some(limit) = self.gradient.note(now, now - began, (running, limit)) {
            self.general.resize(limit - reserved(limit));
            self.reserve.resize(reserved(limit));
            record_limit(limit);
        }
    }
}

fn record_limit(limit: usize) {
    let limit = u32::try_from(limit).unwrap_or(u32::MAX);
    names::OVERLOAD_LIMIT.gauge(names::NO_LABELS).set(limit);
}

/// The number of permits reserved for high priority: a fifth, at least one.
const fn reserved(permits: usize) -> usize {
    permits.div_ceil(5)
}

/// A request that holds its permit.
pub struct Running<'a> {
    permits: &'a Permits,
    /// None for probes.
    permit: Option<Permit<'a>>,
    /// None where latency depends on other things than load.
    sampled_since: Option<Instant>,
}

/// What a request asks for.
#[derive(Clone, Copy)]
pub struct Work {
    /// None for probes.
    priority: Option<Priority>,
    is_sampled: bool,
}

impl Work {
    pub fn of(request: &Request) -> Self {
        let (method, path) = (request.method(), request.uri().path());
        // Probes must be answered under overload most of all.
        if matches!(path, "/healthz" | "/readyz") {
            return Self {
                priority: None,
                is_sampled: false,
            };
        }
        let priority = match request.extensions().get::<MatchedPath>() {
            Some(route) if is_whole_list(method, route.as_str(), request.uri()) => Priority::Low,
            _ => priority(method, path),
        };
        Self {
            priority: Some(priority),
            is_sampled: is_sampled(method, path, priority),
        }
    }
}

impl Permits {
    /// Waits for a permit.
    pub async fn admit(&self, work: Work) -> Result<Running<'_>, ApiError> {
        let mut running = Running {
            permits: self,
            permit: None,
            sampled_since: None,
        };
        let Some(priority) = work.priority else {
            return Ok(running);
        };
        running.permit = self.take(priority).await;
        if running.permit.is_none() {
            names::OVERLOAD_REFUSED.count([priority.name()]);
            return Err(ApiError::Overloaded);
        }
        running.sampled_since = work.is_sampled.then(Instant::now);
        Ok(running)
    }
}

impl Running<'_> {
    /// Returns the permit and records the latency.
    pub fn end(self, response: &Response) {
        let now = Instant::now();
        if let Some(began) = self.sampled_since
            && is_sample(response, now - began)
        {
            self.permits.note(began, now);
        }
        drop(self.permit);
    }
}

/// Whether latency shows load. It does not for files of the client, for sign-in, which takes as long
/// as a password hash, and for exports, which take as long as their rows.
fn is_sampled(method: &Method, path: &str, priority: Priority) -> bool {
    let of_client = !path.starts_with("/api/") && !path.starts_with("/hourmeter.");
    !of_client && !signs_in(method, path) && priority != Priority::Low
}

/// Whether it reads a list without a limit, which takes as long as several pages.
fn is_whole_list(method: &Method, route: &str, uri: &Uri) -> bool {
    static LISTS: LazyLock<HashSet<&str>> = LazyLock::new(rest::lists_in_pages);
    let query = uri.query().unwrap_or_default();
    let is_limited = query.split('&').any(|pair| pair.starts_with("limit="));
    *method == Method::GET && !is_limited && LISTS.contains(route)
}

/// Whether the latency is a sample: of successes, and of failures after so long a time that load is
/// their cause. Without these, the limiter would see less the more requests time out.
fn is_sample(response: &Response, took: Duration) -> bool {
    is_done(response) || took >= gradient_limit::ALWAYS_SLOW
}

/// Whether the request succeeded. gRPC sets a status header on failures.
fn is_done(response: &Response) -> bool {
    let refused = response.headers().get("grpc-status");
    response.status().is_success() && refused.is_none_or(|code| code == "0")
}

/// Whether the request carries a password. Reads of these paths are part of every page.
fn signs_in(method: &Method, path: &str) -> bool {
    *method == Method::POST && (path.starts_with("/api/auth/") || path == "/api/employee/login")
}

fn priority(method: &Method, path: &str) -> Priority {
    let submits = *method == Method::POST && path == "/api/operator-updates";
    if submits || signs_in(method, path) || path.ends_with("OperatorUpdatesService/SubmitUpdate") {
        Priority::High
    } else if path.starts_with("/api/") && path.ends_with("/export")
        || path.ends_with("EventsService/Watch")
    {
        Priority::Low
    } else {
        Priority::Normal
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Permits for which requests wait without a limit.
    fn waiting(most: usize) -> Permits {
        Permits {
            max_wait: Duration::from_mins(10),
            ..Permits::new(most, most)
        }
    }

    /// Which of two requests in a queue gets a permit that is returned.
    async fn first_of(
        permits: &Permits,
        priorities: [Priority; 2],
        returned: Permit<'_>,
    ) -> Priority {
        let [first, second] = priorities;
        let soon_free = async {
            tokio::task::yield_now().await;
            drop(returned);
            std::future::pending::<()>().await;
        };
        tokio::select! {
            biased;
            permit = permits.take(first) => permit.map(|_| first),
            permit = permits.take(second) => permit.map(|_| second),
            () = soon_free => None,
        }
        .expect("one of them")
    }

    #[tokio::test]
    async fn take_reserves_permits_for_high_priority() {
        let permits = Permits::new(5, 5);
        let mut taken = Vec::new();
        for _ in 0..4 {
            taken.push(permits.take(Priority::Normal).await.expect("a permit"));
        }
        assert!(permits.take(Priority::Normal).await.is_none());
        let high = permits.take(Priority::High).await;
        assert!(high.is_some());
        assert!(permits.take(Priority::High).await.is_none());
        drop(taken);
        assert!(permits.take(Priority::Normal).await.is_some());
    }

    #[tokio::test]
    async fn take_uses_reserved_permits_first() {
        let permits = Permits::new(10, 10);
        let mut taken = Vec::new();
        for (general, reserve) in [(0, 1), (0, 2), (1, 2), (2, 2)] {
            taken.push(permits.take(Priority::High).await.expect("a permit"));
            let used = (permits.general.used().0, permits.reserve.used().0);
            assert_eq!(used, (general, reserve));
        }
        for _ in 0..6 {
            taken.push(permits.take(Priority::High).await.expect("all permits"));
        }
        assert!(permits.take(Priority::High).await.is_none());
    }

    #[tokio::test]
    async fn take_queues_high_priority_for_general_permits() {
        for priorities in [
            [Priority::Normal, Priority::High],
            [Priority::High, Priority::Normal],
        ] {
            let permits = waiting(5);
            let _reserve = permits.take(Priority::High).await.expect("a permit");
            let mut general = Vec::new();
            for _ in 0..4 {
                general.push(permits.take(Priority::Normal).await.expect("a permit"));
            }
            let one = general.remove(0);
            assert_eq!(first_of(&permits, priorities, one).await, priorities[0]);
        }
    }

    #[tokio::test]
    async fn take_gives_returned_reserved_permits_to_high_priority() {
        let permits = waiting(5);
        let mine = permits.take(Priority::High).await.expect("a permit");
        let mut general = Vec::new();
        for _ in 0..4 {
            general.push(permits.take(Priority::Normal).await.expect("a permit"));
        }
        let priorities = [Priority::Normal, Priority::High];
        assert_eq!(first_of(&permits, priorities, mine).await, Priority::High);
    }

    #[tokio::test]
    async fn take_reserves_one_of_few_permits() {
        let permits = Permits::new(2, 2);
        let _normal = permits.take(Priority::Normal).await.expect("a permit");
        assert!(permits.take(Priority::Normal).await.is_none());
        assert!(permits.take(Priority::High).await.is_some());
    }

    #[tokio::test]
    async fn note_raises_the_limit_after_low_priority_was_refused() {
        let permits = Permits::new(10, 100);
        let began = Instant::now();
        let note = |ended: u64, took: u64| {
            let ended = began + Duration::from_secs(ended);
            for _ in 0..16 {
                permits.note(ended - Duration::from_secs(took), ended);
            }
            permits.general.wanted()
        };
        let mut taken = Vec::new();
        for _ in 0..60 {
            taken.push(permits.take(Priority::Normal).await.expect("a permit"));
        }
        assert_eq!(note(1, 1), 40);
        taken.truncate(20);
        assert_eq!(note(2, 0), 40, "no request waits");
        assert!(permits.take(Priority::Low).await.is_none());
        assert_eq!(note(3, 0), 42);
    }

    #[tokio::test]
    async fn take_refuses_low_priority_first() {
        let permits = Permits::new(10, 10);
        let mut taken = Vec::new();
        for _ in 0..3 {
            taken.push(permits.take(Priority::Normal).await.expect("a permit"));
        }
        taken.push(permits.take(Priority::Low).await.expect("a permit"));
        assert!(permits.take(Priority::Low).await.is_none());
        for _ in 0..4 {
            taken.push(permits.take(Priority::Normal).await.expect("a permit"));
        }
        assert!(permits.take(Priority::Normal).await.is_none());
        drop(taken);
        assert!(permits.take(Priority::Low).await.is_some());
    }

    #[tokio::test]
    async fn admit_counts_refusals_by_priority() {
        let permits = Permits::new(0, 0);
        let request = Request::get("/api/fuel-usage/export").body(axum::body::Body::empty());
        let refused = permits.admit(Work::of(&request.expect("a request"))).await;
        assert!(matches!(refused, Err(ApiError::Overloaded)));
        let text = hourmeter_runtime::telemetry::metrics_text();
        let line = "hourmeter_overload_refused_total{priority=\"low\"} 1";
        assert!(text.contains(line), "{text}");
    }

    #[tokio::test]
    async fn note_lowers_both_limits_after_slow_answers() {
        let permits = Permits::new(10, 100);
        let recorded = |limit: u32| {
            let text = hourmeter_runtime::telemetry::metrics_text();
            let line = format!("hourmeter_overload_limit {limit}");
            text.lines().any(|found| found == line)
        };
        assert!(recorded(100));
        let mut taken = Vec::new();
        for _ in 0..80 {
            taken.push(permits.take(Priority::Normal).await.expect("a permit"));
        }
        let began = Instant::now();
        let now = began + Duration::from_secs(1);
        for _ in 0..16 {
            permits.note(began, now);
        }
        assert_eq!(
            (permits.general.wanted(), permits.reserve.wanted()),
            (40, 10)
        );
        assert!(recorded(50));
        taken.truncate(40);
        assert!(permits.take(Priority::Normal).await.is_none());
        assert!(permits.take(Priority::High).await.is_some());
    }

    #[test]
    fn is_sample_includes_slow_failures() {
        let response = |status: u16, grpc: Option<&str>| {
            let response = http::Response::builder().status(status);
            let response = grpc.into_iter().fold(response, |response, code| {
                response.header("grpc-status", code)
            });
            response
                .body(axum::body::Body::empty())
                .expect("a response")
        };
        for (status, grpc, millis, expected) in [
            (200, None, 1, true),
            (200, Some("0"), 1, true),
            (200, Some("14"), 999, false),
            (200, Some("14"), 1000, true),
            (503, None, 999, false),
            (503, None, 1000, true),
            (422, None, 999, false),
        ] {
            let sampled = is_sample(&response(status, grpc), Duration::from_millis(millis));
            assert_eq!(sampled, expected, "{status} {grpc:?} {millis}");
        }
    }

    #[test]
    fn is_sampled_excludes_requests_of_fixed_latency() {
        let (get, post) = (Method::GET, Method::POST);
        for (method, path, expected) in [
            (&get, "/api/equipment", true),
            (&post, "/api/operator-updates", true),
            (&get, "/api/auth/user", true),
            (&post, "/api/auth/login", false),
            (&post, "/api/employee/login", false),
            (&get, "/api/fuel-usage/export", false),
            (&get, "/assets/app.js", false),
            (
                &post,
                "/hourmeter.equipment.v1.EquipmentService/AddNote",
                true,
            ),
            (&post, "/hourmeter.events.v1.EventsService/Watch", false),
        ] {
            let timed = is_sampled(method, path, priority(method, path));
            assert_eq!(timed, expected, "{method} {path}");
        }
    }

    #[test]
    fn is_whole_list_needs_a_list_without_limit() {
        let (get, post) = (Method::GET, Method::POST);
        let notes = "/api/equipment/{id}/notes";
        for (method, route, uri, expected) in [
            (&get, notes, "/api/equipment/x/notes", true),
            (&get, notes, "/api/equipment/x/notes?cursor=abc", true),
            (
                &get,
                notes,
                "/api/equipment/x/notes?cursor=a&limit=5",
                false,
            ),
            (&post, notes, "/api/equipment/x/notes", false),
            (&get, "/api/equipment/{id}", "/api/equipment/x", false),
        ] {
            let uri = Uri::from_static(uri);
            assert_eq!(is_whole_list(method, route, &uri), expected, "{uri}");
        }
    }

    #[test]
    fn priority_of_paths() {
        let (get, post) = (Method::GET, Method::POST);
        for (method, path, expected) in [
            (&post, "/api/auth/login", Priority::High),
            (&post, "/api/auth/reset-password", Priority::High),
            (&get, "/api/auth/user", Priority::Normal),
            (&get, "/api/auth/security-questions", Priority::Normal),
            (&post, "/api/employee/login", Priority::High),
            (&post, "/api/operator-updates", Priority::High),
            (&get, "/api/operator-updates", Priority::Normal),
            (
                &post,
                "/hourmeter.operator_updates.v1.OperatorUpdatesService/SubmitUpdate",
                Priority::High,
            ),
            (&get, "/api/fuel-usage/export", Priority::Low),
            (&get, "/api/equipment-history/export", Priority::Low),
            (
                &post,
                "/hourmeter.events.v1.EventsService/Watch",
                Priority::Low,
            ),
            (&get, "/api/equipment-history", Priority::Normal),
            (&get, "/export", Priority::Normal),
        ] {
            assert_eq!(priority(method, path), expected, "{method} {path}");
        }
    }
}
