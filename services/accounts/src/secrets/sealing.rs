//! Authenticated encryption of operator passwords, which are printed on access cards, and of TOTP
//! secrets.

use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::telemetry::names;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::keys::{KeySet, SecretsError};

/// Plaintexts are padded to this length, which hides the length of the password.
const PADDED: usize = 256;
/// Maximum length of a text; one byte is for the length, one is reserved.
const MAX_LENGTH: usize = 254;
const NONCE: usize = 24;

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    #[error("text too long to seal")]
    TooLong,
    #[error("sealed with an unknown key")]
    UnknownKey,
    /// Modified, of another company, or sealed with another key.
    #[error("failed to decrypt the sealed copy")]
    Broken,
    #[error("no randomness")]
    NoRandomness,
}

impl From<SealError> for ServiceError {
    fn from(error: SealError) -> Self {
        Self::internal(error)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, sqlx_macros::FromRow)]
pub struct Sealed {
    pub key_id: String,
    /// Unique per key.
    pub nonce: Vec<u8>,
    pub sealed_box: Vec<u8>,
}

/// The kind of a copy; part of its associated data, so that one kind cannot be opened as another.
const OPERATOR_PASSWORD: &str = "opw:v1";
const TOTP_SECRET: &str = "totp:v1";
const TEMPORARY_PASSWORD: &str = "tmp:v1";
const SECOND_FACTOR: &str = "second-factor:v1";

/// Sealing keys; new copies use the active key, old keys still open their copies.
#[derive(Clone, Debug)]
pub struct Keyring(KeySet);

impl Keyring {
    /// Parses a key file; each key has exactly 32 bytes.
    pub fn parse(text: &str) -> Result<Self, SecretsError> {
        KeySet::parse(text, |length| length == 32).map(Self)
    }

    pub fn active_id(&self) -> &str {
        self.0.active_id()
    }

    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.0.ids()
    }

    /// Seals an operator password, bound to the company.
    pub fn seal(&self, company_id: Uuid, text: &str) -> Result<Sealed, SealError> {
        self.seal_as(OPERATOR_PASSWORD, company_id, text)
    }

    pub fn open(&self, company_id: Uuid, sealed: &Sealed) -> Result<Zeroizing<String>, SealError> {
        self.open_as(OPERATOR_PASSWORD, company_id, sealed)
    }

    /// Seals the TOTP secret of a staff member.
    pub fn seal_totp(&self, staff_id: Uuid, text: &str) -> Result<Sealed, SealError> {
        self.seal_as(TOTP_SECRET, staff_id, text)
    }

    pub fn open_totp(
        &self,
        staff_id: Uuid,
        sealed: &Sealed,
    ) -> Result<Zeroizing<String>, SealError> {
        self.open_as(TOTP_SECRET, staff_id, sealed)
    }

    pub fn seal_temporary(&self, company_id: Uuid, text: &str) -> Result<Sealed, SealError> {
        self.seal_as(TEMPORARY_PASSWORD, company_id, text)
    }

    pub fn open_temporary(
        &self,
        company_id: Uuid,
        sealed: &Sealed,
    ) -> Result<Zeroizing<String>, SealError> {
        self.try_open(TEMPORARY_PASSWORD, company_id, sealed)
    }

    /// Seals the TOTP secret of an owner or manager.
    pub fn seal_second_factor(
        &self,
        company_id: Uuid,
        user_id: Uuid,
        text: &str,
    ) -> Result<Sealed, SealError> {
        let kind = format!("{SECOND_FACTOR}|{company_id}");
        self.seal_as(&kind, user_id, text)
    }

    pub fn open_second_factor(
        &self,
        company_id: Uuid,
        user_id: Uuid,
        sealed: &Sealed,
    ) -> Result<Zeroizing<String>, SealError> {
        let kind = format!("{SECOND_FACTOR}|{company_id}");
        self.open_as(&kind, user_id, sealed)
    }

    fn seal_as(&self, kind: &str, id: Uuid, text: &str) -> Result<Sealed, SealError> {
        let key_id = self.active_id();
        let mut nonce = [0; NONCE];
        getrandom::fill(&mut nonce).map_err(|_| SealError::NoRandomness)?;
        let padded = pad(text)?;
        let aad = bound_to(kind, id, key_id);
        let payload = Payload {
            msg: padded.as_slice(),
            aad: aad.as_bytes(),
        };
        let sealed_box = self
            .cipher(key_id)?
            .encrypt(&XNonce::from(nonce), payload)
            .map_err(|_| SealError::Broken)?;
        Ok(Sealed {
            key_id: key_id.to_owned(),
            nonce: nonce.to_vec(),
            sealed_box,
        })
    }

    fn open_as(
        &self,
        kind: &str,
        id: Uuid,
        sealed: &Sealed,
    ) -> Result<Zeroizing<String>, SealError> {
        let opened = self.try_open(kind, id, sealed);
        opened.inspect_err(|_| names::KEY_FAILURES.count(["operator_password"]))
    }

    fn try_open(
        &self,
        kind: &str,
        id: Uuid,
        sealed: &Sealed,
    ) -> Result<Zeroizing<String>, SealError> {
        let nonce: [u8; NONCE] = sealed
            .nonce
            .as_slice()
            .try_into()
            .map_err(|_| SealError::Broken)?;
        let aad = bound_to(kind, id, &sealed.key_id);
        let payload = Payload {
            msg: &sealed.sealed_box,
            aad: aad.as_bytes(),
        };
        let padded = self
            .cipher(&sealed.key_id)?
            .decrypt(&XNonce::from(nonce), payload)
            .map_err(|_| SealError::Broken)?;
        unpad(&Zeroizing::new(padded))
    }

    fn cipher(&self, key_id: &str) -> Result<XChaCha20Poly1305, SealError> {
        let key = self.0.get(key_id).ok_or(SealError::UnknownKey)?;
        XChaCha20Poly1305::new_from_slice(key).map_err(|_| SealError::UnknownKey)
    }
}

/// The associated data: a copy that is moved to another company, person or key id cannot be opened.
fn bound_to(kind: &str, id: Uuid, key_id: &str) -> String {
    format!("{kind}|{id}|{key_id}")
}

fn pad(text: &str) -> Result<Zeroizing<[u8; PADDED]>, SealError> {
    let length = u8::try_from(text.len()).map_err(|_| SealError::TooLong)?;
    if text.len() > MAX_LENGTH {
        return Err(SealError::TooLong);
    }
    let mut padded = Zeroizing::new([0; PADDED]);
    padded[0] = length;
    padded[1..=text.len()].copy_from_slice(text.as_bytes());
    Ok(padded)
}

fn unpad(padded: &[u8]) -> Result<Zeroizing<String>, SealError> {
    let (length, rest) = padded.split_first().ok_or(SealError::Broken)?;
    let text = rest.get(..usize::from(*length)).ok_or(SealError::Broken)?;
    let text = std::str::from_utf8(text).map_err(|_| SealError::Broken)?;
    Ok(Zeroizing::new(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine as _;
    use base64::prelude::BASE64_STANDARD;

    fn keyring(active: &str) -> Keyring {
        let key = |first: u8| BASE64_STANDARD.encode((first..first + 32).collect::<Vec<u8>>());
        let (one, two) = (key(1), key(2));
        let text = format!(r#"{{"active":"{active}","keys":{{"1":"{one}","2":"{two}"}}}}"#);
        Keyring::parse(&text).expect("a keyring")
    }

    #[test]
    fn seal_round_trip_hides_the_length() {
        let (ring, company) = (keyring("1"), Uuid::now_v7());
        for text in ["", "secret", &"x".repeat(MAX_LENGTH), &"ñ".repeat(127)] {
            let sealed = ring.seal(company, text).expect("a box");
            assert_eq!(sealed.sealed_box.len(), PADDED + 16);
            assert_eq!(
                ring.open(company, &sealed).expect("the text").as_str(),
                text
            );
        }
        let too_long = "x".repeat(MAX_LENGTH + 1);
        assert_eq!(ring.seal(company, &too_long), Err(SealError::TooLong));
        let twice = [ring.seal(company, "secret"), ring.seal(company, "secret")];
        assert_ne!(twice[0], twice[1]);
    }

    #[test]
    fn open_requires_the_same_company_and_key() {
        let (ring, company) = (keyring("1"), Uuid::now_v7());
        let sealed = ring.seal(company, "secret").expect("a box");
        assert_eq!(ring.open(Uuid::now_v7(), &sealed), Err(SealError::Broken));
        for (key_id, error) in [("2", SealError::Broken), ("3", SealError::UnknownKey)] {
            let moved = Sealed {
                key_id: key_id.to_owned(),
                ..sealed.clone()
            };
            assert_eq!(ring.open(company, &moved), Err(error));
        }
    }

    #[test]
    fn open_rejects_modified_copies() {
        let (ring, company) = (keyring("1"), Uuid::now_v7());
        let sealed = ring.seal(company, "secret").expect("a box");
        for place in [0, 100, PADDED + 15] {
            let mut broken = sealed.clone();
            broken.sealed_box[place] ^= 1;
            assert_eq!(ring.open(company, &broken), Err(SealError::Broken));
        }
        let mut short = sealed.clone();
        short.nonce.pop();
        assert_eq!(ring.open(company, &short), Err(SealError::Broken));
    }

    #[test]
    fn open_requires_the_same_kind() {
        let (ring, id) = (keyring("1"), Uuid::now_v7());
        let password = ring.seal(id, "secret").expect("a box");
        let totp = ring.seal_totp(id, "secret").expect("a box");
        assert_eq!(
            ring.open_totp(id, &totp).expect("the text").as_str(),
            "secret"
        );
        assert_eq!(ring.open_totp(id, &password), Err(SealError::Broken));
        assert_eq!(ring.open(id, &totp), Err(SealError::Broken));
        let temporary = ring.seal_temporary(id, "secret").expect("a box");
        let opened = ring.open_temporary(id, &temporary);
        assert_eq!(opened.expect("the text").as_str(), "secret");
        assert_eq!(ring.open(id, &temporary), Err(SealError::Broken));
        assert_eq!(ring.open_temporary(id, &password), Err(SealError::Broken));
        assert_eq!(
            ring.open_totp(Uuid::now_v7(), &totp),
            Err(SealError::Broken)
        );
        let company = Uuid::now_v7();
        let factor = ring.seal_second_factor(company, id, "secret");
        let factor = factor.expect("a box");
        let open = |company, id| ring.open_second_factor(company, id, &factor);
        assert_eq!(open(company, id).expect("the text").as_str(), "secret");
        assert_eq!(open(id, company), Err(SealError::Broken));
        assert_eq!(open(company, Uuid::now_v7()), Err(SealError::Broken));
        assert_eq!(open(Uuid::now_v7(), id), Err(SealError::Broken));
        assert_eq!(ring.open_totp(id, &factor), Err(SealError::Broken));
    }

    #[test]
    fn open_accepts_old_keys() {
        let company = Uuid::now_v7();
        let old = keyring("1").seal(company, "secret").expect("a box");
        let ring = keyring("2");
        assert_eq!(
            ring.open(company, &old).expect("the text").as_str(),
            "secret"
        );
        assert_eq!(ring.seal(company, "secret").expect("a box").key_id, "2");
    }
}
