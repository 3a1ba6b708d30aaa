use std::collections::BTreeSet;

use hourmeter_proto::operator_updates::v1;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Caller, Identity};
use tonic::Request;
use uuid::Uuid;

use super::bulk::{BulkErrors, all_not_found, results};
use super::{Api, input};
use crate::changes::publish;
use crate::domain::review;
use crate::domain::update::{Status, Update, WITHDRAWN};
use crate::store::{states, updates};

pub async fn reject_update(
    api: &Api,
    request: Request<v1::RejectUpdateRequest>,
) -> Result<v1::RejectUpdateResponse, ServiceError> {
    let identity = &Caller::person(&request)?;
    let request = request.into_inner();
    let reason = input::reject_reason(&request.reason)?;
    let id = input::parse_id(&request.id)?;
    api.settle_parked(identity.tenant(), &[id]).await?;
    let review = (Status::Rejected, reason.as_str());
    let update = review_one(api, identity, id, review, review::reject).await?;
    Ok(v1::RejectUpdateResponse {
        update: Some(update.into()),
    })
}

pub async fn withdraw_update(
    api: &Api,
    request: Request<v1::WithdrawUpdateRequest>,
) -> Result<v1::WithdrawUpdateResponse, ServiceError> {
    let identity = &Caller::person(&request)?;
    let id = input::parse_id(&request.get_ref().id)?;
    let update = api.load(identity.tenant(), id).await?;
    review::may_withdraw(&update, identity)?;
    api.settle_parked(identity.tenant(), &[id]).await?;
    let review = (Status::Rejected, WITHDRAWN);
    let update = review_one(api, identity, id, review, review::withdraw).await?;
    Ok(v1::WithdrawUpdateResponse {
        update: Some(update.into()),
    })
}

pub async fn acknowledge_update(
    api: &Api,
    request: Request<v1::AcknowledgeUpdateRequest>,
) -> Result<v1::AcknowledgeUpdateResponse, ServiceError> {
    let identity = &Caller::person(&request)?;
    let id = input::parse_id(&request.get_ref().id)?;
    let review = (Status::Applied, "");
    let update = review_one(api, identity, id, review, review::acknowledge).await?;
    Ok(v1::AcknowledgeUpdateResponse {
        update: Some(update.into()),
    })
}

/// Stores a review of an update if `rule` allows it, and returns the update.
async fn review_one(
    api: &Api,
    identity: &Identity,
    id: Uuid,
    (status, reason): (Status, &str),
    rule: fn(&Update) -> Result<bool, ServiceError>,
) -> Result<Update, ServiceError> {
    let tenant = identity.tenant();
    let mut tx = api.database.tenant(tenant).await?;
    let update = updates::lock(&mut tx, id).await?;
    if !rule(&update)? {
        return Ok(update);
    }
    let by = api.reviewer(identity);
    states::set_reviewed(&mut tx, &[id], status, &by, reason).await?;
    let reviewed = updates::find(&mut tx, id).await?;
    tx.commit().await?;
    api.judge.check_soon(tenant, [update.equipment_id]);
    publish(&api.events, tenant, [update.operator_id]);
    Ok(reviewed)
}

pub async fn reject_updates(
    api: &Api,
    request: Request<v1::RejectUpdatesRequest>,
) -> Result<v1::RejectUpdatesResponse, ServiceError> {
    let identity = &Caller::person(&request)?;
    let request = request.into_inner();
    let reason = input::reject_reason(&request.reason)?;
    let requested = input::update_ids(&request.ids)?;
    let all: Vec<Uuid> = requested.iter().copied().collect();
    api.settle_parked(identity.tenant(), &all).await?;
    let review = (Status::Rejected, reason.as_str());
    let failures = review_all(api, identity, &requested, review, review::reject).await?;
    Ok(v1::RejectUpdatesResponse {
        results: results(request.ids, &failures),
    })
}

pub async fn acknowledge_updates(
    api: &Api,
    request: Request<v1::AcknowledgeUpdatesRequest>,
) -> Result<v1::AcknowledgeUpdatesResponse, ServiceError> {
    let identity = &Caller::person(&request)?;
    let ids = request.into_inner().ids;
    let requested = input::update_ids(&ids)?;
    let review = (Status::Applied, "");
    let failures = review_all(api, identity, &requested, review, review::acknowledge).await?;
    Ok(v1::AcknowledgeUpdatesResponse {
        results: results(ids, &failures),
    })
}

/// Stores a review of all updates that `rule` allows, in one transaction.
async fn review_all(
    api: &Api,
    identity: &Identity,
    requested: &BTreeSet<Uuid>,
    (status, reason): (Status, &str),
    rule: fn(&Update) -> Result<bool, ServiceError>,
) -> Result<BulkErrors, ServiceError> {
    let mut failures = all_not_found(requested);
    let requested: Vec<Uuid> = requested.iter().copied().collect();
    let tenant = identity.tenant();
    let mut tx = api.database.tenant(tenant).await?;
    let mut new: Vec<Update> = Vec::new();
    for update in updates::lock_all(&mut tx, &requested).await? {
        failures.remove(&update.id);
        match rule(&update) {
            Ok(true) => new.push(update),
            Ok(false) => {}
            Err(failure) => {
                failures.insert(update.id, failure.message);
            }
        }
    }
    let ids: Vec<Uuid> = new.iter().map(|update| update.id).collect();
    let by = api.reviewer(identity);
    states::set_reviewed(&mut tx, &ids, status, &by, reason).await?;
    tx.commit().await?;
    let operators = new.iter().map(|update| update.operator_id);
    publish(&api.events, tenant, operators);
    let machines = new.iter().map(|update| update.equipment_id);
    api.judge.check_soon(tenant, machines);
    Ok(failures)
}
