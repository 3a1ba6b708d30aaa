//! Audit events of accounts.

use hourmeter_runtime::audit::{AuditOutcome, record as write};
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use uuid::Uuid;

pub use hourmeter_proto::common::v1::AuditEventType as Event;
pub use hourmeter_runtime::audit::{AuditContext, AuditEntry, NO_COMPANY};

/// An action that a rate limit or lockout refused.
pub const fn limited(event: Event) -> AuditEntry<'static> {
    AuditEntry {
        outcome: AuditOutcome::Limited,
        ..AuditEntry::failed(event)
    }
}

/// Records an action that took effect. Call it in the transaction of the change.
pub async fn done(
    tx: &mut TenantTx,
    context: &AuditContext,
    event: Event,
    target_id: Uuid,
    target_name: &str,
) -> Result<(), ServiceError> {
    let entry = AuditEntry::success(event).target(target_id, target_name);
    record(tx, context, &entry).await
}

/// Records an event. Call it in the transaction of the change.
pub async fn record(
    tx: &mut TenantTx,
    context: &AuditContext,
    entry: &AuditEntry<'_>,
) -> Result<(), ServiceError> {
    let tenant = tx.tenant();
    write(tx, tenant, context, entry).await
}
