//! What companies' plans entitle them to, kept for seconds. Dropped at once when billing tells that
//! something has changed; kept longer only to stand in while billing is away.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_runtime::events::{Event, Events, Topic};
use hourmeter_runtime::identity::Entitlements;
use moka::sync::Cache;
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::sync::watch;
use uuid::Uuid;

use crate::measure::CacheMeter;

/// How long they count as fresh while billing tells what changes.
const FRESH: TimeDelta = TimeDelta::seconds(5);
/// How long while it can't.
const FRESH_UNTOLD: TimeDelta = TimeDelta::seconds(1);
/// How long old ones may stand in while billing is away.
const STAND_IN: Duration = Duration::from_mins(10);
/// How many companies are kept.
const KEPT: u64 = 100_000;

/// What billing last said of each company.
pub struct EntitlementCache {
    known: Cache<Uuid, Known>,
    /// What was asked for before this number is too old, by company.
    dropped: Cache<Uuid, u64>,
    /// The same for all companies.
    all_dropped: AtomicU64,
    /// Rises with each change that was told, and whenever one may have been missed.
    changes: AtomicU64,
    /// Whether changes are told.
    live: watch::Receiver<bool>,
    meter: CacheMeter,
}

#[derive(Clone)]
struct Known {
    at: DateTime<Utc>,
    asked: Asked,
    entitlements: Entitlements,
}

/// When billing was asked, in the order of changes that were heard of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked(u64);

impl EntitlementCache {
    /// An empty one that listens from now on, for as long as anybody tells. Begins a task, so it
    /// needs a runtime.
    pub fn start(events: &Events) -> Arc<Self> {
        let cache = Arc::new(Self::new(events.live()));
        tokio::spawn(listen(cache.clone(), events.subscribe()));
        cache
    }

    fn new(live: watch::Receiver<bool>) -> Self {
        let known = Cache::builder().max_capacity(KEPT);
        let dropped = Cache::builder().max_capacity(KEPT);
        Self {
            known: known.time_to_live(STAND_IN).build(),
            dropped: dropped.time_to_live(STAND_IN).build(),
            all_dropped: AtomicU64::new(0),
            changes: AtomicU64::new(0),
            live,
            meter: CacheMeter::new("entitlements"),
        }
    }

    /// What counts without asking.
    pub fn fresh(&self, company_id: Uuid, now: DateTime<Utc>) -> Option<Entitlements> {
        self.meter.count(self.find_fresh(company_id, now))
    }

    fn find_fresh(&self, company_id: Uuid, now: DateTime<Utc>) -> Option<Entitlements> {
        let known = self.known.get(&company_id)?;
        let told = *self.live.borrow();
        let lasts = if told { FRESH } else { FRESH_UNTOLD };
        let dropped = self.dropped.get(&company_id).unwrap_or_default();
        let dropped = dropped.max(self.all_dropped.load(Ordering::Acquire));
        let good = known.asked.0 >= dropped && (known.at..known.at + lasts).contains(&now);
        good.then_some(known.entitlements)
    }

    /// What may stand in while billing does not answer.
    pub fn stand_in(&self, company_id: Uuid) -> Option<Entitlements> {
        self.known.get(&company_id).map(|known| known.entitlements)
    }

    /// To be called before billing is asked: what changes while it answers is not in the answer.
    pub fn asking(&self) -> Asked {
        Asked(self.changes.load(Ordering::Acquire))
    }

    /// Keeps what billing said.
    pub fn keep(
        &self,
        company_id: Uuid,
        asked: Asked,
        at: DateTime<Utc>,
        entitlements: Entitlements,
    ) {
        let known = Known {
            at,
            asked,
            entitlements,
        };
        self.known.insert(company_id, known);
    }

    /// Makes old what was asked for before now.
    pub fn drop_one(&self, company_id: Uuid) {
        self.dropped.insert(company_id, self.next());
    }

    fn drop_all(&self) {
        self.all_dropped.fetch_max(self.next(), Ordering::AcqRel);
    }

    fn next(&self) -> u64 {
        self.changes.fetch_add(1, Ordering::AcqRel) + 1
    }
}

/// Drops what has changed, for as long as there is anybody who could tell.
async fn listen(cache: Arc<EntitlementCache>, mut events: broadcast::Receiver<Event>) {
    let mut live = cache.live.clone();
    loop {
        tokio::select! {
            event = events.recv() => match event {
                Ok(event) if event.topic == Topic::Subscription => cache.drop_one(event.company_id),
                Ok(_) => {}
                Err(RecvError::Lagged(_)) => cache.drop_all(),
                Err(RecvError::Closed) => return,
            },
            // What was told while nothing arrived was not heard.
            changed = live.changed() => match changed {
                Ok(()) => cache.drop_all(),
                Err(_) => return,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOME: Entitlements = Entitlements {
        active: true,
        equipment_limit: 15,
        fuel_analytics: false,
        parts_entry: false,
    };

    fn cache(live: bool) -> (EntitlementCache, watch::Sender<bool>) {
        let live = watch::Sender::new(live);
        (EntitlementCache::new(live.subscribe()), live)
    }

    #[test]
    fn they_are_fresh_for_seconds_and_shorter_while_nobody_tells() {
        let company = Uuid::now_v7();
        let now = DateTime::UNIX_EPOCH;
        for (live, lasts) in [(true, FRESH), (false, FRESH_UNTOLD)] {
            let (cache, _live) = cache(live);
            assert_eq!(cache.fresh(company, now), None);
            cache.keep(company, cache.asking(), now, SOME);
            let last = now + lasts - TimeDelta::milliseconds(1);
            for (at, expected) in [(now, Some(SOME)), (last, Some(SOME)), (now + lasts, None)] {
                assert_eq!(cache.fresh(company, at), expected, "{live} {at}");
            }
            // A clock that was put back makes nothing last longer.
            assert_eq!(cache.fresh(company, now - TimeDelta::seconds(1)), None);
            assert_eq!(cache.stand_in(company), Some(SOME));
        }
    }

    #[test]
    fn a_change_makes_old_what_was_asked_for_before() {
        let (one, other) = (Uuid::now_v7(), Uuid::now_v7());
        let now = DateTime::UNIX_EPOCH;
        let (cache, _live) = cache(true);
        let before = cache.asking();
        cache.keep(one, before, now, SOME);
        cache.keep(other, before, now, SOME);
        cache.drop_one(one);
        assert_eq!(cache.fresh(one, now), None);
        assert_eq!(cache.fresh(other, now), Some(SOME));
        // An answer that was on its way when it changed.
        cache.keep(one, before, now, SOME);
        assert_eq!(cache.fresh(one, now), None);
        cache.keep(one, cache.asking(), now, SOME);
        assert_eq!(cache.fresh(one, now), Some(SOME));
        cache.drop_all();
        assert_eq!(cache.fresh(one, now), None);
        assert_eq!(cache.fresh(other, now), None);
        assert_eq!(cache.stand_in(other), Some(SOME));
    }

    #[tokio::test]
    async fn it_hears_of_subscriptions_only() {
        let events = Events::local();
        let cache = EntitlementCache::start(&events);
        let (company, now) = (Uuid::now_v7(), DateTime::UNIX_EPOCH);
        cache.keep(company, cache.asking(), now, SOME);
        for topic in [
            Topic::Equipment,
            Topic::OperatorUpdates,
            Topic::Subscription,
        ] {
            assert_eq!(cache.fresh(company, now), Some(SOME), "{topic:?}");
            events.publish(Event {
                company_id: company,
                topic,
                person_id: None,
            });
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert_eq!(cache.fresh(company, now), None);
    }

    #[tokio::test]
    async fn a_line_that_was_away_makes_all_old() {
        let (cache, live) = cache(true);
        let cache = Arc::new(cache);
        let events = broadcast::Sender::new(1);
        tokio::spawn(listen(cache.clone(), events.subscribe()));
        let (company, now) = (Uuid::now_v7(), DateTime::UNIX_EPOCH);
        cache.keep(company, cache.asking(), now, SOME);
        tokio::time::sleep(Duration::from_millis(20)).await;
        live.send_replace(false);
        tokio::time::sleep(Duration::from_millis(20)).await;
        live.send_replace(true);
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert_eq!(cache.fresh(company, now), None);
    }
}
