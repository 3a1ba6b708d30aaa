//! Cuts off clients that take nothing of an answer. On a connection that shows in the socket, which
//! takes no more bytes. On a stream of HTTP/2 the connection may be well, so it shows in the body,
//! whose next part nobody asks for.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use hourmeter_runtime::telemetry::names;
use hyper::body::{Frame, SizeHint};
use hyper::rt::Executor;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

/// How much of a body is handed on at a time. A client that takes less than this in the time it has
/// is cut off.
const PART: usize = 8 * 1024;

/// A connection that fails when the other side takes no bytes for this long.
pub struct StallTimeout<S> {
    stream: S,
    timeout: Duration,
    /// Runs while bytes wait.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<S> StallTimeout<S> {
    /// The same connection with a limit.
    pub const fn new(stream: S, timeout: Duration) -> Self {
        Self {
            stream,
            timeout,
            waiting: None,
        }
    }

    /// What came of writing, unless it has waited for too long.
    fn judge<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.waiting = None;
            return written;
        }
        let timeout = self.timeout;
        let waiting = self
            .waiting
            .get_or_insert_with(|| Box::pin(tokio::time::sleep(timeout)));
        ready!(waiting.as_mut().poll(context));
        names::LIMITED.count(["stalled"]);
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for StallTimeout<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for StallTimeout<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.judge(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.judge(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.judge(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let closed = Pin::new(&mut self.stream).poll_shutdown(context);
        self.judge(context, closed)
    }
}

tokio::task_local! {
    /// The stream of HTTP/2 that a task answers.
    static STREAM: Arc<Progress>;
}

/// How far the client of a stream has come.
struct Progress {
    began: Instant,
    /// Milliseconds after that when the client took something last; [`Progress::OURS`] while it
    /// waits for us.
    taken: AtomicU64,
}

impl Progress {
    const OURS: u64 = u64::MAX;

    fn new() -> Self {
        Self {
            began: Instant::now(),
            taken: AtomicU64::new(Self::OURS),
        }
    }

    /// From now on the client has something to take.
    fn offer(&self) {
        let now = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(0);
        self.taken.store(now, Ordering::Relaxed);
    }

    fn wait_for_us(&self) {
        self.taken.store(Self::OURS, Ordering::Relaxed);
    }

    /// Returns once the client has taken nothing for so long.
    async fn stalled(&self, timeout: Duration) {
        loop {
            let since = match self.taken.load(Ordering::Relaxed) {
                Self::OURS => Instant::now(),
                taken => self.began + Duration::from_millis(taken),
            };
            if since.elapsed() >= timeout {
                return;
            }
            tokio::time::sleep_until(since + timeout).await;
        }
    }
}

/// Runs the streams of HTTP/2 connections. Resets one whose client takes nothing for this long.
#[derive(Clone, Copy)]
pub struct Streams {
    pub timeout: Duration,
}

impl<F: Future<Output = ()> + Send + 'static> Executor<F> for Streams {
    fn execute(&self, stream: F) {
        let timeout = self.timeout;
        let progress = Arc::new(Progress::new());
        let watched = progress.clone();
        tokio::spawn(STREAM.scope(progress, async move {
            tokio::select! {
                biased;
                () = stream => {}
                // Dropped, the stream is reset.
                () = watched.stalled(timeout) => names::LIMITED.count(["stalled"]),
            }
        }));
    }
}

/// The body of an answer, handed on in parts, so that it shows whether the client takes them.
pub struct Parts {
    body: Body,
    /// What is left of the last frame.
    left: Bytes,
}

impl Parts {
    /// Begins when the head of the answer is made.
    pub fn of(body: Body) -> Self {
        let _ = STREAM.try_with(|progress| progress.offer());
        Self {
            body,
            left: Bytes::new(),
        }
    }
}

impl HttpBody for Parts {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.left.is_empty() {
            match Pin::new(&mut self.body).poll_frame(context) {
                Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                    Ok(data) => self.left = data,
                    Err(frame) => return Poll::Ready(Some(Ok(frame))),
                },
                Poll::Pending => {
                    let _ = STREAM.try_with(|progress| progress.wait_for_us());
                    return Poll::Pending;
                }
                ended @ Poll::Ready(_) => return ended,
            }
        }
        let _ = STREAM.try_with(|progress| progress.offer());
        let length = self.left.len().min(PART);
        Poll::Ready(Some(Ok(Frame::data(self.left.split_to(length)))))
    }

    fn is_end_stream(&self) -> bool {
        self.left.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let rest = self.body.size_hint();
        let left = self.left.len() as u64;
        let mut hint = SizeHint::new();
        if let Some(upper) = rest.upper() {
            hint.set_upper(upper + left);
        }
        hint.set_lower(rest.lower() + left);
        hint
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use http_body_util::BodyExt as _;
    use hyper_util::rt::{TokioExecutor, TokioIo};
    use hyper_util::server::conn::auto::Builder;
    use tokio::io::{AsyncWriteExt as _, DuplexStream};

    use super::*;

    const STALL_TIMEOUT: Duration = Duration::from_millis(300);
    const LONG: usize = 1_000_000;

    #[tokio::test]
    async fn stall_timeout_fails_when_nothing_is_taken() {
        let (near, mut far) = tokio::io::duplex(1000);
        let mut near = StallTimeout::new(near, STALL_TIMEOUT);
        // Something is taken now and then.
        let slow = async {
            for _ in 0..4 {
                tokio::time::sleep(STALL_TIMEOUT / 2).await;
                let mut part = [0; 500];
                tokio::io::AsyncReadExt::read_exact(&mut far, &mut part)
                    .await
                    .expect("bytes");
            }
        };
        let (written, ()) = tokio::join!(near.write_all(&[0; 3000]), slow);
        written.expect("all of it");
        let began = Instant::now();
        let error = near.write_all(&[0; 3000]).await.expect_err("nobody reads");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(began.elapsed() >= STALL_TIMEOUT);
    }

    /// Serves a long answer at `/`, and at `/late` one that takes its time.
    fn serve(stream: DuplexStream) {
        let builder = Builder::new(Streams {
            timeout: STALL_TIMEOUT,
        });
        let service =
            hyper::service::service_fn(async |request: http::Request<hyper::body::Incoming>| {
                if request.uri().path() == "/" {
                    let body = Parts::of(Body::from(vec![0; LONG]));
                    return Ok::<_, Infallible>(http::Response::new(body));
                }
                let late = futures::stream::once(async {
                    tokio::time::sleep(3 * STALL_TIMEOUT).await;
                    Ok::<_, io::Error>("late")
                });
                Ok(http::Response::new(Parts::of(Body::from_stream(late))))
            });
        tokio::spawn(async move {
            let connection = builder.serve_connection(TokioIo::new(stream), service);
            let _ = connection.await;
        });
    }

    #[tokio::test]
    async fn streams_reset_one_that_is_not_read() {
        let (near, far) = tokio::io::duplex(64 * 1024);
        serve(near);
        let mut builder = hyper::client::conn::http2::Builder::new(TokioExecutor::new());
        builder.initial_stream_window_size(65_535);
        let handshake = builder.handshake::<_, Body>(TokioIo::new(far)).await;
        let (mut sender, connection) = handshake.expect("a connection");
        tokio::spawn(connection);
        let request = |path: &str| {
            let request = http::Request::get(format!("http://x{path}"));
            request.body(Body::empty()).expect("a request")
        };
        let unread = sender.send_request(request("/")).await.expect("a head");
        let late = sender.send_request(request("/late"));
        let late = late.await.expect("a head").into_body().collect().await;
        assert_eq!(late.expect("a body").to_bytes(), "late");
        let unread = unread.into_body().collect().await;
        assert!(unread.is_err(), "it was not cut off");
        // The connection goes on, and who reads gets all.
        let read = sender.send_request(request("/")).await.expect("a head");
        let read = read.into_body().collect().await.expect("a body");
        assert_eq!(read.to_bytes().len(), LONG);
    }
}
