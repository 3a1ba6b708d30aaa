//! Clients that request much and read nothing.

use std::time::Duration;

use anyhow::Result;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpSocket;
use tokio::task::JoinSet;
use tokio::time::{sleep, sleep_until, timeout};

use super::attack::{self, Target, attacker_address};
use super::slow_bodies::{STREAMS, connect};
use super::{CaseResult, Stage};

/// Connections per HTTP version.
const CONNECTIONS: usize = 40;
/// Pipelined requests per HTTP/1 connection.
const PIPELINED: usize = 20;
/// The largest response without a session.
const PATH: &str = "/api/openapi.json";
/// Timeout for the rest of a response, and pause after an error.
const LAST_READ: Duration = Duration::from_secs(2);

/// Opens the connections and checks at the end whether they are still open.
pub async fn run(stage: &mut Stage) -> Result<CaseResult> {
    let connections = stage.or_short(CONNECTIONS, 4);
    attack::run(stage, async move |target: Target| {
        let by_http1 = attack::repeat(&target, connections, LAST_READ, http1);
        let by_http2 = attack::repeat(&target, connections, LAST_READ, http2);
        tokio::join!(by_http1, by_http2);
    })
    .await
}

async fn http1(target: Target, number: usize) -> Result<()> {
    let socket = TcpSocket::new_v4()?;
    socket.set_recv_buffer_size(4096)?;
    let mut socket = socket
        .connect(([127, 0, 0, 1], target.port(number)).into())
        .await?;
    let request = format!(
        "GET {PATH} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: {}\r\n\r\n",
        attacker_address(number)
    );
    socket
        .write_all(request.repeat(PIPELINED).as_bytes())
        .await?;
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

async fn http2(target: Target, number: usize) -> Result<()> {
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
            let first = timeout(target.end - tokio::time::Instant::now(), body.data()).await;
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
