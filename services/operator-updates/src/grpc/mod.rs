//! The RPCs, one file per group.

mod apply;
mod convert;
mod input;
mod list;
mod many;
mod moving;
mod review;
mod submit;

use std::sync::Arc;

use hourmeter_proto::operator_updates::v1 as proto;
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

/// Answers the RPCs of `OperatorUpdatesService`.
#[derive(Debug)]
pub struct OperatorUpdates {
    pub database: Database,
    pub clock: Clock,
    pub events: Events,
    pub equipment: Equipment,
    pub deliveries: Arc<Deliveries>,
}

impl OperatorUpdates {
    /// The caller as the one who decides now.
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
        request: Request<proto::SubmitUpdateRequest>,
    ) -> Result<Response<proto::SubmitUpdateResponse>, Status> {
        let identity = Caller::person(&request)?;
        // A client's own id for the update says the same, for longer.
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
        request: Request<proto::ListUpdatesRequest>,
    ) -> Result<Response<proto::ListUpdatesResponse>, Status> {
        let identity = Caller::person(&request)?;
        let answer = self.list(&identity, &request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn apply_update(
        &self,
        request: Request<proto::ApplyUpdateRequest>,
    ) -> Result<Response<proto::ApplyUpdateResponse>, Status> {
        let identity = Caller::person(&request)?;
        let update = self.apply_one(&identity, &request.into_inner()).await?;
        let update = Some(update.into());
        Ok(Response::new(proto::ApplyUpdateResponse { update }))
    }

    async fn apply_updates(
        &self,
        request: Request<proto::ApplyUpdatesRequest>,
    ) -> Result<Response<proto::ApplyUpdatesResponse>, Status> {
        let identity = Caller::person(&request)?;
        let results = self.apply_many(&identity, request.into_inner().ids).await?;
        Ok(Response::new(proto::ApplyUpdatesResponse { results }))
    }

    async fn reject_update(
        &self,
        request: Request<proto::RejectUpdateRequest>,
    ) -> Result<Response<proto::RejectUpdateResponse>, Status> {
        let identity = Caller::person(&request)?;
        let update = self.reject(&identity, &request.into_inner()).await?;
        let update = Some(update.into());
        Ok(Response::new(proto::RejectUpdateResponse { update }))
    }

    async fn acknowledge_update(
        &self,
        request: Request<proto::AcknowledgeUpdateRequest>,
    ) -> Result<Response<proto::AcknowledgeUpdateResponse>, Status> {
        let identity = Caller::person(&request)?;
        let update = self.acknowledge(&identity, &request.into_inner()).await?;
        let update = Some(update.into());
        Ok(Response::new(proto::AcknowledgeUpdateResponse { update }))
    }

    async fn acknowledge_updates(
        &self,
        request: Request<proto::AcknowledgeUpdatesRequest>,
    ) -> Result<Response<proto::AcknowledgeUpdatesResponse>, Status> {
        let identity = Caller::person(&request)?;
        let ids = request.into_inner().ids;
        let results = self.acknowledge_many(&identity, ids).await?;
        Ok(Response::new(proto::AcknowledgeUpdatesResponse { results }))
    }

    async fn list_review(
        &self,
        request: Request<proto::ListReviewRequest>,
    ) -> Result<Response<proto::ListReviewResponse>, Status> {
        let identity = Caller::person(&request)?;
        let answer = self.review_queue(&identity, &request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn get_updates_marker(
        &self,
        request: Request<proto::GetUpdatesMarkerRequest>,
    ) -> Result<Response<proto::GetUpdatesMarkerResponse>, Status> {
        let identity = Caller::person(&request)?;
        let marker = self.marker(&identity).await?;
        Ok(Response::new(proto::GetUpdatesMarkerResponse { marker }))
    }

    async fn move_update(
        &self,
        request: Request<proto::MoveUpdateRequest>,
    ) -> Result<Response<proto::MoveUpdateResponse>, Status> {
        let identity = Caller::person(&request)?;
        let update = self.move_to(&identity, &request.into_inner()).await?;
        let update = Some(update.into());
        Ok(Response::new(proto::MoveUpdateResponse { update }))
    }
}
