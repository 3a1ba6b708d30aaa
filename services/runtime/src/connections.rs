//! Accepts the connections of the gateway and the services, and drains them.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::files;
use crate::telemetry::names;

/// How long open requests may continue while draining.
pub const DRAIN: Duration = Duration::from_secs(20);
/// Older connections are closed gracefully, so that load spreads over new replicas.
pub const MAX_AGE: Duration = Duration::from_mins(10);
/// Interval of pings on HTTP/2 connections.
pub const KEEP_ALIVE: Duration = Duration::from_secs(30);
/// The pause after a failed accept, for example when file descriptors run out.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);
/// The least time between two warnings about rejected connections.
const WARN_INTERVAL: Duration = Duration::from_secs(10);

/// Serves each connection in a task of `tasks`, at most as many at once as the limit of open files
/// allows. When draining starts, it accepts no more and waits up to [`DRAIN`] for all tasks.
pub async fn serve_connections<F>(
    listener: TcpListener,
    draining: &CancellationToken,
    tasks: &TaskTracker,
    serve: impl Fn(TcpStream, SocketAddr) -> F,
) where
    F: Future<Output = ()> + Send + 'static,
{
    let permits = Arc::new(Semaphore::new(files::max_connections()));
    let mut warned: Option<Instant> = None;
    loop {
        let accepted = tokio::select! {
            () = draining.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => {
                let Ok(permit) = permits.clone().try_acquire_owned() else {
                    names::LIMITED.count(["connections"]);
                    if warned.is_none_or(|at| at.elapsed() >= WARN_INTERVAL) {
                        tracing::warn!("connection limit reached, closing new connections");
                        warned = Some(Instant::now());
                    }
                    continue;
                };
                // Small responses must not wait for more data.
                let _ = stream.set_nodelay(true);
                let serving = serve(stream, peer);
                tasks.spawn(async move {
                    serving.await;
                    drop(permit);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "failed to accept a connection");
                tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
            }
        }
    }
    drop(listener);
    tasks.close();
    if tokio::time::timeout(DRAIN, tasks.wait()).await.is_err() {
        let tasks = tasks.len();
        tracing::warn!(tasks, "drain timeout reached, aborting tasks");
    }
}
