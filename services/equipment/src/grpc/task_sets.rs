//! Task sets: their list and changes. Applying them is in `apply`.

use hourmeter_proto::equipment::v1;
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::idempotency::Outcome;
use hourmeter_runtime::identity::Caller;
use tonic::Request;
use uuid::Uuid;

use super::tasks::name_taken;
use super::{Api, convert, input, keyed_request, parse_id, person_request, stale};
use crate::domain::field_errors::FieldErrors;
use crate::domain::kinds::MeterUnit;
use crate::domain::task_sets::{Item, MAX_ITEMS, MAX_SETS, TaskSet, Template};
use crate::domain::tasks::{same_name, task_name};
use crate::refusals;
use crate::store;

pub mod apply;

pub async fn list_task_sets(
    api: &Api,
    request: Request<v1::ListTaskSetsRequest>,
) -> Result<v1::ListTaskSetsResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let mut tx = api.database.tenant(identity.tenant()).await?;
    let mut sets = store::task_sets::list(&mut tx).await?;
    sets.sort_by_cached_key(|set| (set.name.to_lowercase(), set.id));
    let task_sets = with_uses(&mut tx, &sets).await?;
    Ok(v1::ListTaskSetsResponse { task_sets })
}

/// The messages of sets, with the machines that have them.
async fn with_uses(tx: &mut TenantTx, sets: &[TaskSet]) -> Result<Vec<v1::TaskSet>, ServiceError> {
    let uses = store::task_sets::uses(tx).await?;
    let message = |set: &TaskSet| {
        let uses = uses.iter().find(|uses| uses.set_id == set.id);
        let count = |count: i64| u32::try_from(count).map_err(ServiceError::internal);
        Ok(v1::TaskSet {
            machines: count(uses.map_or(0, |uses| uses.machines))?,
            outdated_machines: count(uses.map_or(0, |uses| uses.outdated))?,
            ..convert::task_set(set)
        })
    };
    sets.iter().map(message).collect()
}

pub async fn create_task_set(
    api: &Api,
    request: Request<v1::CreateTaskSetRequest>,
) -> Result<v1::CreateTaskSetResponse, ServiceError> {
    let (identity, key, request) = keyed_request(request, "CreateTaskSet")?;
    let fields = request.task_set.unwrap_or_default();
    let mut errors = FieldErrors::default();
    let set = read(&fields, (Uuid::now_v7(), 1), &[], &mut errors);
    set.check(api.today(&identity), &mut errors);
    errors.check()?;

    let now = api.clock.now();
    let mut tx = match api.begin(&identity, key).await? {
        Outcome::New(tx) => tx,
        Outcome::Repeat(response) => return Ok(response),
    };
    store::company::lock(&mut tx, &identity, now).await?;
    let others = store::task_sets::list(&mut tx).await?;
    if others.len() >= MAX_SETS {
        let message = refusals::TOO_MANY_TASK_SETS.with("max", MAX_SETS);
        return Err(ServiceError::conflict(message));
    }
    check_name(&others, &set)?;
    store::task_sets::store(&mut tx, &set).await?;
    let response = v1::CreateTaskSetResponse {
        task_set: Some(convert::task_set(&set)),
    };
    tx.finish(&response).await?;
    Ok(response)
}

pub async fn update_task_set(
    api: &Api,
    request: Request<v1::UpdateTaskSetRequest>,
) -> Result<v1::UpdateTaskSetResponse, ServiceError> {
    let (identity, request) = person_request(request)?;
    let id = parse_id(&request.id)?;
    let (tenant, now) = (identity.tenant(), api.clock.now());
    let mut tx = api.database.tenant(tenant).await?;
    store::company::lock(&mut tx, &identity, now).await?;
    let sets = store::task_sets::list(&mut tx).await?;
    let before = find(&sets, id, request.expected_revision)?;
    let mut errors = FieldErrors::default();
    let fields = request.task_set.unwrap_or_default();
    let revision = before.revision;
    let mut after = read(&fields, (id, revision), &before.items, &mut errors);
    after.check(api.today(&identity), &mut errors);
    errors.check()?;
    check_name(&sets, &after)?;
    if after != *before {
        after.revision += 1;
        store::task_sets::store(&mut tx, &after).await?;
        if after.items == before.items {
            let to = after.revision;
            store::task_sets::pass_revision(&mut tx, id, revision, to).await?;
        }
    }
    let task_set = with_uses(&mut tx, &[after]).await?.pop();
    tx.commit().await?;
    Ok(v1::UpdateTaskSetResponse { task_set })
}

pub async fn delete_task_set(
    api: &Api,
    request: Request<v1::DeleteTaskSetRequest>,
) -> Result<v1::DeleteTaskSetResponse, ServiceError> {
    let (identity, request) = person_request(request)?;
    let id = parse_id(&request.id)?;
    let mut tx = api.database.tenant(identity.tenant()).await?;
    if !store::task_sets::delete(&mut tx, id).await? {
        return Err(ServiceError::not_found());
    }
    tx.commit().await?;
    Ok(v1::DeleteTaskSetResponse {})
}

fn find(sets: &[TaskSet], id: Uuid, expected: Option<u64>) -> Result<&TaskSet, ServiceError> {
    let set = sets.iter().find(|set| set.id == id);
    let set = set.ok_or_else(ServiceError::not_found)?;
    if expected.is_some_and(|seen| seen != set.revision.unsigned_abs()) {
        return Err(stale(refusals::TASK_SET_CHANGED_MEANWHILE));
    }
    Ok(set)
}

fn check_name(sets: &[TaskSet], set: &TaskSet) -> Result<(), ServiceError> {
    let mut others = sets.iter().filter(|other| other.id != set.id);
    if others.any(|other| same_name(&other.name, &set.name)) {
        return Err(name_taken(refusals::TASK_SET_NAME_TAKEN));
    }
    Ok(())
}

/// Parses a set. An item keeps its id if it is one of `known`.
fn read(
    fields: &v1::TaskSetInput,
    (id, revision): (Uuid, i64),
    known: &[Item],
    errors: &mut FieldErrors,
) -> TaskSet {
    let mut items: Vec<Item> = Vec::new();
    for (at, row) in fields.items.iter().take(MAX_ITEMS + 1).enumerate() {
        let mut item_errors = FieldErrors::default();
        let template = template(row, &mut item_errors);
        for (field, message) in item_errors.into_fields() {
            errors.add(format!("items[{at}].{field}"), message);
        }
        let sent = Uuid::try_parse(&row.id).ok();
        let kept = sent.filter(|id| known.iter().any(|item| item.id == *id));
        let kept = kept.filter(|id| items.iter().all(|item| item.id != *id));
        let id = kept.unwrap_or_else(Uuid::now_v7);
        items.push(Item { id, template });
    }
    let name = errors.keep("name", task_name(&fields.name));
    let unit = input::filter(fields.unit, "unit", errors);
    TaskSet {
        id,
        name: name.unwrap_or_default(),
        unit: unit.unwrap_or(MeterUnit::NotApplicable),
        items,
        revision,
    }
}

fn template(row: &v1::TaskSetItem, errors: &mut FieldErrors) -> Template {
    let fields = v1::ServiceTaskInput {
        name: Some(row.name.clone()),
        usage_interval: Some(row.usage_interval),
        calendar_unit: Some(row.calendar_unit),
        basis: Some(row.basis),
        warning_percent: Some(row.warning_percent),
        warning_usage: Some(row.warning_usage),
        warning_days: Some(row.warning_days),
        ..v1::ServiceTaskInput::default()
    };
    let change = input::task_change(&fields, errors);
    let unit = change.unit.filter(|_| row.calendar_interval > 0);
    let interval = change.interval.unwrap_or_default();
    Template {
        name: change.name.unwrap_or_default(),
        interval,
        calendar: unit.map(|unit| (row.calendar_interval, unit)),
        basis: change.basis.unwrap_or_default(),
        usage_warning: change
            .usage_warning
            .or(None)
            .filter(|_| !interval.is_zero()),
        warning_days: change.warning_days.or(None).filter(|_| unit.is_some()),
    }
}
