//! Which calls are sent again, to another replica: those that nobody began with, and no other. The
//! replicas here speak HTTP/2 frame by frame, since no server would do what some of these do.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hourmeter_proto::access::policy_table;
use hourmeter_runtime::client::{Backend, over_tcp};
use hourmeter_runtime::identity::Service;
use http::Request;
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
/// The first call on each connection asks how the replica is.
const HEALTH: u32 = 1;
/// `:status: 200` and `content-type: application/grpc`.
const GRPC: &[u8] = b"\x88\x0f\x10\x10application/grpc";
const STATUS_OK: &[u8] = b"\x00\x0bgrpc-status\x010";
/// A `HealthCheckResponse` that says SERVING.
const SERVING: &[u8] = &[0, 0, 0, 0, 2, 8, 1];

/// What a replica does with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Does {
    Answers,
    /// Says for this call that it was not begun with.
    Refuses,
    /// Goes away, and says that it did not begin with the call.
    LeavesBefore,
    /// Goes away, and says that the call was its last.
    LeavesAfter,
    /// Ends this call with an error of its own.
    Fails,
    /// Ends this call as its client would.
    Cancels,
    /// Closes the connection without a word.
    Dies,
}

struct Replica {
    address: SocketAddr,
    calls: Arc<AtomicUsize>,
}

impl Replica {
    async fn start(does: Does) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = calls.clone();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.expect("a connection");
                tokio::spawn(serve(stream, does, counted.clone()));
            }
        });
        Self { address, calls }
    }

    fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }
}

/// Speaks with one client until one of them ends the connection.
async fn serve(mut stream: TcpStream, does: Does, calls: Arc<AtomicUsize>) -> std::io::Result<()> {
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
                if !meet(&mut stream, does, id).await? {
                    return Ok(());
                }
            }
            _ => {}
        }
    }
}

/// Does with a call what this replica does. False: the connection is to end.
async fn meet(stream: &mut TcpStream, does: Does, id: u32) -> std::io::Result<bool> {
    let (no_error, internal, refused, cancel) = (0_u32, 2_u32, 7_u32, 8_u32);
    let leave = |last: u32| [last.to_be_bytes(), no_error.to_be_bytes()].concat();
    match does {
        Does::Answers => {
            let answer = [GRPC, STATUS_OK].concat();
            send(stream, HEADERS, END_HEADERS | END_STREAM, id, &answer).await?;
        }
        Does::Refuses => send(stream, RESET, 0, id, &refused.to_be_bytes()).await?,
        Does::Fails => send(stream, RESET, 0, id, &internal.to_be_bytes()).await?,
        Does::Cancels => send(stream, RESET, 0, id, &cancel.to_be_bytes()).await?,
        Does::LeavesBefore => send(stream, GO_AWAY, 0, 0, &leave(HEALTH)).await?,
        Does::LeavesAfter => send(stream, GO_AWAY, 0, 0, &leave(id)).await?,
        Does::Dies => {}
    }
    Ok(!matches!(does, Does::LeavesAfter | Does::Dies))
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
    let policy = Arc::new(policy_table().expect("a whole table"));
    over_tcp(Service::Equipment, &addresses.join(","), policy, None).expect("a backend")
}

async fn call(backend: &Backend) -> Result<(), Code> {
    let request = Request::post("/hourmeter.equipment.v1.EquipmentService/Any");
    let request = request.header("te", "trailers");
    let request = request.body(Body::new(http_body_util::Full::from("question")));
    let answer = backend.clone().oneshot(request.expect("a request")).await;
    let answer = answer.map_err(|status| status.code())?;
    match Status::from_header_map(answer.headers()) {
        Some(status) if status.code() != Code::Ok => Err(status.code()),
        _ => Ok(()),
    }
}

/// Calls until the replica that does this has met some of them: how many were made, how many failed,
/// how many it met and how many the other one did.
async fn beside_a_good_one(does: Does) -> [usize; 4] {
    let (bad, good) = (
        Replica::start(does).await,
        Replica::start(Does::Answers).await,
    );
    let backend = reach(&[bad.address, good.address]);
    let (mut made, mut failed) = (0, 0);
    while bad.calls() < 3 {
        made += 1;
        match call(&backend).await {
            Ok(()) => {}
            Err(code) => {
                assert_eq!(code, Code::Unavailable, "{does:?}");
                failed += 1;
            }
        }
    }
    [made, failed, bad.calls(), good.calls()]
}

#[tokio::test]
async fn what_nobody_began_with_is_sent_to_another() {
    for does in [Does::Refuses, Does::LeavesBefore] {
        let [made, failed, _, good] = beside_a_good_one(does).await;
        assert_eq!((failed, good), (0, made), "{does:?}");
    }
    // Nobody listens there.
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let closed = free.local_addr().expect("an address");
    drop(free);
    let good = Replica::start(Does::Answers).await;
    let backend = reach(&[closed, good.address]);
    for made in 1..=10 {
        assert_eq!(call(&backend).await, Ok(()));
        assert_eq!(good.calls(), made);
    }
}

#[tokio::test]
async fn what_somebody_may_have_begun_with_is_not() {
    for does in [Does::LeavesAfter, Does::Fails, Does::Cancels, Does::Dies] {
        let [made, failed, bad, good] = beside_a_good_one(does).await;
        assert_eq!((failed, good), (bad, made - bad), "{does:?}");
    }
}

#[tokio::test]
async fn what_all_refuse_is_sent_three_times_at_most() {
    let replicas = [
        Replica::start(Does::Refuses).await,
        Replica::start(Does::Refuses).await,
    ];
    let backend = reach(&replicas.each_ref().map(|replica| replica.address));
    assert_eq!(call(&backend).await, Err(Code::Unavailable));
    let met: usize = replicas.iter().map(Replica::calls).sum();
    assert!((1..=3).contains(&met), "{met}");
}
