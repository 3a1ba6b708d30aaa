//! The sandbox's pages and billing clock, and the delivery of its events.

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_proto::billing::v1 as proto;
use hourmeter_proto::billing::v1::sandbox_service_server::SandboxService;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::idempotency::Key;
use hourmeter_runtime::identity::{Caller, Tenant};
use hourmeter_runtime::server::respond;
use tonic::{Request, Response, Status};

use super::{Billing, person};
use crate::domain::subscription::Interval;
use crate::provider::sandbox::account::{Account, Invoice, InvoiceStatus, SessionState};
use crate::provider::sandbox::engine::Refusal;
use crate::provider::sandbox::{Decision, Sandbox, SandboxError, price};
use crate::refusals;
use crate::store::{payments, sandbox as store};

/// Largest single move of the clock in days.
const MAX_MOVE_DAYS: u32 = 400;

#[tonic::async_trait]
impl SandboxService for Billing {
    async fn get_sandbox_checkout(
        &self,
        request: Request<proto::GetSandboxCheckoutRequest>,
    ) -> Result<Response<proto::GetSandboxCheckoutResponse>, Status> {
        let tenant = Caller::person(&request)?.tenant();
        let session_id = &request.get_ref().session_id;
        let response = self.sandbox_checkout(tenant, session_id).await?;
        Ok(Response::new(response))
    }

    async fn decide_sandbox_checkout(
        &self,
        request: Request<proto::DecideSandboxCheckoutRequest>,
    ) -> Result<Response<proto::DecideSandboxCheckoutResponse>, Status> {
        let sender = person(&Caller::person(&request)?);
        let key = Key::read(&request, "DecideSandboxCheckout")?;
        let (billing, request) = (self.clone(), request.into_inner());
        let work = async move { billing.decide_checkout(sender.0, &request).await };
        respond(self.run_once(sender, key, work).await)
    }

    async fn get_sandbox_portal(
        &self,
        request: Request<proto::GetSandboxPortalRequest>,
    ) -> Result<Response<proto::GetSandboxPortalResponse>, Status> {
        let tenant = Caller::person(&request)?.tenant();
        let response = self.sandbox_portal(tenant).await?;
        Ok(Response::new(response))
    }

    async fn set_sandbox_card(
        &self,
        request: Request<proto::SetSandboxCardRequest>,
    ) -> Result<Response<proto::SetSandboxCardResponse>, Status> {
        let sender = person(&Caller::person(&request)?);
        let key = Key::read(&request, "SetSandboxCard")?;
        let (billing, declines) = (self.clone(), request.get_ref().declines);
        let work = async move { billing.sandbox_card(sender.0, declines).await };
        respond(self.run_once(sender, key, work).await)
    }

    async fn move_sandbox_clock(
        &self,
        request: Request<proto::MoveSandboxClockRequest>,
    ) -> Result<Response<proto::MoveSandboxClockResponse>, Status> {
        let sender = person(&Caller::person(&request)?);
        let key = Key::read(&request, "MoveSandboxClock")?;
        let (billing, days) = (self.clone(), request.get_ref().advance_days);
        let work = async move { billing.move_clock(sender.0, days).await };
        respond(self.run_once(sender, key, work).await)
    }
}

impl Billing {
    async fn sandbox_checkout(
        &self,
        tenant: Tenant,
        session_id: &str,
    ) -> Result<proto::GetSandboxCheckoutResponse, ServiceError> {
        let now = self.sandbox_now(tenant).await?;
        let account = self.sandbox()?.account(tenant, now).await?;
        let account = account.ok_or_else(ServiceError::not_found)?;
        let session = account.checkout(session_id).map_err(refused)?;
        Ok(proto::GetSandboxCheckoutResponse {
            tier: proto::Tier::from(session.offer.tier).into(),
            interval: interval(session.offer.interval).into(),
            due_cents: match session.first_charge {
                Some(_) => 0,
                None => u32::try_from(price(session.offer)).unwrap_or(0),
            },
            open: session.is_open(now),
            declined: session.state == SessionState::Declined,
            first_charge_at: session.first_charge.map(timestamp),
        })
    }

    async fn decide_checkout(
        &self,
        tenant: Tenant,
        request: &proto::DecideSandboxCheckoutRequest,
    ) -> Result<proto::DecideSandboxCheckoutResponse, ServiceError> {
        let sandbox = self.sandbox()?;
        let (decision, url) = match request.decision() {
            proto::SandboxDecision::Succeed => {
                (Decision::Succeed, "/subscription?success=true".to_owned())
            }
            proto::SandboxDecision::Decline => {
                let id = &request.session_id;
                let url = format!("/sandbox/checkout/{id}?declined=true");
                (Decision::Decline, url)
            }
            proto::SandboxDecision::Cancel => {
                (Decision::Cancel, "/subscription?canceled=true".to_owned())
            }
            proto::SandboxDecision::Unspecified => {
                return Err(ServiceError::field("decision", refusals::DECISION_UNKNOWN));
            }
        };
        let now = self.sandbox_now(tenant).await?;
        let decided = sandbox.decide(tenant, &request.session_id, decision, now);
        decided.await.map_err(failed)?;
        if decision == Decision::Cancel {
            // Choosing the same plan again opens a new checkout.
            let mut tx = self.database.tenant(tenant).await?;
            payments::clear_checkout_url(&mut tx, tenant, &request.session_id).await?;
            tx.commit().await?;
        }
        self.deliver_or_log(tenant).await;
        Ok(proto::DecideSandboxCheckoutResponse { url })
    }

    async fn sandbox_portal(
        &self,
        tenant: Tenant,
    ) -> Result<proto::GetSandboxPortalResponse, ServiceError> {
        let now = self.sandbox_now(tenant).await?;
        let account = self.sandbox()?.account(tenant, now).await?;
        Ok(portal(&account.ok_or_else(ServiceError::not_found)?))
    }

    async fn sandbox_card(
        &self,
        tenant: Tenant,
        declines: bool,
    ) -> Result<proto::SetSandboxCardResponse, ServiceError> {
        let now = self.sandbox_now(tenant).await?;
        let changed = self.sandbox()?.set_card(tenant, declines, now);
        let account = changed.await.map_err(failed)?;
        self.deliver_or_log(tenant).await;
        Ok(proto::SetSandboxCardResponse {
            portal: Some(portal(&account)),
        })
    }

    /// Moves the billing clock step by step, so that every change on the way is reported and
    /// logged.
    async fn move_clock(
        &self,
        tenant: Tenant,
        days: u32,
    ) -> Result<proto::MoveSandboxClockResponse, ServiceError> {
        self.sandbox()?;
        if !(1..=MAX_MOVE_DAYS).contains(&days) {
            return Err(wrong_days());
        }
        let mut left = i32::try_from(days).map_err(ServiceError::internal)?;
        self.check_clock(tenant, left).await?;
        while left > 0 {
            let step = self.days_to_next(tenant).await?.clamp(1, left);
            let real = self.clock.now();
            let mut tx = self.database.tenant(tenant).await?;
            if !store::move_clock(&mut tx, tenant, step, real).await? {
                return Err(wrong_days());
            }
            tx.commit().await?;
            let now = self.sandbox_now(tenant).await?;
            self.sandbox()?.advance(tenant, now).await?;
            self.deliver_or_log(tenant).await;
            self.reconcile(tenant, None).await?;
            left -= step;
        }
        let subscription = Some(self.message(&self.current(tenant).await?));
        Ok(proto::MoveSandboxClockResponse { subscription })
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
    async fn deliver_or_log(&self, tenant: Tenant) {
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

    /// Rejects a move beyond the maximum before any step is made.
    async fn check_clock(&self, tenant: Tenant, days: i32) -> Result<(), ServiceError> {
        let ahead = self.sandbox_now(tenant).await? - self.clock.now();
        if ahead.num_days() + i64::from(days) > i64::from(store::MAX_DAYS_AHEAD) {
            return Err(wrong_days());
        }
        Ok(())
    }

    /// Days until the next change of the account, rounded up.
    async fn days_to_next(&self, tenant: Tenant) -> Result<i32, ServiceError> {
        let now = self.sandbox_now(tenant).await?;
        let account = self.sandbox()?.account(tenant, now).await?;
        let due = account.and_then(|account| account.next_due());
        let days = due.map_or(i64::MAX, |due| {
            let left = due - now;
            left.num_days() + i64::from(left > TimeDelta::days(left.num_days()))
        });
        Ok(i32::try_from(days).unwrap_or(i32::MAX))
    }
}

fn portal(account: &Account) -> proto::GetSandboxPortalResponse {
    proto::GetSandboxPortalResponse {
        invoices: account.invoices.iter().rev().map(invoice).collect(),
        card_declines: account.card_declines,
    }
}

fn invoice(invoice: &Invoice) -> proto::SandboxInvoice {
    let status = match invoice.status {
        InvoiceStatus::Paid => proto::SandboxInvoiceStatus::Paid,
        InvoiceStatus::Open => proto::SandboxInvoiceStatus::Open,
        InvoiceStatus::Void => proto::SandboxInvoiceStatus::Void,
    };
    proto::SandboxInvoice {
        number: invoice.number.clone(),
        created_at: Some(timestamp(invoice.created_at)),
        tier: proto::Tier::from(invoice.offer.tier).into(),
        interval: interval(invoice.offer.interval).into(),
        cents: i32::try_from(invoice.cents).unwrap_or(i32::MAX),
        status: status.into(),
    }
}

fn interval(interval: Interval) -> proto::BillingInterval {
    match interval {
        Interval::Month => proto::BillingInterval::Month,
        Interval::Year => proto::BillingInterval::Year,
    }
}

fn timestamp(time: DateTime<Utc>) -> prost_types::Timestamp {
    prost_types::Timestamp {
        seconds: time.timestamp(),
        nanos: i32::try_from(time.timestamp_subsec_nanos()).unwrap_or(0),
    }
}

fn wrong_days() -> ServiceError {
    ServiceError::field("advanceDays", refusals::CLOCK_DAYS_OUT_OF_RANGE)
}

fn failed(error: SandboxError) -> ServiceError {
    match error {
        SandboxError::Refused(refusal) => refused(refusal),
        SandboxError::Internal(payment_error) => payment_error,
    }
}

fn refused(refusal: Refusal) -> ServiceError {
    match refusal {
        Refusal::Unknown => ServiceError::not_found(),
        Refusal::Closed => ServiceError::new(Kind::Conflict, refusals::CHECKOUT_CLOSED),
        // These pages never cause such an error.
        Refusal::Declined | Refusal::State => ServiceError::internal(refusal),
    }
}
