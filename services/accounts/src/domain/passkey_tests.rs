use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _};
use serde_json::json;

use super::*;

const ORIGIN: &str = "https://app.example.com";

enum Device {
    Es256(Box<EcdsaKeyPair>),
    EdDsa(Ed25519KeyPair),
}

impl Device {
    fn es256() -> Self {
        let random = SystemRandom::new();
        let signing = &ECDSA_P256_SHA256_ASN1_SIGNING;
        let document = EcdsaKeyPair::generate_pkcs8(signing, &random).expect("a key");
        let pair = EcdsaKeyPair::from_pkcs8(signing, document.as_ref(), &random);
        Self::Es256(Box::new(pair.expect("a key")))
    }

    fn eddsa() -> Self {
        let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).expect("a key");
        Self::EdDsa(Ed25519KeyPair::from_pkcs8(document.as_ref()).expect("a key"))
    }

    fn sign(&self, message: &[u8]) -> Vec<u8> {
        match self {
            Self::Es256(pair) => {
                let signature = pair.sign(&SystemRandom::new(), message);
                signature.expect("a signature").as_ref().to_vec()
            }
            Self::EdDsa(pair) => pair.sign(message).as_ref().to_vec(),
        }
    }

    fn cose(&self) -> Vec<u8> {
        let pair = |label: i8, value: Value| (Value::from(label), value);
        let entries = match self {
            Self::Es256(key) => {
                let point = key.public_key().as_ref();
                vec![
                    pair(1, 2.into()),
                    pair(3, (-7).into()),
                    pair(-1, 1.into()),
                    pair(-2, Value::Bytes(point[1..33].to_vec())),
                    pair(-3, Value::Bytes(point[33..].to_vec())),
                ]
            }
            Self::EdDsa(key) => vec![
                pair(1, 1.into()),
                pair(3, (-8).into()),
                pair(-1, 6.into()),
                pair(-2, Value::Bytes(key.public_key().as_ref().to_vec())),
            ],
        };
        written(&Value::Map(entries))
    }

    fn registration(&self, answer: &Answer) -> Registration {
        self.registration_of(&[1, 2, 3], answer)
    }

    fn registration_of(&self, id: &[u8], answer: &Answer) -> Registration {
        let mut data = answer.data();
        data.extend([0; 16]);
        let length = u16::try_from(id.len()).expect("a short id");
        data.extend(length.to_be_bytes());
        data.extend(id);
        data.extend(self.cose());
        let attestation = Value::Map(vec![
            (Value::from("fmt"), Value::from("none")),
            (Value::from("attStmt"), Value::Map(Vec::new())),
            (Value::from("authData"), Value::Bytes(data)),
        ]);
        let attestation = encode(&written(&attestation));
        Registration::decode(&encode(&answer.client_data()), &attestation).expect("an answer")
    }

    fn assertion(&self, answer: &Answer) -> Assertion {
        let (client, data) = (answer.client_data(), answer.data());
        let signature = self.sign(&[data.as_slice(), &Sha256::digest(&client)].concat());
        let parts = [&[1, 2, 3], client.as_slice(), &data, &signature].map(encode);
        Assertion::decode(parts.each_ref().map(String::as_str)).expect("an answer")
    }
}

/// The response of an authenticator, for tests to modify.
struct Answer {
    kind: &'static str,
    origin: &'static str,
    cross_origin: bool,
    party: &'static str,
    flags: u8,
    count: u32,
}

impl Answer {
    const ADD: Self = Self {
        kind: "webauthn.create",
        origin: ORIGIN,
        cross_origin: false,
        party: "app.example.com",
        flags: USER_PRESENT | USER_VERIFIED | HAS_CREDENTIAL,
        count: 0,
    };
    const SIGN_IN: Self = Self {
        kind: "webauthn.get",
        flags: USER_PRESENT | USER_VERIFIED,
        ..Self::ADD
    };

    fn client_data(&self) -> Vec<u8> {
        let data = json!({
            "type": self.kind, "challenge": encode(&[7; 32]), "origin": self.origin,
            "crossOrigin": self.cross_origin,
        });
        data.to_string().into_bytes()
    }

    fn data(&self) -> Vec<u8> {
        let hash = Sha256::digest(self.party);
        [hash.as_slice(), &[self.flags], &self.count.to_be_bytes()].concat()
    }
}

fn written(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    ciborium::into_writer(value, &mut bytes).expect("CBOR");
    bytes
}

fn party() -> RelyingParty {
    RelyingParty::of_origin(ORIGIN).expect("a domain")
}

#[test]
fn verify_accepts_both_algorithms() {
    for device in [Device::es256(), Device::eddsa()] {
        let registration = device.registration(&Answer::ADD);
        assert_eq!(registration.challenge(), Ok([7; 32]));
        let credential = registration.verify(&party()).expect("a passkey");
        assert_eq!(credential.id, [1, 2, 3]);
        let assertion = device.assertion(&Answer::SIGN_IN);
        assert_eq!(assertion.challenge(), Ok([7; 32]));
        assert_eq!(assertion.verify(&party(), &credential), Ok(0));
    }
}

#[test]
fn passkey_id_has_1_to_1023_bytes() {
    let device = Device::eddsa();
    for (length, good) in [(0, false), (1, true), (MAX_ID, true), (MAX_ID + 1, false)] {
        let registration = device.registration_of(&vec![7; length], &Answer::ADD);
        assert_eq!(registration.verify(&party()).is_ok(), good, "{length}");
    }
}

#[test]
fn passkey_algorithms_have_their_cose_numbers() {
    for (number, algorithm) in [
        (-7, Some(PasskeyAlgorithm::Es256)),
        (-8, Some(PasskeyAlgorithm::EdDsa)),
        (7, None),
    ] {
        assert_eq!(PasskeyAlgorithm::from_number(number), algorithm);
        assert!(algorithm.is_none_or(|known| known.number() == number));
    }
}

#[test]
fn relying_party_is_a_name_with_or_without_port() {
    let id = |origin| RelyingParty::of_origin(origin).map(|party| party.id);
    for (origin, expected) in [
        (
            "https://my-app.example.com:8443",
            Some("my-app.example.com"),
        ),
        ("https://app.example.com:84a3", None),
        ("https://my_app.example.com", None),
    ] {
        assert_eq!(id(origin).as_deref(), expected, "{origin}");
    }
}

#[test]
fn verify_rejects_responses_for_other_requests() {
    let device = Device::es256();
    let credential = device.registration(&Answer::ADD).verify(&party());
    let credential = credential.expect("a passkey");
    let sign_in = Answer::SIGN_IN;
    for (answer, error) in [
        (
            Answer {
                kind: "webauthn.create",
                ..sign_in
            },
            PasskeyError::WrongType,
        ),
        (
            Answer {
                origin: "https://app.example.com.evil.example",
                ..sign_in
            },
            PasskeyError::WrongOrigin,
        ),
        (
            Answer {
                origin: "http://app.example.com",
                ..sign_in
            },
            PasskeyError::WrongOrigin,
        ),
        (
            Answer {
                cross_origin: true,
                ..sign_in
            },
            PasskeyError::WrongOrigin,
        ),
        (
            Answer {
                party: "example.com",
                ..sign_in
            },
            PasskeyError::WrongRelyingParty,
        ),
        (
            Answer {
                flags: USER_PRESENT,
                ..sign_in
            },
            PasskeyError::NotVerified,
        ),
        (
            Answer {
                flags: USER_VERIFIED,
                ..sign_in
            },
            PasskeyError::NotVerified,
        ),
    ] {
        let refused = device.assertion(&answer).verify(&party(), &credential);
        assert_eq!(refused, Err(error), "{}", answer.origin);
        let kind = match answer.kind {
            "webauthn.get" => "webauthn.create",
            _ => "webauthn.get",
        };
        let flags = answer.flags | HAS_CREDENTIAL;
        let refused = device.registration(&Answer {
            kind,
            flags,
            ..answer
        });
        assert_eq!(refused.verify(&party()), Err(error), "{}", answer.origin);
    }
    let without = Answer {
        flags: USER_PRESENT | USER_VERIFIED,
        ..Answer::ADD
    };
    let refused = device.registration(&without).verify(&party());
    assert_eq!(refused, Err(PasskeyError::Malformed));
}

#[test]
fn verify_rejects_wrong_signatures() {
    let device = Device::es256();
    let credential = device.registration(&Answer::ADD).verify(&party());
    let credential = credential.expect("a passkey");
    for other in [Device::es256(), Device::eddsa()] {
        let refused = other
            .assertion(&Answer::SIGN_IN)
            .verify(&party(), &credential);
        assert_eq!(refused, Err(PasskeyError::WrongSignature));
    }
    let mut changed = device.assertion(&Answer::SIGN_IN);
    changed.client_data.push(b' ');
    let refused = changed.verify(&party(), &credential);
    assert_eq!(refused, Err(PasskeyError::WrongSignature));
}

#[test]
fn verify_requires_an_increasing_counter() {
    let device = Device::es256();
    let credential = device.registration(&Answer::ADD).verify(&party());
    let credential = credential.expect("a passkey");
    for (stored, sent, expected) in [
        (0, 0, Ok(0)),
        (0, 1, Ok(1)),
        (5, 6, Ok(6)),
        (5, 5, Err(PasskeyError::Counter)),
        (5, 4, Err(PasskeyError::Counter)),
        (5, 0, Err(PasskeyError::Counter)),
    ] {
        let known = Credential {
            sign_count: stored,
            ..credential.clone()
        };
        let answer = Answer {
            count: sent,
            ..Answer::SIGN_IN
        };
        let verified = device.assertion(&answer).verify(&party(), &known);
        assert_eq!(verified, expected, "{stored} {sent}");
    }
}

#[test]
fn decode_rejects_malformed_responses() {
    let good = encode(b"{}");
    assert!(Assertion::decode([&good, &good, &good, "+"]).is_err());
    let nothing = Assertion::decode([&good; 4]).expect("base64");
    assert_eq!(nothing.challenge(), Err(PasskeyError::Malformed));
    let device = Device::es256();
    let whole = device.registration(&Answer::ADD);
    for end in 0..whole.attestation.len() {
        let cut = Registration {
            attestation: whole.attestation[..end].to_vec(),
            ..whole.clone()
        };
        assert!(cut.verify(&party()).is_err(), "{end}");
    }
    // RSA.
    let key = Value::Map(vec![
        (Value::from(1), Value::from(3)),
        (Value::from(3), Value::from(-257)),
    ]);
    assert_eq!(public_key(&key), Err(PasskeyError::Unsupported));
}

#[test]
fn relying_party_requires_a_supported_origin() {
    for (origin, id) in [
        ("https://app.example.com", Some("app.example.com")),
        ("https://App.Example.com:8443", Some("app.example.com")),
        ("http://localhost:8080", Some("localhost")),
        ("http://app.example.com", None),
        ("http://192.168.0.5:8080", None),
        ("https://192.168.0.5", None),
        ("https://[::1]:8443", None),
        ("localhost", None),
        ("", None),
    ] {
        let party = RelyingParty::of_origin(origin).map(|party| party.id);
        assert_eq!(party.as_deref(), id, "{origin}");
    }
}
