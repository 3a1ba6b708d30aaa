//! Polls the revisions of companies that are watched, in case events were lost; more often while
//! events do not arrive. Once per company, for all its watchers.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use hourmeter_proto::billing::v1::GetEntitlementsRequest;
use hourmeter_proto::equipment::v1::GetEquipmentMarkerRequest;
use hourmeter_proto::operator_updates::v1::GetUpdatesMarkerRequest;
use hourmeter_runtime::events::Topic;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::view::View;
use super::watchers::Watched;
use crate::gateway::Gateway;
use crate::outgoing::{self, Outgoing};
use crate::visitor::Visitor;

/// Concurrent calls for the revisions of one company.
const AT_ONCE: usize = 8;

/// What has a revision: a topic for an audience.
type Place = (Topic, View);

struct Comparison {
    gateway: Arc<Gateway>,
    watched: Arc<Watched>,
    live: watch::Receiver<bool>,
    known: HashMap<Place, Known>,
    /// Until when events are distrusted.
    doubts_until: Option<Instant>,
}

struct Known {
    marker: String,
    /// The number of events received when it was requested.
    heard: u64,
    /// Whether events arrived at that time.
    live: bool,
}

/// Polls a company's revisions while it is watched.
pub async fn compare(gateway: Arc<Gateway>, watched: Arc<Watched>) {
    let over = watched.over.clone();
    let comparison = Comparison {
        live: gateway.events.live(),
        gateway,
        watched,
        known: HashMap::new(),
        doubts_until: None,
    };
    tokio::select! {
        () = over.cancelled() => {}
        () = comparison.run() => {}
    }
}

impl Comparison {
    async fn run(mut self) {
        let watched = self.watched.clone();
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
                    () = watched.joined.notified() => {}
                }
                if watched.take_doubt() {
                    break;
                }
                self.round(live, true).await;
            }
        }
    }

    fn pause(&self, live: bool) -> Duration {
        let doubts = self
            .doubts_until
            .is_some_and(|until| Instant::now() < until);
        let pace = self.gateway.config.watch_pace;
        if live && !doubts {
            pace.calm
        } else {
            pace.alone
        }
    }

    /// Requests all revisions, or only unknown ones, and publishes changes.
    async fn round(&mut self, live: bool, only_new: bool) {
        let views = self.gateway.watchers.views(self.watched.company_id);
        let places = places(views);
        self.known.retain(|place, _| places.contains_key(place));
        let mut asked = places;
        asked.retain(|place, _| !only_new || !self.known.contains_key(place));
        let (gateway, watched) = (self.gateway.clone(), self.watched.clone());
        let mut answers = futures::stream::iter(asked)
            .map(|(place, visitor)| {
                let heard = watched.heard(place.0);
                let asking = ask(gateway.clone(), visitor, place.0);
                async move { (place, heard, asking.await) }
            })
            .buffer_unordered(AT_ONCE);
        while let Some((place, heard, answer)) = answers.next().await {
            // A failed call is repeated in the next round.
            if let Some(marker) = answer {
                let now = Known {
                    marker,
                    heard,
                    live,
                };
                self.note(place, now);
            }
        }
    }

    fn note(&mut self, place: Place, now: Known) {
        let (topic, view) = place;
        let tells = match self.known.get(&place) {
            Some(before) if before.marker == now.marker => false,
            Some(before) => {
                let told = before.heard != self.watched.heard(topic);
                if before.live && now.live && !told {
                    // A change without an event: a service may be disconnected.
                    self.doubts_until = Some(Instant::now() + self.gateway.config.watch_pace.doubt);
                }
                true
            }
            // Without events, changes since the watcher joined are unknown.
            None => !now.live,
        };
        self.known.insert(place, now);
        if tells {
            let company = self.watched.company_id;
            self.gateway.watchers.tell(company, view, topic);
        }
    }
}

/// The revisions to request, each with a requester.
fn places(views: Vec<(View, Arc<Visitor>)>) -> HashMap<Place, Arc<Visitor>> {
    let mut places = HashMap::new();
    // Equipment is the same for all audiences.
    if let Some((_, visitor)) = views.first() {
        places.insert((Topic::Equipment, View::All), visitor.clone());
    }
    for (view, visitor) in views {
        if view == View::All {
            // Not for operators.
            places.insert((Topic::Subscription, view), visitor.clone());
        }
        places.insert((Topic::OperatorUpdates, view), visitor);
    }
    places
}

async fn ask(gateway: Arc<Gateway>, visitor: Arc<Visitor>, topic: Topic) -> Option<String> {
    let way = Outgoing::visitor(gateway.clone(), visitor.clone());
    match topic {
        Topic::Equipment => {
            let mut equipment = outgoing::equipment(way);
            let answer = equipment.get_equipment_marker(GetEquipmentMarkerRequest {});
            Some(answer.await.ok()?.into_inner().marker)
        }
        Topic::OperatorUpdates => {
            let mut updates = outgoing::operator_updates(way);
            let answer = updates.get_updates_marker(GetUpdatesMarkerRequest {});
            Some(answer.await.ok()?.into_inner().marker)
        }
        Topic::Subscription => {
            let edge = Outgoing::edge(&gateway, visitor.visit.request_id);
            let request = GetEntitlementsRequest {
                company_id: visitor.identity()?.company_id.to_string(),
                company_created_at: visitor.company_created_at(),
            };
            let mut billing = outgoing::billing(edge);
            let answer = billing.get_entitlements(request);
            Some(answer.await.ok()?.into_inner().marker)
        }
    }
}
