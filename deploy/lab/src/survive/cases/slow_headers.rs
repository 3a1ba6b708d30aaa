//! Clients that never complete their headers.

use std::time::Duration;

use anyhow::Result;
use fastrand::Rng;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use super::{CaseResult, Stage};
use crate::fleet::Fleet;

/// Maximum lifetime of such a socket: the gateway's 10 s plus a margin for a busy machine.
const MAX_LIFETIME: Duration = Duration::from_secs(40);
/// Maximum memory per socket in megabytes: twice the maximum headers.
const MEGABYTES_EACH: f64 = 0.064;
/// Memory of the usual load in megabytes.
const MEGABYTES_BESIDE: f64 = 80.0;

/// Opens the sockets, half at each gateway, and waits until all are closed.
pub async fn run(stage: &mut Stage) -> Result<CaseResult> {
    let count: u16 = stage.or_short(5000, 400);
    let ports = stage.fleet.gateways;
    let before = stage.fleet.gateway_megabytes()?;
    let (mut most, mut lives) = (before, Vec::new());
    let fault = async |fleet: &mut Fleet, _: &mut Rng| {
        let mut sockets = JoinSet::new();
        for (number, port) in (0..count).zip(ports.into_iter().cycle()) {
            sockets.spawn(trickle(port));
            if number % 50 == 0 {
                sleep(Duration::from_millis(10)).await;
            }
        }
        while !sockets.is_empty() {
            most = most.max(fleet.gateway_megabytes()?);
            let next = timeout(Duration::from_millis(500), sockets.join_next()).await;
            lives.extend(next.ok().flatten().and_then(Result::ok));
            while let Some(ended) = sockets.try_join_next() {
                lives.push(ended?);
            }
        }
        Ok(())
    };
    let result = stage.under_load(fault).await?;
    let mut result = result.without_failures("beside slow headers");
    let closed = lives.iter().flatten().count();
    if closed < usize::from(count) {
        let why = format!("{closed} of {count} sockets were accepted and closed");
        result.violations.push(why);
    }
    let longest = lives.into_iter().flatten().max();
    let seconds = longest.unwrap_or_default().as_secs_f64();
    let allowed = before + MEGABYTES_BESIDE + f64::from(count) * MEGABYTES_EACH;
    if most > allowed {
        let why = format!("a gateway used {most:.0} MB");
        result.violations.push(why);
    }
    let text = format!(
        "sockets lived {seconds:.1} s at most; gateway {before:.0} MB before, {most:.0} MB at most"
    );
    result.speeds.push((text, true));
    Ok(result)
}

/// Sends a header one letter at a time until the gateway closes. Returns the duration.
async fn trickle(port: u16) -> Option<Duration> {
    let mut socket = TcpStream::connect(("127.0.0.1", port)).await.ok()?;
    let begun = Instant::now();
    let head = b"GET /api/equipment HTTP/1.1\r\nHost: localhost\r\nX-Slow: ";
    socket.write_all(head).await.ok()?;
    let (mut read, mut write) = socket.split();
    let mut answer = [0; 512];
    while begun.elapsed() < MAX_LIFETIME {
        match timeout(Duration::from_secs(1), read.read(&mut answer)).await {
            // It may respond before it closes.
            Ok(Ok(length)) if length > 0 => {}
            Ok(_) => return Some(begun.elapsed()),
            Err(_) => {
                if write.write_all(b"a").await.is_err() {
                    return Some(begun.elapsed());
                }
            }
        }
    }
    None
}
