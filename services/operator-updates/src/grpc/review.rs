use hourmeter_proto::operator_updates::v1;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Identity;
use uuid::Uuid;

use super::bulk::{BulkErrors, results};
use super::{OperatorUpdates, input};
use crate::changes::publish;
use crate::domain::review;
use crate::domain::update::{Status, Update};
use crate::store::updates;

impl OperatorUpdates {
    pub(super) async fn reject(
        &self,
        identity: &Identity,
        request: &v1::RejectUpdateRequest,
    ) -> Result<Update, ServiceError> {
        let reason = input::reject_reason(&request.reason)?;
        let id = input::parse_id(&request.id)?;
        let tenant = identity.tenant();
        let mut tx = self.database.tenant(tenant).await?;
        let update = updates::lock(&mut tx, tenant, id).await?;
        let update = update.ok_or_else(ServiceError::not_found)?;
        if !review::reject(&update, update.decision.is_made())? {
            return Ok(update);
        }
        let (status, by) = (Status::Rejected, self.reviewer(identity));
        updates::set_reviewed(&mut tx, tenant, &[id], status, &by, &reason).await?;
        let rejected = updates::find(&mut tx, tenant, id).await?;
        tx.commit().await?;
        publish(&self.events, tenant, [update.operator_id]);
        rejected.ok_or_else(ServiceError::not_found)
    }

    pub(super) async fn acknowledge(
        &self,
        identity: &Identity,
        request: &v1::AcknowledgeUpdateRequest,
    ) -> Result<Update, ServiceError> {
        let id = input::parse_id(&request.id)?;
        let tenant = identity.tenant();
        let mut tx = self.database.tenant(tenant).await?;
        let update = updates::lock(&mut tx, tenant, id).await?;
        let update = update.ok_or_else(ServiceError::not_found)?;
        if !review::acknowledge(&update)? {
            return Ok(update);
        }
        let (status, by) = (Status::Applied, self.reviewer(identity));
        updates::set_reviewed(&mut tx, tenant, &[id], status, &by, "").await?;
        let seen = updates::find(&mut tx, tenant, id).await?;
        tx.commit().await?;
        publish(&self.events, tenant, [update.operator_id]);
        seen.ok_or_else(ServiceError::not_found)
    }

    pub(super) async fn acknowledge_many(
        &self,
        identity: &Identity,
        ids: Vec<String>,
    ) -> Result<Vec<v1::ApplyResult>, ServiceError> {
        let requested = input::update_ids(&ids)?;
        let mut failures = BulkErrors::all_not_found(&requested);
        let requested: Vec<Uuid> = requested.into_iter().collect();
        let tenant = identity.tenant();
        let mut tx = self.database.tenant(tenant).await?;
        let mut new: Vec<Update> = Vec::new();
        for update in updates::lock_all(&mut tx, tenant, &requested).await? {
            failures.remove(update.id);
            match review::acknowledge(&update) {
                Ok(true) => new.push(update),
                Ok(false) => {}
                Err(failure) => failures.insert(update.id, failure.message),
            }
        }
        let seen: Vec<Uuid> = new.iter().map(|update| update.id).collect();
        let (status, by) = (Status::Applied, self.reviewer(identity));
        updates::set_reviewed(&mut tx, tenant, &seen, status, &by, "").await?;
        tx.commit().await?;
        let operators = new.iter().map(|update| update.operator_id);
        publish(&self.events, tenant, operators);
        Ok(results(ids, &failures))
    }
}
