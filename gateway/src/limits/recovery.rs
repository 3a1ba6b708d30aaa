//! Limits on account recovery by security questions.

use hourmeter_runtime::text::LoginName;

use super::Limits;
use super::counters::WhenUnavailable;
use super::rates::Rate;
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
        let keys = self.by_address("recovery miss", address);
        // Checked before and after: a count of this process alone is not sufficient.
        let was_unavailable = self.counters.is_unavailable();
        let wait = self.count_by_address(&keys, REVEALED_MISSES).await;
        let is_unavailable = was_unavailable || self.counters.is_unavailable();
        !self.on || wait.is_none() && !is_unavailable
    }

    /// Counts an attempt to answer. It counts as failed until `not_failed`.
    pub async fn recovery(
        &self,
        name: &str,
        address: ClientAddress,
    ) -> Result<RecoveryAttempt<'_>, ApiError> {
        let limit = "reset_password_address";
        self.count_address(limit, "reset password", address, ADDRESS_ATTEMPTS)
            .await?;
        let name = LoginName::read(name).key();
        let hour = self.key("wrong answers in an hour", &[&name]);
        let day = self.key("wrong answers in a day", &[&name]);
        let limit = "reset_password_name";
        let half = WhenUnavailable::Half;
        self.count(limit, &hour, NAME_FAILURES_AN_HOUR, half)
            .await?;
        if let Err(error) = self.count(limit, &day, NAME_FAILURES_A_DAY, half).await {
            self.counters.uncount(&hour).await;
            return Err(error);
        }
        Ok(RecoveryAttempt {
            limits: self,
            hour,
            day,
        })
    }
}

/// An attempt to answer; stays counted as failed when dropped.
pub struct RecoveryAttempt<'a> {
    limits: &'a Limits,
    hour: String,
    day: String,
}

impl RecoveryAttempt<'_> {
    /// The answers were right or not checked.
    pub async fn not_failed(self) {
        self.limits.counters.uncount(&self.hour).await;
        self.limits.counters.uncount(&self.day).await;
    }
}
