//! Maps between offers and Stripe's prices.

use std::sync::{Arc, PoisonError, RwLock};

use hourmeter_runtime::db::Database;

use crate::provider::{Offer, PaymentError};
use crate::store::prices::{self, StoredPrice};

/// The stored prices. What a price sells never changes, so it is cached; which price is on sale is
/// read from the database each time.
#[derive(Debug)]
pub struct Offers {
    database: Database,
    known: RwLock<Arc<[StoredPrice]>>,
}

impl Offers {
    pub fn new(database: Database) -> Self {
        Self {
            database,
            known: RwLock::new(Arc::new([])),
        }
    }

    pub async fn sold(&self, offer: Offer) -> Result<String, PaymentError> {
        let prices = self.load().await?;
        let price = prices
            .iter()
            .find(|price| price.sold && price.offer == offer);
        price.map(|price| price.price_id.clone()).ok_or_else(|| {
            let (tier, interval) = (offer.tier.name(), offer.interval.name());
            PaymentError::NotConfigured(format!(
                "no price for plan {tier} per {interval}; run sync-catalogue"
            ))
        })
    }

    pub async fn of(&self, price_id: &str) -> Result<StoredPrice, PaymentError> {
        if let Some(price) = find(&self.known(), price_id) {
            return Ok(price);
        }
        find(&self.load().await?, price_id).ok_or_else(|| {
            PaymentError::NotConfigured(format!(
                "subscription with unknown price {price_id}; run sync-catalogue"
            ))
        })
    }

    fn known(&self) -> Arc<[StoredPrice]> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&known)
    }

    async fn load(&self) -> Result<Arc<[StoredPrice]>, PaymentError> {
        let mut connection = self.database.lookup().await?;
        let loaded: Arc<[_]> = prices::all(&mut connection).await?.into();
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        *known = Arc::clone(&loaded);
        Ok(loaded)
    }
}

fn find(prices: &[StoredPrice], price_id: &str) -> Option<StoredPrice> {
    let price = prices.iter().find(|price| price.price_id == price_id);
    price.cloned()
}
