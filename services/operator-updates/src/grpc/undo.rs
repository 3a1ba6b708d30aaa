use std::collections::BTreeSet;

use hourmeter_proto::operator_updates::v1::{self, UndoableDecision};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Caller, Identity};
use tokio::time::Instant;
use tonic::Request;
use uuid::Uuid;

use super::bulk::{BulkErrors, results};
use super::{Api, input};
use crate::changes::publish;
use crate::delivery::HANDLER_TIMEOUT;
use crate::domain::review::{self, UndoAction};
use crate::domain::update::{Status, Update};
use crate::equipment::{MAX_VOIDS, VoidedUpdate};
use crate::refusals;
use crate::store::{states, updates};

/// What is undone, and why.
struct Undo {
    /// None: the last decision.
    named: Option<UndoableDecision>,
    /// None: the decision is undone, and the update is pending again.
    reason: Option<String>,
}

pub async fn undo_decision(
    api: &Api,
    request: Request<v1::UndoDecisionRequest>,
) -> Result<v1::UndoDecisionResponse, ServiceError> {
    let identity = &Caller::person(&request)?;
    let request = request.into_inner();
    let undo = Undo {
        named: input::undoable(request.decision)?,
        reason: input::void_reason(&request.reason)?,
    };
    let id = input::parse_id(&request.id)?;
    let failures = undo_all(api, identity, &BTreeSet::from([id]), &undo).await?;
    if let Some(failure) = failures.into_iter().next() {
        return Err(failure.1);
    }
    let update = api.load(identity.tenant(), id).await?;
    Ok(v1::UndoDecisionResponse {
        update: Some(update.into()),
    })
}

pub async fn undo_decisions(
    api: &Api,
    request: Request<v1::UndoDecisionsRequest>,
) -> Result<v1::UndoDecisionsResponse, ServiceError> {
    let identity = &Caller::person(&request)?;
    let request = request.into_inner();
    let undo = Undo {
        named: input::undoable(request.decision)?,
        reason: None,
    };
    let requested = input::update_ids(&request.ids)?;
    let mut failures = BulkErrors::new();
    for (id, failure) in undo_all(api, identity, &requested, &undo).await? {
        failures.insert(id, failure.message);
    }
    Ok(v1::UndoDecisionsResponse {
        results: results(request.ids, &failures),
    })
}

/// Undoes decisions and returns the failures.
async fn undo_all(
    api: &Api,
    identity: &Identity,
    requested: &BTreeSet<Uuid>,
    undo: &Undo,
) -> Result<Vec<(Uuid, ServiceError)>, ServiceError> {
    let deadline = Instant::now() + HANDLER_TIMEOUT;
    let tenant = identity.tenant();
    let ids: Vec<Uuid> = requested.iter().copied().collect();
    let (mut rejected, mut acknowledged, mut applied) = (Vec::new(), Vec::new(), Vec::new());
    let mut unknown = requested.clone();
    let mut failures = Vec::new();
    let mut tx = api.database.tenant(tenant).await?;
    let rows = updates::lock_all(&mut tx, &ids).await?;
    for update in &rows {
        unknown.remove(&update.id);
        match review::undo(update, undo.named, identity.user_id, api.clock.now()) {
            Ok(UndoAction::Nothing) => {}
            Ok(UndoAction::Reopen) => rejected.push(update.id),
            Ok(UndoAction::Unacknowledge) => acknowledged.push(update.id),
            Ok(UndoAction::Void) => applied.push(update),
            Err(failure) => failures.push((update.id, failure)),
        }
    }
    let not_found = |id| (id, ServiceError::not_found());
    failures.extend(unknown.into_iter().map(not_found));
    states::set_unrejected(&mut tx, &rejected).await?;
    states::set_unreviewed(&mut tx, &acknowledged, Status::Recent).await?;
    tx.commit().await?;
    let changed = [rejected, acknowledged].concat();
    let changed = rows.iter().filter(|row| changed.contains(&row.id));
    let operators = changed.map(|update| update.operator_id);
    publish(&api.events, tenant, operators);
    failures.extend(void_all(api, identity, applied, undo, deadline).await);
    // A manager may decide again at once.
    if Instant::now() < deadline
        && let Err(failure) = api.judge.updates(tenant, &ids).await
    {
        tracing::warn!(%failure, "failed to check updates that are pending again");
    }
    let machines = rows.iter().map(|update| update.equipment_id);
    api.judge.check_soon(tenant, machines);
    Ok(failures)
}

/// Voids the entries of applied updates until the deadline and returns the failures.
async fn void_all(
    api: &Api,
    identity: &Identity,
    mut applied: Vec<&Update>,
    undo: &Undo,
    deadline: Instant,
) -> Vec<(Uuid, ServiceError)> {
    // The equipment service voids the entries of a machine together.
    applied.sort_by_key(|update| (update.equipment_id, update.id));
    let mut failures = Vec::new();
    let mut parts = applied.chunks(MAX_VOIDS);
    for part in parts.by_ref() {
        match void(api, identity, part, undo).await {
            Ok(refused) => failures.extend(refused),
            Err(failure) => {
                tracing::warn!(error = ?failure.cause, "failed to void entries of updates");
                let unknown = |id| (id, ServiceError::new(failure.kind, failure.message.clone()));
                failures.extend(part.iter().map(|update| unknown(update.id)));
                break;
            }
        }
        if Instant::now() >= deadline {
            break;
        }
    }
    let later = |update: &&Update| (update.id, ServiceError::conflict(refusals::UNDO_LATER));
    failures.extend(parts.flatten().map(later));
    failures
}

/// Voids the entries of applied updates and stores it. If the process dies in between, the judge stores
/// it.
async fn void(
    api: &Api,
    identity: &Identity,
    applied: &[&Update],
    undo: &Undo,
) -> Result<Vec<(Uuid, ServiceError)>, ServiceError> {
    let tenant = identity.tenant();
    let by = api.reviewer(identity);
    let reason = undo.reason.as_deref();
    let results = api.equipment.void(tenant, applied, reason, &by).await?;
    let mut failures = Vec::new();
    let ids: Vec<Uuid> = applied.iter().map(|update| update.id).collect();
    let mut tx = api.database.tenant(tenant).await?;
    updates::lock_all(&mut tx, &ids).await?;
    for (update, result) in applied.iter().zip(results) {
        match result {
            Ok(()) => {
                let voided = VoidedUpdate {
                    id: update.id,
                    reason: reason.unwrap_or_default().to_owned(),
                    undone: reason.is_none(),
                    by: by.name.clone(),
                    at: by.at,
                    attempt: update.attempt + 1,
                };
                // None: the judge was faster.
                states::take_back(&mut tx, &voided).await?;
            }
            Err(failure) => failures.push((update.id, failure)),
        }
    }
    tx.commit().await?;
    let operators = applied.iter().map(|update| update.operator_id);
    publish(&api.events, tenant, operators);
    Ok(failures)
}
