//! `ApplyUpdate` and `ApplyUpdates`.

use std::collections::{BTreeMap, BTreeSet};

use hourmeter_proto::operator_updates::v1 as proto;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::{Identity, Tenant};
use tokio::time::Instant;
use uuid::Uuid;

use super::many::{Failures, results};
use super::{OperatorUpdates, input};
use crate::changes::tell;
use crate::delivery::PATIENCE;
use crate::domain::check::Meter;
use crate::domain::review::{self, Apply, Word};
use crate::domain::update::{Decision, Status, Update};
use crate::refusals;
use crate::store::{decisions, marks, updates};

/// A submission after the manager's word.
enum Decided {
    /// It took effect before.
    Done(Update),
    /// Its effect is to come.
    Queued(Update),
}

impl OperatorUpdates {
    pub(super) async fn apply_one(
        &self,
        identity: &Identity,
        request: &proto::ApplyUpdateRequest,
    ) -> Result<Update, ServiceError> {
        let deadline = Instant::now() + PATIENCE;
        let word = input::word(request)?;
        let id = input::row_id(&request.id)?;
        let decided = match self.decide_one(identity, id, word).await {
            Err(failure) if failure.reason == review::BELOW_CURRENT => {
                let superseded = self.is_superseded(identity.tenant(), id).await?;
                if !superseded {
                    return Err(failure);
                }
                let word = Word { superseded, ..word };
                self.decide_one(identity, id, word).await?
            }
            decided => decided?,
        };
        match decided {
            Decided::Done(update) => Ok(update),
            Decided::Queued(update) => {
                let tenant = identity.tenant();
                self.deliveries.settle(tenant, update, deadline).await
            }
        }
    }

    /// Locks a submission and stores the manager's word about it.
    #[tracing::instrument(name = "operator_updates.decide", level = "debug", skip_all)]
    async fn decide_one(
        &self,
        identity: &Identity,
        id: Uuid,
        word: Word,
    ) -> Result<Decided, ServiceError> {
        let tenant = identity.tenant();
        let reviewer = self.reviewer(identity);
        let mut tx = self.database.tenant(tenant).await?;
        let update = updates::lock(&mut tx, tenant, id).await?;
        let update = update.ok_or_else(ServiceError::not_found)?;
        match review::apply(&update, update.decision.is_made(), word)? {
            Apply::Done => return Ok(Decided::Done(update)),
            Apply::Decided => {
                decisions::confirm(&mut tx, tenant, &[id], &reviewer).await?;
                marks::touch(&mut tx, tenant, &parked([&update])).await?;
            }
            Apply::Decide(terms) => {
                decisions::insert(&mut tx, tenant, &update, &terms, Some(&reviewer)).await?;
                marks::touch(&mut tx, tenant, &[id]).await?;
            }
        }
        tx.commit().await?;
        tell(&self.events, tenant, [update.operator_id]);
        Ok(Decided::Queued(update))
    }

    /// Whether being below the meter is past.
    async fn is_superseded(&self, tenant: Tenant, id: Uuid) -> Result<bool, ServiceError> {
        let update = self.read(tenant, id).await?;
        let now = self.equipment.meter(tenant, update.equipment_id).await;
        // When that can't be told, it is below the meter as far as we know.
        Ok(now.is_ok_and(|now| is_past(&update, &now.meter)))
    }

    /// Those of several for which being below the meter is past; one question for each machine.
    async fn superseded(
        &self,
        tenant: Tenant,
        ids: &BTreeSet<Uuid>,
        deadline: Instant,
    ) -> Result<BTreeSet<Uuid>, ServiceError> {
        let ids: Vec<Uuid> = ids.iter().copied().collect();
        let mut tx = self.database.tenant(tenant).await?;
        let rows = updates::find_all(&mut tx, tenant, &ids).await?;
        tx.commit().await?;
        let mut below: BTreeMap<Uuid, Vec<Update>> = BTreeMap::new();
        for row in rows {
            if row.status == Status::Pending && !row.decision.is_made() && row.below_current {
                below.entry(row.equipment_id).or_default().push(row);
            }
        }
        let mut superseded = BTreeSet::new();
        for (equipment_id, rows) in below {
            if Instant::now() >= deadline {
                break;
            }
            match self.equipment.meter(tenant, equipment_id).await {
                Ok(now) => {
                    let past = rows.iter().filter(|row| is_past(row, &now.meter));
                    superseded.extend(past.map(|row| row.id));
                }
                Err(failure) if failure.kind == Kind::Unavailable => break,
                Err(_) => {}
            }
        }
        Ok(superseded)
    }

    pub(super) async fn apply_many(
        &self,
        identity: &Identity,
        ids: Vec<String>,
    ) -> Result<Vec<proto::ApplyResult>, ServiceError> {
        let deadline = Instant::now() + PATIENCE;
        let known = input::several(&ids)?;
        let superseded = self.superseded(identity.tenant(), &known, deadline).await?;
        let (queued, mut failures) = self.decide_all(identity, &known, &superseded).await?;
        let queued_ids: Vec<Uuid> = queued.iter().map(|update| update.id).collect();
        let tenant = identity.tenant();
        let mut settled = self.deliveries.settle_all(tenant, queued, deadline).await;
        for id in queued_ids {
            match settled.remove(&id) {
                Some(Ok(())) => {}
                Some(Err(failure)) if failure.kind != Kind::Unavailable => {
                    failures.insert(id, failure.message);
                }
                Some(Err(_)) | None => {
                    failures.insert(id, refusals::APPLIED_LATER);
                }
            }
        }
        Ok(results(ids, &failures))
    }

    /// Decides all in one transaction and a few statements; answers those whose effect is to come.
    #[tracing::instrument(name = "operator_updates.decide", level = "debug", skip_all, fields(count = ids.len()))]
    async fn decide_all(
        &self,
        identity: &Identity,
        ids: &BTreeSet<Uuid>,
        superseded: &BTreeSet<Uuid>,
    ) -> Result<(Vec<Update>, Failures), ServiceError> {
        let tenant = identity.tenant();
        let mut failures = Failures::unless_found(ids);
        let (mut queued, mut new, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
        let ids: Vec<Uuid> = ids.iter().copied().collect();
        let mut tx = self.database.tenant(tenant).await?;
        for update in updates::lock_all(&mut tx, tenant, &ids).await? {
            failures.remove(update.id);
            let word = Word {
                superseded: superseded.contains(&update.id),
                ..Word::default()
            };
            match review::apply(&update, update.decision.is_made(), word) {
                Ok(Apply::Done) => continue,
                Ok(Apply::Decided) => repeated.push(update.id),
                // Without a word of the manager's own the terms are those reported.
                Ok(Apply::Decide(_)) => new.push(update.id),
                Err(failure) => {
                    failures.insert(update.id, failure.message);
                    continue;
                }
            }
            queued.push(update);
        }
        let reviewer = self.reviewer(identity);
        decisions::confirm(&mut tx, tenant, &repeated, &reviewer).await?;
        decisions::insert_reported(&mut tx, tenant, &new, &reviewer).await?;
        new.extend(parked(&queued));
        marks::touch(&mut tx, tenant, &new).await?;
        tx.commit().await?;
        let operators = queued.iter().map(|update| update.operator_id);
        tell(&self.events, tenant, operators);
        Ok((queued, failures))
    }
}

/// Whether that it was below the meter says nothing of the meter of now: it was read since, which
/// leaves fuel and notes to be booked, or it shows no more than was reported. The equipment service
/// decides all the same.
fn is_past(update: &Update, now: &Meter) -> bool {
    let late = now
        .read_at
        .is_some_and(|read_at| update.captured_at < read_at);
    late || update
        .new_usage
        .is_some_and(|reading| reading >= now.reading)
}

/// Those that nobody was trying any more: they are on their way again.
fn parked<'u>(updates: impl IntoIterator<Item = &'u Update>) -> Vec<Uuid> {
    let parked = updates
        .into_iter()
        .filter(|update| update.decision == Decision::Parked);
    parked.map(|update| update.id).collect()
}
