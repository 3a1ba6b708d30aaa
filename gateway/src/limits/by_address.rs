//! Limits by address. An IPv6 address also counts for its /48: a customer who holds one has 65,536
//! /64 blocks, each with its own counter.

use super::Limits;
use super::counters::WhenUnavailable;
use super::rates::Rate;
use crate::address::ClientAddress;
use crate::api_error::ApiError;

/// Factor for a /48, which may have many customers.
const WIDE_FACTOR: u32 = 20;

pub(super) struct ByAddress {
    own: String,
    wide: Option<String>,
}

impl Limits {
    pub(super) fn by_address(&self, kind: &str, address: ClientAddress) -> ByAddress {
        let wide = address.wide_limit_key();
        ByAddress {
            own: self.key(kind, &[&address.limit_key()]),
            wide: wide.map(|block| self.key(kind, &[&block])),
        }
    }

    /// Counts one more. Returns the seconds to wait if the limit is reached.
    pub(super) async fn count_by_address(&self, keys: &ByAddress, rate: Rate) -> Option<i64> {
        let (counters, now) = (&self.counters, self.now());
        if let Some(wide) = &keys.wide {
            // The /48 first: once it is full, no counters are created for its blocks.
            let times = rate.times.saturating_mul(WIDE_FACTOR);
            let wide_rate = Rate { times, ..rate };
            let wait = counters
                .count(wide, wide_rate, now, WhenUnavailable::Half)
                .await;
            if wait.is_some() {
                return wait;
            }
        }
        let wait = counters
            .count(&keys.own, rate, now, WhenUnavailable::Half)
            .await;
        if let (Some(_), Some(wide)) = (wait, &keys.wide) {
            // A rejected block does not use up the limit of its neighbors.
            counters.uncount(wide).await;
        }
        wait
    }

    /// Counts an address; `limit` is the label in metrics.
    pub(super) async fn count_address(
        &self,
        limit: &'static str,
        kind: &str,
        address: ClientAddress,
        rate: Rate,
    ) -> Result<ByAddress, ApiError> {
        let keys = self.by_address(kind, address);
        let wait = self.count_by_address(&keys, rate).await;
        self.refuse(limit, wait)?;
        Ok(keys)
    }

    /// Takes one count back.
    pub(super) async fn uncount_address(&self, keys: &ByAddress) {
        self.counters.uncount(&keys.own).await;
        if let Some(wide) = &keys.wide {
            self.counters.uncount(wide).await;
        }
    }
}
