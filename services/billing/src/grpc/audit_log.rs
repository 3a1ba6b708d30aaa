use hourmeter_proto::billing::v1;
use hourmeter_runtime::audit::{self, Query};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Caller;
use tonic::Request;

use super::Billing;

/// Lists the company's audit events that billing wrote.
pub async fn list(
    api: &Billing,
    request: Request<v1::ListAuditEventsRequest>,
) -> Result<v1::ListAuditEventsResponse, ServiceError> {
    let tenant = Caller::person(&request)?.tenant();
    let query = Query::read(request.get_ref().query.as_ref())?;
    let mut tx = api.database.tenant(tenant).await?;
    let (events, page) = audit::list(&mut tx, tenant, &query).await?;
    tx.commit().await?;
    Ok(v1::ListAuditEventsResponse {
        events,
        page: Some(page),
    })
}
