//! Events by way of Redis: one task that tells, and one that listens once somebody does.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::StreamExt as _;
use redis::Client;
use secrecy::SecretString;
use tokio::sync::{broadcast, mpsc, watch};
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;

use super::Event;
use super::message::{PATTERN, channel, read, write};
use crate::error::ServiceError;
use crate::redis_link::{OPEN_TIME, RedisLink, TIMEOUT, Unavailable, open};
use crate::telemetry::names;

/// Events that wait to be told; more are dropped.
const MOST_WAITING: usize = 1024;
/// Events told with one round trip.
const BATCH: usize = 100;
/// When a batch that did not get through is tried again: at once, since a connection that broke is
/// noticed only by using it, and once Redis was left alone for a while.
const TRIES: [Duration; 3] = [Duration::ZERO, Duration::ZERO, OPEN_TIME];
/// How long connecting and being asked may take the listener, for whom nobody waits.
const LISTENER_TIMEOUT: Duration = Duration::from_secs(1);
/// How often a line on which nothing comes or goes is asked whether it is alive.
const PROBE: Duration = Duration::from_secs(5);

/// The way to other processes.
pub struct Shared {
    waiting: mpsc::Sender<Event>,
    client: Client,
    /// Tells this process's own events from others'.
    id: Uuid,
    follows: AtomicBool,
    stop: CancellationToken,
    _stops_when_dropped: DropGuard,
}

impl Shared {
    pub fn start(url: &SecretString) -> Result<Self, ServiceError> {
        let id = Uuid::now_v7();
        let (waiting, events) = mpsc::channel(MOST_WAITING);
        let link = RedisLink::new(
            url,
            TIMEOUT,
            "events",
            "changes are not told to other processes",
        )?;
        tokio::spawn(tell(link, events, id));
        let stop = CancellationToken::new();
        Ok(Self {
            waiting,
            client: open(url)?,
            id,
            follows: AtomicBool::new(false),
            _stops_when_dropped: stop.clone().drop_guard(),
            stop,
        })
    }

    /// Leaves it to be told; a full queue leaves it out.
    pub fn publish(&self, event: Event) {
        if self.waiting.try_send(event).is_err() {
            names::EVENTS.count(["sent", "failed"]);
        }
    }

    /// Begins to listen, once.
    pub fn follow(&self, to: &broadcast::Sender<Event>, live: &watch::Sender<bool>) {
        if self.follows.swap(true, Ordering::Relaxed) {
            return;
        }
        let listener = Listener {
            client: self.client.clone(),
            id: self.id,
            to: to.clone(),
            live: live.clone(),
        };
        let stop = self.stop.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = stop.cancelled() => {}
                () = listener.follow() => {}
            }
        });
    }
}

/// Tells what waits, until nobody can leave anything more.
async fn tell(link: RedisLink, mut events: mpsc::Receiver<Event>, id: Uuid) {
    let mut batch = Vec::with_capacity(BATCH);
    probe(&link).await;
    loop {
        match timeout(PROBE, events.recv_many(&mut batch, BATCH)).await {
            Ok(0) => return,
            Ok(_) => publish(&link, &mut batch, id).await,
            Err(_) => probe(&link).await,
        }
    }
}

/// Asks whether Redis is there, so that who has nothing to tell for hours does not go on saying
/// what was so the last time.
async fn probe(link: &RedisLink) {
    let mut connection = link.connection();
    let question = redis::cmd("PING");
    // The link says how it went.
    let _: Result<redis::Value, Unavailable> = link
        .call_ignoring_breaker(question.query_async(&mut connection))
        .await;
}

async fn publish(link: &RedisLink, batch: &mut Vec<Event>, id: Uuid) {
    let mut pipe = redis::pipe();
    let count = batch.len() as u64;
    let mut outcome = "failed";
    for event in batch.drain(..) {
        if let Ok(text) = write(&event, id) {
            pipe.publish(channel(event.company_id), text).ignore();
        }
    }
    for pause in TRIES {
        tokio::time::sleep(pause).await;
        let mut connection = link.connection();
        // Lost ones cost freshness only, and the link says so.
        let told: Result<(), Unavailable> = link
            .call_ignoring_breaker(pipe.query_async(&mut connection))
            .await;
        if told.is_ok() {
            outcome = "ok";
            break;
        }
    }
    names::EVENTS.counter(["sent", outcome]).increment(count);
}

struct Listener {
    client: Client,
    id: Uuid,
    to: broadcast::Sender<Event>,
    live: watch::Sender<bool>,
}

impl Listener {
    /// Listens for ever, again and again when the line breaks.
    async fn follow(self) {
        let mut told = false;
        loop {
            let connected = self.listen().await;
            self.live.send_replace(false);
            // Once for a whole absence.
            names::REDIS_ERRORS.count(["listener"]);
            if connected || !told {
                tracing::warn!("Redis does not answer; changes in other processes are not heard");
                told = true;
            }
            tokio::time::sleep(OPEN_TIME).await;
        }
    }

    /// Listens until the line breaks; false when there was none.
    async fn listen(&self) -> bool {
        let line = async {
            let mut line = self.client.get_async_pubsub().await?;
            line.psubscribe(PATTERN).await?;
            redis::RedisResult::Ok(line)
        };
        let Ok(Ok(line)) = timeout(LISTENER_TIMEOUT, line).await else {
            return false;
        };
        let (mut sink, mut messages) = line.split();
        self.live.send_replace(true);
        tracing::info!("listening to changes in other processes");
        let mut probe = tokio::time::interval(PROBE);
        loop {
            tokio::select! {
                message = messages.next() => match message {
                    Some(message) => self.hear(&message),
                    None => return true,
                },
                _ = probe.tick() => {
                    let answer = timeout(LISTENER_TIMEOUT, sink.ping::<redis::Value>()).await;
                    if !matches!(answer, Ok(Ok(_))) {
                        return true;
                    }
                }
            }
        }
    }

    fn hear(&self, message: &redis::Msg) {
        let came_by = message.get_channel_name();
        if let Some(event) = read(came_by, message.get_payload_bytes(), self.id) {
            names::EVENTS.count(["received", "ok"]);
            let _ = self.to.send(event);
        }
    }
}
