//! Changes the caller's password.

use hourmeter_proto::accounts::v1::{self, Scope};
use hourmeter_proto::notifications::v1::SecurityEventKind;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::message::Message;
use tonic::Request;
use zeroize::Zeroizing;

use super::{Api, convert, new_password, new_session, staff_sessions};
use crate::domain::token::Token;
use crate::domain::{FieldErrors, password};
use crate::passwords::Hashed;
use crate::refusals;
use crate::store::audit::{self, AuditContext, Event, done, failed};
use crate::store::reauthentication::{self, SessionToConfirm};
use crate::store::sessions::{self, NewSession};
use crate::store::sign_in::Credential;
use crate::store::{credentials, notices, people, security_events, sign_in};

const CURRENT: &str = "currentPassword";

/// A valid new password, and the operator password it must differ from.
struct ValidPassword {
    form: Zeroizing<String>,
    shared: Credential,
}

pub(super) async fn change_password(
    api: &Api,
    request: Request<v1::ChangePasswordRequest>,
) -> Result<v1::ChangePasswordResponse, ServiceError> {
    let context = convert::edge_context(&request, request.get_ref().origin.as_ref())?;
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
        return staff_sessions::change_password(api, &token, &current, &new, &context).await;
    };
    if found.scope != Scope::Full {
        return Err(ServiceError::forbidden());
    }
    let candidate = &found.candidate;
    let context = context.with_actor(candidate.user_id, &found.display_name, found.scope);
    let new_password_form = read(api, &found, &current, &new).await?;

    let stored = candidate.own.hashed.clone();
    let typed = password::typed(&current);
    let passwords = api.passwords.for_company(candidate.tenant.company_id());
    let [verdict] = passwords.check(typed, [stored]).await?;
    if !verdict.is_right() {
        return Err(refuse(api, &found, &context, "wrong_password", wrong_current()).await);
    }
    if new_password::is_shared(
        &passwords,
        &new_password_form.form,
        &new_password_form.shared,
    )
    .await?
    {
        let failure = new_password::refuse_shared();
        return Err(refuse(api, &found, &context, "operator_password", failure).await);
    }
    let hashed = passwords.hash(new_password_form.form).await?;
    let change = Change {
        found: &found,
        shared: &new_password_form.shared,
        hashed: &hashed,
        token: &token,
    };
    change.write(api, &context).await
}

/// Validates everything that needs no password verification.
async fn read(
    api: &Api,
    found: &SessionToConfirm,
    current: &str,
    new: &str,
) -> Result<ValidPassword, ServiceError> {
    let tenant = found.candidate.tenant;
    let mut tx = api.database.tenant(tenant).await?;
    let person = people::find(&mut tx, tenant, found.candidate.user_id).await?;
    let person = person.ok_or_else(ServiceError::unauthenticated)?;
    let shared = credentials::operator_password(&mut tx).await?;
    tx.commit().await?;
    let form = read_change(current, new_password::read(&person, new))?;
    Ok(ValidPassword { form, shared })
}

/// Fails for a missing current or an invalid new password.
pub(super) fn read_change(
    current: &str,
    new: Result<Zeroizing<String>, Message>,
) -> Result<Zeroizing<String>, ServiceError> {
    let mut errors = FieldErrors::default();
    if current.is_empty() {
        errors.add(CURRENT, refusals::CURRENT_PASSWORD_MISSING);
    }
    let form = errors.take(new_password::FIELD, new);
    errors.finish()?;
    Ok(form)
}

/// The reason distinguishes it from other invalid fields.
pub(super) fn wrong_current() -> ServiceError {
    ServiceError::field(CURRENT, refusals::CURRENT_PASSWORD_WRONG).with_reason("WRONG_PASSWORD")
}

/// Records the failed attempt.
async fn refuse(
    api: &Api,
    found: &SessionToConfirm,
    context: &AuditContext,
    detail: &'static str,
    failure: ServiceError,
) -> ServiceError {
    let (tenant, who) = (found.candidate.tenant, found.candidate.user_id);
    let noted = async {
        let mut tx = api.database.tenant(tenant).await?;
        let (event, name) = (failed(Event::PasswordChanged), &found.display_name);
        audit::record_on(&mut tx, context, event, Some(who), name, detail).await?;
        tx.commit().await
    };
    match noted.await {
        Ok(()) => failure,
        Err(failure) => failure,
    }
}

/// A verified change.
struct Change<'a> {
    found: &'a SessionToConfirm,
    shared: &'a Credential,
    hashed: &'a Hashed,
    token: &'a Token,
}

impl Change<'_> {
    async fn write(
        &self,
        api: &Api,
        context: &AuditContext,
    ) -> Result<v1::ChangePasswordResponse, ServiceError> {
        let (candidate, session_id) = (&self.found.candidate, self.found.session_id);
        let (tenant, who) = (candidate.tenant, candidate.user_id);
        let mut tx = api.database.tenant(tenant).await?;
        if !sign_in::lock_company(&mut tx, self.shared, true).await? {
            return Err(new_password::changed_meanwhile());
        }
        if !sign_in::lock_person(&mut tx, candidate).await? {
            drop(tx);
            return Err(refuse(api, self.found, context, "wrong_password", wrong_current()).await);
        }
        let now = api.clock.now();
        if !credentials::set_own_password(&mut tx, who, self.hashed, now).await? {
            return Err(ServiceError::unauthenticated());
        }
        notices::delete_password_set_by_other(&mut tx, who).await?;
        sessions::end_all(&mut tx, who, Some(session_id)).await?;
        let new = Token::random()?;
        if !reauthentication::confirm(&mut tx, session_id, self.token, &new).await? {
            return Err(ServiceError::unauthenticated());
        }
        let (event, name) = (done(Event::PasswordChanged), &self.found.display_name);
        audit::record_on(&mut tx, context, event, Some(who), name, "").await?;
        let event = SecurityEventKind::PasswordChanged;
        security_events::record(&mut tx, who, event, context).await?;
        let session = NewSession {
            user_id: who,
            role: candidate.role,
            scope: self.found.scope,
            remember: self.found.remember,
            via: "",
        };
        let grant = new_session::grant(&mut tx, &session, &new).await?;
        tx.commit().await?;
        Ok(v1::ChangePasswordResponse {
            session: Some(grant),
        })
    }
}
