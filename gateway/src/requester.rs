//! Who sent a request, and what it may do.

use std::sync::Arc;

use hourmeter_proto::common::v1::{Access, Audience};
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::{Caller, Identity, StaffIdentity};
use hourmeter_runtime::refusals as shared;
use hourmeter_runtime::server::check_access;
use http::HeaderValue;
use prost_types::Timestamp;
use secrecy::SecretString;
use uuid::Uuid;

use crate::address::ClientAddress;
use crate::session_cache::{AffectedSessions, CachedSession};

/// The protocol of a request, by its path; decides the form of error responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// `/api`: JSON.
    Rest,
    /// An RPC path: grpc-web.
    GrpcWeb,
    /// Pages and files of the web client.
    Page,
}

impl Protocol {
    pub fn from_path(path: &str) -> Self {
        if path == "/api" || path.starts_with("/api/") {
            Self::Rest
        } else if path.starts_with("/hourmeter.") {
            Self::GrpcWeb
        } else {
            Self::Page
        }
    }
}

/// The context of a request, known before authentication.
#[derive(Clone, Copy, Debug)]
pub struct RequestContext {
    pub protocol: Protocol,
    /// The id in logs, the audit log and responses to internal errors.
    pub request_id: Uuid,
    pub address: ClientAddress,
}

/// The authenticated sender of a request.
#[derive(Debug)]
pub struct Requester {
    pub context: RequestContext,
    /// The session token, well-formed but not necessarily valid.
    pub token: Option<SecretString>,
    pub principal: Principal,
    pub session: Option<Arc<CachedSession>>,
    /// The cookie of the renewed token, once a day.
    pub renewed: Option<HeaderValue>,
    pub idempotency_key: Option<HeaderValue>,
    pub accept_language: Option<HeaderValue>,
    /// The product's public origin, which passkeys are bound to.
    pub public_origin: Option<HeaderValue>,
    /// Browser and system, such as "Chrome, Windows".
    pub browser: Option<HeaderValue>,
}

#[derive(Debug)]
pub enum Principal {
    /// No valid session.
    Anonymous,
    /// A member of a company.
    Person {
        identity: Box<Identity>,
        company_created_at: Option<Timestamp>,
        /// False while the entitlements are unknown because billing is unavailable.
        entitlements_known: bool,
    },
    /// Support staff, who belong to no company.
    Staff(Box<StaffIdentity>),
    /// Not verified because accounts is unavailable.
    Unverified,
}

impl Requester {
    pub fn identity(&self) -> Option<&Identity> {
        match &self.principal {
            Principal::Person { identity, .. } => Some(identity),
            Principal::Anonymous | Principal::Staff(_) | Principal::Unverified => None,
        }
    }

    /// The id of the person or the member of staff.
    pub fn person_id(&self) -> Option<Uuid> {
        match &self.principal {
            Principal::Person { identity, .. } => Some(identity.user_id),
            Principal::Staff(staff) => Some(staff.staff_id),
            Principal::Anonymous | Principal::Unverified => None,
        }
    }

    /// Checks the access policy. Returns the identity that the call is made with.
    pub fn authorize(&self, access: &Access, clock: &Clock) -> Result<Caller, ServiceError> {
        let public = match access.audience() {
            Audience::Public => true,
            Audience::Tenant | Audience::Manager | Audience::Owner | Audience::Staff => false,
            // Never for calls from outside.
            Audience::Unspecified | Audience::Edge | Audience::Service => {
                return Err(ServiceError::forbidden());
            }
        };
        let caller = match &self.principal {
            Principal::Person { identity, .. } => Caller::Person(identity.clone()),
            Principal::Staff(staff) => Caller::Staff(staff.clone()),
            Principal::Unverified if !public => return Err(unavailable()),
            Principal::Anonymous | Principal::Unverified => Caller::Edge {
                request_id: self.context.request_id,
            },
        };
        let needs_plan = access.needs_subscription || access.feature != 0;
        match check_access(access, &caller, clock) {
            Err(failure) if needs_plan && is_about_plan(&failure) && !self.plan_is_known() => {
                Err(unavailable())
            }
            Err(failure) => Err(failure),
            Ok(()) => Ok(caller),
        }
    }

    /// Sessions that a write to accounts by this sender may end or change.
    pub fn affected(&self) -> AffectedSessions {
        match &self.principal {
            Principal::Anonymous => AffectedSessions::None,
            Principal::Person { identity, .. } => AffectedSessions::Company(identity.company_id),
            // Staff write for companies named in the request; the token of an unverified sender may
            // be of any company.
            Principal::Staff(_) | Principal::Unverified => AffectedSessions::All,
        }
    }

    const fn plan_is_known(&self) -> bool {
        !matches!(
            self.principal,
            Principal::Person {
                entitlements_known: false,
                ..
            }
        )
    }
}

fn is_about_plan(failure: &ServiceError) -> bool {
    failure.kind == Kind::SubscriptionInactive || failure.reason == shared::FEATURE_NOT_IN_PLAN.code
}

pub fn unavailable() -> ServiceError {
    ServiceError::new(Kind::Unavailable, shared::UNAVAILABLE)
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use hourmeter_proto::accounts::v1::{Role, Scope};
    use hourmeter_runtime::identity::Entitlements;
    use http::HeaderMap;

    use super::*;

    fn requester(principal: Principal) -> Requester {
        let peer = IpAddr::V4(Ipv4Addr::LOCALHOST);
        Requester {
            context: RequestContext {
                protocol: Protocol::Rest,
                request_id: Uuid::nil(),
                address: ClientAddress::find(Some(peer), &HeaderMap::new(), &[]),
            },
            token: None,
            principal,
            session: None,
            renewed: None,
            idempotency_key: None,
            accept_language: None,
            public_origin: None,
            browser: None,
        }
    }

    fn person(scope: Scope, active: bool, entitlements_known: bool) -> Principal {
        let id = Uuid::nil();
        Principal::Person {
            identity: Box::new(Identity {
                company_id: id,
                user_id: id,
                owner_id: id,
                session_id: id,
                request_id: id,
                address_prefix: String::new(),
                role: Role::Owner,
                scope,
                authenticated_at: 0,
                display_name: String::new(),
                time_zone: chrono_tz::UTC,
                auto_apply_updates: false,
                entitlements: Entitlements {
                    active,
                    equipment_limit: 15,
                    fuel_analytics: false,
                    parts_entry: false,
                },
                second_factor_missing: false,
                stale_after_days: 14,
                device: None,
            }),
            company_created_at: None,
            entitlements_known,
        }
    }

    fn support() -> Principal {
        Principal::Staff(Box::new(hourmeter_runtime::testing::staff()))
    }

    fn authorize(
        principal: Principal,
        audience: Audience,
        needs_subscription: bool,
    ) -> Result<Caller, Kind> {
        let access = Access {
            audience: audience.into(),
            needs_subscription,
            ..Access::default()
        };
        let clock = Clock::system();
        let result = requester(principal).authorize(&access, &clock);
        result.map_err(|error| error.kind)
    }

    #[test]
    fn authorize_allows_only_public_calls_without_session() {
        assert!(authorize(Principal::Anonymous, Audience::Public, false).is_ok());
        for audience in [Audience::Tenant, Audience::Manager, Audience::Owner] {
            let refused = authorize(Principal::Anonymous, audience, false);
            assert_eq!(refused, Err(Kind::Unauthenticated));
            assert_eq!(authorize(support(), audience, false), Err(Kind::Forbidden));
            assert_eq!(
                authorize(Principal::Unverified, audience, false),
                Err(Kind::Unavailable)
            );
        }
    }

    #[test]
    fn authorize_denies_internal_calls() {
        for audience in [Audience::Unspecified, Audience::Edge, Audience::Service] {
            for principal in [
                Principal::Anonymous,
                support(),
                person(Scope::Full, true, true),
            ] {
                assert_eq!(authorize(principal, audience, false), Err(Kind::Forbidden));
            }
        }
    }

    #[test]
    fn authorize_allows_staff_calls_only_to_staff() {
        let ask = |principal| authorize(principal, Audience::Staff, false);
        assert!(ask(support()).is_ok());
        assert_eq!(ask(person(Scope::Full, true, true)), Err(Kind::Forbidden));
        assert_eq!(ask(Principal::Anonymous), Err(Kind::Unauthenticated));
        assert_eq!(ask(Principal::Unverified), Err(Kind::Unavailable));
    }

    #[test]
    fn authorize_treats_owner_in_operator_scope_as_operator() {
        let owner = || person(Scope::Operator, true, true);
        assert!(authorize(owner(), Audience::Tenant, false).is_ok());
        assert_eq!(
            authorize(owner(), Audience::Manager, false),
            Err(Kind::Forbidden)
        );
    }

    #[test]
    fn authorize_reports_unknown_plan_as_unavailable() {
        let known = authorize(person(Scope::Full, false, true), Audience::Manager, true);
        assert_eq!(known, Err(Kind::SubscriptionInactive));
        let unknown = authorize(person(Scope::Full, false, false), Audience::Manager, true);
        assert_eq!(unknown, Err(Kind::Unavailable));
        let read = authorize(person(Scope::Full, false, false), Audience::Manager, false);
        assert!(read.is_ok());
    }
}
