//! Notifies operators of the status of machines that they watch or use.

use std::collections::{BTreeSet, HashMap};

use chrono::TimeDelta;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::events::Events;
use hourmeter_runtime::identity::Tenant;
use uuid::Uuid;

use crate::changes::publish;
use crate::fact::Fact;
use crate::outbox::{Channel, Delivery, Sender, numbers};
use crate::store::messages::{MessageKind, QueuedMessage};
use crate::store::{self, watches};

/// An operator watches the machines of the updates of this time, unless the operator has chosen others.
const RECENT: TimeDelta = TimeDelta::days(14);

/// Replaces the notification of a changed status, which is for owner and managers, by further ones for
/// operators.
impl Channel for Sender<Events> {
    const KINDS: &'static [MessageKind] = &[MessageKind::Operators];
    type Batch = ();

    /// In the order of the changes.
    fn group(_: &QueuedMessage) -> Uuid {
        Uuid::nil()
    }

    async fn deliver(
        &self,
        tenant: Tenant,
        group: &[QueuedMessage],
        (): &(),
    ) -> Result<Delivery, ServiceError> {
        for number in BTreeSet::from_iter(numbers(group)) {
            self.notify(tenant, number).await?;
        }
        Ok(Delivery::Replaced)
    }
}

impl Sender<Events> {
    /// Adds the notifications of operators; a repeat adds none.
    async fn notify(&self, tenant: Tenant, number: i64) -> Result<(), ServiceError> {
        let mut reads = self.database.read(tenant).await?;
        let found = store::stored_fact(&mut reads, number).await?;
        let chosen = watches::operators(&mut reads, number).await?;
        reads.done();
        // It is older than 90 days.
        let Some(fact) = found else { return Ok(()) };
        let Some(machine) = fact.what.equipment_id() else {
            return Ok(());
        };
        let since = fact.happened_at - RECENT;
        let recent = self
            .sources
            .recent_operators(tenant, machine, since)
            .await?;
        // Owner and managers, who may report, too, have a notification already.
        let people: Vec<Uuid> = recipients(chosen, recent).into_iter().collect();
        let operators = self.sources.operators(tenant, &people).await?;
        let copies: Vec<Fact> = operators.into_iter().map(|id| fact.copy_for(id)).collect();
        let mut tx = self.database.tenant(tenant).await?;
        let people = store::record(&mut tx, self.clock.now(), &copies).await?;
        tx.commit().await?;
        for person_id in people {
            publish(&self.via, tenant, person_id);
        }
        Ok(())
    }
}

/// Those who have chosen the machine, and those who have used it and have chosen nothing.
fn recipients(chosen: Vec<(Uuid, bool)>, recent: Vec<Uuid>) -> BTreeSet<Uuid> {
    let chosen: HashMap<Uuid, bool> = chosen.into_iter().collect();
    let watching = chosen.iter().filter(|(_, watches)| **watches);
    let usual = recent.into_iter().filter(|id| !chosen.contains_key(id));
    watching.map(|(id, _)| *id).chain(usual).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipients_have_chosen_the_machine_or_used_it() {
        let [watching, other, user] = [1, 2, 3].map(Uuid::from_u128);
        let chosen = vec![(watching, true), (other, false)];
        let found = recipients(chosen, vec![other, user, user]);
        assert_eq!(found, BTreeSet::from([watching, user]));
    }
}
