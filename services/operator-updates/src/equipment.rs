//! Calls to the equipment service, as this service and for one company.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use hourmeter_proto::equipment::v1 as proto;
use hourmeter_proto::equipment::v1::equipment_service_client::EquipmentServiceClient;
use hourmeter_runtime::client::{Backend, CallerSigner, with_deadline};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Caller, Service, Signer, Tenant};
use hourmeter_runtime::quantity::Quantity;
use prost_types::Timestamp;
use tonic::{Code, Status};
use uuid::Uuid;

use crate::domain::check::{self, Unit};
use crate::domain::review::{MeterChange, Replacement};
use crate::domain::update::{Effect, FuelKind};
use crate::store::deliveries::Delivery;

/// How long a call may take. With what a handler spends before its last call it stays below the
/// five seconds our own callers wait.
const PATIENCE: Duration = Duration::from_secs(2);

/// The equipment service.
#[derive(Clone, Debug)]
pub struct Equipment {
    client: EquipmentServiceClient<Backend>,
    callers: Arc<CallerSigner>,
}

/// A piece of equipment as it is now.
#[derive(Clone, Debug)]
pub struct Metered {
    pub equipment_name: String,
    pub meter: check::Meter,
}

/// What became of one delivery: its effect, or why it was refused.
pub type Answer = Result<Effect, ServiceError>;

impl Equipment {
    /// The equipment service behind `backend`.
    pub fn new(backend: Backend, signer: Signer) -> Self {
        Self {
            client: EquipmentServiceClient::new(backend),
            callers: CallerSigner::new(signer),
        }
    }

    /// The meter of a company's equipment; not found when it is unknown, another's or retired.
    pub async fn meter(&self, tenant: Tenant, equipment_id: Uuid) -> Result<Metered, ServiceError> {
        let equipment_id = equipment_id.to_string();
        let request = self.request(tenant, proto::GetMeterRequest { equipment_id });
        let mut client = self.client.clone();
        let answer = answer(client.get_meter(request)).await?;
        Ok(Metered {
            meter: meter(&answer),
            equipment_name: answer.equipment_name,
        })
    }

    /// Applies a submission; doing it again changes nothing and answers the same.
    pub async fn apply(&self, tenant: Tenant, delivery: &Delivery) -> Answer {
        let request = self.request(tenant, message(delivery));
        let mut client = self.client.clone();
        let applied = answer(client.apply_operator_update(request)).await?;
        Ok(effect(applied))
    }

    /// Applies several with one call, in this order; answers of each in the same order. Fails as a
    /// whole when nobody knows what became of them.
    pub async fn apply_all(
        &self,
        tenant: Tenant,
        deliveries: &[Delivery],
    ) -> Result<Vec<Answer>, ServiceError> {
        let updates = deliveries.iter().map(message).collect();
        let request = self.request(tenant, proto::ApplyOperatorUpdatesRequest { updates });
        let mut client = self.client.clone();
        let answer = answer(client.apply_operator_updates(request)).await?;
        let results = answer.results.into_iter().map(read).collect::<Vec<_>>();
        if results.len() == deliveries.len() {
            Ok(results)
        } else {
            Err(ServiceError::internal("not as many answers as updates"))
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

async fn answer<T>(
    call: impl Future<Output = Result<tonic::Response<T>, tonic::Status>>,
) -> Result<T, ServiceError> {
    match with_deadline(PATIENCE, call).await {
        Ok(Ok(response)) => Ok(response.into_inner()),
        Ok(Err(status)) => Err(ServiceError::from_status(&status)),
        Err(late) => Err(ServiceError::unavailable(late)),
    }
}

fn message(delivery: &Delivery) -> proto::ApplyOperatorUpdateRequest {
    let fuel_kind = if delivery.fuel_added.is_zero() {
        proto::FuelKind::Unspecified
    } else {
        match delivery.fuel_kind {
            FuelKind::Gas => proto::FuelKind::Gas,
            FuelKind::Diesel => proto::FuelKind::Diesel,
        }
    };
    proto::ApplyOperatorUpdateRequest {
        update_id: delivery.claim.update_id.to_string(),
        equipment_id: delivery.equipment_id.to_string(),
        operator_id: delivery.operator_id.to_string(),
        operator_name: delivery.operator_name.clone(),
        reading: delivery.terms.reading.map(Quantity::to_f64),
        replace_meter: delivery.terms.replace_meter,
        fuel_added: delivery.fuel_added.to_f64(),
        fuel_kind: fuel_kind.into(),
        notes: delivery.notes.clone(),
        captured_at: Some(timestamp(delivery.captured_at)),
        meter_replacement: delivery.terms.replacement.map(replacement),
    }
}

fn replacement(meter: Replacement) -> proto::MeterReplacement {
    let change = match meter.change {
        MeterChange::Replaced => proto::MeterChange::Replaced,
        MeterChange::RolledOver => proto::MeterChange::RolledOver,
    };
    proto::MeterReplacement {
        change: change.into(),
        final_reading: meter.final_reading.map(Quantity::to_f64),
        start_reading: meter.start_reading.to_f64(),
    }
}

fn read(result: proto::ApplyOperatorUpdateResult) -> Answer {
    use proto::apply_operator_update_result::Outcome;
    match result.outcome {
        Some(Outcome::Applied(applied)) => Ok(effect(applied)),
        Some(Outcome::Refused(refused)) => {
            let status = Status::new(Code::from_i32(refused.code), refused.message);
            Err(ServiceError {
                reason: refused.reason.into(),
                ..ServiceError::from_status(&status)
            })
        }
        None => Err(ServiceError::internal("an answer without an outcome")),
    }
}

fn effect(applied: proto::ApplyOperatorUpdateResponse) -> Effect {
    Effect {
        before: applied.usage_before.map(quantity),
        after: applied.usage_after.map(quantity),
    }
}

fn meter(answer: &proto::GetMeterResponse) -> check::Meter {
    check::Meter {
        unit: match answer.unit() {
            proto::MeterUnit::Hours => Unit::Hours,
            proto::MeterUnit::Miles => Unit::Miles,
            proto::MeterUnit::Kilometers => Unit::Kilometers,
            proto::MeterUnit::NotApplicable | proto::MeterUnit::Unspecified => Unit::NotApplicable,
        },
        reading: quantity(answer.meter_reading),
        read_at: answer.meter_read_at.and_then(time),
        usual_daily_use: answer.usual_daily_use.map(quantity),
        usual_fill: answer.usual_fill.map(quantity),
    }
}

fn timestamp(time: DateTime<Utc>) -> Timestamp {
    Timestamp {
        seconds: time.timestamp(),
        nanos: i32::try_from(time.timestamp_subsec_nanos()).unwrap_or(0),
    }
}

fn time(at: Timestamp) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(at.seconds, u32::try_from(at.nanos).ok()?)
}

/// A meter may have grown past what a person may enter, so this knows no bounds.
#[expect(
    clippy::cast_possible_truncation,
    reason = "meters are far below what hundredths can hold"
)]
fn quantity(value: f64) -> Quantity {
    Quantity::from_hundredths((value * 100.0).round() as i64)
}
