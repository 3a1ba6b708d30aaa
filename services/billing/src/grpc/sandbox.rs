//! The sandbox's pages and billing clock, and the delivery of its events.

use chrono::{DateTime, Utc};
use hourmeter_proto::billing::v1;
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::idempotency::Key;
use hourmeter_runtime::identity::{Caller, Tenant};
use tonic::Request;

use super::{Billing, person};
use crate::domain::subscription::days_rounded_up;
use crate::provider::sandbox::account::{Account, Invoice, InvoiceStatus, SessionState};
use crate::provider::sandbox::{Decision, Sandbox, price};
use crate::refusals;
use crate::store::{payments, sandbox as store};

/// Largest single move of the clock in days.
const MAX_MOVE_DAYS: u32 = 400;

pub async fn get_sandbox_checkout(
    api: &Billing,
    request: Request<v1::GetSandboxCheckoutRequest>,
) -> Result<v1::GetSandboxCheckoutResponse, ServiceError> {
    let tenant = Caller::person(&request)?.tenant();
    let (account, now) = api.sandbox_account(tenant).await?;
    let session = account.checkout(&request.get_ref().session_id)?;
    Ok(v1::GetSandboxCheckoutResponse {
        tier: v1::Tier::from(session.offer.tier).into(),
        interval: v1::BillingInterval::from(session.offer.interval).into(),
        due_cents: match session.first_charge {
            Some(_) => 0,
            None => u32::try_from(price(session.offer)).unwrap_or(0),
        },
        open: session.is_open(now),
        declined: session.state == SessionState::Declined,
        first_charge_at: session.first_charge.map(timestamp),
    })
}

pub async fn decide_sandbox_checkout(
    api: &Billing,
    request: Request<v1::DecideSandboxCheckoutRequest>,
) -> Result<v1::DecideSandboxCheckoutResponse, ServiceError> {
    let sender = person(&Caller::person(&request)?);
    let key = Key::read(&request, "DecideSandboxCheckout")?;
    let work = |billing: Billing| async move {
        billing.decide_checkout(sender.0, request.get_ref()).await
    };
    api.run_once(sender, key, work).await
}

pub async fn get_sandbox_portal(
    api: &Billing,
    request: Request<v1::GetSandboxPortalRequest>,
) -> Result<v1::GetSandboxPortalResponse, ServiceError> {
    let tenant = Caller::person(&request)?.tenant();
    let (account, _) = api.sandbox_account(tenant).await?;
    Ok(portal(&account))
}

pub async fn set_sandbox_card(
    api: &Billing,
    request: Request<v1::SetSandboxCardRequest>,
) -> Result<v1::SetSandboxCardResponse, ServiceError> {
    let sender = person(&Caller::person(&request)?);
    let key = Key::read(&request, "SetSandboxCard")?;
    let declines = request.get_ref().declines;
    let work = |billing: Billing| async move {
        let (tenant, _) = sender;
        let now = billing.sandbox_now(tenant).await?;
        let account = billing.sandbox()?.set_card(tenant, declines, now).await?;
        billing.deliver_or_log(tenant).await;
        let portal = Some(portal(&account));
        Ok(v1::SetSandboxCardResponse { portal })
    };
    api.run_once(sender, key, work).await
}

pub async fn move_sandbox_clock(
    api: &Billing,
    request: Request<v1::MoveSandboxClockRequest>,
) -> Result<v1::MoveSandboxClockResponse, ServiceError> {
    let sender = person(&Caller::person(&request)?);
    let key = Key::read(&request, "MoveSandboxClock")?;
    let days = request.get_ref().advance_days;
    let work = |billing: Billing| async move { billing.move_clock(sender.0, days).await };
    api.run_once(sender, key, work).await
}

impl Billing {
    async fn decide_checkout(
        &self,
        tenant: Tenant,
        request: &v1::DecideSandboxCheckoutRequest,
    ) -> Result<v1::DecideSandboxCheckoutResponse, ServiceError> {
        let sandbox = self.sandbox()?;
        let id = &request.session_id;
        let (decision, url) = match request.decision() {
            v1::SandboxDecision::Succeed => {
                (Decision::Succeed, "/subscription?success=true".to_owned())
            }
            v1::SandboxDecision::Decline => {
                let url = format!("/sandbox/checkout/{id}?declined=true");
                (Decision::Decline, url)
            }
            v1::SandboxDecision::Cancel => {
                (Decision::Cancel, "/subscription?canceled=true".to_owned())
            }
            v1::SandboxDecision::Unspecified => {
                return Err(ServiceError::field("decision", refusals::DECISION_UNKNOWN));
            }
        };
        let now = self.sandbox_now(tenant).await?;
        sandbox.decide(tenant, id, decision, now).await?;
        if decision == Decision::Cancel {
            // Choosing the same plan again opens a new checkout.
            let mut tx = self.database.tenant(tenant).await?;
            payments::clear_checkout_url(&mut tx, id).await?;
            tx.commit().await?;
        }
        self.deliver_or_log(tenant).await;
        Ok(v1::DecideSandboxCheckoutResponse { url })
    }

    /// Moves the billing clock step by step, so that every change on the way is reported and
    /// logged.
    async fn move_clock(
        &self,
        tenant: Tenant,
        days: u32,
    ) -> Result<v1::MoveSandboxClockResponse, ServiceError> {
        let sandbox = self.sandbox()?;
        if !(1..=MAX_MOVE_DAYS).contains(&days) {
            return Err(wrong_days());
        }
        let mut left = i32::try_from(days).map_err(ServiceError::internal)?;
        // Rejects a move beyond the maximum before any step is made.
        let ahead = self.current(tenant).await?.clock_days_ahead;
        if ahead + days > store::MAX_DAYS_AHEAD {
            return Err(wrong_days());
        }
        while left > 0 {
            let step = self.days_to_next(tenant).await?.clamp(1, left);
            let real = self.clock.now();
            let mut tx = self.database.tenant(tenant).await?;
            if !store::move_clock(&mut tx, step, real).await? {
                return Err(wrong_days());
            }
            tx.commit().await?;
            let now = self.sandbox_now(tenant).await?;
            sandbox.advance(tenant, now).await?;
            self.deliver_or_log(tenant).await;
            self.reconcile(tenant, None).await?;
            left -= step;
        }
        let subscription = Some(self.message(&self.current(tenant).await?));
        Ok(v1::MoveSandboxClockResponse { subscription })
    }

    /// Delivers the sandbox's events in order through the webhook handler. A failed event stays
    /// first in the queue; delivery is at least once.
    pub async fn deliver_sandbox(&self, tenant: Tenant) -> Result<(), ServiceError> {
        let Some(sandbox) = &self.sandbox else {
            return Ok(());
        };
        while let Some(event) = sandbox.first_event(tenant).await? {
            let body = serde_json::to_vec(&event.body).map_err(ServiceError::internal)?;
            let signature = self.webhooks.sign(&body, self.clock.now());
            self.receive(&body, &signature).await?;
            sandbox.remove_event(tenant, &event.id).await?;
        }
        Ok(())
    }

    /// Delivers events; failed ones wait for the scheduler.
    pub(super) async fn deliver_or_log(&self, tenant: Tenant) {
        if let Err(error) = self.deliver_sandbox(tenant).await {
            let company_id = tenant.company_id();
            tracing::warn!(%company_id, %error, "failed to deliver sandbox event; will retry");
        }
    }

    fn sandbox(&self) -> Result<&Sandbox, ServiceError> {
        self.sandbox.as_deref().ok_or_else(ServiceError::not_found)
    }

    /// The time on a company's billing clock.
    async fn sandbox_now(&self, tenant: Tenant) -> Result<DateTime<Utc>, ServiceError> {
        self.sandbox()?;
        let row = self.current(tenant).await?;
        Ok(row.now(self.clock.now()))
    }

    /// The company's account at the sandbox, and the time on its billing clock.
    async fn sandbox_account(
        &self,
        tenant: Tenant,
    ) -> Result<(Account, DateTime<Utc>), ServiceError> {
        let now = self.sandbox_now(tenant).await?;
        let account = self.sandbox()?.account(tenant, now).await?;
        Ok((account.ok_or_else(ServiceError::not_found)?, now))
    }

    /// Days until the next change of the account, rounded up.
    async fn days_to_next(&self, tenant: Tenant) -> Result<i32, ServiceError> {
        let now = self.sandbox_now(tenant).await?;
        let account = self.sandbox()?.account(tenant, now).await?;
        let due = account.and_then(|account| account.next_due());
        let days = due.map_or(i64::MAX, |due| days_rounded_up(due - now));
        Ok(i32::try_from(days).unwrap_or(i32::MAX))
    }
}

fn portal(account: &Account) -> v1::GetSandboxPortalResponse {
    v1::GetSandboxPortalResponse {
        invoices: account.invoices.iter().rev().map(invoice).collect(),
        card_declines: account.card_declines,
    }
}

fn invoice(invoice: &Invoice) -> v1::SandboxInvoice {
    let status = match invoice.status {
        InvoiceStatus::Paid => v1::SandboxInvoiceStatus::Paid,
        InvoiceStatus::Open => v1::SandboxInvoiceStatus::Open,
        InvoiceStatus::Void => v1::SandboxInvoiceStatus::Void,
    };
    v1::SandboxInvoice {
        number: invoice.number.clone(),
        created_at: Some(timestamp(invoice.created_at)),
        tier: v1::Tier::from(invoice.offer.tier).into(),
        interval: v1::BillingInterval::from(invoice.offer.interval).into(),
        cents: i32::try_from(invoice.cents).unwrap_or(i32::MAX),
        status: status.into(),
    }
}

fn wrong_days() -> ServiceError {
    ServiceError::field("advanceDays", refusals::CLOCK_DAYS_OUT_OF_RANGE)
}
