//! Another password for oneself.

use hourmeter_proto::accounts::v1::{ChangePasswordRequest, ChangePasswordResponse, Scope};
use hourmeter_runtime::error::ServiceError;
use tonic::Request;
use zeroize::Zeroizing;

use super::{Api, begin, convert, new_password, staff_sessions};
use crate::domain::token::Token;
use crate::domain::{Problems, password};
use crate::passwords::Hashed;
use crate::refusals;
use crate::store::audit::{self, AuditContext, Event};
use crate::store::reauthentication::{self, ToConfirm};
use crate::store::sessions::{self, NewSession};
use crate::store::sign_in::Credential;
use crate::store::{credentials, notices, people, sign_in};

const CURRENT: &str = "currentPassword";

/// A password that passed the rules, and the shared one it must differ from.
struct Wanted {
    form: Zeroizing<String>,
    shared: Credential,
}

pub(super) async fn change_password(
    api: &Api,
    request: Request<ChangePasswordRequest>,
) -> Result<ChangePasswordResponse, ServiceError> {
    let trail = convert::edge_trail(&request, request.get_ref().origin.as_ref())?;
    let message = request.into_inner();
    let (current, new) = (
        Zeroizing::new(message.current_password),
        Zeroizing::new(message.new_password),
    );
    let token = Token::parse(&message.token).ok_or_else(ServiceError::unauthenticated)?;
    let mut lookup = api.database.lookup().await?;
    let found = reauthentication::find(&mut lookup, &token).await?;
    drop(lookup);
    let Some(found) = found else {
        return staff_sessions::change_password(api, &token, &current, &new, &trail).await;
    };
    if found.scope != Scope::Full {
        return Err(ServiceError::forbidden());
    }
    let candidate = &found.candidate;
    let trail = trail.with_actor(candidate.user_id, &found.display_name, found.scope);
    let wanted = read(api, &found, &current, &new).await?;

    let stored = candidate.own.hashed.clone();
    let typed = password::typed(&current);
    let passwords = api.passwords.for_company(candidate.tenant.company_id());
    let [verdict] = passwords.check(typed, [stored]).await?;
    if !verdict.is_right() {
        return Err(refuse(api, &found, &trail, "wrong_password", wrong()).await);
    }
    if new_password::is_shared(&passwords, &wanted.form, &wanted.shared).await? {
        let failure = new_password::refuse_shared();
        return Err(refuse(api, &found, &trail, "operator_password", failure).await);
    }
    let hashed = passwords.hash(wanted.form).await?;
    let change = Change {
        found: &found,
        shared: &wanted.shared,
        hashed: &hashed,
        token: &token,
    };
    change.write(api, &trail).await
}

/// All that can be told without checking a password, at once.
async fn read(
    api: &Api,
    found: &ToConfirm,
    current: &str,
    new: &str,
) -> Result<Wanted, ServiceError> {
    let tenant = found.candidate.tenant;
    let mut tx = api.database.tenant(tenant).await?;
    let person = people::find(&mut tx, tenant, found.candidate.user_id).await?;
    let person = person.ok_or_else(ServiceError::unauthenticated)?;
    let shared = credentials::operator_password(&mut tx, tenant).await?;
    tx.commit().await?;
    let mut problems = Problems::default();
    if current.is_empty() {
        problems.note(CURRENT, refusals::CURRENT_PASSWORD_MISSING);
    }
    let form = problems.take(new_password::FIELD, new_password::read(&person, new));
    problems.finish()?;
    Ok(Wanted { form, shared })
}

/// The reason tells it from other wrong fields.
fn wrong() -> ServiceError {
    ServiceError::field(CURRENT, refusals::CURRENT_PASSWORD_WRONG).with_reason("WRONG_PASSWORD")
}

/// Notes the try and answers it.
async fn refuse(
    api: &Api,
    found: &ToConfirm,
    trail: &AuditContext,
    detail: &'static str,
    failure: ServiceError,
) -> ServiceError {
    let (tenant, who) = (found.candidate.tenant, found.candidate.user_id);
    let noted = async {
        let mut tx = api.database.tenant(tenant).await?;
        let (event, name) = (Event::PasswordChangeFailed, &found.display_name);
        audit::record_on(&mut tx, tenant, trail, event, Some(who), name, detail).await?;
        tx.commit().await
    };
    match noted.await {
        Ok(()) => failure,
        Err(failure) => failure,
    }
}

/// A change whose passwords have all been checked.
struct Change<'a> {
    found: &'a ToConfirm,
    shared: &'a Credential,
    hashed: &'a Hashed,
    token: &'a Token,
}

impl Change<'_> {
    async fn write(
        &self,
        api: &Api,
        trail: &AuditContext,
    ) -> Result<ChangePasswordResponse, ServiceError> {
        let (candidate, session_id) = (&self.found.candidate, self.found.session_id);
        let (tenant, who) = (candidate.tenant, candidate.user_id);
        let mut tx = api.database.tenant(tenant).await?;
        if !sign_in::hold_company(&mut tx, tenant, self.shared, true).await? {
            return Err(new_password::changed_meanwhile());
        }
        if !sign_in::hold_person(&mut tx, candidate).await? {
            drop(tx);
            return Err(refuse(api, self.found, trail, "wrong_password", wrong()).await);
        }
        let now = api.clock.now();
        if !credentials::set_own_password(&mut tx, tenant, who, self.hashed, now).await? {
            return Err(ServiceError::unauthenticated());
        }
        notices::own_password_chosen(&mut tx, tenant, who).await?;
        sessions::end_others(&mut tx, tenant, who, session_id).await?;
        let new = Token::random()?;
        if !reauthentication::confirm(&mut tx, tenant, session_id, self.token, &new).await? {
            return Err(ServiceError::unauthenticated());
        }
        let (event, name) = (Event::PasswordChanged, &self.found.display_name);
        audit::record_on(&mut tx, tenant, trail, event, Some(who), name, "").await?;
        let session = NewSession {
            user_id: who,
            role: candidate.role,
            scope: self.found.scope,
            remember: self.found.remember,
            via: "",
        };
        let grant = begin::grant(&mut tx, &session, &new).await?;
        tx.commit().await?;
        Ok(ChangePasswordResponse {
            session: Some(grant),
        })
    }
}
