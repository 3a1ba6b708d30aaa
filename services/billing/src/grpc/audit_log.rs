use hourmeter_proto::billing::v1;
use hourmeter_runtime::audit;
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
    let query = request.get_ref().query.as_ref();
    let (events, page) = audit::list(&api.database, tenant, query).await?;
    Ok(v1::ListAuditEventsResponse {
        events,
        page: Some(page),
    })
}
