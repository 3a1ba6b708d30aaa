//! Pages of the sandbox payment provider: checkout, portal and billing clock. With real payments,
//! billing responds 404.

use hourmeter_proto::billing::v1::{
    self as proto, BillingInterval, DecideSandboxCheckoutRequest, GetSandboxCheckoutRequest,
    GetSandboxPortalRequest, MoveSandboxClockRequest, SandboxDecision, SandboxInvoiceStatus,
    SetSandboxCardRequest, Tier,
};
use hourmeter_runtime::refusals as shared;
use schemars::JsonSchema;
use serde::Serialize;

use super::billing::{Link, SubscriptionInfo, changed};
use super::call::Call;
use super::fields::{FieldKind, Fields};
use super::response::RestResponse;
use super::route::{AccessRule, Route, Verb};
use super::values::{Instant, all};
use super::wire_enums::WireName;
use crate::api_error::ApiError;
use crate::refusals;

pub fn routes() -> Vec<Route> {
    let mut routes = checkout_routes();
    routes.extend(portal_routes());
    routes.push(
        Route::new(
            (Verb::Post, "/api/sandbox/clock"),
            AccessRule::SandboxRpc("MoveSandboxClock"),
            "Advances the company's billing clock by 1 to 400 days; only in the sandbox",
            move_clock,
        )
        .body(clock_body)
        .ok::<SubscriptionInfo>(),
    );
    routes
}

fn checkout_routes() -> Vec<Route> {
    use SandboxDecision::{Cancel, Decline, Succeed};
    let decide = |path, summary, decision| {
        Route::new(
            (Verb::Post, path),
            AccessRule::SandboxRpc("DecideSandboxCheckout"),
            summary,
            move |call| decide(call, decision),
        )
        .ok::<Link>()
    };
    vec![
        Route::new(
            (Verb::Get, "/api/sandbox/checkout/{session}"),
            AccessRule::SandboxRpc("GetSandboxCheckout"),
            "A sandbox checkout",
            checkout,
        )
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
    ]
}

fn portal_routes() -> Vec<Route> {
    vec![
        Route::new(
            (Verb::Get, "/api/sandbox/portal"),
            AccessRule::SandboxRpc("GetSandboxPortal"),
            "Invoices and card of the sandbox",
            portal,
        )
        .ok::<SandboxPortal>(),
        Route::new(
            (Verb::Post, "/api/sandbox/portal/card"),
            AccessRule::SandboxRpc("SetSandboxCard"),
            "Sets whether the sandbox card declines, and retries unpaid invoices",
            set_card,
        )
        .body(card_body)
        .ok::<SandboxPortal>(),
    ]
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SandboxCheckout {
    tier: WireName<Tier>,
    billing_interval: WireName<BillingInterval>,
    due_cents: u32,
    open: bool,
    declined: bool,
    /// Absent: today.
    first_charge_at: Option<Instant>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SandboxPortal {
    invoices: Vec<SandboxInvoice>,
    card_declines: bool,
}

impl From<proto::GetSandboxPortalResponse> for SandboxPortal {
    fn from(portal: proto::GetSandboxPortalResponse) -> Self {
        Self {
            invoices: all(portal.invoices),
            card_declines: portal.card_declines,
        }
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SandboxInvoice {
    number: String,
    created_at: Instant,
    tier: WireName<Tier>,
    billing_interval: WireName<BillingInterval>,
    cents: i32,
    status: WireName<SandboxInvoiceStatus>,
}

impl From<proto::SandboxInvoice> for SandboxInvoice {
    fn from(invoice: proto::SandboxInvoice) -> Self {
        Self {
            tier: WireName(invoice.tier()),
            billing_interval: WireName(invoice.interval()),
            status: WireName(invoice.status()),
            number: invoice.number,
            created_at: invoice.created_at.into(),
            cents: invoice.cents,
        }
    }
}

async fn checkout(call: Call) -> Result<RestResponse, ApiError> {
    let request = GetSandboxCheckoutRequest {
        session_id: call.path_param("session"),
    };
    let response = call.sandbox().get_sandbox_checkout(request).await?;
    let checkout = response.get_ref();
    RestResponse::ok(&SandboxCheckout {
        tier: WireName(checkout.tier()),
        billing_interval: WireName(checkout.interval()),
        due_cents: checkout.due_cents,
        open: checkout.open,
        declined: checkout.declined,
        first_charge_at: checkout.first_charge_at.map(Instant::from),
    })
}

async fn decide(call: Call, decision: SandboxDecision) -> Result<RestResponse, ApiError> {
    let request = DecideSandboxCheckoutRequest {
        session_id: call.path_param("session"),
        decision: decision.into(),
    };
    let response = call.sandbox().decide_sandbox_checkout(request).await?;
    let url = response.into_inner().url;
    RestResponse::ok(&Link { url })
}

async fn portal(call: Call) -> Result<RestResponse, ApiError> {
    let request = GetSandboxPortalRequest {};
    let response = call.sandbox().get_sandbox_portal(request).await?;
    RestResponse::ok(&SandboxPortal::from(response.into_inner()))
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

async fn set_card(call: Call) -> Result<RestResponse, ApiError> {
    let request = call.body(card_body)?;
    let response = call.sandbox().set_sandbox_card(request).await?;
    let portal = response.into_inner().portal.unwrap_or_default();
    RestResponse::ok(&SandboxPortal::from(portal))
}

fn clock_body(fields: &mut Fields) -> MoveSandboxClockRequest {
    let advance_days = fields.required_whole(
        "advanceDays",
        shared::BETWEEN.with("min", 1).with("max", 400),
        &FieldKind::Whole(1..=400),
    );
    MoveSandboxClockRequest { advance_days }
}

async fn move_clock(call: Call) -> Result<RestResponse, ApiError> {
    let request = call.body(clock_body)?;
    let response = call.sandbox().move_sandbox_clock(request).await?;
    changed(&call, response.into_inner().subscription).await
}
