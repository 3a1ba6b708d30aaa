//! Conversion between messages and domain types.

use chrono::{DateTime, Utc};
use hourmeter_proto::billing::v1;
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::message::Reason;
use hourmeter_runtime::refusals as shared;
use prost::Message as _;
use prost_types::Timestamp;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::domain::actions::{Action, State};
use crate::domain::plan::{FEATURES, PREMIUM_FEATURES, Plan, Tier};
use crate::domain::requested_change::RequestedChange;
use crate::domain::subscription::{Interval, Status, Subscription};
use crate::provider::Offer;
use crate::refusals;
use crate::webhook::hex;

/// Accepted sign-up times in seconds since the epoch: 1900 to 2200.
const SIGN_UP_SECONDS: std::ops::Range<i64> = -2_208_988_800..7_258_118_400;

pub fn company(
    request: &v1::GetEntitlementsRequest,
) -> Result<(Uuid, DateTime<Utc>), ServiceError> {
    let id = Uuid::parse_str(&request.company_id).ok();
    let signed_up = request.company_created_at.as_ref().and_then(instant);
    if let (Some(id), Some(signed_up)) = (id, signed_up) {
        return Ok((id, signed_up));
    }
    Err(wrong_fields([
        (id.is_none(), "companyId", shared::NOT_AN_ID),
        (signed_up.is_none(), "companyCreatedAt", shared::NOT_A_TIME),
    ]))
}

/// An error that names the fields that are wrong.
fn wrong_fields<const N: usize>(fields: [(bool, &str, Reason); N]) -> ServiceError {
    let wrong = fields.into_iter().filter(|(is_wrong, ..)| *is_wrong);
    let wrong = wrong.map(|(_, field, reason)| (field.to_owned(), reason.into()));
    ServiceError::fields(wrong.collect())
}

/// Whole microseconds, the resolution of PostgreSQL.
fn instant(timestamp: &Timestamp) -> Option<DateTime<Utc>> {
    if !SIGN_UP_SECONDS.contains(&timestamp.seconds) {
        return None;
    }
    let nanos = u32::try_from(timestamp.nanos).ok()?;
    DateTime::from_timestamp(timestamp.seconds, nanos / 1000 * 1000)
}

/// The subscription at the real time `real`.
pub fn subscription(
    row: &Subscription,
    provider: v1::PaymentProvider,
    real: DateTime<Utc>,
) -> v1::Subscription {
    let now = row.now(real);
    let access_state = row.access_state(now);
    let pause_end = row
        .pause_end
        .filter(|_| access_state.status == Status::Paused);
    let actions = State::of(row, now).actions().iter();
    let interval = row.billing_interval.map(Interval::name);
    v1::Subscription {
        entitlements: Some(v1::Entitlements {
            tier: v1::Tier::from(row.tier).into(),
            status: v1::SubscriptionStatus::from(access_state.status).into(),
            active: access_state.active,
            equipment_limit: access_state.equipment_limit,
            fuel_analytics: access_state.premium,
            parts_entry: access_state.premium,
        }),
        trial_start: Some(timestamp(row.trial_start)),
        trial_end: Some(timestamp(row.trial_end)),
        trial_days_left: row.trial_days_left(now),
        current_period_end: row.current_period_end.map(timestamp),
        cancel_at_period_end: row.cancel_at_period_end,
        pause_end: pause_end.map(timestamp),
        billing_interval: interval.unwrap_or_default().to_owned(),
        actions: actions
            .map(|action| v1::SubscriptionAction::from(*action).into())
            .collect(),
        grace_end: row.grace_end(now).map(timestamp),
        provider: provider.into(),
        clock_days_ahead: row.clock_days_ahead,
        has_portal: row.customer_id.is_some(),
        now: Some(timestamp(now)),
        first_charge_at: row.first_charge(now).map(timestamp),
    }
}

/// A digest that changes whenever anything but the current time changes.
pub fn marker(mut shown: v1::Subscription) -> String {
    (shown.now, shown.first_charge_at) = (None, None);
    let digest = Sha256::digest(shown.encode_to_vec());
    hex(&digest[..8])
}

pub fn offer(request: v1::CreateCheckoutSessionRequest) -> Result<Offer, ServiceError> {
    match (tier(request.tier()), interval(request.interval())) {
        (Some(tier), Some(interval)) => Ok(Offer { tier, interval }),
        (tier, interval) => Err(wrong_offer(tier.is_none(), interval.is_none())),
    }
}

pub fn plan_change(request: v1::ChangePlanRequest) -> Result<RequestedChange, ServiceError> {
    let interval = interval(request.interval());
    // Unspecified keeps the interval; an unknown number is an error.
    let is_known = request.interval == 0 || interval.is_some();
    match tier(request.tier()) {
        Some(tier) if is_known => Ok(RequestedChange::Plan(tier, interval)),
        tier => Err(wrong_offer(tier.is_none(), !is_known)),
    }
}

fn wrong_offer(no_tier: bool, no_interval: bool) -> ServiceError {
    wrong_fields([
        (no_tier, "tier", refusals::PLAN_UNKNOWN),
        (no_interval, "billingInterval", refusals::INTERVAL_UNKNOWN),
    ])
}

pub fn pause(request: v1::PauseSubscriptionRequest) -> Result<RequestedChange, ServiceError> {
    match request.months {
        months @ (3 | 6) => Ok(RequestedChange::Pause(months)),
        _ => Err(ServiceError::field("months", shared::PAUSE_MONTHS_UNKNOWN)),
    }
}

pub fn tier(tier: v1::Tier) -> Option<Tier> {
    match tier {
        v1::Tier::Unspecified => None,
        v1::Tier::Basic => Some(Tier::Basic),
        v1::Tier::Professional => Some(Tier::Professional),
        v1::Tier::Enterprise => Some(Tier::Enterprise),
    }
}

fn interval(interval: v1::BillingInterval) -> Option<Interval> {
    match interval {
        v1::BillingInterval::Unspecified => None,
        v1::BillingInterval::Month => Some(Interval::Month),
        v1::BillingInterval::Year => Some(Interval::Year),
    }
}

impl From<Action> for v1::SubscriptionAction {
    fn from(action: Action) -> Self {
        match action {
            Action::Checkout => Self::Checkout,
            Action::ChangePlan => Self::ChangePlan,
            Action::Pause => Self::Pause,
            Action::Reactivate => Self::Reactivate,
            Action::Cancel => Self::Cancel,
        }
    }
}

impl From<&Plan> for v1::Plan {
    fn from(plan: &Plan) -> Self {
        let features = FEATURES.map(|key| v1::PlanFeature {
            key: key.to_owned(),
            premium: PREMIUM_FEATURES.contains(&key),
        });
        Self {
            tier: v1::Tier::from(plan.tier).into(),
            name: plan.name.to_owned(),
            description: plan.description.to_owned(),
            equipment_limit: plan.equipment_limit,
            monthly_cents: plan.monthly_cents,
            yearly_cents: plan.yearly_cents,
            list_monthly_cents: plan.list_monthly_cents,
            list_yearly_cents: plan.list_yearly_cents,
            features: features.into(),
        }
    }
}

impl From<Tier> for v1::Tier {
    fn from(tier: Tier) -> Self {
        match tier {
            Tier::Basic => Self::Basic,
            Tier::Professional => Self::Professional,
            Tier::Enterprise => Self::Enterprise,
        }
    }
}

impl From<Interval> for v1::BillingInterval {
    fn from(interval: Interval) -> Self {
        match interval {
            Interval::Month => Self::Month,
            Interval::Year => Self::Year,
        }
    }
}

impl From<Status> for v1::SubscriptionStatus {
    fn from(status: Status) -> Self {
        match status {
            Status::Trial => Self::Trial,
            Status::Active => Self::Active,
            Status::Paused => Self::Paused,
            Status::Canceled => Self::Canceled,
            Status::Expired => Self::Expired,
        }
    }
}
