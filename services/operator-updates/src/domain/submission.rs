//! What becomes of a submission when it arrives.

/// Whether a submission takes effect without review.
pub fn takes_effect_at_once(auto_apply: bool, subscribed: bool, flags: &[String]) -> bool {
    auto_apply && subscribed && flags.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::check::REPEATED;

    #[test]
    fn a_flag_or_a_missing_subscription_keeps_it_for_review() {
        assert!(takes_effect_at_once(true, true, &[]));
        assert!(!takes_effect_at_once(false, true, &[]));
        assert!(!takes_effect_at_once(true, false, &[]));
        assert!(!takes_effect_at_once(true, true, &[REPEATED.to_owned()]));
    }
}
