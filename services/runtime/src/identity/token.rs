//! Identities as signed tokens: compact JWS, Ed25519 only, addressed to one service, for seconds.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{Caller, Service, ed25519};
use crate::clock::Clock;
use crate::error::ServiceError;
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

/// Signs identities; only the gateway and services that call others hold one. All clones change
/// their key together.
#[derive(Clone)]
pub struct Signer {
    issuer: &'static str,
    key: Arc<RwLock<Arc<SigningKeyInUse>>>,
    clock: Clock,
    /// Made from the first secret, and leads back to nothing.
    derived: [u8; 32],
}

struct SigningKeyInUse {
    key: EncodingKey,
    header: Header,
}

impl SigningKeyInUse {
    fn new(issuer: &str, secret: &[u8; 32]) -> Self {
        ed25519::install();
        let mut header = Header::new(Algorithm::EdDSA);
        // The release before this one knows keys by their issuer alone, and both call each other while
        // one takes the other's place. The next release signs with [`key_id`], which this one takes.
        header.kid = Some(issuer.to_owned());
        Self {
            key: EncodingKey::from_ed_der(secret),
            header,
        }
    }
}

/// What names a key in a token: its issuer, and the beginning of the public key's hash.
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
    /// A signer named `issuer` (`gateway` or a service's name) with a 32-byte secret.
    pub fn new(issuer: &'static str, secret: &[u8; 32]) -> Result<Self, ServiceError> {
        let key = SigningKeyInUse::new(issuer, secret);
        Ok(Self {
            issuer,
            key: Arc::new(RwLock::new(Arc::new(key))),
            clock: Clock::system(),
            derived: Sha256::new()
                .chain_update("derived from the signing key")
                .chain_update(secret)
                .finalize()
                .into(),
        })
    }

    /// Signs with another secret from now on.
    pub fn sign_with(&self, secret: &[u8; 32]) -> Result<(), ServiceError> {
        let key = SigningKeyInUse::new(self.issuer, secret);
        *self.key.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(key);
        Ok(())
    }

    /// A secret that all processes share that were started with the same signing key, another for
    /// each purpose. It does not change with [`Signer::sign_with`]: processes that were started before
    /// and after differ, so nothing may hang on it that has to last.
    pub fn derived(&self, purpose: &str) -> [u8; 32] {
        Sha256::new()
            .chain_update(self.derived)
            .chain_update(purpose)
            .finalize()
            .into()
    }

    /// The signed identity for one call to one service.
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
        let key = key.clone();
        jsonwebtoken::encode(&key.header, &claims, &key.key).map_err(ServiceError::internal)
    }
}

/// Public keys by issuer: the gateway's, and those of services that may call. One each, or several
/// while they change.
#[derive(Clone, Debug, Default)]
pub struct TrustedIssuers(BTreeMap<String, Vec<[u8; 32]>>);

impl TrustedIssuers {
    /// Trusts an issuer by this public key too.
    #[must_use]
    pub fn with(mut self, issuer: impl Into<String>, public_key: [u8; 32]) -> Self {
        self.0.entry(issuer.into()).or_default().push(public_key);
        self
    }

    /// The public key that belongs to a signer's secret.
    pub fn public_key(secret: &[u8; 32]) -> [u8; 32] {
        ed25519::public_key(secret)
    }
}

/// How many verified identities are remembered; a reused one is not verified again.
const REMEMBERED: usize = 4096;

/// Verifies identities addressed to one service. All clones trust the same.
#[derive(Clone)]
pub struct Verifier {
    validation: Arc<Validation>,
    clock: Clock,
    trusted: Arc<Mutex<Trusted>>,
}

/// Whom to believe, and what was believed because of it.
struct Trusted {
    keys: Arc<Keys>,
    /// By token: until when (seconds since the epoch) it names which caller.
    seen: HashMap<String, (i64, Caller)>,
}

/// By the id in a token: the issuer, and the keys it may be signed with. An id may name the issuer
/// alone.
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
    /// A verifier for `service`, trusting `issuers`.
    pub fn new(service: Service, issuers: &TrustedIssuers) -> Self {
        ed25519::install();
        let mut validation = Validation::new(Algorithm::EdDSA);
        validation.set_audience(&[service.name()]);
        validation.set_required_spec_claims(&["exp", "aud", "iss"]);
        validation.leeway = SKEW_SECONDS;
        let trusted = Trusted {
            keys: keys_of(issuers),
            seen: HashMap::new(),
        };
        Self {
            validation: Arc::new(validation),
            clock: Clock::system(),
            trusted: Arc::new(Mutex::new(trusted)),
        }
    }

    /// Trusts these from now on, and nobody else: what was believed before is verified again.
    pub fn trust(&self, issuers: &TrustedIssuers) {
        let mut trusted = self.trusted();
        trusted.keys = keys_of(issuers);
        trusted.seen.clear();
    }

    fn trusted(&self) -> MutexGuard<'_, Trusted> {
        // A half-done insert can't be seen, so a panic elsewhere leaves nothing wrong behind.
        self.trusted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The caller a token names, or UNAUTHENTICATED for a token that is missing, forged, old or
    /// addressed to another service.
    pub fn verify(&self, token: &str) -> Result<Caller, ServiceError> {
        let now = self.clock.now().timestamp();
        let keys = {
            let trusted = self.trusted();
            match trusted.seen.get(token) {
                Some((until, caller)) if now < *until => return Ok(caller.clone()),
                _ => trusted.keys.clone(),
            }
        };
        let verified = self.verify_signature(&keys, token);
        let (until, caller) = verified.inspect_err(|_| names::KEY_FAILURES.count(["identity"]))?;
        let mut trusted = self.trusted();
        // Somebody may have stopped being trusted meanwhile.
        if Arc::ptr_eq(&keys, &trusted.keys) {
            if trusted.seen.len() >= REMEMBERED {
                trusted.seen.clear();
            }
            let seen = (until, caller.clone());
            trusted.seen.insert(token.to_owned(), seen);
        }
        Ok(caller)
    }

    /// The caller of a token that was not seen before, and when the token ends.
    fn verify_signature(&self, keys: &Keys, token: &str) -> Result<(i64, Caller), ServiceError> {
        let header =
            jsonwebtoken::decode_header(token).map_err(|_| ServiceError::unauthenticated())?;
        let id = header.kid.unwrap_or_default();
        let (issuer, keys) = keys.get(&id).ok_or_else(ServiceError::unauthenticated)?;
        let decode = |key| jsonwebtoken::decode::<Claims>(token, key, &self.validation).ok();
        let claims = keys.iter().find_map(decode);
        let claims = claims.ok_or_else(ServiceError::unauthenticated)?.claims;
        // A service may only speak for itself, and only the gateway for people.
        let speaks_for_itself = match &claims.caller {
            Caller::Service { name, .. } => issuer == name.name(),
            Caller::Edge { .. } | Caller::Person(_) | Caller::Staff(_) => issuer == "gateway",
        };
        if claims.iss == *issuer && speaks_for_itself {
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
        assert_eq!(verifier.trusted().seen.len(), 1);
        let late = now + chrono::Duration::seconds(LIFETIME_SECONDS + 1);
        verifier.clock.set(late);
        let remembered = verifier.trusted().seen.get(&token).cloned();
        let (until, _) = remembered.expect("it was seen");
        assert!(until <= late.timestamp(), "it has to be verified again");
    }

    #[test]
    fn verify_uses_what_is_remembered_until_the_token_ends() {
        let signer = Signer::new("gateway", &SECRET).expect("a signer");
        let sign = |caller: &Caller| signer.sign(Service::Equipment, caller).expect("a token");
        let remembered = Caller::Edge {
            request_id: Uuid::from_u128(1),
        };
        let token = sign(&edge());
        let mut verifier = verifier(Service::Equipment);
        let now = Clock::system().now();
        verifier.clock = Clock::fixed(now);
        let seen = (now.timestamp() + 1, remembered.clone());
        verifier.trusted().seen.insert(token.clone(), seen);
        assert_eq!(verifier.verify(&token).expect("a caller"), remembered);
        verifier.clock.set(now + chrono::Duration::seconds(1));
        assert_eq!(verifier.verify(&token).expect("a caller"), edge());
        verifier.verify(&sign(&remembered)).expect("a caller");
        assert_eq!(verifier.trusted().seen.len(), 2);
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
        assert!(verifier.trusted().seen.len() <= REMEMBERED);
    }

    #[test]
    fn keys_change_without_a_call_refused() {
        let (old, new) = ([3; 32], [4; 32]);
        let public = TrustedIssuers::public_key;
        let only = |secret| TrustedIssuers::default().with("gateway", public(secret));
        let verifier = Verifier::new(Service::Equipment, &only(&old));
        let signer = Signer::new("gateway", &old).expect("a signer");
        let sign = || signer.sign(Service::Equipment, &edge()).expect("a token");
        let before = sign();
        assert!(verifier.verify(&before).is_ok());
        // First the new public key, then the new secret, then the old public key may go.
        verifier.trust(&only(&old).with("gateway", public(&new)));
        assert!(verifier.verify(&before).is_ok());
        signer.clone().sign_with(&new).expect("a key");
        let after = sign();
        for token in [&before, &after] {
            assert!(verifier.verify(token).is_ok());
        }
        verifier.clone().trust(&only(&new));
        assert!(verifier.verify(&after).is_ok());
        assert!(verifier.verify(&before).is_err(), "it was remembered");
        assert!(verifier.verify(&before).is_err());
    }

    #[test]
    fn tokens_with_and_without_the_id_of_a_key_are_taken() {
        let (first, second) = ([3; 32], [4; 32]);
        let public = TrustedIssuers::public_key;
        let issuers = TrustedIssuers::default().with("gateway", public(&first));
        let verifier = Verifier::new(
            Service::Equipment,
            &issuers.with("gateway", public(&second)),
        );
        for (secret, trusted) in [(first, true), (second, true), ([5; 32], false)] {
            let signer = Signer::new("gateway", &secret).expect("a signer");
            let own = key_id("gateway", &public(&secret));
            for (id, known) in [
                ("gateway", true),
                (&own, true),
                ("gateway:00000000", false),
                ("billing", false),
            ] {
                let mut key = SigningKeyInUse::new("gateway", &secret);
                key.header.kid = Some(id.to_owned());
                *signer.key.write().expect("a lock") = Arc::new(key);
                let token = signer.sign(Service::Equipment, &edge()).expect("a token");
                let expected = trusted && known;
                assert_eq!(verifier.verify(&token).is_ok(), expected, "{id}");
            }
        }
    }

    #[test]
    fn a_key_is_named_by_issuer_and_hash() {
        let id = key_id("gateway", &[0; 32]);
        // Of 32 zero bytes.
        assert_eq!(id, "gateway:66687aad");
    }

    #[test]
    fn the_release_before_finds_its_key() {
        let signer = Signer::new("gateway", &SECRET).expect("a signer");
        signer.sign_with(&[9; 32]).expect("a key");
        let token = signer.sign(Service::Equipment, &edge()).expect("a token");
        let header = jsonwebtoken::decode_header(&token).expect("a header");
        assert_eq!(header.kid.as_deref(), Some("gateway"));
    }
}

#[cfg(test)]
#[path = "token_fuzz.rs"]
mod fuzz;
