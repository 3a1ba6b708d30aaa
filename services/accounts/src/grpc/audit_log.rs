//! The audit log of accounts: listing it, and recording events of the gateway.

use hourmeter_proto::accounts::v1::{
    ListAuditEventsRequest, ListAuditEventsResponse, RecordAuditEventsRequest,
    RecordAuditEventsResponse, SeenEvent,
};
use hourmeter_runtime::audit::{self, AuditContext, AuditEntry, AuditOutcome, NO_COMPANY};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Caller, Tenant};
use hourmeter_runtime::refusals as shared;
use hourmeter_runtime::text::LoginName;
use tonic::Request;
use uuid::Uuid;

use super::convert::address_prefix;
use super::{Api, new_session};
use crate::refusals;
use crate::store::attempts::OPERATOR_LOGIN;
use crate::store::audit::{Event, limited};
use crate::store::sign_in;

const MAX_EVENTS: usize = 100;

pub(super) async fn list_audit_events(
    api: &Api,
    request: Request<ListAuditEventsRequest>,
) -> Result<ListAuditEventsResponse, ServiceError> {
    let tenant = Caller::person(&request)?.tenant();
    let query = request.get_ref().query.as_ref();
    let (events, page) = audit::list(&api.database, tenant, query).await?;
    Ok(ListAuditEventsResponse {
        events,
        page: Some(page),
    })
}

pub(super) async fn record_audit_events(
    api: &Api,
    request: Request<RecordAuditEventsRequest>,
) -> Result<RecordAuditEventsResponse, ServiceError> {
    let events = request.into_inner().events;
    if events.len() > MAX_EVENTS {
        let text = shared::AT_MOST.with("max", MAX_EVENTS);
        return Err(ServiceError::field("events", text));
    }
    let read = events.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    for (seen, (tenant, context, entry)) in events.iter().zip(&read) {
        if !seen.sign_in_name.is_empty() {
            record_limited_sign_in(api, seen, context).await?;
            continue;
        }
        api.record(*tenant, context, entry).await?;
    }
    Ok(RecordAuditEventsResponse {})
}

/// Records a rate-limited sign-in in the log of the company with that name, or in the platform's log.
async fn record_limited_sign_in(
    api: &Api,
    seen: &SeenEvent,
    context: &AuditContext,
) -> Result<(), ServiceError> {
    let name = LoginName::read(&seen.sign_in_name);
    let mut lookup = api.database.lookup().await?;
    let (candidate, detail) = if seen.at_operator_login {
        let found = sign_in::find_operator(&mut lookup, &name).await?;
        (found.map(|(candidate, _)| candidate), OPERATOR_LOGIN)
    } else {
        let found = sign_in::find(&mut lookup, &name).await?;
        (found.map(|(candidate, _)| candidate), "")
    };
    drop(lookup);
    let entry = limited(Event::SignIn).detail(detail);
    new_session::record(api, candidate.as_ref(), context, entry).await
}

fn read(seen: &SeenEvent) -> Result<(Tenant, AuditContext, AuditEntry<'_>), ServiceError> {
    let event = Event::from_name(&seen.event);
    let event = event.ok_or_else(|| ServiceError::field("event", shared::AUDIT_EVENT_UNKNOWN))?;
    let outcome = AuditOutcome::from_name(&seen.outcome);
    let outcome =
        outcome.ok_or_else(|| ServiceError::field("outcome", refusals::AUDIT_OUTCOME_UNKNOWN))?;
    // Only the gateway may call this; the company is from a session.
    let tenant =
        optional_id("companyId", &seen.company_id)?.map_or(NO_COMPANY, Tenant::from_lookup);
    let request_id = optional_id("requestId", &seen.request_id)?;
    let context = AuditContext {
        request_id: request_id
            .ok_or_else(|| ServiceError::field("requestId", shared::NOT_AN_ID))?,
        address_prefix: address_prefix(&seen.address_prefix),
        actor_id: optional_id("actorId", &seen.actor_id)?,
        actor_name: seen.actor_name.clone(),
        scope: seen.scope(),
        browser: String::new(),
    };
    let entry = AuditEntry {
        outcome,
        ..AuditEntry::success(event).detail(&seen.detail)
    };
    Ok((tenant, context, entry))
}

fn optional_id(field: &str, text: &str) -> Result<Option<Uuid>, ServiceError> {
    if text.is_empty() {
        return Ok(None);
    }
    let id = Uuid::parse_str(text);
    id.map(Some)
        .map_err(|_| ServiceError::field(field, shared::NOT_AN_ID))
}
