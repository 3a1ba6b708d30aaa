//! Retry policy of deliveries.

use hourmeter_runtime::error::{Kind, ServiceError};

/// Faults after which a decision is parked.
const MAX_FAULTS: i32 = 20;
/// Attempts between two errors in the log.
const ALARM_EVERY: i32 = 20;
const MAX_WAIT_SECONDS: u32 = 60;

/// The next attempt after one without a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextAttempt {
    /// Attempts that failed with a fault.
    pub faults: i32,
    /// Seconds; the wait is random between 0 and this. None: parked.
    pub max_wait: Option<u32>,
}

impl NextAttempt {
    pub const fn untried(faults: i32) -> Self {
        Self {
            faults,
            max_wait: Some(0),
        }
    }

    /// Label in metrics.
    pub const fn name(self) -> &'static str {
        match self.max_wait {
            Some(_) => "retry",
            None => "parked",
        }
    }

    /// `attempts` counts from 1.
    pub fn after(attempts: i32, faults: i32, fault: bool) -> Self {
        let faults = faults + i32::from(fault);
        Self {
            faults,
            max_wait: (!fault || faults < MAX_FAULTS).then(|| wait(attempts)),
        }
    }
}

/// A refusal is final: it had no effect and never will. After other errors the effect is unknown.
pub fn is_refusal(failure: &ServiceError) -> bool {
    match failure.kind {
        Kind::Invalid
        | Kind::NotFound
        | Kind::AlreadyExists
        | Kind::Conflict
        | Kind::Stale
        | Kind::Gone
        | Kind::KeyReused => true,
        // Unavailable, broken, or a fault of configuration.
        Kind::Unauthenticated
        | Kind::SubscriptionInactive
        | Kind::Forbidden
        | Kind::TooMany
        | Kind::Unavailable
        | Kind::Provider
        | Kind::Internal => false,
    }
}

/// Whether to stop retrying at some time. An unavailable service is retried forever, because later
/// deliveries must not overtake this one.
pub fn is_fault(failure: &ServiceError) -> bool {
    !is_refusal(failure) && !matches!(failure.kind, Kind::Unavailable | Kind::TooMany)
}

pub fn is_alarming(attempts: i32) -> bool {
    attempts > 0 && attempts % ALARM_EVERY == 0
}

/// 1 second, doubling.
fn wait(attempts: i32) -> u32 {
    let doublings = u32::try_from(attempts - 1).unwrap_or(0).min(6);
    (1 << doublings).min(MAX_WAIT_SECONDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wait_doubles_up_to_a_minute() {
        let waits: Vec<_> = [0, 1, 2, 3, 6, 7, 19, 1000].map(wait).into();
        assert_eq!(waits, [1, 1, 2, 4, 32, 60, 60, 60]);
    }

    #[test]
    fn next_attempt_parks_after_twenty_faults() {
        for (attempts, faults, max_wait) in [
            (1, 0, Some(1)),
            (50, 18, Some(60)),
            (20, 19, None),
            (21, 20, None),
        ] {
            let next = NextAttempt::after(attempts, faults, true);
            let faults = faults + 1;
            assert_eq!(next, NextAttempt { faults, max_wait });
        }
    }

    #[test]
    fn next_attempt_retries_outages_forever() {
        for attempts in [1, 20, 21, 100_000] {
            let next = NextAttempt::after(attempts, 19, false);
            assert_eq!((next.faults, next.max_wait), (19, Some(wait(attempts))));
        }
        assert_eq!(NextAttempt::untried(3).max_wait, Some(0));
        let alarming: Vec<_> = (0..=60).filter(|tries| is_alarming(*tries)).collect();
        assert_eq!(alarming, [20, 40, 60]);
    }

    #[test]
    fn is_refusal_and_is_fault_by_kind() {
        for kind in [Kind::NotFound, Kind::Conflict, Kind::Invalid] {
            let refused = ServiceError::new(kind, hourmeter_runtime::refusals::NOT_FOUND);
            assert!(is_refusal(&refused) && !is_fault(&refused));
        }
        let away = ServiceError::unavailable("away");
        assert!(!is_refusal(&away) && !is_fault(&away));
        assert!(!is_fault(&ServiceError::too_many(1)));
        let bug = ServiceError::internal("bug");
        assert!(!is_refusal(&bug) && is_fault(&bug));
    }
}
