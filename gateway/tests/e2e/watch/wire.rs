//! Watching over a real port.

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

/// A gateway on a port of its own.
struct Served {
    address: SocketAddr,
    stop: CancellationToken,
    serving: JoinHandle<()>,
}

async fn serve(router: Router) -> Served {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let stop = CancellationToken::new();
    let stopped = stop.clone();
    let serving = tokio::spawn(async move {
        let served = hourmeter_gateway::serve(listener, router, stopped.into()).await;
        served.expect("served");
    });
    Served {
        address,
        stop,
        serving,
    }
}

/// The request as it goes over the wire.
async fn written(request: Request<axum::body::Body>) -> Vec<u8> {
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

/// A line on which somebody watches and has had the first message.
async fn line(served: &Served, browser: &Browser) -> TcpStream {
    let mut line = TcpStream::connect(served.address).await.expect("a line");
    let asked = written(request(browser, &[])).await;
    line.write_all(&asked).await.expect("sent");
    // The first message is a chunk of five bytes: a flag and a length, both nought.
    read_until(&mut line, b"\r\n5\r\n\0\0\0\0\0\r\n").await;
    line
}

async fn read_until(line: &mut TcpStream, wanted: &[u8]) {
    let mut read = Vec::new();
    let reading = async {
        while !read.windows(wanted.len()).any(|part| part == wanted) {
            assert_ne!(
                line.read_buf(&mut read).await.expect("bytes"),
                0,
                "it ended"
            );
        }
    };
    let in_time = timeout(5 * SOON, reading).await;
    assert!(in_time.is_ok(), "{:?}", String::from_utf8_lossy(&read));
}

#[tokio::test]
async fn a_stop_ends_streams_at_once_and_well() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let served = serve(product.router.clone()).await;
    let mut line = line(&served, &owner).await;
    let began = Instant::now();
    served.stop.cancel();
    read_until(&mut line, b"grpc-status:0\r\n").await;
    timeout(2 * SOON, served.serving)
        .await
        .expect("in time")
        .expect("no panic");
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
}

#[tokio::test]
async fn who_hangs_up_makes_room() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let served = serve(product.router.clone()).await;
    for _ in 0..3 {
        let mut all = Vec::new();
        for _ in 0..20 {
            all.push(line(&served, &owner).await);
        }
        drop(all);
        tokio::time::sleep(SOON / 5).await;
    }
    served.stop.cancel();
    served.serving.await.expect("no panic");
}

/// Kilobytes and milliseconds of processor this process has used.
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
async fn five_hundred_watch() {
    let product = Product::new().await;
    let served = serve(product.router.clone()).await;
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
    let mut lines = Vec::new();
    for (company, person) in &people {
        for _ in 0..20 {
            lines.push((*company, line(&served, person).await));
        }
    }
    let open = used();
    let mut slowest = Duration::ZERO;
    for _ in 0..10 {
        let began = Instant::now();
        for company in people.iter().map(|(company, _)| *company).step_by(5) {
            product
                .events
                .publish(event((company, None), Topic::OperatorUpdates));
        }
        for (_, line) in &mut lines {
            // Field 1, a list of the number 1.
            read_until(line, b"\0\0\0\0\x03\x0a\x01\x01\r\n").await;
        }
        slowest = slowest.max(began.elapsed());
        tokio::time::sleep(SOON / 3).await;
    }
    let told = used();
    let memory = (open.0 - before.0) / 500;
    println!(
        "500 streams: {memory} KB each with both ends of the line, {} ms of processor to open, \
         {} ms for 5,000 messages; the slowest of ten rounds took {slowest:?}",
        open.1 - before.1,
        told.1 - open.1
    );
    assert!(slowest < SOON, "{slowest:?}");
    assert!(memory < 200, "{memory} KB");
    served.stop.cancel();
    let stopping = Instant::now();
    served.serving.await.expect("no panic");
    assert!(stopping.elapsed() < 2 * SOON, "{:?}", stopping.elapsed());
}
