//! Limits on responses that reveal whether an account exists: "in use" for an e-mail address or a
//! business name, and rejections of a closed operator login.

use uuid::Uuid;

use super::rates::{Lockout, Rate};
use super::{Counted, Limits};
use crate::address::ClientAddress;
use crate::api_error::ApiError;

/// "In use" responses to one company and to one address.
const IN_USE_RESPONSES: Rate = Rate::new(10, 60 * 60);
/// The longest time that a company's operator login is closed, in seconds.
const LONGEST_CLOSED: u64 = 60 * 60;

impl Limits {
    /// Counts an attempt to set a name that another account may have, as "in use". Take it back if
    /// it is not.
    pub async fn new_name(
        &self,
        company: Uuid,
        address: ClientAddress,
    ) -> Result<Counted<'_>, ApiError> {
        let mut counters = self.by_address("name in use", address, IN_USE_RESPONSES);
        let of_company = self.company_key(company, "name in use", &[]);
        counters.push((of_company, IN_USE_RESPONSES));
        self.count_each("name_in_use", counters).await
    }

    /// Records that an address tried a name of a company whose operator login is closed, and for
    /// how many seconds more.
    pub async fn record_closed_login(&self, address: ClientAddress, seconds: u64) {
        let wait = i64::try_from(seconds.min(LONGEST_CLOSED)).unwrap_or(1);
        let rate = Lockout {
            free: Rate::new(1, wait),
            first_lock: wait,
            longest_lock: wait,
        };
        let key = self.closed_login_key(address);
        self.counters.fail(&key, rate, self.now()).await;
    }

    /// The seconds for which an address gets the rejection of a closed login for every name.
    pub async fn closed_login(&self, address: ClientAddress) -> Option<u64> {
        let key = self.closed_login_key(address);
        let wait = self.counters.locked_for(&key, self.now()).await?;
        u64::try_from(wait).ok().filter(|_| self.on)
    }

    fn closed_login_key(&self, address: ClientAddress) -> String {
        self.key("closed operator login", &[&address.limit_key()])
    }
}
