//! Links that are mailed to people.

use hourmeter_proto::accounts::v1::contacts_service_server::ContactsService;
use hourmeter_proto::accounts::v1::{self, Role};
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::Caller;
use hourmeter_runtime::server::respond;
use tonic::{Request, Response, Status};

use super::{Api, convert};
use crate::domain::token::Token;
use crate::refusals;
use crate::store::audit::{self, Event, done};
use crate::store::{language, mail_links, people, role};

#[tonic::async_trait]
impl ContactsService for Api {
    async fn create_mail_link(
        &self,
        request: Request<v1::CreateMailLinkRequest>,
    ) -> Result<Response<v1::CreateMailLinkResponse>, Status> {
        respond(create_mail_link(self, request).await)
    }
}

async fn create_mail_link(
    api: &Api,
    request: Request<v1::CreateMailLinkRequest>,
) -> Result<v1::CreateMailLinkResponse, ServiceError> {
    let tenant = Caller::service(&request)?;
    let id = convert::id(&request.get_ref().person_id).ok_or_else(ServiceError::not_found)?;
    let secret = Token::random()?;
    let mut tx = api.database.tenant(tenant).await?;
    people::lock(&mut tx, tenant, id).await?;
    let person = people::find(&mut tx, tenant, id).await?;
    let person = person.filter(|person| role(&person.role) != Role::Operator);
    let person = person.ok_or_else(ServiceError::not_found)?;
    let email = person.email.clone().ok_or_else(ServiceError::not_found)?;
    if person.email_verified {
        return Err(ServiceError::new(Kind::Conflict, refusals::EMAIL_VERIFIED));
    }
    mail_links::set(&mut tx, tenant, id, &secret.sid(), api.clock.now()).await?;
    tx.commit().await?;
    Ok(v1::CreateMailLinkResponse {
        secret: secret.to_text(),
        email,
        name: person.name(),
        language: language(person.language.as_deref()).into(),
    })
}

pub(super) async fn verify_email(
    api: &Api,
    request: Request<v1::VerifyEmailRequest>,
) -> Result<v1::VerifyEmailResponse, ServiceError> {
    let context = convert::edge_context(&request, request.get_ref().origin.as_ref())?;
    let secret = Token::parse(&request.get_ref().secret).ok_or_else(ServiceError::not_found)?;
    let hash = secret.sid();
    let mut lookup = api.database.lookup().await?;
    let found = mail_links::find(&mut lookup, &hash).await?;
    drop(lookup);
    let (tenant, id) = found.ok_or_else(ServiceError::not_found)?;
    let mut tx = api.database.tenant(tenant).await?;
    people::lock(&mut tx, tenant, id).await?;
    let person = people::find(&mut tx, tenant, id).await?;
    let person = person.ok_or_else(ServiceError::not_found)?;
    if !mail_links::verify(&mut tx, tenant, id, &hash, api.clock.now()).await? {
        return Err(ServiceError::not_found());
    }
    let (event, name) = (done(Event::EmailVerified), person.name());
    audit::record_on(&mut tx, tenant, &context, event, Some(id), &name, "").await?;
    tx.commit().await?;
    Ok(v1::VerifyEmailResponse {
        email: person.email.unwrap_or_default(),
    })
}
