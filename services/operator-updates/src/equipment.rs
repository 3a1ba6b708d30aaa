//! Client of the equipment service.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use hourmeter_proto::equipment::v1;
use hourmeter_proto::equipment::v1::equipment_service_client::EquipmentServiceClient;
use hourmeter_runtime::client::{Backend, CallerSigner, with_deadline};
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Caller, Service, Signer, Tenant};
use hourmeter_runtime::message::Message;
use hourmeter_runtime::quantity::Quantity;
use prost_types::Timestamp;
use tonic::{Code, Status};
use uuid::Uuid;

use crate::domain::check::{self, Unit};
use crate::domain::review::{MeterChange, Replacement};
use crate::domain::update::{Effect, FuelKind, Reviewer, Update};
use crate::store::deliveries::{Application, Delivery};

/// Timeout of a call. With the handler's earlier work it stays below the callers' five seconds.
const CALL_TIMEOUT: Duration = Duration::from_secs(2);

/// Meters in one call.
const MAX_QUERIES: usize = 500;
/// Voided updates in one response.
pub const MAX_VOIDED: usize = 500;
/// Voids in one call.
const MAX_VOIDS: usize = 50;

#[derive(Clone, Debug)]
pub struct Equipment {
    client: EquipmentServiceClient<Backend>,
    callers: Arc<CallerSigner>,
}

/// A machine, and its meter around a time.
#[derive(Clone, Debug)]
pub struct EquipmentMeter {
    pub equipment_name: String,
    /// It is neither retired nor deleted.
    pub in_use: bool,
    /// What the meter shows now.
    pub reading: Quantity,
    pub meter: check::Meter,
}

/// Meters by machine and capture time. Absent: unknown equipment.
pub type EquipmentMeters = HashMap<(Uuid, DateTime<Utc>), EquipmentMeter>;

/// An update whose entry was voided.
#[derive(Clone, Debug)]
pub struct VoidedUpdate {
    pub id: Uuid,
    pub reason: String,
    pub by: String,
    pub at: DateTime<Utc>,
    /// Number of its voids.
    pub attempt: i32,
}

/// Effect or refusal of one delivery.
pub type DeliveryResult = Result<Effect, ServiceError>;

impl Equipment {
    pub fn new(backend: Backend, signer: Signer) -> Self {
        Self {
            client: EquipmentServiceClient::new(backend),
            callers: CallerSigner::new(signer),
        }
    }

    /// Reads meters at capture times. Also of equipment that was retired or deleted.
    pub async fn meters(
        &self,
        tenant: Tenant,
        times: impl IntoIterator<Item = (Uuid, DateTime<Utc>)>,
    ) -> Result<EquipmentMeters, ServiceError> {
        let queries: Vec<_> = times.into_iter().map(query).collect();
        let mut meters = EquipmentMeters::new();
        for queries in queries.chunks(MAX_QUERIES) {
            let queries = queries.to_vec();
            let request = self.request(tenant, v1::GetMetersRequest { queries });
            let mut client = self.client.clone();
            let response = call(client.get_meters(request)).await?;
            meters.extend(response.meters.into_iter().filter_map(meter_at));
        }
        Ok(meters)
    }

    /// Reads a meter at a capture time. Not found if the equipment is unknown or another company's.
    pub async fn meter(
        &self,
        tenant: Tenant,
        equipment_id: Uuid,
        captured_at: DateTime<Utc>,
    ) -> Result<EquipmentMeter, ServiceError> {
        let key = (equipment_id, captured_at);
        let mut meters = self.meters(tenant, [key]).await?;
        meters.remove(&key).ok_or_else(ServiceError::not_found)
    }

    /// Lists up to [`MAX_VOIDED`] updates whose entries were voided after a cursor, and the next
    /// cursor.
    pub async fn voided(
        &self,
        tenant: Tenant,
        after: String,
    ) -> Result<(Vec<VoidedUpdate>, String), ServiceError> {
        let request = self.request(tenant, v1::ListVoidedUpdatesRequest { after, limit: 0 });
        let mut client = self.client.clone();
        let response = call(client.list_voided_updates(request)).await?;
        let updates = response.updates.into_iter().filter_map(voided).collect();
        Ok((updates, response.next))
    }

    /// Effects of those updates that were applied.
    pub async fn applied(
        &self,
        tenant: Tenant,
        rows: &[Update],
    ) -> Result<Vec<(Application, Effect)>, ServiceError> {
        let updates = rows.iter().map(attempt).collect();
        let request = self.request(tenant, v1::FindAppliedUpdatesRequest { updates });
        let mut client = self.client.clone();
        let response = call(client.find_applied_updates(request)).await?;
        let applied = response.applied.into_iter();
        let effects = applied.map(|applied| {
            let row = rows
                .iter()
                .find(|row| row.id.to_string() == applied.update_id);
            let row = row.ok_or_else(|| ServiceError::internal("another update than requested"))?;
            Ok((
                (row.id, row.attempt),
                effect(applied.effect.unwrap_or_default()),
            ))
        });
        effects.collect()
    }

    /// Voids the entries of applied updates and returns the results in the same order. A repeat
    /// changes nothing.
    pub async fn void(
        &self,
        tenant: Tenant,
        updates: &[&Update],
        reason: &str,
        by: &Reviewer,
    ) -> Result<Vec<Result<(), ServiceError>>, ServiceError> {
        let mut results = Vec::new();
        for updates in updates.chunks(MAX_VOIDS) {
            let message = v1::VoidOperatorUpdatesRequest {
                updates: updates.iter().map(|update| attempt(update)).collect(),
                reason: reason.to_owned(),
                actor_id: by.id.to_string(),
                actor_name: by.name.clone(),
            };
            let mut client = self.client.clone();
            let request = self.request(tenant, message);
            let response = call(client.void_operator_updates(request)).await?;
            if response.results.len() != updates.len() {
                return Err(wrong_number());
            }
            let refused = response.results.into_iter().map(|result| result.refused);
            results.extend(refused.map(|refused| refused.map_or(Ok(()), |it| Err(refusal(it)))));
        }
        Ok(results)
    }

    /// Applies an update. A repeat changes nothing and returns the same.
    pub async fn apply(&self, tenant: Tenant, delivery: &Delivery) -> DeliveryResult {
        let request = self.request(tenant, message(delivery));
        let mut client = self.client.clone();
        let applied = call(client.apply_operator_update(request)).await?;
        Ok(effect(applied))
    }

    /// Applies updates with one call and returns their results in the same order. Fails as a
    /// whole if the results are unknown.
    pub async fn apply_all(
        &self,
        tenant: Tenant,
        deliveries: &[Delivery],
    ) -> Result<Vec<DeliveryResult>, ServiceError> {
        let updates = deliveries.iter().map(message).collect();
        let request = self.request(tenant, v1::ApplyOperatorUpdatesRequest { updates });
        let mut client = self.client.clone();
        let response = call(client.apply_operator_updates(request)).await?;
        let results = response
            .results
            .into_iter()
            .map(to_result)
            .collect::<Vec<_>>();
        if results.len() == deliveries.len() {
            Ok(results)
        } else {
            Err(wrong_number())
        }
    }

    fn request<T>(&self, tenant: Tenant, message: T) -> tonic::Request<T> {
        let caller = Caller::Service {
            name: Service::OperatorUpdates,
            company_id: tenant.company_id(),
        };
        let mut request = tonic::Request::new(message);
        self.callers.attach(request.extensions_mut(), caller);
        request
    }
}

async fn call<T>(
    call: impl Future<Output = Result<tonic::Response<T>, tonic::Status>>,
) -> Result<T, ServiceError> {
    match with_deadline(CALL_TIMEOUT, call).await {
        Ok(Ok(response)) => Ok(response.into_inner()),
        Ok(Err(status)) => Err(ServiceError::from_status(&status)),
        Err(late) => Err(ServiceError::unavailable(late)),
    }
}

fn message(delivery: &Delivery) -> v1::ApplyOperatorUpdateRequest {
    let fuel_kind = if delivery.fuel_added.is_zero() {
        v1::FuelKind::Unspecified
    } else {
        match delivery.fuel_kind {
            FuelKind::Gas => v1::FuelKind::Gas,
            FuelKind::Diesel => v1::FuelKind::Diesel,
        }
    };
    let params = delivery.params;
    let reported = params.reading.is_none();
    // A manager's reading is in the machine's unit.
    let unit = delivery.unit.filter(|_| !params.overridden);
    v1::ApplyOperatorUpdateRequest {
        update_id: delivery.lease.update_id.to_string(),
        equipment_id: delivery.equipment_id.to_string(),
        operator_id: delivery.operator_id.to_string(),
        operator_name: delivery.operator_name.clone(),
        reading: params.reading.map(Quantity::to_f64),
        replace_meter: params.replace_meter,
        fuel_added: delivery.fuel_added.to_f64(),
        fuel_kind: fuel_kind.into(),
        notes: delivery.notes.clone(),
        captured_at: Some(timestamp(delivery.captured_at)),
        meter_replacement: params.replacement.map(replacement),
        usage_increase: delivery
            .usage_increase
            .filter(|_| reported)
            .map(Quantity::to_f64),
        unit: unit.map_or(v1::MeterUnit::Unspecified, meter_unit).into(),
        attempt: u32::try_from(delivery.attempt).unwrap_or_default(),
    }
}

fn replacement(meter: Replacement) -> v1::MeterReplacement {
    let change = match meter.change {
        MeterChange::Replaced => v1::MeterChange::Replaced,
        MeterChange::RolledOver => v1::MeterChange::RolledOver,
    };
    v1::MeterReplacement {
        change: change.into(),
        final_reading: meter.final_reading.map(Quantity::to_f64),
        start_reading: meter.start_reading.to_f64(),
    }
}

fn to_result(result: v1::ApplyOperatorUpdateResult) -> DeliveryResult {
    use v1::apply_operator_update_result::Outcome;
    match result.outcome {
        Some(Outcome::Applied(applied)) => Ok(effect(applied)),
        Some(Outcome::Refused(refused)) => Err(refusal(refused)),
        None => Err(ServiceError::internal(
            "equipment returned a result without outcome",
        )),
    }
}

fn refusal(refused: v1::ApplyOperatorUpdateRefusal) -> ServiceError {
    let status = Status::new(Code::from_i32(refused.code), refused.message);
    let failure = ServiceError::from_status(&status);
    ServiceError {
        reason: refused.reason.into(),
        message: Message {
            code: refused.text_code.into(),
            parameters: refused.parameters.into_iter().collect(),
            ..failure.message
        },
        ..failure
    }
}

fn wrong_number() -> ServiceError {
    ServiceError::internal("equipment returned a wrong number of results")
}

fn attempt(update: &Update) -> v1::UpdateAttempt {
    v1::UpdateAttempt {
        update_id: update.id.to_string(),
        attempt: u32::try_from(update.attempt).unwrap_or_default(),
    }
}

fn effect(applied: v1::ApplyOperatorUpdateResponse) -> Effect {
    Effect {
        before: applied.usage_before.map(quantity),
        after: applied.usage_after.map(quantity),
    }
}

fn query((equipment_id, captured_at): (Uuid, DateTime<Utc>)) -> v1::MeterQuery {
    v1::MeterQuery {
        equipment_id: equipment_id.to_string(),
        captured_at: Some(timestamp(captured_at)),
    }
}

/// None: malformed.
fn meter_at(response: v1::MeterAt) -> Option<((Uuid, DateTime<Utc>), EquipmentMeter)> {
    let in_use = response.state() == v1::MachineState::Active;
    let meter = response.meter?;
    let key = (
        response.equipment_id.parse().ok()?,
        time(response.captured_at?)?,
    );
    let before = response.reading_before.map(|value| check::Reading {
        value: quantity(value),
        at: response.before_at.and_then(time),
    });
    let meter_at = EquipmentMeter {
        in_use,
        reading: quantity(meter.meter_reading),
        meter: check::Meter {
            unit: unit(meter.unit()),
            fuel: match meter.fuel() {
                v1::EquipmentFuel::Gasoline => Some(FuelKind::Gas),
                v1::EquipmentFuel::Diesel => Some(FuelKind::Diesel),
                v1::EquipmentFuel::NotApplicable | v1::EquipmentFuel::Unspecified => None,
            },
            read_at: meter.meter_read_at.and_then(time),
            before,
            after: response.reading_after.map(quantity),
            contradicted: false,
            usual_daily_use: meter.usual_daily_use.map(quantity),
            usual_fill: meter.usual_fill.map(quantity),
        },
        equipment_name: meter.equipment_name,
    };
    Some((key, meter_at))
}

/// None: malformed.
fn voided(update: v1::VoidedUpdate) -> Option<VoidedUpdate> {
    Some(VoidedUpdate {
        id: update.update_id.parse().ok()?,
        reason: update.reason,
        by: update.voided_by,
        at: time(update.voided_at?)?,
        attempt: i32::try_from(update.attempt).ok()?,
    })
}

pub const fn meter_unit(unit: Unit) -> v1::MeterUnit {
    match unit {
        Unit::Hours => v1::MeterUnit::Hours,
        Unit::Miles => v1::MeterUnit::Miles,
        Unit::Kilometers => v1::MeterUnit::Kilometers,
        Unit::NotApplicable => v1::MeterUnit::NotApplicable,
    }
}

pub const fn unit(unit: v1::MeterUnit) -> Unit {
    match unit {
        v1::MeterUnit::Hours => Unit::Hours,
        v1::MeterUnit::Miles => Unit::Miles,
        v1::MeterUnit::Kilometers => Unit::Kilometers,
        v1::MeterUnit::NotApplicable | v1::MeterUnit::Unspecified => Unit::NotApplicable,
    }
}

fn time(at: Timestamp) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(at.seconds, u32::try_from(at.nanos).ok()?)
}

/// Usage may exceed the limits of input, so there is no range check.
#[expect(
    clippy::cast_possible_truncation,
    reason = "meters are far below what hundredths can hold"
)]
fn quantity(value: f64) -> Quantity {
    Quantity::from_hundredths((value * 100.0).round() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn to_result_keeps_the_code_and_parameters_of_a_refusal() {
        let outcome =
            v1::apply_operator_update_result::Outcome::Refused(v1::ApplyOperatorUpdateRefusal {
                code: Code::InvalidArgument.into(),
                reason: "AT_MOST".to_owned(),
                message: "Must be at most 5.".to_owned(),
                text_code: "AT_MOST".to_owned(),
                parameters: [("max".to_owned(), "5".to_owned())].into(),
            });
        let result = v1::ApplyOperatorUpdateResult {
            outcome: Some(outcome),
        };
        let failure = to_result(result).unwrap_err();
        let expected = hourmeter_runtime::refusals::AT_MOST.with("max", 5);
        assert_eq!((&*failure.reason, failure.message), ("AT_MOST", expected));
    }
}
