//! Who may try at a sign-in while its name, or at the operator login the whole company, is under
//! attack: addresses that signed in before. Checked before any password.

use hourmeter_runtime::error::Failure;

use super::{Api, begin};
use crate::store::attempts::{self, OPERATOR_LOGIN};
use crate::store::audit::{Event, NO_COMPANY, Trail};
use crate::store::notices;
use crate::store::sign_in::Candidate;

/// A name under attack stays so for a day.
const A_DAY: u64 = 24 * 60 * 60;

/// At the manager login, when the gateway says that the name is under attack.
pub async fn check_name(
    api: &Api,
    candidate: Option<&Candidate>,
    trail: &Trail,
) -> Result<(), Failure> {
    let (_, is_known) = look(api, candidate, trail, true).await?;
    if is_known {
        Ok(())
    } else {
        Err(refuse(api, candidate, trail, A_DAY, "").await)
    }
}

/// At the operator login, always. The same queries for a name that nobody has, whose count says
/// nothing.
pub async fn check_operator(
    api: &Api,
    candidate: Option<&Candidate>,
    trail: &Trail,
    known_addresses_only: bool,
) -> Result<(), Failure> {
    let (blocked, is_known) = look(api, candidate, trail, false).await?;
    let blocked = blocked.filter(|_| candidate.is_some() && !is_known);
    if let (Some(_), Some(candidate)) = (blocked, candidate) {
        let mut tx = api.database.tenant(candidate.tenant).await?;
        let kind = notices::Kind::OperatorSignInsBlocked;
        notices::tell_owner_hourly(&mut tx, candidate.tenant, kind).await?;
        tx.commit().await?;
    }
    let wait = match blocked {
        _ if known_addresses_only && !is_known => A_DAY,
        Some(seconds) => u64::try_from(seconds).unwrap_or_default().max(1),
        None => return Ok(()),
    };
    Err(refuse(api, candidate, trail, wait, OPERATOR_LOGIN).await)
}

/// Whether the operator login is blocked, and whether the address is known. A sign-in that the
/// shared password opened vouches for the operator login only.
async fn look(
    api: &Api,
    candidate: Option<&Candidate>,
    trail: &Trail,
    only_full: bool,
) -> Result<(Option<i64>, bool), Failure> {
    let tenant = candidate.map_or(NO_COMPANY, |candidate| candidate.tenant);
    let user_id = candidate
        .map(|candidate| candidate.user_id)
        .unwrap_or_default();
    let prefix = &trail.address_prefix;
    let mut tx = api.database.tenant(tenant).await?;
    let blocked = attempts::operator_login_blocked(&mut tx, tenant).await?;
    let is_known = attempts::is_known_address(&mut tx, tenant, user_id, only_full, prefix).await?;
    tx.commit().await?;
    Ok((blocked, is_known))
}

async fn refuse(
    api: &Api,
    candidate: Option<&Candidate>,
    trail: &Trail,
    wait: u64,
    detail: &'static str,
) -> Failure {
    let event = Event::SignInLimited;
    match begin::note(&api.database, candidate, trail, event, detail).await {
        Ok(()) => Failure::too_many(wait),
        Err(failure) => failure,
    }
}
