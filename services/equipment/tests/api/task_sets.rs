//! Task sets.

use hourmeter_proto::equipment::v1::task_set_service_client::TaskSetServiceClient;
use hourmeter_proto::equipment::v1::{self, TaskSetChangeKind as Kind, TaskSetMode};
use hourmeter_runtime::error::Kind as ErrorKind;
use hourmeter_runtime::identity::{Identity, Service};
use hourmeter_runtime::testing::{as_person, owner};

use crate::support::{CallResult, World, fold, keyed, named, not_found, refused, with_usage};
use crate::task_calls::{by_usage, done};

impl World {
    pub fn sets(&self) -> TaskSetServiceClient<hourmeter_runtime::client::Backend> {
        TaskSetServiceClient::new(self.backend.clone())
    }

    pub async fn list_sets(&self) -> Vec<v1::TaskSet> {
        let request = as_person(Service::Equipment, &self.owner, v1::ListTaskSetsRequest {});
        fold(self.sets().list_task_sets(request).await)
            .unwrap()
            .task_sets
    }

    pub async fn create_set(&self, input: v1::TaskSetInput) -> CallResult<v1::TaskSet> {
        let message = v1::CreateTaskSetRequest {
            task_set: Some(input),
        };
        let request = as_person(Service::Equipment, &self.owner, message);
        let answer = fold(self.sets().create_task_set(request).await)?;
        Ok(answer.task_set.unwrap())
    }

    pub async fn update_set(
        &self,
        id: &str,
        input: v1::TaskSetInput,
        expected_revision: Option<u64>,
    ) -> CallResult<v1::TaskSet> {
        let message = v1::UpdateTaskSetRequest {
            id: id.to_owned(),
            task_set: Some(input),
            expected_revision,
        };
        let request = as_person(Service::Equipment, &self.owner, message);
        let answer = fold(self.sets().update_task_set(request).await)?;
        Ok(answer.task_set.unwrap())
    }

    pub async fn delete_set(&self, id: &str) -> CallResult<v1::DeleteTaskSetResponse> {
        let message = v1::DeleteTaskSetRequest { id: id.to_owned() };
        let request = as_person(Service::Equipment, &self.owner, message);
        fold(self.sets().delete_task_set(request).await)
    }

    pub async fn preview_set(
        &self,
        message: v1::PreviewTaskSetRequest,
    ) -> CallResult<v1::PreviewTaskSetResponse> {
        let request = as_person(Service::Equipment, &self.owner, message);
        fold(self.sets().preview_task_set(request).await)
    }

    pub async fn apply_set(
        &self,
        id: &str,
        machines: &[&str],
        mode: TaskSetMode,
    ) -> CallResult<Vec<v1::TaskSetResult>> {
        let message = v1::ApplyTaskSetRequest {
            task_set_id: id.to_owned(),
            equipment_ids: machines.iter().map(|id| (*id).to_owned()).collect(),
            mode: mode.into(),
            ..Default::default()
        };
        self.apply_set_once(&self.owner, "", message).await
    }

    pub async fn apply_set_once(
        &self,
        who: &Identity,
        key: &str,
        message: v1::ApplyTaskSetRequest,
    ) -> CallResult<Vec<v1::TaskSetResult>> {
        let request = as_person(Service::Equipment, who, message);
        let request = if key.is_empty() {
            request
        } else {
            keyed(key, request)
        };
        Ok(fold(self.sets().apply_task_set(request).await)?.results)
    }

    /// Names and usage intervals of the tasks beside the form's.
    pub async fn plan(&self, id: &str) -> Vec<(String, f64)> {
        let tasks = self.tasks(id).await.unwrap().into_iter();
        tasks.map(|task| (task.name, task.usage_interval)).collect()
    }
}

pub fn item(name: &str, usage_interval: f64) -> v1::TaskSetItem {
    v1::TaskSetItem {
        name: name.to_owned(),
        usage_interval,
        ..Default::default()
    }
}

pub fn in_hours(name: &str, items: Vec<v1::TaskSetItem>) -> v1::TaskSetInput {
    v1::TaskSetInput {
        name: name.to_owned(),
        unit: v1::MeterUnit::Hours.into(),
        items,
    }
}

pub fn excavators() -> v1::TaskSetInput {
    let mut inspection = item("Inspection", 0.0);
    inspection.calendar_interval = 1;
    inspection.calendar_unit = v1::CalendarUnit::Years.into();
    in_hours("Excavators", vec![item("Oil", 250.0), inspection])
}

pub fn edited(set: &v1::TaskSet, items: Vec<v1::TaskSetItem>) -> v1::TaskSetInput {
    in_hours(&set.name, items)
}

pub fn kinds(result: &v1::TaskSetResult) -> Vec<Kind> {
    result.changes.iter().map(v1::TaskSetChange::kind).collect()
}

pub fn plan(tasks: &[(&str, f64)]) -> Vec<(String, f64)> {
    let tasks = tasks.iter();
    tasks
        .map(|(name, interval)| ((*name).to_owned(), *interval))
        .collect()
}

#[tokio::test]
async fn create_task_set_lists_sets_by_name() {
    let world = World::new().await;
    assert_eq!(world.list_sets().await, []);
    let made = world.create_set(excavators()).await.unwrap();
    assert_eq!((made.revision, made.machines), (1, 0));
    assert_eq!(made.items.len(), 2);
    assert_eq!(made.items[1].calendar_interval, 1);
    let other = in_hours("compressors", vec![item("Drain", 50.0)]);
    let other = world.create_set(other).await.unwrap();
    assert_eq!(world.list_sets().await, [other, made]);
}

#[tokio::test]
async fn create_task_set_refuses_invalid_fields_and_taken_names() {
    let world = World::new().await;
    let mut nothing = in_hours(" ", vec![item("", 0.5), item("Oil", 0.0)]);
    nothing.unit = v1::MeterUnit::NotApplicable.into();
    let error = world.create_set(nothing).await.unwrap_err();
    let fields: Vec<&str> = error
        .fields
        .iter()
        .map(|(field, _)| field.as_str())
        .collect();
    let expected = [
        "items[0].name",
        "items[0].usageInterval",
        "name",
        "items[1].usageInterval",
    ];
    assert_eq!(fields, expected);
    let empty = world.create_set(in_hours("A", vec![])).await;
    assert_eq!(empty.unwrap_err().kind, ErrorKind::Invalid);
    world.create_set(excavators()).await.unwrap();
    let mut again = excavators();
    again.name = "EXCAVATORS".to_owned();
    refused(
        world.create_set(again).await,
        ErrorKind::AlreadyExists,
        "TASK_SET_NAME_TAKEN",
    );
}

#[tokio::test]
async fn create_task_set_ends_at_the_limits() {
    let world = World::new().await;
    let items = |count: usize| (0..count).map(|at| item(&format!("Task {at}"), 10.0));
    let many = in_hours("Many", items(51).collect());
    assert_eq!(
        world.create_set(many).await.unwrap_err().kind,
        ErrorKind::Invalid
    );
    world
        .create_set(in_hours("Most", items(50).collect()))
        .await
        .unwrap();
    for at in 1..100 {
        let next = in_hours(&format!("Set {at}"), vec![item("Oil", 1.0)]);
        world.create_set(next).await.unwrap();
    }
    refused(
        world.create_set(excavators()).await,
        ErrorKind::Conflict,
        "TOO_MANY_TASK_SETS",
    );
}

#[tokio::test]
async fn update_task_set_is_offered_to_its_machines_and_keeps_differences() {
    let world = World::new().await;
    let set = world.create_set(excavators()).await.unwrap();
    let plain = world.create(with_usage("A", 100.0)).await.unwrap();
    let special = world.create(with_usage("B", 100.0)).await.unwrap();
    world.create(with_usage("C", 100.0)).await.unwrap();
    let both = [plain.id.as_str(), special.id.as_str()];
    world
        .apply_set(&set.id, &both, TaskSetMode::Update)
        .await
        .unwrap();
    let oil = world.tasks(&special.id).await.unwrap().remove(0);
    let sooner = v1::ServiceTaskInput {
        usage_interval: Some(200.0),
        ..Default::default()
    };
    world
        .change_task(&special.id, &oil.id, sooner)
        .await
        .unwrap();
    world
        .complete(done(
            &plain.id,
            &world.tasks(&plain.id).await.unwrap()[0].id,
        ))
        .await
        .unwrap();

    // Oil is changed, the inspection goes, and grease comes.
    let mut items = vec![set.items[0].clone(), item("Grease", 50.0)];
    items[0].usage_interval = 300.0;
    let changed = world
        .update_set(&set.id, edited(&set, items), Some(1))
        .await
        .unwrap();
    assert_eq!(
        (changed.revision, changed.items[0].id.as_str()),
        (2, set.items[0].id.as_str())
    );
    assert_eq!((changed.machines, changed.outdated_machines), (2, 2));
    let before = plan(&[("Oil", 250.0), ("Inspection", 0.0)]);
    assert_eq!(world.plan(&plain.id).await, before);
    let all = v1::PreviewTaskSetRequest {
        task_set_id: set.id.clone(),
        ..Default::default()
    };
    let preview = world.preview_set(all).await.unwrap().results;
    assert_eq!(preview.len(), 2);
    let update = [Kind::Changed, Kind::Added, Kind::Removed];
    assert_eq!(kinds(&preview[0]), update);
    assert_eq!(kinds(&preview[1]), [Kind::Kept, Kind::Added, Kind::Removed]);
    let oil = &preview[1].changes[0];
    let interval = |item: &Option<v1::TaskSetItem>| item.as_ref().unwrap().usage_interval;
    assert_eq!(
        (interval(&oil.before), interval(&oil.after)),
        (200.0, 300.0)
    );
    let applied = world
        .apply_set(&set.id, &both, TaskSetMode::Update)
        .await
        .unwrap();
    assert!(applied.iter().all(|result| preview.contains(result)));
    let expected = plan(&[("Oil", 300.0), ("Grease", 50.0)]);
    assert_eq!(world.plan(&plain.id).await, expected);
    let differs = plan(&[("Oil", 200.0), ("Grease", 50.0)]);
    assert_eq!(world.plan(&special.id).await, differs);
    assert_eq!(world.list_sets().await[0].outdated_machines, 0);

    // The machine says which of its tasks differ, until it is reset.
    let of_machine = |mode: TaskSetMode| v1::PreviewTaskSetRequest {
        equipment_ids: vec![special.id.clone()],
        mode: mode.into(),
        ..Default::default()
    };
    let state = world.preview_set(of_machine(TaskSetMode::Update)).await;
    assert_eq!(kinds(&state.unwrap().results[0]), [Kind::Kept, Kind::Same]);
    world
        .apply_set(&set.id, &[&special.id], TaskSetMode::Reset)
        .await
        .unwrap();
    assert_eq!(world.plan(&special.id).await, expected);
    let state = world.preview_set(of_machine(TaskSetMode::Update)).await;
    assert_eq!(kinds(&state.unwrap().results[0]), [Kind::Same, Kind::Same]);
    world.check_projections().await;
}

#[tokio::test]
async fn update_task_set_refuses_an_old_revision() {
    let world = World::new().await;
    let set = world.create_set(excavators()).await.unwrap();
    let made = world.create(named("A")).await.unwrap();
    world
        .apply_set(&set.id, &[&made.id], TaskSetMode::Update)
        .await
        .unwrap();
    let mut renamed = edited(&set, set.items.clone());
    renamed.name = "Diggers".to_owned();
    let renamed = world.update_set(&set.id, renamed, Some(1)).await.unwrap();
    assert_eq!((renamed.revision, renamed.outdated_machines), (2, 0));
    let same = edited(&renamed, renamed.items.clone());
    let same = world.update_set(&set.id, same, Some(2)).await.unwrap();
    assert_eq!(same, renamed);
    refused(
        world.update_set(&set.id, excavators(), Some(1)).await,
        ErrorKind::Stale,
        "STALE",
    );
    let old = v1::ApplyTaskSetRequest {
        task_set_id: set.id.clone(),
        equipment_ids: vec![made.id],
        expected_revision: Some(1),
        ..Default::default()
    };
    let old = world.apply_set_once(&world.owner, "", old).await;
    refused(old, ErrorKind::Stale, "STALE");
}

#[tokio::test]
async fn delete_task_set_keeps_the_tasks_of_machines() {
    let world = World::new().await;
    let set = world.create_set(excavators()).await.unwrap();
    let made = world.create(named("A")).await.unwrap();
    world
        .add_task(&made.id, by_usage("Tracks", 100.0))
        .await
        .unwrap();
    world
        .apply_set(&set.id, &[&made.id], TaskSetMode::Update)
        .await
        .unwrap();
    let before = world.plan(&made.id).await;
    assert_eq!(before.len(), 3);
    world.delete_set(&set.id).await.unwrap();
    assert_eq!(world.list_sets().await, []);
    assert_eq!(world.plan(&made.id).await, before);
    not_found(world.delete_set(&set.id).await);
}

#[tokio::test]
async fn task_sets_of_another_company_do_not_exist() {
    let world = World::new().await;
    let set = world.create_set(excavators()).await.unwrap();
    let made = world.create(named("A")).await.unwrap();
    let mut stranger = World::new().await;
    stranger.backend = world.backend.clone();
    stranger.owner = owner();
    let foreign = stranger.create(named("B")).await.unwrap();
    assert_eq!(stranger.list_sets().await, []);
    not_found(stranger.update_set(&set.id, excavators(), None).await);
    not_found(stranger.delete_set(&set.id).await);
    not_found(
        stranger
            .apply_set(&set.id, &[&foreign.id], TaskSetMode::Update)
            .await,
    );
    let preview = v1::PreviewTaskSetRequest {
        task_set_id: set.id.clone(),
        ..Default::default()
    };
    not_found(stranger.preview_set(preview).await);
    let both = [made.id.as_str(), foreign.id.as_str()];
    let results = world
        .apply_set(&set.id, &both, TaskSetMode::Update)
        .await
        .unwrap();
    let failed = results.iter().find(|result| !result.ok).unwrap();
    let failed = (failed.equipment_id.as_str(), failed.code.as_str());
    assert_eq!(failed, (foreign.id.as_str(), "NOT_FOUND"));
    assert_eq!(stranger.plan(&foreign.id).await, []);
}
