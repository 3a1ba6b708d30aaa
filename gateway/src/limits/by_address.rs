//! Counts by address. An IPv6 address also counts in its /48: somebody who holds one has 65,536 of
//! the /64 blocks that have a count of their own.

use super::Limits;
use super::counters::{Rate, WhenAway};
use crate::address::ClientAddress;
use crate::rescue::Refusal;

/// How many times the figure of one address a /48 has, where there may be many customers.
const WIDE: u32 = 20;

/// The counters of one address.
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

    /// Counts once more; or how many seconds to wait.
    pub(super) async fn wait_for(&self, keys: &ByAddress, rate: Rate) -> Option<i64> {
        let (counters, now) = (&self.counters, self.now());
        if let Some(wide) = &keys.wide {
            // First: once it is full, no more counters are made for its blocks.
            let times = rate.times.saturating_mul(WIDE);
            let wide_rate = Rate { times, ..rate };
            let wait = counters.count(wide, wide_rate, now, WhenAway::Half).await;
            if wait.is_some() {
                return wait;
            }
        }
        let wait = counters.count(&keys.own, rate, now, WhenAway::Half).await;
        if let (Some(_), Some(wide)) = (wait, &keys.wide) {
            // A block that is refused takes nothing from its neighbours.
            counters.uncount(wide).await;
        }
        wait
    }

    /// Counts an address for the limit that metrics call `limit`.
    pub(super) async fn count_address(
        &self,
        limit: &'static str,
        kind: &str,
        address: ClientAddress,
        rate: Rate,
    ) -> Result<ByAddress, Refusal> {
        let keys = self.by_address(kind, address);
        let wait = self.wait_for(&keys, rate).await;
        self.refuse(limit, wait)?;
        Ok(keys)
    }

    /// Counts an address once less.
    pub(super) async fn uncount_address(&self, keys: &ByAddress) {
        self.counters.uncount(&keys.own).await;
        if let Some(wide) = &keys.wide {
            self.counters.uncount(wide).await;
        }
    }
}
