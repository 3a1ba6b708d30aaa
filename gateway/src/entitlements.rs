//! Caches the entitlements of companies' plans for seconds. An event of billing invalidates an
//! entry immediately; a stale entry is used only while billing is unavailable.

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

use crate::cache_metrics::CacheMetrics;

/// How long an entry is fresh while events arrive.
const FRESH: TimeDelta = TimeDelta::seconds(5);
/// How long an entry is fresh while they do not.
const FRESH_WITHOUT_EVENTS: TimeDelta = TimeDelta::seconds(1);
/// How long a stale entry may be used while billing is unavailable.
const STALE_TTL: Duration = Duration::from_mins(10);
const CAPACITY: u64 = 100_000;

pub struct EntitlementCache {
    entries: Cache<Uuid, Entry>,
    /// Entries requested before this epoch are stale, by company.
    invalidated: Cache<Uuid, u64>,
    all_invalidated: AtomicU64,
    /// The current epoch; rises with each event, and when events may have been lost.
    current: AtomicU64,
    /// Whether events arrive.
    live: watch::Receiver<bool>,
    metrics: CacheMetrics,
}

#[derive(Clone)]
struct Entry {
    at: DateTime<Utc>,
    epoch: Epoch,
    entitlements: Entitlements,
}

/// The epoch in which billing was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Epoch(u64);

impl EntitlementCache {
    /// Creates an empty cache that follows `events`. Spawns a task.
    pub fn start(events: &Events) -> Arc<Self> {
        let cache = Arc::new(Self::new(events.live()));
        tokio::spawn(listen(cache.clone(), events.subscribe()));
        cache
    }

    fn new(live: watch::Receiver<bool>) -> Self {
        let entries = Cache::builder().max_capacity(CAPACITY);
        let invalidated = Cache::builder().max_capacity(CAPACITY);
        Self {
            entries: entries.time_to_live(STALE_TTL).build(),
            invalidated: invalidated.time_to_live(STALE_TTL).build(),
            all_invalidated: AtomicU64::new(0),
            current: AtomicU64::new(0),
            live,
            metrics: CacheMetrics::new("entitlements"),
        }
    }

    pub fn fresh(&self, company_id: Uuid, now: DateTime<Utc>) -> Option<Entitlements> {
        self.metrics.count(self.find_fresh(company_id, now))
    }

    fn find_fresh(&self, company_id: Uuid, now: DateTime<Utc>) -> Option<Entitlements> {
        let entry = self.entries.get(&company_id)?;
        let has_events = *self.live.borrow();
        let max_age = if has_events {
            FRESH
        } else {
            FRESH_WITHOUT_EVENTS
        };
        let invalidated = self.invalidated.get(&company_id).unwrap_or_default();
        let invalidated = invalidated.max(self.all_invalidated.load(Ordering::Acquire));
        let is_fresh =
            entry.epoch.0 >= invalidated && (entry.at..entry.at + max_age).contains(&now);
        is_fresh.then_some(entry.entitlements)
    }

    /// An entry of any age, for when billing does not respond.
    pub fn stale(&self, company_id: Uuid) -> Option<Entitlements> {
        self.entries
            .get(&company_id)
            .map(|entry| entry.entitlements)
    }

    /// Call this before asking billing: a change during the call is not in the response.
    pub fn epoch(&self) -> Epoch {
        Epoch(self.current.load(Ordering::Acquire))
    }

    pub fn insert(
        &self,
        company_id: Uuid,
        epoch: Epoch,
        at: DateTime<Utc>,
        entitlements: Entitlements,
    ) {
        let entry = Entry {
            at,
            epoch,
            entitlements,
        };
        self.entries.insert(company_id, entry);
    }

    /// Invalidates entries requested before now.
    pub fn invalidate(&self, company_id: Uuid) {
        self.invalidated.insert(company_id, self.next());
    }

    fn invalidate_all(&self) {
        self.all_invalidated
            .fetch_max(self.next(), Ordering::AcqRel);
    }

    fn next(&self) -> u64 {
        self.current.fetch_add(1, Ordering::AcqRel) + 1
    }
}

/// Invalidates entries until the publisher is dropped.
async fn listen(cache: Arc<EntitlementCache>, mut events: broadcast::Receiver<Event>) {
    let mut live = cache.live.clone();
    loop {
        tokio::select! {
            event = events.recv() => match event {
                Ok(event) if event.topic == Topic::Subscription => cache.invalidate(event.company_id),
                Ok(_) => {}
                Err(RecvError::Lagged(_)) => cache.invalidate_all(),
                Err(RecvError::Closed) => return,
            },
            // Events may have been lost while the connection was down.
            changed = live.changed() => match changed {
                Ok(()) => cache.invalidate_all(),
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
    fn fresh_is_shorter_without_events() {
        let company = Uuid::now_v7();
        let now = DateTime::UNIX_EPOCH;
        for (live, max_age) in [(true, FRESH), (false, FRESH_WITHOUT_EVENTS)] {
            let (cache, _live) = cache(live);
            assert_eq!(cache.fresh(company, now), None);
            cache.insert(company, cache.epoch(), now, SOME);
            let last = now + max_age - TimeDelta::milliseconds(1);
            for (at, expected) in [(now, Some(SOME)), (last, Some(SOME)), (now + max_age, None)] {
                assert_eq!(cache.fresh(company, at), expected, "{live} {at}");
            }
            // A clock that was set back extends nothing.
            assert_eq!(cache.fresh(company, now - TimeDelta::seconds(1)), None);
            assert_eq!(cache.stale(company), Some(SOME));
        }
    }

    #[test]
    fn invalidate_covers_requests_under_way() {
        let (one, other) = (Uuid::now_v7(), Uuid::now_v7());
        let now = DateTime::UNIX_EPOCH;
        let (cache, _live) = cache(true);
        let before = cache.epoch();
        cache.insert(one, before, now, SOME);
        cache.insert(other, before, now, SOME);
        cache.invalidate(one);
        assert_eq!(cache.fresh(one, now), None);
        assert_eq!(cache.fresh(other, now), Some(SOME));
        // A response that was under way during the change.
        cache.insert(one, before, now, SOME);
        assert_eq!(cache.fresh(one, now), None);
        cache.insert(one, cache.epoch(), now, SOME);
        assert_eq!(cache.fresh(one, now), Some(SOME));
        cache.invalidate_all();
        assert_eq!(cache.fresh(one, now), None);
        assert_eq!(cache.fresh(other, now), None);
        assert_eq!(cache.stale(other), Some(SOME));
    }

    #[tokio::test]
    async fn listen_follows_subscription_events_only() {
        let events = Events::local();
        let cache = EntitlementCache::start(&events);
        let (company, now) = (Uuid::now_v7(), DateTime::UNIX_EPOCH);
        cache.insert(company, cache.epoch(), now, SOME);
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
                equipment_id: None,
            });
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert_eq!(cache.fresh(company, now), None);
    }

    #[tokio::test]
    async fn listen_invalidates_all_after_a_gap_in_events() {
        let (cache, live) = cache(true);
        let cache = Arc::new(cache);
        let events = broadcast::Sender::new(1);
        tokio::spawn(listen(cache.clone(), events.subscribe()));
        let (company, now) = (Uuid::now_v7(), DateTime::UNIX_EPOCH);
        cache.insert(company, cache.epoch(), now, SOME);
        tokio::time::sleep(Duration::from_millis(20)).await;
        live.send_replace(false);
        tokio::time::sleep(Duration::from_millis(20)).await;
        live.send_replace(true);
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert_eq!(cache.fresh(company, now), None);
    }
}
