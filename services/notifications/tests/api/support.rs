//! A service under test and its callers.

use std::time::Duration;

use chrono::{DateTime, Utc};
use hourmeter_notifications::{Backends, Channels, MIGRATIONS, start, start_channels};
use hourmeter_proto::common::v1::PageRequest;
use hourmeter_proto::notifications::v1::digest_service_client::DigestServiceClient;
use hourmeter_proto::notifications::v1::fact::What;
use hourmeter_proto::notifications::v1::notifications_service_client::NotificationsServiceClient;
use hourmeter_proto::notifications::v1::push_service_client::PushServiceClient;
use hourmeter_proto::notifications::v1::settings_service_client::SettingsServiceClient;
use hourmeter_proto::notifications::v1::*;
use hourmeter_runtime::client::Backend;
use hourmeter_runtime::clock::{Clock, timestamp};
use hourmeter_runtime::db::connect_admin;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::events::Events;
use hourmeter_runtime::identity::{Identity, Service, Signer};
use hourmeter_runtime::testing::{
    self, NOTIFICATIONS_SECRET, TestDatabase, as_equipment, as_person, as_relay,
};
use sqlx::AssertSqlSafe;
use tokio_util::sync::CancellationToken;
use tonic::Status;
use uuid::Uuid;

use crate::fake_contacts::FakeContacts;
use crate::fake_digest::FakeDigest;

pub type Client = NotificationsServiceClient<Backend>;

pub struct TestNotifications {
    pub backend: Backend,
    pub database: TestDatabase,
    pub events: Events,
    pub clock: Clock,
    pub digest: FakeDigest,
    stop: CancellationToken,
}

impl Drop for TestNotifications {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

fn signer() -> Signer {
    Signer::new("notifications", &NOTIFICATIONS_SECRET).unwrap()
}

pub fn now() -> DateTime<Utc> {
    "2026-11-02T08:00:00Z".parse().unwrap()
}

/// A fact for owner and managers.
pub fn flagged(key: &str) -> Fact {
    Fact {
        key: key.to_owned(),
        happened_at: Some(timestamp(now())),
        actor_id: String::new(),
        what: Some(What::FlaggedUpdate(FlaggedUpdate {
            update_id: Uuid::now_v7().to_string(),
            equipment_id: Uuid::now_v7().to_string(),
            equipment_name: "Excavator 7".to_owned(),
            operator_name: "Oscar Operator".to_owned(),
            flags: vec!["below".to_owned()],
        })),
    }
}

/// A machine is out of service.
pub fn out_of_service(key: &str, equipment_id: Uuid) -> Fact {
    Fact {
        what: Some(What::StatusChange(StatusChange {
            equipment_id: equipment_id.to_string(),
            equipment_name: "Excavator 7".to_owned(),
            status: "out_of_service".to_owned(),
            changed_by: "Olivia Owner".to_owned(),
        })),
        ..flagged(key)
    }
}

/// A fact for an operator.
pub fn returned(key: &str, to: &Identity) -> Fact {
    Fact {
        what: Some(What::ReturnedUpdate(ReturnedUpdate {
            update_id: Uuid::now_v7().to_string(),
            equipment_id: Uuid::now_v7().to_string(),
            equipment_name: "Excavator 7".to_owned(),
            operator_id: to.user_id.to_string(),
            reason: "Wrong machine".to_owned(),
            returned_by: "Olivia Owner".to_owned(),
            voided: true,
        })),
        ..flagged(key)
    }
}

impl TestNotifications {
    pub async fn new() -> Self {
        Self::with(&FakeContacts::default(), Channels::default()).await
    }

    pub async fn with(contacts: &FakeContacts, channels: Channels) -> Self {
        let database = testing::database(Service::Notifications, &MIGRATIONS).await;
        let (clock, events) = (Clock::fixed(now()), Events::local());
        let stop = CancellationToken::new();
        let background = stop.clone().into();
        let digest = FakeDigest::default();
        let service = Self {
            backend: {
                let (clock, events) = (clock.clone(), events.clone());
                let database = database.database.clone();
                let settings = channels.clone();
                let groups = (digest.equipment(), signer());
                let routes = start(
                    database,
                    clock.clone(),
                    events,
                    groups,
                    settings,
                    &background,
                );
                testing::backend(Service::Notifications, routes, clock)
            },
            database,
            events,
            clock,
            digest,
            stop,
        };
        service.start_channels(contacts, channels);
        service
    }

    /// Starts what sends, as another process does.
    pub fn start_channels(&self, contacts: &FakeContacts, channels: Channels) {
        let backends = Backends {
            accounts: contacts.backend(),
            equipment: self.digest.equipment(),
            operator_updates: self.digest.operator_updates(),
            billing: self.digest.billing(),
        };
        let (database, background) = (&self.database.database, self.stop.clone().into());
        start_channels(
            database,
            &self.clock,
            self.events.clone(),
            (backends, signer()),
            channels,
            &background,
        );
    }

    pub fn pushes(&self) -> PushServiceClient<Backend> {
        PushServiceClient::new(self.backend.clone())
    }

    pub fn settings(&self) -> SettingsServiceClient<Backend> {
        SettingsServiceClient::new(self.backend.clone())
    }

    pub fn digests(&self) -> DigestServiceClient<Backend> {
        DigestServiceClient::new(self.backend.clone())
    }

    pub fn client(&self) -> Client {
        Client::new(self.backend.clone())
    }

    pub async fn record(&self, company_id: Uuid, facts: Vec<Fact>) -> Result<(), Status> {
        let request = as_relay(
            Service::Notifications,
            company_id,
            RecordFactsRequest { facts },
        );
        self.client().record_facts(request).await.map(drop)
    }

    pub async fn list(&self, by: &Identity) -> Vec<Notification> {
        self.page(by, false, "", 0).await.notifications
    }

    pub async fn page(
        &self,
        by: &Identity,
        unread_only: bool,
        cursor: &str,
        limit: u32,
    ) -> ListNotificationsResponse {
        let page = PageRequest {
            limit,
            cursor: cursor.to_owned(),
        };
        let request = ListNotificationsRequest {
            unread_only,
            page: Some(page),
        };
        let request = as_person(Service::Notifications, by, request);
        let response = self.client().list_notifications(request).await;
        response.unwrap().into_inner()
    }

    pub async fn count(&self, by: &Identity) -> CountUnreadResponse {
        let request = as_person(Service::Notifications, by, CountUnreadRequest {});
        let response = self.client().count_unread(request).await;
        response.unwrap().into_inner()
    }

    pub async fn mark(&self, by: &Identity, numbers: Vec<i64>) -> Result<u32, Status> {
        let request = as_person(Service::Notifications, by, MarkReadRequest { numbers });
        let response = self.client().mark_read(request).await?;
        Ok(response.into_inner().unread)
    }

    pub async fn mark_all(&self, by: &Identity, up_to: i64) -> u32 {
        let request = as_person(Service::Notifications, by, MarkAllReadRequest { up_to });
        let response = self.client().mark_all_read(request).await;
        response.unwrap().into_inner().unread
    }

    pub async fn set_settings(
        &self,
        by: &Identity,
        settings: Settings,
    ) -> Result<(), ServiceError> {
        let message = SetSettingsRequest {
            settings: Some(settings),
        };
        let request = as_person(Service::Notifications, by, message);
        let set = self.settings().set_settings(request).await;
        set.map(drop)
            .map_err(|status| ServiceError::from_status(&status))
    }

    pub async fn set_watch(&self, by: &Identity, watch: Option<Watch>) -> Result<(), ServiceError> {
        let request = as_person(Service::Notifications, by, SetWatchRequest { watch });
        let set = self.settings().set_watch(request).await;
        set.map(drop)
            .map_err(|status| ServiceError::from_status(&status))
    }

    /// Records facts of equipment.
    pub async fn record_status(&self, company_id: Uuid, fact: Fact) -> Result<(), Status> {
        let request = as_equipment(
            Service::Notifications,
            company_id,
            RecordFactsRequest { facts: vec![fact] },
        );
        self.client().record_facts(request).await.map(drop)
    }

    /// Waits until there are this many of these rows.
    pub async fn wait_for(&self, what: &str, count: i64) {
        for _ in 0..400 {
            if self.count_rows(what).await == count {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("not {count} rows of {what}");
    }

    pub async fn count_rows(&self, what: &str) -> i64 {
        let mut admin = connect_admin(&self.database.admin_url).await.unwrap();
        let sql = AssertSqlSafe(format!("SELECT count(*) FROM {what}"));
        sqlx::query_scalar(sql).fetch_one(&mut admin).await.unwrap()
    }

    pub async fn text(&self, sql: &'static str) -> String {
        let mut admin = connect_admin(&self.database.admin_url).await.unwrap();
        sqlx::query_scalar(sql).fetch_one(&mut admin).await.unwrap()
    }

    /// Runs a statement as superuser.
    pub async fn execute(&self, sql: &'static str) {
        let mut admin = connect_admin(&self.database.admin_url).await.unwrap();
        sqlx::query(sql).execute(&mut admin).await.unwrap();
    }
}

/// Keys or machines are not in notifications; the numbers are.
pub fn numbers(notifications: &[Notification]) -> Vec<i64> {
    notifications.iter().map(|it| it.number).collect()
}
