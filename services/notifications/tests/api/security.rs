//! Mail about the security of people's accounts.

use hourmeter_proto::accounts::v1::{Language, ListContactsResponse};
use hourmeter_proto::notifications::v1::fact::What;
use hourmeter_proto::notifications::v1::notification::What as Shown;
use hourmeter_proto::notifications::v1::*;
use hourmeter_runtime::identity::{Identity, Service};
use hourmeter_runtime::testing::as_accounts;
use tonic::{Code, Status};

use crate::office::Office;
use crate::support::flagged;

impl Office {
    /// A fact about the owner's account.
    fn security_event(&self, key: &str, kind: SecurityEventKind, former_address: &str) -> Fact {
        Fact {
            what: Some(What::SecurityEvent(SecurityEvent {
                person_id: self.owner.user_id.to_string(),
                kind: kind.into(),
                browser: "Chrome, Windows".to_owned(),
                former_address: former_address.to_owned(),
            })),
            ..flagged(key)
        }
    }

    async fn record_security(&self, fact: Fact) -> Result<(), Status> {
        let message = RecordFactsRequest { facts: vec![fact] };
        let company = self.owner.company_id;
        let request = as_accounts(Service::Notifications, company, message);
        self.app.client().record_facts(request).await.map(drop)
    }
}

#[tokio::test]
async fn event_is_listed_and_mailed_at_once_in_quiet_hours_too() {
    let office = Office::new().await;
    // 2:00 in Chicago.
    let quiet = Settings {
        quiet_hours: Some(QuietHours { start: 0, end: 600 }),
        ..Settings::default()
    };
    office.app.set_settings(&office.owner, quiet).await.unwrap();
    let changed = office.security_event("a", SecurityEventKind::PasswordChanged, "");
    for _ in 0..2 {
        office.record_security(changed.clone()).await.unwrap();
    }
    let [mail] = office.sent().await.try_into().unwrap();
    for part in [
        "Subject: Your Hourmeter password was changed",
        "dana@example.com",
        "When: Nov 2, 2:00 am (CST)",
        "From: Chrome, Windows",
        "https://hm.example/profile",
    ] {
        assert!(mail.contains(part), "{part} in {mail}");
    }
    assert!(!mail.contains("List-Unsubscribe"), "{mail}");
    let [shown] = office.app.list(&office.owner).await.try_into().unwrap();
    let Some(Shown::SecurityEvent(event)) = shown.what else {
        panic!("{shown:?}");
    };
    assert_eq!(event.kind(), SecurityEventKind::PasswordChanged);
    assert_eq!(event.browser, "Chrome, Windows");
    assert_eq!(office.app.count(&office.owner).await.unread, 1);
    // Nobody else sees it.
    let manager = Identity {
        user_id: uuid::Uuid::now_v7(),
        ..office.owner.clone()
    };
    assert!(office.app.list(&manager).await.is_empty());
}

#[tokio::test]
async fn event_is_mailed_in_the_readers_language() {
    let office = Office::new().await;
    office.set_contact(true, Language::Spanish);
    let removed = office.security_event("a", SecurityEventKind::PasskeyRemoved, "");
    office.record_security(removed).await.unwrap();
    let [mail] = office.sent().await.try_into().unwrap();
    assert!(
        mail.contains("Subject: Se =?utf-8?") || mail.contains("Subject: Se quit"),
        "{mail}"
    );
    assert!(mail.contains("Desde: Chrome, Windows"), "{mail}");
}

#[tokio::test]
async fn former_verified_address_is_mailed_and_not_shown() {
    let office = Office::new().await;
    office.set_contact(false, Language::English);
    let former = "former@example.com";
    let changed = office.security_event("a", SecurityEventKind::EmailChanged, former);
    office.record_security(changed).await.unwrap();
    let [mail] = office.sent().await.try_into().unwrap();
    assert!(mail.contains("To: Dana <former@example.com>"), "{mail}");
    assert!(
        mail.contains("Subject: Your Hourmeter email address was changed"),
        "{mail}"
    );
    // Nothing to the new address, which is not verified.
    assert_eq!(
        office
            .app
            .count_rows("messages WHERE state = 'suppressed'")
            .await,
        1
    );
    let [shown] = office.app.list(&office.owner).await.try_into().unwrap();
    let Some(Shown::SecurityEvent(event)) = shown.what else {
        panic!("{shown:?}");
    };
    assert_eq!(event.former_address, "");
}

#[tokio::test]
async fn unverified_address_and_removed_person_get_no_mail() {
    let office = Office::new().await;
    office.set_contact(false, Language::English);
    let changed = office.security_event("a", SecurityEventKind::PasswordChanged, "");
    office.record_security(changed).await.unwrap();
    assert!(office.sent().await.is_empty());
    office.contacts.state().contacts = Some(ListContactsResponse {
        time_zone: "America/Chicago".to_owned(),
        ..ListContactsResponse::default()
    });
    let changed = office.security_event("b", SecurityEventKind::EmailChanged, "former@example.com");
    office.record_security(changed).await.unwrap();
    assert!(office.sent().await.is_empty());
    assert_eq!(office.app.list(&office.owner).await.len(), 2);
}

#[tokio::test]
async fn read_event_is_mailed_too() {
    let office = Office::new().await;
    office.contacts.state().down = true;
    let changed = office.security_event("a", SecurityEventKind::NewBrowser, "");
    office.record_security(changed).await.unwrap();
    office.app.wait_for("messages WHERE problem <> ''", 1).await;
    let [shown] = office.app.list(&office.owner).await.try_into().unwrap();
    office.app.mark_all(&office.owner, shown.number).await;
    office.contacts.state().down = false;
    office
        .app
        .execute("UPDATE messages SET next_try_at = now(), problem = ''")
        .await;
    assert_eq!(office.sent().await.len(), 1);
}

#[tokio::test]
async fn event_of_a_later_release_is_refused() {
    let office = Office::new().await;
    let unknown = office.security_event("a", SecurityEventKind::Unspecified, "");
    let refused = office.record_security(unknown).await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    assert!(office.app.list(&office.owner).await.is_empty());
}

#[tokio::test]
async fn event_of_another_service_is_refused() {
    let office = Office::new().await;
    let changed = office.security_event("a", SecurityEventKind::EmailChanged, "any@example.com");
    let company = office.owner.company_id;
    let refused = office.app.record(company, vec![changed]).await.unwrap_err();
    assert_eq!(refused.code(), Code::PermissionDenied);
    assert!(office.app.list(&office.owner).await.is_empty());
}
