//! Sends security events to the notifications service.

use hourmeter_proto::notifications::v1::fact::What;
use hourmeter_proto::notifications::v1::{self, SecurityEventKind};
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::facts::FactOutbox;
use hourmeter_runtime::identity::{Service, Tenant};
use sqlx::PgConnection;

use crate::store::security_events::{self, SecurityEvent};

/// The table `security_events`.
#[derive(Debug)]
pub struct SecurityEvents;

impl FactOutbox for SecurityEvents {
    const SERVICE: Service = Service::Accounts;
    type Row = SecurityEvent;

    async fn claim(
        connection: &mut PgConnection,
        tenant: Tenant,
        at_most: i64,
        retry_seconds: i32,
    ) -> Result<Vec<SecurityEvent>, ServiceError> {
        security_events::claim(connection, tenant, at_most, retry_seconds).await
    }

    async fn delete(
        connection: &mut PgConnection,
        tenant: Tenant,
        events: &[SecurityEvent],
    ) -> Result<(), ServiceError> {
        security_events::delete(connection, tenant, events).await
    }

    /// None: a kind of a later release, which ran before.
    fn message(event: &SecurityEvent) -> Option<v1::Fact> {
        let kind = SecurityEventKind::from_str_name(&event.kind)?;
        Some(v1::Fact {
            key: format!("security:{}", event.id),
            happened_at: Some(timestamp(event.happened_at)),
            actor_id: String::new(),
            what: Some(What::SecurityEvent(v1::SecurityEvent {
                person_id: event.user_id.to_string(),
                kind: kind.into(),
                browser: event.browser.clone(),
                former_address: event.former_email.clone().unwrap_or_default(),
            })),
        })
    }
}
