//! Who may try at a sign-in while its name, or at the operator login the whole company, is under
//! attack: addresses that signed in before. Checked before any password.

use hourmeter_proto::accounts::v1::{Role, SignInOperatorRequest};
use hourmeter_runtime::error::ServiceError;
use zeroize::Zeroizing;

use super::{Api, begin};
use crate::store::attempts::{self, Known, OPERATOR_LOGIN};
use crate::store::audit::{AuditContext, Event, NO_COMPANY};
use crate::store::notices;
use crate::store::sign_in::Candidate;

/// A name under attack stays so for a day.
const A_DAY: u64 = 24 * 60 * 60;

/// At the manager login, when the gateway says that the name is under attack.
pub async fn check_name(
    api: &Api,
    candidate: Option<&Candidate>,
    trail: &AuditContext,
) -> Result<(), ServiceError> {
    let (_, known) = look(api, candidate, trail).await?;
    if known.in_full {
        Ok(())
    } else {
        Err(refuse(api, candidate, trail, A_DAY, "").await)
    }
}

/// At the operator login, always; returns whether the owner's own password may open it. An address
/// that is known by the operator password is known for that password only. The same queries for a
/// name that nobody has.
pub async fn check_operator(
    api: &Api,
    candidate: Option<&Candidate>,
    request: &SignInOperatorRequest,
    typed: &Zeroizing<String>,
    trail: &AuditContext,
) -> Result<bool, ServiceError> {
    let (blocked, known) = look(api, candidate, trail).await?;
    let only_known = request.known_addresses_only;
    let own_may_open = known.in_full
        || !only_known && !request.own_password_known_addresses_only && blocked.is_none();
    if known.at_all {
        return Ok(own_may_open);
    }
    if let (Some(_), Some(candidate)) = (blocked, candidate) {
        let mut tx = api.database.tenant(candidate.tenant).await?;
        let kind = notices::Kind::OperatorSignInsBlocked;
        notices::tell_owner_hourly(&mut tx, candidate.tenant, kind).await?;
        tx.commit().await?;
    }
    let wait = match blocked {
        _ if only_known => A_DAY,
        Some(seconds) => {
            // The time it takes must not show that the name is of a company that is closed.
            let _ = api.passwords.check(typed.clone(), [None, None]).await?;
            u64::try_from(seconds).unwrap_or_default().max(1)
        }
        None => return Ok(own_may_open),
    };
    Err(refuse(api, candidate, trail, wait, OPERATOR_LOGIN).await)
}

/// How long the operator login is closed for this name, and how the address is known.
async fn look(
    api: &Api,
    candidate: Option<&Candidate>,
    trail: &AuditContext,
) -> Result<(Option<i64>, Known), ServiceError> {
    let tenant = candidate.map_or(NO_COMPANY, |candidate| candidate.tenant);
    let user_id = candidate
        .map(|candidate| candidate.user_id)
        .unwrap_or_default();
    let by_business_name = candidate.is_some_and(|candidate| candidate.role == Role::Owner);
    let mut tx = api.database.tenant(tenant).await?;
    let blocked = attempts::operator_login_blocked(&mut tx, tenant, by_business_name).await?;
    let known = attempts::known_address(&mut tx, tenant, user_id, &trail.address_prefix).await?;
    tx.commit().await?;
    Ok((blocked, known))
}

async fn refuse(
    api: &Api,
    candidate: Option<&Candidate>,
    trail: &AuditContext,
    wait: u64,
    detail: &'static str,
) -> ServiceError {
    let event = Event::SignInLimited;
    match begin::note(&api.database, candidate, trail, event, detail).await {
        Ok(()) => ServiceError::too_many(wait),
        Err(failure) => failure,
    }
}
