//! Applies a task set to machines, and previews it.

use std::collections::BTreeSet;

use chrono::{DateTime, NaiveDate, Utc};
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::idempotency::Outcome;
use hourmeter_runtime::identity::Identity;
use hourmeter_runtime::message::Message;
use hourmeter_runtime::quantity::Quantity;
use hourmeter_runtime::refusals as shared;
use tonic::Request;
use uuid::Uuid;

use super::find;
use crate::domain::equipment::{Equipment, ServiceTask};
use crate::domain::field_errors::FieldErrors;
use crate::domain::ledger::TaskMark;
use crate::domain::task_sets::{
    Change, Item, Link, MAX_ITEMS, Mode, Start, TaskSet, changes, with_skipped,
};
use crate::domain::tasks::{TaskChange, added_text, changed_text, edited_mark, removed_text};
use crate::grpc::cursor::EquipmentPage;
use crate::grpc::operator_updates::out_of_range;
use crate::grpc::tasks::{blank, entry};
use crate::grpc::usage::after_known;
use crate::grpc::{Api, convert, input, keyed_request, parse_id, person_request};
use crate::refusals;
use crate::store;
use crate::store::list::{Filter, Query};
use crate::store::task_sets::OwnedLink;

/// Machines of one call, so that it ends in time.
const MAX_MACHINES: usize = 50;

pub async fn preview_task_set(
    api: &Api,
    request: Request<v1::PreviewTaskSetRequest>,
) -> Result<v1::PreviewTaskSetResponse, ServiceError> {
    let (identity, request) = person_request(request)?;
    let tenant = identity.tenant();
    let mut tx = api.database.tenant(tenant).await?;
    let sets = store::task_sets::list(&mut tx).await?;
    let chosen = match request.task_set_id.as_str() {
        "" if !request.equipment_ids.is_empty() => None,
        id => Some(find(&sets, parse_id(id)?, None)?),
    };
    let mut errors = FieldErrors::default();
    let mode = input::choice(Some(request.mode), "mode", &mut errors);
    let mode = mode.unwrap_or(Mode::Update);
    let mut filter = Filter {
        kind: input::filter(request.r#type, "type", &mut errors),
        ids: input::ids(&request.equipment_ids, &mut errors),
        ..Filter::default()
    };
    errors.check()?;
    if filter.ids.is_none()
        && filter.kind.is_none()
        && let Some(set) = chosen
    {
        filter.ids = Some(store::task_sets::machines(&mut tx, set.id).await?);
    }
    let sorting = input::sorting(0, false, &mut errors);
    let page = EquipmentPage::read(request.page.as_ref(), sorting)?;
    let query = Query {
        filter: &filter,
        sorting,
        day: api.day(&identity),
        after: page.after.as_ref(),
        limit: page.sql_limit(),
    };
    let mut machines = store::list::list(&mut tx, tenant, query).await?;
    let next = page.cut(&mut machines, query);
    let ids: Vec<Uuid> = machines.iter().map(|machine| machine.id).collect();
    let links = store::task_sets::links(&mut tx, &ids).await?;
    let mut results = Vec::new();
    for machine in &machines {
        let has = |set: &&TaskSet| {
            let mut links = links.iter();
            links.any(|link| link.equipment == machine.id && link.set == set.id)
        };
        let its = chosen.map_or_else(|| sets.iter().filter(has).collect(), |set| vec![set]);
        for set in its {
            let links = links_of(&links, set, machine);
            let (changes, possible) = changes(set, &links, machine, mode);
            let result = convert::task_set_result(set, &links, machine, &changes, possible);
            results.push(result);
        }
    }
    Ok(v1::PreviewTaskSetResponse {
        results,
        page: Some(next),
    })
}

fn links_of(links: &[OwnedLink], set: &TaskSet, machine: &Equipment) -> Vec<Link> {
    let own = links
        .iter()
        .filter(|link| link.set == set.id && link.equipment == machine.id);
    own.map(|link| link.link.clone()).collect()
}

pub async fn apply_task_set(
    api: &Api,
    request: Request<v1::ApplyTaskSetRequest>,
) -> Result<v1::ApplyTaskSetResponse, ServiceError> {
    let (identity, key, request) = keyed_request(request, "ApplyTaskSet")?;
    let tenant = identity.tenant();
    let id = parse_id(&request.task_set_id)?;
    let mut tx = match api.begin(&identity, key).await? {
        Outcome::New(tx) => tx,
        Outcome::Repeat(response) => return Ok(response),
    };
    if !store::task_sets::lock(&mut tx, id).await? {
        return Err(ServiceError::not_found());
    }
    let sets = store::task_sets::list(&mut tx).await?;
    let set = find(&sets, id, request.expected_revision)?;
    let mut errors = FieldErrors::default();
    let mode = input::choice(Some(request.mode), "mode", &mut errors);
    let mode = mode.unwrap_or(Mode::Update);
    let start = input::choice(Some(request.start), "start", &mut errors);
    let choices = [
        ("skips", request.skips.len()),
        ("keepTaskIds", request.keep_task_ids.len()),
    ];
    for (field, count) in choices {
        if count > MAX_MACHINES * MAX_ITEMS {
            let text = shared::AT_MOST.with("max", MAX_MACHINES * MAX_ITEMS);
            errors.add(field, text);
        }
    }
    if !(1..=MAX_MACHINES).contains(&request.equipment_ids.len()) {
        let text = refusals::MACHINES_BETWEEN.with("min", 1);
        errors.add("equipmentIds", text.with("max", MAX_MACHINES));
    }
    errors.check()?;
    let known: BTreeSet<Uuid> = ids(request.equipment_ids.iter()).collect();
    let known: Vec<Uuid> = known.into_iter().collect();
    store::meter::lock_all(&mut tx, &known).await?;
    let links = store::task_sets::links(&mut tx, &known).await?;
    let kept: Vec<Uuid> = ids(request.keep_task_ids.iter()).collect();
    let mut results = Vec::new();
    for machine_id in known {
        let machine = store::equipment::find(&mut tx, tenant, machine_id).await?;
        results.push(match machine {
            None => convert::unknown_task_set_machine(set, machine_id),
            Some(machine) => {
                let links = links_of(&links, set, &machine);
                let application = Application {
                    set,
                    mode,
                    start: start.unwrap_or(Start::Now),
                    skipped: skipped(&request.skips, machine_id),
                    kept: &kept,
                };
                apply_to(api, &mut tx, &identity, &application, &links, &machine).await?
            }
        });
    }
    let response = v1::ApplyTaskSetResponse { results };
    api.finish(tx, response, None).await
}

/// What a person has chosen for a machine.
struct Application<'a> {
    set: &'a TaskSet,
    mode: Mode,
    start: Start,
    /// Items that the machine does not get.
    skipped: Vec<Uuid>,
    /// Tasks that a removal of the set leaves.
    kept: &'a [Uuid],
}

fn skipped(skips: &[v1::TaskSetSkip], machine: Uuid) -> Vec<Uuid> {
    let of_machine = skips
        .iter()
        .filter(|skip| Uuid::try_parse(&skip.equipment_id) == Ok(machine));
    ids(of_machine.map(|skip| &skip.item_id)).collect()
}

/// Without malformed ones, which are unknown too.
fn ids<'a>(texts: impl Iterator<Item = &'a String>) -> impl Iterator<Item = Uuid> {
    texts.filter_map(|text| Uuid::try_parse(text).ok())
}

/// Applies a set to a machine, under its row lock, if that is possible.
async fn apply_to(
    api: &Api,
    tx: &mut TenantTx,
    identity: &Identity,
    application: &Application<'_>,
    before: &[Link],
    machine: &Equipment,
) -> Result<v1::TaskSetResult, ServiceError> {
    let set = application.set;
    let mut links = with_skipped(before, &application.skipped, set);
    if application.mode == Mode::Remove {
        links.retain(|link| !application.kept.contains(&link.task));
    }
    let (changes, possible) = changes(set, &links, machine, application.mode);
    let result = |possible| convert::task_set_result(set, before, machine, &changes, possible);
    if let Err(message) = possible {
        return Ok(result(Err(message)));
    }
    let today = api.today(identity);
    let since = match application.start {
        Start::Now => TaskChange::default(),
        Start::LastService => last_service(tx, machine, today).await?,
    };
    let steps = match steps(&changes, machine, &since, today) {
        Ok(steps) => steps,
        Err(message) => return Ok(result(Err(message))),
    };
    let now = api.clock.now();
    let created_at = after_known(now, machine.known_at);
    for step in &steps {
        step.store(tx, machine.id, created_at).await?;
    }
    let entries = steps.iter().map(|step| {
        let (content, mark) = step.entry(machine);
        entry(identity, machine, content, mark, now)
    });
    let ledger = store::projections::load_one(tx, machine.id).await?;
    let entries = entries.collect();
    store::posting::post_all(tx, ledger, entries, now, |_| out_of_range()).await?;
    let links = new_links(&changes, &links, &steps);
    store::task_sets::replace_links(tx, machine.id, set, &links).await?;
    Ok(result(Ok(())))
}

/// Usage and date of the last service of the form's task, as far as they are known.
async fn last_service(
    tx: &mut TenantTx,
    machine: &Equipment,
    today: NaiveDate,
) -> Result<TaskChange, ServiceError> {
    let done = store::tasks::last_done(tx, machine.id).await?;
    let task = machine.form_task();
    // Entries without a task are of the form's.
    let done_on = done.get(&Some(task.id)).max(done.get(&None)).copied();
    let done_on = done_on.or(task.recurrence.schedule.map(|known| known.start));
    // A form without a last service has 0, which counts only for its interval.
    let is_known = |last: &Quantity| {
        machine.dial().is_read() && !(last.is_zero() && task.recurrence.interval.is_zero())
    };
    Ok(TaskChange {
        last_usage: task.recurrence.last_usage.filter(is_known),
        // A schedule may start later, which is no service.
        done_on: done_on.filter(|day| *day <= today),
        ..TaskChange::default()
    })
}

enum Step {
    Add(ServiceTask, Uuid),
    Change(ServiceTask, ServiceTask),
    Remove(ServiceTask),
}

impl Step {
    async fn store(
        &self,
        tx: &mut TenantTx,
        machine: Uuid,
        created_at: DateTime<Utc>,
    ) -> Result<(), ServiceError> {
        match self {
            Self::Add(task, _) => store::tasks::insert(tx, machine, task, created_at).await,
            Self::Change(_, task) => store::tasks::update(tx, machine, task).await,
            Self::Remove(task) => store::tasks::delete(tx, machine, task.id).await,
        }
    }

    /// Content and mark of its ledger entry.
    fn entry(&self, machine: &Equipment) -> (String, Option<TaskMark>) {
        match self {
            Self::Add(task, _) => (added_text(task, machine.details.unit), None),
            Self::Change(before, after) => {
                (changed_text(before, after), edited_mark(before, after))
            }
            Self::Remove(task) => (removed_text(task), None),
        }
    }
}

/// `since` has the last service of added tasks.
fn steps(
    changes: &[Change],
    machine: &Equipment,
    since: &TaskChange,
    today: NaiveDate,
) -> Result<Vec<Step>, Message> {
    let mut errors = FieldErrors::default();
    let usage = machine.dial().usage();
    let mut with =
        |change: TaskChange, before: &ServiceTask| change.apply(before, usage, today, &mut errors);
    let step = |change: &Change| match change {
        Change::Added(item) => {
            let change = TaskChange {
                last_usage: since.last_usage,
                done_on: since.done_on,
                ..item.template.change()
            };
            Some(Step::Add(with(change, &blank()), item.id))
        }
        Change::Changed(task, item) => {
            let after = with(item.template.change(), task);
            Some(Step::Change(task.clone(), after))
        }
        Change::Removed(task) => Some(Step::Remove(task.clone())),
        Change::Same(..) | Change::Kept(..) => None,
    };
    let steps = changes.iter().filter_map(step).collect();
    match errors.into_fields().into_iter().next() {
        Some((_, message)) => Err(message),
        None => Ok(steps),
    }
}

/// Which tasks come from the set afterwards.
fn new_links(changes: &[Change], links: &[Link], steps: &[Step]) -> Vec<Link> {
    let new_link = |item: &Item, task: Uuid| Link {
        item: item.id,
        task,
        applied: item.template.clone(),
    };
    let link = |change: &Change| match change {
        Change::Same(task, item) | Change::Changed(task, item) => Some(new_link(item, task.id)),
        Change::Added(item) => {
            let task = steps.iter().find_map(|step| match step {
                Step::Add(task, from) if *from == item.id => Some(task.id),
                _ => None,
            });
            Some(new_link(item, task?))
        }
        Change::Kept(task, Some(item)) => {
            let known = links.iter().find(|link| link.item == item.id).cloned();
            known.or_else(|| Some(new_link(item, task.as_ref()?.id)))
        }
        Change::Kept(_, None) | Change::Removed(_) => None,
    };
    changes.iter().filter_map(link).collect()
}
