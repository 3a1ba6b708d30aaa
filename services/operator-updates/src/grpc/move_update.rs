use hourmeter_proto::operator_updates::v1;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Caller, Identity};
use tokio::time::Instant;
use tonic::Request;
use uuid::Uuid;

use super::submit::{meter_error, waiting_beside};
use super::{Api, input};
use crate::changes::publish;
use crate::delivery::HANDLER_TIMEOUT;
use crate::domain::review::{self, ApplyParams};
use crate::domain::update::{Status, Update};
use crate::equipment::EquipmentMeter;
use crate::judge::apply_checks;
use crate::store::{decisions, states, updates, waiting};

pub async fn move_update(
    api: &Api,
    request: Request<v1::MoveUpdateRequest>,
) -> Result<v1::MoveUpdateResponse, ServiceError> {
    let deadline = Instant::now() + HANDLER_TIMEOUT;
    let identity = &Caller::person(&request)?;
    let request = request.into_inner();
    let id = input::parse_id(&request.id)?;
    let tenant = identity.tenant();
    // Checked before the call, so that its errors come first.
    api.settle_parked(tenant, &[id]).await?;
    let update = api.load(tenant, id).await?;
    let equipment_id = input::target(&request.equipment_id)?;
    review::move_to(&update, equipment_id)?;
    let target = api
        .equipment
        .meter(tenant, equipment_id, update.captured_at);
    let target = target.await.map_err(meter_error)?;
    if !target.is_active {
        return Err(ServiceError::not_found());
    }

    let moved = store_move(api, identity, &request, equipment_id, target).await?;
    publish(&api.events, tenant, [moved.operator_id]);
    let machines = [update.equipment_id, equipment_id];
    api.judge.check_soon(tenant, machines);
    let update = if moved.flags.is_empty() && !request.wait {
        api.settle_or_leave(tenant, moved, deadline).await?
    } else {
        api.load(tenant, id).await?
    };
    Ok(v1::MoveUpdateResponse {
        update: Some(update.into()),
    })
}

/// Stores the new equipment, and the decision to apply it if there are no flags and it need not wait.
async fn store_move(
    api: &Api,
    identity: &Identity,
    request: &v1::MoveUpdateRequest,
    equipment_id: Uuid,
    target: EquipmentMeter,
) -> Result<Update, ServiceError> {
    let tenant = identity.tenant();
    let id = input::parse_id(&request.id)?;
    let mut tx = api.database.tenant(tenant).await?;
    let mut update = updates::lock(&mut tx, id).await?;
    review::move_to(&update, equipment_id)?;
    if update.status == Status::TakenBack {
        states::set_unreviewed(&mut tx, &[id], Status::Pending).await?;
    }
    update.equipment_id = equipment_id;
    update.equipment_name.clone_from(&target.equipment_name);
    update.previous_usage = Some(target.reading);
    let waiting = waiting_beside(&mut tx, &update, &target).await?;
    // No other update of the person is stored meanwhile.
    tx.lock(update.operator_id).await?;
    states::set_equipment(&mut tx, &update).await?;
    let repeated = waiting::repeats(&mut tx, &[id]).await?.contains(&id);
    apply_checks(&mut update, &target, &waiting, repeated);
    states::set_checked(&mut tx, &update, false).await?;
    if update.flags.is_empty() && !request.wait {
        let (params, by) = (ApplyParams::as_reported(&update), api.reviewer(identity));
        decisions::insert(&mut tx, &update, &params, Some(&by)).await?;
    }
    tx.commit().await?;
    Ok(update)
}
