//! What the notifications service asks: links that are mailed to people, addresses, sessions and phones.

use std::cmp::Reverse;

use hourmeter_proto::accounts::v1::{self, MailLinkPurpose, Role};
use hourmeter_runtime::clock::{read_timestamp, timestamp};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Caller;
use hourmeter_runtime::page::read_ids;
use hourmeter_runtime::refusals as shared;
use tonic::Request;
use uuid::Uuid;

use super::{Api, convert};
use crate::domain::token::Token;
use crate::refusals;
use crate::store::audit::{self, Event};
use crate::store::{companies, devices, language, mail_links, people, role, sessions};

pub(super) async fn list_active_people(
    api: &Api,
    request: Request<v1::ListActivePeopleRequest>,
) -> Result<v1::ListActivePeopleResponse, ServiceError> {
    let tenant = Caller::service(&request)?;
    let message = request.get_ref();
    let ids = read_ids("person_ids", &message.person_ids)?;
    let mut tx = api.database.tenant(tenant).await?;
    let active = people::active(&mut tx, &ids, message.operators_only).await?;
    tx.commit().await?;
    Ok(v1::ListActivePeopleResponse {
        person_ids: active.iter().map(Uuid::to_string).collect(),
    })
}

pub(super) async fn list_silent_devices(
    api: &Api,
    request: Request<v1::ListSilentDevicesRequest>,
) -> Result<v1::ListSilentDevicesResponse, ServiceError> {
    let tenant = Caller::service(&request)?;
    let message = request.get_ref();
    let time = |field: &str, at: Option<_>| {
        let at = at.and_then(read_timestamp);
        at.ok_or_else(|| ServiceError::field(field, shared::NOT_A_TIME))
    };
    let period = time("since", message.since)?..time("until", message.until)?;
    let mut tx = api.database.tenant(tenant).await?;
    let mut found = devices::list(&mut tx, api.clock.now()).await?;
    tx.commit().await?;
    found.retain(|device| {
        device.removed_at.is_none()
            && !device.people_ids.is_empty()
            && period.contains(&device.last_contact)
    });
    found.sort_by_key(|device| Reverse(device.last_contact));
    let devices = found.into_iter().map(|device| v1::SilentDevice {
        label: device.label,
        people: device.people_names,
        last_contact: Some(timestamp(device.last_contact)),
    });
    Ok(v1::ListSilentDevicesResponse {
        devices: devices.collect(),
    })
}

pub(super) async fn list_active_sessions(
    api: &Api,
    request: Request<v1::ListActiveSessionsRequest>,
) -> Result<v1::ListActiveSessionsResponse, ServiceError> {
    let tenant = Caller::service(&request)?;
    let ids = read_ids("session_ids", &request.get_ref().session_ids)?;
    let mut tx = api.database.tenant(tenant).await?;
    let active = sessions::active(&mut tx, &ids).await?;
    tx.commit().await?;
    Ok(v1::ListActiveSessionsResponse {
        session_ids: active.iter().map(Uuid::to_string).collect(),
    })
}

pub(super) async fn list_contacts(
    api: &Api,
    request: Request<v1::ListContactsRequest>,
) -> Result<v1::ListContactsResponse, ServiceError> {
    let tenant = Caller::service(&request)?;
    let mut tx = api.database.tenant(tenant).await?;
    let company = companies::find(&mut tx).await?;
    let company = company.ok_or_else(ServiceError::not_found)?;
    let found = people::contacts(&mut tx).await?;
    tx.commit().await?;
    let contacts = found.into_iter().map(|contact| v1::Contact {
        person_id: contact.id.to_string(),
        name: contact.name(&company.name),
        email: contact.email,
        verified: contact.email_verified,
        language: language(contact.language.as_deref()).into(),
    });
    Ok(v1::ListContactsResponse {
        contacts: contacts.collect(),
        time_zone: company.time_zone,
        stale_after_days: u32::try_from(company.stale_after_days).unwrap_or_default(),
    })
}

pub(super) async fn create_mail_link(
    api: &Api,
    request: Request<v1::CreateMailLinkRequest>,
) -> Result<v1::CreateMailLinkResponse, ServiceError> {
    let tenant = Caller::service(&request)?;
    let id = convert::id(&request.get_ref().person_id).ok_or_else(ServiceError::not_found)?;
    let recovers = request.get_ref().purpose() == MailLinkPurpose::Recovery;
    let secret = Token::random()?;
    let mut tx = api.database.tenant(tenant).await?;
    people::lock(&mut tx, id).await?;
    let person = people::find(&mut tx, tenant, id).await?;
    let person = person.filter(|person| role(&person.role) != Role::Operator);
    let person = person.ok_or_else(ServiceError::not_found)?;
    let email = person.email.clone().ok_or_else(ServiceError::not_found)?;
    let lifetime = match (recovers, person.email_verified) {
        (false, false) => mail_links::VERIFICATION,
        (true, true) => mail_links::RECOVERY,
        (true, false) => return Err(ServiceError::not_found()),
        (false, true) => return Err(ServiceError::conflict(refusals::EMAIL_VERIFIED)),
    };
    let expires_at = api.clock.now() + lifetime;
    mail_links::set(&mut tx, id, &secret.sid(), expires_at).await?;
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
    let secret = &request.get_ref().secret;
    let (hash, tenant, id) = api.find_by_secret(secret, mail_links::FIND).await?;
    let mut tx = api.database.tenant(tenant).await?;
    people::lock(&mut tx, id).await?;
    let person = people::find(&mut tx, tenant, id).await?;
    let person = person.ok_or_else(ServiceError::not_found)?;
    let now = api.clock.now();
    if !mail_links::consume(&mut tx, id, &hash, true, now).await? {
        return Err(ServiceError::not_found());
    }
    audit::done(&mut tx, &context, Event::EmailVerified, id, &person.name()).await?;
    tx.commit().await?;
    Ok(v1::VerifyEmailResponse {
        email: person.email.unwrap_or_default(),
    })
}
