//! One HTTP/2 connection to one replica, and whether a call that failed on it had reached it.

use std::error::Error;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use rustls_pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;
use tonic::body::Body;

use super::GrpcResponse;
use super::address::Address;
use crate::tls::Tls;

/// How often the other side is asked whether it still lives, and how long it may take to say so.
/// A process that hangs answers neither this nor calls.
const PING: Duration = Duration::from_secs(2);
const PING_PATIENCE: Duration = Duration::from_secs(3);

/// A request that can be sent again.
pub(super) type Request = http::Request<Full<Bytes>>;

/// Why a call has no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum CallError {
    /// The replica has not begun with it, so another may get it.
    #[error("not sent: {0}")]
    Unsent(hyper::Error),
    /// Nobody knows how far it came.
    #[error("{0}")]
    Interrupted(hyper::Error),
}

/// An open connection.
#[derive(Clone)]
pub(super) struct Connection {
    sender: SendRequest<Full<Bytes>>,
    /// Cancelled once nothing more can be sent on it; what was sent may still be answered.
    pub over: CancellationToken,
}

impl Connection {
    /// Opens one.
    pub async fn open(
        address: &Address,
        socket: SocketAddr,
        tls: Option<&Tls>,
    ) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let stream = TcpStream::connect(socket).await?;
        stream.set_nodelay(true)?;
        let Some(tls) = tls else {
            return Self::over(stream).await;
        };
        let name = ServerName::try_from(address.host.to_string())?;
        let stream = tls.connector().connect(name, stream).await?;
        Self::over(stream).await
    }

    async fn over<S>(stream: S) -> Result<Self, Box<dyn Error + Send + Sync>>
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let mut builder = Builder::new(TokioExecutor::new());
        builder
            .timer(TokioTimer::new())
            .keep_alive_interval(PING)
            .keep_alive_timeout(PING_PATIENCE)
            .keep_alive_while_idle(true);
        let (sender, connection) = builder.handshake(TokioIo::new(stream)).await?;
        let over = CancellationToken::new();
        let ended = over.clone().drop_guard();
        // By itself: calls under way are answered even when nobody keeps the connection any more.
        tokio::spawn(async move {
            let _ended = ended;
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection to a service has ended");
            }
        });
        Ok(Self { sender, over })
    }

    /// Whether more can be sent on it.
    pub fn is_over(&self) -> bool {
        self.over.is_cancelled() || self.sender.is_closed()
    }

    /// The answer to a request.
    pub async fn call(&self, request: Request) -> Result<GrpcResponse, CallError> {
        let answer = self.sender.clone().try_send_request(request).await;
        answer
            .map(|answer| answer.map(Body::new))
            .map_err(|mut failed| {
                let kept = failed.take_message().is_some();
                let error = failed.into_error();
                if kept || was_refused(&error) {
                    self.over.cancel();
                    CallError::Unsent(error)
                } else {
                    CallError::Interrupted(error)
                }
            })
    }
}

/// Whether the other side said that it did not begin with the call: it goes away and named the last
/// call it had begun with, or refused this one alone.
fn was_refused(error: &hyper::Error) -> bool {
    let mut source = Error::source(error);
    while let Some(error) = source {
        if let Some(error) = error.downcast_ref::<h2::Error>() {
            let went_away = error.is_go_away() && error.reason() == Some(h2::Reason::NO_ERROR);
            let refused = error.is_reset() && error.reason() == Some(h2::Reason::REFUSED_STREAM);
            return error.is_remote() && (went_away || refused);
        }
        source = error.source();
    }
    false
}
