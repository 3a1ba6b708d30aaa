//! Task sets, and how a set is applied to a machine.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use hourmeter_runtime::message::Message;
use hourmeter_runtime::quantity::Quantity;
use uuid::Uuid;

use super::calendar::next_date;
use super::equipment::{Equipment, ServiceTask};
use super::field_change::FieldChange;
use super::field_errors::FieldErrors;
use super::kinds::{CalendarUnit, MeterUnit};
use super::rule::{Basis, UsageWarning};
use super::tasks::{MAX_TASKS, TaskChange, same_name};
use crate::refusals;

pub const MAX_SETS: usize = 100;
pub const MAX_ITEMS: usize = 50;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskSet {
    pub id: Uuid,
    pub name: String,
    /// Unit of the usage intervals.
    pub unit: MeterUnit,
    pub items: Vec<Item>,
    /// Rises with every change.
    pub revision: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    pub id: Uuid,
    pub template: Template,
}

/// What a set determines of a service task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    pub name: String,
    /// 0: not by usage.
    pub interval: Quantity,
    pub calendar: Option<(u32, CalendarUnit)>,
    pub basis: Basis,
    pub usage_warning: Option<UsageWarning>,
    pub warning_days: Option<u32>,
}

impl Template {
    pub fn of(task: &ServiceTask) -> Self {
        let (schedule, rule) = (task.recurrence.schedule, &task.recurrence.rule);
        Self {
            name: task.name.clone(),
            interval: task.recurrence.interval,
            calendar: schedule.map(|known| (known.interval, known.unit)),
            basis: rule.basis,
            usage_warning: rule.usage_warning,
            warning_days: rule.warning_days,
        }
    }

    fn has_intervals_of(&self, other: &Self) -> bool {
        (self.interval, self.calendar) == (other.interval, other.calendar)
    }

    pub fn change(&self) -> TaskChange {
        TaskChange {
            name: Some(self.name.clone()),
            interval: Some(self.interval),
            calendar: set_or_clear(self.calendar.map(|(interval, _)| interval)),
            unit: self.calendar.map(|(_, unit)| unit),
            basis: Some(self.basis),
            usage_warning: set_or_clear(self.usage_warning),
            warning_days: set_or_clear(self.warning_days),
            ..TaskChange::default()
        }
    }
}

fn set_or_clear<T>(value: Option<T>) -> FieldChange<T> {
    value.map_or(FieldChange::Clear, FieldChange::Set)
}

impl TaskSet {
    /// Adds an error for each conflict between the fields.
    pub fn check(&self, today: NaiveDate, errors: &mut FieldErrors) {
        if self.items.is_empty() {
            errors.add("items", refusals::TASK_SET_EMPTY);
        }
        if self.items.len() > MAX_ITEMS {
            errors.add("items", refusals::AT_MOST_ROWS.with("max", MAX_ITEMS));
        }
        let counts_usage = self
            .items
            .iter()
            .any(|item| !item.template.interval.is_zero());
        if counts_usage && self.unit == MeterUnit::NotApplicable {
            errors.add("unit", refusals::UNIT_MISSING);
        }
        for (at, Item { template, .. }) in self.items.iter().enumerate() {
            let field = |name: &str| format!("items[{at}].{name}");
            let mut before = self.items.iter().take(at);
            if before.any(|other| same_name(&other.template.name, &template.name)) {
                errors.add(field("name"), refusals::TASK_NAME_REPEATED);
            }
            match template.calendar {
                None if template.interval.is_zero() => {
                    errors.add(field("usageInterval"), refusals::INTERVAL_MISSING);
                }
                Some((interval, unit)) if next_date(today, interval, unit).is_none() => {
                    errors.add(field("calendarInterval"), refusals::MAINTENANCE_TOO_FAR);
                }
                _ => {}
            }
            if matches!(template.usage_warning, Some(UsageWarning::Units(left)) if left >= template.interval)
            {
                errors.add(field("warningUsage"), refusals::WARNING_NOT_BELOW_INTERVAL);
            }
        }
    }
}

/// From when added tasks are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    Now,
    /// The last service of the form's task, as far as it is known.
    LastService,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Tasks that differ from the set stay.
    Update,
    /// Tasks that differ become those of the set.
    Reset,
    /// Takes the set from the machine; tasks that differ stay.
    Remove,
}

/// The task of a machine that comes from an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    pub item: Uuid,
    /// May have been removed from the machine.
    pub task: Uuid,
    /// The item as it was applied. A task with other values differs from the set.
    pub applied: Template,
}

/// What applying a set does to one task of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    Same(ServiceTask, Item),
    Added(Item),
    Changed(ServiceTask, Item),
    Removed(ServiceTask),
    /// The machine differs from the item, or from what the item was, and stays as it is.
    Kept(Option<ServiceTask>, Option<Item>),
}

/// The links with those of skipped items: a machine has them as if their tasks had been removed.
pub fn with_skipped(links: &[Link], skipped: &[Uuid], set: &TaskSet) -> Vec<Link> {
    let is_new =
        |item: &&Item| skipped.contains(&item.id) && links.iter().all(|link| link.item != item.id);
    let skipped = set.items.iter().filter(is_new).map(|item| Link {
        item: item.id,
        task: Uuid::nil(),
        applied: item.template.clone(),
    });
    links.iter().cloned().chain(skipped).collect()
}

/// Finds for each change that adds an item the task of the machine that is probably the same work.
/// Each task is found once, for the first such item. It has the same intervals, and a name with the
/// same words. The form's has no name: it is found if only one added item has its intervals.
pub fn lookalikes(changes: &[Change], machine: &Equipment) -> Vec<Option<ServiceTask>> {
    let mut used: Vec<Uuid> = changes.iter().filter_map(task_id).collect();
    let find = |change: &Change| {
        let Change::Added(item) = change else {
            return None;
        };
        let template = &item.template;
        let is_alone = || {
            let added = changes.iter().filter(|change| {
                matches!(change, Change::Added(other) if other.template.has_intervals_of(template))
            });
            added.count() == 1
        };
        let is_same = |task: &ServiceTask| {
            Template::of(task).has_intervals_of(template)
                && if task.from_form {
                    is_alone()
                } else {
                    have_same_words(&task.name, &template.name)
                }
        };
        // A name is a better reason than the intervals alone.
        let tasks = machine
            .more_tasks
            .iter()
            .cloned()
            .chain([machine.form_task()]);
        let mut tasks = tasks.filter(|task| !used.contains(&task.id));
        let found = tasks.find(is_same)?;
        used.push(found.id);
        Some(found)
    };
    changes.iter().map(find).collect()
}

fn task_id(change: &Change) -> Option<Uuid> {
    match change {
        Change::Same(task, _)
        | Change::Changed(task, _)
        | Change::Removed(task)
        | Change::Kept(Some(task), _) => Some(task.id),
        Change::Added(_) | Change::Kept(None, _) => None,
    }
}

/// Whether one name has all words of the other one.
fn have_same_words(one: &str, other: &str) -> bool {
    let words = |name: &str| -> BTreeSet<String> {
        let name = name.to_lowercase();
        let words = name.split(|letter: char| !letter.is_alphanumeric());
        // Shorter ones are "of", "de", "y".
        let words = words.filter(|word| word.chars().count() > 2);
        words.map(str::to_owned).collect()
    };
    let (one, other) = (words(one), words(other));
    let has_words = !one.is_empty() && !other.is_empty();
    has_words && (one.is_subset(&other) || other.is_subset(&one))
}

/// Computes the changes that applying a set to a machine makes. Fails if the machine cannot have
/// its tasks.
pub fn changes(
    set: &TaskSet,
    links: &[Link],
    machine: &Equipment,
    mode: Mode,
) -> (Vec<Change>, Result<(), Message>) {
    let items: &[Item] = if mode == Mode::Remove {
        &[]
    } else {
        &set.items
    };
    let task_of = |link: &Link| machine.more_tasks.iter().find(|task| task.id == link.task);
    let of_items = items.iter().map(|item| {
        let Some(link) = links.iter().find(|link| link.item == item.id) else {
            let same = machine.more_tasks.iter().find(|task| {
                same_name(&task.name, &item.template.name)
                    && links.iter().all(|link| link.task != task.id)
            });
            return match same {
                None => Change::Added(item.clone()),
                Some(task) => of_task(task, item, mode == Mode::Reset),
            };
        };
        match task_of(link) {
            None if mode == Mode::Reset => Change::Added(item.clone()),
            None => Change::Kept(None, Some(item.clone())),
            Some(task) => {
                let overwrites = mode == Mode::Reset || Template::of(task) == link.applied;
                of_task(task, item, overwrites)
            }
        }
    });
    let former = links
        .iter()
        .filter(|link| items.iter().all(|item| item.id != link.item));
    let of_former = former.filter_map(|link| {
        let task = task_of(link)?.clone();
        let removes = mode == Mode::Reset || Template::of(&task) == link.applied;
        Some(if removes {
            Change::Removed(task)
        } else {
            Change::Kept(Some(task), None)
        })
    });
    let changes: Vec<Change> = of_items.chain(of_former).collect();
    let possible = check(set, machine, &changes);
    (changes, possible)
}

fn of_task(task: &ServiceTask, item: &Item, overwrites: bool) -> Change {
    let (task, item) = (task.clone(), item.clone());
    if Template::of(&task) == item.template {
        Change::Same(task, item)
    } else if overwrites {
        Change::Changed(task, item)
    } else {
        Change::Kept(Some(task), Some(item))
    }
}

fn check(set: &TaskSet, machine: &Equipment, changes: &[Change]) -> Result<(), Message> {
    let applied: Vec<&Template> = changes
        .iter()
        .filter_map(|change| match change {
            Change::Added(item) | Change::Changed(_, item) => Some(&item.template),
            Change::Removed(_) | Change::Same(..) | Change::Kept(..) => None,
        })
        .collect();
    let counts_usage = applied.iter().any(|template| !template.interval.is_zero());
    let touched = |task: &ServiceTask| {
        changes.iter().any(|change| {
            matches!(change, Change::Changed(other, _) | Change::Removed(other) if other.id == task.id)
        })
    };
    if counts_usage && machine.details.unit != set.unit {
        return Err(refusals::TASK_SET_UNIT_DIFFERS.into());
    }
    let others = machine.more_tasks.iter();
    let others = others.filter(|task| !touched(task));
    let others: Vec<&str> = others.map(|task| task.name.as_str()).collect();
    if applied.len() + others.len() > MAX_TASKS {
        return Err(refusals::TOO_MANY_TASKS.with("max", MAX_TASKS));
    }
    let is_taken = |template: &&Template| {
        let mut others = others.iter();
        others.any(|other| same_name(&template.name, other))
    };
    if applied.iter().any(is_taken) {
        return Err(refusals::TASK_NAME_TAKEN.into());
    }
    Ok(())
}

#[cfg(test)]
#[path = "task_sets_tests.rs"]
mod tests;
