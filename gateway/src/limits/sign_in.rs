//! Limits on signing in and signing up.

use hourmeter_runtime::text::fold;

use super::Limits;
use super::counters::{GuardRate, Rate, WhenAway};
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
/// No name is longer; the rest of a longer one tells nothing.
const LONGEST_NAME: usize = 300;

/// Where a password is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Login {
    /// One's own password.
    Own,
    /// The operator login, which the shared password opens too.
    Operator,
}

impl Login {
    const fn word(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Operator => "operator",
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
        let address = address.limit_key();
        let name = one_spelling(name);
        let all = self.key("sign-in", &[&address]);
        let address_failures = self.key("failed sign-in", &[&address]);
        // A row of its own for each login: a success at one says nothing of guesses at the other.
        let everywhere = self.key("name everywhere", &[login.word(), &name]);
        let name = self.key("name", &[&name, &address]);
        self.count("sign_in_address", &all, ADDRESS_SIGN_INS, WhenAway::Half)
            .await?;
        self.count(
            "failed_sign_in_address",
            &address_failures,
            ADDRESS_FAILURES,
            WhenAway::Half,
        )
        .await?;
        let wait = self.counters.guard(&name, NAME_FAILURES, self.now()).await;
        if let Err(refusal) = self.refuse("failed_sign_in_name", wait) {
            self.counters.uncount(&address_failures).await;
            return Err(refusal);
        }
        let now = self.now();
        let in_a_row = self.counters.streak(&everywhere, QUIET_SECONDS, now).await;
        Ok(SignInTry {
            limits: self,
            name,
            everywhere,
            address_failures,
            known_addresses_only: self.on && in_a_row > NAME_FAILURES_IN_A_ROW,
        })
    }

    /// Begins a sign-up.
    pub async fn sign_up(&self, address: ClientAddress) -> Result<SignUpTry<'_>, Refusal> {
        let key = self.key("sign-up", &[&address.limit_key()]);
        self.count("sign_up", &key, SIGN_UPS, WhenAway::Half)
            .await?;
        Ok(SignUpTry { limits: self, key })
    }
}

/// Other spellings of one e-mail address or business name are the same name.
pub(super) fn one_spelling(name: &str) -> String {
    fold(&name.chars().take(LONGEST_NAME).collect::<String>())
}

/// A try to sign in; dropped, it stays counted as failed.
pub struct SignInTry<'a> {
    limits: &'a Limits,
    name: String,
    everywhere: String,
    address_failures: String,
    /// The name is under attack: only an address it signed in from lately may try.
    pub known_addresses_only: bool,
}

impl SignInTry<'_> {
    /// The password was right: the name begins anew.
    pub async fn succeeded(self) {
        let counters = &self.limits.counters;
        counters.uncount(&self.address_failures).await;
        counters.clear(&self.name).await;
        counters.clear(&self.everywhere).await;
    }

    /// The shared password was right, under the name of its company. Whoever knows it may still
    /// have guessed at the owner's, so what failed before stays counted.
    pub async fn shared_succeeded(self) {
        let counters = &self.limits.counters;
        counters.uncount(&self.address_failures).await;
        counters.unguard(&self.name).await;
        counters.clear(&self.everywhere).await;
    }

    /// It could not be tried, e.g. because the service is away.
    pub async fn not_tried(self) {
        let counters = &self.limits.counters;
        counters.uncount(&self.address_failures).await;
        counters.unguard(&self.name).await;
        counters.uncount(&self.everywhere).await;
    }
}

/// A sign-up; dropped, it stays counted.
pub struct SignUpTry<'a> {
    limits: &'a Limits,
    key: String,
}

impl SignUpTry<'_> {
    /// It was refused for how it was filled in, which tells nothing about other companies.
    pub async fn not_tried(self) {
        self.limits.counters.uncount(&self.key).await;
    }
}
