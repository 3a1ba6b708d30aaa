//! Authenticator apps and passkeys for tests.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ciborium::Value;
use hourmeter_proto::accounts::v1::*;
use hourmeter_runtime::client::PUBLIC_ORIGIN;
use hourmeter_runtime::error::ServiceError;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::staff_support::{Desk, Totp};
use crate::support::{PASSWORD, Signed, by, edge, read};

pub const ORIGIN: &str = "https://app.example.com";

/// A request of the gateway at [`ORIGIN`].
pub fn at_origin<T>(mut request: tonic::Request<T>) -> tonic::Request<T> {
    let origin = ORIGIN.parse().unwrap();
    request.metadata_mut().insert(PUBLIC_ORIGIN, origin);
    request
}

/// The owner's sign-in request, for tests to complete.
pub fn login(who: &Signed) -> SignInRequest {
    SignInRequest {
        email_or_business_name: who.user.email.clone().unwrap(),
        password: PASSWORD.to_owned(),
        ..SignInRequest::default()
    }
}

impl Desk {
    /// Sets up an authenticator; returns it with the recovery codes.
    pub async fn authenticator(&self, who: &Signed) -> (Totp, Vec<String>) {
        let request = by(who, StartAuthenticatorRequest {});
        let started = self.client().start_authenticator(request).await.unwrap();
        let totp = Totp::read(&started.into_inner().secret);
        let code = totp.code(&self.clock);
        let request = by(who, ConfirmAuthenticatorRequest { code });
        let done = self.client().confirm_authenticator(request).await.unwrap();
        // Codes from the setup are no longer valid.
        self.wait(60);
        (totp, done.into_inner().recovery_codes)
    }

    pub async fn factor(&self, who: &Signed) -> SecondFactor {
        let request = at_origin(by(who, GetSecondFactorRequest {}));
        let answer = self.client().get_second_factor(request).await.unwrap();
        answer.into_inner().second_factor.unwrap()
    }

    /// Signs in through the gateway at [`ORIGIN`].
    pub async fn enter(&self, request: SignInRequest) -> Result<SessionGrant, ServiceError> {
        let request = at_origin(edge(request));
        let answer = read(self.client().sign_in(request).await)?;
        Ok(answer.session.unwrap())
    }

    pub async fn require(
        &self,
        owner: &Signed,
        required: bool,
    ) -> Result<SecondFactor, ServiceError> {
        let request = by(owner, SetSecondFactorRequiredRequest { required });
        let answer = read(self.client().set_second_factor_required(request).await)?;
        Ok(answer.second_factor.unwrap())
    }

    pub async fn start_passkey(&self, who: &Signed) -> StartPasskeyResponse {
        let request = at_origin(by(who, StartPasskeyRequest {}));
        let answer = self.client().start_passkey(request).await;
        answer.unwrap().into_inner()
    }

    pub async fn add_passkey(
        &self,
        who: &Signed,
        request: AddPasskeyRequest,
    ) -> Result<AddPasskeyResponse, ServiceError> {
        let request = at_origin(by(who, request));
        read(self.client().add_passkey(request).await)
    }

    /// Adds a passkey; returns it with the recovery codes.
    pub async fn passkey(&self, who: &Signed) -> (Device, Vec<String>) {
        let device = Device::new();
        let challenge = self.start_passkey(who).await.challenge;
        let answer = Answer::to(&challenge);
        let added = self.add_passkey(who, device.add(&answer)).await.unwrap();
        (device, added.recovery_codes)
    }

    /// A challenge to sign in with a passkey.
    pub async fn challenge(
        &self,
        who: &Signed,
    ) -> Result<StartPasskeySignInResponse, ServiceError> {
        let request = StartPasskeySignInRequest {
            email_or_business_name: who.user.email.clone().unwrap(),
            password: PASSWORD.to_owned(),
            ..StartPasskeySignInRequest::default()
        };
        let request = at_origin(edge(request));
        read(self.client().start_passkey_sign_in(request).await)
    }
}

/// An authenticator that holds one passkey.
pub struct Device {
    pub id: Vec<u8>,
    key: EcdsaKeyPair,
}

/// The response, for tests to modify.
#[derive(Clone)]
pub struct Answer {
    pub challenge: String,
    pub origin: &'static str,
    pub party: &'static str,
    pub flags: u8,
    pub count: u32,
}

impl Answer {
    pub fn to(challenge: &str) -> Self {
        Self {
            challenge: challenge.to_owned(),
            origin: ORIGIN,
            party: "app.example.com",
            flags: 0b101,
            count: 0,
        }
    }

    fn client_data(&self, kind: &str) -> Vec<u8> {
        let data = json!({"type": kind, "challenge": self.challenge, "origin": self.origin});
        data.to_string().into_bytes()
    }

    fn data(&self, flags: u8) -> Vec<u8> {
        let hash = Sha256::digest(self.party);
        [hash.as_slice(), &[flags], &self.count.to_be_bytes()].concat()
    }
}

impl Device {
    pub fn new() -> Self {
        let random = SystemRandom::new();
        let signing = &ECDSA_P256_SHA256_ASN1_SIGNING;
        let document = EcdsaKeyPair::generate_pkcs8(signing, &random).unwrap();
        Self {
            id: uuid::Uuid::now_v7().as_bytes().to_vec(),
            key: EcdsaKeyPair::from_pkcs8(signing, document.as_ref(), &random).unwrap(),
        }
    }

    pub fn add(&self, answer: &Answer) -> AddPasskeyRequest {
        let point = self.key.public_key().as_ref();
        let key = Value::Map(vec![
            (1.into(), 2.into()),
            (3.into(), (-7).into()),
            ((-1).into(), 1.into()),
            ((-2).into(), Value::Bytes(point[1..33].to_vec())),
            ((-3).into(), Value::Bytes(point[33..].to_vec())),
        ]);
        let mut data = answer.data(answer.flags | 0b100_0000);
        data.extend([0; 16]);
        data.extend(u16::try_from(self.id.len()).unwrap().to_be_bytes());
        data.extend(&self.id);
        ciborium::into_writer(&key, &mut data).unwrap();
        let mut attestation = Vec::new();
        let object = Value::Map(vec![
            ("fmt".into(), "none".into()),
            ("attStmt".into(), Value::Map(Vec::new())),
            ("authData".into(), Value::Bytes(data)),
        ]);
        ciborium::into_writer(&object, &mut attestation).unwrap();
        AddPasskeyRequest {
            name: "Phone".to_owned(),
            client_data_json: encode(&answer.client_data("webauthn.create")),
            attestation_object: encode(&attestation),
        }
    }

    pub fn sign(&self, answer: &Answer) -> PasskeyAssertion {
        let client_data = answer.client_data("webauthn.get");
        let data = answer.data(answer.flags);
        let signed = [data.as_slice(), &Sha256::digest(&client_data)].concat();
        let signature = self.key.sign(&SystemRandom::new(), &signed).unwrap();
        PasskeyAssertion {
            credential_id: encode(&self.id),
            client_data_json: encode(&client_data),
            authenticator_data: encode(&data),
            signature: encode(signature.as_ref()),
        }
    }
}

pub fn encode(bytes: &[u8]) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}
