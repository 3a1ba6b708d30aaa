//! Sheds load before it costs anything, so that admitted requests finish in time. Exports and new
//! watch streams have low priority. Sign-in and operators' updates have high priority: a fifth of
//! the permits is reserved for them, and they queue for the rest like all others. A gradient limiter
//! derives the number of permits from latency, since other processes do most of the work.

mod gradient_limit;
mod limiter;

use std::collections::HashMap;
use std::sync::LazyLock;
use std::time::Duration;

use axum::extract::{MatchedPath, Request};
use axum::response::Response;
use hourmeter_proto::access::{PolicyTable, policy_table};
use hourmeter_proto::common::v1::{Access, CallPriority};
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

    pub async fn admit(&self, work: Work) -> Result<Running<'_>, ApiError> {
        let mut permit = None;
        if let Some(priority) = work.priority {
            permit = self.take(priority).await;
            if permit.is_none() {
                names::OVERLOAD_REFUSED.count([priority.name()]);
                return Err(ApiError::Overloaded);
            }
        }
        Ok(Running {
            permits: self,
            permit,
            sampled_since: work.is_sampled.then(Instant::now),
        })
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
    pub fn of(policy: &PolicyTable, request: &Request) -> Self {
        let (method, path) = (request.method(), request.uri().path());
        // Probes must be answered under overload most of all.
        if matches!(path, "/healthz" | "/readyz") {
            return Self {
                priority: None,
                is_sampled: false,
            };
        }
        let route = request.extensions().get::<MatchedPath>();
        let route = route.map_or(path, MatchedPath::as_str);
        let priority = priority(policy, (method, route), request.uri());
        Self {
            priority: Some(priority),
            is_sampled: is_sampled(method, path, priority),
        }
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

/// Whether the latency is a sample: of successes, and of failures after so long a time that load is
/// their cause. Without these, the limiter would see less the more requests time out.
fn is_sample(response: &Response, took: Duration) -> bool {
    // gRPC sets a status header on failures.
    let refused = response.headers().get("grpc-status");
    let succeeded = response.status().is_success() && refused.is_none_or(|code| code == "0");
    succeeded || took >= gradient_limit::ALWAYS_SLOW
}

/// Whether the request carries a password. Reads of these paths are part of every page.
fn signs_in(method: &Method, path: &str) -> bool {
    *method == Method::POST && (path.starts_with("/api/auth/") || path == "/api/employee/login")
}

/// Priorities of REST routes by method and path. The second one applies without a limit: a whole list
/// takes as long as several pages.
static ROUTES: LazyLock<HashMap<(Method, &str), [Priority; 2]>> = LazyLock::new(|| {
    let policy = policy_table().unwrap_or_default();
    let routes = rest::routes().into_iter().map(|route| {
        let rpc = route.access_rule.rpc_path().unwrap_or_default();
        let priority = match policy.get(&rpc) {
            _ if route.is_export => Priority::Low,
            _ if signs_in(&route.method.method(), route.path) => Priority::High,
            access => of_rpc(access),
        };
        let of_whole_list = if route.has_pages() {
            Priority::Low
        } else {
            priority
        };
        let key = (route.method.method(), route.path);
        (key, [priority, of_whole_list])
    });
    routes.collect()
});

fn of_rpc(access: Option<&Access>) -> Priority {
    match access.map(Access::priority) {
        Some(CallPriority::High) => Priority::High,
        Some(CallPriority::Low) => Priority::Low,
        Some(CallPriority::Unspecified) | None => Priority::Normal,
    }
}

fn priority(policy: &PolicyTable, (method, route): (&Method, &str), uri: &Uri) -> Priority {
    let routes: &HashMap<(Method, &str), [Priority; 2]> = &ROUTES;
    let Some([priority, of_whole_list]) = routes.get(&(method.clone(), route)) else {
        return of_rpc(policy.get(uri.path()));
    };
    let mut query = uri.query().unwrap_or_default().split('&');
    if query.any(|pair| pair.starts_with("limit=")) {
        *priority
    } else {
        *of_whole_list
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
        let work = Work {
            priority: Some(Priority::Low),
            is_sampled: false,
        };
        let refused = permits.admit(work).await;
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
    fn priority_and_sampling_depend_on_the_route() {
        use Priority::{High, Low, Normal};
        let policy = policy_table().expect("a complete table");
        let (get, post) = (Method::GET, Method::POST);
        let submit = "/hourmeter.operator_updates.v1.OperatorUpdatesService/SubmitUpdate";
        for (method, path, expected, sampled) in [
            (&post, "/api/auth/login", High, false),
            (&post, "/api/auth/reset-password", High, false),
            (&get, "/api/auth/user", Normal, true),
            (&get, "/api/auth/security-questions", Normal, true),
            (&post, "/api/employee/login", High, false),
            (&post, "/api/operator-updates", High, true),
            (&get, "/api/operator-updates", Low, false),
            (&get, "/api/operator-updates?limit=5", Normal, true),
            (&get, "/api/operator-updates?cursor=a&limit=5", Normal, true),
            (&get, "/api/operator-updates?cursor=a", Low, false),
            (&post, submit, High, true),
            (&get, "/api/fuel-usage/export", Low, false),
            (&get, "/api/fuel-usage/export?limit=5", Low, false),
            (
                &post,
                "/hourmeter.events.v1.EventsService/Watch",
                Low,
                false,
            ),
            (
                &post,
                "/hourmeter.equipment.v1.EquipmentService/AddNote",
                Normal,
                true,
            ),
            (&get, "/assets/app.js", Normal, false),
        ] {
            let uri = Uri::from_static(path);
            let found = priority(&policy, (method, uri.path()), &uri);
            assert_eq!(found, expected, "{method} {path}");
            assert_eq!(
                is_sampled(method, uri.path(), found),
                sampled,
                "{method} {path}"
            );
        }
    }
}
