//! The company's people; adding, renaming and removing them.

use chrono::{DateTime, Datelike as _};
use hourmeter_proto::accounts::v1::{
    CreateOperatorRequest, CreateOperatorResponse, DeleteEmployeeRequest, DeleteEmployeeResponse,
    ListEmployeesRequest, ListEmployeesResponse, Role, UpdateEmployeeRequest,
    UpdateEmployeeResponse,
};
use hourmeter_proto::common::v1::PageRequest;
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::idempotency::{Key, Outcome, begin};
use hourmeter_runtime::identity::{Caller, Identity};
use hourmeter_runtime::message::Reason;
use hourmeter_runtime::page::Page;
use hourmeter_runtime::refusals as shared;
use tonic::Request;
use uuid::Uuid;

use super::{Api, convert};
use crate::domain::{Problems, names};
use crate::refusals;
use crate::store::audit::{self, AuditContext, Event};
use crate::store::employees::{self, EmployeeKey, PersonNames};
use crate::store::people::{self, Person};
use crate::store::{companies, role, usernames};

/// What an unknown id stands for in the audit log.
const PERSON: &str = "person";

pub(super) async fn list_employees(
    api: &Api,
    request: Request<ListEmployeesRequest>,
) -> Result<ListEmployeesResponse, ServiceError> {
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
fn page(request: Option<&PageRequest>) -> Result<Page<EmployeeKey>, ServiceError> {
    let page = Page::from_request(request)?;
    let is_storable = |(micros, _): &EmployeeKey| {
        let at = DateTime::from_timestamp_micros(*micros);
        at.is_some_and(|at| (1..=9999).contains(&at.year()))
    };
    if page.after.as_ref().is_none_or(is_storable) {
        Ok(page)
    } else {
        Err(ServiceError::field("cursor", shared::CURSOR_INVALID))
    }
}

pub(super) async fn create_operator(
    api: &Api,
    request: Request<CreateOperatorRequest>,
) -> Result<CreateOperatorResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let key = Key::read(&request, "CreateOperator")?;
    let message = request.into_inner();
    let names = read_names(&message.first_name, &message.last_name)?;
    let (tenant, trail, now) = (
        identity.tenant(),
        AuditContext::from_identity(&identity),
        api.clock.now(),
    );
    let tx = api.database.tenant(tenant).await?;
    let mut tx = match begin(tx, &identity, key, now).await? {
        Outcome::New(work) => work,
        Outcome::Repeat(answer) => return Ok(answer),
    };
    let username = usernames::take(&mut tx, &api.decoys, &names.first).await?;
    let employee = employees::insert_operator(&mut tx, tenant, &names, &username, now).await?;
    let (event, target, name) = (Event::OperatorAdded, Some(employee.id), employee.name());
    audit::record_on(&mut tx, tenant, &trail, event, target, &name, "").await?;
    let answer = CreateOperatorResponse {
        employee: Some(employee.into()),
    };
    tx.finish(&answer).await?;
    Ok(answer)
}

pub(super) async fn update_employee(
    api: &Api,
    request: Request<UpdateEmployeeRequest>,
) -> Result<UpdateEmployeeResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let message = request.into_inner();
    let names = read_names(&message.first_name, &message.last_name)?;
    let (tenant, trail) = (identity.tenant(), AuditContext::from_identity(&identity));
    let tx = api.database.tenant(tenant).await?;
    let (mut tx, person) = below(tx, &identity, &message.id, &RENAMING).await?;
    let renamed = employees::rename(&mut tx, tenant, person.id, &names, api.clock.now()).await?;
    let Some(employee) = renamed else {
        return Err(unknown(tx, &trail, PERSON, Some(person.id)).await);
    };
    let event = match role(&person.role) {
        Role::Manager => Event::ManagerChanged,
        _ => Event::OperatorChanged,
    };
    let (target, name) = (Some(person.id), employee.name());
    audit::record_on(&mut tx, tenant, &trail, event, target, &name, "").await?;
    tx.commit().await?;
    Ok(UpdateEmployeeResponse {
        employee: Some(employee.into()),
    })
}

pub(super) async fn delete_employee(
    api: &Api,
    request: Request<DeleteEmployeeRequest>,
) -> Result<DeleteEmployeeResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let (tenant, trail) = (identity.tenant(), AuditContext::from_identity(&identity));
    let mut tx = api.database.tenant(tenant).await?;
    companies::hold(&mut tx, tenant).await?;
    let (mut tx, person) = below(tx, &identity, &request.get_ref().id, &REMOVING).await?;
    if !employees::delete(&mut tx, tenant, person.id).await? {
        return Err(unknown(tx, &trail, PERSON, Some(person.id)).await);
    }
    // A manager knows it too, and the business name admits whoever does.
    companies::mark_operator_password_stale(&mut tx, tenant, api.clock.now()).await?;
    let event = match role(&person.role) {
        Role::Manager => Event::ManagerRemoved,
        _ => Event::OperatorRemoved,
    };
    let (target, name) = (Some(person.id), person.name());
    audit::record_on(&mut tx, tenant, &trail, event, target, &name, "").await?;
    tx.commit().await?;
    Ok(DeleteEmployeeResponse {})
}

/// What is to be done to somebody, and why it is refused.
struct Doing {
    /// In the audit log.
    word: &'static str,
    to_oneself: Reason,
    to_the_owner: Reason,
    to_a_manager: Reason,
}

const RENAMING: Doing = Doing {
    word: "change",
    to_oneself: refusals::OWN_NAME_IN_PROFILE,
    to_the_owner: refusals::OWNER_NAME_CHANGED_BY_OWNER_ONLY,
    to_a_manager: refusals::MANAGER_CHANGED_BY_OWNER_ONLY,
};

const REMOVING: Doing = Doing {
    word: "remove",
    to_oneself: refusals::YOURSELF_NOT_REMOVABLE,
    to_the_owner: refusals::OWNER_NOT_REMOVABLE,
    to_a_manager: refusals::MANAGER_REMOVED_BY_OWNER_ONLY,
};

/// Somebody whom the caller may change or remove: an operator, or for the owner a manager.
async fn below(
    mut tx: TenantTx,
    identity: &Identity,
    id: &str,
    doing: &Doing,
) -> Result<(TenantTx, Person), ServiceError> {
    let (tenant, trail, id) = (
        identity.tenant(),
        AuditContext::from_identity(identity),
        convert::id(id),
    );
    if id == Some(identity.user_id) {
        return Err(ServiceError::new(Kind::Invalid, doing.to_oneself));
    }
    let person = match id {
        Some(id) => people::find(&mut tx, tenant, id).await?,
        None => None,
    };
    let Some(person) = person else {
        return Err(unknown(tx, &trail, PERSON, id).await);
    };
    let refusal = match role(&person.role) {
        Role::Operator => return Ok((tx, person)),
        Role::Manager if identity.is_owner() => return Ok((tx, person)),
        Role::Manager => doing.to_a_manager,
        _ => doing.to_the_owner,
    };
    let (event, target, name) = (Event::PermissionDenied, Some(person.id), person.name());
    audit::record_on(&mut tx, tenant, &trail, event, target, &name, doing.word).await?;
    tx.commit().await?;
    Err(ServiceError::forbidden_because(refusal))
}

fn read_names(first: &str, last: &str) -> Result<PersonNames, ServiceError> {
    let mut problems = Problems::default();
    let names = PersonNames {
        first: problems.take("firstName", names::required_name(first)),
        last: problems.take("lastName", names::required_name(last)),
    };
    problems.finish()?;
    Ok(names)
}

/// Notes that an id was tried that is nothing of this company, and answers as for any other.
pub(super) async fn unknown(
    mut tx: TenantTx,
    trail: &AuditContext,
    what: &'static str,
    id: Option<Uuid>,
) -> ServiceError {
    let tenant = tx.tenant();
    let noted = async {
        audit::record(&mut tx, tenant, trail, Event::UnknownObject, id, what).await?;
        tx.commit().await
    };
    match noted.await {
        Ok(()) => ServiceError::not_found(),
        Err(failure) => failure,
    }
}
