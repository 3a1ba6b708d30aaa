//! Signed identity tokens: compact JWS, Ed25519 only, for one service, valid for seconds.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{Caller, Service, ed25519};
use crate::clock::Clock;
use crate::error::ServiceError;
use crate::telemetry::names;

const LIFETIME_SECONDS: i64 = 30;
/// Tolerated clock skew between machines.
const SKEW_SECONDS: u64 = 30;

#[derive(Serialize, Deserialize)]
struct Claims {
    iss: String,
    aud: String,
    iat: i64,
    exp: i64,
    caller: Caller,
}

/// Signs identities. Clones share the key.
#[derive(Clone)]
pub struct Signer {
    issuer: &'static str,
    header: Header,
    key: Arc<RwLock<EncodingKey>>,
    clock: Clock,
    /// A hash of the first secret.
    derived: [u8; 32],
}

/// The id of a key in tokens: its issuer and a prefix of the public key's hash.
fn key_id(issuer: &str, public: &[u8; 32]) -> String {
    let hash = Sha256::digest(public);
    let beginning = u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]]);
    format!("{issuer}:{beginning:08x}")
}

impl std::fmt::Debug for Signer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Signer")
            .field("issuer", &self.issuer)
            .finish_non_exhaustive()
    }
}

impl Signer {
    /// Creates a signer for `issuer`, which is `gateway` or a service's name.
    pub fn new(issuer: &'static str, secret: &[u8; 32]) -> Result<Self, ServiceError> {
        ed25519::install();
        let mut header = Header::new(Algorithm::EdDSA);
        // The previous release identifies keys by issuer only, and both releases call each other
        // during a deployment. The next release can use [`key_id`], which this one accepts.
        header.kid = Some(issuer.to_owned());
        Ok(Self {
            issuer,
            header,
            key: Arc::new(RwLock::new(EncodingKey::from_ed_der(secret))),
            clock: Clock::system(),
            derived: Sha256::new()
                .chain_update("derived from the signing key")
                .chain_update(secret)
                .finalize()
                .into(),
        })
    }

    /// Replaces the secret.
    pub fn sign_with(&self, secret: &[u8; 32]) {
        let key = EncodingKey::from_ed_der(secret);
        *self.key.write().unwrap_or_else(PoisonError::into_inner) = key;
    }

    /// Derives a secret for a purpose, the same in all processes that started with the same signing
    /// key. [`Signer::sign_with`] does not change it, so processes that start after a key rotation
    /// derive another secret; use it only where that is acceptable.
    pub fn derived(&self, purpose: &str) -> [u8; 32] {
        Sha256::new()
            .chain_update(self.derived)
            .chain_update(purpose)
            .finalize()
            .into()
    }

    /// Signs an identity for calls to one service.
    pub fn sign(&self, audience: Service, caller: &Caller) -> Result<String, ServiceError> {
        let now = self.clock.now().timestamp();
        let claims = Claims {
            iss: self.issuer.to_owned(),
            aud: audience.name().to_owned(),
            iat: now,
            exp: now + LIFETIME_SECONDS,
            caller: caller.clone(),
        };
        let key = self.key.read().unwrap_or_else(PoisonError::into_inner);
        jsonwebtoken::encode(&self.header, &claims, &key).map_err(ServiceError::internal)
    }
}

/// Public keys by issuer; an issuer has several during a key rotation.
#[derive(Clone, Debug, Default)]
pub struct TrustedIssuers(BTreeMap<String, Vec<[u8; 32]>>);

impl TrustedIssuers {
    /// Adds a public key of an issuer.
    #[must_use]
    pub fn with(mut self, issuer: impl Into<String>, public_key: [u8; 32]) -> Self {
        self.0.entry(issuer.into()).or_default().push(public_key);
        self
    }

    /// The public key of a secret.
    pub fn public_key(secret: &[u8; 32]) -> [u8; 32] {
        ed25519::public_key(secret)
    }
}

const CACHE_SIZE: usize = 4096;

/// Verifies tokens for one service. Clones share the trusted keys.
#[derive(Clone)]
pub struct Verifier {
    validation: Arc<Validation>,
    clock: Clock,
    trusted: Arc<Mutex<Trusted>>,
}

/// Trusted keys, and the cache of tokens that were verified with them.
struct Trusted {
    keys: Arc<Keys>,
    /// Expiry (seconds since the epoch) and caller by token.
    verified: HashMap<String, (i64, Caller)>,
}

/// Issuer and candidate keys by the key id in a token, which may be the issuer only.
type Keys = BTreeMap<String, (String, Vec<DecodingKey>)>;

fn keys_of(issuers: &TrustedIssuers) -> Arc<Keys> {
    let mut keys = Keys::new();
    for (issuer, public) in &issuers.0 {
        let decoding = |key: &[u8; 32]| DecodingKey::from_ed_der(key);
        let all = public.iter().map(decoding).collect();
        keys.insert(issuer.clone(), (issuer.clone(), all));
        for key in public {
            let one = (issuer.clone(), vec![decoding(key)]);
            keys.insert(key_id(issuer, key), one);
        }
    }
    Arc::new(keys)
}

impl Verifier {
    /// Creates a verifier for `service` that trusts `issuers`.
    pub fn new(service: Service, issuers: &TrustedIssuers) -> Self {
        ed25519::install();
        let mut validation = Validation::new(Algorithm::EdDSA);
        validation.set_audience(&[service.name()]);
        validation.set_required_spec_claims(&["exp", "aud", "iss"]);
        validation.leeway = SKEW_SECONDS;
        let trusted = Trusted {
            keys: keys_of(issuers),
            verified: HashMap::new(),
        };
        Self {
            validation: Arc::new(validation),
            clock: Clock::system(),
            trusted: Arc::new(Mutex::new(trusted)),
        }
    }

    /// Replaces the trusted keys and clears the cache.
    pub fn trust(&self, issuers: &TrustedIssuers) {
        let mut trusted = self.trusted();
        trusted.keys = keys_of(issuers);
        trusted.verified.clear();
    }

    fn trusted(&self) -> MutexGuard<'_, Trusted> {
        // A panic while the lock is held cannot leave a partial insert.
        self.trusted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the caller, or UNAUTHENTICATED for a token that is missing, forged, expired or for
    /// another service.
    pub fn verify(&self, token: &str) -> Result<Caller, ServiceError> {
        let now = self.clock.now().timestamp();
        let keys = {
            let trusted = self.trusted();
            match trusted.verified.get(token) {
                Some((until, caller)) if now < *until => return Ok(caller.clone()),
                _ => trusted.keys.clone(),
            }
        };
        let verified = self.verify_signature(&keys, token);
        let (until, caller) = verified.inspect_err(|_| names::KEY_FAILURES.count(["identity"]))?;
        let mut trusted = self.trusted();
        // Not if the trusted keys were replaced meanwhile.
        if Arc::ptr_eq(&keys, &trusted.keys) {
            if trusted.verified.len() >= CACHE_SIZE {
                trusted.verified.clear();
            }
            let entry = (until, caller.clone());
            trusted.verified.insert(token.to_owned(), entry);
        }
        Ok(caller)
    }

    /// Verifies a token that is not cached; returns its caller and expiry.
    fn verify_signature(&self, keys: &Keys, token: &str) -> Result<(i64, Caller), ServiceError> {
        let header =
            jsonwebtoken::decode_header(token).map_err(|_| ServiceError::unauthenticated())?;
        let id = header.kid.unwrap_or_default();
        let (issuer, keys) = keys.get(&id).ok_or_else(ServiceError::unauthenticated)?;
        let decode = |key| jsonwebtoken::decode::<Claims>(token, key, &self.validation).ok();
        let claims = keys.iter().find_map(decode);
        let claims = claims.ok_or_else(ServiceError::unauthenticated)?.claims;
        // A service may only name itself; only the gateway may name persons.
        let is_allowed = match &claims.caller {
            Caller::Service { name, .. } => issuer == name.name(),
            Caller::Edge { .. } | Caller::Person(_) | Caller::Staff(_) => issuer == "gateway",
        };
        if claims.iss == *issuer && is_allowed {
            Ok((claims.exp, claims.caller))
        } else {
            Err(ServiceError::unauthenticated())
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
    fn verify_rejects_tokens_for_another_service() {
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
    fn verify_rejects_unknown_keys() {
        let forger = Signer::new("gateway", &[9; 32]).expect("a signer");
        let token = forger.sign(Service::Equipment, &edge()).expect("a token");
        assert!(verifier(Service::Equipment).verify(&token).is_err());
        assert!(verifier(Service::Equipment).verify("").is_err());
        assert!(verifier(Service::Equipment).verify("a.b.c").is_err());
    }

    #[test]
    fn verify_accepts_services_as_themselves_only() {
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
    fn verify_rejects_expired_tokens() {
        let mut signer = Signer::new("gateway", &SECRET).expect("a signer");
        signer.clock = Clock::fixed("2020-01-01T00:00:00Z".parse().expect("a time"));
        let token = signer.sign(Service::Equipment, &edge()).expect("a token");
        assert!(verifier(Service::Equipment).verify(&token).is_err());
    }

    #[test]
    fn verify_rejects_expired_cached_tokens() {
        let signer = Signer::new("gateway", &SECRET).expect("a signer");
        let token = signer.sign(Service::Equipment, &edge()).expect("a token");
        let mut verifier = verifier(Service::Equipment);
        let now = Clock::system().now();
        verifier.clock = Clock::fixed(now);
        assert!(verifier.verify(&token).is_ok());
        assert!(verifier.verify(&token).is_ok());
        assert_eq!(verifier.trusted().verified.len(), 1);
        let late = now + chrono::Duration::seconds(LIFETIME_SECONDS + 1);
        verifier.clock.set(late);
        let cached = verifier.trusted().verified.get(&token).cloned();
        let (until, _) = cached.expect("a cached token");
        assert!(until <= late.timestamp(), "the cached token has expired");
    }

    #[test]
    fn verify_uses_the_cache_until_the_token_expires() {
        let signer = Signer::new("gateway", &SECRET).expect("a signer");
        let sign = |caller: &Caller| signer.sign(Service::Equipment, caller).expect("a token");
        let cached = Caller::Edge {
            request_id: Uuid::from_u128(1),
        };
        let token = sign(&edge());
        let mut verifier = verifier(Service::Equipment);
        let now = Clock::system().now();
        verifier.clock = Clock::fixed(now);
        let entry = (now.timestamp() + 1, cached.clone());
        verifier.trusted().verified.insert(token.clone(), entry);
        assert_eq!(verifier.verify(&token).expect("a caller"), cached);
        verifier.clock.set(now + chrono::Duration::seconds(1));
        assert_eq!(verifier.verify(&token).expect("a caller"), edge());
        verifier.verify(&sign(&cached)).expect("a caller");
        assert_eq!(verifier.trusted().verified.len(), 2);
    }

    #[test]
    fn derived_secrets_differ_by_key_and_purpose() {
        let derived = |secret, purpose| {
            let signer = Signer::new("gateway", secret).expect("a signer");
            signer.derived(purpose)
        };
        let first = derived(&SECRET, "a");
        assert_eq!(derived(&SECRET, "a"), first);
        assert_ne!(derived(&SECRET, "b"), first);
        assert_ne!(derived(&[8; 32], "a"), first);
    }

    #[test]
    fn verify_limits_the_cache() {
        let signer = Signer::new("gateway", &SECRET).expect("a signer");
        let verifier = verifier(Service::Equipment);
        for _ in 0..=CACHE_SIZE {
            let caller = Caller::Edge {
                request_id: Uuid::now_v7(),
            };
            let token = signer.sign(Service::Equipment, &caller).expect("a token");
            assert_eq!(verifier.verify(&token).expect("a caller"), caller);
        }
        assert!(verifier.trusted().verified.len() <= CACHE_SIZE);
    }

    #[test]
    fn trust_allows_key_rotation() {
        let (old, new) = ([3; 32], [4; 32]);
        let public = TrustedIssuers::public_key;
        let only = |secret| TrustedIssuers::default().with("gateway", public(secret));
        let verifier = Verifier::new(Service::Equipment, &only(&old));
        let signer = Signer::new("gateway", &old).expect("a signer");
        let sign = || signer.sign(Service::Equipment, &edge()).expect("a token");
        let before = sign();
        assert!(verifier.verify(&before).is_ok());
        // Order: add the new public key, change the secret, remove the old public key.
        verifier.trust(&only(&old).with("gateway", public(&new)));
        assert!(verifier.verify(&before).is_ok());
        signer.clone().sign_with(&new);
        let after = sign();
        for token in [&before, &after] {
            assert!(verifier.verify(token).is_ok());
        }
        verifier.clone().trust(&only(&new));
        assert!(verifier.verify(&after).is_ok());
        assert!(verifier.verify(&before).is_err());
    }

    #[test]
    fn verify_accepts_issuer_and_key_id() {
        let (first, second) = ([3; 32], [4; 32]);
        let public = TrustedIssuers::public_key;
        let issuers = TrustedIssuers::default().with("gateway", public(&first));
        let verifier = Verifier::new(
            Service::Equipment,
            &issuers.with("gateway", public(&second)),
        );
        for (secret, trusted) in [(first, true), (second, true), ([5; 32], false)] {
            let mut signer = Signer::new("gateway", &secret).expect("a signer");
            let own = key_id("gateway", &public(&secret));
            for (id, known) in [
                ("gateway", true),
                (&own, true),
                ("gateway:00000000", false),
                ("billing", false),
            ] {
                signer.header.kid = Some(id.to_owned());
                let token = signer.sign(Service::Equipment, &edge()).expect("a token");
                let expected = trusted && known;
                assert_eq!(verifier.verify(&token).is_ok(), expected, "{id}");
            }
        }
    }

    #[test]
    fn key_id_has_issuer_and_hash() {
        let id = key_id("gateway", &[0; 32]);
        assert_eq!(id, "gateway:66687aad");
    }

    #[test]
    fn sign_uses_the_key_id_of_the_previous_release() {
        let signer = Signer::new("gateway", &SECRET).expect("a signer");
        signer.sign_with(&[9; 32]);
        let token = signer.sign(Service::Equipment, &edge()).expect("a token");
        let header = jsonwebtoken::decode_header(&token).expect("a header");
        assert_eq!(header.kid.as_deref(), Some("gateway"));
    }
}

#[cfg(test)]
#[path = "token_fuzz.rs"]
mod fuzz;
