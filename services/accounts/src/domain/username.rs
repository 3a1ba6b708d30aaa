//! Operator usernames: first name and random digits.

use hourmeter_runtime::error::ServiceError;

/// For first names without a letter or digit.
const FALLBACK: &str = "operator";
/// Limited, because usernames are typed on a phone.
const MAX_STEM: usize = 24;
/// Higher counts give the same number of digits.
pub const COUNT_BOUND: i64 = 100_000;

/// The part of a username before the digits.
pub fn stem(first_name: &str) -> String {
    let stem: String = any_ascii::any_ascii(first_name)
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .take(MAX_STEM)
        .collect();
    if stem.is_empty() {
        FALLBACK.to_owned()
    } else {
        stem
    }
}

/// Number of digits after a stem with this number of usernames.
pub const fn digits(holders: i64) -> u32 {
    match holders {
        ..1000 => 4,
        1000..10_000 => 5,
        10_000..COUNT_BOUND => 6,
        _ => 7,
    }
}

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
    fn stem_has_ascii_letters_and_digits() {
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
        assert_eq!(stem(&"a".repeat(100)).len(), MAX_STEM);
    }

    #[test]
    fn digits_grow_with_the_number_of_holders() {
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
    fn candidate_pads_digits() {
        for _ in 0..200 {
            let name = candidate("maria", 4).expect("a name");
            assert_eq!(name.len(), 9);
            assert!(name[5..].bytes().all(|byte| byte.is_ascii_digit()));
        }
    }
}
