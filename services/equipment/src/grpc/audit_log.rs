//! The part of the company's audit log that this service records.

use hourmeter_proto::equipment::v1;
use hourmeter_runtime::audit::{self, AuditContext, AuditEntry};
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Caller, Identity};
use tonic::Request;

use super::Api;

pub async fn list_audit_events(
    api: &Api,
    request: Request<v1::ListAuditEventsRequest>,
) -> Result<v1::ListAuditEventsResponse, ServiceError> {
    let tenant = Caller::person(&request)?.tenant();
    let query = request.get_ref().query.as_ref();
    let (events, page) = audit::list(&api.database, tenant, query).await?;
    Ok(v1::ListAuditEventsResponse {
        events,
        page: Some(page),
    })
}

/// Records what a person has done.
pub async fn record(
    tx: &mut TenantTx,
    identity: &Identity,
    entry: &AuditEntry<'_>,
) -> Result<(), ServiceError> {
    let context = AuditContext::from_identity(identity);
    audit::record(tx, identity.tenant(), &context, entry).await
}
