//! That something changed, told after commit to whoever watches. Missing an event costs freshness
//! only: whoever shows data also compares markers now and then.

mod message;
mod shared;

use std::sync::Arc;

use secrecy::SecretString;
use tokio::sync::{broadcast, watch};
use uuid::Uuid;

use self::shared::Shared;
use crate::error::ServiceError;
use crate::telemetry::names;

/// How many events a slow watcher may fall behind before it misses some.
const BACKLOG: usize = 1024;

/// What has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Topic {
    /// Submissions of operators.
    OperatorUpdates,
    /// Equipment and its meters.
    Equipment,
    /// The company's subscription and what it entitles to.
    Subscription,
}

impl Topic {
    /// All there are.
    pub const ALL: [Self; 3] = [Self::OperatorUpdates, Self::Equipment, Self::Subscription];
}

/// Something changed in a company.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Whose.
    pub company_id: Uuid,
    /// What.
    pub topic: Topic,
    /// The one operator it is about; none: everybody may be concerned.
    pub person_id: Option<Uuid>,
}

/// Where events go to and come from.
#[derive(Clone)]
pub struct Events {
    local: broadcast::Sender<Event>,
    /// Whether all that is told arrives here at present.
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
    /// Within this process.
    pub fn local() -> Self {
        Self::new(true, Reach::Process)
    }

    /// Nowhere: for one of several processes that share no Redis. Says so in the log.
    pub fn off() -> Self {
        tracing::warn!(
            "no REDIS_URL: processes don't tell each other what changed; whoever watches looks \
             every few seconds instead"
        );
        Self::new(false, Reach::Nowhere)
    }

    /// Through the Redis of this URL to all processes that use it, this one included. Redis need
    /// not be there yet, nor all the time. Begins tasks, so it needs a runtime.
    pub fn shared(redis_url: &SecretString) -> Result<Self, ServiceError> {
        let shared = Shared::start(redis_url)?;
        Ok(Self::new(false, Reach::Shared(Arc::new(shared))))
    }

    /// For one of several processes: through Redis where there is one, else off.
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

    /// Tells it. Never waits and never fails.
    pub fn publish(&self, event: Event) {
        match &self.reach {
            Reach::Nowhere => return,
            Reach::Process => names::EVENTS.count(["sent", "ok"]),
            Reach::Shared(shared) => shared.publish(event),
        }
        // An error says that nobody in this process listens.
        let _ = self.local.send(event);
    }

    /// Everything told from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<Event> {
        let receiver = self.local.subscribe();
        if let Reach::Shared(shared) = &self.reach {
            shared.follow(&self.local, &self.live);
        }
        receiver
    }

    /// Whether what others tell arrives: always within one process, never without Redis among
    /// several, and with one while it is subscribed to.
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
        }
    }

    #[tokio::test]
    async fn within_a_process_everybody_hears() {
        let events = Events::local();
        events.publish(event());
        let (mut one, mut other) = (events.subscribe(), events.clone().subscribe());
        let told = event();
        events.publish(told);
        assert_eq!(one.recv().await.ok(), Some(told));
        assert_eq!(other.recv().await.ok(), Some(told));
        assert!(*events.live().borrow());
    }

    #[tokio::test]
    async fn off_is_silent() {
        let events = Events::off();
        let mut receiver = events.subscribe();
        events.publish(event());
        assert!(receiver.try_recv().is_err() && !*events.live().borrow());
    }
}
