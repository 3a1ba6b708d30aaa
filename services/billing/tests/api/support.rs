//! The service under test.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use hourmeter_billing::provider::Payments;
use hourmeter_billing::webhook::Webhooks;
use hourmeter_billing::{Billing, BillingSettings, MIGRATIONS, PaymentSettings};
use hourmeter_proto::billing::v1::billing_service_client::BillingServiceClient;
use hourmeter_proto::billing::v1::sandbox_service_client::SandboxServiceClient;
use hourmeter_proto::billing::v1::{
    Entitlements, GetEntitlementsRequest, GetSubscriptionRequest, Subscription,
};
use hourmeter_runtime::client::Backend;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::connect_admin;
use hourmeter_runtime::events::Events;
use hourmeter_runtime::identity::{Identity, Service};
use hourmeter_runtime::testing::{self, TestDatabase, as_edge, as_person};
use secrecy::SecretString;
use sqlx::PgConnection;
use tonic::Status;
use uuid::Uuid;

/// Secret of events made by tests.
pub const WEBHOOK_SECRET: &str = "whsec_test";

pub struct TestBilling {
    /// Direct access, to run scheduled work by hand.
    pub service: Billing,
    /// Published change notifications.
    pub events: Events,
    pub client: BillingServiceClient<Backend>,
    pub backend: Backend,
    pub clock: Clock,
    pub database: TestDatabase,
}

/// The time at which every test starts.
pub fn start() -> DateTime<Utc> {
    "2026-11-02T08:00:00Z".parse().unwrap()
}

pub fn timestamp(time: DateTime<Utc>) -> prost_types::Timestamp {
    prost_types::Timestamp {
        seconds: time.timestamp(),
        nanos: i32::try_from(time.timestamp_subsec_nanos()).unwrap(),
    }
}

/// Ends a company's trial, so that its checkout charges at once.
pub async fn end_trial(admin_url: &SecretString, company_id: Uuid) {
    sqlx::query(
        "UPDATE subscriptions
        SET trial_start = $2::timestamptz - interval '1 day', trial_end = $2, status = 'expired'
        WHERE company_id = $1 AND status = 'trial'",
    )
    .bind(company_id)
    .bind(start())
    .execute(&mut connect_admin(admin_url).await.unwrap())
    .await
    .unwrap();
}

impl TestBilling {
    /// With the sandbox.
    pub async fn new() -> Self {
        Self::with(|billing| billing).await
    }

    /// With another provider, made from the sandbox and the database.
    pub async fn with_payments(make: impl FnOnce(Arc<dyn Payments>) -> Arc<dyn Payments>) -> Self {
        Self::with(|billing| billing.with_payments(make)).await
    }

    /// With a changed service.
    pub async fn with(change: impl FnOnce(Billing) -> Billing) -> Self {
        Self::on(
            testing::database(Service::Billing, &MIGRATIONS).await,
            change,
        )
    }

    /// On an existing database.
    pub fn on(database: TestDatabase, change: impl FnOnce(Billing) -> Billing) -> Self {
        let clock = Clock::fixed(start());
        let settings = BillingSettings {
            trial_days: 28,
            payments: PaymentSettings::Sandbox,
        };
        let events = Events::local();
        let billing = Billing::new(
            database.database.clone(),
            clock.clone(),
            events.clone(),
            settings,
        );
        let webhooks = Webhooks::new(vec![WEBHOOK_SECRET.into()], false);
        let service = change(billing.unwrap().with_webhooks(webhooks));
        let routes = service.clone().routes();
        let backend = testing::backend(Service::Billing, routes, clock.clone());
        Self {
            service,
            events,
            client: BillingServiceClient::new(backend.clone()),
            backend,
            clock,
            database,
        }
    }

    pub fn sandbox_client(&self) -> SandboxServiceClient<Backend> {
        SandboxServiceClient::new(self.backend.clone())
    }

    pub async fn entitlements(&self, company_id: Uuid) -> Entitlements {
        let request = GetEntitlementsRequest {
            company_id: company_id.to_string(),
            company_created_at: Some(timestamp(start())),
        };
        self.try_entitlements(request).await.unwrap()
    }

    /// The revision of the entitlements.
    pub async fn marker(&self, owner: &Identity) -> String {
        let request = GetEntitlementsRequest {
            company_id: owner.company_id.to_string(),
            company_created_at: Some(timestamp(start())),
        };
        let request = as_edge(Service::Billing, request);
        let answer = self.client.clone().get_entitlements(request).await;
        answer.unwrap().into_inner().marker
    }

    pub async fn try_entitlements(
        &self,
        request: GetEntitlementsRequest,
    ) -> Result<Entitlements, Status> {
        let request = as_edge(Service::Billing, request);
        let answer = self.client.clone().get_entitlements(request).await?;
        Ok(answer.into_inner().entitlements.unwrap())
    }

    pub async fn subscription(&self, manager: &Identity) -> Result<Subscription, Status> {
        let request = as_person(Service::Billing, manager, GetSubscriptionRequest {});
        let answer = self.client.clone().get_subscription(request).await?;
        Ok(answer.into_inner().subscription.unwrap())
    }

    pub async fn admin(&self) -> PgConnection {
        connect_admin(&self.database.admin_url).await.unwrap()
    }

    pub async fn stored_status(&self, company_id: Uuid) -> Option<String> {
        sqlx::query_scalar("SELECT status FROM subscriptions WHERE company_id = $1")
            .bind(company_id)
            .fetch_optional(&mut self.admin().await)
            .await
            .unwrap()
    }

    pub async fn rows(&self) -> i64 {
        sqlx::query_scalar("SELECT count(*) FROM subscriptions")
            .fetch_one(&mut self.admin().await)
            .await
            .unwrap()
    }

    /// Makes a company's row a paid one.
    pub async fn pay(&self, company_id: Uuid, tier: &str, status: &str) {
        sqlx::query(
            "UPDATE subscriptions
            SET tier = $2, status = $3, billing_interval = 'month',
                current_period_end = trial_end, pause_end = trial_end
            WHERE company_id = $1",
        )
        .bind(company_id)
        .bind(tier)
        .bind(status)
        .execute(&mut self.admin().await)
        .await
        .unwrap();
    }
}
