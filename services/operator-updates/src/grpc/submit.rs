//! `SubmitUpdate`.

use hourmeter_proto::operator_updates::v1 as proto;
use hourmeter_runtime::clock::plausible_time;
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::idempotency::{Key, Outcome, begin, stored_response};
use hourmeter_runtime::identity::{Identity, Tenant};
use tokio::time::Instant;
use uuid::Uuid;

use super::OperatorUpdates;
use super::input::{self, Submission};
use crate::changes::tell;
use crate::delivery::PATIENCE;
use crate::domain::check::{self, Entry, REPEATED_WITHIN};
use crate::domain::review::Terms;
use crate::domain::submission::takes_effect_at_once;
use crate::domain::update::{Decision, Status, Update};
use crate::equipment::Metered;
use crate::refusals;
use crate::store::{decisions, updates};

/// What came of storing a submission.
enum Stored {
    /// New, and waiting for the manager.
    Waiting(Update),
    /// New, and to take effect at once.
    Decided(Update),
    /// Its client id was seen before.
    Known(Update),
    /// Its idempotency key was; this was answered.
    Repeated(proto::SubmitUpdateResponse),
}

impl OperatorUpdates {
    #[tracing::instrument(name = "operator_updates.submit", level = "debug", skip_all)]
    pub(super) async fn submit(
        &self,
        identity: &Identity,
        key: Option<Key>,
        request: proto::SubmitUpdateRequest,
    ) -> Result<proto::SubmitUpdateResponse, ServiceError> {
        let deadline = Instant::now() + PATIENCE;
        let tenant = identity.tenant();
        let submission = input::submission(&request)?;
        let metered = self.metered(tenant, submission.equipment_id).await;
        let (equipment_id, metered) = match metered {
            Ok(found) => found,
            // A repeat is answered whatever became of the equipment.
            Err(failure) => {
                if let Some(first) = self.answered(identity, key.as_ref()).await? {
                    return Ok(first);
                }
                let known = self.known(identity, &submission.client_id).await?;
                return known.map(|known| answer(known, false)).ok_or(failure);
            }
        };
        let name = metered.equipment_name;
        let update = self.draft(identity, submission, equipment_id, name);
        match self.store(identity, key, update, &metered.meter).await? {
            Stored::Waiting(update) => {
                tell(&self.events, tenant, [update.operator_id]);
                Ok(answer(update, true))
            }
            Stored::Known(update) => Ok(answer(update, false)),
            Stored::Repeated(first) => self.as_it_stands(tenant, first).await,
            Stored::Decided(update) => {
                let id = update.id;
                tell(&self.events, tenant, [update.operator_id]);
                let settled = self.deliveries.settle(tenant, update, deadline).await;
                let now = match settled {
                    Ok(settled) => settled,
                    // It is stored, which is what was asked; the relay or the manager goes on.
                    Err(failure) => {
                        tracing::warn!(update.id = %id, %failure, "still to take effect");
                        self.read(tenant, id).await?
                    }
                };
                Ok(answer(now, true))
            }
        }
    }

    async fn metered(
        &self,
        tenant: Tenant,
        id: Option<Uuid>,
    ) -> Result<(Uuid, Metered), ServiceError> {
        let id = id.ok_or_else(ServiceError::not_found)?;
        let metered = self.equipment.meter(tenant, id).await;
        Ok((id, metered.map_err(meter_failure)?))
    }

    /// What a request with this key was answered, with the update as it stands now.
    async fn answered(
        &self,
        identity: &Identity,
        key: Option<&Key>,
    ) -> Result<Option<proto::SubmitUpdateResponse>, ServiceError> {
        if key.is_none() {
            return Ok(None);
        }
        let tenant = identity.tenant();
        let mut tx = self.database.tenant(tenant).await?;
        let first = stored_response(&mut tx, identity, key, self.clock.now()).await?;
        tx.commit().await?;
        match first {
            Some(first) => self.as_it_stands(tenant, first).await.map(Some),
            None => Ok(None),
        }
    }

    async fn as_it_stands(
        &self,
        tenant: Tenant,
        first: proto::SubmitUpdateResponse,
    ) -> Result<proto::SubmitUpdateResponse, ServiceError> {
        let id = first.update.unwrap_or_default().id;
        let id = Uuid::parse_str(&id).map_err(ServiceError::internal)?;
        Ok(answer(self.read(tenant, id).await?, first.created))
    }

    /// What the caller sent under this id before.
    async fn known(
        &self,
        identity: &Identity,
        client_id: &str,
    ) -> Result<Option<Update>, ServiceError> {
        if client_id.is_empty() {
            return Ok(None);
        }
        let tenant = identity.tenant();
        let mut reads = self.database.read(tenant).await?;
        let id = updates::id_of_client_id(&mut reads, tenant, client_id).await?;
        reads.done();
        let Some(id) = id else {
            return Ok(None);
        };
        own(identity, self.read(tenant, id).await?).map(Some)
    }

    /// The submission as it would be stored, apart from what the meter says to it.
    fn draft(
        &self,
        identity: &Identity,
        submission: Submission,
        equipment_id: Uuid,
        equipment_name: String,
    ) -> Update {
        let id = Uuid::now_v7();
        let now = self.clock.now();
        let client_id = match submission.client_id {
            given if given.is_empty() => id.to_string(),
            given => given,
        };
        Update {
            id,
            equipment_id,
            equipment_name,
            reported_equipment_name: String::new(),
            operator_id: identity.user_id,
            operator_name: identity.display_name.clone(),
            new_usage: submission.new_usage,
            fuel_added: submission.fuel_added,
            fuel_kind: submission.fuel_kind,
            notes: submission.notes,
            status: Status::Pending,
            decision: Decision::None,
            client_id,
            captured_at: plausible_time(submission.captured_at, now),
            previous_usage: None,
            applied_usage: None,
            late: false,
            below_current: false,
            flags: Vec::new(),
            reviewed_by: String::new(),
            reviewed_at: None,
            reject_reason: String::new(),
            created_at: now,
        }
    }

    async fn store(
        &self,
        identity: &Identity,
        key: Option<Key>,
        mut update: Update,
        meter: &check::Meter,
    ) -> Result<Stored, ServiceError> {
        let (tenant, now) = (identity.tenant(), self.clock.now());
        let turn = update.operator_id;
        let tx = self.database.tenant_with_lock(tenant, turn).await?;
        let mut tx = match begin(tx, identity, key, now).await? {
            Outcome::New(work) => work,
            Outcome::Repeat(first) => return Ok(Stored::Repeated(first)),
        };
        // The statement that inserts it looks for the same one.
        note(&mut update, meter, None);
        let Some(flags) = updates::insert(&mut tx, tenant, &update).await? else {
            let first = updates::find_by_client_id(&mut tx, tenant, &update.client_id).await?;
            let gone = || ServiceError::internal("a client id is taken and not there");
            let first = first.ok_or_else(gone)?;
            tx.finish(&answer(first.clone(), false)).await?;
            return own(identity, first).map(Stored::Known);
        };
        update.flags = flags;
        let at_once = takes_effect_at_once(
            identity.auto_apply_updates,
            identity.entitlements.active,
            &update.flags,
        );
        if at_once {
            let terms = Terms::reported(&update);
            decisions::insert(&mut tx, tenant, &update, &terms, None).await?;
        }
        tx.finish(&answer(update.clone(), true)).await?;
        Ok(if at_once {
            Stored::Decided(update)
        } else {
            Stored::Waiting(update)
        })
    }

    /// A submission that is known to be there.
    pub(super) async fn read(&self, tenant: Tenant, id: Uuid) -> Result<Update, ServiceError> {
        let mut tx = self.database.tenant(tenant).await?;
        let update = updates::find(&mut tx, tenant, id).await?;
        tx.commit().await?;
        update.ok_or_else(ServiceError::not_found)
    }
}

/// A submission under a known client id, unless it is another person's: they are nobody else's to
/// read.
fn own(identity: &Identity, known: Update) -> Result<Update, ServiceError> {
    if known.operator_id == identity.user_id {
        return Ok(known);
    }
    Err(ServiceError::new(Kind::Conflict, refusals::CLIENT_ID_TAKEN))
}

/// Checks a submission against the meter it is about. The transaction has its operator's turn, so
/// that no other submission of that person is stored meanwhile.
pub(super) async fn assess(
    tx: &mut TenantTx,
    update: &mut Update,
    meter: &check::Meter,
) -> Result<(), ServiceError> {
    let tenant = tx.tenant();
    let seconds = updates::seconds_to_the_same(tx, tenant, update, REPEATED_WITHIN).await?;
    note(update, meter, seconds);
    Ok(())
}

/// Notes in a submission what the rules find.
fn note(update: &mut Update, meter: &check::Meter, repeated_seconds_ago: Option<i64>) {
    let entry = Entry {
        reading: update.new_usage,
        fuel_added: update.fuel_added,
        captured_at: update.captured_at,
        repeated_seconds_ago,
    };
    let found = check::check(meter, &entry);
    update.previous_usage = Some(meter.reading);
    update.late = found.late;
    update.below_current = found.below_meter();
    update.flags = found.flags;
}

fn answer(update: Update, created: bool) -> proto::SubmitUpdateResponse {
    proto::SubmitUpdateResponse {
        update: Some(update.into()),
        created,
    }
}

/// Only two of the equipment service's answers are the operator's business.
pub(super) fn meter_failure(failure: ServiceError) -> ServiceError {
    match failure.kind {
        Kind::NotFound => ServiceError::not_found(),
        Kind::Unavailable => failure,
        kind => ServiceError::internal(format!("reading a meter failed: {kind:?}")),
    }
}
