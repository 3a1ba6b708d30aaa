//! The company's audit log, merged from all services.

use std::cmp::Reverse;
use std::sync::Arc;

use hourmeter_proto::accounts::v1::ListAuditEventsRequest as FromAccounts;
use hourmeter_proto::billing::v1::ListAuditEventsRequest as FromBilling;
use hourmeter_proto::common::v1::{self as proto, AuditQuery, PageRequest, PageResponse};
use hourmeter_proto::equipment::v1::ListAuditEventsRequest as FromEquipment;
use hourmeter_runtime::audit::AuditOutcome;
use hourmeter_runtime::identity::Service::Accounts;
use hourmeter_runtime::page::{Page, TimeKey};
use tonic::Status;
use uuid::Uuid;

use super::call::Call;
use super::fields::{Fields, page, separated};
use super::from_proto::{FromProto as _, objects};
use super::lists::{self, PageRead};
use super::response::RestResult;
use super::route::{AccessRule, Route, Verb};
use super::values::{Id, Instant};
use crate::limits::CompanyLimit;

const OUTCOMES: &[&str] = &[
    AuditOutcome::Success.name(),
    AuditOutcome::Failed.name(),
    AuditOutcome::Limited.name(),
];

pub fn routes() -> Vec<Route> {
    vec![
        AccessRule::Rpc(Accounts, "ListAuditEvents")
            .at(Verb::Get, "/api/audit-log")
            .query(query, audit_log)
            .summary(
                "What happened in the company, newest first; without a limit all of it, for an \
                 export",
            )
            .pages::<AuditEvent>(),
    ]
}

fn query(fields: &mut Fields) -> AuditQuery {
    let events = fields.text("event").unwrap_or_default();
    AuditQuery {
        events: separated(&events).map(str::to_owned).collect(),
        actor_id: fields.text("actor").unwrap_or_default(),
        from: fields.instant("from"),
        to: fields.instant("to"),
        page: Some(page(fields)),
    }
}

objects! {
    pub(super) struct AuditEvent(event: proto::AuditEvent) {
        id: Id,
        at: Instant,
        event: String,
        #[schemars(extend("enum" = OUTCOMES))]
        outcome: &'static str => outcome(&event.outcome),
        actor_id: Option<Id>,
        actor_name: String,
        scope: String,
        address_prefix: String,
        request_id: Id,
        target_id: Option<Id>,
        target_name: String,
        detail: String,
    }
}

fn outcome(name: &str) -> &'static str {
    let outcome = OUTCOMES.iter().find(|outcome| **outcome == name);
    outcome.copied().unwrap_or("failed")
}

async fn audit_log(call: Call, query: AuditQuery) -> RestResult {
    let asked = query.page.clone().unwrap_or_default();
    let read = move |call, page| read(call, query.clone(), page);
    if asked.limit > 0 {
        return lists::respond(call, asked, read).await;
    }
    call.count(CompanyLimit::Exports).await?;
    let all = lists::export(call, asked.cursor, read).await?;
    Ok(all.exported())
}

/// A page merged from all services. Fails if one is unavailable: a log with a gap would look
/// complete.
async fn read(call: Arc<Call>, query: AuditQuery, page: PageRequest) -> PageRead<AuditEvent> {
    let query = Some(AuditQuery {
        page: Some(page.clone()),
        ..query
    });
    let (mut accounts, mut equipment, mut billing) =
        (call.accounts(), call.equipment(), call.billing());
    let (accounts, equipment, billing) = futures::try_join!(
        accounts.list_audit_events(FromAccounts {
            query: query.clone()
        }),
        equipment.list_audit_events(FromEquipment {
            query: query.clone()
        }),
        billing.list_audit_events(FromBilling { query }),
    )?;
    let (accounts, equipment, billing) = (
        accounts.into_inner(),
        equipment.into_inner(),
        billing.into_inner(),
    );
    let parts = vec![
        (accounts.events, accounts.page),
        (equipment.events, equipment.page),
        (billing.events, billing.page),
    ];
    let (events, next) = merged(&page, parts)?;
    Ok((Vec::from_proto(events), Some(next)))
}

type Part = (Vec<proto::AuditEvent>, Option<PageResponse>);

/// The newest events and the next cursor. A cursor means the same point in time to every service.
fn merged(
    page: &PageRequest,
    parts: Vec<Part>,
) -> Result<(Vec<proto::AuditEvent>, PageResponse), Status> {
    let mut rows = Vec::new();
    let mut more = PageResponse::default();
    for (events, next) in parts {
        for event in events {
            rows.push((key(&event)?, event));
        }
        if let Some(next) = next
            && !next.next_cursor.is_empty()
        {
            more = next;
        }
    }
    rows.sort_by_key(|(key, _)| Reverse(*key));
    let page: Page<TimeKey> = Page::from_request(Some(page))?;
    let cut = page.cut(&mut rows, |(key, _)| *key);
    // If nothing was cut off, the service with more events filled the page alone, and its cursor is
    // valid.
    let next = if cut.next_cursor.is_empty() {
        more
    } else {
        cut
    };
    Ok((rows.into_iter().map(|(_, event)| event).collect(), next))
}

pub(super) fn key(event: &proto::AuditEvent) -> Result<TimeKey, Status> {
    let at = event.at.unwrap_or_default();
    let id = Uuid::parse_str(&event.id);
    let id = id.map_err(|_| Status::internal("audit event without a valid id"))?;
    let micros = at.seconds * 1_000_000 + i64::from(at.nanos) / 1000;
    Ok((micros, id))
}

#[cfg(test)]
mod tests {
    use prost_types::Timestamp;

    use super::*;

    /// Events by second, newest first, as a page of a service.
    fn part(seconds: &[i64], page: &PageRequest) -> Part {
        let page: Page<TimeKey> = Page::from_request(Some(page)).expect("a page");
        let events = seconds.iter().map(|second| proto::AuditEvent {
            id: Uuid::from_u128(u128::try_from(*second).expect("positive")).to_string(),
            at: Some(Timestamp {
                seconds: *second,
                nanos: 0,
            }),
            ..proto::AuditEvent::default()
        });
        let after = |event: &proto::AuditEvent| {
            page.after
                .is_none_or(|after| key(event).expect("a key") < after)
        };
        let wanted = page.limit as usize + 1;
        let mut events: Vec<_> = events.filter(after).take(wanted).collect();
        let next = page.cut(&mut events, |event| key(event).expect("a key"));
        (events, Some(next))
    }

    #[test]
    fn merged_pages_contain_all_events_in_order() {
        let logs = [&[9, 8, 3, 1][..], &[7, 6, 2], &[5]];
        for limit in [1, 2, 3, 4, 8, 9] {
            let (mut cursor, mut read, mut pages) = (String::new(), Vec::new(), 0);
            loop {
                let page = PageRequest { limit, cursor };
                let parts = logs.map(|log| part(log, &page)).into();
                let (events, next) = merged(&page, parts).expect("a page");
                assert!(events.len() <= limit as usize);
                read.extend(
                    events
                        .into_iter()
                        .map(|event| event.at.expect("a time").seconds),
                );
                pages += 1;
                cursor = next.next_cursor;
                if cursor.is_empty() {
                    break;
                }
            }
            assert_eq!(read, [9, 8, 7, 6, 5, 3, 2, 1], "{limit}");
            assert_eq!(pages, 8_u32.div_ceil(limit), "{limit}");
        }
    }
}
