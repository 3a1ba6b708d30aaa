//! `ApplyUpdate` and `ApplyUpdates`.

use std::collections::{BTreeMap, BTreeSet};

use futures::StreamExt as _;
use hourmeter_proto::operator_updates::v1 as proto;
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::{Failure, Kind};
use hourmeter_runtime::identity::{Identity, Tenant};
use hourmeter_runtime::quantity::Quantity;
use tokio::time::Instant;
use uuid::Uuid;

use super::{OperatorUpdates, input};
use crate::delivery::PATIENCE;
use crate::domain::review::{self, Apply};
use crate::domain::update::{Reviewer, Update};
use crate::store::decisions::{self, Progress};
use crate::store::updates;

/// How many may be applied with one call.
const MOST_IDS: usize = 200;
/// How many pieces of equipment are worked on at the same time.
const AT_ONCE: usize = 4;

/// What is said of one of several that is still to come.
const STILL_TO_COME: &str = "This update will be applied as soon as possible.";

/// A submission after the manager's word.
enum Decided {
    /// It took effect before.
    Done(Update),
    /// Its effect is to come.
    Queued(Update),
}

/// Submissions of one piece of equipment, in the order to apply them.
type Queue = Vec<Update>;
/// What became of each submission; absent: it is applied.
type Failures = BTreeMap<Uuid, String>;

impl OperatorUpdates {
    pub(super) async fn apply_one(
        &self,
        identity: &Identity,
        request: &proto::ApplyUpdateRequest,
    ) -> Result<Update, Failure> {
        let deadline = Instant::now() + PATIENCE;
        let given = input::given_reading(request.new_usage)?;
        let id = input::row_id(&request.id)?;
        let tenant = identity.tenant();
        let mut tx = self.database.tenant(tenant).await?;
        let decided = decide(&mut tx, id, given, &self.reviewer(identity)).await?;
        tx.commit().await?;
        match decided {
            Decided::Done(update) => Ok(update),
            Decided::Queued(update) => self.deliveries.settle(tenant, &update, deadline).await,
        }
    }

    pub(super) async fn apply_many(
        &self,
        identity: &Identity,
        ids: Vec<String>,
    ) -> Result<Vec<proto::ApplyResult>, Failure> {
        let deadline = Instant::now() + PATIENCE;
        if ids.is_empty() || ids.len() > MOST_IDS {
            let text = format!("Must be 1 to {MOST_IDS} updates.");
            return Err(Failure::field("ids", text));
        }
        let known: BTreeSet<Uuid> = ids.iter().filter_map(|id| id.parse().ok()).collect();
        let (queues, mut failures) = self.decide_all(identity, known).await?;
        let tenant = identity.tenant();
        let mut settled = futures::stream::iter(queues)
            .map(|queue| self.settle_queue(tenant, queue, deadline))
            .buffer_unordered(AT_ONCE);
        while let Some(more) = settled.next().await {
            failures.extend(more);
        }
        Ok(ids.into_iter().map(|id| result(id, &failures)).collect())
    }

    /// Decides all in one transaction; locking them in the order of their ids, so that two
    /// managers with the same selection do not wait for each other.
    async fn decide_all(
        &self,
        identity: &Identity,
        ids: BTreeSet<Uuid>,
    ) -> Result<(Vec<Queue>, Failures), Failure> {
        let reviewer = self.reviewer(identity);
        let mut queues: BTreeMap<Uuid, Queue> = BTreeMap::new();
        let mut failures = Failures::new();
        let mut tx = self.database.tenant(identity.tenant()).await?;
        for id in ids {
            match decide(&mut tx, id, None, &reviewer).await {
                Ok(Decided::Done(_)) => {}
                Ok(Decided::Queued(update)) => {
                    queues.entry(update.equipment_id).or_default().push(update);
                }
                Err(failure) if matches!(failure.kind, Kind::NotFound | Kind::Conflict) => {
                    failures.insert(id, failure.message.into_owned());
                }
                Err(failure) => return Err(failure),
            }
        }
        tx.commit().await?;
        for queue in queues.values_mut() {
            queue.sort_by_key(|update| (update.captured_at, update.id));
        }
        Ok((queues.into_values().collect(), failures))
    }

    /// Delivers one piece of equipment's submissions; when one has to wait, so do those after it.
    async fn settle_queue(&self, tenant: Tenant, queue: Queue, deadline: Instant) -> Failures {
        let mut failures = Failures::new();
        let mut waiting = false;
        for update in queue {
            if waiting {
                failures.insert(update.id, STILL_TO_COME.to_owned());
                continue;
            }
            match self.deliveries.settle(tenant, &update, deadline).await {
                Ok(_) => {}
                Err(failure) if failure.kind == Kind::Unavailable => {
                    waiting = true;
                    failures.insert(update.id, STILL_TO_COME.to_owned());
                }
                Err(failure) => {
                    failures.insert(update.id, failure.message.into_owned());
                }
            }
        }
        failures
    }
}

/// Locks a submission and stores the manager's word.
async fn decide(
    tx: &mut TenantTx,
    id: Uuid,
    given: Option<Quantity>,
    reviewer: &Reviewer,
) -> Result<Decided, Failure> {
    let tenant = tx.tenant();
    let update = updates::lock(tx, tenant, id).await?;
    let update = update.ok_or_else(Failure::not_found)?;
    let progress = decisions::progress(tx, tenant, id).await?;
    match review::apply(&update, progress != Progress::None, given)? {
        Apply::Done => return Ok(Decided::Done(update)),
        Apply::Decided => decisions::confirm(tx, tenant, id, reviewer).await?,
        Apply::Decide(terms) => {
            decisions::insert(tx, tenant, &update, &terms, Some(reviewer)).await?;
        }
    }
    Ok(Decided::Queued(update))
}

fn result(id: String, failures: &Failures) -> proto::ApplyResult {
    let message = match Uuid::parse_str(&id) {
        Ok(known) => failures.get(&known).cloned(),
        Err(_) => Some(Failure::not_found().message.into_owned()),
    };
    proto::ApplyResult {
        ok: message.is_none(),
        message: message.unwrap_or_default(),
        id,
    }
}
