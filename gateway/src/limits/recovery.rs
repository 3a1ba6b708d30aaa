//! Limits on account recovery by security questions.

use hourmeter_runtime::text::LoginName;

use super::Limits;
use super::counters::{Rate, WhenAway};
use crate::address::ClientAddress;
use crate::rescue::Refusal;

/// Requests for questions, and answers, from one address.
const ADDRESS_TRIES: Rate = Rate::new(10, 60 * 60);
/// Wrong answers for one name, from any address.
const NAME_FAILURES_AN_HOUR: Rate = Rate::new(5, 60 * 60);
const NAME_FAILURES_A_DAY: Rate = Rate::new(10, 24 * 60 * 60);
/// How often one address learns that an account does not exist.
const HONEST_MISSES: Rate = Rate::new(3, 24 * 60 * 60);

impl Limits {
    /// Counts a request for the questions of an account.
    pub async fn start_recovery(&self, address: ClientAddress) -> Result<(), Refusal> {
        let limit = "forgot_password_address";
        self.count_address(limit, "forgot password", address, ADDRESS_TRIES)
            .await?;
        Ok(())
    }

    /// Counts a request for an unknown account. Returns whether the caller may learn that it does
    /// not exist; not while Redis is unavailable.
    pub async fn may_tell_miss(&self, address: ClientAddress) -> bool {
        let keys = self.by_address("recovery miss", address);
        // Checked before and after: a count of this process alone is not sufficient.
        let was_away = self.counters.is_away();
        let wait = self.wait_for(&keys, HONEST_MISSES).await;
        let is_away = was_away || self.counters.is_away();
        !self.on || wait.is_none() && !is_away
    }

    /// Counts an attempt to answer. It counts as failed until `not_failed`.
    pub async fn recovery(
        &self,
        name: &str,
        address: ClientAddress,
    ) -> Result<RecoveryTry<'_>, Refusal> {
        let limit = "reset_password_address";
        self.count_address(limit, "reset password", address, ADDRESS_TRIES)
            .await?;
        let name = LoginName::read(name).key();
        let hour = self.key("wrong answers in an hour", &[&name]);
        let day = self.key("wrong answers in a day", &[&name]);
        self.count(
            "reset_password_name",
            &hour,
            NAME_FAILURES_AN_HOUR,
            WhenAway::Half,
        )
        .await?;
        if let Err(refusal) = self
            .count(
                "reset_password_name",
                &day,
                NAME_FAILURES_A_DAY,
                WhenAway::Half,
            )
            .await
        {
            self.counters.uncount(&hour).await;
            return Err(refusal);
        }
        Ok(RecoveryTry {
            limits: self,
            hour,
            day,
        })
    }
}

/// An attempt to answer; stays counted as failed when dropped.
pub struct RecoveryTry<'a> {
    limits: &'a Limits,
    hour: String,
    day: String,
}

impl RecoveryTry<'_> {
    /// The answers were right or not checked.
    pub async fn not_failed(self) {
        self.limits.counters.uncount(&self.hour).await;
        self.limits.counters.uncount(&self.day).await;
    }
}
