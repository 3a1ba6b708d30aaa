//! The digest: its schedule, content and end.

use std::time::Duration;

use chrono::{DateTime, Utc};
use hourmeter_notifications::{Channels, MailSettings};
use hourmeter_proto::accounts::v1::{Contact, Language, ListContactsResponse, SilentDevice};
use hourmeter_proto::billing::v1::{Entitlements, Subscription};
use hourmeter_proto::equipment::v1::{DigestMachines, Equipment, MeterUnit, ServiceTask};
use hourmeter_proto::notifications::v1::*;
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::{Identity, Service};
use hourmeter_runtime::testing::{as_edge, as_person, operator_of, owner};
use tempfile::TempDir;
use tonic::Code;

use crate::fake_contacts::FakeContacts;
use crate::mail::read;
use crate::support::TestNotifications;

/// 6:59 on a Tuesday in Chicago.
const BEFORE: &str = "2026-12-01T12:59:00Z";
const SEVEN: &str = "2026-12-01T13:00:00Z";

struct Office {
    app: TestNotifications,
    contacts: FakeContacts,
    mailbox: TempDir,
    owner: Identity,
}

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

/// A machine that is 50 hours overdue.
fn overdue(name: &str) -> DigestMachines {
    let task = ServiceTask {
        name: "Oil & filter".to_owned(),
        next_due_usage: Some(200.0),
        ..ServiceTask::default()
    };
    let machine = Equipment {
        id: format!("id-of-{name}"),
        name: name.to_owned(),
        unit_number: Some("EX-7".to_owned()),
        unit: MeterUnit::Hours.into(),
        current_usage: 250.0,
        tasks: vec![task],
        ..Equipment::default()
    };
    DigestMachines {
        machines: vec![machine],
        total: 1,
    }
}

impl Office {
    async fn new() -> Self {
        let contacts = FakeContacts::default();
        let mailbox = tempfile::tempdir().unwrap();
        let owner = owner();
        let office = Self {
            app: TestNotifications::with(&contacts, mail(&mailbox)).await,
            contacts,
            mailbox,
            owner,
        };
        office.app.clock.set(at(BEFORE));
        office.set_contact(true, Language::English);
        office.app.digest.state().equipment.overdue = Some(overdue("Excavator"));
        office
    }

    fn set_contact(&self, verified: bool, language: Language) {
        let contact = Contact {
            person_id: self.owner.user_id.to_string(),
            email: "dana@example.com".to_owned(),
            verified,
            name: "Dana".to_owned(),
            language: language.into(),
        };
        self.contacts.state().contacts = Some(ListContactsResponse {
            contacts: vec![contact],
            time_zone: "America/Chicago".to_owned(),
            stale_after_days: 9,
        });
    }

    async fn found(&self) -> GetDigestScheduleResponse {
        let request = as_person(
            Service::Notifications,
            &self.owner,
            GetDigestScheduleRequest {},
        );
        let found = self.app.digests().get_digest_schedule(request).await;
        found.unwrap().into_inner()
    }

    async fn schedule(&self) -> DigestSchedule {
        self.found().await.schedule.unwrap()
    }

    async fn former_weekdays(&self) -> Vec<u32> {
        self.found().await.former_weekdays
    }

    async fn set(&self, schedule: DigestSchedule) -> Result<(), ServiceError> {
        let message = SetDigestScheduleRequest {
            schedule: Some(schedule),
        };
        let request = as_person(Service::Notifications, &self.owner, message);
        let set = self.app.digests().set_digest_schedule(request).await;
        set.map(drop)
            .map_err(|status| ServiceError::from_status(&status))
    }

    /// Stores the schedule that people have by default.
    async fn start(&self) {
        self.set(self.schedule().await).await.unwrap();
        self.decided().await;
    }

    async fn stop(&self, key: &str) -> Result<(), ServiceError> {
        let message = StopDigestRequest {
            key: key.to_owned(),
            flagged_mail: false,
        };
        let request = as_edge(Service::Notifications, message);
        let stopped = self.app.digests().stop_digest(request).await;
        stopped
            .map(drop)
            .map_err(|status| ServiceError::from_status(&status))
    }

    async fn request(&self) {
        let request = as_person(Service::Notifications, &self.owner, SendDigestRequest {});
        let sent = self.app.digests().send_digest(request).await;
        assert!(sent.unwrap().into_inner().sandbox);
    }

    /// Waits until the scheduler has nothing to decide at this time.
    async fn decided(&self) {
        let now = self.app.clock.now().to_rfc3339();
        for _ in 0..400 {
            let due = format!("digests WHERE next_at <= '{now}'");
            if self.app.count_rows(&due).await == 0 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("digests are left");
    }

    /// Waits until all is decided and each message was tried; returns the mail sent so far.
    async fn sent(&self) -> Vec<String> {
        self.decided().await;
        let untried = "messages WHERE attempts = 0 OR state = 'queued' AND problem = ''";
        for _ in 0..400 {
            if self.app.count_rows(untried).await == 0 {
                return read(self.mailbox.path());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("messages are left");
    }

    async fn sent_at(&self, time: &str) -> Vec<String> {
        self.app.clock.set(at(time));
        self.sent().await
    }

    async fn queued(&self) -> i64 {
        self.app.count_rows("messages").await
    }

    /// The text of the last mail.
    async fn plain(&self) -> String {
        let request = as_person(
            Service::Notifications,
            &self.owner,
            ListSandboxMailRequest {},
        );
        let listed = self.app.client().list_sandbox_mail(request).await;
        listed.unwrap().into_inner().mail.remove(0).plain
    }

    async fn key(&self) -> String {
        self.app
            .text("SELECT unsubscribe_key::text FROM digests")
            .await
    }
}

fn mail(mailbox: &TempDir) -> Channels {
    let folder = mailbox.path().to_owned();
    Channels {
        mail: Some(MailSettings::folder(folder, "https://hm.example")),
        ..Channels::default()
    }
}

#[tokio::test]
async fn digest_is_mailed_once_a_day_at_its_time() {
    let office = Office::new().await;
    office.start().await;
    assert_eq!(office.queued().await, 0);
    let [mail] = office.sent_at(SEVEN).await.try_into().unwrap();
    let key = office.key().await;
    for part in [
        "Subject: Hourmeter: 1 overdue",
        "Tuesday, December 1",
        "- EX-7 Excavator: Oil & filter, 50 h overdue",
        "https://hm.example/equipment/item/id-of-Excavator",
        "Oil &amp; filter",
        "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
        &format!("https://hm.example/api/unsubscribe/{key}"),
        &format!("https://hm.example/unsubscribe#{key}"),
    ] {
        assert!(mail.contains(part), "{part}: {mail}");
    }
    assert_eq!(office.app.digest.state().requested.stale_after_days, 9);
    assert_eq!(office.sent_at("2026-12-01T15:00:00Z").await.len(), 1);
    assert_eq!(office.sent_at("2026-12-02T13:00:00Z").await.len(), 2);
}

#[tokio::test]
async fn digest_is_mailed_once_by_several_processes() {
    let office = Office::new().await;
    for _ in 0..3 {
        office
            .app
            .start_channels(&office.contacts, mail(&office.mailbox));
    }
    office.start().await;
    assert_eq!(office.sent_at(SEVEN).await.len(), 1);
    // Another start of the product, and a new choice of the same time.
    office
        .app
        .start_channels(&office.contacts, mail(&office.mailbox));
    office.start().await;
    assert_eq!(office.sent().await.len(), 1);
    assert_eq!(office.queued().await, 1);
}

#[tokio::test]
async fn digest_without_anything_to_say_is_not_mailed() {
    let office = Office::new().await;
    office.app.digest.state().equipment.overdue = None;
    office.start().await;
    assert!(office.sent_at(SEVEN).await.is_empty());
    assert_eq!(
        office.app.text("SELECT state FROM messages").await,
        "suppressed"
    );
}

#[tokio::test]
async fn requested_digest_is_mailed_without_anything_to_say() {
    let office = Office::new().await;
    office.app.digest.state().equipment.overdue = None;
    office.request().await;
    office.request().await;
    let [mail] = office.sent().await.try_into().unwrap();
    assert!(
        mail.contains("Subject: Hourmeter: nothing needs you today"),
        "{mail}"
    );
    // The morning's comes, too.
    office.app.digest.state().review.pending = 2;
    assert_eq!(office.sent_at(SEVEN).await.len(), 2);
}

#[tokio::test]
async fn digest_is_not_mailed_to_an_unverified_address() {
    let office = Office::new().await;
    office.set_contact(false, Language::English);
    office.start().await;
    office.request().await;
    assert!(office.sent_at(SEVEN).await.is_empty());
    office.set_contact(true, Language::English);
    assert_eq!(office.sent_at("2026-12-02T13:00:00Z").await.len(), 1);
}

#[tokio::test]
async fn digest_of_a_removed_person_ends() {
    let office = Office::new().await;
    office.start().await;
    office
        .contacts
        .state()
        .contacts
        .as_mut()
        .unwrap()
        .contacts
        .clear();
    assert!(office.sent_at(SEVEN).await.is_empty());
    assert_eq!(office.app.count_rows("digests").await, 0);
    // The company was deleted.
    office.set_contact(true, Language::English);
    office.app.clock.set(at("2026-12-02T12:59:00Z"));
    office.start().await;
    office.contacts.state().contacts = None;
    assert!(office.sent_at("2026-12-02T13:00:00Z").await.is_empty());
    assert_eq!(office.app.count_rows("digests").await, 0);
}

#[tokio::test]
async fn digest_that_is_three_hours_late_is_dropped() {
    let office = Office::new().await;
    office.start().await;
    office.contacts.state().down = true;
    office.app.clock.set(at(SEVEN));
    tokio::time::sleep(Duration::from_millis(1500)).await;
    office.app.clock.set(at("2026-12-01T16:00:00Z"));
    office.contacts.state().down = false;
    assert!(office.sent().await.is_empty());
    assert_eq!(office.queued().await, 0);

    // Queued in time, and not sent in time.
    office.app.digest.state().down = true;
    assert!(office.sent_at("2026-12-02T13:00:00Z").await.is_empty());
    office.app.clock.set(at("2026-12-02T16:00:01Z"));
    office.app.digest.state().down = false;
    let due = "UPDATE messages SET next_try_at = now(), problem = ''";
    office.app.execute(due).await;
    assert!(office.sent().await.is_empty());
    assert_eq!(office.app.text("SELECT state FROM messages").await, "late");
}

#[tokio::test]
async fn digest_has_the_readers_language_and_on_mondays_an_outlook() {
    let office = Office::new().await;
    office.set_contact(true, Language::Spanish);
    let due = ServiceTask {
        projected_due_date: "2026-12-20".to_owned(),
        remaining_usage: Some(12.25),
        ..ServiceTask::default()
    };
    {
        let mut state = office.app.digest.state();
        let mut machines = overdue("Cargador");
        machines.machines[0].tasks = vec![due];
        machines.total = 3;
        state.equipment.due = Some(machines);
        (state.review.pending, state.review.flagged) = (3, 1);
        let mut unread = overdue("Dozer");
        unread.machines[0].meter_age_days = Some(12);
        state.equipment.stale = Some(unread);
    }
    office.start().await;
    office.sent_at("2026-12-07T13:00:00Z").await;
    let mail = office.plain().await;
    for part in [
        "Lunes 7 de diciembre",
        "Vencidos (1)",
        "Oil & filter, vencido por 50 h",
        "Toca en las próximas cuatro semanas (3)",
        "Servicio regular, en 12.3 h, hacia el dom 20 dic",
        "y 2 más",
        "3 reportes, 1 marcado",
        "12 días sin lectura",
    ] {
        assert!(mail.contains(part), "{part}: {mail}");
    }
    assert_eq!(office.app.digest.state().requested.due_within_days, 28);
}

#[tokio::test]
async fn digest_begins_with_a_failed_payment() {
    let office = Office::new().await;
    office.app.digest.state().subscription.subscription = Some(Subscription {
        entitlements: Some(Entitlements::default()),
        now: Some(timestamp(at(SEVEN))),
        grace_end: Some(timestamp(at("2026-12-08T13:00:00Z"))),
        ..Subscription::default()
    });
    office.start().await;
    let [mail] = office.sent_at(SEVEN).await.try_into().unwrap();
    let subject = "Subject: Hourmeter: payment failed, 1 overdue";
    assert!(mail.contains(subject), "{mail}");
    let mail = office.plain().await;
    let row = "The payment failed: access ends on Tue, Dec 8";
    assert!(mail.contains(row), "{mail}");
    assert!(mail.contains("/subscription"), "{mail}");

    // It is enough for a digest.
    office.app.digest.state().equipment.overdue = None;
    assert_eq!(office.sent_at("2026-12-02T13:00:00Z").await.len(), 2);
}

#[tokio::test]
async fn digest_ends_with_the_key_of_its_mail() {
    let office = Office::new().await;
    office.start().await;
    for unknown in ["", "x", "01890000-0000-7000-8000-000000000000"] {
        assert_eq!(office.stop(unknown).await.unwrap_err().kind, Kind::NotFound);
    }
    let key = office.key().await;
    office.stop(&key).await.unwrap();
    office.stop(&key).await.unwrap();
    assert!(office.schedule().await.weekdays.is_empty());
    assert_eq!(office.former_weekdays().await, [1, 2, 3, 4, 5]);
    assert!(office.sent_at(SEVEN).await.is_empty());
    assert_eq!(office.queued().await, 0);
    let schedule = DigestSchedule::default();
    office.set(schedule).await.unwrap();
    assert_eq!(
        office.former_weekdays().await,
        [0; 0],
        "the person ended it"
    );
}

#[tokio::test]
async fn schedule_has_a_default_and_is_checked() {
    let office = Office::new().await;
    let usual = DigestSchedule {
        minute: 420,
        weekdays: vec![1, 2, 3, 4, 5],
    };
    assert_eq!(office.schedule().await, usual);
    for (minute, weekdays, field) in [
        (1440, vec![1], "schedule.minute"),
        (0, vec![0], "schedule.weekdays"),
        (0, vec![8], "schedule.weekdays"),
    ] {
        let failure = office.set(DigestSchedule { minute, weekdays }).await;
        assert_eq!(failure.unwrap_err().fields[0].0, field);
    }
    let weekdays = vec![7, 1, 7];
    let minute = 1439;
    office
        .set(DigestSchedule { minute, weekdays })
        .await
        .unwrap();
    let expected = DigestSchedule {
        minute,
        weekdays: vec![1, 7],
    };
    assert_eq!(office.schedule().await, expected);
    let operator = operator_of(&office.owner);
    let request = as_person(
        Service::Notifications,
        &operator,
        GetDigestScheduleRequest {},
    );
    let refused = office.app.digests().get_digest_schedule(request).await;
    assert_eq!(refused.unwrap_err().code(), Code::PermissionDenied);
}

#[tokio::test]
async fn verification_starts_the_digest() {
    let office = Office::new().await;
    let message = SendAddressVerificationRequest {};
    let request = as_person(Service::Notifications, &office.owner, message);
    let mut client = office.app.client();
    client.send_address_verification(request).await.unwrap();
    office.decided().await;
    assert_eq!(office.sent_at(SEVEN).await.len(), 1);
}

#[tokio::test]
async fn digest_lists_phones_that_missed_the_last_workday() {
    let office = Office::new().await;
    office.app.digest.state().equipment.overdue = None;
    let phones = (1..=6).map(|number| SilentDevice {
        label: format!("Crew truck {number}"),
        people: vec!["Juan".to_owned(), "María\r\nSalazar".to_owned()],
        last_contact: Some(timestamp(at("2026-11-28T04:00:00Z"))),
    });
    office.contacts.state().silent.0 = phones.collect();
    office.start().await;
    let [mail] = office.sent_at(SEVEN).await.try_into().unwrap();
    assert!(
        mail.contains("Subject: Hourmeter: 6 phones without contact"),
        "{mail}"
    );
    let plain = office.plain().await;
    for part in [
        "Phones without contact, maybe with unsent reports (6)",
        "- Crew truck 5: Juan, María Salazar: no contact since Fri, Nov 27",
        "- and 1 more\n  https://hm.example/employees",
    ] {
        assert!(plain.contains(part), "{part} in {plain}");
    }
    // Tuesday, so that Monday is the last workday.
    let requested = office.contacts.state().silent.1;
    assert_eq!(requested.until, Some(timestamp(at("2026-11-30T06:00:00Z"))));
    assert_eq!(requested.since, Some(timestamp(at("2026-11-16T06:00:00Z"))));
}
