//! Resets the password of another person.

use hourmeter_proto::accounts::v1::{self, Role};
use hourmeter_proto::notifications::v1::SecurityEventKind;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Caller, Identity};
use hourmeter_runtime::refusals as shared;
use tonic::Request;
use zeroize::Zeroizing;

use super::employees::{PERSON, find_person, unknown_object};
use super::new_password::Refusal;
use super::{Api, convert, new_password};
use crate::passwords::Hashed;
use crate::refusals;
use crate::store::audit::{self, AuditContext, AuditEntry, Event};
use crate::store::people::Person;
use crate::store::sign_in::Credential;
use crate::store::{companies, credentials, notices, role, security_events, sessions, sign_in};

/// The person, and the operator password that a new one must differ from.
struct Target {
    person: Person,
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
        None if role(&target.person.role) == Role::Operator => None,
        None => {
            let text = shared::NEW_PASSWORD_MISSING;
            return Err(ServiceError::field(new_password::FIELD, text));
        }
    };
    write(api, &identity, &target, hashed.as_ref()).await?;
    Ok(v1::ResetUserPasswordResponse {})
}

async fn find(api: &Api, identity: &Identity, id: &str) -> Result<Target, ServiceError> {
    let (tenant, context) = (identity.tenant(), AuditContext::from_identity(identity));
    if convert::id(id) == Some(identity.user_id) {
        let text = refusals::OWN_PASSWORD_IN_PROFILE;
        return Err(ServiceError::field("targetUserId", text));
    }
    let tx = api.database.tenant(tenant).await?;
    let (mut tx, person) = find_person(tx, &context, id).await?;
    if role(&person.role) == Role::Owner {
        let name = person.name();
        let entry = AuditEntry::failed(Event::PasswordReset).target(person.id, &name);
        audit::record(&mut tx, &context, &entry.detail("owner")).await?;
        tx.commit().await?;
        let text = refusals::OWNER_PASSWORD_CHANGED_BY_OWNER_ONLY;
        return Err(ServiceError::forbidden_because(text));
    }
    let shared = credentials::operator_password(&mut tx).await?;
    tx.commit().await?;
    Ok(Target { person, shared })
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
    let (name, context) = (target.person.name(), AuditContext::from_identity(identity));
    let entry = AuditEntry::failed(Event::PasswordReset).target(target.person.id, &name);
    let refusal = Refusal {
        tenant: identity.tenant(),
        context: &context,
        entry,
    };
    new_password::hash(api, &passwords, form, &target.shared, refusal).await
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
    let (id, role) = (target.person.id, role(&target.person.role));
    let mut tx = api.database.tenant(tenant).await?;
    let same_shared = sign_in::lock_company(&mut tx, &target.shared, true).await?;
    if hashed.is_some() && !same_shared {
        return Err(new_password::changed_meanwhile());
    }
    if !credentials::set_password(&mut tx, id, hashed, now).await? {
        return Err(unknown_object(tx, &context, PERSON, Some(id)).await);
    }
    sessions::end_all(&mut tx, id, None).await?;
    if role == Role::Operator && hashed.is_some() {
        // The operator can still use the shared password with the business name.
        companies::mark_operator_password_stale(&mut tx, now).await?;
    }
    if role == Role::Manager {
        notices::add(&mut tx, id, notices::Kind::PasswordSetByOwner).await?;
    }
    let detail = match (role, hashed) {
        (Role::Operator, Some(_)) => "personal_password_set",
        (Role::Operator, None) => "personal_password_cleared",
        _ => "sign_in_password_set",
    };
    let name = target.person.name();
    let entry = AuditEntry::success(Event::PasswordReset).target(id, &name);
    audit::record(&mut tx, &context, &entry.detail(detail)).await?;
    let event = SecurityEventKind::PasswordReset;
    security_events::record(&mut tx, id, event, &context).await?;
    tx.commit().await
}
