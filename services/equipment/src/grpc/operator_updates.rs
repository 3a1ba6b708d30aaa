//! RPCs that the operator-updates service calls: reading a meter and applying updates.

use std::collections::BTreeSet;

use hourmeter_proto::equipment::v1;
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Caller;
use hourmeter_runtime::quantity::Quantity;
use tonic::{Request, Status};
use uuid::Uuid;

use super::{Api, input, parse_id};
use crate::store;
use crate::store::meter::Meter;

mod batch;
mod update;

pub(super) use batch::Applied;
use batch::apply_batch;
use update::Update;
pub use update::out_of_range;

/// Updates in one call that reads.
pub const MAX_UPDATES: usize = 500;
/// Updates in one call that applies them; leaves time before the call's deadline on a busy machine.
const MAX_APPLIED: usize = 200;

pub async fn get_meter(
    api: &Api,
    request: Request<v1::GetMeterRequest>,
) -> Result<v1::GetMeterResponse, ServiceError> {
    let tenant = Caller::service(&request)?;
    let id = parse_id(&request.into_inner().equipment_id)?;
    let mut reads = api.database.read(tenant).await?;
    let meter = store::meter::find(&mut reads, id).await?;
    reads.done();
    let meter = meter.ok_or_else(ServiceError::not_found)?;
    Ok(to_message(meter))
}

pub fn to_message(meter: Meter) -> v1::GetMeterResponse {
    v1::GetMeterResponse {
        equipment_name: meter.subject.name,
        current_usage: meter.dial.state.usage.to_f64(),
        unit: meter.subject.unit.into(),
        fuel: meter.fuel.into(),
        meter_read_at: meter.dial.read_at.map(timestamp),
        meter_reading: meter.dial.state.reading().to_f64(),
        usual_daily_use: meter.daily_use.usual().map(Quantity::to_f64),
        usual_fill: meter.usual_fill.map(Quantity::to_f64),
    }
}

pub async fn apply_operator_update(
    api: &Api,
    request: Request<v1::ApplyOperatorUpdateRequest>,
) -> Result<v1::ApplyOperatorUpdateResponse, ServiceError> {
    let updates = std::slice::from_ref(request.get_ref());
    let results = apply_in_transaction(api, &request, updates).await?;
    let result = results.into_iter().next();
    Ok(response(result.ok_or_else(ServiceError::not_found)??))
}

pub async fn apply_operator_updates(
    api: &Api,
    request: Request<v1::ApplyOperatorUpdatesRequest>,
) -> Result<v1::ApplyOperatorUpdatesResponse, ServiceError> {
    let updates = &request.get_ref().updates;
    input::between("updates", updates.len(), MAX_APPLIED)?;
    let results = apply_in_transaction(api, &request, updates).await?;
    Ok(v1::ApplyOperatorUpdatesResponse {
        results: results.into_iter().map(to_result).collect(),
    })
}

/// Applies updates in order, in one transaction.
#[tracing::instrument(name = "equipment.apply_operator_updates", level = "debug", skip_all, fields(count = updates.len()))]
async fn apply_in_transaction<T>(
    api: &Api,
    request: &Request<T>,
    updates: &[v1::ApplyOperatorUpdateRequest],
) -> Result<Vec<Result<Applied, ServiceError>>, ServiceError> {
    let tenant = Caller::service(request)?;
    let now = api.clock.now();
    let updates: Vec<_> = updates
        .iter()
        .map(|update| Update::read(update, now))
        .collect();
    let machines: BTreeSet<Uuid> = updates
        .iter()
        .flatten()
        .map(|update| update.equipment)
        .collect();
    let mut tx = api.database.tenant(tenant).await?;
    let results = apply_batch(&mut tx, updates, now).await?;
    if results.iter().flatten().any(|applied| !applied.repeated) {
        tx.commit().await?;
        for machine in machines {
            api.changed(tenant, Some(machine));
        }
    }
    Ok(results)
}

pub(super) fn response(applied: Applied) -> v1::ApplyOperatorUpdateResponse {
    let Applied { outcome, repeated } = applied;
    v1::ApplyOperatorUpdateResponse {
        usage_before: outcome.map(|moved| moved.before.to_f64()),
        usage_after: outcome.map(|moved| moved.after.to_f64()),
        repeated,
    }
}

fn to_result(result: Result<Applied, ServiceError>) -> v1::ApplyOperatorUpdateResult {
    use v1::apply_operator_update_result::Outcome;

    let outcome = match result {
        Ok(applied) => Outcome::Applied(response(applied)),
        Err(failure) => Outcome::Refused(refusal(failure)),
    };
    v1::ApplyOperatorUpdateResult {
        outcome: Some(outcome),
    }
}

pub(super) fn refusal(failure: ServiceError) -> v1::ApplyOperatorUpdateRefusal {
    v1::ApplyOperatorUpdateRefusal {
        reason: failure.reason.to_string(),
        message: failure.message.to_string(),
        text_code: failure.message.code.to_string(),
        parameters: failure.message.parameters.clone().into_iter().collect(),
        code: Status::from(failure).code().into(),
    }
}
