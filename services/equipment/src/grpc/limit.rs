//! Plan limits, enforced in the writing transaction.

use chrono::{DateTime, Utc};
use hourmeter_proto::notifications::v1::fact::What;
use hourmeter_proto::notifications::v1::{Fact, LimitReached};
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::facts::store_fact;
use hourmeter_runtime::identity::Identity;

use crate::domain::equipment::ServicePart;
use crate::refusals;
use crate::store;

/// Checks the equipment limit. The company's row lock makes concurrent requests wait, so that two
/// can't use the last slot.
pub async fn reserve_slot(
    tx: &mut TenantTx,
    identity: &Identity,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let tenant = identity.tenant();
    store::company::lock(tx, identity, now).await?;
    let limit = i64::from(identity.entitlements.equipment_limit);
    if limit < 0 {
        return Ok(());
    }
    let count = store::equipment::count(tx).await?;
    if count < limit {
        if count + 1 == limit {
            store_fact(tx, tenant, &limit_reached(identity, now)).await?;
        }
        return Ok(());
    }
    let pieces = if limit == 1 { "piece" } else { "pieces" };
    let message = refusals::EQUIPMENT_LIMIT_REACHED
        .with("limit", limit)
        .with("pieces", pieces);
    Err(ServiceError::new(Kind::Forbidden, message))
}

/// The key makes it one fact a day.
fn limit_reached(identity: &Identity, now: DateTime<Utc>) -> Fact {
    let limit = identity.entitlements.equipment_limit;
    Fact {
        key: format!("limit:{limit}:{}", now.date_naive()),
        happened_at: Some(timestamp(now)),
        actor_id: identity.user_id.to_string(),
        what: Some(What::LimitReached(LimitReached { limit })),
    }
}

/// Only plans with parts entry may change parts. Existing parts stay, so that equipment can be
/// edited after a downgrade.
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
