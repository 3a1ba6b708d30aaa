//! The messages of one watcher: one immediately, changes as they happen, and heartbeats. A separate
//! task keeps the times, so that they also hold for a client that does not read.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::Stream;
use hourmeter_proto::events::v1::WatchResponse;
use hourmeter_runtime::error::{Kind, ServiceError};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use tonic::Status;
use uuid::Uuid;

use super::changed;
use super::pace::WatchPace;
use super::view::Topics;
use super::watchers::Seat;
use crate::gateway::Gateway;
use crate::session;
use crate::visitor::{Visitor, unavailable};

/// How long changes are batched.
const GATHER: Duration = Duration::from_millis(50);
/// The least time between two messages with changes, which limits the reads that they cause.
const SPACING: Duration = Duration::from_millis(250);
/// How long the final status waits for a client that does not read.
const LAST_WORD: Duration = Duration::from_secs(1);

pub struct Answers(mpsc::Receiver<Result<WatchResponse, Status>>);

impl Stream for Answers {
    type Item = Result<WatchResponse, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context)
    }
}

pub fn open(
    gateway: Arc<Gateway>,
    visitor: Arc<Visitor>,
    seat: Seat,
    stop: CancellationToken,
) -> Answers {
    let (out, answers) = mpsc::channel(1);
    let (now, pace) = (Instant::now(), gateway.config.watch_pace);
    let stream = WatchStream {
        pace,
        ends: now + pace.life.mul_f64(share(0.8)),
        checks: now + pace.check.mul_f64(share(0.5)),
        confirmed: now,
        beats: now,
        tells: None,
        told: now,
        gateway,
        visitor,
        seat,
        out,
    };
    tokio::spawn(stream.run(stop));
    Answers(answers)
}

/// A random factor between `min` and 1, so that streams that began together spread out.
fn share(least: f64) -> f64 {
    let chance = f64::from(getrandom::u32().unwrap_or(u32::MAX)) / f64::from(u32::MAX);
    least + (1.0 - least) * chance
}

struct WatchStream {
    pace: WatchPace,
    gateway: Arc<Gateway>,
    visitor: Arc<Visitor>,
    seat: Seat,
    out: mpsc::Sender<Result<WatchResponse, Status>>,
    ends: Instant,
    checks: Instant,
    /// When the session was last confirmed.
    confirmed: Instant,
    beats: Instant,
    tells: Option<Instant>,
    told: Instant,
}

enum Session {
    Same,
    /// It changed, e.g. its role.
    Other,
    Gone,
    Unknown,
}

impl WatchStream {
    async fn run(mut self, stop: CancellationToken) {
        let out = self.out.clone();
        let last_word = tokio::select! {
            () = stop.cancelled() => None,
            () = out.closed() => None,
            last_word = self.tell() => last_word,
        };
        if let Some(failure) = last_word {
            let _ = timeout(LAST_WORD, out.send(Err(failure.into()))).await;
        }
    }

    /// Sends until the stream ends. Returns the error it ends with; `None` means that the client
    /// should call again.
    async fn tell(&mut self) -> Option<ServiceError> {
        let out = self.out.clone();
        loop {
            let now = Instant::now();
            if now >= self.ends {
                return self.check().await.err().flatten();
            }
            if now >= self.checks
                && let Err(end) = self.check().await
            {
                return end;
            }
            let gathered = self.tells.is_some_and(|due| due <= now);
            let due = gathered || self.beats <= now;
            let next = self.next(now);
            let watcher = &self.seat.watcher;
            let place = tokio::select! {
                biased;
                place = out.reserve(), if due => Some(place.ok()?),
                () = watcher.wake.notified(), if self.tells.is_none() => {
                    let due = Instant::now() + GATHER;
                    self.tells = Some(due.max(self.told + SPACING));
                    None
                }
                () = sleep_until(next) => None,
            };
            if let Some(place) = place {
                let topics = watcher.take();
                self.tells = None;
                if topics != Topics::NONE || self.beats <= now {
                    place.send(Ok(changed(topics)));
                    self.note_told(topics);
                }
            }
        }
    }

    /// The next due time that is not overdue.
    fn next(&self, now: Instant) -> Instant {
        let ahead = [Some(self.beats), self.tells, Some(self.checks)];
        let ahead = ahead.into_iter().flatten().filter(|due| *due > now);
        ahead.fold(self.ends, Instant::min)
    }

    fn note_told(&mut self, topics: Topics) {
        let now = Instant::now();
        self.beats = now + self.pace.heartbeat;
        if topics != Topics::NONE {
            self.told = now;
        }
    }

    /// Checks the session without using it. An error ends the stream; without a `ServiceError` the
    /// client should call again.
    async fn check(&mut self) -> Result<(), Option<ServiceError>> {
        let session = self.session().await;
        let now = Instant::now();
        match session {
            Session::Same => {
                self.confirmed = now;
                self.checks = now + self.pace.check;
                Ok(())
            }
            Session::Other => Err(None),
            Session::Gone => Err(Some(ServiceError::unauthenticated())),
            Session::Unknown if now < self.confirmed + self.pace.unconfirmed => {
                self.checks = now + self.pace.check_again;
                Ok(())
            }
            Session::Unknown => Err(Some(unavailable())),
        }
    }

    async fn session(&self) -> Session {
        let (Some(token), Some(identity)) = (self.visitor.token.clone(), self.visitor.identity())
        else {
            return Session::Gone;
        };
        match session::peek(&self.gateway, Uuid::now_v7(), token).await {
            Ok(found) => {
                let same = found.session_id == identity.session_id.to_string()
                    && found.user_id == identity.user_id.to_string()
                    && found.company_id == identity.company_id.to_string()
                    && (found.role(), found.scope()) == (identity.role, identity.scope);
                if same { Session::Same } else { Session::Other }
            }
            Err(failure) if failure.kind == Kind::Unauthenticated => Session::Gone,
            Err(_) => Session::Unknown,
        }
    }
}
