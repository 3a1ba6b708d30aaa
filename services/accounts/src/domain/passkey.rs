//! Verification of `WebAuthn` responses. ES256 and Ed25519; attestation is neither requested nor
//! verified.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ciborium::Value;
use ring::signature::{ECDSA_P256_SHA256_ASN1, ED25519, UnparsedPublicKey, VerificationAlgorithm};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// Length of a challenge.
pub const CHALLENGE: usize = 32;
/// Lifetime of a challenge.
pub const CHALLENGE_SECONDS: i64 = 300;
/// Maximum length of a credential id in `WebAuthn`.
const MAX_ID: usize = 1023;
/// Length of the fixed header before the attested credential.
const HEADER: usize = 37;

const USER_PRESENT: u8 = 0x01;
const USER_VERIFIED: u8 = 0x04;
const HAS_CREDENTIAL: u8 = 0x40;

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PasskeyError {
    #[error("the answer is malformed")]
    Malformed,
    #[error("the answer is for another request")]
    WrongType,
    #[error("the answer is from another origin")]
    WrongOrigin,
    #[error("the answer is for another relying party")]
    WrongRelyingParty,
    /// User presence or verification is missing.
    #[error("the user was not verified")]
    NotVerified,
    #[error("the key's algorithm is not supported")]
    Unsupported,
    #[error("the signature is wrong")]
    WrongSignature,
    /// The counter did not increase, which indicates a cloned passkey.
    #[error("the signature counter went back")]
    Counter,
}

/// The domain that passkeys are bound to, and the allowed origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelyingParty {
    pub id: String,
    origin: String,
}

impl RelyingParty {
    /// The relying party of the public origin. None where browsers allow no passkeys: without https,
    /// or with an IP address.
    pub fn of_origin(origin: &str) -> Option<Self> {
        let (scheme, authority) = origin.split_once("://")?;
        let host = match authority.rsplit_once(':') {
            Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
            _ => authority,
        };
        let is_local = host == "localhost";
        let is_name = host.bytes().any(|byte| byte.is_ascii_alphabetic())
            && host
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.');
        let usable = match scheme {
            "https" => is_name,
            "http" => is_local,
            _ => false,
        };
        usable.then(|| Self {
            id: host.to_ascii_lowercase(),
            origin: origin.to_ascii_lowercase(),
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PasskeyAlgorithm {
    /// ECDSA on P-256 with SHA-256.
    Es256,
    EdDsa,
}

impl PasskeyAlgorithm {
    pub const fn number(self) -> i32 {
        match self {
            Self::Es256 => -7,
            Self::EdDsa => -8,
        }
    }

    pub const fn from_number(number: i32) -> Option<Self> {
        match number {
            -7 => Some(Self::Es256),
            -8 => Some(Self::EdDsa),
            _ => None,
        }
    }

    fn verifier(self) -> &'static dyn VerificationAlgorithm {
        match self {
            Self::Es256 => &ECDSA_P256_SHA256_ASN1,
            Self::EdDsa => &ED25519,
        }
    }
}

/// The public part of a passkey.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credential {
    pub id: Vec<u8>,
    pub algorithm: PasskeyAlgorithm,
    pub public_key: Vec<u8>,
    /// The last signature counter; 0: the authenticator has none.
    pub sign_count: u32,
}

/// The response of a passkey at sign-in.
#[derive(Clone, Debug)]
pub struct Assertion {
    pub credential_id: Vec<u8>,
    client_data: Vec<u8>,
    authenticator_data: Vec<u8>,
    signature: Vec<u8>,
}

impl Assertion {
    pub fn decode(parts: [&str; 4]) -> Result<Self, PasskeyError> {
        let [credential_id, client_data, authenticator_data, signature] = parts.map(decode);
        Ok(Self {
            credential_id: credential_id?,
            client_data: client_data?,
            authenticator_data: authenticator_data?,
            signature: signature?,
        })
    }

    pub fn challenge(&self) -> Result<[u8; CHALLENGE], PasskeyError> {
        ClientData::read(&self.client_data)?.challenge()
    }

    /// Verifies the response and returns the new counter. The caller must check that the challenge was
    /// issued.
    pub fn verify(
        &self,
        party: &RelyingParty,
        credential: &Credential,
    ) -> Result<u32, PasskeyError> {
        ClientData::read(&self.client_data)?.check("webauthn.get", party)?;
        let data = AuthenticatorData::read(&self.authenticator_data, party)?;
        let signed = [
            self.authenticator_data.as_slice(),
            &Sha256::digest(&self.client_data),
        ]
        .concat();
        UnparsedPublicKey::new(credential.algorithm.verifier(), &credential.public_key)
            .verify(&signed, &self.signature)
            .map_err(|_| PasskeyError::WrongSignature)?;
        let counts = data.sign_count != 0 || credential.sign_count != 0;
        if counts && data.sign_count <= credential.sign_count {
            return Err(PasskeyError::Counter);
        }
        Ok(data.sign_count)
    }
}

/// The response of a browser that created a passkey.
#[derive(Clone, Debug)]
pub struct Registration {
    client_data: Vec<u8>,
    attestation: Vec<u8>,
}

impl Registration {
    pub fn decode(client_data: &str, attestation: &str) -> Result<Self, PasskeyError> {
        Ok(Self {
            client_data: decode(client_data)?,
            attestation: decode(attestation)?,
        })
    }

    pub fn challenge(&self) -> Result<[u8; CHALLENGE], PasskeyError> {
        ClientData::read(&self.client_data)?.challenge()
    }

    /// Verifies the response and returns the new passkey. The caller must check that the challenge was
    /// issued.
    pub fn verify(&self, party: &RelyingParty) -> Result<Credential, PasskeyError> {
        ClientData::read(&self.client_data)?.check("webauthn.create", party)?;
        let attestation = cbor(&self.attestation)?;
        let data = entry(&attestation, &Value::from("authData")).and_then(Value::as_bytes);
        let bytes = data.ok_or(PasskeyError::Malformed)?;
        let data = AuthenticatorData::read(bytes, party)?;
        if data.flags & HAS_CREDENTIAL == 0 {
            return Err(PasskeyError::Malformed);
        }
        // Skips the 16 bytes of the authenticator model (AAGUID).
        let rest = bytes.get(HEADER + 16..).ok_or(PasskeyError::Malformed)?;
        let (length, rest) = rest.split_first_chunk().ok_or(PasskeyError::Malformed)?;
        let length = usize::from(u16::from_be_bytes(*length));
        if length == 0 || length > MAX_ID {
            return Err(PasskeyError::Malformed);
        }
        let (id, key) = rest
            .split_at_checked(length)
            .ok_or(PasskeyError::Malformed)?;
        let (algorithm, public_key) = public_key(&cbor(key)?)?;
        Ok(Credential {
            id: id.to_vec(),
            algorithm,
            public_key,
            sign_count: data.sign_count,
        })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ClientData {
    r#type: String,
    challenge: String,
    origin: String,
    #[serde(default)]
    cross_origin: bool,
}

impl ClientData {
    fn read(bytes: &[u8]) -> Result<Self, PasskeyError> {
        serde_json::from_slice(bytes).map_err(|_| PasskeyError::Malformed)
    }

    fn challenge(&self) -> Result<[u8; CHALLENGE], PasskeyError> {
        let challenge = decode(&self.challenge)?;
        challenge.try_into().map_err(|_| PasskeyError::Malformed)
    }

    fn check(&self, kind: &str, party: &RelyingParty) -> Result<(), PasskeyError> {
        if self.r#type != kind {
            return Err(PasskeyError::WrongType);
        }
        if self.cross_origin || self.origin != party.origin {
            return Err(PasskeyError::WrongOrigin);
        }
        Ok(())
    }
}

struct AuthenticatorData {
    flags: u8,
    sign_count: u32,
}

impl AuthenticatorData {
    /// Reads the header; fails for another domain or without user verification.
    fn read(bytes: &[u8], party: &RelyingParty) -> Result<Self, PasskeyError> {
        let (header, _) = bytes
            .split_first_chunk::<HEADER>()
            .ok_or(PasskeyError::Malformed)?;
        let (hash, rest) = header.split_at(32);
        let expected = Sha256::digest(&party.id);
        if !bool::from(hash.ct_eq(expected.as_slice())) {
            return Err(PasskeyError::WrongRelyingParty);
        }
        let &[flags, a, b, c, d] = rest else {
            return Err(PasskeyError::Malformed);
        };
        if flags & USER_PRESENT == 0 || flags & USER_VERIFIED == 0 {
            return Err(PasskeyError::NotVerified);
        }
        Ok(Self {
            flags,
            sign_count: u32::from_be_bytes([a, b, c, d]),
        })
    }
}

/// Reads a COSE key (RFC 9053).
fn public_key(key: &Value) -> Result<(PasskeyAlgorithm, Vec<u8>), PasskeyError> {
    let number = |label: i8| {
        let value = entry(key, &Value::from(label));
        let value = value.and_then(Value::as_integer);
        value.and_then(|value| i16::try_from(value).ok())
    };
    let coordinate = |label: i8| {
        let bytes = entry(key, &Value::from(label)).and_then(Value::as_bytes);
        bytes
            .filter(|bytes| bytes.len() == 32)
            .ok_or(PasskeyError::Malformed)
    };
    match (number(1), number(3), number(-1)) {
        (Some(2), Some(-7), Some(1)) => {
            let point = [&[4_u8][..], coordinate(-2)?, coordinate(-3)?].concat();
            Ok((PasskeyAlgorithm::Es256, point))
        }
        (Some(1), Some(-8), Some(6)) => Ok((PasskeyAlgorithm::EdDsa, coordinate(-2)?.clone())),
        _ => Err(PasskeyError::Unsupported),
    }
}

/// Reads the first value; extensions may follow.
fn cbor(bytes: &[u8]) -> Result<Value, PasskeyError> {
    ciborium::from_reader(bytes).map_err(|_| PasskeyError::Malformed)
}

fn entry<'a>(map: &'a Value, label: &Value) -> Option<&'a Value> {
    let entries = map.as_map()?;
    entries
        .iter()
        .find_map(|(key, value)| (key == label).then_some(value))
}

/// Base64url without padding, as in browsers.
pub fn encode(bytes: &[u8]) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

fn decode(text: &str) -> Result<Vec<u8>, PasskeyError> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(text);
    bytes.map_err(|_| PasskeyError::Malformed)
}

#[cfg(test)]
#[path = "passkey_tests.rs"]
mod tests;
