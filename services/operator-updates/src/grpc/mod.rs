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
use hourmeter_proto::operator_updates::v1::digest_service_server::DigestService;
use hourmeter_proto::operator_updates::v1::operator_updates_service_server::OperatorUpdatesService;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::events::Events;
use hourmeter_runtime::identity::{Identity, Tenant};
use hourmeter_runtime::rpcs;
use tokio::time::Instant;
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
        let parked = decisions::parked(&mut tx, ids).await?;
        let ids: Vec<Uuid> = parked.keys().copied().collect();
        let rows = updates::find_all(&mut tx, &ids).await?;
        tx.commit().await?;
        if rows.is_empty() {
            return Ok(false);
        }
        let mut effects = self.equipment.applied(tenant, &rows).await?;
        let mut tx = self.database.tenant(tenant).await?;
        updates::lock_all(&mut tx, &ids).await?;
        let mut now = decisions::parked(&mut tx, &ids).await?;
        // Others were delivered meanwhile.
        now.retain(|id, attempts| parked.get(id) == Some(attempts));
        effects.retain(|((id, _), _)| now.contains_key(id));
        let ids: Vec<Uuid> = now.into_keys().collect();
        deliveries::complete(&mut tx, &effects).await?;
        deliveries::discard_parked(&mut tx, &ids).await?;
        changed_at::touch(&mut tx, &ids).await?;
        tx.commit().await?;
        publish(&self.events, tenant, rows.iter().map(|row| row.operator_id));
        Ok(true)
    }

    /// Delivers a decided update and returns it. One that is not applied yet stays decided, for the relay
    /// or a manager.
    async fn settle_or_leave(
        &self,
        tenant: Tenant,
        update: Update,
        deadline: Instant,
    ) -> Result<Update, ServiceError> {
        let id = update.id;
        if let Err(failure) = self.deliveries.settle(tenant, update, deadline).await {
            tracing::warn!(update.id = %id, %failure, "operator update is not applied yet; left to the relay or a manager");
        }
        self.load(tenant, id).await
    }

    async fn load(&self, tenant: Tenant, id: Uuid) -> Result<Update, ServiceError> {
        let mut tx = self.database.tenant(tenant).await?;
        let update = updates::find(&mut tx, id).await?;
        tx.commit().await?;
        Ok(update)
    }
}

rpcs! { Api, OperatorUpdatesService:
    submit {
        submit_update(SubmitUpdateRequest) -> SubmitUpdateResponse;
    }
    list {
        list_updates(ListUpdatesRequest) -> ListUpdatesResponse;
        list_last_reports(ListLastReportsRequest) -> ListLastReportsResponse;
        list_review(ListReviewRequest) -> ListReviewResponse;
        get_updates_marker(GetUpdatesMarkerRequest) -> GetUpdatesMarkerResponse;
    }
    apply {
        apply_update(ApplyUpdateRequest) -> ApplyUpdateResponse;
        apply_updates(ApplyUpdatesRequest) -> ApplyUpdatesResponse;
    }
    review {
        reject_update(RejectUpdateRequest) -> RejectUpdateResponse;
        reject_updates(RejectUpdatesRequest) -> RejectUpdatesResponse;
        withdraw_update(WithdrawUpdateRequest) -> WithdrawUpdateResponse;
        acknowledge_update(AcknowledgeUpdateRequest) -> AcknowledgeUpdateResponse;
        acknowledge_updates(AcknowledgeUpdatesRequest) -> AcknowledgeUpdatesResponse;
    }
    undo {
        undo_decision(UndoDecisionRequest) -> UndoDecisionResponse;
        undo_decisions(UndoDecisionsRequest) -> UndoDecisionsResponse;
    }
    move_update {
        move_update(MoveUpdateRequest) -> MoveUpdateResponse;
    }
}

rpcs! { Api, DigestService:
    digest {
        count_review(CountReviewRequest) -> CountReviewResponse;
        list_recent_operators(ListRecentOperatorsRequest) -> ListRecentOperatorsResponse;
    }
}
