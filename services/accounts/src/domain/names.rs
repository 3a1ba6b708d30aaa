//! Validation of names, e-mail addresses and time zones.

use hourmeter_runtime::message::Message;
use hourmeter_runtime::refusals as shared;
use hourmeter_runtime::text::{LineBreaks, clean, fold, is_zero_width};

use crate::refusals;

const MAX_NAME: usize = 100;
const MAX_EMAIL: usize = 254;

/// A business name and its unique key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BusinessName {
    pub name: String,
    /// The folded name, unique over all companies.
    pub key: String,
}

pub fn business_name(raw: &str) -> Result<BusinessName, Message> {
    let name = clean(raw, MAX_NAME, LineBreaks::Forbidden)?;
    if name.chars().any(is_invisible) {
        return Err(shared::CHARACTERS_NOT_ALLOWED.into());
    }
    let key = fold(&name);
    if name.chars().count() < 2 || key.is_empty() {
        return Err(refusals::BUSINESS_NAME_TOO_SHORT.into());
    }
    Ok(BusinessName { name, key })
}

/// The new name of a company.
pub fn company_name(raw: &str) -> Result<BusinessName, Message> {
    if raw.trim().is_empty() {
        return Err(refusals::COMPANY_NAME_EMPTY.into());
    }
    business_name(raw)
}

/// Invisible characters and variation selectors, which make two names look the same.
fn is_invisible(c: char) -> bool {
    is_zero_width(c)
        || matches!(
            c,
            '\u{034F}'
                | '\u{061C}'
                | '\u{115F}'
                | '\u{1160}'
                | '\u{17B4}'
                | '\u{17B5}'
                | '\u{180B}'..='\u{180F}'
                | '\u{2065}'
                | '\u{206A}'..='\u{206F}'
                | '\u{3164}'
                | '\u{FE00}'..='\u{FE0F}'
                | '\u{FFA0}'
                | '\u{E0000}'..='\u{E0FFF}'
        )
}

pub fn person_name(raw: &str) -> Result<String, Message> {
    clean(raw, MAX_NAME, LineBreaks::Forbidden)
}

pub fn required_name(raw: &str) -> Result<String, Message> {
    let name = person_name(raw)?;
    if name.is_empty() {
        Err(refusals::FIELDS_MISSING.into())
    } else {
        Ok(name)
    }
}

/// Validates an e-mail address; returns it in lower case.
pub fn email(raw: &str) -> Result<String, Message> {
    let invalid = || Message::from(refusals::EMAIL_INVALID);
    let address = clean(raw, MAX_EMAIL, LineBreaks::Forbidden).map_err(|_| invalid())?;
    let address = address.to_lowercase();
    let (local, domain) = address.rsplit_once('@').ok_or_else(invalid)?;
    if is_local_part(local) && is_domain(domain) && address.chars().count() <= MAX_EMAIL {
        Ok(address)
    } else {
        Err(invalid())
    }
}

fn is_local_part(local: &str) -> bool {
    (1..=64).contains(&local.chars().count())
        && !local.starts_with('.')
        && !local.ends_with('.')
        && !local.contains("..")
        && local
            .chars()
            .all(|c| c.is_alphanumeric() || "!#$%&'*+-/=?^_`{|}~.".contains(c))
}

fn is_domain(domain: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.chars().count())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c.is_alphanumeric() || c == '-')
    };
    let top_level = domain.rsplit_once('.').map(|(_, label)| label);
    top_level.is_some_and(|label| label.chars().count() >= 2) && domain.split('.').all(is_label)
}

/// The part of an address before the `@`.
pub fn local_part(email: &str) -> &str {
    email.rsplit_once('@').map_or(email, |(local, _)| local)
}

/// The IANA name of a time zone; None if it is unknown.
pub fn time_zone(raw: &str) -> Option<&'static str> {
    raw.trim()
        .parse::<chrono_tz::Tz>()
        .ok()
        .map(chrono_tz::Tz::name)
}

#[cfg(test)]
mod tests {
    use hourmeter_runtime::text::LoginName;

    use super::*;

    #[test]
    fn business_name_key_folds_similar_names() {
        let key = |raw: &str| business_name(raw).expect("a name").key;
        let alike = [
            "Straße 1",
            "STRASSE 1",
            "  strasse   1 ",
            "ＳＴＲＡＳＳＥ　１",
        ];
        for name in alike {
            assert_eq!(key(name), "strasse 1", "{name}");
        }
        assert_eq!(key("ΟΔΟΣ"), key("οδος"));
        assert_eq!(key("Mun\u{303}oz"), key("MUÑOZ"));
        assert_ne!(key("Acme"), key("Acme 2"));
        let kept = business_name("  Ac\u{a0}me  ").expect("a name");
        assert_eq!(kept.name, "Ac\u{a0}me");
        assert_eq!(kept.key, "ac me");
    }

    #[test]
    fn business_name_bounds() {
        assert_eq!(
            business_name("A"),
            Err(refusals::BUSINESS_NAME_TOO_SHORT.into())
        );
        assert_eq!(
            business_name("  A  "),
            Err(refusals::BUSINESS_NAME_TOO_SHORT.into())
        );
        assert!(business_name("AB").is_ok());
        assert!(business_name(&"A".repeat(100)).is_ok());
        assert!(business_name(&"A".repeat(101)).is_err());
        let bad = [
            "Ac\u{200B}me",
            "Ac\u{FEFF}me",
            "Ac\u{AD}me",
            "Acme\u{FE0F}",
            "\u{3164}\u{3164}",
        ];
        for name in bad.into_iter().chain(["Ac\0me", "Ac\nme", "Ac\u{202E}me"]) {
            assert!(business_name(name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn person_name_bounds() {
        assert_eq!(person_name(" Ana "), Ok("Ana".to_owned()));
        assert_eq!(person_name(" "), Ok(String::new()));
        assert_eq!(required_name(" Ana "), Ok("Ana".to_owned()));
        assert_eq!(required_name(" "), Err(refusals::FIELDS_MISSING.into()));
        assert!(required_name(&"x".repeat(100)).is_ok());
        assert!(required_name(&"x".repeat(101)).is_err());
    }

    #[test]
    fn local_part_ends_before_the_at_sign() {
        assert_eq!(local_part("ana@mail.example"), "ana");
        assert_eq!(local_part("ana"), "ana");
    }

    #[test]
    fn email_validates_addresses() {
        assert_eq!(
            email(" Ana.Ruiz+x@Mail.Example.COM "),
            Ok("ana.ruiz+x@mail.example.com".into())
        );
        assert!(email("ñandú@correo.example").is_ok());
        assert!(email("a@b.co").is_ok());
        let long_local = format!("{}@a.example", "x".repeat(65));
        let long = format!("x@{}.example", "a.".repeat(124));
        let bad = [
            "", "a", "a@", "@b.co", "a@b", "a@b.c", "a b@c.co", "a@b..co", "a@-b.co", "a@b-.co",
        ];
        let bad =
            bad.into_iter()
                .chain([".a@b.co", "a.@b.co", "a..b@c.co", "a@b@c.co", "a@b.co\0"]);
        for address in bad.chain([long_local.as_str(), long.as_str()]) {
            assert_eq!(
                email(address),
                Err(refusals::EMAIL_INVALID.into()),
                "{address}"
            );
        }
    }

    /// Random texts of usual and of problematic characters.
    fn texts() -> impl Iterator<Item = String> {
        const ODD: &str = "aA1 .-_@éÉe\u{301}ñn\u{303}ßẞſİıΣςσǅﬁＡａ　\u{a0}\u{2003}深ш\u{200B}\u{FE0F}\u{202E}\0\n\tع🚜👩\u{1F3FD}가\u{1100}\u{1161}ŕ¼²";
        let odd: Vec<char> = ODD.chars().collect();
        // A fixed seed.
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut next = move |bound: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            usize::try_from(state % bound as u64).unwrap_or_default()
        };
        (0..20_000).map(move |_| {
            let length = next(14);
            let mut pick = || match next(4) {
                0 => char::from_u32(u32::try_from(next(0x3_0000)).unwrap_or(65)).unwrap_or('x'),
                _ => odd[next(odd.len())],
            };
            (0..length).map(|_| pick()).collect()
        })
    }

    #[test]
    fn business_name_is_idempotent() {
        let mut good = 0;
        for text in texts() {
            let Ok(name) = business_name(&text) else {
                continue;
            };
            good += 1;
            assert_eq!(business_name(&name.name), Ok(name.clone()), "{text:?}");
            // Changes of case and spacing keep the key.
            for other in [
                name.name.to_uppercase(),
                name.name.to_lowercase(),
                format!("  {}  ", name.name.replace(' ', "   ")),
            ] {
                if let Ok(other) = business_name(&other) {
                    assert_eq!(other.key, name.key, "{text:?}");
                }
            }
            assert!((2..=100).contains(&name.name.chars().count()) && !name.key.is_empty());
            assert!(!name.name.chars().any(|c| c.is_control() || is_invisible(c)));
            // It is found at sign-in.
            assert_eq!(LoginName::read(&text).exact(), name.name, "{text:?}");
        }
        assert!(good > 1000, "{good}");
    }

    #[test]
    fn email_is_idempotent() {
        let mut good = 0;
        for (one, other) in texts().zip(texts().skip(1)) {
            for text in [one.clone(), format!("{one}@{other}.example")] {
                let Ok(address) = email(&text) else {
                    continue;
                };
                good += 1;
                assert_eq!(email(&address), Ok(address.clone()), "{text:?}");
                assert_eq!(address.matches('@').count(), 1);
                assert!(!address.contains(char::is_whitespace));
                // It is found at sign-in.
                assert_eq!(LoginName::read(&text).email(), address, "{text:?}");
            }
        }
        assert!(good > 100, "{good}");
    }

    #[test]
    fn usernames_can_be_entered_and_are_not_emails() {
        for text in texts() {
            let stem = crate::domain::username::stem(&text);
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
            assert!(!stem.is_empty() && stem.chars().all(plain), "{text:?}");
            let username = format!("{stem}1234");
            assert_eq!(LoginName::read(&username).exact(), username);
            assert!(email(&username).is_err());
        }
    }

    #[test]
    fn time_zone_returns_iana_names() {
        assert_eq!(
            time_zone("America/Mexico_City"),
            Some("America/Mexico_City")
        );
        assert_eq!(time_zone("Moon/Base"), None);
        assert_eq!(time_zone(""), None);
    }
}
