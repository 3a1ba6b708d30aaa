//! Counters in Redis. Each is one script, which Redis runs atomically.

use std::sync::{Arc, Weak};
use std::time::Duration;

use hourmeter_runtime::error::ServiceError;
pub use hourmeter_runtime::redis_link::Unavailable;
use hourmeter_runtime::redis_link::{self, RedisLink};
use redis::{AsyncCommands as _, FromRedisValue, Script, ScriptInvocation};
use secrecy::SecretString;
use uuid::Uuid;

use super::rates::{Lockout, Rate};

/// Timeout of a call; long in tests, which must not depend on the load of the machine.
const TIMEOUT: Duration = if cfg!(test) {
    Duration::from_secs(5)
} else {
    redis_link::TIMEOUT
};
/// Seconds after which a running call counts as lost with its process.
const LOST_AFTER: i64 = 60;

/// Lease of a process, in seconds.
const LEASE: u64 = 10;
/// Prefix of the key of a process's lease.
const LEASE_PREFIX: &str = "limit:process:";
const RENEW: Duration = Duration::from_secs(3);

#[derive(Clone)]
pub struct Shared {
    link: RedisLink,
    process: Uuid,
    scripts: Arc<Scripts>,
}

struct Scripts {
    count: Script,
    uncount: Script,
    count_in_a_row: Script,
    fail: Script,
    undo_failure: Script,
    enter: Script,
}

impl Shared {
    /// Connects on first use; Redis need not respond at the start. Spawns a task.
    pub fn connect(url: &SecretString) -> Result<Self, ServiceError> {
        let shared = Self {
            process: Uuid::now_v7(),
            link: RedisLink::new(url, TIMEOUT, "limits", "limits are counted per process")?,
            scripts: Arc::new(Scripts {
                count: Script::new(include_str!("count.lua")),
                uncount: Script::new(include_str!("uncount.lua")),
                count_in_a_row: Script::new(include_str!("count_in_a_row.lua")),
                fail: Script::new(include_str!("fail.lua")),
                undo_failure: Script::new(include_str!("undo_failure.lua")),
                enter: Script::new(include_str!("enter.lua")),
            }),
        };
        tokio::spawn(renew(
            shared.link.clone(),
            lease(shared.process),
            Arc::downgrade(&shared.scripts),
        ));
        Ok(shared)
    }

    pub async fn count(&self, key: &str, rate: Rate, now: i64) -> Result<Option<i64>, Unavailable> {
        let mut call = self.scripts.count.key(key);
        call.arg(rate.times).arg(rate.seconds).arg(now);
        self.wait(&call).await
    }

    pub async fn uncount(&self, key: &str) {
        let call = self.scripts.uncount.key(key);
        let _: Result<i64, Unavailable> = self.run(&call).await;
    }

    pub async fn count_in_a_row(
        &self,
        key: &str,
        quiet: i64,
        now: i64,
    ) -> Result<u32, Unavailable> {
        let mut call = self.scripts.count_in_a_row.key(key);
        call.arg(quiet).arg(now);
        self.run(&call).await
    }

    pub async fn fail(
        &self,
        key: &str,
        rate: Lockout,
        now: i64,
    ) -> Result<Option<i64>, Unavailable> {
        let mut call = self.scripts.fail.key(key);
        call.arg(rate.free.times)
            .arg(rate.free.seconds)
            .arg(rate.first_lock)
            .arg(rate.longest_lock)
            .arg(now);
        self.wait(&call).await
    }

    pub async fn locked_for(&self, key: &str, now: i64) -> Result<Option<i64>, Unavailable> {
        let mut connection = self.link.connection();
        let until: Option<i64> = self.link.call(connection.hget(key, "until")).await?;
        Ok(until.map(|until| until - now).filter(|wait| *wait > 0))
    }

    pub async fn undo_failure(&self, key: &str) {
        let call = self.scripts.undo_failure.key(key);
        let _: Result<i64, Unavailable> = self.run(&call).await;
    }

    pub async fn clear(&self, key: &str) {
        let mut connection = self.link.connection();
        let _: Result<(), Unavailable> = self.link.call(connection.del(key)).await;
    }

    /// Above `most`, calls of processes without a lease are removed.
    pub async fn enter(&self, key: &str, most: u32) -> Result<(Running, u32), Unavailable> {
        if self.is_unavailable() {
            return Err(Unavailable);
        }
        // Created before the call: if this future is dropped meanwhile, the call is removed again.
        let running = Running {
            key: key.to_owned(),
            id: format!("{}/{}", self.process, Uuid::now_v7()),
            shared: self.clone(),
        };
        let mut call = self.scripts.enter.key(key);
        call.arg(&running.id)
            .arg(LOST_AFTER)
            .arg(most)
            .arg(LEASE_PREFIX)
            .arg(self.process.to_string())
            .arg(LEASE);
        let running_count = self.run(&call).await?;
        Ok((running, running_count))
    }

    pub fn is_unavailable(&self) -> bool {
        self.link.is_open()
    }

    async fn wait(&self, call: &ScriptInvocation<'_>) -> Result<Option<i64>, Unavailable> {
        let wait: i64 = self.run(call).await?;
        Ok((wait > 0).then_some(wait))
    }

    async fn run<T: FromRedisValue>(&self, call: &ScriptInvocation<'_>) -> Result<T, Unavailable> {
        let mut connection = self.link.connection();
        self.link.call(call.invoke_async(&mut connection)).await
    }
}

fn lease(process: Uuid) -> String {
    format!("{LEASE_PREFIX}{process}")
}

/// Renews the lease while the counters are in use.
async fn renew(link: RedisLink, lease: String, counting: Weak<Scripts>) {
    loop {
        tokio::time::sleep(RENEW).await;
        if counting.strong_count() == 0 {
            return;
        }
        let mut connection = link.connection();
        let _: Result<(), Unavailable> = link.call(connection.set_ex(&lease, 1, LEASE)).await;
    }
}

pub struct Running {
    key: String,
    id: String,
    shared: Shared,
}

impl Drop for Running {
    fn drop(&mut self) {
        // Without a runtime the process is ending; the call counts as lost after a minute.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        let (key, id) = (std::mem::take(&mut self.key), std::mem::take(&mut self.id));
        let shared = self.shared.clone();
        runtime.spawn(async move {
            let mut connection = shared.link.connection();
            let _: Result<(), Unavailable> = shared
                .link
                .call_ignoring_breaker(connection.zrem(key, id))
                .await;
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn renew_makes_a_lease() {
        let url = hourmeter_runtime::testing::redis_url();
        let shared = Shared::connect(&url).expect("a connection");
        let mut connection = shared.link.connection();
        let lease = lease(shared.process);
        for _ in 0..100 {
            tokio::time::sleep(Duration::from_millis(100)).await;
            if connection.exists(&lease).await.expect("a response") {
                return;
            }
        }
        panic!("no lease");
    }

    #[tokio::test]
    async fn enter_removes_calls_of_dead_processes() {
        let url = hourmeter_runtime::testing::redis_url();
        let connect = || Shared::connect(&url).expect("a connection");
        let (dead, alive, next) = (connect(), connect(), connect());
        let key = format!("{}:limit:in-flight", Uuid::now_v7());
        let mut running = Vec::new();
        for _ in 0..2 {
            // A killed process does not remove its calls.
            let (call, _) = dead.enter(&key, 3).await.expect("a response");
            std::mem::forget(call);
            running.push(alive.enter(&key, 3).await.expect("a response"));
        }
        let (_, running_count) = next.enter(&key, 3).await.expect("a response");
        assert_eq!(running_count, 5, "all processes are alive");
        let mut connection = dead.link.connection();
        let deleted: i64 = connection
            .del(lease(dead.process))
            .await
            .expect("a response");
        assert_eq!(deleted, 1);
        let (_, running_count) = next.enter(&key, 3).await.expect("a response");
        assert!(running_count <= 4, "{running_count}");
    }
}
