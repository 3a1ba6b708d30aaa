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
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::events::Events;
use hourmeter_runtime::identity::{Identity, Tenant};
use hourmeter_runtime::server::respond;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use crate::delivery::Deliveries;
use crate::domain::update::{Reviewer, Update};
use crate::equipment::Equipment;
use crate::store::updates;

#[derive(Debug)]
pub struct Api {
    pub database: Database,
    pub clock: Clock,
    pub events: Events,
    pub equipment: Equipment,
    pub deliveries: Arc<Deliveries>,
}

impl Api {
    fn reviewer(&self, identity: &Identity) -> Reviewer {
        Reviewer {
            id: identity.user_id,
            name: identity.display_name.clone(),
            at: self.clock.now(),
        }
    }

    async fn load(&self, tenant: Tenant, id: Uuid) -> Result<Update, ServiceError> {
        let mut tx = self.database.tenant(tenant).await?;
        let update = updates::find(&mut tx, tenant, id).await?;
        tx.commit().await?;
        update.ok_or_else(ServiceError::not_found)
    }
}

#[tonic::async_trait]
impl OperatorUpdatesService for Api {
    async fn submit_update(
        &self,
        request: Request<v1::SubmitUpdateRequest>,
    ) -> Result<Response<v1::SubmitUpdateResponse>, Status> {
        respond(submit::submit(self, request).await)
    }

    async fn list_updates(
        &self,
        request: Request<v1::ListUpdatesRequest>,
    ) -> Result<Response<v1::ListUpdatesResponse>, Status> {
        respond(list::list(self, request).await)
    }

    async fn apply_update(
        &self,
        request: Request<v1::ApplyUpdateRequest>,
    ) -> Result<Response<v1::ApplyUpdateResponse>, Status> {
        respond(apply::apply_one(self, request).await)
    }

    async fn apply_updates(
        &self,
        request: Request<v1::ApplyUpdatesRequest>,
    ) -> Result<Response<v1::ApplyUpdatesResponse>, Status> {
        respond(apply::apply_many(self, request).await)
    }

    async fn reject_update(
        &self,
        request: Request<v1::RejectUpdateRequest>,
    ) -> Result<Response<v1::RejectUpdateResponse>, Status> {
        respond(review::reject(self, request).await)
    }

    async fn acknowledge_update(
        &self,
        request: Request<v1::AcknowledgeUpdateRequest>,
    ) -> Result<Response<v1::AcknowledgeUpdateResponse>, Status> {
        respond(review::acknowledge(self, request).await)
    }

    async fn acknowledge_updates(
        &self,
        request: Request<v1::AcknowledgeUpdatesRequest>,
    ) -> Result<Response<v1::AcknowledgeUpdatesResponse>, Status> {
        respond(review::acknowledge_many(self, request).await)
    }

    async fn list_review(
        &self,
        request: Request<v1::ListReviewRequest>,
    ) -> Result<Response<v1::ListReviewResponse>, Status> {
        respond(list::review_queue(self, request).await)
    }

    async fn get_updates_marker(
        &self,
        request: Request<v1::GetUpdatesMarkerRequest>,
    ) -> Result<Response<v1::GetUpdatesMarkerResponse>, Status> {
        respond(list::marker(self, request).await)
    }

    async fn move_update(
        &self,
        request: Request<v1::MoveUpdateRequest>,
    ) -> Result<Response<v1::MoveUpdateResponse>, Status> {
        respond(move_update::move_to(self, request).await)
    }
}
