//! Events about changed notifications.

use hourmeter_runtime::events::{Event, Events, Topic};
use hourmeter_runtime::identity::Tenant;
use uuid::Uuid;

/// Publishes a change for a person or, with None, for owner and managers. Call it after the commit.
pub fn publish(events: &Events, tenant: Tenant, person_id: Option<Uuid>) {
    events.publish(Event {
        company_id: tenant.company_id(),
        topic: Topic::Notifications,
        person_id,
        equipment_id: None,
    });
}
