//! Changes the caller's names and addresses.

use hourmeter_proto::accounts::v1::{self, Role};
use hourmeter_proto::notifications::v1::SecurityEventKind;
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::idempotency::{Key, Outcome, begin};
use hourmeter_runtime::identity::Caller;
use hourmeter_runtime::message::Reason;
use tonic::Request;

use super::{Api, convert, notices};
use crate::domain::{FieldErrors, names};
use crate::refusals;
use crate::store::audit::{self, AuditEntry, Event};
use crate::store::people::{self, Person, Profile};
use crate::store::{language_name, role, security_events, staff, violated_key};

pub(super) async fn update_profile(
    api: &Api,
    request: Request<v1::UpdateProfileRequest>,
) -> Result<v1::UpdateProfileResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let key = Key::read(&request, "UpdateProfile")?;
    if identity.effective_role() != identity.role {
        // A session with the shared password may not act as the owner.
        return Err(ServiceError::forbidden());
    }
    let (tenant, id, now) = (identity.tenant(), identity.user_id, api.clock.now());
    let tx = api.database.tenant(tenant).await?;
    let mut tx = match begin(tx, &identity, key, now).await? {
        Outcome::New(work) => work,
        Outcome::Repeat(answer) => return Ok(answer),
    };
    people::lock(&mut tx, id).await?;
    let person = people::caller(&mut tx, id).await?;
    let (before, after) = (profile(&person), read(request.get_ref(), &person)?);
    let was_verified = person.email_verified;
    let signs_in_by_email = role(&person.role) != Role::Operator;
    let new_address =
        (&before.email, &before.secondary_email) != (&after.email, &after.secondary_email);
    let guarded = signs_in_by_email && new_address;
    if guarded && !identity.signed_in_recently(&api.clock) {
        return Err(ServiceError::reauth_required());
    }
    if let Some(email) = after.email.as_ref().filter(|_| guarded) {
        refuse_staff_email(&mut tx, email).await?;
    }
    if before != after {
        let stored = people::set_profile(&mut tx, id, &after, now).await;
        stored.map_err(email_taken)?;
    }
    let person = people::caller(&mut tx, id).await?;
    let context = convert::person_context(&request, &identity);
    let name = person.name();
    if guarded {
        let detail = if before.email == after.email {
            "secondary_email"
        } else {
            "email"
        };
        let entry = AuditEntry::success(Event::EmailChanged).target(id, &name);
        audit::record(&mut tx, &context, &entry.detail(detail)).await?;
    }
    if guarded && before.email != after.email {
        let former = before.email.as_deref().filter(|_| was_verified);
        let event = SecurityEventKind::EmailChanged;
        security_events::record_with_former_email(&mut tx, id, event, former, &context).await?;
    }
    let new_names =
        (&before.first_name, &before.last_name) != (&after.first_name, &after.last_name);
    if new_names || new_address && !guarded {
        let detail = if new_names { "name" } else { "contact" };
        let entry = AuditEntry::success(Event::ProfileChanged).target(id, &name);
        audit::record(&mut tx, &context, &entry.detail(detail)).await?;
    }
    let user = notices::user(&mut tx, tenant, person, identity.scope).await?;
    let answer = v1::UpdateProfileResponse { user: Some(user) };
    tx.finish(&answer).await?;
    Ok(answer)
}

fn profile(person: &Person) -> Profile {
    Profile {
        first_name: person.first_name.clone(),
        last_name: person.last_name.clone(),
        email: person.email.clone(),
        secondary_email: person.secondary_email.clone(),
        language: person.language.clone(),
    }
}

/// The new profile; missing fields keep their value.
fn read(message: &v1::UpdateProfileRequest, person: &Person) -> Result<Profile, ServiceError> {
    let mut errors = FieldErrors::default();
    let mut after = profile(person);
    // Only an owner's name may be empty, because names are shown in histories.
    let read_name = match role(&person.role) {
        Role::Owner => names::person_name,
        _ => names::required_name,
    };
    if let Some(raw) = &message.first_name {
        after.first_name = errors.take("firstName", read_name(raw));
    }
    if let Some(raw) = &message.last_name {
        after.last_name = errors.take("lastName", read_name(raw));
    }
    if let Some(raw) = &message.email {
        let may_be_empty = role(&person.role) == Role::Operator;
        after.email = errors.take(
            "email",
            address(raw, may_be_empty, refusals::PROFILE_EMAIL_INVALID),
        );
    }
    if let Some(raw) = &message.secondary_email {
        let address = address(raw, true, refusals::SECONDARY_EMAIL_INVALID);
        after.secondary_email = errors.take("secondaryEmail", address);
    }
    if let Some(language) = language_name(message.language()) {
        after.language = Some(language.to_owned());
    }
    errors.finish()?;
    Ok(after)
}

fn address(raw: &str, may_be_empty: bool, invalid: Reason) -> Result<Option<String>, Reason> {
    if may_be_empty && raw.trim().is_empty() {
        return Ok(None);
    }
    names::email(raw).map(Some).map_err(|_| invalid)
}

/// Maps a violated unique key to `EMAIL_TAKEN`.
pub fn email_taken(error: sqlx::Error) -> ServiceError {
    if violated_key(&error) != Some("users_email_key") {
        return error.into();
    }
    already_taken("email", refusals::EMAIL_TAKEN)
}

/// Rejects an address of support staff.
pub async fn refuse_staff_email(tx: &mut TenantTx, email: &str) -> Result<(), ServiceError> {
    if staff::is_staff_email(tx, email).await? {
        return Err(already_taken("email", refusals::EMAIL_TAKEN));
    }
    Ok(())
}

pub fn already_taken(field: &str, text: Reason) -> ServiceError {
    ServiceError {
        fields: vec![(field.to_owned(), text.into())],
        ..ServiceError::new(Kind::AlreadyExists, text)
    }
}
