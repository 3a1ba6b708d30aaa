//! Attempts that count in several counters, as by address. An IPv6 address also counts for its /48:
//! a customer who holds one has 65,536 /64 blocks, each with its own counter.

use super::Limits;
use super::rates::Rate;
use crate::address::ClientAddress;
use crate::api_error::ApiError;

/// Factor for a /48, which may have many customers.
const WIDE_FACTOR: u32 = 20;

/// A counted attempt; stays counted when dropped.
pub struct Counted<'a> {
    limits: &'a Limits,
    keys: Vec<String>,
}

impl Counted<'_> {
    pub async fn take_back(self) {
        for key in &self.keys {
            self.limits.counters.uncount(key).await;
        }
    }
}

impl Limits {
    /// The counters of an address. The /48 first: once it is full, no counters are created for its
    /// blocks.
    pub(super) fn by_address(
        &self,
        kind: &str,
        address: ClientAddress,
        rate: Rate,
    ) -> Vec<(String, Rate)> {
        let mut counters = Vec::new();
        if let Some(block) = address.wide_limit_key() {
            let times = rate.times.saturating_mul(WIDE_FACTOR);
            counters.push((self.key(kind, &[&block]), Rate { times, ..rate }));
        }
        counters.push((self.key(kind, &[&address.limit_key()]), rate));
        counters
    }

    /// Counts one more in all counters, or in none if one is full: a rejected block does not use up
    /// the limit of its neighbors. Then returns the seconds to wait.
    pub(super) async fn try_count(
        &self,
        counters: Vec<(String, Rate)>,
    ) -> Result<Counted<'_>, i64> {
        let mut counted = Counted {
            limits: self,
            keys: Vec::new(),
        };
        for (key, rate) in counters {
            if let Some(wait) = self.counters.count(&key, rate, self.now()).await {
                counted.take_back().await;
                return Err(wait);
            }
            counted.keys.push(key);
        }
        Ok(counted)
    }

    /// Counts one more in all counters; `limit` is the label in metrics.
    pub(super) async fn count_each(
        &self,
        limit: &'static str,
        counters: Vec<(String, Rate)>,
    ) -> Result<Counted<'_>, ApiError> {
        match self.try_count(counters).await {
            Ok(counted) => Ok(counted),
            Err(wait) => {
                self.refuse(limit, Some(wait))?;
                // Limits are off.
                Ok(Counted {
                    limits: self,
                    keys: Vec::new(),
                })
            }
        }
    }

    /// Counts an address; `limit` is the label in metrics.
    pub(super) async fn count_address(
        &self,
        limit: &'static str,
        kind: &str,
        address: ClientAddress,
        rate: Rate,
    ) -> Result<Counted<'_>, ApiError> {
        let counters = self.by_address(kind, address, rate);
        self.count_each(limit, counters).await
    }
}
