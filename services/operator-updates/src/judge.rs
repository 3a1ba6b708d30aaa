//! Checks waiting updates of a machine again when its meter moves, an entry is voided, or another update
//! arrives or is decided, and takes back updates whose entries were voided.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::events::{Events, Topic};
use hourmeter_runtime::identity::{Identity, Tenant};
use hourmeter_runtime::quantity::Quantity;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::changes::publish;
use crate::delivery::Deliveries;
use crate::domain::check;
use crate::domain::review::{ApplyParams, REFUSED};
use crate::domain::update::Update;
use crate::equipment::{Equipment, EquipmentMeter, EquipmentMeters, MAX_VOIDED};
use crate::store::{companies, decisions, states, updates, waiting};
use crate::tasks::in_tasks;

/// Collects the events of a company for this long.
const DEBOUNCE: Duration = Duration::from_millis(500);
/// Companies checked concurrently.
const CONCURRENCY: usize = 8;
/// Machines of a company checked in one pass; the others follow in the next ones.
const MAX_MACHINES: usize = 200;
/// Updates checked with one transaction.
const CHUNK: u16 = 500;
/// Notices that may wait; more are dropped, as events may be.
const MAX_NOTICES: usize = 1024;
/// How often opening the review checks all updates of a company while events arrive.
const FULL_CHECK_EVERY: Duration = Duration::from_mins(1);

#[derive(Debug)]
pub struct Judge {
    pub database: Database,
    pub events: Events,
    pub equipment: Equipment,
    pub deliveries: Arc<Deliveries>,
    notices: mpsc::Sender<Notice>,
}

/// What a handler has seen or changed.
#[derive(Debug)]
pub enum Notice {
    /// A person's request: whether the company applies updates automatically at its time.
    Request {
        company_id: Uuid,
        auto_apply: bool,
        opens_review: bool,
    },
    /// Updates of these machines have changed.
    Changed {
        company_id: Uuid,
        machines: BTreeSet<Uuid>,
    },
}

pub type Notices = mpsc::Receiver<Notice>;

/// What to do for a company.
#[derive(Debug, Default)]
struct Work {
    machines: BTreeSet<Uuid>,
    all_machines: bool,
    /// The last known setting; None: unknown.
    auto_apply: Option<bool>,
}

impl Judge {
    pub fn new(
        database: Database,
        events: Events,
        equipment: Equipment,
        deliveries: Arc<Deliveries>,
    ) -> (Arc<Self>, Notices) {
        let (notices, received) = mpsc::channel(MAX_NOTICES);
        let judge = Self {
            database,
            events,
            equipment,
            deliveries,
            notices,
        };
        (Arc::new(judge), received)
    }

    /// Decides soon, by the company's setting in the request, whether updates that have lost their last
    /// flag are applied. Opening the review also checks all updates, in case events were lost.
    pub fn seen(&self, identity: &Identity, opens_review: bool) {
        // Dropped if the queue is full.
        let _ = self.notices.try_send(Notice::Request {
            company_id: identity.company_id,
            auto_apply: identity.auto_apply_updates && identity.entitlements.active,
            opens_review,
        });
    }

    /// Checks the waiting updates of these machines soon.
    pub fn check_soon(&self, tenant: Tenant, machines: impl IntoIterator<Item = Uuid>) {
        let _ = self.notices.try_send(Notice::Changed {
            company_id: tenant.company_id(),
            machines: machines.into_iter().collect(),
        });
    }

    /// Returns the work that is left.
    async fn company(&self, tenant: Tenant, mut work: Work) -> Result<Work, ServiceError> {
        let mut rest = BTreeSet::new();
        if work.all_machines || !work.machines.is_empty() {
            work.machines.extend(self.take_back(tenant).await?);
            let mut tx = self.database.tenant(tenant).await?;
            if work.all_machines {
                let waiting = waiting::machines(&mut tx).await?;
                work.machines.extend(waiting);
            }
            let now: Vec<Uuid> = work.machines.iter().copied().take(MAX_MACHINES).collect();
            let ids = waiting::pending(&mut tx, &now).await?;
            tx.commit().await?;
            rest = work.machines.into_iter().skip(MAX_MACHINES).collect();
            // A changed flag may change those of the updates beside it.
            rest.extend(self.updates(tenant, &ids).await?);
        }
        if let Some(auto_apply) = work.auto_apply {
            self.settle_clean(tenant, auto_apply).await?;
        }
        Ok(Work {
            machines: rest,
            ..Work::default()
        })
    }

    /// Applies updates that have lost their last flag, or leaves them to a manager.
    async fn settle_clean(&self, tenant: Tenant, auto_apply: bool) -> Result<(), ServiceError> {
        let mut tx = self.database.tenant(tenant).await?;
        let ids = waiting::clean(&mut tx, CHUNK.into()).await?;
        if ids.is_empty() {
            return tx.commit().await;
        }
        let mut rows = updates::lock_all(&mut tx, &ids).await?;
        rows.retain(|row| auto_apply && row.is_undecided() && row.flags.is_empty());
        for row in &rows {
            let params = ApplyParams::as_reported(row);
            decisions::insert(&mut tx, row, &params, None).await?;
        }
        states::leave_clean(&mut tx, &ids).await?;
        tx.commit().await?;
        if !rows.is_empty() {
            publish(&self.events, tenant, rows.iter().map(|row| row.operator_id));
            self.deliveries.leave_to_relay();
        }
        Ok(())
    }

    /// Takes back updates whose entries were voided since the last call. Returns their machines.
    async fn take_back(&self, tenant: Tenant) -> Result<BTreeSet<Uuid>, ServiceError> {
        let mut tx = self.database.tenant(tenant).await?;
        let cursor = companies::voided_cursor(&mut tx).await?;
        tx.commit().await?;
        // None: there are no updates to take back.
        let mut machines = BTreeSet::new();
        let Some(mut cursor) = cursor else {
            return Ok(machines);
        };
        loop {
            let (voided, next) = self.equipment.voided(tenant, cursor.clone()).await?;
            let is_last = (voided.len() as u64) < u64::from(MAX_VOIDED);
            let mut tx = self.database.tenant(tenant).await?;
            let ids: Vec<Uuid> = voided.iter().map(|update| update.id).collect();
            updates::lock_all(&mut tx, &ids).await?;
            let mut operators = Vec::new();
            for update in &voided {
                let taken_back = states::take_back(&mut tx, update).await?;
                let (operator, machine) = taken_back.unzip();
                operators.extend(operator);
                machines.extend(machine);
            }
            companies::set_voided_cursor(&mut tx, &next).await?;
            tx.commit().await?;
            publish(&self.events, tenant, operators);
            if is_last {
                return Ok(machines);
            }
            cursor = next;
        }
    }

    /// Checks these updates again, if they still wait. Returns the machines of those that changed.
    pub async fn updates(
        &self,
        tenant: Tenant,
        ids: &[Uuid],
    ) -> Result<BTreeSet<Uuid>, ServiceError> {
        let mut changed = BTreeSet::new();
        for ids in ids.chunks(CHUNK.into()) {
            changed.extend(self.check(tenant, ids).await?);
        }
        Ok(changed)
    }

    async fn check(&self, tenant: Tenant, ids: &[Uuid]) -> Result<BTreeSet<Uuid>, ServiceError> {
        let mut tx = self.database.tenant(tenant).await?;
        let mut rows = updates::find_all(&mut tx, ids).await?;
        rows.retain(Update::is_undecided);
        tx.commit().await?;
        if rows.is_empty() {
            return Ok(BTreeSet::new());
        }
        let times = rows.iter().map(|row| (row.equipment_id, row.captured_at));
        let meters = self.equipment.meters(tenant, times).await?;
        let mut changed = self.changes(tenant, &rows, &meters).await?;
        if changed.is_empty() {
            return Ok(BTreeSet::new());
        }
        let before: HashMap<Uuid, &Update> = rows.iter().map(|row| (row.id, row)).collect();
        let ids: Vec<Uuid> = changed.iter().map(|update| update.id).collect();
        let mut tx = self.database.tenant(tenant).await?;
        let mut current = updates::lock_all(&mut tx, &ids).await?;
        // Others are checked after the notice of their change.
        current.retain(|row| before.get(&row.id).is_some_and(|seen| *seen == row));
        let current: BTreeSet<Uuid> = current.into_iter().map(|row| row.id).collect();
        changed.retain(|update| current.contains(&update.id));
        for update in &changed {
            // A manager has seen one that was taken back, or refused by the last release, which did not
            // store why.
            let lost_flags = update.attempt == 0
                && before.get(&update.id).is_some_and(|seen| {
                    !seen.flags.is_empty() && !seen.flags.iter().any(|flag| flag == REFUSED)
                });
            states::set_checked(&mut tx, update, lost_flags).await?;
        }
        tx.commit().await?;
        let operators = changed.iter().map(|update| update.operator_id);
        publish(&self.events, tenant, operators);
        Ok(changed.iter().map(|update| update.equipment_id).collect())
    }

    /// Updates with other results than before.
    async fn changes(
        &self,
        tenant: Tenant,
        rows: &[Update],
        meters: &EquipmentMeters,
    ) -> Result<Vec<Update>, ServiceError> {
        let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
        let machines: BTreeSet<Uuid> = rows.iter().map(|row| row.equipment_id).collect();
        let machines: Vec<Uuid> = machines.into_iter().collect();
        let mut tx = self.database.tenant(tenant).await?;
        let readings = waiting::readings(&mut tx, &machines).await?;
        let repeats = waiting::repeats(&mut tx, &ids).await?;
        let refused = waiting::refused(&mut tx, &ids).await?;
        tx.commit().await?;
        let check = |row: &Update| {
            let meter = meters.get(&(row.equipment_id, row.captured_at))?;
            let beside = readings.beside(row, meter.meter.unit);
            let mut update = row.clone();
            apply_checks(&mut update, meter, &beside, repeats.contains(&row.id));
            // What a machine showed at submission stays.
            update.previous_usage = row.previous_usage;
            if refused.contains(&row.id) && !update.flags.iter().any(|flag| flag == REFUSED) {
                update.flags.push(REFUSED.to_owned());
            }
            (update != *row).then_some(update)
        };
        Ok(rows.iter().filter_map(check).collect())
    }
}

/// Stores the results of the checks in the update.
pub fn apply_checks(
    update: &mut Update,
    machine: &EquipmentMeter,
    waiting: &[(DateTime<Utc>, Quantity)],
    repeated: bool,
) {
    let report = update.report(repeated);
    let meter = machine.meter.with_waiting(&report, waiting);
    let result = check::check(&meter, &report);
    update.previous_usage = Some(machine.reading);
    update.late = result.late;
    update.below_current = result.below_meter();
    update.flags = result.flags;
    update
        .flags
        .extend(update.capture.flags().map(str::to_owned));
    if !machine.is_active {
        update.flags.push(REFUSED.to_owned());
    }
}

/// Checks companies after events and notices, until `stop`.
pub async fn run(judge: Arc<Judge>, mut notices: Notices, stop: CancellationToken) {
    let mut events = judge.events.subscribe();
    let live = judge.events.live();
    let mut due: HashMap<Uuid, Work> = HashMap::new();
    let mut full_checks: HashMap<Uuid, Instant> = HashMap::new();
    let mut since = Instant::now();
    loop {
        let was_empty = due.is_empty();
        tokio::select! {
            () = stop.cancelled() => return,
            event = events.recv() => match event {
                Ok(event) if event.topic == Topic::Equipment => {
                    let work = due.entry(event.company_id).or_default();
                    work.all_machines |= event.equipment_id.is_none();
                    work.machines.extend(event.equipment_id);
                }
                // Lost events only delay a check.
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return,
            },
            Some(notice) = notices.recv() => match notice {
                Notice::Changed { company_id, machines } => {
                    due.entry(company_id).or_default().machines.extend(machines);
                }
                Notice::Request { company_id, auto_apply, opens_review } => {
                    let work = due.entry(company_id).or_default();
                    work.auto_apply = Some(auto_apply);
                    let last = full_checks.get(&company_id);
                    let checked = *live.borrow()
                        && last.is_some_and(|last| last.elapsed() < FULL_CHECK_EVERY);
                    if opens_review && !checked {
                        work.all_machines = true;
                        full_checks.insert(company_id, Instant::now());
                    }
                }
            },
            () = tokio::time::sleep_until(since + DEBOUNCE), if !due.is_empty() => {
                let (rest, failed) = tokio::select! {
                    // The database closes next.
                    () = stop.cancelled() => return,
                    done = companies(&judge, std::mem::take(&mut due)) => done,
                };
                due = rest;
                full_checks.retain(|_, last| !failed && last.elapsed() < FULL_CHECK_EVERY);
                since = Instant::now();
            }
        }
        if was_empty {
            since = Instant::now();
        }
    }
}

/// Returns the work that is left, and whether a check has failed.
async fn companies(judge: &Arc<Judge>, due: HashMap<Uuid, Work>) -> (HashMap<Uuid, Work>, bool) {
    let check = |(company_id, work)| {
        let judge = judge.clone();
        // The company comes from an event of a service or a verified request, not from a client.
        let tenant = Tenant::from_lookup(company_id);
        async move {
            let left = judge.company(tenant, work).await.inspect_err(|failure| {
                tracing::warn!(%failure, error = ?failure.cause, "failed to check waiting updates");
            });
            Some((company_id, left.ok()?))
        }
    };
    let ended = in_tasks(due, CONCURRENCY, "a check of waiting updates", check).await;
    // None: it has failed or panicked.
    let checked: Vec<Option<(Uuid, Work)>> = ended.into_iter().map(Option::flatten).collect();
    let failed = checked.iter().any(Option::is_none);
    let all_left = checked.into_iter().flatten();
    let rest = all_left.filter(|(_, left)| !left.machines.is_empty());
    (rest.collect(), failed)
}
