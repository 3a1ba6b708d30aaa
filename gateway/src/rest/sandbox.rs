//! The built-in payment provider's own pages: a checkout, a portal, and a clock that can be moved.
//! Where payments are real, billing knows none of it and answers 404.

use hourmeter_proto::billing::v1::{
    DecideSandboxCheckoutRequest, GetSandboxCheckoutRequest, GetSandboxCheckoutResponse,
    GetSandboxPortalRequest, GetSandboxPortalResponse, MoveSandboxClockRequest, SandboxDecision,
    SandboxInvoice, SetSandboxCardRequest,
};
use hourmeter_runtime::identity::Service::Billing;

use super::answer::Answer;
use super::billing::{changed, example, link};
use super::call::Call;
use super::fields::Fields;
use super::route::{Admission, Route, Verb};
use super::shape::Shape;
use super::words;
use crate::rescue::Refusal;

/// The routes of this file.
pub fn routes() -> Vec<Route> {
    let mut routes = checkout_routes();
    routes.extend(portal_routes());
    routes.push(
        Route::new(
            (Verb::Post, "/api/sandbox/clock"),
            Admission::Rpc(Billing, "MoveSandboxClock"),
            "Moves the company's billing clock forward, by 1 to 400 days; only without real payments",
            move_clock,
        )
        .body(clock_body)
        .ok("SubscriptionInfo", example()),
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
        .ok("Link", link(String::new()))
    };
    vec![
        Route::new(
            (Verb::Get, "/api/sandbox/checkout/{session}"),
            Admission::Rpc(Billing, "GetSandboxCheckout"),
            "What a checkout without real payments is about",
            checkout,
        )
        .ok(
            "SandboxCheckout",
            checkout_shape(&GetSandboxCheckoutResponse::default()),
        ),
        decide(
            "/api/sandbox/checkout/{session}/succeed",
            "Pays it, and tells where to go on",
            Succeed,
        ),
        decide(
            "/api/sandbox/checkout/{session}/decline",
            "Has the card declined; it stays open",
            Decline,
        ),
        decide(
            "/api/sandbox/checkout/{session}/cancel",
            "Leaves it, and tells where to go on",
            Cancel,
        ),
    ]
}

fn portal_routes() -> Vec<Route> {
    let example = || portal_shape(GetSandboxPortalResponse::default());
    vec![
        Route::new(
            (Verb::Get, "/api/sandbox/portal"),
            Admission::Rpc(Billing, "GetSandboxPortal"),
            "Invoices and card without real payments",
            portal,
        )
        .ok("SandboxPortal", example()),
        Route::new(
            (Verb::Post, "/api/sandbox/portal/card"),
            Admission::Rpc(Billing, "SetSandboxCard"),
            "Sets whether that card declines, and tries what is unpaid again",
            set_card,
        )
        .body(card_body)
        .ok("SandboxPortal", example()),
    ]
}

fn checkout_shape(checkout: &GetSandboxCheckoutResponse) -> Shape {
    let tier = words::tier(checkout.tier());
    let interval = words::billing_interval(checkout.interval());
    Shape::new()
        .word("tier", tier, words::TIER_WORDS)
        .word("billingInterval", interval, words::INTERVAL_WORDS)
        .whole("dueCents", checkout.due_cents)
        .flag("open", checkout.open)
        .flag("declined", checkout.declined)
}

fn portal_shape(portal: GetSandboxPortalResponse) -> Shape {
    Shape::new()
        .objects("invoices", portal.invoices, invoice)
        .flag("cardDeclines", portal.card_declines)
}

fn invoice(invoice: SandboxInvoice) -> Shape {
    let tier = words::tier(invoice.tier());
    let interval = words::billing_interval(invoice.interval());
    let status = words::invoice_status(invoice.status());
    Shape::new()
        .text("number", invoice.number)
        .time("createdAt", invoice.created_at)
        .word("tier", tier, words::TIER_WORDS)
        .word("billingInterval", interval, words::INTERVAL_WORDS)
        .whole("cents", invoice.cents)
        .word("status", status, words::INVOICE_WORDS)
}

async fn checkout(call: Call) -> Result<Answer, Refusal> {
    let request = GetSandboxCheckoutRequest {
        session_id: call.part("session"),
    };
    let answer = call.billing().get_sandbox_checkout(request).await?;
    Answer::ok(&checkout_shape(answer.get_ref()))
}

async fn decide(call: Call, decision: SandboxDecision) -> Result<Answer, Refusal> {
    let request = DecideSandboxCheckoutRequest {
        session_id: call.part("session"),
        decision: decision.into(),
    };
    let answer = call.billing().decide_sandbox_checkout(request).await?;
    Answer::ok(&link(answer.into_inner().url))
}

async fn portal(call: Call) -> Result<Answer, Refusal> {
    let request = GetSandboxPortalRequest {};
    let answer = call.billing().get_sandbox_portal(request).await?;
    Answer::ok(&portal_shape(answer.into_inner()))
}

fn card_body(fields: &mut Fields) -> SetSandboxCardRequest {
    let declines = fields.flag("declines");
    if declines.is_none() && fields.missing("declines") {
        fields.wrong("declines", "Must be true or false.");
    }
    SetSandboxCardRequest {
        declines: declines.unwrap_or_default(),
    }
}

async fn set_card(call: Call) -> Result<Answer, Refusal> {
    let request = call.body(card_body)?;
    let answer = call.billing().set_sandbox_card(request).await?;
    let portal = answer.into_inner().portal.unwrap_or_default();
    Answer::ok(&portal_shape(portal))
}

fn clock_body(fields: &mut Fields) -> MoveSandboxClockRequest {
    let advance_days = fields.required_whole("advanceDays", "Must be 1 to 400.", |days| {
        (1..=400).contains(&days)
    });
    MoveSandboxClockRequest { advance_days }
}

async fn move_clock(call: Call) -> Result<Answer, Refusal> {
    let request = call.body(clock_body)?;
    let answer = call.billing().move_sandbox_clock(request).await?;
    changed(&call, answer.into_inner().subscription).await
}
