//! Polls the markers of watched companies, in case events were lost; more often while
//! events do not arrive. Once per company, for all its watchers.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use hourmeter_proto::billing::v1::GetEntitlementsRequest;
use hourmeter_proto::equipment::v1::GetEquipmentMarkerRequest;
use hourmeter_proto::notifications::v1::CountUnreadRequest;
use hourmeter_proto::operator_updates::v1::GetUpdatesMarkerRequest;
use hourmeter_runtime::events::Topic;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::audience::Audience;
use super::watchers::{CompanyWatch, Watchers};
use crate::outgoing::{self, Outgoing};
use crate::requester::{Principal, Requester};
use crate::services::Services;

/// Concurrent calls for the markers of one company.
const CONCURRENCY: usize = 8;

/// What has a marker: a topic for an audience.
type MarkerKey = (Topic, Audience);

struct RevisionPoller {
    services: Arc<Services>,
    watchers: Arc<Watchers>,
    watch: Arc<CompanyWatch>,
    live: watch::Receiver<bool>,
    known: HashMap<MarkerKey, KnownRevision>,
    distrust_until: Option<Instant>,
}

struct KnownRevision {
    marker: String,
    /// The number of events received when it was requested.
    received: u64,
    /// Whether events arrived at that time.
    live: bool,
}

/// Polls a company's markers while it is watched.
pub async fn poll(
    services: Arc<Services>,
    watchers: Arc<Watchers>,
    live: watch::Receiver<bool>,
    watch: Arc<CompanyWatch>,
) {
    let closed = watch.closed.clone();
    let poller = RevisionPoller {
        services,
        watchers,
        watch,
        live,
        known: HashMap::new(),
        distrust_until: None,
    };
    tokio::select! {
        () = closed.cancelled() => {}
        () = poller.run() => {}
    }
}

impl RevisionPoller {
    async fn run(mut self) {
        let watch = self.watch.clone();
        loop {
            // Changes during the round count for the next one.
            let live = *self.live.borrow_and_update();
            self.round(live, false).await;
            let next = Instant::now() + self.pause(live);
            loop {
                tokio::select! {
                    () = sleep_until(next) => break,
                    // Events may have been lost before they arrive again. An error means that the
                    // gateway ends, and this task with it.
                    _ = self.live.changed() => break,
                    () = watch.joined.notified() => {}
                }
                if watch.take_distrust() {
                    break;
                }
                self.round(live, true).await;
            }
        }
    }

    fn pause(&self, live: bool) -> Duration {
        let distrusts = self
            .distrust_until
            .is_some_and(|until| Instant::now() < until);
        let timing = self.services.config.watch_timing;
        if live && !distrusts {
            timing.poll_with_events
        } else {
            timing.poll_without_events
        }
    }

    /// Requests all markers, or only unknown ones, and publishes changes.
    async fn round(&mut self, live: bool, only_new: bool) {
        let audiences = self.watchers.audiences(self.watch.company_id);
        let keys = keys(audiences);
        self.known.retain(|key, _| keys.contains_key(key));
        let mut requested = keys;
        requested.retain(|key, _| !only_new || !self.known.contains_key(key));
        let (services, watch) = (self.services.clone(), self.watch.clone());
        let mut responses = futures::stream::iter(requested)
            .map(|(key, requester)| {
                let received = watch.received(key.0);
                let response = request(services.clone(), requester, key.0);
                async move { (key, received, response.await) }
            })
            .buffer_unordered(CONCURRENCY);
        while let Some((key, received, response)) = responses.next().await {
            // A failed call is repeated in the next round.
            if let Some(marker) = response {
                let now = KnownRevision {
                    marker,
                    received,
                    live,
                };
                self.note(key, now);
            }
        }
    }

    fn note(&mut self, key: MarkerKey, now: KnownRevision) {
        let (topic, audience) = key;
        let is_changed = match self.known.get(&key) {
            Some(before) if before.marker == now.marker => false,
            Some(before) => {
                let had_event = before.received != self.watch.received(topic);
                if before.live && now.live && !had_event {
                    // A change without an event: a service may be disconnected.
                    self.distrust_until =
                        Some(Instant::now() + self.services.config.watch_timing.distrust);
                }
                true
            }
            // Without events, changes since the watcher joined are unknown.
            None => !now.live,
        };
        self.known.insert(key, now);
        if is_changed {
            let company = self.watch.company_id;
            self.watchers.publish(company, audience, topic);
        }
    }
}

/// The markers to request, each with a requester.
fn keys(audiences: Vec<(Audience, Arc<Requester>)>) -> HashMap<MarkerKey, Arc<Requester>> {
    let mut keys = HashMap::new();
    // Equipment is the same for all audiences.
    if let Some((_, requester)) = audiences.first() {
        keys.insert((Topic::Equipment, Audience::All), requester.clone());
    }
    for (audience, requester) in audiences {
        if audience == Audience::All {
            // Not for operators.
            keys.insert((Topic::Subscription, audience), requester.clone());
        }
        keys.insert((Topic::Notifications, audience), requester.clone());
        keys.insert((Topic::OperatorUpdates, audience), requester);
    }
    keys
}

async fn request(
    services: Arc<Services>,
    requester: Arc<Requester>,
    topic: Topic,
) -> Option<String> {
    let outgoing = Outgoing::as_requester(services.clone(), requester.clone());
    match topic {
        Topic::Equipment => {
            let mut equipment = outgoing::equipment(outgoing);
            let response = equipment.get_equipment_marker(GetEquipmentMarkerRequest {});
            Some(response.await.ok()?.into_inner().marker)
        }
        Topic::OperatorUpdates => {
            let mut updates = outgoing::operator_updates(outgoing);
            let response = updates.get_updates_marker(GetUpdatesMarkerRequest {});
            Some(response.await.ok()?.into_inner().marker)
        }
        Topic::Notifications => {
            let mut notifications = outgoing::notifications(outgoing);
            let response = notifications.count_unread(CountUnreadRequest {});
            Some(response.await.ok()?.into_inner().marker)
        }
        Topic::Subscription => {
            let edge = Outgoing::as_gateway(&services, requester.context.request_id);
            let Principal::Person {
                identity,
                company_created_at,
                ..
            } = &requester.principal
            else {
                return None;
            };
            let request = GetEntitlementsRequest {
                company_id: identity.company_id.to_string(),
                company_created_at: *company_created_at,
            };
            let mut billing = outgoing::billing(edge);
            let response = billing.get_entitlements(request);
            Some(response.await.ok()?.into_inner().marker)
        }
    }
}
