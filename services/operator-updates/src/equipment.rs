//! Client of the equipment service.

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
use crate::domain::update::{Effect, FuelKind};
use crate::store::deliveries::Delivery;

/// Timeout of a call. With the handler's earlier work it stays below the callers' five seconds.
const CALL_TIMEOUT: Duration = Duration::from_secs(2);

#[derive(Clone, Debug)]
pub struct Equipment {
    client: EquipmentServiceClient<Backend>,
    callers: Arc<CallerSigner>,
}

#[derive(Clone, Debug)]
pub struct EquipmentMeter {
    pub equipment_name: String,
    pub meter: check::Meter,
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

    /// Not found if the equipment is unknown, retired or another company's.
    pub async fn meter(
        &self,
        tenant: Tenant,
        equipment_id: Uuid,
    ) -> Result<EquipmentMeter, ServiceError> {
        let equipment_id = equipment_id.to_string();
        let request = self.request(tenant, v1::GetMeterRequest { equipment_id });
        let mut client = self.client.clone();
        let response = call(client.get_meter(request)).await?;
        Ok(EquipmentMeter {
            meter: meter(&response),
            equipment_name: response.equipment_name,
        })
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
            Err(ServiceError::internal(
                "equipment returned a wrong number of results",
            ))
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
    v1::ApplyOperatorUpdateRequest {
        update_id: delivery.lease.update_id.to_string(),
        equipment_id: delivery.equipment_id.to_string(),
        operator_id: delivery.operator_id.to_string(),
        operator_name: delivery.operator_name.clone(),
        reading: delivery.params.reading.map(Quantity::to_f64),
        replace_meter: delivery.params.replace_meter,
        fuel_added: delivery.fuel_added.to_f64(),
        fuel_kind: fuel_kind.into(),
        notes: delivery.notes.clone(),
        captured_at: Some(timestamp(delivery.captured_at)),
        meter_replacement: delivery.params.replacement.map(replacement),
        ..v1::ApplyOperatorUpdateRequest::default()
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
        Some(Outcome::Refused(refused)) => {
            let status = Status::new(Code::from_i32(refused.code), refused.message);
            let failure = ServiceError::from_status(&status);
            Err(ServiceError {
                reason: refused.reason.into(),
                message: Message {
                    code: refused.text_code.into(),
                    parameters: refused.parameters.into_iter().collect(),
                    ..failure.message
                },
                ..failure
            })
        }
        None => Err(ServiceError::internal(
            "equipment returned a result without outcome",
        )),
    }
}

fn effect(applied: v1::ApplyOperatorUpdateResponse) -> Effect {
    Effect {
        before: applied.usage_before.map(quantity),
        after: applied.usage_after.map(quantity),
    }
}

fn meter(response: &v1::GetMeterResponse) -> check::Meter {
    check::Meter {
        unit: match response.unit() {
            v1::MeterUnit::Hours => Unit::Hours,
            v1::MeterUnit::Miles => Unit::Miles,
            v1::MeterUnit::Kilometers => Unit::Kilometers,
            v1::MeterUnit::NotApplicable | v1::MeterUnit::Unspecified => Unit::NotApplicable,
        },
        reading: quantity(response.meter_reading),
        read_at: response.meter_read_at.and_then(time),
        usual_daily_use: response.usual_daily_use.map(quantity),
        usual_fill: response.usual_fill.map(quantity),
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
