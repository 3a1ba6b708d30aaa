//! Password hashing: Argon2id with a pepper, on blocking threads, with one concurrent hash per core.
//!
//! Each hash waits for its own permit, so a cancelled call stops after the current hash. Sign-in may
//! use the whole queue; other work shares half of it, and a company has at most two concurrent
//! hashes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Instant;

use argon2::password_hash::phc::PasswordHash;
use argon2::{Algorithm, Argon2, Params, PasswordHasher as _, PasswordVerifier as _, Version};
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::telemetry::{Counter, Gauge, GaugeGuard, Histogram, names};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use uuid::Uuid;
use zeroize::Zeroizing;

use crate::secrets::Peppers;

/// Maximum queue length; further calls are rejected.
const MAX_WAITING: usize = 64;
/// Maximum concurrent hashes per company.
const COMPANY_CONCURRENCY: usize = 2;
const LANES: u32 = 1;
/// Salt for verification without a stored password.
const DUMMY_SALT: &[u8] = b"no such password";

/// Argon2 parameters; the number of lanes is `LANES`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PasswordSettings {
    memory_kib: u32,
    iterations: u32,
}

impl Default for PasswordSettings {
    fn default() -> Self {
        Self {
            memory_kib: 47104,
            iterations: 1,
        }
    }
}

impl PasswordSettings {
    /// Minimal work; never for real passwords.
    pub const fn for_tests() -> Self {
        Self {
            memory_kib: 8,
            iterations: 1,
        }
    }

    fn params(self) -> Result<Params, ServiceError> {
        Params::new(self.memory_kib, self.iterations, LANES, Some(32))
            .map_err(|error| ServiceError::internal(error.to_string()))
    }
}

/// A stored password.
#[derive(Clone, PartialEq, Eq, sqlx_macros::FromRow)]
pub struct Hashed {
    pub hash: String,
    pub pepper_id: String,
}

impl std::fmt::Debug for Hashed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("[redacted]")
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PasswordCheck {
    /// Wrong, or no password is stored.
    Wrong,
    Right,
    /// Right, but hashed with outdated parameters or pepper.
    RightButOutdated,
}

impl PasswordCheck {
    pub const fn is_right(self) -> bool {
        matches!(self, Self::Right | Self::RightButOutdated)
    }
}

/// Hashes and verifies passwords. A new value is for sign-in; see `for_others` and `for_company`.
#[derive(Clone)]
pub struct Passwords {
    hasher: Arc<Hasher>,
    cores: Arc<Semaphore>,
    queue: Arc<Semaphore>,
    /// The half of the queue that is not reserved for sign-in.
    queue_of_others: Arc<Semaphore>,
    companies: Arc<CompanyQueues>,
    lane: Lane,
    meter: Meter,
}

/// The part of the queue that a caller may use.
#[derive(Clone)]
enum Lane {
    SignIn,
    Other,
    /// Half of the queue, after the company's own queue.
    Company(Arc<Semaphore>),
}

/// The queues of companies with open hashes.
#[derive(Default)]
struct CompanyQueues(Mutex<HashMap<Uuid, Weak<Semaphore>>>);

impl CompanyQueues {
    fn queue(&self, company_id: Uuid) -> Arc<Semaphore> {
        let mut queues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        queues.retain(|_, queue| queue.strong_count() > 0);
        if let Some(queue) = queues.get(&company_id).and_then(Weak::upgrade) {
            return queue;
        }
        let queue = Arc::new(Semaphore::new(COMPANY_CONCURRENCY));
        queues.insert(company_id, Arc::downgrade(&queue));
        queue
    }
}

#[derive(Clone)]
struct Meter {
    waiting: Gauge,
    running: Gauge,
    duration: Histogram,
    refused: Counter,
}

impl Meter {
    fn new() -> Self {
        Self {
            waiting: names::HASHES_WAITING.gauge(names::NO_LABELS),
            running: names::HASHES_RUNNING.gauge(names::NO_LABELS),
            duration: names::HASH_DURATION.histogram(names::NO_LABELS),
            refused: names::HASHES_REFUSED.counter(names::NO_LABELS),
        }
    }
}

struct Hasher {
    settings: PasswordSettings,
    peppers: Peppers,
    #[cfg(test)]
    runs: std::sync::atomic::AtomicUsize,
}

impl Passwords {
    /// Allows one concurrent hash per core.
    pub fn new(settings: PasswordSettings, peppers: Peppers) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self {
            hasher: Arc::new(Hasher {
                settings,
                peppers,
                #[cfg(test)]
                runs: 0.into(),
            }),
            cores: Arc::new(Semaphore::new(cores)),
            queue: Arc::new(Semaphore::new(cores + MAX_WAITING)),
            queue_of_others: Arc::new(Semaphore::new(usize::midpoint(cores, MAX_WAITING))),
            companies: Arc::default(),
            lane: Lane::SignIn,
            meter: Meter::new(),
        }
    }

    /// For sign-up and recovery.
    #[must_use]
    pub fn for_others(&self) -> Self {
        Self {
            lane: Lane::Other,
            ..self.clone()
        }
    }

    /// For a signed-in person of this company.
    #[must_use]
    pub fn for_company(&self, company_id: Uuid) -> Self {
        Self {
            lane: Lane::Company(self.companies.queue(company_id)),
            ..self.clone()
        }
    }

    /// Hashes a normalized password.
    pub async fn hash(&self, password: Zeroizing<String>) -> Result<Hashed, ServiceError> {
        self.run(move |work| work.hash(&password)).await?
    }

    /// Verifies a password against each of these; a missing one takes the same work. UNAVAILABLE, after
    /// the same work, if one was hashed with a pepper that this process does not have: during a pepper
    /// rotation another process may have it, so the password may be right.
    pub async fn check<const N: usize>(
        &self,
        password: Zeroizing<String>,
        against: [Option<Hashed>; N],
    ) -> Result<[PasswordCheck; N], ServiceError> {
        let password = Arc::new(password);
        let mut checked = Vec::with_capacity(N);
        for stored in against {
            let password = password.clone();
            checked.push(
                self.run(move |work| work.check(&password, stored.as_ref()))
                    .await?,
            );
        }
        let mut verdicts = [PasswordCheck::Wrong; N];
        for (verdict, checked) in verdicts.iter_mut().zip(checked) {
            *verdict = checked?;
        }
        Ok(verdicts)
    }

    /// Verifies a password. None: it is wrong. Otherwise it is right, with a new hash if the stored one is
    /// outdated.
    pub async fn verify(
        &self,
        password: Zeroizing<String>,
        stored: Option<Hashed>,
    ) -> Result<Option<Option<Hashed>>, ServiceError> {
        let [verdict] = self.check(password.clone(), [stored]).await?;
        Ok(match verdict {
            PasswordCheck::Wrong => None,
            PasswordCheck::Right => Some(None),
            PasswordCheck::RightButOutdated => Some(Some(self.hash(password).await?)),
        })
    }

    /// Whether a password is one of these. UNAVAILABLE as in [`Passwords::check`].
    pub async fn is_one_of(
        &self,
        password: Zeroizing<String>,
        stored: Vec<Hashed>,
    ) -> Result<bool, ServiceError> {
        let password = Arc::new(password);
        for stored in stored {
            let password = password.clone();
            let verdict = self
                .run(move |work| work.check(&password, Some(&stored)))
                .await??;
            if verdict.is_right() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Number of hashes and verifications.
    #[cfg(test)]
    pub fn runs(&self) -> usize {
        self.hasher.runs.load(std::sync::atomic::Ordering::Relaxed)
    }

    #[tracing::instrument(name = "accounts.hash_password", level = "debug", skip_all)]
    async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Hasher) -> T + Send + 'static,
    ) -> Result<T, ServiceError> {
        let permits = self.admit().await?;
        let hasher = self.hasher.clone();
        let running = GaugeGuard::new(&self.meter.running);
        let duration = self.meter.duration.clone();
        let done = tokio::task::spawn_blocking(move || {
            let started = Instant::now();
            let result = job(&hasher);
            duration.record(started.elapsed());
            drop((permits, running));
            result
        });
        done.await.map_err(ServiceError::internal)
    }

    #[tracing::instrument(name = "accounts.wait_to_hash", level = "debug", skip_all)]
    async fn admit(&self) -> Result<Vec<OwnedSemaphorePermit>, ServiceError> {
        let mut permits = Vec::with_capacity(4);
        if let Lane::Company(queue) = &self.lane {
            let permit = queue.clone().acquire_owned().await;
            permits.push(permit.map_err(ServiceError::internal)?);
        }
        // Without a cause, because logging each rejection would flood the log.
        let full = |_| {
            self.meter.refused.increment(1);
            ServiceError::new(Kind::Unavailable, hourmeter_runtime::refusals::UNAVAILABLE)
        };
        if !matches!(self.lane, Lane::SignIn) {
            let permit = self.queue_of_others.clone().try_acquire_owned();
            permits.push(permit.map_err(full)?);
        }
        permits.push(self.queue.clone().try_acquire_owned().map_err(full)?);
        let _waiting = GaugeGuard::new(&self.meter.waiting);
        let core = self.cores.clone().acquire_owned().await;
        permits.push(core.map_err(ServiceError::internal)?);
        Ok(permits)
    }
}

impl Hasher {
    fn argon2(&self, pepper_id: &str) -> Result<Argon2<'_>, ServiceError> {
        let pepper = self.peppers.get(pepper_id);
        if pepper.is_none() {
            names::KEY_FAILURES.count(["pepper"]);
        }
        let pepper = pepper
            .ok_or_else(|| ServiceError::unavailable("a password hash uses an unknown pepper"))?;
        #[cfg(test)]
        self.runs.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Argon2::new_with_secret(
            pepper,
            Algorithm::Argon2id,
            Version::V0x13,
            self.settings.params()?,
        )
        .map_err(|error| ServiceError::internal(error.to_string()))
    }

    fn hash(&self, password: &str) -> Result<Hashed, ServiceError> {
        let pepper_id = self.peppers.active_id();
        let mut salt = [0; 16];
        getrandom::fill(&mut salt).map_err(ServiceError::internal)?;
        let hash = self
            .argon2(pepper_id)?
            .hash_password_with_salt(password.as_bytes(), &salt)
            .map_err(|error| ServiceError::internal(error.to_string()))?;
        Ok(Hashed {
            hash: hash.to_string(),
            pepper_id: pepper_id.to_owned(),
        })
    }

    /// Fails only if the pepper is missing.
    fn check(
        &self,
        password: &str,
        stored: Option<&Hashed>,
    ) -> Result<PasswordCheck, ServiceError> {
        match stored.map(|stored| self.verify(password, stored)) {
            Some(Ok(verdict)) => return Ok(verdict),
            Some(Err(error)) => {
                tracing::error!(error = ?error.cause, "failed to verify a stored password hash");
                self.dummy_check(password);
                if error.kind == Kind::Unavailable {
                    return Err(error);
                }
            }
            None => self.dummy_check(password),
        }
        Ok(PasswordCheck::Wrong)
    }

    fn verify(&self, password: &str, stored: &Hashed) -> Result<PasswordCheck, ServiceError> {
        let hash = PasswordHash::new(&stored.hash)
            .map_err(|error| ServiceError::internal(error.to_string()))?;
        let argon2 = self.argon2(&stored.pepper_id)?;
        if argon2.verify_password(password.as_bytes(), &hash).is_err() {
            return Ok(PasswordCheck::Wrong);
        }
        let current = Params::try_from(&hash).is_ok_and(|params| params == *argon2.params());
        if current && stored.pepper_id == self.peppers.active_id() {
            Ok(PasswordCheck::Right)
        } else {
            Ok(PasswordCheck::RightButOutdated)
        }
    }

    /// Takes the time of a verification.
    fn dummy_check(&self, password: &str) {
        if let Ok(argon2) = self.argon2(self.peppers.active_id()) {
            let hash = argon2.hash_password_with_salt(password.as_bytes(), DUMMY_SALT);
            std::hint::black_box(hash.is_ok());
        }
    }
}

#[cfg(test)]
#[path = "passwords_tests.rs"]
mod tests;
