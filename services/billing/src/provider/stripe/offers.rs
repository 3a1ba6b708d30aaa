//! Maps between offers and Stripe's prices.

use hourmeter_runtime::db::Database;
use tokio::sync::RwLock;

use crate::provider::{Offer, PaymentError};
use crate::store::prices::{self, StoredPrice};

/// The stored prices. What a price sells never changes, so it is cached; which price is on sale is
/// read from the database each time.
#[derive(Debug)]
pub struct Offers {
    database: Database,
    known: RwLock<Vec<StoredPrice>>,
}

impl Offers {
    pub fn new(database: Database) -> Self {
        Self {
            database,
            known: RwLock::default(),
        }
    }

    pub async fn sold(&self, offer: Offer) -> Result<StoredPrice, PaymentError> {
        let sold = |price: &StoredPrice| price.sold && price.offer == offer;
        self.load().await?.into_iter().find(sold).ok_or_else(|| {
            let (tier, interval) = (offer.tier.name(), offer.interval.name());
            PaymentError::NotConfigured(format!(
                "no price for plan {tier} per {interval}; run sync-catalogue"
            ))
        })
    }

    pub async fn of(&self, price_id: &str) -> Result<StoredPrice, PaymentError> {
        let has_id = |price: &StoredPrice| price.price_id == price_id;
        if let Some(price) = self.known.read().await.iter().find(|price| has_id(price)) {
            return Ok(price.clone());
        }
        self.load().await?.into_iter().find(has_id).ok_or_else(|| {
            PaymentError::NotConfigured(format!(
                "subscription with unknown price {price_id}; run sync-catalogue"
            ))
        })
    }

    async fn load(&self) -> Result<Vec<StoredPrice>, PaymentError> {
        let mut connection = self.database.lookup().await?;
        let loaded = prices::all(&mut connection).await?;
        self.known.write().await.clone_from(&loaded);
        Ok(loaded)
    }
}
