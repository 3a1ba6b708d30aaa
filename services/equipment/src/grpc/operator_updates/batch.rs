//! Applies a batch of updates: decides on them in order in memory, under the row locks of their
//! equipment, and writes them in one transaction.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use sqlx::PgConnection;
use uuid::Uuid;

use super::update::Update;
use crate::domain::ledger::{Entry, MeterMove};
use crate::store;
use crate::store::applied::{self, Outcome};
use crate::store::meter::Meter;

#[derive(Clone, Copy, Debug)]
pub struct Applied {
    pub outcome: Outcome,
    /// It was applied by an earlier request.
    pub repeated: bool,
}

/// Applies updates in order and returns a result for each. A refused one does not affect the
/// others.
pub async fn apply_batch(
    connection: &mut PgConnection,
    tenant: Tenant,
    updates: Vec<Result<Update, ServiceError>>,
    now: DateTime<Utc>,
) -> Result<Vec<Result<Applied, ServiceError>>, ServiceError> {
    let valid = || updates.iter().flatten();
    let equipment: Vec<Uuid> = valid().map(|update| update.equipment).collect();
    let ids: Vec<Uuid> = valid().map(|update| update.id).collect();
    // Locks first, so that concurrent repeats wait here and then find the first one's result.
    let meters = store::meter::lock_all(&mut *connection, tenant, &equipment).await?;
    let mut batch = Batch {
        meters: meters
            .into_iter()
            .map(|meter| (meter.subject.id, meter))
            .collect(),
        outcomes: applied::find(&mut *connection, tenant, &ids).await?,
        applied: Vec::new(),
        entries: Vec::new(),
    };
    let mut results = Vec::with_capacity(updates.len());
    for update in updates {
        results.push(update.and_then(|update| batch.decide(&update, now)));
    }
    batch.write(connection, tenant, now).await?;
    Ok(results)
}

/// State under the locks, and what has to be written.
struct Batch {
    meters: HashMap<Uuid, Meter>,
    outcomes: HashMap<Uuid, Outcome>,
    applied: Vec<applied::Applied>,
    entries: Vec<Entry>,
}

impl Batch {
    /// Decides on one update and updates the state for the following ones.
    fn decide(&mut self, update: &Update, now: DateTime<Utc>) -> Result<Applied, ServiceError> {
        if let Some(outcome) = self.outcomes.get(&update.id) {
            return Ok(Applied {
                outcome: *outcome,
                repeated: true,
            });
        }
        let meter = self.meters.get_mut(&update.equipment);
        let meter = meter.ok_or_else(ServiceError::not_found)?;
        let (entry, after) = update.entry(meter, now)?;
        let outcome = after.map(|after| MeterMove {
            before: meter.state.reading(),
            after: after.reading(),
        });
        if let Some(after) = after {
            meter.state = after;
            meter.read_at = meter.read_at.max(Some(entry.captured_at));
        }
        self.outcomes.insert(update.id, outcome);
        self.applied.push(applied::Applied {
            update_id: update.id,
            equipment: update.equipment,
            outcome,
        });
        self.entries.push(entry);
        Ok(Applied {
            outcome,
            repeated: false,
        })
    }

    async fn write(
        self,
        connection: &mut PgConnection,
        tenant: Tenant,
        now: DateTime<Utc>,
    ) -> Result<(), ServiceError> {
        if self.entries.is_empty() {
            return Ok(());
        }
        // Inserted first, because it fails if another transaction has applied one of them
        // elsewhere.
        applied::insert(&mut *connection, tenant, &self.applied, now).await?;
        let changed: HashSet<Uuid> = self.entries.iter().map(|entry| entry.subject.id).collect();
        for mut entry in self.entries {
            store::entries::post(&mut *connection, tenant, &mut entry, now).await?;
        }
        // The company's time zone is not known here.
        for id in changed {
            store::forecast::refresh(&mut *connection, tenant, id, 0).await?;
        }
        Ok(())
    }
}
