//! What an administrator runs to be sure.

use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::Failure;
use hourmeter_runtime::identity::Tenant;

use crate::store::projections;
pub use crate::store::projections::{Difference, Totals};

/// Computes a company's meters and fuel totals again from the ledger, and answers where the stored
/// ones differ. Nothing is changed; there should be nothing to answer.
pub async fn projection_differences(
    database: &Database,
    tenant: Tenant,
) -> Result<Vec<Difference>, Failure> {
    let mut tx = database.tenant(tenant).await?;
    projections::differences(&mut tx, tenant.company_id()).await
}
