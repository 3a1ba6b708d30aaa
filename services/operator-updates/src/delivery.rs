//! Delivers decisions to the equipment service, from a handler or from the relay.

use std::collections::BTreeMap;
use std::time::Duration;

use hourmeter_runtime::db::{Database, TenantTx};
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::events::Events;
use hourmeter_runtime::identity::{Service, Tenant};
use hourmeter_runtime::telemetry::names;
use tokio::sync::Notify;
use tokio::time::Instant;
use uuid::Uuid;

use crate::changes::publish;
use crate::delivery_trace;
use crate::domain::retry::{NextAttempt, is_alarming, is_fault, is_refusal};
use crate::domain::review;
use crate::domain::update::{Decision, Status, Update};
use crate::equipment::{DeliveryResult, Equipment};
use crate::store::deliveries::{self, Delivery, Lease, Queue};
use crate::store::{changed_at, states, updates};

/// A handler starts no call after this time and leaves the rest to the relay.
pub const HANDLER_TIMEOUT: Duration = Duration::from_millis(2500);
/// First interval at which a handler checks for another deliverer's results. It doubles each time,
/// so that handlers waiting for a dead deliverer's lease don't overload the database.
const MIN_POLL: Duration = Duration::from_millis(50);
const MAX_POLL: Duration = Duration::from_millis(400);
/// Deliveries in one call.
const MAX_BATCH: u16 = 200;
/// Bytes in one call: half of what a service accepts.
const MAX_BATCH_BYTES: usize = 512 * 1024;
/// Upper bound of a delivery's size without notes.
const DELIVERY_OVERHEAD_BYTES: usize = 1024;

#[derive(Debug)]
pub struct Deliveries {
    database: Database,
    equipment: Equipment,
    events: Events,
    relay_wakeup: Notify,
}

/// Updates that a handler waits for, by id.
type Waiting = BTreeMap<Uuid, Update>;

/// Results of updates that a handler waits for. Absent: still queued.
pub type Settled = BTreeMap<Uuid, Result<(), ServiceError>>;

#[derive(Debug)]
enum Outcome {
    /// Applied, or refused permanently, in which case the decision was discarded.
    Done(Result<(), ServiceError>),
    /// Still queued.
    Later,
}

#[derive(Clone, Copy, Debug)]
enum Deliverer {
    /// Starts no call after this time. Its faults are not counted, because people may retry as
    /// often as they like.
    Handler(Instant),
    Relay,
}

impl Deliverer {
    /// The next attempt after one without a result.
    fn next(self, delivery: &Delivery, failure: &ServiceError) -> NextAttempt {
        let counted = matches!(self, Self::Relay) && is_fault(failure);
        NextAttempt::after(delivery.lease.attempts, delivery.faults, counted)
    }

    fn is_out_of_time(self) -> bool {
        matches!(self, Self::Handler(deadline) if Instant::now() >= deadline)
    }
}

impl Deliveries {
    pub fn new(database: Database, equipment: Equipment, events: Events) -> Self {
        Self {
            database,
            equipment,
            events,
            relay_wakeup: Notify::new(),
        }
    }

    /// Wakes the relay for new decisions.
    pub fn leave_to_relay(&self) {
        self.relay_wakeup.notify_one();
    }

    /// Waits until a handler has left work to the relay.
    pub async fn left_to_relay(&self) {
        self.relay_wakeup.notified().await;
    }

    /// Delivers a decided update, after the earlier ones of the same equipment. Fails with
    /// `UNAVAILABLE` if it is still queued at `deadline`; the relay then continues.
    pub async fn settle(
        &self,
        tenant: Tenant,
        update: Update,
        deadline: Instant,
    ) -> Result<(), ServiceError> {
        let id = update.id;
        let mut settled = self.settle_all(tenant, vec![update], deadline).await;
        settled.remove(&id).unwrap_or_else(|| Err(still_queued()))
    }

    /// Delivers decided updates, after the earlier ones of the same equipment.
    #[tracing::instrument(name = "operator_updates.settle", level = "debug", skip_all, fields(count = wanted.len()))]
    pub async fn settle_all(
        &self,
        tenant: Tenant,
        wanted: Vec<Update>,
        deadline: Instant,
    ) -> Settled {
        let mut waiting: Waiting = wanted.into_iter().map(|one| (one.id, one)).collect();
        let mut settled = Settled::new();
        let mut pause = MIN_POLL;
        while !waiting.is_empty() && Instant::now() < deadline {
            match self
                .step(tenant, &mut waiting, &mut settled, deadline)
                .await
            {
                Ok(true) => pause = MIN_POLL,
                Ok(false) => {
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(MAX_POLL);
                }
                Err(failure) => {
                    tracing::warn!(error = ?failure.cause, "failed to complete deliveries; left to the relay");
                    break;
                }
            }
        }
        if !waiting.is_empty() {
            self.relay_wakeup.notify_one();
        }
        settled
    }

    /// Delivers what it can lease, or else reads the results of other deliverers. Returns false if
    /// there was neither.
    async fn step(
        &self,
        tenant: Tenant,
        waiting: &mut Waiting,
        settled: &mut Settled,
        deadline: Instant,
    ) -> Result<bool, ServiceError> {
        let batch = self.lease_for(tenant, waiting).await?;
        if batch.is_empty() {
            let seen = self.read_results(tenant, waiting).await?;
            let happened = !seen.is_empty();
            waiting.retain(|id, _| !seen.contains_key(id));
            settled.extend(seen);
            return Ok(happened);
        }
        let by = Deliverer::Handler(deadline);
        for (delivery, outcome) in self.deliver(tenant, batch, by).await? {
            let id = delivery.lease.update_id;
            match outcome {
                Outcome::Done(result) => {
                    if waiting.remove(&id).is_some() {
                        settled.insert(id, result);
                    }
                }
                // Later ones of the same equipment have to wait too.
                Outcome::Later => {
                    waiting.retain(|_, update| update.equipment_id != delivery.equipment_id);
                }
            }
        }
        Ok(true)
    }

    /// Queues that are due, in any company.
    pub async fn due(&self, most: i32) -> Result<Vec<Queue>, ServiceError> {
        let mut lookup = self.database.lookup().await?;
        deliveries::due(&mut lookup, most).await
    }

    /// Leases and delivers the first decisions of a queue. Returns false if another deliverer has
    /// them or none is due.
    pub async fn deliver_due(&self, queue: Queue) -> Result<bool, ServiceError> {
        // The company comes from the database, not from a caller.
        let tenant = Tenant::from_lookup(queue.company_id);
        let most = i32::from(MAX_BATCH);
        let mut tx = self.database.tenant(tenant).await?;
        let leases = deliveries::lease_due(&mut tx, queue.equipment_id, most).await?;
        tx.commit().await?;
        if leases.is_empty() {
            return Ok(false);
        }
        // Committed separately: if a leased row can't be read, the attempt still counts, so the
        // next lease is smaller and other queues are delivered first.
        let mut tx = self.database.tenant(tenant).await?;
        let batch = deliveries::find_deliveries(&mut tx, &leases).await?;
        tx.commit().await?;
        self.deliver(tenant, batch, Deliverer::Relay).await?;
        Ok(true)
    }

    /// Leases the first decisions of all equipment that the handler waits for.
    async fn lease_for(
        &self,
        tenant: Tenant,
        waiting: &Waiting,
    ) -> Result<Vec<Delivery>, ServiceError> {
        let mut last: BTreeMap<Uuid, &Update> = BTreeMap::new();
        for update in waiting.values() {
            let seen = last.entry(update.equipment_id).or_insert(update);
            if (seen.captured_at, seen.id) < (update.captured_at, update.id) {
                *seen = update;
            }
        }
        let last: Vec<&Update> = last.into_values().collect();
        let mut tx = self.database.tenant(tenant).await?;
        let most = i64::from(MAX_BATCH);
        let leases = deliveries::lease_until(&mut tx, &last, most).await?;
        let batch = deliveries::find_deliveries(&mut tx, &leases).await?;
        tx.commit().await?;
        Ok(batch)
    }

    /// Results that other deliverers have stored.
    async fn read_results(
        &self,
        tenant: Tenant,
        waiting: &Waiting,
    ) -> Result<Settled, ServiceError> {
        let ids: Vec<Uuid> = waiting.keys().copied().collect();
        let mut tx = self.database.tenant(tenant).await?;
        // One statement reads updates and decisions: a deleted decision has its result in the update.
        let rows = updates::find_all(&mut tx, &ids).await?;
        tx.commit().await?;
        let settled = rows.into_iter().filter_map(|now| {
            let result = match now.decision {
                Decision::Queued => return None,
                Decision::Parked => Err(still_queued()),
                Decision::None if now.status != Status::Pending => Ok(()),
                Decision::None if now.below_current => Err(review::below_current()),
                Decision::None => Err(review::discarded()),
            };
            Some((now.id, result))
        });
        Ok(settled.collect())
    }

    /// Delivers leased decisions in order. Stops after a call without a result or at the handler's
    /// deadline, and returns the remaining leases.
    async fn deliver(
        &self,
        tenant: Tenant,
        batch: Vec<Delivery>,
        by: Deliverer,
    ) -> Result<Vec<(Delivery, Outcome)>, ServiceError> {
        let mut outcomes = Vec::with_capacity(batch.len());
        let mut rest = batch.as_slice();
        while !rest.is_empty() {
            if by.is_out_of_time() {
                self.return_leases(tenant, rest).await?;
                outcomes.extend(rest.iter().map(|_| Outcome::Later));
                break;
            }
            let (part, more) = rest.split_at(batch_len(rest));
            let attempt = Box::pin(self.attempt(tenant, rest, part, by));
            let done = delivery_trace::in_trace(part, attempt);
            let Some(done) = done.await? else {
                outcomes.extend(rest.iter().map(|_| Outcome::Later));
                break;
            };
            outcomes.extend(done);
            rest = more;
        }
        Ok(batch.into_iter().zip(outcomes).collect())
    }

    /// Delivers the first `part` of `rest`. None: the result is unknown, and all leases of `rest`
    /// were returned.
    async fn attempt(
        &self,
        tenant: Tenant,
        rest: &[Delivery],
        part: &[Delivery],
        by: Deliverer,
    ) -> Result<Option<Vec<Outcome>>, ServiceError> {
        match self.call(tenant, part).await {
            Ok(mut results) => {
                self.complete_effects(tenant, part, &mut results).await;
                self.store(tenant, part, results, by).await.map(Some)
            }
            Err(failure) => {
                self.postpone(tenant, rest, part.len(), by, &failure)
                    .await?;
                Ok(None)
            }
        }
    }

    /// Calls the equipment service. A refusal is a result; an error means that the result is
    /// unknown.
    async fn call(
        &self,
        tenant: Tenant,
        part: &[Delivery],
    ) -> Result<Vec<DeliveryResult>, ServiceError> {
        let [one] = part else {
            return self.equipment.apply_all(tenant, part).await;
        };
        match self.equipment.apply(tenant, one).await {
            Err(failure) if !is_refusal(&failure) => Err(failure),
            result => Ok(vec![result]),
        }
    }

    /// Adds what the meters show to effects without usage. If that fails, the figures of the
    /// submission stay.
    async fn complete_effects(
        &self,
        tenant: Tenant,
        part: &[Delivery],
        results: &mut [DeliveryResult],
    ) {
        let key = |delivery: &Delivery| (delivery.equipment_id, delivery.captured_at);
        let deliveries = part.iter().zip(&*results);
        let unread = deliveries
            .filter(|(_, result)| result.as_ref().is_ok_and(|effect| effect.before.is_none()));
        let times: Vec<_> = unread.map(|(delivery, _)| key(delivery)).collect();
        if times.is_empty() {
            return;
        }
        let meters = self.equipment.meters(tenant, times).await;
        let meters = meters.unwrap_or_default();
        for (delivery, result) in part.iter().zip(results) {
            if let Ok(effect) = result {
                let shown = meters.get(&key(delivery)).map(|machine| machine.reading);
                effect.before = effect.before.or(shown);
            }
        }
    }

    /// Stores the results in one transaction.
    async fn store(
        &self,
        tenant: Tenant,
        part: &[Delivery],
        results: Vec<DeliveryResult>,
        by: Deliverer,
    ) -> Result<Vec<Outcome>, ServiceError> {
        let (mut effects, mut refused, mut later) = (Vec::new(), Vec::new(), Vec::new());
        let mut outcomes = Vec::with_capacity(part.len());
        for (delivery, result) in part.iter().zip(results) {
            let lease = delivery.lease;
            outcomes.push(match result {
                Ok(effect) => {
                    count("applied");
                    effects.push(((lease.update_id, delivery.attempt), effect));
                    Outcome::Done(Ok(()))
                }
                Err(failure) if is_refusal(&failure) => {
                    count("refused");
                    log(tenant, lease, &failure);
                    refused.push((lease, delivery.attempt, Flag::of(&failure, delivery)));
                    Outcome::Done(Err(refusal(failure)))
                }
                Err(failure) => {
                    let next = by.next(delivery, &failure);
                    count(next.name());
                    log_later(tenant, lease, next, &failure);
                    later.push((lease, next));
                    Outcome::Later
                }
            });
        }
        let mut tx = self.database.tenant(tenant).await?;
        updates::lock_all(&mut tx, &ids(part)).await?;
        if !effects.is_empty() {
            deliveries::complete(&mut tx, &effects).await?;
        }
        if !refused.is_empty() {
            discard(&mut tx, &refused).await?;
        }
        if !later.is_empty() {
            postpone_in(&mut tx, &later).await?;
        }
        tx.commit().await?;
        let operators = part.iter().map(|delivery| delivery.operator_id);
        publish(&self.events, tenant, operators);
        Ok(outcomes)
    }

    /// Returns the leases after a call without a result; the first `called` of them were in the
    /// call.
    async fn postpone(
        &self,
        tenant: Tenant,
        rest: &[Delivery],
        called: usize,
        by: Deliverer,
        failure: &ServiceError,
    ) -> Result<(), ServiceError> {
        let (part, untried) = rest.split_at(called);
        let part = part
            .iter()
            .map(|delivery| (delivery.lease, by.next(delivery, failure)));
        let untried = untried.iter().map(|delivery| {
            let next = NextAttempt::after(delivery.lease.attempts, delivery.faults, false);
            (delivery.lease, next)
        });
        let tries: Vec<_> = part.chain(untried).collect();
        for (_, next) in &tries[..called] {
            count(next.name());
        }
        // Logs once for the call, and once for each decision that is parked.
        let logged = |(place, (_, next)): &(usize, &(Lease, NextAttempt))| {
            *place == 0 || next.max_wait.is_none()
        };
        for (_, (lease, next)) in tries.iter().enumerate().filter(logged) {
            log_later(tenant, *lease, *next, failure);
        }
        let mut tx = self.database.tenant(tenant).await?;
        updates::lock_all(&mut tx, &ids(rest)).await?;
        postpone_in(&mut tx, &tries).await?;
        tx.commit().await?;
        if tries.iter().any(|(_, next)| next.max_wait.is_none()) {
            let operators = rest.iter().map(|delivery| delivery.operator_id);
            publish(&self.events, tenant, operators);
        }
        Ok(())
    }

    /// Returns leases that were not attempted, for the relay.
    async fn return_leases(&self, tenant: Tenant, rest: &[Delivery]) -> Result<(), ServiceError> {
        let untried: Vec<_> = rest
            .iter()
            .map(|delivery| (delivery.lease, NextAttempt::untried(delivery.faults)))
            .collect();
        let mut tx = self.database.tenant(tenant).await?;
        updates::lock_all(&mut tx, &ids(rest)).await?;
        deliveries::postpone(&mut tx, &untried).await?;
        tx.commit().await?;
        self.relay_wakeup.notify_one();
        Ok(())
    }
}

/// Number of deliveries that fit into one call, at least one.
fn batch_len(deliveries: &[Delivery]) -> usize {
    let mut bytes = 0;
    let fits = |delivery: &&Delivery| {
        bytes += delivery.notes.len() + DELIVERY_OVERHEAD_BYTES;
        bytes <= MAX_BATCH_BYTES
    };
    deliveries.iter().take_while(fits).count().max(1)
}

fn count(outcome: &'static str) {
    let service = Service::OperatorUpdates.name();
    names::OUTBOX_DELIVERIES.count([service, outcome]);
}

fn ids(deliveries: &[Delivery]) -> Vec<Uuid> {
    let ids = deliveries.iter().map(|delivery| delivery.lease.update_id);
    ids.collect()
}

/// Returns leases; parked ones also change the marker of their updates.
async fn postpone_in(
    tx: &mut TenantTx,
    tries: &[(Lease, NextAttempt)],
) -> Result<(), ServiceError> {
    deliveries::postpone(tx, tries).await?;
    let parked = tries.iter().filter(|(_, next)| next.max_wait.is_none());
    let parked: Vec<Uuid> = parked.map(|(lease, _)| lease.update_id).collect();
    changed_at::touch(tx, &parked).await
}

/// Why an update waits after a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flag {
    BelowMeter,
    /// Its machine was retired or deleted.
    Gone,
    Refused,
}

impl Flag {
    fn of(failure: &ServiceError, delivery: &Delivery) -> Self {
        match failure.kind {
            Kind::NotFound => Self::Gone,
            _ if failure.reason == review::BELOW_CURRENT && !delivery.params.overridden => {
                Self::BelowMeter
            }
            _ => Self::Refused,
        }
    }
}

/// Discards refused decisions and flags their updates.
async fn discard(tx: &mut TenantTx, refused: &[(Lease, i32, Flag)]) -> Result<(), ServiceError> {
    let leases: Vec<_> = refused
        .iter()
        .map(|(lease, attempt, _)| (*lease, *attempt))
        .collect();
    let discarded = deliveries::discard(tx, &leases).await?;
    let flagged = |wanted: Flag| -> Vec<Uuid> {
        let ids = refused.iter().filter(|(.., flag)| *flag == wanted);
        ids.map(|(lease, ..)| lease.update_id)
            .filter(|id| discarded.contains(id))
            .collect()
    };
    states::set_below_current(tx, &flagged(Flag::BelowMeter)).await?;
    states::set_refused(tx, &flagged(Flag::Gone), true).await?;
    states::set_refused(tx, &flagged(Flag::Refused), false).await
}

/// Logs a delivery that is still queued; as an error if the people who run the product should act.
fn log_later(tenant: Tenant, lease: Lease, next: NextAttempt, failure: &ServiceError) {
    let parked = next.max_wait.is_none();
    if !parked && !is_alarming(lease.attempts) {
        return log(tenant, lease, failure);
    }
    tracing::error!(
        company.id = %tenant.company_id(),
        update.id = %lease.update_id,
        attempts = lease.attempts,
        faults = next.faults,
        parked,
        kind = ?failure.kind,
        reason = %failure.reason,
        "failed to apply an operator update for a long time"
    );
}

fn log(tenant: Tenant, lease: Lease, failure: &ServiceError) {
    tracing::warn!(
        company.id = %tenant.company_id(),
        update.id = %lease.update_id,
        attempts = lease.attempts,
        kind = ?failure.kind,
        reason = %failure.reason,
        "failed to apply an operator update"
    );
}

fn still_queued() -> ServiceError {
    ServiceError::new(Kind::Unavailable, hourmeter_runtime::refusals::UNAVAILABLE)
}

/// Translates the equipment service's refusal.
fn refusal(failure: ServiceError) -> ServiceError {
    match failure.kind {
        Kind::NotFound => review::equipment_gone(),
        _ if failure.reason == review::BELOW_CURRENT => review::below_current(),
        _ => failure,
    }
}
