use std::collections::BTreeSet;

use hourmeter_proto::operator_updates::v1;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Caller, Identity};
use tonic::Request;
use uuid::Uuid;

use super::bulk::{BulkErrors, results};
use super::{Api, input};
use crate::changes::publish;
use crate::domain::review::{self, UNDONE, UndoAction};
use crate::domain::update::{Status, Update};
use crate::equipment::VoidedUpdate;
use crate::store::{states, updates};

pub async fn undo_one(
    api: &Api,
    request: Request<v1::UndoDecisionRequest>,
) -> Result<v1::UndoDecisionResponse, ServiceError> {
    let identity = &Caller::person(&request)?;
    let id = input::parse_id(&request.get_ref().id)?;
    let failures = undo_all(api, identity, &BTreeSet::from([id])).await?;
    if let Some(failure) = failures.into_iter().next() {
        return Err(failure.1);
    }
    let update = api.load(identity.tenant(), id).await?;
    Ok(v1::UndoDecisionResponse {
        update: Some(update.into()),
    })
}

pub async fn undo_many(
    api: &Api,
    request: Request<v1::UndoDecisionsRequest>,
) -> Result<v1::UndoDecisionsResponse, ServiceError> {
    let identity = &Caller::person(&request)?;
    let ids = request.into_inner().ids;
    let requested = input::update_ids(&ids)?;
    let mut failures = BulkErrors::none();
    for (id, failure) in undo_all(api, identity, &requested).await? {
        failures.insert(id, failure.message);
    }
    Ok(v1::UndoDecisionsResponse {
        results: results(ids, &failures),
    })
}

/// Undoes decisions and returns the failures.
async fn undo_all(
    api: &Api,
    identity: &Identity,
    requested: &BTreeSet<Uuid>,
) -> Result<Vec<(Uuid, ServiceError)>, ServiceError> {
    let tenant = identity.tenant();
    let ids: Vec<Uuid> = requested.iter().copied().collect();
    let (mut reopened, mut unacknowledged, mut voided) = (Vec::new(), Vec::new(), Vec::new());
    let mut unknown = requested.clone();
    let mut failures = Vec::new();
    let mut tx = api.database.tenant(tenant).await?;
    let rows = updates::lock_all(&mut tx, tenant, &ids).await?;
    for update in &rows {
        unknown.remove(&update.id);
        match review::undo(update, api.clock.now()) {
            Ok(UndoAction::Nothing) => {}
            Ok(UndoAction::Reopen) => reopened.push(update.id),
            Ok(UndoAction::Unacknowledge) => unacknowledged.push(update.id),
            Ok(UndoAction::Void) => voided.push(update),
            Err(failure) => failures.push((update.id, failure)),
        }
    }
    failures.extend(
        unknown
            .into_iter()
            .map(|id| (id, ServiceError::not_found())),
    );
    states::set_unreviewed(&mut tx, tenant, &reopened, Status::Pending).await?;
    states::set_unreviewed(&mut tx, tenant, &unacknowledged, Status::Recent).await?;
    tx.commit().await?;
    failures.extend(void(api, identity, &voided).await?);
    publish(
        &api.events,
        tenant,
        rows.iter().map(|update| update.operator_id),
    );
    if let Err(failure) = api.judge.updates(tenant, &ids).await {
        tracing::warn!(%failure, "failed to check updates that are pending again");
    }
    Ok(failures)
}

/// Voids the entries of applied updates, which are then pending again, and returns the failures. If the
/// process dies in between, the updates are taken back as if their entries had been voided by hand.
async fn void(
    api: &Api,
    identity: &Identity,
    applied: &[&Update],
) -> Result<Vec<(Uuid, ServiceError)>, ServiceError> {
    if applied.is_empty() {
        return Ok(Vec::new());
    }
    let tenant = identity.tenant();
    let by = api.reviewer(identity);
    let results = api.equipment.void(tenant, applied, UNDONE, &by).await?;
    let mut failures = Vec::new();
    let mut pending = Vec::new();
    let ids: Vec<Uuid> = applied.iter().map(|update| update.id).collect();
    let mut tx = api.database.tenant(tenant).await?;
    updates::lock_all(&mut tx, tenant, &ids).await?;
    for (update, result) in applied.iter().zip(results) {
        match result {
            Ok(()) => {
                let voided = VoidedUpdate {
                    id: update.id,
                    reason: UNDONE.to_owned(),
                    by: by.name.clone(),
                    at: by.at,
                    attempt: update.attempt + 1,
                };
                // None: it was taken back meanwhile.
                states::take_back(&mut tx, tenant, &voided).await?;
                pending.push(update.id);
            }
            Err(failure) => failures.push((update.id, failure)),
        }
    }
    let mut rows = updates::find_all(&mut tx, tenant, &pending).await?;
    rows.retain(|row| row.status == Status::TakenBack);
    let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
    states::set_unreviewed(&mut tx, tenant, &ids, Status::Pending).await?;
    tx.commit().await?;
    Ok(failures)
}
