//! A connection to Redis for optional features: short timeouts, and a circuit breaker that opens
//! for a second after a failure, so that callers do not wait for a Redis that is down.

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use metrics::{Counter, Gauge};
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{Client, RedisError, TlsCertificates};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;
use secrecy::{ExposeSecret as _, SecretString};

use crate::error::ServiceError;
use crate::telemetry::names;

/// Default timeout of one call.
pub const TIMEOUT: Duration = Duration::from_millis(100);
/// How long the circuit breaker stays open after a failure.
pub const OPEN_TIME: Duration = Duration::from_secs(1);

/// Redis failed or timed out, or the circuit breaker is open.
#[derive(Clone, Copy, Debug)]
pub struct Unavailable;

/// A connection with a circuit breaker.
#[derive(Clone)]
pub struct RedisLink {
    connection: ConnectionManager,
    timeout: Duration,
    /// Effect of an outage, for the log.
    outage_effect: &'static str,
    errors: Counter,
    up: Gauge,
    /// When the breaker closes, in milliseconds since `started`.
    open_until: Arc<AtomicI64>,
    started: Instant,
}

/// Builds a client for a URL. As with PostgreSQL, `?sslrootcert=FILE` names a PEM file of
/// certificate authorities to trust instead of the public ones; it is read once.
pub fn open(url: &SecretString) -> Result<Client, ServiceError> {
    // The error of the redis crate contains the URL, and with it the password.
    let unread = |_| ServiceError::internal("REDIS_URL is not a Redis URL");
    let url = url.expose_secret();
    let Some((url, path)) = url.split_once("?sslrootcert=") else {
        return Client::open(url).map_err(unread);
    };
    if !url.starts_with("rediss://") {
        return Err(ServiceError::internal(
            "REDIS_URL has sslrootcert but is not a rediss:// URL",
        ));
    }
    let wrong = |problem: &dyn Display| {
        ServiceError::internal(format!("sslrootcert {path} of REDIS_URL: {problem}"))
    };
    let authorities = std::fs::read(path).map_err(|error| wrong(&error))?;
    if CertificateDer::from_pem_slice(&authorities).is_err() {
        return Err(wrong(&"no certificate in the file"));
    }
    let trusted = TlsCertificates {
        client_tls: None,
        root_cert: Some(authorities),
    };
    Client::build_with_tls(url, trusted).map_err(unread)
}

impl RedisLink {
    /// Connects at the first call. `used_for` is the metrics label; `outage_effect` is logged when
    /// Redis becomes unavailable.
    pub fn new(
        url: &SecretString,
        timeout: Duration,
        used_for: &'static str,
        outage_effect: &'static str,
    ) -> Result<Self, ServiceError> {
        let config = ConnectionManagerConfig::new()
            .set_connection_timeout(Some(timeout))
            .set_response_timeout(Some(timeout))
            .set_number_of_retries(1);
        let connection = ConnectionManager::new_lazy_with_config(open(url)?, config);
        Ok(Self {
            connection: connection
                .map_err(|_| ServiceError::internal("failed to create the Redis client"))?,
            timeout,
            outage_effect,
            errors: names::REDIS_ERRORS.counter([used_for]),
            up: names::REDIS_UP.gauge(names::NO_LABELS),
            open_until: Arc::default(),
            started: Instant::now(),
        })
    }

    /// The connection to build a command's future from.
    pub fn connection(&self) -> ConnectionManager {
        self.connection.clone()
    }

    /// Whether the circuit breaker is open.
    pub fn is_open(&self) -> bool {
        self.elapsed() < self.open_until.load(Ordering::Relaxed)
    }

    /// Runs a command, or fails immediately while the circuit breaker is open.
    pub async fn call<T>(
        &self,
        command: impl Future<Output = Result<T, RedisError>>,
    ) -> Result<T, Unavailable> {
        if self.is_open() {
            return Err(Unavailable);
        }
        self.call_ignoring_breaker(command).await
    }

    /// Runs a command also while the circuit breaker is open, for example to delete a key that
    /// would otherwise stay.
    pub async fn call_ignoring_breaker<T>(
        &self,
        command: impl Future<Output = Result<T, RedisError>>,
    ) -> Result<T, Unavailable> {
        match tokio::time::timeout(2 * self.timeout, command).await {
            Ok(Ok(reply)) => {
                self.up.set(1);
                return Ok(reply);
            }
            Ok(Err(error)) => self.trip(&error),
            Err(late) => self.trip(&late),
        }
        Err(Unavailable)
    }

    fn trip(&self, error: &dyn std::error::Error) {
        self.errors.increment(1);
        self.up.set(0);
        let until = self.elapsed() + i64::try_from(OPEN_TIME.as_millis()).unwrap_or(1000);
        let before = self.open_until.swap(until, Ordering::Relaxed);
        // Concurrent failures are logged once.
        if before < self.elapsed() {
            let effect = self.outage_effect;
            tracing::warn!(%error, "Redis does not answer; {effect}");
        }
    }

    fn elapsed(&self) -> i64 {
        i64::try_from(self.started.elapsed().as_millis()).unwrap_or(i64::MAX)
    }
}
