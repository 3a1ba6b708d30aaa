//! The watchers of this process, by company. One that does not read costs only a few bits.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::events::{Event, Events, Topic};
use hourmeter_runtime::telemetry::{GaugeGuard, names};
use tokio::sync::Notify;
use tokio::sync::broadcast::{self, error::RecvError};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::audience::{Audience, Topics};
use crate::requester::Requester;

/// Watchers of one company with operator audience: the crew's phones.
const MAX_OPERATORS: usize = 500;
/// Watchers of one company who see all. Limited separately, so that no crew keeps a manager out.
const MAX_MANAGERS: usize = 200;
/// Watchers of one session: its tabs. Not of one person, since all users of the shared operator
/// password are the same person.
const MAX_OF_SESSION: usize = 20;
const MAX_WATCHERS: usize = 10_000;
/// Divisor of the free slots that one company may take per kind, so that a few companies can't take
/// all.
const FREE_SLOT_DIVISOR: usize = 8;
/// `Retry-After` when the limit is reached.
const RETRY_SECONDS: u64 = 30;

pub struct Watcher {
    audience: Audience,
    topics: Topics,
    session_id: Uuid,
    requester: Arc<Requester>,
    pending: AtomicU8,
    /// Notified when something is pending.
    pub wake: Notify,
}

impl Watcher {
    fn notify(&self, topic: Topic) {
        if self.topics.contains(topic) {
            self.pending
                .fetch_or(Topics::of(topic).0, Ordering::Relaxed);
            self.wake.notify_one();
        }
    }

    pub fn take(&self) -> Topics {
        Topics(self.pending.swap(0, Ordering::Relaxed))
    }
}

struct Company {
    watchers: HashMap<u64, Arc<Watcher>>,
    watch: Arc<CompanyWatch>,
}

impl Company {
    fn new(company_id: Uuid) -> Self {
        Self {
            watchers: HashMap::new(),
            watch: Arc::new(CompanyWatch {
                company_id,
                ..CompanyWatch::default()
            }),
        }
    }

    fn count(&self, which: impl Fn(&Watcher) -> bool) -> usize {
        self.watchers
            .values()
            .filter(|watcher| which(watcher))
            .count()
    }
}

/// The state that watchers share with the poller.
#[derive(Default)]
pub struct CompanyWatch {
    pub company_id: Uuid,
    /// Cancelled when the last watcher leaves.
    pub closed: CancellationToken,
    /// Notified when a watcher with a new audience joins, or events may have been lost.
    pub joined: Notify,
    /// Events received, by topic.
    received: [AtomicU64; Topic::ALL.len()],
    /// Events may have been lost.
    is_distrusted: AtomicBool,
}

impl CompanyWatch {
    pub fn received(&self, topic: Topic) -> u64 {
        self.received[topic as usize].load(Ordering::Relaxed)
    }

    /// Whether events may have been lost since the last call.
    pub fn take_distrust(&self) -> bool {
        self.is_distrusted.swap(false, Ordering::Relaxed)
    }
}

#[derive(Default)]
struct Registry {
    companies: HashMap<Uuid, Company>,
    count: usize,
    next_id: u64,
    is_listening: bool,
}

#[derive(Default)]
pub struct Watchers(Mutex<Registry>);

impl Watchers {
    fn lock(&self) -> MutexGuard<'_, Registry> {
        // Changes are complete before anything can panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the sender of a request as a watcher. Returns its guard and, for the first watcher of a
    /// company, the watch whose markers must be polled.
    pub fn join(
        self: &Arc<Self>,
        events: &Events,
        requester: &Arc<Requester>,
        topics: Topics,
    ) -> Result<(WatcherGuard, Option<Arc<CompanyWatch>>), ServiceError> {
        let identity = requester.identity().ok_or_else(ServiceError::forbidden)?;
        let company_id = identity.company_id;
        let watcher = Arc::new(Watcher {
            audience: Audience::of(identity),
            topics,
            session_id: identity.session_id,
            requester: requester.clone(),
            pending: AtomicU8::new(0),
            wake: Notify::new(),
        });
        let mut all = self.lock();
        if all.is_full(company_id, watcher.audience, watcher.session_id) {
            names::LIMITED.count(["watch_streams"]);
            return Err(ServiceError::too_many(RETRY_SECONDS));
        }
        if !std::mem::replace(&mut all.is_listening, true) {
            // Subscribes before the first message, so that no later event is lost.
            tokio::spawn(listen(self.clone(), events.subscribe()));
        }
        all.next_id += 1;
        all.count += 1;
        let id = all.next_id;
        let company = all.companies.entry(company_id);
        let company = company.or_insert_with(|| Company::new(company_id));
        let is_first = company.watchers.is_empty();
        let watch = is_first.then(|| company.watch.clone());
        if company.count(|other| other.audience == watcher.audience) == 0 {
            company.watch.joined.notify_one();
        }
        company.watchers.insert(id, watcher.clone());
        drop(all);
        let guard = WatcherGuard {
            all: self.clone(),
            company_id,
            id,
            watcher,
            _counted: GaugeGuard::new(&names::WATCH_STREAMS.gauge(names::NO_LABELS)),
        };
        Ok((guard, watch))
    }

    /// Forwards an event to the watchers it concerns.
    fn on_event(&self, event: Event) {
        let all = self.lock();
        let Some(company) = all.companies.get(&event.company_id) else {
            return;
        };
        company.watch.received[event.topic as usize].fetch_add(1, Ordering::Relaxed);
        for watcher in company.watchers.values() {
            if watcher.audience.concerns(event.topic, event.person_id) {
                watcher.notify(event.topic);
            }
        }
    }

    /// Makes every company poll its markers now, because events may have been lost.
    fn distrust_all(&self) {
        for company in self.lock().companies.values() {
            company.watch.is_distrusted.store(true, Ordering::Relaxed);
            company.watch.joined.notify_one();
        }
    }

    /// Notifies the watchers of an audience of a change.
    pub fn publish(&self, company_id: Uuid, audience: Audience, topic: Topic) {
        for watcher in self.lock().watchers_of(company_id) {
            if topic == Topic::Equipment || watcher.audience == audience {
                watcher.notify(topic);
            }
        }
    }

    /// One requester for each audience of a company, managers first.
    pub fn audiences(&self, company_id: Uuid) -> Vec<(Audience, Arc<Requester>)> {
        let all = self.lock();
        let watchers = all.watchers_of(company_id);
        let audiences: HashMap<Audience, Arc<Requester>> = watchers
            .map(|watcher| (watcher.audience, watcher.requester.clone()))
            .collect();
        let mut audiences: Vec<_> = audiences.into_iter().collect();
        audiences.sort_by_key(|(audience, _)| *audience != Audience::All);
        audiences
    }
}

/// The slot of a watcher; released on drop.
pub struct WatcherGuard {
    all: Arc<Watchers>,
    company_id: Uuid,
    id: u64,
    pub watcher: Arc<Watcher>,
    _counted: GaugeGuard,
}

impl Drop for WatcherGuard {
    fn drop(&mut self) {
        let mut all = self.all.lock();
        let Some(company) = all.companies.get_mut(&self.company_id) else {
            return;
        };
        company.watchers.remove(&self.id);
        if company.watchers.is_empty() {
            company.watch.closed.cancel();
            all.companies.remove(&self.company_id);
        }
        all.count -= 1;
    }
}

impl Registry {
    fn watchers_of(&self, company_id: Uuid) -> impl Iterator<Item = &Arc<Watcher>> {
        let company = self.companies.get(&company_id).into_iter();
        company.flat_map(|company| company.watchers.values())
    }

    /// Whether another watcher of this session and audience exceeds a limit.
    fn is_full(&self, company_id: Uuid, audience: Audience, session_id: Uuid) -> bool {
        if self.count >= MAX_WATCHERS {
            return true;
        }
        let Some(company) = self.companies.get(&company_id) else {
            return false;
        };
        let is_manager = audience == Audience::All;
        let max = max_of(is_manager, MAX_WATCHERS - self.count);
        let same_kind = company.count(|watcher| (watcher.audience == Audience::All) == is_manager);
        let own = company.count(|watcher| watcher.session_id == session_id);
        same_kind >= max || own >= MAX_OF_SESSION
    }
}

/// The limit of one kind of watchers of a company, given the free slots.
fn max_of(is_manager: bool, free: usize) -> usize {
    let max = if is_manager {
        MAX_MANAGERS
    } else {
        MAX_OPERATORS
    };
    max.min((free / FREE_SLOT_DIVISOR).max(1))
}

/// Forwards events until the publisher is dropped.
async fn listen(watchers: Arc<Watchers>, mut events: broadcast::Receiver<Event>) {
    loop {
        match events.recv().await {
            Ok(event) => watchers.on_event(event),
            Err(RecvError::Lagged(missed)) => {
                tracing::warn!(
                    missed,
                    "event backlog exceeded, events lost; polling markers"
                );
                watchers.distrust_all();
            }
            Err(RecvError::Closed) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn max_of_falls_with_free_slots() {
        for (free, managers, operators) in [
            (MAX_WATCHERS, 200, 500),
            (4000, 200, 500),
            (2000, 200, 250),
            (800, 100, 100),
            (5, 1, 1),
        ] {
            assert_eq!(max_of(true, free), managers, "{free}");
            assert_eq!(max_of(false, free), operators, "{free}");
        }
    }

    #[test]
    fn is_full_limits_streams_of_the_process() {
        let (company, session) = (Uuid::now_v7(), Uuid::now_v7());
        let all = |count| Registry {
            count,
            ..Registry::default()
        };
        assert!(!all(MAX_WATCHERS - 1).is_full(company, Audience::All, session));
        assert!(all(MAX_WATCHERS).is_full(company, Audience::All, session));
    }
}
