//! The gateway on a real port.

use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::routing::{get, post};
use http::{Request, Version};
use http_body_util::BodyExt as _;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// More than all buffers between two sockets hold.
const LARGE: usize = 50_000_000;

async fn slow() -> &'static str {
    tokio::time::sleep(Duration::from_millis(500)).await;
    "done"
}

async fn start() -> (TcpStream, CancellationToken, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let stop = CancellationToken::new();
    let router = Router::new()
        .route("/slow", get(slow))
        .route("/large", get(async || vec![b'x'; LARGE]))
        .route("/size", post(async |body: Bytes| body.len().to_string()));
    let stopped = stop.clone();
    let served = tokio::spawn(async move {
        hourmeter_gateway::serve(listener, router, stopped.into())
            .await
            .expect("served");
    });
    let stream = TcpStream::connect(address).await.expect("a connection");
    (stream, stop, served)
}

async fn read_all(stream: &mut TcpStream) -> String {
    let mut text = String::new();
    // A reset connection is also an end.
    let _ = stream.read_to_string(&mut text).await;
    text
}

#[tokio::test]
async fn shutdown_lets_running_requests_finish() {
    let (mut stream, stop, served) = start().await;
    let request = b"GET /slow HTTP/1.1\r\nhost: x\r\n\r\n";
    stream.write_all(request).await.expect("sent");
    tokio::time::sleep(Duration::from_millis(100)).await;
    stop.cancel();
    let answer = read_all(&mut stream).await;
    assert!(
        answer.starts_with("HTTP/1.1 200") && answer.ends_with("done"),
        "{answer}"
    );
    let ended = tokio::time::timeout(Duration::from_secs(5), served).await;
    ended.expect("in time").expect("without a panic");
}

#[tokio::test]
async fn server_accepts_http_2() {
    let (stream, _stop, _) = start().await;
    let address = stream.peer_addr().expect("an address");
    let mut client = Client::builder(TokioExecutor::new());
    let client = client.http2_only(true).build_http::<Body>();
    let request = Request::get(format!("http://{address}/slow")).body(Body::empty());
    let answer = client.request(request.expect("a request")).await;
    let answer = answer.expect("a response");
    assert_eq!(
        (answer.status().as_u16(), answer.version()),
        (200, Version::HTTP_2)
    );
    let body = axum::body::to_bytes(Body::new(answer.into_body()), 100).await;
    assert_eq!(body.expect("a body"), "done");
}

#[tokio::test]
async fn body_may_be_larger_than_the_header_limit() {
    let (mut stream, _stop, _) = start().await;
    let body = "x".repeat(200_000);
    let head = "POST /size HTTP/1.1\r\nhost: x\r\nconnection: close\r\n";
    let request = format!("{head}content-length: {}\r\n\r\n{body}", body.len());
    stream.write_all(request.as_bytes()).await.expect("sent");
    let answer = read_all(&mut stream).await;
    assert!(answer.ends_with("200000"), "{answer}");
}

#[tokio::test]
async fn too_large_headers_return_431() {
    let (mut stream, _stop, _) = start().await;
    let request = format!(
        "GET /slow HTTP/1.1\r\nhost: x\r\nx: {}\r\n\r\n",
        "y".repeat(40_000)
    );
    stream.write_all(request.as_bytes()).await.expect("sent");
    let answer = read_all(&mut stream).await;
    assert!(answer.starts_with("HTTP/1.1 431"), "{answer}");
}

#[tokio::test]
async fn incomplete_requests_time_out() {
    let incomplete = ["", "GET /slow HTTP/1.1\r\nhost:", "PRI * HTT"].map(async |beginning| {
        let (mut stream, _stop, _) = start().await;
        stream.write_all(beginning.as_bytes()).await.expect("sent");
        let limit = Duration::from_secs(13);
        let end = tokio::time::timeout(limit, read_all(&mut stream)).await;
        assert!(end.is_ok(), "{beginning:?} is still open");
    });
    futures::future::join_all(incomplete).await;
}

#[tokio::test]
async fn unread_response_is_aborted() {
    let (mut stream, _stop, _) = start().await;
    let address = stream.peer_addr().expect("an address");
    let request = b"GET /large HTTP/1.1\r\nhost: x\r\n\r\n";
    stream.write_all(request).await.expect("sent");
    let mut client = Client::builder(TokioExecutor::new());
    let client = client.http2_only(true).build_http::<Body>();
    let get = async |path: &str| {
        let request = Request::get(format!("http://{address}{path}")).body(Body::empty());
        let answer = client.request(request.expect("a request")).await;
        answer.expect("a response").into_body()
    };
    let unread = get("/large").await;
    tokio::time::sleep(Duration::from_secs(33)).await;
    assert!(read_all(&mut stream).await.len() < LARGE);
    assert!(unread.collect().await.is_err());
    // Other streams of that connection continue.
    let slow = get("/slow").await.collect().await.expect("a body");
    assert_eq!(slow.to_bytes(), "done");
}

/// One response, without waiting for the end of the connection.
async fn read_response(stream: &mut TcpStream, end: &str) -> String {
    let mut text = Vec::new();
    while !text.ends_with(end.as_bytes()) {
        let byte = stream.read_u8().await.expect("the connection stays");
        text.push(byte);
    }
    String::from_utf8(text).expect("text")
}

#[tokio::test]
async fn old_http_1_connection_sends_connection_close() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let router = Router::new().route("/fast", get(async || "done"));
    let (stop, max_age) = (CancellationToken::new(), Duration::from_secs(1));
    tokio::spawn(hourmeter_gateway::serve_with(
        listener,
        router,
        stop.into(),
        max_age,
    ));
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let request = b"GET /fast HTTP/1.1\r\nhost: x\r\n\r\n";
    stream.write_all(request).await.expect("sent");
    let answer = read_response(&mut stream, "done").await;
    assert!(!answer.contains("connection: close"), "{answer}");
    // The age is checked after the protocol is detected.
    let detection_time = Duration::from_secs(10);
    let mut response = String::new();
    let reading = async {
        // Regular requests, so that the connection is never idle for long.
        while !response.contains("connection: close") {
            tokio::time::sleep(Duration::from_millis(500)).await;
            stream.write_all(request).await.expect("sent");
            response = read_response(&mut stream, "done").await;
        }
        read_all(&mut stream).await
    };
    let rest = tokio::time::timeout(6 * detection_time, reading).await;
    assert_eq!(rest.expect("connection: close in time"), "");
}
