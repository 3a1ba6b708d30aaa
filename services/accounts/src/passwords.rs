//! Hashing passwords: Argon2id with a pepper, off the async threads, and not more at a time than
//! there are cores.
//!
//! Each hash waits for its own permit, so work for a caller who has left ends after the hash that
//! runs. Signing in may use the whole queue; all other work shares half of it, and one company has at
//! most two hashes under way.

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

/// How many may wait for a core before the rest is turned away.
const WAITING: usize = 64;
/// How many hashes one company may have under way.
const COMPANY_AT_ONCE: usize = 2;
/// Stands in for the salt of a password that does not exist.
const DUMMY_SALT: &[u8] = b"no such password";

/// How much work one password hash is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PasswordSettings {
    memory_kib: u32,
    iterations: u32,
    lanes: u32,
}

impl Default for PasswordSettings {
    fn default() -> Self {
        Self {
            memory_kib: 47104,
            iterations: 1,
            lanes: 1,
        }
    }
}

impl PasswordSettings {
    /// Hardly any work; never for passwords that matter.
    pub const fn for_tests() -> Self {
        Self {
            memory_kib: 8,
            iterations: 1,
            lanes: 1,
        }
    }

    fn params(self) -> Result<Params, ServiceError> {
        Params::new(self.memory_kib, self.iterations, self.lanes, Some(32))
            .map_err(|error| ServiceError::internal(error.to_string()))
    }
}

/// A password as it is stored.
#[derive(Clone, PartialEq, Eq)]
pub struct Hashed {
    /// PHC string.
    pub hash: String,
    /// Which pepper it was made with.
    pub pepper_id: String,
}

impl std::fmt::Debug for Hashed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("[redacted]")
    }
}

/// What a check found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Not the password, or there is none.
    Wrong,
    /// The password.
    Right,
    /// The password, hashed with older parameters or an older pepper.
    RightButOld,
}

impl Verdict {
    /// Whether it is the password.
    pub const fn is_right(self) -> bool {
        matches!(self, Self::Right | Self::RightButOld)
    }
}

/// Hashes and checks passwords; as made, for signing in.
#[derive(Clone)]
pub struct Passwords {
    work: Arc<Work>,
    cores: Arc<Semaphore>,
    places: Arc<Semaphore>,
    /// The part of the places that is not kept for signing in.
    places_of_others: Arc<Semaphore>,
    companies: Arc<Companies>,
    lane: Lane,
    meter: Meter,
}

/// Which part of the queue a caller may use.
#[derive(Clone)]
enum Lane {
    /// All of it.
    SignIn,
    /// Half of it.
    Other,
    /// Half of it, after the company's own queue.
    Company(Arc<Semaphore>),
}

/// The queues of companies that hash something now.
#[derive(Default)]
struct Companies(Mutex<HashMap<Uuid, Weak<Semaphore>>>);

impl Companies {
    fn queue(&self, company_id: Uuid) -> Arc<Semaphore> {
        let mut queues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        queues.retain(|_, queue| queue.strong_count() > 0);
        if let Some(queue) = queues.get(&company_id).and_then(Weak::upgrade) {
            return queue;
        }
        let queue = Arc::new(Semaphore::new(COMPANY_AT_ONCE));
        queues.insert(company_id, Arc::downgrade(&queue));
        queue
    }
}

/// Counts the queue.
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

struct Work {
    settings: PasswordSettings,
    peppers: Peppers,
    #[cfg(test)]
    runs: std::sync::atomic::AtomicUsize,
}

impl Passwords {
    /// As many hashes at a time as there are cores.
    pub fn new(settings: PasswordSettings, peppers: Peppers) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self {
            work: Arc::new(Work {
                settings,
                peppers,
                #[cfg(test)]
                runs: 0.into(),
            }),
            cores: Arc::new(Semaphore::new(cores)),
            places: Arc::new(Semaphore::new(cores + WAITING)),
            places_of_others: Arc::new(Semaphore::new(usize::midpoint(cores, WAITING))),
            companies: Arc::default(),
            lane: Lane::SignIn,
            meter: Meter::new(),
        }
    }

    /// The same for people without a session who do not sign in.
    #[must_use]
    pub fn for_others(&self) -> Self {
        Self {
            lane: Lane::Other,
            ..self.clone()
        }
    }

    /// The same for somebody of this company who is signed in.
    #[must_use]
    pub fn for_company(&self, company_id: Uuid) -> Self {
        Self {
            lane: Lane::Company(self.companies.queue(company_id)),
            ..self.clone()
        }
    }

    /// Hashes a password in its normal form.
    pub async fn hash(&self, password: Zeroizing<String>) -> Result<Hashed, ServiceError> {
        self.run(move |work| work.hash(&password)).await?
    }

    /// Checks a password against each of these. An absent one costs the same work. UNAVAILABLE, after
    /// the same work, when one was made with a pepper that this process does not have: another may
    /// have been given it already, so nobody can say that the password is wrong.
    pub async fn check<const N: usize>(
        &self,
        password: Zeroizing<String>,
        against: [Option<Hashed>; N],
    ) -> Result<[Verdict; N], ServiceError> {
        let password = Arc::new(password);
        let mut checked = Vec::with_capacity(N);
        for stored in against {
            let password = password.clone();
            checked.push(
                self.run(move |work| work.check(&password, stored.as_ref()))
                    .await?,
            );
        }
        let mut verdicts = [Verdict::Wrong; N];
        for (verdict, checked) in verdicts.iter_mut().zip(checked) {
            *verdict = checked?;
        }
        Ok(verdicts)
    }

    /// Whether a password is one of these. UNAVAILABLE as with [`Passwords::check`].
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

    /// How many hashes were made or checked.
    #[cfg(test)]
    pub fn runs(&self) -> usize {
        self.work.runs.load(std::sync::atomic::Ordering::Relaxed)
    }

    #[tracing::instrument(name = "accounts.hash_password", level = "debug", skip_all)]
    async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Work) -> T + Send + 'static,
    ) -> Result<T, ServiceError> {
        let permits = self.admit().await?;
        let work = self.work.clone();
        let running = GaugeGuard::new(&self.meter.running);
        let duration = self.meter.duration.clone();
        let done = tokio::task::spawn_blocking(move || {
            let began = Instant::now();
            let answer = job(&work);
            duration.record(began.elapsed());
            drop((permits, running));
            answer
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
        // Without a cause, which would write a line for each of a flood.
        let full = |_| {
            self.meter.refused.increment(1);
            ServiceError::new(Kind::Unavailable, hourmeter_runtime::refusals::UNAVAILABLE)
        };
        if !matches!(self.lane, Lane::SignIn) {
            let place = self.places_of_others.clone().try_acquire_owned();
            permits.push(place.map_err(full)?);
        }
        permits.push(self.places.clone().try_acquire_owned().map_err(full)?);
        let _waiting = GaugeGuard::new(&self.meter.waiting);
        let core = self.cores.clone().acquire_owned().await;
        permits.push(core.map_err(ServiceError::internal)?);
        Ok(permits)
    }
}

impl Work {
    fn argon2(&self, pepper_id: &str) -> Result<Argon2<'_>, ServiceError> {
        let pepper = self.peppers.get(pepper_id);
        if pepper.is_none() {
            names::KEY_FAILURES.count(["pepper"]);
        }
        let pepper =
            pepper.ok_or_else(|| ServiceError::unavailable("a hash names an unknown pepper"))?;
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

    /// Fails only for want of a pepper.
    fn check(&self, password: &str, stored: Option<&Hashed>) -> Result<Verdict, ServiceError> {
        match stored.map(|stored| self.verify(password, stored)) {
            Some(Ok(verdict)) => return Ok(verdict),
            Some(Err(error)) => {
                tracing::error!(error = ?error.cause, "a stored hash can't be checked");
                self.waste(password);
                if error.kind == Kind::Unavailable {
                    return Err(error);
                }
            }
            None => self.waste(password),
        }
        Ok(Verdict::Wrong)
    }

    fn verify(&self, password: &str, stored: &Hashed) -> Result<Verdict, ServiceError> {
        let hash = PasswordHash::new(&stored.hash)
            .map_err(|error| ServiceError::internal(error.to_string()))?;
        let argon2 = self.argon2(&stored.pepper_id)?;
        if argon2.verify_password(password.as_bytes(), &hash).is_err() {
            return Ok(Verdict::Wrong);
        }
        let current = Params::try_from(&hash).is_ok_and(|params| params == *argon2.params());
        if current && stored.pepper_id == self.peppers.active_id() {
            Ok(Verdict::Right)
        } else {
            Ok(Verdict::RightButOld)
        }
    }

    /// The work of a check without anything to check against.
    fn waste(&self, password: &str) {
        if let Ok(argon2) = self.argon2(self.peppers.active_id()) {
            let hash = argon2.hash_password_with_salt(password.as_bytes(), DUMMY_SALT);
            std::hint::black_box(hash.is_ok());
        }
    }
}

#[cfg(test)]
#[path = "passwords_tests.rs"]
mod tests;
