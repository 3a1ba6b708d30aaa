//! Codes that are shown once and valid once: for the enrolment of support staff, and on access cards.

use hourmeter_runtime::error::ServiceError;
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use super::password::random_groups;

/// 99 random bits, so a plain hash is sufficient.
const GROUPS: usize = 4;

pub fn generate() -> Result<Zeroizing<String>, ServiceError> {
    random_groups(GROUPS)
}

/// The stored hash, without case, spaces and hyphens.
pub fn hash(typed: &str) -> [u8; 32] {
    let letters = typed.chars().filter(char::is_ascii_alphanumeric).take(64);
    let code: Zeroizing<String> =
        Zeroizing::new(letters.map(|letter| letter.to_ascii_lowercase()).collect());
    Sha256::digest(code.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_ignores_case_spaces_and_hyphens() {
        let code = generate().expect("a code");
        assert_eq!(code.len(), 23);
        let typed = format!(" {} ", code.replace('-', " ").to_uppercase());
        assert_eq!(hash(&typed), hash(&code));
        assert_ne!(hash(&generate().expect("a code")), hash(&code));
    }
}
