//! Full fills of machines, for `domain::consumption`.

use std::collections::BTreeMap;

use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use uuid::Uuid;

use super::projections::{self, BATCH};
use crate::domain::consumption::{Interval, intervals};
use crate::domain::fuel::Consumption;

/// Machines measured in one call, so that it ends in time.
pub const MAX_MEASURED: usize = 100;

/// Measured consumption by machine, of those with at least two full fills.
pub async fn measured(
    tx: &mut TenantTx,
    consumers: &[Consumption],
) -> Result<BTreeMap<Uuid, Vec<Interval>>, ServiceError> {
    let filled = consumers.iter().filter(|used| used.full_fills >= 2);
    let kinds: BTreeMap<Uuid, _> = filled.map(|used| (used.id, used.kind)).collect();
    let ids: Vec<Uuid> = kinds.keys().copied().collect();
    let mut measured = BTreeMap::new();
    for batch in ids.chunks(BATCH) {
        for machine in projections::load(tx, batch).await? {
            let kind = kinds.get(&machine.id).copied().flatten();
            let found = intervals(machine.initial.unit, kind, &machine.steps());
            measured.insert(machine.id, found);
        }
    }
    Ok(measured)
}
