/// Whether an update is applied without review.
pub fn is_auto_applied(auto_apply: bool, subscribed: bool, flags: &[String]) -> bool {
    auto_apply && subscribed && flags.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::check::REPEATED;

    #[test]
    fn is_auto_applied_needs_setting_subscription_and_no_flags() {
        assert!(is_auto_applied(true, true, &[]));
        assert!(!is_auto_applied(false, true, &[]));
        assert!(!is_auto_applied(true, false, &[]));
        assert!(!is_auto_applied(true, true, &[REPEATED.to_owned()]));
    }
}
