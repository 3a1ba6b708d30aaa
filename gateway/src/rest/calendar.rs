//! When service is due, as a calendar at a secret address.

use std::sync::Arc;

use chrono::{Duration, NaiveDate};
use hourmeter_proto::accounts::v1::{Language, ResolveCalendarFeedRequest};
use hourmeter_proto::common::v1::PageRequest;
use hourmeter_proto::equipment::v1::{
    Equipment, EquipmentOrder, ListEquipmentRequest, MeterUnit, ServiceStatus, ServiceTask,
};
use hourmeter_runtime::error::ServiceError;
use http::{StatusCode, header};
use icalendar::{Calendar, Component as _, Event, EventLike as _};

use super::call::Call;
use super::response::{RestResponse, RestResult};
use super::route::{AccessRule, ResponseDoc, Route, Verb};
use crate::outgoing::{self, Outgoing};
use crate::session;

const CALENDAR: &str = "text/calendar; charset=utf-8";
/// Later services are left out.
const DAYS: u32 = 365;
const PAGE: u32 = 100;
/// 2,000 machines.
const MAX_PAGES: usize = 20;
/// How often a calendar program reads it again.
const REFRESH_HOURS: i64 = 4;

pub fn routes() -> Vec<Route> {
    vec![
        AccessRule::Public
            .route(Verb::Get, "/api/calendar/{id}", feed)
            .summary(
                "Services due within a year, for calendar programs; the id is the secret of an \
                 address, also with .ics",
            )
            .responds(StatusCode::OK, ResponseDoc::Other("text/calendar")),
    ]
}

async fn feed(call: Call) -> RestResult {
    let id = call.id();
    let secret = id.strip_suffix(".ics").unwrap_or(&id).to_owned();
    let request = ResolveCalendarFeedRequest { secret };
    let resolved = call.edge_accounts().resolve_calendar_feed(request).await?;
    let resolved = resolved.into_inner();
    let language = resolved.language();
    let missing = || ServiceError::internal("accounts returned no person for a calendar");
    let person = resolved.session.ok_or_else(missing)?;
    let requester = session::as_person(&call.services, &call.requester, &person).await;
    let identity = requester.identity().ok_or_else(missing)?;
    let (user, company) = (identity.user_id, identity.company_id);
    let _in_flight = call.services.limits.device_call(user, company).await?;
    let origin = origin(&call);
    let mut calendar = Calendar::empty();
    calendar
        .append_property(("VERSION", "2.0"))
        .append_property(("PRODID", "-//Hourmeter//Service//EN"))
        .name(name(language))
        .ttl(&Duration::hours(REFRESH_HOURS));
    let outgoing = Outgoing::as_requester(call.services.clone(), Arc::new(requester));
    let mut client = outgoing::equipment(outgoing);
    let mut page = PageRequest {
        limit: PAGE,
        ..PageRequest::default()
    };
    for _ in 0..MAX_PAGES {
        let request = ListEquipmentRequest {
            due_within_days: Some(DAYS),
            order: EquipmentOrder::Due.into(),
            with_tasks: true,
            page: Some(page.clone()),
            ..ListEquipmentRequest::default()
        };
        let found = client.list_equipment(request).await?.into_inner();
        for machine in &found.equipment {
            let tasks = machine.tasks.iter();
            let events = tasks.filter_map(|task| event(machine, task, language, origin.as_deref()));
            calendar.extend(events.map(|mut event| {
                event.timestamp(call.services.clock.now());
                event
            }));
        }
        page.cursor = found.page.unwrap_or_default().next_cursor;
        if page.cursor.is_empty() {
            break;
        }
    }
    Ok(RestResponse::other(CALENDAR, calendar.to_string()))
}

/// Where the links lead. None: not known.
fn origin(call: &Call) -> Option<String> {
    let set = call.services.config.public_origin.clone();
    set.or_else(|| {
        let host = call.headers.get(header::HOST)?.to_str().ok()?;
        Some(format!("http://{host}"))
    })
}

const fn name(language: Language) -> &'static str {
    match language {
        Language::Spanish => "Mantenimiento (Hourmeter)",
        _ => "Service (Hourmeter)",
    }
}

/// A day on which a task of a machine is due. None: it has no date.
fn event(
    machine: &Equipment,
    task: &ServiceTask,
    language: Language,
    origin: Option<&str>,
) -> Option<Event> {
    let due: NaiveDate = task.projected_due_date.parse().ok()?;
    let snooze = task.snooze.as_ref();
    let until = snooze.and_then(|snooze| snooze.until_date.parse().ok());
    let day = until.map_or(due, |until: NaiveDate| until.max(due));
    let number = machine.unit_number.as_deref().unwrap_or_default();
    let label = format!("{number} {}", machine.name);
    let spanish = language == Language::Spanish;
    let task_name = match task.name.as_str() {
        "" if spanish => "servicio regular",
        "" => "regular service",
        name => name,
    };
    let mut event = Event::new();
    event
        .uid(&format!("{}@hourmeter", task.id))
        .summary(&format!("{}: {task_name}", label.trim()))
        .description(&reason(machine, task, spanish))
        .starts(day);
    if let Some(origin) = origin {
        event.url(&format!("{origin}/equipment/item/{}", machine.id));
    }
    Some(event.done())
}

/// Why it is due on that day.
fn reason(machine: &Equipment, task: &ServiceTask, spanish: bool) -> String {
    let overdue = task.status() == ServiceStatus::Overdue;
    let by_usage = task.next_due_usage.filter(|_| !task.projected_by_calendar);
    let Some(at) = by_usage else {
        let text = match (overdue, spanish) {
            (true, true) => "Vencido por calendario.",
            (true, false) => "Overdue by calendar.",
            (false, true) => "Toca por calendario.",
            (false, false) => "Due by calendar.",
        };
        return text.to_owned();
    };
    let unit = unit(machine, spanish);
    match (overdue, spanish) {
        (true, true) => format!("Vencido: tocaba a {at} {unit}."),
        (true, false) => format!("Overdue: it was due at {at} {unit}."),
        (false, true) => format!("Toca a {at} {unit}, según su uso habitual."),
        (false, false) => format!("Due at {at} {unit}, by its usual use."),
    }
}

fn unit(machine: &Equipment, spanish: bool) -> &'static str {
    match (machine.unit(), spanish) {
        (MeterUnit::Hours, true) => "horas",
        (MeterUnit::Hours, false) => "hours",
        (MeterUnit::Miles, true) => "millas",
        (MeterUnit::Miles, false) => "miles",
        (MeterUnit::Kilometers, true) => "kilómetros",
        (MeterUnit::Kilometers, false) => "kilometers",
        _ => "",
    }
}
