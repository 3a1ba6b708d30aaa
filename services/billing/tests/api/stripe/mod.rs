//! The whole service with the fake of Stripe.

mod life_cycle;
mod pauses;
mod portal;
mod prices;
mod secrets;
mod stored_errors;
mod unavailable;
mod unknown_customer;

use std::time::Duration;

use chrono::{DateTime, Months, TimeDelta, Utc};
use hourmeter_billing::provider::stripe::StripePayments;
use hourmeter_billing::provider::{Payer, PaymentError, Payments as _};
use hourmeter_billing::{Billing, BillingSettings, MIGRATIONS, PaymentSettings};
use hourmeter_proto::billing::v1::billing_service_client::BillingServiceClient;
use hourmeter_proto::billing::v1::{
    BillingInterval, PaymentProvider, ReceiveWebhookRequest, Subscription, SubscriptionStatus, Tier,
};
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::events::Events;
use hourmeter_runtime::identity::{Service, Tenant};
use hourmeter_runtime::testing::{self, as_edge};
use uuid::Uuid;

use crate::company::Company;
use crate::customer::{BASIC, TIMEOUT, stripe};
use crate::fake::{API_KEY, Fake, FakeFault, WEBHOOK_SECRET};
use crate::support::{TestBilling, start, timestamp};

const MONTH: BillingInterval = BillingInterval::Month;
const YEAR: BillingInterval = BillingInterval::Year;

/// The service as configured, with another timeout.
async fn serving(timeout: Duration) -> (TestBilling, Fake) {
    let database = testing::database(Service::Billing, &MIGRATIONS).await;
    let (fake, payments) = stripe(&database, timeout).await;
    let (clock, events) = (Clock::fixed(start()), Events::local());
    let settings = BillingSettings {
        trial_days: 28,
        payments: PaymentSettings::Stripe(fake.settings()),
    };
    let service = Billing::new(
        database.database.clone(),
        clock.clone(),
        events.clone(),
        settings,
    );
    let service = service.unwrap().with_payments(|_| payments);
    let backend = testing::backend(Service::Billing, service.clone().routes(), clock.clone());
    let billing = TestBilling {
        service,
        events,
        client: BillingServiceClient::new(backend.clone()),
        backend,
        clock,
        database,
    };
    (billing, fake)
}

/// Delivers the fake's events and returns their number.
async fn deliver(billing: &TestBilling, fake: &Fake) -> usize {
    let events = fake.take_events();
    let count = events.len();
    for (body, signature) in events {
        let request = as_edge(Service::Billing, ReceiveWebhookRequest { body, signature });
        billing
            .client
            .clone()
            .receive_webhook(request)
            .await
            .unwrap();
    }
    count
}

/// Pays a checkout; its events are lost.
fn pay(fake: &Fake, url: &str) {
    let (_, id) = url.rsplit_once('/').unwrap();
    assert!(fake.world(|world| world.pay(id)));
}

/// A company that pays for Basic monthly.
async fn paying<'a>(billing: &'a TestBilling, fake: &Fake) -> Company<'a> {
    let company = Company::on_trial(billing).await;
    let url = company.check_out(Tier::Basic, MONTH).await.unwrap();
    pay(fake, &url);
    deliver(billing, fake).await;
    assert_eq!(
        status(&company.subscription().await),
        SubscriptionStatus::Active
    );
    company
}

fn advance(billing: &TestBilling, fake: &Fake, now: DateTime<Utc>) {
    billing.clock.set(now);
    fake.world(|world| world.advance(now));
}

fn status(subscription: &Subscription) -> SubscriptionStatus {
    subscription.entitlements.as_ref().unwrap().status()
}

fn tier(subscription: &Subscription) -> Tier {
    subscription.entitlements.as_ref().unwrap().tier()
}

fn assert_away<T: std::fmt::Debug>(result: Result<T, ServiceError>) {
    let failure = result.expect_err("the provider is away");
    assert_eq!(failure.kind, Kind::Provider, "{failure:?}");
    assert_eq!(failure.reason, "PAYMENT_PROVIDER");
    let plain = "The payment provider is not available right now. Please try again.";
    assert_eq!(failure.message, plain);
}

fn provider(billing: &TestBilling, fake: &Fake, key: &str) -> StripePayments {
    let mut settings = fake.settings();
    settings.api_key = key.into();
    let database = billing.database.database.clone();
    StripePayments::new(&settings, database, TIMEOUT).unwrap()
}

async fn customer(payments: &StripePayments) -> Payer {
    let tenant = Tenant::from_lookup(Uuid::now_v7());
    let key = format!("{}:customer", tenant.company_id());
    let customer_id = payments.create_customer(tenant, &key).await.unwrap();
    Payer {
        tenant,
        customer_id,
    }
}
