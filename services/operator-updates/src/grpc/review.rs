//! `RejectUpdate` and `AcknowledgeUpdate`.

use hourmeter_proto::operator_updates::v1 as proto;
use hourmeter_runtime::error::Failure;
use hourmeter_runtime::identity::Identity;

use super::{OperatorUpdates, input};
use crate::domain::review;
use crate::domain::update::{Status, Update};
use crate::store::decisions::{self, Progress};
use crate::store::updates;

impl OperatorUpdates {
    pub(super) async fn reject(
        &self,
        identity: &Identity,
        request: &proto::RejectUpdateRequest,
    ) -> Result<Update, Failure> {
        let reason = input::reject_reason(&request.reason)?;
        let id = input::row_id(&request.id)?;
        let tenant = identity.tenant();
        let mut tx = self.database.tenant(tenant).await?;
        let update = updates::lock(&mut tx, tenant, id).await?;
        let update = update.ok_or_else(Failure::not_found)?;
        let progress = decisions::progress(&mut tx, tenant, id).await?;
        if !review::reject(&update, progress != Progress::None)? {
            return Ok(update);
        }
        let reviewer = self.reviewer(identity);
        updates::set_reviewed(&mut tx, tenant, id, Status::Rejected, &reviewer, &reason).await?;
        let rejected = updates::find(&mut tx, tenant, id).await?;
        tx.commit().await?;
        rejected.ok_or_else(Failure::not_found)
    }

    pub(super) async fn acknowledge(
        &self,
        identity: &Identity,
        request: &proto::AcknowledgeUpdateRequest,
    ) -> Result<Update, Failure> {
        let id = input::row_id(&request.id)?;
        let tenant = identity.tenant();
        let mut tx = self.database.tenant(tenant).await?;
        let update = updates::lock(&mut tx, tenant, id).await?;
        let update = update.ok_or_else(Failure::not_found)?;
        if !review::acknowledge(&update)? {
            return Ok(update);
        }
        let reviewer = self.reviewer(identity);
        updates::set_reviewed(&mut tx, tenant, id, Status::Applied, &reviewer, "").await?;
        let seen = updates::find(&mut tx, tenant, id).await?;
        tx.commit().await?;
        seen.ok_or_else(Failure::not_found)
    }
}
