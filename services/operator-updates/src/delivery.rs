//! Delivering decisions to the equipment service, by the handler that decided or by the relay.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use hourmeter_runtime::db::{Database, TenantTx};
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::events::Events;
use hourmeter_runtime::identity::{Service, Tenant};
use hourmeter_runtime::telemetry::names;
use tokio::sync::Notify;
use tokio::time::Instant;
use uuid::Uuid;

use crate::changes::tell;
use crate::domain::retry::{Next, is_alarming, is_fault, is_refusal};
use crate::domain::review;
use crate::domain::update::{Status, Update};
use crate::equipment::{Answer, Equipment};
use crate::store::decisions::{self, Progress};
use crate::store::deliveries::{self, Claim, Delivery, Queue};
use crate::store::{marks, updates};
use crate::trail;

/// How long a handler begins deliveries before it leaves the rest to the relay.
pub const PATIENCE: Duration = Duration::from_millis(2500);
/// After what time a handler looks whether another deliverer is done. Then it waits twice as long
/// each time: when a deliverer has died, its lease keeps many waiting who must not all keep asking.
const LOOK_FIRST: Duration = Duration::from_millis(50);
/// The longest time between two looks.
const LOOK_LAST: Duration = Duration::from_millis(400);
/// How many are delivered with one call, if their notes are not too long.
const MOST_AT_ONCE: u16 = 200;
/// How many bytes go with one call: half of what a service reads.
const MOST_BYTES: usize = 512 * 1024;
/// What a delivery takes besides its notes, at most.
const BYTES_EACH: usize = 1024;

/// Delivers decisions.
#[derive(Debug)]
pub struct Deliveries {
    database: Database,
    equipment: Equipment,
    events: Events,
    left: Notify,
}

/// Submissions that a handler wants applied, by id.
type Waiting = BTreeMap<Uuid, Update>;

/// What became of submissions that a handler wants applied: absent ones are still to come.
pub type Settled = BTreeMap<Uuid, Result<(), ServiceError>>;

/// What became of one delivery.
#[derive(Debug)]
enum Outcome {
    /// It took effect.
    Applied,
    /// It was refused for good, and the decision withdrawn.
    Refused(ServiceError),
    /// It is still to come.
    Later,
}

/// Who delivers.
#[derive(Clone, Copy, Debug)]
enum Deliverer {
    /// A handler, which begins no call after this. People press a button as often as they like, so
    /// that its tries are not counted.
    Handler(Instant),
    /// The relay.
    Relay,
}

impl Deliverer {
    /// How a delivery goes on after a try that told nothing.
    fn next(self, delivery: &Delivery, failure: &ServiceError) -> Next {
        let counted = matches!(self, Self::Relay) && is_fault(failure);
        Next::after(delivery.claim.attempts, delivery.faults, counted)
    }

    fn is_out_of_time(self) -> bool {
        matches!(self, Self::Handler(deadline) if Instant::now() >= deadline)
    }
}

impl Deliveries {
    /// Deliveries from `database` to `equipment`.
    pub fn new(database: Database, equipment: Equipment, events: Events) -> Self {
        Self {
            database,
            equipment,
            events,
            left: Notify::new(),
        }
    }

    /// Ends when a handler left work to the relay.
    pub async fn left_to_relay(&self) {
        self.left.notified().await;
    }

    /// Delivers a decided submission, and before it those of the same equipment that come first.
    /// UNAVAILABLE when it is still to come at `deadline`: then the relay goes on.
    pub async fn settle(
        &self,
        tenant: Tenant,
        update: Update,
        deadline: Instant,
    ) -> Result<Update, ServiceError> {
        let id = update.id;
        let mut settled = self.settle_all(tenant, vec![update], deadline).await;
        settled
            .remove(&id)
            .unwrap_or_else(|| Err(still_to_come()))?;
        let mut tx = self.database.tenant(tenant).await?;
        let applied = updates::find(&mut tx, tenant, id).await?;
        tx.commit().await?;
        applied.ok_or_else(ServiceError::not_found)
    }

    /// Delivers decided submissions, and before them those of the same equipment that come first.
    #[tracing::instrument(name = "operator_updates.settle", level = "debug", skip_all, fields(count = wanted.len()))]
    pub async fn settle_all(
        &self,
        tenant: Tenant,
        wanted: Vec<Update>,
        deadline: Instant,
    ) -> Settled {
        let mut waiting: Waiting = wanted.into_iter().map(|one| (one.id, one)).collect();
        let mut settled = Settled::new();
        let mut pause = LOOK_FIRST;
        while !waiting.is_empty() && Instant::now() < deadline {
            match self
                .step(tenant, &mut waiting, &mut settled, deadline)
                .await
            {
                Ok(true) => pause = LOOK_FIRST,
                Ok(false) => {
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(LOOK_LAST);
                }
                Err(failure) => {
                    tracing::warn!(error = ?failure.cause, "deliveries were cut short");
                    break;
                }
            }
        }
        if !waiting.is_empty() {
            self.left.notify_one();
        }
        settled
    }

    /// Delivers what can be delivered now; looks what others have done when that is nothing. False:
    /// nothing has happened.
    async fn step(
        &self,
        tenant: Tenant,
        waiting: &mut Waiting,
        settled: &mut Settled,
        deadline: Instant,
    ) -> Result<bool, ServiceError> {
        let batch = self.claim_for(tenant, waiting).await?;
        if batch.is_empty() {
            let seen = self.look(tenant, waiting).await?;
            let happened = !seen.is_empty();
            waiting.retain(|id, _| !seen.contains_key(id));
            settled.extend(seen);
            return Ok(happened);
        }
        let by = Deliverer::Handler(deadline);
        for (delivery, outcome) in self.deliver(tenant, batch, by).await? {
            let id = delivery.claim.update_id;
            match outcome {
                // Those after it have to wait too.
                Outcome::Later => {
                    waiting.retain(|_, update| update.equipment_id != delivery.equipment_id);
                }
                Outcome::Applied if waiting.remove(&id).is_some() => {
                    settled.insert(id, Ok(()));
                }
                Outcome::Refused(failure) if waiting.remove(&id).is_some() => {
                    settled.insert(id, Err(failure));
                }
                Outcome::Applied | Outcome::Refused(_) => {}
            }
        }
        Ok(true)
    }

    /// What is due, of any company.
    pub async fn due(&self, most: i32) -> Result<Vec<Queue>, ServiceError> {
        let mut lookup = self.database.lookup().await?;
        deliveries::due(&mut lookup, most).await
    }

    /// Leases and delivers what comes first of one piece of equipment; false: somebody else has it,
    /// or it is no longer due.
    pub async fn deliver_due(&self, queue: Queue) -> Result<bool, ServiceError> {
        // The database itself named this company.
        let tenant = Tenant::from_lookup(queue.company_id);
        let most = i32::from(MOST_AT_ONCE);
        let mut tx = self.database.tenant(tenant).await?;
        let claims = deliveries::claim_due(&mut tx, tenant, queue.equipment_id, most).await?;
        tx.commit().await?;
        if claims.is_empty() {
            return Ok(false);
        }
        // The lease and its try stay also if what was leased can't be read: so fewer come with the
        // next try, and others come first meanwhile.
        let mut tx = self.database.tenant(tenant).await?;
        let batch = deliveries::find_deliveries(&mut tx, tenant, &claims).await?;
        tx.commit().await?;
        self.deliver(tenant, batch, Deliverer::Relay).await?;
        Ok(true)
    }

    /// Leases what comes first of all equipment that is waited for.
    async fn claim_for(
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
        let most = i64::from(MOST_AT_ONCE);
        let claims = deliveries::claim_until(&mut tx, tenant, &last, most).await?;
        let batch = deliveries::find_deliveries(&mut tx, tenant, &claims).await?;
        tx.commit().await?;
        Ok(batch)
    }

    /// Those that another deliverer has settled.
    async fn look(&self, tenant: Tenant, waiting: &Waiting) -> Result<Settled, ServiceError> {
        let ids: Vec<Uuid> = waiting.keys().copied().collect();
        let mut tx = self.database.tenant(tenant).await?;
        // In this order: a decision that is gone has left its result in the submission.
        let progress = decisions::progress(&mut tx, tenant, &ids).await?;
        let rows = updates::find_all(&mut tx, tenant, &ids).await?;
        tx.commit().await?;
        let settled = rows.into_iter().filter_map(|now| {
            let result = match progress.get(&now.id) {
                Some(Progress::Queued) => return None,
                Some(Progress::Parked) => Err(still_to_come()),
                None if now.status != Status::Pending => Ok(()),
                None if now.below_current => Err(review::below_current()),
                None => Err(review::withdrawn()),
            };
            Some((now.id, result))
        });
        Ok(settled.collect())
    }

    /// Delivers what is leased, in order; what comes after a call without an answer, or after the
    /// deliverer's time, is not tried.
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
                self.give_back(tenant, rest).await?;
                outcomes.extend(rest.iter().map(|_| Outcome::Later));
                break;
            }
            let (part, more) = rest.split_at(fitting(rest));
            let attempt = Box::pin(self.attempt(tenant, rest, part, by));
            let done = trail::follow(part, attempt);
            let Some(done) = done.await? else {
                outcomes.extend(rest.iter().map(|_| Outcome::Later));
                break;
            };
            outcomes.extend(done);
            rest = more;
        }
        Ok(batch.into_iter().zip(outcomes).collect())
    }

    /// Delivers the first `part` of the rest; none: nobody knows what became of it, and all of the
    /// rest is given back.
    async fn attempt(
        &self,
        tenant: Tenant,
        rest: &[Delivery],
        part: &[Delivery],
        by: Deliverer,
    ) -> Result<Option<Vec<Outcome>>, ServiceError> {
        match self.call(tenant, part).await {
            Ok(answers) => self.store(tenant, part, answers, by).await.map(Some),
            Err(failure) => {
                self.postpone(tenant, rest, part.len(), by, &failure)
                    .await?;
                Ok(None)
            }
        }
    }

    /// Asks the equipment service. A refusal is an answer; a failure is that nobody knows.
    async fn call(&self, tenant: Tenant, part: &[Delivery]) -> Result<Vec<Answer>, ServiceError> {
        let [one] = part else {
            return self.equipment.apply_all(tenant, part).await;
        };
        match self.equipment.apply(tenant, one).await {
            Err(failure) if !is_refusal(&failure) => Err(failure),
            answer => Ok(vec![answer]),
        }
    }

    /// Stores what the equipment service answered, in one transaction.
    async fn store(
        &self,
        tenant: Tenant,
        part: &[Delivery],
        answers: Vec<Answer>,
        by: Deliverer,
    ) -> Result<Vec<Outcome>, ServiceError> {
        let (mut effects, mut refused, mut later) = (Vec::new(), Vec::new(), Vec::new());
        let mut outcomes = Vec::with_capacity(part.len());
        for (delivery, answer) in part.iter().zip(answers) {
            let claim = delivery.claim;
            outcomes.push(match answer {
                Ok(effect) => {
                    count("applied");
                    effects.push((claim.update_id, effect));
                    Outcome::Applied
                }
                Err(failure) if is_refusal(&failure) => {
                    count("refused");
                    log(tenant, claim, &failure);
                    let below =
                        failure.reason == review::BELOW_CURRENT && !delivery.terms.overridden;
                    refused.push((claim, below));
                    Outcome::Refused(refusal(failure))
                }
                Err(failure) => {
                    let next = by.next(delivery, &failure);
                    count(next.name());
                    log_later(tenant, claim, next, &failure);
                    later.push((claim, next));
                    Outcome::Later
                }
            });
        }
        let mut tx = self.database.tenant(tenant).await?;
        updates::lock_all(&mut tx, tenant, &ids(part)).await?;
        if !effects.is_empty() {
            deliveries::complete(&mut tx, tenant, &effects).await?;
        }
        if !refused.is_empty() {
            withdraw(&mut tx, tenant, &refused).await?;
        }
        if !later.is_empty() {
            put_off(&mut tx, tenant, &later).await?;
        }
        tx.commit().await?;
        let operators = part.iter().map(|delivery| delivery.operator_id);
        tell(&self.events, tenant, operators);
        Ok(outcomes)
    }

    /// Gives leases back after a call, with the first `called` of them, that was not answered.
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
            .map(|delivery| (delivery.claim, by.next(delivery, failure)));
        let untried = untried.iter().map(|delivery| {
            let next = Next::after(delivery.claim.attempts, delivery.faults, false);
            (delivery.claim, next)
        });
        let tries: Vec<_> = part.chain(untried).collect();
        for (_, next) in &tries[..called] {
            count(next.name());
        }
        // One line for the call, and one for each that waits for a person from now on.
        let told =
            |(place, (_, next)): &(usize, &(Claim, Next))| *place == 0 || next.within.is_none();
        for (_, (claim, next)) in tries.iter().enumerate().filter(told) {
            log_later(tenant, *claim, *next, failure);
        }
        let mut tx = self.database.tenant(tenant).await?;
        updates::lock_all(&mut tx, tenant, &ids(rest)).await?;
        put_off(&mut tx, tenant, &tries).await?;
        tx.commit().await?;
        if tries.iter().any(|(_, next)| next.within.is_none()) {
            let operators = rest.iter().map(|delivery| delivery.operator_id);
            tell(&self.events, tenant, operators);
        }
        Ok(())
    }

    /// Gives leases back of what was not tried, for the relay to go on.
    async fn give_back(&self, tenant: Tenant, rest: &[Delivery]) -> Result<(), ServiceError> {
        let untried: Vec<_> = rest
            .iter()
            .map(|delivery| (delivery.claim, Next::untried(delivery.faults)))
            .collect();
        let mut tx = self.database.tenant(tenant).await?;
        updates::lock_all(&mut tx, tenant, &ids(rest)).await?;
        deliveries::postpone(&mut tx, tenant, &untried).await?;
        tx.commit().await?;
        self.left.notify_one();
        Ok(())
    }
}

/// How many of the first fit into one call; at least one.
fn fitting(deliveries: &[Delivery]) -> usize {
    let mut bytes = 0;
    let fits = |delivery: &&Delivery| {
        bytes += delivery.notes.len() + BYTES_EACH;
        bytes <= MOST_BYTES
    };
    deliveries.iter().take_while(fits).count().max(1)
}

/// Counts a try, by how it ended.
fn count(outcome: &'static str) {
    let service = Service::OperatorUpdates.name();
    names::OUTBOX_DELIVERIES.count([service, outcome]);
}

fn ids(deliveries: &[Delivery]) -> Vec<Uuid> {
    let ids = deliveries.iter().map(|delivery| delivery.claim.update_id);
    ids.collect()
}

/// Gives leases back; those that are not tried again by themselves change what their rows say.
async fn put_off(
    tx: &mut TenantTx,
    tenant: Tenant,
    tries: &[(Claim, Next)],
) -> Result<(), ServiceError> {
    deliveries::postpone(tx, tenant, tries).await?;
    let parked = tries.iter().filter(|(_, next)| next.within.is_none());
    let parked: Vec<Uuid> = parked.map(|(claim, _)| claim.update_id).collect();
    marks::touch(tx, tenant, &parked).await
}

/// Takes refused decisions back, with a flag that says why; each with whether its reading is below
/// the meter.
async fn withdraw(
    tx: &mut TenantTx,
    tenant: Tenant,
    refused: &[(Claim, bool)],
) -> Result<(), ServiceError> {
    let claims: Vec<Claim> = refused.iter().map(|(claim, _)| *claim).collect();
    let below: BTreeSet<Uuid> = refused
        .iter()
        .filter(|(_, below)| *below)
        .map(|(claim, _)| claim.update_id)
        .collect();
    let withdrawn = deliveries::withdraw(tx, tenant, &claims).await?;
    let (below, other): (Vec<_>, Vec<_>) = withdrawn.into_iter().partition(|id| below.contains(id));
    updates::set_below_current(tx, tenant, &below).await?;
    updates::set_refused(tx, tenant, &other).await
}

/// Tells of a delivery that is still to come; as an error when somebody should look.
fn log_later(tenant: Tenant, claim: Claim, next: Next, failure: &ServiceError) {
    let parked = next.within.is_none();
    if !parked && !is_alarming(claim.attempts) {
        return log(tenant, claim, failure);
    }
    tracing::error!(
        company.id = %tenant.company_id(),
        update.id = %claim.update_id,
        attempts = claim.attempts,
        faults = next.faults,
        parked,
        kind = ?failure.kind,
        reason = %failure.reason,
        "an operator update could not be applied for long"
    );
}

fn log(tenant: Tenant, claim: Claim, failure: &ServiceError) {
    tracing::warn!(
        company.id = %tenant.company_id(),
        update.id = %claim.update_id,
        attempts = claim.attempts,
        kind = ?failure.kind,
        reason = %failure.reason,
        "an operator update was not applied"
    );
}

fn still_to_come() -> ServiceError {
    ServiceError::new(Kind::Unavailable, hourmeter_runtime::refusals::UNAVAILABLE)
}

/// The equipment service's refusal in terms of a submission.
fn refusal(failure: ServiceError) -> ServiceError {
    match failure.kind {
        Kind::NotFound => review::equipment_gone(),
        _ if failure.reason == review::BELOW_CURRENT => review::below_current(),
        _ => failure,
    }
}
