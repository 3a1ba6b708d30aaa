//! Limits on signing in and signing up.

use hourmeter_runtime::text::LoginName;

use super::rates::{Lockout, Rate};
use super::{Counted, Limits};
use crate::address::ClientAddress;
use crate::api_error::ApiError;

/// Failed sign-ins of one name from one address, and the lock after them.
const NAME_FAILURES: Lockout = Lockout {
    free: Rate::new(5, 15 * 60),
    first_lock: 60,
    longest_lock: 15 * 60,
};
/// Failed sign-ins from one address, with any name.
const ADDRESS_FAILURES: Rate = Rate::new(30, 5 * 60);
const ADDRESS_SIGN_INS: Rate = Rate::new(300, 5 * 60);
const SIGN_UPS: Rate = Rate::new(5, 60 * 60);
/// Consecutive failed sign-ins of one name from any address; beyond, only known addresses may try.
const NAME_FAILURES_IN_A_ROW: u32 = 100;
/// Seconds without an attempt that end a row of failures.
const QUIET_SECONDS: i64 = 24 * 60 * 60;

/// Where a password is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Login {
    Own,
    /// The operator login, which accepts the shared password too.
    Operator,
    /// The personal password in a session. The name is the person's id; it counts apart from names
    /// that anyone can type.
    Session,
    /// The enrolment code of support staff, without a name.
    Enrolment,
}

impl Login {
    const fn word(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Operator => "operator",
            Self::Session => "session",
            Self::Enrolment => "enrolment",
        }
    }

    /// Guesses at a personal password count together at both logins.
    const fn kind_of_name(self) -> &'static str {
        match self {
            Self::Own | Self::Operator => "name",
            Self::Session => "person",
            Self::Enrolment => "enrolment",
        }
    }
}

impl Limits {
    /// Begins a sign-in attempt. It counts as failed until its result is known, so that concurrent
    /// attempts can't exceed the limit.
    pub async fn sign_in(
        &self,
        login: Login,
        name: &str,
        address: ClientAddress,
    ) -> Result<SignInAttempt<'_>, ApiError> {
        let key = LoginName::read(name).key();
        let name = self.key(login.kind_of_name(), &[&key, &address.limit_key()]);
        // Each login has its own row of failures: a success at one proves nothing about guesses at
        // the other.
        let everywhere = self.key("name everywhere", &[login.word(), &key]);
        // The shared password does not reset the row of guesses at the owner's password.
        let owner = (login == Login::Operator).then(|| self.key("owner everywhere", &[&key]));
        self.count_address("sign_in_address", "sign-in", address, ADDRESS_SIGN_INS)
            .await?;
        let failures = self.failed_sign_in(address).await?;
        let wait = self.counters.fail(&name, NAME_FAILURES, self.now()).await;
        if let Err(error) = self.refuse("failed_sign_in_name", wait) {
            failures.take_back().await;
            return Err(error);
        }
        let known_addresses_only = self.is_under_attack(&everywhere).await;
        let own_password_known_addresses_only = match &owner {
            Some(row) => self.is_under_attack(row).await,
            None => false,
        };
        Ok(SignInAttempt {
            limits: self,
            name,
            everywhere,
            owner,
            failures,
            known_addresses_only,
            own_password_known_addresses_only,
        })
    }

    /// Counts a failed sign-in of an address, also of a phone that signs its requests. Take it back
    /// if the sign-in succeeds or is not checked.
    pub async fn failed_sign_in(&self, address: ClientAddress) -> Result<Counted<'_>, ApiError> {
        let limit = "failed_sign_in_address";
        self.count_address(limit, "failed sign-in", address, ADDRESS_FAILURES)
            .await
    }

    /// Counts an attempt and returns whether there are too many in a row.
    async fn is_under_attack(&self, row: &str) -> bool {
        let in_a_row = self
            .counters
            .count_in_a_row(row, QUIET_SECONDS, self.now())
            .await;
        self.on && in_a_row > NAME_FAILURES_IN_A_ROW
    }

    /// Counts a sign-up. Take it back if it is rejected as invalid, which reveals nothing about other
    /// companies.
    pub async fn sign_up(&self, address: ClientAddress) -> Result<Counted<'_>, ApiError> {
        self.count_address("sign_up", "sign-up", address, SIGN_UPS)
            .await
    }
}

/// A sign-in attempt; stays counted as failed when dropped.
pub struct SignInAttempt<'a> {
    limits: &'a Limits,
    name: String,
    everywhere: String,
    owner: Option<String>,
    failures: Counted<'a>,
    /// The name is under attack: only addresses with an earlier sign-in may try.
    pub known_addresses_only: bool,
    /// The same for the owner's password at the operator login. A success with the shared password
    /// does not reset it.
    pub own_password_known_addresses_only: bool,
}

impl SignInAttempt<'_> {
    /// The password was right: failures of the name are reset.
    pub async fn succeeded(self) {
        let counters = &self.limits.counters;
        self.failures.take_back().await;
        counters.clear(&self.name).await;
        counters.clear(&self.everywhere).await;
        if let Some(owner) = &self.owner {
            counters.clear(owner).await;
        }
    }

    /// The shared password was right, under the name of its company. A person who knows it may
    /// still have guessed at the owner's, so earlier failures stay counted.
    pub async fn shared_succeeded(self) {
        self.limits.counters.clear(&self.everywhere).await;
        self.undo().await;
    }

    /// The password was not checked, e.g. because the service is unavailable.
    pub async fn not_tried(self) {
        self.limits.counters.uncount(&self.everywhere).await;
        self.undo().await;
    }

    /// Takes back what the attempt counted, except for the row of failures from any address.
    async fn undo(self) {
        let counters = &self.limits.counters;
        self.failures.take_back().await;
        counters.undo_failure(&self.name).await;
        if let Some(owner) = &self.owner {
            counters.uncount(owner).await;
        }
    }
}
