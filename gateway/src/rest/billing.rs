//! Plans, and the company's subscription and its changes.

use hourmeter_proto::billing::v1::{
    self as proto, BillingInterval, CancelSubscriptionRequest, ChangePlanRequest,
    CreateCheckoutSessionRequest, CreatePortalSessionRequest, GetSubscriptionRequest,
    ListPlansRequest, PauseSubscriptionRequest, PaymentProvider, ReactivateSubscriptionRequest,
    Subscription, SubscriptionAction, SubscriptionStatus, Tier,
};
use hourmeter_proto::equipment::v1::GetSummaryRequest;
use hourmeter_runtime::identity::Service::Billing;
use hourmeter_runtime::refusals as shared;
use schemars::JsonSchema;
use serde::Serialize;

use super::call::Call;
use super::fields::Fields;
use super::fields::kind::FieldKind;
use super::from_proto::{FromProto as _, objects};
use super::response::{RestResponse, RestResult};
use super::route::{AccessRule, Route, Verb};
use super::values::Instant;
use super::wire_enums::WireName;

pub fn routes() -> Vec<Route> {
    use Verb::{Get, Post};
    let rpc = |method| AccessRule::Rpc(Billing, method);
    vec![
        rpc("ListPlans")
            .route(Get, "/api/plans", plans)
            .summary("The plans, their prices in US cents and what they contain")
            .ok::<Plans>(),
        rpc("GetSubscription")
            .route(Get, "/api/subscription/info", subscription_info)
            .summary("The company's subscription and what it entitles to")
            .ok::<SubscriptionInfo>(),
        rpc("CreateCheckoutSession")
            .at(Post, "/api/create-checkout-session")
            .body(checkout_body, checkout)
            .summary("Creates a checkout; the plan is granted after payment")
            .ok::<Link>(),
        rpc("CreatePortalSession")
            .route(Post, "/api/billing-portal", portal)
            .summary("URL of the portal with invoices and card")
            .ok::<Link>(),
        rpc("ChangePlan")
            .at(Post, "/api/subscription/upgrade")
            .body(change_body, change_plan)
            .summary("Changes the plan or interval of a paid subscription immediately, prorated")
            .ok::<SubscriptionInfo>(),
        rpc("PauseSubscription")
            .at(Post, "/api/subscription/pause")
            .body(pause_body, pause)
            .summary("Pauses a paid subscription for 3 or 6 months; it resumes automatically")
            .ok::<SubscriptionInfo>(),
        rpc("ReactivateSubscription")
            .route(Post, "/api/subscription/reactivate", reactivate)
            .summary("Ends a pause, or takes back a cancellation")
            .ok::<SubscriptionInfo>(),
        rpc("CancelSubscription")
            .route(Post, "/api/subscription/cancel", cancel)
            .summary("Ends a trial immediately, or a paid subscription at the end of its period")
            .ok::<SubscriptionInfo>(),
    ]
}

objects! {
    #[expect(clippy::struct_field_names, reason = "as documented")]
    struct Plans(response: proto::ListPlansResponse) {
        plans: Vec<Plan>,
        trial_days: u32,
        yearly_discount_percent: u32,
        launch_discount_percent: u32,
    }

    struct Plan(plan: proto::Plan) {
        tier: WireName<Tier>,
        name: String,
        description: String,
        equipment_limit: i32,
        monthly_cents: u32,
        yearly_cents: u32,
        list_monthly_cents: u32,
        list_yearly_cents: u32,
        features: Vec<PlanFeature>,
    }

    struct PlanFeature(feature: proto::PlanFeature) {
        key: String,
        premium: bool,
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionInfo {
    #[serde(flatten)]
    subscription: SubscriptionState,
    equipment_count: Option<u32>,
}

objects! {
    struct SubscriptionState(subscription: Subscription) {
        #[serde(flatten)]
        plan: PlanState = subscription.entitlements,
        trial_end_date: Option<Instant> = subscription.trial_end,
        trial_days_left: u32,
        current_period_end: Option<Instant>,
        cancel_at_period_end: bool,
        pause_end_date: Option<Instant> = subscription.pause_end,
        billing_interval: Option<WireName<BillingInterval>>
            => WireName::of(&subscription.billing_interval),
        actions: Vec<WireName<SubscriptionAction>>
            => subscription.actions().filter_map(WireName::known).collect(),
        grace_end_date: Option<Instant> = subscription.grace_end,
        provider: WireName<PaymentProvider>,
        clock_days_ahead: u32,
        has_portal: bool,
        first_charge_at: Option<Instant>,
    }

    struct PlanState(plan: proto::Entitlements) {
        tier: WireName<Tier>,
        status: WireName<SubscriptionStatus>,
        has_active_subscription: bool = plan.active,
        can_access_fuel_analytics: bool = plan.fuel_analytics,
        can_access_parts_entry: bool = plan.parts_entry,
        equipment_limit: i32,
    }
}

#[derive(Serialize, JsonSchema)]
pub struct Link {
    pub url: String,
}

async fn plans(call: Call) -> RestResult {
    let response = call.billing().list_plans(ListPlansRequest {}).await?;
    RestResponse::ok(&Plans::from_proto(response.into_inner()))
}

async fn subscription_info(call: Call) -> RestResult {
    let mut billing = call.billing();
    let (subscription, count) = futures::join!(
        billing.get_subscription(GetSubscriptionRequest {}),
        equipment_count(&call),
    );
    let subscription = subscription?.into_inner().subscription;
    info(subscription, count)
}

/// Responds with a changed subscription. Nothing else may fail the call after the change.
pub async fn changed(call: &Call, subscription: Option<Subscription>) -> RestResult {
    let count = equipment_count(call).await;
    info(subscription, count)
}

fn info(subscription: Option<Subscription>, equipment_count: Option<u32>) -> RestResult {
    RestResponse::ok(&SubscriptionInfo {
        subscription: SubscriptionState::from_proto(subscription),
        equipment_count,
    })
}

/// None while the equipment service is unavailable.
async fn equipment_count(call: &Call) -> Option<u32> {
    let summary = call.equipment().get_summary(GetSummaryRequest {}).await;
    Some(summary.ok()?.into_inner().total)
}

fn checkout_body(fields: &mut Fields) -> CreateCheckoutSessionRequest {
    CreateCheckoutSessionRequest {
        tier: fields.required_enum_value::<Tier>("tier"),
        interval: fields.required_enum_value::<BillingInterval>("billingInterval"),
    }
}

async fn checkout(call: Call, request: CreateCheckoutSessionRequest) -> RestResult {
    let response = call.billing().create_checkout_session(request).await?;
    let url = response.into_inner().url;
    RestResponse::ok(&Link { url })
}

async fn portal(call: Call) -> RestResult {
    let request = CreatePortalSessionRequest {};
    let response = call.billing().create_portal_session(request).await?;
    let url = response.into_inner().url;
    RestResponse::ok(&Link { url })
}

fn change_body(fields: &mut Fields) -> ChangePlanRequest {
    ChangePlanRequest {
        tier: fields.required_enum_value::<Tier>("tier"),
        interval: fields.enum_or_unspecified::<BillingInterval>("billingInterval"),
    }
}

async fn change_plan(call: Call, request: ChangePlanRequest) -> RestResult {
    let response = call.billing().change_plan(request).await?;
    changed(&call, response.into_inner().subscription).await
}

fn pause_body(fields: &mut Fields) -> PauseSubscriptionRequest {
    let kind = &FieldKind::OneOf(&[3, 6]);
    let months = fields.required_whole("months", shared::PAUSE_MONTHS_UNKNOWN, kind);
    PauseSubscriptionRequest { months }
}

async fn pause(call: Call, request: PauseSubscriptionRequest) -> RestResult {
    let response = call.billing().pause_subscription(request).await?;
    changed(&call, response.into_inner().subscription).await
}

async fn reactivate(call: Call) -> RestResult {
    let request = ReactivateSubscriptionRequest {};
    let response = call.billing().reactivate_subscription(request).await?;
    changed(&call, response.into_inner().subscription).await
}

async fn cancel(call: Call) -> RestResult {
    let request = CancelSubscriptionRequest {};
    let response = call.billing().cancel_subscription(request).await?;
    changed(&call, response.into_inner().subscription).await
}
