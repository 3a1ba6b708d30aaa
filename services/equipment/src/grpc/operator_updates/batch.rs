//! Applies a batch of updates: decides on them in order in memory, under the row locks of their
//! equipment, and writes them in one transaction.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use sqlx::PgConnection;
use uuid::Uuid;

use super::update::{Update, out_of_range};
use crate::domain::ledger::{Entry, MeterMove};
use crate::domain::timeline::MeterAt;
use crate::store;
use crate::store::applied::{self, Earlier, Outcome};
use crate::store::meter::Meter;
use crate::store::projection_rows::MachineLedger;

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
    let mut machines = HashMap::new();
    for meter in meters {
        let id = meter.subject.id;
        let own = valid().filter(|update| update.equipment == id);
        let ledger = if needs_ledger(&meter, own) {
            Some(store::projections::load_one(&mut *connection, tenant, id).await?)
        } else {
            None
        };
        machines.insert(
            id,
            Machine {
                meter,
                ledger,
                entries: Vec::new(),
            },
        );
    }
    let mut batch = Batch {
        machines,
        earlier: applied::find(&mut *connection, tenant, &ids).await?,
        applied: Vec::new(),
    };
    let mut results = Vec::with_capacity(updates.len());
    for update in updates {
        results.push(match update {
            Ok(update) => batch.apply(&mut *connection, tenant, &update, now).await?,
            Err(error) => Err(error),
        });
    }
    batch.write(connection, tenant, now).await?;
    Ok(results)
}

/// Whether one of the updates of a machine has its place among earlier facts.
fn needs_ledger<'a>(meter: &Meter, updates: impl Iterator<Item = &'a Update>) -> bool {
    let mut known_at = meter.known_at;
    for update in updates {
        if !update.is_plain(meter, known_at) {
            return true;
        }
        if update.states_meter() {
            known_at = update.captured_at(known_at);
        }
    }
    false
}

/// A locked machine.
struct Machine {
    meter: Meter,
    /// Its facts. None: the updates are later than all of them.
    ledger: Option<MachineLedger>,
    entries: Vec<Entry>,
}

impl Machine {
    fn at(&self, captured_at: DateTime<Utc>) -> MeterAt {
        let latest = MeterAt {
            dial: self.meter.dial,
            known_at: Some(self.meter.known_at),
            next: None,
        };
        let ledger = self.ledger.as_ref();
        ledger.map_or(latest, |ledger| ledger.meter_at(captured_at))
    }

    /// Adds an update to the facts and returns what the meter showed before and after.
    async fn add(
        &mut self,
        connection: &mut PgConnection,
        tenant: Tenant,
        update: &Update,
        now: DateTime<Utc>,
    ) -> Result<Result<Outcome, ServiceError>, ServiceError> {
        let captured_at = update.captured_at(self.meter.known_at);
        let at = self.at(captured_at);
        let entry = match update.entry(&self.meter, &at, captured_at, now) {
            Ok(entry) => entry,
            Err(refused) => return Ok(Err(refused)),
        };
        let mut outcome = entry.meter.map(|fact| {
            let after = at.dial.after(captured_at, fact);
            let before = if at.dial.is_read() { at.dial } else { after };
            MeterMove {
                before: before.state.reading(),
                after: after.state.reading(),
            }
        });
        if let Some(ledger) = &mut self.ledger {
            store::posting::add(connection, tenant, ledger, &entry).await?;
            let Ok(folded) = ledger.fold() else {
                ledger.facts.pop();
                return Ok(Err(out_of_range()));
            };
            let placed = folded
                .placed
                .get(&entry.id)
                .filter(|_| entry.meter.is_some());
            outcome = placed.map(|placed| MeterMove {
                before: placed.before.reading(),
                after: placed.after.reading(),
            });
        } else if let Some(fact) = entry.meter {
            self.meter.dial = at.dial.after(captured_at, fact);
        }
        if entry.meter.is_some() {
            self.meter.known_at = self.meter.known_at.max(captured_at);
        }
        self.entries.push(entry);
        Ok(Ok(outcome))
    }

    async fn write(
        self,
        connection: &mut PgConnection,
        tenant: Tenant,
        now: DateTime<Utc>,
    ) -> Result<(), ServiceError> {
        let mut entries = self.entries;
        let Some(last) = entries.last() else {
            return Ok(());
        };
        let actor = last.actor.clone();
        if let Some(ledger) = self.ledger {
            let folded = ledger.fold().map_err(|_| out_of_range())?;
            let new = &mut entries;
            return store::posting::store(connection, tenant, &ledger, &folded, new, &actor, now)
                .await;
        }
        for entry in &mut entries {
            store::entries::post(&mut *connection, tenant, entry, now).await?;
        }
        Ok(())
    }
}

/// State under the locks, and what has to be written.
struct Batch {
    machines: HashMap<Uuid, Machine>,
    earlier: HashMap<Uuid, Earlier>,
    applied: Vec<applied::Applied>,
}

impl Batch {
    /// Applies one update to the state for the following ones.
    async fn apply(
        &mut self,
        connection: &mut PgConnection,
        tenant: Tenant,
        update: &Update,
        now: DateTime<Utc>,
    ) -> Result<Result<Applied, ServiceError>, ServiceError> {
        if let Some(earlier) = self.earlier.get(&update.id)
            && !(earlier.is_voided && earlier.voids == update.attempt)
        {
            return Ok(Ok(Applied {
                outcome: earlier.outcome,
                repeated: true,
            }));
        }
        let Some(machine) = self.machines.get_mut(&update.equipment) else {
            return Ok(Err(ServiceError::not_found()));
        };
        let outcome = match machine.add(connection, tenant, update, now).await? {
            Ok(outcome) => outcome,
            Err(refused) => return Ok(Err(refused)),
        };
        let applied = Earlier {
            outcome,
            voids: update.attempt,
            is_voided: false,
        };
        self.earlier.insert(update.id, applied);
        self.applied.push(applied::Applied {
            update_id: update.id,
            equipment: update.equipment,
            outcome,
        });
        Ok(Ok(Applied {
            outcome,
            repeated: false,
        }))
    }

    async fn write(
        self,
        connection: &mut PgConnection,
        tenant: Tenant,
        now: DateTime<Utc>,
    ) -> Result<(), ServiceError> {
        if self.applied.is_empty() {
            return Ok(());
        }
        // Inserted first, because it fails if another transaction has applied one of them
        // elsewhere.
        applied::insert(&mut *connection, tenant, &self.applied, now).await?;
        let changed: HashSet<Uuid> = self.applied.iter().map(|row| row.equipment).collect();
        for machine in self.machines.into_values() {
            machine.write(&mut *connection, tenant, now).await?;
        }
        // The company's time zone is not known here.
        for id in changed {
            store::forecast::refresh(&mut *connection, tenant, id, 0).await?;
        }
        Ok(())
    }
}
