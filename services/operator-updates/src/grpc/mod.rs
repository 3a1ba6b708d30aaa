//! RPC handlers, one file per group.

mod apply;
mod bulk;
mod convert;
mod digest;
mod input;
mod list;
mod move_update;
mod review;
mod submit;
mod undo;

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

use crate::changes::publish;
use crate::delivery::Deliveries;
use crate::domain::update::{Reviewer, Update};
use crate::equipment::Equipment;
use crate::judge::Judge;
use crate::store::{changed_at, decisions, deliveries, updates};

#[derive(Debug)]
pub struct Api {
    pub database: Database,
    pub clock: Clock,
    pub events: Events,
    pub equipment: Equipment,
    pub deliveries: Arc<Deliveries>,
    pub judge: Arc<Judge>,
}

impl Api {
    fn reviewer(&self, identity: &Identity) -> Reviewer {
        Reviewer {
            id: identity.user_id,
            name: identity.display_name.clone(),
            at: self.clock.now(),
        }
    }

    /// Settles parked decisions of these updates, so that others can be made: asks the equipment
    /// service which had an effect, and discards the others. Returns whether there were any.
    async fn settle_parked(&self, tenant: Tenant, ids: &[Uuid]) -> Result<bool, ServiceError> {
        let mut tx = self.database.tenant(tenant).await?;
        let parked = decisions::parked(&mut tx, tenant, ids).await?;
        let ids: Vec<Uuid> = parked.keys().copied().collect();
        let rows = updates::find_all(&mut tx, tenant, &ids).await?;
        tx.commit().await?;
        if rows.is_empty() {
            return Ok(false);
        }
        let mut effects = self.equipment.applied(tenant, &rows).await?;
        let mut tx = self.database.tenant(tenant).await?;
        updates::lock_all(&mut tx, tenant, &ids).await?;
        let mut now = decisions::parked(&mut tx, tenant, &ids).await?;
        // Others were delivered meanwhile.
        now.retain(|id, attempts| parked.get(id) == Some(attempts));
        effects.retain(|((id, _), _)| now.contains_key(id));
        let ids: Vec<Uuid> = now.into_keys().collect();
        deliveries::complete(&mut tx, tenant, &effects).await?;
        deliveries::discard_parked(&mut tx, tenant, &ids).await?;
        changed_at::touch(&mut tx, tenant, &ids).await?;
        tx.commit().await?;
        publish(&self.events, tenant, rows.iter().map(|row| row.operator_id));
        Ok(true)
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

    async fn list_last_reports(
        &self,
        request: Request<v1::ListLastReportsRequest>,
    ) -> Result<Response<v1::ListLastReportsResponse>, Status> {
        respond(list::last_reports(self, request).await)
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

    async fn reject_updates(
        &self,
        request: Request<v1::RejectUpdatesRequest>,
    ) -> Result<Response<v1::RejectUpdatesResponse>, Status> {
        respond(review::reject_many(self, request).await)
    }

    async fn withdraw_update(
        &self,
        request: Request<v1::WithdrawUpdateRequest>,
    ) -> Result<Response<v1::WithdrawUpdateResponse>, Status> {
        respond(review::withdraw(self, request).await)
    }

    async fn undo_decision(
        &self,
        request: Request<v1::UndoDecisionRequest>,
    ) -> Result<Response<v1::UndoDecisionResponse>, Status> {
        respond(undo::undo_one(self, request).await)
    }

    async fn undo_decisions(
        &self,
        request: Request<v1::UndoDecisionsRequest>,
    ) -> Result<Response<v1::UndoDecisionsResponse>, Status> {
        respond(undo::undo_many(self, request).await)
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
