//! Applied updates: finding and voiding them for the operator-updates service.

use std::collections::{BTreeMap, HashMap};

use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::{Caller, Tenant};
use tonic::Request;
use uuid::Uuid;

use super::operator_updates::{Applied, MAX_UPDATES, refusal, response};
use super::{Api, input, parse_id, void};
use crate::domain::ledger::{Actor, Source, Voiding};
use crate::store::applied;

const MAX_VOIDS: usize = 50;

pub async fn find_applied_updates(
    api: &Api,
    request: Request<v1::FindAppliedUpdatesRequest>,
) -> Result<v1::FindAppliedUpdatesResponse, ServiceError> {
    let tenant = Caller::service(&request)?;
    let updates = attempts(&request.get_ref().updates, MAX_UPDATES)?;
    let ids: Vec<Uuid> = updates.iter().map(|(id, _)| *id).collect();
    let mut tx = api.database.tenant(tenant).await?;
    let earlier = applied::find(&mut tx, &ids).await?;
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

pub async fn void_operator_updates(
    api: &Api,
    request: Request<v1::VoidOperatorUpdatesRequest>,
) -> Result<v1::VoidOperatorUpdatesResponse, ServiceError> {
    let tenant = Caller::service(&request)?;
    let request = request.into_inner();
    let updates = attempts(&request.updates, MAX_VOIDS)?;
    let actor = Actor {
        id: parse_id(&request.actor_id)?,
        name: request.actor_name,
        source: Source::Manager,
    };
    let voiding = Voiding {
        reason: void::reason(&request.reason)?,
        undone: request.undone,
        by: actor.name.clone(),
        at: api.clock.now(),
        usage: None,
        replaced_by: None,
    };
    let ids: Vec<Uuid> = updates.iter().map(|(id, _)| *id).collect();
    let mut tx = api.database.tenant(tenant).await?;
    let earlier = applied::find(&mut tx, &ids).await?;
    tx.commit().await?;
    let mut machines: BTreeMap<Uuid, Vec<(Uuid, u32)>> = BTreeMap::new();
    let mut refused = Refused::new();
    for update in updates {
        match earlier.get(&update.0) {
            Some(earlier) => machines.entry(earlier.equipment).or_default().push(update),
            None => {
                refused.insert(update.0, refusal(ServiceError::not_found()));
            }
        }
    }
    for (machine, updates) in machines {
        match void_together(api, tenant, machine, &updates, &voiding, &actor).await {
            Ok(missing) => refused.extend(missing),
            Err(failure) if matches!(failure.kind, Kind::NotFound | Kind::Conflict) => {
                let failure = refusal(failure);
                refused.extend(updates.iter().map(|(id, _)| (*id, failure.clone())));
            }
            Err(failure) => return Err(failure),
        }
    }
    let results = ids.iter().map(|id| v1::VoidOperatorUpdateResult {
        refused: refused.get(id).cloned(),
    });
    Ok(v1::VoidOperatorUpdatesResponse {
        results: results.collect(),
    })
}

/// Refusals by update.
type Refused = HashMap<Uuid, v1::ApplyOperatorUpdateRefusal>;

/// Voids the entries of a machine's updates in one transaction. Returns those without an entry of this
/// attempt.
async fn void_together(
    api: &Api,
    tenant: Tenant,
    equipment: Uuid,
    updates: &[(Uuid, u32)],
    voiding: &Voiding,
    actor: &Actor,
) -> Result<Refused, ServiceError> {
    let ids: Vec<Uuid> = updates.iter().map(|(id, _)| *id).collect();
    let mut tx = api.database.tenant(tenant).await?;
    // Before the check, so that a concurrent repeat finds them voided.
    let locked = void::lock(&mut tx, equipment).await;
    let earlier = applied::find(&mut tx, &ids).await?;
    let (mut entries, mut missing) = (Vec::new(), Refused::new());
    for (id, attempt) in updates {
        let earlier = earlier.get(id);
        if earlier.is_some_and(|earlier| earlier.voids > *attempt) {
            continue;
        }
        let current = earlier.is_some_and(|it| it.voids == *attempt && !it.is_voided);
        let entry = applied::entry(&mut tx, *id).await?;
        match entry.filter(|(machine, _)| current && *machine == equipment) {
            Some((_, entry)) if entries.contains(&entry) => {}
            Some((_, entry)) => entries.push(entry),
            None => {
                missing.insert(*id, refusal(ServiceError::not_found()));
            }
        }
    }
    if entries.is_empty() {
        return Ok(missing);
    }
    locked?;
    let place = (equipment, entries.as_slice());
    void::void(&mut tx, place, voiding.clone(), actor).await?;
    tx.commit().await?;
    api.changed(tenant, Some(equipment));
    Ok(missing)
}

/// Ids and attempts, up to `most`.
fn attempts(updates: &[v1::UpdateAttempt], most: usize) -> Result<Vec<(Uuid, u32)>, ServiceError> {
    input::between("updates", updates.len(), most)?;
    let read = |update: &v1::UpdateAttempt| Ok((parse_id(&update.update_id)?, update.attempt));
    updates.iter().map(read).collect()
}
