//! A fake equipment service: it has meters, applies each update once, and fails on request.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use chrono::{DateTime, Utc};
use hourmeter_proto::equipment::v1::equipment_service_server::{
    EquipmentService, EquipmentServiceServer,
};
use hourmeter_proto::equipment::v1::*;
use hourmeter_runtime::client::Backend;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::{Caller, Service};
use hourmeter_runtime::message::Reason;
use hourmeter_runtime::testing;
use tonic::service::Routes;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use crate::support::timestamp;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    #[default]
    Normal,
    /// No effect and no response.
    Unavailable,
    /// An effect, but the response is lost.
    ResponseLost,
    /// Applying fails with an internal error.
    Broken,
}

fn time(at: prost_types::Timestamp) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(at.seconds, u32::try_from(at.nanos).ok()?)
}

/// When a meter was read, if known, and what it showed.
type TimedReading = (Option<DateTime<Utc>>, i64);

/// Quantities in hundredths.
#[derive(Clone, Debug)]
pub struct Machine {
    pub name: String,
    pub unit: MeterUnit,
    pub reading: i64,
    /// Life-to-date usage.
    pub usage: i64,
    pub fuel: i64,
    pub usual_daily_use: Option<f64>,
    pub usual_fill: Option<f64>,
    pub fuel_type: EquipmentFuel,
    pub state: MachineState,
    /// The reading before all others.
    pub initial: i64,
}

#[derive(Debug, Default)]
pub struct State {
    pub mode: Mode,
    /// By company and equipment.
    pub machines: BTreeMap<(Uuid, Uuid), Machine>,
    /// Absent: never read.
    pub read_at: BTreeMap<Uuid, DateTime<Utc>>,
    /// Applied readings by machine.
    pub readings: BTreeMap<Uuid, BTreeMap<DateTime<Utc>, i64>>,
    /// By update.
    pub applied: BTreeMap<Uuid, ApplyOperatorUpdateResponse>,
    /// Attempts by update.
    pub attempts: BTreeMap<Uuid, u32>,
    /// In order.
    pub voided: Vec<VoidedUpdate>,
    /// In order; each at most once.
    pub effects: Vec<ApplyOperatorUpdateRequest>,
    /// Including refused ones.
    pub calls: usize,
    /// Sizes of the batch calls.
    pub batches: Vec<usize>,
    /// An update that makes its whole call fail.
    pub poison: Option<Uuid>,
    /// Duration of batch calls.
    pub slow: Duration,
}

#[derive(Clone, Debug, Default)]
pub struct FakeEquipment(Arc<Mutex<State>>);

#[expect(clippy::cast_possible_truncation, reason = "small numbers of tests")]
fn hundredths(value: f64) -> i64 {
    (value * 100.0).round() as i64
}

#[expect(clippy::cast_precision_loss, reason = "small numbers of tests")]
fn number(hundredths: i64) -> f64 {
    hundredths as f64 / 100.0
}

impl FakeEquipment {
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    pub fn set(&self, mode: Mode) {
        self.state().mode = mode;
    }

    pub fn add(&self, company_id: Uuid, usage: f64) -> Uuid {
        self.add_named(company_id, "Excavator 7", usage)
    }

    pub fn add_named(&self, company_id: Uuid, name: &str, usage: f64) -> Uuid {
        let machine = Machine {
            name: name.to_owned(),
            unit: MeterUnit::Hours,
            reading: hundredths(usage),
            usage: hundredths(usage),
            fuel: 0,
            usual_daily_use: None,
            usual_fill: None,
            fuel_type: EquipmentFuel::NotApplicable,
            state: MachineState::Active,
            initial: hundredths(usage),
        };
        let id = Uuid::now_v7();
        self.state().machines.insert((company_id, id), machine);
        id
    }

    pub fn change(&self, company_id: Uuid, id: Uuid, change: impl FnOnce(&mut Machine)) {
        change(self.state().machines.get_mut(&(company_id, id)).unwrap());
    }

    pub fn set_meter(&self, company_id: Uuid, id: Uuid, usage: f64) {
        self.change(company_id, id, |machine| {
            machine.usage += hundredths(usage) - machine.reading;
            machine.reading = hundredths(usage);
        });
    }

    /// Sets what the meter showed at times.
    pub fn read(&self, id: Uuid, readings: &[(DateTime<Utc>, f64)]) {
        let mut state = self.state();
        for (at, value) in readings {
            let of_machine = state.readings.entry(id).or_default();
            of_machine.insert(*at, hundredths(*value));
            let read_at = state.read_at.entry(id).or_insert(*at);
            *read_at = (*read_at).max(*at);
        }
    }

    /// Voids the entry of an update, as a manager does in the history; without a reason, as an undo.
    pub fn void(&self, update_id: &str, attempt: u32, reason: Option<&str>) {
        let update = UpdateAttempt {
            update_id: update_id.to_owned(),
            attempt,
        };
        let request = VoidOperatorUpdatesRequest {
            reason: reason.unwrap_or_default().to_owned(),
            undone: reason.is_none(),
            actor_name: "Mara Manager".to_owned(),
            ..VoidOperatorUpdatesRequest::default()
        };
        self.state().void(&update, &request);
    }

    pub fn remove(&self, company_id: Uuid, id: Uuid) {
        self.state().machines.remove(&(company_id, id));
    }

    pub fn meter(&self, company_id: Uuid, id: Uuid) -> f64 {
        number(self.state().machines[&(company_id, id)].reading)
    }

    /// Life-to-date usage.
    pub fn usage(&self, company_id: Uuid, id: Uuid) -> f64 {
        number(self.state().machines[&(company_id, id)].usage)
    }

    /// Number of applied updates.
    pub fn effects(&self) -> usize {
        self.state().effects.len()
    }

    /// Applied updates in order.
    pub fn order(&self) -> Vec<String> {
        let state = self.state();
        let ids = state.effects.iter().map(|effect| effect.update_id.clone());
        ids.collect()
    }

    /// With authentication, so that callers' identities are verified.
    pub fn backend(&self) -> Backend {
        let routes = Routes::new(EquipmentServiceServer::new(self.clone()));
        testing::backend(Service::Equipment, routes, Clock::system())
    }

    /// Applies a call's updates, or fails as a whole; refused ones don't affect the others.
    fn call(
        &self,
        company_id: Uuid,
        messages: Vec<ApplyOperatorUpdateRequest>,
    ) -> Result<Vec<Result<ApplyOperatorUpdateResponse, ServiceError>>, ServiceError> {
        let mut state = self.state();
        state.calls += 1;
        let poisoned = |id: &Uuid| {
            let id = id.to_string();
            messages.iter().any(|message| message.update_id == id)
        };
        match state.mode {
            Mode::Unavailable => return Err(ServiceError::unavailable("away")),
            Mode::Broken => return Err(ServiceError::internal("broken")),
            _ if state.poison.as_ref().is_some_and(poisoned) => {
                return Err(ServiceError::internal("poison"));
            }
            Mode::Normal | Mode::ResponseLost => {}
        }
        let each = messages.into_iter();
        let answers = each
            .map(|message| state.apply(company_id, message))
            .collect();
        if state.mode == Mode::ResponseLost {
            Err(ServiceError::unavailable("lost"))
        } else {
            Ok(answers)
        }
    }
}

impl State {
    fn apply(
        &mut self,
        company_id: Uuid,
        message: ApplyOperatorUpdateRequest,
    ) -> Result<ApplyOperatorUpdateResponse, ServiceError> {
        let update_id: Uuid = message.update_id.parse().unwrap();
        let attempts = self.attempts.get(&update_id).copied().unwrap_or_default();
        if message.attempt != attempts {
            return Err(refused("ALREADY_VOIDED", "The entry was voided."));
        }
        if let Some(first) = self.applied.get(&update_id) {
            return Ok(ApplyOperatorUpdateResponse {
                repeated: true,
                ..*first
            });
        }
        let equipment_id: Uuid = message.equipment_id.parse().unwrap();
        let captured_at = message.captured_at.and_then(time).unwrap();
        let (before, after) = self.around(company_id, equipment_id, captured_at);
        let machine = self.machines.get_mut(&(company_id, equipment_id));
        let machine = machine.filter(|machine| machine.state == MachineState::Active);
        let machine = machine.ok_or_else(ServiceError::not_found)?;
        let unit = message.unit();
        if unit != MeterUnit::Unspecified && unit != machine.unit && !message.replace_meter {
            return Err(refused("WRONG_UNIT", "Captured in another unit."));
        }
        let mut answer = ApplyOperatorUpdateResponse::default();
        let before = before.map_or(machine.initial, |(_, value)| value);
        let reported = message.reading.map(hundredths);
        let value = reported.or(message.usage_increase.map(|by| before + hundredths(by)));
        if let Some(value) = value {
            if after.is_some() {
                let counts = message.replace_meter || message.meter_replacement.is_some();
                if value < before && !counts {
                    return Err(below());
                }
            } else {
                machine.read(value, message.meter_replacement, message.replace_meter)?;
                self.read_at.insert(equipment_id, captured_at);
            }
            answer.usage_before = Some(number(before));
            answer.usage_after = Some(number(value));
            let readings = self.readings.entry(equipment_id).or_default();
            readings.insert(captured_at, value);
        }
        machine.fuel += hundredths(message.fuel_added);
        self.applied.insert(update_id, answer);
        self.effects.push(message);
        Ok(answer)
    }

    /// The readings at or before a time, and after it.
    fn around(
        &self,
        company_id: Uuid,
        id: Uuid,
        at: DateTime<Utc>,
    ) -> (Option<TimedReading>, Option<i64>) {
        let mut readings = self.readings.get(&id).cloned().unwrap_or_default();
        let read_at = self.read_at.get(&id);
        let machine = self.machines.get(&(company_id, id));
        if let Some((read_at, machine)) = read_at.zip(machine) {
            readings.insert(*read_at, machine.reading);
        }
        let initial = |machine: &Machine| {
            let value = if readings.is_empty() {
                machine.reading
            } else {
                machine.initial
            };
            (None, value)
        };
        let before = readings.range(..=at).next_back();
        let before = before.map(|(at, value)| (Some(*at), *value));
        let after = readings.range(at..).find(|(time, _)| **time > at);
        (
            before.or(machine.map(initial)),
            after.map(|(_, value)| *value),
        )
    }

    fn void(&mut self, update: &UpdateAttempt, request: &VoidOperatorUpdatesRequest) {
        let id: Uuid = update.update_id.parse().unwrap();
        if self.attempts.get(&id).copied().unwrap_or_default() != update.attempt {
            return;
        }
        let answer = self.applied.remove(&id).expect("an applied update");
        let effect = self
            .effects
            .iter()
            .rfind(|each| each.update_id == update.update_id);
        let effect = effect.expect("an effect");
        let equipment_id: Uuid = effect.equipment_id.parse().unwrap();
        let captured_at = effect.captured_at.and_then(time).unwrap();
        if let Some(readings) = self.readings.get_mut(&equipment_id) {
            readings.remove(&captured_at);
        }
        let mut machines = self.machines.iter_mut();
        let machine = machines.find(|((_, id), _)| *id == equipment_id);
        if let (Some(before), Some((_, machine))) = (answer.usage_before, machine) {
            machine.reading = hundredths(before);
        }
        self.attempts.insert(id, update.attempt + 1);
        self.voided.push(VoidedUpdate {
            update_id: update.update_id.clone(),
            reason: request.reason.clone(),
            undone: request.undone,
            voided_by: request.actor_name.clone(),
            voided_at: Some(timestamp(crate::support::now())),
            attempt: update.attempt + 1,
        });
    }
}

impl Machine {
    fn read(
        &mut self,
        reading: i64,
        replacement: Option<MeterReplacement>,
        replaces: bool,
    ) -> Result<(), ServiceError> {
        let Some(replacement) = replacement else {
            if reading < self.reading && !replaces {
                return Err(below());
            }
            self.usage += reading - self.reading;
            self.reading = reading;
            return Ok(());
        };
        let start = hundredths(replacement.start_reading);
        let end = replacement.final_reading.map_or(self.reading, hundredths);
        if end < self.reading {
            return Err(refused("BELOW_CURRENT_FINAL", "The old meter showed more."));
        }
        assert!(replacement.change() != MeterChange::Unspecified && start <= reading);
        self.usage += (end - self.reading) + (reading - start);
        self.reading = reading;
        Ok(())
    }
}

fn below() -> ServiceError {
    refused("BELOW_CURRENT", "The reading is below the meter.")
}

fn refused(code: &'static str, sentence: &'static str) -> ServiceError {
    ServiceError::new(Kind::Conflict, Reason { code, sentence })
}

fn result(answer: Result<ApplyOperatorUpdateResponse, ServiceError>) -> ApplyOperatorUpdateResult {
    use apply_operator_update_result::Outcome;
    let outcome = match answer {
        Ok(applied) => Outcome::Applied(applied),
        Err(failure) => Outcome::Refused(ApplyOperatorUpdateRefusal {
            code: failure.kind.codes().0.into(),
            reason: failure.reason.into_owned(),
            message: failure.message.to_string(),
            text_code: failure.message.code.into_owned(),
            parameters: failure.message.parameters.into_iter().collect(),
        }),
    };
    ApplyOperatorUpdateResult {
        outcome: Some(outcome),
    }
}

#[tonic::async_trait]
impl EquipmentService for FakeEquipment {
    async fn get_meters(
        &self,
        request: Request<GetMetersRequest>,
    ) -> Result<Response<GetMetersResponse>, Status> {
        let company_id = Caller::service(&request)?.company_id();
        let state = self.state();
        if state.mode == Mode::Unavailable {
            return Err(ServiceError::unavailable("away").into());
        }
        let meter = |query: MeterQuery| {
            let id: Uuid = query.equipment_id.parse().unwrap();
            let machine = state.machines.get(&(company_id, id))?;
            let at = query.captured_at.and_then(time).unwrap();
            let (before, after) = state.around(company_id, id, at);
            let read_at = state.read_at.get(&id).copied();
            let meter = GetMeterResponse {
                equipment_name: machine.name.clone(),
                current_usage: number(machine.usage),
                unit: machine.unit.into(),
                fuel: machine.fuel_type.into(),
                meter_read_at: read_at.map(timestamp),
                meter_reading: number(machine.reading),
                usual_daily_use: machine.usual_daily_use,
                usual_fill: machine.usual_fill,
            };
            Some(MeterAt {
                equipment_id: query.equipment_id,
                captured_at: query.captured_at,
                meter: Some(meter),
                reading_before: before.map(|(_, value)| number(value)),
                before_at: before.and_then(|(at, _)| at).map(timestamp),
                reading_after: after.map(number),
                state: machine.state.into(),
            })
        };
        let meters = request.into_inner().queries.into_iter().filter_map(meter);
        Ok(Response::new(GetMetersResponse {
            meters: meters.collect(),
        }))
    }

    async fn list_voided_updates(
        &self,
        request: Request<ListVoidedUpdatesRequest>,
    ) -> Result<Response<ListVoidedUpdatesResponse>, Status> {
        Caller::service(&request)?;
        let updates = self.state().voided.clone();
        let next = updates.len().to_string();
        Ok(Response::new(ListVoidedUpdatesResponse { updates, next }))
    }

    async fn find_applied_updates(
        &self,
        request: Request<FindAppliedUpdatesRequest>,
    ) -> Result<Response<FindAppliedUpdatesResponse>, Status> {
        Caller::service(&request)?;
        let state = self.state();
        if state.mode == Mode::Broken {
            return Err(ServiceError::internal("broken").into());
        }
        let applied = request
            .into_inner()
            .updates
            .into_iter()
            .filter_map(|update| {
                let effect = state.applied.get(&update.update_id.parse().unwrap())?;
                Some(AppliedUpdate {
                    update_id: update.update_id,
                    effect: Some(*effect),
                })
            });
        Ok(Response::new(FindAppliedUpdatesResponse {
            applied: applied.collect(),
        }))
    }

    async fn void_operator_updates(
        &self,
        request: Request<VoidOperatorUpdatesRequest>,
    ) -> Result<Response<VoidOperatorUpdatesResponse>, Status> {
        Caller::service(&request)?;
        let request = request.into_inner();
        assert!((1..=50).contains(&request.updates.len()));
        let slow = self.state().slow;
        tokio::time::sleep(slow).await;
        let mut state = self.state();
        if state.mode == Mode::Unavailable {
            return Err(ServiceError::unavailable("away").into());
        }
        for update in &request.updates {
            state.void(update, &request);
        }
        let results = vec![VoidOperatorUpdateResult::default(); request.updates.len()];
        Ok(Response::new(VoidOperatorUpdatesResponse { results }))
    }

    async fn apply_operator_update(
        &self,
        request: Request<ApplyOperatorUpdateRequest>,
    ) -> Result<Response<ApplyOperatorUpdateResponse>, Status> {
        let company_id = Caller::service(&request)?.company_id();
        let mut answers = self.call(company_id, vec![request.into_inner()])?;
        Ok(Response::new(answers.remove(0)?))
    }

    async fn apply_operator_updates(
        &self,
        request: Request<ApplyOperatorUpdatesRequest>,
    ) -> Result<Response<ApplyOperatorUpdatesResponse>, Status> {
        let company_id = Caller::service(&request)?.company_id();
        let updates = request.into_inner().updates;
        assert!((1..=500).contains(&updates.len()));
        self.state().batches.push(updates.len());
        let slow = self.state().slow;
        tokio::time::sleep(slow).await;
        let answers = self.call(company_id, updates)?;
        let results = answers.into_iter().map(result).collect();
        Ok(Response::new(ApplyOperatorUpdatesResponse { results }))
    }

    // This service does not call the others.

    async fn get_meter(
        &self,
        _: Request<GetMeterRequest>,
    ) -> Result<Response<GetMeterResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn list_equipment(
        &self,
        _: Request<ListEquipmentRequest>,
    ) -> Result<Response<ListEquipmentResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn get_summary(
        &self,
        _: Request<GetSummaryRequest>,
    ) -> Result<Response<GetSummaryResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn get_equipment(
        &self,
        _: Request<GetEquipmentRequest>,
    ) -> Result<Response<GetEquipmentResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn create_equipment(
        &self,
        _: Request<CreateEquipmentRequest>,
    ) -> Result<Response<CreateEquipmentResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn update_equipment(
        &self,
        _: Request<UpdateEquipmentRequest>,
    ) -> Result<Response<UpdateEquipmentResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn delete_equipment(
        &self,
        _: Request<DeleteEquipmentRequest>,
    ) -> Result<Response<DeleteEquipmentResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn record_usage(
        &self,
        _: Request<RecordUsageRequest>,
    ) -> Result<Response<RecordUsageResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn mark_serviced(
        &self,
        _: Request<MarkServicedRequest>,
    ) -> Result<Response<MarkServicedResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn list_notes(
        &self,
        _: Request<ListNotesRequest>,
    ) -> Result<Response<ListNotesResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn add_note(
        &self,
        _: Request<AddNoteRequest>,
    ) -> Result<Response<AddNoteResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn list_audit_events(
        &self,
        _: Request<ListAuditEventsRequest>,
    ) -> Result<Response<ListAuditEventsResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn list_history(
        &self,
        _: Request<ListHistoryRequest>,
    ) -> Result<Response<ListHistoryResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn retire_equipment(
        &self,
        _: Request<RetireEquipmentRequest>,
    ) -> Result<Response<RetireEquipmentResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn list_retired(
        &self,
        _: Request<ListRetiredRequest>,
    ) -> Result<Response<ListRetiredResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn restore_equipment(
        &self,
        _: Request<RestoreEquipmentRequest>,
    ) -> Result<Response<RestoreEquipmentResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn list_service_tasks(
        &self,
        _: Request<ListServiceTasksRequest>,
    ) -> Result<Response<ListServiceTasksResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn create_service_task(
        &self,
        _: Request<CreateServiceTaskRequest>,
    ) -> Result<Response<CreateServiceTaskResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn update_service_task(
        &self,
        _: Request<UpdateServiceTaskRequest>,
    ) -> Result<Response<UpdateServiceTaskResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn delete_service_task(
        &self,
        _: Request<DeleteServiceTaskRequest>,
    ) -> Result<Response<DeleteServiceTaskResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn complete_service_task(
        &self,
        _: Request<CompleteServiceTaskRequest>,
    ) -> Result<Response<CompleteServiceTaskResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn snooze_service_task(
        &self,
        _: Request<SnoozeServiceTaskRequest>,
    ) -> Result<Response<SnoozeServiceTaskResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn wake_service_task(
        &self,
        _: Request<WakeServiceTaskRequest>,
    ) -> Result<Response<WakeServiceTaskResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn void_entry(
        &self,
        _: Request<VoidEntryRequest>,
    ) -> Result<Response<VoidEntryResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn preview_void(
        &self,
        _: Request<PreviewVoidRequest>,
    ) -> Result<Response<PreviewVoidResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn edit_service(
        &self,
        _: Request<EditServiceRequest>,
    ) -> Result<Response<EditServiceResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn get_fuel_summary(
        &self,
        _: Request<GetFuelSummaryRequest>,
    ) -> Result<Response<GetFuelSummaryResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn reset_fuel(
        &self,
        _: Request<ResetFuelRequest>,
    ) -> Result<Response<ResetFuelResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn get_retired(
        &self,
        _: Request<GetRetiredRequest>,
    ) -> Result<Response<GetRetiredResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn replace_meter(
        &self,
        _: Request<ReplaceMeterRequest>,
    ) -> Result<Response<ReplaceMeterResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn list_meter_segments(
        &self,
        _: Request<ListMeterSegmentsRequest>,
    ) -> Result<Response<ListMeterSegmentsResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn list_meters(
        &self,
        _: Request<ListMetersRequest>,
    ) -> Result<Response<ListMetersResponse>, Status> {
        Err(Status::unimplemented(""))
    }

    async fn get_equipment_marker(
        &self,
        _: Request<GetEquipmentMarkerRequest>,
    ) -> Result<Response<GetEquipmentMarkerResponse>, Status> {
        Err(Status::unimplemented(""))
    }
}
