//! While a name is under attack, only addresses that signed in before may try to sign in; at the
//! operator login this applies to the whole company. Checked before any password.

use hourmeter_proto::accounts::v1::{self, Role};
use hourmeter_runtime::error::ServiceError;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::{Api, new_session};
use crate::store::attempts::{self, AddressHistory, OPERATOR_LOGIN};
use crate::store::audit::{AuditContext, Event, NO_COMPANY, limited};
use crate::store::notices;
use crate::store::sign_in::Candidate;

pub const A_DAY: u64 = 24 * 60 * 60;

/// For the manager login, if the gateway reports an attack on the name.
pub async fn check_name(
    api: &Api,
    candidate: Option<&Candidate>,
    context: &AuditContext,
) -> Result<(), ServiceError> {
    let (_, known) = look(api, candidate, context).await?;
    if known.with_full_scope {
        Ok(())
    } else {
        let (entry, error) = (limited(Event::SignIn), ServiceError::too_many(A_DAY));
        Err(new_session::refuse(api, candidate, context, entry, error).await)
    }
}

/// For the operator login. Returns whether the owner's own password may be used. An address that is
/// known by the operator password is known for that password only. Runs the same queries for unknown
/// names.
pub async fn check_operator(
    api: &Api,
    candidate: Option<&Candidate>,
    request: &v1::SignInOperatorRequest,
    typed: &Zeroizing<String>,
    context: &AuditContext,
) -> Result<bool, ServiceError> {
    let (blocked, known) = look(api, candidate, context).await?;
    let only_known = request.known_addresses_only;
    let own_may_open = known.with_full_scope
        || !only_known && !request.own_password_known_addresses_only && blocked.is_none();
    if known.signed_in {
        return Ok(own_may_open);
    }
    if let (Some(_), Some(candidate)) = (blocked, candidate) {
        let mut tx = api.database.tenant(candidate.tenant).await?;
        let kind = notices::Kind::OperatorSignInsBlocked;
        notices::add_for_owner_hourly(&mut tx, kind).await?;
        tx.commit().await?;
    }
    let wait = match blocked {
        _ if only_known => A_DAY,
        Some(seconds) => {
            // The response time must not show that the company exists and is locked.
            let _ = api.passwords.check(typed.clone(), [None, None]).await?;
            u64::try_from(seconds).unwrap_or_default().max(1)
        }
        None => return Ok(own_may_open),
    };
    let entry = limited(Event::SignIn).detail(OPERATOR_LOGIN);
    let error = ServiceError::too_many(wait);
    Err(new_session::refuse(api, candidate, context, entry, error).await)
}

/// Remaining lockout of the operator login in seconds, and the history of the address.
async fn look(
    api: &Api,
    candidate: Option<&Candidate>,
    context: &AuditContext,
) -> Result<(Option<i64>, AddressHistory), ServiceError> {
    let tenant = candidate.map_or(NO_COMPANY, |candidate| candidate.tenant);
    let user_id = candidate.map_or_else(Uuid::nil, |candidate| candidate.user_id);
    let by_business_name = candidate.is_some_and(|candidate| candidate.role == Role::Owner);
    let mut tx = api.database.tenant(tenant).await?;
    let blocked = attempts::operator_login_blocked(&mut tx, by_business_name).await?;
    let known = attempts::known_address(&mut tx, user_id, &context.address_prefix).await?;
    tx.commit().await?;
    Ok((blocked, known))
}
