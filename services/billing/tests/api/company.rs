//! A company of the service under test and the actions of its owner.

use chrono::{DateTime, Utc};
use hourmeter_billing::provider::sandbox::{Decision, Sandbox};
use hourmeter_billing::provider::{Payer, Payments as _, ProviderSubscription};
use hourmeter_proto::billing::v1::*;
use hourmeter_runtime::db::connect_admin;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Identity, Service, Tenant};
use hourmeter_runtime::testing::{as_person, owner};
use secrecy::SecretString;
use tonic::Request;
use uuid::Uuid;

use crate::support::{TestBilling, end_trial};

/// A company in its trial.
pub struct Company<'a> {
    pub billing: &'a TestBilling,
    pub owner: Identity,
}

/// Event, detail and whether a person caused it; oldest first.
pub type AuditEntries = Vec<(String, String, bool)>;

impl<'a> Company<'a> {
    pub async fn on_trial(billing: &'a TestBilling) -> Self {
        let owner = owner();
        billing.entitlements(owner.company_id).await;
        Self { billing, owner }
    }

    /// A company that pays for a plan monthly.
    pub async fn paying(billing: &'a TestBilling, tier: Tier) -> Self {
        let company = Self::on_trial(billing).await;
        let url = company.check_out(tier, BillingInterval::Month).await;
        company.pay(&url.unwrap()).await.unwrap();
        company
    }

    fn call<T>(&self, message: T) -> Request<T> {
        let caller = Identity {
            request_id: Uuid::now_v7(),
            ..self.owner.clone()
        };
        as_person(Service::Billing, &caller, message)
    }

    /// A checkout after the trial.
    pub async fn check_out(
        &self,
        tier: Tier,
        interval: BillingInterval,
    ) -> Result<String, ServiceError> {
        end_trial(&self.billing.database.admin_url, self.owner.company_id).await;
        self.check_out_in_trial(tier, interval).await
    }

    pub async fn check_out_in_trial(
        &self,
        tier: Tier,
        interval: BillingInterval,
    ) -> Result<String, ServiceError> {
        let request = self.call(CreateCheckoutSessionRequest {
            tier: tier.into(),
            interval: interval.into(),
        });
        let answer = self
            .billing
            .client
            .clone()
            .create_checkout_session(request)
            .await;
        let answer = answer.map_err(|status| ServiceError::from_status(&status))?;
        Ok(answer.into_inner().url)
    }

    pub async fn pay(&self, url: &str) -> Result<String, ServiceError> {
        let request = self.call(DecideSandboxCheckoutRequest {
            session_id: session(url).to_owned(),
            decision: SandboxDecision::Succeed.into(),
        });
        let answer = self
            .billing
            .sandbox_client()
            .decide_sandbox_checkout(request)
            .await;
        let answer = answer.map_err(|status| ServiceError::from_status(&status))?;
        Ok(answer.into_inner().url)
    }

    /// Pays, but the event is lost.
    pub async fn pay_without_event(&self, url: &str) {
        let sandbox = self.sandbox();
        let paid = sandbox.decide(
            self.tenant(),
            session(url),
            Decision::Succeed,
            self.now().await,
        );
        paid.await.map_err(|_| "declined").unwrap();
    }

    /// Direct access to the sandbox.
    pub fn sandbox(&self) -> Sandbox {
        let database = self.billing.database.database.clone();
        Sandbox::new(database, self.billing.clock.clone())
    }

    pub fn tenant(&self) -> Tenant {
        Tenant::from_lookup(self.owner.company_id)
    }

    pub async fn now(&self) -> DateTime<Utc> {
        let now = self.subscription().await.now.unwrap();
        DateTime::from_timestamp(now.seconds, now.nanos.unsigned_abs()).unwrap()
    }

    pub async fn subscription(&self) -> Subscription {
        self.billing.subscription(&self.owner).await.unwrap()
    }

    pub async fn change(
        &self,
        tier: Tier,
        interval: BillingInterval,
    ) -> Result<Subscription, ServiceError> {
        let request = self.call(ChangePlanRequest {
            tier: tier.into(),
            interval: interval.into(),
        });
        let answer = self.billing.client.clone().change_plan(request).await;
        let answer = answer.map_err(|status| ServiceError::from_status(&status))?;
        Ok(answer.into_inner().subscription.unwrap())
    }

    pub async fn pause(&self, months: u32) -> Result<Subscription, ServiceError> {
        let request = self.call(PauseSubscriptionRequest { months });
        let answer = self
            .billing
            .client
            .clone()
            .pause_subscription(request)
            .await;
        let answer = answer.map_err(|status| ServiceError::from_status(&status))?;
        Ok(answer.into_inner().subscription.unwrap())
    }

    pub async fn reactivate(&self) -> Result<Subscription, ServiceError> {
        let request = self.call(ReactivateSubscriptionRequest {});
        let answer = self
            .billing
            .client
            .clone()
            .reactivate_subscription(request)
            .await;
        let answer = answer.map_err(|status| ServiceError::from_status(&status))?;
        Ok(answer.into_inner().subscription.unwrap())
    }

    pub async fn cancel(&self) -> Result<Subscription, ServiceError> {
        let request = self.call(CancelSubscriptionRequest {});
        let answer = self
            .billing
            .client
            .clone()
            .cancel_subscription(request)
            .await;
        let answer = answer.map_err(|status| ServiceError::from_status(&status))?;
        Ok(answer.into_inner().subscription.unwrap())
    }

    pub async fn portal(&self) -> Result<String, ServiceError> {
        let request = self.call(CreatePortalSessionRequest {});
        let answer = self
            .billing
            .client
            .clone()
            .create_portal_session(request)
            .await;
        let answer = answer.map_err(|status| ServiceError::from_status(&status))?;
        Ok(answer.into_inner().url)
    }

    /// Replaces the card.
    pub async fn card(&self, declines: bool) {
        let request = self.call(SetSandboxCardRequest { declines });
        self.billing
            .sandbox_client()
            .set_sandbox_card(request)
            .await
            .unwrap();
    }

    /// Pauses at the provider as the last release did: the end of the period stays.
    pub async fn hold(&self, until: DateTime<Utc>) {
        hold(&self.billing.database.admin_url, self.tenant(), until).await;
        sqlx::query("UPDATE subscriptions SET next_due_at = $2 WHERE company_id = $1")
            .bind(self.owner.company_id)
            .bind(self.billing.clock.now())
            .execute(&mut self.billing.admin().await)
            .await
            .unwrap();
        self.billing.service.run_due_checks().await.unwrap();
    }

    /// The company's audit entries of billing.
    pub async fn audit_entries(&self) -> AuditEntries {
        sqlx::query_as(
            "SELECT event, detail, actor_id IS NOT NULL FROM audit_events
            WHERE company_id = $1 AND event <> 'equipment_limit_set'
            ORDER BY at, id",
        )
        .bind(self.owner.company_id)
        .fetch_all(&mut self.billing.admin().await)
        .await
        .unwrap()
    }

    /// Details of the audit entries, with `!` before those without a person.
    pub async fn audit_details(&self) -> Vec<String> {
        let lines = self.audit_entries().await.into_iter();
        let word = |(_, detail, person): (String, String, bool)| {
            if person { detail } else { format!("!{detail}") }
        };
        lines.map(word).collect()
    }

    pub async fn at_provider(&self) -> Vec<ProviderSubscription> {
        let payer = Payer {
            tenant: self.tenant(),
            customer_id: self.customer_id().await,
        };
        let now = self.now().await;
        self.sandbox().subscriptions(&payer, now).await.unwrap()
    }

    pub async fn customer_id(&self) -> String {
        sqlx::query_scalar("SELECT provider_customer_id FROM subscriptions WHERE company_id = $1")
            .bind(self.owner.company_id)
            .fetch_one(&mut self.billing.admin().await)
            .await
            .unwrap()
    }
}

/// Pauses the first subscription of a sandbox account without moving its period.
pub async fn hold(admin_url: &SecretString, tenant: Tenant, until: DateTime<Utc>) {
    sqlx::query(
        "UPDATE sandbox_accounts
        SET account = jsonb_set(account, '{subscriptions,0,paused_until}', to_jsonb($2::text))
        WHERE company_id = $1",
    )
    .bind(tenant.company_id())
    .bind(until.to_rfc3339())
    .execute(&mut connect_admin(admin_url).await.unwrap())
    .await
    .unwrap();
}

/// The session id in a checkout URL.
pub fn session(url: &str) -> &str {
    url.strip_prefix("/sandbox/checkout/").unwrap()
}
