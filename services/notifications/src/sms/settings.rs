//! The provider of text messages, from the environment.

use std::fmt;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use hourmeter_runtime::config::{AppEnv, Settings};
use hourmeter_runtime::error::chain;
use http::{Method, Request, StatusCode, Uri, header};
use http_body_util::Full;
use secrecy::{ExposeSecret as _, SecretString};

use crate::outbox::Delivery;
use crate::web_client::{WebClient, web_client};

/// The United States, Canada and Mexico.
const COUNTRY_CODES: [&str; 2] = ["+1", "+52"];
const TIMEOUT: Duration = Duration::from_secs(10);

/// A provider that takes a form with `To`, `From` and `Body`, as Twilio and others do.
#[derive(Clone)]
pub struct SmsSettings {
    url: Uri,
    from: String,
    /// User and password, separated by a colon.
    auth: SecretString,
    /// Country codes of numbers, such as "+1".
    country_codes: Vec<String>,
    /// Of links, without a slash at the end.
    pub origin: String,
    client: WebClient,
}

impl fmt::Debug for SmsSettings {
    /// Without the URL, which may contain credentials.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("SmsSettings")
            .finish_non_exhaustive()
    }
}

impl SmsSettings {
    /// Reads `SMS_API`, `SMS_FROM`, `SMS_AUTH` and `SMS_COUNTRY_CODES`. Links lead to `origin`. None: no text
    /// messages are sent, or a setting is wrong.
    pub fn read(settings: &mut Settings, env: AppEnv, origin: Option<&str>) -> Option<Self> {
        let auth = settings.secret("SMS_AUTH", env);
        let found = (settings.text("SMS_API"), settings.text("SMS_FROM"), auth);
        let (url, from, auth) = match found {
            (None, None, None) => return None,
            (Some(url), Some(from), Some(auth)) => (url, from, auth),
            _ => {
                settings.problem("SMS_API, SMS_FROM and SMS_AUTH are needed together");
                return None;
            }
        };
        let Some(origin) = origin else {
            settings.problem("PUBLIC_ORIGIN is missing: text messages contain links");
            return None;
        };
        let mut read = Self::new(&url, from, auth, origin);
        if let (Some(read), Some(codes)) = (&mut read, settings.text("SMS_COUNTRY_CODES")) {
            let codes = codes.split(',');
            read.country_codes = codes.map(|code| code.trim().to_owned()).collect();
        }
        let is_safe = |read: &Self| {
            read.url.scheme_str() == Some("https")
                || (env != AppEnv::Production && read.url.scheme_str() == Some("http"))
        };
        let read = read.filter(is_safe);
        if read.is_none() {
            settings.problem("SMS_API is not the https URL of a provider");
        }
        read
    }

    /// None if the URL is invalid.
    pub fn new(url: &str, from: String, auth: SecretString, origin: &str) -> Option<Self> {
        let url: Uri = url.parse().ok()?;
        url.authority()?;
        Some(Self {
            url,
            from,
            auth,
            country_codes: COUNTRY_CODES.map(str::to_owned).to_vec(),
            origin: origin.trim_end_matches('/').to_owned(),
            client: web_client(),
        })
    }

    /// The variables from which another process reads the same settings.
    pub fn variables(&self) -> [(&'static str, String); 4] {
        [
            ("SMS_COUNTRY_CODES", self.country_codes()),
            ("SMS_API", self.url.to_string()),
            ("SMS_FROM", self.from.clone()),
            ("SMS_AUTH", self.auth.expose_secret().to_owned()),
        ]
    }

    pub fn country_codes(&self) -> String {
        self.country_codes.join(", ")
    }

    /// Whether messages go to such numbers.
    pub fn accepts(&self, number: &str) -> bool {
        let mut codes = self.country_codes.iter();
        codes.any(|code| number.starts_with(code))
    }

    pub async fn send(&self, to: &str, text: &str) -> Delivery {
        let form = form_urlencoded::Serializer::new(String::new())
            .append_pair("To", to)
            .append_pair("From", &self.from)
            .append_pair("Body", text)
            .finish();
        let auth = BASE64_STANDARD.encode(self.auth.expose_secret());
        let request = Request::builder()
            .method(Method::POST)
            .uri(self.url.clone())
            .header(header::AUTHORIZATION, format!("Basic {auth}"))
            .header(
                header::CONTENT_TYPE,
                "application/x-www-form-urlencoded;charset=UTF-8",
            )
            .body(Full::from(Bytes::from(form)));
        let request = match request {
            Ok(request) => request,
            Err(error) => return Delivery::Refused(chain(&error)),
        };
        match tokio::time::timeout(TIMEOUT, self.client.request(request)).await {
            Ok(Ok(response)) => outcome(response.status()),
            Ok(Err(error)) if error.is_connect() => Delivery::Later(chain(&error)),
            // It may have sent the message, which must not arrive twice.
            Ok(Err(error)) => Delivery::Refused(chain(&error)),
            Err(_) => Delivery::Refused("the provider did not respond".to_owned()),
        }
    }
}

fn outcome(status: StatusCode) -> Delivery {
    let problem = || format!("the provider replied {}", status.as_u16());
    match status {
        status if status.is_success() => Delivery::Accepted,
        // A wrong path and wrong credentials are faults of the settings, which may be corrected.
        StatusCode::UNAUTHORIZED
        | StatusCode::FORBIDDEN
        | StatusCode::NOT_FOUND
        | StatusCode::TOO_MANY_REQUESTS => Delivery::Later(problem()),
        status if status.is_server_error() => Delivery::Later(problem()),
        _ => Delivery::Refused(problem()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [(&str, &str); 4] = [
        ("SMS_API", "https://sms.example/messages"),
        ("SMS_FROM", "+15005550006"),
        ("SMS_AUTH", "key:secret"),
        ("PUBLIC_ORIGIN", "https://hm.example/"),
    ];

    fn read(env: AppEnv, pairs: &[(&str, &str)]) -> Result<Option<SmsSettings>, String> {
        let pairs = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let mut settings = Settings::from_pairs(pairs);
        let origin = settings.text("PUBLIC_ORIGIN");
        let sms = SmsSettings::read(&mut settings, env, origin.as_deref());
        let read = settings.finish(sms);
        read.map_err(|problems| problems.0.join("; "))
    }

    #[tokio::test]
    async fn read_returns_what_its_variables_name() {
        assert!(read(AppEnv::Production, &ALL[3..]).unwrap().is_none());
        let sms = read(AppEnv::Development, &ALL).unwrap().unwrap();
        assert_eq!(sms.origin, "https://hm.example");
        let variables = sms.variables();
        let mut again: Vec<_> = variables
            .iter()
            .map(|(name, value)| (*name, &**value))
            .collect();
        again.push(ALL[3]);
        let again = read(AppEnv::Development, &again).unwrap().unwrap();
        assert_eq!(again.variables(), variables);
    }

    #[tokio::test]
    async fn read_names_what_is_missing_or_wrong() {
        for without in 0..ALL.len() {
            let mut some = ALL.to_vec();
            let (missing, _) = some.remove(without);
            let problem = read(AppEnv::Development, &some).unwrap_err();
            assert!(problem.contains(missing), "{problem}");
        }
        for (url, is_fine) in [
            ("http://127.0.0.1:9/messages", true),
            ("ftp://sms.example", false),
            ("messages", false),
        ] {
            let mut some = ALL.to_vec();
            some[0].1 = url;
            assert_eq!(read(AppEnv::Development, &some).is_ok(), is_fine, "{url}");
        }
    }

    #[test]
    fn outcome_is_by_status() {
        for (status, expected) in [
            (200, 0),
            (201, 0),
            (401, 1),
            (429, 1),
            (503, 1),
            (400, 2),
            (404, 1),
        ] {
            let found = match outcome(StatusCode::from_u16(status).unwrap()) {
                Delivery::Accepted => 0,
                Delivery::Later(_) => 1,
                _ => 2,
            };
            assert_eq!(found, expected, "{status}");
        }
    }
}
