//! What support staff read.

use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Caller;
use hourmeter_runtime::page::read_ids;
use tonic::Request;

use super::Api;
use crate::store;

pub async fn count_equipment(
    api: &Api,
    request: Request<v1::CountEquipmentRequest>,
) -> Result<v1::CountEquipmentResponse, ServiceError> {
    Caller::staff(&request)?;
    let ids = read_ids("companyIds", &request.into_inner().company_ids)?;
    let mut lookup = api.database.lookup().await?;
    let counts = store::equipment::count_of_companies(&mut lookup, &ids).await?;
    let counts = counts.into_iter().map(|(id, active)| v1::EquipmentCount {
        company_id: id.to_string(),
        active: u32::try_from(active).unwrap_or(u32::MAX),
    });
    Ok(v1::CountEquipmentResponse {
        counts: counts.collect(),
    })
}
