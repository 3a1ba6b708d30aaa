//! Delivering decisions to the equipment service, by the handler that decided or by the relay.

use std::time::Duration;

use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::{Failure, Kind};
use hourmeter_runtime::identity::Tenant;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::domain::retry::{Verdict, verdict};
use crate::domain::review;
use crate::domain::submission::BELOW_METER;
use crate::domain::update::{Status, Update};
use crate::equipment::{Effect, Equipment};
use crate::store::decisions::{self, Claim, Delivery, Progress};
use crate::store::updates;

/// How long a handler begins deliveries before it leaves the rest to the relay.
pub const PATIENCE: Duration = Duration::from_millis(2500);
/// How often a handler looks whether another deliverer is done.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Delivers decisions.
#[derive(Debug)]
pub struct Deliveries {
    database: Database,
    equipment: Equipment,
    left: Notify,
}

/// What became of one delivery.
#[derive(Debug)]
pub enum Outcome {
    /// It took effect.
    Applied(Box<Update>),
    /// It was refused for good, and the decision withdrawn.
    Refused(Failure),
    /// It is still to come.
    Later,
}

impl Deliveries {
    /// Deliveries from `database` to `equipment`.
    pub fn new(database: Database, equipment: Equipment) -> Self {
        Self {
            database,
            equipment,
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
        update: &Update,
        deadline: Instant,
    ) -> Result<Update, Failure> {
        while Instant::now() < deadline {
            let Some(delivery) = self.claim_first(tenant, update).await? else {
                if let Some(settled) = self.look(tenant, update).await? {
                    return Ok(settled);
                }
                tokio::time::sleep(LOOK_EVERY).await;
                continue;
            };
            let mine = delivery.claim.update_id == update.id;
            match self.deliver(tenant, &delivery).await? {
                Outcome::Applied(applied) if mine => return Ok(*applied),
                Outcome::Refused(failure) if mine => return Err(failure),
                Outcome::Applied(_) | Outcome::Refused(_) => {}
                Outcome::Later => return Err(still_to_come()),
            }
        }
        self.left.notify_one();
        Err(still_to_come())
    }

    /// Leases what is due, of any company.
    pub async fn claim_due(&self, most: i32) -> Result<Vec<Claim>, Failure> {
        let mut lookup = self.database.lookup().await?;
        decisions::claim_due(&mut lookup, most).await
    }

    /// Delivers what the relay has leased.
    pub async fn deliver_claimed(&self, claim: Claim) -> Result<(), Failure> {
        // The database itself named this company.
        let tenant = Tenant::found_by_lookup(claim.company_id);
        let mut tx = self.database.tenant(tenant).await?;
        let delivery = decisions::find_delivery(&mut tx, tenant, claim).await?;
        tx.commit().await?;
        if let Some(delivery) = delivery {
            self.deliver(tenant, &delivery).await?;
        }
        Ok(())
    }

    async fn claim_first(
        &self,
        tenant: Tenant,
        update: &Update,
    ) -> Result<Option<Delivery>, Failure> {
        let mut tx = self.database.tenant(tenant).await?;
        let delivery = match decisions::claim_first(&mut tx, tenant, update).await? {
            Some(claim) => decisions::find_delivery(&mut tx, tenant, claim).await?,
            None => None,
        };
        tx.commit().await?;
        Ok(delivery)
    }

    /// The submission once another deliverer has settled it.
    async fn look(&self, tenant: Tenant, update: &Update) -> Result<Option<Update>, Failure> {
        let mut tx = self.database.tenant(tenant).await?;
        // In this order: a decision that is gone has left its result in the submission.
        let progress = decisions::progress(&mut tx, tenant, update.id).await?;
        let now = updates::find(&mut tx, tenant, update.id).await?;
        tx.commit().await?;
        let now = now.ok_or_else(Failure::not_found)?;
        match progress {
            Progress::Queued => Ok(None),
            Progress::Parked => Err(still_to_come()),
            Progress::None if now.status != Status::Pending => Ok(Some(now)),
            Progress::None if now.below_current => Err(review::below_current()),
            Progress::None => Err(review::withdrawn()),
        }
    }

    async fn deliver(&self, tenant: Tenant, delivery: &Delivery) -> Result<Outcome, Failure> {
        match self.equipment.apply(tenant, delivery).await {
            Ok(effect) => self.complete(tenant, delivery, effect).await,
            Err(failure) => self.failed(tenant, delivery, failure).await,
        }
    }

    async fn complete(
        &self,
        tenant: Tenant,
        delivery: &Delivery,
        effect: Effect,
    ) -> Result<Outcome, Failure> {
        let id = delivery.claim.update_id;
        let mut tx = self.database.tenant(tenant).await?;
        updates::lock(&mut tx, tenant, id).await?;
        decisions::complete(&mut tx, tenant, id, effect.before, effect.after).await?;
        let applied = updates::find(&mut tx, tenant, id).await?;
        tx.commit().await?;
        let applied = applied.ok_or_else(Failure::not_found)?;
        Ok(Outcome::Applied(Box::new(applied)))
    }

    async fn failed(
        &self,
        tenant: Tenant,
        delivery: &Delivery,
        failure: Failure,
    ) -> Result<Outcome, Failure> {
        let claim = delivery.claim;
        let verdict = verdict(&failure, claim.attempts);
        tracing::warn!(
            company.id = %claim.company_id,
            update.id = %claim.update_id,
            attempts = claim.attempts,
            kind = ?failure.kind,
            reason = %failure.reason,
            ?verdict,
            "an operator update was not applied"
        );
        let mut tx = self.database.tenant(tenant).await?;
        match verdict {
            Verdict::Retry { within_seconds } => {
                decisions::postpone(&mut tx, tenant, claim, within_seconds).await?;
            }
            Verdict::Park => decisions::park(&mut tx, tenant, claim).await?,
            Verdict::Refused => {
                updates::lock(&mut tx, tenant, claim.update_id).await?;
                let withdrawn = decisions::withdraw(&mut tx, tenant, claim).await?;
                let below = failure.reason == "BELOW_CURRENT" && !delivery.terms.overridden;
                if withdrawn && below {
                    updates::set_below_current(&mut tx, tenant, claim.update_id, BELOW_METER)
                        .await?;
                }
            }
        }
        tx.commit().await?;
        Ok(match verdict {
            Verdict::Retry { .. } | Verdict::Park => Outcome::Later,
            Verdict::Refused => Outcome::Refused(refusal(failure)),
        })
    }
}

fn still_to_come() -> Failure {
    Failure::new(
        Kind::Unavailable,
        hourmeter_runtime::error::UNAVAILABLE_MESSAGE,
    )
}

/// The equipment service's refusal in terms of a submission.
fn refusal(failure: Failure) -> Failure {
    match failure.kind {
        Kind::NotFound => review::equipment_gone(),
        _ if failure.reason == "BELOW_CURRENT" => review::below_current(),
        _ => failure,
    }
}
