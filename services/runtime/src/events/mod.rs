//! Change events, published after commit. A lost event only delays an update, because watchers also
//! compare revisions periodically.

mod message;
mod shared;

use std::sync::Arc;

use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use tokio::sync::{broadcast, watch};
use uuid::Uuid;

use self::shared::Shared;
use crate::error::ServiceError;
use crate::telemetry::names;

/// Events that a slow subscriber may fall behind before it misses some.
const BACKLOG: usize = 1024;

/// The kind of data that changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Topic {
    /// Updates submitted by operators.
    OperatorUpdates,
    /// Equipment and its meters.
    Equipment,
    /// The company's subscription and entitlements.
    Subscription,
    /// Notifications of people.
    Notifications,
}

impl Topic {
    /// All topics.
    pub const ALL: [Self; 4] = [
        Self::OperatorUpdates,
        Self::Equipment,
        Self::Subscription,
        Self::Notifications,
    ];
}

/// A change in a company.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// The company.
    #[serde(rename = "company")]
    pub company_id: Uuid,
    /// The kind of data that changed.
    pub topic: Topic,
    /// The only operator who sees the change; None: everyone may see it, except a notification, which
    /// owner and managers see.
    #[serde(default, rename = "person", skip_serializing_if = "Option::is_none")]
    pub person_id: Option<Uuid>,
    /// The only equipment that changed; None: any may have changed.
    #[serde(default, rename = "equipment", skip_serializing_if = "Option::is_none")]
    pub equipment_id: Option<Uuid>,
}

/// Publishes and receives events.
#[derive(Clone)]
pub struct Events {
    local: broadcast::Sender<Event>,
    /// Whether events of all processes arrive at present.
    live: watch::Sender<bool>,
    reach: Reach,
}

#[derive(Clone)]
enum Reach {
    Nowhere,
    Process,
    Shared(Arc<Shared>),
}

impl std::fmt::Debug for Events {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.reach {
            Reach::Nowhere => "Events::off",
            Reach::Process => "Events::local",
            Reach::Shared(_) => "Events::shared",
        })
    }
}

impl Events {
    /// Events within this process.
    pub fn local() -> Self {
        Self::new(true, Reach::Process)
    }

    /// No events: for one of several processes without Redis. Logs a warning.
    pub fn off() -> Self {
        tracing::warn!(
            "REDIS_URL is not set: processes exchange no change events; watchers poll every few \
             seconds instead"
        );
        Self::new(false, Reach::Nowhere)
    }

    /// Events among all processes with this Redis, which may be unavailable. Needs a Tokio runtime.
    pub fn shared(redis_url: &SecretString) -> Result<Self, ServiceError> {
        let shared = Shared::start(redis_url)?;
        Ok(Self::new(false, Reach::Shared(Arc::new(shared))))
    }

    /// For one of several processes: shared if there is a Redis URL, else off.
    pub fn for_process(redis_url: Option<&SecretString>) -> Result<Self, ServiceError> {
        redis_url.map_or_else(|| Ok(Self::off()), Self::shared)
    }

    fn new(live: bool, reach: Reach) -> Self {
        Self {
            local: broadcast::channel(BACKLOG).0,
            live: watch::Sender::new(live),
            reach,
        }
    }

    /// Publishes an event. Never waits and never fails.
    pub fn publish(&self, event: Event) {
        match &self.reach {
            Reach::Nowhere => return,
            Reach::Process => names::EVENTS.count(["sent", "ok"]),
            Reach::Shared(shared) => shared.publish(event),
        }
        // Fails if this process has no subscriber.
        let _ = self.local.send(event);
    }

    /// Subscribes to events from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<Event> {
        let receiver = self.local.subscribe();
        if let Reach::Shared(shared) = &self.reach {
            shared.listen(&self.local, &self.live);
        }
        receiver
    }

    /// Whether events of other processes arrive: always in a single process, never when off, and
    /// with Redis while the subscription works.
    pub fn live(&self) -> watch::Receiver<bool> {
        self.live.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event() -> Event {
        Event {
            company_id: Uuid::now_v7(),
            topic: Topic::Equipment,
            person_id: None,
            equipment_id: None,
        }
    }

    #[tokio::test]
    async fn local_events_reach_all_subscribers() {
        let events = Events::local();
        events.publish(event());
        let (mut one, mut other) = (events.subscribe(), events.clone().subscribe());
        let published = event();
        events.publish(published);
        assert_eq!(one.recv().await.ok(), Some(published));
        assert_eq!(other.recv().await.ok(), Some(published));
        assert!(*events.live().borrow());
    }

    #[tokio::test]
    async fn off_publishes_nothing() {
        let events = Events::off();
        let mut receiver = events.subscribe();
        events.publish(event());
        assert!(receiver.try_recv().is_err() && !*events.live().borrow());
    }
}
