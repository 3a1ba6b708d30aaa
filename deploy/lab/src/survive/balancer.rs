//! A load balancer in front of the gateways, within the client: a request goes to a gateway that is
//! ready. What never reached one goes to the other; nothing else is ever sent twice here.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::Result;
use bytes::Bytes;
use futures::future::join_all;
use reqwest::header::RETRY_AFTER;
use reqwest::{Client, Request, Response};

use crate::program::is_ready;

/// How long clients wait for an answer.
const TIMEOUT: Duration = Duration::from_secs(15);
/// How long for a connection.
const CONNECT: Duration = Duration::from_secs(1);
/// How often each gateway is asked whether it is ready.
const PROBE: Duration = Duration::from_millis(200);

/// What was answered.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// Of a grpc-web call that was answered with headers only.
    pub grpc_status: Option<u16>,
    pub retry_after: Option<Duration>,
    pub body: Bytes,
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trouble {
    /// No gateway accepts connections.
    NoGateway,
    /// The connection was cut after the request was sent.
    Cut,
    /// No answer in time.
    TimedOut,
}

/// Both gateways.
pub struct Balancer {
    client: Client,
    gateways: Vec<Gateway>,
    next: AtomicUsize,
}

struct Gateway {
    port: u16,
    ready: AtomicBool,
}

impl Gateway {
    fn is_ready(&self) -> bool {
        self.ready.load(Ordering::Relaxed)
    }

    async fn probe(&self) {
        self.ready
            .store(is_ready(self.port).await, Ordering::Relaxed);
    }
}

impl Balancer {
    /// In front of gateways at these ports.
    pub fn new(ports: &[u16]) -> Result<Self> {
        let ready = || AtomicBool::new(false);
        let gateways = ports.iter().map(|port| Gateway {
            port: *port,
            ready: ready(),
        });
        Ok(Self {
            client: Client::builder()
                .no_proxy()
                .connect_timeout(CONNECT)
                .build()?,
            gateways: gateways.collect(),
            next: AtomicUsize::new(0),
        })
    }

    /// Asks for ever which gateways are ready.
    pub async fn probe(&self) {
        loop {
            self.all_ready().await;
            tokio::time::sleep(PROBE).await;
        }
    }

    /// Whether all gateways are ready.
    pub async fn all_ready(&self) -> bool {
        join_all(self.gateways.iter().map(Gateway::probe)).await;
        self.gateways.iter().all(Gateway::is_ready)
    }

    /// Sends a request to one of them, whichever it was made for.
    pub async fn send(&self, request: &Request) -> Result<Answer, Trouble> {
        let first = self.next.fetch_add(1, Ordering::Relaxed) % self.gateways.len();
        let (before, from) = self.gateways.split_at(first);
        let mut in_turn: Vec<&Gateway> = from.iter().chain(before).collect();
        // One that is not ready is better than none.
        in_turn.sort_by_key(|gateway| !gateway.is_ready());
        for gateway in in_turn {
            let mut request = request.try_clone().expect("a body of bytes");
            request
                .url_mut()
                .set_port(Some(gateway.port))
                .expect("an address");
            *request.timeout_mut() = Some(TIMEOUT);
            match self.client.execute(request).await {
                Ok(response) => return read(response).await.map_err(trouble),
                Err(error) if error.is_connect() => {}
                Err(error) => return Err(trouble(error)),
            }
        }
        Err(Trouble::NoGateway)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn trouble(error: reqwest::Error) -> Trouble {
    if error.is_timeout() {
        Trouble::TimedOut
    } else {
        Trouble::Cut
    }
}

async fn read(response: Response) -> reqwest::Result<Answer> {
    let header = |name| {
        response
            .headers()
            .get(name)
            .and_then(|value| value.to_str().ok())
    };
    let retry_after = header(RETRY_AFTER.as_str()).and_then(|text| text.parse().ok());
    Ok(Answer {
        status: response.status().as_u16(),
        grpc_status: header("grpc-status").and_then(|text| text.parse().ok()),
        retry_after: retry_after.map(Duration::from_secs),
        body: response.bytes().await?,
    })
}
