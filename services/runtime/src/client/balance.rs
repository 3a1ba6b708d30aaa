//! All replicas of a service, and which of them gets a call.

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

/// How often names are looked up, and how long that may take.
const LOOK_UP: Duration = Duration::from_secs(5);
/// The same while nothing was found: somebody waits for the first to appear.
const LOOK_UP_EMPTY: Duration = Duration::from_millis(500);
/// How often a call that was not sent is sent to another replica.
const REPEATS: usize = 2;

/// A service that may have many replicas.
#[derive(Clone)]
pub(super) struct Balanced {
    replicas: Arc<Replicas>,
    _finding: Arc<AbortOnDropHandle<()>>,
}

/// A replica, and the task that keeps it connected.
#[derive(Clone)]
struct ReplicaHandle {
    replica: Arc<Replica>,
    _keeping: Arc<AbortOnDropHandle<()>>,
}

impl ReplicaHandle {
    fn start(replica: Replica) -> Self {
        let replica = Arc::new(replica);
        let keeping = tokio::spawn(replica.clone().keep());
        Self {
            replica,
            _keeping: Arc::new(AbortOnDropHandle::new(keeping)),
        }
    }
}

struct Replicas {
    service: Service,
    tls: Option<Tls>,
    /// None until the names were looked up once.
    all: RwLock<Option<Arc<[ReplicaHandle]>>>,
    changed: Arc<watch::Sender<()>>,
    turn: AtomicUsize,
}

/// What there is to choose from.
enum Choice {
    /// This one.
    Take(Arc<Replica>, Connection),
    /// None serves yet, but one may soon; if not, this one can be tried.
    Wait(Option<(Arc<Replica>, Connection)>),
    /// None can be reached.
    None,
}

impl Balanced {
    /// Begins to look for replicas; needs a runtime.
    pub fn start(service: Service, addresses: Vec<Address>, tls: Option<Tls>) -> Self {
        let replicas = Arc::new(Replicas {
            service,
            tls,
            all: RwLock::default(),
            changed: Arc::default(),
            turn: AtomicUsize::new(0),
        });
        let finding = tokio::spawn(replicas.clone().find(addresses));
        Self {
            replicas,
            _finding: Arc::new(AbortOnDropHandle::new(finding)),
        }
    }

    /// Makes a call.
    pub async fn call(&self, request: GrpcRequest) -> Result<GrpcResponse, Status> {
        let (head, body) = request.into_parts();
        let body = body.collect().await?.to_bytes();
        self.replicas.call(&head, &body).await
    }
}

impl Replicas {
    async fn call(&self, head: &Parts, body: &Bytes) -> Result<GrpcResponse, Status> {
        let name = self.service.name();
        for repeat in 0..=REPEATS {
            let Some((replica, connection)) = self.choose().await else {
                tracing::warn!(service = name, "no replica can be reached");
                break;
            };
            match replica.call(&connection, head, body.clone()).await {
                Ok(answer) => return Ok(answer),
                Err(CallError::Unsent(error)) => {
                    tracing::debug!(%error, service = name, replica = %replica.socket, "not sent");
                    if repeat < REPEATS {
                        names::BACKEND_RETRIES.count([name, "not_sent"]);
                    }
                }
                Err(CallError::Interrupted(error)) => {
                    tracing::warn!(%error, service = name, replica = %replica.socket, "a call is lost");
                    break;
                }
            }
        }
        Err(Status::unavailable(UNAVAILABLE_MESSAGE))
    }

    /// A replica to send a call to, waiting a moment for one that is about to be there.
    async fn choose(&self) -> Option<(Arc<Replica>, Connection)> {
        let until = Instant::now() + CONNECT;
        let mut changed = self.changed.subscribe();
        let mut poked = false;
        loop {
            changed.borrow_and_update();
            match self.look() {
                Choice::Take(replica, connection) => return Some((replica, connection)),
                Choice::Wait(second_best) => {
                    if timeout_at(until, changed.changed()).await.is_err() {
                        return second_best;
                    }
                }
                // A refused connection is told fast, so it is tried for each call.
                Choice::None if !poked => poked = self.reconnect_now()?,
                Choice::None => return None,
            }
        }
    }

    fn reconnect_now(&self) -> Option<bool> {
        let all = self.all()?;
        let poked = all
            .iter()
            .filter(|kept| kept.replica.reconnect_now())
            .count();
        (poked > 0).then_some(true)
    }

    fn all(&self) -> Option<Arc<[ReplicaHandle]>> {
        let all = self.all.read().unwrap_or_else(PoisonError::into_inner);
        all.clone()
    }

    /// Of two in turn that serve, the one with fewer calls pending.
    fn look(&self) -> Choice {
        let Some(all) = self.all() else {
            return Choice::Wait(None);
        };
        if all.is_empty() {
            return Choice::None;
        }
        let turn = self.turn.fetch_add(1, Ordering::Relaxed) % all.len();
        let in_turn = all[turn..].iter().chain(&all[..turn]);
        let in_turn: Vec<_> = in_turn
            .map(|kept| (&kept.replica, kept.replica.health()))
            .collect();
        let of = |health| {
            let fit = in_turn.iter().filter(move |(_, is)| *is == health);
            fit.take(2)
                .filter_map(|(replica, _)| Some((*replica, replica.connection()?)))
                .min_by_key(|(replica, _)| replica.pending())
                .map(|(replica, connection)| (replica.clone(), connection))
        };
        let serving = of(Health::Serving).or_else(|| of(Health::Stalled));
        if let Some((replica, connection)) = serving {
            return Choice::Take(replica, connection);
        }
        let not_serving = of(Health::NotServing);
        let unsure = in_turn.iter().any(|(_, is)| *is == Health::Unknown);
        match not_serving {
            _ if unsure => Choice::Wait(of(Health::Unknown).or(not_serving)),
            Some((replica, connection)) => Choice::Take(replica, connection),
            None => Choice::None,
        }
    }

    /// Looks the names up again and again.
    async fn find(self: Arc<Self>, addresses: Vec<Address>) {
        let mut changed = self.changed.subscribe();
        loop {
            self.find_once(&addresses).await;
            let nothing = self.all().is_none_or(|all| all.is_empty());
            let next = sleep(if nothing { LOOK_UP_EMPTY } else { LOOK_UP });
            tokio::pin!(next);
            loop {
                tokio::select! {
                    () = &mut next => break,
                    _ = changed.changed() => self.count(),
                }
            }
        }
    }

    async fn find_once(&self, addresses: &[Address]) {
        let before = self.all();
        let mut found: Vec<(Address, _)> = Vec::new();
        for address in addresses {
            let Ok(Ok(sockets)) = timeout(LOOK_UP, address.look_up()).await else {
                // Once, not each time while there is none.
                if before.as_ref().is_none_or(|all| !all.is_empty()) {
                    let host = &*address.host;
                    tracing::warn!(host, "a service's name can't be looked up");
                }
                // Those known under the name stay.
                let known = before.iter().flat_map(|all| all.iter());
                let known = known.filter(|kept| kept.replica.address == *address);
                found.extend(known.map(|kept| (address.clone(), kept.replica.socket)));
                continue;
            };
            found.extend(sockets.into_iter().map(|socket| (address.clone(), socket)));
        }
        found.sort_by_key(|(_, socket)| *socket);
        found.dedup_by_key(|(_, socket)| *socket);
        let unchanged = before.as_ref().is_some_and(|all| {
            let known = all.iter().map(|kept| &kept.replica);
            known
                .map(|replica| (&replica.address, replica.socket))
                .eq(found.iter().map(|(address, socket)| (address, *socket)))
        });
        if !unchanged {
            self.take_over(before.as_deref(), found);
        }
    }

    /// Keeps those that are still found, begins with the new ones and lets go of the others.
    fn take_over(&self, before: Option<&[ReplicaHandle]>, found: Vec<(Address, SocketAddr)>) {
        tracing::info!(
            service = self.service.name(),
            replicas = found.len(),
            "found"
        );
        let mut all = Vec::new();
        for (address, socket) in found {
            let known = before.unwrap_or_default().iter();
            let mut known = known.filter(|kept| kept.replica.socket == socket);
            let kept = known.find(|kept| kept.replica.address == address);
            all.push(kept.cloned().unwrap_or_else(|| {
                ReplicaHandle::start(Replica::new(
                    address,
                    socket,
                    self.tls.clone(),
                    self.changed.clone(),
                ))
            }));
        }
        let mut now = self.all.write().unwrap_or_else(PoisonError::into_inner);
        *now = Some(all.into());
        drop(now);
        self.changed.send_replace(());
    }

    /// Sets the gauges.
    fn count(&self) {
        let all = self.all();
        let replicas = || all.iter().flat_map(|all| all.iter());
        let serving = replicas().filter(|kept| {
            let health = kept.replica.health();
            matches!(health, Health::Serving | Health::Stalled)
        });
        let serving = u32::try_from(serving.count()).unwrap_or(u32::MAX);
        let count = u32::try_from(replicas().count()).unwrap_or(u32::MAX);
        let name = self.service.name();
        names::BACKEND_REPLICAS
            .gauge([name, "serving"])
            .set(serving);
        let others = count.saturating_sub(serving);
        names::BACKEND_REPLICAS
            .gauge([name, "not_serving"])
            .set(others);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_still_found_keeps_its_connection() {
        let replicas = Replicas {
            service: Service::Equipment,
            tls: None,
            all: RwLock::default(),
            changed: Arc::default(),
            turn: AtomicUsize::new(0),
        };
        let address = Address::parse_list("http://equipment:1").expect("an address");
        let find = |ports: &[u16]| {
            let socket = |port: &u16| {
                (
                    address[0].clone(),
                    SocketAddr::from(([127, 0, 0, 1], *port)),
                )
            };
            let before = replicas.all();
            replicas.take_over(before.as_deref(), ports.iter().map(socket).collect());
            replicas.all().expect("they were found")
        };
        let before = find(&[1, 2]);
        let after = find(&[2, 3]);
        let ports: Vec<_> = after
            .iter()
            .map(|kept| kept.replica.socket.port())
            .collect();
        assert_eq!(ports, [2, 3]);
        assert!(Arc::ptr_eq(&before[1].replica, &after[0].replica));
        // Nobody tries to reach the one that went.
        let gone = Arc::downgrade(&before[0].replica);
        drop(before);
        while gone.strong_count() > 0 {
            tokio::task::yield_now().await;
        }
    }
}
