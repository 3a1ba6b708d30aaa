//! Verification and parsing of provider events. An event never carries paid state: it only names
//! the customer whose subscriptions are read.

use chrono::{DateTime, Utc};
use hmac::{Hmac, KeyInit as _, Mac as _};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use serde_json::Value;
use sha2::Sha256;
use subtle::{Choice, ConstantTimeEq as _};

pub const MAX_BODY_BYTES: usize = 256 * 1024;
const TOLERANCE_SECONDS: i64 = 300;
/// The provider sends one signature per secret.
const MAX_SIGNATURES: usize = 16;

/// Why an event is rejected; the name is written to the platform's audit log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// No valid signature under any secret.
    Signature,
    /// Signed too long ago, or in the future.
    Stale,
    /// A test event in live mode, or the reverse.
    Livemode,
    /// Not an event, or too large.
    Form,
}

impl Refusal {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Signature => "signature",
            Self::Stale => "stale",
            Self::Livemode => "livemode",
            Self::Form => "form",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderEvent {
    pub id: String,
    pub kind: String,
    pub made_at: DateTime<Utc>,
    pub customer_id: Option<String>,
}

impl ProviderEvent {
    /// Whether the event can change a subscription.
    pub fn is_relevant(&self) -> bool {
        const KINDS: [&str; 3] = ["customer.subscription.", "checkout.session.", "invoice."];
        KINDS.iter().any(|kind| self.kind.starts_with(kind))
    }
}

#[derive(Clone, Debug)]
pub struct Webhooks {
    secrets: Vec<SecretString>,
    live: bool,
}

impl Webhooks {
    pub fn new(secrets: Vec<SecretString>, live: bool) -> Self {
        Self { secrets, live }
    }

    /// The signature header for an event of this process; empty without a secret.
    pub fn sign(&self, body: &[u8], at: DateTime<Utc>) -> String {
        let secret = self.secrets.first();
        secret.map_or_else(String::new, |secret| sign(secret, body, at))
    }

    /// Verifies signature, age and mode, and parses the event.
    pub fn read(
        &self,
        body: &[u8],
        header: &str,
        now: DateTime<Utc>,
    ) -> Result<ProviderEvent, Refusal> {
        if body.len() > MAX_BODY_BYTES {
            return Err(Refusal::Form);
        }
        let (timestamp, signatures) = read_header(header).ok_or(Refusal::Signature)?;
        // Compare every signature with every secret in constant time.
        let mut good = Choice::from(0);
        for secret in &self.secrets {
            let expected = signature(secret, timestamp, body);
            for given in &signatures {
                good |= expected.as_bytes().ct_eq(given.as_bytes());
            }
        }
        if !bool::from(good) {
            return Err(Refusal::Signature);
        }
        let made: i64 = timestamp.parse().map_err(|_| Refusal::Signature)?;
        if now.timestamp().abs_diff(made) > TOLERANCE_SECONDS.unsigned_abs() {
            return Err(Refusal::Stale);
        }
        let event: Event = serde_json::from_slice(body).map_err(|_| Refusal::Form)?;
        if event.livemode != self.live {
            return Err(Refusal::Livemode);
        }
        event.parse().ok_or(Refusal::Form)
    }
}

/// The header `Stripe-Signature` of a body signed at `at`.
pub fn sign(secret: &SecretString, body: &[u8], at: DateTime<Utc>) -> String {
    let timestamp = at.timestamp().to_string();
    format!("t={timestamp},v1={}", signature(secret, &timestamp, body))
}

fn signature(secret: &SecretString, timestamp: &str, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.expose_secret().as_bytes())
        .expect("HMAC takes keys of any length");
    mac.update(timestamp.as_bytes());
    mac.update(b".");
    mac.update(body);
    hex(&mac.finalize().into_bytes())
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits
        .filter_map(|digit| char::from_digit(digit.into(), 16))
        .collect()
}

/// The first timestamp of the header, and at most [`MAX_SIGNATURES`] signatures.
fn read_header(text: &str) -> Option<(&str, Vec<&str>)> {
    let parts = text
        .split(',')
        .filter_map(|part| part.trim().split_once('='));
    let (_, timestamp) = parts.clone().find(|(name, _)| *name == "t")?;
    let signatures = parts
        .filter(|(name, _)| *name == "v1")
        .map(|(_, signature)| signature)
        .take(MAX_SIGNATURES)
        .collect();
    Some((timestamp, signatures))
}

#[derive(Deserialize)]
struct Event {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    created: i64,
    livemode: bool,
    /// Only the customer is read.
    data: Value,
}

impl Event {
    /// `None` if a value is out of range.
    fn parse(self) -> Option<ProviderEvent> {
        const LONGEST: usize = 255;
        let fits = |text: &str| {
            (1..=LONGEST).contains(&text.len()) && !text.contains(|c: char| c.is_control())
        };
        // The customer is an id or an expanded object.
        let customer = self.data.pointer("/object/customer");
        let customer = customer.map(|customer| customer.get("id").unwrap_or(customer));
        let customer_id = customer.and_then(Value::as_str).map(str::to_owned);
        if !fits(&self.id) || !fits(&self.kind) || !customer_id.as_deref().is_none_or(fits) {
            return None;
        }
        // 1970 to 2200, the range that the database accepts.
        let made_at = Some(self.created).filter(|made| (0..7_258_118_400).contains(made));
        Some(ProviderEvent {
            id: self.id,
            kind: self.kind,
            made_at: DateTime::from_timestamp(made_at?, 0)?,
            customer_id,
        })
    }
}

#[cfg(test)]
#[path = "webhook_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "webhook_fuzz.rs"]
mod fuzz;
