//! Sends queued messages.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::Tenant;
use hourmeter_runtime::rounds::repeat;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::rounds;
use crate::settings::Settings;
use crate::sources::Sources;
use crate::store::messages::{self, MessageKind, Outcome, QueuedMessage};

/// Messages of a company in one round.
const BATCH_SIZE: i64 = 100;
/// A claimed message is tried again after this time unless it is done.
const LEASE_SECONDS: i32 = 300;
/// The rest of a batch waits for the end of the lease, so that no message is sent twice.
const MAX_BATCH_TIME: Duration = Duration::from_secs(150);
/// Seconds until the next attempt, by attempts made; then the message has failed, a day after it was queued.
const RETRY_SECONDS: [i32; 8] = [30, 120, 600, 1_800, 3_600, 10_800, 21_600, 43_200];

/// A way to reach people.
pub trait Channel: Send + Sync + 'static {
    /// The messages that it delivers.
    const KINDS: &'static [MessageKind];
    /// What the messages of a batch share.
    type Batch: Default + Send + Sync;

    /// Messages with the same group are delivered together.
    fn group(message: &QueuedMessage) -> Uuid {
        message.id
    }

    /// Delivers the messages of a group as one. Nothing is sent after [`Kind::NotFound`] or
    /// [`Kind::Conflict`]; other errors are retried.
    fn deliver(
        &self,
        tenant: Tenant,
        group: &[QueuedMessage],
        batch: &Self::Batch,
    ) -> impl Future<Output = Result<Delivery, ServiceError>> + Send;
}

/// What the other side did with a message.
#[derive(Debug, PartialEq, Eq)]
pub enum Delivery {
    Accepted,
    /// It may be accepted later.
    Later(String),
    /// It is not to be sent before.
    Postponed(DateTime<Utc>),
    /// It never will be.
    Refused(String),
    /// Notifications of other people took its place.
    Replaced,
}

/// Sends the messages of a channel via `V`: the settings of its provider, or the events of open pages.
#[derive(Debug)]
pub struct Sender<V> {
    pub database: Database,
    pub clock: Clock,
    pub sources: Sources,
    pub via: V,
}

impl<V> Sender<V> {
    /// The sender of another channel.
    pub fn with<O>(&self, via: O) -> Sender<O> {
        Sender {
            database: self.database.clone(),
            clock: self.clock.clone(),
            sources: self.sources.clone(),
            via,
        }
    }

    /// When the person's quiet hours of now end. None: it is none of them.
    pub async fn quiet_end(
        &self,
        tenant: Tenant,
        settings: &Settings,
        zone: &OnceCell<Tz>,
    ) -> Result<Option<DateTime<Utc>>, ServiceError> {
        let Some(hours) = settings.quiet_hours else {
            return Ok(None);
        };
        let load = || self.sources.time_zone(tenant);
        let zone = zone.get_or_try_init(load).await?;
        Ok(hours.end_at(self.clock.now(), *zone))
    }
}

impl<V> Sender<V>
where
    Self: Channel,
{
    /// Sends messages until `stop`. Safe to run in several processes. A message that is being sent is
    /// finished, so that it is not sent twice.
    pub async fn run(self, stop: CancellationToken) {
        repeat(&stop, "send messages", || self.round()).await;
    }

    /// Sends due messages of some companies. Returns whether others may have more.
    async fn round(&self) -> Result<bool, ServiceError> {
        let mut lookup = self.database.lookup().await?;
        let companies = messages::due(&mut lookup, Self::KINDS, rounds::COMPANIES).await?;
        lookup.done();
        rounds::for_each(companies, |tenant| self.send(tenant)).await
    }

    /// Claims and sends messages of a company.
    async fn send(&self, tenant: Tenant) -> Result<(), ServiceError> {
        let mut tx = self.database.tenant(tenant).await?;
        let now = self.clock.now();
        let queued = messages::claim(&mut tx, Self::KINDS, BATCH_SIZE, LEASE_SECONDS, now).await?;
        tx.commit().await?;
        let batch = <Self as Channel>::Batch::default();
        let (late, queued): (Vec<_>, Vec<_>) = queued.into_iter().partition(|one| one.is_late);
        self.finish(tenant, &late, |_| Outcome::Late).await?;
        let mut groups: BTreeMap<Uuid, Vec<QueuedMessage>> = BTreeMap::new();
        for message in queued {
            groups
                .entry(Self::group(&message))
                .or_default()
                .push(message);
        }
        let started = Instant::now();
        for group in groups.values() {
            if started.elapsed() > MAX_BATCH_TIME {
                return Ok(());
            }
            let delivered = self.deliver(tenant, group, &batch).await;
            let outcome = |message: &QueuedMessage| outcome(&delivered, message, &group[0], now);
            self.finish(tenant, group, outcome).await?;
        }
        Ok(())
    }

    async fn finish(
        &self,
        tenant: Tenant,
        group: &[QueuedMessage],
        outcome: impl Fn(&QueuedMessage) -> Outcome,
    ) -> Result<(), ServiceError> {
        if group.is_empty() {
            return Ok(());
        }
        let mut tx = self.database.tenant(tenant).await?;
        for message in group {
            messages::finish(&mut tx, message.id, &outcome(message)).await?;
        }
        tx.commit().await
    }
}

/// The notifications that a group is about.
pub fn numbers(group: &[QueuedMessage]) -> Vec<i64> {
    group
        .iter()
        .filter_map(|one| one.notification_number)
        .collect()
}

/// What became of a message of a group, whose first message has the id of what was sent.
fn outcome(
    delivered: &Result<Delivery, ServiceError>,
    message: &QueuedMessage,
    first: &QueuedMessage,
    now: DateTime<Utc>,
) -> Outcome {
    match delivered {
        Ok(Delivery::Accepted) if message.id == first.id => Outcome::Sent,
        Ok(Delivery::Accepted | Delivery::Replaced) => Outcome::Gathered,
        Ok(Delivery::Refused(problem)) => Outcome::Failed(problem.clone()),
        Ok(Delivery::Later(problem)) => later(message, problem.clone()),
        Ok(Delivery::Postponed(until)) => Outcome::Postponed {
            until: *until,
            seconds: i32::try_from((*until - now).num_seconds()).unwrap_or(i32::MAX),
        },
        Err(failure) if matches!(failure.kind, Kind::NotFound | Kind::Conflict) => {
            Outcome::Suppressed
        }
        Err(failure) => later(message, failure.to_string()),
    }
}

fn later(message: &QueuedMessage, problem: String) -> Outcome {
    let made = usize::try_from(message.attempts).unwrap_or_default();
    RETRY_SECONDS
        .get(made.saturating_sub(1))
        .map_or(Outcome::Failed(problem.clone()), |seconds| Outcome::Later {
            seconds: *seconds,
            problem,
        })
}
