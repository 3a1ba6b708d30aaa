//! A company of the service under test and the actions of its owner.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use chrono::{DateTime, Utc};
use hourmeter_billing::provider::sandbox::{Decision, Sandbox};
use hourmeter_billing::provider::{
    Checkout, Offer, Payer, PaymentError, Payments, ProviderSubscription,
};
use hourmeter_proto::billing::v1::*;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Identity, Service, Tenant};
use hourmeter_runtime::testing::{as_person, owner};
use tonic::Request;
use uuid::Uuid;

use crate::support::TestBilling;

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

    pub async fn check_out(
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

/// The session id in a checkout URL.
pub fn session(url: &str) -> &str {
    url.strip_prefix("/sandbox/checkout/").unwrap()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    Before,
    /// The call takes effect, but its response is lost.
    After,
    /// The call takes effect, but its caller is killed.
    Killed,
    Refused,
}

pub struct Faulty {
    inner: Arc<dyn Payments>,
    faults: Mutex<HashMap<&'static str, Fault>>,
    calls: Mutex<Vec<&'static str>>,
}

impl Faulty {
    pub fn new(inner: Arc<dyn Payments>) -> Arc<Self> {
        Arc::new(Self {
            inner,
            faults: Mutex::default(),
            calls: Mutex::default(),
        })
    }

    /// Makes later calls fail; `None` stops it.
    pub fn fail(&self, call: &'static str, fault: Option<Fault>) {
        let mut faults = self.faults.lock().unwrap();
        match fault {
            Some(fault) => faults.insert(call, fault),
            None => faults.remove(call),
        };
    }

    /// Number of calls so far.
    pub fn count(&self, call: &str) -> usize {
        let calls = self.calls.lock().unwrap();
        calls.iter().filter(|made| **made == call).count()
    }

    async fn run<T>(
        &self,
        call: &'static str,
        done: impl Future<Output = Result<T, PaymentError>> + Send,
    ) -> Result<T, PaymentError> {
        self.calls.lock().unwrap().push(call);
        let fault = self.faults.lock().unwrap().get(call).copied();
        match fault {
            None => done.await,
            Some(Fault::Before) => Err(PaymentError::Unavailable("no connection".into())),
            Some(Fault::Refused) => Err(PaymentError::Refused("not now".to_owned())),
            Some(Fault::After) => {
                done.await?;
                Err(PaymentError::Unavailable("timed out".into()))
            }
            Some(Fault::Killed) => {
                done.await?;
                std::future::pending().await
            }
        }
    }
}

#[tonic::async_trait]
impl Payments for Faulty {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    async fn create_customer(&self, tenant: Tenant, key: &str) -> Result<String, PaymentError> {
        self.run("customer", self.inner.create_customer(tenant, key))
            .await
    }

    async fn open_checkout(
        &self,
        payer: &Payer,
        offer: Offer,
        now: DateTime<Utc>,
        key: &str,
    ) -> Result<Checkout, PaymentError> {
        self.run("open", self.inner.open_checkout(payer, offer, now, key))
            .await
    }

    async fn close_checkout(&self, payer: &Payer, checkout_id: &str) -> Result<(), PaymentError> {
        self.run("close", self.inner.close_checkout(payer, checkout_id))
            .await
    }

    async fn subscriptions(
        &self,
        payer: &Payer,
        now: DateTime<Utc>,
    ) -> Result<Vec<ProviderSubscription>, PaymentError> {
        self.run("read", self.inner.subscriptions(payer, now)).await
    }

    async fn change_plan(
        &self,
        payer: &Payer,
        id: &str,
        offer: Offer,
        now: DateTime<Utc>,
        key: &str,
    ) -> Result<(), PaymentError> {
        self.run("change", self.inner.change_plan(payer, id, offer, now, key))
            .await
    }

    async fn pause(
        &self,
        payer: &Payer,
        id: &str,
        until: DateTime<Utc>,
        now: DateTime<Utc>,
        key: &str,
    ) -> Result<(), PaymentError> {
        self.run("pause", self.inner.pause(payer, id, until, now, key))
            .await
    }

    async fn resume(
        &self,
        payer: &Payer,
        id: &str,
        now: DateTime<Utc>,
        key: &str,
    ) -> Result<(), PaymentError> {
        self.run("resume", self.inner.resume(payer, id, now, key))
            .await
    }

    async fn begin_period(
        &self,
        payer: &Payer,
        id: &str,
        now: DateTime<Utc>,
        key: &str,
    ) -> Result<(), PaymentError> {
        self.run("begin", self.inner.begin_period(payer, id, now, key))
            .await
    }

    async fn cancel_at_period_end(
        &self,
        payer: &Payer,
        id: &str,
        now: DateTime<Utc>,
        key: &str,
    ) -> Result<(), PaymentError> {
        self.run(
            "cancel",
            self.inner.cancel_at_period_end(payer, id, now, key),
        )
        .await
    }

    async fn cancel_now(
        &self,
        payer: &Payer,
        id: &str,
        now: DateTime<Utc>,
        key: &str,
    ) -> Result<(), PaymentError> {
        self.run("cancel now", self.inner.cancel_now(payer, id, now, key))
            .await
    }

    async fn open_portal(&self, payer: &Payer, key: &str) -> Result<String, PaymentError> {
        self.run("portal", self.inner.open_portal(payer, key)).await
    }
}
