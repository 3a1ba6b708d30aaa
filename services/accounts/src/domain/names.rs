//! Names of people and companies, e-mail addresses, time zones.

use hourmeter_runtime::text::{Lines, clean, is_zero_width};
use unicode_normalization::UnicodeNormalization as _;

const LONGEST_NAME: usize = 100;
const LONGEST_EMAIL: usize = 254;

/// Text for a business name that is too short.
pub const BUSINESS_NAME_TOO_SHORT: &str = "Business name must be at least 2 characters";
/// Text for an address that is none.
pub const EMAIL_INVALID: &str = "Please enter a valid email address";
/// Text for an operator without first or last name.
pub const FIELD_MISSING: &str = "Please fill in all required fields.";

/// A business name as written, with the key that no other company may have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BusinessName {
    /// As written.
    pub name: String,
    /// Folded.
    pub key: String,
}

/// Reads a business name.
pub fn business_name(raw: &str) -> Result<BusinessName, String> {
    let name = clean(raw, LONGEST_NAME, Lines::One).map_err(|error| error.to_string())?;
    if name.chars().any(is_invisible) {
        return Err("Contains characters that are not allowed.".to_owned());
    }
    let key = fold(&name);
    if name.chars().count() < 2 || key.is_empty() {
        return Err(BUSINESS_NAME_TOO_SHORT.to_owned());
    }
    Ok(BusinessName { name, key })
}

/// Takes no room, or picks a variant of the character before: two names would look alike.
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

/// NFKC, without case, spaces collapsed.
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

/// Reads a person's name that may be left out.
pub fn person_name(raw: &str) -> Result<String, String> {
    clean(raw, LONGEST_NAME, Lines::One).map_err(|error| error.to_string())
}

/// Reads a person's name that must be there.
pub fn required_name(raw: &str) -> Result<String, String> {
    let name = person_name(raw)?;
    if name.is_empty() {
        Err(FIELD_MISSING.to_owned())
    } else {
        Ok(name)
    }
}

/// Reads an e-mail address; lower case, since upper case makes no other address.
pub fn email(raw: &str) -> Result<String, String> {
    let invalid = || EMAIL_INVALID.to_owned();
    let address = clean(raw, LONGEST_EMAIL, Lines::One).map_err(|_| invalid())?;
    let address = address.to_lowercase();
    let (local, domain) = address.rsplit_once('@').ok_or_else(invalid)?;
    if is_local_part(local) && is_domain(domain) && address.chars().count() <= LONGEST_EMAIL {
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
    let mut labels = domain.split('.').peekable();
    let mut count = 0;
    while let Some(label) = labels.next() {
        count += 1;
        let last = labels.peek().is_none();
        let good = (1..=63).contains(&label.chars().count())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c.is_alphanumeric() || c == '-');
        if !good || last && label.chars().count() < 2 {
            return false;
        }
    }
    count >= 2
}

/// The part of an address before the `@`.
pub fn local_part(email: &str) -> &str {
    email.rsplit_once('@').map_or(email, |(local, _)| local)
}

/// A name typed at a login, as it would be stored; absent when nobody can have it.
pub fn login_name(raw: &str) -> Option<String> {
    clean(raw, LONGEST_EMAIL, Lines::One)
        .ok()
        .filter(|name| !name.is_empty())
}

/// The IANA name of a time zone, if it is one.
pub fn time_zone(raw: &str) -> Option<&'static str> {
    raw.trim()
        .parse::<chrono_tz::Tz>()
        .ok()
        .map(chrono_tz::Tz::name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn business_names_that_look_alike_have_one_key() {
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
    fn folding_twice_changes_nothing() {
        for c in ('\u{20}'..='\u{2FFFF}').filter(|c| !c.is_control()) {
            let once = fold(&c.to_string());
            assert_eq!(fold(&once), once, "{c:?}");
        }
    }

    #[test]
    fn business_name_bounds() {
        assert_eq!(business_name("A"), Err(BUSINESS_NAME_TOO_SHORT.to_owned()));
        assert_eq!(
            business_name("  A  "),
            Err(BUSINESS_NAME_TOO_SHORT.to_owned())
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
    fn addresses() {
        assert_eq!(
            email(" Ana.Ruiz+x@Mail.Example.COM "),
            Ok("ana.ruiz+x@mail.example.com".into())
        );
        assert!(email("ñandú@correo.example").is_ok());
        let long_local = format!("{}@a.example", "x".repeat(65));
        let long = format!("x@{}.example", "a.".repeat(124));
        let bad = [
            "", "a", "a@", "@b.co", "a@b", "a@b.c", "a b@c.co", "a@b..co", "a@-b.co", "a@b-.co",
        ];
        let bad =
            bad.into_iter()
                .chain([".a@b.co", "a.@b.co", "a..b@c.co", "a@b@c.co", "a@b.co\0"]);
        for address in bad.chain([long_local.as_str(), long.as_str()]) {
            assert_eq!(email(address), Err(EMAIL_INVALID.to_owned()), "{address}");
        }
    }

    #[test]
    fn time_zones() {
        assert_eq!(
            time_zone("America/Mexico_City"),
            Some("America/Mexico_City")
        );
        assert_eq!(time_zone("Moon/Base"), None);
        assert_eq!(time_zone(""), None);
    }
}
