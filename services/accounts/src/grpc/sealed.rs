//! When a sealed copy does not open: never a fallback, always a line and an alert.

use hourmeter_runtime::audit::{AuditContext, AuditEntry, record};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;

use super::Api;
use crate::secrets::SealError;

/// Notes that a copy did not open, and answers it as our fault. Whatever transaction was open must
/// have been dropped.
pub(super) async fn failed(
    api: &Api,
    tenant: Tenant,
    trail: &AuditContext,
    what: &'static str,
    error: SealError,
) -> ServiceError {
    tracing::error!(
        company.id = %tenant.company_id(),
        request.id = %trail.request_id,
        what,
        %error,
        "a sealed copy does not open"
    );
    let noted = async {
        let mut tx = api.database.tenant(tenant).await?;
        let line = AuditEntry::failed("key_failure").detail(what);
        record(&mut tx, tenant, trail, &line).await?;
        tx.commit().await
    };
    match noted.await {
        Ok(()) => ServiceError::internal(error),
        Err(failure) => failure,
    }
}
