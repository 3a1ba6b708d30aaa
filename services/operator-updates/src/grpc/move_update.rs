use hourmeter_proto::operator_updates::v1;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Caller, Identity};
use tokio::time::Instant;
use tonic::Request;
use uuid::Uuid;

use super::submit::{check_against_meter, meter_error};
use super::{Api, input};
use crate::changes::publish;
use crate::delivery::HANDLER_TIMEOUT;
use crate::domain::review::{self, ApplyParams};
use crate::domain::update::Update;
use crate::equipment::EquipmentMeter;
use crate::store::{decisions, updates};

pub async fn move_to(
    api: &Api,
    request: Request<v1::MoveUpdateRequest>,
) -> Result<v1::MoveUpdateResponse, ServiceError> {
    let deadline = Instant::now() + HANDLER_TIMEOUT;
    let identity = &Caller::person(&request)?;
    let request = request.into_inner();
    let id = input::parse_id(&request.id)?;
    let equipment_id = input::parse_id(&request.equipment_id)?;
    let tenant = identity.tenant();
    // Checked before the call, so that its errors come first.
    let update = api.load(tenant, id).await?;
    review::move_to(&update, update.decision.is_made(), equipment_id)?;
    let target = api.equipment.meter(tenant, equipment_id).await;
    let target = target.map_err(meter_error)?;

    let moved = store_move(api, identity, id, equipment_id, target).await?;
    publish(&api.events, tenant, [moved.operator_id]);
    if moved.flags.is_empty() {
        let settled = api.deliveries.settle(tenant, moved, deadline).await;
        if let Err(failure) = settled {
            // The update is moved and decided, as requested; its row shows the state of its
            // effect.
            tracing::warn!(update.id = %id, %failure, "operator update is not applied yet; left to the relay or a manager");
        }
    }
    let update = api.load(tenant, id).await?;
    Ok(v1::MoveUpdateResponse {
        update: Some(update.into()),
    })
}

/// Stores the new equipment, and the decision to apply it if there are no flags.
async fn store_move(
    api: &Api,
    identity: &Identity,
    id: Uuid,
    equipment_id: Uuid,
    target: EquipmentMeter,
) -> Result<Update, ServiceError> {
    let tenant = identity.tenant();
    let mut tx = api.database.tenant(tenant).await?;
    let update = updates::lock(&mut tx, tenant, id).await?;
    let mut update = update.ok_or_else(ServiceError::not_found)?;
    review::move_to(&update, update.decision.is_made(), equipment_id)?;
    update.equipment_id = equipment_id;
    update.equipment_name = target.equipment_name;
    tx.lock(update.operator_id).await?;
    check_against_meter(&mut tx, &mut update, &target.meter).await?;
    updates::set_equipment(&mut tx, tenant, &update).await?;
    if update.flags.is_empty() {
        let (params, by) = (ApplyParams::as_reported(&update), api.reviewer(identity));
        decisions::insert(&mut tx, tenant, &update, &params, Some(&by)).await?;
    }
    tx.commit().await?;
    Ok(update)
}
