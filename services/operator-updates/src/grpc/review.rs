use hourmeter_proto::operator_updates::v1;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Caller;
use tonic::Request;
use uuid::Uuid;

use super::bulk::{BulkErrors, results};
use super::{Api, input};
use crate::changes::publish;
use crate::domain::review;
use crate::domain::update::{Status, Update};
use crate::store::updates;

pub async fn reject(
    api: &Api,
    request: Request<v1::RejectUpdateRequest>,
) -> Result<v1::RejectUpdateResponse, ServiceError> {
    let identity = &Caller::person(&request)?;
    let request = request.into_inner();
    let reason = input::reject_reason(&request.reason)?;
    let id = input::parse_id(&request.id)?;
    let tenant = identity.tenant();
    let mut tx = api.database.tenant(tenant).await?;
    let update = updates::lock(&mut tx, tenant, id).await?;
    let update = update.ok_or_else(ServiceError::not_found)?;
    if !review::reject(&update, update.decision.is_made())? {
        let update = Some(update.into());
        return Ok(v1::RejectUpdateResponse { update });
    }
    let (status, by) = (Status::Rejected, api.reviewer(identity));
    updates::set_reviewed(&mut tx, tenant, &[id], status, &by, &reason).await?;
    let rejected = updates::find(&mut tx, tenant, id).await?;
    tx.commit().await?;
    publish(&api.events, tenant, [update.operator_id]);
    let rejected = rejected.ok_or_else(ServiceError::not_found)?;
    Ok(v1::RejectUpdateResponse {
        update: Some(rejected.into()),
    })
}

pub async fn acknowledge(
    api: &Api,
    request: Request<v1::AcknowledgeUpdateRequest>,
) -> Result<v1::AcknowledgeUpdateResponse, ServiceError> {
    let identity = &Caller::person(&request)?;
    let id = input::parse_id(&request.get_ref().id)?;
    let tenant = identity.tenant();
    let mut tx = api.database.tenant(tenant).await?;
    let update = updates::lock(&mut tx, tenant, id).await?;
    let update = update.ok_or_else(ServiceError::not_found)?;
    if !review::acknowledge(&update)? {
        let update = Some(update.into());
        return Ok(v1::AcknowledgeUpdateResponse { update });
    }
    let (status, by) = (Status::Applied, api.reviewer(identity));
    updates::set_reviewed(&mut tx, tenant, &[id], status, &by, "").await?;
    let seen = updates::find(&mut tx, tenant, id).await?;
    tx.commit().await?;
    publish(&api.events, tenant, [update.operator_id]);
    let seen = seen.ok_or_else(ServiceError::not_found)?;
    Ok(v1::AcknowledgeUpdateResponse {
        update: Some(seen.into()),
    })
}

pub async fn acknowledge_many(
    api: &Api,
    request: Request<v1::AcknowledgeUpdatesRequest>,
) -> Result<v1::AcknowledgeUpdatesResponse, ServiceError> {
    let identity = &Caller::person(&request)?;
    let ids = request.into_inner().ids;
    let requested = input::update_ids(&ids)?;
    let mut failures = BulkErrors::all_not_found(&requested);
    let requested: Vec<Uuid> = requested.into_iter().collect();
    let tenant = identity.tenant();
    let mut tx = api.database.tenant(tenant).await?;
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
    let (status, by) = (Status::Applied, api.reviewer(identity));
    updates::set_reviewed(&mut tx, tenant, &seen, status, &by, "").await?;
    tx.commit().await?;
    let operators = new.iter().map(|update| update.operator_id);
    publish(&api.events, tenant, operators);
    Ok(v1::AcknowledgeUpdatesResponse {
        results: results(ids, &failures),
    })
}
