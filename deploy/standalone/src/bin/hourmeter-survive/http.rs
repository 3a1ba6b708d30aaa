//! The gateways as a load balancer in front of them reaches them: whichever says that it is ready,
//! over connections that are kept. What never reached a gateway goes to the other; nothing else is
//! ever sent twice here.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::Result;
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{CONTENT_TYPE, COOKIE, HOST, RETRY_AFTER, SET_COOKIE};
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::timeout;

/// How long clients wait for an answer.
const PATIENCE: Duration = Duration::from_secs(15);
/// How long for a connection.
const CONNECT: Duration = Duration::from_secs(1);
/// How often each gateway is asked whether it is ready.
const PROBE: Duration = Duration::from_millis(200);
/// Connections of a gateway that are kept while nobody uses them.
const KEPT: usize = 256;

type Connection = SendRequest<Full<Bytes>>;

/// What is asked.
#[derive(Clone, Debug)]
pub struct Ask {
    /// Of the request.
    pub method: Method,
    /// With its query.
    pub path: String,
    /// Type of the body.
    pub kind: &'static str,
    /// Empty for none.
    pub body: Bytes,
    /// Who asks; empty for nobody.
    pub cookie: String,
    /// Address of who asks.
    pub address: String,
    /// The idempotency key of a write.
    pub key: Option<String>,
}

impl Ask {
    fn request(&self, host: &str) -> Option<Request<Full<Bytes>>> {
        let mut request = Request::builder()
            .method(&self.method)
            .uri(&self.path)
            .header(HOST, host)
            .header("x-forwarded-for", &self.address)
            .header("x-requested-with", "XMLHttpRequest");
        if !self.cookie.is_empty() {
            request = request.header(COOKIE, &self.cookie);
        }
        if !self.body.is_empty() {
            request = request.header(CONTENT_TYPE, self.kind);
        }
        if let Some(key) = &self.key {
            request = request.header("idempotency-key", key);
        }
        request.body(Full::new(self.body.clone())).ok()
    }
}

/// What is answered.
#[derive(Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// Of a grpc-web call that was answered with headers only.
    pub grpc_status: Option<u16>,
    /// When to come again, if it says so.
    pub retry_after: Option<Duration>,
    /// A session's cookie, if one is set.
    pub cookie: Option<String>,
    /// All of it.
    pub body: Bytes,
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trouble {
    /// No gateway takes connections.
    Nowhere,
    /// The line was cut after the request was sent.
    Cut,
    /// It took too long.
    Late,
}

/// Both gateways.
pub struct Balancer {
    gateways: Vec<Gateway>,
    next: AtomicUsize,
}

struct Gateway {
    host: String,
    ready: AtomicBool,
    idle: Mutex<Vec<Connection>>,
}

impl Balancer {
    /// In front of gateways at these ports.
    pub fn new(ports: &[u16]) -> Self {
        let gateway = |port| Gateway {
            host: format!("127.0.0.1:{port}"),
            ready: AtomicBool::new(false),
            idle: Mutex::default(),
        };
        Self {
            gateways: ports.iter().map(gateway).collect(),
            next: AtomicUsize::new(0),
        }
    }

    /// Asks all the time which gateways are ready.
    pub async fn probe(&self) {
        loop {
            futures::future::join_all(self.gateways.iter().map(Gateway::probe)).await;
            tokio::time::sleep(PROBE).await;
        }
    }

    /// Whether all gateways say that they are ready.
    pub async fn all_ready(&self) -> bool {
        futures::future::join_all(self.gateways.iter().map(Gateway::probe)).await;
        let mut all = self.gateways.iter();
        all.all(|gateway| gateway.ready.load(Ordering::Relaxed))
    }

    /// Asks one of them.
    pub async fn ask(&self, ask: &Ask) -> Result<Answer, Trouble> {
        match timeout(PATIENCE, self.ask_any(ask)).await {
            Ok(answer) => answer,
            Err(_) => Err(Trouble::Late),
        }
    }

    async fn ask_any(&self, ask: &Ask) -> Result<Answer, Trouble> {
        let turn = self.next.fetch_add(1, Ordering::Relaxed);
        let count = self.gateways.len();
        let in_turn = (0..count).map(|number| &self.gateways[(turn + number) % count]);
        let in_turn: Vec<&Gateway> = in_turn.collect();
        let ready = |gateway: &&&Gateway| gateway.ready.load(Ordering::Relaxed);
        // Rather one that is not ready than none.
        let last = in_turn.iter().filter(|gateway| !ready(gateway));
        for gateway in in_turn.iter().filter(ready).chain(last) {
            if let Some(answer) = gateway.ask(ask).await {
                return answer;
            }
        }
        Err(Trouble::Nowhere)
    }
}

impl Gateway {
    async fn probe(&self) {
        let ready = is_ready(&self.host).await;
        self.ready.store(ready, Ordering::Relaxed);
        if !ready && let Ok(mut idle) = self.idle.lock() {
            idle.clear();
        }
    }

    /// None: the request was never sent.
    async fn ask(&self, ask: &Ask) -> Option<Result<Answer, Trouble>> {
        loop {
            let kept = self.idle.lock().ok()?.pop();
            let fresh = kept.is_none();
            let mut connection = match kept {
                Some(connection) => connection,
                None => match timeout(CONNECT, connect(&self.host)).await {
                    Ok(Ok(connection)) => connection,
                    _ => return None,
                },
            };
            match send(&mut connection, ask.request(&self.host)?).await {
                Ok(answer) => {
                    self.keep(connection);
                    return Some(Ok(answer));
                }
                // A kept connection that had been closed: nothing was sent.
                Err(NotAnswered::NotSent) if !fresh => {}
                Err(NotAnswered::NotSent) => return None,
                Err(NotAnswered::Cut) => return Some(Err(Trouble::Cut)),
            }
        }
    }

    fn keep(&self, connection: Connection) {
        if connection.is_closed() || !self.ready.load(Ordering::Relaxed) {
            return;
        }
        if let Ok(mut idle) = self.idle.lock()
            && idle.len() < KEPT
        {
            idle.push(connection);
        }
    }
}

/// Whether what listens at `host:port` says that it takes traffic.
pub async fn is_ready(host: &str) -> bool {
    let ask = Ask {
        method: Method::GET,
        path: "/readyz".to_owned(),
        kind: "",
        body: Bytes::new(),
        cookie: String::new(),
        address: "127.0.0.1".to_owned(),
        key: None,
    };
    let asked = timeout(CONNECT, async {
        let mut connection = connect(host).await.ok()?;
        send(&mut connection, ask.request(host)?).await.ok()
    });
    matches!(asked.await, Ok(Some(answer)) if answer.status == 200)
}

async fn connect(host: &str) -> Result<Connection> {
    let stream = TcpStream::connect(host).await?;
    stream.set_nodelay(true)?;
    let (sender, connection) = handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    Ok(sender)
}

enum NotAnswered {
    NotSent,
    Cut,
}

async fn send(
    connection: &mut Connection,
    request: Request<Full<Bytes>>,
) -> Result<Answer, NotAnswered> {
    if connection.ready().await.is_err() {
        return Err(NotAnswered::NotSent);
    }
    let answer = match connection.try_send_request(request).await {
        Ok(answer) => answer,
        Err(mut error) => {
            let unsent = error.take_message().is_some();
            return Err(if unsent {
                NotAnswered::NotSent
            } else {
                NotAnswered::Cut
            });
        }
    };
    let (head, body) = answer.into_parts();
    let text = |name| head.headers.get(name).and_then(|value| value.to_str().ok());
    let cookie = text(SET_COOKIE.as_str()).and_then(|text| text.split(';').next());
    let answer = Answer {
        status: head.status.as_u16(),
        grpc_status: text("grpc-status").and_then(|text| text.parse().ok()),
        retry_after: text(RETRY_AFTER.as_str())
            .and_then(|text| text.parse().ok())
            .map(Duration::from_secs),
        cookie: cookie.map(str::to_owned),
        body: Bytes::new(),
    };
    match body.collect().await {
        Ok(body) => Ok(Answer {
            body: body.to_bytes(),
            ..answer
        }),
        Err(_) => Err(NotAnswered::Cut),
    }
}
