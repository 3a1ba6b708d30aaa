//! New sessions and rejected sign-ins, shared by sign-up and both logins.

use hourmeter_proto::accounts::v1::{self, Scope};
use hourmeter_proto::notifications::v1::SecurityEventKind;
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::message::Reason;

use super::{Api, notices};
use crate::domain::access::display_name;
use crate::domain::token::Token;
use crate::store::attempts;
use crate::store::audit::{self, AuditContext, AuditEntry, Event, NO_COMPANY};
use crate::store::people::{self, Person};
use crate::store::reauthentication::SessionToConfirm;
use crate::store::sessions::{self, NewSession};
use crate::store::sign_in::Candidate;
use crate::store::{browsers, scope_name, second_factor, security_events};

/// Starts a session and ends the previous one of the browser. The person's row must be locked, or new.
pub async fn start(
    tx: &mut TenantTx,
    new: &NewSession,
    previous_token: &str,
    context: &AuditContext,
) -> Result<v1::SessionGrant, ServiceError> {
    let person = people::caller(tx, new.user_id).await?;
    let (first, last) = (&person.first_name, &person.last_name);
    let name = display_name(new.role, new.scope, first, last, &person.company_name);
    let context = context.with_actor(new.user_id, &name, new.scope);
    if let Some(previous) = Token::parse(previous_token) {
        sessions::end(tx, &previous, Event::SessionReplaced, &context).await?;
    }
    for expired in sessions::delete_ended(tx, new.user_id).await? {
        audit::done(tx, &context, Event::SessionExpired, expired, "").await?;
    }
    for ended in sessions::evict_oldest(tx, new.user_id, new.scope).await? {
        audit::done(tx, &context, Event::SessionCrowdedOut, ended, "").await?;
    }
    if new.scope == Scope::Full && browsers::note(tx, new.user_id, &context.browser).await? {
        let event = SecurityEventKind::NewBrowser;
        security_events::record(tx, new.user_id, event, &context).await?;
    }
    let prefix = &context.address_prefix;
    attempts::record_address(tx, new.user_id, new.scope, prefix).await?;
    let token = Token::random()?;
    let id = sessions::insert(tx, new, &token, prefix).await?;
    let entry = AuditEntry::success(Event::SignIn).target(id, "");
    audit::record(tx, &context, &entry.detail(new.via)).await?;
    granted(tx, person, new.scope, new.remember, &token).await
}

/// Grants the new token of a confirmed session.
pub async fn grant(
    tx: &mut TenantTx,
    found: &SessionToConfirm,
    token: &Token,
) -> Result<v1::SessionGrant, ServiceError> {
    let person = people::caller(tx, found.candidate.user_id).await?;
    granted(tx, person, found.scope, found.remember, token).await
}

async fn granted(
    tx: &mut TenantTx,
    person: Person,
    scope: Scope,
    remember_me: bool,
    token: &Token,
) -> Result<v1::SessionGrant, ServiceError> {
    let tenant = tx.tenant();
    let second_factor_missing =
        second_factor::is_missing(tx, person.id, &person.role, scope_name(scope)).await?;
    let user = notices::user(tx, tenant, person, scope).await?;
    Ok(v1::SessionGrant {
        token: token.to_text(),
        user: Some(v1::User {
            second_factor_missing,
            ..user
        }),
        remember_me,
    })
}

/// Records a failed sign-in and returns its error. Takes the same work for unknown names.
pub async fn reject(
    api: &Api,
    candidate: Option<&Candidate>,
    context: &AuditContext,
    detail: &'static str,
    message: Reason,
) -> ServiceError {
    let entry = AuditEntry::failed(Event::SignIn).detail(detail);
    let error = ServiceError::new(Kind::Unauthenticated, message);
    refuse(api, candidate, context, entry, error).await
}

/// Records a refused attempt without a session and returns its error. Takes the same work for unknown
/// names.
pub async fn refuse(
    api: &Api,
    candidate: Option<&Candidate>,
    context: &AuditContext,
    entry: AuditEntry<'_>,
    error: ServiceError,
) -> ServiceError {
    let recorded = record(api, candidate, context, entry).await;
    recorded.err().unwrap_or(error)
}

/// Records an attempt without a session. Takes the same work for unknown names.
pub async fn record(
    api: &Api,
    candidate: Option<&Candidate>,
    context: &AuditContext,
    entry: AuditEntry<'_>,
) -> Result<(), ServiceError> {
    let tenant = candidate.map_or(NO_COMPANY, |candidate| candidate.tenant);
    let target = candidate.map(|candidate| candidate.user_id);
    let mut tx = api.database.tenant(tenant).await?;
    let person = people::find(&mut tx, tenant, target.unwrap_or_default()).await?;
    let name = person.map_or_else(String::new, |person| person.name());
    let entry = AuditEntry {
        target_id: target,
        target_name: &name,
        ..entry
    };
    audit::record(&mut tx, context, &entry).await?;
    tx.commit().await
}
