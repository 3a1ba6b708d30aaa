//! Keys in the text of settings.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use secrecy::{ExposeSecret as _, SecretString};

use crate::config::{AppEnv, Settings};
use crate::identity::{Signer, TrustedIssuers};

/// A 32-byte secret written in base64.
pub fn parse_key(text: &SecretString) -> Result<[u8; 32], String> {
    let bytes = BASE64_STANDARD.decode(text.expose_secret().trim());
    let bytes = bytes.map_err(|_| "is not base64".to_owned())?;
    let key: [u8; 32] = bytes
        .try_into()
        .map_err(|_| "is not 32 bytes long".to_owned())?;
    if key.iter().all(|byte| *byte == key[0]) {
        return Err("has no randomness".to_owned());
    }
    Ok(key)
}

/// Public keys by issuer: `{"gateway": "<base64>", "operator-updates": "<base64>"}`.
pub fn parse_public_keys(text: &SecretString) -> Result<TrustedIssuers, String> {
    let keys: BTreeMap<String, String> = serde_json::from_str(text.expose_secret())
        .map_err(|_| "is not an object of names and keys".to_owned())?;
    keys.into_iter()
        .try_fold(TrustedIssuers::default(), |issuers, (name, key)| {
            let key =
                parse_key(&key.into()).map_err(|problem| format!("key of {name} {problem}"))?;
            Ok(issuers.with(name, key))
        })
}

/// Reads `IDENTITY_SIGNING_KEY`, the secret this process signs its calls with.
pub fn read_signer(issuer: &'static str, settings: &mut Settings, env: AppEnv) -> Option<Signer> {
    let secret = settings.required_secret("IDENTITY_SIGNING_KEY", env);
    match parse_key(&secret) {
        Ok(key) => Signer::new(issuer, &key).ok(),
        Err(problem) => {
            settings.problem(format!("IDENTITY_SIGNING_KEY_FILE {problem}"));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_32_bytes_that_are_not_all_alike() {
        let parse = |bytes: &[u8]| parse_key(&BASE64_STANDARD.encode(bytes).into());
        let good: Vec<u8> = (0..32).collect();
        assert_eq!(parse(&good).expect("a key").as_slice(), good);
        for bad in [&good[1..], &[], &[0; 32], &[7; 32], &[1; 33]] {
            assert!(parse(bad).is_err(), "{bad:?}");
        }
        assert!(parse_key(&"%".to_owned().into()).is_err());
    }
}
