//! Resets the password of another person.

use hourmeter_proto::accounts::v1::{self, Role};
use hourmeter_proto::notifications::v1::SecurityEventKind;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Caller, Identity};
use hourmeter_runtime::refusals as shared;
use tonic::Request;
use zeroize::Zeroizing;

use super::employees::unknown_object;
use super::{Api, convert, new_password};
use crate::passwords::Hashed;
use crate::refusals;
use crate::store::audit::{self, AuditContext, Event, done, failed};
use crate::store::people::Person;
use crate::store::sign_in::Credential;
use crate::store::{
    companies, credentials, notices, people, role, security_events, sessions, sign_in,
};

/// Audit detail of an unknown id.
const PERSON: &str = "person";

/// The person, and the operator password that a new one must differ from.
struct Target {
    person: Person,
    role: Role,
    shared: Credential,
}

pub(super) async fn reset_user_password(
    api: &Api,
    request: Request<v1::ResetUserPasswordRequest>,
) -> Result<v1::ResetUserPasswordResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let message = request.into_inner();
    let typed = message.new_password.map(Zeroizing::new);
    let target = find(api, &identity, &message.user_id).await?;
    let hashed = match typed {
        Some(typed) => Some(new_password(api, &identity, &target, &typed).await?),
        None if target.role == Role::Operator => None,
        None => {
            return Err(ServiceError::field(
                new_password::FIELD,
                shared::NEW_PASSWORD_MISSING,
            ));
        }
    };
    write(api, &identity, &target, hashed.as_ref()).await?;
    Ok(v1::ResetUserPasswordResponse {})
}

async fn find(api: &Api, identity: &Identity, id: &str) -> Result<Target, ServiceError> {
    let (tenant, context) = (identity.tenant(), AuditContext::from_identity(identity));
    let id = convert::id(id);
    if id == Some(identity.user_id) {
        return Err(ServiceError::field(
            "targetUserId",
            refusals::OWN_PASSWORD_IN_PROFILE,
        ));
    }
    let mut tx = api.database.tenant(tenant).await?;
    let person = match id {
        Some(id) => people::find(&mut tx, tenant, id).await?,
        None => None,
    };
    let Some(person) = person else {
        return Err(unknown_object(tx, &context, PERSON, id).await);
    };
    let role = role(&person.role);
    if role == Role::Owner {
        let (event, id) = (failed(Event::PasswordReset), Some(person.id));
        audit::record_on(&mut tx, &context, event, id, &person.name(), "owner").await?;
        tx.commit().await?;
        return Err(ServiceError::forbidden_because(
            refusals::OWNER_PASSWORD_CHANGED_BY_OWNER_ONLY,
        ));
    }
    let shared = credentials::operator_password(&mut tx).await?;
    tx.commit().await?;
    Ok(Target {
        person,
        role,
        shared,
    })
}

/// Runs outside a transaction, because hashing is slow.
async fn new_password(
    api: &Api,
    identity: &Identity,
    target: &Target,
    typed: &str,
) -> Result<Hashed, ServiceError> {
    let form = new_password::read(&target.person, typed);
    let form = form.map_err(|text| ServiceError::field(new_password::FIELD, text))?;
    let passwords = api.passwords.for_company(identity.company_id);
    if new_password::is_shared(&passwords, &form, &target.shared).await? {
        // Recorded, because it can be used to guess the operator password.
        let (tenant, context) = (identity.tenant(), AuditContext::from_identity(identity));
        let mut tx = api.database.tenant(tenant).await?;
        let (event, id) = (failed(Event::PasswordReset), Some(target.person.id));
        let (name, detail) = (target.person.name(), "operator_password");
        audit::record_on(&mut tx, &context, event, id, &name, detail).await?;
        tx.commit().await?;
        return Err(new_password::refuse_shared());
    }
    passwords.hash(form).await
}

/// Without a new password, clears an operator's personal password.
async fn write(
    api: &Api,
    identity: &Identity,
    target: &Target,
    hashed: Option<&Hashed>,
) -> Result<(), ServiceError> {
    let (tenant, context, now) = (
        identity.tenant(),
        AuditContext::from_identity(identity),
        api.clock.now(),
    );
    let id = target.person.id;
    let mut tx = api.database.tenant(tenant).await?;
    let same_shared = sign_in::lock_company(&mut tx, &target.shared, true).await?;
    if hashed.is_some() && !same_shared {
        return Err(new_password::changed_meanwhile());
    }
    if !credentials::set_password(&mut tx, id, hashed, now).await? {
        return Err(unknown_object(tx, &context, PERSON, Some(id)).await);
    }
    sessions::end_all(&mut tx, id, None).await?;
    if target.role == Role::Operator && hashed.is_some() {
        // The operator can still use the shared password with the business name.
        companies::mark_operator_password_stale(&mut tx, now).await?;
    }
    if target.role == Role::Manager {
        notices::add(&mut tx, id, notices::Kind::PasswordSetByOwner).await?;
    }
    let detail = match (target.role, hashed) {
        (Role::Operator, Some(_)) => "personal_password_set",
        (Role::Operator, None) => "personal_password_cleared",
        _ => "sign_in_password_set",
    };
    let (event, name) = (done(Event::PasswordReset), target.person.name());
    audit::record_on(&mut tx, &context, event, Some(id), &name, detail).await?;
    let event = SecurityEventKind::PasswordReset;
    security_events::record(&mut tx, id, event, &context).await?;
    tx.commit().await
}
