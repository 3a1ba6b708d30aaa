//! A service under test, its callers and its stored rows.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_operator_updates::{MIGRATIONS, start};
use hourmeter_proto::common::v1::PageRequest;
use hourmeter_proto::equipment::v1::MeterReplacement;
use hourmeter_proto::operator_updates::v1::operator_updates_service_client::OperatorUpdatesServiceClient;
use hourmeter_proto::operator_updates::v1::*;
use hourmeter_runtime::client::Backend;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::connect_admin;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::events::Events;
use hourmeter_runtime::identity::{Identity, Service, Signer};
use hourmeter_runtime::testing::{self, FakeNotifications, RELAY_SECRET, TestDatabase, as_person};
use sqlx::{AssertSqlSafe, PgConnection};
use tokio_util::sync::CancellationToken;
use tonic::Status;
use tonic::service::Routes;
use uuid::Uuid;

use crate::fake_equipment::FakeEquipment;

pub type Client = OperatorUpdatesServiceClient<Backend>;

pub struct TestUpdates {
    pub backend: Backend,
    pub clock: Clock,
    pub database: TestDatabase,
    pub equipment: FakeEquipment,
    pub notifications: FakeNotifications,
    pub events: Events,
    submissions: AtomicI64,
    stop: CancellationToken,
}

impl Drop for TestUpdates {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

fn serve(
    database: &TestDatabase,
    (equipment, notifications): (Backend, Backend),
    clock: &Clock,
    events: &Events,
    stop: &CancellationToken,
) -> Routes {
    let signer = Signer::new("operator-updates", &RELAY_SECRET).unwrap();
    start(
        database.database.clone(),
        clock.clone(),
        events.clone(),
        equipment,
        notifications,
        signer,
        &stop.clone().into(),
    )
}

/// The time at which tests start.
pub fn now() -> DateTime<Utc> {
    "2026-11-02T08:00:00Z".parse().unwrap()
}

pub fn timestamp(time: DateTime<Utc>) -> prost_types::Timestamp {
    prost_types::Timestamp {
        seconds: time.timestamp(),
        nanos: i32::try_from(time.timestamp_subsec_nanos()).unwrap(),
    }
}

pub fn reading(equipment_id: Uuid, new_usage: f64) -> SubmitUpdateRequest {
    SubmitUpdateRequest {
        equipment_id: equipment_id.to_string(),
        new_usage: Some(new_usage),
        ..SubmitUpdateRequest::default()
    }
}

pub fn reason(status: &Status) -> String {
    ServiceError::from_status(status).reason.into_owned()
}

impl TestUpdates {
    /// With the relay running, as in production.
    pub async fn new() -> Self {
        let equipment = FakeEquipment::default();
        let backend = equipment.backend();
        Self::on(equipment, backend, Clock::fixed(now())).await
    }

    /// With another equipment service than the fake.
    pub async fn with(equipment: Backend, clock: Clock) -> Self {
        Self::on(FakeEquipment::default(), equipment, clock).await
    }

    async fn on(equipment: FakeEquipment, backend: Backend, clock: Clock) -> Self {
        let database = testing::database(Service::OperatorUpdates, &MIGRATIONS).await;
        let events = Events::local();
        let stop = CancellationToken::new();
        let notifications = FakeNotifications::default();
        let backends = (backend, notifications.backend());
        let routes = serve(&database, backends, &clock, &events, &stop);
        Self {
            backend: testing::backend(Service::OperatorUpdates, routes, clock.clone()),
            clock,
            database,
            equipment,
            notifications,
            events,
            submissions: AtomicI64::new(0),
            stop,
        }
    }

    fn backends(&self) -> (Backend, Backend) {
        (self.equipment.backend(), self.notifications.backend())
    }

    /// Another process of this service on the same database.
    pub fn start_another(&self) -> Routes {
        serve(
            &self.database,
            self.backends(),
            &self.clock,
            &self.events,
            &self.stop,
        )
    }

    /// A relay without RPCs, until the token is cancelled.
    pub fn start_relay(&self) -> CancellationToken {
        let stop = CancellationToken::new();
        drop(serve(
            &self.database,
            self.backends(),
            &self.clock,
            &self.events,
            &stop,
        ));
        stop
    }

    /// With the relay stopped: only handlers deliver.
    pub async fn without_relay() -> Self {
        let updates = Self::new().await;
        updates.stop.cancel();
        updates
    }

    pub fn client(&self) -> Client {
        Client::new(self.backend.clone())
    }

    pub async fn submit(
        &self,
        by: &Identity,
        request: SubmitUpdateRequest,
    ) -> Result<SubmitUpdateResponse, Status> {
        let request = as_person(Service::OperatorUpdates, by, request);
        Ok(self.client().submit_update(request).await?.into_inner())
    }

    /// Submits a reading that was captured within the last second, after the earlier ones.
    pub async fn submitted(&self, by: &Identity, equipment: Uuid, usage: f64) -> OperatorUpdate {
        let place = self.submissions.fetch_add(1, Ordering::Relaxed);
        let captured_at = self.clock.now() - TimeDelta::milliseconds(1000 - place);
        let request = SubmitUpdateRequest {
            captured_at: Some(timestamp(captured_at)),
            ..reading(equipment, usage)
        };
        self.submit(by, request).await.unwrap().update.unwrap()
    }

    pub async fn apply(
        &self,
        by: &Identity,
        id: &str,
        new_usage: Option<f64>,
    ) -> Result<OperatorUpdate, Status> {
        self.decide(by, id, new_usage, None).await
    }

    /// Applies, with or without a meter replacement.
    pub async fn decide(
        &self,
        by: &Identity,
        id: &str,
        new_usage: Option<f64>,
        meter_replacement: Option<MeterReplacement>,
    ) -> Result<OperatorUpdate, Status> {
        let request = ApplyUpdateRequest {
            id: id.to_owned(),
            new_usage,
            meter_replacement,
            ..ApplyUpdateRequest::default()
        };
        self.apply_request(by, request).await
    }

    pub async fn apply_request(
        &self,
        by: &Identity,
        request: ApplyUpdateRequest,
    ) -> Result<OperatorUpdate, Status> {
        let request = as_person(Service::OperatorUpdates, by, request);
        let answer = self.client().apply_update(request).await?;
        Ok(answer.into_inner().update.unwrap())
    }

    pub async fn apply_many(
        &self,
        by: &Identity,
        ids: Vec<String>,
    ) -> Result<Vec<ApplyResult>, Status> {
        let request = ApplyUpdatesRequest { ids };
        let request = as_person(Service::OperatorUpdates, by, request);
        let answer = self.client().apply_updates(request).await?;
        Ok(answer.into_inner().results)
    }

    pub async fn reject(
        &self,
        by: &Identity,
        id: &str,
        reason: &str,
    ) -> Result<OperatorUpdate, Status> {
        let request = RejectUpdateRequest {
            id: id.to_owned(),
            reason: reason.to_owned(),
        };
        let request = as_person(Service::OperatorUpdates, by, request);
        let answer = self.client().reject_update(request).await?;
        Ok(answer.into_inner().update.unwrap())
    }

    pub async fn reject_many(
        &self,
        by: &Identity,
        ids: Vec<String>,
        reason: &str,
    ) -> Result<Vec<ApplyResult>, Status> {
        let reason = reason.to_owned();
        let request = RejectUpdatesRequest { ids, reason };
        let request = as_person(Service::OperatorUpdates, by, request);
        let answer = self.client().reject_updates(request).await?;
        Ok(answer.into_inner().results)
    }

    pub async fn withdraw(&self, by: &Identity, id: &str) -> Result<OperatorUpdate, Status> {
        let request = WithdrawUpdateRequest { id: id.to_owned() };
        let request = as_person(Service::OperatorUpdates, by, request);
        let answer = self.client().withdraw_update(request).await?;
        Ok(answer.into_inner().update.unwrap())
    }

    /// Undoes the last decision.
    pub async fn undo(&self, by: &Identity, id: &str) -> Result<OperatorUpdate, Status> {
        self.undo_named(by, id, UndoableDecision::Unspecified, "")
            .await
    }

    pub async fn undo_named(
        &self,
        by: &Identity,
        id: &str,
        decision: UndoableDecision,
        reason: &str,
    ) -> Result<OperatorUpdate, Status> {
        let request = UndoDecisionRequest {
            id: id.to_owned(),
            decision: decision.into(),
            reason: reason.to_owned(),
        };
        let request = as_person(Service::OperatorUpdates, by, request);
        let answer = self.client().undo_decision(request).await?;
        Ok(answer.into_inner().update.unwrap())
    }

    pub async fn undo_many(
        &self,
        by: &Identity,
        ids: Vec<String>,
    ) -> Result<Vec<ApplyResult>, Status> {
        let request = UndoDecisionsRequest {
            ids,
            ..UndoDecisionsRequest::default()
        };
        let request = as_person(Service::OperatorUpdates, by, request);
        let answer = self.client().undo_decisions(request).await?;
        Ok(answer.into_inner().results)
    }

    pub async fn acknowledge(&self, by: &Identity, id: &str) -> Result<OperatorUpdate, Status> {
        let request = AcknowledgeUpdateRequest { id: id.to_owned() };
        let request = as_person(Service::OperatorUpdates, by, request);
        let answer = self.client().acknowledge_update(request).await?;
        Ok(answer.into_inner().update.unwrap())
    }

    pub async fn acknowledge_many(
        &self,
        by: &Identity,
        ids: Vec<String>,
    ) -> Result<Vec<ApplyResult>, Status> {
        let request = AcknowledgeUpdatesRequest { ids };
        let request = as_person(Service::OperatorUpdates, by, request);
        let answer = self.client().acknowledge_updates(request).await?;
        Ok(answer.into_inner().results)
    }

    pub async fn move_to(
        &self,
        by: &Identity,
        id: &str,
        equipment_id: impl ToString,
    ) -> Result<OperatorUpdate, Status> {
        let request = MoveUpdateRequest {
            id: id.to_owned(),
            equipment_id: equipment_id.to_string(),
            wait: false,
        };
        self.move_update(by, request).await
    }

    pub async fn move_update(
        &self,
        by: &Identity,
        request: MoveUpdateRequest,
    ) -> Result<OperatorUpdate, Status> {
        let request = as_person(Service::OperatorUpdates, by, request);
        let answer = self.client().move_update(request).await?;
        Ok(answer.into_inner().update.unwrap())
    }

    pub async fn review(&self, by: &Identity, limit: u32) -> Result<ListReviewResponse, Status> {
        let request = ListReviewRequest { limit };
        let request = as_person(Service::OperatorUpdates, by, request);
        Ok(self.client().list_review(request).await?.into_inner())
    }

    pub async fn marker(&self, by: &Identity) -> String {
        let request = GetUpdatesMarkerRequest {};
        let request = as_person(Service::OperatorUpdates, by, request);
        let answer = self.client().get_updates_marker(request).await;
        answer.unwrap().into_inner().marker
    }

    pub async fn list(
        &self,
        by: &Identity,
        request: ListUpdatesRequest,
    ) -> Result<ListUpdatesResponse, Status> {
        let request = as_person(Service::OperatorUpdates, by, request);
        Ok(self.client().list_updates(request).await?.into_inner())
    }

    pub async fn last_reports(
        &self,
        by: &Identity,
        limit: u32,
        cursor: &str,
    ) -> ListLastReportsResponse {
        let page = PageRequest {
            limit,
            cursor: cursor.to_owned(),
        };
        let request = ListLastReportsRequest { page: Some(page) };
        let request = as_person(Service::OperatorUpdates, by, request);
        let answer = self.client().list_last_reports(request).await;
        answer.unwrap().into_inner()
    }

    /// An update as in the list.
    pub async fn row(&self, by: &Identity, id: &str) -> OperatorUpdate {
        let all = self.list(by, ListUpdatesRequest::default()).await.unwrap();
        all.updates.into_iter().find(|row| row.id == id).unwrap()
    }

    /// Waits until no decision is queued.
    pub async fn drained(&self) {
        for _ in 0..400 {
            if self.count("decisions").await == 0 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("decisions are left");
    }

    /// Waits until an update has this status.
    pub async fn wait_for(&self, by: &Identity, id: &str, status: UpdateStatus) -> OperatorUpdate {
        for _ in 0..200 {
            let row = self.row(by, id).await;
            if row.status() == status {
                return row;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{id} did not become {status:?}");
    }

    pub async fn admin(&self) -> PgConnection {
        connect_admin(&self.database.admin_url).await.unwrap()
    }

    pub async fn count(&self, table: &'static str) -> i64 {
        let sql = match table {
            "updates" => "SELECT count(*) FROM updates",
            "decisions" => "SELECT count(*) FROM decisions",
            "facts" => "SELECT count(*) FROM facts",
            other => panic!("no table {other}"),
        };
        let mut admin = self.admin().await;
        sqlx::query_scalar(sql).fetch_one(&mut admin).await.unwrap()
    }

    /// Runs a statement as superuser.
    pub async fn execute(&self, sql: &'static str) {
        sqlx::query(sql)
            .execute(&mut self.admin().await)
            .await
            .unwrap();
    }

    /// Changes all decisions that no transaction uses: the relay locks several of them in another order.
    pub async fn change_free_decisions(&self, change: &'static str) {
        let mut admin = self.admin().await;
        let companies = "SELECT DISTINCT company_id FROM decisions";
        let companies: Vec<Uuid> = sqlx::query_scalar(companies)
            .fetch_all(&mut admin)
            .await
            .unwrap();
        // A distributed database locks rows of one company at a time.
        for company in companies {
            let sql = format!(
                "UPDATE decisions SET {change}
                WHERE company_id = '{company}' AND update_id IN (
                    SELECT update_id
                    FROM decisions
                    WHERE company_id = '{company}'
                    FOR UPDATE SKIP LOCKED
                )"
            );
            let changed = sqlx::query(AssertSqlSafe(sql)).execute(&mut admin).await;
            changed.unwrap();
        }
    }
}
