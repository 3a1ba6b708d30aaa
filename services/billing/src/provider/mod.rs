//! Who takes the payments: what billing asks of a provider, and what it reads there. Two answer:
//! [`stripe`], and the built-in [`sandbox`] that moves no money.

pub mod metered;
pub mod sandbox;
pub mod stripe;

use chrono::{DateTime, Utc};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;

use crate::domain::plan::Tier;
use crate::domain::subscription::Interval;

/// The customer a company is at the provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payer {
    /// The company.
    pub tenant: Tenant,
    /// Its id at the provider.
    pub customer_id: String,
}

/// What a person wants to buy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The plan.
    pub tier: Tier,
    /// How it is paid.
    pub interval: Interval,
}

/// A page at the provider where a plan can be paid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkout {
    /// Its id.
    pub id: String,
    /// Where it is.
    pub url: String,
    /// Until then it can be paid.
    pub expires_at: DateTime<Utc>,
}

/// Where a subscription stands at the provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Paid as agreed.
    Paid,
    /// The last renewal could not be collected (yet).
    PastDue,
    /// Over since then.
    Ended(DateTime<Utc>),
}

/// A subscription as the provider has it. One whose first payment never came is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Its id at the provider.
    pub subscription_id: String,
    /// When it was made; the newest counts.
    pub created_at: DateTime<Utc>,
    /// What is bought.
    pub offer: Offer,
    /// Where it stands.
    pub progress: Progress,
    /// Begin of the period that is running or due.
    pub period_start: DateTime<Utc>,
    /// End of that period.
    pub period_end: DateTime<Utc>,
    /// Does not renew.
    pub cancel_at_period_end: bool,
    /// Nothing is collected until then.
    pub paused_until: Option<DateTime<Utc>>,
    /// The running period was not collected, since it began in a pause.
    pub waived: bool,
}

impl Reading {
    /// Nobody paid the running period, since it began in a pause, and that pause is over.
    pub fn is_unpaid_after_pause(&self) -> bool {
        self.progress == Progress::Paid && self.waived && self.paused_until.is_none()
    }
}

/// Why the provider did not do it.
#[derive(Debug, thiserror::Error)]
pub enum PaymentError {
    /// It did not answer, or not usefully: whether it did it is not known.
    #[error("the payment provider does not answer")]
    Away(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// It has said no, e.g. since its subscription has changed meanwhile.
    #[error("the payment provider refused: {0}")]
    Refused(String),
    /// The card was declined, and nothing has changed. What it says is for the log only.
    #[error("the card was declined: {0}")]
    Declined(String),
    /// It does not know the customer (any more).
    #[error("the payment provider does not know the customer")]
    NoCustomer,
    /// Something of ours is wrong or missing, e.g. prices that were never made there.
    #[error("payments are not set up: {0}")]
    Setup(String),
    /// Our own fault.
    #[error(transparent)]
    Ours(#[from] ServiceError),
}

impl PaymentError {
    /// The name in metrics.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Away(_) => "away",
            Self::Refused(_) => "refused",
            Self::Declined(_) => "declined",
            Self::NoCustomer => "no_customer",
            Self::Setup(_) => "setup",
            Self::Ours(_) => "ours",
        }
    }
}

/// What billing asks of whoever takes the payments. `key` names one wish: asked again with the
/// same key, the provider does it once. `now` is the time on the company's billing clock.
#[tonic::async_trait]
pub trait Payments: Send + Sync + 'static {
    /// The word stored with what comes from it: `stripe` or `sandbox`.
    fn name(&self) -> &'static str;

    /// Makes the company known.
    async fn create_customer(&self, tenant: Tenant, key: &str) -> Result<String, PaymentError>;

    /// Opens a checkout of one subscription.
    async fn open_checkout(
        &self,
        payer: &Payer,
        offer: Offer,
        now: DateTime<Utc>,
        key: &str,
    ) -> Result<Checkout, PaymentError>;

    /// Makes sure that nobody can pay this checkout any more; fine when it is over already.
    async fn close_checkout(&self, payer: &Payer, checkout_id: &str) -> Result<(), PaymentError>;

    /// All subscriptions of the customer that were ever paid, newest first.
    async fn subscriptions(
        &self,
        payer: &Payer,
        now: DateTime<Utc>,
    ) -> Result<Vec<Reading>, PaymentError>;

    /// Changes what is bought at once, prorated.
    async fn change_plan(
        &self,
        payer: &Payer,
        subscription_id: &str,
        offer: Offer,
        now: DateTime<Utc>,
        key: &str,
    ) -> Result<(), PaymentError>;

    /// Collects nothing until `until`, then goes on by itself.
    async fn pause(
        &self,
        payer: &Payer,
        subscription_id: &str,
        until: DateTime<Utc>,
        now: DateTime<Utc>,
        key: &str,
    ) -> Result<(), PaymentError>;

    /// Ends a pause and takes a cancellation back. Where the running period began in the pause, a
    /// new one begins and is paid now.
    async fn resume(
        &self,
        payer: &Payer,
        subscription_id: &str,
        now: DateTime<Utc>,
        key: &str,
    ) -> Result<(), PaymentError>;

    /// Begins a period and collects it now where the running one began in a pause that is over; a
    /// declined card leaves it past due. Anywhere else it does nothing.
    async fn begin_period(
        &self,
        payer: &Payer,
        subscription_id: &str,
        now: DateTime<Utc>,
        key: &str,
    ) -> Result<(), PaymentError>;

    /// Ends any pause and lets the subscription end with its period; now, where that period was not
    /// collected.
    async fn cancel_at_period_end(
        &self,
        payer: &Payer,
        subscription_id: &str,
        now: DateTime<Utc>,
        key: &str,
    ) -> Result<(), PaymentError>;

    /// Ends the subscription now; nothing more is collected.
    async fn cancel_now(
        &self,
        payer: &Payer,
        subscription_id: &str,
        now: DateTime<Utc>,
        key: &str,
    ) -> Result<(), PaymentError>;

    /// Opens the customer's pages of invoices and card; answers where.
    async fn open_portal(&self, payer: &Payer, key: &str) -> Result<String, PaymentError>;
}
