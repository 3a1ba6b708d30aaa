//! Rate limits per session, company and address. Counted in Redis, which all processes share, or
//! else in this process. Keys are hashed, so that they contain no name or address.

use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::telemetry::names;
use secrecy::SecretString;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::address::ClientAddress;
use crate::api_error::ApiError;
use crate::requester::Requester;
use crate::response_memory::QuotaKey;

mod account_names;
mod counted;
mod counters;
mod local;
mod rates;
mod recovery;
mod shared;
mod sign_in;

pub use counted::Counted;
use counters::Counters;
pub use counters::InFlight;
use rates::Rate;
pub use sign_in::{Login, SignInAttempt};

const SESSION_CALLS: Rate = Rate::lenient(600, 60);
/// Updates that a phone signed.
const DEVICE_CALLS: Rate = Rate::lenient(60, 60);
const COMPANY_CALLS: Rate = Rate::lenient(3000, 60);
const COMPANY_EXPORTS: Rate = Rate::lenient(10, 60);
const COMPANY_PASSWORD_RESETS: Rate = Rate::new(20, 60 * 60);
const COMPANY_OPERATOR_PASSWORDS: Rate = Rate::new(10, 60 * 60);
const COMPANY_PASSWORD_WORK: Rate = Rate::new(30, 60);
/// Displays of the operator password.
const COMPANY_REVEALS: Rate = Rate::new(10, 60 * 60);
const COMPANY_CHECKOUTS: Rate = Rate::new(10, 60 * 60);
/// Requests without a valid session from one address; counted per process.
const UNAUTHENTICATED: Rate = Rate::new(300, 60);
/// Invalid webhook calls from one address.
const WEBHOOKS: Rate = Rate::new(600, 60);
/// KiB of large responses to a company, per process. They take most of the services' time, so a
/// company that reads them without pause would slow down all others.
const COMPANY_RESPONSE_KIB: Rate = Rate::new(16 * 1024, 15);
/// Minimum size of a large response, in bytes.
const LARGE_RESPONSE: usize = 64 * 1024;
const COMPANY_IN_FLIGHT: u32 = 32;

/// A limit of a company beyond the number of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompanyLimit {
    /// Reading a complete history or audit log.
    Exports,
    /// Setting the password of another person.
    PasswordResets,
    OperatorPasswords,
    /// Hashing passwords or security answers.
    PasswordWork,
    Reveals,
    Checkouts,
}

/// A request counted as unauthenticated; stays counted when dropped.
pub struct UnauthenticatedRequest<'a> {
    limits: &'a Limits,
    key: String,
}

impl UnauthenticatedRequest<'_> {
    /// It has a valid session, or that could not be verified.
    pub fn uncount(self) {
        self.limits.counters.local.uncount(&self.key);
    }
}

pub struct Limits {
    clock: Clock,
    on: bool,
    /// Key of the hash; the same in all processes of a product.
    salt: [u8; 32],
    counters: Counters,
}

impl Limits {
    /// With `on` false nothing is ever rejected. `redis` is shared with other processes.
    pub fn new(
        clock: Clock,
        on: bool,
        salt: [u8; 32],
        redis: Option<&SecretString>,
    ) -> Result<Self, ServiceError> {
        Ok(Self {
            clock,
            on,
            salt,
            counters: Counters::new(redis)?,
        })
    }

    /// Counts a call of a session and its company. The guard counts it as in flight until dropped.
    pub async fn call(&self, session: Uuid, company: Uuid) -> Result<InFlight, ApiError> {
        let of_responses = self.company_key(company, "answers", &[]);
        let local = &self.counters.local;
        let wait = local.full(&of_responses, COMPANY_RESPONSE_KIB, self.now());
        self.refuse("company_answers", wait)?;
        let of_session = self.company_key(company, "session", &[&session.to_string()]);
        self.count("session", &of_session, SESSION_CALLS).await?;
        self.company_call(company).await
    }

    /// Counts an update that a phone signed. The guard counts it as in flight until dropped.
    pub async fn device_call(&self, device: Uuid, company: Uuid) -> Result<InFlight, ApiError> {
        let of_device = self.company_key(company, "device", &[&device.to_string()]);
        self.count("device", &of_device, DEVICE_CALLS).await?;
        self.company_call(company).await
    }

    async fn company_call(&self, company: Uuid) -> Result<InFlight, ApiError> {
        let key = self.company_key(company, "calls", &[]);
        self.count("company", &key, COMPANY_CALLS).await?;
        self.enter(company).await
    }

    async fn enter(&self, company: Uuid) -> Result<InFlight, ApiError> {
        let key = self.company_key(company, "in-flight", &[]);
        let (running, running_count) = self.counters.enter(key, COMPANY_IN_FLIGHT).await;
        if self.on && running_count > COMPANY_IN_FLIGHT {
            names::LIMITED.count(["company_in_flight"]);
            Err(ApiError::RateLimited(1))
        } else {
            Ok(running)
        }
    }

    /// Counts the bytes of a response to a company, if it is large.
    pub fn record_response(&self, receiver: &QuotaKey, bytes: usize) {
        let QuotaKey::Company(company) = receiver else {
            return;
        };
        if bytes < LARGE_RESPONSE {
            return;
        }
        let key = self.company_key(*company, "answers", &[]);
        let kibibytes = u32::try_from(bytes / 1024).unwrap_or(u32::MAX);
        let local = &self.counters.local;
        local.add(&key, kibibytes, COMPANY_RESPONSE_KIB, self.now());
    }

    /// Counts a request as unauthenticated, until `uncount`.
    pub fn unauthenticated(
        &self,
        address: ClientAddress,
    ) -> Result<UnauthenticatedRequest<'_>, ApiError> {
        let key = self.key("stranger", &[&address.limit_key()]);
        let local = &self.counters.local;
        let wait = local.count(&key, UNAUTHENTICATED, self.now());
        self.refuse("stranger", wait)?;
        Ok(UnauthenticatedRequest { limits: self, key })
    }

    /// Counts a call of support staff, who have no company.
    pub async fn staff_call(&self, session: Uuid) -> Result<(), ApiError> {
        let key = self.key("session", &[&session.to_string()]);
        self.count("session", &key, SESSION_CALLS).await
    }

    pub async fn company(&self, limit: CompanyLimit, company: Uuid) -> Result<(), ApiError> {
        let (kind, rate) = match limit {
            CompanyLimit::Exports => ("export", COMPANY_EXPORTS),
            CompanyLimit::PasswordResets => ("password_reset", COMPANY_PASSWORD_RESETS),
            CompanyLimit::OperatorPasswords => ("operator_password", COMPANY_OPERATOR_PASSWORDS),
            CompanyLimit::PasswordWork => ("password_work", COMPANY_PASSWORD_WORK),
            CompanyLimit::Reveals => ("reveal", COMPANY_REVEALS),
            CompanyLimit::Checkouts => ("checkout", COMPANY_CHECKOUTS),
        };
        let key = self.company_key(company, kind, &[]);
        self.count(kind, &key, rate).await
    }

    /// Counts a webhook call as invalid, so that forged calls go no further. Take it back if the
    /// call was valid, or failed for another reason than its content.
    pub async fn webhook(&self, address: ClientAddress) -> Result<Counted<'_>, ApiError> {
        let key = self.key("webhook", &[&address.limit_key()]);
        self.count_each("webhook", vec![(key, WEBHOOKS)]).await
    }

    /// Counts for the company of the caller, if there is one.
    pub async fn count_requester(
        &self,
        limit: CompanyLimit,
        requester: &Requester,
    ) -> Result<(), ApiError> {
        match requester.identity() {
            Some(identity) => self.company(limit, identity.company_id).await,
            None => Ok(()),
        }
    }

    fn key(&self, kind: &str, parts: &[&str]) -> String {
        format!("limit:{}", self.hash(kind, parts))
    }

    fn company_key(&self, company: Uuid, kind: &str, parts: &[&str]) -> String {
        format!("{company}:limit:{}", self.hash(kind, parts))
    }

    fn hash(&self, kind: &str, parts: &[&str]) -> String {
        let mut hash = Sha256::new();
        hash.update(self.salt);
        for part in std::iter::once(&kind).chain(parts) {
            // The length keeps "ab" + "c" apart from "a" + "bc".
            hash.update(part.len().to_le_bytes());
            hash.update(part.as_bytes());
        }
        // Half of the hash is unique enough.
        let hash: [u8; 32] = hash.finalize().into();
        let half = hash.first_chunk().copied().unwrap_or_default();
        format!("{:032x}", u128::from_be_bytes(half))
    }

    fn now(&self) -> i64 {
        self.clock.now().timestamp()
    }

    /// Counts `key`; `limit` is the label in metrics.
    async fn count(&self, limit: &'static str, key: &str, rate: Rate) -> Result<(), ApiError> {
        let wait = self.counters.count(key, rate, self.now()).await;
        self.refuse(limit, wait)
    }

    fn refuse(&self, limit: &'static str, wait: Option<i64>) -> Result<(), ApiError> {
        match wait {
            Some(seconds) if self.on => {
                names::LIMITED.count([limit]);
                Err(ApiError::RateLimited(u64::try_from(seconds).unwrap_or(1)))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
