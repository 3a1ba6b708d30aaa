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

use crate::measure::CacheMeter;

/// How long an entry is fresh while events arrive.
const FRESH: TimeDelta = TimeDelta::seconds(5);
/// How long an entry is fresh while they do not.
const FRESH_UNTOLD: TimeDelta = TimeDelta::seconds(1);
/// How long a stale entry may be used while billing is unavailable.
const STAND_IN: Duration = Duration::from_mins(10);
const KEPT: u64 = 100_000;

/// Entitlements by company.
pub struct EntitlementCache {
    known: Cache<Uuid, Known>,
    /// Entries requested before this epoch are stale, by company.
    dropped: Cache<Uuid, u64>,
    all_dropped: AtomicU64,
    /// The current epoch; rises with each event, and when events may have been lost.
    changes: AtomicU64,
    /// Whether events arrive.
    live: watch::Receiver<bool>,
    meter: CacheMeter,
}

#[derive(Clone)]
struct Known {
    at: DateTime<Utc>,
    asked: Asked,
    entitlements: Entitlements,
}

/// The epoch in which billing was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked(u64);

impl EntitlementCache {
    /// Creates an empty cache that follows `events`. Spawns a task.
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

    /// A fresh entry.
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

    /// An entry of any age, for when billing does not respond.
    pub fn stand_in(&self, company_id: Uuid) -> Option<Entitlements> {
        self.known.get(&company_id).map(|known| known.entitlements)
    }

    /// Call this before asking billing: a change during the call is not in the response.
    pub fn asking(&self) -> Asked {
        Asked(self.changes.load(Ordering::Acquire))
    }

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

    /// Invalidates entries requested before now.
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

/// Invalidates entries until the publisher is dropped.
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
            // Events may have been lost while the connection was down.
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
    fn fresh_is_shorter_without_events() {
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
            // A clock that was set back extends nothing.
            assert_eq!(cache.fresh(company, now - TimeDelta::seconds(1)), None);
            assert_eq!(cache.stand_in(company), Some(SOME));
        }
    }

    #[test]
    fn invalidate_covers_requests_under_way() {
        let (one, other) = (Uuid::now_v7(), Uuid::now_v7());
        let now = DateTime::UNIX_EPOCH;
        let (cache, _live) = cache(true);
        let before = cache.asking();
        cache.keep(one, before, now, SOME);
        cache.keep(other, before, now, SOME);
        cache.drop_one(one);
        assert_eq!(cache.fresh(one, now), None);
        assert_eq!(cache.fresh(other, now), Some(SOME));
        // A response that was under way during the change.
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
    async fn listen_follows_subscription_events_only() {
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
    async fn listen_invalidates_all_after_a_gap_in_events() {
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
