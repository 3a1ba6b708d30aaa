//! The plan's limits, enforced inside the writing transaction.

use chrono::{DateTime, Utc};
use hourmeter_runtime::error::{Failure, Kind};
use hourmeter_runtime::identity::Identity;
use hourmeter_runtime::server::feature_not_in_plan;
use sqlx::PgConnection;

use crate::domain::equipment::ServicePart;
use crate::store;

/// Claims room for one more piece of equipment. Others who ask for the same company wait until
/// this transaction ends, so that two can't take the last place.
pub async fn claim_place(
    connection: &mut PgConnection,
    identity: &Identity,
    now: DateTime<Utc>,
) -> Result<(), Failure> {
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
    let message = format!(
        "You have reached your plan's limit of {limit} {pieces} of equipment. \
         Upgrade your plan or remove equipment to add more."
    );
    Err(Failure::new(Kind::Forbidden, message).with_reason("EQUIPMENT_LIMIT_REACHED"))
}

/// Parts may be entered only with a plan that has them. Those that were entered before stay, so
/// that equipment can still be edited after a downgrade.
pub fn allow_parts(
    identity: &Identity,
    before: &[ServicePart],
    after: &[ServicePart],
) -> Result<(), Failure> {
    if identity.entitlements.parts_entry || after.is_empty() || before == after {
        Ok(())
    } else {
        Err(feature_not_in_plan())
    }
}
