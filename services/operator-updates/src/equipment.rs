//! Client of the equipment service.

mod messages;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use hourmeter_proto::equipment::v1;
use hourmeter_proto::equipment::v1::equipment_service_client::EquipmentServiceClient;
use hourmeter_runtime::client::{Backend, CallerSigner, call_within};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Service, Signer, Tenant};
use hourmeter_runtime::quantity::Quantity;
use uuid::Uuid;

use self::messages::{attempt, effect, message, meter_at, query, refusal, to_result, voided};
pub use self::messages::{meter_replacement, meter_unit, unit};
use crate::domain::check;
use crate::domain::update::{Effect, Reviewer, Update};
use crate::store::deliveries::{Application, Delivery};

/// Timeout of a call. With the handler's earlier work it stays below the callers' five seconds.
const CALL_TIMEOUT: Duration = Duration::from_secs(2);

/// Meters in one call.
const MAX_QUERIES: usize = 500;
/// Voided updates in one response.
pub const MAX_VOIDED: u32 = 500;
/// Voids in one call.
pub const MAX_VOIDS: usize = 50;
/// Reason of voids that undo a decision.
const UNDONE: &str = "UNDONE";

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
    pub is_active: bool,
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
    /// The decision was undone.
    pub undone: bool,
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
            let response = call(self.client.clone().get_meters(request)).await?;
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
        let limit = MAX_VOIDED;
        let request = self.request(tenant, v1::ListVoidedUpdatesRequest { after, limit });
        let response = call(self.client.clone().list_voided_updates(request)).await?;
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
        let response = call(self.client.clone().find_applied_updates(request)).await?;
        let effects = response.applied.into_iter().map(|applied| {
            let is_named = |row: &&Update| row.id.to_string() == applied.update_id;
            let row = rows.iter().find(is_named);
            let row = row.ok_or_else(|| ServiceError::internal("another update than requested"))?;
            let application = (row.id, row.attempt);
            Ok((application, effect(applied.effect.unwrap_or_default())))
        });
        effects.collect()
    }

    /// Voids the entries of up to [`MAX_VOIDS`] applied updates and returns the results in the same order.
    /// A repeat changes nothing. Without a reason, the decisions are undone.
    pub async fn void(
        &self,
        tenant: Tenant,
        updates: &[&Update],
        reason: Option<&str>,
        by: &Reviewer,
    ) -> Result<Vec<Result<(), ServiceError>>, ServiceError> {
        let message = v1::VoidOperatorUpdatesRequest {
            updates: updates.iter().map(|update| attempt(update)).collect(),
            reason: reason.unwrap_or(UNDONE).to_owned(),
            undone: reason.is_none(),
            actor_id: by.id.to_string(),
            actor_name: by.name.clone(),
        };
        let request = self.request(tenant, message);
        let response = call(self.client.clone().void_operator_updates(request)).await?;
        if response.results.len() != updates.len() {
            return Err(wrong_number());
        }
        let refused = response.results.into_iter().map(|result| result.refused);
        let results = refused.map(|refused| refused.map_or(Ok(()), |it| Err(refusal(it))));
        Ok(results.collect())
    }

    /// Applies an update. A repeat changes nothing and returns the same.
    pub async fn apply(&self, tenant: Tenant, delivery: &Delivery) -> DeliveryResult {
        let request = self.request(tenant, message(delivery));
        let applied = call(self.client.clone().apply_operator_update(request)).await?;
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
        let response = call(self.client.clone().apply_operator_updates(request)).await?;
        if response.results.len() != deliveries.len() {
            return Err(wrong_number());
        }
        Ok(response.results.into_iter().map(to_result).collect())
    }

    fn request<T>(&self, tenant: Tenant, message: T) -> tonic::Request<T> {
        let service = Service::OperatorUpdates;
        self.callers.request(service, tenant, message)
    }
}

async fn call<T>(
    call: impl Future<Output = tonic::Result<tonic::Response<T>>>,
) -> Result<T, ServiceError> {
    call_within(CALL_TIMEOUT, call).await
}

fn wrong_number() -> ServiceError {
    ServiceError::internal("equipment returned a wrong number of results")
}
