//! Syncs the plan catalogue to Stripe: one product per plan, one price per billing interval.
//!
//! The command is idempotent. Stripe's prices cannot change, so a new amount creates a new price;
//! the old one is archived there and stays stored here for subscriptions that still pay it.

use futures::future::BoxFuture;
use std::io::Write;
use std::time::Duration;

use chrono::{DateTime, Utc};
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::ServiceError;
use miniserde::Deserialize;
use sqlx::Connection as _;
use stripe_client_core::StripeRequest as _;
use stripe_product::price::{
    CreatePrice, CreatePriceRecurring, CreatePriceRecurringInterval, ListPrice, UpdatePrice,
};
use stripe_product::product::{CreateProduct, RetrieveProduct, UpdateProduct};
use stripe_types::Currency;
use uuid::Uuid;

use crate::domain::plan::{PLANS, Plan, Tier};
use crate::domain::subscription::Interval;
use crate::provider::stripe::api::{Api, PAGE, is_missing};
use crate::provider::stripe::wire::Named;
use crate::provider::{Offer, PaymentError};
use crate::settings::{PaymentSettings, StripeSettings};
use crate::store::prices::{self, StoredPrice};

pub const COMMAND: &str = "sync-catalogue";
/// No person waits for this command, so it may wait longer than the service.
const TIMEOUT: Duration = Duration::from_secs(30);

#[derive(Debug, Deserialize)]
struct Product {
    active: bool,
    name: String,
    description: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Price {
    id: String,
    active: bool,
    currency: String,
    unit_amount: Option<i64>,
    lookup_key: Option<String>,
    recurring: Option<Recurring>,
}

#[derive(Debug, Deserialize)]
struct Recurring {
    interval: String,
    interval_count: i64,
}

/// Syncs `PLANS` to the configured Stripe account.
pub fn run<'a>(
    payments: &'a PaymentSettings,
    database: &'a Database,
    out: &'a mut (dyn Write + Send),
) -> BoxFuture<'a, Result<(), PaymentError>> {
    Box::pin(async move {
        let PaymentSettings::Stripe(stripe) = payments else {
            return Err(PaymentError::NotConfigured(
                "STRIPE_API_KEY is not set".to_owned(),
            ));
        };
        sync(stripe, database, &PLANS, Clock::system().now(), out).await
    })
}

/// Creates or updates Stripe's products and prices, stores the prices and writes a report to `out`.
pub async fn sync(
    settings: &StripeSettings,
    database: &Database,
    plans: &[Plan],
    now: DateTime<Utc>,
    out: &mut (dyn Write + Send),
) -> Result<(), PaymentError> {
    let api = Api::new(settings, TIMEOUT)?;
    for plan in plans {
        let product_id = product_id(plan.tier);
        write_line(out, &sync_product(&api, plan, &product_id).await?)?;
        // Includes archived prices.
        let list = ListPrice::new().product(&product_id).limit(PAGE);
        let existing = api
            .read_all(|| list.build(), |price: &Price| &price.id)
            .await?;
        for interval in [Interval::Month, Interval::Year] {
            let spec = PriceSpec {
                offer: Offer {
                    tier: plan.tier,
                    interval,
                },
                product_id: &product_id,
                lookup_key: format!("{product_id}_{}", interval.name()),
                cents: interval.cents(plan),
            };
            let (stored, lines) = spec.sync_price(&api, &existing, now).await?;
            store(database, spec.offer, &stored, now).await?;
            for line in lines {
                write_line(out, &line)?;
            }
        }
    }
    Ok(())
}

fn write_line(out: &mut (dyn Write + Send), line: &str) -> Result<(), ServiceError> {
    writeln!(out, "{line}").map_err(ServiceError::internal)
}

async fn store(
    database: &Database,
    offer: Offer,
    stored: &[StoredPrice],
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let mut connection = database.lookup().await?;
    let mut tx = connection.begin().await?;
    prices::replace(&mut tx, offer, stored, now).await?;
    Ok(tx.commit().await?)
}

async fn sync_product(api: &Api, plan: &Plan, id: &str) -> Result<String, PaymentError> {
    let name = format!("Hourmeter {}", plan.name);
    // A random key: the product id alone prevents a second creation.
    let key = format!("catalogue:{id}:{}", Uuid::now_v7());
    let found = api.read::<Product>(RetrieveProduct::new(id).build()).await;
    let product = match found {
        Ok(product) => product,
        Err(error) if is_missing(&error) => {
            let create = CreateProduct::new(name).id(id);
            let create = create.description(plan.description);
            let _: Named = api.write(create.build(), &key).await?;
            return Ok(format!("Product {id} created."));
        }
        Err(other) => return Err(other),
    };
    let described = product.description.as_deref() == Some(plan.description);
    if product.active && product.name == name && described {
        return Ok(format!("Product {id} is up to date."));
    }
    let update = UpdateProduct::new(id).active(true).name(name);
    let update = update.description(plan.description);
    let _: Named = api.write(update.build(), &key).await?;
    Ok(format!("Product {id} updated."))
}

pub(crate) fn product_id(tier: Tier) -> String {
    format!("hourmeter_{}", tier.name())
}

struct PriceSpec<'a> {
    offer: Offer,
    product_id: &'a str,
    lookup_key: String,
    cents: u32,
}

impl PriceSpec<'_> {
    /// Creates the price unless it exists and archives all others of the same interval. Returns the
    /// prices to store and the report lines.
    async fn sync_price(
        &self,
        api: &Api,
        existing: &[Price],
        now: DateTime<Utc>,
    ) -> Result<(Vec<StoredPrice>, Vec<String>), PaymentError> {
        let mut lines = Vec::new();
        let ours = existing
            .iter()
            .filter(|price| self.has_same_interval(price));
        let current = ours.clone().find(|price| self.matches(price));
        let (key, label) = (&self.lookup_key, self.label(self.cents));
        let current_id = if let Some(price) = current {
            lines.push(format!("Price {key} unchanged: {label}."));
            price.id.clone()
        } else {
            let created = self.create_price(api, existing, now).await?;
            lines.push(format!("Price {key} created: {label}."));
            created
        };
        let mut stored = vec![self.stored(&current_id, self.cents, true)];
        for old in ours.filter(|price| price.id != current_id) {
            let cents = old.unit_amount.and_then(|cents| u32::try_from(cents).ok());
            let Some(cents) = cents.filter(|cents| *cents > 0) else {
                continue;
            };
            stored.push(self.stored(&old.id, cents, false));
            if old.active {
                let archive = UpdatePrice::new(old.id.as_str()).active(false);
                let key = format!("catalogue:{}:archive:{}", old.id, Uuid::now_v7());
                let _: Named = api.write(archive.build(), &key).await?;
                lines.push(format!("Price {} archived: {}.", old.id, self.label(cents)));
            }
        }
        Ok((stored, lines))
    }

    /// The key contains the hour: two concurrent runs create one price.
    async fn create_price(
        &self,
        api: &Api,
        existing: &[Price],
        now: DateTime<Utc>,
    ) -> Result<String, PaymentError> {
        let interval = match self.offer.interval {
            Interval::Month => CreatePriceRecurringInterval::Month,
            Interval::Year => CreatePriceRecurringInterval::Year,
        };
        let create = CreatePrice::new(Currency::USD)
            .product(self.product_id)
            .unit_amount(i64::from(self.cents))
            .recurring(CreatePriceRecurring::new(interval))
            .lookup_key(&self.lookup_key)
            .transfer_lookup_key(true);
        let key = format!(
            "catalogue:{}:{}:{}:{}",
            self.lookup_key,
            self.cents,
            existing.len(),
            now.timestamp() / 3600
        );
        let created: Named = api.write(create.build(), &key).await?;
        Ok(created.id)
    }

    fn has_same_interval(&self, price: &Price) -> bool {
        price.currency == "usd"
            && price.recurring.as_ref().is_some_and(|recurring| {
                recurring.interval == self.offer.interval.name() && recurring.interval_count == 1
            })
    }

    fn matches(&self, price: &Price) -> bool {
        price.active
            && price.unit_amount == Some(i64::from(self.cents))
            && price.lookup_key.as_deref() == Some(self.lookup_key.as_str())
    }

    fn stored(&self, price_id: &str, cents: u32, sold: bool) -> StoredPrice {
        StoredPrice {
            price_id: price_id.to_owned(),
            offer: self.offer,
            cents,
            sold,
        }
    }

    fn label(&self, cents: u32) -> String {
        let interval = self.offer.interval.name();
        format!("USD {}.{:02} per {interval}", cents / 100, cents % 100)
    }
}
