//! `MoveUpdate`.

use hourmeter_proto::operator_updates::v1 as proto;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Identity;
use tokio::time::Instant;
use uuid::Uuid;

use super::submit::{assess, meter_failure};
use super::{OperatorUpdates, input};
use crate::changes::tell;
use crate::delivery::PATIENCE;
use crate::domain::review::{self, Terms};
use crate::domain::update::Update;
use crate::equipment::Metered;
use crate::store::{decisions, updates};

impl OperatorUpdates {
    pub(super) async fn move_to(
        &self,
        identity: &Identity,
        request: &proto::MoveUpdateRequest,
    ) -> Result<Update, ServiceError> {
        let deadline = Instant::now() + PATIENCE;
        let id = input::row_id(&request.id)?;
        let equipment_id = input::row_id(&request.equipment_id)?;
        let tenant = identity.tenant();
        // Before the equipment is asked, so that what can't be moved is told whatever became of it.
        let update = self.read(tenant, id).await?;
        review::move_to(&update, update.decision.is_made(), equipment_id)?;
        let there = self.equipment.meter(tenant, equipment_id).await;
        let there = there.map_err(meter_failure)?;

        let moved = self.give(identity, id, equipment_id, there).await?;
        tell(&self.events, tenant, [moved.operator_id]);
        if moved.flags.is_empty() {
            let settled = self.deliveries.settle(tenant, moved, deadline).await;
            if let Err(failure) = settled {
                // It is moved and decided, which is what was asked; what stands in the way of its
                // effect, the row says.
                tracing::warn!(update.id = %id, %failure, "still to take effect");
            }
        }
        self.read(tenant, id).await
    }

    /// Stores that it is about this equipment, and the decision to apply it if nothing is odd.
    async fn give(
        &self,
        identity: &Identity,
        id: Uuid,
        equipment_id: Uuid,
        there: Metered,
    ) -> Result<Update, ServiceError> {
        let tenant = identity.tenant();
        let mut tx = self.database.tenant(tenant).await?;
        let update = updates::lock(&mut tx, tenant, id).await?;
        let mut update = update.ok_or_else(ServiceError::not_found)?;
        review::move_to(&update, update.decision.is_made(), equipment_id)?;
        update.equipment_id = equipment_id;
        update.equipment_name = there.equipment_name;
        tx.lock(update.operator_id).await?;
        assess(&mut tx, &mut update, &there.meter).await?;
        updates::set_equipment(&mut tx, tenant, &update).await?;
        if update.flags.is_empty() {
            let (terms, by) = (Terms::reported(&update), self.reviewer(identity));
            decisions::insert(&mut tx, tenant, &update, &terms, Some(&by)).await?;
        }
        tx.commit().await?;
        Ok(update)
    }
}
