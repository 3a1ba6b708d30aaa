//! The plan's limits, enforced inside the writing transaction.

use crate::refusals;
use chrono::{DateTime, Utc};
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::Identity;
use sqlx::PgConnection;

use crate::domain::equipment::ServicePart;
use crate::store;

/// Claims room for one more piece of equipment. Others who ask for the same company wait until
/// this transaction ends, so that two can't take the last place.
pub async fn claim_place(
    connection: &mut PgConnection,
    identity: &Identity,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let company = identity.company_id;
    store::company::lock(&mut *connection, company, now).await?;
    let limit = i64::from(identity.entitlements.equipment_limit);
    if limit < 0 {
        return Ok(());
    }
    let count = store::equipment::count(connection, company).await?;
    if count < limit {
        return Ok(());
    }
    let pieces = if limit == 1 { "piece" } else { "pieces" };
    let message = refusals::EQUIPMENT_LIMIT_REACHED
        .with("limit", limit)
        .with("pieces", pieces);
    Err(ServiceError::new(Kind::Forbidden, message))
}

/// Parts may be entered only with a plan that has them. Those that were entered before stay, so
/// that equipment can still be edited after a downgrade.
pub fn allow_parts(
    identity: &Identity,
    before: &[ServicePart],
    after: &[ServicePart],
) -> Result<(), ServiceError> {
    if identity.entitlements.parts_entry || after.is_empty() || before == after {
        Ok(())
    } else {
        Err(ServiceError::feature_not_in_plan())
    }
}
