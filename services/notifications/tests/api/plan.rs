//! Mail about the plan.

use hourmeter_proto::accounts::v1::{Contact, Language, ListContactsResponse};
use hourmeter_proto::notifications::v1::fact::What;
use hourmeter_proto::notifications::v1::notification::What as Shown;
use hourmeter_proto::notifications::v1::*;
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::identity::{Identity, Service};
use hourmeter_runtime::testing::{as_billing, as_equipment, as_person, operator_of};
use prost_types::Timestamp;
use tonic::{Code, Status};
use uuid::Uuid;

use crate::office::Office;
use crate::support::flagged;

/// The evening of November 8 in Chicago.
fn access_until() -> Timestamp {
    timestamp("2026-11-09T04:00:00Z".parse().unwrap())
}

fn failed(key: &str) -> Fact {
    Fact {
        what: Some(What::FailedPayment(FailedPayment {
            access_until: Some(access_until()),
        })),
        ..flagged(key)
    }
}

impl Office {
    async fn record_failed(&self, fact: Fact) -> Result<(), Status> {
        let message = RecordFactsRequest { facts: vec![fact] };
        let request = as_billing(Service::Notifications, self.owner.company_id, message);
        self.app.client().record_facts(request).await.map(drop)
    }

    /// Asks for a verification of the person's address.
    async fn verify(&self, person: &Identity) {
        let message = SendAddressVerificationRequest {};
        let request = as_person(Service::Notifications, person, message);
        let sent = self.app.client().send_address_verification(request).await;
        sent.unwrap();
        self.app
            .execute("DELETE FROM messages WHERE kind = 'address_verification'")
            .await;
    }

    fn another_manager(&self) -> Identity {
        Identity {
            user_id: Uuid::now_v7(),
            ..self.owner.clone()
        }
    }
}

fn contact(of: &Identity, email: &str, verified: bool, language: Language) -> Contact {
    Contact {
        person_id: of.user_id.to_string(),
        email: email.to_owned(),
        verified,
        language: language.into(),
        ..Contact::default()
    }
}

#[tokio::test]
async fn failed_payment_is_listed_and_mailed_to_verified_managers() {
    let office = Office::new().await;
    let (manager, unverified) = (office.another_manager(), office.another_manager());
    let owner = &office.owner;
    office.contacts.state().contacts = Some(ListContactsResponse {
        contacts: vec![
            contact(owner, "dana@example.com", true, Language::English),
            contact(&manager, "luis@example.com", true, Language::Spanish),
            contact(&unverified, "any@example.com", false, Language::English),
        ],
        time_zone: "America/Chicago".to_owned(),
        ..ListContactsResponse::default()
    });
    for person in [owner, &manager, &unverified] {
        office.verify(person).await;
    }
    for _ in 0..2 {
        office.record_failed(failed("a")).await.unwrap();
    }
    let mut mails = office.sent().await;
    mails.sort_by_key(|mail| mail.contains("luis@example.com"));
    let [english, spanish] = mails.try_into().unwrap();
    for part in [
        "dana@example.com",
        "Subject: Your Hourmeter payment failed",
        "open until Nov 8",
        "https://hm.example/subscription",
    ] {
        assert!(english.contains(part), "{part} in {english}");
    }
    assert!(!english.contains("List-Unsubscribe"), "{english}");
    assert!(spanish.contains("hasta el 8 nov"), "{spanish}");
    for person in [owner, &manager] {
        let [shown] = office.app.list(person).await.try_into().unwrap();
        let Some(Shown::FailedPayment(payment)) = shown.what else {
            panic!("{shown:?}");
        };
        assert_eq!(payment.access_until, Some(access_until()));
    }
    assert!(office.app.list(&operator_of(owner)).await.is_empty());
}

#[tokio::test]
async fn failed_payment_is_mailed_after_quiet_hours() {
    let office = Office::new().await;
    office.verify(&office.owner).await;
    // 2:00 in Chicago.
    let quiet = Settings {
        quiet_hours: Some(QuietHours { start: 0, end: 600 }),
        ..Settings::default()
    };
    office.app.set_settings(&office.owner, quiet).await.unwrap();
    office.record_failed(failed("a")).await.unwrap();
    let postponed = "messages WHERE kind = 'plan_mail' AND postponed_until IS NOT NULL";
    office.app.wait_for(postponed, 1).await;
    let loud = Settings::default();
    office.app.set_settings(&office.owner, loud).await.unwrap();
    office
        .app
        .execute("UPDATE messages SET next_try_at = now()")
        .await;
    assert_eq!(office.sent().await.len(), 1);
}

#[tokio::test]
async fn failed_payment_without_access_end_or_of_another_service_is_refused() {
    let office = Office::new().await;
    let endless = Fact {
        what: Some(What::FailedPayment(FailedPayment::default())),
        ..failed("a")
    };
    let refused = office.record_failed(endless).await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    let company = office.owner.company_id;
    let refused = office.app.record(company, vec![failed("a")]).await;
    assert_eq!(refused.unwrap_err().code(), Code::PermissionDenied);
    let flagged = office.record_failed(flagged("a")).await.unwrap_err();
    assert_eq!(flagged.code(), Code::PermissionDenied);
    assert!(office.app.list(&office.owner).await.is_empty());
}

#[tokio::test]
async fn limit_is_mailed_except_to_the_person_who_reached_it() {
    let office = Office::new().await;
    let manager = office.another_manager();
    office.contacts.state().contacts = Some(ListContactsResponse {
        contacts: vec![
            contact(&office.owner, "dana@example.com", true, Language::Spanish),
            contact(&manager, "luis@example.com", true, Language::English),
        ],
        time_zone: "America/Chicago".to_owned(),
        ..ListContactsResponse::default()
    });
    for person in [&office.owner, &manager] {
        office.verify(person).await;
    }
    let reached = Fact {
        actor_id: manager.user_id.to_string(),
        what: Some(What::LimitReached(LimitReached { limit: 15 })),
        ..flagged("a")
    };
    let message = RecordFactsRequest {
        facts: vec![reached],
    };
    let request = as_equipment(Service::Notifications, office.owner.company_id, message);
    office.app.client().record_facts(request).await.unwrap();
    let [mail] = office.sent().await.try_into().unwrap();
    assert!(mail.contains("dana@example.com"), "{mail}");
    assert!(mail.contains("Equipos en uso: 15 de 15."), "{mail}");
    let [shown] = office.app.list(&office.owner).await.try_into().unwrap();
    let limit = LimitReached { limit: 15 };
    assert_eq!(shown.what, Some(Shown::LimitReached(limit)));
    assert!(office.app.list(&manager).await.is_empty());
}
