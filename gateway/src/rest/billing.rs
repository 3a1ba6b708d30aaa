//! Plans and the company's subscription.

use hourmeter_proto::billing::v1::{
    GetSubscriptionRequest, ListPlansRequest, ListPlansResponse, Plan, PlanFeature, Subscription,
};
use hourmeter_proto::equipment::v1::GetSummaryRequest;
use hourmeter_runtime::identity::Service::Billing;

use super::answer::Answer;
use super::call::Call;
use super::route::{Admission, Route, Verb};
use super::shape::Shape;
use super::words;
use crate::rescue::Refusal;

/// The routes of this file.
pub fn routes() -> Vec<Route> {
    vec![
        Route::new(
            (Verb::Get, "/api/plans"),
            Admission::Rpc(Billing, "ListPlans"),
            "The plans, their prices in US cents and what they contain",
            plans,
        )
        .ok("Plans", catalogue(ListPlansResponse::default())),
        Route::new(
            (Verb::Get, "/api/subscription/info"),
            Admission::Rpc(Billing, "GetSubscription"),
            "The company's subscription and what it entitles to",
            subscription_info,
        )
        .ok("SubscriptionInfo", info(&Subscription::default(), 0)),
    ]
}

fn catalogue(answer: ListPlansResponse) -> Shape {
    Shape::new()
        .objects("plans", answer.plans, plan)
        .whole("trialDays", answer.trial_days)
        .whole("yearlyDiscountPercent", answer.yearly_discount_percent)
        .whole("launchDiscountPercent", answer.launch_discount_percent)
}

fn plan(plan: Plan) -> Shape {
    let tier = words::tier(plan.tier());
    Shape::new()
        .word("tier", tier, words::TIER_WORDS)
        .text("name", plan.name)
        .text("description", plan.description)
        .whole("equipmentLimit", plan.equipment_limit)
        .whole("monthlyCents", plan.monthly_cents)
        .whole("yearlyCents", plan.yearly_cents)
        .whole("listMonthlyCents", plan.list_monthly_cents)
        .whole("listYearlyCents", plan.list_yearly_cents)
        .objects("features", plan.features, feature)
}

fn feature(feature: PlanFeature) -> Shape {
    Shape::new()
        .text("key", feature.key)
        .flag("premium", feature.premium)
}

fn info(subscription: &Subscription, equipment_count: u32) -> Shape {
    let plan = subscription.entitlements.unwrap_or_default();
    let status = words::subscription_status(plan.status());
    let interval = words::interval(&subscription.billing_interval);
    Shape::new()
        .word("tier", words::tier(plan.tier()), words::TIER_WORDS)
        .word("status", status, words::SUBSCRIPTION_WORDS)
        .flag("hasActiveSubscription", plan.active)
        .flag("canAccessFuelAnalytics", plan.fuel_analytics)
        .flag("canAccessPartsEntry", plan.parts_entry)
        .whole("equipmentLimit", plan.equipment_limit)
        .whole("equipmentCount", equipment_count)
        .opt_time("trialEndDate", subscription.trial_end)
        .whole("trialDaysLeft", subscription.trial_days_left)
        .opt_time("currentPeriodEnd", subscription.current_period_end)
        .flag("cancelAtPeriodEnd", subscription.cancel_at_period_end)
        .opt_time("pauseEndDate", subscription.pause_end)
        .opt_word("billingInterval", interval, words::INTERVAL_WORDS)
}

async fn plans(call: Call) -> Result<Answer, Refusal> {
    let answer = call.billing().list_plans(ListPlansRequest {}).await?;
    Answer::ok(&catalogue(answer.into_inner()))
}

async fn subscription_info(call: Call) -> Result<Answer, Refusal> {
    let (mut billing, mut equipment) = (call.billing(), call.equipment());
    let (subscription, summary) = futures::try_join!(
        billing.get_subscription(GetSubscriptionRequest {}),
        equipment.get_summary(GetSummaryRequest {}),
    )?;
    let subscription = subscription.into_inner().subscription.unwrap_or_default();
    Answer::ok(&info(&subscription, summary.into_inner().total))
}
