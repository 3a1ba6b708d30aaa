//! The messages of one watcher: one immediately, changes as they happen, and heartbeats. A separate
//! task keeps the times, so that they also hold for a client that does not read.

use std::sync::Arc;
use std::time::Duration;

use hourmeter_proto::accounts::v1::ResolveSessionResponse;
use hourmeter_proto::events::v1::WatchResponse;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::Identity;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tonic::Status;
use uuid::Uuid;

use super::audience::Topics;
use super::proto_topic;
use super::timing::WatchTiming;
use super::watchers::WatcherGuard;
use crate::requester::{Requester, unavailable};
use crate::services::Services;
use crate::session;

/// How long changes are batched.
const BATCH_WINDOW: Duration = Duration::from_millis(50);
/// The least time between two messages with changes, which limits the reads that they cause.
const MIN_INTERVAL: Duration = Duration::from_millis(250);
/// How long the final status waits for a client that does not read.
const FINAL_STATUS_TIMEOUT: Duration = Duration::from_secs(1);

pub type WatchResponses = ReceiverStream<Result<WatchResponse, Status>>;

pub fn open(
    services: Arc<Services>,
    requester: Arc<Requester>,
    guard: WatcherGuard,
    stop: CancellationToken,
) -> WatchResponses {
    let (out, responses) = mpsc::channel(1);
    let (now, timing) = (Instant::now(), services.config.watch_timing);
    let stream = WatchStream {
        timing,
        ends_at: now + timing.max_age.mul_f64(jitter(0.8)),
        check_due: now + timing.check.mul_f64(jitter(0.5)),
        confirmed_at: now,
        heartbeat_due: now,
        changes_due: None,
        last_sent: now,
        services,
        requester,
        guard,
        out,
    };
    tokio::spawn(stream.run(stop));
    ReceiverStream::new(responses)
}

pub fn response(topics: Topics) -> WatchResponse {
    let changed = topics.list().map(|topic| proto_topic(topic).into());
    WatchResponse {
        changed: changed.collect(),
    }
}

/// A random factor between `min` and 1, so that streams that began together spread out.
fn jitter(min: f64) -> f64 {
    let random = f64::from(getrandom::u32().unwrap_or(u32::MAX)) / f64::from(u32::MAX);
    min + (1.0 - min) * random
}

struct WatchStream {
    timing: WatchTiming,
    services: Arc<Services>,
    requester: Arc<Requester>,
    guard: WatcherGuard,
    out: mpsc::Sender<Result<WatchResponse, Status>>,
    ends_at: Instant,
    check_due: Instant,
    confirmed_at: Instant,
    heartbeat_due: Instant,
    changes_due: Option<Instant>,
    last_sent: Instant,
}

impl WatchStream {
    async fn run(mut self, stop: CancellationToken) {
        let out = self.out.clone();
        let final_status = tokio::select! {
            () = stop.cancelled() => None,
            () = out.closed() => None,
            final_status = self.send_messages() => final_status,
        };
        if let Some(failure) = final_status {
            let _ = timeout(FINAL_STATUS_TIMEOUT, out.send(Err(failure.into()))).await;
        }
    }

    /// Returns the error that the stream ends with; `None`: the client should call again.
    async fn send_messages(&mut self) -> Option<ServiceError> {
        let out = self.out.clone();
        loop {
            let now = Instant::now();
            if now >= self.ends_at {
                return self.check().await.err().flatten();
            }
            if now >= self.check_due
                && let Err(end) = self.check().await
            {
                return end;
            }
            let has_changes = self.changes_due.is_some_and(|due| due <= now);
            let due = has_changes || self.heartbeat_due <= now;
            let next = self.next(now);
            let watcher = &self.guard.watcher;
            let slot = tokio::select! {
                biased;
                slot = out.reserve(), if due => Some(slot.ok()?),
                () = watcher.wake.notified(), if self.changes_due.is_none() => {
                    let due = Instant::now() + BATCH_WINDOW;
                    self.changes_due = Some(due.max(self.last_sent + MIN_INTERVAL));
                    None
                }
                () = sleep_until(next) => None,
            };
            if let Some(slot) = slot {
                let topics = watcher.take();
                self.changes_due = None;
                if topics != Topics::NONE || self.heartbeat_due <= now {
                    slot.send(Ok(response(topics)));
                    self.record_sent(topics);
                }
            }
        }
    }

    /// The next due time that is not overdue.
    fn next(&self, now: Instant) -> Instant {
        let upcoming = [
            Some(self.heartbeat_due),
            self.changes_due,
            Some(self.check_due),
        ];
        let upcoming = upcoming.into_iter().flatten().filter(|due| *due > now);
        upcoming.fold(self.ends_at, Instant::min)
    }

    fn record_sent(&mut self, topics: Topics) {
        let now = Instant::now();
        self.heartbeat_due = now + self.timing.heartbeat;
        if topics != Topics::NONE {
            self.last_sent = now;
        }
    }

    /// Checks the session without using it. An error ends the stream; without a `ServiceError` the
    /// client should call again.
    async fn check(&mut self) -> Result<(), Option<ServiceError>> {
        let requester = self.requester.clone();
        let (Some(token), Some(identity)) = (requester.token.clone(), requester.identity()) else {
            return Err(Some(ServiceError::unauthenticated()));
        };
        let found = session::resolve_read_only(&self.services, Uuid::now_v7(), token).await;
        let now = Instant::now();
        match found {
            Ok(found) if is_of(&found, identity) => {
                self.confirmed_at = now;
                self.check_due = now + self.timing.check;
                Ok(())
            }
            // It changed, e.g. its role.
            Ok(_) => Err(None),
            Err(failure) if failure.kind == Kind::Unauthenticated => {
                Err(Some(ServiceError::unauthenticated()))
            }
            Err(_) if now < self.confirmed_at + self.timing.max_unconfirmed => {
                self.check_due = now + self.timing.check_retry;
                Ok(())
            }
            Err(_) => Err(Some(unavailable())),
        }
    }
}

/// Whether a session is still that of the identity.
fn is_of(found: &ResolveSessionResponse, identity: &Identity) -> bool {
    found.session_id == identity.session_id.to_string()
        && found.user_id == identity.user_id.to_string()
        && found.company_id == identity.company_id.to_string()
        && (found.role(), found.scope()) == (identity.role, identity.scope)
}
