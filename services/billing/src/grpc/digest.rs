//! What the digest says about a subscription.

use hourmeter_proto::billing::v1;
use hourmeter_proto::billing::v1::digest_service_server::DigestService;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Caller;
use hourmeter_runtime::server::respond;
use tonic::{Request, Response, Status};

use super::Billing;
use crate::store::subscriptions;

#[tonic::async_trait]
impl DigestService for Billing {
    async fn find_subscription(
        &self,
        request: Request<v1::FindSubscriptionRequest>,
    ) -> Result<Response<v1::FindSubscriptionResponse>, Status> {
        respond(find(self, &request).await)
    }
}

async fn find(
    api: &Billing,
    request: &Request<v1::FindSubscriptionRequest>,
) -> Result<v1::FindSubscriptionResponse, ServiceError> {
    let tenant = Caller::service(request)?;
    let mut tx = api.database.tenant(tenant).await?;
    let found = subscriptions::find(&mut tx, tenant, api.payments.name()).await?;
    tx.commit().await?;
    Ok(v1::FindSubscriptionResponse {
        subscription: found.map(|row| api.message(&row)),
    })
}
