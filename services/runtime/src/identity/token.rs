//! Identities as signed tokens: compact JWS, Ed25519 only, addressed to one service, for seconds.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use ed25519_dalek::SigningKey;
use ed25519_dalek::pkcs8::EncodePrivateKey as _;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{Caller, Service};
use crate::clock::Clock;
use crate::error::Failure;
use crate::telemetry::names;

/// How long a signed identity lives.
const LIFETIME_SECONDS: i64 = 30;
/// How far two machines' clocks may differ.
const SKEW_SECONDS: u64 = 30;

#[derive(Serialize, Deserialize)]
struct Claims {
    iss: String,
    aud: String,
    iat: i64,
    exp: i64,
    caller: Caller,
}

/// Signs identities; only the gateway and services that call others hold one.
#[derive(Clone)]
pub struct Signer {
    issuer: &'static str,
    key: Arc<EncodingKey>,
    header: Arc<Header>,
    clock: Clock,
    /// Made from the secret, and leads back to nothing.
    derived: [u8; 32],
}

impl std::fmt::Debug for Signer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Signer")
            .field("issuer", &self.issuer)
            .finish_non_exhaustive()
    }
}

impl Signer {
    /// A signer named `issuer` (`gateway` or a service's name) with a 32-byte secret.
    pub fn new(issuer: &'static str, secret: &[u8; 32]) -> Result<Self, Failure> {
        let key = SigningKey::from_bytes(secret)
            .to_pkcs8_der()
            .map_err(Failure::internal)?;
        let mut header = Header::new(Algorithm::EdDSA);
        header.kid = Some(issuer.to_owned());
        Ok(Self {
            issuer,
            key: Arc::new(EncodingKey::from_ed_der(key.as_bytes())),
            header: Arc::new(header),
            clock: Clock::system(),
            derived: Sha256::new()
                .chain_update("derived from the signing key")
                .chain_update(secret)
                .finalize()
                .into(),
        })
    }

    /// A secret that all processes with the same signing key share, another for each purpose.
    pub fn derived(&self, purpose: &str) -> [u8; 32] {
        Sha256::new()
            .chain_update(self.derived)
            .chain_update(purpose)
            .finalize()
            .into()
    }

    /// The signed identity for one call to one service.
    pub fn sign(&self, audience: Service, caller: &Caller) -> Result<String, Failure> {
        let now = self.clock.now().timestamp();
        let claims = Claims {
            iss: self.issuer.to_owned(),
            aud: audience.name().to_owned(),
            iat: now,
            exp: now + LIFETIME_SECONDS,
            caller: caller.clone(),
        };
        jsonwebtoken::encode(&self.header, &claims, &self.key).map_err(Failure::internal)
    }
}

/// Public keys by issuer: the gateway's, and those of services that may call.
#[derive(Clone, Debug, Default)]
pub struct TrustedIssuers(BTreeMap<String, [u8; 32]>);

impl TrustedIssuers {
    /// Trusts an issuer by its public key.
    #[must_use]
    pub fn with(mut self, issuer: impl Into<String>, public_key: [u8; 32]) -> Self {
        self.0.insert(issuer.into(), public_key);
        self
    }

    /// The public key that belongs to a signer's secret.
    pub fn public_key(secret: &[u8; 32]) -> [u8; 32] {
        SigningKey::from_bytes(secret).verifying_key().to_bytes()
    }
}

/// How many verified identities are remembered; a reused one is not verified again.
const REMEMBERED: usize = 4096;

/// Verifies identities addressed to one service.
#[derive(Clone)]
pub struct Verifier {
    keys: Arc<BTreeMap<String, DecodingKey>>,
    validation: Arc<Validation>,
    clock: Clock,
    /// By token: until when (seconds since the epoch) it names which caller.
    seen: Arc<Mutex<HashMap<String, (i64, Caller)>>>,
}

impl Verifier {
    /// A verifier for `service`, trusting `issuers`.
    pub fn new(service: Service, issuers: &TrustedIssuers) -> Self {
        let mut validation = Validation::new(Algorithm::EdDSA);
        validation.set_audience(&[service.name()]);
        validation.set_required_spec_claims(&["exp", "aud", "iss"]);
        validation.leeway = SKEW_SECONDS;
        let keys = issuers
            .0
            .iter()
            .map(|(issuer, key)| (issuer.clone(), DecodingKey::from_ed_der(key)))
            .collect();
        Self {
            keys: Arc::new(keys),
            validation: Arc::new(validation),
            clock: Clock::system(),
            seen: Arc::default(),
        }
    }

    /// The caller a token names, or UNAUTHENTICATED for a token that is missing, forged, old or
    /// addressed to another service.
    pub fn verify(&self, token: &str) -> Result<Caller, Failure> {
        let now = self.clock.now().timestamp();
        // A half-done insert can't be seen, so a panic elsewhere leaves nothing wrong behind.
        let seen = || self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((until, caller)) = seen().get(token)
            && now < *until
        {
            return Ok(caller.clone());
        }
        let verified = self.verify_signature(token);
        let (until, caller) = verified.inspect_err(|_| names::KEY_FAILURES.count(["identity"]))?;
        let mut seen = seen();
        if seen.len() >= REMEMBERED {
            seen.clear();
        }
        seen.insert(token.to_owned(), (until, caller.clone()));
        Ok(caller)
    }

    /// The caller of a token that was not seen before, and when the token ends.
    fn verify_signature(&self, token: &str) -> Result<(i64, Caller), Failure> {
        let header = jsonwebtoken::decode_header(token).map_err(|_| Failure::unauthenticated())?;
        let issuer = header.kid.unwrap_or_default();
        let key = self
            .keys
            .get(&issuer)
            .ok_or_else(Failure::unauthenticated)?;
        let claims = jsonwebtoken::decode::<Claims>(token, key, &self.validation)
            .map_err(|_| Failure::unauthenticated())?
            .claims;
        // A service may only speak for itself, and only the gateway for people.
        let speaks_for_itself = match &claims.caller {
            Caller::Service { name, .. } => issuer == name.name(),
            Caller::Edge { .. } | Caller::Person(_) | Caller::Staff(_) => issuer == "gateway",
        };
        if claims.iss == issuer && speaks_for_itself {
            Ok((claims.exp, claims.caller))
        } else {
            Err(Failure::unauthenticated())
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const SECRET: [u8; 32] = [7; 32];

    fn edge() -> Caller {
        Caller::Edge {
            request_id: Uuid::nil(),
        }
    }

    fn verifier(service: Service) -> Verifier {
        let gateway = TrustedIssuers::public_key(&SECRET);
        let relay = TrustedIssuers::public_key(&[8; 32]);
        let issuers = TrustedIssuers::default().with("gateway", gateway);
        Verifier::new(service, &issuers.with("operator-updates", relay))
    }

    #[test]
    fn a_token_is_for_one_service() {
        let signer = Signer::new("gateway", &SECRET).expect("a signer");
        let token = signer.sign(Service::Equipment, &edge()).expect("a token");
        assert_eq!(
            verifier(Service::Equipment)
                .verify(&token)
                .expect("a caller"),
            edge()
        );
        assert!(verifier(Service::Billing).verify(&token).is_err());
    }

    #[test]
    fn a_foreign_key_is_refused() {
        let forger = Signer::new("gateway", &[9; 32]).expect("a signer");
        let token = forger.sign(Service::Equipment, &edge()).expect("a token");
        assert!(verifier(Service::Equipment).verify(&token).is_err());
        assert!(verifier(Service::Equipment).verify("").is_err());
        assert!(verifier(Service::Equipment).verify("a.b.c").is_err());
    }

    #[test]
    fn a_service_speaks_only_for_itself() {
        let relay = Signer::new("operator-updates", &[8; 32]).expect("a signer");
        let itself = Caller::Service {
            name: Service::OperatorUpdates,
            company_id: Uuid::nil(),
        };
        let token = relay.sign(Service::Equipment, &itself).expect("a token");
        assert!(verifier(Service::Equipment).verify(&token).is_ok());
        let token = relay.sign(Service::Equipment, &edge()).expect("a token");
        assert!(verifier(Service::Equipment).verify(&token).is_err());
    }

    #[test]
    fn an_old_token_is_refused() {
        let mut signer = Signer::new("gateway", &SECRET).expect("a signer");
        signer.clock = Clock::fixed("2020-01-01T00:00:00Z".parse().expect("a time"));
        let token = signer.sign(Service::Equipment, &edge()).expect("a token");
        assert!(verifier(Service::Equipment).verify(&token).is_err());
    }

    #[test]
    fn a_remembered_token_still_ends() {
        let signer = Signer::new("gateway", &SECRET).expect("a signer");
        let token = signer.sign(Service::Equipment, &edge()).expect("a token");
        let mut verifier = verifier(Service::Equipment);
        let now = Clock::system().now();
        verifier.clock = Clock::fixed(now);
        assert!(verifier.verify(&token).is_ok());
        assert!(verifier.verify(&token).is_ok());
        assert_eq!(verifier.seen.lock().expect("a lock").len(), 1);
        let late = now + chrono::Duration::seconds(LIFETIME_SECONDS + 1);
        verifier.clock.set(late);
        let remembered = verifier.seen.lock().expect("a lock").get(&token).cloned();
        let (until, _) = remembered.expect("it was seen");
        assert!(until <= late.timestamp(), "it has to be verified again");
    }

    #[test]
    fn many_tokens_do_not_fill_the_memory() {
        let signer = Signer::new("gateway", &SECRET).expect("a signer");
        let verifier = verifier(Service::Equipment);
        for _ in 0..=REMEMBERED {
            let caller = Caller::Edge {
                request_id: Uuid::now_v7(),
            };
            let token = signer.sign(Service::Equipment, &caller).expect("a token");
            assert_eq!(verifier.verify(&token).expect("a caller"), caller);
        }
        assert!(verifier.seen.lock().expect("a lock").len() <= REMEMBERED);
    }
}
