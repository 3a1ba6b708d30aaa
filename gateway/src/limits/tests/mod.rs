mod calls;
mod recovery;
mod sign_in;
mod without_redis;

use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};

use chrono::TimeDelta;
use http::HeaderMap;

use super::*;
use crate::address::ClientAddress;

/// Limits of one process, or of several that take requests alternately.
struct TestLimits {
    clock: Clock,
    processes: Vec<Limits>,
    next_process: AtomicUsize,
}

impl TestLimits {
    fn new(processes: usize, redis: Option<&SecretString>) -> Self {
        let clock = Clock::fixed("2026-03-01T03:00:00Z".parse().expect("a time"));
        let mut salt = [0; 32];
        getrandom::fill(&mut salt).expect("randomness");
        let process = |_| Limits::new(clock.clone(), true, salt, redis).expect("limits");
        Self {
            processes: (0..processes).map(process).collect(),
            clock,
            next_process: AtomicUsize::new(0),
        }
    }

    fn local() -> Self {
        Self::new(1, None)
    }

    /// Two processes with one Redis.
    fn with_redis() -> Self {
        Self::new(2, Some(&hourmeter_runtime::testing::redis_url()))
    }

    /// One process whose Redis is unreachable.
    fn without_redis() -> Self {
        // Nothing listens on the discard port.
        Self::new(1, Some(&"redis://127.0.0.1:9/".to_owned().into()))
    }

    fn next(&self) -> &Limits {
        let next_process = self.next_process.fetch_add(1, Ordering::Relaxed);
        &self.processes[next_process % self.processes.len()]
    }

    fn wait(&self, seconds: i64) {
        self.clock
            .set(self.clock.now() + TimeDelta::seconds(seconds));
    }

    /// Seconds to wait, or 0 if the attempt is admitted and fails.
    async fn fail(&self, name: &str, from: &str) -> u64 {
        seconds(self.next().sign_in(Login::Own, name, address(from)).await)
    }
}

fn seconds<T>(response: Result<T, ApiError>) -> u64 {
    match response {
        Ok(_) => 0,
        Err(ApiError::RateLimited(seconds)) => seconds,
        Err(other) => panic!("{other:?}"),
    }
}

fn address(text: &str) -> ClientAddress {
    let peer: IpAddr = text.parse().expect("an address");
    ClientAddress::find(Some(peer), &HeaderMap::new(), &[])
}

const HERE: &str = "192.0.2.1";
const THERE: &str = "192.0.2.2";
