//! Limits on account recovery by security questions.

use hourmeter_runtime::text::LoginName;

use super::rates::Rate;
use super::{Counted, Limits};
use crate::address::ClientAddress;
use crate::api_error::ApiError;

/// Requests for questions, and answers, from one address.
const ADDRESS_ATTEMPTS: Rate = Rate::new(10, 60 * 60);
/// Wrong answers for one name, from any address.
const NAME_FAILURES_AN_HOUR: Rate = Rate::new(5, 60 * 60);
const NAME_FAILURES_A_DAY: Rate = Rate::new(10, 24 * 60 * 60);
/// How often one address learns that an account does not exist.
const REVEALED_MISSES: Rate = Rate::new(3, 24 * 60 * 60);

impl Limits {
    /// Counts a request for the questions of an account.
    pub async fn count_recovery_start(&self, address: ClientAddress) -> Result<(), ApiError> {
        let limit = "forgot_password_address";
        self.count_address(limit, "forgot password", address, ADDRESS_ATTEMPTS)
            .await?;
        Ok(())
    }

    /// Counts a request for an unknown account. Returns whether the caller may learn that it does
    /// not exist; not while Redis is unavailable.
    pub async fn may_reveal_miss(&self, address: ClientAddress) -> bool {
        let counters = self.by_address("recovery miss", address, REVEALED_MISSES);
        // Checked before and after: a count of this process alone is not sufficient.
        let was_unavailable = self.counters.is_unavailable();
        let counted = self.try_count(counters).await;
        let is_unavailable = was_unavailable || self.counters.is_unavailable();
        !self.on || counted.is_ok() && !is_unavailable
    }

    /// Counts an attempt to answer as failed. Take it back if the answers were right or not checked.
    pub async fn recovery(
        &self,
        name: &str,
        address: ClientAddress,
    ) -> Result<Counted<'_>, ApiError> {
        let limit = "reset_password_address";
        self.count_address(limit, "reset password", address, ADDRESS_ATTEMPTS)
            .await?;
        let name = LoginName::read(name).key();
        let hour = self.key("wrong answers in an hour", &[&name]);
        let day = self.key("wrong answers in a day", &[&name]);
        let counters = vec![(hour, NAME_FAILURES_AN_HOUR), (day, NAME_FAILURES_A_DAY)];
        self.count_each("reset_password_name", counters).await
    }
}
