//! Secret addresses at which calendar programs read when service is due.

use hourmeter_proto::accounts::v1;
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Caller;
use tonic::Request;

use super::{Api, convert};
use crate::domain::token::Token;
use crate::store::audit::{self, AuditContext, Event};
use crate::store::{calendar_feeds, companies, language};

pub(super) async fn get_calendar_feed(
    api: &Api,
    request: Request<v1::GetCalendarFeedRequest>,
) -> Result<v1::GetCalendarFeedResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let tenant = identity.tenant();
    let mut tx = api.database.tenant(tenant).await?;
    let created_at = calendar_feeds::created_at(&mut tx, identity.user_id).await?;
    tx.commit().await?;
    Ok(v1::GetCalendarFeedResponse {
        created_at: created_at.map(timestamp),
    })
}

pub(super) async fn create_calendar_feed(
    api: &Api,
    request: Request<v1::CreateCalendarFeedRequest>,
) -> Result<v1::CreateCalendarFeedResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let (tenant, id, now) = (identity.tenant(), identity.user_id, api.clock.now());
    let secret = Token::random()?;
    let mut tx = api.database.tenant(tenant).await?;
    // A change of the password locks the company and ends the address.
    companies::lock(&mut tx).await?;
    if !calendar_feeds::set(&mut tx, id, &secret.sid(), now).await? {
        return Err(ServiceError::unauthenticated());
    }
    let context = AuditContext::from_identity(&identity);
    let (event, name) = (Event::CalendarFeedCreated, &identity.display_name);
    audit::done(&mut tx, &context, event, id, name).await?;
    tx.commit().await?;
    Ok(v1::CreateCalendarFeedResponse {
        secret: secret.to_text(),
        created_at: Some(timestamp(now)),
    })
}

pub(super) async fn delete_calendar_feed(
    api: &Api,
    request: Request<v1::DeleteCalendarFeedRequest>,
) -> Result<v1::DeleteCalendarFeedResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let (tenant, id) = (identity.tenant(), identity.user_id);
    let mut tx = api.database.tenant(tenant).await?;
    if calendar_feeds::delete(&mut tx, id).await? {
        let context = AuditContext::from_identity(&identity);
        let (event, name) = (Event::CalendarFeedDeleted, &identity.display_name);
        audit::done(&mut tx, &context, event, id, name).await?;
    }
    tx.commit().await?;
    Ok(v1::DeleteCalendarFeedResponse {})
}

pub(super) async fn resolve_calendar_feed(
    api: &Api,
    request: Request<v1::ResolveCalendarFeedRequest>,
) -> Result<v1::ResolveCalendarFeedResponse, ServiceError> {
    convert::edge_context(&request, None)?;
    let secret = &request.get_ref().secret;
    let (hash, tenant, user_id) = api.find_by_secret(secret, calendar_feeds::FIND).await?;
    let mut tx = api.database.tenant(tenant).await?;
    let session = calendar_feeds::session(&mut tx, user_id, &hash).await?;
    let session = session.ok_or_else(ServiceError::not_found)?;
    tx.commit().await?;
    Ok(v1::ResolveCalendarFeedResponse {
        session: Some(session.session.into()),
        language: language(session.language.as_deref()).into(),
    })
}
