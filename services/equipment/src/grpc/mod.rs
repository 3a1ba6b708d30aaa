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
use hourmeter_runtime::rpcs;
use prost::Message;
use tonic::Request;
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

use task_sets::apply;

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

rpcs! { Api, EquipmentService:
    read {
        list_equipment(ListEquipmentRequest) -> ListEquipmentResponse;
        get_summary(GetSummaryRequest) -> GetSummaryResponse;
        get_equipment(GetEquipmentRequest) -> GetEquipmentResponse;
    }
    edit {
        create_equipment(CreateEquipmentRequest) -> CreateEquipmentResponse;
        update_equipment(UpdateEquipmentRequest) -> UpdateEquipmentResponse;
        delete_equipment(DeleteEquipmentRequest) -> DeleteEquipmentResponse;
    }
    usage {
        record_usage(RecordUsageRequest) -> RecordUsageResponse;
    }
    service {
        mark_serviced(MarkServicedRequest) -> MarkServicedResponse;
        complete_service_task(CompleteServiceTaskRequest) -> CompleteServiceTaskResponse;
    }
    tasks {
        list_service_tasks(ListServiceTasksRequest) -> ListServiceTasksResponse;
        create_service_task(CreateServiceTaskRequest) -> CreateServiceTaskResponse;
        update_service_task(UpdateServiceTaskRequest) -> UpdateServiceTaskResponse;
        delete_service_task(DeleteServiceTaskRequest) -> DeleteServiceTaskResponse;
    }
    snooze {
        snooze_service_task(SnoozeServiceTaskRequest) -> SnoozeServiceTaskResponse;
        wake_service_task(WakeServiceTaskRequest) -> WakeServiceTaskResponse;
    }
    void {
        void_entry(VoidEntryRequest) -> VoidEntryResponse;
        preview_void(PreviewVoidRequest) -> PreviewVoidResponse;
    }
    edit_service {
        edit_service(EditServiceRequest) -> EditServiceResponse;
    }
    fuel {
        get_fuel_summary(GetFuelSummaryRequest) -> GetFuelSummaryResponse;
        reset_fuel(ResetFuelRequest) -> ResetFuelResponse;
    }
    archive {
        get_retired(GetRetiredRequest) -> GetRetiredResponse;
        retire_equipment(RetireEquipmentRequest) -> RetireEquipmentResponse;
        list_retired(ListRetiredRequest) -> ListRetiredResponse;
        restore_equipment(RestoreEquipmentRequest) -> RestoreEquipmentResponse;
    }
    notes {
        list_notes(ListNotesRequest) -> ListNotesResponse;
        add_note(AddNoteRequest) -> AddNoteResponse;
    }
    history {
        list_history(ListHistoryRequest) -> ListHistoryResponse;
    }
    operator_updates {
        get_meter(GetMeterRequest) -> GetMeterResponse;
        apply_operator_update(ApplyOperatorUpdateRequest) -> ApplyOperatorUpdateResponse;
        apply_operator_updates(ApplyOperatorUpdatesRequest) -> ApplyOperatorUpdatesResponse;
    }
    meters_at {
        get_meters(GetMetersRequest) -> GetMetersResponse;
    }
    applied_updates {
        find_applied_updates(FindAppliedUpdatesRequest) -> FindAppliedUpdatesResponse;
        void_operator_updates(VoidOperatorUpdatesRequest) -> VoidOperatorUpdatesResponse;
    }
    voided_updates {
        list_voided_updates(ListVoidedUpdatesRequest) -> ListVoidedUpdatesResponse;
    }
    audit_log {
        list_audit_events(ListAuditEventsRequest) -> ListAuditEventsResponse;
    }
    meters {
        replace_meter(ReplaceMeterRequest) -> ReplaceMeterResponse;
        list_meter_segments(ListMeterSegmentsRequest) -> ListMeterSegmentsResponse;
        list_meters(ListMetersRequest) -> ListMetersResponse;
        get_equipment_marker(GetEquipmentMarkerRequest) -> GetEquipmentMarkerResponse;
    }
}

rpcs! { Api, TaskSetService:
    task_sets {
        list_task_sets(ListTaskSetsRequest) -> ListTaskSetsResponse;
        create_task_set(CreateTaskSetRequest) -> CreateTaskSetResponse;
        update_task_set(UpdateTaskSetRequest) -> UpdateTaskSetResponse;
        delete_task_set(DeleteTaskSetRequest) -> DeleteTaskSetResponse;
    }
    apply {
        preview_task_set(PreviewTaskSetRequest) -> PreviewTaskSetResponse;
        apply_task_set(ApplyTaskSetRequest) -> ApplyTaskSetResponse;
    }
}

rpcs! { Api, DigestService:
    digest {
        get_digest(GetDigestRequest) -> GetDigestResponse;
        find_groups(FindGroupsRequest) -> FindGroupsResponse;
    }
}

rpcs! { Api, StaffService:
    staff {
        count_equipment(CountEquipmentRequest) -> CountEquipmentResponse;
    }
}
