//! One replica of a service: keeps a connection and watches the standard health service.

use std::error::Error;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::uri::PathAndQuery;
use http::{Uri, request};
use http_body_util::{BodyExt as _, Full};
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep, timeout};
use tonic::{Code, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use super::address::Address;
use super::connection::{CallError, Connection, Request};
use super::{GrpcRequest, GrpcResponse};
use crate::error::chain;
use crate::tls::Tls;

/// Connect timeout.
pub(super) const CONNECT: Duration = Duration::from_secs(1);
/// Back-off between attempts to connect; doubles from the first to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// A replica with pending calls and no response for this time gets calls only if no other serves.
const STALLED_MS: u64 = 500;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Health {
    Serving,
    /// Reports SERVING, but does not respond to its pending calls.
    Stalled,
    /// Connecting, or has not reported its health yet.
    Unknown,
    NotServing,
    Unreachable,
}

enum ConnectionState {
    Connecting,
    /// With the reported health: serving or not.
    Open(Connection, Option<bool>),
    Unreachable,
}

/// Shared by calls and the task that keeps the connection.
pub(super) struct Replica {
    pub socket: SocketAddr,
    pub address: Address,
    tls: Option<Tls>,
    state: Mutex<ConnectionState>,
    pending: AtomicUsize,
    /// Time of the last response, or of the first pending call; milliseconds since `created`.
    last_activity: AtomicU64,
    created: Instant,
    /// Ends the back-off.
    reconnect: Notify,
    /// Notified when the health may have changed.
    changed: Arc<watch::Sender<()>>,
}

impl Replica {
    pub fn new(
        address: Address,
        socket: SocketAddr,
        tls: Option<Tls>,
        changed: Arc<watch::Sender<()>>,
    ) -> Self {
        Self {
            socket,
            address,
            tls,
            state: Mutex::new(ConnectionState::Connecting),
            pending: AtomicUsize::new(0),
            last_activity: AtomicU64::new(0),
            created: Instant::now(),
            reconnect: Notify::new(),
            changed,
        }
    }

    fn state(&self) -> MutexGuard<'_, ConnectionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_state(&self, state: ConnectionState) {
        *self.state() = state;
        self.changed.send_replace(());
    }

    pub fn health(&self) -> Health {
        match &*self.state() {
            ConnectionState::Open(connection, _) if connection.is_closed() => Health::Unknown,
            ConnectionState::Open(_, Some(true)) if self.is_stalled() => Health::Stalled,
            ConnectionState::Open(_, Some(true)) => Health::Serving,
            ConnectionState::Open(_, Some(false)) => Health::NotServing,
            ConnectionState::Open(_, None) | ConnectionState::Connecting => Health::Unknown,
            ConnectionState::Unreachable => Health::Unreachable,
        }
    }

    /// Number of calls without a response.
    pub fn pending(&self) -> usize {
        self.pending.load(Ordering::Relaxed)
    }

    pub fn connection(&self) -> Option<Connection> {
        match &*self.state() {
            ConnectionState::Open(connection, _) if !connection.is_closed() => {
                Some(connection.clone())
            }
            _ => None,
        }
    }

    /// Reconnects now instead of after the back-off; false if it is not unreachable.
    pub fn reconnect_now(&self) -> bool {
        let mut state = self.state();
        let unreachable = matches!(&*state, ConnectionState::Unreachable);
        if unreachable {
            *state = ConnectionState::Connecting;
            self.reconnect.notify_one();
        }
        unreachable
    }

    pub async fn call(
        &self,
        connection: &Connection,
        head: &request::Parts,
        body: Bytes,
    ) -> Result<GrpcResponse, CallError> {
        let _pending = Pending::new(self);
        let response = connection.call(self.request(head, body)).await;
        self.record_activity();
        response
    }

    fn request(&self, head: &request::Parts, body: Bytes) -> Request {
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = head.method.clone();
        request.headers_mut().clone_from(&head.headers);
        let mut uri = http::uri::Parts::default();
        uri.scheme = Some(self.address.scheme.clone());
        uri.authority = Some(self.address.authority.clone());
        let path = head.uri.path_and_query().cloned();
        uri.path_and_query = Some(path.unwrap_or_else(|| PathAndQuery::from_static("/")));
        *request.uri_mut() = Uri::from_parts(uri).unwrap_or_default();
        request
    }

    fn record_activity(&self) {
        self.last_activity.store(self.elapsed(), Ordering::Relaxed);
    }

    fn is_stalled(&self) -> bool {
        // Saturating, because another call may record activity in between.
        let last_activity = self.last_activity.load(Ordering::Relaxed);
        let silent = self.elapsed().saturating_sub(last_activity);
        self.pending() > 0 && silent > STALLED_MS
    }

    fn elapsed(&self) -> u64 {
        u64::try_from(self.created.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn open(&self) -> impl Future<Output = Result<Connection, Box<dyn Error + Send + Sync>>> {
        Connection::open(&self.address, self.socket, self.tls.as_ref())
    }

    /// Logs the first failure as a warning and later ones for debugging.
    fn log_failure(&self, pause: Duration, error: &(dyn Error + 'static)) {
        if pause == FIRST_PAUSE {
            tracing::warn!(error = chain(error), replica = %self.socket, "failed to connect to a replica; retrying");
        } else {
            tracing::debug!(error, replica = %self.socket, "failed to connect to a replica; retrying");
        }
    }

    /// Connects and reconnects until the task is aborted.
    pub async fn stay_connected(self: Arc<Self>) {
        let mut pause = FIRST_PAUSE;
        loop {
            let began = Instant::now();
            match timeout(CONNECT, self.open()).await {
                Ok(Ok(connection)) => {
                    self.set_state(ConnectionState::Open(connection.clone(), None));
                    tokio::select! {
                        () = connection.closed.cancelled() => {}
                        () = self.watch_health(&connection) => {}
                    }
                }
                Ok(Err(error)) => self.log_failure(pause, &*error),
                Err(elapsed) => self.log_failure(pause, &elapsed),
            }
            if began.elapsed() > LONGEST_PAUSE {
                // The connection reached its maximum age, or the replica restarted.
                pause = FIRST_PAUSE;
                self.set_state(ConnectionState::Connecting);
                continue;
            }
            self.set_state(ConnectionState::Unreachable);
            tokio::select! {
                () = sleep(pause) => {}
                () = self.reconnect.notified() => {}
            }
            *self.state() = ConnectionState::Connecting;
            pause = LONGEST_PAUSE.min(pause * 2);
        }
    }

    /// Records the reported health until the stream ends. Without a health service it counts as
    /// serving.
    async fn watch_health(&self, connection: &Connection) {
        let service = tower::service_fn(|request: GrpcRequest| {
            let connection = connection.clone();
            async move {
                let (head, body) = request.into_parts();
                let body = body.collect().await?.to_bytes();
                let response = connection.call(self.request(&head, body)).await;
                response.map_err(|error| Status::unavailable(error.to_string()))
            }
        });
        let mut health = HealthClient::new(service);
        let mut reports = match health.watch(HealthCheckRequest::default()).await {
            Ok(reports) => reports.into_inner(),
            Err(status) if status.code() == Code::Unimplemented => {
                self.set_state(ConnectionState::Open(connection.clone(), Some(true)));
                return connection.closed.cancelled().await;
            }
            Err(_) => return,
        };
        while let Ok(Some(report)) = reports.message().await {
            let serving = report.status() == ServingStatus::Serving;
            self.set_state(ConnectionState::Open(connection.clone(), Some(serving)));
        }
    }
}

/// Counts a call as pending until it is dropped.
struct Pending<'a>(&'a Replica);

impl<'a> Pending<'a> {
    fn new(replica: &'a Replica) -> Self {
        if replica.pending.fetch_add(1, Ordering::Relaxed) == 0 {
            replica.record_activity();
        }
        Self(replica)
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        self.0.pending.fetch_sub(1, Ordering::Relaxed);
    }
}
