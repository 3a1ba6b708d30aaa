//! Serves the gateway on a port, and stops without cutting off what runs.

use futures::future::BoxFuture;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse as _, Response};
use hourmeter_runtime::error::Failure;
use hourmeter_runtime::stop::Stop;
use http::{HeaderValue, Request, StatusCode, Version, header};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::{ServiceExt as _, service_fn};

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
/// How long running requests may go on after a stop was asked for.
pub const DRAIN: Duration = Duration::from_secs(20);
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
    stop: Stop,
) -> BoxFuture<'static, Result<(), Failure>> {
    Box::pin(async move { serve_with(listener, router, stop, MAX_AGE).await })
}

/// Serves until `stop`: asked for one, it sends clients to other connections, as they come; when
/// it is due, it takes no new connections and waits for running requests, but not for ever. A
/// connection older than `max_age` is left to others likewise, one at a time.
pub fn serve_with(
    listener: TcpListener,
    router: Router,
    stop: Stop,
    max_age: Duration,
) -> BoxFuture<'static, Result<(), Failure>> {
    Box::pin(async move {
        let builder = Arc::new(builder());
        let running = TaskTracker::new();
        let background = Background {
            tasks: running.clone(),
            stop: stop.due().clone(),
        };
        loop {
            let accepted = tokio::select! {
                () = stop.due().cancelled() => break,
                accepted = listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, peer)) => {
                    let client = Client {
                        stream,
                        peer,
                        background: background.clone(),
                        max_age,
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
}

fn builder() -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
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
    builder: Arc<Builder<TokioExecutor>>,
    router: Router,
    client: Client,
    stop: Stop,
) {
    let Client {
        stream,
        peer,
        background,
        max_age,
    } = client;
    // Small answers must not wait for more to send.
    let _ = stream.set_nodelay(true);
    let spoken = Arc::new(Spoken::default());
    // From when on the client is asked to use another one.
    let leaving = stop.asked().child_token();
    let service = {
        let (spoken, leaving) = (spoken.clone(), leaving.clone());
        service_fn(move |request: Request<hyper::body::Incoming>| {
            let version = request.version();
            spoken.hear(version);
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(ConnectInfo(peer));
            request.extensions_mut().insert(background.clone());
            let (router, leaving) = (router.clone(), leaving.clone());
            async move {
                let mut answer = router.oneshot(request).await;
                if let Ok(answer) = &mut answer
                    && leaving.is_cancelled()
                {
                    send_away(version, answer);
                }
                answer
            }
        })
    };
    let serving = builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
    let mut serving = std::pin::pin!(serving);
    // Until the protocol is known no other time-out runs.
    let silent = tokio::select! {
        _ = serving.as_mut() => return,
        () = stop.asked().cancelled() => false,
        () = tokio::time::sleep(HEADER_TIMEOUT) => spoken.is_nothing(),
    };
    if silent {
        return;
    }
    tokio::select! {
        _ = serving.as_mut() => return,
        () = stop.asked().cancelled() => {}
        () = tokio::time::sleep(max_age) => {}
    }
    leaving.cancel();
    // HTTP/2 can say that it takes no more; HTTP/1 would just close, perhaps on a request that is
    // on its way, so there the next answer says it. One that nobody asks on ends by the time-out for
    // headers, or when a stop is due.
    if !spoken.is_http2() {
        tokio::select! {
            _ = serving.as_mut() => return,
            () = stop.due().cancelled() => {}
        }
    }
    serving.as_mut().graceful_shutdown();
    let _ = serving.await;
}

/// Asks the client of an HTTP/1 connection to make its next request on another.
fn send_away(version: Version, answer: &mut Response) {
    if version <= Version::HTTP_11 {
        let close = HeaderValue::from_static("close");
        answer.headers_mut().insert(header::CONNECTION, close);
    }
}
