//! Which page a request for `/` gets.

use http::{HeaderMap, header};

use crate::session;

/// Set by the application while somebody is signed in, and kept until they sign out.
const KNOWN_DEVICE: &str = "known";
/// Set by the client when a person chooses a language.
const LANGUAGE: &str = "language";

/// Returns the landing page's file in the visitor's language, `None` for the application. A device
/// that somebody has signed in on gets the application: the session may have ended, and then the
/// application asks for a new sign-in.
pub fn of(headers: &HeaderMap, https: bool) -> Option<&'static str> {
    let is_known = cookie(headers, session::cookie_name(https)).is_some()
        || cookie(headers, KNOWN_DEVICE).is_some();
    if is_known {
        return None;
    }
    let chosen = cookie(headers, LANGUAGE).and_then(landing_page);
    Some(chosen.unwrap_or_else(|| accepted(headers)))
}

/// The landing page in a language, by the language's tag.
fn landing_page(tag: &str) -> Option<&'static str> {
    let primary = tag.split('-').next().unwrap_or_default();
    if primary.eq_ignore_ascii_case("es") {
        Some("/landing-es.html")
    } else if primary.eq_ignore_ascii_case("en") {
        Some("/landing-en.html")
    } else {
        None
    }
}

/// The landing page in the language that the browser prefers of those it exists in.
fn accepted(headers: &HeaderMap) -> &'static str {
    let tags = headers.get_all(header::ACCEPT_LANGUAGE).iter();
    let tags = tags.filter_map(|value| value.to_str().ok());
    let mut best = ("/landing-en.html", 0.0);
    for tag in tags.flat_map(|value| value.split(',')) {
        let (tag, parameters) = tag.split_once(';').unwrap_or((tag, ""));
        let quality = parameters.trim().strip_prefix("q=");
        let quality = quality.map_or(1.0, |quality| quality.parse().unwrap_or(0.0_f32));
        if let Some(page) = landing_page(tag.trim())
            && quality > best.1
        {
            best = (page, quality);
        }
    }
    best.0
}

fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find_map(|(key, value)| (key == name).then_some(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENGLISH: Option<&str> = Some("/landing-en.html");
    const SPANISH: Option<&str> = Some("/landing-es.html");

    fn first_page(languages: &str, cookies: &str) -> Option<&'static str> {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            (header::ACCEPT_LANGUAGE, languages),
            (header::COOKIE, cookies),
        ] {
            headers.insert(name, value.parse().expect("a header"));
        }
        of(&headers, false)
    }

    #[test]
    fn of_language_is_the_most_wanted_of_ours() {
        for (languages, page) in [
            ("", ENGLISH),
            ("*", ENGLISH),
            ("fr-FR, de;q=0.7", ENGLISH),
            ("en-US,en;q=0.9,es;q=0.8", ENGLISH),
            ("es-MX", SPANISH),
            ("ES", SPANISH),
            ("fr-FR, es-419;q=0.9, en;q=0.8", SPANISH),
            ("en;q=0.3, es;q=0.4", SPANISH),
            ("es;q=0, en;q=0.1", ENGLISH),
            ("es;q=x", ENGLISH),
            ("estonian", ENGLISH),
        ] {
            assert_eq!(first_page(languages, ""), page, "{languages}");
        }
    }

    #[test]
    fn of_chosen_language_goes_before_the_browsers() {
        assert_eq!(first_page("en", "a=b; language=es"), SPANISH);
        assert_eq!(first_page("es", "language=en"), ENGLISH);
        assert_eq!(first_page("es", "language=fr"), SPANISH);
        assert_eq!(first_page("en", "xlanguage=es"), ENGLISH);
    }

    #[test]
    fn of_known_device_is_the_application() {
        for cookies in ["known=1", "language=es; known=1", "sid=x"] {
            assert_eq!(first_page("en", cookies), None, "{cookies}");
        }
        for cookies in ["__Host-sid=x", "unknown=1"] {
            assert_eq!(first_page("en", cookies), ENGLISH, "{cookies}");
        }
    }
}
