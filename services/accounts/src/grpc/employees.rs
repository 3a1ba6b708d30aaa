//! The company's people; adding, renaming and removing operators.

use chrono::{DateTime, Datelike as _};
use hourmeter_proto::accounts::v1::{
    CreateOperatorRequest, CreateOperatorResponse, DeleteOperatorRequest, DeleteOperatorResponse,
    ListEmployeesRequest, ListEmployeesResponse, UpdateOperatorRequest, UpdateOperatorResponse,
};
use hourmeter_proto::common::v1::PageRequest;
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::Failure;
use hourmeter_runtime::identity::Caller;
use hourmeter_runtime::page::Page;
use tonic::Request;
use uuid::Uuid;

use super::{Api, convert};
use crate::domain::{Problems, names};
use crate::store::audit::{self, Event, Trail};
use crate::store::employees::{self, EmployeeKey, OperatorNames};
use crate::store::{companies, usernames};

/// What an unknown id stands for in the audit log.
const OPERATOR: &str = "operator";

pub(super) async fn list_employees(
    api: &Api,
    request: Request<ListEmployeesRequest>,
) -> Result<ListEmployeesResponse, Failure> {
    let identity = Caller::person(&request)?;
    let page = page(request.get_ref().page.as_ref())?;
    let mut tx = api.database.tenant(identity.tenant()).await?;
    let mut people = employees::list(&mut tx, identity.tenant(), &page).await?;
    tx.commit().await?;
    let next = page.cut(&mut people, |last| {
        (last.created_at.timestamp_micros(), last.id)
    });
    Ok(ListEmployeesResponse {
        employees: people.into_iter().map(Into::into).collect(),
        page: Some(next),
    })
}

/// A page of people. What its cursor says is checked before it meets the database.
fn page(request: Option<&PageRequest>) -> Result<Page<EmployeeKey>, Failure> {
    let page = Page::from_request(request)?;
    let is_storable = |(micros, _): &EmployeeKey| {
        let at = DateTime::from_timestamp_micros(*micros);
        at.is_some_and(|at| (1..=9999).contains(&at.year()))
    };
    if page.after.as_ref().is_none_or(is_storable) {
        Ok(page)
    } else {
        Err(Failure::field("cursor", "Is not a cursor of this list."))
    }
}

pub(super) async fn create_operator(
    api: &Api,
    request: Request<CreateOperatorRequest>,
) -> Result<CreateOperatorResponse, Failure> {
    let identity = Caller::person(&request)?;
    let message = request.into_inner();
    let names = read_names(&message.first_name, &message.last_name)?;
    let (tenant, trail) = (identity.tenant(), Trail::of(&identity));
    let mut tx = api.database.tenant(tenant).await?;
    let username = usernames::take(&mut tx, &names.first).await?;
    let now = api.clock.now();
    let employee = employees::insert_operator(&mut tx, tenant, &names, &username, now).await?;
    let target = Some(employee.id);
    audit::record(&mut tx, tenant, &trail, Event::OperatorAdded, target, "").await?;
    tx.commit().await?;
    Ok(CreateOperatorResponse {
        employee: Some(employee.into()),
    })
}

pub(super) async fn update_operator(
    api: &Api,
    request: Request<UpdateOperatorRequest>,
) -> Result<UpdateOperatorResponse, Failure> {
    let identity = Caller::person(&request)?;
    let message = request.into_inner();
    let names = read_names(&message.first_name, &message.last_name)?;
    let (tenant, trail) = (identity.tenant(), Trail::of(&identity));
    let mut tx = api.database.tenant(tenant).await?;
    let Some(id) = convert::id(&message.id) else {
        return Err(unknown(tx, &trail, OPERATOR, None).await);
    };
    let renamed = employees::rename_operator(&mut tx, tenant, id, &names, api.clock.now()).await?;
    let Some(employee) = renamed else {
        return Err(unknown(tx, &trail, OPERATOR, Some(id)).await);
    };
    audit::record(
        &mut tx,
        tenant,
        &trail,
        Event::OperatorChanged,
        Some(id),
        "",
    )
    .await?;
    tx.commit().await?;
    Ok(UpdateOperatorResponse {
        employee: Some(employee.into()),
    })
}

pub(super) async fn delete_operator(
    api: &Api,
    request: Request<DeleteOperatorRequest>,
) -> Result<DeleteOperatorResponse, Failure> {
    let identity = Caller::person(&request)?;
    let (tenant, trail) = (identity.tenant(), Trail::of(&identity));
    let mut tx = api.database.tenant(tenant).await?;
    let Some(id) = convert::id(&request.get_ref().id) else {
        return Err(unknown(tx, &trail, OPERATOR, None).await);
    };
    companies::hold(&mut tx, tenant).await?;
    if !employees::delete_operator(&mut tx, tenant, id).await? {
        return Err(unknown(tx, &trail, OPERATOR, Some(id)).await);
    }
    companies::mark_operator_password_stale(&mut tx, tenant, api.clock.now()).await?;
    audit::record(
        &mut tx,
        tenant,
        &trail,
        Event::OperatorRemoved,
        Some(id),
        "",
    )
    .await?;
    tx.commit().await?;
    Ok(DeleteOperatorResponse {})
}

fn read_names(first: &str, last: &str) -> Result<OperatorNames, Failure> {
    let mut problems = Problems::default();
    let names = OperatorNames {
        first: problems.take("firstName", names::required_name(first)),
        last: problems.take("lastName", names::required_name(last)),
    };
    problems.finish()?;
    Ok(names)
}

/// Notes that an id was tried that is nothing of this company, and answers as for any other.
pub(super) async fn unknown(
    mut tx: TenantTx,
    trail: &Trail,
    what: &'static str,
    id: Option<Uuid>,
) -> Failure {
    let tenant = tx.tenant();
    let noted = async {
        audit::record(&mut tx, tenant, trail, Event::UnknownObject, id, what).await?;
        tx.commit().await
    };
    match noted.await {
        Ok(()) => Failure::not_found(),
        Err(failure) => failure,
    }
}
