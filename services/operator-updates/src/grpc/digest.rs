//! What notifications say about updates.

use hourmeter_proto::operator_updates::v1;
use hourmeter_runtime::clock::read_timestamp;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Caller;
use hourmeter_runtime::refusals;
use tonic::Request;
use uuid::Uuid;

use super::Api;
use crate::store::{last_reports, review};

/// Machines in one call.
const MAX_EQUIPMENT: usize = 100;

pub async fn list_recent_operators(
    api: &Api,
    request: Request<v1::ListRecentOperatorsRequest>,
) -> Result<v1::ListRecentOperatorsResponse, ServiceError> {
    let tenant = Caller::service(&request)?;
    let request = request.into_inner();
    let ids = request.equipment_ids.iter().map(|id| Uuid::parse_str(id));
    let ids: Vec<Uuid> = ids
        .collect::<Result<_, _>>()
        .map_err(|_| ServiceError::field("equipment_ids", refusals::NOT_AN_ID))?;
    if !(1..=MAX_EQUIPMENT).contains(&ids.len()) {
        let text = refusals::BETWEEN.with("min", 1).with("max", MAX_EQUIPMENT);
        return Err(ServiceError::field("equipment_ids", text));
    }
    let since = request.since.and_then(read_timestamp);
    let since = since.ok_or_else(|| ServiceError::field("since", refusals::NOT_A_TIME))?;
    let mut reads = api.database.read(tenant).await?;
    let found = last_reports::recent_operators(&mut reads, &ids, since).await?;
    reads.done();
    let operators = found
        .into_iter()
        .map(|(machine, operator)| v1::RecentOperator {
            equipment_id: machine.to_string(),
            operator_id: operator.to_string(),
        });
    Ok(v1::ListRecentOperatorsResponse {
        operators: operators.collect(),
    })
}

pub async fn count_review(
    api: &Api,
    request: Request<v1::CountReviewRequest>,
) -> Result<v1::CountReviewResponse, ServiceError> {
    let tenant = Caller::service(&request)?;
    let mut tx = api.database.tenant(tenant).await?;
    let (pending, flagged) = review::count_review(&mut tx).await?;
    tx.commit().await?;
    Ok(v1::CountReviewResponse {
        pending: u32::try_from(pending).map_err(ServiceError::internal)?,
        flagged: u32::try_from(flagged).map_err(ServiceError::internal)?,
    })
}
