//! Sign-in of owners, managers and support staff.

use hourmeter_proto::accounts::v1::{self, Scope};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::text::LoginName;
use tonic::Request;
use zeroize::Zeroizing;

use super::second_factor::{self, SecondFactorInput};
use super::{Api, convert, known_addresses, new_session, staff_sessions};
use crate::domain::{FieldErrors, password};
use crate::passwords::Hashed;
use crate::refusals;
use crate::store::audit::AuditContext;
use crate::store::sessions::NewSession;
use crate::store::sign_in::Candidate;
use crate::store::{sign_in, staff};

#[tracing::instrument(name = "accounts.sign_in", level = "debug", skip_all)]
pub(super) async fn sign_in(
    api: &Api,
    request: Request<v1::SignInRequest>,
) -> Result<v1::SignInResponse, ServiceError> {
    let context = convert::edge_context(&request, request.get_ref().origin.as_ref())?;
    let party = second_factor::party(&request);
    let message = request.into_inner();
    check_filled(&message.email_or_business_name, &message.password)?;
    let typed = password::typed(&message.password);
    let (found, staff) = find(api, &message.email_or_business_name).await?;
    if let Some(staff) = staff {
        return staff_sessions::sign_in(api, &staff, &message, typed, &context).await;
    }
    let only_known = message.known_addresses_only;
    let Verified {
        candidate,
        by_email,
        rehashed,
    } = verify(api, found, typed, only_known, &context).await?;

    let mut tx = api.database.tenant(candidate.tenant).await?;
    if !sign_in::lock_person(&mut tx, &candidate).await? {
        drop(tx);
        return Err(refuse(api, Some(&candidate), &context).await);
    }
    let input = SecondFactorInput {
        totp: &message.totp,
        recovery_code: &message.recovery_code,
        passkey: message.passkey.as_ref(),
        party: party.as_ref(),
    };
    let mut tx = second_factor::check(api, tx, &candidate, &context, &input).await?;
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
    let previous = &message.previous_token;
    let session = Some(new_session::start(&mut tx, &session, previous, &context).await?);
    tx.commit().await?;
    Ok(v1::SignInResponse { session })
}

/// Checks the same as sign-in, up to the second factor.
pub(super) async fn start_passkey_sign_in(
    api: &Api,
    request: Request<v1::StartPasskeySignInRequest>,
) -> Result<v1::StartPasskeySignInResponse, ServiceError> {
    let context = convert::edge_context(&request, request.get_ref().origin.as_ref())?;
    let party = second_factor::party(&request);
    let message = request.into_inner();
    check_filled(&message.email_or_business_name, &message.password)?;
    let typed = password::typed(&message.password);
    let (found, staff) = find(api, &message.email_or_business_name).await?;
    // Staff have no passkeys.
    let found = found.filter(|_| staff.is_none());
    let only_known = message.known_addresses_only;
    let verified = verify(api, found, typed, only_known, &context).await?;
    second_factor::start_passkey_sign_in(api, &verified.candidate, party).await
}

type FoundCandidate = Option<(Candidate, bool)>;

/// Finds the person of a company or the member of staff with a name.
async fn find(
    api: &Api,
    name: &str,
) -> Result<(FoundCandidate, Option<staff::Staff>), ServiceError> {
    let name = LoginName::read(name);
    let mut lookup = api.database.lookup().await?;
    let found = sign_in::find(&mut lookup, &name).await?;
    // Queried for every name, so that timing does not reveal staff.
    let staff = staff::find_by_email(&mut lookup, &name.email()).await?;
    Ok((found, staff))
}

/// A person whose password was right.
struct Verified {
    candidate: Candidate,
    by_email: bool,
    /// The password with current parameters, if its hash is outdated.
    rehashed: Option<Hashed>,
}

/// Verifies the password. Takes the same work for unknown names.
async fn verify(
    api: &Api,
    found: FoundCandidate,
    typed: Zeroizing<String>,
    known_addresses_only: bool,
    context: &AuditContext,
) -> Result<Verified, ServiceError> {
    let candidate = found.as_ref().map(|(candidate, _)| candidate);
    if known_addresses_only {
        known_addresses::check_name(api, candidate, context).await?;
    }
    let stored = candidate.and_then(|candidate| candidate.own.hashed.clone());
    let verified = api.passwords.verify(typed, stored).await?;
    match (found, verified) {
        (Some((candidate, by_email)), Some(rehashed)) => Ok(Verified {
            candidate,
            by_email,
            rehashed,
        }),
        (found, _) => {
            let candidate = found.as_ref().map(|(candidate, _)| candidate);
            Err(refuse(api, candidate, context).await)
        }
    }
}

/// Records a wrong name or password.
async fn refuse(api: &Api, candidate: Option<&Candidate>, context: &AuditContext) -> ServiceError {
    let message = refusals::SIGN_IN_REFUSED;
    new_session::reject(api, candidate, context, "", message).await
}

fn check_filled(name: &str, password: &str) -> Result<(), ServiceError> {
    let mut errors = FieldErrors::default();
    if name.trim().is_empty() {
        errors.add("emailOrBusinessName", refusals::SIGN_IN_NAME_MISSING);
    }
    if password.is_empty() {
        errors.add("password", refusals::PASSWORD_MISSING);
    }
    errors.finish()
}
