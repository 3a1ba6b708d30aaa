//! Refuses early what the process can't take, so that what it took is done in time. Exports and
//! beginning to watch are refused first, signing in and operators' submissions last: a fifth of the
//! turns is theirs alone, and for the others they stand in line like everybody else. How much the
//! process can take is found out from how long it takes, since it is mostly others that do the work.

mod pace;
mod pool;

use std::collections::HashSet;
use std::sync::LazyLock;
use std::time::Duration;

use axum::extract::{MatchedPath, Request};
use axum::response::Response;
use hourmeter_runtime::telemetry::names;
use http::{Method, Uri};
use tokio::time::Instant;

use self::pace::Pace;
use self::pool::{Pool, Turn};
use crate::rescue::Refusal;
use crate::rest;

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
    patience: Duration,
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
    pub fn for_this_machine() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self::new(cores * LEAST_PER_CORE, cores * MOST_PER_CORE)
    }

    fn new(least: usize, most: usize) -> Self {
        tell_limit(most);
        Self {
            general: Pool::new(most - reserved(most)),
            reserve: Pool::new(reserved(most)),
            pace: Pace::between(least, most, Instant::now()),
            patience: PATIENCE,
        }
    }

    async fn take(&self, rank: Rank) -> Option<Turn<'_>> {
        let patience = self.patience;
        let left = self.general.used().1;
        let is_short = match rank {
            // Half of the turns are for those who can't wait.
            Rank::Patient => left <= self.general.wanted() / 2,
            Rank::Usual => left == 0,
            Rank::Urgent => left == 0 && self.reserve.used().1 == 0,
        };
        if is_short {
            self.pace.note_waiting();
        }
        match rank {
            Rank::Patient if is_short => None,
            Rank::Patient | Rank::Usual => self.general.take(patience).await,
            // Their own first, so that those of everybody are left to the others.
            Rank::Urgent => tokio::select! {
                biased;
                Some(turn) = self.reserve.take(patience) => Some(turn),
                Some(turn) = self.general.take(patience) => Some(turn),
                else => None,
            },
        }
    }

    /// Notes how long something took.
    fn note(&self, began: Instant, now: Instant) {
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

/// A request that has its turn.
pub struct Running<'a> {
    turns: &'a Turns,
    /// None for probes.
    turn: Option<Turn<'a>>,
    /// None where the time it takes depends on other things than load.
    timed_since: Option<Instant>,
}

/// What a request asks for.
#[derive(Clone, Copy)]
pub struct Work {
    /// None for probes.
    rank: Option<Rank>,
    is_timed: bool,
}

impl Work {
    /// That of a request.
    pub fn of(request: &Request) -> Self {
        let (method, path) = (request.method(), request.uri().path());
        // Whether the process is well must be answered most of all when it is not.
        if matches!(path, "/healthz" | "/readyz") {
            return Self {
                rank: None,
                is_timed: false,
            };
        }
        let rank = match request.extensions().get::<MatchedPath>() {
            Some(route) if is_whole_list(method, route.as_str(), request.uri()) => Rank::Patient,
            _ => rank(method, path),
        };
        Self {
            rank: Some(rank),
            is_timed: is_timed(method, path, rank),
        }
    }
}

impl Turns {
    /// Waits for the turn of a request.
    pub async fn admit(&self, work: Work) -> Result<Running<'_>, Refusal> {
        let mut running = Running {
            turns: self,
            turn: None,
            timed_since: None,
        };
        let Some(rank) = work.rank else {
            return Ok(running);
        };
        running.turn = self.take(rank).await;
        if running.turn.is_none() {
            names::OVERLOAD_REFUSED.count([rank.name()]);
            return Err(Refusal::Overloaded);
        }
        running.timed_since = work.is_timed.then(Instant::now);
        Ok(running)
    }
}

impl Running<'_> {
    /// Gives the turn back and learns from how long it took.
    pub fn end(self, response: &Response) {
        let now = Instant::now();
        if let Some(began) = self.timed_since
            && tells(response, now - began)
        {
            self.turns.note(began, now);
        }
        drop(self.turn);
    }
}

/// Whether how long it takes tells what there is to do: a file of the client's takes no time, signing
/// in as long as a hash, an export as long as it is.
fn is_timed(method: &Method, path: &str, rank: Rank) -> bool {
    let of_client = !path.starts_with("/api/") && !path.starts_with("/hourmeter.");
    !of_client && !signs_in(method, path) && rank != Rank::Patient
}

/// Whether it reads a list without a limit, which takes as long as several pages.
fn is_whole_list(method: &Method, route: &str, uri: &Uri) -> bool {
    static LISTS: LazyLock<HashSet<&str>> = LazyLock::new(rest::lists_in_pages);
    let query = uri.query().unwrap_or_default();
    let is_limited = query.split('&').any(|pair| pair.starts_with("limit="));
    *method == Method::GET && !is_limited && LISTS.contains(route)
}

/// Whether it tells how long things take: when something came of it, or nothing after so long a time
/// that it is others who were in the way. Else, the more fail for lack of time, the less would be seen.
fn tells(response: &Response, took: Duration) -> bool {
    is_done(response) || took >= pace::NEVER_GOOD
}

/// Whether something came of it, as refusals take no time either; gRPC tells so in a header when nothing did.
fn is_done(response: &Response) -> bool {
    let refused = response.headers().get("grpc-status");
    response.status().is_success() && refused.is_none_or(|code| code == "0")
}

/// Whether a password is given: what is only read there is part of every page.
fn signs_in(method: &Method, path: &str) -> bool {
    *method == Method::POST && (path.starts_with("/api/auth/") || path == "/api/employee/login")
}

fn rank(method: &Method, path: &str) -> Rank {
    let submits = *method == Method::POST && path == "/api/operator-updates";
    if submits || signs_in(method, path) || path.ends_with("OperatorUpdatesService/SubmitUpdate") {
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

    /// Turns for which everybody waits as long as it takes.
    fn patient(most: usize) -> Turns {
        Turns {
            patience: Duration::from_mins(10),
            ..Turns::new(most, most)
        }
    }

    /// Who of two that ask one after the other gets a turn that is then given back.
    async fn first_of(turns: &Turns, ranks: [Rank; 2], given_back: Turn<'_>) -> Rank {
        let [first, second] = ranks;
        let soon_free = async {
            tokio::task::yield_now().await;
            drop(given_back);
            std::future::pending::<()>().await;
        };
        tokio::select! {
            biased;
            turn = turns.take(first) => turn.map(|_| first),
            turn = turns.take(second) => turn.map(|_| second),
            () = soon_free => None,
        }
        .expect("one of them")
    }

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
    async fn urgent_work_leaves_the_others_turns_to_them_while_it_has_its_own() {
        let turns = Turns::new(10, 10);
        let mut taken = Vec::new();
        for (general, reserve) in [(0, 1), (0, 2), (1, 2), (2, 2)] {
            taken.push(turns.take(Rank::Urgent).await.expect("a turn"));
            let used = (turns.general.used().0, turns.reserve.used().0);
            assert_eq!(used, (general, reserve));
        }
        for _ in 0..6 {
            taken.push(turns.take(Rank::Urgent).await.expect("all turns"));
        }
        assert!(turns.take(Rank::Urgent).await.is_none());
    }

    #[tokio::test]
    async fn urgent_work_stands_in_line_for_the_others_turns() {
        for ranks in [[Rank::Usual, Rank::Urgent], [Rank::Urgent, Rank::Usual]] {
            let turns = patient(5);
            let _reserve = turns.take(Rank::Urgent).await.expect("a turn");
            let mut general = Vec::new();
            for _ in 0..4 {
                general.push(turns.take(Rank::Usual).await.expect("a turn"));
            }
            let one = general.remove(0);
            assert_eq!(first_of(&turns, ranks, one).await, ranks[0]);
        }
    }

    #[tokio::test]
    async fn urgent_work_gets_what_becomes_free_of_its_own() {
        let turns = patient(5);
        let mine = turns.take(Rank::Urgent).await.expect("a turn");
        let mut general = Vec::new();
        for _ in 0..4 {
            general.push(turns.take(Rank::Usual).await.expect("a turn"));
        }
        let ranks = [Rank::Usual, Rank::Urgent];
        assert_eq!(first_of(&turns, ranks, mine).await, Rank::Urgent);
    }

    #[tokio::test]
    async fn few_turns_have_one_for_urgent_work() {
        let turns = Turns::new(2, 2);
        let _usual = turns.take(Rank::Usual).await.expect("a turn");
        assert!(turns.take(Rank::Usual).await.is_none());
        assert!(turns.take(Rank::Urgent).await.is_some());
    }

    #[tokio::test]
    async fn who_is_refused_because_others_go_first_asks_for_more_turns() {
        let turns = Turns::new(10, 100);
        let began = Instant::now();
        let note = |ended: u64, took: u64| {
            let ended = began + Duration::from_secs(ended);
            for _ in 0..16 {
                turns.note(ended - Duration::from_secs(took), ended);
            }
            turns.general.wanted()
        };
        let mut taken = Vec::new();
        for _ in 0..60 {
            taken.push(turns.take(Rank::Usual).await.expect("a turn"));
        }
        assert_eq!(note(1, 1), 40);
        taken.truncate(20);
        assert_eq!(note(2, 0), 40, "nobody wants more");
        assert!(turns.take(Rank::Patient).await.is_none());
        assert_eq!(note(3, 0), 42);
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
        let turns = Turns::new(0, 0);
        let request = Request::get("/api/fuel-usage/export").body(axum::body::Body::empty());
        let refused = turns.admit(Work::of(&request.expect("a request"))).await;
        assert!(matches!(refused, Err(Refusal::Overloaded)));
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
            turns.note(began, now);
        }
        assert_eq!((turns.general.wanted(), turns.reserve.wanted()), (40, 10));
        assert!(told(50));
        taken.truncate(40);
        assert!(turns.take(Rank::Usual).await.is_none());
        assert!(turns.take(Rank::Urgent).await.is_some());
    }

    #[test]
    fn what_fails_tells_something_when_it_took_long() {
        let answer = |status: u16, grpc: Option<&str>| {
            let answer = http::Response::builder().status(status);
            let answer = grpc
                .into_iter()
                .fold(answer, |answer, code| answer.header("grpc-status", code));
            answer.body(axum::body::Body::empty()).expect("an answer")
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
            let told = tells(&answer(status, grpc), Duration::from_millis(millis));
            assert_eq!(told, expected, "{status} {grpc:?} {millis}");
        }
    }

    #[test]
    fn what_takes_its_own_time_tells_nothing() {
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
            let timed = is_timed(method, path, rank(method, path));
            assert_eq!(timed, expected, "{method} {path}");
        }
    }

    #[test]
    fn whole_lists_are_those_without_limit() {
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
