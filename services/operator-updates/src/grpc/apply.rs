use std::collections::{BTreeMap, BTreeSet};

use hourmeter_proto::operator_updates::v1;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::{Caller, Identity, Tenant};
use tokio::time::Instant;
use tonic::Request;
use uuid::Uuid;

use super::bulk::{BulkErrors, results};
use super::{Api, input};
use crate::changes::publish;
use crate::delivery::HANDLER_TIMEOUT;
use crate::domain::check::Meter;
use crate::domain::review::{self, ApplyAction, ApplyInput};
use crate::domain::update::{Decision, Status, Update};
use crate::refusals;
use crate::store::{decisions, marks, updates};

enum ApplyDecision {
    /// Already applied.
    Applied(Update),
    /// The effect is pending.
    Queued(Update),
}

pub async fn apply_one(
    api: &Api,
    request: Request<v1::ApplyUpdateRequest>,
) -> Result<v1::ApplyUpdateResponse, ServiceError> {
    let deadline = Instant::now() + HANDLER_TIMEOUT;
    let identity = &Caller::person(&request)?;
    let request = request.into_inner();
    let input = input::apply_input(&request)?;
    let id = input::parse_id(&request.id)?;
    let decided = match decide_one(api, identity, id, input).await {
        Err(failure) if failure.reason == review::BELOW_CURRENT => {
            let superseded = is_superseded(api, identity.tenant(), id).await?;
            if !superseded {
                return Err(failure);
            }
            let input = ApplyInput {
                superseded,
                ..input
            };
            decide_one(api, identity, id, input).await?
        }
        decided => decided?,
    };
    let update = match decided {
        ApplyDecision::Applied(update) => update,
        ApplyDecision::Queued(update) => {
            let tenant = identity.tenant();
            api.deliveries.settle(tenant, update, deadline).await?
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
    let update = updates::lock(&mut tx, tenant, id).await?;
    let update = update.ok_or_else(ServiceError::not_found)?;
    match review::apply(&update, update.decision.is_made(), input)? {
        ApplyAction::AlreadyApplied => return Ok(ApplyDecision::Applied(update)),
        ApplyAction::AlreadyDecided => {
            decisions::confirm(&mut tx, tenant, &[id], &reviewer).await?;
            marks::touch(&mut tx, tenant, &parked([&update])).await?;
        }
        ApplyAction::Decide(params) => {
            decisions::insert(&mut tx, tenant, &update, &params, Some(&reviewer)).await?;
            marks::touch(&mut tx, tenant, &[id]).await?;
        }
    }
    tx.commit().await?;
    publish(&api.events, tenant, [update.operator_id]);
    Ok(ApplyDecision::Queued(update))
}

async fn is_superseded(api: &Api, tenant: Tenant, id: Uuid) -> Result<bool, ServiceError> {
    let update = api.load(tenant, id).await?;
    let now = api.equipment.meter(tenant, update.equipment_id).await;
    // If the meter is unknown, the update counts as below it.
    Ok(now.is_ok_and(|now| is_no_longer_below(&update, &now.meter)))
}

/// Superseded ones of several updates, with one call per machine.
async fn superseded(
    api: &Api,
    tenant: Tenant,
    ids: &BTreeSet<Uuid>,
    deadline: Instant,
) -> Result<BTreeSet<Uuid>, ServiceError> {
    let ids: Vec<Uuid> = ids.iter().copied().collect();
    let mut tx = api.database.tenant(tenant).await?;
    let rows = updates::find_all(&mut tx, tenant, &ids).await?;
    tx.commit().await?;
    let mut below: BTreeMap<Uuid, Vec<Update>> = BTreeMap::new();
    for row in rows {
        if row.status == Status::Pending && !row.decision.is_made() && row.below_current {
            below.entry(row.equipment_id).or_default().push(row);
        }
    }
    let mut superseded = BTreeSet::new();
    for (equipment_id, rows) in below {
        if Instant::now() >= deadline {
            break;
        }
        match api.equipment.meter(tenant, equipment_id).await {
            Ok(now) => {
                let past = rows
                    .iter()
                    .filter(|row| is_no_longer_below(row, &now.meter));
                superseded.extend(past.map(|row| row.id));
            }
            Err(failure) if failure.kind == Kind::Unavailable => break,
            Err(_) => {}
        }
    }
    Ok(superseded)
}

pub async fn apply_many(
    api: &Api,
    request: Request<v1::ApplyUpdatesRequest>,
) -> Result<v1::ApplyUpdatesResponse, ServiceError> {
    let deadline = Instant::now() + HANDLER_TIMEOUT;
    let identity = &Caller::person(&request)?;
    let ids = request.into_inner().ids;
    let requested = input::update_ids(&ids)?;
    let superseded = superseded(api, identity.tenant(), &requested, deadline).await?;
    let (queued, mut failures) = decide_all(api, identity, &requested, &superseded).await?;
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
                failures.insert(id, refusals::APPLIED_LATER);
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
    superseded: &BTreeSet<Uuid>,
) -> Result<(Vec<Update>, BulkErrors), ServiceError> {
    let tenant = identity.tenant();
    let mut failures = BulkErrors::all_not_found(ids);
    let (mut queued, mut new, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
    let ids: Vec<Uuid> = ids.iter().copied().collect();
    let mut tx = api.database.tenant(tenant).await?;
    for update in updates::lock_all(&mut tx, tenant, &ids).await? {
        failures.remove(update.id);
        let input = ApplyInput {
            superseded: superseded.contains(&update.id),
            ..ApplyInput::default()
        };
        match review::apply(&update, update.decision.is_made(), input) {
            Ok(ApplyAction::AlreadyApplied) => continue,
            Ok(ApplyAction::AlreadyDecided) => repeated.push(update.id),
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
    decisions::confirm(&mut tx, tenant, &repeated, &reviewer).await?;
    decisions::insert_reported(&mut tx, tenant, &new, &reviewer).await?;
    new.extend(parked(&queued));
    marks::touch(&mut tx, tenant, &new).await?;
    tx.commit().await?;
    let operators = queued.iter().map(|update| update.operator_id);
    publish(&api.events, tenant, operators);
    Ok((queued, failures))
}

/// Whether an update below the meter no longer is: the meter was read later (only fuel and notes
/// are posted then), or its reading is now at most the reported one. The equipment service decides
/// anyway.
fn is_no_longer_below(update: &Update, now: &Meter) -> bool {
    let late = now
        .read_at
        .is_some_and(|read_at| update.captured_at < read_at);
    late || update
        .new_usage
        .is_some_and(|reading| reading >= now.reading)
}

/// Parked ones, which are retried from now on.
fn parked<'u>(updates: impl IntoIterator<Item = &'u Update>) -> Vec<Uuid> {
    let parked = updates
        .into_iter()
        .filter(|update| update.decision == Decision::Parked);
    parked.map(|update| update.id).collect()
}
