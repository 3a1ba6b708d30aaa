//! Calls spread over the replicas of a service, while these come, stop, fail and die. Each replica
//! is served as in production, by a runtime of its own that can be ended like a process.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use hourmeter_proto::access::policy_table;
use hourmeter_runtime::client::{Backend, over_tcp};
use hourmeter_runtime::db::Database;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::server::ServicePort;
use hourmeter_runtime::shutdown::Shutdown;
use hourmeter_runtime::testing;
use http::{HeaderMap, Request, Response};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tonic::body::Body;
use tonic::service::Routes;
use tonic::{Code, Status};
use tower::ServiceExt as _;

/// Callers that call one after the other without a pause.
const CALLERS: usize = 16;

/// Which calls were begun anywhere, and that none was begun twice.
#[derive(Clone, Default)]
struct Book(Arc<Mutex<HashSet<String>>>);

#[derive(Clone)]
struct Counting {
    book: Book,
    begun: Arc<AtomicUsize>,
    hangs: Arc<AtomicBool>,
}

/// Answers after a moment, or never.
async fn answer(State(counting): State<Counting>, headers: HeaderMap) -> Response<Body> {
    counting.begun.fetch_add(1, Ordering::Relaxed);
    if let Some(id) = headers.get("call-id") {
        let id = id.to_str().expect("text").to_owned();
        let first = counting.book.0.lock().expect("a lock").insert(id);
        assert!(first, "begun twice");
    }
    sleep(Duration::from_millis(5)).await;
    if counting.hangs.load(Ordering::Relaxed) {
        std::future::pending::<()>().await;
    }
    let answer = Response::builder().header("grpc-status", "0");
    answer.body(Body::empty()).expect("an answer")
}

/// One replica.
struct Replica {
    runtime: Option<Runtime>,
    asked: CancellationToken,
    ended: oneshot::Receiver<()>,
    address: SocketAddr,
    begun: Arc<AtomicUsize>,
    hangs: Arc<AtomicBool>,
}

impl Replica {
    async fn start(book: &Book, address: Option<SocketAddr>, wait: Duration) -> Self {
        let address = address.unwrap_or_else(free_address);
        let runtime = Runtime::new().expect("a runtime");
        let asked = CancellationToken::new();
        let begun = Arc::new(AtomicUsize::new(0));
        let hangs = Arc::new(AtomicBool::new(false));
        let counting = Counting {
            book: book.clone(),
            begun: begun.clone(),
            hangs: hangs.clone(),
        };
        let (opened, open) = oneshot::channel();
        let (end, ended) = oneshot::channel();
        let stop = asked.clone();
        runtime.spawn(async move {
            let database = Database::connect(&testing::server_url(), 2).expect("a pool");
            let port = ServicePort::open(Service::Equipment, address, database);
            let port = port.await.expect("a port");
            opened.send(()).expect("somebody waits");
            let routes = Router::new().fallback(answer).with_state(counting);
            let stop = Shutdown::after(stop, wait);
            port.serve(Routes::from(routes), stop)
                .await
                .expect("a clean stop");
            let _ = end.send(());
        });
        open.await.expect("it opens");
        Self {
            runtime: Some(runtime),
            asked,
            ended,
            address,
            begun,
            hangs,
        }
    }

    fn begun(&self) -> usize {
        self.begun.load(Ordering::Relaxed)
    }

    /// Until it was sent something more.
    async fn until_used(&self) {
        let before = self.begun();
        while self.begun() < before + CALLERS {
            sleep(Duration::from_millis(5)).await;
        }
    }

    /// As SIGTERM would.
    async fn stop(&mut self) {
        self.asked.cancel();
        let ended = timeout(Duration::from_secs(15), &mut self.ended).await;
        ended
            .expect("it does not wait for its drain")
            .expect("it ended");
        self.kill();
    }

    /// As SIGKILL would.
    fn kill(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        self.kill();
    }
}

fn free_address() -> SocketAddr {
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    free.local_addr().expect("an address")
}

fn reach(addresses: &[SocketAddr]) -> Backend {
    let addresses: Vec<_> = addresses
        .iter()
        .map(|address| format!("http://{address}"))
        .collect();
    let policy = Arc::new(policy_table().expect("a whole table"));
    over_tcp(Service::Equipment, &addresses.join(","), policy, None).expect("a backend")
}

async fn call(backend: &Backend, id: &str) -> Result<(), Status> {
    let request = Request::post("/hourmeter.equipment.v1.EquipmentService/Any");
    let request = request.header("call-id", id).header("te", "trailers");
    let request = request.body(Body::new(http_body_util::Full::from("question")));
    let answer = backend.clone().oneshot(request.expect("a request")).await?;
    match Status::from_header_map(answer.headers()) {
        Some(status) if status.code() != Code::Ok => Err(status),
        _ => Ok(()),
    }
}

/// Callers at work.
struct Load {
    end: CancellationToken,
    callers: JoinSet<(usize, usize)>,
}

impl Load {
    fn start(backend: &Backend) -> Self {
        let end = CancellationToken::new();
        let mut callers = JoinSet::new();
        for caller in 0..CALLERS {
            let (backend, end) = (backend.clone(), end.clone());
            callers.spawn(async move {
                let (mut made, mut failed) = (0, 0);
                while !end.is_cancelled() {
                    made += 1;
                    if call(&backend, &format!("{caller}-{made}")).await.is_err() {
                        failed += 1;
                    }
                }
                (made, failed)
            });
        }
        Self { end, callers }
    }

    /// How many calls were made, and how many of them failed.
    async fn stop(self) -> (usize, usize) {
        self.end.cancel();
        let all = self.callers.join_all().await;
        all.into_iter()
            .fold((0, 0), |sum, caller| (sum.0 + caller.0, sum.1 + caller.1))
    }
}

#[tokio::test]
async fn a_rolling_restart_fails_nothing() {
    for wait in [Duration::ZERO, Duration::from_millis(300)] {
        let book = Book::default();
        let mut replicas = Vec::new();
        for _ in 0..2 {
            replicas.push(Replica::start(&book, None, wait).await);
        }
        let addresses: Vec<_> = replicas.iter().map(|replica| replica.address).collect();
        let load = Load::start(&reach(&addresses));
        for _ in 0..2 {
            for replica in &mut replicas {
                replica.until_used().await;
                replica.stop().await;
                *replica = Replica::start(&book, Some(replica.address), wait).await;
                replica.until_used().await;
            }
        }
        let (made, failed) = load.stop().await;
        assert_eq!(failed, 0, "of {made}, waiting {wait:?}");
    }
}

#[tokio::test]
async fn a_killed_replica_fails_only_what_it_had_begun() {
    let book = Book::default();
    let mut dying = Replica::start(&book, None, Duration::ZERO).await;
    let living = Replica::start(&book, None, Duration::ZERO).await;
    let load = Load::start(&reach(&[dying.address, living.address]));
    dying.until_used().await;
    living.until_used().await;
    dying.kill();
    living.until_used().await;
    living.until_used().await;
    let (made, failed) = load.stop().await;
    assert!(failed <= CALLERS, "{failed} of {made}");
}

#[tokio::test]
async fn a_replica_that_appears_gets_its_share() {
    let book = Book::default();
    let first = Replica::start(&book, None, Duration::ZERO).await;
    let later = free_address();
    let load = Load::start(&reach(&[first.address, later]));
    first.until_used().await;
    let second = Replica::start(&book, Some(later), Duration::ZERO).await;
    second.until_used().await;
    let before = (first.begun(), second.begun());
    for _ in 0..10 {
        second.until_used().await;
    }
    let share = (first.begun() - before.0, second.begun() - before.1);
    assert_eq!(load.stop().await.1, 0);
    // By the fewest calls pending neither is left out.
    assert!(share.0 * 4 > share.1 && share.1 * 4 > share.0, "{share:?}");
}

#[tokio::test]
async fn a_replica_that_does_not_serve_gets_nothing_while_another_does() {
    let book = Book::default();
    let long = Duration::from_mins(1);
    let leaving = Replica::start(&book, None, long).await;
    let staying = Replica::start(&book, None, long).await;
    let backend = reach(&[leaving.address, staying.address]);
    let load = Load::start(&backend);
    leaving.until_used().await;
    staying.until_used().await;
    leaving.asked.cancel();
    staying.until_used().await;
    sleep(Duration::from_millis(200)).await;
    let before = leaving.begun();
    for _ in 0..10 {
        staying.until_used().await;
    }
    assert_eq!(leaving.begun(), before);
    // With no other left it is tried all the same.
    staying.asked.cancel();
    sleep(Duration::from_millis(200)).await;
    let before = staying.begun() + leaving.begun();
    while staying.begun() + leaving.begun() < before + CALLERS {
        sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(load.stop().await.1, 0);
}

#[tokio::test]
async fn with_all_away_calls_fail_long_before_their_deadline() {
    let backend = reach(&[free_address(), free_address()]);
    for _ in 0..2 {
        let failed = timeout(Duration::from_secs(4), call(&backend, "lost")).await;
        let failed = failed
            .expect("a write may take 5 s")
            .expect_err("nobody is there");
        assert_eq!(failed.code(), Code::Unavailable);
        assert!(!failed.message().contains("127.0.0.1"), "{failed}");
    }
}

#[tokio::test]
async fn a_replica_that_hangs_is_avoided() {
    let book = Book::default();
    let living = Replica::start(&book, None, Duration::ZERO).await;
    // Takes connections, and never says a word.
    let hanging = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = hanging.local_addr().expect("an address");
    let load = Load::start(&reach(&[address, living.address]));
    for _ in 0..20 {
        living.until_used().await;
    }
    assert_eq!(load.stop().await.1, 0);
}

#[tokio::test]
async fn a_replica_that_stops_answering_gets_nothing_more_for_a_while() {
    let book = Book::default();
    let living = Replica::start(&book, None, Duration::ZERO).await;
    let hanging = Replica::start(&book, None, Duration::ZERO).await;
    let load = Load::start(&reach(&[living.address, hanging.address]));
    living.until_used().await;
    hanging.until_used().await;
    hanging.hangs.store(true, Ordering::Relaxed);
    sleep(Duration::from_secs(1)).await;
    let before = hanging.begun();
    for _ in 0..10 {
        living.until_used().await;
    }
    // It still says that it serves, and what hangs there is yet to reach its deadline.
    assert_eq!(hanging.begun(), before);
    drop(load);
}
