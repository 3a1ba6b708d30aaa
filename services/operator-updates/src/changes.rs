//! Telling whoever watches that submissions have changed.

use std::collections::BTreeSet;

use hourmeter_runtime::events::{Event, Events, Topic};
use hourmeter_runtime::identity::Tenant;
use uuid::Uuid;

/// Tells that submissions of these operators were stored or changed. To be called after commit.
pub fn tell(events: &Events, tenant: Tenant, operators: impl IntoIterator<Item = Uuid>) {
    let operators: BTreeSet<Uuid> = operators.into_iter().collect();
    for operator in operators {
        events.publish(Event {
            company_id: tenant.company_id(),
            topic: Topic::OperatorUpdates,
            person_id: Some(operator),
        });
    }
}
