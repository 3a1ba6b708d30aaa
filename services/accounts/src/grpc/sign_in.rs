//! Signing in as owner or manager.

use hourmeter_proto::accounts::v1::{
    Scope, SignInRequest, SignInResponse, StartPasskeySignInRequest, StartPasskeySignInResponse,
};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::text::LoginName;
use tonic::Request;
use zeroize::Zeroizing;

use super::second_factor::{self, Given};
use super::{Api, begin, convert, operator_lock, staff_sessions};
use crate::domain::{Problems, password};
use crate::passwords::{Hashed, Verdict};
use crate::refusals;
use crate::store::audit::AuditContext;
use crate::store::sessions::NewSession;
use crate::store::sign_in::Candidate;
use crate::store::{sign_in, staff};

#[tracing::instrument(name = "accounts.sign_in", level = "debug", skip_all)]
pub(super) async fn sign_in(
    api: &Api,
    request: Request<SignInRequest>,
) -> Result<SignInResponse, ServiceError> {
    let trail = convert::edge_trail(&request, request.get_ref().origin.as_ref())?;
    let party = second_factor::party(&request);
    let message = request.into_inner();
    check_filled(&message.email_or_business_name, &message.password)?;
    let typed = password::typed(&message.password);
    let (found, staff) = find(api, &message.email_or_business_name).await?;
    if let Some(staff) = staff {
        return staff_sessions::sign_in(
            api,
            &staff,
            &message,
            typed,
            &trail,
            refusals::SIGN_IN_REFUSED,
        )
        .await;
    }
    let only_known = message.known_addresses_only;
    let Verified {
        candidate,
        by_email,
        rehashed,
    } = verify(api, found, typed, only_known, &trail).await?;

    let mut tx = api.database.tenant(candidate.tenant).await?;
    if !sign_in::hold_person(&mut tx, &candidate).await? {
        drop(tx);
        return Err(begin::refuse(
            &api.database,
            Some(&candidate),
            &trail,
            "",
            refusals::SIGN_IN_REFUSED,
        )
        .await);
    }
    let given = Given {
        totp: &message.totp,
        recovery_code: &message.recovery_code,
        passkey: message.passkey.as_ref(),
        party: party.as_ref(),
    };
    if let Some(refusal) = second_factor::check(api, &mut tx, &candidate, &trail, &given).await? {
        // What was used up stays so.
        tx.commit().await?;
        return Err(refusal.answer(api, &candidate, &trail).await);
    }
    if let Some(rehashed) = &rehashed {
        sign_in::rehash_own(&mut tx, &candidate, rehashed).await?;
    }
    let session = NewSession {
        user_id: candidate.user_id,
        role: candidate.role,
        scope: Scope::Full,
        remember: message.remember_me,
        via: if by_email { "email" } else { "business_name" },
    };
    let grant = begin::session(&mut tx, &session, &message.previous_token, &trail).await?;
    tx.commit().await?;
    Ok(SignInResponse {
        session: Some(grant),
    })
}

/// `StartPasskeySignIn`: the same checks as signing in, up to the second factor.
pub(super) async fn start_passkey_sign_in(
    api: &Api,
    request: Request<StartPasskeySignInRequest>,
) -> Result<StartPasskeySignInResponse, ServiceError> {
    let trail = convert::edge_trail(&request, request.get_ref().origin.as_ref())?;
    let party = second_factor::party(&request);
    let message = request.into_inner();
    check_filled(&message.email_or_business_name, &message.password)?;
    let typed = password::typed(&message.password);
    let (found, staff) = find(api, &message.email_or_business_name).await?;
    // Staff have no passkeys.
    let found = found.filter(|_| staff.is_none());
    let only_known = message.known_addresses_only;
    let verified = verify(api, found, typed, only_known, &trail).await?;
    second_factor::start_passkey_sign_in(api, &verified.candidate, party).await
}

type Found = Option<(Candidate, bool)>;

/// Who has a name: somebody of a company, or staff.
async fn find(api: &Api, name: &str) -> Result<(Found, Option<staff::Staff>), ServiceError> {
    let name = LoginName::read(name);
    let mut lookup = api.database.lookup().await?;
    let found = sign_in::find(&mut lookup, &name).await?;
    // Asked for every name, so that it does not show which ones are of staff.
    let staff = staff::find_by_email(&mut lookup, &name.email()).await?;
    Ok((found, staff))
}

/// Somebody whose password was right.
struct Verified {
    candidate: Candidate,
    by_email: bool,
    /// The same password, where it was hashed in an old way.
    rehashed: Option<Hashed>,
}

/// Checks the password. The same work whether or not anybody has the name.
async fn verify(
    api: &Api,
    found: Found,
    typed: Zeroizing<String>,
    known_addresses_only: bool,
    trail: &AuditContext,
) -> Result<Verified, ServiceError> {
    let candidate = found.as_ref().map(|(candidate, _)| candidate);
    if known_addresses_only {
        operator_lock::check_name(api, candidate, trail).await?;
    }
    let stored = candidate.and_then(|candidate| candidate.own.hashed.clone());
    let [verdict] = api.passwords.check(typed.clone(), [stored]).await?;
    let (candidate, by_email) = match found {
        Some(found) if verdict.is_right() => found,
        other => {
            let candidate = other.as_ref().map(|(candidate, _)| candidate);
            return Err(begin::refuse(
                &api.database,
                candidate,
                trail,
                "",
                refusals::SIGN_IN_REFUSED,
            )
            .await);
        }
    };
    let rehashed = match verdict {
        Verdict::RightButOld => Some(api.passwords.hash(typed).await?),
        Verdict::Right | Verdict::Wrong => None,
    };
    Ok(Verified {
        candidate,
        by_email,
        rehashed,
    })
}

fn check_filled(name: &str, password: &str) -> Result<(), ServiceError> {
    let mut problems = Problems::default();
    if name.trim().is_empty() {
        let text = refusals::SIGN_IN_NAME_MISSING;
        problems.note("emailOrBusinessName", text);
    }
    if password.is_empty() {
        problems.note("password", refusals::PASSWORD_MISSING);
    }
    problems.finish()
}
