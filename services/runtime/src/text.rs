//! Reading texts from requests: length, normal form, and characters that must not be stored.

use unicode_normalization::UnicodeNormalization as _;

/// Why a text is refused. `Display` is the text for the person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// More characters than allowed.
    #[error("Must be at most {0} characters.")]
    TooLong(usize),
    /// A control, NUL or direction-override character.
    #[error("Contains characters that are not allowed.")]
    Forbidden,
}

/// Whether line breaks are part of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// Names, numbers: one line.
    One,
    /// Notes, descriptions.
    Many,
}

/// A text as it is stored: trimmed, NFC, at most `max` characters, without forbidden characters.
pub fn clean(raw: &str, max: usize, lines: Lines) -> Result<String, TextError> {
    // A text far too long is not worth normalising.
    if raw.len() > max.saturating_mul(16) {
        return Err(TextError::TooLong(max));
    }
    let text: String = raw.trim().nfc().collect();
    let text = if lines == Lines::Many {
        text.replace("\r\n", "\n")
    } else {
        text
    };
    if text.chars().any(|c| is_forbidden(c, lines)) {
        return Err(TextError::Forbidden);
    }
    if text.chars().count() > max {
        return Err(TextError::TooLong(max));
    }
    Ok(text)
}

fn is_forbidden(c: char, lines: Lines) -> bool {
    match c {
        '\n' | '\t' => lines == Lines::One,
        // Line and paragraph separators, direction overrides and isolates.
        '\u{2028}' | '\u{2029}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => true,
        c => c.is_control(),
    }
}

/// True for characters that take no room and so make two names look alike.
pub fn is_zero_width(c: char) -> bool {
    matches!(c, '\u{200B}'..='\u{200F}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}' | '\u{00AD}')
}

/// NFKC, without case, spaces collapsed: what two names that look alike have in common.
pub fn fold(text: &str) -> String {
    let caseless: String = text
        .nfkc()
        // Upper case between joins what lower case alone keeps apart: ß and ss, both small sigmas.
        .flat_map(char::to_lowercase)
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .nfkc()
        .collect();
    caseless.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn composed_and_decomposed_are_one() {
        assert_eq!(
            clean("Mun\u{303}oz", 100, Lines::One),
            Ok("Muñoz".to_owned())
        );
    }

    #[test]
    fn length_counts_characters_after_normalising() {
        assert_eq!(clean(&"ñ".repeat(5), 5, Lines::One), Ok("ñ".repeat(5)));
        assert_eq!(
            clean(&"ñ".repeat(6), 5, Lines::One),
            Err(TextError::TooLong(5))
        );
        assert_eq!(
            clean(&"a".repeat(100_000), 5, Lines::One),
            Err(TextError::TooLong(5))
        );
    }

    #[test]
    fn controls_are_refused_and_line_breaks_only_in_long_texts() {
        for bad in [
            "a\0b",
            "a\u{1b}b",
            "a\u{202E}b",
            "a\u{7f}b",
            "a\u{2028}b",
            "a\u{85}b",
        ] {
            assert_eq!(
                clean(bad, 100, Lines::Many),
                Err(TextError::Forbidden),
                "{bad:?}"
            );
        }
        assert_eq!(clean("a\nb", 100, Lines::One), Err(TextError::Forbidden));
        assert_eq!(clean("a\r\n\tb", 100, Lines::Many), Ok("a\n\tb".to_owned()));
    }

    #[test]
    fn folding_twice_changes_nothing() {
        for c in ('\u{20}'..='\u{2FFFF}').filter(|c| !c.is_control()) {
            let once = fold(&c.to_string());
            assert_eq!(fold(&once), once, "{c:?}");
        }
    }
}
