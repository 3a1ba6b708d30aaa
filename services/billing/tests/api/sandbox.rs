//! The sandbox, used like a person would.

mod changes;
mod checkouts;
mod clock;
mod delivery;

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_billing::domain::plan::Tier as PlanTier;
use hourmeter_billing::domain::subscription::Interval;
use hourmeter_billing::provider::sandbox::Sandbox;
use hourmeter_billing::provider::{Change, Offer, Payer, Payments as _};
use hourmeter_billing::webhook::Webhooks;
use hourmeter_billing::{Billing, BillingSettings, PaymentSettings, StripeSettings};
use hourmeter_proto::billing::v1::billing_service_client::BillingServiceClient;
use hourmeter_proto::billing::v1::sandbox_service_client::SandboxServiceClient;
use hourmeter_proto::billing::v1::*;
use hourmeter_runtime::client::Backend;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::events::Events;
use hourmeter_runtime::identity::{Identity, Service, Tenant};
use hourmeter_runtime::testing::{self, as_person, owner};
use secrecy::SecretString;
use tonic::{Code, Request, Status};
use uuid::Uuid;

use crate::support::{TestBilling, end_trial, start, timestamp};

struct Company {
    backend: Backend,
    admin_url: SecretString,
    owner: Identity,
}

impl Company {
    async fn on_trial(billing: &TestBilling) -> Self {
        let owner = owner();
        billing.entitlements(owner.company_id).await;
        Self {
            backend: billing.backend.clone(),
            admin_url: billing.database.admin_url.clone(),
            owner,
        }
    }

    fn client(&self) -> BillingServiceClient<Backend> {
        BillingServiceClient::new(self.backend.clone())
    }

    fn sandbox(&self) -> SandboxServiceClient<Backend> {
        SandboxServiceClient::new(self.backend.clone())
    }

    /// A company that has paid for a plan.
    async fn paying(billing: &TestBilling, tier: Tier, interval: BillingInterval) -> Self {
        let company = Self::on_trial(billing).await;
        let session = company.check_out(tier, interval).await;
        let url = company.decide(&session, SandboxDecision::Succeed).await;
        assert_eq!(url.unwrap(), "/subscription?success=true");
        company
    }

    fn call<T>(&self, message: T) -> Request<T> {
        // Each call is a separate request, as at the gateway.
        let caller = Identity {
            request_id: Uuid::now_v7(),
            ..self.owner.clone()
        };
        as_person(Service::Billing, &caller, message)
    }

    /// Opens a checkout after the trial and returns its id.
    async fn check_out(&self, tier: Tier, interval: BillingInterval) -> String {
        end_trial(&self.admin_url, self.owner.company_id).await;
        self.check_out_in_trial(tier, interval).await
    }

    async fn check_out_in_trial(&self, tier: Tier, interval: BillingInterval) -> String {
        let request = CreateCheckoutSessionRequest {
            tier: tier.into(),
            interval: interval.into(),
        };
        let request = self.call(request);
        let answer = self.client().create_checkout_session(request).await;
        let url = answer.unwrap().into_inner().url;
        url.strip_prefix("/sandbox/checkout/").unwrap().to_owned()
    }

    async fn page(&self, session_id: &str) -> Result<GetSandboxCheckoutResponse, Status> {
        let request = GetSandboxCheckoutRequest {
            session_id: session_id.to_owned(),
        };
        let request = self.call(request);
        let answer = self.sandbox().get_sandbox_checkout(request).await?;
        Ok(answer.into_inner())
    }

    async fn decide(&self, session_id: &str, decision: SandboxDecision) -> Result<String, Status> {
        let request = DecideSandboxCheckoutRequest {
            session_id: session_id.to_owned(),
            decision: decision.into(),
        };
        let request = self.call(request);
        let answer = self.sandbox().decide_sandbox_checkout(request).await?;
        Ok(answer.into_inner().url)
    }

    async fn portal(&self) -> Result<GetSandboxPortalResponse, Status> {
        let answer = self.call(GetSandboxPortalRequest {});
        let answer = self.sandbox().get_sandbox_portal(answer).await?;
        Ok(answer.into_inner())
    }

    /// Cents and status of each invoice, newest first.
    async fn invoices(&self) -> Vec<(i32, SandboxInvoiceStatus)> {
        let portal = self.portal().await.unwrap();
        let invoices = portal.invoices.iter();
        invoices.map(|it| (it.cents, it.status())).collect()
    }

    async fn card(&self, declines: bool) -> Result<GetSandboxPortalResponse, Status> {
        let request = self.call(SetSandboxCardRequest { declines });
        let answer = self.sandbox().set_sandbox_card(request).await?;
        Ok(answer.into_inner().portal.unwrap())
    }

    async fn travel(&self, advance_days: u32) -> Result<Subscription, Status> {
        let request = self.call(MoveSandboxClockRequest { advance_days });
        let answer = self.sandbox().move_sandbox_clock(request).await?;
        Ok(answer.into_inner().subscription.unwrap())
    }

    async fn change(&self, tier: Tier, interval: BillingInterval) -> Result<Subscription, Status> {
        let request = ChangePlanRequest {
            tier: tier.into(),
            interval: interval.into(),
        };
        let answer = self.client().change_plan(self.call(request)).await?;
        Ok(answer.into_inner().subscription.unwrap())
    }

    async fn pause(&self, months: u32) -> Result<Subscription, Status> {
        let request = self.call(PauseSubscriptionRequest { months });
        let answer = self.client().pause_subscription(request).await?;
        Ok(answer.into_inner().subscription.unwrap())
    }

    async fn reactivate(&self) -> Result<Subscription, Status> {
        let request = self.call(ReactivateSubscriptionRequest {});
        let answer = self.client().reactivate_subscription(request).await?;
        Ok(answer.into_inner().subscription.unwrap())
    }

    async fn cancel(&self) -> Result<Subscription, Status> {
        let request = self.call(CancelSubscriptionRequest {});
        let answer = self.client().cancel_subscription(request).await?;
        Ok(answer.into_inner().subscription.unwrap())
    }

    async fn subscription(&self) -> Subscription {
        let request = self.call(GetSubscriptionRequest {});
        let answer = self.client().get_subscription(request).await.unwrap();
        answer.into_inner().subscription.unwrap()
    }

    fn payer(&self) -> Payer {
        let simple = self.owner.company_id.simple();
        Payer {
            tenant: self.owner.tenant(),
            customer_id: format!("cus_sandbox_{simple}"),
        }
    }
}

/// Tier, status, access and premium features.
fn state_of(subscription: &Subscription) -> (Tier, SubscriptionStatus, bool, bool) {
    let given = subscription.entitlements.as_ref().unwrap();
    assert_eq!(given.fuel_analytics, given.parts_entry);
    let open = given.fuel_analytics;
    (given.tier(), given.status(), given.active, open)
}

const PRO: Tier = Tier::Professional;
const TOP: Tier = Tier::Enterprise;
const MONTH: BillingInterval = BillingInterval::Month;
const YEAR: BillingInterval = BillingInterval::Year;
const ACTIVE: (Tier, SubscriptionStatus, bool, bool) =
    (PRO, SubscriptionStatus::Active, true, true);
const PAID: SandboxInvoiceStatus = SandboxInvoiceStatus::Paid;
const VOID: SandboxInvoiceStatus = SandboxInvoiceStatus::Void;
const OPEN: SandboxInvoiceStatus = SandboxInvoiceStatus::Open;

fn at(text: &str) -> prost_types::Timestamp {
    let time: DateTime<Utc> = format!("{text}T08:00:00Z").parse().unwrap();
    timestamp(time)
}

/// Number of undelivered events.
async fn waiting(billing: &TestBilling, company: &Company) -> i32 {
    sqlx::query_scalar(
        "SELECT jsonb_array_length(account -> 'outbox') FROM sandbox_accounts WHERE company_id = $1",
    )
    .bind(company.owner.company_id)
    .fetch_one(&mut billing.admin().await)
    .await
    .unwrap()
}

fn service(billing: &TestBilling) -> Billing {
    let settings = BillingSettings {
        trial_days: 28,
        payments: PaymentSettings::Sandbox,
    };
    let database = billing.database.database.clone();
    Billing::new(database, billing.clock.clone(), Events::off(), settings).unwrap()
}

fn backend(billing: &TestBilling, service: Billing) -> Backend {
    testing::backend(Service::Billing, service.routes(), billing.clock.clone())
}
