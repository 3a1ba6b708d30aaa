//! Checks of a change of a password: the current one, the rules for the new one, and that it is not the
//! operator password.

use hourmeter_runtime::audit::{AuditContext, AuditEntry};
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::Tenant;
use hourmeter_runtime::message::Message;
use zeroize::Zeroizing;

use super::Api;
use crate::domain::{FieldErrors, names, password};
use crate::passwords::{Hashed, Passwords};
use crate::refusals;
use crate::store::people::Person;
use crate::store::sign_in::Credential;
use crate::store::staff::Staff;

const CURRENT: &str = "currentPassword";
pub const FIELD: &str = "newPassword";

/// Validates a new password; facts about the person are rejected as guessable.
pub fn read(person: &Person, typed: &str) -> Result<Zeroizing<String>, Message> {
    let email = person.email.as_deref().unwrap_or_default();
    let secondary = person.secondary_email.as_deref().unwrap_or_default();
    let whole_name = format!("{} {}", person.first_name, person.last_name);
    let guessable = [
        person.company_name.as_str(),
        names::local_part(email),
        email,
        names::local_part(secondary),
        secondary,
        &person.first_name,
        &person.last_name,
        &whole_name,
        person.operator_username.as_deref().unwrap_or_default(),
    ];
    password::new_password(typed, &guessable)
}

/// Validates a new password; facts about the person are rejected as guessable.
pub fn read_staff(staff: &Staff, typed: &str) -> Result<Zeroizing<String>, Message> {
    let guessable = [
        staff.email.as_str(),
        names::local_part(&staff.email),
        &staff.name,
    ];
    password::new_password(typed, &guessable)
}

/// Fails for a missing current or an invalid new password.
pub fn read_change(
    current: &str,
    new: Result<Zeroizing<String>, Message>,
) -> Result<Zeroizing<String>, ServiceError> {
    let mut errors = FieldErrors::default();
    if current.is_empty() {
        errors.add(CURRENT, refusals::CURRENT_PASSWORD_MISSING);
    }
    let form = errors.take(FIELD, new);
    errors.finish()?;
    Ok(form)
}

/// The reason distinguishes it from other invalid fields.
pub fn wrong_current() -> ServiceError {
    ServiceError::field(CURRENT, refusals::CURRENT_PASSWORD_WRONG).with_reason("WRONG_PASSWORD")
}

/// How the refusal of a new password is recorded.
pub struct Refusal<'a> {
    pub tenant: Tenant,
    pub context: &'a AuditContext,
    /// Without a detail.
    pub entry: AuditEntry<'a>,
}

/// Hashes a new password, and refuses the operator password. A refusal is recorded, because it can be
/// used to guess that password.
pub async fn hash(
    api: &Api,
    passwords: &Passwords,
    form: Zeroizing<String>,
    shared: &Credential,
    refusal: Refusal<'_>,
) -> Result<Hashed, ServiceError> {
    let shared = shared.hashed.iter().cloned().collect();
    if passwords.is_one_of(form.clone(), shared).await? {
        let entry = refusal.entry.detail("operator_password");
        let error = ServiceError::field(FIELD, refusals::PASSWORD_IS_OPERATORS);
        return Err(api
            .refuse(refusal.tenant, refusal.context, &entry, error)
            .await);
    }
    passwords.hash(form).await
}

/// The operator password changed during the comparison.
pub fn changed_meanwhile() -> ServiceError {
    let text = refusals::OPERATOR_PASSWORD_CHANGED_MEANWHILE;
    ServiceError::new(Kind::Stale, text).with_reason("STALE")
}
