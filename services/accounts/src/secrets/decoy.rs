//! Decoy questions for names without questions, and hashes of released usernames.

use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use hourmeter_runtime::error::ServiceError;
use secrecy::SecretString;
use sha2::Sha256;
use zeroize::Zeroizing;

use super::keys::{Key, SecretsError};

const BYTES: usize = 32;

/// A key for decoys: stable for a name, and unpredictable without the key.
#[derive(Clone)]
pub struct DecoySecret(Arc<Key>);

impl DecoySecret {
    pub fn parse(text: &str) -> Result<Self, SecretsError> {
        let bytes = BASE64_STANDARD.decode(text.trim().as_bytes());
        let bytes = Zeroizing::new(bytes.map_err(|_| SecretsError::Format)?);
        let all_alike = bytes.iter().all(|byte| Some(byte) == bytes.first());
        if bytes.len() != BYTES || all_alike {
            return Err(SecretsError::WeakKey);
        }
        Ok(Self(Arc::new(bytes)))
    }

    pub fn generate() -> Result<SecretString, ServiceError> {
        let mut bytes = Zeroizing::new([0; BYTES]);
        getrandom::fill(bytes.as_mut_slice()).map_err(ServiceError::internal)?;
        Ok(BASE64_STANDARD.encode(bytes.as_slice()).into())
    }

    /// The stored hash of a released username or stem.
    pub fn hash_username(&self, text: &str) -> Result<String, ServiceError> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).map_err(ServiceError::internal)?;
        mac.update(b"operator username\0");
        mac.update(text.as_bytes());
        let digest = mac.finalize().into_bytes();
        Ok(format!("#{}", BASE64_STANDARD.encode(digest)))
    }

    /// Two different indexes below `count`, stable for a name. `count` must be at least 2.
    pub fn pair(&self, folded_name: &str, count: usize) -> Result<[usize; 2], ServiceError> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).map_err(ServiceError::internal)?;
        mac.update(folded_name.as_bytes());
        let digest = mac.finalize().into_bytes();
        let number = digest
            .iter()
            .take(8)
            .fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
        let count = count as u64;
        let picked = number % (count * (count - 1));
        let (first, other) = (picked / (count - 1), picked % (count - 1));
        let second = if other < first { other } else { other + 1 };
        let index = |number: u64| usize::try_from(number).map_err(ServiceError::internal);
        Ok([index(first)?, index(second)?])
    }
}

impl fmt::Debug for DecoySecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use secrecy::ExposeSecret as _;

    use super::*;

    fn secret() -> DecoySecret {
        let text = DecoySecret::generate().expect("a secret");
        DecoySecret::parse(text.expose_secret()).expect("a secret")
    }

    #[test]
    fn pair_is_stable_and_uniform() {
        let secret = secret();
        let mut seen = BTreeMap::new();
        for number in 0..20_000 {
            let name = format!("name{number}@mail.example");
            let pair = secret.pair(&name, 12).expect("a pair");
            assert_eq!(secret.pair(&name, 12).expect("a pair"), pair);
            assert!(pair[0] != pair[1] && pair.iter().all(|index| *index < 12));
            *seen.entry(pair).or_insert(0_u32) += 1;
        }
        assert_eq!(seen.len(), 132);
        // The mean is 152; allows six standard deviations.
        assert!(seen.values().all(|times| (78..226).contains(times)));
    }

    #[test]
    fn pair_depends_on_the_secret() {
        let (one, other) = (secret(), secret());
        let same = (0..1000)
            .map(|number| number.to_string())
            .filter(|name| one.pair(name, 12).expect("one") == other.pair(name, 12).expect("one"));
        assert!(same.count() < 50);
    }

    #[test]
    fn parse_rejects_weak_secrets_and_debug_is_redacted() {
        let parse = |bytes: &[u8]| DecoySecret::parse(&BASE64_STANDARD.encode(bytes));
        let good: Vec<u8> = (0..32).collect();
        assert!(parse(&good).is_ok());
        assert_eq!(format!("{:?}", secret()), "[redacted]");
        for bad in [&good[1..], &[7; 32], &[]] {
            assert_eq!(parse(bad).expect_err("weak"), SecretsError::WeakKey);
        }
        let garbled = DecoySecret::parse("%").expect_err("no base64");
        assert_eq!(garbled, SecretsError::Format);
    }
}
