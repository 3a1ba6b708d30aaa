//! Applies a batch of updates: decides on them in order in memory, under the row locks of their
//! equipment, and writes them in one transaction.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use uuid::Uuid;

use super::update::{Update, out_of_range};
use crate::domain::fold::MarkedBy;
use crate::domain::ledger::{Actor, Entry, MeterMove};
use crate::domain::timeline::{Dial, Step, final_reading};
use crate::store;
use crate::store::applied::{self, Application, Outcome};
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
    tx: &mut TenantTx,
    updates: Vec<Result<Update, ServiceError>>,
    now: DateTime<Utc>,
) -> Result<Vec<Result<Applied, ServiceError>>, ServiceError> {
    let valid = || updates.iter().flatten();
    let equipment: Vec<Uuid> = valid().map(|update| update.equipment).collect();
    let ids: Vec<Uuid> = valid().map(|update| update.id).collect();
    let zone = store::company::time_zone(tx).await?;
    // Locks first, so that concurrent repeats wait here and then find the first one's result.
    let mut meters = store::meter::lock_all(tx, &equipment).await?;
    // A fact captured before a service changes what that service counts from, so it needs the fold.
    let marks = store::meter::last_marks(tx, &equipment).await?;
    for (id, at) in marks {
        let marked = meters.iter_mut().find(|meter| meter.subject.id == id);
        if let Some(meter) = marked {
            meter.known_at = meter.known_at.max(at);
        }
    }
    let mut machines = HashMap::new();
    for meter in meters {
        let id = meter.subject.id;
        let own = valid().filter(|update| update.equipment == id);
        let timeline = if needs_fold(&meter, own, zone) {
            let ledger = store::projections::load_one(tx, id).await?;
            Some(Timeline::new(ledger))
        } else {
            None
        };
        machines.insert(
            id,
            Machine {
                meter,
                timeline,
                entries: Vec::new(),
                responsible: None,
            },
        );
    }
    let mut batch = Batch {
        machines,
        earlier: applied::find(tx, &ids).await?,
        applied: Vec::new(),
    };
    let mut results = Vec::with_capacity(updates.len());
    for update in updates {
        results.push(match update {
            Ok(update) => batch.apply(tx, &update, now).await?,
            Err(error) => Err(error),
        });
    }
    batch.write(tx, now).await?;
    Ok(results)
}

/// Whether one of the updates of a machine has its place among earlier facts, or the days of use are
/// in another time zone than the company's.
fn needs_fold<'a>(
    meter: &Meter,
    updates: impl Iterator<Item = &'a Update>,
    zone: Option<Tz>,
) -> bool {
    let used = meter.daily_use.zone;
    let moved = used.is_none() || zone.is_some_and(|zone| used != Some(zone));
    let mut known_at = meter.known_at;
    for update in updates {
        if !update.is_plain(meter, known_at) {
            return true;
        }
        if update.states_meter() {
            if moved {
                return true;
            }
            known_at = update.captured_at(meter, known_at);
        }
    }
    false
}

/// A locked machine.
struct Machine {
    meter: Meter,
    /// None: the updates are later than all known facts.
    timeline: Option<Timeline>,
    entries: Vec<Entry>,
    /// Who is responsible for the last one.
    responsible: Option<Actor>,
}

struct Timeline {
    ledger: MachineLedger,
    /// From the facts before the batch.
    marked_before: MarkedBy,
    /// The meter after each fact.
    dials: Vec<(DateTime<Utc>, Dial)>,
}

impl Timeline {
    fn new(ledger: MachineLedger) -> Self {
        Self {
            dials: dials(&ledger.steps()),
            marked_before: ledger.marked_by(),
            ledger,
        }
    }

    fn dial_at(&self, at: DateTime<Utc>) -> Dial {
        let known = self.dials.partition_point(|(known, _)| *known <= at);
        let last = known.checked_sub(1).map(|last| self.dials[last].1);
        last.unwrap_or_default()
    }

    /// Adds an entry and returns what it did to the meter. None: the meter would be out of range.
    async fn add(
        &mut self,
        tx: &mut TenantTx,
        entry: &Entry,
    ) -> Result<Option<Outcome>, ServiceError> {
        store::posting::add(tx, &mut self.ledger, entry).await?;
        if entry.meter.is_none() {
            return Ok(Some(None));
        }
        let steps = self.ledger.steps();
        if steps.iter().any(|step| !step.after.state.is_in_range()) {
            self.ledger.facts.pop();
            return Ok(None);
        }
        let mut own = steps.iter().filter_map(|step| Some((step, step.fact?)));
        let own = own.find(|(_, fact)| fact.id == entry.id);
        let outcome = own.map(|(step, _)| MeterMove {
            before: step.state_before().reading(),
            after: step.after.state.reading(),
        });
        self.dials = dials(&steps);
        Ok(Some(outcome))
    }
}

fn dials(steps: &[Step<'_>]) -> Vec<(DateTime<Utc>, Dial)> {
    steps.iter().map(|step| (step.at, step.after)).collect()
}

impl Machine {
    fn dial_at(&self, captured_at: DateTime<Utc>) -> Dial {
        let timeline = self.timeline.as_ref();
        timeline.map_or(self.meter.dial, |timeline| timeline.dial_at(captured_at))
    }

    /// Adds an update to the facts and returns what the meter showed before and after.
    async fn add(
        &mut self,
        tx: &mut TenantTx,
        update: &Update,
        now: DateTime<Utc>,
    ) -> Result<Result<Outcome, ServiceError>, ServiceError> {
        let captured_at = update.captured_at(&self.meter, self.meter.known_at);
        let dial = self.dial_at(captured_at);
        let timeline = self.timeline.as_ref();
        let end = timeline.and_then(|known| final_reading(&known.ledger.steps(), captured_at));
        let entry = match update.entry(&self.meter, dial, end, captured_at, now) {
            Ok(entry) => entry,
            Err(refused) => return Ok(Err(refused)),
        };
        let outcome = if let Some(timeline) = &mut self.timeline {
            let Some(outcome) = timeline.add(tx, &entry).await? else {
                return Ok(Err(out_of_range()));
            };
            outcome
        } else if let Some(fact) = entry.meter {
            // A plain update needs a meter that has been read, so this is not the baseline.
            self.meter.dial = dial.after(captured_at, fact);
            Some(MeterMove {
                before: dial.state.reading(),
                after: self.meter.dial.state.reading(),
            })
        } else {
            None
        };
        if entry.meter.is_some() {
            self.meter.known_at = self.meter.known_at.max(captured_at);
        }
        self.entries.push(entry);
        self.responsible = Some(update.responsible().clone());
        Ok(Ok(outcome))
    }

    async fn write(self, tx: &mut TenantTx, now: DateTime<Utc>) -> Result<(), ServiceError> {
        let mut entries = self.entries;
        let Some(actor) = self.responsible else {
            return Ok(());
        };
        if let Some(timeline) = self.timeline {
            let folded = timeline.ledger.fold().map_err(|_| out_of_range())?;
            return store::posting::store(
                tx,
                &timeline.ledger,
                &folded,
                &mut entries,
                &timeline.marked_before,
                (&actor, now),
            )
            .await;
        }
        let mut used = self.meter.daily_use;
        for entry in &mut entries {
            let posted = store::entries::post(tx, entry, &used, now).await?;
            used = posted.daily_use;
        }
        Ok(())
    }
}

/// State under the locks, and what has to be written.
struct Batch {
    machines: HashMap<Uuid, Machine>,
    earlier: HashMap<Uuid, Application>,
    applied: Vec<(Uuid, Application)>,
}

impl Batch {
    /// Applies one update to the state for the following ones.
    async fn apply(
        &mut self,
        tx: &mut TenantTx,
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
        let outcome = match machine.add(tx, update, now).await? {
            Ok(outcome) => outcome,
            Err(refused) => return Ok(Err(refused)),
        };
        let applied = Application {
            equipment: update.equipment,
            outcome,
            voids: update.attempt,
            is_voided: false,
        };
        self.earlier.insert(update.id, applied);
        self.applied.push((update.id, applied));
        Ok(Ok(Applied {
            outcome,
            repeated: false,
        }))
    }

    async fn write(self, tx: &mut TenantTx, now: DateTime<Utc>) -> Result<(), ServiceError> {
        if self.applied.is_empty() {
            return Ok(());
        }
        // Inserted first, because it fails if another transaction has applied one of them
        // elsewhere.
        applied::insert(tx, &self.applied, now).await?;
        for machine in self.machines.into_values() {
            machine.write(tx, now).await?;
        }
        Ok(())
    }
}
