//! Calls to the equipment service, as this service and for one company.

use std::time::Duration;

use chrono::{DateTime, Utc};
use hourmeter_proto::equipment::v1 as proto;
use hourmeter_proto::equipment::v1::equipment_service_client::EquipmentServiceClient;
use hourmeter_runtime::client::{Backend, signed};
use hourmeter_runtime::error::Failure;
use hourmeter_runtime::identity::{Caller, Service, Signer, Tenant};
use hourmeter_runtime::quantity::Quantity;
use prost_types::Timestamp;
use uuid::Uuid;

use crate::domain::update::FuelKind;
use crate::store::decisions::Delivery;

/// How long a call may take. With what a handler spends before its last call it stays below the
/// five seconds our own callers wait.
const PATIENCE: Duration = Duration::from_secs(2);

/// The equipment service.
#[derive(Clone, Debug)]
pub struct Equipment {
    client: EquipmentServiceClient<Backend>,
    signer: Signer,
}

/// A meter as it is now.
#[derive(Clone, Debug)]
pub struct Meter {
    pub equipment_name: String,
    pub usage: Quantity,
    /// When the last reading was captured; none: it was never read.
    pub read_at: Option<DateTime<Utc>>,
}

/// What an application did to the meter.
#[derive(Clone, Copy, Debug)]
pub struct Effect {
    pub before: Option<Quantity>,
    pub after: Option<Quantity>,
}

impl Equipment {
    /// The equipment service behind `backend`.
    pub fn new(backend: Backend, signer: Signer) -> Self {
        Self {
            client: EquipmentServiceClient::new(backend),
            signer,
        }
    }

    /// The meter of a company's equipment; not found when it is unknown, another's or retired.
    pub async fn meter(&self, tenant: Tenant, equipment_id: Uuid) -> Result<Meter, Failure> {
        let request = self.request(
            tenant,
            proto::GetMeterRequest {
                equipment_id: equipment_id.to_string(),
            },
        )?;
        let mut client = self.client.clone();
        let meter = answer(client.get_meter(request)).await?;
        Ok(Meter {
            equipment_name: meter.equipment_name,
            usage: quantity(meter.current_usage),
            read_at: meter.meter_read_at.and_then(time),
        })
    }

    /// Applies a submission; doing it again changes nothing and answers the same.
    pub async fn apply(&self, tenant: Tenant, delivery: &Delivery) -> Result<Effect, Failure> {
        let request = self.request(tenant, message(delivery))?;
        let mut client = self.client.clone();
        let effect = answer(client.apply_operator_update(request)).await?;
        Ok(Effect {
            before: effect.usage_before.map(quantity),
            after: effect.usage_after.map(quantity),
        })
    }

    fn request<T>(&self, tenant: Tenant, message: T) -> Result<tonic::Request<T>, Failure> {
        let caller = Caller::Service {
            name: Service::OperatorUpdates,
            company_id: tenant.company_id(),
        };
        signed(&self.signer, Service::Equipment, &caller, message)
    }
}

async fn answer<T>(
    call: impl Future<Output = Result<tonic::Response<T>, tonic::Status>>,
) -> Result<T, Failure> {
    match tokio::time::timeout(PATIENCE, call).await {
        Ok(Ok(response)) => Ok(response.into_inner()),
        Ok(Err(status)) => Err(Failure::from_status(&status)),
        Err(elapsed) => Err(Failure::unavailable(elapsed)),
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
