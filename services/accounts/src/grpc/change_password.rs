//! Changes the caller's password.

use hourmeter_proto::accounts::v1::{self, Scope};
use hourmeter_proto::notifications::v1::SecurityEventKind;
use hourmeter_runtime::error::ServiceError;
use tonic::Request;
use zeroize::Zeroizing;

use super::new_password::Refusal;
use super::{Api, convert, new_password, new_session, staff_sessions};
use crate::domain::password;
use crate::domain::token::Token;
use crate::passwords::Hashed;
use crate::store::audit::{self, AuditContext, AuditEntry, Event};
use crate::store::reauthentication::{self, SessionToConfirm};
use crate::store::sessions;
use crate::store::sign_in::Credential;
use crate::store::{credentials, notices, people, security_events, sign_in};

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
    let mut tx = api.database.tenant(candidate.tenant).await?;
    let person = people::caller(&mut tx, candidate.user_id).await?;
    let shared = credentials::operator_password(&mut tx).await?;
    tx.commit().await?;
    let form = new_password::read_change(&current, new_password::read(&person, &new))?;

    let stored = candidate.own.hashed.clone();
    let typed = password::typed(&current);
    let passwords = api.passwords.for_company(candidate.tenant.company_id());
    let [verdict] = passwords.check(typed, [stored]).await?;
    if !verdict.is_right() {
        return Err(refuse(api, &found, &context).await);
    }
    let refusal = Refusal {
        tenant: candidate.tenant,
        context: &context,
        entry: refused_change(&found),
    };
    let hashed = new_password::hash(api, &passwords, form, &shared, refusal).await?;
    write(api, &found, &shared, &hashed, &token, &context).await
}

/// Records a wrong password.
async fn refuse(api: &Api, found: &SessionToConfirm, context: &AuditContext) -> ServiceError {
    let entry = refused_change(found).detail("wrong_password");
    let wrong = new_password::wrong_current();
    api.refuse(found.candidate.tenant, context, &entry, wrong)
        .await
}

fn refused_change(found: &SessionToConfirm) -> AuditEntry<'_> {
    AuditEntry::failed(Event::PasswordChanged).target(found.candidate.user_id, &found.display_name)
}

async fn write(
    api: &Api,
    found: &SessionToConfirm,
    shared: &Credential,
    hashed: &Hashed,
    token: &Token,
    context: &AuditContext,
) -> Result<v1::ChangePasswordResponse, ServiceError> {
    let (candidate, session_id) = (&found.candidate, found.session_id);
    let (tenant, who) = (candidate.tenant, candidate.user_id);
    let mut tx = api.database.tenant(tenant).await?;
    if !sign_in::lock_company(&mut tx, shared, true).await? {
        return Err(new_password::changed_meanwhile());
    }
    if !sign_in::lock_person(&mut tx, candidate).await? {
        drop(tx);
        return Err(refuse(api, found, context).await);
    }
    let now = api.clock.now();
    if !credentials::set_own_password(&mut tx, who, hashed, now).await? {
        return Err(ServiceError::unauthenticated());
    }
    notices::delete_password_set_by_other(&mut tx, who).await?;
    sessions::end_all(&mut tx, who, Some(session_id)).await?;
    let new = Token::random()?;
    if !reauthentication::confirm(&mut tx, session_id, token, &new).await? {
        return Err(ServiceError::unauthenticated());
    }
    let name = &found.display_name;
    audit::done(&mut tx, context, Event::PasswordChanged, who, name).await?;
    let event = SecurityEventKind::PasswordChanged;
    security_events::record(&mut tx, who, event, context).await?;
    let session = Some(new_session::grant(&mut tx, found, &new).await?);
    tx.commit().await?;
    Ok(v1::ChangePasswordResponse { session })
}
