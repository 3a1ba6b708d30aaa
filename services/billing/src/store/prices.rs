//! The prices created at Stripe from the plan catalogue. They belong to the platform, not to a
//! company.

use chrono::{DateTime, Utc};
use hourmeter_runtime::error::ServiceError;
use sqlx::PgConnection;

use crate::domain::plan::Tier;
use crate::domain::subscription::Interval;
use crate::provider::Offer;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredPrice {
    pub price_id: String,
    pub offer: Offer,
    /// US cents per period.
    pub cents: u32,
    /// Whether checkouts use it.
    pub sold: bool,
}

#[derive(sqlx_macros::FromRow)]
struct Row {
    price_id: String,
    tier: String,
    billing_interval: String,
    cents: i32,
    sold: bool,
}

impl TryFrom<Row> for StoredPrice {
    type Error = ServiceError;

    fn try_from(row: Row) -> Result<Self, ServiceError> {
        let tier = Tier::from_name(&row.tier);
        let interval = Interval::from_name(&row.billing_interval);
        let (Some(tier), Some(interval)) = (tier, interval) else {
            return Err(ServiceError::internal(
                "stored price refers to an unknown plan",
            ));
        };
        Ok(Self {
            price_id: row.price_id,
            offer: Offer { tier, interval },
            cents: u32::try_from(row.cents).map_err(ServiceError::internal)?,
            sold: row.sold,
        })
    }
}

/// All prices, including archived ones.
pub async fn all(connection: &mut PgConnection) -> Result<Vec<StoredPrice>, ServiceError> {
    let rows: Vec<Row> = sqlx::query_as(
        "SELECT
            price_id,
            tier,
            billing_interval,
            cents,
            sold
        FROM stripe_prices
        ORDER BY price_id",
    )
    .fetch_all(connection)
    .await?;
    rows.into_iter().map(StoredPrice::try_from).collect()
}

/// Stores the prices of one offer. Other stored prices of it are kept but not sold any more.
pub async fn replace(
    connection: &mut PgConnection,
    offer: Offer,
    prices: &[StoredPrice],
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    sqlx::query(
        "UPDATE stripe_prices
        SET sold = false
        WHERE tier = $1
            AND billing_interval = $2
            AND sold",
    )
    .bind(offer.tier.name())
    .bind(offer.interval.name())
    .execute(&mut *connection)
    .await?;
    for price in prices {
        sqlx::query(
            "INSERT INTO stripe_prices (price_id, tier, billing_interval, cents, sold, created_at)
            VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (price_id) DO UPDATE SET sold = excluded.sold",
        )
        .bind(&price.price_id)
        .bind(price.offer.tier.name())
        .bind(price.offer.interval.name())
        .bind(i32::try_from(price.cents).map_err(ServiceError::internal)?)
        .bind(price.sold)
        .bind(now)
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}
