//! Messages to and from the domain; the only file that names both.

use chrono::{DateTime, Utc};
use hourmeter_proto::billing::v1 as proto;
use hourmeter_runtime::error::Failure;
use prost_types::Timestamp;
use uuid::Uuid;

use crate::domain::plan::{FEATURES, Plan, Tier};
use crate::domain::subscription::{Standing, Status, Subscription};

/// The earliest and the latest sign-up believed, seconds since the epoch: 1900 to 2200.
const SIGN_UP_SECONDS: std::ops::Range<i64> = -2_208_988_800..7_258_118_400;

/// The company an entitlements request is about, and when it signed up.
pub fn company(request: &proto::GetEntitlementsRequest) -> Result<(Uuid, DateTime<Utc>), Failure> {
    let id = Uuid::parse_str(&request.company_id).ok();
    let signed_up = request.company_created_at.as_ref().and_then(instant);
    if let (Some(id), Some(signed_up)) = (id, signed_up) {
        return Ok((id, signed_up));
    }
    let wrong = [
        (id.is_none(), "companyId", "Is not an id."),
        (signed_up.is_none(), "companyCreatedAt", "Is not a time."),
    ];
    let fields = wrong.into_iter().filter(|(wrong, ..)| *wrong);
    Err(Failure::fields(
        fields
            .map(|(_, field, text)| (field.to_owned(), text.to_owned()))
            .collect(),
    ))
}

/// In whole microseconds, as PostgreSQL keeps it.
fn instant(timestamp: &Timestamp) -> Option<DateTime<Utc>> {
    if !SIGN_UP_SECONDS.contains(&timestamp.seconds) {
        return None;
    }
    let nanos = u32::try_from(timestamp.nanos).ok()?;
    DateTime::from_timestamp(timestamp.seconds, nanos / 1000 * 1000)
}

fn timestamp(time: DateTime<Utc>) -> Timestamp {
    Timestamp {
        seconds: time.timestamp(),
        nanos: i32::try_from(time.timestamp_subsec_nanos()).unwrap_or(0),
    }
}

/// What a company may do.
pub fn entitlements(subscription: &Subscription, standing: Standing) -> proto::Entitlements {
    proto::Entitlements {
        tier: proto::Tier::from(subscription.tier).into(),
        status: proto::SubscriptionStatus::from(standing.status).into(),
        active: standing.active,
        equipment_limit: standing.equipment_limit,
        fuel_analytics: standing.premium,
        parts_entry: standing.premium,
    }
}

/// A subscription as it stands at `now`.
pub fn subscription(row: Subscription, now: DateTime<Utc>) -> proto::Subscription {
    let standing = row.standing(now);
    let pause_end = row.pause_end.filter(|_| standing.status == Status::Paused);
    proto::Subscription {
        entitlements: Some(entitlements(&row, standing)),
        trial_start: Some(timestamp(row.trial_start)),
        trial_end: Some(timestamp(row.trial_end)),
        trial_days_left: row.trial_days_left(now),
        current_period_end: row.current_period_end.map(timestamp),
        cancel_at_period_end: row.cancel_at_period_end,
        pause_end: pause_end.map(timestamp),
        billing_interval: row.billing_interval.unwrap_or_default(),
    }
}

impl From<&Plan> for proto::Plan {
    fn from(plan: &Plan) -> Self {
        let features = FEATURES.iter().map(|feature| proto::PlanFeature {
            key: feature.key.to_owned(),
            premium: feature.premium,
        });
        Self {
            tier: proto::Tier::from(plan.tier).into(),
            name: plan.name.to_owned(),
            description: plan.description.to_owned(),
            equipment_limit: plan.equipment_limit,
            monthly_cents: plan.monthly_cents,
            yearly_cents: plan.yearly_cents,
            list_monthly_cents: plan.list_monthly_cents,
            list_yearly_cents: plan.list_yearly_cents,
            features: features.collect(),
        }
    }
}

impl From<Tier> for proto::Tier {
    fn from(tier: Tier) -> Self {
        match tier {
            Tier::Basic => Self::Basic,
            Tier::Professional => Self::Professional,
            Tier::Enterprise => Self::Enterprise,
        }
    }
}

impl From<Status> for proto::SubscriptionStatus {
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
