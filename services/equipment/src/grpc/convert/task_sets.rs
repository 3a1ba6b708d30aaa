//! Converts task sets.

use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::message::Message;
use uuid::Uuid;

use super::tasks::warning;
use super::text;
use crate::domain::equipment::{Equipment, ServiceTask};
use crate::domain::kinds::CalendarUnit;
use crate::domain::task_sets::{Change, Item, Link, TaskSet, Template, lookalikes};

/// Without the machines that have it.
pub fn task_set(set: &TaskSet) -> v1::TaskSet {
    v1::TaskSet {
        id: set.id.to_string(),
        name: set.name.clone(),
        unit: set.unit.into(),
        items: set.items.iter().map(item).collect(),
        revision: set.revision.unsigned_abs(),
        ..v1::TaskSet::default()
    }
}

fn item(item: &Item) -> v1::TaskSetItem {
    v1::TaskSetItem {
        id: item.id.to_string(),
        ..template(&item.template)
    }
}

fn template(template: &Template) -> v1::TaskSetItem {
    let unit = template
        .calendar
        .map_or(CalendarUnit::Months, |(_, unit)| unit);
    let (percent, units) = warning(template.usage_warning);
    v1::TaskSetItem {
        id: String::new(),
        name: template.name.clone(),
        usage_interval: template.interval.to_f64(),
        calendar_interval: template.calendar.map_or(0, |(interval, _)| interval),
        calendar_unit: unit.into(),
        basis: template.basis.into(),
        warning_percent: percent.unwrap_or_default(),
        warning_usage: units.unwrap_or_default(),
        warning_days: template.warning_days.unwrap_or_default(),
    }
}

pub fn task_set_result(
    set: &TaskSet,
    links: &[Link],
    machine: &Equipment,
    changes: &[Change],
    possible: Result<(), Message>,
) -> v1::TaskSetResult {
    let pairs = changes.iter().zip(lookalikes(changes, machine));
    let with_lookalike = |(one, like): (&Change, Option<ServiceTask>)| v1::TaskSetChange {
        lookalike: like.map(|task| template(&Template::of(&task))),
        ..change(one)
    };
    v1::TaskSetResult {
        equipment_name: machine.details.name.clone(),
        assigned: !links.is_empty(),
        changes: pairs.map(with_lookalike).collect(),
        ..result(set, machine.id, possible)
    }
}

pub fn unknown_task_set_machine(set: &TaskSet, id: Uuid) -> v1::TaskSetResult {
    result(set, id, Err(ServiceError::not_found().message))
}

fn result(set: &TaskSet, machine: Uuid, possible: Result<(), Message>) -> v1::TaskSetResult {
    let ok = possible.is_ok();
    let message = possible.err().unwrap_or_default();
    v1::TaskSetResult {
        task_set_id: set.id.to_string(),
        task_set_name: set.name.clone(),
        equipment_id: machine.to_string(),
        ok,
        message: message.text.into_owned(),
        code: message.code.into_owned(),
        parameters: message.parameters.into_iter().collect(),
        ..v1::TaskSetResult::default()
    }
}

fn change(change: &Change) -> v1::TaskSetChange {
    use v1::TaskSetChangeKind as Kind;
    let (kind, task, item_after): (Kind, Option<&ServiceTask>, Option<&Item>) = match change {
        Change::Same(task, item) => (Kind::Same, Some(task), Some(item)),
        Change::Added(item) => (Kind::Added, None, Some(item)),
        Change::Changed(task, item) => (Kind::Changed, Some(task), Some(item)),
        Change::Removed(task) => (Kind::Removed, Some(task), None),
        Change::Kept(task, item) => (Kind::Kept, task.as_ref(), item.as_ref()),
    };
    v1::TaskSetChange {
        kind: kind.into(),
        task_id: text(task.map(|task| task.id)),
        before: task.map(|task| template(&Template::of(task))),
        after: item_after.map(item),
        lookalike: None,
    }
}
