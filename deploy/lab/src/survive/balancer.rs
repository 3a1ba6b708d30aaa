//! A client-side load balancer over the gateways. Unsent requests go to the other gateway; nothing
//! else is sent twice.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::Result;
use bytes::Bytes;
use futures::future::join_all;
use reqwest::{Client, Request, Response};

use crate::process::is_ready;

const RESPONSE_TIMEOUT: Duration = Duration::from_secs(15);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
const PROBE_INTERVAL: Duration = Duration::from_millis(200);

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// For grpc-web responses without a body.
    pub grpc_status: Option<u16>,
    pub retry_after: Option<Duration>,
    pub body: Bytes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NoResponse {
    NoGateway,
    /// The connection closed after the request was sent.
    Cut,
    TimedOut,
}

pub struct Balancer {
    client: Client,
    gateways: Vec<Gateway>,
    next: AtomicUsize,
}

struct Gateway {
    port: u16,
    ready: AtomicBool,
}

impl Balancer {
    pub fn new(ports: &[u16]) -> Result<Self> {
        let gateways = ports.iter().map(|port| Gateway {
            port: *port,
            ready: AtomicBool::new(false),
        });
        let client = Client::builder()
            .no_proxy()
            .connect_timeout(CONNECT_TIMEOUT);
        Ok(Self {
            client: client.build()?,
            gateways: gateways.collect(),
            next: AtomicUsize::new(0),
        })
    }

    /// Probes all gateways forever.
    pub async fn probe(&self) {
        loop {
            self.all_ready().await;
            tokio::time::sleep(PROBE_INTERVAL).await;
        }
    }

    pub async fn all_ready(&self) -> bool {
        let probes = self.gateways.iter().map(async |gateway| {
            let ready = is_ready(gateway.port).await;
            gateway.ready.store(ready, Ordering::Relaxed);
            ready
        });
        join_all(probes).await.into_iter().all(|ready| ready)
    }

    /// Sends a request to one of the gateways.
    pub async fn send(&self, request: &Request) -> Result<Answer, NoResponse> {
        let first = self.next.fetch_add(1, Ordering::Relaxed) % self.gateways.len();
        let (before, from) = self.gateways.split_at(first);
        let mut in_turn: Vec<&Gateway> = from.iter().chain(before).collect();
        // An unready gateway is better than none.
        in_turn.sort_by_key(|gateway| !gateway.ready.load(Ordering::Relaxed));
        for gateway in in_turn {
            let mut request = request.try_clone().expect("a body of bytes");
            let url = request.url_mut();
            url.set_port(Some(gateway.port)).expect("an address");
            *request.timeout_mut() = Some(RESPONSE_TIMEOUT);
            match self.client.execute(request).await {
                Ok(response) => return Ok(read(response).await?),
                Err(error) if error.is_connect() => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(NoResponse::NoGateway)
    }
}

impl From<reqwest::Error> for NoResponse {
    fn from(error: reqwest::Error) -> Self {
        if error.is_timeout() {
            Self::TimedOut
        } else {
            Self::Cut
        }
    }
}

async fn read(response: Response) -> reqwest::Result<Answer> {
    let number = |name| -> Option<u16> {
        let header = response.headers().get(name)?;
        header.to_str().ok()?.parse().ok()
    };
    let retry_after = number("retry-after").map(u64::from);
    Ok(Answer {
        status: response.status().as_u16(),
        grpc_status: number("grpc-status"),
        retry_after: retry_after.map(Duration::from_secs),
        body: response.bytes().await?,
    })
}
