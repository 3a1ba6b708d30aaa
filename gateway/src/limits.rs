//! How often what may be done. Counted in Redis when there is one, so that it holds across
//! processes, else in this process. Keys are hashed, so that neither holds a name or address.

use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::telemetry::names;
use secrecy::SecretString;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::address::ClientAddress;
use crate::rescue::Refusal;
use crate::visitor::Visitor;

mod by_address;
mod counters;
mod known_names;
mod local;
mod recovery;
mod shared;
mod sign_in;

pub use counters::InFlight;
use counters::{Counters, Rate, WhenAway};
pub use known_names::NameTry;
pub use sign_in::{Login, SignInTry};

/// Calls of one session.
const SESSION_CALLS: Rate = Rate::new(600, 60);
/// Calls of one company.
const COMPANY_CALLS: Rate = Rate::new(3000, 60);
/// Exports of one company.
const COMPANY_EXPORTS: Rate = Rate::new(10, 60);
/// Passwords set for somebody else in one company.
const COMPANY_PASSWORD_RESETS: Rate = Rate::new(20, 60 * 60);
/// How often one company sets another operator password.
const COMPANY_OPERATOR_PASSWORDS: Rate = Rate::new(10, 60 * 60);
/// Calls of one company that hash passwords or answers.
const COMPANY_PASSWORD_WORK: Rate = Rate::new(30, 60);
/// How often one company's operator password is shown.
const COMPANY_REVEALS: Rate = Rate::new(10, 60 * 60);
/// Checkouts one company begins.
const COMPANY_CHECKOUTS: Rate = Rate::new(10, 60 * 60);
/// Requests from one address without a living session, counted by each process for itself.
const STRANGERS: Rate = Rate::new(300, 60);
/// Events of the payment provider from one address that were not taken.
const WEBHOOKS: Rate = Rate::new(600, 60);
/// KiB of one company's large answers, in each process. Such answers take most of the time of the
/// services, so a company that reads them without a pause would slow everybody.
const COMPANY_ANSWERS: Rate = Rate::new(16 * 1024, 15);
/// Answers from this size on are large, in bytes.
const LARGE_ANSWER: usize = 64 * 1024;
/// Calls of one company at the same moment.
const COMPANY_IN_FLIGHT: u32 = 32;

/// What a company may do only so often, beyond its calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompanyLimit {
    /// Reading all of a history.
    Exports,
    /// Setting the password of somebody else.
    PasswordResets,
    /// Setting another operator password.
    OperatorPasswords,
    /// Anything that hashes passwords or answers.
    PasswordWork,
    /// Showing the operator password.
    Reveals,
    /// Beginning to pay.
    Checkouts,
}

/// An event of the payment provider; dropped, it stays counted.
pub struct WebhookTry<'a> {
    limits: &'a Limits,
    key: String,
}

impl WebhookTry<'_> {
    /// It was taken, or it is not its sender's fault that it was not.
    pub async fn not_forged(self) {
        self.limits.counters.uncount(&self.key).await;
    }
}

/// A request that brought no session, as far as is known; dropped, it stays counted.
pub struct Stranger<'a> {
    limits: &'a Limits,
    key: String,
}

impl Stranger<'_> {
    /// It has a living session, or nobody can say.
    pub fn uncount(self) {
        self.limits.counters.uncount_here(&self.key);
    }
}

/// All limits.
pub struct Limits {
    clock: Clock,
    on: bool,
    /// Makes keys that only who knows it can find again; the same in all processes of a product.
    salt: [u8; 32],
    counters: Counters,
}

impl Limits {
    /// No counts yet; with `on` false nothing is ever refused. `redis` is the URL of the Redis
    /// that other processes count in too.
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

    /// Counts a call of a session and its company; hold what comes back while it runs.
    pub async fn call(&self, session: Uuid, company: Uuid) -> Result<InFlight, Refusal> {
        let of_answers = self.company_key(company, "answers", &[]);
        let wait = self
            .counters
            .full_here(&of_answers, COMPANY_ANSWERS, self.now());
        self.refuse("company_answers", wait)?;
        let of_session = self.company_key(company, "session", &[&session.to_string()]);
        self.count("session", &of_session, SESSION_CALLS, WhenAway::Open)
            .await?;
        let of_company = self.company_key(company, "calls", &[]);
        self.count("company", &of_company, COMPANY_CALLS, WhenAway::Open)
            .await?;
        self.enter(company).await
    }

    /// Counts the bytes of an answer to a company, if it is large.
    pub fn answered(&self, company: Uuid, bytes: usize) {
        if bytes < LARGE_ANSWER {
            return;
        }
        let key = self.company_key(company, "answers", &[]);
        let kibibytes = u32::try_from(bytes / 1024).unwrap_or(u32::MAX);
        self.counters
            .add_here(&key, kibibytes, COMPANY_ANSWERS, self.now());
    }

    /// Counts a request as one without a live session, until `Stranger::uncount`.
    pub fn stranger(&self, address: ClientAddress) -> Result<Stranger<'_>, Refusal> {
        let key = self.key("stranger", &[&address.limit_key()]);
        let wait = self.counters.count_here(&key, STRANGERS, self.now());
        self.refuse("stranger", wait)?;
        Ok(Stranger { limits: self, key })
    }

    /// Counts a call of somebody without a company.
    pub async fn staff_call(&self, session: Uuid) -> Result<(), Refusal> {
        let key = self.key("session", &[&session.to_string()]);
        self.count("session", &key, SESSION_CALLS, WhenAway::Open)
            .await
    }

    async fn enter(&self, company: Uuid) -> Result<InFlight, Refusal> {
        let key = self.company_key(company, "in-flight", &[]);
        let (running, at_once) = self.counters.enter(key, COMPANY_IN_FLIGHT).await;
        if self.on && at_once > COMPANY_IN_FLIGHT {
            names::LIMITED.count(["company_in_flight"]);
            Err(Refusal::TooMany(1))
        } else {
            Ok(running)
        }
    }

    /// Counts what a company may do only so often.
    pub async fn company(&self, limit: CompanyLimit, company: Uuid) -> Result<(), Refusal> {
        let (kind, rate, away) = match limit {
            CompanyLimit::Exports => ("export", COMPANY_EXPORTS, WhenAway::Open),
            CompanyLimit::PasswordResets => {
                ("password_reset", COMPANY_PASSWORD_RESETS, WhenAway::Half)
            }
            CompanyLimit::OperatorPasswords => (
                "operator_password",
                COMPANY_OPERATOR_PASSWORDS,
                WhenAway::Half,
            ),
            CompanyLimit::PasswordWork => ("password_work", COMPANY_PASSWORD_WORK, WhenAway::Half),
            CompanyLimit::Reveals => ("reveal", COMPANY_REVEALS, WhenAway::Half),
            CompanyLimit::Checkouts => ("checkout", COMPANY_CHECKOUTS, WhenAway::Half),
        };
        let key = self.company_key(company, kind, &[]);
        self.count(kind, &key, rate, away).await
    }

    /// Counts an event of the payment provider as one that is not taken, until it is told
    /// otherwise: whoever forges them gets no further than here.
    pub async fn webhook(&self, address: ClientAddress) -> Result<WebhookTry<'_>, Refusal> {
        let key = self.key("webhook", &[&address.limit_key()]);
        self.count("webhook", &key, WEBHOOKS, WhenAway::Half)
            .await?;
        Ok(WebhookTry { limits: self, key })
    }

    /// Counts it for the company of whoever sent a request.
    pub async fn of_sender(&self, limit: CompanyLimit, visitor: &Visitor) -> Result<(), Refusal> {
        match visitor.identity() {
            Some(identity) => self.company(limit, identity.company_id).await,
            None => Ok(()),
        }
    }

    /// The key of something before there is a company.
    fn key(&self, kind: &str, parts: &[&str]) -> String {
        format!("limit:{}", self.hash(kind, parts))
    }

    /// The key of something in a company.
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
        // Half of it tells any two apart.
        let hash: [u8; 32] = hash.finalize().into();
        let half = hash.first_chunk().copied().unwrap_or_default();
        format!("{:032x}", u128::from_be_bytes(half))
    }

    fn now(&self) -> i64 {
        self.clock.now().timestamp()
    }

    /// Counts by `key` for the limit that metrics call `limit`.
    async fn count(
        &self,
        limit: &'static str,
        key: &str,
        rate: Rate,
        away: WhenAway,
    ) -> Result<(), Refusal> {
        let wait = self.counters.count(key, rate, self.now(), away).await;
        self.refuse(limit, wait)
    }

    fn refuse(&self, limit: &'static str, wait: Option<i64>) -> Result<(), Refusal> {
        match wait {
            Some(seconds) if self.on => {
                names::LIMITED.count([limit]);
                Err(Refusal::TooMany(u64::try_from(seconds).unwrap_or(1)))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
#[path = "limits_tests.rs"]
mod tests;
