//! Pages of the sandbox payment provider: checkout, portal and billing clock. With real payments,
//! billing responds 404.

use hourmeter_proto::billing::v1::{
    self as proto, BillingInterval, DecideSandboxCheckoutRequest, GetSandboxCheckoutRequest,
    GetSandboxPortalRequest, MoveSandboxClockRequest, SandboxDecision, SandboxInvoiceStatus,
    SetSandboxCardRequest, Tier,
};

use super::billing::{Link, SubscriptionInfo, changed};
use super::call::Call;
use super::fields::Fields;
use super::from_proto::{FromProto as _, objects};
use super::response::{RestResponse, RestResult};
use super::route::{AccessRule, Route, Verb};
use super::values::Instant;
use super::wire_enums::WireName;
use crate::refusals;

pub fn routes() -> Vec<Route> {
    use SandboxDecision::{Cancel, Decline, Succeed};
    use Verb::{Get, Post};
    let rpc = AccessRule::SandboxRpc;
    let decide = |path, summary, decision| {
        rpc("DecideSandboxCheckout")
            .route(Post, path, move |call| decide(call, decision))
            .summary(summary)
            .ok::<Link>()
    };
    vec![
        rpc("GetSandboxCheckout")
            .route(Get, "/api/sandbox/checkout/{session}", checkout)
            .summary("A sandbox checkout")
            .ok::<SandboxCheckout>(),
        decide(
            "/api/sandbox/checkout/{session}/succeed",
            "Pays it and returns the next page",
            Succeed,
        ),
        decide(
            "/api/sandbox/checkout/{session}/decline",
            "Declines the card; the checkout stays open",
            Decline,
        ),
        decide(
            "/api/sandbox/checkout/{session}/cancel",
            "Cancels it and returns the next page",
            Cancel,
        ),
        rpc("GetSandboxPortal")
            .route(Get, "/api/sandbox/portal", portal)
            .summary("Invoices and card of the sandbox")
            .ok::<SandboxPortal>(),
        rpc("SetSandboxCard")
            .at(Post, "/api/sandbox/portal/card")
            .body(card_body, set_card)
            .summary("Sets whether the sandbox card declines, and retries unpaid invoices")
            .ok::<SandboxPortal>(),
        rpc("MoveSandboxClock")
            .at(Post, "/api/sandbox/clock")
            .body(clock_body, move_clock)
            .summary("Advances the company's billing clock by 1 to 400 days; only in the sandbox")
            .ok::<SubscriptionInfo>(),
    ]
}

objects! {
    struct SandboxCheckout(checkout: proto::GetSandboxCheckoutResponse) {
        tier: WireName<Tier>,
        billing_interval: WireName<BillingInterval> = checkout.interval,
        due_cents: u32,
        open: bool,
        declined: bool,
        /// Absent: today.
        first_charge_at: Option<Instant>,
    }

    struct SandboxPortal(portal: proto::GetSandboxPortalResponse) {
        invoices: Vec<SandboxInvoice>,
        card_declines: bool,
    }

    struct SandboxInvoice(invoice: proto::SandboxInvoice) {
        number: String,
        created_at: Instant,
        tier: WireName<Tier>,
        billing_interval: WireName<BillingInterval> = invoice.interval,
        cents: i32,
        status: WireName<SandboxInvoiceStatus>,
    }
}

async fn checkout(call: Call) -> RestResult {
    let request = GetSandboxCheckoutRequest {
        session_id: call.path_param("session"),
    };
    let response = call.sandbox().get_sandbox_checkout(request).await?;
    RestResponse::ok(&SandboxCheckout::from_proto(response.into_inner()))
}

async fn decide(call: Call, decision: SandboxDecision) -> RestResult {
    let request = DecideSandboxCheckoutRequest {
        session_id: call.path_param("session"),
        decision: decision.into(),
    };
    let response = call.sandbox().decide_sandbox_checkout(request).await?;
    let url = response.into_inner().url;
    RestResponse::ok(&Link { url })
}

async fn portal(call: Call) -> RestResult {
    let request = GetSandboxPortalRequest {};
    let response = call.sandbox().get_sandbox_portal(request).await?;
    RestResponse::ok(&SandboxPortal::from_proto(response.into_inner()))
}

fn card_body(fields: &mut Fields) -> SetSandboxCardRequest {
    let declines = fields.flag("declines");
    if declines.is_none() && fields.missing("declines") {
        fields.wrong("declines", refusals::NOT_A_FLAG);
    }
    SetSandboxCardRequest {
        declines: declines.unwrap_or_default(),
    }
}

async fn set_card(call: Call, request: SetSandboxCardRequest) -> RestResult {
    let response = call.sandbox().set_sandbox_card(request).await?;
    RestResponse::ok(&SandboxPortal::from_proto(response.into_inner().portal))
}

fn clock_body(fields: &mut Fields) -> MoveSandboxClockRequest {
    MoveSandboxClockRequest {
        advance_days: fields.required_whole_in("advanceDays", 1..=400),
    }
}

async fn move_clock(call: Call, request: MoveSandboxClockRequest) -> RestResult {
    let response = call.sandbox().move_sandbox_clock(request).await?;
    changed(&call, response.into_inner().subscription).await
}
