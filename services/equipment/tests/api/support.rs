//! A service with a separate company for each test, and short calls.

use std::sync::atomic::{AtomicBool, Ordering};

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_equipment::maintenance::{Difference, Mode, rebuild};
use hourmeter_equipment::{MIGRATIONS, routes};
use hourmeter_proto::common::v1::PageRequest;
use hourmeter_proto::equipment::v1;
use hourmeter_proto::equipment::v1::equipment_service_client::EquipmentServiceClient;
use hourmeter_runtime::client::Backend;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::{Database, connect_admin};
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::events::Events;
use hourmeter_runtime::idempotency::IDEMPOTENCY_HEADER;
use hourmeter_runtime::identity::{Identity, Service, Tenant};
use hourmeter_runtime::testing::{self, TestDatabase, as_person, as_relay};
use secrecy::SecretString;
use sqlx::{AssertSqlSafe, Executor as _};
use tonic::{Request, Response, Status};
use uuid::Uuid;

pub type CallResult<T> = Result<T, ServiceError>;

/// The time at which tests start.
pub const NOON: &str = "2026-03-10T12:00:00Z";

/// Database connections of the service.
pub const CONNECTIONS: usize = 8;

/// When dropped, checks that projections match the ledger: for the owner's company, and for all
/// companies of a separate database.
pub struct World {
    pub database: TestDatabase,
    /// Other tests use the database too.
    is_shared: bool,
    pub clock: Clock,
    pub backend: Backend,
    pub owner: Identity,
    pub events: Events,
    /// The test left wrong projections on purpose.
    wrong_projections_allowed: AtomicBool,
}

impl Drop for World {
    fn drop(&mut self) {
        if std::thread::panicking() || self.wrong_projections_allowed.load(Ordering::Relaxed) {
            return;
        }
        let url = self.database.url.clone();
        let only = self.is_shared.then(|| self.owner.tenant());
        // The test's own runtime can't block here.
        let check = move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            runtime.unwrap().block_on(differences(&url, only))
        };
        let found = std::thread::spawn(check).join().unwrap();
        assert_eq!(found, [], "projections differ at the end of the test");
    }
}

/// Differences of one company, or of all.
async fn differences(url: &SecretString, only: Option<Tenant>) -> Vec<Difference> {
    let database = Database::connect(url, 1).unwrap();
    let mut tenants: Vec<_> = only.into_iter().collect();
    if tenants.is_empty() {
        let companies = "SELECT company_id FROM companies_with_equipment($1, 1000)";
        let companies: Vec<Uuid> = sqlx::query_scalar(companies)
            .bind(Uuid::nil())
            .fetch_all(&mut *database.lookup().await.unwrap())
            .await
            .unwrap();
        tenants.extend(companies.into_iter().map(Tenant::from_lookup));
    }
    let mut found = Vec::new();
    for tenant in tenants {
        found.extend(rebuild(&database, tenant, Mode::Check).await.unwrap());
    }
    database.close().await;
    found
}

/// Everything visible about one machine.
pub type State = (v1::Equipment, Vec<v1::HistoryRecord>);

pub fn fold<T>(answer: Result<Response<T>, Status>) -> CallResult<T> {
    answer
        .map(Response::into_inner)
        .map_err(|status| ServiceError::from_status(&status))
}

impl World {
    /// Uses the database that tests share.
    pub async fn new() -> Self {
        let database = testing::shared_database(Service::Equipment, &MIGRATIONS).await;
        let mut world = Self::on(database, testing::owner());
        world.is_shared = true;
        world
    }

    /// Uses a separate database: for tests that read or change rows across companies, or that need
    /// a vacuumed table.
    pub async fn with_own_database() -> Self {
        let database = testing::database(Service::Equipment, &MIGRATIONS).await;
        Self::on(database, testing::owner())
    }

    /// The service on this database, for a company that may have rows already.
    pub fn on(database: TestDatabase, owner: Identity) -> Self {
        let clock = Clock::fixed(NOON.parse().unwrap());
        let events = Events::local();
        let routes = routes(database.database.clone(), clock.clone(), events.clone());
        let backend = testing::backend(Service::Equipment, routes, clock.clone());
        Self {
            database,
            is_shared: false,
            clock,
            backend,
            owner,
            events,
            wrong_projections_allowed: AtomicBool::new(false),
        }
    }

    pub fn client(&self) -> EquipmentServiceClient<Backend> {
        EquipmentServiceClient::new(self.backend.clone())
    }

    pub fn later(&self, by: TimeDelta) -> DateTime<Utc> {
        let now = self.clock.now() + by;
        self.clock.set(now);
        now
    }

    /// Asserts that projections match the ledger.
    pub async fn check_projections(&self) {
        assert_eq!(self.rebuild(Mode::Check).await, []);
    }

    pub async fn rebuild(&self, mode: Mode) -> Vec<Difference> {
        let tenant = self.owner.tenant();
        rebuild(&self.database.database, tenant, mode)
            .await
            .unwrap()
    }

    /// Runs a statement as a superuser, bypassing all rules.
    pub async fn tamper(&self, sql: &str) {
        let mut admin = connect_admin(&self.database.admin_url).await.unwrap();
        admin.execute(AssertSqlSafe(sql.to_owned())).await.unwrap();
    }

    /// The test leaves wrong projections.
    pub fn allow_wrong_projections(&self) {
        self.wrong_projections_allowed
            .store(true, Ordering::Relaxed);
    }

    /// Vacuums the equipment table so that every page is all-visible and index-only scans are
    /// possible. One vacuum may not suffice: it skips rows that another session's snapshot may not
    /// see yet, such as those of tests that run at the same time.
    pub async fn vacuum(&self) {
        let mut admin = connect_admin(&self.database.admin_url).await.unwrap();
        let visible =
            "SELECT relallvisible = relpages FROM pg_class WHERE oid = 'equipment'::regclass";
        for _ in 0..200 {
            // Waits for a page in use only to freeze its rows.
            let vacuum = sqlx::query("VACUUM (FREEZE, ANALYZE) equipment");
            vacuum.execute(&mut admin).await.unwrap();
            if sqlx::query_scalar(visible)
                .fetch_one(&mut admin)
                .await
                .unwrap()
            {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
        panic!("pages of the equipment remain that are not known to be visible to all");
    }

    /// Opens all connections before a concurrency test: on a busy machine this takes so long that
    /// the first calls would time out.
    pub async fn warm_up(&self) {
        loop {
            let request = || {
                let message = v1::GetSummaryRequest {};
                as_person(Service::Equipment, &self.owner, message)
            };
            let calls =
                (0..CONNECTIONS).map(|_| async move { self.client().get_summary(request()).await });
            let answers = futures::future::join_all(calls).await;
            if answers.iter().all(Result::is_ok) {
                return;
            }
        }
    }

    pub async fn create(&self, input: v1::EquipmentInput) -> CallResult<v1::Equipment> {
        self.create_as(&self.owner, input).await
    }

    pub async fn create_as(
        &self,
        who: &Identity,
        input: v1::EquipmentInput,
    ) -> CallResult<v1::Equipment> {
        let equipment = Some(input);
        let message = v1::CreateEquipmentRequest { equipment };
        let request = as_person(Service::Equipment, who, message);
        let answer = fold(self.client().create_equipment(request).await)?;
        Ok(answer.equipment.unwrap())
    }

    pub async fn update(
        &self,
        id: &str,
        input: v1::EquipmentInput,
        expected_version: Option<u64>,
    ) -> CallResult<v1::Equipment> {
        self.update_as(&self.owner, id, input, expected_version)
            .await
    }

    pub async fn update_as(
        &self,
        who: &Identity,
        id: &str,
        input: v1::EquipmentInput,
        expected_version: Option<u64>,
    ) -> CallResult<v1::Equipment> {
        let message = v1::UpdateEquipmentRequest {
            id: id.to_owned(),
            equipment: Some(input),
            expected_version,
        };
        let request = as_person(Service::Equipment, who, message);
        let answer = fold(self.client().update_equipment(request).await)?;
        Ok(answer.equipment.unwrap())
    }

    pub async fn get(&self, id: &str) -> CallResult<v1::Equipment> {
        let message = v1::GetEquipmentRequest { id: id.to_owned() };
        let request = as_person(Service::Equipment, &self.owner, message);
        let answer = fold(self.client().get_equipment(request).await)?;
        Ok(answer.equipment.unwrap())
    }

    pub async fn list(
        &self,
        message: v1::ListEquipmentRequest,
    ) -> CallResult<(Vec<String>, String)> {
        let request = as_person(Service::Equipment, &self.owner, message);
        let answer = fold(self.client().list_equipment(request).await)?;
        let names = answer.equipment.into_iter().map(|item| item.name).collect();
        Ok((names, answer.page.unwrap_or_default().next_cursor))
    }

    pub async fn names(&self) -> Vec<String> {
        let all = v1::ListEquipmentRequest::default();
        self.list(all).await.unwrap().0
    }

    pub async fn delete(&self, id: &str) -> CallResult<v1::DeleteEquipmentResponse> {
        let message = v1::DeleteEquipmentRequest { id: id.to_owned() };
        let request = as_person(Service::Equipment, &self.owner, message);
        fold(self.client().delete_equipment(request).await)
    }

    pub async fn record(&self, message: v1::RecordUsageRequest) -> CallResult<v1::Equipment> {
        let request = as_person(Service::Equipment, &self.owner, message);
        let answer = fold(self.client().record_usage(request).await)?;
        Ok(answer.equipment.unwrap())
    }

    /// Records usage with an idempotency key.
    pub async fn record_once(
        &self,
        who: &Identity,
        key: &str,
        message: v1::RecordUsageRequest,
    ) -> CallResult<v1::Equipment> {
        let request = keyed(key, as_person(Service::Equipment, who, message));
        let answer = fold(self.client().record_usage(request).await)?;
        Ok(answer.equipment.unwrap())
    }

    pub async fn serviced(&self, message: v1::MarkServicedRequest) -> CallResult<v1::Equipment> {
        self.serviced_as(&self.owner, message).await
    }

    pub async fn serviced_as(
        &self,
        who: &Identity,
        message: v1::MarkServicedRequest,
    ) -> CallResult<v1::Equipment> {
        let request = as_person(Service::Equipment, who, message);
        let answer = fold(self.client().mark_serviced(request).await)?;
        Ok(answer.equipment.unwrap())
    }

    pub async fn note(&self, id: &str, content: &str) -> CallResult<v1::Note> {
        self.add_note(v1::AddNoteRequest {
            equipment_id: id.to_owned(),
            content: content.to_owned(),
            r#type: 0,
        })
        .await
    }

    pub async fn add_note(&self, message: v1::AddNoteRequest) -> CallResult<v1::Note> {
        let request = as_person(Service::Equipment, &self.owner, message);
        Ok(fold(self.client().add_note(request).await)?.note.unwrap())
    }

    pub async fn notes(&self, id: &str) -> CallResult<Vec<v1::Note>> {
        let message = v1::ListNotesRequest {
            equipment_id: id.to_owned(),
            page: None,
        };
        let request = as_person(Service::Equipment, &self.owner, message);
        Ok(fold(self.client().list_notes(request).await)?.notes)
    }

    pub async fn history(&self, id: &str) -> CallResult<Vec<v1::HistoryRecord>> {
        let message = v1::ListHistoryRequest {
            equipment_id: id.to_owned(),
            ..Default::default()
        };
        Ok(self.history_page(message).await?.records)
    }

    pub async fn history_page(
        &self,
        message: v1::ListHistoryRequest,
    ) -> CallResult<v1::ListHistoryResponse> {
        let request = as_person(Service::Equipment, &self.owner, message);
        fold(self.client().list_history(request).await)
    }

    /// Voids an entry, as the preview says.
    pub async fn void(&self, id: &str, entry: &str) -> CallResult<v1::VoidEntryResponse> {
        let preview = self.preview_void(&self.owner, id, entry).await;
        let voided = self.void_as(&self.owner, void(id, entry)).await;
        if let (Ok(preview), Ok(voided)) = (preview, &voided) {
            let found = voided.equipment.as_ref().unwrap();
            assert_eq!(
                (preview.current_usage, preview.meter_reading),
                (found.current_usage, found.meter_reading)
            );
        }
        voided
    }

    pub async fn preview_void(
        &self,
        who: &Identity,
        id: &str,
        entry: &str,
    ) -> CallResult<v1::PreviewVoidResponse> {
        let message = v1::PreviewVoidRequest {
            equipment_id: id.to_owned(),
            entry_id: entry.to_owned(),
        };
        let request = as_person(Service::Equipment, who, message);
        fold(self.client().preview_void(request).await)
    }

    pub async fn void_as(
        &self,
        who: &Identity,
        message: v1::VoidEntryRequest,
    ) -> CallResult<v1::VoidEntryResponse> {
        let request = as_person(Service::Equipment, who, message);
        fold(self.client().void_entry(request).await)
    }

    pub async fn edit_service_as(
        &self,
        who: &Identity,
        message: v1::EditServiceRequest,
    ) -> CallResult<v1::EditServiceResponse> {
        let request = as_person(Service::Equipment, who, message);
        fold(self.client().edit_service(request).await)
    }

    /// Id of the newest entry.
    pub async fn newest(&self, id: &str) -> String {
        let history = self.history(id).await.unwrap();
        history.into_iter().next().unwrap().id
    }

    pub async fn fuel(
        &self,
        message: v1::GetFuelSummaryRequest,
    ) -> CallResult<v1::GetFuelSummaryResponse> {
        self.fuel_as(&self.owner, message).await
    }

    /// Fuel summary for a company whose plan includes it.
    pub async fn fuel_as(
        &self,
        who: &Identity,
        message: v1::GetFuelSummaryRequest,
    ) -> CallResult<v1::GetFuelSummaryResponse> {
        let mut who = who.clone();
        who.entitlements.fuel_analytics = true;
        let request = as_person(Service::Equipment, &who, message);
        fold(self.client().get_fuel_summary(request).await)
    }

    pub async fn reset_fuel(&self) -> CallResult<v1::ResetFuelResponse> {
        let message = v1::ResetFuelRequest {};
        let request = as_person(Service::Equipment, &self.owner, message);
        fold(self.client().reset_fuel(request).await)
    }

    pub async fn retired(&self, id: &str) -> CallResult<v1::RetiredEquipment> {
        let equipment_id = id.to_owned();
        let message = v1::GetRetiredRequest { equipment_id };
        let request = as_person(Service::Equipment, &self.owner, message);
        let answer = fold(self.client().get_retired(request).await)?;
        Ok(answer.retired.unwrap())
    }

    pub async fn retire(&self, id: &str, notes: &str) -> CallResult<v1::RetiredEquipment> {
        let message = v1::RetireEquipmentRequest {
            id: id.to_owned(),
            retirement_notes: notes.to_owned(),
        };
        let request = as_person(Service::Equipment, &self.owner, message);
        let answer = fold(self.client().retire_equipment(request).await)?;
        Ok(answer.retired.unwrap())
    }

    pub async fn restore(&self, archive_id: &str) -> CallResult<v1::Equipment> {
        self.restore_as(&self.owner, archive_id).await
    }

    pub async fn restore_as(&self, who: &Identity, archive_id: &str) -> CallResult<v1::Equipment> {
        let id = archive_id.to_owned();
        let message = v1::RestoreEquipmentRequest { id };
        let request = as_person(Service::Equipment, who, message);
        let answer = fold(self.client().restore_equipment(request).await)?;
        Ok(answer.equipment.unwrap())
    }

    pub async fn archive(&self, page: Option<PageRequest>) -> CallResult<v1::ListRetiredResponse> {
        let message = v1::ListRetiredRequest { page };
        let request = as_person(Service::Equipment, &self.owner, message);
        fold(self.client().list_retired(request).await)
    }

    pub async fn apply(
        &self,
        message: v1::ApplyOperatorUpdateRequest,
    ) -> CallResult<v1::ApplyOperatorUpdateResponse> {
        let request = as_relay(Service::Equipment, self.owner.company_id, message);
        fold(self.client().apply_operator_update(request).await)
    }

    pub async fn meter(&self, id: &str) -> CallResult<v1::GetMeterResponse> {
        let equipment_id = id.to_owned();
        let message = v1::GetMeterRequest { equipment_id };
        let request = as_relay(Service::Equipment, self.owner.company_id, message);
        fold(self.client().get_meter(request).await)
    }

    pub async fn apply_all(
        &self,
        updates: Vec<v1::ApplyOperatorUpdateRequest>,
    ) -> CallResult<Vec<v1::ApplyOperatorUpdateResult>> {
        let message = v1::ApplyOperatorUpdatesRequest { updates };
        let request = as_relay(Service::Equipment, self.owner.company_id, message);
        let answer = fold(self.client().apply_operator_updates(request).await)?;
        Ok(answer.results)
    }

    pub async fn replace(&self, message: v1::ReplaceMeterRequest) -> CallResult<v1::Equipment> {
        let request = as_person(Service::Equipment, &self.owner, message);
        let answer = fold(self.client().replace_meter(request).await)?;
        Ok(answer.equipment.unwrap())
    }

    /// Newest first.
    pub async fn segments(&self, id: &str) -> CallResult<Vec<v1::MeterSegment>> {
        let equipment_id = id.to_owned();
        let message = v1::ListMeterSegmentsRequest { equipment_id };
        let request = as_person(Service::Equipment, &self.owner, message);
        Ok(fold(self.client().list_meter_segments(request).await)?.segments)
    }

    pub async fn meters(&self, page: Option<PageRequest>) -> CallResult<v1::ListMetersResponse> {
        let message = v1::ListMetersRequest { page };
        let request = as_person(Service::Equipment, &self.owner, message);
        fold(self.client().list_meters(request).await)
    }

    pub async fn marker(&self) -> String {
        let message = v1::GetEquipmentMarkerRequest {};
        let request = as_person(Service::Equipment, &self.owner, message);
        let answer = fold(self.client().get_equipment_marker(request).await);
        answer.unwrap().marker
    }

    /// Everything about one machine, to compare before and after.
    pub async fn state(&self, id: &str) -> State {
        (self.get(id).await.unwrap(), self.history(id).await.unwrap())
    }
}

/// The minimum that makes equipment.
pub fn named(name: &str) -> v1::EquipmentInput {
    v1::EquipmentInput {
        name: Some(name.to_owned()),
        r#type: Some(v1::EquipmentType::Machinery.into()),
        unit: Some(v1::MeterUnit::Hours.into()),
        ..Default::default()
    }
}

/// With a meter that was read at 0.
pub fn new_meter(name: &str) -> v1::EquipmentInput {
    v1::EquipmentInput {
        meter_reading: Some(0.0),
        ..named(name)
    }
}

/// Adds an idempotency key.
pub fn keyed<T>(key: &str, mut request: Request<T>) -> Request<T> {
    let key = key.parse().unwrap();
    request.metadata_mut().insert(IDEMPOTENCY_HEADER, key);
    request
}

pub fn void(id: &str, entry: &str) -> v1::VoidEntryRequest {
    v1::VoidEntryRequest {
        equipment_id: id.to_owned(),
        entry_id: entry.to_owned(),
        reason: "Typing error".to_owned(),
    }
}

/// A manager's entry.
pub fn increase(id: &str, by: f64) -> v1::RecordUsageRequest {
    v1::RecordUsageRequest {
        id: id.to_owned(),
        usage_increase: Some(by),
        ..Default::default()
    }
}

pub fn with_usage(name: &str, usage: f64) -> v1::EquipmentInput {
    v1::EquipmentInput {
        current_usage: Some(usage),
        ..named(name)
    }
}

pub fn parts(names: &[&str]) -> v1::ServiceParts {
    let row = |name: &&str| v1::ServicePart {
        part: (*name).to_owned(),
        part_number: None,
        quantity: (!name.trim().is_empty()).then_some(1),
    };
    v1::ServiceParts {
        parts: names.iter().map(row).collect(),
    }
}

pub fn page(limit: u32, cursor: &str) -> PageRequest {
    PageRequest {
        limit,
        cursor: cursor.to_owned(),
    }
}

#[track_caller]
pub fn refused<T: std::fmt::Debug>(
    answer: CallResult<T>,
    kind: Kind,
    reason: &str,
) -> ServiceError {
    let failure = answer.expect_err("a refusal");
    assert_eq!((failure.kind, failure.reason.as_ref()), (kind, reason));
    failure
}

/// Asserts that exactly these fields were refused.
#[track_caller]
pub fn invalid_fields<T: std::fmt::Debug>(answer: CallResult<T>, fields: &[&str]) -> ServiceError {
    let failure = answer.expect_err("a refusal");
    assert_eq!(failure.kind, Kind::Invalid);
    assert_eq!(failure.reason, failure.fields[0].1.code);
    let found: Vec<&str> = failure
        .fields
        .iter()
        .map(|(field, _)| field.as_str())
        .collect();
    assert_eq!(found, fields, "{failure:?}");
    failure
}

#[track_caller]
pub fn not_found<T: std::fmt::Debug>(answer: CallResult<T>) {
    let failure = refused(answer, Kind::NotFound, "NOT_FOUND");
    assert_eq!(failure.message, "Not found.");
}

pub fn unknown_id() -> String {
    Uuid::now_v7().to_string()
}

/// Ids that name nothing, in several forms.
pub fn unknown_ids() -> [String; 4] {
    [unknown_id(), String::new(), "1".into(), "x'; --".into()]
}
