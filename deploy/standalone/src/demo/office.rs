//! Office work at the end of the demo's history: archive, service tasks, a correction.

use anyhow::{Context as _, Result};
use chrono::Duration;
use hourmeter_proto::equipment::v1::{
    CreateServiceTaskRequest, RecordUsageRequest, RetireEquipmentRequest, ServiceTaskInput,
    VoidEntryRequest,
};
use hourmeter_runtime::clock::Clock;

use super::history::{History, calendar_unit};

impl History<'_> {
    pub async fn retire_the_old_saw(&mut self) -> Result<()> {
        let id = self.register(&self.data.retired, Vec::new()).await?;
        let request = RecordUsageRequest {
            id: id.clone(),
            usage_increase: Some(3.5),
            fuel_added: Some(2.1),
            ..RecordUsageRequest::default()
        };
        self.equipment.record_usage(request).await?;
        let request = RetireEquipmentRequest {
            id,
            retirement_notes: "Crankshaft worn out, not worth the repair.".to_owned(),
        };
        self.equipment.retire_equipment(request).await?;
        Ok(())
    }

    pub async fn plan_tasks(&mut self) -> Result<()> {
        let now = Clock::system().now();
        for planned in &self.data.tasks {
            let mut task = ServiceTaskInput {
                name: Some(planned.name.clone()),
                usage_interval: Some(planned.interval),
                last_done_usage: Some(planned.last_done),
                ..ServiceTaskInput::default()
            };
            if let Some((every, unit, days_ago)) = &planned.calendar {
                let last = (now - Duration::days(*days_ago)).date_naive();
                task.calendar_interval = Some(*every);
                task.calendar_unit = Some(calendar_unit(unit)?);
                task.last_done_on = Some(last.to_string());
            }
            let request = CreateServiceTaskRequest {
                equipment_id: self.meters[planned.machine].0.clone(),
                task: Some(task),
            };
            self.equipment.create_service_task(request).await?;
        }
        Ok(())
    }

    /// 57.0 gallons were entered as 570, voided and entered again.
    pub async fn void_a_typing_error(&mut self) -> Result<()> {
        let id = self.meters[10].0.clone();
        let fuel = |fuel| RecordUsageRequest {
            id: id.clone(),
            fuel_added: Some(fuel),
            ..RecordUsageRequest::default()
        };
        let recorded = self.equipment.record_usage(fuel(570.0)).await?.into_inner();
        let wrong = recorded.entry_ids.into_iter().next().context("no entry")?;
        let request = VoidEntryRequest {
            equipment_id: id.clone(),
            entry_id: wrong,
            reason: "Typed 570 instead of 57.".to_owned(),
        };
        self.equipment.void_entry(request).await?;
        self.equipment.record_usage(fuel(57.0)).await?;
        Ok(())
    }
}
