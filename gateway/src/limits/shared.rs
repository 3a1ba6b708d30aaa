//! Counts in Redis. Each is one small script, so that two processes can't count past each other.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use hourmeter_runtime::error::Failure;
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{AsyncCommands as _, Client, FromRedisValue, RedisError, Script, ScriptInvocation};
use secrecy::{ExposeSecret as _, SecretString};
use uuid::Uuid;

use super::counters::{GuardRate, Rate};

/// How long an answer may take. What tests measure must not hang on how busy the machine is.
const PATIENCE: Duration = Duration::from_millis(if cfg!(test) { 5000 } else { 100 });
/// How long Redis is left alone after it did not answer, so that not every request waits for it.
const REST: Duration = Duration::from_secs(1);
/// A call that runs longer than any may was lost with its process.
const LOST_AFTER: i64 = 60;

/// Redis does not answer.
#[derive(Debug)]
pub struct Away;

/// Counts that several processes share.
#[derive(Clone)]
pub struct Shared {
    connection: ConnectionManager,
    scripts: Arc<Scripts>,
    /// Until when, in milliseconds since the start, Redis is left alone.
    rests_until: Arc<AtomicI64>,
    started: Instant,
}

struct Scripts {
    count: Script,
    uncount: Script,
    streak: Script,
    guard: Script,
    unguard: Script,
    enter: Script,
}

impl Shared {
    /// Connects when first used; Redis need not be there yet.
    pub fn connect(url: &SecretString) -> Result<Self, Failure> {
        // The error would tell the URL, and with it the password.
        let client = Client::open(url.expose_secret());
        let client = client.map_err(|_| Failure::internal("REDIS_URL is not a Redis URL"))?;
        let config = ConnectionManagerConfig::new()
            .set_connection_timeout(Some(PATIENCE))
            .set_response_timeout(Some(PATIENCE))
            .set_number_of_retries(1);
        let connection = ConnectionManager::new_lazy_with_config(client, config);
        Ok(Self {
            connection: connection
                .map_err(|_| Failure::internal("the connection to Redis can't be prepared"))?,
            scripts: Arc::new(Scripts {
                count: Script::new(include_str!("count.lua")),
                uncount: Script::new(include_str!("uncount.lua")),
                streak: Script::new(include_str!("streak.lua")),
                guard: Script::new(include_str!("guard.lua")),
                unguard: Script::new(include_str!("unguard.lua")),
                enter: Script::new(include_str!("enter.lua")),
            }),
            rests_until: Arc::default(),
            started: Instant::now(),
        })
    }

    pub async fn count(&self, key: &str, rate: Rate, now: i64) -> Result<Option<i64>, Away> {
        let mut call = self.scripts.count.key(key);
        call.arg(rate.times).arg(rate.seconds).arg(now);
        self.wait(&call).await
    }

    pub async fn uncount(&self, key: &str) {
        let call = self.scripts.uncount.key(key);
        let _: Result<i64, Away> = self.run(&call).await;
    }

    pub async fn streak(&self, key: &str, quiet: i64, now: i64) -> Result<u32, Away> {
        let mut call = self.scripts.streak.key(key);
        call.arg(quiet).arg(now);
        self.run(&call).await
    }

    pub async fn guard(&self, key: &str, rate: GuardRate, now: i64) -> Result<Option<i64>, Away> {
        let mut call = self.scripts.guard.key(key);
        call.arg(rate.free.times)
            .arg(rate.free.seconds)
            .arg(rate.first_wait)
            .arg(rate.longest_wait)
            .arg(now);
        self.wait(&call).await
    }

    pub async fn unguard(&self, key: &str) {
        let call = self.scripts.unguard.key(key);
        let _: Result<i64, Away> = self.run(&call).await;
    }

    pub async fn clear(&self, key: &str) {
        if self.is_away() {
            return;
        }
        let mut connection = self.connection.clone();
        let cleared: Result<(), RedisError> = connection.del(key).await;
        if let Err(error) = cleared {
            self.rest(&error);
        }
    }

    pub async fn enter(&self, key: &str) -> Result<(Running, u32), Away> {
        if self.is_away() {
            return Err(Away);
        }
        // Before it is noted: dropped while it waits, it takes itself back all the same.
        let running = Running {
            key: key.to_owned(),
            id: Uuid::now_v7().to_string(),
            shared: self.clone(),
        };
        let mut call = self.scripts.enter.key(key);
        call.arg(&running.id).arg(LOST_AFTER);
        let at_once = self.run(&call).await?;
        Ok((running, at_once))
    }

    /// Whether Redis did not answer a moment ago.
    pub fn is_away(&self) -> bool {
        self.elapsed() < self.rests_until.load(Ordering::Relaxed)
    }

    async fn wait(&self, call: &ScriptInvocation<'_>) -> Result<Option<i64>, Away> {
        let wait: i64 = self.run(call).await?;
        Ok((wait > 0).then_some(wait))
    }

    async fn run<T: FromRedisValue>(&self, call: &ScriptInvocation<'_>) -> Result<T, Away> {
        if self.is_away() {
            return Err(Away);
        }
        let mut connection = self.connection.clone();
        let answer = tokio::time::timeout(2 * PATIENCE, call.invoke_async(&mut connection)).await;
        match answer {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => {
                self.rest(&error);
                Err(Away)
            }
            Err(late) => {
                self.rest(&late);
                Err(Away)
            }
        }
    }

    fn rest(&self, error: &dyn std::error::Error) {
        let until = self.elapsed() + i64::try_from(REST.as_millis()).unwrap_or(1000);
        let before = self.rests_until.swap(until, Ordering::Relaxed);
        // Once for all the requests that met it.
        if before < self.elapsed() {
            tracing::warn!(%error, "Redis does not answer; limits are counted per process");
        }
    }

    fn elapsed(&self) -> i64 {
        i64::try_from(self.started.elapsed().as_millis()).unwrap_or(i64::MAX)
    }
}

/// A running call of a company.
pub struct Running {
    key: String,
    id: String,
    shared: Shared,
}

impl std::fmt::Debug for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Running")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Without a runtime the process is ending; what is left counts as lost after a minute.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        let (key, id) = (std::mem::take(&mut self.key), std::mem::take(&mut self.id));
        let shared = self.shared.clone();
        runtime.spawn(async move {
            let mut connection = shared.connection.clone();
            let gone: Result<(), RedisError> = connection.zrem(key, id).await;
            if let Err(error) = gone {
                shared.rest(&error);
            }
        });
    }
}
