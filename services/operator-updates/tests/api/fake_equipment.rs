//! An equipment service that knows meters, applies each submission once, and misbehaves when told.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use chrono::{DateTime, Utc};
use hourmeter_proto::equipment::v1::equipment_service_server::{
    EquipmentService, EquipmentServiceServer,
};
use hourmeter_proto::equipment::v1::*;
use hourmeter_runtime::client::Backend;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::error::{Failure, Kind};
use hourmeter_runtime::identity::{Caller, Service};
use hourmeter_runtime::testing;
use tonic::service::Routes;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use crate::support::timestamp;

/// How it behaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// As it should.
    #[default]
    Well,
    /// Nothing is done, nothing answered.
    Away,
    /// It is done, and the answer is lost.
    AnswerLost,
    /// Applying fails inside.
    Broken,
}

fn time(at: prost_types::Timestamp) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(at.seconds, u32::try_from(at.nanos).ok()?)
}

/// What it knows.
#[derive(Debug, Default)]
pub struct State {
    pub mode: Mode,
    /// Name and meter in hundredths, by company and equipment.
    pub meters: BTreeMap<(Uuid, Uuid), (String, i64)>,
    /// When meters were last read; absent: never.
    pub read_at: BTreeMap<Uuid, DateTime<Utc>>,
    /// What each submission did.
    pub applied: BTreeMap<Uuid, ApplyOperatorUpdateResponse>,
    /// Submissions in the order they took effect; each at most once if all is well.
    pub effects: Vec<ApplyOperatorUpdateRequest>,
    /// Calls to apply, refused ones too.
    pub calls: usize,
}

/// An equipment service to test against.
#[derive(Clone, Debug, Default)]
pub struct FakeEquipment(Arc<Mutex<State>>);

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "small numbers of tests"
)]
impl FakeEquipment {
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    pub fn set(&self, mode: Mode) {
        self.state().mode = mode;
    }

    /// A new machine with a meter at `usage`.
    pub fn add(&self, company_id: Uuid, usage: f64) -> Uuid {
        let id = Uuid::now_v7();
        self.set_meter(company_id, id, usage);
        id
    }

    pub fn set_meter(&self, company_id: Uuid, id: Uuid, usage: f64) {
        let meter = ("Excavator 7".to_owned(), (usage * 100.0) as i64);
        self.state().meters.insert((company_id, id), meter);
    }

    pub fn remove(&self, company_id: Uuid, id: Uuid) {
        self.state().meters.remove(&(company_id, id));
    }

    pub fn meter(&self, company_id: Uuid, id: Uuid) -> f64 {
        self.state().meters[&(company_id, id)].1 as f64 / 100.0
    }

    /// How often submissions took effect.
    pub fn effects(&self) -> usize {
        self.state().effects.len()
    }

    /// Behind its guard, so that callers' identities are verified.
    pub fn backend(&self) -> Backend {
        let routes = Routes::new(EquipmentServiceServer::new(self.clone()));
        testing::backend(Service::Equipment, routes, Clock::system())
    }

    fn apply(
        &self,
        company_id: Uuid,
        message: ApplyOperatorUpdateRequest,
    ) -> Result<ApplyOperatorUpdateResponse, Failure> {
        let mut state = self.state();
        state.calls += 1;
        match state.mode {
            Mode::Away => return Err(Failure::unavailable("away")),
            Mode::Broken => return Err(Failure::internal("broken")),
            Mode::Well | Mode::AnswerLost => {}
        }
        let lost = state.mode == Mode::AnswerLost;
        let update_id: Uuid = message.update_id.parse().unwrap();
        if let Some(first) = state.applied.get(&update_id) {
            let mut answer = *first;
            answer.repeated = true;
            return if lost {
                Err(Failure::unavailable("lost"))
            } else {
                Ok(answer)
            };
        }
        let equipment_id: Uuid = message.equipment_id.parse().unwrap();
        let read_at = state.read_at.get(&equipment_id).copied();
        let captured_at = message.captured_at.and_then(time).unwrap();
        let late = read_at.is_some_and(|read_at| captured_at < read_at) && !message.replace_meter;
        let meter = state.meters.get_mut(&(company_id, equipment_id));
        let (_, usage) = meter.ok_or_else(Failure::not_found)?;
        let mut answer = ApplyOperatorUpdateResponse::default();
        if let Some(reading) = message.reading.filter(|_| !late) {
            let reading = (reading * 100.0).round() as i64;
            if reading < *usage && !message.replace_meter {
                let refused = Failure::new(Kind::Conflict, "The reading is below the meter.");
                return Err(refused.with_reason("BELOW_CURRENT"));
            }
            answer.usage_before = Some(*usage as f64 / 100.0);
            answer.usage_after = message.reading;
            *usage = reading;
            let read_at = read_at.map_or(captured_at, |read_at| read_at.max(captured_at));
            state.read_at.insert(equipment_id, read_at);
        }
        state.applied.insert(update_id, answer);
        state.effects.push(message);
        if lost {
            Err(Failure::unavailable("lost"))
        } else {
            Ok(answer)
        }
    }
}

#[tonic::async_trait]
impl EquipmentService for FakeEquipment {
    async fn get_meter(
        &self,
        request: Request<GetMeterRequest>,
    ) -> Result<Response<GetMeterResponse>, Status> {
        let company_id = Caller::service(&request)?.company_id();
        let state = self.state();
        if state.mode == Mode::Away {
            return Err(Failure::unavailable("away").into());
        }
        let id: Uuid = request.into_inner().equipment_id.parse().unwrap();
        let meter = state.meters.get(&(company_id, id));
        let (name, usage) = meter.ok_or_else(Failure::not_found)?;
        Ok(Response::new(GetMeterResponse {
            equipment_name: name.clone(),
            #[expect(clippy::cast_precision_loss, reason = "small numbers of tests")]
            current_usage: *usage as f64 / 100.0,
            unit: MeterUnit::Hours.into(),
            fuel: EquipmentFuel::Diesel.into(),
            meter_read_at: state.read_at.get(&id).copied().map(timestamp),
        }))
    }

    async fn apply_operator_update(
        &self,
        request: Request<ApplyOperatorUpdateRequest>,
    ) -> Result<Response<ApplyOperatorUpdateResponse>, Status> {
        let company_id = Caller::service(&request)?.company_id();
        Ok(Response::new(self.apply(company_id, request.into_inner())?))
    }

    // This service calls none of the others.

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

    async fn void_entry(
        &self,
        _: Request<VoidEntryRequest>,
    ) -> Result<Response<VoidEntryResponse>, Status> {
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
}
