//! Meters now and at given times, for checks of operators' updates.

use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Caller;
use tonic::Request;
use uuid::Uuid;

use super::Api;
use super::operator_updates::to_message;
use crate::store;

pub async fn get(
    api: &Api,
    request: Request<v1::GetMetersRequest>,
) -> Result<v1::GetMetersResponse, ServiceError> {
    let tenant = Caller::service(&request)?;
    let mut tx = api.database.tenant(tenant).await?;
    let mut meters = Vec::new();
    for query in request.into_inner().queries {
        let Ok(id) = Uuid::try_parse(&query.equipment_id) else {
            continue;
        };
        let Some(meter) = store::meter::find(&mut tx, tenant, id).await? else {
            continue;
        };
        let at = query.captured_at.map(|at| (at.seconds, at.nanos));
        let now = to_message(meter);
        let read_at = now.meter_read_at;
        // Of a past time nothing is known yet.
        let is_known =
            at.is_none_or(|at| read_at.is_none_or(|read| at >= (read.seconds, read.nanos)));
        meters.push(v1::MeterAt {
            equipment_id: id.to_string(),
            captured_at: query.captured_at,
            reading_before: is_known.then_some(now.meter_reading),
            before_at: read_at.filter(|_| is_known),
            reading_after: None,
            state: v1::MachineState::Active.into(),
            meter: Some(now),
        });
    }
    Ok(v1::GetMetersResponse { meters })
}
