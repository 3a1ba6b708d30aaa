//! When a delivery is tried again, and when no more.

use hourmeter_runtime::error::{Kind, ServiceError};

/// After so many faults nobody tries by itself any more.
const MOST_FAULTS: i32 = 20;
/// Every so many tries somebody is told.
const ALARM_EVERY: i32 = 20;
/// The longest wait between two tries, seconds.
const LONGEST_WAIT: u32 = 60;

/// How a delivery goes on after a try that told nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Next {
    /// How many of its tries have failed inside.
    pub faults: i32,
    /// Within how many seconds to ask again; the wait is drawn between 0 and this. None: it has
    /// failed often enough.
    pub within: Option<u32>,
}

impl Next {
    /// It was not tried: whoever comes next may.
    pub const fn untried(faults: i32) -> Self {
        Self {
            faults,
            within: Some(0),
        }
    }

    /// The name in metrics of what becomes of it.
    pub const fn name(self) -> &'static str {
        match self.within {
            Some(_) => "retry",
            None => "parked",
        }
    }

    /// After try number `attempts` (from 1), which was a fault or not.
    pub fn after(attempts: i32, faults: i32, fault: bool) -> Self {
        let faults = faults + i32::from(fault);
        Self {
            faults,
            within: (!fault || faults < MOST_FAULTS).then(|| wait(attempts)),
        }
    }
}

/// Whether the answer is a refusal: it did not take effect and never will. Otherwise nobody knows.
pub fn is_refusal(failure: &ServiceError) -> bool {
    match failure.kind {
        Kind::Invalid
        | Kind::NotFound
        | Kind::AlreadyExists
        | Kind::Conflict
        | Kind::Stale
        | Kind::KeyReused => true,
        // Away, broken, or a fault in set-up that somebody will mend.
        Kind::Unauthenticated
        | Kind::SubscriptionInactive
        | Kind::Forbidden
        | Kind::TooMany
        | Kind::Unavailable
        | Kind::Provider
        | Kind::Internal => false,
    }
}

/// Whether trying for ever makes no sense. Who is away comes back, and the order must hold until
/// then: a later delivery must not go past this one.
pub fn is_fault(failure: &ServiceError) -> bool {
    !is_refusal(failure) && !matches!(failure.kind, Kind::Unavailable | Kind::TooMany)
}

/// Whether so many tries are a reason to look.
pub fn is_alarming(attempts: i32) -> bool {
    attempts > 0 && attempts % ALARM_EVERY == 0
}

/// 1 second, doubling.
fn wait(attempts: i32) -> u32 {
    let doublings = u32::try_from(attempts - 1).unwrap_or(0).min(6);
    (1 << doublings).min(LONGEST_WAIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_minute() {
        let waits: Vec<_> = [0, 1, 2, 3, 6, 7, 19, 1000].map(wait).into();
        assert_eq!(waits, [1, 1, 2, 4, 32, 60, 60, 60]);
    }

    #[test]
    fn twenty_faults_and_no_more() {
        for (attempts, faults, within) in [
            (1, 0, Some(1)),
            (50, 18, Some(60)),
            (20, 19, None),
            (21, 20, None),
        ] {
            let next = Next::after(attempts, faults, true);
            let faults = faults + 1;
            assert_eq!(next, Next { faults, within });
        }
    }

    #[test]
    fn an_outage_is_waited_out() {
        for attempts in [1, 20, 21, 100_000] {
            let next = Next::after(attempts, 19, false);
            assert_eq!((next.faults, next.within), (19, Some(wait(attempts))));
        }
        assert_eq!(Next::untried(3).within, Some(0));
        let alarming: Vec<_> = (0..=60).filter(|tries| is_alarming(*tries)).collect();
        assert_eq!(alarming, [20, 40, 60]);
    }

    #[test]
    fn only_a_refusal_is_final() {
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
