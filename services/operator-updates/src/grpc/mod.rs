//! RPC handlers, one file per group.

mod apply;
mod bulk;
mod convert;
mod input;
mod list;
mod move_update;
mod review;
mod submit;

use std::sync::Arc;

use hourmeter_proto::operator_updates::v1;
use hourmeter_proto::operator_updates::v1::operator_updates_service_server::OperatorUpdatesService;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::events::Events;
use hourmeter_runtime::idempotency::Key;
use hourmeter_runtime::identity::{Caller, Identity};
use tonic::{Request, Response, Status};

use crate::delivery::Deliveries;
use crate::domain::update::Reviewer;
use crate::equipment::Equipment;

#[derive(Debug)]
pub struct OperatorUpdates {
    pub database: Database,
    pub clock: Clock,
    pub events: Events,
    pub equipment: Equipment,
    pub deliveries: Arc<Deliveries>,
}

impl OperatorUpdates {
    fn reviewer(&self, identity: &Identity) -> Reviewer {
        Reviewer {
            id: identity.user_id,
            name: identity.display_name.clone(),
            at: self.clock.now(),
        }
    }
}

#[tonic::async_trait]
impl OperatorUpdatesService for OperatorUpdates {
    async fn submit_update(
        &self,
        request: Request<v1::SubmitUpdateRequest>,
    ) -> Result<Response<v1::SubmitUpdateResponse>, Status> {
        let identity = Caller::person(&request)?;
        // A client id has the same purpose and does not expire.
        let key = if request.get_ref().client_id.is_empty() {
            Key::read(&request, "SubmitUpdate")?
        } else {
            None
        };
        let answer = self.submit(&identity, key, request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn list_updates(
        &self,
        request: Request<v1::ListUpdatesRequest>,
    ) -> Result<Response<v1::ListUpdatesResponse>, Status> {
        let identity = Caller::person(&request)?;
        let answer = self.list(&identity, &request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn apply_update(
        &self,
        request: Request<v1::ApplyUpdateRequest>,
    ) -> Result<Response<v1::ApplyUpdateResponse>, Status> {
        let identity = Caller::person(&request)?;
        let update = self.apply_one(&identity, &request.into_inner()).await?;
        let update = Some(update.into());
        Ok(Response::new(v1::ApplyUpdateResponse { update }))
    }

    async fn apply_updates(
        &self,
        request: Request<v1::ApplyUpdatesRequest>,
    ) -> Result<Response<v1::ApplyUpdatesResponse>, Status> {
        let identity = Caller::person(&request)?;
        let results = self.apply_many(&identity, request.into_inner().ids).await?;
        Ok(Response::new(v1::ApplyUpdatesResponse { results }))
    }

    async fn reject_update(
        &self,
        request: Request<v1::RejectUpdateRequest>,
    ) -> Result<Response<v1::RejectUpdateResponse>, Status> {
        let identity = Caller::person(&request)?;
        let update = self.reject(&identity, &request.into_inner()).await?;
        let update = Some(update.into());
        Ok(Response::new(v1::RejectUpdateResponse { update }))
    }

    async fn acknowledge_update(
        &self,
        request: Request<v1::AcknowledgeUpdateRequest>,
    ) -> Result<Response<v1::AcknowledgeUpdateResponse>, Status> {
        let identity = Caller::person(&request)?;
        let update = self.acknowledge(&identity, &request.into_inner()).await?;
        let update = Some(update.into());
        Ok(Response::new(v1::AcknowledgeUpdateResponse { update }))
    }

    async fn acknowledge_updates(
        &self,
        request: Request<v1::AcknowledgeUpdatesRequest>,
    ) -> Result<Response<v1::AcknowledgeUpdatesResponse>, Status> {
        let identity = Caller::person(&request)?;
        let ids = request.into_inner().ids;
        let results = self.acknowledge_many(&identity, ids).await?;
        Ok(Response::new(v1::AcknowledgeUpdatesResponse { results }))
    }

    async fn list_review(
        &self,
        request: Request<v1::ListReviewRequest>,
    ) -> Result<Response<v1::ListReviewResponse>, Status> {
        let identity = Caller::person(&request)?;
        let answer = self.review_queue(&identity, &request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn get_updates_marker(
        &self,
        request: Request<v1::GetUpdatesMarkerRequest>,
    ) -> Result<Response<v1::GetUpdatesMarkerResponse>, Status> {
        let identity = Caller::person(&request)?;
        let marker = self.marker(&identity).await?;
        Ok(Response::new(v1::GetUpdatesMarkerResponse { marker }))
    }

    async fn move_update(
        &self,
        request: Request<v1::MoveUpdateRequest>,
    ) -> Result<Response<v1::MoveUpdateResponse>, Status> {
        let identity = Caller::person(&request)?;
        let update = self.move_to(&identity, &request.into_inner()).await?;
        let update = Some(update.into());
        Ok(Response::new(v1::MoveUpdateResponse { update }))
    }
}
