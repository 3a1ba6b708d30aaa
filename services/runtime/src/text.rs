//! Reading texts from requests: length, normal form, and characters that must not be stored.

use unicode_normalization::UnicodeNormalization as _;

use crate::message::Message;
use crate::refusals;

/// Whether line breaks are part of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineBreaks {
    /// Names, numbers: one line.
    Forbidden,
    /// Notes, descriptions.
    Allowed,
}

/// A text as it is stored: trimmed, NFC, at most `max` characters, without forbidden characters.
pub fn clean(raw: &str, max: usize, lines: LineBreaks) -> Result<String, Message> {
    // A text far too long is not worth normalising.
    if raw.len() > max.saturating_mul(16) {
        return Err(refusals::TEXT_TOO_LONG.with("max", max));
    }
    let text: String = raw.trim().nfc().collect();
    let text = if lines == LineBreaks::Allowed {
        text.replace("\r\n", "\n")
    } else {
        text
    };
    if text.chars().any(|c| is_forbidden(c, lines)) {
        return Err(refusals::CHARACTERS_NOT_ALLOWED.into());
    }
    if text.chars().count() > max {
        return Err(refusals::TEXT_TOO_LONG.with("max", max));
    }
    Ok(text)
}

fn is_forbidden(c: char, lines: LineBreaks) -> bool {
    match c {
        '\n' | '\t' => lines == LineBreaks::Forbidden,
        // Line and paragraph separators, direction overrides and isolates.
        '\u{2028}' | '\u{2029}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => true,
        c => c.is_control(),
    }
}

/// True for characters that take no room and so make two names look alike.
pub fn is_zero_width(c: char) -> bool {
    matches!(c, '\u{200B}'..='\u{200F}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}' | '\u{00AD}')
}

/// The longest name that anybody has, that of an e-mail address, in characters.
const LONGEST_LOGIN_NAME: usize = 254;

/// A name typed at a login. Accounts are found by it and limits count by its key, so that two
/// spellings that find the same account have the same key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoginName(String);

impl LoginName {
    /// Reads what was typed. Empty for a text that cannot be a name, such as one that is too long.
    pub fn read(raw: &str) -> Self {
        Self(clean(raw, LONGEST_LOGIN_NAME, LineBreaks::Forbidden).unwrap_or_default())
    }

    /// The form that business names and usernames are matched by: as written.
    pub fn exact(&self) -> &str {
        &self.0
    }

    /// The form that e-mail addresses are matched by: lower case.
    pub fn email(&self) -> String {
        self.0.to_lowercase()
    }

    /// The form that limits count by; coarser than both others. Empty for all texts that cannot be
    /// a name.
    pub fn key(&self) -> String {
        fold(&self.email())
    }
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
            clean("Mun\u{303}oz", 100, LineBreaks::Forbidden),
            Ok("Muñoz".to_owned())
        );
    }

    #[test]
    fn length_counts_characters_after_normalising() {
        assert_eq!(
            clean(&"ñ".repeat(5), 5, LineBreaks::Forbidden),
            Ok("ñ".repeat(5))
        );
        assert_eq!(
            clean(&"ñ".repeat(6), 5, LineBreaks::Forbidden),
            Err(refusals::TEXT_TOO_LONG.with("max", 5))
        );
        assert_eq!(
            clean(&"a".repeat(100_000), 5, LineBreaks::Forbidden),
            Err(refusals::TEXT_TOO_LONG.with("max", 5))
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
                clean(bad, 100, LineBreaks::Allowed),
                Err(refusals::CHARACTERS_NOT_ALLOWED.into()),
                "{bad:?}"
            );
        }
        assert_eq!(
            clean("a\nb", 100, LineBreaks::Forbidden),
            Err(refusals::CHARACTERS_NOT_ALLOWED.into())
        );
        assert_eq!(
            clean("a\r\n\tb", 100, LineBreaks::Allowed),
            Ok("a\n\tb".to_owned())
        );
    }

    #[test]
    fn login_name_of_one_account_has_one_key() {
        const PARTS: &str = "aA\u{e9}\u{c9}e\u{301}\u{df}\u{1e9e}\u{130}i\u{131}\u{3a3}\u{3c3}\u{3c2}\u{1c5}\u{fb01}\u{ff21}\u{ff41}\u{212a}k\u{1f80}\u{345} \u{a0}\u{2003}\u{3000}@.-1\u{200b}\0\n";
        let parts: Vec<char> = PARTS.chars().collect();
        // The same at each run.
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut next = move |bound: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            usize::try_from(state % bound as u64).unwrap_or_default()
        };
        let (mut same, mut others) = (0, 0);
        for _ in 0..50_000 {
            let length = 1 + next(6);
            let text: String = (0..length).map(|_| parts[next(parts.len())]).collect();
            let name = LoginName::read(&text);
            let padding = " ".repeat(next(600));
            let one_other: String = (0..length).map(|_| parts[next(parts.len())]).collect();
            for other in [
                format!("{padding}{text}"),
                format!("{text}\u{3000}{padding}"),
                text.to_uppercase(),
                text.to_lowercase(),
                text.nfd().collect(),
                one_other,
            ] {
                let other = LoginName::read(&other);
                let finds_the_same = name.exact() == other.exact() || name.email() == other.email();
                if finds_the_same {
                    same += 1;
                    assert_eq!(name.key(), other.key(), "{text:?} {other:?}");
                } else if name.key() != other.key() {
                    others += 1;
                }
            }
        }
        assert!(same > 100_000 && others > 10_000, "{same} {others}");
    }

    #[test]
    fn login_name_that_nobody_has_is_empty() {
        let long = "x".repeat(254);
        assert_eq!(LoginName::read(&long).exact(), long);
        let padded = format!("{}{long}", " ".repeat(3000));
        assert_eq!(LoginName::read(&padded).key(), long);
        for none in [
            format!("{long}x"),
            "x".repeat(1_000_000),
            "Ac\0me".to_owned(),
        ] {
            assert_eq!(LoginName::read(&none).exact(), "");
            assert_eq!(LoginName::read(&none).key(), "");
        }
    }

    #[test]
    fn folding_twice_changes_nothing() {
        for c in ('\u{20}'..='\u{2FFFF}').filter(|c| !c.is_control()) {
            let once = fold(&c.to_string());
            assert_eq!(fold(&once), once, "{c:?}");
        }
    }
}
