//! Who is calling. The gateway (or a service, for work without a person) signs it; every service
//! verifies it before any handler runs. There is no default identity: no token, no work.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use ed25519_dalek::SigningKey;
use ed25519_dalek::pkcs8::EncodePrivateKey as _;
use hourmeter_proto::accounts::v1::{Role, Scope};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::clock::Clock;
use crate::error::Failure;

/// The metadata entry that carries the signed identity.
pub const IDENTITY_HEADER: &str = "x-internal-identity";
/// How long a signed identity lives.
const LIFETIME_SECONDS: i64 = 30;
/// How far two machines' clocks may differ.
const SKEW_SECONDS: u64 = 30;

/// The four services, by the name they are addressed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Service {
    /// Companies, people, sessions.
    Accounts,
    /// Equipment and its ledger.
    Equipment,
    /// Submissions and their review.
    OperatorUpdates,
    /// Plans and subscriptions.
    Billing,
}

impl Service {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::Accounts,
        Self::Equipment,
        Self::OperatorUpdates,
        Self::Billing,
    ];

    /// The name in tokens, settings and logs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Accounts => "accounts",
            Self::Equipment => "equipment",
            Self::OperatorUpdates => "operator-updates",
            Self::Billing => "billing",
        }
    }

    /// The service that answers an RPC path `/hourmeter.<package>.v1.<Service>/<Method>`.
    pub fn of_path(path: &str) -> Option<Self> {
        let package = path.strip_prefix("/hourmeter.")?.split('.').next()?;
        Self::ALL
            .into_iter()
            .find(|service| service.name().replace('-', "_") == package)
    }
}

/// The tenant whose rows a transaction may see. Only made from a verified caller, or from a
/// lookup function of the database that answered a company.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tenant(Uuid);

impl Tenant {
    /// A company that a database lookup found, for work before or without a session: signing in,
    /// signing up, the relay. Never call it with an id that a client sent.
    pub const fn found_by_lookup(company_id: Uuid) -> Self {
        Self(company_id)
    }

    /// The company's id.
    pub const fn company_id(self) -> Uuid {
        self.0
    }
}

/// What the company's plan entitles it to, as of a few seconds ago.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entitlements {
    /// The subscription has access, trial included.
    pub active: bool,
    /// How many pieces of equipment; -1: no limit.
    pub equipment_limit: i32,
    /// Fuel analytics are open.
    pub fuel_analytics: bool,
    /// Service parts may be entered.
    pub parts_entry: bool,
}

/// A person of a company, with what services need to know about person and company.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The company.
    pub company_id: Uuid,
    /// The person.
    pub user_id: Uuid,
    /// The company's owner.
    pub owner_id: Uuid,
    /// The session.
    pub session_id: Uuid,
    /// The request, for logs and audit.
    pub request_id: Uuid,
    /// The person's role; rights are the lesser of role and scope.
    #[serde(with = "role_name")]
    pub role: Role,
    /// How far the session reaches.
    #[serde(with = "scope_name")]
    pub scope: Scope,
    /// When the password was last given, seconds since the epoch.
    pub authenticated_at: i64,
    /// Name to write into histories.
    pub display_name: String,
    /// The company's time zone.
    pub time_zone: chrono_tz::Tz,
    /// Whether operator updates take effect without review.
    pub auto_apply_updates: bool,
    /// What the plan entitles to.
    pub entitlements: Entitlements,
}

impl Identity {
    /// The tenant whose rows this person may see.
    pub const fn tenant(&self) -> Tenant {
        Tenant(self.company_id)
    }

    /// Whether two requests of one session say the same about person, company and plan.
    pub fn differs_only_in_request(&self, other: &Self) -> bool {
        let same_request = Self {
            request_id: self.request_id,
            ..other.clone()
        };
        *self == same_request
    }

    /// An owner or manager with full scope.
    pub fn is_manager(&self) -> bool {
        matches!(self.role, Role::Owner | Role::Manager) && self.scope == Scope::Full
    }

    /// The owner with full scope.
    pub fn is_owner(&self) -> bool {
        self.role == Role::Owner && self.scope == Scope::Full
    }

    /// The role this session acts in: an owner in operator scope acts as operator.
    pub fn effective_role(&self) -> Role {
        if self.scope == Scope::Operator {
            Role::Operator
        } else {
            self.role
        }
    }

    /// Whether the password was given within the last 30 minutes.
    pub fn signed_in_recently(&self, clock: &Clock) -> bool {
        clock.now().timestamp() - self.authenticated_at <= 30 * 60
    }
}

/// Who is calling an RPC.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Caller {
    /// The gateway, without a session.
    Edge {
        /// The request, for logs and audit.
        request_id: Uuid,
    },
    /// A person with a session.
    Person(Box<Identity>),
    /// Another service, for one company.
    Service {
        /// Which.
        name: Service,
        /// For whom.
        company_id: Uuid,
    },
}

impl Caller {
    /// The person who calls, or UNAUTHENTICATED. Handlers of tenant RPCs begin with this.
    pub fn person<T>(request: &tonic::Request<T>) -> Result<Identity, Failure> {
        match request.extensions().get::<Self>() {
            Some(Self::Person(identity)) => Ok(identity.as_ref().clone()),
            _ => Err(Failure::unauthenticated()),
        }
    }

    /// The tenant another service works for, or UNAUTHENTICATED.
    pub fn service<T>(request: &tonic::Request<T>) -> Result<Tenant, Failure> {
        match request.extensions().get::<Self>() {
            Some(Self::Service { company_id, .. }) => Ok(Tenant(*company_id)),
            _ => Err(Failure::unauthenticated()),
        }
    }
}

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
        })
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
        let (until, caller) = self.verify_signature(token)?;
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
            Caller::Edge { .. } | Caller::Person(_) => issuer == "gateway",
        };
        if claims.iss == issuer && speaks_for_itself {
            Ok((claims.exp, claims.caller))
        } else {
            Err(Failure::unauthenticated())
        }
    }
}

/// Roles travel by their proto name.
mod role_name {
    use hourmeter_proto::accounts::v1::Role;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    #[allow(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde asks for a reference"
    )]
    pub fn serialize<S: Serializer>(role: &Role, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(role.as_str_name())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Role, D::Error> {
        let name = String::deserialize(input)?;
        Role::from_str_name(&name).ok_or_else(|| D::Error::custom("unknown role"))
    }
}

/// Scopes travel by their proto name.
mod scope_name {
    use hourmeter_proto::accounts::v1::Scope;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    #[allow(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde asks for a reference"
    )]
    pub fn serialize<S: Serializer>(scope: &Scope, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(scope.as_str_name())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Scope, D::Error> {
        let name = String::deserialize(input)?;
        Scope::from_str_name(&name).ok_or_else(|| D::Error::custom("unknown scope"))
    }
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn paths_name_their_service() {
        let path = "/hourmeter.operator_updates.v1.OperatorUpdatesService/SubmitUpdate";
        assert_eq!(Service::of_path(path), Some(Service::OperatorUpdates));
        assert_eq!(Service::of_path("/grpc.health.v1.Health/Check"), None);
    }
}
