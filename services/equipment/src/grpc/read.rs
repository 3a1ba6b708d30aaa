use hourmeter_proto::equipment::v1;
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::{Caller, Identity};
use tonic::Request;
use uuid::Uuid;

use super::cursor::EquipmentPage;
use super::{Api, convert, input, parse_id, person_request};
use crate::domain::equipment::Equipment;
use crate::domain::field_errors::FieldErrors;
use crate::refusals;
use crate::store;
use crate::store::list::{Filter, Query};

/// Days ahead within which the summary counts equipment as due this week.
const DAYS_OF_WEEK: u32 = 7;
/// Rows of a page with tasks: each one has up to 51.
const MAX_WITH_TASKS: u32 = 100;

pub async fn list_equipment(
    api: &Api,
    request: Request<v1::ListEquipmentRequest>,
) -> Result<v1::ListEquipmentResponse, ServiceError> {
    let (identity, request) = person_request(request)?;
    // The access table has no rules for fields, and ListServiceTasks is for managers.
    if request.with_tasks && !identity.is_manager() {
        return Err(ServiceError::forbidden());
    }
    let mut errors = FieldErrors::default();
    let operational_status = request.operational_status;
    let filter = Filter {
        status: input::filter(request.status, "status", &mut errors),
        kind: input::filter(request.r#type, "type", &mut errors),
        search: input::search(&request.search, &mut errors),
        ids: input::ids(&request.ids, &mut errors),
        operational_status: input::filter(operational_status, "operationalStatus", &mut errors),
        stale: request.stale,
        due_within: request.due_within_days,
        group: input::group_filter(request.group.as_deref(), &mut errors),
        ..Filter::default()
    };
    let sorting = input::sorting(request.order, request.descending, &mut errors);
    errors.check()?;
    let mut page = EquipmentPage::read(request.page.as_ref(), sorting)?;
    if request.with_tasks {
        page.limit_to(MAX_WITH_TASKS);
    }
    let day = api.day(&identity);
    let query = Query {
        filter: &filter,
        sorting,
        day,
        after: page.after.as_ref(),
        limit: page.sql_limit(),
    };

    let tenant = identity.tenant();
    let mut reads = api.database.read(tenant).await?;
    let mut found = store::list::list(&mut reads, tenant, query).await?;
    let next = page.cut(&mut found, query);
    let matching = if query.after.is_some() {
        None
    } else if next.next_cursor.is_empty() {
        Some(u32::try_from(found.len()))
    } else {
        let count = store::list::count(&mut reads, tenant, query).await?;
        Some(u32::try_from(count))
    };
    reads.done();
    let rows = found.iter().map(|item| {
        let mut row = convert::equipment(item, &identity, &day);
        if request.with_tasks {
            let tasks = item.planned_tasks();
            row.tasks = tasks
                .map(|task| convert::service_task(&task, item, &day))
                .collect();
        }
        row
    });
    Ok(v1::ListEquipmentResponse {
        equipment: rows.collect(),
        page: Some(next),
        matching: matching.transpose().map_err(ServiceError::internal)?,
    })
}

pub async fn get_summary(
    api: &Api,
    request: Request<v1::GetSummaryRequest>,
) -> Result<v1::GetSummaryResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let day = api.day(&identity);
    let mut reads = api.database.read(identity.tenant()).await?;
    let counts = store::list::count_by_status(&mut reads, day.today).await?;
    let attention = store::list::count_attention(&mut reads, &day, DAYS_OF_WEEK).await?;
    let groups = store::groups::names(&mut reads).await?;
    reads.done();
    let counted = |count| u32::try_from(count).map_err(ServiceError::internal);
    let [good, approaching, due, overdue] = counts;
    Ok(v1::GetSummaryResponse {
        total: counted(counts.into_iter().sum::<i64>())?,
        good: counted(good)?,
        approaching_service: counted(approaching)?,
        time_for_service: counted(due)?,
        overdue: counted(overdue)?,
        stale: counted(attention.stale)?,
        due_this_week: Some(counted(attention.due)?),
        out_of_service: Some(counted(attention.out_of_service)?),
        groups,
        equipment_limit: identity.entitlements.equipment_limit,
    })
}

pub async fn get_equipment(
    api: &Api,
    request: Request<v1::GetEquipmentRequest>,
) -> Result<v1::GetEquipmentResponse, ServiceError> {
    let (identity, request) = person_request(request)?;
    let id = parse_id(&request.id)?;
    let tenant = identity.tenant();
    let mut reads = api.database.read(tenant).await?;
    let found = store::equipment::find(&mut reads, tenant, id).await?;
    reads.done();
    let Some(equipment) = found else {
        let mut tx = api.database.tenant(tenant).await?;
        return Err(absent(&mut tx, id).await?);
    };
    let equipment = convert::equipment(&equipment, &identity, &api.day(&identity));
    Ok(v1::GetEquipmentResponse {
        equipment: Some(equipment),
    })
}

/// Active equipment.
pub async fn find(tx: &mut TenantTx, id: Uuid) -> Result<Equipment, ServiceError> {
    let tenant = tx.tenant();
    let found = store::equipment::find(tx, tenant, id).await?;
    found.ok_or_else(ServiceError::not_found)
}

/// Locks active equipment.
pub async fn lock(tx: &mut TenantTx, id: Uuid) -> Result<Equipment, ServiceError> {
    let meter = store::meter::lock(tx, id).await?;
    meter.ok_or_else(ServiceError::not_found)?;
    find(tx, id).await
}

/// Why there is no active equipment with this id. Retired or deleted equipment has a reason of its
/// own, so that a page that was open does not look like a request for another company's equipment.
pub async fn absent(tx: &mut TenantTx, id: Uuid) -> Result<ServiceError, ServiceError> {
    let retired = store::archive::find(tx, id).await?;
    if retired.is_some() {
        let message = refusals::EQUIPMENT_RETIRED;
        return Ok(ServiceError::new(Kind::NotFound, message));
    }
    let deleted = store::deleted::find_all(tx, &[id]).await?;
    Ok(match deleted.first() {
        Some(deleted) => {
            let message = refusals::EQUIPMENT_DELETED.with("name", &deleted.subject.name);
            ServiceError::new(Kind::NotFound, message)
        }
        None => ServiceError::not_found(),
    })
}

pub async fn load(
    api: &Api,
    tx: &mut TenantTx,
    identity: &Identity,
    id: Uuid,
) -> Result<v1::Equipment, ServiceError> {
    let equipment = find(tx, id).await?;
    Ok(convert::equipment(&equipment, identity, &api.day(identity)))
}
