//! Checks waiting updates again when a meter moves, an entry is voided, or another update arrives or
//! is decided, and takes back updates whose entries were voided.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::events::{Events, Topic};
use hourmeter_runtime::identity::{Identity, Tenant};
use hourmeter_runtime::quantity::Quantity;
use hourmeter_runtime::telemetry::names;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
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

/// Collects the events of a company for this long.
const DEBOUNCE: Duration = Duration::from_millis(500);
/// Companies checked concurrently.
const CONCURRENCY: usize = 8;
/// Updates checked with one transaction.
const CHUNK: usize = 500;
/// Requests that may wait to be remembered; more are dropped, since later ones say the same.
const MAX_REQUESTS: usize = 1024;

#[derive(Debug)]
pub struct Judge {
    pub database: Database,
    pub clock: Clock,
    pub events: Events,
    pub equipment: Equipment,
    pub deliveries: Arc<Deliveries>,
    requests: mpsc::Sender<Request>,
}

/// A person's request: the company's setting at its time.
#[derive(Debug)]
pub struct Request {
    tenant: Tenant,
    auto_apply: bool,
}

pub type Requests = mpsc::Receiver<Request>;

impl Judge {
    pub fn new(
        database: Database,
        clock: Clock,
        events: Events,
        equipment: Equipment,
        deliveries: Arc<Deliveries>,
    ) -> (Arc<Self>, Requests) {
        let (requests, received) = mpsc::channel(MAX_REQUESTS);
        let judge = Self {
            database,
            clock,
            events,
            equipment,
            deliveries,
            requests,
        };
        (Arc::new(judge), received)
    }

    /// Remembers the company's setting and checks its waiting updates soon, in case events were
    /// lost.
    pub fn seen(&self, identity: &Identity) {
        // Dropped if the queue is full.
        let _ = self.requests.try_send(Request {
            tenant: identity.tenant(),
            auto_apply: identity.auto_apply_updates && identity.entitlements.active,
        });
    }

    async fn remember(&self, request: Request) -> Result<(), ServiceError> {
        let Request { tenant, auto_apply } = request;
        let mut tx = self.database.tenant(tenant).await?;
        companies::remember(&mut tx, tenant, auto_apply, self.clock.now()).await?;
        tx.commit().await
    }

    async fn company(&self, tenant: Tenant) -> Result<(), ServiceError> {
        self.take_back(tenant).await?;
        let mut tx = self.database.tenant(tenant).await?;
        let ids = waiting::pending(&mut tx, tenant).await?;
        tx.commit().await?;
        self.updates(tenant, &ids).await
    }

    /// Takes back updates whose entries were voided since the last call.
    async fn take_back(&self, tenant: Tenant) -> Result<(), ServiceError> {
        let mut tx = self.database.tenant(tenant).await?;
        let cursor = companies::voided_cursor(&mut tx, tenant).await?;
        tx.commit().await?;
        // None: there are no updates to take back.
        let Some(mut cursor) = cursor else {
            return Ok(());
        };
        loop {
            let (voided, next) = self.equipment.voided(tenant, cursor.clone()).await?;
            let is_last = (voided.len() as u64) < u64::from(MAX_VOIDED);
            let mut tx = self.database.tenant(tenant).await?;
            let ids: Vec<Uuid> = voided.iter().map(|update| update.id).collect();
            updates::lock_all(&mut tx, tenant, &ids).await?;
            let mut operators = Vec::new();
            for update in &voided {
                operators.extend(states::take_back(&mut tx, tenant, update).await?);
            }
            companies::set_voided_cursor(&mut tx, tenant, &next).await?;
            tx.commit().await?;
            publish(&self.events, tenant, operators);
            if is_last {
                return Ok(());
            }
            cursor = next;
        }
    }

    /// Checks these updates again, if they still wait. One without flags is applied if the company
    /// applies updates automatically.
    pub async fn updates(&self, tenant: Tenant, ids: &[Uuid]) -> Result<(), ServiceError> {
        for ids in ids.chunks(CHUNK) {
            self.check(tenant, ids).await?;
        }
        Ok(())
    }

    async fn check(&self, tenant: Tenant, ids: &[Uuid]) -> Result<(), ServiceError> {
        let mut tx = self.database.tenant(tenant).await?;
        let mut rows = updates::find_all(&mut tx, tenant, ids).await?;
        rows.retain(Update::is_undecided);
        tx.commit().await?;
        if rows.is_empty() {
            return Ok(());
        }
        let times = rows.iter().map(|row| (row.equipment_id, row.captured_at));
        let meters = self.equipment.meters(tenant, times).await?;
        let changed = self.changes(tenant, &rows, &meters).await?;
        if changed.is_empty() {
            return Ok(());
        }
        let before: HashMap<Uuid, &Update> = rows.iter().map(|row| (row.id, row)).collect();
        let ids: Vec<Uuid> = changed.iter().map(|update| update.id).collect();
        let mut tx = self.database.tenant(tenant).await?;
        let auto_apply = companies::auto_applies(&mut tx, tenant, self.clock.now()).await?;
        let mut current = updates::lock_all(&mut tx, tenant, &ids).await?;
        // Others are checked after the event of their change.
        current.retain(|row| before.get(&row.id).is_some_and(|seen| *seen == row));
        let current: BTreeSet<Uuid> = current.into_iter().map(|row| row.id).collect();
        let mut decided = false;
        let changed = changed.iter().filter(|update| current.contains(&update.id));
        for update in changed.clone() {
            states::set_checked(&mut tx, tenant, update).await?;
            // A manager has seen one that was taken back.
            let had_flags = before
                .get(&update.id)
                .is_some_and(|seen| !seen.flags.is_empty());
            if auto_apply && had_flags && update.flags.is_empty() && update.attempt == 0 {
                let params = ApplyParams::as_reported(update);
                decisions::insert(&mut tx, tenant, update, &params, None).await?;
                decided = true;
            }
        }
        tx.commit().await?;
        publish(
            &self.events,
            tenant,
            changed.map(|update| update.operator_id),
        );
        if decided {
            self.deliveries.leave_to_relay();
        }
        Ok(())
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
        let readings = waiting::readings(&mut tx, tenant, &machines).await?;
        let repeats = waiting::repeats(&mut tx, tenant, &ids).await?;
        tx.commit().await?;
        let check = |row: &Update| {
            let meter = meters.get(&(row.equipment_id, row.captured_at))?;
            let beside = readings.beside(row, meter.meter.unit);
            let mut update = row.clone();
            apply_checks(&mut update, meter, &beside, repeats.contains(&row.id));
            // What a machine showed at submission stays.
            update.previous_usage = row.previous_usage;
            let refused = row.flags.iter().any(|flag| flag == REFUSED);
            if refused && !update.flags.iter().any(|flag| flag == REFUSED) {
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
    if !machine.in_use {
        update.flags.push(REFUSED.to_owned());
    }
}

/// Checks companies after events, until `stop`.
pub async fn run(judge: Arc<Judge>, mut requests: Requests, stop: CancellationToken) {
    let mut events = judge.events.subscribe();
    let mut due: BTreeSet<Uuid> = BTreeSet::new();
    let mut since = Instant::now();
    loop {
        let was_empty = due.is_empty();
        tokio::select! {
            () = stop.cancelled() => return,
            event = events.recv() => match event {
                Ok(event) if event.topic != Topic::Subscription => {
                    due.insert(event.company_id);
                }
                // Lost events only delay a check.
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return,
            },
            Some(request) = requests.recv() => {
                due.insert(request.tenant.company_id());
                if let Err(failure) = judge.remember(request).await {
                    tracing::warn!(error = ?failure.cause, "failed to store a company's setting");
                }
            }
            () = tokio::time::sleep_until(since + DEBOUNCE), if !due.is_empty() => {
                companies(&judge, std::mem::take(&mut due)).await;
            }
        }
        if was_empty {
            since = Instant::now();
        }
    }
}

async fn companies(judge: &Arc<Judge>, due: BTreeSet<Uuid>) {
    // One task per company, so that a panic does not affect the others.
    let mut running = JoinSet::new();
    for company_id in due {
        if running.len() >= CONCURRENCY {
            log(running.join_next().await);
        }
        let judge = judge.clone();
        // The company comes from an event of a service or a verified request, not from a client.
        let tenant = Tenant::from_lookup(company_id);
        running.spawn(async move { judge.company(tenant).await });
    }
    while !running.is_empty() {
        log(running.join_next().await);
    }
}

fn log(ended: Option<Result<Result<(), ServiceError>, tokio::task::JoinError>>) {
    match ended {
        Some(Ok(Err(failure))) => {
            tracing::warn!(%failure, error = ?failure.cause, "failed to check waiting updates");
        }
        Some(Err(panic)) => {
            names::PANICS.count(names::NO_LABELS);
            tracing::error!(%panic, "a check of waiting updates panicked");
        }
        None | Some(Ok(Ok(()))) => {}
    }
}
