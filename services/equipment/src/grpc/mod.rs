//! RPC handlers: authorise, parse, check, write, commit, respond.

use chrono::NaiveDate;
use hourmeter_proto::equipment::v1;
use hourmeter_proto::equipment::v1::equipment_service_server::EquipmentService;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::events::{Event, Events, Topic};
use hourmeter_runtime::identity::{Identity, Tenant};
use hourmeter_runtime::server::respond;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use crate::domain::forecast::CompanyDay;
use crate::domain::ledger::{Actor, Source};

mod applied_updates;
mod archive;
mod audit_log;
mod convert;
mod cursor;
mod digest;
mod edit;
mod edit_service;
mod fuel;
mod history;
mod input;
mod limit;
mod meters;
mod meters_at;
mod notes;
mod operator_updates;
mod read;
mod replacement;
mod service;
mod snooze;
mod staff;
mod task_sets;
mod tasks;
mod usage;
mod void;
mod voided_updates;

#[derive(Clone)]
pub struct Api {
    database: Database,
    clock: Clock,
    events: Events,
}

impl Api {
    pub const fn new(database: Database, clock: Clock, events: Events) -> Self {
        Self {
            database,
            clock,
            events,
        }
    }

    /// Publishes that any equipment of a company may have changed. Call it after the commit.
    fn changed(&self, tenant: Tenant) {
        self.publish(tenant, None);
    }

    /// Publishes that only this equipment has changed. Call it after the commit.
    fn machine_changed(&self, tenant: Tenant, equipment_id: Uuid) {
        self.publish(tenant, Some(equipment_id));
    }

    fn publish(&self, tenant: Tenant, equipment_id: Option<Uuid>) {
        self.events.publish(Event {
            company_id: tenant.company_id(),
            topic: Topic::Equipment,
            person_id: None,
            equipment_id,
        });
    }

    /// The current day of the company.
    fn day(&self, identity: &Identity) -> CompanyDay {
        let stale_after = identity.stale_after_days;
        CompanyDay::new(self.clock.now(), &identity.time_zone, stale_after)
    }

    /// The current date in the company's time zone.
    fn today(&self, identity: &Identity) -> NaiveDate {
        self.clock.today_in(identity.time_zone)
    }
}

fn manager(identity: &Identity) -> Actor {
    Actor {
        id: identity.user_id,
        name: identity.display_name.clone(),
        source: Source::Manager,
    }
}

/// A malformed id is not found.
fn parse_id(text: &str) -> Result<Uuid, ServiceError> {
    Uuid::try_parse(text).map_err(|_| ServiceError::not_found())
}

#[tonic::async_trait]
impl EquipmentService for Api {
    async fn list_equipment(
        &self,
        request: Request<v1::ListEquipmentRequest>,
    ) -> Result<Response<v1::ListEquipmentResponse>, Status> {
        respond(read::list(self, request).await)
    }

    async fn get_summary(
        &self,
        request: Request<v1::GetSummaryRequest>,
    ) -> Result<Response<v1::GetSummaryResponse>, Status> {
        respond(read::summary(self, request).await)
    }

    async fn get_equipment(
        &self,
        request: Request<v1::GetEquipmentRequest>,
    ) -> Result<Response<v1::GetEquipmentResponse>, Status> {
        respond(read::get(self, request).await)
    }

    async fn create_equipment(
        &self,
        request: Request<v1::CreateEquipmentRequest>,
    ) -> Result<Response<v1::CreateEquipmentResponse>, Status> {
        respond(edit::create(self, request).await)
    }

    async fn update_equipment(
        &self,
        request: Request<v1::UpdateEquipmentRequest>,
    ) -> Result<Response<v1::UpdateEquipmentResponse>, Status> {
        respond(edit::update(self, request).await)
    }

    async fn delete_equipment(
        &self,
        request: Request<v1::DeleteEquipmentRequest>,
    ) -> Result<Response<v1::DeleteEquipmentResponse>, Status> {
        respond(edit::delete(self, request).await)
    }

    async fn record_usage(
        &self,
        request: Request<v1::RecordUsageRequest>,
    ) -> Result<Response<v1::RecordUsageResponse>, Status> {
        respond(usage::record(self, request).await)
    }

    async fn mark_serviced(
        &self,
        request: Request<v1::MarkServicedRequest>,
    ) -> Result<Response<v1::MarkServicedResponse>, Status> {
        respond(service::mark_serviced(self, request).await)
    }

    async fn list_service_tasks(
        &self,
        request: Request<v1::ListServiceTasksRequest>,
    ) -> Result<Response<v1::ListServiceTasksResponse>, Status> {
        respond(tasks::list(self, request).await)
    }

    async fn create_service_task(
        &self,
        request: Request<v1::CreateServiceTaskRequest>,
    ) -> Result<Response<v1::CreateServiceTaskResponse>, Status> {
        respond(tasks::create(self, request).await)
    }

    async fn update_service_task(
        &self,
        request: Request<v1::UpdateServiceTaskRequest>,
    ) -> Result<Response<v1::UpdateServiceTaskResponse>, Status> {
        respond(tasks::update(self, request).await)
    }

    async fn delete_service_task(
        &self,
        request: Request<v1::DeleteServiceTaskRequest>,
    ) -> Result<Response<v1::DeleteServiceTaskResponse>, Status> {
        respond(tasks::delete(self, request).await)
    }

    async fn complete_service_task(
        &self,
        request: Request<v1::CompleteServiceTaskRequest>,
    ) -> Result<Response<v1::CompleteServiceTaskResponse>, Status> {
        respond(service::complete_task(self, request).await)
    }

    async fn snooze_service_task(
        &self,
        request: Request<v1::SnoozeServiceTaskRequest>,
    ) -> Result<Response<v1::SnoozeServiceTaskResponse>, Status> {
        respond(snooze::snooze(self, request).await)
    }

    async fn wake_service_task(
        &self,
        request: Request<v1::WakeServiceTaskRequest>,
    ) -> Result<Response<v1::WakeServiceTaskResponse>, Status> {
        respond(snooze::wake(self, request).await)
    }

    async fn void_entry(
        &self,
        request: Request<v1::VoidEntryRequest>,
    ) -> Result<Response<v1::VoidEntryResponse>, Status> {
        respond(void::void_entry(self, request).await)
    }

    async fn preview_void(
        &self,
        request: Request<v1::PreviewVoidRequest>,
    ) -> Result<Response<v1::PreviewVoidResponse>, Status> {
        respond(void::preview(self, request).await)
    }

    async fn edit_service(
        &self,
        request: Request<v1::EditServiceRequest>,
    ) -> Result<Response<v1::EditServiceResponse>, Status> {
        respond(edit_service::edit_service(self, request).await)
    }

    async fn get_fuel_summary(
        &self,
        request: Request<v1::GetFuelSummaryRequest>,
    ) -> Result<Response<v1::GetFuelSummaryResponse>, Status> {
        respond(fuel::summary(self, request).await)
    }

    async fn reset_fuel(
        &self,
        request: Request<v1::ResetFuelRequest>,
    ) -> Result<Response<v1::ResetFuelResponse>, Status> {
        respond(fuel::reset(self, request).await)
    }

    async fn get_retired(
        &self,
        request: Request<v1::GetRetiredRequest>,
    ) -> Result<Response<v1::GetRetiredResponse>, Status> {
        respond(archive::get(self, request).await)
    }

    async fn list_notes(
        &self,
        request: Request<v1::ListNotesRequest>,
    ) -> Result<Response<v1::ListNotesResponse>, Status> {
        respond(notes::list(self, request).await)
    }

    async fn add_note(
        &self,
        request: Request<v1::AddNoteRequest>,
    ) -> Result<Response<v1::AddNoteResponse>, Status> {
        respond(notes::add(self, request).await)
    }

    async fn list_history(
        &self,
        request: Request<v1::ListHistoryRequest>,
    ) -> Result<Response<v1::ListHistoryResponse>, Status> {
        respond(history::list(self, request).await)
    }

    async fn retire_equipment(
        &self,
        request: Request<v1::RetireEquipmentRequest>,
    ) -> Result<Response<v1::RetireEquipmentResponse>, Status> {
        respond(archive::retire(self, request).await)
    }

    async fn list_retired(
        &self,
        request: Request<v1::ListRetiredRequest>,
    ) -> Result<Response<v1::ListRetiredResponse>, Status> {
        respond(archive::list(self, request).await)
    }

    async fn restore_equipment(
        &self,
        request: Request<v1::RestoreEquipmentRequest>,
    ) -> Result<Response<v1::RestoreEquipmentResponse>, Status> {
        respond(archive::restore(self, request).await)
    }

    async fn get_meter(
        &self,
        request: Request<v1::GetMeterRequest>,
    ) -> Result<Response<v1::GetMeterResponse>, Status> {
        respond(operator_updates::get_meter(self, request).await)
    }

    async fn get_meters(
        &self,
        request: Request<v1::GetMetersRequest>,
    ) -> Result<Response<v1::GetMetersResponse>, Status> {
        respond(meters_at::get(self, request).await)
    }

    async fn find_applied_updates(
        &self,
        request: Request<v1::FindAppliedUpdatesRequest>,
    ) -> Result<Response<v1::FindAppliedUpdatesResponse>, Status> {
        respond(applied_updates::find(self, request).await)
    }

    async fn void_operator_updates(
        &self,
        request: Request<v1::VoidOperatorUpdatesRequest>,
    ) -> Result<Response<v1::VoidOperatorUpdatesResponse>, Status> {
        respond(applied_updates::void_all(self, request).await)
    }

    async fn list_voided_updates(
        &self,
        request: Request<v1::ListVoidedUpdatesRequest>,
    ) -> Result<Response<v1::ListVoidedUpdatesResponse>, Status> {
        respond(voided_updates::list(self, request).await)
    }

    async fn apply_operator_update(
        &self,
        request: Request<v1::ApplyOperatorUpdateRequest>,
    ) -> Result<Response<v1::ApplyOperatorUpdateResponse>, Status> {
        respond(operator_updates::apply(self, request).await)
    }

    async fn list_audit_events(
        &self,
        request: Request<v1::ListAuditEventsRequest>,
    ) -> Result<Response<v1::ListAuditEventsResponse>, Status> {
        respond(audit_log::list(self, request).await)
    }

    async fn replace_meter(
        &self,
        request: Request<v1::ReplaceMeterRequest>,
    ) -> Result<Response<v1::ReplaceMeterResponse>, Status> {
        respond(meters::replace(self, request).await)
    }

    async fn list_meter_segments(
        &self,
        request: Request<v1::ListMeterSegmentsRequest>,
    ) -> Result<Response<v1::ListMeterSegmentsResponse>, Status> {
        respond(meters::segments(self, request).await)
    }

    async fn list_meters(
        &self,
        request: Request<v1::ListMetersRequest>,
    ) -> Result<Response<v1::ListMetersResponse>, Status> {
        respond(meters::list(self, request).await)
    }

    async fn get_equipment_marker(
        &self,
        request: Request<v1::GetEquipmentMarkerRequest>,
    ) -> Result<Response<v1::GetEquipmentMarkerResponse>, Status> {
        respond(meters::marker(self, request).await)
    }

    async fn apply_operator_updates(
        &self,
        request: Request<v1::ApplyOperatorUpdatesRequest>,
    ) -> Result<Response<v1::ApplyOperatorUpdatesResponse>, Status> {
        respond(operator_updates::apply_all(self, request).await)
    }
}
