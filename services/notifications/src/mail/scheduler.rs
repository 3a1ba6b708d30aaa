//! Queues digests when they are due.

use std::time::Duration;

use futures::StreamExt as _;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::Tenant;
use tokio_util::sync::CancellationToken;

use crate::sources::Sources;
use crate::store::digests;
use crate::store::messages::{self, MessageKind};

const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Companies in one round.
const COMPANIES: i32 = 100;
/// Digests of a company in one round.
const BATCH_SIZE: i64 = 500;
/// Companies served concurrently.
const CONCURRENCY: usize = 4;

/// Queues digests. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Scheduler {
    pub database: Database,
    pub clock: Clock,
    pub sources: Sources,
}

impl Scheduler {
    /// Queues digests until `stop`. Safe to run in several processes.
    pub async fn run(self, stop: CancellationToken) {
        let mut pause = POLL_INTERVAL;
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(pause) => {}
            }
            let result = tokio::select! {
                () = stop.cancelled() => return,
                result = self.round() => result,
            };
            pause = match result {
                Ok(true) => Duration::ZERO,
                Ok(false) => POLL_INTERVAL,
                Err(failure) => {
                    tracing::warn!(%failure, error = ?failure.cause, "failed to queue digests; retrying");
                    POLL_INTERVAL
                }
            };
        }
    }

    /// Decides on the digests of some companies. Returns whether others may have more.
    async fn round(&self) -> Result<bool, ServiceError> {
        let mut lookup = self.database.lookup().await?;
        let companies = digests::due_companies(&mut lookup, self.clock.now(), COMPANIES).await?;
        lookup.done();
        let is_full = i32::try_from(companies.len()) == Ok(COMPANIES);
        let all = companies
            .into_iter()
            .map(|id| self.queue(Tenant::from_lookup(id)));
        let mut results = futures::stream::iter(all).buffer_unordered(CONCURRENCY);
        let mut total = Ok(is_full);
        while let Some(result) = results.next().await {
            total = result.and(total);
        }
        total
    }

    /// Decides on the digests of a company.
    async fn queue(&self, tenant: Tenant) -> Result<(), ServiceError> {
        let contacts = match self.sources.contacts(tenant).await {
            Ok(contacts) => Some(contacts),
            // The company was deleted.
            Err(failure) if failure.kind == Kind::NotFound => None,
            Err(failure) => return Err(failure),
        };
        let now = self.clock.now();
        let mut tx = self.database.tenant(tenant).await?;
        let due = digests::due(&mut tx, tenant, now, BATCH_SIZE).await?;
        for digest in due {
            let contact = contacts
                .as_ref()
                .and_then(|contacts| Some((contacts, contacts.find(digest.person_id)?.verified)));
            let Some((contacts, verified)) = contact else {
                digests::delete(&mut tx, tenant, digest.person_id).await?;
                continue;
            };
            let (schedule, zone) = (&digest.schedule, contacts.time_zone);
            let mut decision = schedule.decide(zone, digest.last_day, now);
            // Nothing is mailed before the address is verified.
            decision.due = decision.due.filter(|_| verified);
            let is_new = digests::decide(&mut tx, tenant, &digest, decision).await?;
            if is_new && decision.due.is_some() {
                let kind = MessageKind::Digest;
                messages::queue(&mut tx, tenant, kind, digest.person_id, now).await?;
            }
        }
        tx.commit().await
    }
}
