//! What signing up and both sign-ins share: a new session, and the refusal that tells nothing.

use hourmeter_proto::accounts::v1::{SessionGrant, User};
use hourmeter_runtime::db::{Database, TenantTx};
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::message::Reason;

use super::notices;
use crate::domain::access::display_name;
use crate::domain::token::Token;
use crate::store::attempts;
use crate::store::audit::{self, AuditContext, Event, NO_COMPANY};
use crate::store::people::{self, Person};
use crate::store::sessions::{self, NewSession};
use crate::store::sign_in::Candidate;
use crate::store::{scope_name, second_factor, staff_sessions};

/// Begins a session in place of the one the browser had. The person's row must be held, or new.
pub async fn session(
    tx: &mut TenantTx,
    new: &NewSession,
    previous_token: &str,
    trail: &AuditContext,
) -> Result<SessionGrant, ServiceError> {
    let tenant = tx.tenant();
    let person = people::find(tx, tenant, new.user_id).await?;
    let person = person.ok_or_else(ServiceError::unauthenticated)?;
    let name = display_name(
        new.role,
        new.scope,
        &person.first_name,
        &person.last_name,
        &person.company_name,
    );
    let trail = trail.with_actor(new.user_id, &name, new.scope);
    if let Some(previous) = Token::parse(previous_token) {
        sessions::end(tx, &previous, "session_replaced", &trail).await?;
        staff_sessions::end(tx, &previous, "session_replaced", &trail).await?;
    }
    for expired in sessions::sweep(tx, tenant, new.user_id).await? {
        audit::record(tx, tenant, &trail, Event::SessionExpired, Some(expired), "").await?;
    }
    for ended in sessions::make_room(tx, tenant, new.user_id, new.scope).await? {
        audit::record(
            tx,
            tenant,
            &trail,
            Event::SessionCrowdedOut,
            Some(ended),
            "",
        )
        .await?;
    }
    let prefix = &trail.address_prefix;
    attempts::note_address(tx, tenant, new.user_id, new.scope, prefix).await?;
    let token = Token::random()?;
    let id = sessions::insert(tx, tenant, new, &token, &trail.address_prefix).await?;
    audit::record(tx, tenant, &trail, Event::SignedIn, Some(id), new.via).await?;
    granted(tx, person, new, &token).await
}

/// The answer to whoever signed in.
pub async fn grant(
    tx: &mut TenantTx,
    session: &NewSession,
    token: &Token,
) -> Result<SessionGrant, ServiceError> {
    let tenant = tx.tenant();
    let person = people::find(tx, tenant, session.user_id).await?;
    let person = person.ok_or_else(ServiceError::unauthenticated)?;
    granted(tx, person, session, token).await
}

async fn granted(
    tx: &mut TenantTx,
    person: Person,
    session: &NewSession,
    token: &Token,
) -> Result<SessionGrant, ServiceError> {
    let tenant = tx.tenant();
    let (holder, scope) = ((tenant, person.id), scope_name(session.scope));
    let second_factor_missing = second_factor::is_missing(tx, holder, &person.role, scope).await?;
    let user = notices::user(tx, tenant, person, session.scope).await?;
    Ok(SessionGrant {
        token: token.to_text(),
        user: Some(User {
            second_factor_missing,
            ..user
        }),
        remember_me: session.remember,
    })
}

/// Notes a failed sign-in and answers it. The same work whether or not anybody has that name.
pub async fn refuse(
    database: &Database,
    candidate: Option<&Candidate>,
    trail: &AuditContext,
    detail: &'static str,
    message: Reason,
) -> ServiceError {
    match note(database, candidate, trail, Event::SignInFailed, detail).await {
        Ok(()) => ServiceError::new(Kind::Unauthenticated, message),
        Err(failure) => failure,
    }
}

/// Writes down what somebody without a session tried with a name. The same work whether or not
/// anybody has it.
pub async fn note(
    database: &Database,
    candidate: Option<&Candidate>,
    trail: &AuditContext,
    event: Event,
    detail: &'static str,
) -> Result<(), ServiceError> {
    let tenant = candidate.map_or(NO_COMPANY, |candidate| candidate.tenant);
    let target = candidate.map(|candidate| candidate.user_id);
    let mut tx = database.tenant(tenant).await?;
    let person = people::find(&mut tx, tenant, target.unwrap_or_default()).await?;
    let name = person.map_or_else(String::new, |person| person.name());
    audit::record_on(&mut tx, tenant, trail, event, target, &name, detail).await?;
    tx.commit().await
}
