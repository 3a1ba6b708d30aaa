//! One replica of a service: kept connected, and asked how it is by the standard health service.

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

/// How long a connection may take to come about.
pub(super) const CONNECT: Duration = Duration::from_secs(1);
/// The pause after a first attempt in vain; doubles up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// A replica that answers nothing for so long gets nothing more while another answers.
const STALLED_MS: u64 = 500;

/// How a replica is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Health {
    /// Connected, and says that it serves.
    Serving,
    /// The same, but it has not answered what it was sent.
    Stalled,
    /// Connected, and has not said yet whether it serves; or a connection is on its way.
    Unknown,
    /// Connected, and says that it does not serve.
    NotServing,
    /// Can't be reached.
    Unreachable,
}

enum ConnectionState {
    Connecting,
    Open(Connection, Option<bool>),
    Unreachable,
}

/// What calls and the task that keeps it connected share.
pub(super) struct Replica {
    pub socket: SocketAddr,
    pub address: Address,
    tls: Option<Tls>,
    link: Mutex<ConnectionState>,
    pending: AtomicUsize,
    /// When it last answered, or was last sent something while nothing was pending.
    last_sign: AtomicU64,
    began: Instant,
    /// Tells to connect now instead of after the pause.
    poked: Notify,
    /// Told whenever the health may have changed.
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
            link: Mutex::new(ConnectionState::Connecting),
            pending: AtomicUsize::new(0),
            last_sign: AtomicU64::new(0),
            began: Instant::now(),
            poked: Notify::new(),
            changed,
        }
    }

    fn link(&self) -> MutexGuard<'_, ConnectionState> {
        self.link.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, link: ConnectionState) {
        *self.link() = link;
        self.changed.send_replace(());
    }

    pub fn health(&self) -> Health {
        match &*self.link() {
            ConnectionState::Open(connection, _) if connection.is_over() => Health::Unknown,
            ConnectionState::Open(_, Some(true)) if self.is_stalled() => Health::Stalled,
            ConnectionState::Open(_, Some(true)) => Health::Serving,
            ConnectionState::Open(_, Some(false)) => Health::NotServing,
            ConnectionState::Open(_, None) | ConnectionState::Connecting => Health::Unknown,
            ConnectionState::Unreachable => Health::Unreachable,
        }
    }

    /// Calls it has not answered yet.
    pub fn pending(&self) -> usize {
        self.pending.load(Ordering::Relaxed)
    }

    /// The connection, if there is one.
    pub fn connection(&self) -> Option<Connection> {
        match &*self.link() {
            ConnectionState::Open(connection, _) if !connection.is_over() => {
                Some(connection.clone())
            }
            _ => None,
        }
    }

    /// Has it connected to at once if it could not be reached. False: there is nothing to hope for.
    pub fn reconnect_now(&self) -> bool {
        let mut link = self.link();
        let away = matches!(&*link, ConnectionState::Unreachable);
        if away {
            *link = ConnectionState::Connecting;
            self.poked.notify_one();
        }
        away
    }

    /// Makes a call on its connection.
    pub async fn call(
        &self,
        connection: &Connection,
        head: &request::Parts,
        body: Bytes,
    ) -> Result<GrpcResponse, CallError> {
        let _pending = Pending::new(self);
        let answer = connection.call(self.request(head, body)).await;
        self.sign();
        answer
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

    fn sign(&self) {
        self.last_sign.store(self.elapsed(), Ordering::Relaxed);
    }

    fn is_stalled(&self) -> bool {
        // Another call may have had a sign of it since.
        let last_sign = self.last_sign.load(Ordering::Relaxed);
        let silent = self.elapsed().saturating_sub(last_sign);
        self.pending() > 0 && silent > STALLED_MS
    }

    fn elapsed(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn open(&self) -> impl Future<Output = Result<Connection, Box<dyn Error + Send + Sync>>> {
        Connection::open(&self.address, self.socket, self.tls.as_ref())
    }

    /// Once when it is lost, and then only to those who want to know everything.
    fn tell(&self, pause: Duration, error: &(dyn Error + 'static)) {
        if pause == FIRST_PAUSE {
            tracing::warn!(error = chain(error), replica = %self.socket, "a replica can't be reached");
        } else {
            tracing::debug!(error, replica = %self.socket, "a replica can't be reached");
        }
    }

    /// Keeps it connected, for ever.
    pub async fn keep(self: Arc<Self>) {
        let mut pause = FIRST_PAUSE;
        loop {
            let began = Instant::now();
            match timeout(CONNECT, self.open()).await {
                Ok(Ok(connection)) => {
                    self.set(ConnectionState::Open(connection.clone(), None));
                    tokio::select! {
                        () = connection.over.cancelled() => {}
                        () = self.follow_health(&connection) => {}
                    }
                }
                Ok(Err(error)) => self.tell(pause, &*error),
                Err(late) => self.tell(pause, &late),
            }
            if began.elapsed() > LONGEST_PAUSE {
                // It was there: its connection was too old, or it has been started again.
                pause = FIRST_PAUSE;
                self.set(ConnectionState::Connecting);
                continue;
            }
            self.set(ConnectionState::Unreachable);
            tokio::select! {
                () = sleep(pause) => {}
                () = self.poked.notified() => {}
            }
            *self.link() = ConnectionState::Connecting;
            pause = LONGEST_PAUSE.min(pause * 2);
        }
    }

    /// Notes what the replica says of itself, until it says nothing more.
    async fn follow_health(&self, connection: &Connection) {
        let service = tower::service_fn(|request: GrpcRequest| {
            let connection = connection.clone();
            async move {
                let (head, body) = request.into_parts();
                let body = body.collect().await?.to_bytes();
                let answer = connection.call(self.request(&head, body)).await;
                answer.map_err(|error| Status::unavailable(error.to_string()))
            }
        });
        let mut health = HealthClient::new(service);
        let mut said = match health.watch(HealthCheckRequest::default()).await {
            Ok(said) => said.into_inner(),
            Err(status) if status.code() == Code::Unimplemented => {
                self.set(ConnectionState::Open(connection.clone(), Some(true)));
                return connection.over.cancelled().await;
            }
            Err(_) => return,
        };
        while let Ok(Some(said)) = said.message().await {
            let serving = said.status() == ServingStatus::Serving;
            self.set(ConnectionState::Open(connection.clone(), Some(serving)));
        }
    }
}

/// A call that waits for its answer.
struct Pending<'a>(&'a Replica);

impl<'a> Pending<'a> {
    fn new(replica: &'a Replica) -> Self {
        if replica.pending.fetch_add(1, Ordering::Relaxed) == 0 {
            replica.sign();
        }
        Self(replica)
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        self.0.pending.fetch_sub(1, Ordering::Relaxed);
    }
}
