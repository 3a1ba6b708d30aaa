//! Between the wire and our own types.

use hourmeter_proto::accounts::v1::{self, Scope};
use hourmeter_runtime::client::REQUEST_BROWSER;
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Caller, Identity};
use tonic::Request;
use uuid::Uuid;

use crate::domain::access::{display_name, effective_role};
use crate::store::audit::AuditContext;
use crate::store::companies::Company;
use crate::store::employees;
use crate::store::people::Person;
use crate::store::sessions::Resolved;
use crate::store::{fuel_unit, language, role, scope};

/// The longest possible prefix has 43 characters.
const MAX_PREFIX: usize = 64;
const MAX_BROWSER: usize = 100;

/// The audit context of a call without a session.
pub fn edge_context<T>(
    request: &Request<T>,
    origin: Option<&v1::ClientOrigin>,
) -> Result<AuditContext, ServiceError> {
    let Some(Caller::Edge { request_id }) = request.extensions().get::<Caller>() else {
        return Err(ServiceError::unauthenticated());
    };
    let prefix = origin.map_or("", |origin| origin.address_prefix.as_str());
    Ok(AuditContext {
        request_id: *request_id,
        address_prefix: address_prefix(prefix),
        actor_id: None,
        actor_name: String::new(),
        scope: Scope::Unspecified,
        browser: browser(request),
    })
}

/// The audit context of a call with a session.
pub fn person_context<T>(request: &Request<T>, identity: &Identity) -> AuditContext {
    AuditContext {
        browser: browser(request),
        ..AuditContext::from_identity(identity)
    }
}

/// Browser and system, which the gateway sends; empty: unknown.
fn browser<T>(request: &Request<T>) -> String {
    let sent = request.metadata().get(REQUEST_BROWSER);
    let sent = sent
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    sent.chars().take(MAX_BROWSER).collect()
}

pub fn address_prefix(prefix: &str) -> String {
    let printable = prefix.chars().filter(|c| !c.is_control());
    printable.take(MAX_PREFIX).collect()
}

/// Parses an id; an invalid one counts as unknown.
pub fn id(text: &str) -> Option<Uuid> {
    Uuid::parse_str(text).ok()
}

/// A person as seen in a session of this scope. A session with the shared operator password does not
/// show the owner's addresses and names, which can be used to sign in as the owner.
pub fn user(person: Person, scope: Scope) -> v1::User {
    let own = role(&person.role);
    let effective = effective_role(own, scope);
    let is_oneself = effective == own;
    let shown = |text: String| if is_oneself { text } else { String::new() };
    let chosen = person.language.filter(|_| is_oneself);
    v1::User {
        id: person.id.to_string(),
        company_id: person.company_id.to_string(),
        first_name: shown(person.first_name),
        last_name: shown(person.last_name),
        email: person.email.filter(|_| is_oneself),
        email_verified: person.email_verified && is_oneself,
        secondary_email: person.secondary_email.filter(|_| is_oneself),
        role: effective.into(),
        business_name: person.company_name,
        operator_username: person.operator_username,
        security_questions_set: person.questions_set && is_oneself,
        created_at: Some(timestamp(person.created_at)),
        updated_at: Some(timestamp(person.updated_at)),
        scope: scope.into(),
        notices: Vec::new(),
        second_factor_missing: false,
        fuel_unit: fuel_unit(&person.fuel_unit).into(),
        language: language(chosen.as_deref()).into(),
    }
}

impl From<Resolved> for v1::ResolveSessionResponse {
    fn from(found: Resolved) -> Self {
        let (role, scope) = (role(&found.role), scope(&found.scope));
        let (first, last) = (&found.first_name, &found.last_name);
        Self {
            session_id: found.session_id.to_string(),
            user_id: found.user_id.to_string(),
            company_id: found.company_id.to_string(),
            role: role.into(),
            scope: scope.into(),
            authenticated_at: Some(timestamp(found.auth_time)),
            display_name: display_name(role, scope, first, last, &found.company_name),
            time_zone: found.time_zone,
            auto_apply_updates: found.auto_apply_updates,
            company_created_at: Some(timestamp(found.company_created_at)),
            owner_id: found.owner_id.to_string(),
            new_token: String::new(),
            new_token_seconds: 0,
            second_factor_missing: found.second_factor_missing,
            stale_after_days: u32::try_from(found.stale_after_days).ok(),
        }
    }
}

impl From<employees::Employee> for v1::Employee {
    fn from(employee: employees::Employee) -> Self {
        Self {
            id: employee.id.to_string(),
            first_name: employee.first_name,
            last_name: employee.last_name,
            role: role(&employee.role).into(),
            email: employee.email,
            operator_username: employee.operator_username,
            has_personal_password: employee.has_personal_password,
            created_at: Some(timestamp(employee.created_at)),
            second_factor: employee.second_factor,
        }
    }
}

impl From<Company> for v1::CompanySettings {
    fn from(company: Company) -> Self {
        Self {
            id: company.id.to_string(),
            owner_id: company.owner_id.to_string(),
            company_name: company.name,
            operator_password_set: company.operator_password_set,
            operator_password_stale: company.operator_password_stale,
            time_zone: company.time_zone,
            auto_apply_updates: company.auto_apply_updates,
            earlier_warnings: company.earlier_warnings,
            fuel_unit: fuel_unit(&company.fuel_unit).into(),
            stale_after_days: u32::try_from(company.stale_after_days).unwrap_or_default(),
            deletion_due_at: company.deletion_due_at.map(timestamp),
            created_at: Some(timestamp(company.created_at)),
            updated_at: Some(timestamp(company.updated_at)),
        }
    }
}
