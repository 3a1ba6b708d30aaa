//! Signing in at the operator login.

use hourmeter_proto::accounts::v1::{Role, Scope, SignInOperatorRequest, SignInOperatorResponse};
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::text::LoginName;
use tonic::Request;
use zeroize::Zeroizing;

use super::second_factor::{self, Given};
use super::{Api, begin, convert, operator_lock};
use crate::domain::access::{Opened, admit_operator};
use crate::domain::{Problems, password};
use crate::passwords::{Hashed, Verdict};
use crate::refusals;
use crate::store::attempts::OPERATOR_LOGIN;
use crate::store::sessions::NewSession;
use crate::store::sign_in::{self, Candidate, Credential};

/// Somebody whose password was right.
struct Admitted {
    candidate: Candidate,
    shared: Credential,
    opened: Opened,
    scope: Scope,
    is_old: bool,
}

#[tracing::instrument(name = "accounts.sign_in_operator", level = "debug", skip_all)]
pub(super) async fn sign_in_operator(
    api: &Api,
    request: Request<SignInOperatorRequest>,
) -> Result<SignInOperatorResponse, ServiceError> {
    let trail = convert::edge_trail(&request, request.get_ref().origin.as_ref())?;
    let party = second_factor::party(&request);
    let message = request.into_inner();
    check_filled(&message)?;
    let typed = password::typed(&message.password);
    let name = LoginName::read(&message.operator_name);

    let mut lookup = api.database.lookup().await?;
    let found = sign_in::find_operator(&mut lookup, &name).await?;
    drop(lookup);
    let candidate = found.as_ref().map(|(candidate, _)| candidate);
    let own_may_open =
        operator_lock::check_operator(api, candidate, &message, &typed, &trail).await?;
    let refuse = |candidate| {
        begin::refuse(
            &api.database,
            candidate,
            &trail,
            OPERATOR_LOGIN,
            refusals::OPERATOR_SIGN_IN_REFUSED,
        )
    };
    let admitted = match check(api, typed.clone(), found, own_may_open).await? {
        Ok(admitted) => admitted,
        Err(candidate) => return Err(refuse(candidate.as_ref()).await),
    };

    let rehashed = if admitted.is_old {
        Some(api.passwords.hash(typed).await?)
    } else {
        None
    };
    let candidate = &admitted.candidate;
    let mut tx = api.database.tenant(candidate.tenant).await?;
    if !hold(&mut tx, &admitted).await? {
        drop(tx);
        return Err(refuse(Some(candidate)).await);
    }
    // The shared password opens operator work only, which needs no second factor.
    if admitted.scope == Scope::Full {
        let given = Given {
            totp: &message.totp,
            recovery_code: &message.recovery_code,
            passkey: message.passkey.as_ref(),
            party: party.as_ref(),
        };
        let refusal = second_factor::check(api, &mut tx, candidate, &trail, &given).await?;
        if let Some(refusal) = refusal {
            // What was used up stays so.
            tx.commit().await?;
            return Err(refusal.answer(api, candidate, &trail).await);
        }
    }
    if let Some(rehashed) = &rehashed {
        store(&mut tx, &admitted, rehashed).await?;
    }
    let session = NewSession {
        user_id: candidate.user_id,
        role: candidate.role,
        scope: admitted.scope,
        remember: message.remember_me,
        via: match admitted.opened {
            Opened::Own => "operator_login_own_password",
            Opened::Shared => "operator_login_shared_password",
        },
    };
    let grant = begin::session(&mut tx, &session, &message.previous_token, &trail).await?;
    tx.commit().await?;
    Ok(SignInOperatorResponse {
        session: Some(grant),
    })
}

/// Always two checks: the person's own password and the shared one, there or not. An owner's own
/// password that may not open the session counts as a wrong one.
async fn check(
    api: &Api,
    typed: Zeroizing<String>,
    found: Option<(Candidate, Credential)>,
    own_may_open: bool,
) -> Result<Result<Admitted, Option<Candidate>>, ServiceError> {
    let stored = match &found {
        Some((candidate, shared)) => [candidate.own.hashed.clone(), shared.hashed.clone()],
        None => [None, None],
    };
    let [own, shared_verdict] = api.passwords.check(typed, stored).await?;
    let Some((candidate, shared)) = found else {
        return Ok(Err(None));
    };
    let admitted = admit_operator(
        candidate.role,
        candidate.own.hashed.is_some(),
        own.is_right() && (own_may_open || candidate.role != Role::Owner),
        shared_verdict.is_right(),
    );
    let Some((opened, scope)) = admitted else {
        return Ok(Err(Some(candidate)));
    };
    let verdict = match opened {
        Opened::Own => own,
        Opened::Shared => shared_verdict,
    };
    Ok(Ok(Admitted {
        candidate,
        shared,
        opened,
        scope,
        is_old: verdict == Verdict::RightButOld,
    }))
}

/// Whether what was checked still holds; it does until the transaction ends.
async fn hold(tx: &mut TenantTx, admitted: &Admitted) -> Result<bool, ServiceError> {
    let Admitted {
        candidate, shared, ..
    } = admitted;
    let company_holds = match admitted.opened {
        Opened::Own => true,
        Opened::Shared => {
            sign_in::hold_company(tx, candidate.tenant, shared, admitted.is_old).await?
        }
    };
    Ok(company_holds && sign_in::hold_person(tx, candidate).await?)
}

async fn store(
    tx: &mut TenantTx,
    admitted: &Admitted,
    rehashed: &Hashed,
) -> Result<(), ServiceError> {
    let candidate = &admitted.candidate;
    match admitted.opened {
        Opened::Own => sign_in::rehash_own(tx, candidate, rehashed).await,
        Opened::Shared => sign_in::rehash_shared(tx, candidate.tenant, rehashed).await,
    }
}

fn check_filled(message: &SignInOperatorRequest) -> Result<(), ServiceError> {
    let mut problems = Problems::default();
    if message.operator_name.trim().is_empty() {
        problems.note("operatorName", refusals::OPERATOR_NAME_MISSING);
    }
    if message.password.is_empty() {
        problems.note("password", refusals::PASSWORD_MISSING);
    }
    problems.finish()
}
