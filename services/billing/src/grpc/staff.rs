//! What support staff see and set.

use hourmeter_proto::billing::v1::{
    AccountSubscription, ListSubscriptionsRequest, ListSubscriptionsResponse,
    SetEquipmentLimitRequest, SetEquipmentLimitResponse,
};
use hourmeter_runtime::audit::{self, AuditContext, AuditEntry};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{StaffIdentity, Tenant};
use hourmeter_runtime::message::Message;
use hourmeter_runtime::refusals as shared;
use hourmeter_runtime::text::{LineBreaks, clean, is_zero_width};
use uuid::Uuid;

use super::Billing;
use crate::domain::subscription::Subscription;
use crate::refusals;
use crate::store::{subscriptions, support};

const MOST_COMPANIES: usize = 500;
const HIGHEST_LIMIT: i32 = 1_000_000;
/// Unlimited, as in the contract.
const UNLIMITED: i32 = -1;
const SHORTEST_REASON: usize = 10;
const LONGEST_REASON: usize = 500;

impl Billing {
    pub(super) async fn subscriptions(
        &self,
        request: &ListSubscriptionsRequest,
    ) -> Result<ListSubscriptionsResponse, ServiceError> {
        let ids = read_ids(&request.company_ids)?;
        let mut lookup = self.database.lookup().await?;
        let found = support::list(&mut lookup, &ids, self.payments.name()).await?;
        drop(lookup);
        let found = found.into_iter();
        Ok(ListSubscriptionsResponse {
            subscriptions: found.map(|(id, row)| self.account(id, &row)).collect(),
        })
    }

    /// Sets the company's equipment limit, or resets it to the plan's.
    pub(super) async fn limit(
        &self,
        staff: &StaffIdentity,
        request: &SetEquipmentLimitRequest,
    ) -> Result<SetEquipmentLimitResponse, ServiceError> {
        let limit = request.equipment_limit;
        let reason = read_wish(limit, &request.reason)?;
        let tenant = self.known_company(&request.company_id).await?;

        let trail = AuditContext::from_staff(staff);
        let mut tx = self.database.tenant(tenant).await?;
        subscriptions::set_limit(&mut tx, tenant, limit, self.clock.now()).await?;
        let row = self.find(&mut tx).await?;
        let now = row.now(self.clock.now());
        let in_effect = shown(row.standing(now).equipment_limit);
        let line = AuditEntry::success("equipment_limit_set")
            .target(tenant.company_id(), &in_effect)
            .detail(&reason);
        audit::record(&mut tx, tenant, &trail, &line).await?;
        support::note_limit(&mut tx, tenant, &trail, &in_effect, &reason).await?;
        tx.commit().await?;
        self.tell(tenant);
        Ok(SetEquipmentLimitResponse {
            subscription: Some(self.account(tenant.company_id(), &row)),
        })
    }

    /// The company if billing has a row for it.
    pub(super) async fn known_company(&self, id: &str) -> Result<Tenant, Failure> {
        let id = Uuid::parse_str(id).map_err(|_| Failure::not_found())?;
        let mut lookup = self.database.lookup().await?;
        let found = support::list(&mut lookup, &[id], self.payments.name()).await?;
        let found = found.first().map(|(id, _)| Tenant::from_lookup(*id));
        found.ok_or_else(ServiceError::not_found)
    }

    pub(super) fn account(&self, company_id: Uuid, row: &Subscription) -> AccountSubscription {
        AccountSubscription {
            company_id: company_id.to_string(),
            equipment_limit_override: row.equipment_limit_override,
            subscription: Some(self.shown(row)),
        }
    }
}

fn read_ids(texts: &[String]) -> Result<Vec<Uuid>, ServiceError> {
    if texts.len() > MOST_COMPANIES {
        let text = shared::AT_MOST.with("max", MOST_COMPANIES);
        return Err(ServiceError::field("companyIds", text));
    }
    let ids = texts.iter().map(|text| Uuid::parse_str(text));
    ids.collect::<Result<_, _>>()
        .map_err(|_| ServiceError::field("companyIds", shared::NOT_AN_ID))
}

/// Validates the request and returns the cleaned reason.
fn read_wish(limit: Option<i32>, reason: &str) -> Result<String, Failure> {
    let mut problems = Vec::new();
    let fine = limit.is_none_or(|limit| (UNLIMITED..=HIGHEST_LIMIT).contains(&limit));
    if !fine {
        problems.push((
            "equipmentLimit".to_owned(),
            refusals::EQUIPMENT_LIMIT_OUT_OF_RANGE.into(),
        ));
    }
    let reason = read_reason(reason).unwrap_or_else(|problem| {
        problems.push(("reason".to_owned(), problem));
        String::new()
    });
    if problems.is_empty() {
        Ok(reason)
    } else {
        Err(ServiceError::fields(problems))
    }
}

pub(super) fn read_reason(raw: &str) -> Result<String, Message> {
    let reason = clean(raw, LONGEST_REASON, Lines::Many)?;
    // Zero-width characters do not count.
    let visible = reason.chars().filter(|c| !is_zero_width(*c)).count();
    if visible < SHORTEST_REASON {
        return Err(shared::REASON_TOO_SHORT.into());
    }
    Ok(reason)
}

/// A limit for an audit log, without language.
fn shown(limit: i32) -> String {
    if limit == UNLIMITED {
        "∞".to_owned()
    } else {
        limit.to_string()
    }
}
