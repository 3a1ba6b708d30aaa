//! Applied updates: finding and voiding them for the operator-updates service.

use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::{Caller, Tenant};
use hourmeter_runtime::refusals as shared;
use tonic::Request;
use uuid::Uuid;

use super::operator_updates::{Applied, MAX_UPDATES, refusal, response};
use super::{Api, parse_id, void};
use crate::domain::ledger::{Actor, Source};
use crate::store;
use crate::store::applied;

const MAX_VOIDS: usize = 50;

pub async fn find(
    api: &Api,
    request: Request<v1::FindAppliedUpdatesRequest>,
) -> Result<v1::FindAppliedUpdatesResponse, ServiceError> {
    let tenant = Caller::service(&request)?;
    let updates = attempts(&request.get_ref().updates, MAX_UPDATES)?;
    let ids: Vec<Uuid> = updates.iter().map(|(id, _)| *id).collect();
    let mut tx = api.database.tenant(tenant).await?;
    let earlier = applied::find(&mut tx, tenant, &ids).await?;
    tx.commit().await?;
    let applied = updates.iter().filter_map(|(id, attempt)| {
        let earlier = earlier.get(id)?;
        let applied = Applied {
            outcome: earlier.outcome,
            repeated: true,
        };
        // Also if its entry was voided since.
        let is_applied = earlier.voids + u32::from(!earlier.is_voided) > *attempt;
        is_applied.then(|| v1::AppliedUpdate {
            update_id: id.to_string(),
            effect: Some(response(applied)),
        })
    });
    Ok(v1::FindAppliedUpdatesResponse {
        applied: applied.collect(),
    })
}

pub async fn void_all(
    api: &Api,
    request: Request<v1::VoidOperatorUpdatesRequest>,
) -> Result<v1::VoidOperatorUpdatesResponse, ServiceError> {
    let tenant = Caller::service(&request)?;
    let request = request.into_inner();
    let updates = attempts(&request.updates, MAX_VOIDS)?;
    let reason = void::reason(&request.reason)?;
    let actor = Actor {
        id: parse_id(&request.actor_id)?,
        name: request.actor_name,
        source: Source::Manager,
    };
    let mut results = Vec::with_capacity(updates.len());
    for update in updates {
        let refused = match void_one(api, tenant, update, &reason, &actor).await {
            Ok(()) => None,
            Err(failure) if matches!(failure.kind, Kind::NotFound | Kind::Conflict) => {
                Some(refusal(failure))
            }
            Err(failure) => return Err(failure),
        };
        results.push(v1::VoidOperatorUpdateResult { refused });
    }
    Ok(v1::VoidOperatorUpdatesResponse { results })
}

/// Voids the entry of one update, in a transaction of its own.
async fn void_one(
    api: &Api,
    tenant: Tenant,
    (id, attempt): (Uuid, u32),
    reason: &str,
    actor: &Actor,
) -> Result<(), ServiceError> {
    let mut tx = api.database.tenant(tenant).await?;
    let entry = applied::entry(&mut tx, tenant, id).await?;
    if let Some((equipment, _)) = entry {
        // Before the check, so that a concurrent repeat finds it voided.
        store::meter::lock(&mut tx, tenant, equipment).await?;
    }
    let earlier = applied::find(&mut tx, tenant, &[id]).await?;
    let earlier = earlier.get(&id).ok_or_else(ServiceError::not_found)?;
    if earlier.voids > attempt {
        return Ok(());
    }
    let entry = entry.filter(|_| earlier.voids == attempt && !earlier.is_voided);
    let entry = entry.ok_or_else(ServiceError::not_found)?;
    void::void(&mut tx, tenant, entry, reason, actor, api.clock.now()).await?;
    tx.commit().await?;
    api.changed(tenant);
    Ok(())
}

/// Ids and attempts, up to `most`.
fn attempts(updates: &[v1::UpdateAttempt], most: usize) -> Result<Vec<(Uuid, u32)>, ServiceError> {
    if !(1..=most).contains(&updates.len()) {
        let message = shared::BETWEEN.with("min", 1).with("max", most);
        return Err(ServiceError::field("updates", message));
    }
    let read = |update: &v1::UpdateAttempt| Ok((parse_id(&update.update_id)?, update.attempt));
    updates.iter().map(read).collect()
}
