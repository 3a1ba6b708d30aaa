//! Limits on signing in and signing up.

use hourmeter_runtime::text::LoginName;

use super::Limits;
use super::by_address::ByAddress;
use super::counters::{GuardRate, Rate};
use crate::address::ClientAddress;
use crate::rescue::Refusal;

/// Failed sign-ins of one name from one address, and the wait after them.
const NAME_FAILURES: GuardRate = GuardRate {
    free: Rate::new(5, 15 * 60),
    first_wait: 60,
    longest_wait: 15 * 60,
};
/// Failed sign-ins from one address, whatever the name.
const ADDRESS_FAILURES: Rate = Rate::new(30, 5 * 60);
/// All sign-ins from one address.
const ADDRESS_SIGN_INS: Rate = Rate::new(300, 5 * 60);
/// New companies from one address.
const SIGN_UPS: Rate = Rate::new(5, 60 * 60);
/// Failed sign-ins of one name in a row from wherever; then only known addresses may try.
const NAME_FAILURES_IN_A_ROW: u32 = 100;
/// A row ends when nobody tried for so long.
const QUIET_SECONDS: i64 = 24 * 60 * 60;

/// Where a password is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Login {
    /// One's own password.
    Own,
    /// The operator login, which the shared password opens too.
    Operator,
    /// One's own password again, in a session. The name is the id of the person, which others may
    /// know, so it counts apart from names that anybody can type.
    Session,
    /// An enrolment code of support staff, which names nobody.
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

    /// Guesses at one's own password count together at both logins.
    const fn kind_of_name(self) -> &'static str {
        match self {
            Self::Own | Self::Operator => "name",
            Self::Session => "person",
            Self::Enrolment => "enrolment",
        }
    }
}

impl Limits {
    /// Begins a try to sign in. It counts as failed until it is told otherwise, so that many at
    /// the same moment can't outrun the count.
    pub async fn sign_in(
        &self,
        login: Login,
        name: &str,
        address: ClientAddress,
    ) -> Result<SignInTry<'_>, Refusal> {
        let key = LoginName::read(name).key();
        let name = self.key(login.kind_of_name(), &[&key, &address.limit_key()]);
        // A row of its own for each login: a success at one says nothing of guesses at the other.
        let everywhere = self.key("name everywhere", &[login.word(), &key]);
        // The shared password ends no row of guesses at the owner's own.
        let owner = (login == Login::Operator).then(|| self.key("owner everywhere", &[&key]));
        self.count_address("sign_in_address", "sign-in", address, ADDRESS_SIGN_INS)
            .await?;
        let limit = "failed_sign_in_address";
        let failures = self
            .count_address(limit, "failed sign-in", address, ADDRESS_FAILURES)
            .await?;
        let wait = self.counters.guard(&name, NAME_FAILURES, self.now()).await;
        if let Err(refusal) = self.refuse("failed_sign_in_name", wait) {
            self.uncount_address(&failures).await;
            return Err(refusal);
        }
        let known_addresses_only = self.is_long_row(&everywhere).await;
        let own_password_known_addresses_only = match &owner {
            Some(row) => self.is_long_row(row).await,
            None => false,
        };
        Ok(SignInTry {
            limits: self,
            name,
            everywhere,
            owner,
            failures,
            known_addresses_only,
            own_password_known_addresses_only,
        })
    }

    /// Counts a try in a row, and answers whether there are too many.
    async fn is_long_row(&self, row: &str) -> bool {
        let in_a_row = self.counters.streak(row, QUIET_SECONDS, self.now()).await;
        self.on && in_a_row > NAME_FAILURES_IN_A_ROW
    }

    /// Begins a sign-up.
    pub async fn sign_up(&self, address: ClientAddress) -> Result<SignUpTry<'_>, Refusal> {
        let counted = self
            .count_address("sign_up", "sign-up", address, SIGN_UPS)
            .await?;
        Ok(SignUpTry {
            limits: self,
            counted,
        })
    }
}

/// A try to sign in; dropped, it stays counted as failed.
pub struct SignInTry<'a> {
    limits: &'a Limits,
    name: String,
    everywhere: String,
    owner: Option<String>,
    failures: ByAddress,
    /// The name is under attack: only an address it signed in from lately may try.
    pub known_addresses_only: bool,
    /// The same for the owner's own password at the operator login. A success with the shared
    /// password does not reset it.
    pub own_password_known_addresses_only: bool,
}

impl SignInTry<'_> {
    /// The password was right: the name begins anew.
    pub async fn succeeded(self) {
        let counters = &self.limits.counters;
        self.limits.uncount_address(&self.failures).await;
        counters.clear(&self.name).await;
        counters.clear(&self.everywhere).await;
        if let Some(owner) = &self.owner {
            counters.clear(owner).await;
        }
    }

    /// The shared password was right, under the name of its company. Whoever knows it may still
    /// have guessed at the owner's, so what failed before stays counted.
    pub async fn shared_succeeded(self) {
        let counters = &self.limits.counters;
        self.limits.uncount_address(&self.failures).await;
        counters.unguard(&self.name).await;
        counters.clear(&self.everywhere).await;
        if let Some(owner) = &self.owner {
            counters.uncount(owner).await;
        }
    }

    /// It could not be tried, e.g. because the service is away.
    pub async fn not_tried(self) {
        let counters = &self.limits.counters;
        self.limits.uncount_address(&self.failures).await;
        counters.unguard(&self.name).await;
        counters.uncount(&self.everywhere).await;
        if let Some(owner) = &self.owner {
            counters.uncount(owner).await;
        }
    }
}

/// A sign-up; dropped, it stays counted.
pub struct SignUpTry<'a> {
    limits: &'a Limits,
    counted: ByAddress,
}

impl SignUpTry<'_> {
    /// It was refused for how it was filled in, which tells nothing about other companies.
    pub async fn not_tried(self) {
        self.limits.uncount_address(&self.counted).await;
    }
}
