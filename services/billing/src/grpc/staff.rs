//! What support staff see and set.

use hourmeter_proto::billing::v1;
use hourmeter_proto::common::v1::AuditEventType;
use hourmeter_runtime::audit::{self, AuditContext, AuditEntry};
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::idempotency::Key;
use hourmeter_runtime::identity::{Caller, StaffIdentity, Tenant};
use hourmeter_runtime::message::Message;
use hourmeter_runtime::page::{Page, TimeKey, read_ids};
use hourmeter_runtime::refusals as shared;
use hourmeter_runtime::text::{LineBreaks, clean, is_zero_width};
use tonic::Request;
use uuid::Uuid;

use super::{Billing, staff_member};
use crate::domain::subscription::Subscription;
use crate::refusals;
use crate::store::{subscriptions, support};

/// The events that change a subscription.
const CHANGES: [AuditEventType; 4] = [
    AuditEventType::PlanChanged,
    AuditEventType::PlanSet,
    AuditEventType::TrialExtended,
    AuditEventType::EquipmentLimitSet,
];
const MAX_LIMIT: i32 = 1_000_000;
/// Unlimited, as in the contract.
const UNLIMITED: i32 = -1;
const MIN_REASON: usize = 10;
const MAX_REASON: usize = 500;

pub async fn list_subscriptions(
    api: &Billing,
    request: Request<v1::ListSubscriptionsRequest>,
) -> Result<v1::ListSubscriptionsResponse, ServiceError> {
    Caller::staff(&request)?;
    let ids = read_ids("companyIds", &request.get_ref().company_ids)?;
    let mut lookup = api.database.lookup().await?;
    let found = support::list(&mut lookup, &ids, api.payments.name()).await?;
    drop(lookup);
    let found = found.into_iter();
    Ok(v1::ListSubscriptionsResponse {
        subscriptions: found.map(|(id, row)| api.account(id, &row)).collect(),
    })
}

pub async fn list_subscriptions_in_state(
    api: &Billing,
    request: Request<v1::ListSubscriptionsInStateRequest>,
) -> Result<v1::ListSubscriptionsInStateResponse, ServiceError> {
    Caller::staff(&request)?;
    let message = request.get_ref();
    let state = state_name(message.state())
        .ok_or_else(|| ServiceError::field("state", shared::CHOICE_UNKNOWN))?;
    let page: Page<TimeKey> = Page::from_request(message.page.as_ref())?;
    let (provider, now) = (api.payments.name(), api.clock.now());
    let (before, limit) = (page.before()?, page.sql_limit());
    let mut lookup = api.database.lookup().await?;
    let mut found =
        support::list_in_state(&mut lookup, state, provider, now, before, limit).await?;
    drop(lookup);
    let next = page.cut(&mut found, |(id, row)| {
        (row.trial_start.timestamp_micros(), *id)
    });
    let found = found.into_iter();
    Ok(v1::ListSubscriptionsInStateResponse {
        subscriptions: found.map(|(id, row)| api.account(id, &row)).collect(),
        page: Some(next),
    })
}

/// The name in the database function.
const fn state_name(state: v1::AccountState) -> Option<&'static str> {
    Some(match state {
        v1::AccountState::Unspecified => return None,
        v1::AccountState::Trial => "trial",
        v1::AccountState::Active => "active",
        v1::AccountState::PastDue => "past_due",
        v1::AccountState::Paused => "paused",
        v1::AccountState::Canceled => "canceled",
        v1::AccountState::Expired => "expired",
    })
}

pub async fn list_account_events(
    api: &Billing,
    request: Request<v1::ListAccountEventsRequest>,
) -> Result<v1::ListAccountEventsResponse, ServiceError> {
    Caller::staff(&request)?;
    let ids = read_ids("companyIds", &[request.into_inner().company_id])?;
    let Some(tenant) = api.first_known(&ids).await? else {
        return Ok(v1::ListAccountEventsResponse::default());
    };
    let events = audit::list_for_staff(&api.database, tenant, &CHANGES).await?;
    Ok(v1::ListAccountEventsResponse { events })
}

/// Sets the company's equipment limit, or resets it to the plan's.
pub async fn set_equipment_limit(
    api: &Billing,
    request: Request<v1::SetEquipmentLimitRequest>,
) -> Result<v1::SetEquipmentLimitResponse, ServiceError> {
    let staff = Caller::staff(&request)?;
    let key = Key::read(&request, "SetEquipmentLimit")?;
    let sender = staff_member(&staff);
    let work = |billing: Billing| async move { billing.set_limit(&staff, request.get_ref()).await };
    api.run_once(sender, key, work).await
}

impl Billing {
    async fn set_limit(
        &self,
        staff: &StaffIdentity,
        request: &v1::SetEquipmentLimitRequest,
    ) -> Result<v1::SetEquipmentLimitResponse, ServiceError> {
        let limit = request.equipment_limit;
        let mut problems = Vec::new();
        if limit.is_some_and(|limit| !(UNLIMITED..=MAX_LIMIT).contains(&limit)) {
            let message = refusals::EQUIPMENT_LIMIT_OUT_OF_RANGE.into();
            problems.push(("equipmentLimit".to_owned(), message));
        }
        let reason = read_reason(&request.reason, problems)?;
        let tenant = self.find_company(&request.company_id).await?;

        let mut tx = self.database.tenant(tenant).await?;
        subscriptions::set_limit(&mut tx, limit, self.clock.now()).await?;
        let row = self.find(&mut tx).await?;
        let now = row.now(self.clock.now());
        let in_effect = limit_text(row.access_state(now).equipment_limit);
        let entry = AuditEntry::success(AuditEventType::EquipmentLimitSet)
            .target(tenant.company_id(), &in_effect)
            .detail(&reason);
        let subscription = Some(self.record_and_commit(tx, staff, &entry, &row).await?);
        Ok(v1::SetEquipmentLimitResponse { subscription })
    }

    /// Writes both audit logs, the company's and the platform's, and commits.
    pub(super) async fn record_and_commit(
        &self,
        mut tx: TenantTx,
        staff: &StaffIdentity,
        entry: &AuditEntry<'_>,
        row: &Subscription,
    ) -> Result<v1::AccountSubscription, ServiceError> {
        let tenant = tx.tenant();
        let context = AuditContext::from_staff(staff);
        audit::record(&mut tx, tenant, &context, entry).await?;
        support::record(&mut tx, Some(tenant.company_id()), &context, entry).await?;
        tx.commit().await?;
        self.publish_change(tenant);
        Ok(self.account(tenant.company_id(), row))
    }

    /// The company if billing has a row for it.
    pub(super) async fn find_company(&self, id: &str) -> Result<Tenant, ServiceError> {
        let id = Uuid::parse_str(id).map_err(|_| ServiceError::not_found())?;
        let found = self.first_known(&[id]).await?;
        found.ok_or_else(ServiceError::not_found)
    }

    /// The first of these companies that billing has a row for.
    async fn first_known(&self, ids: &[Uuid]) -> Result<Option<Tenant>, ServiceError> {
        let mut lookup = self.database.lookup().await?;
        let found = support::list(&mut lookup, ids, self.payments.name()).await?;
        Ok(found.first().map(|(id, _)| Tenant::from_lookup(*id)))
    }

    pub(super) fn account(&self, company_id: Uuid, row: &Subscription) -> v1::AccountSubscription {
        v1::AccountSubscription {
            company_id: company_id.to_string(),
            equipment_limit_override: row.equipment_limit_override,
            subscription: Some(self.message(row)),
        }
    }
}

/// An invalid field and its message.
pub(super) type Problem = (String, Message);

/// Returns the cleaned reason unless it or another field is invalid; the error names all of them.
pub(super) fn read_reason(raw: &str, mut problems: Vec<Problem>) -> Result<String, ServiceError> {
    let reason = clean_reason(raw).unwrap_or_else(|message| {
        problems.push(("reason".to_owned(), message));
        String::new()
    });
    if problems.is_empty() {
        Ok(reason)
    } else {
        Err(ServiceError::fields(problems))
    }
}

fn clean_reason(raw: &str) -> Result<String, Message> {
    let reason = clean(raw, MAX_REASON, LineBreaks::Allowed)?;
    // Zero-width characters do not count.
    let visible = reason.chars().filter(|c| !is_zero_width(*c)).count();
    if visible < MIN_REASON {
        return Err(shared::REASON_TOO_SHORT.into());
    }
    Ok(reason)
}

/// A limit for an audit log, without language.
fn limit_text(limit: i32) -> String {
    if limit == UNLIMITED {
        "∞".to_owned()
    } else {
        limit.to_string()
    }
}
