//! A customer at either payment provider, for conformance tests.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Months, TimeDelta, Utc};
use hourmeter_billing::domain::plan::{PLANS, Tier};
use hourmeter_billing::domain::subscription::Interval;
use hourmeter_billing::provider::sandbox::{Decision, Sandbox};
use hourmeter_billing::provider::stripe::StripePayments;
use hourmeter_billing::provider::{
    Change, Checkout, Offer, Payer, PaymentError, PaymentStatus, Payments, ProviderSubscription,
};
use hourmeter_billing::{MIGRATIONS, catalogue};
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::connect_admin;
use hourmeter_runtime::identity::{Service, Tenant};
use hourmeter_runtime::testing::{self, TestDatabase};
use uuid::Uuid;

use crate::company::hold;
use crate::fake::Fake;
use crate::support::start;

pub const BASIC: Offer = Offer {
    tier: Tier::Basic,
    interval: Interval::Month,
};
pub const PROFESSIONAL: Offer = Offer {
    tier: Tier::Professional,
    interval: Interval::Month,
};
pub const PROFESSIONAL_YEAR: Offer = Offer {
    tier: Tier::Professional,
    interval: Interval::Year,
};

/// Longer than any call takes, short enough for a test.
pub const TIMEOUT: Duration = Duration::from_secs(5);

enum Backend {
    Stripe(Fake),
    Sandbox(Arc<Sandbox>),
}

pub struct TestCustomer {
    pub payments: Arc<dyn Payments>,
    pub payer: Payer,
    pub now: DateTime<Utc>,
    behind: Backend,
    clock: Clock,
    declines: bool,
    keys: u32,
    database: TestDatabase,
}

/// The period of `offer` that starts at `begin`.
pub fn period(offer: Offer, begin: DateTime<Utc>) -> (DateTime<Utc>, DateTime<Utc>) {
    let months = match offer.interval {
        Interval::Month => 1,
        Interval::Year => 12,
    };
    (begin, begin + Months::new(months))
}

/// A fake with the catalogue, and a provider that uses it.
pub async fn stripe(database: &TestDatabase, timeout: Duration) -> (Fake, Arc<StripePayments>) {
    let fake = Fake::start(start()).await;
    let mut said = Vec::new();
    let settings = fake.settings();
    let sync = catalogue::sync(&settings, &database.database, &PLANS, start(), &mut said);
    sync.await.unwrap();
    let database = database.database.clone();
    let payments = StripePayments::new(&settings, database, timeout);
    (fake, Arc::new(payments.unwrap()))
}

impl TestCustomer {
    pub async fn stripe() -> Self {
        let database = testing::database(Service::Billing, &MIGRATIONS).await;
        let (fake, payments) = stripe(&database, TIMEOUT).await;
        Self::new(
            Backend::Stripe(fake),
            payments,
            Clock::fixed(start()),
            database,
        )
        .await
    }

    pub async fn sandbox() -> Self {
        let database = testing::database(Service::Billing, &MIGRATIONS).await;
        let clock = Clock::fixed(start());
        let sandbox = Arc::new(Sandbox::new(database.database.clone(), clock.clone()));
        Self::new(Backend::Sandbox(sandbox.clone()), sandbox, clock, database).await
    }

    async fn new(
        behind: Backend,
        payments: Arc<dyn Payments>,
        clock: Clock,
        database: TestDatabase,
    ) -> Self {
        let tenant = Tenant::from_lookup(Uuid::now_v7());
        let customer = payments.create_customer(tenant, "customer").await;
        Self {
            payments,
            payer: Payer {
                tenant,
                customer_id: customer.unwrap(),
            },
            now: start(),
            behind,
            clock,
            declines: false,
            keys: 0,
            database,
        }
    }

    /// Another customer of the same provider.
    pub async fn another(mut self) -> Self {
        let tenant = Tenant::from_lookup(Uuid::now_v7());
        let key = format!("{}:customer", tenant.company_id());
        let customer = self.payments.create_customer(tenant, &key).await;
        self.payer = Payer {
            tenant,
            customer_id: customer.unwrap(),
        };
        self
    }

    /// A new idempotency key.
    pub fn key(&mut self) -> String {
        self.keys += 1;
        format!("{}:operation:{}", self.payer.tenant.company_id(), self.keys)
    }

    pub async fn open(&mut self, offer: Offer) -> Checkout {
        self.open_from(offer, None).await
    }

    /// Opens a checkout that begins to charge then.
    pub async fn open_from(
        &mut self,
        offer: Offer,
        first_charge: Option<DateTime<Utc>>,
    ) -> Checkout {
        let key = self.key();
        let checkout =
            self.payments
                .open_checkout(&self.payer, offer, first_charge, self.now, &key);
        checkout.await.unwrap()
    }

    /// Pays with the current card; returns false if that fails.
    pub async fn pay(&self, checkout_id: &str) -> bool {
        match &self.behind {
            Backend::Stripe(fake) => fake.world(|world| world.pay(checkout_id)),
            Backend::Sandbox(sandbox) => {
                let decision = if self.declines {
                    Decision::Decline
                } else {
                    Decision::Succeed
                };
                let decided = sandbox.decide(self.payer.tenant, checkout_id, decision, self.now);
                decided.await.is_ok() && !self.declines
            }
        }
    }

    /// Opens and pays a checkout.
    pub async fn buy(&mut self, offer: Offer) -> ProviderSubscription {
        let checkout = self.open(offer).await;
        assert!(self.pay(&checkout.id).await);
        self.only_subscription().await
    }

    /// Replaces the card; a working one pays open invoices.
    pub async fn set_declines(&mut self, declines: bool) {
        self.declines = declines;
        match &self.behind {
            Backend::Stripe(fake) => fake.world(|world| {
                world.declines = declines;
                let owing = |status: &str| status == "past_due" && !declines;
                for index in 0..world.subscriptions.len() {
                    if owing(world.subscriptions[index].status) {
                        world.refresh_status(index);
                    }
                }
            }),
            Backend::Sandbox(sandbox) => {
                let set = sandbox.set_card(self.payer.tenant, declines, self.now);
                set.await.unwrap();
            }
        }
    }

    pub async fn advance_to(&mut self, now: DateTime<Utc>) {
        self.now = now;
        self.clock.set(now);
        match &self.behind {
            Backend::Stripe(fake) => fake.world(|world| world.advance(now)),
            Backend::Sandbox(sandbox) => sandbox.advance(self.payer.tenant, now).await.unwrap(),
        }
    }

    pub async fn advance(&mut self, by: TimeDelta) {
        self.advance_to(self.now + by).await;
    }

    pub async fn readings(&self) -> Vec<ProviderSubscription> {
        let readings = self.payments.subscriptions(&self.payer, self.now).await;
        readings.unwrap()
    }

    /// The only subscription.
    pub async fn only_subscription(&self) -> ProviderSubscription {
        let mut readings = self.readings().await;
        assert_eq!(readings.len(), 1, "{readings:?}");
        readings.remove(0)
    }

    pub async fn change(&mut self, id: &str, offer: Offer) -> Result<(), PaymentError> {
        self.make(id, Change::Plan(offer)).await
    }

    pub async fn pause(&mut self, id: &str, until: DateTime<Utc>) -> Result<(), PaymentError> {
        self.make(id, Change::Pause(until)).await
    }

    pub async fn resume(&mut self, id: &str) -> Result<(), PaymentError> {
        self.make(id, Change::Resume).await
    }

    pub async fn begin(&mut self, id: &str) -> Result<(), PaymentError> {
        self.make(id, Change::BeginPeriod).await
    }

    async fn make(&mut self, id: &str, change: Change) -> Result<(), PaymentError> {
        let key = self.key();
        let (payer, now) = (&self.payer, self.now);
        self.payments.change(payer, id, change, now, &key).await
    }

    /// Cents collected by the provider.
    pub async fn paid(&self) -> i64 {
        match &self.behind {
            Backend::Stripe(fake) => fake.world(|world| world.paid()),
            Backend::Sandbox(_) => sqlx::query_scalar(
                "SELECT coalesce(sum((invoice->>'card_cents')::bigint), 0)::bigint
                FROM sandbox_accounts, jsonb_array_elements(account->'invoices') invoice
                WHERE company_id = $1",
            )
            .bind(self.payer.tenant.company_id())
            .fetch_one(&mut connect_admin(&self.database.admin_url).await.unwrap())
            .await
            .unwrap(),
        }
    }

    /// Pauses by hand, or as the last release did: the end of the period stays.
    pub async fn hold(&mut self, until: DateTime<Utc>) {
        match &self.behind {
            Backend::Stripe(fake) => fake.world(|world| world.hold(until)),
            Backend::Sandbox(_) => hold(&self.database.admin_url, self.payer.tenant, until).await,
        }
    }

    /// Credit for later invoices in cents.
    pub async fn credit(&self) -> i64 {
        match &self.behind {
            Backend::Stripe(fake) => fake.world(|world| world.credit),
            Backend::Sandbox(_) => sqlx::query_scalar(
                "SELECT (account->>'balance_cents')::bigint FROM sandbox_accounts
                WHERE company_id = $1",
            )
            .bind(self.payer.tenant.company_id())
            .fetch_one(&mut connect_admin(&self.database.admin_url).await.unwrap())
            .await
            .unwrap(),
        }
    }

    pub async fn end_with_period(&mut self, id: &str) -> Result<(), PaymentError> {
        self.make(id, Change::CancelAtPeriodEnd).await
    }

    pub async fn end(&mut self, id: &str) -> Result<(), PaymentError> {
        self.make(id, Change::CancelNow { credit: false }).await
    }

    pub async fn end_with_credit(&mut self, id: &str) -> Result<(), PaymentError> {
        self.make(id, Change::CancelNow { credit: true }).await
    }
}

pub fn assert_declined(result: Result<(), PaymentError>) {
    match result {
        Err(PaymentError::Declined(_)) => {}
        other => panic!("{other:?}"),
    }
}

pub fn assert_refused(result: Result<(), PaymentError>) {
    match result {
        Err(PaymentError::Refused(_)) => {}
        other => panic!("{other:?}"),
    }
}

/// Asserts that the period starting at `begin` is paid.
pub fn assert_paid(reading: &ProviderSubscription, offer: Offer, begin: DateTime<Utc>) {
    assert_eq!(reading.payment_status, PaymentStatus::Paid, "{reading:?}");
    assert_eq!(reading.offer, offer, "{reading:?}");
    let running = (reading.period_start, reading.period_end);
    assert_eq!(running, period(offer, begin), "{reading:?}");
}
