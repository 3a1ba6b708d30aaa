//! Limits the memory of responses, from creation until the client has received them. A client that
//! reads slowly holds only its quota.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::Bytes;
use hourmeter_runtime::telemetry::names;
use uuid::Uuid;

use crate::api_error::ApiError;
use crate::requester::Requester;

/// The most bytes of responses in this process.
const MAX_BYTES: usize = 128 * 1024 * 1024;
/// Quota of one company or address.
const QUOTA: usize = 16 * 1024 * 1024;
/// Quota while more than half of the bytes are taken.
const REDUCED_QUOTA: usize = 1024 * 1024;
/// Responses up to this size are not counted: a running request takes as much.
pub const UNTRACKED_BYTES: usize = 4 * 1024;
/// `Retry-After` of a quota that is exceeded.
const RETRY_SECONDS: u64 = 5;

/// Responses with the same key share a quota.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum QuotaKey {
    /// All members of a company.
    Company(Uuid),
    /// Callers without a company, by address.
    Address(String),
}

impl QuotaKey {
    pub fn of(requester: &Requester) -> Self {
        match requester.identity() {
            Some(identity) => Self::Company(identity.company_id),
            None => Self::Address(requester.context.address.limit_key()),
        }
    }
}

#[derive(Clone, Default)]
pub struct ResponseMemory(Arc<Mutex<Usage>>);

#[derive(Default)]
struct Usage {
    bytes: usize,
    by_key: HashMap<QuotaKey, usize>,
}

impl ResponseMemory {
    /// Reserves memory for a response, within the quota and the memory of the process.
    pub fn reserve(&self, key: QuotaKey, bytes: usize) -> Result<Reservation, ApiError> {
        let mut reservation = Reservation {
            memory: self.clone(),
            key,
            bytes: 0,
        };
        reservation.resize(bytes)?;
        Ok(reservation)
    }

    /// Counts a response until the last of its bytes is dropped.
    pub fn track(&self, key: QuotaKey, bytes: Bytes) -> Result<Bytes, ApiError> {
        if bytes.len() <= UNTRACKED_BYTES {
            return Ok(bytes);
        }
        let reservation = self.reserve(key, bytes.len())?;
        Ok(reservation.track(bytes))
    }

    /// Whether more than half of the memory is taken, so that quotas are reduced.
    pub fn is_short(&self) -> bool {
        self.lock().bytes > MAX_BYTES / 2
    }

    fn lock(&self) -> MutexGuard<'_, Usage> {
        // Changes are complete before anything can panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reserved memory; released on drop.
pub struct Reservation {
    memory: ResponseMemory,
    key: QuotaKey,
    bytes: usize,
}

impl Reservation {
    /// Changes the size. A single response of any size is allowed per quota while memory is not
    /// short: a page of rows must be readable.
    pub fn resize(&mut self, bytes: usize) -> Result<(), ApiError> {
        let mut usage = self.memory.lock();
        let (others, rest) = (
            usage.bytes - self.bytes,
            usage.by_key.get(&self.key).copied().unwrap_or(0) - self.bytes,
        );
        if bytes > self.bytes {
            if others + bytes > MAX_BYTES {
                names::OVERLOAD_REFUSED.count(["answer"]);
                return Err(ApiError::Overloaded);
            }
            let is_short = others > MAX_BYTES / 2;
            let quota = if is_short { REDUCED_QUOTA } else { QUOTA };
            if rest + bytes > quota && (is_short || rest > 0) {
                names::LIMITED.count(["answers"]);
                return Err(ApiError::RateLimited(RETRY_SECONDS));
            }
        }
        usage.bytes = others + bytes;
        if rest + bytes == 0 {
            usage.by_key.remove(&self.key);
        } else {
            usage.by_key.insert(self.key.clone(), rest + bytes);
        }
        self.bytes = bytes;
        Ok(())
    }

    /// Grows to at least `bytes`.
    pub fn grow(&mut self, bytes: usize) -> Result<(), ApiError> {
        if bytes <= self.bytes {
            return Ok(());
        }
        self.resize(bytes)
    }

    /// Keeps the reservation until the last of these bytes is dropped.
    pub fn track(self, bytes: Bytes) -> Bytes {
        Bytes::from_owner(TrackedBytes {
            bytes,
            _reservation: self,
        })
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        // Shrinking does not fail.
        let _ = self.resize(0);
    }
}

struct TrackedBytes {
    bytes: Bytes,
    _reservation: Reservation,
}

impl AsRef<[u8]> for TrackedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1024 * 1024;

    fn company(number: u128) -> QuotaKey {
        QuotaKey::Company(Uuid::from_u128(number))
    }

    fn bytes(count: usize) -> Bytes {
        vec![0; count].into()
    }

    #[test]
    fn track_counts_until_the_last_part_is_dropped() {
        let memory = ResponseMemory::default();
        let mut held = memory.track(company(1), bytes(MIB)).expect("memory");
        let last = held.split_off(MIB - 1);
        drop(held);
        assert_eq!(memory.lock().bytes, MIB);
        drop(last);
        assert_eq!(memory.lock().bytes, 0);
        assert!(memory.lock().by_key.is_empty());
        let _small = memory
            .track(company(1), bytes(UNTRACKED_BYTES))
            .expect("memory");
        assert_eq!(memory.lock().bytes, 0);
    }

    #[test]
    fn reserve_limits_each_quota() {
        let memory = ResponseMemory::default();
        let first = memory.reserve(company(1), QUOTA);
        let first = first.expect("memory");
        let more = memory.reserve(company(1), 1);
        assert!(matches!(more, Err(ApiError::RateLimited(_))));
        assert!(memory.reserve(company(2), QUOTA).is_ok());
        drop(first);
        // A single response may exceed the quota.
        assert!(memory.reserve(company(1), 2 * QUOTA).is_ok());
    }

    #[test]
    fn reserve_leaves_memory_for_small_responses() {
        let memory = ResponseMemory::default();
        let held: Vec<_> = (0..5)
            .map(|number| memory.reserve(company(number), QUOTA).expect("memory"))
            .collect();
        let large = memory.reserve(company(9), REDUCED_QUOTA + 1);
        assert!(matches!(large, Err(ApiError::RateLimited(_))));
        let small: Vec<_> = (0..48)
            .map(|number| memory.reserve(company(100 + number), REDUCED_QUOTA))
            .collect();
        assert!(small.iter().all(Result::is_ok));
        let over = memory.reserve(company(9), 1);
        assert!(matches!(over, Err(ApiError::Overloaded)));
        drop(held);
        assert!(memory.reserve(company(9), QUOTA).is_ok());
    }
}
