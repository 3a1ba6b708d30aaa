//! Plans agreed on outside the product, such as one paid by invoice, or the demo company's.

use chrono::{DateTime, Utc};
use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::Failure;
use hourmeter_runtime::identity::Tenant;

use crate::domain::plan::Tier;
use crate::store::subscriptions;

/// Gives a company that billing has met a paid plan until `paid_until`, as a checkout would. Fails
/// with not found for an unknown tier or a company that billing has not met.
pub async fn set_plan(
    database: &Database,
    tenant: Tenant,
    tier: &str,
    paid_until: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<(), Failure> {
    let tier = Tier::from_name(tier).ok_or_else(Failure::not_found)?;
    let mut tx = database.tenant(tenant).await?;
    if !subscriptions::set_paid(&mut tx, tenant, tier, paid_until, now).await? {
        return Err(Failure::not_found());
    }
    tx.commit().await
}
