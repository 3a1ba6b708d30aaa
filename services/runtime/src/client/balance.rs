//! Client-side load balancing over the replicas of a service.
//!
//! tonic's own balancer also picks endpoints that are down (grpc-rust issue 2839) and does not use
//! the health service (issue 2182).

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use bytes::Bytes;
use http::request::Parts;
use http_body_util::BodyExt as _;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_util::task::AbortOnDropHandle;
use tonic::Status;

use super::address::Address;
use super::connection::{CallError, Connection};
use super::replica::{CONNECT, Health, Replica};
use super::{GrpcRequest, GrpcResponse};
use crate::error::UNAVAILABLE_MESSAGE;
use crate::identity::Service;
use crate::telemetry::names;
use crate::tls::Tls;

/// Interval and timeout of DNS lookups.
const RESOLVE: Duration = Duration::from_secs(5);
/// Interval while no replica is known, because calls wait for the first one.
const RESOLVE_EMPTY: Duration = Duration::from_millis(500);
/// Retries of an unsent call on another replica.
const RETRIES: usize = 2;

/// A service that may have many replicas.
#[derive(Clone)]
pub(super) struct Balanced {
    replicas: Arc<Replicas>,
    _resolver: Arc<AbortOnDropHandle<()>>,
}

/// A replica and the task that keeps it connected.
#[derive(Clone)]
struct ReplicaHandle {
    replica: Arc<Replica>,
    _connector: Arc<AbortOnDropHandle<()>>,
}

impl ReplicaHandle {
    fn start(replica: Replica) -> Self {
        let replica = Arc::new(replica);
        let connector = tokio::spawn(replica.clone().stay_connected());
        Self {
            replica,
            _connector: Arc::new(AbortOnDropHandle::new(connector)),
        }
    }
}

struct Replicas {
    service: Service,
    tls: Option<Tls>,
    /// None until the first lookup is done.
    all: RwLock<Option<Arc<[ReplicaHandle]>>>,
    changed: Arc<watch::Sender<()>>,
    next: AtomicUsize,
}

enum Choice {
    Take(Arc<Replica>, Connection),
    /// No replica serves yet, but one may soon. The fallback is used if none does.
    Wait(Option<(Arc<Replica>, Connection)>),
    Unreachable,
}

impl Balanced {
    /// Starts resolving and connecting. Needs a Tokio runtime.
    pub fn start(service: Service, addresses: Vec<Address>, tls: Option<Tls>) -> Self {
        let replicas = Arc::new(Replicas {
            service,
            tls,
            all: RwLock::default(),
            changed: Arc::default(),
            next: AtomicUsize::new(0),
        });
        let resolver = tokio::spawn(replicas.clone().resolve(addresses));
        Self {
            replicas,
            _resolver: Arc::new(AbortOnDropHandle::new(resolver)),
        }
    }

    pub async fn call(&self, request: GrpcRequest) -> Result<GrpcResponse, Status> {
        let (head, body) = request.into_parts();
        let body = body.collect().await?.to_bytes();
        self.replicas.call(&head, &body).await
    }
}

impl Replicas {
    async fn call(&self, head: &Parts, body: &Bytes) -> Result<GrpcResponse, Status> {
        let name = self.service.name();
        for attempt in 0..=RETRIES {
            let Some((replica, connection)) = self.choose().await else {
                tracing::warn!(service = name, "no replica is reachable; the call fails");
                break;
            };
            match replica.call(&connection, head, body.clone()).await {
                Ok(response) => return Ok(response),
                Err(CallError::Unsent(error)) => {
                    tracing::debug!(%error, service = name, replica = %replica.socket, "call was not sent");
                    if attempt < RETRIES {
                        names::BACKEND_RETRIES.count([name, "not_sent"]);
                    }
                }
                Err(CallError::Interrupted(error)) => {
                    tracing::warn!(%error, service = name, replica = %replica.socket, "call was interrupted");
                    break;
                }
            }
        }
        Err(Status::unavailable(UNAVAILABLE_MESSAGE))
    }

    /// Picks a replica; waits up to [`CONNECT`] for one that is connecting.
    async fn choose(&self) -> Option<(Arc<Replica>, Connection)> {
        let until = Instant::now() + CONNECT;
        let mut changed = self.changed.subscribe();
        let mut reconnecting = false;
        loop {
            changed.borrow_and_update();
            match self.pick() {
                Choice::Take(replica, connection) => return Some((replica, connection)),
                Choice::Wait(fallback) => {
                    if timeout_at(until, changed.changed()).await.is_err() {
                        return fallback;
                    }
                }
                // A refused connection fails fast, so each call tries to connect.
                Choice::Unreachable if !reconnecting && self.reconnect_now() => reconnecting = true,
                Choice::Unreachable => return None,
            }
        }
    }

    /// Reconnects all unreachable replicas; false if there are none.
    fn reconnect_now(&self) -> bool {
        let all = self.all();
        let replicas = all.iter().flat_map(|all| all.iter());
        // Not `any`, which ends at the first one.
        replicas
            .filter(|handle| handle.replica.reconnect_now())
            .count()
            > 0
    }

    fn all(&self) -> Option<Arc<[ReplicaHandle]>> {
        let all = self.all.read().unwrap_or_else(PoisonError::into_inner);
        all.clone()
    }

    /// Takes the next two serving replicas, round robin, and picks the one with fewer pending calls.
    fn pick(&self) -> Choice {
        let Some(all) = self.all() else {
            return Choice::Wait(None);
        };
        if all.is_empty() {
            return Choice::Unreachable;
        }
        let first = self.next.fetch_add(1, Ordering::Relaxed) % all.len();
        let rotated = all[first..].iter().chain(&all[..first]);
        let rotated: Vec<_> = rotated
            .map(|handle| (&handle.replica, handle.replica.health()))
            .collect();
        let least_loaded = |health| {
            let candidates = rotated.iter().filter(move |(_, is)| *is == health);
            candidates
                .take(2)
                .filter_map(|(replica, _)| Some((*replica, replica.connection()?)))
                .min_by_key(|(replica, _)| replica.pending())
                .map(|(replica, connection)| (replica.clone(), connection))
        };
        let serving = least_loaded(Health::Serving).or_else(|| least_loaded(Health::Stalled));
        if let Some((replica, connection)) = serving {
            return Choice::Take(replica, connection);
        }
        let not_serving = least_loaded(Health::NotServing);
        let any_unknown = rotated.iter().any(|(_, is)| *is == Health::Unknown);
        match not_serving {
            _ if any_unknown => Choice::Wait(least_loaded(Health::Unknown).or(not_serving)),
            Some((replica, connection)) => Choice::Take(replica, connection),
            None => Choice::Unreachable,
        }
    }

    /// Resolves the names periodically, and updates the gauges when a replica changes.
    async fn resolve(self: Arc<Self>, addresses: Vec<Address>) {
        let mut changed = self.changed.subscribe();
        loop {
            self.resolve_once(&addresses).await;
            let is_empty = self.all().is_none_or(|all| all.is_empty());
            let next = sleep(if is_empty { RESOLVE_EMPTY } else { RESOLVE });
            tokio::pin!(next);
            loop {
                tokio::select! {
                    () = &mut next => break,
                    _ = changed.changed() => self.set_gauges(),
                }
            }
        }
    }

    async fn resolve_once(&self, addresses: &[Address]) {
        let before = self.all();
        let mut found: Vec<(Address, _)> = Vec::new();
        for address in addresses {
            let Ok(Ok(sockets)) = timeout(RESOLVE, address.resolve()).await else {
                // Logged once while no replica is known.
                if before.as_ref().is_none_or(|all| !all.is_empty()) {
                    let host = &*address.host;
                    tracing::warn!(host, "failed to resolve host name; keeping known replicas");
                }
                let known = before.iter().flat_map(|all| all.iter());
                let known = known.filter(|handle| handle.replica.address == *address);
                found.extend(known.map(|handle| (address.clone(), handle.replica.socket)));
                continue;
            };
            found.extend(sockets.into_iter().map(|socket| (address.clone(), socket)));
        }
        found.sort_by_key(|(_, socket)| *socket);
        found.dedup_by_key(|(_, socket)| *socket);
        let unchanged = before.as_ref().is_some_and(|all| {
            let known = all.iter().map(|handle| &handle.replica);
            known
                .map(|replica| (&replica.address, replica.socket))
                .eq(found.iter().map(|(address, socket)| (address, *socket)))
        });
        if !unchanged {
            self.take_over(before.as_deref(), found);
        }
    }

    /// Keeps known replicas, connects to new ones and drops those that are gone.
    fn take_over(&self, before: Option<&[ReplicaHandle]>, found: Vec<(Address, SocketAddr)>) {
        tracing::info!(
            service = self.service.name(),
            replicas = found.len(),
            "replicas resolved"
        );
        let mut all = Vec::new();
        for (address, socket) in found {
            let known = before.unwrap_or_default().iter();
            let mut known = known.filter(|handle| handle.replica.socket == socket);
            let known = known.find(|handle| handle.replica.address == address);
            all.push(known.cloned().unwrap_or_else(|| {
                ReplicaHandle::start(Replica::new(
                    address,
                    socket,
                    self.tls.clone(),
                    self.changed.clone(),
                ))
            }));
        }
        *self.all.write().unwrap_or_else(PoisonError::into_inner) = Some(all.into());
        self.changed.send_replace(());
    }

    fn set_gauges(&self) {
        let all = self.all();
        let replicas = || all.iter().flat_map(|all| all.iter());
        let serving = replicas().filter(|handle| {
            let health = handle.replica.health();
            matches!(health, Health::Serving | Health::Stalled)
        });
        let serving = u32::try_from(serving.count()).unwrap_or(u32::MAX);
        let count = u32::try_from(replicas().count()).unwrap_or(u32::MAX);
        let gauge = |state| names::BACKEND_REPLICAS.gauge([self.service.name(), state]);
        gauge("serving").set(serving);
        gauge("not_serving").set(count.saturating_sub(serving));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn take_over_keeps_known_connections() {
        let replicas = Replicas {
            service: Service::Equipment,
            tls: None,
            all: RwLock::default(),
            changed: Arc::default(),
            next: AtomicUsize::new(0),
        };
        let address = Address::parse_list("http://equipment:1").expect("an address");
        let take_over = |ports: &[u16]| {
            let socket = |port: &u16| {
                (
                    address[0].clone(),
                    SocketAddr::from(([127, 0, 0, 1], *port)),
                )
            };
            let before = replicas.all();
            replicas.take_over(before.as_deref(), ports.iter().map(socket).collect());
            replicas.all().expect("resolved replicas")
        };
        let before = take_over(&[1, 2]);
        let after = take_over(&[2, 3]);
        let ports: Vec<_> = after
            .iter()
            .map(|handle| handle.replica.socket.port())
            .collect();
        assert_eq!(ports, [2, 3]);
        assert!(Arc::ptr_eq(&before[1].replica, &after[0].replica));
        // The task that connects to the dropped replica ends.
        let gone = Arc::downgrade(&before[0].replica);
        drop(before);
        while gone.strong_count() > 0 {
            tokio::task::yield_now().await;
        }
    }
}
