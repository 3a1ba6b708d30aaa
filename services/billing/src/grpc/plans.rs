use hourmeter_proto::billing::v1::ListPlansResponse;

use crate::BillingSettings;
use crate::domain::plan::{LAUNCH_DISCOUNT_PERCENT, PLANS, YEARLY_DISCOUNT_PERCENT};

pub fn list(settings: &BillingSettings) -> ListPlansResponse {
    ListPlansResponse {
        plans: PLANS.iter().map(Into::into).collect(),
        trial_days: settings.trial_days,
        yearly_discount_percent: YEARLY_DISCOUNT_PERCENT,
        launch_discount_percent: LAUNCH_DISCOUNT_PERCENT,
    }
}
