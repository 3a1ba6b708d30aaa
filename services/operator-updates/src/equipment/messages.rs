//! Messages of the equipment service.

use chrono::{DateTime, Utc};
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::clock::{read_timestamp, timestamp};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::message::Message;
use hourmeter_runtime::quantity::Quantity;
use tonic::{Code, Status};
use uuid::Uuid;

use super::{DeliveryResult, EquipmentMeter, VoidedUpdate};
use crate::domain::check::{self, Unit};
use crate::domain::fuel::{Fuel, FuelKind};
use crate::domain::replacement::{MeterChange, Replacement};
use crate::domain::update::{Effect, Update};
use crate::store::deliveries::Delivery;

pub fn message(delivery: &Delivery) -> v1::ApplyOperatorUpdateRequest {
    let params = delivery.params;
    let fuel = match params.fuel {
        Some(decided) => delivery.fuel.corrected(decided),
        None => delivery.fuel,
    };
    let reported = params.reading.is_none();
    // A manager's reading is in the machine's unit.
    let unit = delivery.unit.filter(|_| !params.overridden);
    let (decided_by_id, decided_by) = match &delivery.decided_by {
        Some((id, name)) => (id.to_string(), name.clone()),
        None => (String::new(), String::new()),
    };
    v1::ApplyOperatorUpdateRequest {
        update_id: delivery.lease.update_id.to_string(),
        equipment_id: delivery.equipment_id.to_string(),
        operator_id: delivery.operator_id.to_string(),
        operator_name: delivery.operator_name.clone(),
        reading: params.reading.map(Quantity::to_f64),
        replace_meter: params.replace_meter,
        fuel_added: fuel.added.to_f64(),
        fuel_kind: fuel_kind(fuel).into(),
        notes: delivery.notes.clone(),
        captured_at: Some(timestamp(delivery.captured_at)),
        meter_replacement: params.replacement.map(meter_replacement),
        usage_increase: delivery
            .usage_increase
            .filter(|_| reported)
            .map(Quantity::to_f64),
        unit: unit.map_or(v1::MeterUnit::Unspecified, meter_unit).into(),
        attempt: u32::try_from(delivery.attempt).unwrap_or_default(),
        full_fill: fuel.full,
        decided_by_id,
        decided_by,
        sent: sent(delivery),
        reported_equipment_name: delivery.reported_equipment_name.clone(),
    }
}

/// None: it is applied as sent.
fn sent(delivery: &Delivery) -> Option<v1::SentValues> {
    let params = delivery.params;
    let is_moved = !delivery.reported_equipment_name.is_empty();
    let is_changed = params.overridden || params.replacement.is_some() || params.fuel.is_some();
    let unit = delivery.unit.map_or(v1::MeterUnit::Unspecified, meter_unit);
    (is_moved || is_changed).then(|| v1::SentValues {
        reading: delivery.new_usage.map(Quantity::to_f64),
        usage_increase: delivery.usage_increase.map(Quantity::to_f64),
        unit: unit.into(),
        fuel_added: delivery.fuel.added.to_f64(),
        fuel_kind: fuel_kind(delivery.fuel).into(),
    })
}

const fn fuel_kind(fuel: Fuel) -> v1::FuelKind {
    match fuel.kind {
        _ if fuel.added.is_zero() => v1::FuelKind::Unspecified,
        FuelKind::Gas => v1::FuelKind::Gas,
        FuelKind::Diesel => v1::FuelKind::Diesel,
    }
}

pub fn meter_replacement(meter: Replacement) -> v1::MeterReplacement {
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

pub fn to_result(result: v1::ApplyOperatorUpdateResult) -> DeliveryResult {
    use v1::apply_operator_update_result::Outcome;
    match result.outcome {
        Some(Outcome::Applied(applied)) => Ok(effect(applied)),
        Some(Outcome::Refused(refused)) => Err(refusal(refused)),
        None => Err(ServiceError::internal(
            "equipment returned a result without outcome",
        )),
    }
}

pub fn refusal(refused: v1::ApplyOperatorUpdateRefusal) -> ServiceError {
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

pub fn attempt(update: &Update) -> v1::UpdateAttempt {
    v1::UpdateAttempt {
        update_id: update.id.to_string(),
        attempt: u32::try_from(update.attempt).unwrap_or_default(),
    }
}

pub fn effect(applied: v1::ApplyOperatorUpdateResponse) -> Effect {
    Effect {
        before: applied.usage_before.map(quantity),
        after: applied.usage_after.map(quantity),
    }
}

pub fn query((equipment_id, captured_at): (Uuid, DateTime<Utc>)) -> v1::MeterQuery {
    v1::MeterQuery {
        equipment_id: equipment_id.to_string(),
        captured_at: Some(timestamp(captured_at)),
    }
}

/// None: malformed.
pub fn meter_at(response: v1::MeterAt) -> Option<((Uuid, DateTime<Utc>), EquipmentMeter)> {
    let is_active = response.state() == v1::MachineState::Active;
    let meter = response.meter?;
    let key = (
        response.equipment_id.parse().ok()?,
        read_timestamp(response.captured_at?)?,
    );
    let before = response.reading_before.map(|value| check::Reading {
        value: quantity(value),
        at: response.before_at.and_then(read_timestamp),
    });
    let meter_at = EquipmentMeter {
        is_active,
        reading: quantity(meter.meter_reading),
        meter: check::Meter {
            unit: unit(meter.unit()),
            fuel: match meter.fuel() {
                v1::EquipmentFuel::Gasoline => Some(FuelKind::Gas),
                v1::EquipmentFuel::Diesel => Some(FuelKind::Diesel),
                v1::EquipmentFuel::NotApplicable | v1::EquipmentFuel::Unspecified => None,
            },
            read_at: meter.meter_read_at.and_then(read_timestamp),
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
pub fn voided(update: v1::VoidedUpdate) -> Option<VoidedUpdate> {
    Some(VoidedUpdate {
        id: update.update_id.parse().ok()?,
        reason: update.reason,
        undone: update.undone,
        by: update.voided_by,
        at: read_timestamp(update.voided_at?)?,
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
