//! What the digest says about updates.

use hourmeter_proto::operator_updates::v1;
use hourmeter_proto::operator_updates::v1::digest_service_server::DigestService;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Caller;
use hourmeter_runtime::server::respond;
use tonic::{Request, Response, Status};

use super::Api;
use crate::store::review;

#[tonic::async_trait]
impl DigestService for Api {
    async fn count_review(
        &self,
        request: Request<v1::CountReviewRequest>,
    ) -> Result<Response<v1::CountReviewResponse>, Status> {
        respond(count(self, &request).await)
    }
}

async fn count(
    api: &Api,
    request: &Request<v1::CountReviewRequest>,
) -> Result<v1::CountReviewResponse, ServiceError> {
    let tenant = Caller::service(request)?;
    let mut tx = api.database.tenant(tenant).await?;
    let (pending, flagged) = review::count_review(&mut tx, tenant).await?;
    tx.commit().await?;
    Ok(v1::CountReviewResponse {
        pending: u32::try_from(pending).map_err(ServiceError::internal)?,
        flagged: u32::try_from(flagged).map_err(ServiceError::internal)?,
    })
}
