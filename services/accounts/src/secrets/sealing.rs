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

/// What a copy is of, and to whom it is bound. Part of its associated data, so that no copy can be
/// opened as another one.
#[derive(Clone, Copy, Debug)]
pub enum Subject {
    /// Of a company.
    OperatorPassword(Uuid),
    /// Of a new manager of a company.
    TemporaryPassword(Uuid),
    /// The TOTP secret of a staff member.
    StaffTotp(Uuid),
    /// The TOTP secret of an owner or manager: company and person.
    SecondFactor(Uuid, Uuid),
}

impl Subject {
    /// The associated data: a copy that is moved to another company, person or key id cannot be opened.
    fn bound_to(self, key_id: &str) -> String {
        match self {
            Self::OperatorPassword(company_id) => format!("opw:v1|{company_id}|{key_id}"),
            Self::TemporaryPassword(company_id) => format!("tmp:v1|{company_id}|{key_id}"),
            Self::StaffTotp(staff_id) => format!("totp:v1|{staff_id}|{key_id}"),
            Self::SecondFactor(company_id, user_id) => {
                format!("second-factor:v1|{company_id}|{user_id}|{key_id}")
            }
        }
    }
}

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

    pub fn seal(&self, subject: Subject, text: &str) -> Result<Sealed, SealError> {
        let key_id = self.active_id();
        let mut nonce = [0; NONCE];
        getrandom::fill(&mut nonce).map_err(|_| SealError::NoRandomness)?;
        let padded = pad(text)?;
        let aad = subject.bound_to(key_id);
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

    /// Decrypts a copy; failures are counted.
    pub fn open(&self, subject: Subject, sealed: &Sealed) -> Result<Zeroizing<String>, SealError> {
        let opened = self.try_open(subject, sealed);
        opened.inspect_err(|_| names::KEY_FAILURES.count(["operator_password"]))
    }

    /// Seals the text of a copy with the active key.
    pub fn reseal(&self, subject: Subject, old: &Sealed) -> Result<Sealed, SealError> {
        let text = self.open(subject, old)?;
        self.seal(subject, &text)
    }

    /// [`Keyring::open`] for copies whose key may have been removed: failures are not counted.
    pub fn try_open(
        &self,
        subject: Subject,
        sealed: &Sealed,
    ) -> Result<Zeroizing<String>, SealError> {
        let nonce: [u8; NONCE] = sealed
            .nonce
            .as_slice()
            .try_into()
            .map_err(|_| SealError::Broken)?;
        let aad = subject.bound_to(&sealed.key_id);
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
    use super::Subject::{OperatorPassword, SecondFactor, StaffTotp, TemporaryPassword};
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
            let sealed = ring.seal(OperatorPassword(company), text).expect("a box");
            assert_eq!(sealed.sealed_box.len(), PADDED + 16);
            assert_eq!(
                ring.open(OperatorPassword(company), &sealed)
                    .expect("the text")
                    .as_str(),
                text
            );
        }
        let too_long = "x".repeat(MAX_LENGTH + 1);
        assert_eq!(
            ring.seal(OperatorPassword(company), &too_long),
            Err(SealError::TooLong)
        );
        let twice = [
            ring.seal(OperatorPassword(company), "secret"),
            ring.seal(OperatorPassword(company), "secret"),
        ];
        assert_ne!(twice[0], twice[1]);
    }

    #[test]
    fn open_requires_the_same_company_and_key() {
        let (ring, company) = (keyring("1"), Uuid::now_v7());
        let sealed = ring
            .seal(OperatorPassword(company), "secret")
            .expect("a box");
        assert_eq!(
            ring.open(OperatorPassword(Uuid::now_v7()), &sealed),
            Err(SealError::Broken)
        );
        for (key_id, error) in [("2", SealError::Broken), ("3", SealError::UnknownKey)] {
            let moved = Sealed {
                key_id: key_id.to_owned(),
                ..sealed.clone()
            };
            assert_eq!(ring.open(OperatorPassword(company), &moved), Err(error));
        }
    }

    #[test]
    fn open_rejects_modified_copies() {
        let (ring, company) = (keyring("1"), Uuid::now_v7());
        let sealed = ring
            .seal(OperatorPassword(company), "secret")
            .expect("a box");
        for place in [0, 100, PADDED + 15] {
            let mut broken = sealed.clone();
            broken.sealed_box[place] ^= 1;
            assert_eq!(
                ring.open(OperatorPassword(company), &broken),
                Err(SealError::Broken)
            );
        }
        let mut short = sealed.clone();
        short.nonce.pop();
        assert_eq!(
            ring.open(OperatorPassword(company), &short),
            Err(SealError::Broken)
        );
    }

    #[test]
    fn open_requires_the_same_kind() {
        let (ring, id) = (keyring("1"), Uuid::now_v7());
        let password = ring.seal(OperatorPassword(id), "secret").expect("a box");
        let totp = ring.seal(StaffTotp(id), "secret").expect("a box");
        assert_eq!(
            ring.open(StaffTotp(id), &totp).expect("the text").as_str(),
            "secret"
        );
        assert_eq!(ring.open(StaffTotp(id), &password), Err(SealError::Broken));
        assert_eq!(
            ring.open(OperatorPassword(id), &totp),
            Err(SealError::Broken)
        );
        let temporary = ring.seal(TemporaryPassword(id), "secret").expect("a box");
        let opened = ring.try_open(TemporaryPassword(id), &temporary);
        assert_eq!(opened.expect("the text").as_str(), "secret");
        assert_eq!(
            ring.open(OperatorPassword(id), &temporary),
            Err(SealError::Broken)
        );
        assert_eq!(
            ring.try_open(TemporaryPassword(id), &password),
            Err(SealError::Broken)
        );
        assert_eq!(
            ring.open(StaffTotp(Uuid::now_v7()), &totp),
            Err(SealError::Broken)
        );
        let company = Uuid::now_v7();
        let factor = ring.seal(SecondFactor(company, id), "secret");
        let factor = factor.expect("a box");
        let open = |company, id| ring.open(SecondFactor(company, id), &factor);
        assert_eq!(open(company, id).expect("the text").as_str(), "secret");
        assert_eq!(open(id, company), Err(SealError::Broken));
        assert_eq!(open(company, Uuid::now_v7()), Err(SealError::Broken));
        assert_eq!(open(Uuid::now_v7(), id), Err(SealError::Broken));
        assert_eq!(ring.open(StaffTotp(id), &factor), Err(SealError::Broken));
    }

    /// An independent implementation sealed "secret" with key 1; of the boxes only the tags differ.
    #[test]
    fn open_accepts_copies_of_earlier_releases() {
        const ENCRYPTED: &str = "\
            k1a3D7t4c0b3fP2CFQkNPCllKt9z0ncAT8VqD61k5tcxaVPTbAV83H11VOWvgGIwccdHob6FnUgct34/\
            Zc41qfWq1yHDQirzU1y1lsjn5T6TK3Ew5mSg1F/XpTxhnL0v7p2kEywrSzv2ZLHVIiRFpRm/QEMCoWL4\
            Dt43eTWc1jaM0fgFXnvrM9SJqyJuXX7FuojtSK8IeN2mqeyXzxBi7452ziAFO6POxzPBesy2VRE9LBTm\
            SwAHvy5554QlPb7U1ET+2FTUKHhXkNDnOffEzFqkb+sWax5x24bjxQNrRuKw91d0/1OC1yso/e3kw15y\
            3Yn9yK+MSfmn8s8SK6culQ==";
        let id = Uuid::from_u128(0x0192_a3b4_c5d6_7e8f_9a0b_1c2d_3e4f_5061);
        let person = Uuid::from_u128(0x0192_a3b4_c5d6_7e8f_9a0b_1c2d_3e4f_5062);
        for (subject, tag) in [
            (OperatorPassword(id), "29UXSBdQBSAz4njOmaLNSg=="),
            (TemporaryPassword(id), "hhsbUwC6n3quvLjEzkjTYQ=="),
            (StaffTotp(id), "+oedFeG9tlpiZN+XSAJvdQ=="),
            (SecondFactor(id, person), "yiOJrWWRCWlFXkVD4gdZcA=="),
        ] {
            let parts = [ENCRYPTED, tag].map(|part| BASE64_STANDARD.decode(part).expect("base64"));
            let sealed = Sealed {
                key_id: "1".to_owned(),
                nonce: (0..24).collect(),
                sealed_box: parts.concat(),
            };
            let opened = keyring("2").open(subject, &sealed);
            assert_eq!(opened.expect("the text").as_str(), "secret", "{subject:?}");
        }
    }

    #[test]
    fn open_accepts_old_keys() {
        let company = Uuid::now_v7();
        let old = keyring("1")
            .seal(OperatorPassword(company), "secret")
            .expect("a box");
        let ring = keyring("2");
        assert_eq!(
            ring.open(OperatorPassword(company), &old)
                .expect("the text")
                .as_str(),
            "secret"
        );
        assert_eq!(
            ring.seal(OperatorPassword(company), "secret")
                .expect("a box")
                .key_id,
            "2"
        );
    }
}
