//! Plans, and the company's subscription: what it is and what is done with it.

use hourmeter_proto::billing::v1::{
    CancelSubscriptionRequest, ChangePlanRequest, CreateCheckoutSessionRequest,
    CreatePortalSessionRequest, GetSubscriptionRequest, ListPlansRequest, ListPlansResponse,
    PauseSubscriptionRequest, Plan, PlanFeature, ReactivateSubscriptionRequest, Subscription,
};
use hourmeter_proto::equipment::v1::GetSummaryRequest;
use hourmeter_runtime::identity::Service::Billing;

use super::answer::Answer;
use super::call::Call;
use super::fields::Fields;
use super::route::{Admission, Route, Verb};
use super::shape::Shape;
use super::words;
use crate::limits::CompanyLimit;
use crate::rescue::Refusal;

/// The routes of this file.
pub fn routes() -> Vec<Route> {
    let mut routes = reads();
    routes.extend(payments());
    routes.extend(changes());
    routes
}

fn reads() -> Vec<Route> {
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
        .ok("SubscriptionInfo", example()),
    ]
}

fn payments() -> Vec<Route> {
    vec![
        Route::new(
            (Verb::Post, "/api/create-checkout-session"),
            Admission::Rpc(Billing, "CreateCheckoutSession"),
            "Where to pay for a plan; nothing is granted before that is done",
            checkout,
        )
        .body(checkout_body)
        .ok("Link", link(String::new()))
        .limited(CompanyLimit::Checkouts),
        Route::new(
            (Verb::Post, "/api/billing-portal"),
            Admission::Rpc(Billing, "CreatePortalSession"),
            "Where invoices and the card are",
            portal,
        )
        .ok("Link", link(String::new())),
    ]
}

fn changes() -> Vec<Route> {
    vec![
        Route::new(
            (Verb::Post, "/api/subscription/upgrade"),
            Admission::Rpc(Billing, "ChangePlan"),
            "Changes the plan of a paid subscription, and how it is paid, at once and prorated",
            change_plan,
        )
        .body(change_body)
        .ok("SubscriptionInfo", example()),
        Route::new(
            (Verb::Post, "/api/subscription/pause"),
            Admission::Rpc(Billing, "PauseSubscription"),
            "Pauses a paid subscription for 3 or 6 months; it goes on by itself",
            pause,
        )
        .body(pause_body)
        .ok("SubscriptionInfo", example()),
        Route::new(
            (Verb::Post, "/api/subscription/reactivate"),
            Admission::Rpc(Billing, "ReactivateSubscription"),
            "Ends a pause, or takes back a cancellation",
            reactivate,
        )
        .ok("SubscriptionInfo", example()),
        Route::new(
            (Verb::Post, "/api/subscription/cancel"),
            Admission::Rpc(Billing, "CancelSubscription"),
            "Ends a trial at once, or a paid subscription with its period",
            cancel,
        )
        .ok("SubscriptionInfo", example()),
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

/// A subscription for the API document.
pub fn example() -> Shape {
    info(&Subscription::default(), None)
}

fn info(subscription: &Subscription, equipment_count: Option<u32>) -> Shape {
    let plan = subscription.entitlements.unwrap_or_default();
    let status = words::subscription_status(plan.status());
    let interval = words::interval(&subscription.billing_interval);
    let provider = words::payment_provider(subscription.provider());
    let actions = subscription.actions();
    let actions = actions.filter_map(words::subscription_action).collect();
    Shape::new()
        .word("tier", words::tier(plan.tier()), words::TIER_WORDS)
        .word("status", status, words::SUBSCRIPTION_WORDS)
        .flag("hasActiveSubscription", plan.active)
        .flag("canAccessFuelAnalytics", plan.fuel_analytics)
        .flag("canAccessPartsEntry", plan.parts_entry)
        .whole("equipmentLimit", plan.equipment_limit)
        .opt_whole("equipmentCount", equipment_count)
        .opt_time("trialEndDate", subscription.trial_end)
        .whole("trialDaysLeft", subscription.trial_days_left)
        .opt_time("currentPeriodEnd", subscription.current_period_end)
        .flag("cancelAtPeriodEnd", subscription.cancel_at_period_end)
        .opt_time("pauseEndDate", subscription.pause_end)
        .opt_word("billingInterval", interval, words::INTERVAL_WORDS)
        .words("actions", actions, words::ACTION_WORDS)
        .opt_time("graceEndDate", subscription.grace_end)
        .word("provider", provider, words::PROVIDER_WORDS)
        .whole("clockDaysAhead", subscription.clock_days_ahead)
        .flag("hasPortal", subscription.has_portal)
}

/// The page to go on to.
pub fn link(url: String) -> Shape {
    Shape::new().text("url", url)
}

async fn plans(call: Call) -> Result<Answer, Refusal> {
    let answer = call.billing().list_plans(ListPlansRequest {}).await?;
    Answer::ok(&catalogue(answer.into_inner()))
}

async fn subscription_info(call: Call) -> Result<Answer, Refusal> {
    let mut billing = call.billing();
    let (subscription, count) = futures::join!(
        billing.get_subscription(GetSubscriptionRequest {}),
        equipment_count(&call),
    );
    let subscription = subscription?.into_inner().subscription;
    Answer::ok(&info(&subscription.unwrap_or_default(), count))
}

/// The subscription as a change has left it. Nothing else may keep that back once it is made.
pub async fn changed(call: &Call, subscription: Option<Subscription>) -> Result<Answer, Refusal> {
    let count = equipment_count(call).await;
    Answer::ok(&info(&subscription.unwrap_or_default(), count))
}

/// None while the equipment service is away: what is paid does not wait for it.
async fn equipment_count(call: &Call) -> Option<u32> {
    let summary = call.equipment().get_summary(GetSummaryRequest {}).await;
    Some(summary.ok()?.into_inner().total)
}

fn checkout_body(fields: &mut Fields) -> CreateCheckoutSessionRequest {
    let tier = fields.required_word("tier", words::TIERS);
    let interval = fields.required_word("billingInterval", words::INTERVALS);
    CreateCheckoutSessionRequest {
        tier: tier.unwrap_or_default().into(),
        interval: interval.unwrap_or_default().into(),
    }
}

async fn checkout(call: Call) -> Result<Answer, Refusal> {
    let request = call.body(checkout_body)?;
    let answer = call.billing().create_checkout_session(request).await?;
    Answer::ok(&link(answer.into_inner().url))
}

async fn portal(call: Call) -> Result<Answer, Refusal> {
    let request = CreatePortalSessionRequest {};
    let answer = call.billing().create_portal_session(request).await?;
    Answer::ok(&link(answer.into_inner().url))
}

fn change_body(fields: &mut Fields) -> ChangePlanRequest {
    let tier = fields.required_word("tier", words::TIERS);
    let interval = fields.word("billingInterval", words::INTERVALS);
    ChangePlanRequest {
        tier: tier.unwrap_or_default().into(),
        interval: interval.unwrap_or_default().into(),
    }
}

async fn change_plan(call: Call) -> Result<Answer, Refusal> {
    let request = call.body(change_body)?;
    let answer = call.billing().change_plan(request).await?;
    changed(&call, answer.into_inner().subscription).await
}

fn pause_body(fields: &mut Fields) -> PauseSubscriptionRequest {
    let months = fields.required_whole("months", "Must be 3 or 6.", |months| {
        matches!(months, 3 | 6)
    });
    PauseSubscriptionRequest { months }
}

async fn pause(call: Call) -> Result<Answer, Refusal> {
    let request = call.body(pause_body)?;
    let answer = call.billing().pause_subscription(request).await?;
    changed(&call, answer.into_inner().subscription).await
}

async fn reactivate(call: Call) -> Result<Answer, Refusal> {
    let request = ReactivateSubscriptionRequest {};
    let answer = call.billing().reactivate_subscription(request).await?;
    changed(&call, answer.into_inner().subscription).await
}

async fn cancel(call: Call) -> Result<Answer, Refusal> {
    let request = CancelSubscriptionRequest {};
    let answer = call.billing().cancel_subscription(request).await?;
    changed(&call, answer.into_inner().subscription).await
}
