//! Handles sealed copies that cannot be decrypted: logged, audited and counted, without a fallback.

use hourmeter_proto::common::v1::AuditEventType;
use hourmeter_runtime::audit::{AuditContext, AuditEntry};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;

use super::Api;
use crate::secrets::SealError;

/// Records the failure and returns INTERNAL. An open transaction must have been dropped.
pub(super) async fn failed(
    api: &Api,
    tenant: Tenant,
    context: &AuditContext,
    what: &'static str,
    error: SealError,
) -> ServiceError {
    tracing::error!(
        company.id = %tenant.company_id(),
        request.id = %context.request_id,
        what,
        %error,
        "failed to decrypt a sealed copy"
    );
    let entry = AuditEntry::failed(AuditEventType::KeyFailure).detail(what);
    let error = ServiceError::internal(error);
    api.refuse(tenant, context, &entry, error).await
}
