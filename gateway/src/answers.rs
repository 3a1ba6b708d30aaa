//! Limits the memory of responses, from creation until the client has received them. A client that
//! reads slowly holds only its quota.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::Bytes;
use hourmeter_runtime::telemetry::names;
use uuid::Uuid;

use crate::rescue::Refusal;
use crate::visitor::Visitor;

/// The most bytes of responses in this process.
const MAX_BYTES: usize = 128 * 1024 * 1024;
/// Quota of one company or address.
const SHARE: usize = 16 * 1024 * 1024;
/// Quota while more than half of the bytes are taken.
const SMALL_SHARE: usize = 1024 * 1024;
/// Responses up to this size are not counted: a running request takes as much.
pub const UNCOUNTED: usize = 4 * 1024;
/// `Retry-After` of a quota that is exceeded.
const RETRY_SECONDS: u64 = 5;

/// Responses with the same key share a quota.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Holder {
    ///  All members of a company.
    Company(Uuid),
    /// Callers without a company, by address.
    Address(String),
}

impl Holder {
    pub fn of(visitor: &Visitor) -> Self {
        match visitor.identity() {
            Some(identity) => Self::Company(identity.company_id),
            None => Self::Address(visitor.visit.address.limit_key()),
        }
    }
}

#[derive(Clone, Default)]
pub struct Answers(Arc<Mutex<All>>);

#[derive(Default)]
struct All {
    bytes: usize,
    holders: HashMap<Holder, usize>,
}

impl Answers {
    /// Reserves memory for a response. Fails when the quota or the memory of the process is
    /// exhausted.
    pub fn reserve(&self, holder: Holder, bytes: usize) -> Result<Room, Refusal> {
        let mut room = Room {
            answers: self.clone(),
            holder,
            bytes: 0,
        };
        room.resize(bytes)?;
        Ok(room)
    }

    /// Counts a response until the last of its bytes is dropped.
    pub fn hold(&self, holder: Holder, bytes: Bytes) -> Result<Bytes, Refusal> {
        if bytes.len() <= UNCOUNTED {
            return Ok(bytes);
        }
        let room = self.reserve(holder, bytes.len())?;
        Ok(room.hold(bytes))
    }

    /// Whether more than half of the memory is taken, so that quotas are reduced.
    pub fn is_tight(&self) -> bool {
        self.lock().bytes > MAX_BYTES / 2
    }

    fn lock(&self) -> MutexGuard<'_, All> {
        // Changes are complete before anything can panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reserved memory; released on drop.
pub struct Room {
    answers: Answers,
    holder: Holder,
    bytes: usize,
}

impl Room {
    /// Changes the size. A single response of any size is allowed per quota while memory is not
    /// short: a page of rows must be readable.
    pub fn resize(&mut self, bytes: usize) -> Result<(), Refusal> {
        let mut all = self.answers.lock();
        let (others, rest) = (
            all.bytes - self.bytes,
            all.holders.get(&self.holder).copied().unwrap_or(0) - self.bytes,
        );
        if bytes > self.bytes {
            if others + bytes > MAX_BYTES {
                names::OVERLOAD_REFUSED.count(["answer"]);
                return Err(Refusal::Overloaded);
            }
            let is_tight = others > MAX_BYTES / 2;
            let share = if is_tight { SMALL_SHARE } else { SHARE };
            if rest + bytes > share && (is_tight || rest > 0) {
                names::LIMITED.count(["answers"]);
                return Err(Refusal::TooMany(RETRY_SECONDS));
            }
        }
        all.bytes = others + bytes;
        if rest + bytes == 0 {
            all.holders.remove(&self.holder);
        } else {
            all.holders.insert(self.holder.clone(), rest + bytes);
        }
        self.bytes = bytes;
        Ok(())
    }

    /// Grows to at least `bytes`.
    pub fn grow(&mut self, bytes: usize) -> Result<(), Refusal> {
        if bytes <= self.bytes {
            return Ok(());
        }
        self.resize(bytes)
    }

    /// Keeps the reservation until the last of these bytes is dropped.
    pub fn hold(self, bytes: Bytes) -> Bytes {
        Bytes::from_owner(Counted { bytes, _room: self })
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        // Shrinking does not fail.
        let _ = self.resize(0);
    }
}

struct Counted {
    bytes: Bytes,
    _room: Room,
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1024 * 1024;

    fn company(number: u128) -> Holder {
        Holder::Company(Uuid::from_u128(number))
    }

    fn bytes(count: usize) -> Bytes {
        vec![0; count].into()
    }

    #[test]
    fn track_counts_until_the_last_part_is_dropped() {
        let answers = Answers::default();
        let mut held = answers.hold(company(1), bytes(MIB)).expect("memory");
        let last = held.split_off(MIB - 1);
        drop(held);
        assert_eq!(answers.lock().bytes, MIB);
        drop(last);
        assert_eq!(answers.lock().bytes, 0);
        assert!(answers.lock().holders.is_empty());
        let _small = answers.hold(company(1), bytes(UNCOUNTED)).expect("memory");
        assert_eq!(answers.lock().bytes, 0);
    }

    #[test]
    fn reserve_limits_each_quota() {
        let answers = Answers::default();
        let first = answers.reserve(company(1), SHARE);
        let first = first.expect("memory");
        let more = answers.reserve(company(1), 1);
        assert!(matches!(more, Err(Refusal::TooMany(_))));
        assert!(answers.reserve(company(2), SHARE).is_ok());
        drop(first);
        // A single response may exceed the quota.
        assert!(answers.reserve(company(1), 2 * SHARE).is_ok());
    }

    #[test]
    fn reserve_leaves_memory_for_small_responses() {
        let answers = Answers::default();
        let held: Vec<_> = (0..5)
            .map(|number| answers.reserve(company(number), SHARE).expect("memory"))
            .collect();
        let large = answers.reserve(company(9), SMALL_SHARE + 1);
        assert!(matches!(large, Err(Refusal::TooMany(_))));
        let small: Vec<_> = (0..48)
            .map(|number| answers.reserve(company(100 + number), SMALL_SHARE))
            .collect();
        assert!(small.iter().all(Result::is_ok));
        let over = answers.reserve(company(9), 1);
        assert!(matches!(over, Err(Refusal::Overloaded)));
        drop(held);
        assert!(answers.reserve(company(9), SHARE).is_ok());
    }
}
