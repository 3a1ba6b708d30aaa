//! The identity of callers. The gateway, or a service that calls another one, signs it; every
//! service verifies it before a handler runs. Calls without a valid token fail.

mod ed25519;
mod token;

use chrono::{DateTime, Utc};
use hourmeter_proto::accounts::v1::{Role, Scope};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

pub use self::token::{Signer, TrustedIssuers, Verifier};
use crate::clock::Clock;
use crate::error::ServiceError;

/// Metadata key of the signed identity.
pub const IDENTITY_HEADER: &str = "x-internal-identity";

/// The services.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Service {
    /// Companies, people, sessions.
    Accounts,
    /// Equipment and its ledger.
    Equipment,
    /// Operators' updates and their review.
    OperatorUpdates,
    /// Plans and subscriptions.
    Billing,
    /// Notifications of people.
    Notifications,
}

impl Service {
    /// All services.
    pub const ALL: [Self; 5] = [
        Self::Accounts,
        Self::Equipment,
        Self::OperatorUpdates,
        Self::Billing,
        Self::Notifications,
    ];

    /// The name in tokens, settings and logs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Accounts => "accounts",
            Self::Equipment => "equipment",
            Self::OperatorUpdates => "operator-updates",
            Self::Billing => "billing",
            Self::Notifications => "notifications",
        }
    }

    /// The service of an RPC path `/hourmeter.<package>.v1.<Service>/<Method>`.
    pub fn from_path(path: &str) -> Option<Self> {
        let package = path.strip_prefix("/hourmeter.")?.split('.').next()?;
        Self::ALL
            .into_iter()
            .find(|service| service.name().replace('-', "_") == package)
    }
}

/// The company whose rows a transaction may see. It comes only from a verified caller or from a
/// lookup function of the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tenant(Uuid);

impl Tenant {
    /// A company that a database lookup returned, for work without a session: sign-in, sign-up, the
    /// relay. Never call it with an id from a client.
    pub const fn from_lookup(company_id: Uuid) -> Self {
        Self(company_id)
    }

    /// The company's id.
    pub const fn company_id(self) -> Uuid {
        self.0
    }
}

/// The entitlements of a company's plan; may be some seconds old.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entitlements {
    /// The subscription gives access; true during the trial.
    pub active: bool,
    /// Maximum number of machines; -1: no limit.
    pub equipment_limit: i32,
    /// Whether fuel analytics are included.
    pub fuel_analytics: bool,
    /// Whether entry of service parts is included.
    pub parts_entry: bool,
}

/// A person of a company with a session.
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
    /// The request id, for logs and audit.
    pub request_id: Uuid,
    /// Client network, /24 or /64, for audit.
    pub address_prefix: String,
    /// The person's role. The session has the lesser rights of role and scope.
    #[serde(with = "role_name")]
    pub role: Role,
    /// The session's scope.
    #[serde(with = "scope_name")]
    pub scope: Scope,
    /// When the password was last entered, seconds since the epoch.
    pub authenticated_at: i64,
    /// Name for histories.
    pub display_name: String,
    /// The company's time zone.
    pub time_zone: chrono_tz::Tz,
    /// Whether operators' updates are applied without review.
    pub auto_apply_updates: bool,
    /// The company's entitlements.
    pub entitlements: Entitlements,
    /// Whether the person must still set up a second factor that the company requires. Gateways of
    /// the previous release do not send it.
    #[serde(default)]
    pub second_factor_missing: bool,
    /// Days without a reading after which a meter is stale; 0: never. Gateways of the previous
    /// release do not send it.
    #[serde(default = "default_stale_after_days")]
    pub stale_after_days: u32,
    /// The enrolled phone that signed the request in place of a session. Gateways of the previous
    /// release do not send it.
    #[serde(default)]
    pub device: Option<SigningDevice>,
}

/// An enrolled phone that signed a request for one of its people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SigningDevice {
    /// The phone's label.
    pub label: String,
    /// When a manager removed the phone; None: it is active.
    pub removed_at: Option<DateTime<Utc>>,
    /// When the person left the phone or the company; None: the person is active.
    pub person_removed_at: Option<DateTime<Utc>>,
}

/// Days without a reading after which a meter is stale, unless the company chose another number.
pub const DEFAULT_STALE_AFTER_DAYS: u32 = 14;

const fn default_stale_after_days() -> u32 {
    DEFAULT_STALE_AFTER_DAYS
}

impl Identity {
    /// The company as a tenant.
    pub const fn tenant(&self) -> Tenant {
        Tenant(self.company_id)
    }

    /// Whether this is an owner or manager with full scope.
    pub fn is_manager(&self) -> bool {
        matches!(self.role, Role::Owner | Role::Manager) && self.scope == Scope::Full
    }

    /// Whether this is the owner with full scope.
    pub fn is_owner(&self) -> bool {
        self.role == Role::Owner && self.scope == Scope::Full
    }

    /// The role of the session: an owner with operator scope acts as an operator.
    pub fn effective_role(&self) -> Role {
        if self.scope == Scope::Operator {
            Role::Operator
        } else {
            self.role
        }
    }

    /// Whether the password was given within the last 30 minutes.
    pub fn signed_in_recently(&self, clock: &Clock) -> bool {
        is_recent(self.authenticated_at, clock)
    }
}

/// A member of support staff, who belongs to no company.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StaffIdentity {
    /// The person.
    pub staff_id: Uuid,
    /// The session.
    pub session_id: Uuid,
    /// The request id, for logs and audit.
    pub request_id: Uuid,
    /// Client network, /24 or /64, for audit.
    pub address_prefix: String,
    /// When the password was last entered, seconds since the epoch.
    pub authenticated_at: i64,
    /// Name for audit logs.
    pub display_name: String,
}

impl StaffIdentity {
    /// Whether the password was given within the last 30 minutes.
    pub fn signed_in_recently(&self, clock: &Clock) -> bool {
        is_recent(self.authenticated_at, clock)
    }
}

fn is_recent(authenticated_at: i64, clock: &Clock) -> bool {
    clock.now().timestamp() - authenticated_at <= 30 * 60
}

/// The caller of an RPC.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Caller {
    /// The gateway, without a session.
    Edge {
        /// The request id, for logs and audit.
        request_id: Uuid,
    },
    /// A person with a session.
    Person(Box<Identity>),
    /// Support staff with a session.
    Staff(Box<StaffIdentity>),
    /// Another service, for one company.
    Service {
        /// The calling service.
        name: Service,
        /// The company it works for.
        company_id: Uuid,
    },
}

impl Caller {
    /// The caller with a nil request id, to compare callers of different requests.
    #[must_use]
    pub(crate) fn without_request(mut self) -> Self {
        match &mut self {
            Self::Edge { request_id } => *request_id = Uuid::nil(),
            Self::Person(identity) => identity.request_id = Uuid::nil(),
            Self::Staff(staff) => staff.request_id = Uuid::nil(),
            Self::Service { .. } => {}
        }
        self
    }

    /// The calling person, or UNAUTHENTICATED. Handlers of tenant RPCs call this first.
    pub fn person<T>(request: &tonic::Request<T>) -> Result<Identity, ServiceError> {
        match request.extensions().get::<Self>() {
            Some(Self::Person(identity)) => Ok(identity.as_ref().clone()),
            _ => Err(ServiceError::unauthenticated()),
        }
    }

    /// The calling staff member, or UNAUTHENTICATED.
    pub fn staff<T>(request: &tonic::Request<T>) -> Result<StaffIdentity, ServiceError> {
        match request.extensions().get::<Self>() {
            Some(Self::Staff(staff)) => Ok(staff.as_ref().clone()),
            _ => Err(ServiceError::unauthenticated()),
        }
    }

    /// The tenant that the calling service works for, or UNAUTHENTICATED.
    pub fn service<T>(request: &tonic::Request<T>) -> Result<Tenant, ServiceError> {
        match request.extensions().get::<Self>() {
            Some(Self::Service { company_id, .. }) => Ok(Tenant(*company_id)),
            _ => Err(ServiceError::unauthenticated()),
        }
    }
}

/// Declares a module that serializes an enum of the contracts by its proto name.
macro_rules! proto_name {
    ($module:ident, $name:ident, $unknown:literal) => {
        mod $module {
            use hourmeter_proto::accounts::v1::$name;
            use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

            #[allow(
                clippy::trivially_copy_pass_by_ref,
                reason = "serde asks for a reference"
            )]
            pub fn serialize<S: Serializer>(value: &$name, out: S) -> Result<S::Ok, S::Error> {
                out.serialize_str(value.as_str_name())
            }

            pub fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<$name, D::Error> {
                let name = String::deserialize(input)?;
                $name::from_str_name(&name).ok_or_else(|| D::Error::custom($unknown))
            }
        }
    };
}

proto_name!(role_name, Role, "unknown role");
proto_name!(scope_name, Scope, "unknown scope");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_path_returns_the_service() {
        let path = "/hourmeter.operator_updates.v1.OperatorUpdatesService/SubmitUpdate";
        assert_eq!(Service::from_path(path), Some(Service::OperatorUpdates));
        assert_eq!(Service::from_path("/grpc.health.v1.Health/Check"), None);
    }

    const SIGNED_IN: i64 = 15_768_000;

    fn identity() -> Identity {
        Identity {
            company_id: Uuid::from_u128(1),
            user_id: Uuid::from_u128(2),
            owner_id: Uuid::from_u128(3),
            session_id: Uuid::from_u128(4),
            request_id: Uuid::from_u128(5),
            address_prefix: "192.0.2.0/24".to_owned(),
            role: Role::Manager,
            scope: Scope::Full,
            authenticated_at: SIGNED_IN,
            display_name: "Ana".to_owned(),
            time_zone: chrono_tz::UTC,
            auto_apply_updates: false,
            entitlements: Entitlements {
                active: true,
                equipment_limit: 15,
                fuel_analytics: false,
                parts_entry: false,
            },
            second_factor_missing: false,
            stale_after_days: DEFAULT_STALE_AFTER_DAYS,
            device: None,
        }
    }

    fn staff() -> StaffIdentity {
        StaffIdentity {
            staff_id: Uuid::from_u128(2),
            session_id: Uuid::from_u128(4),
            request_id: Uuid::from_u128(5),
            address_prefix: "192.0.2.0/24".to_owned(),
            authenticated_at: SIGNED_IN,
            display_name: "Sam".to_owned(),
        }
    }

    #[test]
    fn effective_role_is_limited_by_scope() {
        use Role::{Manager, Operator, Owner};
        for (role, scope, is_owner, is_manager, effective) in [
            (Owner, Scope::Full, true, true, Owner),
            (Manager, Scope::Full, false, true, Manager),
            (Operator, Scope::Full, false, false, Operator),
            (Owner, Scope::Operator, false, false, Operator),
            (Manager, Scope::Operator, false, false, Operator),
        ] {
            let identity = Identity {
                role,
                scope,
                ..identity()
            };
            assert_eq!(identity.is_owner(), is_owner, "{role:?} {scope:?}");
            assert_eq!(identity.is_manager(), is_manager, "{role:?} {scope:?}");
            assert_eq!(identity.effective_role(), effective, "{role:?} {scope:?}");
        }
    }

    #[test]
    fn without_request_keeps_other_fields() {
        let person = |identity| Caller::Person(Box::new(identity)).without_request();
        let mut other = identity();
        other.request_id = Uuid::from_u128(6);
        assert_eq!(person(identity()), person(other.clone()));
        other.display_name.push('x');
        assert_ne!(person(identity()), person(other));
        let member = |staff| Caller::Staff(Box::new(staff)).without_request();
        let mut other = staff();
        other.request_id = Uuid::from_u128(6);
        assert_eq!(member(staff()), member(other.clone()));
        other.display_name.push('x');
        assert_ne!(member(staff()), member(other));
    }

    #[test]
    fn signed_in_recently_lasts_thirty_minutes() {
        for (seconds, expected) in [(0, true), (1800, true), (1801, false)] {
            let now = DateTime::from_timestamp(SIGNED_IN + seconds, 0);
            let clock = Clock::fixed(now.expect("a time"));
            assert_eq!(identity().signed_in_recently(&clock), expected);
            assert_eq!(staff().signed_in_recently(&clock), expected);
        }
    }

    #[test]
    fn caller_matches_the_verified_kind_only() {
        let (person, member) = (Box::new(identity()), Box::new(staff()));
        let company_id = Uuid::from_u128(7);
        let name = Service::OperatorUpdates;
        for (caller, expected) in [
            (Caller::Person(person), [true, false, false]),
            (Caller::Staff(member), [false, true, false]),
            (Caller::Service { name, company_id }, [false, false, true]),
            (
                Caller::Edge {
                    request_id: company_id,
                },
                [false; 3],
            ),
        ] {
            let mut request = tonic::Request::new(());
            request.extensions_mut().insert(caller);
            let found = (
                Caller::person(&request).ok(),
                Caller::staff(&request).ok(),
                Caller::service(&request).ok(),
            );
            let [is_person, is_staff, is_service] = expected;
            assert_eq!(found.0, is_person.then(identity));
            assert_eq!(found.1, is_staff.then(staff));
            let tenant = found.2.map(Tenant::company_id);
            assert_eq!(tenant, is_service.then_some(company_id));
        }
    }

    #[test]
    fn identity_json_round_trip() {
        let sent = serde_json::to_value(identity()).expect("JSON");
        let read = |sent| serde_json::from_value::<Identity>(sent);
        assert_eq!(read(sent.clone()).expect("an identity"), identity());
        for field in ["role", "scope"] {
            let mut unknown = sent.clone();
            unknown[field] = "ANY".into();
            assert!(read(unknown).is_err(), "{field}");
        }
    }
}
