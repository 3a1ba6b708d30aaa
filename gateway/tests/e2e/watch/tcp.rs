//! Streams over TCP.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use axum::Router;
use hourmeter_runtime::events::Topic;
use http::Request;
use http_body_util::BodyExt as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{SOON, event, request};
use crate::product::{Browser, Product};

/// A gateway on a port.
struct Server {
    address: SocketAddr,
    stop: CancellationToken,
    serving: JoinHandle<()>,
}

async fn serve(router: Router) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let stop = CancellationToken::new();
    let stopped = stop.clone();
    let serving = tokio::spawn(async move {
        let served = hourmeter_gateway::serve(listener, router, stopped.into()).await;
        served.expect("served");
    });
    Server {
        address,
        stop,
        serving,
    }
}

/// The bytes of the request.
async fn bytes_of(request: Request<axum::body::Body>) -> Vec<u8> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.expect("a body").to_bytes();
    let headers = parts.headers.iter();
    let headers =
        headers.map(|(name, value)| format!("{name}: {}\r\n", value.to_str().expect("text")));
    let path = parts.uri.path();
    let head = format!(
        "POST {path} HTTP/1.1\r\n{}content-length: {}\r\n\r\n",
        headers.collect::<String>(),
        body.len()
    );
    [head.as_bytes(), &body].concat()
}

/// A connection with a stream whose first message was read.
async fn connect(server: &Server, browser: &Browser) -> TcpStream {
    let mut connection = TcpStream::connect(server.address)
        .await
        .expect("a connection");
    let request = bytes_of(request(browser, &[])).await;
    connection.write_all(&request).await.expect("sent");
    // The first message is a chunk of five bytes: a flag and a length, both zero.
    read_until(&mut connection, b"\r\n5\r\n\0\0\0\0\0\r\n").await;
    connection
}

async fn read_until(connection: &mut TcpStream, wanted: &[u8]) {
    let mut read = Vec::new();
    let reading = async {
        while !read.windows(wanted.len()).any(|part| part == wanted) {
            assert_ne!(
                connection.read_buf(&mut read).await.expect("bytes"),
                0,
                "the stream ended"
            );
        }
    };
    let in_time = timeout(5 * SOON, reading).await;
    assert!(in_time.is_ok(), "{:?}", String::from_utf8_lossy(&read));
}

#[tokio::test]
async fn shutdown_ends_streams_with_ok() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let server = serve(product.router.clone()).await;
    let mut connection = connect(&server, &owner).await;
    let start = Instant::now();
    server.stop.cancel();
    read_until(&mut connection, b"grpc-status:0\r\n").await;
    timeout(2 * SOON, server.serving)
        .await
        .expect("in time")
        .expect("no panic");
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
}

#[tokio::test]
async fn closed_connection_frees_its_stream() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let server = serve(product.router.clone()).await;
    for _ in 0..3 {
        let mut all = Vec::new();
        for _ in 0..20 {
            all.push(connect(&server, &owner).await);
        }
        drop(all);
        tokio::time::sleep(SOON / 5).await;
    }
    server.stop.cancel();
    server.serving.await.expect("no panic");
}

/// Memory in KB and processor time in ms of this process.
fn used() -> (u64, u64) {
    let status = std::fs::read_to_string("/proc/self/status").expect("a status");
    let memory = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let memory = memory.and_then(|text| text.split_whitespace().next()?.parse().ok());
    let times = std::fs::read_to_string("/proc/self/stat").expect("times");
    let times: Vec<&str> = times
        .rsplit(") ")
        .next()
        .expect("fields")
        .split(' ')
        .collect();
    let ticks: u64 = times[11..=12]
        .iter()
        .map(|text| text.parse::<u64>().expect("ticks"))
        .sum();
    (memory.expect("kilobytes"), ticks * 10)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn five_hundred_streams_stay_cheap() {
    let product = Product::new().await;
    let server = serve(product.router.clone()).await;
    let mut people: Vec<(Uuid, Browser)> = Vec::new();
    for company in ["Acme", "Beta", "Gamma", "Delta", "Epsilon"] {
        let owner = product.owner(company).await;
        let (id, _) = owner.user().await;
        for _ in 0..4 {
            people.push((id, product.manager_of(&owner).await));
        }
        people.push((id, owner));
    }
    let before = used();
    let mut connections = Vec::new();
    for (company, person) in &people {
        for _ in 0..20 {
            connections.push((*company, connect(&server, person).await));
        }
    }
    let open = used();
    let mut slowest = Duration::ZERO;
    for _ in 0..10 {
        let start = Instant::now();
        for company in people.iter().map(|(company, _)| *company).step_by(5) {
            product
                .events
                .publish(event((company, None), Topic::OperatorUpdates));
        }
        for (_, connection) in &mut connections {
            // Field 1: a list with the number 1.
            read_until(connection, b"\0\0\0\0\x03\x0a\x01\x01\r\n").await;
        }
        slowest = slowest.max(start.elapsed());
        tokio::time::sleep(SOON / 3).await;
    }
    let published = used();
    let memory = (open.0 - before.0) / 500;
    println!(
        "500 streams: {memory} KB each with both ends of the connection, {} ms of processor to open, \
         {} ms for 5,000 messages; the slowest of ten rounds took {slowest:?}",
        open.1 - before.1,
        published.1 - open.1
    );
    assert!(slowest < SOON, "{slowest:?}");
    assert!(memory < 200, "{memory} KB");
    server.stop.cancel();
    let stopping = Instant::now();
    server.serving.await.expect("no panic");
    assert!(stopping.elapsed() < 2 * SOON, "{:?}", stopping.elapsed());
}
