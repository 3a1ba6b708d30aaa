//! A connection to Redis for work that can do without it: it never waits long, and after a failure
//! it leaves Redis alone for a while, so that not every caller waits in vain.

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

/// How long an answer may take.
pub const TIMEOUT: Duration = Duration::from_millis(100);
/// How long Redis is left alone after it did not answer.
pub const OPEN_TIME: Duration = Duration::from_secs(1);

/// Redis does not answer.
#[derive(Clone, Copy, Debug)]
pub struct Unavailable;

/// The connection.
#[derive(Clone)]
pub struct RedisLink {
    connection: ConnectionManager,
    timeout: Duration,
    /// What is so while Redis is away, for the log.
    meanwhile: &'static str,
    errors: Counter,
    up: Gauge,
    /// Until when, in milliseconds since the start, Redis is left alone.
    open_until: Arc<AtomicI64>,
    started: Instant,
}

impl std::fmt::Debug for RedisLink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RedisLink")
    }
}

/// A client for a URL. As in one of PostgreSQL, `?sslrootcert=FILE` names the authorities, PEM, that
/// are believed instead of the public ones; the file is read now and not again.
pub fn open(url: &SecretString) -> Result<Client, ServiceError> {
    // What redis says of the URL would tell it, and with it the password.
    let unread = |_| ServiceError::internal("REDIS_URL is not a Redis URL");
    let url = url.expose_secret();
    let Some((url, path)) = url.split_once("?sslrootcert=") else {
        return Client::open(url).map_err(unread);
    };
    if !url.starts_with("rediss://") {
        return Err(ServiceError::internal(
            "REDIS_URL has a sslrootcert, and is not a rediss:// URL",
        ));
    }
    let wrong = |problem: &dyn Display| {
        ServiceError::internal(format!("the sslrootcert of REDIS_URL, {path}: {problem}"))
    };
    let authorities = std::fs::read(path).map_err(|error| wrong(&error))?;
    if CertificateDer::from_pem_slice(&authorities).is_err() {
        return Err(wrong(&"no certificate in the file"));
    }
    let believed = TlsCertificates {
        client_tls: None,
        root_cert: Some(authorities),
    };
    Client::build_with_tls(url, believed).map_err(unread)
}

impl RedisLink {
    /// Connects when first used; Redis need not be there yet. `used_for` says in the metrics what it
    /// is for, and `meanwhile` in the log what is so while it is away.
    pub fn new(
        url: &SecretString,
        timeout: Duration,
        used_for: &'static str,
        meanwhile: &'static str,
    ) -> Result<Self, ServiceError> {
        let config = ConnectionManagerConfig::new()
            .set_connection_timeout(Some(timeout))
            .set_response_timeout(Some(timeout))
            .set_number_of_retries(1);
        let connection = ConnectionManager::new_lazy_with_config(open(url)?, config);
        Ok(Self {
            connection: connection
                .map_err(|_| ServiceError::internal("the connection to Redis can't be prepared"))?,
            timeout,
            meanwhile,
            errors: names::REDIS_ERRORS.counter([used_for]),
            up: names::REDIS_UP.gauge(names::NO_LABELS),
            open_until: Arc::default(),
            started: Instant::now(),
        })
    }

    /// What a question is asked on.
    pub fn connection(&self) -> ConnectionManager {
        self.connection.clone()
    }

    /// Whether Redis did not answer a moment ago.
    pub fn is_open(&self) -> bool {
        self.elapsed() < self.open_until.load(Ordering::Relaxed)
    }

    /// The answer to a question, which is not even asked while Redis is left alone.
    pub async fn call<T>(
        &self,
        question: impl Future<Output = Result<T, RedisError>>,
    ) -> Result<T, Unavailable> {
        if self.is_open() {
            return Err(Unavailable);
        }
        self.call_ignoring_breaker(question).await
    }

    /// The same, asked also while Redis is left alone: for what would otherwise be left behind
    /// there.
    pub async fn call_ignoring_breaker<T>(
        &self,
        question: impl Future<Output = Result<T, RedisError>>,
    ) -> Result<T, Unavailable> {
        match tokio::time::timeout(2 * self.timeout, question).await {
            Ok(Ok(answer)) => {
                self.up.set(1);
                Ok(answer)
            }
            Ok(Err(error)) => {
                self.trip(&error);
                Err(Unavailable)
            }
            Err(late) => {
                self.trip(&late);
                Err(Unavailable)
            }
        }
    }

    fn trip(&self, error: &dyn std::error::Error) {
        self.errors.increment(1);
        self.up.set(0);
        let until = self.elapsed() + i64::try_from(OPEN_TIME.as_millis()).unwrap_or(1000);
        let before = self.open_until.swap(until, Ordering::Relaxed);
        // Once for all that met it.
        if before < self.elapsed() {
            let meanwhile = self.meanwhile;
            tracing::warn!(%error, "Redis does not answer; {meanwhile}");
        }
    }

    fn elapsed(&self) -> i64 {
        i64::try_from(self.started.elapsed().as_millis()).unwrap_or(i64::MAX)
    }
}
