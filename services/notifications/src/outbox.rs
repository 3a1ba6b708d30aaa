//! Sends queued messages.

use std::time::Duration;

use futures::StreamExt as _;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::Tenant;
use tokio_util::sync::CancellationToken;

use crate::store::messages::{self, MessageKind, Outcome, QueuedMessage};

const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Companies in one round.
const COMPANIES: i32 = 100;
/// Messages of a company in one round.
const BATCH_SIZE: i64 = 20;
/// Companies served concurrently.
const CONCURRENCY: usize = 4;
/// A claimed message is tried again after this time unless it is done.
const LEASE_SECONDS: i32 = 300;
/// Seconds until the next attempt, by attempts made; then the message has failed, a day after it was queued.
const RETRY_SECONDS: [i32; 8] = [30, 120, 600, 1_800, 3_600, 10_800, 21_600, 43_200];

/// A way to reach people.
pub trait Channel: Send + Sync + 'static {
    /// The messages that it delivers.
    const KINDS: &'static [MessageKind];
    /// What the messages of a batch share.
    type Batch: Default + Send + Sync;

    /// Sends a message. Nothing is sent after [`Kind::NotFound`] or [`Kind::Conflict`]; other errors are
    /// retried.
    fn deliver(
        &self,
        tenant: Tenant,
        message: &QueuedMessage,
        batch: &Self::Batch,
    ) -> impl Future<Output = Result<Delivery, ServiceError>> + Send;
}

/// What the other side did with a message.
#[derive(Debug, PartialEq, Eq)]
pub enum Delivery {
    Accepted,
    /// It may be accepted later.
    Later(String),
    /// It never will be.
    Refused(String),
}

#[derive(Debug)]
pub struct Outbox<C> {
    pub database: Database,
    pub clock: Clock,
    pub channel: C,
}

impl<C: Channel> Outbox<C> {
    /// Sends messages until `stop`. Safe to run in several processes.
    pub async fn run(self, stop: CancellationToken) {
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(POLL_INTERVAL) => {}
            }
            // A message that is being sent is finished, so that it is not sent twice.
            if let Err(failure) = self.round().await {
                tracing::warn!(%failure, error = ?failure.cause, "failed to send messages; retrying");
            }
        }
    }

    async fn round(&self) -> Result<(), ServiceError> {
        let mut lookup = self.database.lookup().await?;
        let companies = messages::due(&mut lookup, C::KINDS, COMPANIES).await?;
        lookup.done();
        let sends = companies
            .into_iter()
            .map(|id| self.send(Tenant::from_lookup(id)));
        let mut results = futures::stream::iter(sends).buffer_unordered(CONCURRENCY);
        let mut total = Ok(());
        while let Some(sent) = results.next().await {
            total = total.and(sent);
        }
        total
    }

    /// Claims and sends messages of a company.
    async fn send(&self, tenant: Tenant) -> Result<(), ServiceError> {
        let mut tx = self.database.tenant(tenant).await?;
        let now = self.clock.now();
        let (kinds, at_most) = (C::KINDS, BATCH_SIZE);
        let queued = messages::claim(&mut tx, tenant, kinds, at_most, LEASE_SECONDS, now).await?;
        tx.commit().await?;
        let batch = C::Batch::default();
        for message in queued {
            let outcome = self.outcome(tenant, &message, &batch).await;
            let mut tx = self.database.tenant(tenant).await?;
            messages::finish(&mut tx, tenant, message.id, &outcome).await?;
            tx.commit().await?;
        }
        Ok(())
    }

    async fn outcome(&self, tenant: Tenant, message: &QueuedMessage, batch: &C::Batch) -> Outcome {
        if message.is_late {
            return Outcome::Late;
        }
        match self.channel.deliver(tenant, message, batch).await {
            Ok(Delivery::Accepted) => Outcome::Sent,
            Ok(Delivery::Refused(problem)) => Outcome::Failed(problem),
            Ok(Delivery::Later(problem)) => later(message, problem),
            Err(failure) if matches!(failure.kind, Kind::NotFound | Kind::Conflict) => {
                Outcome::Suppressed
            }
            Err(failure) => later(message, failure.to_string()),
        }
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
