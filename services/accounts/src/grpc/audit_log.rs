//! The audit log of accounts: reading it, and writing down what the gateway saw.

use hourmeter_proto::accounts::v1::{
    ListAuditEventsRequest, ListAuditEventsResponse, RecordAuditEventsRequest,
    RecordAuditEventsResponse, SeenEvent,
};
use hourmeter_runtime::audit::{self, Line, NO_COMPANY, Outcome, Query, Trail, WORDS};
use hourmeter_runtime::error::Failure;
use hourmeter_runtime::identity::{Caller, Tenant};
use tonic::Request;
use uuid::Uuid;

use super::Api;
use super::convert::address_prefix;

/// How many events one call may bring.
const MOST_EVENTS: usize = 100;

/// `ListAuditEvents`.
pub(super) async fn list_audit_events(
    api: &Api,
    request: Request<ListAuditEventsRequest>,
) -> Result<ListAuditEventsResponse, Failure> {
    let tenant = Caller::person(&request)?.tenant();
    let query = Query::read(request.get_ref().query.as_ref())?;
    let mut tx = api.database.tenant(tenant).await?;
    let (events, page) = audit::list(&mut tx, tenant, &query).await?;
    tx.commit().await?;
    Ok(ListAuditEventsResponse {
        events,
        page: Some(page),
    })
}

/// `RecordAuditEvents`.
pub(super) async fn record_audit_events(
    api: &Api,
    request: Request<RecordAuditEventsRequest>,
) -> Result<RecordAuditEventsResponse, Failure> {
    let events = request.into_inner().events;
    if events.len() > MOST_EVENTS {
        let text = format!("Must be at most {MOST_EVENTS}.");
        return Err(Failure::field("events", text));
    }
    let events = events.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    for (tenant, trail, line) in &events {
        let mut tx = api.database.tenant(*tenant).await?;
        audit::record(&mut tx, *tenant, trail, line).await?;
        tx.commit().await?;
    }
    Ok(RecordAuditEventsResponse {})
}

fn read(seen: &SeenEvent) -> Result<(Tenant, Trail, Line<'_>), Failure> {
    let event = WORDS.iter().find(|word| **word == seen.event);
    let event = event.ok_or_else(|| Failure::field("event", "Is not a kind of event."))?;
    let outcome = Outcome::from_name(&seen.outcome);
    let outcome = outcome.ok_or_else(|| Failure::field("outcome", "Is not an outcome."))?;
    // Only the gateway may call this, with the company of a session.
    let tenant =
        optional_id("companyId", &seen.company_id)?.map_or(NO_COMPANY, Tenant::found_by_lookup);
    let request_id = optional_id("requestId", &seen.request_id)?;
    let trail = Trail {
        request_id: request_id.ok_or_else(|| Failure::field("requestId", "Is not an id."))?,
        address_prefix: address_prefix(&seen.address_prefix),
        actor_id: optional_id("actorId", &seen.actor_id)?,
        actor_name: seen.actor_name.clone(),
        scope: seen.scope(),
    };
    let line = Line {
        outcome,
        ..Line::done(event).detail(&seen.detail)
    };
    Ok((tenant, trail, line))
}

fn optional_id(field: &str, text: &str) -> Result<Option<Uuid>, Failure> {
    if text.is_empty() {
        return Ok(None);
    }
    let id = Uuid::parse_str(text);
    id.map(Some)
        .map_err(|_| Failure::field(field, "Is not an id."))
}
