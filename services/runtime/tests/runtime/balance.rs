//! Load balancing over replicas that start, shut down, fail and are killed. Each replica is served as
//! in production, in its own Tokio runtime, which can be ended like a process.

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

/// Concurrent callers, each calling without a pause.
const CALLERS: usize = 16;

/// The ids of received calls, to detect a call that is received twice.
#[derive(Clone, Default)]
struct CallLog(Arc<Mutex<HashSet<String>>>);

#[derive(Clone)]
struct Counting {
    log: CallLog,
    received: Arc<AtomicUsize>,
    hangs: Arc<AtomicBool>,
}

/// Responds after 5 ms, or never.
async fn respond(State(counting): State<Counting>, headers: HeaderMap) -> Response<Body> {
    counting.received.fetch_add(1, Ordering::Relaxed);
    if let Some(id) = headers.get("call-id") {
        let id = id.to_str().expect("text").to_owned();
        let first = counting.log.0.lock().expect("a lock").insert(id);
        assert!(first, "received twice");
    }
    sleep(Duration::from_millis(5)).await;
    if counting.hangs.load(Ordering::Relaxed) {
        std::future::pending::<()>().await;
    }
    let response = Response::builder().header("grpc-status", "0");
    response.body(Body::empty()).expect("a response")
}

struct Replica {
    runtime: Option<Runtime>,
    shutdown: CancellationToken,
    ended: oneshot::Receiver<()>,
    address: SocketAddr,
    received: Arc<AtomicUsize>,
    hangs: Arc<AtomicBool>,
}

impl Replica {
    async fn start(log: &CallLog, address: Option<SocketAddr>, wait: Duration) -> Self {
        let address = address.unwrap_or_else(free_address);
        let runtime = Runtime::new().expect("a runtime");
        let shutdown = CancellationToken::new();
        let received = Arc::new(AtomicUsize::new(0));
        let hangs = Arc::new(AtomicBool::new(false));
        let counting = Counting {
            log: log.clone(),
            received: received.clone(),
            hangs: hangs.clone(),
        };
        let (opened, open) = oneshot::channel();
        let (end, ended) = oneshot::channel();
        let requested = shutdown.clone();
        runtime.spawn(async move {
            let database = Database::connect(&testing::server_url(), 2).expect("a pool");
            let port = ServicePort::open(Service::Equipment, address, database);
            let port = port.await.expect("a port");
            opened.send(()).expect("a receiver");
            let routes = Router::new().fallback(respond).with_state(counting);
            port.serve(Routes::from(routes), Shutdown::after(requested, wait))
                .await
                .expect("a clean shutdown");
            let _ = end.send(());
        });
        open.await.expect("an open port");
        Self {
            runtime: Some(runtime),
            shutdown,
            ended,
            address,
            received,
            hangs,
        }
    }

    fn received(&self) -> usize {
        self.received.load(Ordering::Relaxed)
    }

    async fn until_used(&self) {
        let before = self.received();
        while self.received() < before + CALLERS {
            sleep(Duration::from_millis(5)).await;
        }
    }

    /// Like SIGTERM.
    async fn stop(&mut self) {
        self.shutdown.cancel();
        let ended = timeout(Duration::from_secs(15), &mut self.ended).await;
        ended
            .expect("ended before the drain timeout")
            .expect("ended");
        self.kill();
    }

    /// Like SIGKILL.
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
    let policy = Arc::new(policy_table().expect("a complete table"));
    over_tcp(Service::Equipment, &addresses.join(","), policy, None).expect("a backend")
}

async fn call(backend: &Backend, id: &str) -> Result<(), Status> {
    let request = Request::post("/hourmeter.equipment.v1.EquipmentService/Any");
    let request = request.header("call-id", id).header("te", "trailers");
    let request = request.body(Body::new(http_body_util::Full::from("question")));
    let response = backend.clone().oneshot(request.expect("a request")).await?;
    match Status::from_header_map(response.headers()) {
        Some(status) if status.code() != Code::Ok => Err(status),
        _ => Ok(()),
    }
}

/// Running callers.
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

    /// Returns the number of calls and of failed calls.
    async fn stop(self) -> (usize, usize) {
        self.end.cancel();
        let all = self.callers.join_all().await;
        all.into_iter()
            .fold((0, 0), |sum, caller| (sum.0 + caller.0, sum.1 + caller.1))
    }
}

#[tokio::test]
async fn rolling_restart_fails_no_call() {
    for wait in [Duration::ZERO, Duration::from_millis(300)] {
        let log = CallLog::default();
        let mut replicas = Vec::new();
        for _ in 0..2 {
            replicas.push(Replica::start(&log, None, wait).await);
        }
        let addresses: Vec<_> = replicas.iter().map(|replica| replica.address).collect();
        let load = Load::start(&reach(&addresses));
        for _ in 0..2 {
            for replica in &mut replicas {
                replica.until_used().await;
                replica.stop().await;
                *replica = Replica::start(&log, Some(replica.address), wait).await;
                replica.until_used().await;
            }
        }
        let (made, failed) = load.stop().await;
        assert_eq!(failed, 0, "of {made}, waiting {wait:?}");
    }
}

#[tokio::test]
async fn killed_replica_fails_only_its_open_calls() {
    let log = CallLog::default();
    let mut dying = Replica::start(&log, None, Duration::ZERO).await;
    let living = Replica::start(&log, None, Duration::ZERO).await;
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
async fn new_replica_gets_its_share_of_calls() {
    let log = CallLog::default();
    let first = Replica::start(&log, None, Duration::ZERO).await;
    let later = free_address();
    let load = Load::start(&reach(&[first.address, later]));
    first.until_used().await;
    let second = Replica::start(&log, Some(later), Duration::ZERO).await;
    second.until_used().await;
    let before = (first.received(), second.received());
    for _ in 0..10 {
        second.until_used().await;
    }
    let share = (first.received() - before.0, second.received() - before.1);
    assert_eq!(load.stop().await.1, 0);
    // Balancing by pending calls gives both a share.
    assert!(share.0 * 4 > share.1 && share.1 * 4 > share.0, "{share:?}");
}

#[tokio::test]
async fn not_serving_replica_gets_calls_only_without_alternative() {
    let log = CallLog::default();
    let wait = Duration::from_mins(1);
    let leaving = Replica::start(&log, None, wait).await;
    let staying = Replica::start(&log, None, wait).await;
    let backend = reach(&[leaving.address, staying.address]);
    let load = Load::start(&backend);
    leaving.until_used().await;
    staying.until_used().await;
    leaving.shutdown.cancel();
    staying.until_used().await;
    sleep(Duration::from_millis(200)).await;
    let before = leaving.received();
    for _ in 0..10 {
        staying.until_used().await;
    }
    assert_eq!(leaving.received(), before);
    // Without a serving replica, one that does not serve is used.
    staying.shutdown.cancel();
    sleep(Duration::from_millis(200)).await;
    let before = staying.received() + leaving.received();
    while staying.received() + leaving.received() < before + CALLERS {
        sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(load.stop().await.1, 0);
}

#[tokio::test]
async fn call_fails_fast_when_all_replicas_are_unreachable() {
    let backend = reach(&[free_address(), free_address()]);
    for _ in 0..2 {
        let failed = timeout(Duration::from_secs(4), call(&backend, "lost")).await;
        let failed = failed
            .expect("before the deadline of 5 s")
            .expect_err("unreachable");
        assert_eq!(failed.code(), Code::Unavailable);
        assert!(!failed.message().contains("127.0.0.1"), "{failed}");
    }
}

#[tokio::test]
async fn replica_that_never_responds_gets_no_calls() {
    let log = CallLog::default();
    let living = Replica::start(&log, None, Duration::ZERO).await;
    // Accepts connections and never responds.
    let hanging = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = hanging.local_addr().expect("an address");
    let load = Load::start(&reach(&[address, living.address]));
    for _ in 0..20 {
        living.until_used().await;
    }
    assert_eq!(load.stop().await.1, 0);
}

#[tokio::test]
async fn stalled_replica_gets_no_calls() {
    let log = CallLog::default();
    let living = Replica::start(&log, None, Duration::ZERO).await;
    let hanging = Replica::start(&log, None, Duration::ZERO).await;
    let load = Load::start(&reach(&[living.address, hanging.address]));
    living.until_used().await;
    hanging.until_used().await;
    hanging.hangs.store(true, Ordering::Relaxed);
    sleep(Duration::from_secs(1)).await;
    let before = hanging.received();
    for _ in 0..10 {
        living.until_used().await;
    }
    // It still reports SERVING, and its calls have not reached their deadline.
    assert_eq!(hanging.received(), before);
    drop(load);
}
