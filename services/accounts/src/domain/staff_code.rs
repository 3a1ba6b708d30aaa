//! The code that a new member of support staff enrols with: shown once, works once.

use hourmeter_runtime::error::ServiceError;
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use super::password::random_groups;

/// How long one is good.
pub const HOURS: i32 = 72;
/// 99 random bits: nobody guesses them, so a plain hash is enough.
const GROUPS: usize = 4;

/// A new random one.
pub fn generate() -> Result<Zeroizing<String>, ServiceError> {
    random_groups(GROUPS)
}

/// What the database knows it by, the same however it was typed.
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
