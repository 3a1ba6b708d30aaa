//! Signing in as owner or manager.

use hourmeter_proto::accounts::v1::{Scope, SignInRequest, SignInResponse};
use hourmeter_runtime::error::Failure;
use hourmeter_runtime::text::LoginName;
use tonic::Request;

use super::{Api, begin, convert, operator_lock, staff_sessions};
use crate::domain::{Problems, password};
use crate::passwords::Verdict;
use crate::store::sessions::NewSession;
use crate::store::{sign_in, staff};

/// One text for every wrong combination.
const REFUSED: &str = "Invalid email, business name or password";

#[tracing::instrument(name = "accounts.sign_in", level = "debug", skip_all)]
pub(super) async fn sign_in(
    api: &Api,
    request: Request<SignInRequest>,
) -> Result<SignInResponse, Failure> {
    let trail = convert::edge_trail(&request, request.get_ref().origin.as_ref())?;
    let message = request.into_inner();
    check_filled(&message)?;
    let typed = password::typed(&message.password);
    let name = LoginName::read(&message.email_or_business_name);

    let mut lookup = api.database.lookup().await?;
    let found = sign_in::find(&mut lookup, &name).await?;
    // Asked for every name, so that it does not show which ones are of staff.
    let staff = staff::find_by_email(&mut lookup, &name.email()).await?;
    drop(lookup);
    if let Some(staff) = staff {
        return staff_sessions::sign_in(api, &staff, &message, typed, &trail, REFUSED).await;
    }
    if message.known_addresses_only {
        let candidate = found.as_ref().map(|(candidate, _)| candidate);
        operator_lock::check_name(api, candidate, &trail).await?;
    }
    let stored = found
        .as_ref()
        .and_then(|(candidate, _)| candidate.own.hashed.clone());
    let [verdict] = api.passwords.check(typed.clone(), [stored]).await?;
    let refuse = |candidate| begin::refuse(&api.database, candidate, &trail, "", REFUSED);
    let (candidate, by_email) = match found {
        Some(found) if verdict.is_right() => found,
        other => {
            let candidate = other.as_ref().map(|(candidate, _)| candidate);
            return Err(refuse(candidate).await);
        }
    };

    let rehashed = match verdict {
        Verdict::RightButOld => Some(api.passwords.hash(typed).await?),
        Verdict::Right | Verdict::Wrong => None,
    };
    let mut tx = api.database.tenant(candidate.tenant).await?;
    if !sign_in::hold_person(&mut tx, &candidate).await? {
        drop(tx);
        return Err(refuse(Some(&candidate)).await);
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

fn check_filled(message: &SignInRequest) -> Result<(), Failure> {
    let mut problems = Problems::default();
    if message.email_or_business_name.trim().is_empty() {
        let text = "Please enter your email or business name";
        problems.note("emailOrBusinessName", text);
    }
    if message.password.is_empty() {
        problems.note("password", "Password is required");
    }
    problems.finish()
}
