//! Validation of texts in requests: length, normal form, and forbidden characters.

use unicode_normalization::UnicodeNormalization as _;

use crate::message::Message;
use crate::refusals;

/// Whether a text may contain line breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineBreaks {
    /// For names and numbers.
    Forbidden,
    /// For notes and descriptions.
    Allowed,
}

/// Normalizes a text for storage: trimmed, NFC, at most `max` characters. Fails if it is longer or
/// contains forbidden characters.
pub fn clean(raw: &str, max: usize, lines: LineBreaks) -> Result<String, Message> {
    // Do not normalize a text that is far too long.
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
        // Line and paragraph separators, bidirectional overrides and isolates.
        '\u{2028}' | '\u{2029}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => true,
        c => c.is_control(),
    }
}

/// Whether a character is invisible, so that two different names can look the same.
pub fn is_zero_width(c: char) -> bool {
    matches!(c, '\u{200B}'..='\u{200F}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}' | '\u{00AD}')
}

/// Maximum length of a login name in characters: that of an e-mail address.
const MAX_LOGIN_NAME: usize = 254;

/// A name entered at sign-in. Accounts are found by it, and limits count by its key: two spellings
/// that find the same account have the same key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoginName(String);

impl LoginName {
    /// Normalizes the input. Empty if it cannot be a name, for example because it is too long.
    pub fn read(raw: &str) -> Self {
        Self(clean(raw, MAX_LOGIN_NAME, LineBreaks::Forbidden).unwrap_or_default())
    }

    /// The form to match business names and usernames: as entered.
    pub fn exact(&self) -> &str {
        &self.0
    }

    /// The form to match e-mail addresses: lower case.
    pub fn email(&self) -> String {
        self.0.to_lowercase()
    }

    /// The form for limits, coarser than both others. Empty if it cannot be a name.
    pub fn key(&self) -> String {
        fold(&self.email())
    }
}

/// Folds a text for comparison: NFKC, caseless, spaces collapsed.
pub fn fold(text: &str) -> String {
    let caseless: String = text
        .nfkc()
        // Upper case in between unifies characters that lower case alone keeps distinct: ß and ss,
        // both small sigmas.
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
    fn clean_composes_characters() {
        assert_eq!(
            clean("Mun\u{303}oz", 100, LineBreaks::Forbidden),
            Ok("Muñoz".to_owned())
        );
    }

    #[test]
    fn clean_counts_characters_after_normalization() {
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
    fn clean_rejects_controls_and_forbidden_line_breaks() {
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
    fn login_name_spellings_of_one_account_share_a_key() {
        const PARTS: &str = "aA\u{e9}\u{c9}e\u{301}\u{df}\u{1e9e}\u{130}i\u{131}\u{3a3}\u{3c3}\u{3c2}\u{1c5}\u{fb01}\u{ff21}\u{ff41}\u{212a}k\u{1f80}\u{345} \u{a0}\u{2003}\u{3000}@.-1\u{200b}\0\n";
        let parts: Vec<char> = PARTS.chars().collect();
        // A fixed seed.
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
    fn login_name_is_empty_for_impossible_names() {
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
    fn fold_is_idempotent() {
        for c in ('\u{20}'..='\u{2FFFF}').filter(|c| !c.is_control()) {
            let once = fold(&c.to_string());
            assert_eq!(fold(&once), once, "{c:?}");
        }
    }
}
