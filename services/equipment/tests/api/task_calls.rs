//! Short calls for service tasks.

use hourmeter_proto::equipment::v1;
use hourmeter_runtime::identity::{Identity, Service};
use hourmeter_runtime::testing::as_person;

use crate::support::{CallResult, World, fold, with_usage};

type Done = (v1::ServiceTask, v1::Equipment);

impl World {
    pub async fn tasks(&self, id: &str) -> CallResult<Vec<v1::ServiceTask>> {
        Ok(self.list_tasks(id).await?.tasks)
    }

    pub async fn list_tasks(&self, id: &str) -> CallResult<v1::ListServiceTasksResponse> {
        let equipment_id = id.to_owned();
        let message = v1::ListServiceTasksRequest { equipment_id };
        let request = as_person(Service::Equipment, &self.owner, message);
        fold(self.client().list_service_tasks(request).await)
    }

    pub async fn add_task(&self, id: &str, task: v1::ServiceTaskInput) -> CallResult<Done> {
        self.add_task_as(&self.owner, id, task).await
    }

    pub async fn add_task_as(
        &self,
        who: &Identity,
        id: &str,
        task: v1::ServiceTaskInput,
    ) -> CallResult<Done> {
        let message = v1::CreateServiceTaskRequest {
            equipment_id: id.to_owned(),
            task: Some(task),
        };
        let request = as_person(Service::Equipment, who, message);
        let answer = fold(self.client().create_service_task(request).await)?;
        Ok((answer.task.unwrap(), answer.equipment.unwrap()))
    }

    pub async fn change_task(
        &self,
        id: &str,
        task_id: &str,
        task: v1::ServiceTaskInput,
    ) -> CallResult<Done> {
        let message = v1::UpdateServiceTaskRequest {
            equipment_id: id.to_owned(),
            task_id: task_id.to_owned(),
            task: Some(task),
        };
        let request = as_person(Service::Equipment, &self.owner, message);
        let answer = fold(self.client().update_service_task(request).await)?;
        Ok((answer.task.unwrap(), answer.equipment.unwrap()))
    }

    pub async fn delete_task(&self, id: &str, task_id: &str) -> CallResult<v1::Equipment> {
        let message = v1::DeleteServiceTaskRequest {
            equipment_id: id.to_owned(),
            task_id: task_id.to_owned(),
        };
        let request = as_person(Service::Equipment, &self.owner, message);
        let answer = fold(self.client().delete_service_task(request).await)?;
        Ok(answer.equipment.unwrap())
    }

    pub async fn complete(&self, message: v1::CompleteServiceTaskRequest) -> CallResult<Done> {
        self.complete_as(&self.owner, message).await
    }

    pub async fn complete_as(
        &self,
        who: &Identity,
        message: v1::CompleteServiceTaskRequest,
    ) -> CallResult<Done> {
        let request = as_person(Service::Equipment, who, message);
        let answer = fold(self.client().complete_service_task(request).await)?;
        Ok((answer.task.unwrap(), answer.equipment.unwrap()))
    }

    pub async fn snooze(&self, message: v1::SnoozeServiceTaskRequest) -> CallResult<Done> {
        let request = as_person(Service::Equipment, &self.owner, message);
        let answer = fold(self.client().snooze_service_task(request).await)?;
        Ok((answer.task.unwrap(), answer.equipment.unwrap()))
    }

    pub async fn wake(&self, id: &str, task_id: &str) -> CallResult<Done> {
        let message = v1::WakeServiceTaskRequest {
            equipment_id: id.to_owned(),
            task_id: task_id.to_owned(),
        };
        let request = as_person(Service::Equipment, &self.owner, message);
        let answer = fold(self.client().wake_service_task(request).await)?;
        Ok((answer.task.unwrap(), answer.equipment.unwrap()))
    }

    pub async fn latest(&self, id: &str) -> v1::HistoryRecord {
        self.history(id).await.unwrap().remove(0)
    }
}

/// Every 250 hours or 6 months.
pub fn oil() -> v1::ServiceTaskInput {
    v1::ServiceTaskInput {
        name: Some("Oil filter".to_owned()),
        usage_interval: Some(250.0),
        calendar_interval: Some(6),
        ..Default::default()
    }
}

pub fn by_usage(name: &str, interval: f64) -> v1::ServiceTaskInput {
    v1::ServiceTaskInput {
        name: Some(name.to_owned()),
        usage_interval: Some(interval),
        ..Default::default()
    }
}

pub fn done(id: &str, task_id: &str) -> v1::CompleteServiceTaskRequest {
    v1::CompleteServiceTaskRequest {
        equipment_id: id.to_owned(),
        task_id: task_id.to_owned(),
        ..Default::default()
    }
}

pub fn done_on(id: &str, task_id: &str, day: &str) -> v1::CompleteServiceTaskRequest {
    v1::CompleteServiceTaskRequest {
        performed_at: day.to_owned(),
        ..done(id, task_id)
    }
}

pub fn with_form(name: &str, usage: f64) -> v1::EquipmentInput {
    v1::EquipmentInput {
        service_interval: Some(500.0),
        last_service_usage: Some(0.0),
        ..with_usage(name, usage)
    }
}
