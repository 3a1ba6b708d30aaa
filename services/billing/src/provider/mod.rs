//! The payment provider interface. Implementations: [`stripe`] and the built-in [`sandbox`], which
//! moves no money.

pub mod metered;
pub mod sandbox;
pub mod stripe;

use chrono::{DateTime, Utc};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use serde::{Deserialize, Serialize};

use crate::domain::plan::Tier;
use crate::domain::subscription::Interval;

/// A company's customer at the provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payer {
    pub tenant: Tenant,
    pub customer_id: String,
}

/// A plan and its billing interval. Stored as a list of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(Tier, Interval)", into = "(Tier, Interval)")]
pub struct Offer {
    pub tier: Tier,
    pub interval: Interval,
}

impl From<(Tier, Interval)> for Offer {
    fn from((tier, interval): (Tier, Interval)) -> Self {
        Self { tier, interval }
    }
}

impl From<Offer> for (Tier, Interval) {
    fn from(offer: Offer) -> Self {
        (offer.tier, offer.interval)
    }
}

/// A page at the provider where a plan can be paid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkout {
    pub id: String,
    pub url: String,
    pub expires_at: DateTime<Utc>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaymentStatus {
    Paid,
    /// The last renewal was not collected (yet).
    PastDue,
    Ended(DateTime<Utc>),
}

/// A subscription at the provider whose first payment succeeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderSubscription {
    pub subscription_id: String,
    /// The newest subscription counts.
    pub created_at: DateTime<Utc>,
    pub offer: Offer,
    pub payment_status: PaymentStatus,
    /// Start of the current or due period.
    pub period_start: DateTime<Utc>,
    pub period_end: DateTime<Utc>,
    pub cancel_at_period_end: bool,
    /// Nothing is collected until then.
    pub paused_until: Option<DateTime<Utc>>,
    /// The current period was not collected because it began in a pause.
    pub waived: bool,
    /// The current period is a trial: its end is the first charge.
    pub in_trial: bool,
}

impl ProviderSubscription {
    /// Whether the current period was not collected and its pause is over.
    pub fn is_unpaid_after_pause(&self) -> bool {
        self.payment_status == PaymentStatus::Paid && self.waived && self.paused_until.is_none()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Changes plan or interval now, prorated. A period that a pause has moved ends with the
    /// change: its unused part is credited, and a new period begins.
    Plan(Offer),
    /// Collects nothing until then, then resumes automatically. The paid period's end moves by the
    /// length of the pause.
    Pause(DateTime<Utc>),
    /// Ends a pause and undoes a cancellation. The moved end of the period comes earlier by the
    /// rest of the pause. A new period begins and is paid now if the current one was not collected.
    Resume,
    /// Begins and collects a new period if the current one began in a pause that is over; a
    /// declined card leaves it past due. Otherwise does nothing.
    BeginPeriod,
    /// Ends any pause and cancels at the end of the period, or now if the period was not collected.
    CancelAtPeriodEnd,
    /// Cancels now; nothing more is collected. With `credit`, the unused part of the paid period
    /// is credited to the customer's next invoices.
    CancelNow { credit: bool },
}

impl Change {
    /// The label in metrics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plan(_) => "change_plan",
            Self::Pause(_) => "pause",
            Self::Resume => "resume",
            Self::BeginPeriod => "begin_period",
            Self::CancelAtPeriodEnd => "cancel_at_period_end",
            Self::CancelNow { .. } => "cancel_now",
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum PaymentError {
    /// No usable response; the call may have taken effect.
    #[error("the payment provider is unavailable")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The provider rejected the call, e.g. because its state has changed.
    #[error("the payment provider refused: {0}")]
    Refused(String),
    /// The card was declined and nothing has changed. The text is for the log only.
    #[error("the card was declined: {0}")]
    Declined(String),
    /// The provider does not know the customer (any more).
    #[error("the payment provider does not know the customer")]
    NoCustomer,
    /// Missing or wrong configuration, e.g. no prices at Stripe.
    #[error("payments are not configured: {0}")]
    NotConfigured(String),
    #[error(transparent)]
    Internal(#[from] ServiceError),
}

impl PaymentError {
    /// The label in metrics.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Unavailable(_) => "away",
            Self::Refused(_) => "refused",
            Self::Declined(_) => "declined",
            Self::NoCustomer => "no_customer",
            Self::NotConfigured(_) => "setup",
            Self::Internal(_) => "ours",
        }
    }
}

/// Calls to the payment provider. `key` is an idempotency key; `now` is the time on the company's
/// billing clock.
#[tonic::async_trait]
pub trait Payments: Send + Sync + 'static {
    /// The name stored in `provider` columns: `stripe` or `sandbox`.
    fn name(&self) -> &'static str;

    /// Returns the id of a new customer.
    async fn create_customer(&self, tenant: Tenant, key: &str) -> Result<String, PaymentError>;

    /// Opens a checkout for one subscription, which is charged from `first_charge` on or, without
    /// one, at once.
    async fn open_checkout(
        &self,
        payer: &Payer,
        offer: Offer,
        first_charge: Option<DateTime<Utc>>,
        now: DateTime<Utc>,
        key: &str,
    ) -> Result<Checkout, PaymentError>;

    /// Makes the checkout unpayable. Succeeds if it is already closed or paid.
    async fn close_checkout(&self, payer: &Payer, checkout_id: &str) -> Result<(), PaymentError>;

    /// All subscriptions of the customer that were ever paid, newest first.
    async fn subscriptions(
        &self,
        payer: &Payer,
        now: DateTime<Utc>,
    ) -> Result<Vec<ProviderSubscription>, PaymentError>;

    /// Changes a subscription. A repeat with the same key has no second effect.
    async fn change(
        &self,
        payer: &Payer,
        subscription_id: &str,
        change: Change,
        now: DateTime<Utc>,
        key: &str,
    ) -> Result<(), PaymentError>;

    /// Opens the customer's page of invoices and card and returns its URL.
    async fn open_portal(&self, payer: &Payer, key: &str) -> Result<String, PaymentError>;
}
