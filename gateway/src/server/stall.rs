//! Cuts off clients that stop reading a response. On a connection, the socket accepts no more
//! bytes. On an HTTP/2 stream, the connection may work, but nobody polls the next chunk of the
//! body.

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

/// Chunk size of response bodies. A client that reads less than this within the timeout is cut off.
const CHUNK_BYTES: usize = 8 * 1024;

/// A connection that fails when the peer accepts no bytes for this long.
pub struct StallTimeout<S> {
    stream: S,
    timeout: Duration,
    /// Runs while a write is pending.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<S> StallTimeout<S> {
    pub const fn new(stream: S, timeout: Duration) -> Self {
        Self {
            stream,
            timeout,
            waiting: None,
        }
    }

    /// The result of a write, unless it was pending for too long.
    fn check<T>(
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
        self.check(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.check(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.check(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let closed = Pin::new(&mut self.stream).poll_shutdown(context);
        self.check(context, closed)
    }
}

tokio::task_local! {
    /// The HTTP/2 stream of the current task.
    static STREAM: Arc<Progress>;
}

/// When the client of a stream read last.
struct Progress {
    began: Instant,
    /// Milliseconds after `began` of the last read; `OURS` while the client waits for the gateway.
    last_read: AtomicU64,
}

impl Progress {
    const OURS: u64 = u64::MAX;

    fn new() -> Self {
        Self {
            began: Instant::now(),
            last_read: AtomicU64::new(Self::OURS),
        }
    }

    /// The client has something to read from now on.
    fn offer(&self) {
        let now = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(0);
        self.last_read.store(now, Ordering::Relaxed);
    }

    fn wait_for_us(&self) {
        self.last_read.store(Self::OURS, Ordering::Relaxed);
    }

    /// Returns once the client has read nothing for `timeout`.
    async fn stalled(&self, timeout: Duration) {
        loop {
            let since = match self.last_read.load(Ordering::Relaxed) {
                Self::OURS => Instant::now(),
                last_read => self.began + Duration::from_millis(last_read),
            };
            if since.elapsed() >= timeout {
                return;
            }
            tokio::time::sleep_until(since + timeout).await;
        }
    }
}

/// Runs the streams of HTTP/2 connections; resets those whose client reads nothing for this long.
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
                // Dropping the stream resets it.
                () = watched.stalled(timeout) => names::LIMITED.count(["stalled"]),
            }
        }));
    }
}

/// A response body in small chunks, whose polling shows whether the client reads.
pub struct ChunkedBody {
    body: Body,
    /// The rest of the last frame.
    left: Bytes,
}

impl ChunkedBody {
    /// Call when the response head is complete.
    pub fn new(body: Body) -> Self {
        let _ = STREAM.try_with(|progress| progress.offer());
        Self {
            body,
            left: Bytes::new(),
        }
    }
}

impl HttpBody for ChunkedBody {
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
        let length = self.left.len().min(CHUNK_BYTES);
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
    async fn stall_timeout_fails_when_nothing_is_read() {
        let (near, mut far) = tokio::io::duplex(1000);
        let mut near = StallTimeout::new(near, STALL_TIMEOUT);
        // A slow reader.
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
        let error = near.write_all(&[0; 3000]).await.expect_err("a timeout");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(began.elapsed() >= STALL_TIMEOUT);
    }

    /// Serves a long response at `/` and a late one at `/late`.
    fn serve(stream: DuplexStream) {
        let builder = Builder::new(Streams {
            timeout: STALL_TIMEOUT,
        });
        let service =
            hyper::service::service_fn(async |request: http::Request<hyper::body::Incoming>| {
                if request.uri().path() == "/" {
                    let body = ChunkedBody::new(Body::from(vec![0; LONG]));
                    return Ok::<_, Infallible>(http::Response::new(body));
                }
                let late = futures::stream::once(async {
                    tokio::time::sleep(3 * STALL_TIMEOUT).await;
                    Ok::<_, io::Error>("late")
                });
                Ok(http::Response::new(ChunkedBody::new(Body::from_stream(
                    late,
                ))))
            });
        tokio::spawn(async move {
            let connection = builder.serve_connection(TokioIo::new(stream), service);
            let _ = connection.await;
        });
    }

    #[tokio::test]
    async fn streams_reset_a_stream_that_is_not_read() {
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
        assert!(unread.is_err(), "the stream was not reset");
        // The connection still works.
        let read = sender.send_request(request("/")).await.expect("a head");
        let read = read.into_body().collect().await.expect("a body");
        assert_eq!(read.to_bytes().len(), LONG);
    }
}
