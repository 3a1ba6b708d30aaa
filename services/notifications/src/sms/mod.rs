//! Notifications as text messages.

mod code;
mod sender;
mod settings;

pub use self::code::Code;
pub use self::settings::SmsSettings;

/// Reads a number with country code (E.164). None: it is not one.
pub fn read_number(text: &str) -> Option<String> {
    let ignored = |c: char| c.is_whitespace() || matches!(c, '-' | '.' | '(' | ')');
    let number: String = text.chars().filter(|c| !ignored(*c)).collect();
    let digits = number.strip_prefix('+')?;
    let is_number = (8..=15).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && !digits.starts_with('0');
    is_number.then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_number_needs_a_country_code() {
        for (text, expected) in [
            (" +1 (830) 555-0199 ", Some("+18305550199")),
            ("+52.81.5555.0199", Some("+528155550199")),
            ("+12345678", Some("+12345678")),
            ("+123456789012345", Some("+123456789012345")),
            ("+1234567", None),
            ("+1234567890123456", None),
            ("8305550199", None),
            ("+08305550199", None),
            ("+1830555O199", None),
            ("+1+8305550199", None),
            ("+1８305550199", None),
            ("+", None),
            ("", None),
        ] {
            assert_eq!(read_number(text).as_deref(), expected, "{text}");
        }
    }
}
