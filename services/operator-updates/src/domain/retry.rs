//! When a delivery is tried again, and when no more.

use hourmeter_runtime::error::{Failure, Kind};

/// After so many tries nobody tries by itself any more.
const MOST_TRIES: i32 = 20;
/// The longest wait between two tries, seconds.
const LONGEST_WAIT: u32 = 60;

/// What a failed try means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nobody knows whether it took effect; ask again within so many seconds.
    Retry {
        /// The wait is drawn between 0 and this.
        within_seconds: u32,
    },
    /// The same, but it has been asked often enough.
    Park,
    /// It did not take effect and never will.
    Refused,
}

/// What to do after try number `attempts` (from 1) failed.
pub fn verdict(failure: &Failure, attempts: i32) -> Verdict {
    let refused = match failure.kind {
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
    };
    if refused {
        Verdict::Refused
    } else if attempts >= MOST_TRIES {
        Verdict::Park
    } else {
        Verdict::Retry {
            within_seconds: wait(attempts),
        }
    }
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
        let away = Failure::unavailable("away");
        assert_eq!(verdict(&away, 19), Verdict::Retry { within_seconds: 60 });
        assert_eq!(verdict(&away, 20), Verdict::Park);
        assert_eq!(verdict(&Failure::internal("bug"), 21), Verdict::Park);
    }

    #[test]
    fn a_refusal_is_final_at_once() {
        for kind in [Kind::NotFound, Kind::Conflict, Kind::Invalid] {
            assert_eq!(verdict(&Failure::new(kind, "no"), 1), Verdict::Refused);
        }
    }
}
