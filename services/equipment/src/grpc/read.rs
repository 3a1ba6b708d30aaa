//! Reading equipment.

use chrono::NaiveDate;
use hourmeter_proto::common::v1::PageResponse;
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::Failure;
use hourmeter_runtime::identity::{Caller, Identity};
use hourmeter_runtime::page::Page;
use sqlx::PgConnection;
use tonic::Request;
use uuid::Uuid;

use super::{Api, convert, cursor, id, input};
use crate::domain::equipment::Equipment;
use crate::domain::problems::Problems;
use crate::domain::status::{self, ServiceStatus};
use crate::store;
use crate::store::equipment::{Filter, Key, Listed};

/// How many rows are looked through at a time for a status, which only the rules know.
const STATUS_BATCH: u32 = 1000;

/// `ListEquipment`.
pub async fn list(
    api: &Api,
    request: Request<v1::ListEquipmentRequest>,
) -> Result<v1::ListEquipmentResponse, Failure> {
    let identity = Caller::person(&request)?;
    let request = request.into_inner();
    let mut problems = Problems::default();
    let filter = Filter {
        kind: input::type_filter(request.r#type, &mut problems),
        search: input::search(&request.search, &mut problems),
    };
    let status = input::status_filter(request.status, &mut problems);
    problems.check()?;
    let page = cursor::by_name(request.page.as_ref())?;
    let today = api.today(&identity);

    let mut tx = api.database.tenant(identity.tenant()).await?;
    let company = identity.company_id;
    let mut found = if let Some(status) = status {
        let has_status = |item: &Equipment| status_of(item, today) == status;
        matching(&mut tx, company, &filter, &page, has_status).await?
    } else {
        let after = page.after.as_ref();
        store::equipment::list(&mut tx, company, &filter, after, page.sql_limit()).await?
    };
    let next = page.cut(&mut found.equipment, |item| {
        (item.sort_key.clone(), item.id)
    });
    if found.with_parts {
        store::parts::attach(&mut tx, company, &mut found.equipment).await?;
    }
    Ok(answer(&found.equipment, &identity, today, next))
}

fn answer(
    found: &[Equipment],
    identity: &Identity,
    today: NaiveDate,
    next: PageResponse,
) -> v1::ListEquipmentResponse {
    let rows = found
        .iter()
        .map(|item| convert::equipment(item, identity, today));
    v1::ListEquipmentResponse {
        equipment: rows.collect(),
        page: Some(next),
    }
}

/// As many matching rows as the page wants, read in batches.
async fn matching(
    connection: &mut PgConnection,
    company: Uuid,
    filter: &Filter,
    page: &Page<Key>,
    matches: impl Fn(&Equipment) -> bool,
) -> Result<Listed, Failure> {
    let batch_limit = page.limit.map(|_| i64::from(STATUS_BATCH));
    let wanted = page.limit.map_or(usize::MAX, |limit| limit as usize + 1);
    let mut after = page.after.clone();
    let mut found = Listed::default();
    loop {
        let batch =
            store::equipment::list(connection, company, filter, after.as_ref(), batch_limit)
                .await?;
        let rows = batch.equipment;
        let was_last = page.limit.is_none() || rows.len() < STATUS_BATCH as usize;
        after = rows.last().map(|item| (item.sort_key.clone(), item.id));
        found.with_parts |= batch.with_parts;
        found.equipment.extend(rows.into_iter().filter(&matches));
        if was_last || found.equipment.len() >= wanted {
            found.equipment.truncate(wanted);
            return Ok(found);
        }
    }
}

fn status_of(item: &Equipment, today: NaiveDate) -> ServiceStatus {
    let mut tasks = vec![item.body.task];
    tasks.extend(&item.more_tasks);
    status::service_status(&tasks, item.body.current_usage, today)
}

/// `GetSummary`.
pub async fn summary(
    api: &Api,
    request: Request<v1::GetSummaryRequest>,
) -> Result<v1::GetSummaryResponse, Failure> {
    let identity = Caller::person(&request)?;
    let today = api.today(&identity);
    let mut tx = api.database.tenant(identity.tenant()).await?;
    let rows = store::equipment::meters_and_tasks(&mut tx, identity.company_id).await?;
    let mut summary = v1::GetSummaryResponse {
        equipment_limit: identity.entitlements.equipment_limit,
        ..v1::GetSummaryResponse::default()
    };
    for (usage, tasks) in rows {
        summary.total += 1;
        let count = match status::service_status(&tasks, usage, today) {
            ServiceStatus::Good => &mut summary.good,
            ServiceStatus::ApproachingService => &mut summary.approaching_service,
            ServiceStatus::TimeForService => &mut summary.time_for_service,
            ServiceStatus::Overdue => &mut summary.overdue,
        };
        *count += 1;
    }
    Ok(summary)
}

/// `GetEquipment`.
pub async fn get(
    api: &Api,
    request: Request<v1::GetEquipmentRequest>,
) -> Result<v1::GetEquipmentResponse, Failure> {
    let identity = Caller::person(&request)?;
    let id = id(&request.into_inner().id)?;
    let mut tx = api.database.tenant(identity.tenant()).await?;
    let equipment = whole(api, &mut tx, &identity, id).await?;
    Ok(v1::GetEquipmentResponse {
        equipment: Some(equipment),
    })
}

/// One piece of equipment as it is now, for the answer.
pub async fn whole(
    api: &Api,
    connection: &mut PgConnection,
    identity: &Identity,
    id: Uuid,
) -> Result<v1::Equipment, Failure> {
    let found = store::equipment::find(connection, identity.company_id, id).await?;
    let found = found.ok_or_else(Failure::not_found)?;
    Ok(convert::equipment(&found, identity, api.today(identity)))
}
