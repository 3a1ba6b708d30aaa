//! Lists, adds, renames and removes the people of a company.

use hourmeter_proto::accounts::v1::{self, Role};
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::idempotency::{Key, Outcome, begin};
use hourmeter_runtime::identity::{Caller, Identity};
use hourmeter_runtime::message::Reason;
use hourmeter_runtime::page::{Page, TimeKey};
use tonic::Request;
use uuid::Uuid;

use super::{Api, convert};
use crate::domain::{FieldErrors, names};
use crate::refusals;
use crate::store::audit::{self, AuditContext, AuditEntry, Event};
use crate::store::employees::{self, PersonNames};
use crate::store::people::{self, Person};
use crate::store::{companies, devices, role, usernames};

/// Audit detail of an unknown id.
pub(super) const PERSON: &str = "person";

pub(super) async fn list_employees(
    api: &Api,
    request: Request<v1::ListEmployeesRequest>,
) -> Result<v1::ListEmployeesResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let page: Page<TimeKey> = Page::from_request(request.get_ref().page.as_ref())?;
    let (before, limit) = (page.before()?, page.sql_limit());
    let mut tx = api.database.tenant(identity.tenant()).await?;
    let mut people = employees::list(&mut tx, before, limit).await?;
    tx.commit().await?;
    let next = page.cut(&mut people, |last| {
        (last.created_at.timestamp_micros(), last.id)
    });
    Ok(v1::ListEmployeesResponse {
        employees: people.into_iter().map(Into::into).collect(),
        page: Some(next),
    })
}

pub(super) async fn create_operator(
    api: &Api,
    request: Request<v1::CreateOperatorRequest>,
) -> Result<v1::CreateOperatorResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let key = Key::read(&request, "CreateOperator")?;
    let message = request.into_inner();
    let names = read_names(&message.first_name, &message.last_name)?;
    let (context, now) = (AuditContext::from_identity(&identity), api.clock.now());
    let tx = api.database.tenant(identity.tenant()).await?;
    let mut tx = match begin(tx, &identity, key, now).await? {
        Outcome::New(work) => work,
        Outcome::Repeat(answer) => return Ok(answer),
    };
    let username = usernames::take(&mut tx, &api.decoys, &names.first).await?;
    let employee = employees::insert_operator(&mut tx, &names, &username, now).await?;
    let name = employee.name();
    audit::done(&mut tx, &context, Event::OperatorAdded, employee.id, &name).await?;
    let answer = v1::CreateOperatorResponse {
        employee: Some(employee.into()),
    };
    tx.finish(&answer).await?;
    Ok(answer)
}

pub(super) async fn update_employee(
    api: &Api,
    request: Request<v1::UpdateEmployeeRequest>,
) -> Result<v1::UpdateEmployeeResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let message = request.into_inner();
    let names = read_names(&message.first_name, &message.last_name)?;
    let (tenant, context) = (identity.tenant(), AuditContext::from_identity(&identity));
    let tx = api.database.tenant(tenant).await?;
    let (mut tx, person) = find_subordinate(tx, &identity, &message.id, &RENAMING).await?;
    let renamed = employees::rename(&mut tx, person.id, &names, api.clock.now()).await?;
    let Some(employee) = renamed else {
        return Err(unknown_object(tx, &context, PERSON, Some(person.id)).await);
    };
    let event = match role(&person.role) {
        Role::Manager => Event::ManagerChanged,
        _ => Event::OperatorChanged,
    };
    audit::done(&mut tx, &context, event, person.id, &employee.name()).await?;
    tx.commit().await?;
    Ok(v1::UpdateEmployeeResponse {
        employee: Some(employee.into()),
    })
}

pub(super) async fn delete_employee(
    api: &Api,
    request: Request<v1::DeleteEmployeeRequest>,
) -> Result<v1::DeleteEmployeeResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let (tenant, context) = (identity.tenant(), AuditContext::from_identity(&identity));
    let mut tx = api.database.tenant(tenant).await?;
    companies::lock(&mut tx).await?;
    let (mut tx, person) =
        find_subordinate(tx, &identity, &request.get_ref().id, &REMOVING).await?;
    if !employees::delete(&mut tx, person.id).await? {
        return Err(unknown_object(tx, &context, PERSON, Some(person.id)).await);
    }
    devices::remove_deleted_person(&mut tx, person.id, api.clock.now()).await?;
    // A removed manager also knows the operator password and could sign in with the business name.
    companies::mark_operator_password_stale(&mut tx, api.clock.now()).await?;
    let event = match role(&person.role) {
        Role::Manager => Event::ManagerRemoved,
        _ => Event::OperatorRemoved,
    };
    audit::done(&mut tx, &context, event, person.id, &person.name()).await?;
    tx.commit().await?;
    Ok(v1::DeleteEmployeeResponse {})
}

/// An action on a person, with the errors for persons it is not allowed on.
struct Action {
    /// Audit detail.
    word: &'static str,
    to_oneself: Reason,
    to_the_owner: Reason,
    to_a_manager: Reason,
}

const RENAMING: Action = Action {
    word: "change",
    to_oneself: refusals::OWN_NAME_IN_PROFILE,
    to_the_owner: refusals::OWNER_NAME_CHANGED_BY_OWNER_ONLY,
    to_a_manager: refusals::MANAGER_CHANGED_BY_OWNER_ONLY,
};

const REMOVING: Action = Action {
    word: "remove",
    to_oneself: refusals::YOURSELF_NOT_REMOVABLE,
    to_the_owner: refusals::OWNER_NOT_REMOVABLE,
    to_a_manager: refusals::MANAGER_REMOVED_BY_OWNER_ONLY,
};

/// Finds a person whom the caller may change or remove: an operator, or, for the owner, a manager.
async fn find_subordinate(
    tx: TenantTx,
    identity: &Identity,
    id: &str,
    action: &Action,
) -> Result<(TenantTx, Person), ServiceError> {
    let context = AuditContext::from_identity(identity);
    if convert::id(id) == Some(identity.user_id) {
        return Err(ServiceError::new(Kind::Invalid, action.to_oneself));
    }
    let (mut tx, person) = find_person(tx, &context, id).await?;
    let refusal = match role(&person.role) {
        Role::Operator => return Ok((tx, person)),
        Role::Manager if identity.is_owner() => return Ok((tx, person)),
        Role::Manager => action.to_a_manager,
        _ => action.to_the_owner,
    };
    let name = person.name();
    let entry = AuditEntry::failed(Event::PermissionDenied).target(person.id, &name);
    audit::record(&mut tx, &context, &entry.detail(action.word)).await?;
    tx.commit().await?;
    Err(ServiceError::forbidden_because(refusal))
}

/// Finds a person of the company; records access to an unknown id.
pub(super) async fn find_person(
    mut tx: TenantTx,
    context: &AuditContext,
    id: &str,
) -> Result<(TenantTx, Person), ServiceError> {
    let (tenant, id) = (tx.tenant(), convert::id(id));
    let person = match id {
        Some(id) => people::find(&mut tx, tenant, id).await?,
        None => None,
    };
    match person {
        Some(person) => Ok((tx, person)),
        None => Err(unknown_object(tx, context, PERSON, id).await),
    }
}

fn read_names(first: &str, last: &str) -> Result<PersonNames, ServiceError> {
    let mut errors = FieldErrors::default();
    let names = PersonNames {
        first: errors.take("firstName", names::required_name(first)),
        last: errors.take("lastName", names::required_name(last)),
    };
    errors.finish()?;
    Ok(names)
}

/// Records access to an unknown id and returns `NOT_FOUND`.
pub(super) async fn unknown_object(
    mut tx: TenantTx,
    context: &AuditContext,
    what: &'static str,
    id: Option<Uuid>,
) -> ServiceError {
    let entry = AuditEntry {
        target_id: id,
        ..AuditEntry::failed(Event::UnknownObject).detail(what)
    };
    let noted = async {
        audit::record(&mut tx, context, &entry).await?;
        tx.commit().await
    };
    noted.await.err().unwrap_or_else(ServiceError::not_found)
}
