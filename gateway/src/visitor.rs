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
use crate::session_cache::{Affected, KeptSession};

/// The protocol of a request, by its path; decides the form of error responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    /// `/api`: JSON.
    Rest,
    /// An RPC path: grpc-web.
    GrpcWeb,
    /// Pages and files of the web client.
    Page,
}

impl Door {
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
pub struct Visit {
    pub door: Door,
    /// The id in logs, the audit log and responses to internal errors.
    pub request_id: Uuid,
    pub address: ClientAddress,
}

/// The authenticated sender of a request.
#[derive(Debug)]
pub struct Visitor {
    pub visit: Visit,
    /// The session token, well-formed but not necessarily valid.
    pub token: Option<SecretString>,
    pub who: Who,
    pub session: Option<Arc<KeptSession>>,
    /// The cookie of the renewed token, once a day.
    pub renewed: Option<HeaderValue>,
    /// The key that makes a repeated write one write.
    pub idempotency_key: Option<HeaderValue>,
    pub accept_language: Option<HeaderValue>,
    /// The product's public origin, which passkeys are bound to.
    pub public_origin: Option<HeaderValue>,
}

/// The principal of a session token.
#[derive(Debug)]
pub enum Who {
    /// No valid session.
    Nobody,
    /// A member of a company.
    Person {
        identity: Box<Identity>,
        /// When the company signed up.
        company_created_at: Option<Timestamp>,
        /// False while the entitlements are unknown because billing is unavailable.
        entitlements_known: bool,
    },
    /// Support staff, who belong to no company.
    Staff(Box<StaffIdentity>),
    /// Not verified because accounts is unavailable.
    Unknown,
}

impl Visitor {
    pub fn identity(&self) -> Option<&Identity> {
        match &self.who {
            Who::Person { identity, .. } => Some(identity),
            Who::Nobody | Who::Staff(_) | Who::Unknown => None,
        }
    }

    /// When the person's company signed up.
    pub const fn company_created_at(&self) -> Option<Timestamp> {
        match self.who {
            Who::Person {
                company_created_at, ..
            } => company_created_at,
            Who::Nobody | Who::Staff(_) | Who::Unknown => None,
        }
    }

    /// The id of the person or the member of staff.
    pub fn person_id(&self) -> Option<Uuid> {
        match &self.who {
            Who::Person { identity, .. } => Some(identity.user_id),
            Who::Staff(staff) => Some(staff.staff_id),
            Who::Nobody | Who::Unknown => None,
        }
    }

    /// Checks the access policy. Returns the identity that the call is made with.
    pub fn permit(&self, access: &Access, clock: &Clock) -> Result<Caller, ServiceError> {
        let public = match access.audience() {
            Audience::Public => true,
            Audience::Tenant | Audience::Manager | Audience::Owner | Audience::Staff => false,
            // Never for calls from outside.
            Audience::Unspecified | Audience::Edge | Audience::Service => {
                return Err(ServiceError::forbidden());
            }
        };
        let caller = match &self.who {
            Who::Person { identity, .. } => Caller::Person(identity.clone()),
            Who::Staff(staff) => Caller::Staff(staff.clone()),
            Who::Unknown if !public => return Err(unavailable()),
            Who::Nobody | Who::Unknown => self.edge(),
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
    pub fn affected(&self) -> Affected {
        match &self.who {
            Who::Nobody => Affected::Nobody,
            Who::Person { identity, .. } => Affected::Company(identity.company_id),
            // Staff write for companies named in the request; the token of an unverified sender may
            // be of any company.
            Who::Staff(_) | Who::Unknown => Affected::Anybody,
        }
    }

    /// The gateway itself, for work before there is a session.
    pub const fn edge(&self) -> Caller {
        Caller::Edge {
            request_id: self.visit.request_id,
        }
    }

    const fn plan_is_known(&self) -> bool {
        match &self.who {
            Who::Person {
                entitlements_known, ..
            } => *entitlements_known,
            Who::Nobody | Who::Staff(_) | Who::Unknown => true,
        }
    }
}

fn is_about_plan(failure: &ServiceError) -> bool {
    failure.kind == Kind::SubscriptionInactive || failure.reason == shared::FEATURE_NOT_IN_PLAN.code
}

/// A service is unavailable.
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

    fn visitor(who: Who) -> Visitor {
        let peer = IpAddr::V4(Ipv4Addr::LOCALHOST);
        Visitor {
            visit: Visit {
                door: Door::Rest,
                request_id: Uuid::nil(),
                address: ClientAddress::find(Some(peer), &HeaderMap::new(), &[]),
            },
            token: None,
            who,
            session: None,
            renewed: None,
            idempotency_key: None,
            accept_language: None,
            public_origin: None,
        }
    }

    fn person(scope: Scope, active: bool, entitlements_known: bool) -> Who {
        let id = Uuid::nil();
        Who::Person {
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
            }),
            company_created_at: None,
            entitlements_known,
        }
    }

    fn support() -> Who {
        Who::Staff(Box::new(hourmeter_runtime::testing::staff()))
    }

    fn permit(who: Who, audience: Audience, needs_subscription: bool) -> Result<Caller, Kind> {
        let access = Access {
            audience: audience.into(),
            needs_subscription,
            ..Access::default()
        };
        let clock = Clock::system();
        let result = visitor(who).permit(&access, &clock);
        result.map_err(|error| error.kind)
    }

    #[test]
    fn permit_allows_only_public_calls_without_session() {
        assert!(permit(Who::Nobody, Audience::Public, false).is_ok());
        for audience in [Audience::Tenant, Audience::Manager, Audience::Owner] {
            let refused = permit(Who::Nobody, audience, false);
            assert_eq!(refused, Err(Kind::Unauthenticated));
            assert_eq!(permit(support(), audience, false), Err(Kind::Forbidden));
            assert_eq!(
                permit(Who::Unknown, audience, false),
                Err(Kind::Unavailable)
            );
        }
    }

    #[test]
    fn permit_denies_internal_calls() {
        for audience in [Audience::Unspecified, Audience::Edge, Audience::Service] {
            for who in [Who::Nobody, support(), person(Scope::Full, true, true)] {
                assert_eq!(permit(who, audience, false), Err(Kind::Forbidden));
            }
        }
    }

    #[test]
    fn permit_allows_staff_calls_only_to_staff() {
        let ask = |who| permit(who, Audience::Staff, false);
        assert!(ask(support()).is_ok());
        assert_eq!(ask(person(Scope::Full, true, true)), Err(Kind::Forbidden));
        assert_eq!(ask(Who::Nobody), Err(Kind::Unauthenticated));
        assert_eq!(ask(Who::Unknown), Err(Kind::Unavailable));
    }

    #[test]
    fn permit_treats_owner_in_operator_scope_as_operator() {
        let owner = || person(Scope::Operator, true, true);
        assert!(permit(owner(), Audience::Tenant, false).is_ok());
        assert_eq!(
            permit(owner(), Audience::Manager, false),
            Err(Kind::Forbidden)
        );
    }

    #[test]
    fn permit_reports_unknown_plan_as_unavailable() {
        let known = permit(person(Scope::Full, false, true), Audience::Manager, true);
        assert_eq!(known, Err(Kind::SubscriptionInactive));
        let unknown = permit(person(Scope::Full, false, false), Audience::Manager, true);
        assert_eq!(unknown, Err(Kind::Unavailable));
        let read = permit(person(Scope::Full, false, false), Audience::Manager, false);
        assert!(read.is_ok());
    }
}
