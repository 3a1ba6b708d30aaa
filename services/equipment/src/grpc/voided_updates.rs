//! Updates whose entries were voided.

use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Caller;
use tonic::Request;

use super::Api;

pub async fn list(
    api: &Api,
    request: Request<v1::ListVoidedUpdatesRequest>,
) -> Result<v1::ListVoidedUpdatesResponse, ServiceError> {
    let tenant = Caller::service(&request)?;
    api.database.tenant(tenant).await?;
    Ok(v1::ListVoidedUpdatesResponse {
        updates: Vec::new(),
        next: request.into_inner().after,
    })
}
