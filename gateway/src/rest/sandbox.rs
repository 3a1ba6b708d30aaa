//! Pages of the sandbox payment provider: checkout, portal and billing clock. With real payments,
//! billing responds 404.

use hourmeter_proto::billing::v1::{
    self as proto, BillingInterval, DecideSandboxCheckoutRequest, GetSandboxCheckoutRequest,
    GetSandboxPortalRequest, MoveSandboxClockRequest, SandboxDecision, SandboxInvoiceStatus,
    SetSandboxCardRequest, Tier,
};
use hourmeter_runtime::identity::Service::Billing;
use hourmeter_runtime::refusals as shared;
use schemars::JsonSchema;
use serde::Serialize;

use super::answer::Answer;
use super::billing::{Link, SubscriptionInfo, changed};
use super::call::Call;
use super::fields::Fields;
use super::route::{Admission, Route, Verb};
use super::values::{Instant, all};
use super::words::Word;
use crate::refusals;
use crate::rescue::Refusal;

pub fn routes() -> Vec<Route> {
    let mut routes = checkout_routes();
    routes.extend(portal_routes());
    routes.push(
        Route::new(
            (Verb::Post, "/api/sandbox/clock"),
            Admission::Rpc(Billing, "MoveSandboxClock"),
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
            Admission::Rpc(Billing, "DecideSandboxCheckout"),
            summary,
            move |call| decide(call, decision),
        )
        .ok::<Link>()
    };
    vec![
        Route::new(
            (Verb::Get, "/api/sandbox/checkout/{session}"),
            Admission::Rpc(Billing, "GetSandboxCheckout"),
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
            Admission::Rpc(Billing, "GetSandboxPortal"),
            "Invoices and card of the sandbox",
            portal,
        )
        .ok::<SandboxPortal>(),
        Route::new(
            (Verb::Post, "/api/sandbox/portal/card"),
            Admission::Rpc(Billing, "SetSandboxCard"),
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
    tier: Word<Tier>,
    billing_interval: Word<BillingInterval>,
    due_cents: u32,
    open: bool,
    declined: bool,
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
    tier: Word<Tier>,
    billing_interval: Word<BillingInterval>,
    cents: i32,
    status: Word<SandboxInvoiceStatus>,
}

impl From<proto::SandboxInvoice> for SandboxInvoice {
    fn from(invoice: proto::SandboxInvoice) -> Self {
        Self {
            tier: Word(invoice.tier()),
            billing_interval: Word(invoice.interval()),
            status: Word(invoice.status()),
            number: invoice.number,
            created_at: invoice.created_at.into(),
            cents: invoice.cents,
        }
    }
}

async fn checkout(call: Call) -> Result<Answer, Refusal> {
    let request = GetSandboxCheckoutRequest {
        session_id: call.part("session"),
    };
    let answer = call.billing().get_sandbox_checkout(request).await?;
    let checkout = answer.get_ref();
    Answer::ok(&SandboxCheckout {
        tier: Word(checkout.tier()),
        billing_interval: Word(checkout.interval()),
        due_cents: checkout.due_cents,
        open: checkout.open,
        declined: checkout.declined,
    })
}

async fn decide(call: Call, decision: SandboxDecision) -> Result<Answer, Refusal> {
    let request = DecideSandboxCheckoutRequest {
        session_id: call.part("session"),
        decision: decision.into(),
    };
    let answer = call.billing().decide_sandbox_checkout(request).await?;
    let url = answer.into_inner().url;
    Answer::ok(&Link { url })
}

async fn portal(call: Call) -> Result<Answer, Refusal> {
    let request = GetSandboxPortalRequest {};
    let answer = call.billing().get_sandbox_portal(request).await?;
    Answer::ok(&SandboxPortal::from(answer.into_inner()))
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

async fn set_card(call: Call) -> Result<Answer, Refusal> {
    let request = call.body(card_body)?;
    let answer = call.billing().set_sandbox_card(request).await?;
    let portal = answer.into_inner().portal.unwrap_or_default();
    Answer::ok(&SandboxPortal::from(portal))
}

fn clock_body(fields: &mut Fields) -> MoveSandboxClockRequest {
    let advance_days = fields.required_whole(
        "advanceDays",
        shared::BETWEEN.with("min", 1).with("max", 400),
        |days| (1..=400).contains(&days),
    );
    MoveSandboxClockRequest { advance_days }
}

async fn move_clock(call: Call) -> Result<Answer, Refusal> {
    let request = call.body(clock_body)?;
    let answer = call.billing().move_sandbox_clock(request).await?;
    changed(&call, answer.into_inner().subscription).await
}
