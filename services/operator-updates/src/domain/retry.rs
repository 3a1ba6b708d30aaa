//! When a delivery is tried again, and when no more.

use hourmeter_runtime::error::{Failure, Kind};

/// After so many tries nobody tries by itself any more.
const MOST_TRIES: i32 = 20;
/// The longest wait between two tries, seconds.
const LONGEST_WAIT: u32 = 60;

/// Whether the answer is a refusal: it did not take effect and never will. Otherwise nobody knows.
pub fn is_refusal(failure: &Failure) -> bool {
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
        | Kind::Internal => false,
    }
}

/// Within how many seconds to ask again after try number `attempts` (from 1) got no answer; the
/// wait is drawn between 0 and this. None: it has been asked often enough.
pub fn next_try_within(attempts: i32) -> Option<u32> {
    (attempts < MOST_TRIES).then(|| wait(attempts))
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
    fn twenty_tries_and_no_more() {
        assert_eq!(next_try_within(1), Some(1));
        assert_eq!(next_try_within(19), Some(60));
        assert_eq!(next_try_within(20), None);
        assert_eq!(next_try_within(21), None);
    }

    #[test]
    fn only_a_refusal_is_final() {
        for kind in [Kind::NotFound, Kind::Conflict, Kind::Invalid] {
            assert!(is_refusal(&Failure::new(kind, "no")));
        }
        assert!(!is_refusal(&Failure::unavailable("away")));
        assert!(!is_refusal(&Failure::internal("bug")));
    }
}
