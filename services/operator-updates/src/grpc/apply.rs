use std::collections::BTreeSet;

use hourmeter_proto::operator_updates::v1;
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::{Caller, Identity, Tenant};
use tokio::time::Instant;
use tonic::Request;
use uuid::Uuid;

use super::bulk::{BulkErrors, all_not_found, results};
use super::{Api, input};
use crate::changes::publish;
use crate::delivery::HANDLER_TIMEOUT;
use crate::domain::review::{self, ApplyAction, ApplyInput};
use crate::domain::update::{Decision, Status, Update};
use crate::refusals;
use crate::store::{changed_at, decisions, states, updates};

enum ApplyDecision {
    /// Already applied.
    Applied(Update),
    /// The effect is pending.
    Queued(Update),
}

pub async fn apply_update(
    api: &Api,
    request: Request<v1::ApplyUpdateRequest>,
) -> Result<v1::ApplyUpdateResponse, ServiceError> {
    let deadline = Instant::now() + HANDLER_TIMEOUT;
    let identity = &Caller::person(&request)?;
    let request = request.into_inner();
    let input = input::apply_input(&request)?;
    let id = input::parse_id(&request.id)?;
    let tenant = identity.tenant();
    let decided = match decide_one(api, identity, id, input).await {
        Err(failure) if failure.reason == review::BELOW_CURRENT => {
            // The meter may have changed since the last check.
            check_again(api, tenant, &[id]).await;
            decide_one(api, identity, id, input).await?
        }
        Err(failure) if failure.reason == refusals::BEING_APPLIED.code => {
            if !api.settle_parked(tenant, &[id]).await? {
                return Err(failure);
            }
            decide_one(api, identity, id, input).await?
        }
        decided => decided?,
    };
    let update = match decided {
        ApplyDecision::Applied(update) => update,
        ApplyDecision::Queued(update) => {
            api.deliveries.settle(tenant, update, deadline).await?;
            api.load(tenant, id).await?
        }
    };
    Ok(v1::ApplyUpdateResponse {
        update: Some(update.into()),
    })
}

/// Locks an update and stores the decision.
#[tracing::instrument(name = "operator_updates.decide", level = "debug", skip_all)]
async fn decide_one(
    api: &Api,
    identity: &Identity,
    id: Uuid,
    input: ApplyInput,
) -> Result<ApplyDecision, ServiceError> {
    let tenant = identity.tenant();
    let reviewer = api.reviewer(identity);
    let mut tx = api.database.tenant(tenant).await?;
    let update = updates::lock(&mut tx, id).await?;
    match review::apply(&update, input)? {
        ApplyAction::AlreadyApplied => return Ok(ApplyDecision::Applied(update)),
        ApplyAction::AlreadyDecided(params) => {
            // A repeat waits for the effect; another value is never dropped.
            if params.is_some() && params != decisions::params(&mut tx, id).await? {
                return Err(review::being_applied());
            }
            decisions::confirm(&mut tx, &[id], &reviewer).await?;
            changed_at::touch(&mut tx, &parked([&update])).await?;
        }
        ApplyAction::Decide(params) => {
            reopen_taken_back(&mut tx, [&update]).await?;
            decisions::insert(&mut tx, &update, &params, Some(&reviewer)).await?;
            changed_at::touch(&mut tx, &[id]).await?;
        }
    }
    tx.commit().await?;
    publish(&api.events, tenant, [update.operator_id]);
    Ok(ApplyDecision::Queued(update))
}

/// Checks updates again. If a meter is unknown, they stay as they are.
async fn check_again(api: &Api, tenant: Tenant, ids: &[Uuid]) {
    if let Err(failure) = api.judge.updates(tenant, ids).await {
        tracing::warn!(%failure, "failed to check updates before their application");
    }
}

/// One that was taken back is pending while it is applied again.
async fn reopen_taken_back(
    tx: &mut TenantTx,
    updates: impl IntoIterator<Item = &Update>,
) -> Result<(), ServiceError> {
    let taken_back = updates
        .into_iter()
        .filter(|update| update.status == Status::TakenBack);
    let ids: Vec<Uuid> = taken_back.map(|update| update.id).collect();
    if ids.is_empty() {
        return Ok(());
    }
    states::set_unreviewed(tx, &ids, Status::Pending).await
}

/// Those of several updates that are below the meter, as far as known.
async fn below_meter(
    api: &Api,
    tenant: Tenant,
    ids: &BTreeSet<Uuid>,
) -> Result<Vec<Uuid>, ServiceError> {
    let ids: Vec<Uuid> = ids.iter().copied().collect();
    let mut tx = api.database.tenant(tenant).await?;
    let rows = updates::find_all(&mut tx, &ids).await?;
    tx.commit().await?;
    let below = rows
        .into_iter()
        .filter(|row| row.below_current && row.is_undecided());
    Ok(below.map(|row| row.id).collect())
}

pub async fn apply_updates(
    api: &Api,
    request: Request<v1::ApplyUpdatesRequest>,
) -> Result<v1::ApplyUpdatesResponse, ServiceError> {
    let deadline = Instant::now() + HANDLER_TIMEOUT;
    let identity = &Caller::person(&request)?;
    let ids = request.into_inner().ids;
    let requested = input::update_ids(&ids)?;
    let below = below_meter(api, identity.tenant(), &requested).await?;
    check_again(api, identity.tenant(), &below).await;
    let (queued, mut failures) = decide_all(api, identity, &requested).await?;
    let queued_ids: Vec<Uuid> = queued.iter().map(|update| update.id).collect();
    let tenant = identity.tenant();
    let mut settled = api.deliveries.settle_all(tenant, queued, deadline).await;
    for id in queued_ids {
        match settled.remove(&id) {
            Some(Ok(())) => {}
            Some(Err(failure)) if failure.kind != Kind::Unavailable => {
                failures.insert(id, failure.message);
            }
            Some(Err(_)) | None => {
                failures.insert(id, refusals::APPLIED_LATER.into());
            }
        }
    }
    Ok(v1::ApplyUpdatesResponse {
        results: results(ids, &failures),
    })
}

/// Decides on all updates in one transaction and returns those whose effect is pending.
#[tracing::instrument(name = "operator_updates.decide", level = "debug", skip_all, fields(count = ids.len()))]
async fn decide_all(
    api: &Api,
    identity: &Identity,
    ids: &BTreeSet<Uuid>,
) -> Result<(Vec<Update>, BulkErrors), ServiceError> {
    let tenant = identity.tenant();
    let mut failures = all_not_found(ids);
    let (mut queued, mut new, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
    let ids: Vec<Uuid> = ids.iter().copied().collect();
    let mut tx = api.database.tenant(tenant).await?;
    for update in updates::lock_all(&mut tx, &ids).await? {
        failures.remove(&update.id);
        match review::apply(&update, ApplyInput::default()) {
            Ok(ApplyAction::AlreadyApplied) => continue,
            Ok(ApplyAction::AlreadyDecided(_)) => repeated.push(update.id),
            // Without input of the manager, the reported values are applied.
            Ok(ApplyAction::Decide(_)) => new.push(update.id),
            Err(failure) => {
                failures.insert(update.id, failure.message);
                continue;
            }
        }
        queued.push(update);
    }
    let reviewer = api.reviewer(identity);
    reopen_taken_back(&mut tx, &queued).await?;
    decisions::confirm(&mut tx, &repeated, &reviewer).await?;
    decisions::insert_reported(&mut tx, &new, &reviewer).await?;
    new.extend(parked(&queued));
    changed_at::touch(&mut tx, &new).await?;
    tx.commit().await?;
    let operators = queued.iter().map(|update| update.operator_id);
    publish(&api.events, tenant, operators);
    Ok((queued, failures))
}

/// Parked ones, which are retried from now on.
fn parked<'u>(updates: impl IntoIterator<Item = &'u Update>) -> Vec<Uuid> {
    let parked = updates
        .into_iter()
        .filter(|update| update.decision == Decision::Parked);
    parked.map(|update| update.id).collect()
}
