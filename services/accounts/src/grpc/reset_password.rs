//! Another password for somebody else.

use hourmeter_proto::accounts::v1::{ResetUserPasswordRequest, ResetUserPasswordResponse, Role};
use hourmeter_runtime::error::{Failure, Kind};
use hourmeter_runtime::identity::{Caller, Identity};
use tonic::Request;
use zeroize::Zeroizing;

use super::employees::unknown;
use super::{Api, convert};
use crate::domain::{names, password};
use crate::passwords::Hashed;
use crate::store::audit::{self, Event, Trail};
use crate::store::people::Person;
use crate::store::sign_in::Credential;
use crate::store::{companies, credentials, people, role, sessions, sign_in};

/// What an id that is nobody's stands for in the audit log.
const PERSON: &str = "person";
const ONESELF: &str = "To change your own password, please use change password in your profile.";
const THE_OWNER: &str = "Only the owner can change the owner's password.";
const MISSING: &str = "Please enter a new password.";
const IS_SHARED: &str = "The password must not be the operator password.";
const CHANGED_MEANWHILE: &str =
    "The operator password was changed at the same moment. Please try again.";

/// Whose password, and the shared one it must differ from.
struct Target {
    person: Person,
    role: Role,
    shared: Credential,
}

/// `ResetUserPassword`.
pub(super) async fn reset(
    api: &Api,
    request: Request<ResetUserPasswordRequest>,
) -> Result<ResetUserPasswordResponse, Failure> {
    let identity = Caller::person(&request)?;
    let message = request.into_inner();
    let typed = message.new_password.map(Zeroizing::new);
    let target = find(api, &identity, &message.user_id).await?;
    let hashed = match typed {
        Some(typed) => Some(new_password(api, &identity, &target, &typed).await?),
        None if target.role == Role::Operator => None,
        None => return Err(Failure::field("newPassword", MISSING)),
    };
    write(api, &identity, &target, hashed.as_ref()).await?;
    Ok(ResetUserPasswordResponse {})
}

async fn find(api: &Api, identity: &Identity, id: &str) -> Result<Target, Failure> {
    let (tenant, trail) = (identity.tenant(), Trail::of(identity));
    let id = convert::id(id);
    if id == Some(identity.user_id) {
        return Err(Failure::field("targetUserId", ONESELF));
    }
    let mut tx = api.database.tenant(tenant).await?;
    let person = match id {
        Some(id) => people::find(&mut tx, tenant, id).await?,
        None => None,
    };
    let Some(person) = person else {
        return Err(unknown(tx, &trail, PERSON, id).await);
    };
    let role = role(&person.role);
    if role == Role::Owner {
        let (event, id) = (Event::PasswordResetRefused, Some(person.id));
        audit::record(&mut tx, tenant, &trail, event, id, "owner").await?;
        tx.commit().await?;
        return Err(Failure::new(Kind::Forbidden, THE_OWNER));
    }
    let shared = credentials::operator_password(&mut tx, tenant).await?;
    tx.commit().await?;
    Ok(Target {
        person,
        role,
        shared,
    })
}

/// Hashing takes long, so no transaction is open meanwhile.
async fn new_password(
    api: &Api,
    identity: &Identity,
    target: &Target,
    typed: &str,
) -> Result<Hashed, Failure> {
    let form = read(&target.person, typed)?;
    let shared = target.shared.hashed.iter().cloned().collect();
    if api.passwords.is_one_of(form.clone(), shared).await? {
        // Whoever tries passwords this way leaves a trace.
        let (tenant, trail) = (identity.tenant(), Trail::of(identity));
        let mut tx = api.database.tenant(tenant).await?;
        let (event, id) = (Event::PasswordResetRefused, Some(target.person.id));
        audit::record(&mut tx, tenant, &trail, event, id, "operator_password").await?;
        tx.commit().await?;
        return Err(Failure::field("newPassword", IS_SHARED));
    }
    api.passwords.hash(form).await
}

/// The password in the form to hash; a guesser would try what is known of its holder first.
fn read(person: &Person, typed: &str) -> Result<Zeroizing<String>, Failure> {
    let email = person.email.as_deref().unwrap_or_default();
    let whole_name = format!("{} {}", person.first_name, person.last_name);
    let context = [
        person.company_name.as_str(),
        names::local_part(email),
        email,
        &person.first_name,
        &person.last_name,
        &whole_name,
        person.operator_username.as_deref().unwrap_or_default(),
    ];
    let password = password::new_password(typed, &context);
    password.map_err(|message| Failure::field("newPassword", message))
}

/// Without a new one, an operator's personal password is cleared.
async fn write(
    api: &Api,
    identity: &Identity,
    target: &Target,
    hashed: Option<&Hashed>,
) -> Result<(), Failure> {
    let (tenant, trail, now) = (identity.tenant(), Trail::of(identity), api.clock.now());
    let id = target.person.id;
    let mut tx = api.database.tenant(tenant).await?;
    let same_shared = sign_in::hold_company(&mut tx, tenant, &target.shared, true).await?;
    if hashed.is_some() && !same_shared {
        return Err(Failure::new(Kind::Stale, CHANGED_MEANWHILE).with_reason("STALE"));
    }
    if !credentials::set_password(&mut tx, tenant, id, hashed, now).await? {
        return Err(unknown(tx, &trail, PERSON, Some(id)).await);
    }
    sessions::end_all(&mut tx, tenant, id).await?;
    if target.role == Role::Operator && hashed.is_some() {
        // The business name still admits whoever knows the shared one.
        companies::mark_operator_password_stale(&mut tx, tenant, now).await?;
    }
    let detail = match (target.role, hashed) {
        (Role::Operator, Some(_)) => "personal_password_set",
        (Role::Operator, None) => "personal_password_cleared",
        _ => "sign_in_password_set",
    };
    let event = Event::PasswordReset;
    audit::record(&mut tx, tenant, &trail, event, Some(id), detail).await?;
    tx.commit().await
}
