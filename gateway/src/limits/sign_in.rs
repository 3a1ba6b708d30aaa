//! Limits on signing in and signing up.

use moka::ops::compute::Op;

use super::{Key, Limits, Rate};
use crate::address::ClientAddress;
use crate::rescue::Refusal;

/// Failed sign-ins of one name from one address.
const NAME_FAILURES: Rate = Rate {
    times: 5,
    seconds: 15 * 60,
};
/// The wait after the first failures of a name; doubles to the longest.
const FIRST_WAIT_SECONDS: i64 = 60;
const LONGEST_WAIT_SECONDS: i64 = 15 * 60;
/// Failed sign-ins from one address, whatever the name.
const ADDRESS_FAILURES: Rate = Rate {
    times: 30,
    seconds: 5 * 60,
};
/// All sign-ins from one address.
const ADDRESS_SIGN_INS: Rate = Rate {
    times: 300,
    seconds: 5 * 60,
};
/// New companies from one address.
const SIGN_UPS: Rate = Rate {
    times: 5,
    seconds: 60 * 60,
};
/// What a name did wrong from an address.
#[derive(Clone, Copy, Default)]
pub struct NameGuard {
    began: i64,
    failures: u32,
    wait: i64,
    blocked_until: i64,
}

impl Limits {
    /// Begins a try to sign in. It counts as failed until it is told otherwise, so that many at
    /// the same moment can't outrun the count.
    pub fn sign_in(&self, name: &str, address: ClientAddress) -> Result<SignInTry<'_>, Refusal> {
        let address = address.limit_key();
        // Other spellings of one e-mail address are the same name.
        let name = self.key("name", &[&name.trim().to_lowercase(), &address]);
        let address_failures = self.key("failed sign-in", &[&address]);
        let all = self.key("sign-in", &[&address]);
        self.count(all, ADDRESS_SIGN_INS)?;
        self.count(address_failures, ADDRESS_FAILURES)?;
        if let Err(refusal) = self.count_name(name) {
            self.uncount(address_failures);
            return Err(refusal);
        }
        Ok(SignInTry {
            limits: self,
            name,
            address_failures,
        })
    }

    /// Begins a sign-up.
    pub fn sign_up(&self, address: ClientAddress) -> Result<SignUpTry<'_>, Refusal> {
        let key = self.key("sign-up", &[&address.limit_key()]);
        self.count(key, SIGN_UPS)?;
        Ok(SignUpTry { limits: self, key })
    }

    fn count_name(&self, key: Key) -> Result<(), Refusal> {
        let now = self.clock.now().timestamp();
        let mut wait = None;
        self.names.entry(key).and_compute_with(|entry| {
            let mut guard = entry.map(moka::Entry::into_value).unwrap_or_default();
            if now < guard.blocked_until {
                wait = Some(guard.blocked_until - now);
                return Op::Nop;
            }
            guard.fail(now);
            Op::Put(guard)
        });
        self.refuse(wait)
    }
}

impl NameGuard {
    fn fail(&mut self, now: i64) {
        let last = self.began.max(self.blocked_until);
        if now >= last + NAME_FAILURES.seconds {
            *self = Self::default();
        }
        if self.failures == 0 {
            self.began = now;
        }
        self.failures += 1;
        if self.failures >= NAME_FAILURES.times {
            self.wait = (self.wait * 2).clamp(FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS);
            self.blocked_until = now + self.wait;
        }
    }

    /// Takes the last failure back.
    const fn unfail(&mut self) {
        self.failures = self.failures.saturating_sub(1);
        self.blocked_until = 0;
        self.wait /= 2;
    }
}

/// A try to sign in; dropped, it stays counted as failed.
pub struct SignInTry<'a> {
    limits: &'a Limits,
    name: Key,
    address_failures: Key,
}

impl SignInTry<'_> {
    /// The password was right: the name begins anew.
    pub fn succeeded(self) {
        self.limits.uncount(self.address_failures);
        self.limits.names.invalidate(&self.name);
    }

    /// It could not be tried, e.g. because the service is away.
    pub fn not_tried(self) {
        self.limits.uncount(self.address_failures);
        self.limits
            .names
            .entry(self.name)
            .and_compute_with(|entry| {
                let Some(mut guard) = entry.map(moka::Entry::into_value) else {
                    return Op::Nop;
                };
                guard.unfail();
                Op::Put(guard)
            });
    }
}

/// A sign-up; dropped, it stays counted.
pub struct SignUpTry<'a> {
    limits: &'a Limits,
    key: Key,
}

impl SignUpTry<'_> {
    /// It was refused for how it was filled in, which tells nothing about other companies.
    pub fn not_tried(self) {
        self.limits.uncount(self.key);
    }
}
