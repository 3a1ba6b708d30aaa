//! Key files: keys by id, one of them active.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use hourmeter_runtime::error::ServiceError;
use secrecy::SecretString;
use serde::Deserialize;
use sha2::Sha256;
use zeroize::Zeroizing;

/// Why a key file is invalid. Contains no key material.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SecretsError {
    #[error("is not a key file")]
    Format,
    #[error("has no key under its active id")]
    NoActiveKey,
    #[error("has a key id that is empty, too long, or not of letters, digits, - and _")]
    KeyId,
    #[error("has a key of the wrong length or without randomness")]
    WeakKey,
}

#[derive(Deserialize)]
struct KeyFile<'a> {
    active: String,
    /// Borrowed, so that no copy of a key stays in memory.
    #[serde(borrow)]
    keys: BTreeMap<String, &'a str>,
}

pub(super) type Key = Zeroizing<Vec<u8>>;

#[derive(Clone)]
pub(super) struct KeySet {
    active: String,
    keys: Arc<BTreeMap<String, Key>>,
}

impl KeySet {
    pub(super) fn parse(text: &str, good_length: fn(usize) -> bool) -> Result<Self, SecretsError> {
        let file: KeyFile<'_> = serde_json::from_str(text).map_err(|_| SecretsError::Format)?;
        let mut keys = BTreeMap::new();
        for (id, encoded) in file.keys {
            let key = BASE64_STANDARD.decode(encoded.trim().as_bytes());
            let key = Zeroizing::new(key.map_err(|_| SecretsError::Format)?);
            if !is_good_id(&id) {
                return Err(SecretsError::KeyId);
            }
            let all_alike = key.iter().all(|byte| Some(byte) == key.first());
            if !good_length(key.len()) || all_alike {
                return Err(SecretsError::WeakKey);
            }
            keys.insert(id, key);
        }
        if !keys.contains_key(&file.active) {
            return Err(SecretsError::NoActiveKey);
        }
        Ok(Self {
            active: file.active,
            keys: Arc::new(keys),
        })
    }

    pub(super) fn active_id(&self) -> &str {
        &self.active
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        self.keys.keys().map(String::as_str)
    }

    pub(super) fn get(&self, id: &str) -> Option<&[u8]> {
        self.keys.get(id).map(|key| key.as_slice())
    }
}

impl fmt::Debug for KeySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

/// The id is part of the associated data of sealed copies, so it must not contain a separator.
fn is_good_id(id: &str) -> bool {
    (1..=64).contains(&id.len())
        && id
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

/// Secret keys of password hashes, so that a copy of the database is not enough to guess passwords.
#[derive(Clone, Debug)]
pub struct Peppers(KeySet);

impl Peppers {
    /// Parses a key file; peppers have at least 32 bytes.
    pub fn parse(text: &str) -> Result<Self, SecretsError> {
        KeySet::parse(text, |length| (32..=1024).contains(&length)).map(Self)
    }

    pub fn active_id(&self) -> &str {
        self.0.active_id()
    }

    pub(crate) fn get(&self, id: &str) -> Option<&[u8]> {
        self.0.get(id)
    }

    /// HMAC-SHA-256 with a pepper; None if this process does not have it.
    pub(crate) fn mac(&self, id: &str, message: &[u8]) -> Option<[u8; 32]> {
        let mut mac = Hmac::<Sha256>::new_from_slice(self.get(id)?).ok()?;
        mac.update(message);
        Some(mac.finalize().into_bytes().into())
    }
}

/// Generates a key file with one random key, for peppers or sealing keys.
pub fn generate_key_file() -> Result<SecretString, ServiceError> {
    let mut key = Zeroizing::new([0; 32]);
    getrandom::fill(key.as_mut_slice()).map_err(ServiceError::internal)?;
    let encoded = Zeroizing::new(BASE64_STANDARD.encode(key.as_slice()));
    Ok(format!(r#"{{"active":"1","keys":{{"1":"{}"}}}}"#, encoded.as_str()).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use secrecy::ExposeSecret as _;

    fn file(active: &str, keys: &[(&str, &[u8])]) -> String {
        let keys: Vec<String> = keys
            .iter()
            .map(|(id, key)| format!(r#""{id}":"{}""#, BASE64_STANDARD.encode(key)))
            .collect();
        format!(r#"{{"active":"{active}","keys":{{{}}}}}"#, keys.join(","))
    }

    fn random(length: u8) -> Vec<u8> {
        (0..length).collect()
    }

    #[test]
    fn peppers_parse_reads_key_files() {
        let peppers = Peppers::parse(&file("b", &[("a", &random(32)), ("b", &random(40))]));
        let peppers = peppers.expect("peppers");
        assert_eq!(peppers.active_id(), "b");
        assert_eq!(peppers.get("a"), Some(random(32).as_slice()));
        assert_eq!(peppers.get("c"), None);
        assert!(Peppers::parse(generate_key_file().expect("a file").expose_secret()).is_ok());
    }

    #[test]
    fn peppers_parse_rejects_invalid_key_files() {
        let parse = |text: &str| Peppers::parse(text).expect_err("a refusal");
        assert_eq!(parse("{}"), SecretsError::Format);
        assert_eq!(
            parse(r#"{"active":"1","keys":{"1":"%"}}"#),
            SecretsError::Format
        );
        assert_eq!(
            parse(&file("2", &[("1", &random(32))])),
            SecretsError::NoActiveKey
        );
        assert_eq!(
            parse(&file("1", &[("1", &random(31))])),
            SecretsError::WeakKey
        );
        assert_eq!(parse(&file("1", &[("1", &[0; 32])])), SecretsError::WeakKey);
        assert_eq!(parse(&file("1", &[("1", &[])])), SecretsError::WeakKey);
        assert_eq!(
            parse(&file("a|b", &[("a|b", &random(32))])),
            SecretsError::KeyId
        );
    }

    #[test]
    fn peppers_debug_is_redacted() {
        let peppers = Peppers::parse(&file("1", &[("1", &random(32))])).expect("peppers");
        assert_eq!(format!("{peppers:?}"), "Peppers([redacted])");
    }
}
