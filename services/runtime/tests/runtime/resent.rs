//! Retries of unsent calls on another replica. The replicas write HTTP/2 frames by hand, because no
//! server library behaves like some of them.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hourmeter_proto::access::policy_table;
use hourmeter_runtime::client::{Backend, over_tcp};
use hourmeter_runtime::identity::Service;
use http::Request;
use http_body_util::BodyExt as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tonic::body::Body;
use tonic::{Code, Status};
use tower::ServiceExt as _;

const PREFACE: usize = 24;
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RESET: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GO_AWAY: u8 = 7;
const END_STREAM: u8 = 1;
const ACK: u8 = 1;
const END_HEADERS: u8 = 4;
/// The first call on each connection is the health watch.
const HEALTH: u32 = 1;
/// `:status: 200` and `content-type: application/grpc`.
const GRPC: &[u8] = b"\x88\x0f\x10\x10application/grpc";
const STATUS_OK: &[u8] = b"\x00\x0bgrpc-status\x010";
/// A `HealthCheckResponse` with SERVING.
const SERVING: &[u8] = &[0, 0, 0, 0, 2, 8, 1];

/// The behaviour of a replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Behavior {
    Responds,
    /// `RST_STREAM` with `REFUSED_STREAM`.
    Refuses,
    /// GOAWAY with an earlier last stream.
    GoesAwayBefore,
    /// GOAWAY with this call as the last stream.
    GoesAwayAfter,
    /// `RST_STREAM` with `INTERNAL_ERROR`.
    Fails,
    /// `RST_STREAM` with CANCEL.
    Cancels,
    /// Closes the connection.
    Closes,
    /// Closes the connection after the headers of the response.
    ClosesAfterHeaders,
}

struct Replica {
    address: SocketAddr,
    calls: Arc<AtomicUsize>,
}

impl Replica {
    async fn start(behavior: Behavior) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = calls.clone();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.expect("a connection");
                tokio::spawn(serve(stream, behavior, counted.clone()));
            }
        });
        Self { address, calls }
    }

    fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }
}

/// Serves one connection.
async fn serve(
    mut stream: TcpStream,
    behavior: Behavior,
    calls: Arc<AtomicUsize>,
) -> std::io::Result<()> {
    stream.read_exact(&mut [0; PREFACE]).await?;
    send(&mut stream, SETTINGS, 0, 0, &[]).await?;
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head).await?;
        let [a, b, c, kind, flags, id @ ..] = head;
        let id = u32::from_be_bytes(id);
        let length = u32::from_be_bytes([0, a, b, c]);
        let mut payload = vec![0; usize::try_from(length).expect("small")];
        stream.read_exact(&mut payload).await?;
        match kind {
            SETTINGS | PING if flags & ACK == 0 => {
                let echo = if kind == PING { &payload[..] } else { &[] };
                send(&mut stream, kind, ACK, 0, echo).await?;
            }
            HEADERS if id == HEALTH => {
                send(&mut stream, HEADERS, END_HEADERS, id, GRPC).await?;
                send(&mut stream, DATA, 0, id, SERVING).await?;
            }
            HEADERS => {
                calls.fetch_add(1, Ordering::Relaxed);
                if !handle(&mut stream, behavior, id).await? {
                    return Ok(());
                }
            }
            _ => {}
        }
    }
}

/// Handles a call; false closes the connection.
async fn handle(stream: &mut TcpStream, behavior: Behavior, id: u32) -> std::io::Result<bool> {
    let (no_error, internal, refused, cancel) = (0_u32, 2_u32, 7_u32, 8_u32);
    let go_away = |last: u32| [last.to_be_bytes(), no_error.to_be_bytes()].concat();
    match behavior {
        Behavior::Responds => {
            let headers = [GRPC, STATUS_OK].concat();
            send(stream, HEADERS, END_HEADERS | END_STREAM, id, &headers).await?;
        }
        Behavior::Refuses => send(stream, RESET, 0, id, &refused.to_be_bytes()).await?,
        Behavior::Fails => send(stream, RESET, 0, id, &internal.to_be_bytes()).await?,
        Behavior::Cancels => send(stream, RESET, 0, id, &cancel.to_be_bytes()).await?,
        Behavior::GoesAwayBefore => send(stream, GO_AWAY, 0, 0, &go_away(HEALTH)).await?,
        Behavior::GoesAwayAfter => send(stream, GO_AWAY, 0, 0, &go_away(id)).await?,
        Behavior::Closes => {}
        Behavior::ClosesAfterHeaders => send(stream, HEADERS, END_HEADERS, id, GRPC).await?,
    }
    Ok(!matches!(
        behavior,
        Behavior::GoesAwayAfter | Behavior::Closes | Behavior::ClosesAfterHeaders
    ))
}

async fn send(
    stream: &mut TcpStream,
    kind: u8,
    flags: u8,
    id: u32,
    payload: &[u8],
) -> std::io::Result<()> {
    let length = u32::try_from(payload.len()).expect("small").to_be_bytes();
    let frame = [&length[1..], &[kind, flags], &id.to_be_bytes(), payload].concat();
    stream.write_all(&frame).await
}

fn reach(addresses: &[SocketAddr]) -> Backend {
    let addresses: Vec<_> = addresses
        .iter()
        .map(|address| format!("http://{address}"))
        .collect();
    let policy = Arc::new(policy_table().expect("a complete table"));
    over_tcp(Service::Equipment, &addresses.join(","), policy, None).expect("a backend")
}

async fn call(backend: &Backend) -> Result<(), Code> {
    let request = Request::post("/hourmeter.equipment.v1.EquipmentService/Any");
    let request = request.header("te", "trailers");
    let request = request.body(Body::new(http_body_util::Full::from("question")));
    let response = backend.clone().oneshot(request.expect("a request")).await;
    let response = response.map_err(|status| status.code())?;
    let status = Status::from_header_map(response.headers());
    let body = response.into_body().collect().await;
    body.map_err(|status| status.code())?;
    match status {
        Some(status) if status.code() != Code::Ok => Err(status.code()),
        _ => Ok(()),
    }
}

/// Calls a replica with this behaviour and a good one until the first has received three calls.
/// Returns the numbers of calls, of failed ones, and of those that each replica received.
async fn call_with_a_good_replica(behavior: Behavior) -> [usize; 4] {
    let (bad, good) = (
        Replica::start(behavior).await,
        Replica::start(Behavior::Responds).await,
    );
    let backend = reach(&[bad.address, good.address]);
    let (mut made, mut failed) = (0, 0);
    while bad.calls() < 3 {
        made += 1;
        match call(&backend).await {
            Ok(()) => {}
            Err(code) => {
                assert_eq!(code, Code::Unavailable, "{behavior:?}");
                failed += 1;
            }
        }
    }
    [made, failed, bad.calls(), good.calls()]
}

#[tokio::test]
async fn unsent_calls_are_retried_on_another_replica() {
    for behavior in [Behavior::Refuses, Behavior::GoesAwayBefore] {
        let [made, failed, _, good] = call_with_a_good_replica(behavior).await;
        assert_eq!((failed, good), (0, made), "{behavior:?}");
    }
    // A closed port.
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let closed = free.local_addr().expect("an address");
    drop(free);
    let good = Replica::start(Behavior::Responds).await;
    let backend = reach(&[closed, good.address]);
    for made in 1..=10 {
        assert_eq!(call(&backend).await, Ok(()));
        assert_eq!(good.calls(), made);
    }
}

#[tokio::test]
async fn interrupted_calls_are_not_retried() {
    for behavior in [
        Behavior::GoesAwayAfter,
        Behavior::Fails,
        Behavior::Cancels,
        Behavior::Closes,
        Behavior::ClosesAfterHeaders,
    ] {
        let [made, failed, bad, good] = call_with_a_good_replica(behavior).await;
        assert_eq!((failed, good), (bad, made - bad), "{behavior:?}");
    }
}

#[tokio::test]
async fn refused_calls_are_sent_at_most_three_times() {
    let replicas = [
        Replica::start(Behavior::Refuses).await,
        Replica::start(Behavior::Refuses).await,
    ];
    let backend = reach(&replicas.each_ref().map(|replica| replica.address));
    assert_eq!(call(&backend).await, Err(Code::Unavailable));
    let sent: usize = replicas.iter().map(Replica::calls).sum();
    assert!((1..=3).contains(&sent), "{sent}");
}
