//! A semaphore whose size can change while permits are taken.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};

pub struct Limiter {
    semaphore: Semaphore,
    size: Mutex<Size>,
}

#[derive(Clone, Copy)]
struct Size {
    wanted: usize,
    /// More than wanted while surplus permits are still taken.
    there: usize,
}

/// A permit; returned when dropped.
pub struct Permit<'a> {
    limiter: &'a Limiter,
    permit: Option<SemaphorePermit<'a>>,
}

impl Limiter {
    pub fn new(wanted: usize) -> Self {
        Self {
            semaphore: Semaphore::new(wanted),
            size: Mutex::new(Size {
                wanted,
                there: wanted,
            }),
        }
    }

    /// The number of permits asked for.
    pub fn wanted(&self) -> usize {
        self.size().wanted
    }

    /// How many permits are taken, and how many are left.
    pub fn used(&self) -> (usize, usize) {
        let left = self.semaphore.available_permits();
        (self.size().there.saturating_sub(left), left)
    }

    /// Changes the number of permits. Taken ones stay valid; surplus ones go when they are returned.
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

    /// Takes a permit; None after `max_wait`.
    pub async fn take(&self, max_wait: Duration) -> Option<Permit<'_>> {
        let permit = tokio::time::timeout(max_wait, self.semaphore.acquire()).await;
        Some(Permit {
            limiter: self,
            permit: Some(permit.ok()?.ok()?),
        })
    }

    fn size(&self) -> MutexGuard<'_, Size> {
        self.size.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let Some(permit) = self.permit.take() else {
            return;
        };
        let mut size = self.limiter.size();
        if size.there > size.wanted {
            size.there -= 1;
            permit.forget();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes up to `count` permits.
    async fn take_up_to(limiter: &Limiter, count: usize) -> Vec<Permit<'_>> {
        let mut permits = Vec::new();
        for _ in 0..count {
            permits.extend(limiter.take(Duration::ZERO).await);
        }
        permits
    }

    #[tokio::test]
    async fn resize_removes_permits_as_they_are_returned() {
        let limiter = Limiter::new(4);
        let mut taken: Vec<Permit> = take_up_to(&limiter, 3).await;
        assert_eq!(limiter.used(), (3, 1));
        limiter.resize(2);
        assert_eq!(limiter.used(), (3, 0), "taken permits stay");
        taken.pop();
        assert_eq!(limiter.used(), (2, 0), "the surplus permit goes");
        taken.pop();
        assert_eq!(limiter.used(), (1, 1));
        taken.pop();
        assert_eq!(limiter.used(), (0, 2));
    }

    #[tokio::test]
    async fn resize_adds_permits_immediately() {
        let limiter = Limiter::new(1);
        let one = take_up_to(&limiter, 2).await;
        assert_eq!(one.len(), 1);
        limiter.resize(3);
        assert_eq!(limiter.used(), (1, 2));
        drop(one);
        assert_eq!(limiter.used(), (0, 3));
    }

    #[tokio::test]
    async fn resize_down_and_up_while_taken() {
        let limiter = Limiter::new(2);
        let taken: Vec<_> = take_up_to(&limiter, 2).await;
        limiter.resize(1);
        limiter.resize(3);
        assert_eq!(limiter.used(), (2, 1));
        drop(taken);
        assert_eq!(limiter.used(), (0, 3));
    }

    #[tokio::test]
    async fn take_ends_after_max_wait() {
        let limiter = Limiter::new(1);
        let one = limiter.take(Duration::ZERO).await;
        assert!(one.is_some());
        assert!(limiter.take(Duration::from_millis(5)).await.is_none());
        drop(one);
        assert!(limiter.take(Duration::from_secs(5)).await.is_some());
    }
}
