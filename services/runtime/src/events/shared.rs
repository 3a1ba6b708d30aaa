//! Events over Redis: one task publishes, and another one listens after the first subscription.

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

/// Size of the queue to publish; events beyond it are dropped.
const QUEUE: usize = 1024;
/// Events published in one round trip.
const BATCH: usize = 100;
/// Pauses before the attempts to publish a batch: two immediate ones, because a broken connection
/// is only noticed in use, and one after the circuit breaker closes.
const ATTEMPTS: [Duration; 3] = [Duration::ZERO, Duration::ZERO, OPEN_TIME];
/// Timeout of the listener for connecting and for pings; no request waits for it.
const LISTENER_TIMEOUT: Duration = Duration::from_secs(1);
/// Interval of pings on an idle connection.
const PROBE: Duration = Duration::from_secs(5);

pub struct Shared {
    queue: mpsc::Sender<Event>,
    client: Client,
    /// Identifies this process's own events.
    id: Uuid,
    is_listening: AtomicBool,
    stop: CancellationToken,
    _stop_on_drop: DropGuard,
}

impl Shared {
    pub fn start(url: &SecretString) -> Result<Self, ServiceError> {
        let id = Uuid::now_v7();
        let (queue, events) = mpsc::channel(QUEUE);
        let link = RedisLink::new(
            url,
            TIMEOUT,
            "events",
            "change events are not published to other processes",
        )?;
        tokio::spawn(publish_queue(link, events, id));
        let stop = CancellationToken::new();
        Ok(Self {
            queue,
            client: open(url)?,
            id,
            is_listening: AtomicBool::new(false),
            _stop_on_drop: stop.clone().drop_guard(),
            stop,
        })
    }

    /// Queues an event; drops it if the queue is full.
    pub fn publish(&self, event: Event) {
        if self.queue.try_send(event).is_err() {
            names::EVENTS.count(["sent", "failed"]);
        }
    }

    /// Starts the listener at the first call.
    pub fn listen(&self, to: &broadcast::Sender<Event>, live: &watch::Sender<bool>) {
        if self.is_listening.swap(true, Ordering::Relaxed) {
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
                () = listener.run() => {}
            }
        });
    }
}

/// Publishes queued events until the queue is closed.
async fn publish_queue(link: RedisLink, mut events: mpsc::Receiver<Event>, id: Uuid) {
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

/// Pings Redis, so that the link's gauge is also correct while there are no events.
async fn probe(link: &RedisLink) {
    let mut connection = link.connection();
    let ping = redis::cmd("PING");
    let _: Result<redis::Value, Unavailable> = link
        .call_ignoring_breaker(ping.query_async(&mut connection))
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
    for pause in ATTEMPTS {
        tokio::time::sleep(pause).await;
        let mut connection = link.connection();
        let published: Result<(), Unavailable> = link
            .call_ignoring_breaker(pipe.query_async(&mut connection))
            .await;
        if published.is_ok() {
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
    /// Listens and reconnects until it is cancelled.
    async fn run(self) {
        let mut logged = false;
        loop {
            let connected = self.listen().await;
            self.live.send_replace(false);
            names::REDIS_ERRORS.count(["listener"]);
            // Logged once per outage.
            if connected || !logged {
                tracing::warn!(
                    "Redis does not answer; events of other processes are not received; reconnecting"
                );
                logged = true;
            }
            tokio::time::sleep(OPEN_TIME).await;
        }
    }

    /// Listens until the connection breaks; false if it could not connect.
    async fn listen(&self) -> bool {
        let connect = async {
            let mut connection = self.client.get_async_pubsub().await?;
            connection.psubscribe(PATTERN).await?;
            redis::RedisResult::Ok(connection)
        };
        let Ok(Ok(connection)) = timeout(LISTENER_TIMEOUT, connect).await else {
            return false;
        };
        let (mut sink, mut messages) = connection.split();
        self.live.send_replace(true);
        tracing::info!("subscribed to events of other processes");
        let mut probe = tokio::time::interval(PROBE);
        loop {
            tokio::select! {
                message = messages.next() => match message {
                    Some(message) => self.receive(&message),
                    None => return true,
                },
                _ = probe.tick() => {
                    let pong = timeout(LISTENER_TIMEOUT, sink.ping::<redis::Value>()).await;
                    if !matches!(pong, Ok(Ok(_))) {
                        return true;
                    }
                }
            }
        }
    }

    fn receive(&self, message: &redis::Msg) {
        let channel = message.get_channel_name();
        if let Some(event) = read(channel, message.get_payload_bytes(), self.id) {
            names::EVENTS.count(["received", "ok"]);
            let _ = self.to.send(event);
        }
    }
}
