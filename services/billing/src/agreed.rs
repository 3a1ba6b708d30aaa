//! Plans agreed on outside the product, such as one paid by invoice, or the demo company's.

use chrono::{DateTime, Utc};
use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;

use crate::domain::due::{self, CheckContext};
use crate::domain::plan::Tier;
use crate::provider::sandbox;
use crate::store::{due as due_store, subscriptions};

/// Gives a company an agreed plan until `paid_until`. Fails with not found for an unknown tier or a
/// company without a subscription row.
pub async fn set_plan(
    database: &Database,
    tenant: Tenant,
    tier: &str,
    paid_until: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let tier = Tier::from_name(tier).ok_or_else(ServiceError::not_found)?;
    let mut tx = database.tenant(tenant).await?;
    let row = subscriptions::lock(&mut tx, sandbox::NAME).await?;
    let mut row = row.ok_or_else(ServiceError::not_found)?;
    row.agree(tier, paid_until);
    row.updated_at = now;
    subscriptions::save(&mut tx, &row).await?;
    let waiting = CheckContext {
        awaits_provider: false,
        quiet_looks: 0,
    };
    due_store::set_next_check(&mut tx, due::next(&row, waiting, now), 0).await?;
    tx.commit().await
}
