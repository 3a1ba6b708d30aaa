//! Limits on recovering an account by its security questions.

use hourmeter_runtime::text::LoginName;

use super::Limits;
use super::counters::{Rate, WhenAway};
use crate::address::ClientAddress;
use crate::rescue::Refusal;

/// Asking for questions from one address, and answering them.
const ADDRESS_TRIES: Rate = Rate::new(10, 60 * 60);
/// Wrong answers for one name, whoever gives them.
const NAME_FAILURES_AN_HOUR: Rate = Rate::new(5, 60 * 60);
const NAME_FAILURES_A_DAY: Rate = Rate::new(10, 24 * 60 * 60);
/// How often one address is told that there is no such account.
const HONEST_MISSES: Rate = Rate::new(3, 24 * 60 * 60);

impl Limits {
    /// Counts asking for the questions of an account.
    pub async fn start_recovery(&self, address: ClientAddress) -> Result<(), Refusal> {
        let limit = "forgot_password_address";
        self.count_address(limit, "forgot password", address, ADDRESS_TRIES)
            .await?;
        Ok(())
    }

    /// Counts a miss; whether it may still be told as one. Not while shared counts are away.
    pub async fn may_tell_miss(&self, address: ClientAddress) -> bool {
        let keys = self.by_address("recovery miss", address);
        // Asked before and after: what was counted here alone is never told.
        let was_away = self.counters.is_away();
        let wait = self.wait_for(&keys, HONEST_MISSES).await;
        let is_away = was_away || self.counters.is_away();
        !self.on || wait.is_none() && !is_away
    }

    /// Begins a try to answer. It counts as failed until it is told otherwise.
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

/// A try to answer the questions; dropped, it stays counted as failed.
pub struct RecoveryTry<'a> {
    limits: &'a Limits,
    hour: String,
    day: String,
}

impl RecoveryTry<'_> {
    /// The answers were right, or could not be tried.
    pub async fn not_failed(self) {
        self.limits.counters.uncount(&self.hour).await;
        self.limits.counters.uncount(&self.day).await;
    }
}
