//! Password recovery by security questions or by a mailed link. For unknown names, response and
//! work are the same.

use std::time::Duration;

use hourmeter_proto::accounts::v1::{self, Scope};
use hourmeter_proto::notifications::v1::SecurityEventKind;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::Tenant;
use hourmeter_runtime::text::{LoginName, fold};
use tokio::time::{Instant, sleep_until};
use tonic::Request;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::new_password::Refusal;
use super::{Api, convert, new_password, new_session};
use crate::domain::questions::{QUESTIONS, typed_answer};
use crate::domain::{FieldErrors, names, password};
use crate::passwords::{Hashed, PasswordCheck};
use crate::refusals;
use crate::store::audit::{self, AuditContext, AuditEntry, Event};
use crate::store::recovery::{self, RecoveryAccount, Security};
use crate::store::sign_in::{self, Candidate};
use crate::store::{credentials, mail_links, notices, people, security_events, sessions};

/// Fixed response time, longer than any lookup, so that it does not show whether an account exists.
const QUESTIONS_AFTER: Duration = Duration::from_millis(20);

pub(super) async fn start_recovery(
    api: &Api,
    request: Request<v1::StartRecoveryRequest>,
) -> Result<v1::StartRecoveryResponse, ServiceError> {
    let raw = &request.get_ref().email_or_business_name;
    let answer_at = Instant::now() + QUESTIONS_AFTER;
    let found = find(api, raw).await?;
    // Computed for every name, returned for names without questions.
    let name = LoginName::read(raw);
    let pair = api.decoys.pair(&fold(name.exact()), QUESTIONS.len())?;
    let decoys = pair.map(|index| QUESTIONS[index].to_owned());
    sleep_until(answer_at).await;
    let own = found
        .and_then(|found| found.security)
        .map(|security| security.questions);
    let decoy = own.is_none();
    let [question1, question2] = own.unwrap_or(decoys);
    Ok(v1::StartRecoveryResponse {
        question1,
        question2,
        decoy,
    })
}

/// Fails for an empty name.
async fn find(api: &Api, raw: &str) -> Result<Option<RecoveryAccount>, ServiceError> {
    if raw.trim().is_empty() {
        let text = refusals::RECOVERY_NAME_MISSING;
        return Err(ServiceError::field("emailOrBusinessName", text));
    }
    let mut lookup = api.database.lookup().await?;
    recovery::find(&mut lookup, &LoginName::read(raw)).await
}

pub(super) async fn recover_password(
    api: &Api,
    request: Request<v1::RecoverPasswordRequest>,
) -> Result<v1::RecoverPasswordResponse, ServiceError> {
    let context = convert::edge_context(&request, request.get_ref().origin.as_ref())?;
    let message = request.into_inner();
    let new = Zeroizing::new(message.new_password);
    let typed = [
        typed_answer(&Zeroizing::new(message.answer1)),
        typed_answer(&Zeroizing::new(message.answer2)),
    ];
    check(&message.email_or_business_name, &typed, &new)?;
    let found = find(api, &message.email_or_business_name).await?;
    let candidate = found.as_ref().map(|found| &found.candidate);
    let security = found.as_ref().and_then(|found| found.security.as_ref());
    // Verified for every name.
    let is_right = answered(api, security, typed).await?;
    if let (Some(candidate), Some(security)) = (candidate, security)
        && is_right
    {
        let proof = Proof::Answers(candidate, &security.answers);
        let (tenant, who) = (candidate.tenant, candidate.user_id);
        if write(api, tenant, who, &proof, &new, &context).await? {
            return Ok(v1::RecoverPasswordResponse {});
        }
    }
    let entry = AuditEntry::failed(Event::PasswordRecovery);
    let wrong = ServiceError::new(Kind::Invalid, refusals::WRONG_ANSWERS);
    // Recorded also for unknown names.
    Err(new_session::refuse(api, candidate, &context, entry, wrong).await)
}

pub(super) async fn find_mail_recipient(
    api: &Api,
    request: Request<v1::FindMailRecipientRequest>,
) -> Result<v1::FindMailRecipientResponse, ServiceError> {
    let raw = &request.get_ref().email_or_business_name;
    let answer_at = Instant::now() + QUESTIONS_AFTER;
    let found = find(api, raw).await?;
    let mut recipient = v1::FindMailRecipientResponse::default();
    if let Some(account) = found {
        let (tenant, user_id) = (account.candidate.tenant, account.candidate.user_id);
        let mut reads = api.database.read(tenant).await?;
        let person = people::find(&mut reads, tenant, user_id).await?;
        reads.done();
        if person.is_some_and(|person| person.email_verified) {
            recipient.company_id = tenant.company_id().to_string();
            recipient.person_id = user_id.to_string();
        }
    }
    sleep_until(answer_at).await;
    Ok(recipient)
}

pub(super) async fn recover_by_link(
    api: &Api,
    request: Request<v1::RecoverByLinkRequest>,
) -> Result<v1::RecoverByLinkResponse, ServiceError> {
    let context = convert::edge_context(&request, request.get_ref().origin.as_ref())?;
    let message = request.into_inner();
    let new = Zeroizing::new(message.new_password);
    password::new_password(&new, &[])
        .map_err(|text| ServiceError::field(new_password::FIELD, text))?;
    let (hash, tenant, who) = api
        .find_by_secret(&message.secret, mail_links::FIND)
        .await?;
    if write(api, tenant, who, &Proof::Link(hash), &new, &context).await? {
        Ok(v1::RecoverByLinkResponse {})
    } else {
        Err(ServiceError::not_found())
    }
}

/// Validates what needs no account. Words of the account are only rejected after correct answers,
/// because the error would reveal that the account exists.
fn check(name: &str, answers: &[Zeroizing<String>; 2], new: &str) -> Result<(), ServiceError> {
    let mut errors = FieldErrors::default();
    if name.trim().is_empty() {
        errors.add("emailOrBusinessName", refusals::RECOVERY_NAME_MISSING);
    }
    for (number, answer) in (1..).zip(answers) {
        if answer.is_empty() {
            let text = refusals::ANSWER_MISSING.with("number", number);
            errors.add(&format!("securityAnswer{number}"), text);
        }
    }
    let guessable = [name, names::local_part(name)];
    let form = password::new_password(new, &guessable);
    drop(errors.take(new_password::FIELD, form));
    errors.finish()
}

/// Whether both answers are right. Always verifies both.
async fn answered(
    api: &Api,
    security: Option<&Security>,
    [first, second]: [Zeroizing<String>; 2],
) -> Result<bool, ServiceError> {
    let stored = |index: usize| security.map(|security| security.answers[index].clone());
    let passwords = api.passwords.for_others();
    let one = passwords.check(first, [stored(0)]).await;
    let two = passwords.check(second, [stored(1)]).await;
    Ok(one?.into_iter().chain(two?).all(PasswordCheck::is_right))
}

/// What allows a person to set a new password.
enum Proof<'a> {
    /// The person, and the hashes of the answers that were verified.
    Answers(&'a Candidate, &'a [Hashed; 2]),
    /// The hash of the secret of a mailed link.
    Link([u8; 32]),
}

/// False if the proof has ended: the person was removed, the answers changed, or the link is used or
/// expired.
async fn write(
    api: &Api,
    tenant: Tenant,
    who: Uuid,
    proof: &Proof<'_>,
    new: &str,
    context: &AuditContext,
) -> Result<bool, ServiceError> {
    let mut tx = api.database.tenant(tenant).await?;
    let Some(person) = people::find(&mut tx, tenant, who).await? else {
        return Ok(false);
    };
    let shared = credentials::operator_password(&mut tx).await?;
    tx.commit().await?;
    let name = person.name();
    let context = context.with_actor(who, &name, Scope::Unspecified);
    let form = new_password::read(&person, new)
        .map_err(|text| ServiceError::field(new_password::FIELD, text))?;
    let passwords = api.passwords.for_others();
    let entry = AuditEntry::failed(Event::PasswordRecovery).target(who, &name);
    let refusal = Refusal {
        tenant,
        context: &context,
        entry,
    };
    let hashed = new_password::hash(api, &passwords, form, &shared, refusal).await?;

    let mut tx = api.database.tenant(tenant).await?;
    if !sign_in::lock_company(&mut tx, &shared, true).await? {
        return Err(new_password::changed_meanwhile());
    }
    let now = api.clock.now();
    let holds = match proof {
        Proof::Answers(candidate, answers) => recovery::lock(&mut tx, candidate, answers).await?,
        Proof::Link(hash) => mail_links::consume(&mut tx, who, hash, false, now).await?,
    };
    if !holds || !credentials::set_own_password(&mut tx, who, &hashed, now).await? {
        return Ok(false);
    }
    sessions::end_all(&mut tx, who, None).await?;
    notices::delete_password_set_by_other(&mut tx, who).await?;
    notices::add(&mut tx, who, notices::Kind::PasswordRecovered).await?;
    audit::done(&mut tx, &context, Event::PasswordRecovery, who, &name).await?;
    let event = SecurityEventKind::PasswordRecovered;
    security_events::record(&mut tx, who, event, &context).await?;
    tx.commit().await?;
    Ok(true)
}
