//! Rules for passwords.

use std::collections::HashSet;
use std::sync::LazyLock;

use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::message::Message;
use hourmeter_runtime::refusals as shared;
use hourmeter_runtime::text::fold;
use unicode_normalization::UnicodeNormalization as _;
use zeroize::Zeroizing;

use crate::refusals;

const MIN_LENGTH: usize = 6;
const MAX_LENGTH: usize = 128;
const MAX_BYTES: usize = 1024;
const MAX_OPERATOR: usize = 64;
const MAX_OPERATOR_BYTES: usize = 254;

/// Shown instead of the operator password. Sent back, it means "unchanged".
pub const MASK: &str = "********";
/// Rejected as a password.
pub const PRODUCT: &str = "Hourmeter";

/// The most common passwords of at least six characters, lower case.
static COMMON: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    include_str!("../../data/common_passwords.txt")
        .lines()
        .collect()
});

/// The form that is hashed: NFKC of the input.
pub fn normal_form(raw: &str) -> Zeroizing<String> {
    // Large enough that it never reallocates, which would leave copies in memory.
    let mut form = Zeroizing::new(String::with_capacity(raw.len() * 2));
    form.extend(raw.nfkc());
    form
}

/// The form of a password to verify at sign-in. A text that is too long becomes the empty password,
/// which no person has, so that verification takes the same time.
pub fn typed(raw: &str) -> Zeroizing<String> {
    if raw.len() > MAX_BYTES {
        Zeroizing::default()
    } else {
        normal_form(raw)
    }
}

/// Validates a new password; it must not be one of the `guessable` words.
pub fn new_password(raw: &str, guessable: &[&str]) -> Result<Zeroizing<String>, Message> {
    let length = raw.chars().count();
    if length < MIN_LENGTH {
        return Err(refusals::PASSWORD_TOO_SHORT.into());
    }
    if length > MAX_LENGTH {
        return Err(refusals::PASSWORD_TOO_LONG.with("max", MAX_LENGTH));
    }
    refuse_guessable(raw, guessable)?;
    Ok(normal_form(raw))
}

/// Validates a new operator password; returns it as entered, for access cards.
pub fn new_operator_password(raw: &str, guessable: &[&str]) -> Result<Zeroizing<String>, Message> {
    let length = raw.chars().count();
    if length < MIN_LENGTH {
        return Err(refusals::PASSWORD_TOO_SHORT.into());
    }
    if length > MAX_OPERATOR || raw.len() > MAX_OPERATOR_BYTES {
        return Err(refusals::PASSWORD_TOO_LONG.with("max", MAX_OPERATOR));
    }
    if raw.chars().any(char::is_control) {
        return Err(shared::CHARACTERS_NOT_ALLOWED.into());
    }
    let form = normal_form(raw);
    if form.as_str() == MASK {
        return Err(refusals::PASSWORD_IS_THE_MASK.into());
    }
    refuse_guessable(raw, guessable)?;
    Ok(Zeroizing::new(raw.to_owned()))
}

/// A random temporary password that is easy to type on a phone.
pub fn temporary() -> Result<Zeroizing<String>, ServiceError> {
    random_groups(3)
}

/// Hyphenated groups of five random letters and digits, 24.8 bits each.
pub fn random_groups(groups: usize) -> Result<Zeroizing<String>, ServiceError> {
    // Without similar characters: i, l, 1, o, 0.
    const LETTERS: &[u8; 31] = b"abcdefghjkmnpqrstuvwxyz23456789";
    const GROUP: usize = 5;
    let mut password = Zeroizing::new(String::with_capacity(groups * (GROUP + 1)));
    while password.len() < groups * (GROUP + 1) - 1 {
        if password.len() % (GROUP + 1) == GROUP {
            password.push('-');
        }
        let random = getrandom::u32().map_err(ServiceError::internal)?;
        // One of 32 numbers has no letter and is skipped, which avoids a modulo bias.
        if let Some(letter) = LETTERS.get((random % 32) as usize) {
            password.push(char::from(*letter));
        }
    }
    Ok(password)
}

fn refuse_guessable(raw: &str, guessable: &[&str]) -> Result<(), Message> {
    let folded = Zeroizing::new(fold(raw));
    if COMMON.contains(folded.as_str()) {
        return Err(refusals::PASSWORD_COMMON.into());
    }
    let packed = Zeroizing::new(folded.replace(' ', ""));
    let is_context = guessable
        .iter()
        .chain(&[PRODUCT])
        .map(|word| fold(word).replace(' ', ""))
        .any(|word| !word.is_empty() && word == packed.as_str());
    if is_context {
        return Err(refusals::PASSWORD_IS_A_NAME.into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_password_counts_characters() {
        assert_eq!(
            new_password("12ñ45", &[]).expect_err("short"),
            Message::from(refusals::PASSWORD_TOO_SHORT)
        );
        assert!(new_password("zx9ñ4q", &[]).is_ok());
        assert!(new_password(&"zq".repeat(64), &[]).is_ok());
        assert!(new_password(&format!("{}x", "zq".repeat(64)), &[]).is_err());
        assert!(new_password(&"🚜".repeat(128), &[]).is_ok());
        assert!(new_operator_password(&"zq".repeat(32), &[]).is_ok());
        assert!(new_operator_password(&format!("{}x", "zq".repeat(32)), &[]).is_err());
        assert!(new_operator_password(&"🚜".repeat(63), &[]).is_ok());
        let tractors = "🚜".repeat(63);
        assert!(new_operator_password(&format!("{tractors}ñ"), &[]).is_ok());
        assert!(new_operator_password(&format!("{tractors}가"), &[]).is_err());
        let short = new_operator_password("zx9q4", &[]);
        assert_eq!(
            short.expect_err("short"),
            Message::from(refusals::PASSWORD_TOO_SHORT)
        );
        assert_eq!(
            new_operator_password("zx9", &[]).expect_err("short"),
            Message::from(refusals::PASSWORD_TOO_SHORT)
        );
        assert!(new_operator_password("zx9q4w", &[]).is_ok());
    }

    #[test]
    fn typed_normalizes_without_trimming() {
        assert_eq!(
            new_password("  zx9q4  ", &[]).expect("good").as_str(),
            "  zx9q4  "
        );
        assert_eq!(typed("ｚｘ９ｑ４"), typed("zx9q4"));
        assert_eq!(typed("zx9q4").as_str(), "zx9q4");
        let longest = "x".repeat(1024);
        assert_eq!(typed(&longest).as_str(), longest);
        assert_eq!(typed(&"x".repeat(1025)).as_str(), "");
    }

    #[test]
    fn new_password_rejects_common_passwords() {
        assert_eq!(COMMON.len(), 10_000);
        assert!(
            COMMON
                .iter()
                .all(|word| word.len() >= 6 && *word == word.to_lowercase())
        );
        for word in [
            "123456",
            "password",
            "PassWord",
            "qwerty",
            "ｐａｓｓｗｏｒｄ",
        ] {
            assert_eq!(
                new_password(word, &[]).expect_err("common"),
                Message::from(refusals::PASSWORD_COMMON),
                "{word}"
            );
            assert!(new_operator_password(word, &[]).is_err(), "{word}");
        }
    }

    #[test]
    fn new_password_rejects_guessable_words() {
        let guessable = ["Ruiz Rentals", "ana.ruiz", "", "Anastasia"];
        for word in [
            "ruiz rentals",
            "RuizRentals",
            "ana.ruiz",
            "ANASTASIA",
            "hourmeter",
        ] {
            assert_eq!(
                new_password(word, &guessable).expect_err("a name"),
                Message::from(refusals::PASSWORD_IS_A_NAME),
                "{word}"
            );
        }
        assert!(new_password("Ruiz Rentals 7", &guessable).is_ok());
    }

    #[test]
    fn temporary_is_random_and_easy_to_type() {
        let mut seen = HashSet::new();
        for _ in 0..500 {
            let password = temporary().expect("a password");
            let groups: Vec<&str> = password.split('-').collect();
            assert_eq!(groups.len(), 3, "{}", password.as_str());
            let is_easy = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
            assert!(groups.iter().all(|group| group.len() == 5));
            assert!(groups.iter().all(|group| group.chars().all(is_easy)));
            assert!(!password.contains(['i', 'l', 'o', '0', '1']));
            assert!(new_password(&password, &[]).is_ok());
            assert!(seen.insert(password.to_string()));
        }
    }

    #[test]
    fn new_operator_password_rejects_the_mask() {
        assert!(new_operator_password(MASK, &[]).is_err());
        assert!(new_operator_password("＊＊＊＊＊＊＊＊", &[]).is_err());
        assert!(new_operator_password("zx9\n4q", &[]).is_err());
    }
}
