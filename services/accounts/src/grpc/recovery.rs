//! Another password for who knows the answers to the security questions. Alike in answer and work
//! whether or not anybody has the name.

use std::time::Duration;

use hourmeter_proto::accounts::v1::{
    RecoverPasswordRequest, RecoverPasswordResponse, Scope, StartRecoveryRequest,
    StartRecoveryResponse,
};
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::text::{LoginName, fold};
use tokio::time::{Instant, sleep_until};
use tonic::Request;
use zeroize::Zeroizing;

use super::{Api, begin, convert, new_password};
use crate::domain::questions::{QUESTIONS, typed_answer};
use crate::domain::{Problems, names, password};
use crate::passwords::Verdict;
use crate::refusals;
use crate::store::audit::{self, AuditContext, Event};
use crate::store::notices;
use crate::store::people::{self, Person};
use crate::store::recovery::{self, Found, Recoverable};
use crate::store::sign_in::{self, Candidate, Credential};
use crate::store::{credentials, sessions};

/// When the questions are answered after the request: later than any look-up of a name, so that the
/// time does not show whether an account has the name.
const QUESTIONS_AFTER: Duration = Duration::from_millis(20);

/// `StartRecovery`.
pub(super) async fn start_recovery(
    api: &Api,
    request: Request<StartRecoveryRequest>,
) -> Result<StartRecoveryResponse, ServiceError> {
    let raw = &request.get_ref().email_or_business_name;
    if raw.trim().is_empty() {
        return Err(ServiceError::field(
            "emailOrBusinessName",
            refusals::RECOVERY_NAME_MISSING,
        ));
    }
    let answer_at = Instant::now() + QUESTIONS_AFTER;
    let found = find(api, raw).await?;
    // Chosen for everybody, shown to those who have none.
    let name = LoginName::read(raw);
    let pair = api.decoys.pair(&fold(name.exact()), QUESTIONS.len())?;
    let [decoy1, decoy2] = pair.map(|index| QUESTIONS[index].to_owned());
    sleep_until(answer_at).await;
    Ok(match found {
        Some(Found::Recoverable(found)) => {
            let [question1, question2] = found.questions;
            StartRecoveryResponse {
                question1,
                question2,
                decoy: false,
            }
        }
        _ => StartRecoveryResponse {
            question1: decoy1,
            question2: decoy2,
            decoy: true,
        },
    })
}

async fn find(api: &Api, raw: &str) -> Result<Option<Found>, ServiceError> {
    let mut lookup = api.database.lookup().await?;
    recovery::find(&mut lookup, &LoginName::read(raw)).await
}

/// `RecoverPassword`.
pub(super) async fn recover_password(
    api: &Api,
    request: Request<RecoverPasswordRequest>,
) -> Result<RecoverPasswordResponse, ServiceError> {
    let trail = convert::edge_trail(&request, request.get_ref().origin.as_ref())?;
    let message = request.into_inner();
    let new = Zeroizing::new(message.new_password);
    let typed = [
        typed_answer(&Zeroizing::new(message.answer1)),
        typed_answer(&Zeroizing::new(message.answer2)),
    ];
    check(&message.email_or_business_name, &typed, &new)?;
    let found = find(api, &message.email_or_business_name).await?;
    let candidate = found.as_ref().map(Found::candidate).cloned();
    let Some(found) = answered(api, found, typed).await? else {
        return Err(refuse(api, candidate.as_ref(), &trail).await);
    };
    write(api, &found, &new, &trail).await?;
    Ok(RecoverPasswordResponse {})
}

/// What can be told without looking anybody up. A word known of the account is refused only to
/// who knows the answers; otherwise the refusal would tell that there is such an account.
fn check(name: &str, answers: &[Zeroizing<String>; 2], new: &str) -> Result<(), ServiceError> {
    let mut problems = Problems::default();
    if name.trim().is_empty() {
        problems.note("emailOrBusinessName", refusals::RECOVERY_NAME_MISSING);
    }
    for (number, answer) in (1..).zip(answers) {
        if answer.is_empty() {
            let text = refusals::ANSWER_MISSING.with("number", number);
            problems.note(&format!("securityAnswer{number}"), text);
        }
    }
    let context = [name, names::local_part(name)];
    let form = password::new_password(new, &context);
    drop(problems.take(new_password::FIELD, form));
    problems.finish()
}

/// The person, if both answers are right. Always two checks, one after the other whatever the
/// first finds.
async fn answered(
    api: &Api,
    found: Option<Found>,
    [first, second]: [Zeroizing<String>; 2],
) -> Result<Option<Box<Recoverable>>, ServiceError> {
    let found = match found {
        Some(Found::Recoverable(found)) => Some(found),
        _ => None,
    };
    let stored = |index: usize| found.as_ref().map(|found| found.answers[index].clone());
    let passwords = api.passwords.for_others();
    // Both, whatever the first one says.
    let one = passwords.check(first, [stored(0)]).await;
    let two = passwords.check(second, [stored(1)]).await;
    let right = one?.into_iter().chain(two?).all(Verdict::is_right);
    Ok(found.filter(|_| right))
}

async fn write(
    api: &Api,
    found: &Recoverable,
    new: &str,
    trail: &AuditContext,
) -> Result<(), ServiceError> {
    let candidate = &found.candidate;
    let (tenant, who) = (candidate.tenant, candidate.user_id);
    let Some((person, shared)) = known(api, candidate).await? else {
        return Err(refuse(api, Some(candidate), trail).await);
    };
    let name = person.name();
    let trail = trail.with_actor(who, &name, Scope::Unspecified);
    let form = new_password::read(&person, new)
        .map_err(|text| ServiceError::field(new_password::FIELD, text))?;
    let passwords = api.passwords.for_others();
    if new_password::is_shared(&passwords, &form, &shared).await? {
        let event = Event::RecoveryFailed;
        begin::note(
            &api.database,
            Some(candidate),
            &trail,
            event,
            "operator_password",
        )
        .await?;
        return Err(new_password::refuse_shared());
    }
    let hashed = passwords.hash(form).await?;

    let mut tx = api.database.tenant(tenant).await?;
    if !sign_in::hold_company(&mut tx, tenant, &shared, true).await? {
        return Err(new_password::changed_meanwhile());
    }
    if !recovery::hold(&mut tx, found).await? {
        drop(tx);
        return Err(refuse(api, Some(candidate), &trail).await);
    }
    let now = api.clock.now();
    if !credentials::set_own_password(&mut tx, tenant, who, &hashed, now).await? {
        drop(tx);
        return Err(refuse(api, Some(candidate), &trail).await);
    }
    sessions::end_all(&mut tx, tenant, who).await?;
    notices::own_password_chosen(&mut tx, tenant, who).await?;
    notices::tell(&mut tx, tenant, who, notices::Kind::PasswordRecovered).await?;
    let event = Event::PasswordRecovered;
    audit::record_on(&mut tx, tenant, &trail, event, Some(who), &name, "").await?;
    tx.commit().await
}

/// What the new password is compared with; absent when the person is gone.
async fn known(
    api: &Api,
    candidate: &Candidate,
) -> Result<Option<(Person, Credential)>, ServiceError> {
    let mut tx = api.database.tenant(candidate.tenant).await?;
    let person = people::find(&mut tx, candidate.tenant, candidate.user_id).await?;
    let Some(person) = person else {
        return Ok(None);
    };
    let shared = credentials::operator_password(&mut tx, candidate.tenant).await?;
    tx.commit().await?;
    Ok(Some((person, shared)))
}

/// Notes the try and answers it, the same for a name that nobody has.
async fn refuse(api: &Api, candidate: Option<&Candidate>, trail: &AuditContext) -> ServiceError {
    let event = Event::RecoveryFailed;
    match begin::note(&api.database, candidate, trail, event, "").await {
        Ok(()) => ServiceError::new(Kind::Invalid, refusals::WRONG_ANSWERS),
        Err(failure) => failure,
    }
}
