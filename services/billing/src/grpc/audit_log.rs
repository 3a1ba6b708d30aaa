use hourmeter_proto::billing::v1::{ListAuditEventsRequest, ListAuditEventsResponse};
use hourmeter_runtime::audit::{self, Query};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;

use super::Billing;

impl Billing {
    /// Lists the company's audit events that billing wrote.
    pub(super) async fn audit_events(
        &self,
        tenant: Tenant,
        request: &ListAuditEventsRequest,
    ) -> Result<ListAuditEventsResponse, ServiceError> {
        let query = Query::read(request.query.as_ref())?;
        let mut tx = self.database.tenant(tenant).await?;
        let (events, page) = audit::list(&mut tx, tenant, &query).await?;
        tx.commit().await?;
        Ok(ListAuditEventsResponse {
            events,
            page: Some(page),
        })
    }
}
