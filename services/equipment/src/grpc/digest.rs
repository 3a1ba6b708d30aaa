//! What notifications say about equipment.

use chrono_tz::Tz;
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::db::TenantRead;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Caller;
use hourmeter_runtime::refusals;
use tonic::Request;
use uuid::Uuid;

use super::{Api, convert, input};
use crate::domain::equipment::{Equipment, ServiceTask};
use crate::domain::forecast::{CompanyDay, assumed_due, urgent_task};
use crate::domain::status::ServiceStatus;
use crate::store;
use crate::store::list::{Filter, Order, Query, Selection, Sorting};

const MAX_DAYS: usize = 365;
const MAX_LIMIT: usize = 100;

pub async fn find_groups(
    api: &Api,
    request: Request<v1::FindGroupsRequest>,
) -> Result<v1::FindGroupsResponse, ServiceError> {
    let tenant = Caller::service(&request)?;
    let ids = parse_ids(&request.into_inner().equipment_ids)?;
    input::between("equipment_ids", ids.len(), MAX_LIMIT)?;
    let mut reads = api.database.read(tenant).await?;
    let found = store::groups::by_equipment(&mut reads, &ids).await?;
    reads.done();
    let groups = found.into_iter().map(|(id, group)| (id.to_string(), group));
    Ok(v1::FindGroupsResponse {
        groups: groups.collect(),
    })
}

fn parse_ids(ids: &[String]) -> Result<Vec<Uuid>, ServiceError> {
    let ids = ids.iter().map(|id| Uuid::parse_str(id));
    ids.collect::<Result<_, _>>()
        .map_err(|_| ServiceError::field("equipment_ids", refusals::NOT_AN_ID))
}

pub async fn get_digest(
    api: &Api,
    request: Request<v1::GetDigestRequest>,
) -> Result<v1::GetDigestResponse, ServiceError> {
    let tenant = Caller::service(&request)?;
    let request = request.into_inner();
    let zone = request.time_zone.parse::<Tz>();
    let zone = zone.map_err(|_| ServiceError::field("time_zone", refusals::CHOICE_UNKNOWN))?;
    let due_within_days = request.due_within_days;
    input::between("due_within_days", due_within_days as usize, MAX_DAYS)?;
    input::between("limit", request.limit as usize, MAX_LIMIT)?;
    let day = CompanyDay::new(api.clock.now(), &zone, request.stale_after_days);
    let mut selected = Filter::default();
    if let Some(selection) = request.selection {
        selected.selection = Some(Selection {
            ids: parse_ids(&selection.equipment_ids)?,
            groups: selection.groups,
        });
    }
    let overdue = Filter {
        status: Some(ServiceStatus::Overdue),
        ..selected.clone()
    };
    let due = Filter {
        due_within: Some(due_within_days),
        not_overdue: true,
        ..selected.clone()
    };
    let stale = Filter {
        stale: Some(true),
        ..selected
    };
    let mut reads = api.database.read(tenant).await?;
    let mut machines = async |filter: Filter, order, tasks: TasksOf| {
        let sorting = Sorting {
            order,
            descending: false,
        };
        let query = Query {
            filter: &filter,
            sorting,
            day,
            after: None,
            limit: request.limit.into(),
        };
        list(&mut reads, query, tasks).await
    };
    let overdue = machines(overdue, Order::Name, overdue_tasks).await?;
    let due = machines(due, Order::Due, due_task).await?;
    let stale = machines(stale, Order::Name, first_task).await?;
    reads.done();
    Ok(v1::GetDigestResponse {
        overdue: Some(overdue),
        due: Some(due),
        stale: Some(stale),
    })
}

/// Which tasks of a machine are shown.
type TasksOf = fn(&Equipment, &CompanyDay) -> Vec<ServiceTask>;

async fn list(
    reads: &mut TenantRead,
    query: Query<'_>,
    tasks: TasksOf,
) -> Result<v1::DigestMachines, ServiceError> {
    let tenant = reads.tenant();
    let total = store::list::count(reads, tenant, query).await?;
    let found = store::list::list(reads, tenant, query).await?;
    let machines = found.iter().map(|item| v1::Equipment {
        tasks: tasks(item, &query.day)
            .iter()
            .map(|task| convert::service_task(task, item, &query.day))
            .collect(),
        ..convert::machine(item, &query.day)
    });
    Ok(v1::DigestMachines {
        machines: machines.collect(),
        total: u32::try_from(total).map_err(ServiceError::internal)?,
    })
}

/// The task that decides the status.
fn first_task(item: &Equipment, day: &CompanyDay) -> Vec<ServiceTask> {
    let urgent = urgent_task(item, day).cloned();
    vec![urgent.unwrap_or_else(|| item.form_task())]
}

/// The most urgent first.
fn overdue_tasks(item: &Equipment, day: &CompanyDay) -> Vec<ServiceTask> {
    let mut tasks = first_task(item, day);
    let others = convert::overdue_tasks(item, day.today);
    let others: Vec<_> = others.filter(|task| task.id != tasks[0].id).collect();
    tasks.extend(others);
    tasks
}

/// The task that is due first.
fn due_task(item: &Equipment, day: &CompanyDay) -> Vec<ServiceTask> {
    assumed_due(item, day).map_or_else(|| first_task(item, day), |due| vec![due.task])
}
