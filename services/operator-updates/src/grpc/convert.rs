use hourmeter_proto::equipment::v1::MeterUnit;
use hourmeter_proto::operator_updates::v1;
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::quantity::Quantity;

use crate::domain::fuel::FuelKind;
use crate::domain::update::{Decision, Status, Update};
use crate::equipment::{meter_replacement, meter_unit};
use crate::refusals;

impl From<Update> for v1::OperatorUpdate {
    fn from(update: Update) -> Self {
        let withdrawn = update.is_withdrawn();
        let set_back = update.has_set_back();
        let (reject_reason, taken_back_reason) = match update.taken_back {
            Some(_) => (String::new(), update.reject_reason),
            None => (update.reject_reason, String::new()),
        };
        let (taken_back_by, taken_back_at) = update.taken_back.unzip();
        let unit = update.unit.map_or(MeterUnit::Unspecified, meter_unit);
        Self {
            id: update.id.to_string(),
            equipment_id: update.equipment_id.to_string(),
            equipment_name: update.equipment_name,
            operator_id: update.operator_id.to_string(),
            operator_name: update.operator_name,
            new_usage: update.new_usage.map(Quantity::to_f64),
            fuel_added: update.fuel.added.to_f64(),
            fuel_kind: v1::FuelKind::from(update.fuel.kind).into(),
            notes: update.notes,
            status: v1::UpdateStatus::from(update.status).into(),
            created_at: Some(timestamp(update.created_at)),
            client_id: update.client_id,
            captured_at: Some(timestamp(update.captured_at)),
            previous_usage: update.previous_usage.map(Quantity::to_f64),
            below_current: update.below_current,
            flags: update.flags,
            reviewed_by: update.reviewed_by,
            reviewed_at: update.reviewed_at.map(timestamp),
            reject_reason,
            reported_equipment_name: update.reported_equipment_name,
            applying: update.decision == Decision::Queued,
            applied_usage: update.applied_usage.map(Quantity::to_f64),
            applied_reading: update.applied_reading.map(Quantity::to_f64),
            late: update.late,
            usage_increase: update.usage_increase.map(Quantity::to_f64),
            unit: unit.into(),
            taken_back_reason,
            taken_back_by: taken_back_by.unwrap_or_default(),
            taken_back_at: taken_back_at.map(timestamp),
            full_fill: update.fuel.full,
            captured_on_device: update.capture.device,
            withdrawn,
            applied_fuel: update.applied_fuel.map(|fuel| fuel.added.to_f64()),
            applied_fuel_kind: update
                .applied_fuel
                .map_or(v1::FuelKind::Unspecified, |fuel| fuel.kind.into())
                .into(),
            meter_replacement: update.applied_replacement.map(meter_replacement),
            set_back,
        }
    }
}

impl From<FuelKind> for v1::FuelKind {
    fn from(kind: FuelKind) -> Self {
        match kind {
            FuelKind::Gas => Self::Gas,
            FuelKind::Diesel => Self::Diesel,
        }
    }
}

impl From<Status> for v1::UpdateStatus {
    fn from(status: Status) -> Self {
        match status {
            Status::Pending => Self::Pending,
            Status::Recent => Self::Recent,
            Status::Applied => Self::Applied,
            Status::Rejected => Self::Rejected,
            Status::TakenBack => Self::TakenBack,
        }
    }
}

pub fn statuses(values: &[i32]) -> Result<Vec<Status>, ServiceError> {
    values
        .iter()
        .map(|value| match v1::UpdateStatus::try_from(*value) {
            Ok(v1::UpdateStatus::Pending) => Ok(Status::Pending),
            Ok(v1::UpdateStatus::Recent) => Ok(Status::Recent),
            Ok(v1::UpdateStatus::Applied) => Ok(Status::Applied),
            Ok(v1::UpdateStatus::Rejected) => Ok(Status::Rejected),
            Ok(v1::UpdateStatus::TakenBack) => Ok(Status::TakenBack),
            Ok(v1::UpdateStatus::Unspecified) | Err(_) => {
                Err(ServiceError::field("status", refusals::STATUS_UNKNOWN))
            }
        })
        .collect()
}
