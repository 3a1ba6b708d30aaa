//! Security questions.

use hourmeter_proto::accounts::v1;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Caller;
use tonic::Request;

use super::{Api, notices};
use crate::domain::names::local_part;
use crate::domain::questions::{self, FIELDS, QUESTIONS, QuestionAnswer};
use crate::domain::{FieldErrors, password};
use crate::passwords::{Hashed, Passwords};
use crate::refusals;
use crate::store::audit::{self, AuditContext, Event};
use crate::store::people;

#[expect(clippy::unused_async, reason = "every handler is async")]
pub(super) async fn list_security_questions(
    _: &Api,
    _: Request<v1::ListSecurityQuestionsRequest>,
) -> Result<v1::ListSecurityQuestionsResponse, ServiceError> {
    let questions = QUESTIONS.map(str::to_owned).to_vec();
    Ok(v1::ListSecurityQuestionsResponse { questions })
}

pub(super) async fn set_security_questions(
    api: &Api,
    request: Request<v1::SetSecurityQuestionsRequest>,
) -> Result<v1::SetSecurityQuestionsResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let message = request.into_inner();
    let (tenant, id) = (identity.tenant(), identity.user_id);
    let mut tx = api.database.tenant(tenant).await?;
    let person = people::caller(&mut tx, id).await?;
    let stored = people::password(&mut tx, id).await?;
    tx.commit().await?;
    let email = person.email.unwrap_or_default();
    let known = [email.as_str(), local_part(&email), &person.company_name];
    let pairs = [
        (message.question1.as_str(), message.answer1.as_str()),
        (message.question2.as_str(), message.answer2.as_str()),
    ];
    let answered = questions::read(pairs, &known)?;
    let passwords = api.passwords.for_company(identity.company_id);
    refuse_password(&passwords, &answered, stored.as_ref()).await?;
    let first = passwords.hash(answered[0].answer.clone()).await?;
    let second = passwords.hash(answered[1].answer.clone()).await?;

    let context = AuditContext::from_identity(&identity);
    let mut tx = api.database.tenant(tenant).await?;
    let pairs = [(&answered[0], &first), (&answered[1], &second)];
    if !people::set_questions(&mut tx, id, pairs, api.clock.now()).await? {
        return Err(ServiceError::unauthenticated());
    }
    let person = people::caller(&mut tx, id).await?;
    let event = Event::SecurityQuestionsSet;
    audit::done(&mut tx, &context, event, id, &person.name()).await?;
    let user = notices::user(&mut tx, tenant, person, identity.scope).await?;
    tx.commit().await?;
    Ok(v1::SetSecurityQuestionsResponse { user: Some(user) })
}

/// Answers are stored less securely than passwords, so an answer must not be the password.
async fn refuse_password(
    passwords: &Passwords,
    answered: &[QuestionAnswer; 2],
    stored: Option<&Hashed>,
) -> Result<(), ServiceError> {
    let mut errors = FieldErrors::default();
    for (answered, (_, field)) in answered.iter().zip(FIELDS) {
        let typed = password::typed(&answered.typed);
        let [verdict] = passwords.check(typed, [stored.cloned()]).await?;
        if verdict.is_right() {
            errors.add(field, refusals::ANSWER_KNOWN);
        }
    }
    errors.finish()
}
