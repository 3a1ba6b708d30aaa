//! An HTTP/2 connection to one replica, which distinguishes unsent from interrupted calls.

use std::error::Error;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use rustls_pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;
use tonic::Status;
use tonic::body::Body;

use super::GrpcResponse;
use super::address::Address;
use crate::error::UNAVAILABLE_MESSAGE;
use crate::tls::Tls;

/// Keep-alive pings detect a process that hangs.
const PING_INTERVAL: Duration = Duration::from_secs(2);
const PING_TIMEOUT: Duration = Duration::from_secs(3);

/// A request with a complete body, so that it can be retried.
pub(super) type Request = http::Request<Full<Bytes>>;

/// Why a call has no response.
#[derive(Debug, thiserror::Error)]
pub(super) enum CallError {
    /// The replica has not processed the call; it is safe to retry.
    #[error("not sent: {0}")]
    Unsent(hyper::Error),
    /// The replica may have processed the call.
    #[error("{0}")]
    Interrupted(hyper::Error),
}

#[derive(Clone)]
pub(super) struct Connection {
    sender: SendRequest<Full<Bytes>>,
    /// Cancelled when the connection accepts no more requests; responses may still arrive.
    pub closed: CancellationToken,
}

impl Connection {
    pub async fn open(
        address: &Address,
        socket: SocketAddr,
        tls: Option<&Tls>,
    ) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let stream = TcpStream::connect(socket).await?;
        stream.set_nodelay(true)?;
        let Some(tls) = tls else {
            return Self::handshake(stream).await;
        };
        let name = ServerName::try_from(address.host.to_string())?;
        let stream = tls.connector().connect(name, stream).await?;
        Self::handshake(stream).await
    }

    async fn handshake<S>(stream: S) -> Result<Self, Box<dyn Error + Send + Sync>>
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let mut builder = Builder::new(TokioExecutor::new());
        builder
            .timer(TokioTimer::new())
            .keep_alive_interval(PING_INTERVAL)
            .keep_alive_timeout(PING_TIMEOUT)
            .keep_alive_while_idle(true);
        let (sender, connection) = builder.handshake(TokioIo::new(stream)).await?;
        let closed = CancellationToken::new();
        let guard = closed.clone().drop_guard();
        // A detached task, so that open calls complete after the connection is dropped.
        tokio::spawn(async move {
            let _guard = guard;
            if let Err(error) = connection.await {
                tracing::debug!(%error, "connection to a service closed");
            }
        });
        Ok(Self { sender, closed })
    }

    pub fn is_closed(&self) -> bool {
        self.closed.is_cancelled() || self.sender.is_closed()
    }

    pub async fn call(&self, request: Request) -> Result<GrpcResponse, CallError> {
        let response = self.sender.clone().try_send_request(request).await;
        response
            .map(|response| response.map(|body| Body::new(body.map_err(|error| cut_off(&error)))))
            .map_err(|mut failed| {
                let is_unsent = failed.take_message().is_some();
                let error = failed.into_error();
                if is_unsent || was_refused(&error) {
                    self.closed.cancel();
                    CallError::Unsent(error)
                } else {
                    CallError::Interrupted(error)
                }
            })
    }
}

/// The status of a call whose replica stopped within the response.
fn cut_off(error: &hyper::Error) -> Status {
    tracing::warn!(%error, "call was interrupted within its response");
    Status::unavailable(UNAVAILABLE_MESSAGE)
}

/// Whether the server did not process the call: GOAWAY before its stream, or `REFUSED_STREAM`.
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
