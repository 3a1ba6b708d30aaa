//! Serves the gateway on a port, and stops without cutting off what runs.

mod stall;

use futures::future::BoxFuture;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::ConnectInfo;
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse as _, Response};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::files;
use hourmeter_runtime::shutdown::Shutdown;
use hourmeter_runtime::telemetry::names;
use http::{HeaderValue, Request, StatusCode, Version, header};
use hyper::body::{Frame, Incoming, SizeHint};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::{ServiceExt as _, service_fn};

use self::stall::{Parts, StallTimeout, Streams};

/// How long a client may take to send the headers of a request, and with HTTP/1 also to begin with it.
pub const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// The most bytes of headers that are read at all; what is allowed is less, and refused in the
/// words of the product by `layers/size.rs`.
const MAX_HEADER_BYTES: u16 = 32 * 1024;
/// Requests at the same moment on one HTTP/2 connection.
const MAX_STREAMS: u32 = 128;
const KEEP_ALIVE: Duration = Duration::from_secs(30);
/// After this a connection is asked to come again, so that load spreads over new replicas.
const MAX_AGE: Duration = Duration::from_mins(10);
/// How long a connection lives on that is asked to end: longer than any answer takes.
const LEAVE: Duration = Duration::from_mins(6);
/// How long a client may take nothing of an answer.
const STALL: Duration = Duration::from_secs(30);
/// How long running requests may go on after a stop was asked for.
pub const DRAIN: Duration = Duration::from_secs(20);
/// The least time between two lines in the log about connections that were refused.
const REMIND: Duration = Duration::from_secs(10);
/// The pause after a connection could not be taken, e.g. because file handles ran out.
const BREATHER: Duration = Duration::from_millis(100);

/// The same routes, but not ready for traffic from the moment on that a stop was asked for.
pub fn unready_once(asked: CancellationToken, router: Router) -> Router {
    router.layer(from_fn(move |request: Request<Body>, next: Next| {
        let stopping = asked.is_cancelled() && request.uri().path() == "/readyz";
        async move {
            if stopping {
                return (StatusCode::SERVICE_UNAVAILABLE, "stopping").into_response();
            }
            next.run(request).await
        }
    }))
}

/// Serves until `stop`, as [`serve_with`] does.
pub fn serve(
    listener: TcpListener,
    router: Router,
    stop: Shutdown,
) -> BoxFuture<'static, Result<(), ServiceError>> {
    Box::pin(async move { serve_with(listener, router, stop, MAX_AGE).await })
}

/// Serves until `stop`: asked for one, it sends clients to other connections, as they come; when
/// it is due, it takes no new connections and waits for running requests, but not for ever. A
/// connection older than `max_age` is left to others likewise, one at a time.
pub fn serve_with(
    listener: TcpListener,
    router: Router,
    stop: Shutdown,
    max_age: Duration,
) -> BoxFuture<'static, Result<(), ServiceError>> {
    Box::pin(async move {
        let builder = Arc::new(builder());
        let places = Arc::new(Semaphore::new(files::max_connections()));
        let mut reminded: Option<Instant> = None;
        let running = TaskTracker::new();
        let background = Background {
            tasks: running.clone(),
            stop: stop.draining().clone(),
        };
        loop {
            let accepted = tokio::select! {
                () = stop.draining().cancelled() => break,
                accepted = listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, peer)) => {
                    let Ok(place) = places.clone().try_acquire_owned() else {
                        names::LIMITED.count(["connections"]);
                        if reminded.is_none_or(|at| at.elapsed() >= REMIND) {
                            tracing::warn!("too many connections, new ones are closed");
                            reminded = Some(Instant::now());
                        }
                        continue;
                    };
                    let client = Client {
                        stream,
                        peer,
                        background: background.clone(),
                        max_age,
                        place,
                    };
                    let serving = connection(builder.clone(), router.clone(), client, stop.clone());
                    running.spawn(serving);
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be taken");
                    tokio::time::sleep(BREATHER).await;
                }
            }
        }
        drop(listener);
        running.close();
        if tokio::time::timeout(DRAIN, running.wait()).await.is_err() {
            tracing::warn!(tasks = running.len(), "cut off at the end of the drain");
        }
        Ok(())
    })
}

/// Where work goes that a request leaves behind, so that a stop waits for it too.
#[derive(Clone)]
pub struct Background {
    tasks: TaskTracker,
    stop: CancellationToken,
}

impl Background {
    /// Does it while others are served.
    pub fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.tasks.spawn(work);
    }

    /// Cancelled when the process is to stop: what would go on for long ends then.
    pub fn stopping(&self) -> CancellationToken {
        self.stop.clone()
    }
}

/// A connection that was taken.
struct Client {
    stream: TcpStream,
    peer: SocketAddr,
    background: Background,
    max_age: Duration,
    /// Among all connections.
    place: OwnedSemaphorePermit,
}

fn builder() -> Builder<Streams> {
    let mut builder = Builder::new(Streams { timeout: STALL });
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_buf_size(usize::from(MAX_HEADER_BYTES));
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(u32::from(MAX_HEADER_BYTES))
        .max_concurrent_streams(MAX_STREAMS)
        .keep_alive_interval(KEEP_ALIVE);
    builder
}

/// What is spoken on a connection, once that is known.
#[derive(Default)]
struct Spoken(AtomicU8);

impl Spoken {
    const HTTP1: u8 = 1;
    const HTTP2: u8 = 2;

    fn hear(&self, version: Version) {
        let spoken = match version {
            Version::HTTP_2 => Self::HTTP2,
            _ => Self::HTTP1,
        };
        self.0.store(spoken, Ordering::Relaxed);
    }

    fn is_nothing(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }

    fn is_http2(&self) -> bool {
        self.0.load(Ordering::Relaxed) == Self::HTTP2
    }
}

async fn connection(
    builder: Arc<Builder<Streams>>,
    router: Router,
    client: Client,
    stop: Shutdown,
) {
    let Client {
        stream,
        peer,
        background,
        max_age,
        place: _place,
    } = client;
    // Small answers must not wait for more to send.
    let _ = stream.set_nodelay(true);
    let spoken = Arc::new(Spoken::default());
    // From when on the client is asked to use another one.
    let leaving = stop.requested().child_token();
    let service = {
        let (spoken, leaving) = (spoken.clone(), leaving.clone());
        service_fn(move |request: Request<Incoming>| {
            let version = request.version();
            spoken.hear(version);
            let is_read = Arc::new(AtomicBool::new(false));
            let mut request =
                request.map(|body| Body::new(TrackedBody::new(body, is_read.clone())));
            request.extensions_mut().insert(ConnectInfo(peer));
            request.extensions_mut().insert(background.clone());
            let (router, leaving) = (router.clone(), leaving.clone());
            async move {
                let mut answer = router.oneshot(request).await;
                if let Ok(answer) = &mut answer
                    && (leaving.is_cancelled() || !is_read.load(Ordering::Relaxed))
                {
                    // Nothing can follow a body that was left unread.
                    send_away(version, answer);
                }
                answer.map(|answer| answer.map(Parts::of))
            }
        })
    };
    let stream = TokioIo::new(StallTimeout::new(stream, STALL));
    let serving = builder.serve_connection(stream, TowerToHyperService::new(service));
    let mut serving = std::pin::pin!(serving);
    // Until the protocol is known no other time-out runs.
    let silent = tokio::select! {
        _ = serving.as_mut() => return,
        () = stop.requested().cancelled() => false,
        () = tokio::time::sleep(HEADER_TIMEOUT) => spoken.is_nothing(),
    };
    if silent {
        return;
    }
    tokio::select! {
        _ = serving.as_mut() => return,
        () = stop.requested().cancelled() => {}
        () = tokio::time::sleep(max_age) => {}
    }
    leaving.cancel();
    // HTTP/2 can say that it takes no more; HTTP/1 would just close, perhaps on a request that is
    // on its way, so there the next answer says it. One that nobody asks on ends by the time-out for
    // headers, or when a stop is due.
    if !spoken.is_http2() {
        tokio::select! {
            _ = serving.as_mut() => return,
            () = stop.draining().cancelled() => {}
        }
    }
    serving.as_mut().graceful_shutdown();
    let _ = tokio::time::timeout(LEAVE, serving).await;
}

/// The body of a request, which records when all of it was read.
struct TrackedBody {
    body: Incoming,
    is_read: Arc<AtomicBool>,
}

impl TrackedBody {
    fn new(body: Incoming, is_read: Arc<AtomicBool>) -> Self {
        let tracked = Self { body, is_read };
        tracked.note_end(false);
        tracked
    }

    fn note_end(&self, ended: bool) {
        if ended || self.body.is_end_stream() {
            self.is_read.store(true, Ordering::Relaxed);
        }
    }
}

impl HttpBody for TrackedBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        self.note_end(matches!(frame, Poll::Ready(None)));
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Asks the client of an HTTP/1 connection to make its next request on another.
fn send_away(version: Version, answer: &mut Response) {
    if version <= Version::HTTP_11 {
        let close = HeaderValue::from_static("close");
        answer.headers_mut().insert(header::CONNECTION, close);
    }
}
