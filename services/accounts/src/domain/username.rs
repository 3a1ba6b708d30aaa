//! Operator usernames: a first name and random digits.

use hourmeter_runtime::error::ServiceError;

/// Who has no letter or digit in the first name.
const FALLBACK: &str = "operator";
/// A username is typed on a phone; a long name is cut.
const LONGEST_STEM: usize = 24;
/// From so many holders of a stem on, one digit more is used; then from ten times as many.
const CROWDED: i64 = 1000;
/// Counting further would change nothing.
pub const COUNT_BOUND: i64 = 100_000;

/// The part of a username before the digits.
pub fn stem(first_name: &str) -> String {
    let stem: String = any_ascii::any_ascii(first_name)
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .take(LONGEST_STEM)
        .collect();
    if stem.is_empty() {
        FALLBACK.to_owned()
    } else {
        stem
    }
}

/// How many digits follow a stem that so many have had.
pub fn digits(holders: i64) -> u32 {
    let mut digits = 4;
    let mut crowded = CROWDED;
    while holders >= crowded && crowded <= COUNT_BOUND {
        digits += 1;
        crowded *= 10;
    }
    digits
}

/// A username to try.
pub fn candidate(stem: &str, digits: u32) -> Result<String, ServiceError> {
    let random = getrandom::u64().map_err(ServiceError::internal)?;
    let number = random % 10_u64.pow(digits);
    let width = digits as usize;
    Ok(format!("{stem}{number:0width$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_are_plain_letters_and_digits() {
        let cases = [
            ("María José", "mariajose"),
            ("Ñandú", "nandu"),
            ("Борис", "boris"),
            ("深圳", "shenzhen"),
            ("O'Neil 2", "oneil2"),
            ("...", "operator"),
            ("", "operator"),
        ];
        for (name, expected) in cases {
            assert_eq!(stem(name), expected);
        }
        assert_eq!(stem(&"a".repeat(100)).len(), LONGEST_STEM);
    }

    #[test]
    fn crowded_stems_get_more_digits() {
        let cases = [
            (0, 4),
            (999, 4),
            (1000, 5),
            (9999, 5),
            (10_000, 6),
            (100_000, 7),
        ];
        for (holders, expected) in cases {
            assert_eq!(digits(holders), expected, "{holders}");
        }
        assert_eq!(digits(i64::MAX), 7);
    }

    #[test]
    fn candidates_have_all_their_digits() {
        for _ in 0..200 {
            let name = candidate("maria", 4).expect("a name");
            assert_eq!(name.len(), 9);
            assert!(name[5..].bytes().all(|byte| byte.is_ascii_digit()));
        }
    }
}
