//! Support staff extend a trial or set an agreed plan.

use chrono::TimeDelta;
use hourmeter_proto::billing::v1;
use hourmeter_proto::common::v1::AuditEventType;
use hourmeter_runtime::audit::AuditEntry;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::idempotency::Key;
use hourmeter_runtime::identity::{Caller, StaffIdentity, Tenant};
use hourmeter_runtime::refusals as shared;
use tonic::Request;

use super::error::state_conflict;
use super::reconcile::payer;
use super::staff::{Problem, read_reason};
use super::{Billing, convert, staff_member};
use crate::domain::actions::State;
use crate::domain::subscription::Subscription;
use crate::provider::Change;
use crate::refusals;

const MAX_TRIAL_DAYS: u32 = 365;
const MAX_PLAN_DAYS: u32 = 3660;

/// Moves the end of a trial; an expired trial runs again.
pub async fn extend_trial(
    api: &Billing,
    request: Request<v1::ExtendTrialRequest>,
) -> Result<v1::ExtendTrialResponse, ServiceError> {
    let staff = Caller::staff(&request)?;
    let key = Key::read(&request, "ExtendTrial")?;
    let sender = staff_member(&staff);
    let work = |billing: Billing| async move {
        let subscription = Some(billing.move_trial_end(&staff, request.get_ref()).await?);
        Ok(v1::ExtendTrialResponse { subscription })
    };
    api.run_once(sender, key, work).await
}

/// Gives a company a plan that was agreed on outside the product.
pub async fn set_plan(
    api: &Billing,
    request: Request<v1::SetPlanRequest>,
) -> Result<v1::SetPlanResponse, ServiceError> {
    let staff = Caller::staff(&request)?;
    let key = Key::read(&request, "SetPlan")?;
    let sender = staff_member(&staff);
    let work = |billing: Billing| async move {
        let subscription = Some(billing.give_agreed_plan(&staff, request.get_ref()).await?);
        Ok(v1::SetPlanResponse { subscription })
    };
    api.run_once(sender, key, work).await
}

impl Billing {
    async fn move_trial_end(
        &self,
        staff: &StaffIdentity,
        request: &v1::ExtendTrialRequest,
    ) -> Result<v1::AccountSubscription, ServiceError> {
        let days = request.days;
        let mut problems = Vec::new();
        check_days(days, MAX_TRIAL_DAYS, &mut problems);
        let reason = read_reason(&request.reason, problems)?;
        let tenant = self.find_company(&request.company_id).await?;
        self.catch_up(tenant).await?;
        let mut tx = self.database.tenant(tenant).await?;
        let mut row = self.lock(&mut tx).await?;
        let now = row.now(self.clock.now());
        if !row.may_extend_trial(now) {
            return Err(state_conflict(refusals::TRIAL_NOT_RUNNING));
        }
        if !row.extend_trial(days, now) {
            return Err(ServiceError::field("days", refusals::TRIAL_ALREADY_LONGER));
        }
        self.save(&mut tx, &mut row).await?;
        let days = days.to_string();
        let entry = AuditEntry::success(AuditEventType::TrialExtended)
            .target(tenant.company_id(), &days)
            .detail(&reason);
        self.record_and_commit(tx, staff, &entry, &row).await
    }

    async fn give_agreed_plan(
        &self,
        staff: &StaffIdentity,
        request: &v1::SetPlanRequest,
    ) -> Result<v1::AccountSubscription, ServiceError> {
        let (days, tier) = (request.days, convert::tier(request.tier()));
        let mut problems = Vec::new();
        if tier.is_none() {
            problems.push(("tier".to_owned(), refusals::PLAN_UNKNOWN.into()));
        }
        check_days(days, MAX_PLAN_DAYS, &mut problems);
        let reason = read_reason(&request.reason, problems)?;
        let tier = tier.ok_or_else(|| ServiceError::field("tier", refusals::PLAN_UNKNOWN))?;
        let tenant = self.find_company(&request.company_id).await?;
        let row = self.catch_up(tenant).await?;
        self.cancel_unpaid(tenant, &row, staff).await?;
        let mut tx = self.database.tenant(tenant).await?;
        let mut row = self.lock(&mut tx).await?;
        let now = row.now(self.clock.now());
        if State::of(&row, now).is_at_provider() {
            return Err(state_conflict(refusals::SUBSCRIPTION_PAID_THROUGH_PROVIDER));
        }
        row.agree(tier, now + TimeDelta::days(days.into()));
        self.save(&mut tx, &mut row).await?;
        let entry = AuditEntry::success(AuditEventType::PlanSet)
            .target(tenant.company_id(), tier.name())
            .detail(&reason);
        self.record_and_commit(tx, staff, &entry, &row).await
    }

    /// Reconciles with the provider first: the company may have paid a moment ago.
    async fn catch_up(&self, tenant: Tenant) -> Result<Subscription, ServiceError> {
        let row = self.current(tenant).await?;
        match row.customer_id {
            Some(_) => self.reconcile(tenant, None).await,
            None => Ok(row),
        }
    }

    /// Cancels at the provider a plan whose grace period is over, so that it is not collected any
    /// more.
    async fn cancel_unpaid(
        &self,
        tenant: Tenant,
        row: &Subscription,
        staff: &StaffIdentity,
    ) -> Result<(), ServiceError> {
        let now = row.now(self.clock.now());
        let unpaid = row.payment_failed && !State::of(row, now).is_at_provider();
        let at_provider = payer(tenant, row).zip(row.provider_subscription_id.as_ref());
        let Some((payer, id)) = at_provider.filter(|_| unpaid) else {
            return Ok(());
        };
        let key = format!("{}:give-up:{}", tenant.company_id(), staff.request_id);
        let cancel = Change::CancelNow { credit: false };
        self.payments.change(&payer, id, cancel, now, &key).await?;
        Ok(())
    }
}

fn check_days(days: u32, most: u32, problems: &mut Vec<Problem>) {
    if !(1..=most).contains(&days) {
        let message = shared::BETWEEN.with("min", 1).with("max", most);
        problems.push(("days".to_owned(), message));
    }
}
