//! The RPCs, one file per group.

mod convert;
mod plans;
mod subscription;

use hourmeter_proto::billing::v1::billing_service_server::BillingService;
use hourmeter_proto::billing::v1::{
    GetEntitlementsRequest, GetEntitlementsResponse, GetSubscriptionRequest,
    GetSubscriptionResponse, ListPlansRequest, ListPlansResponse,
};
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::identity::Caller;
use tonic::{Request, Response, Status};

use crate::BillingSettings;

/// Answers the RPCs of `BillingService`.
#[derive(Debug)]
pub struct Billing {
    pub database: Database,
    pub clock: Clock,
    pub settings: BillingSettings,
}

#[tonic::async_trait]
impl BillingService for Billing {
    async fn list_plans(
        &self,
        _request: Request<ListPlansRequest>,
    ) -> Result<Response<ListPlansResponse>, Status> {
        Ok(Response::new(plans::list(self.settings)))
    }

    async fn get_entitlements(
        &self,
        request: Request<GetEntitlementsRequest>,
    ) -> Result<Response<GetEntitlementsResponse>, Status> {
        let answer = self.entitlements(request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn get_subscription(
        &self,
        request: Request<GetSubscriptionRequest>,
    ) -> Result<Response<GetSubscriptionResponse>, Status> {
        let identity = Caller::person(&request)?;
        let answer = self.subscription(identity.tenant()).await?;
        Ok(Response::new(answer))
    }
}
