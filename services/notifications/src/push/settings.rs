//! How pushes are sent, from the environment.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_runtime::config::{AppEnv, Settings};
use hourmeter_runtime::error::chain;
use hourmeter_runtime::process::parse_key;
use http::{Method, Request, StatusCode, Uri, header};
use http_body_util::Full;
use p256::ecdsa::signature::Signer as _;
use p256::ecdsa::{Signature, SigningKey};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::json;

use crate::outbox::Delivery;
use crate::web_client::{WebClient, web_client};

/// Domains of the push services of Chrome, Edge, Firefox and Safari. The server calls no other address
/// that a browser names.
const PUSH_SERVICES: [&str; 4] = [
    "fcm.googleapis.com",
    "push.services.mozilla.com",
    "push.apple.com",
    "notify.windows.com",
];
const TIMEOUT: Duration = Duration::from_secs(10);
/// How long a push service keeps a message for a browser without a connection, in seconds.
const TTL: &str = "3600";
/// RFC 8292 allows a day.
const TOKEN_LIFETIME: TimeDelta = TimeDelta::hours(12);

/// The key that signs pushes, and the push services that are called.
#[derive(Clone)]
pub struct PushSettings {
    key: Arc<SigningKey>,
    secret: SecretString,
    /// Whom a push service can reach about problems: the product's address.
    subject: String,
    /// Further domains.
    domains: Vec<String>,
    client: WebClient,
}

impl fmt::Debug for PushSettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("PushSettings")
            .finish_non_exhaustive()
    }
}

impl PushSettings {
    /// Reads `VAPID_PRIVATE_KEY`, 32 bytes in base64; `PUSH_DOMAINS`, further push services, separated by
    /// commas; and `PUBLIC_ORIGIN`. Production requires the key. None: no push is sent, or a setting is wrong.
    pub fn read(settings: &mut Settings, env: AppEnv) -> Option<Self> {
        let name = "VAPID_PRIVATE_KEY";
        let secret = if env == AppEnv::Production {
            settings.required_secret(name, env)
        } else {
            settings.secret(name, env)?
        };
        let Some(subject) = settings.text("PUBLIC_ORIGIN") else {
            settings.problem("PUBLIC_ORIGIN is missing: pushes name it as their sender");
            return None;
        };
        let domains = settings.text("PUSH_DOMAINS").unwrap_or_default();
        let read = Self::new(&secret, &subject, &domains);
        if read.is_none() {
            settings.problem("VAPID_PRIVATE_KEY is not a P-256 key of 32 bytes in base64");
        }
        read
    }

    /// None if the key is invalid.
    pub fn new(secret: &SecretString, subject: &str, domains: &str) -> Option<Self> {
        let bytes = parse_key(secret).ok()?;
        let key = SigningKey::from_slice(&bytes).ok()?;
        let domains = domains.split(',').map(str::trim);
        Some(Self {
            key: Arc::new(key),
            secret: secret.clone(),
            subject: subject.to_owned(),
            domains: domains
                .filter(|domain| !domain.is_empty())
                .map(str::to_owned)
                .collect(),
            client: web_client(),
        })
    }

    /// The variables from which another process reads the same settings.
    pub fn variables(&self) -> [(&'static str, String); 2] {
        [
            ("VAPID_PRIVATE_KEY", self.secret.expose_secret().to_owned()),
            ("PUSH_DOMAINS", self.domains.join(",")),
        ]
    }

    /// The key that browsers subscribe with, in base64url.
    pub fn public_key(&self) -> String {
        let point = self.key.verifying_key().to_encoded_point(false);
        BASE64_URL_SAFE_NO_PAD.encode(point.as_bytes())
    }

    /// Whether this is an address of a push service.
    pub fn accepts(&self, endpoint: &str) -> bool {
        let Ok(uri) = endpoint.parse::<Uri>() else {
            return false;
        };
        let (Some(host), Some(authority)) = (uri.host(), uri.authority()) else {
            return false;
        };
        let is_of = |domain: &str| {
            let rest = host.strip_suffix(domain);
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        if authority.as_str().contains('@') {
            return false;
        }
        // A domain of the settings may be a server of this network, without TLS and with any port.
        let is_added = self.domains.iter().any(|domain| is_of(domain));
        let is_known = PUSH_SERVICES.into_iter().any(is_of);
        let is_safe = uri.scheme_str() == Some("https") && uri.port().is_none();
        is_added || (is_known && is_safe)
    }

    /// Sends an encrypted payload to a browser. None: the browser has ended its subscription.
    pub async fn push(
        &self,
        endpoint: &str,
        body: Vec<u8>,
        now: DateTime<Utc>,
    ) -> Option<Delivery> {
        if !self.accepts(endpoint) {
            return None;
        }
        let token = self.token(endpoint, now)?;
        let request = Request::builder()
            .method(Method::POST)
            .uri(endpoint)
            .header("TTL", TTL)
            .header("Urgency", "high")
            .header(header::CONTENT_ENCODING, "aes128gcm")
            .header(header::CONTENT_TYPE, "application/octet-stream")
            .header(
                header::AUTHORIZATION,
                format!("vapid t={token}, k={}", self.public_key()),
            )
            .body(Full::from(body))
            .ok()?;
        match tokio::time::timeout(TIMEOUT, self.client.request(request)).await {
            Ok(Ok(response)) => outcome(response.status()),
            Ok(Err(error)) => Some(Delivery::Later(chain(&error))),
            Err(_) => {
                let problem = "the push service does not respond".to_owned();
                Some(Delivery::Later(problem))
            }
        }
    }

    /// A JWT for the origin of the push service (RFC 8292).
    fn token(&self, endpoint: &str, now: DateTime<Utc>) -> Option<String> {
        let uri: Uri = endpoint.parse().ok()?;
        let origin = format!("{}://{}", uri.scheme_str()?, uri.authority()?);
        let header = json!({"typ": "JWT", "alg": "ES256"});
        let claims = json!({
            "aud": origin,
            "exp": (now + TOKEN_LIFETIME).timestamp(),
            "sub": self.subject,
        });
        let encode = |value: &serde_json::Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", encode(&header), encode(&claims));
        let signature: Signature = self.key.sign(signed.as_bytes());
        let signature = BASE64_URL_SAFE_NO_PAD.encode(signature.to_bytes());
        Some(format!("{signed}.{signature}"))
    }
}

/// None: the browser has ended its subscription.
fn outcome(status: StatusCode) -> Option<Delivery> {
    let problem = || format!("the push service replied {}", status.as_u16());
    match status {
        StatusCode::NOT_FOUND | StatusCode::GONE => None,
        status if status.is_success() => Some(Delivery::Accepted),
        status if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS => {
            Some(Delivery::Later(problem()))
        }
        _ => Some(Delivery::Refused(problem())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(domains: &str) -> PushSettings {
        let secret = "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=".to_owned();
        PushSettings::new(&secret.into(), "https://hm.example", domains).unwrap()
    }

    #[tokio::test]
    async fn accepts_known_push_services_only() {
        let settings = settings("");
        for fine in [
            "https://fcm.googleapis.com/fcm/send/abc",
            "https://updates.push.services.mozilla.com/wpush/v2/abc",
            "https://web.push.apple.com/abc",
            "https://wns2-par02p.notify.windows.com/w/?token=abc",
        ] {
            assert!(settings.accepts(fine), "{fine}");
        }
        for wrong in [
            "",
            "/path",
            "http://fcm.googleapis.com/abc",
            "https://fcm.googleapis.com:8443/abc",
            "https://user@fcm.googleapis.com/abc",
            "https://evilfcm.googleapis.com.example/abc",
            "https://evilpush.apple.com/abc",
            "https://169.254.169.254/latest",
            "https://localhost/abc",
        ] {
            assert!(!settings.accepts(wrong), "{wrong}");
        }
    }

    #[tokio::test]
    async fn accepts_added_domains() {
        let settings = settings("127.0.0.1, push.example");
        assert!(settings.accepts("http://127.0.0.1:9000/abc"));
        assert!(settings.accepts("https://eu.push.example/abc"));
        assert!(!settings.accepts("https://127.0.0.2/abc"));
    }

    #[tokio::test]
    async fn token_is_signed_for_the_origin() {
        use p256::ecdsa::signature::Verifier as _;

        let settings = settings("");
        let now = "2026-12-01T00:00:00Z".parse().unwrap();
        let token = settings
            .token("https://web.push.apple.com/abc", now)
            .unwrap();
        let (signed, signature) = token.rsplit_once('.').unwrap();
        let signature = BASE64_URL_SAFE_NO_PAD.decode(signature).unwrap();
        let signature = Signature::from_slice(&signature).unwrap();
        let key = settings.key.verifying_key();
        assert!(key.verify(signed.as_bytes(), &signature).is_ok());
        let claims = signed.split('.').nth(1).unwrap();
        let claims = BASE64_URL_SAFE_NO_PAD.decode(claims).unwrap();
        let claims: serde_json::Value = serde_json::from_slice(&claims).unwrap();
        let expected = json!({
            "aud": "https://web.push.apple.com",
            "exp": 1_796_126_400,
            "sub": "https://hm.example",
        });
        assert_eq!(claims, expected);
    }

    #[test]
    fn outcome_is_by_status() {
        for (status, expected) in [(201, Some(Delivery::Accepted)), (404, None), (410, None)] {
            assert_eq!(outcome(StatusCode::from_u16(status).unwrap()), expected);
        }
        for status in [429, 500, 503] {
            let outcome = outcome(StatusCode::from_u16(status).unwrap());
            assert!(matches!(outcome, Some(Delivery::Later(_))));
        }
        for status in [301, 400, 403, 413] {
            let outcome = outcome(StatusCode::from_u16(status).unwrap());
            assert!(matches!(outcome, Some(Delivery::Refused(_))));
        }
    }
}
