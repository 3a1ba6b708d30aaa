//! Turns of one kind, whose number can change while some are taken.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};

/// Turns that are taken and given back.
pub struct Pool {
    semaphore: Semaphore,
    size: Mutex<Size>,
}

#[derive(Clone, Copy)]
struct Size {
    wanted: usize,
    /// More than wanted while some of those to go are still taken.
    there: usize,
}

/// A turn; given back when dropped.
pub struct Turn<'a> {
    pool: &'a Pool,
    permit: Option<SemaphorePermit<'a>>,
}

impl Pool {
    /// So many.
    pub fn new(wanted: usize) -> Self {
        Self {
            semaphore: Semaphore::new(wanted),
            size: Mutex::new(Size {
                wanted,
                there: wanted,
            }),
        }
    }

    /// How many there are to be.
    pub fn wanted(&self) -> usize {
        self.size().wanted
    }

    /// How many are taken, and how many are left.
    pub fn used(&self) -> (usize, usize) {
        let left = self.semaphore.available_permits();
        (self.size().there.saturating_sub(left), left)
    }

    /// So many from now on. Nobody loses a turn.
    pub fn resize(&self, wanted: usize) {
        let mut size = self.size();
        size.wanted = wanted;
        if size.there < wanted {
            self.semaphore.add_permits(wanted - size.there);
            size.there = wanted;
        } else {
            size.there -= self.semaphore.forget_permits(size.there - wanted);
        }
    }

    /// The next turn, if it comes in time.
    pub async fn take(&self, patience: Duration) -> Option<Turn<'_>> {
        let permit = tokio::time::timeout(patience, self.semaphore.acquire()).await;
        Some(Turn {
            pool: self,
            permit: Some(permit.ok()?.ok()?),
        })
    }

    fn size(&self) -> MutexGuard<'_, Size> {
        self.size.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let Some(permit) = self.permit.take() else {
            return;
        };
        let mut size = self.pool.size();
        if size.there > size.wanted {
            size.there -= 1;
            permit.forget();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As many of so many turns as are left.
    async fn so_many(pool: &Pool, count: usize) -> Vec<Turn<'_>> {
        let mut turns = Vec::new();
        for _ in 0..count {
            turns.extend(pool.take(Duration::ZERO).await);
        }
        turns
    }

    #[tokio::test]
    async fn fewer_as_they_are_given_back() {
        let pool = Pool::new(4);
        let mut taken: Vec<Turn> = so_many(&pool, 3).await;
        assert_eq!(pool.used(), (3, 1));
        pool.resize(2);
        assert_eq!(pool.used(), (3, 0), "nobody loses a turn");
        taken.pop();
        assert_eq!(pool.used(), (2, 0), "one of those that go");
        taken.pop();
        assert_eq!(pool.used(), (1, 1));
        taken.pop();
        assert_eq!(pool.used(), (0, 2));
    }

    #[tokio::test]
    async fn more_at_once() {
        let pool = Pool::new(1);
        let one = so_many(&pool, 2).await;
        assert_eq!(one.len(), 1);
        pool.resize(3);
        assert_eq!(pool.used(), (1, 2));
        drop(one);
        assert_eq!(pool.used(), (0, 3));
    }

    #[tokio::test]
    async fn fewer_and_more_again_while_taken() {
        let pool = Pool::new(2);
        let taken: Vec<_> = so_many(&pool, 2).await;
        pool.resize(1);
        pool.resize(3);
        assert_eq!(pool.used(), (2, 1));
        drop(taken);
        assert_eq!(pool.used(), (0, 3));
    }

    #[tokio::test]
    async fn waits_only_so_long() {
        let pool = Pool::new(1);
        let one = pool.take(Duration::ZERO).await;
        assert!(one.is_some());
        assert!(pool.take(Duration::from_millis(5)).await.is_none());
        drop(one);
        assert!(pool.take(Duration::from_secs(5)).await.is_some());
    }
}
