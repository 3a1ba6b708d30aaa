//! Mail that verifies addresses.

use std::path::Path;
use std::time::Duration;

use chrono::TimeDelta;
use hourmeter_notifications::{Channels, MailSettings};
use hourmeter_proto::accounts::v1::{CreateMailLinkResponse, Language};
use hourmeter_proto::notifications::v1::{
    ListSandboxMailRequest, SandboxMail, SendAddressVerificationRequest, SendRecoveryLinkRequest,
};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Identity, Service};
use hourmeter_runtime::testing::{as_edge, as_person, owner};
use tempfile::TempDir;

use crate::fake_contacts::FakeContacts;
use crate::support::{TestNotifications, now};

struct Office {
    app: TestNotifications,
    contacts: FakeContacts,
    mailbox: TempDir,
}

impl Office {
    async fn new() -> Self {
        let contacts = FakeContacts::default();
        let mailbox = tempfile::tempdir().unwrap();
        let folder = mailbox.path().to_owned();
        let channels = Channels {
            mail: Some(MailSettings::folder(folder, "https://hm.example/")),
            ..Channels::default()
        };
        Self {
            app: TestNotifications::with(&contacts, channels).await,
            contacts,
            mailbox,
        }
    }

    fn add(&self, person: &Identity, email: &str, name: &str, language: Language) {
        let link = CreateMailLinkResponse {
            secret: format!("secret-{}", person.user_id),
            email: email.to_owned(),
            name: name.to_owned(),
            language: language.into(),
        };
        let mut state = self.contacts.state();
        state.links.insert(person.user_id.to_string(), link);
    }

    async fn request(&self, person: &Identity) {
        let message = SendAddressVerificationRequest {};
        let request = as_person(Service::Notifications, person, message);
        let mut client = self.app.client();
        client.send_address_verification(request).await.unwrap();
    }

    async fn request_recovery(&self, person: &Identity) {
        let message = SendRecoveryLinkRequest {
            company_id: person.company_id.to_string(),
            person_id: person.user_id.to_string(),
        };
        let request = as_edge(Service::Notifications, message);
        let mut client = self.app.client();
        client.send_recovery_link(request).await.unwrap();
    }

    /// Waits until each message was tried; returns the mail sent so far.
    async fn sent(&self) -> Vec<String> {
        let untried = "messages WHERE attempts = 0 OR state = 'queued' AND problem = ''";
        for _ in 0..200 {
            if self.app.count_rows(untried).await == 0 {
                return read(self.mailbox.path());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("messages are left");
    }

    async fn mailbox(&self, person: &Identity) -> Vec<SandboxMail> {
        let request = as_person(Service::Notifications, person, ListSandboxMailRequest {});
        let response = self.app.client().list_sandbox_mail(request).await;
        response.unwrap().into_inner().mail
    }

    async fn state(&self) -> String {
        self.app.text("SELECT state FROM messages").await
    }
}

/// The mail for mail programs; quoted-printable lines are joined.
pub fn read(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder).unwrap();
    let paths = files.map(|file| file.unwrap().path());
    paths
        .filter(|path| path.extension().is_some_and(|kind| kind == "eml"))
        .map(|path| std::fs::read_to_string(path).unwrap().replace("=\r\n", ""))
        .collect()
}

#[tokio::test]
async fn verification_is_mailed_in_the_readers_language() {
    let office = Office::new().await;
    let (english, spanish) = (owner(), owner());
    office.add(
        &english,
        "dana@example.com",
        "Dana <Ruiz>",
        Language::Unspecified,
    );
    office.add(
        &spanish,
        "lucia@example.com",
        "Lucía Peña",
        Language::Spanish,
    );
    office.request(&english).await;
    let [mail] = office.sent().await.try_into().unwrap();
    assert!(
        mail.contains("Subject: Verify your email for Hourmeter"),
        "{mail}"
    );
    assert!(mail.contains("dana@example.com"), "{mail}");
    let link = format!("https://hm.example/verify-email#secret-{}", english.user_id);
    assert_eq!(mail.matches(&link).count(), 3, "{mail}");
    assert!(mail.contains("Dana &lt;Ruiz&gt;"), "{mail}");
    assert_eq!(office.state().await, "sent");
    office.request(&spanish).await;
    let mail = office.sent().await;
    assert!(
        mail.iter()
            .any(|mail| mail.contains("Subject: Verifica tu correo")),
        "{mail:?}"
    );
}

#[tokio::test]
async fn repeat_within_a_minute_sends_nothing() {
    let office = Office::new().await;
    let dana = owner();
    office.add(&dana, "dana@example.com", "Dana", Language::English);
    for _ in 0..3 {
        office.request(&dana).await;
    }
    assert_eq!(office.sent().await.len(), 1);
    assert_eq!(office.app.count_rows("messages").await, 1);
}

#[tokio::test]
async fn removed_person_gets_nothing() {
    let office = Office::new().await;
    office.request(&owner()).await;
    assert!(office.sent().await.is_empty());
    assert_eq!(office.state().await, "suppressed");
}

#[tokio::test]
async fn invalid_address_fails() {
    let office = Office::new().await;
    let dana = owner();
    let injected = "dana@example.com\r\nBcc: all@example.com";
    office.add(&dana, injected, "Dana", Language::English);
    office.request(&dana).await;
    assert!(office.sent().await.is_empty());
    assert_eq!(office.state().await, "failed");
}

#[tokio::test]
async fn line_breaks_of_a_name_add_no_header() {
    let office = Office::new().await;
    let dana = owner();
    let name = "Dana\r\nBcc: all@example.com";
    office.add(&dana, "dana@example.com", name, Language::English);
    office.request(&dana).await;
    let mail = office.sent().await;
    assert!(mail.iter().all(|mail| !mail.contains("\r\nBcc:")));
}

#[tokio::test]
async fn mail_waits_while_accounts_is_down() {
    let office = Office::new().await;
    let dana = owner();
    office.add(&dana, "dana@example.com", "Dana", Language::English);
    office.contacts.state().down = true;
    office.request(&dana).await;
    assert!(office.sent().await.is_empty());
    assert_eq!(office.state().await, "queued");
    office.contacts.state().down = false;
    let due = "UPDATE messages SET next_try_at = now(), problem = ''";
    office.app.execute(due).await;
    assert_eq!(office.sent().await.len(), 1);
    assert_eq!(office.state().await, "sent");
}

#[tokio::test]
async fn mailbox_has_the_mail_of_the_company() {
    let office = Office::new().await;
    let (dana, stranger) = (owner(), owner());
    office.add(&dana, "dana@example.com", "Dana", Language::English);
    office.request(&dana).await;
    office.sent().await;
    let [mail] = office.mailbox(&dana).await.try_into().unwrap();
    assert_eq!(mail.to, "Dana <dana@example.com>");
    assert_eq!(mail.subject, "Verify your email for Hourmeter");
    assert!(mail.plain.contains("https://hm.example/verify-email#"));
    assert!(mail.sent_at.is_some());
    assert!(office.mailbox(&stranger).await.is_empty());
    let without = TestNotifications::new().await;
    let request = as_person(Service::Notifications, &dana, ListSandboxMailRequest {});
    let refused = without.client().list_sandbox_mail(request).await;
    assert_eq!(refused.unwrap_err().code(), tonic::Code::NotFound);
}

#[tokio::test]
async fn verification_without_mail_is_refused() {
    let service = TestNotifications::new().await;
    let message = SendAddressVerificationRequest {};
    let request = as_person(Service::Notifications, &owner(), message);
    let refused = service.client().send_address_verification(request).await;
    let failure = ServiceError::from_status(&refused.unwrap_err());
    assert_eq!(failure.reason, "MAIL_NOT_CONFIGURED");
    assert_eq!(service.count_rows("messages").await, 0);
}

#[tokio::test]
async fn messages_are_deleted_90_days_after_they_left_the_queue() {
    let office = Office::new().await;
    let (sent, kept, queued) = (owner(), owner(), owner());
    for person in [&sent, &kept] {
        office.add(person, "dana@example.com", "Dana", Language::English);
        office.request(person).await;
    }
    office.sent().await;
    office.contacts.state().down = true;
    office.request(&queued).await;
    office.sent().await;
    let app = &office.app;
    app.execute("UPDATE messages SET created_at = now() - interval '91 days'")
        .await;
    app.execute(
        "UPDATE messages SET done_at = now() - interval '91 days'
        WHERE id = (SELECT id FROM messages ORDER BY id LIMIT 1)",
    )
    .await;
    app.execute("SELECT forget_messages(1000)").await;
    assert_eq!(app.count_rows("messages WHERE state = 'sent'").await, 1);
    assert_eq!(app.count_rows("messages WHERE state = 'queued'").await, 1);
}

#[tokio::test]
async fn recovery_is_mailed_beside_a_verification() {
    let office = Office::new().await;
    let dana = owner();
    office.add(&dana, "dana@example.com", "Dana", Language::English);
    office.request(&dana).await;
    office.request_recovery(&dana).await;
    office.request_recovery(&dana).await;
    let mail = office.sent().await;
    assert_eq!(mail.len(), 2);
    let recovery = mail
        .iter()
        .find(|mail| mail.contains("Subject: Set a new Hourmeter password"));
    let link = format!("https://hm.example/new-password#secret-{}", dana.user_id);
    assert!(
        recovery.is_some_and(|mail| mail.contains(&link)),
        "{mail:?}"
    );
}

#[tokio::test]
async fn recovery_that_was_not_sent_in_time_is_dropped() {
    let office = Office::new().await;
    let dana = owner();
    office.add(&dana, "dana@example.com", "Dana", Language::English);
    office.contacts.state().down = true;
    office.request_recovery(&dana).await;
    office.sent().await;
    office.contacts.state().down = false;
    office.app.clock.set(now() + TimeDelta::minutes(31));
    let due = "UPDATE messages SET next_try_at = now(), problem = ''";
    office.app.execute(due).await;
    assert!(office.sent().await.is_empty());
    assert_eq!(office.state().await, "late");
}
