//! Browser and system of a request, as people know them.

use http::{HeaderMap, HeaderValue, header};

/// Parts of user agents; the first one that occurs decides.
const BROWSERS: [(&str, &str); 9] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
    ("AppleWebKit/", "Safari"),
];
const SYSTEMS: [(&str, &str); 7] = [
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("CrOS", "ChromeOS"),
    ("Macintosh", "Mac"),
    ("Linux", "Linux"),
];

/// For example "Chrome, Windows". None: both are unknown.
pub fn browser(headers: &HeaderMap) -> Option<HeaderValue> {
    let agent = headers.get(header::USER_AGENT)?.to_str().ok()?;
    let name = |table: &[(&str, &'static str)]| {
        let found = table.iter().find(|(part, _)| agent.contains(part));
        found.map(|(_, name)| *name)
    };
    let text = match (name(&BROWSERS), name(&SYSTEMS)) {
        (Some(browser), Some(system)) => format!("{browser}, {system}"),
        (one, other) => one.or(other)?.to_owned(),
    };
    HeaderValue::try_from(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browser_of_usual_user_agents() {
        for (agent, expected) in [
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36",
                Some("Chrome, Windows"),
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36 Edg/143.0.0.0",
                Some("Edge, Windows"),
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
                Some("Safari, iPhone"),
            ),
            (
                "Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/143.0 Mobile/15E148 Safari/604.1",
                Some("Chrome, iPad"),
            ),
            (
                "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36",
                Some("Samsung Internet, Android"),
            ),
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:145.0) Gecko/20100101 Firefox/145.0",
                Some("Firefox, Mac"),
            ),
            (
                "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36",
                Some("Chrome, ChromeOS"),
            ),
            ("curl/8.5.0 (Linux)", Some("Linux")),
            ("curl/8.5.0", None),
            ("", None),
        ] {
            let value = HeaderValue::from_static(agent);
            let found = browser(&HeaderMap::from_iter([(header::USER_AGENT, value)]));
            let found = found.as_ref().map(|text| text.to_str().expect("text"));
            assert_eq!(found, expected, "{agent}");
        }
        assert_eq!(browser(&HeaderMap::new()), None);
    }
}
