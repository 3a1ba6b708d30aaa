//! Resolves, reauthenticates and ends sessions.

use hourmeter_proto::accounts::v1::{self, Scope};
use hourmeter_runtime::error::{Kind, ServiceError};
use tonic::Request;

use super::{Api, convert, new_session, staff_sessions};
use crate::domain::password;
use crate::domain::token::Token;
use crate::refusals;
use crate::store;
use crate::store::audit::{self, AuditContext, AuditEntry, Event};
use crate::store::reauthentication::{self, SessionToConfirm};
use crate::store::sessions::{self, Resolved};
use crate::store::sign_in;

pub(super) async fn resolve_session(
    api: &Api,
    request: Request<v1::ResolveSessionRequest>,
) -> Result<v1::ResolveSessionResponse, ServiceError> {
    let mut context = convert::edge_context(&request, request.get_ref().origin.as_ref())?;
    // The identity token of the call may be shared with another request.
    if let Some(request_id) = convert::id(&request.get_ref().request_id) {
        context.request_id = request_id;
    }
    let token = Token::parse(&request.get_ref().token).ok_or_else(ServiceError::unauthenticated)?;
    if request.get_ref().peek {
        return peek(api, &token).await;
    }
    // Generated for every call, because only the database knows whether it is needed.
    let new = Token::random()?;
    let mut lookup = api.database.lookup().await?;
    let found = sessions::resolve(&mut lookup, &token, &new, &context).await?;
    if let Some(found) = found {
        return Ok(resolved(found, &new));
    }
    let staff = store::staff_sessions::resolve(&mut lookup, &token).await?;
    let staff = staff.ok_or_else(ServiceError::unauthenticated)?;
    Ok(staff.into())
}

/// Resolves without recording use; writes nothing for any token.
async fn peek(api: &Api, token: &Token) -> Result<v1::ResolveSessionResponse, ServiceError> {
    let mut lookup = api.database.lookup().await?;
    if let Some(found) = sessions::peek(&mut lookup, token).await? {
        return Ok(found.into());
    }
    let staff = store::staff_sessions::peek(&mut lookup, token).await?;
    let staff = staff.ok_or_else(ServiceError::unauthenticated)?;
    Ok(staff.into())
}

/// The response, with the new token if it replaces the one that was sent.
fn resolved(found: Resolved, new: &Token) -> v1::ResolveSessionResponse {
    let seconds = found.new_token_seconds.map(i32::cast_unsigned);
    v1::ResolveSessionResponse {
        new_token: seconds.map_or_else(String::new, |_| new.to_text()),
        new_token_seconds: seconds.unwrap_or_default(),
        ..found.into()
    }
}

pub(super) async fn sign_out(
    api: &Api,
    request: Request<v1::SignOutRequest>,
) -> Result<v1::SignOutResponse, ServiceError> {
    let context = convert::edge_context(&request, None)?;
    if let Some(token) = Token::parse(&request.get_ref().token) {
        let mut lookup = api.database.lookup().await?;
        sessions::end(&mut lookup, &token, Event::SignOut, &context).await?;
    }
    Ok(v1::SignOutResponse {})
}

pub(super) async fn reauthenticate(
    api: &Api,
    request: Request<v1::ReauthenticateRequest>,
) -> Result<v1::ReauthenticateResponse, ServiceError> {
    let context = convert::edge_context(&request, request.get_ref().origin.as_ref())?;
    let message = request.into_inner();
    let token = Token::parse(&message.token).ok_or_else(ServiceError::unauthenticated)?;
    if message.password.is_empty() {
        return Err(ServiceError::field("password", refusals::PASSWORD_MISSING));
    }
    let mut lookup = api.database.lookup().await?;
    let found = reauthentication::find(&mut lookup, &token).await?;
    drop(lookup);
    let Some(found) = found else {
        let typed = password::typed(&message.password);
        return staff_sessions::reauthenticate(api, &token, typed, &context).await;
    };
    if found.scope != Scope::Full {
        return Err(ServiceError::forbidden());
    }

    let context = context.with_actor(found.candidate.user_id, &found.display_name, found.scope);
    let tenant = found.candidate.tenant;
    let typed = password::typed(&message.password);
    let stored = found.candidate.own.hashed.clone();
    let passwords = api.passwords.for_company(tenant.company_id());
    let Some(rehashed) = passwords.verify(typed, stored).await? else {
        return Err(refuse(api, &found, &context).await);
    };

    let mut tx = api.database.tenant(tenant).await?;
    if !sign_in::lock_person(&mut tx, &found.candidate).await? {
        drop(tx);
        return Err(refuse(api, &found, &context).await);
    }
    if let Some(rehashed) = &rehashed {
        sign_in::rehash_own(&mut tx, &found.candidate, rehashed).await?;
    }
    let new_token = Token::random()?;
    if !reauthentication::confirm(&mut tx, found.session_id, &token, &new_token).await? {
        return Err(ServiceError::unauthenticated());
    }
    let event = Event::Reauthentication;
    audit::done(&mut tx, &context, event, found.session_id, "").await?;
    let session = Some(new_session::grant(&mut tx, &found, &new_token).await?);
    tx.commit().await?;
    Ok(v1::ReauthenticateResponse { session })
}

/// Records a wrong password. The reason distinguishes it from an ended session.
async fn refuse(api: &Api, found: &SessionToConfirm, context: &AuditContext) -> ServiceError {
    let entry = AuditEntry::failed(Event::Reauthentication).target(found.session_id, "");
    let wrong = ServiceError::new(Kind::Unauthenticated, refusals::WRONG_PASSWORD);
    api.refuse(found.candidate.tenant, context, &entry, wrong)
        .await
}
