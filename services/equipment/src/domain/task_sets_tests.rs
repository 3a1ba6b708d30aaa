use super::*;
use crate::domain::equipment::Recurrence;
use crate::domain::equipment::tests::equipment;

fn template(name: &str, hours: i64) -> Template {
    Template {
        name: name.to_owned(),
        interval: Quantity::from_hundredths(hours * 100),
        ..Template::default()
    }
}

fn item(id: u128, name: &str, hours: i64) -> Item {
    Item {
        id: Uuid::from_u128(id),
        template: template(name, hours),
    }
}

fn task(id: u128, name: &str, hours: i64) -> ServiceTask {
    ServiceTask {
        id: Uuid::from_u128(id),
        name: name.to_owned(),
        from_form: false,
        recurrence: Recurrence {
            interval: Quantity::from_hundredths(hours * 100),
            ..Recurrence::default()
        },
        snoozed: None,
    }
}

fn link(item: u128, task: u128, applied: Template) -> Link {
    Link {
        item: Uuid::from_u128(item),
        task: Uuid::from_u128(task),
        applied,
    }
}

fn set(items: Vec<Item>) -> TaskSet {
    TaskSet {
        id: Uuid::from_u128(9),
        name: "Excavators".to_owned(),
        unit: MeterUnit::Hours,
        items,
        revision: 1,
    }
}

fn machine(tasks: Vec<ServiceTask>) -> Equipment {
    let mut machine = equipment(Recurrence::default());
    machine.details.unit = MeterUnit::Hours;
    machine.more_tasks = tasks;
    machine
}

#[test]
fn changes_of_a_machine_without_the_set_are_its_items() {
    let set = set(vec![item(1, "Oil", 250), item(2, "Filter", 500)]);
    let (found, possible) = changes(&set, &[], &machine(vec![]), Mode::Update);
    let added = set.items.iter().cloned().map(Change::Added);
    assert_eq!(found, added.collect::<Vec<_>>());
    assert_eq!(possible, Ok(()));
}

#[test]
fn changes_take_tasks_of_the_same_name() {
    let set = set(vec![item(1, "Oil", 250), item(2, "Filter", 500)]);
    let tasks = vec![task(11, "OIL", 300), task(12, "Filter", 500)];
    let machine = machine(tasks.clone());
    let (found, possible) = changes(&set, &[], &machine, Mode::Update);
    let (oil, filter) = (set.items[0].clone(), set.items[1].clone());
    let same = Change::Same(tasks[1].clone(), filter);
    let kept = Change::Kept(Some(tasks[0].clone()), Some(oil.clone()));
    assert_eq!((found, possible), (vec![kept, same.clone()], Ok(())));
    let (found, possible) = changes(&set, &[], &machine, Mode::Reset);
    let changed = Change::Changed(tasks[0].clone(), oil);
    assert_eq!((found, possible), (vec![changed, same], Ok(())));
}

#[test]
fn changes_follow_an_edit_unless_the_task_differs() {
    // Oil was edited in the set, grease on the machine, belts in both, and hoses removed from the machine.
    let set = set(vec![
        item(1, "Oil", 200),
        item(2, "Grease", 50),
        item(3, "Belts", 900),
        item(4, "Hoses", 100),
    ]);
    let tasks = vec![
        task(11, "Oil", 250),
        task(12, "Grease", 40),
        task(13, "Belts", 700),
    ];
    let links = [
        link(1, 11, template("Oil", 250)),
        link(2, 12, template("Grease", 50)),
        link(3, 13, template("Belts", 800)),
        link(4, 14, template("Hoses", 100)),
    ];
    let machine = machine(tasks.clone());
    let items = &set.items;
    let (found, possible) = changes(&set, &links, &machine, Mode::Update);
    assert_eq!(possible, Ok(()));
    let kept = |at: usize| Change::Kept(tasks.get(at).cloned(), Some(items[at].clone()));
    let changed = |at: usize| Change::Changed(tasks[at].clone(), items[at].clone());
    assert_eq!(found, [changed(0), kept(1), kept(2), kept(3)]);
    let (found, _) = changes(&set, &links, &machine, Mode::Reset);
    let added = Change::Added(items[3].clone());
    assert_eq!(found, [changed(0), changed(1), changed(2), added]);
}

#[test]
fn changes_remove_tasks_of_former_items_unless_they_differ() {
    let set = set(vec![item(3, "Belts", 900)]);
    let tasks = vec![
        task(11, "Oil", 250),
        task(12, "Grease", 40),
        task(13, "Belts", 900),
    ];
    let links = [
        link(1, 11, template("Oil", 250)),
        link(2, 12, template("Grease", 50)),
        link(3, 13, template("Belts", 900)),
        link(4, 14, template("Hoses", 100)),
    ];
    let machine = machine(tasks.clone());
    let removed = |at: usize| Change::Removed(tasks[at].clone());
    let kept = Change::Kept(Some(tasks[1].clone()), None);
    let same = Change::Same(tasks[2].clone(), set.items[0].clone());
    let (found, _) = changes(&set, &links, &machine, Mode::Update);
    assert_eq!(found, [same.clone(), removed(0), kept.clone()]);
    let (found, _) = changes(&set, &links, &machine, Mode::Reset);
    assert_eq!(found, [same, removed(0), removed(1)]);
    let (found, _) = changes(&set, &links, &machine, Mode::Remove);
    assert_eq!(found, [removed(0), kept, removed(2)]);
}

#[test]
fn changes_need_the_same_unit_for_usage_intervals() {
    let by_usage = set(vec![item(1, "Oil", 250)]);
    let mut truck = machine(vec![]);
    truck.details.unit = MeterUnit::Miles;
    let (found, possible) = changes(&by_usage, &[], &truck, Mode::Update);
    assert_eq!(found.len(), 1);
    assert_eq!(possible, Err(refusals::TASK_SET_UNIT_DIFFERS.into()));
    let mut yearly = item(1, "Inspection", 0);
    yearly.template.calendar = Some((1, CalendarUnit::Years));
    let (_, possible) = changes(&set(vec![yearly]), &[], &truck, Mode::Update);
    assert_eq!(possible, Ok(()));
}

#[test]
fn changes_keep_the_limits_of_a_machine() {
    let set = set(vec![item(1, "Oil", 250)]);
    let many = |count: u128| {
        let tasks = (0..count).map(|at| task(100 + at, &format!("Task {at}"), 1));
        machine(tasks.collect())
    };
    let (_, possible) = changes(&set, &[], &many(49), Mode::Update);
    assert_eq!(possible, Ok(()));
    let (_, possible) = changes(&set, &[], &many(50), Mode::Update);
    assert_eq!(
        possible,
        Err(refusals::TOO_MANY_TASKS.with("max", MAX_TASKS))
    );
    // The set renamed its task to the name of another task of the machine.
    let machine = machine(vec![task(11, "Engine oil", 250), task(12, "oil", 10)]);
    let links = [link(1, 11, template("Engine oil", 250))];
    let (_, possible) = changes(&set, &links, &machine, Mode::Update);
    assert_eq!(possible, Err(refusals::TASK_NAME_TAKEN.into()));
}

#[test]
fn check_reports_conflicts_of_items() {
    let fields = |set: &TaskSet| {
        let mut errors = FieldErrors::default();
        set.check(NaiveDate::default(), &mut errors);
        let fields = errors.into_fields().into_iter();
        fields.map(|(field, _)| field).collect::<Vec<_>>()
    };
    assert_eq!(fields(&set(vec![item(1, "Oil", 250)])), [""; 0]);
    assert_eq!(fields(&set(vec![])), ["items"]);
    let many = (0..=50).map(|at| item(at, &at.to_string(), 1)).collect();
    assert_eq!(fields(&set(many)), ["items"]);
    let mut far = item(3, "Belts", 0);
    far.template.calendar = Some((u32::MAX, CalendarUnit::Years));
    let mut unitless = set(vec![item(1, "Oil", 250), item(2, "OIL", 0), far]);
    unitless.unit = MeterUnit::NotApplicable;
    let expected = [
        "unit",
        "items[1].name",
        "items[1].usageInterval",
        "items[2].calendarInterval",
    ];
    assert_eq!(fields(&unitless), expected);
}

#[test]
fn lookalikes_are_the_forms_task_or_have_the_same_words_and_intervals() {
    let mut machine = machine(vec![
        task(11, "Aceite de motor", 500),
        task(12, "Grease", 50),
        task(13, "Filter", 100),
    ]);
    machine.details.task.interval = Quantity::from_hundredths(25_000);
    let name = |item: Item| {
        let found = lookalikes(&[Change::Added(item)], &machine).remove(0);
        found.map(|task| task.name)
    };
    let forms = name(item(1, "Engine oil", 250));
    assert_eq!(forms, Some(String::new()), "the form's");
    assert_eq!(name(item(1, "Engine oil", 300)), None);
    let aceite = name(item(2, "Cambio de ACEITE de motor", 500));
    assert_eq!(aceite.as_deref(), Some("Aceite de motor"));
    assert!(name(item(2, "ACEITE", 500)).is_some());
    assert_eq!(name(item(2, "Aceite hidráulico", 500)), None, "one word");
    assert_eq!(name(item(2, "A1", 500)), None, "no words");
    // The set already has the machine's filter.
    let used = [
        Change::Same(machine.more_tasks[2].clone(), item(3, "Filter", 100)),
        Change::Added(item(4, "Fuel filter", 100)),
    ];
    assert_eq!(lookalikes(&used, &machine), [None, None]);
}

#[test]
fn lookalikes_have_each_task_once() {
    let mut machine = machine(vec![task(11, "Filter", 100)]);
    machine.details.task.interval = Quantity::from_hundredths(25_000);
    let added = |hours: i64, names: [&str; 2]| {
        let [one, other] = names.map(|name| Change::Added(item(1, name, hours)));
        lookalikes(&[one, other], &machine)
    };
    let filter = machine.more_tasks[0].clone();
    let found = added(100, ["Fuel filter", "Air filter"]);
    assert_eq!(found, [Some(filter), None], "the first in set order");
    assert_eq!(added(250, ["Oil", "Grease"]), [None, None], "either may be");
    // The name decides before the form's interval does.
    machine.details.task.interval = Quantity::from_hundredths(10_000);
    let one = [Change::Added(item(1, "Fuel filter", 100))];
    assert_eq!(
        lookalikes(&one, &machine)[0].as_ref().unwrap().name,
        "Filter"
    );
}

#[test]
fn with_skipped_keeps_new_items_away_until_a_reset() {
    let set = set(vec![item(1, "Oil", 250), item(2, "Grease", 50)]);
    let machine = machine(vec![task(11, "Oil", 250)]);
    let known = [link(1, 11, template("Oil", 250))];
    let skipped = [Uuid::from_u128(1), Uuid::from_u128(2)];
    let links = with_skipped(&known, &skipped, &set);
    let (found, _) = changes(&set, &links, &machine, Mode::Update);
    let oil = Change::Same(machine.more_tasks[0].clone(), set.items[0].clone());
    let grease = Change::Kept(None, Some(set.items[1].clone()));
    assert_eq!(found, [oil.clone(), grease]);
    let (found, _) = changes(&set, &links, &machine, Mode::Reset);
    assert_eq!(found, [oil, Change::Added(set.items[1].clone())]);
}
