//! Events about changed updates.

use std::collections::BTreeSet;

use hourmeter_runtime::events::{Event, Events, Topic};
use hourmeter_runtime::identity::Tenant;
use uuid::Uuid;

/// Publishes that updates of these operators have changed. Call it after the commit.
pub fn publish(events: &Events, tenant: Tenant, operators: impl IntoIterator<Item = Uuid>) {
    let operators: BTreeSet<Uuid> = operators.into_iter().collect();
    for operator in operators {
        events.publish(Event {
            company_id: tenant.company_id(),
            topic: Topic::OperatorUpdates,
            person_id: Some(operator),
            equipment_id: None,
        });
    }
}
