//! Sign-in at the operator login.

use hourmeter_proto::accounts::v1::{self, Role, Scope};
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::text::LoginName;
use tonic::Request;
use zeroize::Zeroizing;

use super::second_factor::{self, SecondFactorInput};
use super::{Api, card_codes, convert, known_addresses, new_session};
use crate::domain::access::{PasswordKind, admit_operator};
use crate::domain::{FieldErrors, password};
use crate::passwords::{Hashed, PasswordCheck};
use crate::refusals;
use crate::store::attempts::OPERATOR_LOGIN;
use crate::store::sessions::NewSession;
use crate::store::sign_in::{self, Candidate, Credential};

/// A person whose password was right.
struct Admitted {
    candidate: Candidate,
    shared: Credential,
    password_kind: PasswordKind,
    scope: Scope,
    is_old: bool,
}

#[tracing::instrument(name = "accounts.sign_in_operator", level = "debug", skip_all)]
pub(super) async fn sign_in_operator(
    api: &Api,
    request: Request<v1::SignInOperatorRequest>,
) -> Result<v1::SignInOperatorResponse, ServiceError> {
    let context = convert::edge_context(&request, request.get_ref().origin.as_ref())?;
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
        known_addresses::check_operator(api, candidate, &message, &typed, &context).await?;
    let refuse = |candidate| {
        let message = refusals::OPERATOR_SIGN_IN_REFUSED;
        new_session::reject(api, candidate, &context, OPERATOR_LOGIN, message)
    };
    let admitted = match check(api, typed.clone(), found, own_may_open).await? {
        Ok(admitted) => admitted,
        Err(candidate) => {
            let candidate = candidate.as_ref();
            let session = card_codes::sign_in(api, candidate, &message, &context).await?;
            return match session {
                Some(_) => Ok(v1::SignInOperatorResponse { session }),
                None => Err(refuse(candidate).await),
            };
        }
    };

    let rehashed = if admitted.is_old {
        Some(api.passwords.hash(typed).await?)
    } else {
        None
    };
    let candidate = &admitted.candidate;
    let mut tx = api.database.tenant(candidate.tenant).await?;
    if !lock(&mut tx, &admitted).await? {
        drop(tx);
        return Err(refuse(Some(candidate)).await);
    }
    // The shared password gives operator scope only, which needs no second factor.
    if admitted.scope == Scope::Full {
        let input = SecondFactorInput {
            totp: &message.totp,
            recovery_code: &message.recovery_code,
            passkey: message.passkey.as_ref(),
            party: party.as_ref(),
        };
        tx = second_factor::check(api, tx, candidate, &context, &input).await?;
    }
    if let Some(rehashed) = &rehashed {
        store(&mut tx, &admitted, rehashed).await?;
    }
    let session = NewSession {
        user_id: candidate.user_id,
        role: candidate.role,
        scope: admitted.scope,
        remember: message.remember_me,
        via: match admitted.password_kind {
            PasswordKind::Own => "operator_login_own_password",
            PasswordKind::Shared => "operator_login_shared_password",
        },
    };
    let previous = &message.previous_token;
    let session = Some(new_session::start(&mut tx, &session, previous, &context).await?);
    tx.commit().await?;
    Ok(v1::SignInOperatorResponse { session })
}

/// Always verifies two passwords, the person's own and the shared one, even if they do not exist. An
/// owner's own password counts as wrong where it may not be used.
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
    let Some((password_kind, scope)) = admitted else {
        return Ok(Err(Some(candidate)));
    };
    let verdict = match password_kind {
        PasswordKind::Own => own,
        PasswordKind::Shared => shared_verdict,
    };
    Ok(Ok(Admitted {
        candidate,
        shared,
        password_kind,
        scope,
        is_old: verdict == PasswordCheck::RightButOutdated,
    }))
}

/// Locks what was verified; false if it changed meanwhile.
async fn lock(tx: &mut TenantTx, admitted: &Admitted) -> Result<bool, ServiceError> {
    let Admitted {
        candidate, shared, ..
    } = admitted;
    let company_holds = match admitted.password_kind {
        PasswordKind::Own => true,
        PasswordKind::Shared => sign_in::lock_company(tx, shared, admitted.is_old).await?,
    };
    Ok(company_holds && sign_in::lock_person(tx, candidate).await?)
}

async fn store(
    tx: &mut TenantTx,
    admitted: &Admitted,
    rehashed: &Hashed,
) -> Result<(), ServiceError> {
    let candidate = &admitted.candidate;
    match admitted.password_kind {
        PasswordKind::Own => sign_in::rehash_own(tx, candidate, rehashed).await,
        PasswordKind::Shared => sign_in::rehash_shared(tx, rehashed).await,
    }
}

fn check_filled(message: &v1::SignInOperatorRequest) -> Result<(), ServiceError> {
    let mut errors = FieldErrors::default();
    if message.operator_name.trim().is_empty() {
        errors.add("operatorName", refusals::OPERATOR_NAME_MISSING);
    }
    if message.password.is_empty() {
        errors.add("password", refusals::PASSWORD_MISSING);
    }
    errors.finish()
}
