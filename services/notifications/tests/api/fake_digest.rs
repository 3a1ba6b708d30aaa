//! Fake services that the digest is made from.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use chrono::{DateTime, Utc};
use hourmeter_proto::billing::v1::digest_service_server as billing;
use hourmeter_proto::billing::v1::{FindSubscriptionRequest, FindSubscriptionResponse};
use hourmeter_proto::equipment::v1::digest_service_server as equipment;
use hourmeter_proto::equipment::v1::{
    DigestSelection, FindGroupsRequest, FindGroupsResponse, GetDigestRequest, GetDigestResponse,
};
use hourmeter_proto::operator_updates::v1::digest_service_server as updates;
use hourmeter_proto::operator_updates::v1::{
    CountReviewRequest, CountReviewResponse, ListRecentOperatorsRequest,
    ListRecentOperatorsResponse, RecentOperator,
};
use hourmeter_runtime::client::Backend;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::identity::{Caller, Service};
use hourmeter_runtime::testing;
use tonic::service::Routes;
use tonic::{Request, Response, Status};
use uuid::Uuid;

#[derive(Debug, Default)]
pub struct State {
    pub equipment: GetDigestResponse,
    pub review: CountReviewResponse,
    pub subscription: FindSubscriptionResponse,
    /// The last request, and the selections of all.
    pub requested: GetDigestRequest,
    pub selections: Vec<Option<DigestSelection>>,
    /// By machine.
    pub groups: HashMap<String, String>,
    /// Machine and operator of updates.
    pub reports: Vec<(Uuid, Uuid, DateTime<Utc>)>,
    pub down: bool,
}

#[derive(Clone, Debug, Default)]
pub struct FakeDigest(Arc<Mutex<State>>);

impl FakeDigest {
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    pub fn equipment(&self) -> Backend {
        let routes = Routes::new(equipment::DigestServiceServer::new(self.clone()));
        testing::backend(Service::Equipment, routes, Clock::system())
    }

    pub fn billing(&self) -> Backend {
        let routes = Routes::new(billing::DigestServiceServer::new(self.clone()));
        testing::backend(Service::Billing, routes, Clock::system())
    }

    pub fn operator_updates(&self) -> Backend {
        let routes = Routes::new(updates::DigestServiceServer::new(self.clone()));
        testing::backend(Service::OperatorUpdates, routes, Clock::system())
    }
}

#[tonic::async_trait]
impl equipment::DigestService for FakeDigest {
    async fn get_digest(
        &self,
        request: Request<GetDigestRequest>,
    ) -> Result<Response<GetDigestResponse>, Status> {
        Caller::service(&request)?;
        let mut state = self.state();
        if state.down {
            return Err(Status::unavailable("down"));
        }
        state.requested = request.into_inner();
        let selection = state.requested.selection.clone();
        state.selections.push(selection);
        Ok(Response::new(state.equipment.clone()))
    }

    async fn find_groups(
        &self,
        request: Request<FindGroupsRequest>,
    ) -> Result<Response<FindGroupsResponse>, Status> {
        Caller::service(&request)?;
        let state = self.state();
        let ids = request.into_inner().equipment_ids.into_iter();
        let groups = ids.filter_map(|id| Some((id.clone(), state.groups.get(&id)?.clone())));
        Ok(Response::new(FindGroupsResponse {
            groups: groups.collect(),
        }))
    }
}

#[tonic::async_trait]
impl billing::DigestService for FakeDigest {
    async fn find_subscription(
        &self,
        request: Request<FindSubscriptionRequest>,
    ) -> Result<Response<FindSubscriptionResponse>, Status> {
        Caller::service(&request)?;
        Ok(Response::new(self.state().subscription.clone()))
    }
}

#[tonic::async_trait]
impl updates::DigestService for FakeDigest {
    async fn count_review(
        &self,
        request: Request<CountReviewRequest>,
    ) -> Result<Response<CountReviewResponse>, Status> {
        Caller::service(&request)?;
        Ok(Response::new(self.state().review))
    }

    async fn list_recent_operators(
        &self,
        request: Request<ListRecentOperatorsRequest>,
    ) -> Result<Response<ListRecentOperatorsResponse>, Status> {
        Caller::service(&request)?;
        let request = request.into_inner();
        let since = request.since.unwrap().seconds;
        let state = self.state();
        if state.down {
            return Err(Status::unavailable("down"));
        }
        let reports = state.reports.iter().filter(|(machine, _, at)| {
            request.equipment_ids.contains(&machine.to_string()) && at.timestamp() >= since
        });
        let operators = reports.map(|(machine, operator, _)| RecentOperator {
            equipment_id: machine.to_string(),
            operator_id: operator.to_string(),
        });
        Ok(Response::new(ListRecentOperatorsResponse {
            operators: operators.collect(),
        }))
    }
}
