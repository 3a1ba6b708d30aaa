//! Serves the gateway on a port and shuts down gracefully.

mod stall;

use futures::future::BoxFuture;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::ConnectInfo;
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse as _, Response};
use hourmeter_runtime::connections::{KEEP_ALIVE, MAX_AGE, serve_connections};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::shutdown::Shutdown;
use http::{HeaderValue, Request, StatusCode, Version, header};
use hyper::body::{Frame, Incoming, SizeHint};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::{ServiceExt as _, service_fn};

use self::stall::{ChunkedBody, StallTimeout, Streams};

/// How long a client may take to send headers; with HTTP/1 also the time between requests.
pub const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// Larger headers are not read; `layers/size.rs` rejects smaller ones with a response.
const MAX_HEADER_BYTES: u16 = 32 * 1024;
/// Concurrent requests on an HTTP/2 connection.
const MAX_STREAMS: u32 = 128;
/// How long a closing connection may finish its responses: longer than any response takes.
const CLOSE_TIMEOUT: Duration = Duration::from_mins(6);
/// How long a client may read nothing of a response.
const STALL: Duration = Duration::from_secs(30);

/// Adds a layer that makes `/readyz` fail once a shutdown was requested.
pub fn unready_on_shutdown(asked: CancellationToken, router: Router) -> Router {
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

/// Serves until the shutdown, as [`serve_with`] does.
pub fn serve(
    listener: TcpListener,
    router: Router,
    stop: Shutdown,
) -> BoxFuture<'static, Result<(), ServiceError>> {
    serve_with(listener, router, stop, MAX_AGE)
}

/// Serves until the shutdown. When it is requested, connections are closed gracefully; when
/// draining begins, no new connections are accepted and running requests have
/// [`connections::DRAIN`](hourmeter_runtime::connections::DRAIN).
/// Connections older than `max_age` are closed gracefully too.
pub fn serve_with(
    listener: TcpListener,
    router: Router,
    stop: Shutdown,
    max_age: Duration,
) -> BoxFuture<'static, Result<(), ServiceError>> {
    Box::pin(async move {
        let builder = Arc::new(builder());
        let background = BackgroundTasks {
            tasks: TaskTracker::new(),
            stop: stop.draining().clone(),
        };
        let serve = |stream, peer| {
            let connection = Connection {
                stream,
                peer,
                background: background.clone(),
                max_age,
            };
            serve_connection(builder.clone(), router.clone(), connection, stop.clone())
        };
        serve_connections(listener, stop.draining(), &background.tasks, serve).await;
        Ok(())
    })
}

/// Spawns tasks that outlive their request, so that a shutdown waits for them.
#[derive(Clone)]
pub struct BackgroundTasks {
    tasks: TaskTracker,
    stop: CancellationToken,
}

impl BackgroundTasks {
    pub fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.tasks.spawn(work);
    }

    /// Cancelled on shutdown, for tasks that run long.
    pub fn stopping(&self) -> CancellationToken {
        self.stop.clone()
    }
}

struct Connection {
    stream: TcpStream,
    peer: SocketAddr,
    background: BackgroundTasks,
    max_age: Duration,
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

async fn serve_connection(
    builder: Arc<Builder<Streams>>,
    router: Router,
    connection: Connection,
    stop: Shutdown,
) {
    // Known from the first request.
    let http_version = Arc::new(OnceLock::new());
    // Cancelled when the client should use another connection.
    let closing = stop.requested().child_token();
    let service = {
        let (http_version, closing) = (http_version.clone(), closing.clone());
        service_fn(move |request: Request<Incoming>| {
            let version = request.version();
            let _ = http_version.set(version);
            let is_read = Arc::new(AtomicBool::new(false));
            let mut request =
                request.map(|body| Body::new(TrackedBody::new(body, is_read.clone())));
            let extensions = request.extensions_mut();
            extensions.insert(ConnectInfo(connection.peer));
            extensions.insert(connection.background.clone());
            let (router, closing) = (router.clone(), closing.clone());
            async move {
                let mut response = router.oneshot(request).await;
                if let Ok(response) = &mut response
                    && (closing.is_cancelled() || !is_read.load(Ordering::Relaxed))
                {
                    // No request can follow an unread body.
                    set_connection_close(version, response);
                }
                response.map(|response| response.map(ChunkedBody::new))
            }
        })
    };
    let stream = TokioIo::new(StallTimeout::new(connection.stream, STALL));
    let serving = builder.serve_connection(stream, TowerToHyperService::new(service));
    let mut serving = std::pin::pin!(serving);
    // No other timeout runs until the HTTP version is known.
    let silent = tokio::select! {
        _ = serving.as_mut() => return,
        () = stop.requested().cancelled() => false,
        () = tokio::time::sleep(HEADER_TIMEOUT) => http_version.get().is_none(),
    };
    if silent {
        return;
    }
    tokio::select! {
        _ = serving.as_mut() => return,
        () = stop.requested().cancelled() => {}
        () = tokio::time::sleep(connection.max_age) => {}
    }
    closing.cancel();
    // HTTP/2 has GOAWAY. HTTP/1 would just close, perhaps while a request is under way, so the next
    // response says `Connection: close`. An idle connection ends with the header timeout or when
    // draining begins.
    if http_version.get() != Some(&Version::HTTP_2) {
        tokio::select! {
            _ = serving.as_mut() => return,
            () = stop.draining().cancelled() => {}
        }
    }
    serving.as_mut().graceful_shutdown();
    let _ = tokio::time::timeout(CLOSE_TIMEOUT, serving).await;
}

/// A request body that records whether it was read to its end.
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

/// Makes an HTTP/1 client open another connection for its next request.
fn set_connection_close(version: Version, response: &mut Response) {
    if version <= Version::HTTP_11 {
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(header::CONNECTION, close);
    }
}
