use hourmeter_proto::operator_updates::v1;
use hourmeter_runtime::clock::plausible_time;
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::idempotency::{Key, Outcome, begin, stored_response};
use hourmeter_runtime::identity::{Caller, Identity, Tenant};
use tokio::time::Instant;
use tonic::Request;
use uuid::Uuid;

use super::Api;
use super::input::{self, Submission};
use crate::changes::publish;
use crate::delivery::HANDLER_TIMEOUT;
use crate::domain::auto_apply::is_auto_applied;
use crate::domain::check::{self, REPEATED_WITHIN, Report};
use crate::domain::review::ApplyParams;
use crate::domain::update::{Decision, Status, Update};
use crate::equipment::EquipmentMeter;
use crate::refusals;
use crate::store::{decisions, updates};

enum Stored {
    /// New and pending.
    Pending(Update),
    /// New and to be applied immediately.
    Decided(Update),
    /// The client id is known.
    Existing(Update),
    /// The idempotency key is known; this was the response.
    Replayed(v1::SubmitUpdateResponse),
}

#[tracing::instrument(name = "operator_updates.submit", level = "debug", skip_all)]
pub async fn submit(
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
    let equipment_meter = read_meter(api, tenant, submission.equipment_id).await;
    let (equipment_id, equipment_meter) = match equipment_meter {
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
    let name = equipment_meter.equipment_name;
    let update = new_update(api, identity, submission, equipment_id, name);
    match store(api, identity, key, update, &equipment_meter.meter).await? {
        Stored::Pending(update) => {
            publish(&api.events, tenant, [update.operator_id]);
            Ok(response(update, true))
        }
        Stored::Existing(update) => Ok(response(update, false)),
        Stored::Replayed(first) => with_current_state(api, tenant, first).await,
        Stored::Decided(update) => {
            let id = update.id;
            publish(&api.events, tenant, [update.operator_id]);
            let settled = api.deliveries.settle(tenant, update, deadline).await;
            let now = match settled {
                Ok(settled) => settled,
                // The update is stored, as requested; the relay or a manager continues.
                Err(failure) => {
                    tracing::warn!(update.id = %id, %failure, "operator update is not applied yet; left to the relay or a manager");
                    api.load(tenant, id).await?
                }
            };
            Ok(response(now, true))
        }
    }
}

async fn read_meter(
    api: &Api,
    tenant: Tenant,
    id: Option<Uuid>,
) -> Result<(Uuid, EquipmentMeter), ServiceError> {
    let id = id.ok_or_else(ServiceError::not_found)?;
    let equipment_meter = api.equipment.meter(tenant, id).await;
    Ok((id, equipment_meter.map_err(meter_error)?))
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
    equipment_id: Uuid,
    equipment_name: String,
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
        equipment_name,
        reported_equipment_name: String::new(),
        operator_id: identity.user_id,
        operator_name: identity.display_name.clone(),
        new_usage: submission.new_usage,
        fuel_added: submission.fuel_added,
        fuel_kind: submission.fuel_kind,
        notes: submission.notes,
        status: Status::Pending,
        decision: Decision::None,
        client_id,
        captured_at: plausible_time(submission.captured_at, now),
        previous_usage: None,
        applied_usage: None,
        late: false,
        below_current: false,
        flags: Vec::new(),
        reviewed_by: String::new(),
        reviewed_at: None,
        reject_reason: String::new(),
        created_at: now,
    }
}

async fn store(
    api: &Api,
    identity: &Identity,
    key: Option<Key>,
    mut update: Update,
    meter: &check::Meter,
) -> Result<Stored, ServiceError> {
    let (tenant, now) = (identity.tenant(), api.clock.now());
    let operator = update.operator_id;
    let tx = api.database.tenant_with_lock(tenant, operator).await?;
    let mut tx = match begin(tx, identity, key, now).await? {
        Outcome::New(work) => work,
        Outcome::Repeat(first) => return Ok(Stored::Replayed(first)),
    };
    // The INSERT statement checks for repeats.
    apply_checks(&mut update, meter, None);
    let Some(flags) = updates::insert(&mut tx, tenant, &update).await? else {
        let first = updates::find_by_client_id(&mut tx, tenant, &update.client_id).await?;
        let missing = || ServiceError::internal("conflicting client_id row not found");
        let first = first.ok_or_else(missing)?;
        tx.finish(&response(first.clone(), false)).await?;
        return check_owner(identity, first).map(Stored::Existing);
    };
    update.flags = flags;
    let auto_applied = is_auto_applied(
        identity.auto_apply_updates,
        identity.entitlements.active,
        &update.flags,
    );
    if auto_applied {
        let params = ApplyParams::as_reported(&update);
        decisions::insert(&mut tx, tenant, &update, &params, None).await?;
    }
    tx.finish(&response(update.clone(), true)).await?;
    Ok(if auto_applied {
        Stored::Decided(update)
    } else {
        Stored::Pending(update)
    })
}

/// Refuses another person's update.
fn check_owner(identity: &Identity, known: Update) -> Result<Update, ServiceError> {
    if known.operator_id == identity.user_id {
        return Ok(known);
    }
    Err(ServiceError::conflict(refusals::CLIENT_ID_TAKEN))
}

/// Checks an update against its meter. The transaction holds the operator's lock, so that no
/// other update of that person is stored meanwhile.
pub(super) async fn check_against_meter(
    tx: &mut TenantTx,
    update: &mut Update,
    meter: &check::Meter,
) -> Result<(), ServiceError> {
    let tenant = tx.tenant();
    let seconds = updates::seconds_to_the_same(tx, tenant, update, REPEATED_WITHIN).await?;
    apply_checks(update, meter, seconds);
    Ok(())
}

/// Stores the results of the checks in the update.
fn apply_checks(update: &mut Update, meter: &check::Meter, repeated_seconds_ago: Option<i64>) {
    let report = Report {
        reading: update.new_usage,
        fuel_added: update.fuel_added,
        captured_at: update.captured_at,
        repeated_seconds_ago,
    };
    let result = check::check(meter, &report);
    update.previous_usage = Some(meter.reading);
    update.late = result.late;
    update.below_current = result.below_meter();
    update.flags = result.flags;
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
