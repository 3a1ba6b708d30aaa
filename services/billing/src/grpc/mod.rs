//! The RPCs, one file per group.

mod audit_log;
mod convert;
mod plans;
mod staff;
mod subscription;

use hourmeter_proto::billing::v1::billing_service_server::BillingService;
use hourmeter_proto::billing::v1::{
    GetEntitlementsRequest, GetEntitlementsResponse, GetSubscriptionRequest,
    GetSubscriptionResponse, ListAuditEventsRequest, ListAuditEventsResponse, ListPlansRequest,
    ListPlansResponse, ListSubscriptionsRequest, ListSubscriptionsResponse,
    SetEquipmentLimitRequest, SetEquipmentLimitResponse,
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

    async fn list_audit_events(
        &self,
        request: Request<ListAuditEventsRequest>,
    ) -> Result<Response<ListAuditEventsResponse>, Status> {
        let tenant = Caller::person(&request)?.tenant();
        let answer = self.audit_events(tenant, request.get_ref()).await?;
        Ok(Response::new(answer))
    }

    async fn list_subscriptions(
        &self,
        request: Request<ListSubscriptionsRequest>,
    ) -> Result<Response<ListSubscriptionsResponse>, Status> {
        Caller::staff(&request)?;
        let answer = self.subscriptions(request.get_ref()).await?;
        Ok(Response::new(answer))
    }

    async fn set_equipment_limit(
        &self,
        request: Request<SetEquipmentLimitRequest>,
    ) -> Result<Response<SetEquipmentLimitResponse>, Status> {
        let staff = Caller::staff(&request)?;
        let answer = self.limit(&staff, request.get_ref()).await?;
        Ok(Response::new(answer))
    }
}
