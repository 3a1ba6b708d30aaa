//! `SubmitUpdate`.

use hourmeter_proto::operator_updates::v1 as proto;
use hourmeter_runtime::clock::captured;
use hourmeter_runtime::error::{Failure, Kind};
use hourmeter_runtime::identity::{Identity, Tenant};
use tokio::time::Instant;
use uuid::Uuid;

use super::OperatorUpdates;
use super::input::{self, Submission};
use crate::delivery::PATIENCE;
use crate::domain::review::Terms;
use crate::domain::submission::{REPEATED_WITHIN, flags, is_below, takes_effect_at_once};
use crate::domain::update::{Status, Update};
use crate::equipment::Meter;
use crate::store::{decisions, updates};

/// What came of storing a submission.
enum Stored {
    /// New, and waiting for the manager.
    Waiting(Update),
    /// New, and to take effect at once.
    Decided(Update),
    /// Its client id was seen before.
    Known(Update),
}

impl OperatorUpdates {
    pub(super) async fn submit(
        &self,
        identity: &Identity,
        request: proto::SubmitUpdateRequest,
    ) -> Result<proto::SubmitUpdateResponse, Failure> {
        let deadline = Instant::now() + PATIENCE;
        let tenant = identity.tenant();
        let submission = input::submission(&request)?;
        // Before the equipment is asked: a repeat is answered whatever became of the equipment.
        if let Some(known) = self.known(tenant, &submission.client_id).await? {
            return Ok(answer(known, false));
        }
        let equipment_id = submission.equipment_id.ok_or_else(Failure::not_found)?;
        let meter = self.equipment.meter(tenant, equipment_id).await;
        let meter = meter.map_err(meter_failure)?;
        let update = self.draft(identity, submission, equipment_id, meter);
        match self.store(identity, update).await? {
            Stored::Waiting(update) => Ok(answer(update, true)),
            Stored::Known(update) => Ok(answer(update, false)),
            Stored::Decided(update) => {
                let settled = self.deliveries.settle(tenant, &update, deadline).await;
                let now = match settled {
                    Ok(settled) => settled,
                    // It is stored, which is what was asked; the relay or the manager goes on.
                    Err(failure) => {
                        tracing::warn!(update.id = %update.id, %failure, "still to take effect");
                        self.read(tenant, update.id).await?
                    }
                };
                Ok(answer(now, true))
            }
        }
    }

    async fn known(&self, tenant: Tenant, client_id: &str) -> Result<Option<Update>, Failure> {
        if client_id.is_empty() {
            return Ok(None);
        }
        let mut tx = self.database.tenant(tenant).await?;
        let known = updates::find_by_client_id(&mut tx, tenant, client_id).await?;
        tx.commit().await?;
        Ok(known)
    }

    /// The submission as it would be stored, flags aside.
    fn draft(
        &self,
        identity: &Identity,
        submission: Submission,
        equipment_id: Uuid,
        meter: Meter,
    ) -> Update {
        let id = Uuid::now_v7();
        let now = self.clock.now();
        let client_id = match submission.client_id {
            given if given.is_empty() => id.to_string(),
            given => given,
        };
        let captured_at = captured(submission.captured_at, now);
        let reading = submission.new_usage;
        Update {
            id,
            equipment_id,
            equipment_name: meter.equipment_name,
            operator_id: identity.user_id,
            operator_name: identity.display_name.clone(),
            new_usage: reading,
            fuel_added: submission.fuel_added,
            fuel_kind: submission.fuel_kind,
            notes: submission.notes,
            status: Status::Pending,
            client_id,
            captured_at,
            previous_usage: Some(meter.usage),
            below_current: is_below(reading, captured_at, meter.usage, meter.read_at),
            flags: Vec::new(),
            reviewed_by: String::new(),
            reviewed_at: None,
            reject_reason: String::new(),
            created_at: now,
        }
    }

    async fn store(&self, identity: &Identity, mut update: Update) -> Result<Stored, Failure> {
        let tenant = identity.tenant();
        let mut tx = self.database.tenant(tenant).await?;
        let since = update.created_at - REPEATED_WITHIN;
        let repeated = updates::is_repeated(&mut tx, tenant, &update, since).await?;
        update.flags = flags(update.below_current, repeated);
        if !updates::insert(&mut tx, tenant, &update).await? {
            let first = updates::find_by_client_id(&mut tx, tenant, &update.client_id).await?;
            tx.commit().await?;
            let gone = || Failure::internal("a client id is taken and not there");
            return Ok(Stored::Known(first.ok_or_else(gone)?));
        }
        let at_once = takes_effect_at_once(
            identity.auto_apply_updates,
            identity.entitlements.active,
            &update.flags,
        );
        if at_once {
            let terms = Terms::reported(&update);
            decisions::insert(&mut tx, tenant, &update, &terms, None).await?;
        }
        tx.commit().await?;
        Ok(if at_once {
            Stored::Decided(update)
        } else {
            Stored::Waiting(update)
        })
    }

    /// A submission that is known to be there.
    pub(super) async fn read(&self, tenant: Tenant, id: Uuid) -> Result<Update, Failure> {
        let mut tx = self.database.tenant(tenant).await?;
        let update = updates::find(&mut tx, tenant, id).await?;
        tx.commit().await?;
        update.ok_or_else(Failure::not_found)
    }
}

fn answer(update: Update, created: bool) -> proto::SubmitUpdateResponse {
    proto::SubmitUpdateResponse {
        update: Some(update.into()),
        created,
    }
}

/// Only two of the equipment service's answers are the operator's business.
fn meter_failure(failure: Failure) -> Failure {
    match failure.kind {
        Kind::NotFound => Failure::not_found(),
        Kind::Unavailable => failure,
        kind => Failure::internal(format!("reading a meter failed: {kind:?}")),
    }
}
