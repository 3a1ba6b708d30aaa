//! Audit events of accounts.

use hourmeter_runtime::audit::{AuditEntry, AuditOutcome, record as write};
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use uuid::Uuid;

pub use hourmeter_proto::common::v1::AuditEventType as Event;
pub use hourmeter_runtime::audit::{AuditContext, NO_COMPANY};

pub type EventOutcome = (Event, AuditOutcome);

pub const fn done(event: Event) -> EventOutcome {
    (event, AuditOutcome::Success)
}

pub const fn failed(event: Event) -> EventOutcome {
    (event, AuditOutcome::Failed)
}

pub const fn limited(event: Event) -> EventOutcome {
    (event, AuditOutcome::Limited)
}

/// Records an event. Call it in the transaction of the change.
pub async fn record(
    tx: &mut TenantTx,
    context: &AuditContext,
    event: EventOutcome,
    target_id: Option<Uuid>,
    detail: &'static str,
) -> Result<(), ServiceError> {
    record_on(tx, context, event, target_id, "", detail).await
}

/// [`record`] with the name of the target.
pub async fn record_on(
    tx: &mut TenantTx,
    context: &AuditContext,
    (event, outcome): EventOutcome,
    target_id: Option<Uuid>,
    target_name: &str,
    detail: &str,
) -> Result<(), ServiceError> {
    let entry = AuditEntry {
        event,
        outcome,
        target_id,
        target_name,
        detail,
    };
    let tenant = tx.tenant();
    write(tx, tenant, context, &entry).await
}
