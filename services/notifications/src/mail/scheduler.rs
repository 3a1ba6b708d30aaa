//! Queues digests when they are due.

use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::Tenant;
use hourmeter_runtime::rounds::repeat;
use tokio_util::sync::CancellationToken;

use crate::rounds;
use crate::sources::Sources;
use crate::store::messages::MessageKind;
use crate::store::{digests, queue};

/// Digests of a company in one round.
const BATCH_SIZE: i64 = 500;

#[derive(Debug)]
pub struct Scheduler {
    pub database: Database,
    pub clock: Clock,
    pub sources: Sources,
}

impl Scheduler {
    /// Queues digests until `stop`. Safe to run in several processes.
    pub async fn run(self, stop: CancellationToken) {
        let rounds = repeat(&stop, "queue digests", || self.round());
        stop.run_until_cancelled(rounds).await;
    }

    /// Decides on the digests of some companies. Returns whether others may have more.
    async fn round(&self) -> Result<bool, ServiceError> {
        let mut lookup = self.database.lookup().await?;
        let now = self.clock.now();
        let companies = digests::due_companies(&mut lookup, now, rounds::COMPANIES).await?;
        lookup.done();
        rounds::for_each(companies, |tenant| self.queue(tenant)).await
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
        let due = digests::due(&mut tx, now, BATCH_SIZE).await?;
        for digest in due {
            let contact = contacts
                .as_ref()
                .and_then(|contacts| Some((contacts, contacts.find(digest.person_id)?.verified)));
            let Some((contacts, verified)) = contact else {
                digests::delete(&mut tx, digest.person_id).await?;
                continue;
            };
            let (schedule, zone) = (&digest.schedule, contacts.time_zone);
            let mut decision = schedule.decide(zone, digest.last_day, now);
            // Nothing is mailed before the address is verified.
            decision.due = decision.due.filter(|_| verified);
            let is_new = digests::decide(&mut tx, &digest, decision).await?;
            if is_new && decision.due.is_some() {
                let kind = MessageKind::Digest;
                queue::mail(&mut tx, kind, digest.person_id, now).await?;
            }
        }
        tx.commit().await
    }
}
