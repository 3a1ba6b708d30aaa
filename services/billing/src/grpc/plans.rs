use hourmeter_proto::billing::v1;

use super::Billing;
use crate::domain::plan::{LAUNCH_DISCOUNT_PERCENT, PLANS, YEARLY_DISCOUNT_PERCENT};

pub fn list(api: &Billing) -> v1::ListPlansResponse {
    v1::ListPlansResponse {
        plans: PLANS.iter().map(Into::into).collect(),
        trial_days: api.settings.trial_days,
        yearly_discount_percent: YEARLY_DISCOUNT_PERCENT,
        launch_discount_percent: LAUNCH_DISCOUNT_PERCENT,
    }
}
