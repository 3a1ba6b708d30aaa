use chrono::{DateTime, Utc};
use hourmeter_proto::operator_updates::v1;
use hourmeter_runtime::clock::plausible_time;
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::idempotency::{Key, Outcome, begin, stored_response};
use hourmeter_runtime::identity::{Caller, Identity, Tenant};
use hourmeter_runtime::quantity::Quantity;
use tokio::time::Instant;
use tonic::Request;
use uuid::Uuid;

use super::Api;
use super::input::{self, Submission};
use crate::changes::publish;
use crate::delivery::HANDLER_TIMEOUT;
use crate::domain::fuel::{Fuel, FuelKind};
use crate::domain::review::ApplyParams;
use crate::domain::update::{Capture, Decision, Status, Update};
use crate::equipment::EquipmentMeter;
use crate::judge::apply_checks;
use crate::refusals;
use crate::store::{decisions, updates, waiting};

enum Stored {
    New {
        update: Update,
        /// It is to be applied immediately.
        is_decided: bool,
    },
    /// The client id is known.
    Existing(Update),
    /// The idempotency key is known; this was the response.
    Replayed(v1::SubmitUpdateResponse),
}

#[tracing::instrument(name = "operator_updates.submit", level = "debug", skip_all)]
pub async fn submit_update(
    api: &Api,
    request: Request<v1::SubmitUpdateRequest>,
) -> Result<v1::SubmitUpdateResponse, ServiceError> {
    let deadline = Instant::now() + HANDLER_TIMEOUT;
    let identity = &Caller::person(&request)?;
    // A client id has the same purpose and does not expire.
    let key = if request.get_ref().client_id.is_empty() {
        Key::read(&request, "SubmitUpdate")?
    } else {
        None
    };
    let tenant = identity.tenant();
    let submission = input::submission(request.get_ref())?;
    let captured_at = plausible_time(submission.captured_at, api.clock.now());
    let machine = read_meter(api, tenant, submission.equipment_id, captured_at).await;
    let (equipment_id, machine) = match machine {
        Ok(found) => found,
        // A repeat gets its response even if the equipment is unavailable.
        Err(failure) => {
            if let Some(first) = stored_submission(api, identity, key.as_ref()).await? {
                return Ok(first);
            }
            let known = find_existing(api, identity, &submission.client_id).await?;
            return known.map(|known| response(known, false)).ok_or(failure);
        }
    };
    let update = new_update(
        api,
        identity,
        submission,
        (equipment_id, captured_at),
        &machine,
    );
    api.judge.seen(identity, false);
    let (update, is_decided) = match store(api, identity, key, update, &machine).await? {
        Stored::New { update, is_decided } => (update, is_decided),
        Stored::Existing(update) => return Ok(response(update, false)),
        Stored::Replayed(first) => return with_current_state(api, tenant, first).await,
    };
    api.judge.check_soon(tenant, [equipment_id]);
    publish(&api.events, tenant, [update.operator_id]);
    if !is_decided {
        return Ok(response(update, true));
    }
    let now = api.settle_or_leave(tenant, update, deadline).await?;
    Ok(response(now, true))
}

async fn read_meter(
    api: &Api,
    tenant: Tenant,
    id: Option<Uuid>,
    captured_at: DateTime<Utc>,
) -> Result<(Uuid, EquipmentMeter), ServiceError> {
    let id = id.ok_or_else(ServiceError::not_found)?;
    let machine = api.equipment.meter(tenant, id, captured_at).await;
    Ok((id, machine.map_err(meter_error)?))
}

/// The stored response for the key, with the current state of the update.
async fn stored_submission(
    api: &Api,
    identity: &Identity,
    key: Option<&Key>,
) -> Result<Option<v1::SubmitUpdateResponse>, ServiceError> {
    if key.is_none() {
        return Ok(None);
    }
    let tenant = identity.tenant();
    let mut tx = api.database.tenant(tenant).await?;
    let first = stored_response(&mut tx, identity, key, api.clock.now()).await?;
    tx.commit().await?;
    match first {
        Some(first) => with_current_state(api, tenant, first).await.map(Some),
        None => Ok(None),
    }
}

async fn with_current_state(
    api: &Api,
    tenant: Tenant,
    first: v1::SubmitUpdateResponse,
) -> Result<v1::SubmitUpdateResponse, ServiceError> {
    let id = first.update.unwrap_or_default().id;
    let id = Uuid::parse_str(&id).map_err(ServiceError::internal)?;
    Ok(response(api.load(tenant, id).await?, first.created))
}

/// The caller's earlier update with this client id.
async fn find_existing(
    api: &Api,
    identity: &Identity,
    client_id: &str,
) -> Result<Option<Update>, ServiceError> {
    if client_id.is_empty() {
        return Ok(None);
    }
    let tenant = identity.tenant();
    let mut reads = api.database.read(tenant).await?;
    let id = updates::id_of_client_id(&mut reads, tenant, client_id).await?;
    reads.done();
    let Some(id) = id else {
        return Ok(None);
    };
    check_owner(identity, api.load(tenant, id).await?).map(Some)
}

/// Builds the update, without the checks against the meter.
fn new_update(
    api: &Api,
    identity: &Identity,
    submission: Submission,
    (equipment_id, captured_at): (Uuid, DateTime<Utc>),
    machine: &EquipmentMeter,
) -> Update {
    let id = Uuid::now_v7();
    let now = api.clock.now();
    let client_id = match submission.client_id {
        client_id if client_id.is_empty() => id.to_string(),
        client_id => client_id,
    };
    Update {
        id,
        equipment_id,
        equipment_name: machine.equipment_name.clone(),
        reported_equipment_name: String::new(),
        operator_id: identity.user_id,
        operator_name: identity.display_name.clone(),
        new_usage: submission.new_usage,
        usage_increase: submission.usage_increase,
        unit: Some(submission.unit.unwrap_or(machine.meter.unit)),
        fuel: Fuel {
            added: submission.fuel_added,
            kind: submission
                .fuel_kind
                .or(machine.meter.fuel)
                .unwrap_or(FuelKind::Gas),
            full: submission.full_fill,
        },
        notes: submission.notes,
        status: Status::Pending,
        decision: Decision::None,
        client_id,
        captured_at,
        capture: identity
            .device
            .as_ref()
            .map(|device| Capture::by(device, captured_at, now))
            .unwrap_or_default(),
        previous_usage: None,
        applied_usage: None,
        applied_reading: None,
        applied_fuel: None,
        applied_replacement: None,
        late: false,
        below_current: false,
        flags: Vec::new(),
        reviewed_by_id: None,
        reviewed_by: String::new(),
        reviewed_at: None,
        reject_reason: String::new(),
        attempt: 0,
        acknowledged: false,
        taken_back: None,
        created_at: now,
    }
}

async fn store(
    api: &Api,
    identity: &Identity,
    key: Option<Key>,
    mut update: Update,
    machine: &EquipmentMeter,
) -> Result<Stored, ServiceError> {
    let (tenant, now) = (identity.tenant(), api.clock.now());
    let operator = update.operator_id;
    let tx = api.database.tenant_with_lock(tenant, operator).await?;
    let mut tx = match begin(tx, identity, key, now).await? {
        Outcome::New(work) => work,
        Outcome::Repeat(first) => return Ok(Stored::Replayed(first)),
    };
    let waiting = waiting_beside(&mut tx, &update, machine).await?;
    // The INSERT statement checks for repeats.
    apply_checks(&mut update, machine, &waiting, false);
    let Some(flags) = updates::insert(&mut tx, &update).await? else {
        let id = updates::id_of_client_id(&mut tx, tenant, &update.client_id).await?;
        let missing = || ServiceError::internal("conflicting client_id row not found");
        let first = updates::find(&mut tx, id.ok_or_else(missing)?).await?;
        tx.finish(&response(first.clone(), false)).await?;
        return check_owner(identity, first).map(Stored::Existing);
    };
    update.flags = flags;
    let is_decided =
        identity.auto_apply_updates && identity.entitlements.active && update.flags.is_empty();
    if is_decided {
        let params = ApplyParams::as_reported(&update);
        decisions::insert(&mut tx, &update, &params, None).await?;
    }
    tx.finish(&response(update.clone(), true)).await?;
    Ok(Stored::New { update, is_decided })
}

/// Refuses another person's update.
fn check_owner(identity: &Identity, known: Update) -> Result<Update, ServiceError> {
    if known.operator_id == identity.user_id {
        return Ok(known);
    }
    Err(ServiceError::conflict(refusals::CLIENT_ID_TAKEN))
}

/// Readings that wait for the update's machine.
pub(super) async fn waiting_beside(
    tx: &mut TenantTx,
    update: &Update,
    machine: &EquipmentMeter,
) -> Result<Vec<(DateTime<Utc>, Quantity)>, ServiceError> {
    let readings = waiting::readings(tx, &[update.equipment_id]).await?;
    Ok(readings.beside(update, machine.meter.unit))
}

fn response(update: Update, created: bool) -> v1::SubmitUpdateResponse {
    v1::SubmitUpdateResponse {
        update: Some(update.into()),
        created,
    }
}

/// Hides errors that do not concern the operator.
pub(super) fn meter_error(failure: ServiceError) -> ServiceError {
    match failure.kind {
        Kind::NotFound => ServiceError::not_found(),
        Kind::Unavailable => failure,
        kind => ServiceError::internal(format!("reading a meter failed: {kind:?}")),
    }
}
