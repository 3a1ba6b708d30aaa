//! Who watches in this process, by company. A watcher that does not read costs a few bits, however
//! much happens meanwhile.

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

/// Watchers of one company who see their own submissions: a crew's phones.
const MOST_OPERATORS: usize = 500;
/// Watchers of one company who see all. They have places of their own, so that no crew, however
/// large, keeps a manager out.
const MOST_MANAGERS: usize = 200;
/// Watchers of one session: its tabs. Not of one person, since all who sign in with the shared
/// operator password are the same one.
const MOST_OF_SESSION: usize = 20;
/// Watchers of this process.
const MOST: usize = 10_000;
/// The part of the places left that watchers of one company and kind may have, so that no few
/// companies take them all.
const SHARE: usize = 8;
/// When it is worth to try again for who found no room.
const RETRY_SECONDS: u64 = 30;

/// One who watches.
pub struct Watcher {
    view: View,
    asked: Topics,
    session_id: Uuid,
    visitor: Arc<Visitor>,
    pending: AtomicU8,
    /// Woken when something is pending.
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

    /// What has changed and was not taken yet.
    pub fn take(&self) -> Topics {
        Topics::from_bits(self.pending.swap(0, Ordering::Relaxed))
    }
}

/// The watchers of a company.
struct Company {
    watchers: HashMap<u64, Arc<Watcher>>,
    watched: Arc<Watched>,
}

impl Company {
    /// Without watchers yet; its markers are compared from now on.
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

/// What the comparison of a company's markers goes by.
pub struct Watched {
    pub company_id: Uuid,
    /// Cancelled when nobody watches any more.
    pub over: CancellationToken,
    /// Woken when somebody with another view joins, or events may have been missed.
    pub joined: Notify,
    /// Events heard, by topic.
    heard: [AtomicU64; Topic::ALL.len()],
    /// Events may have been missed.
    doubted: AtomicBool,
}

impl Watched {
    /// How many events of a topic were heard.
    pub fn heard(&self, topic: Topic) -> u64 {
        self.heard[topic as usize].load(Ordering::Relaxed)
    }

    /// Whether events may have been missed since this was asked last.
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

/// All who watch.
#[derive(Default)]
pub struct Watchers(Mutex<All>);

impl Watchers {
    fn lock(&self) -> MutexGuard<'_, All> {
        // Every change is whole before anything could panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes on what a service told.
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

    /// Has every company compare its markers now, since something may have been missed.
    fn doubt_all(&self) {
        for company in self.lock().companies.values() {
            company.watched.doubted.store(true, Ordering::Relaxed);
            company.watched.joined.notify_one();
        }
    }

    /// Tells those with a view that something has changed.
    pub fn tell(&self, company_id: Uuid, view: View, topic: Topic) {
        let all = self.lock();
        let watchers = all.companies.get(&company_id);
        let watchers = watchers.into_iter().flat_map(|all| all.watchers.values());
        for watcher in watchers.filter(|who| topic == Topic::Equipment || who.view == view) {
            watcher.tell(topic);
        }
    }

    /// One watcher for each view of a company, the one who sees all first.
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

/// A place among the watchers; dropped, it is free.
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

/// Takes a place for whoever sent a request.
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
        // Before anybody is told to read, so that nothing told after that is missed.
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
    /// Whether there is no place for one more with this view, of this session.
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

/// Returns the most watchers of one kind that a company may have, given the places left.
fn most_of(sees_all: bool, left: usize) -> usize {
    let most = if sees_all {
        MOST_MANAGERS
    } else {
        MOST_OPERATORS
    };
    most.min((left / SHARE).max(1))
}

/// Passes on what services tell, for as long as there is anybody who could.
async fn listen(watchers: Arc<Watchers>, mut events: broadcast::Receiver<Event>) {
    loop {
        match events.recv().await {
            Ok(event) => watchers.hear(event),
            Err(RecvError::Lagged(missed)) => {
                tracing::warn!(missed, "too many changes at once; looking at markers");
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
    fn most_of_a_company_falls_with_places_left() {
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
    fn a_process_has_its_streams() {
        let (company, session) = (Uuid::now_v7(), Uuid::now_v7());
        let all = |count| All {
            count,
            ..All::default()
        };
        assert!(!all(MOST - 1).is_full(company, View::All, session));
        assert!(all(MOST).is_full(company, View::All, session));
    }
}
