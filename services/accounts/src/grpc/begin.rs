//! What signing up and both sign-ins share: a new session, and the refusal that tells nothing.

use hourmeter_proto::accounts::v1::SessionGrant;
use hourmeter_runtime::db::{Database, TenantTx};
use hourmeter_runtime::error::{Failure, Kind};

use super::convert;
use crate::domain::token::Token;
use crate::store::audit::{self, Event, NO_COMPANY, Trail};
use crate::store::people;
use crate::store::sessions::{self, NewSession};
use crate::store::sign_in::Candidate;

/// Begins a session in place of the one the browser had. The person's row must be held, or new.
pub async fn session(
    tx: &mut TenantTx,
    new: &NewSession,
    previous_token: &str,
    trail: &Trail,
) -> Result<SessionGrant, Failure> {
    let tenant = tx.tenant();
    let trail = trail.by(new.user_id, new.scope);
    if let Some(previous) = Token::parse(previous_token) {
        sessions::end(tx, &previous, "session_replaced", &trail).await?;
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
    let token = Token::random()?;
    let id = sessions::insert(tx, tenant, new, &token, &trail.address_prefix).await?;
    audit::record(tx, tenant, &trail, Event::SignedIn, Some(id), new.via).await?;
    grant(tx, new, &token).await
}

/// The answer to whoever signed in.
pub async fn grant(
    tx: &mut TenantTx,
    session: &NewSession,
    token: &Token,
) -> Result<SessionGrant, Failure> {
    let tenant = tx.tenant();
    let person = people::find(tx, tenant, session.user_id).await?;
    let person = person.ok_or_else(Failure::unauthenticated)?;
    Ok(SessionGrant {
        token: token.to_text(),
        user: Some(convert::user(person, session.scope)),
        remember_me: session.remember,
    })
}

/// Notes a failed sign-in and answers it. The same work whether or not anybody has that name.
pub async fn refuse(
    database: &Database,
    candidate: Option<&Candidate>,
    trail: &Trail,
    message: &'static str,
) -> Failure {
    let tenant = candidate.map_or(NO_COMPANY, |candidate| candidate.tenant);
    let target = candidate.map(|candidate| candidate.user_id);
    let noted = async {
        let mut tx = database.tenant(tenant).await?;
        audit::record(&mut tx, tenant, trail, Event::SignInFailed, target, "").await?;
        tx.commit().await
    };
    match noted.await {
        Ok(()) => Failure::new(Kind::Unauthenticated, message),
        Err(failure) => failure,
    }
}
