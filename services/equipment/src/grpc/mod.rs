//! RPC handlers: authorise, parse, check, write, commit, respond.

use chrono::NaiveDate;
use hourmeter_proto::equipment::v1;
use hourmeter_proto::equipment::v1::digest_service_server::DigestService;
use hourmeter_proto::equipment::v1::equipment_service_server::EquipmentService;
use hourmeter_proto::equipment::v1::staff_service_server::StaffService;
use hourmeter_proto::equipment::v1::task_set_service_server::TaskSetService;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::events::{Event, Events, Topic};
use hourmeter_runtime::idempotency::{self, IdempotentTx, Key, Outcome};
use hourmeter_runtime::identity::{Caller, Identity, Tenant};
use hourmeter_runtime::message::Reason;
use hourmeter_runtime::server::respond;
use prost::Message;
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
mod enums;
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

    /// Begins the transaction of a person's change, unless there is a response to its key.
    async fn begin<A: Message + Default>(
        &self,
        identity: &Identity,
        key: Option<Key>,
    ) -> Result<Outcome<A>, ServiceError> {
        let tx = self.database.tenant(identity.tenant()).await?;
        idempotency::begin(tx, identity, key, self.clock.now()).await
    }

    /// Commits a change with its response and publishes it as [`Self::changed`].
    async fn finish<A: Message>(
        &self,
        tx: IdempotentTx,
        response: A,
        equipment_id: Option<Uuid>,
    ) -> Result<A, ServiceError> {
        let tenant = tx.tenant();
        tx.finish(&response).await?;
        self.changed(tenant, equipment_id);
        Ok(response)
    }

    /// Publishes that equipment has changed; None: any of the company's. Call it after the commit.
    fn changed(&self, tenant: Tenant, equipment_id: Option<Uuid>) {
        self.events.publish(Event {
            company_id: tenant.company_id(),
            topic: Topic::Equipment,
            person_id: None,
            equipment_id,
        });
    }

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

/// The calling person and the request.
fn person_request<T>(request: Request<T>) -> Result<(Identity, T), ServiceError> {
    Ok((Caller::person(&request)?, request.into_inner()))
}

/// The calling person, the idempotency key and the request to `rpc`.
fn keyed_request<T: Message>(
    request: Request<T>,
    rpc: &'static str,
) -> Result<(Identity, Option<Key>, T), ServiceError> {
    let identity = Caller::person(&request)?;
    let key = Key::read(&request, rpc)?;
    Ok((identity, key, request.into_inner()))
}

/// What the person saw has changed since.
fn stale(message: Reason) -> ServiceError {
    ServiceError::new(Kind::Stale, message).with_reason("STALE")
}

/// A malformed id is not found.
fn parse_id(text: &str) -> Result<Uuid, ServiceError> {
    Uuid::try_parse(text).map_err(|_| ServiceError::not_found())
}

/// Empty: none.
fn parse_optional_id(text: &str) -> Result<Option<Uuid>, ServiceError> {
    (!text.is_empty()).then(|| parse_id(text)).transpose()
}

/// Implements a service: each RPC with its messages and its handler.
macro_rules! rpcs {
    ($service:ident: $($rpc:ident($request:ident) -> $response:ident => $handler:path;)+) => {
        #[tonic::async_trait]
        impl $service for Api {
            $(
                async fn $rpc(
                    &self,
                    request: Request<v1::$request>,
                ) -> Result<Response<v1::$response>, Status> {
                    respond($handler(self, request).await)
                }
            )+
        }
    };
}

rpcs! { EquipmentService:
    list_equipment(ListEquipmentRequest) -> ListEquipmentResponse => read::list;
    get_summary(GetSummaryRequest) -> GetSummaryResponse => read::summary;
    get_equipment(GetEquipmentRequest) -> GetEquipmentResponse => read::get;
    create_equipment(CreateEquipmentRequest) -> CreateEquipmentResponse => edit::create;
    update_equipment(UpdateEquipmentRequest) -> UpdateEquipmentResponse => edit::update;
    delete_equipment(DeleteEquipmentRequest) -> DeleteEquipmentResponse => edit::delete;
    record_usage(RecordUsageRequest) -> RecordUsageResponse => usage::record;
    mark_serviced(MarkServicedRequest) -> MarkServicedResponse => service::mark_serviced;
    list_service_tasks(ListServiceTasksRequest) -> ListServiceTasksResponse => tasks::list;
    create_service_task(CreateServiceTaskRequest) -> CreateServiceTaskResponse => tasks::create;
    update_service_task(UpdateServiceTaskRequest) -> UpdateServiceTaskResponse => tasks::update;
    delete_service_task(DeleteServiceTaskRequest) -> DeleteServiceTaskResponse => tasks::delete;
    complete_service_task(CompleteServiceTaskRequest)
        -> CompleteServiceTaskResponse => service::complete_task;
    snooze_service_task(SnoozeServiceTaskRequest) -> SnoozeServiceTaskResponse => snooze::snooze;
    wake_service_task(WakeServiceTaskRequest) -> WakeServiceTaskResponse => snooze::wake;
    void_entry(VoidEntryRequest) -> VoidEntryResponse => void::void_entry;
    preview_void(PreviewVoidRequest) -> PreviewVoidResponse => void::preview;
    edit_service(EditServiceRequest) -> EditServiceResponse => edit_service::edit_service;
    get_fuel_summary(GetFuelSummaryRequest) -> GetFuelSummaryResponse => fuel::summary;
    reset_fuel(ResetFuelRequest) -> ResetFuelResponse => fuel::reset;
    get_retired(GetRetiredRequest) -> GetRetiredResponse => archive::get;
    list_notes(ListNotesRequest) -> ListNotesResponse => notes::list;
    add_note(AddNoteRequest) -> AddNoteResponse => notes::add;
    list_history(ListHistoryRequest) -> ListHistoryResponse => history::list;
    retire_equipment(RetireEquipmentRequest) -> RetireEquipmentResponse => archive::retire;
    list_retired(ListRetiredRequest) -> ListRetiredResponse => archive::list;
    restore_equipment(RestoreEquipmentRequest) -> RestoreEquipmentResponse => archive::restore;
    get_meter(GetMeterRequest) -> GetMeterResponse => operator_updates::get_meter;
    get_meters(GetMetersRequest) -> GetMetersResponse => meters_at::get;
    find_applied_updates(FindAppliedUpdatesRequest)
        -> FindAppliedUpdatesResponse => applied_updates::find;
    void_operator_updates(VoidOperatorUpdatesRequest)
        -> VoidOperatorUpdatesResponse => applied_updates::void_all;
    list_voided_updates(ListVoidedUpdatesRequest)
        -> ListVoidedUpdatesResponse => voided_updates::list;
    apply_operator_update(ApplyOperatorUpdateRequest)
        -> ApplyOperatorUpdateResponse => operator_updates::apply;
    list_audit_events(ListAuditEventsRequest) -> ListAuditEventsResponse => audit_log::list;
    replace_meter(ReplaceMeterRequest) -> ReplaceMeterResponse => meters::replace;
    list_meter_segments(ListMeterSegmentsRequest) -> ListMeterSegmentsResponse => meters::segments;
    list_meters(ListMetersRequest) -> ListMetersResponse => meters::list;
    get_equipment_marker(GetEquipmentMarkerRequest) -> GetEquipmentMarkerResponse => meters::marker;
    apply_operator_updates(ApplyOperatorUpdatesRequest)
        -> ApplyOperatorUpdatesResponse => operator_updates::apply_all;
}

rpcs! { TaskSetService:
    list_task_sets(ListTaskSetsRequest) -> ListTaskSetsResponse => task_sets::list;
    create_task_set(CreateTaskSetRequest) -> CreateTaskSetResponse => task_sets::create;
    update_task_set(UpdateTaskSetRequest) -> UpdateTaskSetResponse => task_sets::update;
    delete_task_set(DeleteTaskSetRequest) -> DeleteTaskSetResponse => task_sets::delete;
    preview_task_set(PreviewTaskSetRequest) -> PreviewTaskSetResponse => task_sets::apply::preview;
    apply_task_set(ApplyTaskSetRequest) -> ApplyTaskSetResponse => task_sets::apply::apply;
}

rpcs! { DigestService:
    get_digest(GetDigestRequest) -> GetDigestResponse => digest::digest;
    find_groups(FindGroupsRequest) -> FindGroupsResponse => digest::groups;
}

rpcs! { StaffService:
    count_equipment(CountEquipmentRequest) -> CountEquipmentResponse => staff::count;
}
