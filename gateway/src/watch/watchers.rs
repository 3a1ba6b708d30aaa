//! The watchers of this process, by company. A watcher that does not read costs a few bits,
//! regardless of the number of changes.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::events::{Event, Topic};
use hourmeter_runtime::telemetry::{GaugeGuard, names};
use tokio::sync::Notify;
use tokio::sync::broadcast::{self, error::RecvError};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::markers;
use super::view::{Topics, View};
use crate::gateway::Gateway;
use crate::visitor::Visitor;

/// Watchers of one company with operator audience: the crew's phones.
const MOST_OPERATORS: usize = 500;
/// Watchers of one company who see all. Limited separately, so that no crew keeps a manager out.
const MOST_MANAGERS: usize = 200;
/// Watchers of one session: its tabs. Not of one person, since all users of the shared operator
/// password are the same person.
const MOST_OF_SESSION: usize = 20;
const MOST: usize = 10_000;
/// Divisor of the free slots that one company may take per kind, so that a few companies can't take
/// all.
const SHARE: usize = 8;
/// `Retry-After` when the limit is reached.
const RETRY_SECONDS: u64 = 30;

pub struct Watcher {
    view: View,
    asked: Topics,
    session_id: Uuid,
    visitor: Arc<Visitor>,
    pending: AtomicU8,
    /// Notified when something is pending.
    pub wake: Notify,
}

impl Watcher {
    fn tell(&self, topic: Topic) {
        if self.asked.has(topic) {
            self.pending
                .fetch_or(Topics::of(topic).bits(), Ordering::Relaxed);
            self.wake.notify_one();
        }
    }

    /// Takes the pending topics.
    pub fn take(&self) -> Topics {
        Topics::from_bits(self.pending.swap(0, Ordering::Relaxed))
    }
}

struct Company {
    watchers: HashMap<u64, Arc<Watcher>>,
    watched: Arc<Watched>,
}

impl Company {
    /// Creates a company without watchers and starts polling its revisions.
    fn begin(gateway: &Arc<Gateway>, company_id: Uuid) -> Self {
        let watched = Arc::new(Watched {
            company_id,
            over: CancellationToken::new(),
            joined: Notify::new(),
            heard: Default::default(),
            doubted: AtomicBool::new(false),
        });
        tokio::spawn(markers::compare(gateway.clone(), watched.clone()));
        Self {
            watchers: HashMap::new(),
            watched,
        }
    }

    fn count(&self, which: impl Fn(&Watcher) -> bool) -> usize {
        self.watchers.values().filter(|who| which(who)).count()
    }
}

/// The state that watchers share with the poller.
pub struct Watched {
    pub company_id: Uuid,
    /// Cancelled when the last watcher leaves.
    pub over: CancellationToken,
    /// Notified when a watcher with a new audience joins, or events may have been lost.
    pub joined: Notify,
    /// Events received, by topic.
    heard: [AtomicU64; Topic::ALL.len()],
    /// Events may have been lost.
    doubted: AtomicBool,
}

impl Watched {
    /// The number of events received of a topic.
    pub fn heard(&self, topic: Topic) -> u64 {
        self.heard[topic as usize].load(Ordering::Relaxed)
    }

    /// Whether events may have been lost since the last call.
    pub fn take_doubt(&self) -> bool {
        self.doubted.swap(false, Ordering::Relaxed)
    }
}

#[derive(Default)]
struct All {
    companies: HashMap<Uuid, Company>,
    count: usize,
    next: u64,
    listens: bool,
}

#[derive(Default)]
pub struct Watchers(Mutex<All>);

impl Watchers {
    fn lock(&self) -> MutexGuard<'_, All> {
        // Changes are complete before anything can panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forwards an event to the watchers it concerns.
    fn hear(&self, event: Event) {
        let all = self.lock();
        let Some(company) = all.companies.get(&event.company_id) else {
            return;
        };
        company.watched.heard[event.topic as usize].fetch_add(1, Ordering::Relaxed);
        let concerned = company.watchers.values();
        for watcher in concerned.filter(|who| who.view.concerns(event.topic, event.person_id)) {
            watcher.tell(event.topic);
        }
    }

    /// Makes every company poll its revisions now, because events may have been lost.
    fn doubt_all(&self) {
        for company in self.lock().companies.values() {
            company.watched.doubted.store(true, Ordering::Relaxed);
            company.watched.joined.notify_one();
        }
    }

    /// Notifies the watchers of an audience of a change.
    pub fn tell(&self, company_id: Uuid, view: View, topic: Topic) {
        let all = self.lock();
        let watchers = all.companies.get(&company_id);
        let watchers = watchers.into_iter().flat_map(|all| all.watchers.values());
        for watcher in watchers.filter(|who| topic == Topic::Equipment || who.view == view) {
            watcher.tell(topic);
        }
    }

    /// One requester for each audience of a company, managers first.
    pub fn views(&self, company_id: Uuid) -> Vec<(View, Arc<Visitor>)> {
        let all = self.lock();
        let watchers = all.companies.get(&company_id);
        let watchers = watchers.into_iter().flat_map(|all| all.watchers.values());
        let views: HashMap<View, Arc<Visitor>> = watchers
            .map(|watcher| (watcher.view, watcher.visitor.clone()))
            .collect();
        let mut views: Vec<_> = views.into_iter().collect();
        views.sort_by_key(|(view, _)| *view != View::All);
        views
    }
}

/// The slot of a watcher; released on drop.
pub struct Seat {
    all: Arc<Watchers>,
    company_id: Uuid,
    number: u64,
    pub watcher: Arc<Watcher>,
    _counted: GaugeGuard,
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut all = self.all.lock();
        let Some(company) = all.companies.get_mut(&self.company_id) else {
            return;
        };
        company.watchers.remove(&self.number);
        if company.watchers.is_empty() {
            company.watched.over.cancel();
            all.companies.remove(&self.company_id);
        }
        all.count -= 1;
    }
}

/// Adds the sender of a request as a watcher.
pub fn join(
    gateway: &Arc<Gateway>,
    visitor: &Arc<Visitor>,
    asked: Topics,
) -> Result<Seat, ServiceError> {
    let identity = visitor.identity().ok_or_else(ServiceError::forbidden)?;
    let company_id = identity.company_id;
    let watcher = Arc::new(Watcher {
        view: View::of(identity),
        asked,
        session_id: identity.session_id,
        visitor: visitor.clone(),
        pending: AtomicU8::new(0),
        wake: Notify::new(),
    });
    let watchers = &gateway.watchers;
    let mut all = watchers.lock();
    if all.is_full(company_id, watcher.view, watcher.session_id) {
        names::LIMITED.count(["watch_streams"]);
        return Err(ServiceError::too_many(RETRY_SECONDS));
    }
    if !std::mem::replace(&mut all.listens, true) {
        // Subscribes before the first message, so that no later event is lost.
        tokio::spawn(listen(watchers.clone(), gateway.events.subscribe()));
    }
    all.next += 1;
    all.count += 1;
    let number = all.next;
    let company = all.companies.entry(company_id);
    let company = company.or_insert_with(|| Company::begin(gateway, company_id));
    if company
        .watchers
        .values()
        .all(|who| who.view != watcher.view)
    {
        company.watched.joined.notify_one();
    }
    company.watchers.insert(number, watcher.clone());
    drop(all);
    Ok(Seat {
        all: watchers.clone(),
        company_id,
        number,
        watcher,
        _counted: GaugeGuard::new(&names::WATCH_STREAMS.gauge(names::NO_LABELS)),
    })
}

impl All {
    /// Whether another watcher of this session and audience exceeds a limit.
    fn is_full(&self, company_id: Uuid, view: View, session_id: Uuid) -> bool {
        if self.count >= MOST {
            return true;
        }
        let Some(company) = self.companies.get(&company_id) else {
            return false;
        };
        let sees_all = view == View::All;
        let most = most_of(sees_all, MOST - self.count);
        let alike = company.count(|who| (who.view == View::All) == sees_all);
        let own = company.count(|who| who.session_id == session_id);
        alike >= most || own >= MOST_OF_SESSION
    }
}

/// The limit of one kind of watchers of a company, given the free slots.
fn most_of(sees_all: bool, left: usize) -> usize {
    let most = if sees_all {
        MOST_MANAGERS
    } else {
        MOST_OPERATORS
    };
    most.min((left / SHARE).max(1))
}

/// Forwards events until the publisher is dropped.
async fn listen(watchers: Arc<Watchers>, mut events: broadcast::Receiver<Event>) {
    loop {
        match events.recv().await {
            Ok(event) => watchers.hear(event),
            Err(RecvError::Lagged(missed)) => {
                tracing::warn!(
                    missed,
                    "event backlog exceeded, events lost; polling revisions"
                );
                watchers.doubt_all();
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
        for (left, managers, operators) in [
            (MOST, 200, 500),
            (4000, 200, 500),
            (2000, 200, 250),
            (800, 100, 100),
            (5, 1, 1),
        ] {
            assert_eq!(most_of(true, left), managers, "{left}");
            assert_eq!(most_of(false, left), operators, "{left}");
        }
    }

    #[test]
    fn is_full_limits_streams_of_the_process() {
        let (company, session) = (Uuid::now_v7(), Uuid::now_v7());
        let all = |count| All {
            count,
            ..All::default()
        };
        assert!(!all(MOST - 1).is_full(company, View::All, session));
        assert!(all(MOST).is_full(company, View::All, session));
    }
}
