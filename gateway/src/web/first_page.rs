//! Which page a request for `/` gets.

use http::{HeaderMap, header};

use crate::session::{cookie_name, cookies};

/// Set by the application at sign-in, to the person's audience, and kept until sign-out.
const KNOWN_DEVICE: &str = "known";
/// Set by the client when a person chooses a language.
const LANGUAGE: &str = "language";

#[derive(Clone, Copy)]
enum Language {
    English,
    Spanish,
}

/// Returns the landing page's file in the visitor's language, `None` for the application. A device
/// that somebody has signed in on gets the application: the session may have ended, and then the
/// application asks for a new sign-in. With a session it gets a document that also loads the home
/// page of the last audience, in the language of the device.
pub fn of(headers: &HeaderMap, https: bool) -> Option<&'static str> {
    let cookie = |name| cookies(headers, name).next();
    let has_session = cookie(cookie_name(https)).is_some();
    let known = cookie(KNOWN_DEVICE);
    let chosen = cookie(LANGUAGE).and_then(language_of);
    let language = chosen.unwrap_or_else(|| accepted(headers));
    match (has_session, known, language) {
        (false, None, Language::English) => Some("/landing-en.html"),
        (false, None, Language::Spanish) => Some("/landing-es.html"),
        (true, Some("operator"), Language::English) => Some("/operator-en.html"),
        (true, Some("operator"), Language::Spanish) => Some("/operator-es.html"),
        (true, Some("manager"), Language::English) => Some("/manager-en.html"),
        (true, Some("manager"), Language::Spanish) => Some("/manager-es.html"),
        _ => None,
    }
}

fn language_of(tag: &str) -> Option<Language> {
    let primary = tag.split('-').next().unwrap_or_default();
    match primary.to_ascii_lowercase().as_str() {
        "es" => Some(Language::Spanish),
        "en" => Some(Language::English),
        _ => None,
    }
}

/// The language that the browser prefers of those the pages exist in.
fn accepted(headers: &HeaderMap) -> Language {
    let tags = headers.get_all(header::ACCEPT_LANGUAGE).iter();
    let tags = tags.filter_map(|value| value.to_str().ok());
    let mut best = (Language::English, 0.0);
    for tag in tags.flat_map(|value| value.split(',')) {
        let (tag, parameters) = tag.split_once(';').unwrap_or((tag, ""));
        let quality = parameters.trim().strip_prefix("q=");
        let quality = quality.map_or(1.0, |quality| quality.parse().unwrap_or(0.0_f32));
        if let Some(language) = language_of(tag.trim())
            && quality > best.1
        {
            best = (language, quality);
        }
    }
    best.0
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
        for cookies in [
            "known=1",
            "known=manager",
            "language=es; known=1",
            "sid=x",
            "sid=x; known=staff",
        ] {
            assert_eq!(first_page("en", cookies), None, "{cookies}");
        }
        for cookies in ["__Host-sid=x", "unknown=1"] {
            assert_eq!(first_page("en", cookies), ENGLISH, "{cookies}");
        }
    }

    #[test]
    fn of_session_loads_the_home_page_of_the_last_audience() {
        for (cookies, page) in [
            ("sid=x; known=operator", "/operator-es.html"),
            ("sid=x; known=manager", "/manager-es.html"),
            ("known=operator; sid=x; language=en", "/operator-en.html"),
            ("sid=x; language=en-US; known=manager", "/manager-en.html"),
        ] {
            assert_eq!(first_page("es-MX", cookies), Some(page), "{cookies}");
        }
    }
}
