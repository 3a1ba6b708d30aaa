//! Phones on which operators sign in without signal.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hourmeter_proto::accounts::v1::*;
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::testing::as_notifications;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use uuid::Uuid;

use crate::support::{App, OPERATOR_PASSWORD, Signed, assert_fields, by, edge, read};

/// A phone with its key.
struct Phone {
    id: Uuid,
    key: EcdsaKeyPair,
}

impl Phone {
    fn new() -> Self {
        let (algorithm, random) = (&ECDSA_P256_SHA256_FIXED_SIGNING, SystemRandom::new());
        let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        Self {
            id: Uuid::new_v4(),
            key: EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random).unwrap(),
        }
    }

    fn enrolment(&self) -> EnrolDeviceRequest {
        EnrolDeviceRequest {
            id: self.id.to_string(),
            label: " Shop phone ".to_owned(),
            public_key: BASE64_URL_SAFE_NO_PAD.encode(self.key.public_key()),
        }
    }

    fn signed(&self, person: &str, payload: &str) -> VerifyDeviceRequest {
        let signature = self.key.sign(&SystemRandom::new(), payload.as_bytes());
        VerifyDeviceRequest {
            device_id: self.id.to_string(),
            person_id: person.to_owned(),
            payload: payload.into(),
            signature: BASE64_URL_SAFE_NO_PAD.encode(signature.unwrap()),
            origin: Some(ClientOrigin {
                address_prefix: "198.51.100.0/24".to_owned(),
            }),
        }
    }
}

impl App {
    async fn enrol(
        &self,
        who: &Signed,
        request: EnrolDeviceRequest,
    ) -> Result<EnrolDeviceResponse, ServiceError> {
        read(self.client().enrol_device(by(who, request)).await)
    }

    async fn verify(
        &self,
        request: VerifyDeviceRequest,
    ) -> Result<VerifyDeviceResponse, ServiceError> {
        read(self.client().verify_device(edge(request)).await)
    }

    async fn devices(&self, who: &Signed) -> Vec<Device> {
        let request = by(who, ListDevicesRequest {});
        read(self.client().list_devices(request).await)
            .unwrap()
            .devices
    }

    async fn remove_device(&self, who: &Signed, id: &str) -> Result<(), ServiceError> {
        let request = by(who, RemoveDeviceRequest { id: id.to_owned() });
        read(self.client().remove_device(request).await).map(drop)
    }

    async fn leave_device(&self, who: &Signed, id: &str) -> Result<(), ServiceError> {
        let request = by(who, LeaveDeviceRequest { id: id.to_owned() });
        read(self.client().leave_device(request).await).map(drop)
    }

    /// Adds an operator and signs in as them.
    async fn signed_operator(&self, owner: &Signed, first: &str) -> Signed {
        let username = self.operator(owner, first, "Wu").await.operator_username;
        let grant = self.operate(&username.unwrap(), OPERATOR_PASSWORD).await;
        self.signed(grant.unwrap()).await
    }
}

async fn company(app: &App, name: &str) -> Signed {
    let owner = app.company(name).await;
    app.set_operator_password(&owner).await;
    owner
}

/// A company's owner, an operator, and the phone that the operator has enrolled.
async fn enrolled() -> (App, Signed, Signed, Phone) {
    let app = App::new().await;
    let owner = company(&app, "Acme").await;
    let li = app.signed_operator(&owner, "Li").await;
    let phone = Phone::new();
    app.enrol(&li, phone.enrolment()).await.unwrap();
    (app, owner, li, phone)
}

fn refused(answer: Result<VerifyDeviceResponse, ServiceError>) -> (Kind, String) {
    let failure = answer.unwrap_err();
    (failure.kind, failure.message.to_string())
}

#[tokio::test]
async fn enrol_device_adds_further_people_and_is_repeatable() {
    let app = App::new().await;
    let owner = company(&app, "Acme").await;
    let (li, ana) = (
        app.signed_operator(&owner, "Li").await,
        app.signed_operator(&owner, "Ana").await,
    );
    let phone = Phone::new();
    let first = app.enrol(&li, phone.enrolment()).await.unwrap();
    assert!(first.created);
    assert_eq!(
        (&*first.label, &first.id),
        ("Shop phone", &phone.id.to_string())
    );
    assert_eq!(first.company_id, owner.user.company_id);
    for who in [&li, &ana] {
        let mut request = phone.enrolment();
        request.label = "Another label".to_owned();
        let again = app.enrol(who, request).await.unwrap();
        assert_eq!(
            again,
            EnrolDeviceResponse {
                created: false,
                ..first.clone()
            }
        );
    }
    // The shared session is a person of its own, with the company's name.
    let shared = app.operate("Acme", OPERATOR_PASSWORD).await.unwrap();
    app.enrol(&app.signed(shared).await, phone.enrolment())
        .await
        .unwrap();
    let [listed] = app.devices(&owner).await.try_into().unwrap();
    assert_eq!(
        (&*listed.label, &*listed.enrolled_by),
        ("Shop phone", "Li Wu")
    );
    let names: Vec<_> = listed.people.iter().map(|person| &*person.name).collect();
    assert_eq!(names, ["Acme", "Ana Wu", "Li Wu"]);
    assert_eq!(listed.removed_at, None);
    assert_eq!(app.audited("device_enrolled", "success", "true").await, 3);
}

#[tokio::test]
async fn enrol_device_refuses_invalid_requests() {
    let app = App::new().await;
    let owner = company(&app, "Acme").await;
    let li = app.signed_operator(&owner, "Li").await;
    let phone = Phone::new();
    let nothing = app
        .enrol(&li, EnrolDeviceRequest::default())
        .await
        .unwrap_err();
    assert_fields(&nothing, &["id", "publicKey", "label"]);
    let mut long = phone.enrolment();
    long.label = "x".repeat(61);
    assert_fields(
        &app.enrol(&li, long).await.unwrap_err(),
        &["label", "label"],
    );
    let manager = app.enrol(&owner, phone.enrolment()).await.unwrap_err();
    assert_eq!(manager.kind, Kind::Forbidden);

    app.enrol(&li, phone.enrolment()).await.unwrap();
    let other_key = EnrolDeviceRequest {
        public_key: Phone::new().enrolment().public_key,
        ..phone.enrolment()
    };
    let taken = app.enrol(&li, other_key).await.unwrap_err();
    assert_eq!(
        (taken.kind, &*taken.reason),
        (Kind::Conflict, "DEVICE_TAKEN")
    );
    app.execute(
        "INSERT INTO devices
            (company_id, id, label, public_key, enrolled_by, enrolled_at, last_contact)
        SELECT company_id, gen_random_uuid(), 'x', public_key, gen_random_uuid(), now(), now()
        FROM devices, generate_series(1, 499)",
    )
    .await;
    let full = app.enrol(&li, Phone::new().enrolment()).await.unwrap_err();
    assert_eq!((full.kind, &*full.reason), (Kind::Conflict, "DEVICE_LIMIT"));
    // A removed phone makes room, and is not enrolled again.
    app.remove_device(&owner, &phone.id.to_string())
        .await
        .unwrap();
    app.enrol(&li, Phone::new().enrolment()).await.unwrap();
    let gone = app.enrol(&li, phone.enrolment()).await.unwrap_err();
    assert_eq!((gone.kind, &*gone.reason), (Kind::Gone, "DEVICE_REMOVED"));
}

#[tokio::test]
async fn enrol_device_is_limited_by_person() {
    let app = App::new().await;
    let owner = company(&app, "Acme").await;
    let (li, ana) = (
        app.signed_operator(&owner, "Li").await,
        app.signed_operator(&owner, "Ana").await,
    );
    let phones: Vec<_> = (0..20).map(|_| Phone::new()).collect();
    for phone in &phones {
        app.enrol(&li, phone.enrolment()).await.unwrap();
    }
    let full = app.enrol(&li, Phone::new().enrolment()).await.unwrap_err();
    assert_eq!((full.kind, &*full.reason), (Kind::Conflict, "DEVICE_LIMIT"));
    // Not for phones of others, other people, and in place of removed phones.
    let of_ana = Phone::new();
    app.enrol(&ana, of_ana.enrolment()).await.unwrap();
    app.enrol(&li, of_ana.enrolment()).await.unwrap();
    app.remove_device(&owner, &phones[0].id.to_string())
        .await
        .unwrap();
    app.enrol(&li, Phone::new().enrolment()).await.unwrap();
}

#[tokio::test]
async fn list_devices_has_the_current_names() {
    let (app, owner, _, phone) = enrolled().await;
    let shared = app.operate("Acme", OPERATOR_PASSWORD).await.unwrap();
    app.enrol(&app.signed(shared).await, phone.enrolment())
        .await
        .unwrap();
    app.execute("UPDATE users SET last_name = 'Chen' WHERE role = 'operator'")
        .await;
    app.execute("UPDATE companies SET name = 'Acme Two'").await;
    let [listed] = app.devices(&owner).await.try_into().unwrap();
    let names: Vec<_> = listed.people.iter().map(|person| &*person.name).collect();
    assert_eq!(names, ["Acme Two", "Li Chen"]);
    assert_eq!(listed.enrolled_by, "Li Chen");
}

#[tokio::test]
async fn verify_device_returns_the_person_as_in_a_session() {
    let (app, owner, li, phone) = enrolled().await;
    app.execute("UPDATE devices SET last_contact = now() - interval '2 days'")
        .await;
    let verified = app.verify(phone.signed(&li.user.id, "{}")).await.unwrap();
    assert_eq!(&*verified.label, "Shop phone");
    assert_eq!(
        (verified.device_removed_at, verified.person_removed_at),
        (None, None)
    );
    let session = verified.session.unwrap();
    let resolved = app.resolve(&li.token).await.unwrap();
    assert_eq!(session.session_id, phone.id.to_string());
    assert_eq!(
        session,
        ResolveSessionResponse {
            session_id: session.session_id.clone(),
            authenticated_at: session.authenticated_at,
            ..resolved
        }
    );
    let contact = app.devices(&owner).await[0].last_contact.unwrap();
    assert!(contact.seconds >= session.authenticated_at.unwrap().seconds);
}

#[tokio::test]
async fn verify_device_refuses_everything_else_alike() {
    let (app, owner, li, phone) = enrolled().await;
    let ana = app.signed_operator(&owner, "Ana").await;
    let stranger = company(&app, "Borealis").await;
    let stranger = app.signed_operator(&stranger, "Max").await;
    let good = phone.signed(&li.user.id, "payload");
    let mut other_payload = good.clone();
    other_payload.payload.push(b' ');
    let other_phone = Phone {
        id: phone.id,
        key: Phone::new().key,
    };
    let mut answers = Vec::new();
    for request in [
        other_payload,
        other_phone.signed(&li.user.id, "payload"),
        VerifyDeviceRequest {
            signature: String::new(),
            ..good.clone()
        },
        phone.signed(&ana.user.id, "payload"),
        phone.signed(&stranger.user.id, "payload"),
        phone.signed("", "payload"),
        Phone::new().signed(&li.user.id, "payload"),
        VerifyDeviceRequest {
            device_id: "x".to_owned(),
            ..good.clone()
        },
    ] {
        answers.push(refused(app.verify(request).await));
    }
    assert!(
        answers.iter().all(|answer| *answer == answers[0]),
        "{answers:?}"
    );
    assert_eq!(answers[0].0, Kind::Unauthenticated);
    // The same id in another company does not interfere.
    let twin = Phone {
        id: phone.id,
        key: Phone::new().key,
    };
    app.enrol(&stranger, twin.enrolment()).await.unwrap();
    app.verify(good).await.unwrap();
    let theirs = app.verify(twin.signed(&stranger.user.id, "payload")).await;
    assert_eq!(
        theirs.unwrap().session.unwrap().company_id,
        stranger.user.company_id
    );
    refused(app.verify(twin.signed(&li.user.id, "payload")).await);
}

#[tokio::test]
async fn removals_are_reported_with_their_time() {
    let (app, owner, li, phone) = enrolled().await;
    let ana = app.signed_operator(&owner, "Ana").await;
    app.enrol(&ana, phone.enrolment()).await.unwrap();
    let id = phone.id.to_string();
    let verify = async |who: &Signed| app.verify(phone.signed(&who.user.id, "x")).await.unwrap();
    app.leave_device(&li, &id).await.unwrap();
    let left = verify(&li).await;
    app.leave_device(&li, &id).await.unwrap();
    assert_eq!(verify(&li).await.person_removed_at, left.person_removed_at);
    assert!(left.person_removed_at.is_some() && left.device_removed_at.is_none());
    assert_eq!(app.devices(&owner).await[0].people.len(), 1);
    assert_eq!(app.audited("device_removed", "success", "true").await, 1);
    app.enrol(&li, phone.enrolment()).await.unwrap();
    assert_eq!(verify(&li).await.person_removed_at, None);

    // A deleted person keeps the name, and loses the place on the list.
    let request = DeleteEmployeeRequest {
        id: ana.user.id.clone(),
    };
    read(app.client().delete_employee(by(&owner, request)).await).unwrap();
    let deleted = verify(&ana).await;
    assert!(deleted.person_removed_at.is_some());
    let session = deleted.session.unwrap();
    assert_eq!(
        (session.role(), session.scope()),
        (Role::Operator, Scope::Operator)
    );
    assert_eq!(
        (&*session.display_name, &session.user_id),
        ("Ana Wu", &ana.user.id)
    );
    assert_eq!(app.devices(&owner).await[0].people.len(), 1);
    // Deleted by a program of the last release, which does not know phones.
    app.execute("UPDATE device_people SET removed_at = NULL")
        .await;
    let deleted = verify(&ana).await;
    assert_eq!(
        deleted.person_removed_at,
        deleted.session.unwrap().authenticated_at
    );

    app.remove_device(&owner, &id).await.unwrap();
    let removed = verify(&li).await;
    app.remove_device(&owner, &id).await.unwrap();
    assert_eq!(
        verify(&li).await.device_removed_at,
        removed.device_removed_at
    );
    assert!(removed.device_removed_at.is_some() && removed.person_removed_at.is_none());
    assert_eq!(
        app.devices(&owner).await[0].removed_at,
        removed.device_removed_at
    );
    assert_eq!(app.audited("device_removed", "success", "true").await, 2);
    app.execute("UPDATE devices SET removed_at = now() - interval '91 days'")
        .await;
    assert!(app.devices(&owner).await.is_empty());
    // Nothing is accepted any more.
    let unknown = refused(app.verify(Phone::new().signed(&li.user.id, "x")).await);
    assert_eq!(
        refused(app.verify(phone.signed(&li.user.id, "x")).await),
        unknown
    );
    app.execute("UPDATE devices SET removed_at = NULL").await;
    verify(&li).await;
    app.execute("UPDATE device_people SET removed_at = now() - interval '91 days'")
        .await;
    assert_eq!(
        refused(app.verify(phone.signed(&li.user.id, "x")).await),
        unknown
    );
}

#[tokio::test]
async fn silent_devices_had_their_last_contact_in_the_period() {
    let (app, owner, _, phone) = enrolled().await;
    let other = company(&app, "Other").await;
    let at = |text: &str| Some(timestamp(text.parse().unwrap()));
    let list = async |who: &Signed, since: &str, until: &str| {
        let message = ListSilentDevicesRequest {
            since: at(since),
            until: at(until),
        };
        let company_id = who.identity.company_id;
        let request = as_notifications(Service::Accounts, company_id, message);
        let mut contacts = app.contacts();
        read(contacts.list_silent_devices(request).await)
            .unwrap()
            .devices
    };
    app.execute("UPDATE devices SET last_contact = '2026-12-04T17:00:00Z'")
        .await;
    let (before, after) = ("2026-12-04T16:59:59Z", "2026-12-04T17:00:01Z");
    let contact = "2026-12-04T17:00:00Z";
    let found = list(&owner, contact, after).await;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].label, app.devices(&owner).await[0].label);
    assert_eq!(found[0].people.len(), 1);
    assert_eq!(found[0].last_contact, at(contact));
    assert!(list(&owner, before, contact).await.is_empty());
    assert!(list(&owner, after, "2026-12-09T00:00:00Z").await.is_empty());
    assert!(list(&other, before, after).await.is_empty());

    // A phone without people has nothing to send, and a removed one is expected to be silent.
    app.execute("UPDATE device_people SET removed_at = now()")
        .await;
    assert!(list(&owner, before, after).await.is_empty());
    app.execute("UPDATE device_people SET removed_at = NULL")
        .await;
    app.remove_device(&owner, &phone.id.to_string())
        .await
        .unwrap();
    assert!(list(&owner, before, after).await.is_empty());
}

#[tokio::test]
async fn devices_of_other_companies_are_not_found() {
    let (app, owner, _, phone) = enrolled().await;
    let id = phone.id.to_string();
    let other = company(&app, "Borealis").await;
    assert!(app.devices(&other).await.is_empty());
    for id in [&*id, "not-an-id"] {
        let kind = app.remove_device(&other, id).await.unwrap_err().kind;
        assert_eq!(kind, Kind::NotFound);
        let kind = app.leave_device(&other, id).await.unwrap_err().kind;
        assert_eq!(kind, Kind::NotFound);
    }
    // An operator of the same company who is not on the phone.
    let ana = app.signed_operator(&owner, "Ana").await;
    assert_eq!(
        app.leave_device(&ana, &id).await.unwrap_err().kind,
        Kind::NotFound
    );
    let listed = app.devices(&owner).await;
    assert_eq!((listed[0].removed_at, listed[0].people.len()), (None, 1));
}

#[tokio::test]
async fn wrong_signatures_are_audited_once_an_hour() {
    let (app, _, li, phone) = enrolled().await;
    let forged = |device: Uuid| VerifyDeviceRequest {
        device_id: device.to_string(),
        ..Phone::new().signed(&li.user.id, "x")
    };
    let audited = async |more: &str| app.audited("device_refused", "failed", more).await;
    // The id of a phone that does not exist.
    refused(app.verify(forged(Uuid::new_v4())).await);
    assert_eq!(audited("true").await, 0);
    for _ in 0..3 {
        refused(app.verify(forged(phone.id)).await);
    }
    let VerifyDeviceRequest {
        device_id,
        payload,
        signature,
        origin,
        ..
    } = forged(phone.id);
    let contact = ContactDeviceRequest {
        device_id,
        payload,
        signature,
        origin,
    };
    let answer = app.client().contact_device(edge(contact.clone())).await;
    assert!(answer.is_err());
    let named = "target_name = 'Shop phone' AND address_prefix = '198.51.100.0/24'";
    assert_eq!(audited(named).await, 1);
    app.execute("UPDATE devices SET refused_at = refused_at - interval '1 hour'")
        .await;
    assert!(app.client().contact_device(edge(contact)).await.is_err());
    assert_eq!(audited(named).await, 2);
}
