//! An owner whose mail goes to a folder.

use hourmeter_notifications::{Channels, MailSettings};
use hourmeter_proto::accounts::v1::{Contact, Language, ListContactsResponse};
use hourmeter_runtime::identity::Identity;
use hourmeter_runtime::testing::owner;
use tempfile::TempDir;

use crate::fake_contacts::FakeContacts;
use crate::mail::read;
use crate::support::TestNotifications;

pub struct Office {
    pub app: TestNotifications,
    pub contacts: FakeContacts,
    pub mailbox: TempDir,
    pub owner: Identity,
}

impl Office {
    /// The address is verified.
    pub async fn new() -> Self {
        let (contacts, mailbox) = (FakeContacts::default(), tempfile::tempdir().unwrap());
        let folder = mailbox.path().to_owned();
        let channels = Channels {
            mail: Some(MailSettings::folder(folder, "https://hm.example")),
            ..Channels::default()
        };
        let office = Self {
            app: TestNotifications::with(&contacts, channels).await,
            contacts,
            mailbox,
            owner: owner(),
        };
        office.set_contact(true, Language::English);
        office
    }

    pub fn set_contact(&self, verified: bool, language: Language) {
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
            ..ListContactsResponse::default()
        });
    }

    /// Waits until each mail was tried; returns those sent so far.
    pub async fn sent(&self) -> Vec<String> {
        let queued = "messages WHERE state = 'queued' AND problem = ''";
        self.app.wait_for(queued, 0).await;
        read(self.mailbox.path())
    }
}
