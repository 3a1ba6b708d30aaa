//! Applied updates: finding and voiding them for the operator-updates service.

use std::collections::HashMap;

use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Caller;
use hourmeter_runtime::refusals as shared;
use tonic::Request;
use uuid::Uuid;

use super::Api;
use super::operator_updates::{Applied, response};
use crate::store::applied;

const MAX_UPDATES: usize = 500;

pub async fn find(
    api: &Api,
    request: Request<v1::FindAppliedUpdatesRequest>,
) -> Result<v1::FindAppliedUpdatesResponse, ServiceError> {
    let tenant = Caller::service(&request)?;
    let updates = request.into_inner().updates;
    if !(1..=MAX_UPDATES).contains(&updates.len()) {
        let message = shared::BETWEEN.with("min", 1).with("max", MAX_UPDATES);
        return Err(ServiceError::field("updates", message));
    }
    let attempts: HashMap<Uuid, u32> = updates
        .iter()
        .filter_map(|update| Some((update.update_id.parse().ok()?, update.attempt)))
        .collect();
    let ids: Vec<Uuid> = attempts.keys().copied().collect();
    let mut tx = api.database.tenant(tenant).await?;
    let found = applied::find(&mut tx, tenant, &ids).await?;
    tx.commit().await?;
    let applied = found
        .into_iter()
        .filter(|(id, earlier)| !earlier.is_voided && attempts.get(id) == Some(&earlier.voids));
    let applied = applied.map(|(id, earlier)| v1::AppliedUpdate {
        update_id: id.to_string(),
        effect: Some(response(Applied {
            outcome: earlier.outcome,
            repeated: true,
        })),
    });
    Ok(v1::FindAppliedUpdatesResponse {
        applied: applied.collect(),
    })
}

pub async fn void(
    api: &Api,
    request: Request<v1::VoidOperatorUpdatesRequest>,
) -> Result<v1::VoidOperatorUpdatesResponse, ServiceError> {
    let tenant = Caller::service(&request)?;
    api.database.tenant(tenant).await?;
    Err(ServiceError::unavailable("not implemented"))
}
