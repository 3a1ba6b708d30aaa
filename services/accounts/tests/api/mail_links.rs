//! Links that are mailed to people.

use hourmeter_proto::accounts::v1::*;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::testing::as_notifications;

use uuid::Uuid;

use crate::support::{App, PASSWORD, Signed, by, edge, read};

async fn create(app: &App, who: &Signed) -> Result<CreateMailLinkResponse, ServiceError> {
    create_for(app, who, MailLinkPurpose::Verification).await
}

async fn create_for(
    app: &App,
    who: &Signed,
    purpose: MailLinkPurpose,
) -> Result<CreateMailLinkResponse, ServiceError> {
    let message = CreateMailLinkRequest {
        person_id: who.user.id.clone(),
        purpose: purpose.into(),
    };
    let company_id = who.identity.company_id;
    let request = as_notifications(Service::Accounts, company_id, message);
    read(app.contacts().create_mail_link(request).await)
}

async fn verify(app: &App, secret: &str) -> Result<VerifyEmailResponse, ServiceError> {
    let request = edge(VerifyEmailRequest {
        secret: secret.to_owned(),
        origin: None,
    });
    read(app.client().verify_email(request).await)
}

async fn assert_unknown(app: &App, secret: &str) {
    assert_eq!(verify(app, secret).await.unwrap_err().kind, Kind::NotFound);
}

async fn is_verified(app: &App, who: &Signed) -> bool {
    let request = by(who, GetCurrentUserRequest {});
    let found = read(app.client().get_current_user(request).await).unwrap();
    found.user.unwrap().email_verified
}

#[tokio::test]
async fn mail_link_verifies_the_address_once() {
    let app = App::new().await;
    let (owner, other) = (app.company("Acme").await, app.company("Other").await);
    assert!(!is_verified(&app, &owner).await);
    let link = create(&app, &owner).await.unwrap();
    assert_eq!(Some(&link.email), owner.user.email.as_ref());
    let verified = verify(&app, &link.secret).await.unwrap();
    assert_eq!(verified.email, link.email);
    assert!(is_verified(&app, &owner).await);
    assert!(!is_verified(&app, &other).await);
    assert_unknown(&app, &link.secret).await;
    assert_eq!(app.audited("email_verified", "success", "true").await, 1);
    let again = create(&app, &owner).await.unwrap_err();
    assert_eq!(again.reason, "EMAIL_VERIFIED");
}

#[tokio::test]
async fn mail_link_ends_with_the_next_one_and_after_a_day() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let first = create(&app, &owner).await.unwrap();
    let second = create(&app, &owner).await.unwrap();
    assert_unknown(&app, &first.secret).await;
    app.execute("UPDATE users SET mail_link_expires_at = now()")
        .await;
    assert_unknown(&app, &second.secret).await;
    assert_unknown(&app, "").await;
    assert!(!is_verified(&app, &owner).await);
}

#[tokio::test]
async fn new_address_is_not_verified() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let link = create(&app, &owner).await.unwrap();
    verify(&app, &link.secret).await.unwrap();
    let change = async |email: &str| {
        let request = by(
            &owner,
            UpdateProfileRequest {
                email: Some(email.to_owned()),
                ..UpdateProfileRequest::default()
            },
        );
        read(app.client().update_profile(request).await).unwrap();
    };
    change("first@example.com").await;
    assert!(!is_verified(&app, &owner).await);
    let link = create(&app, &owner).await.unwrap();
    assert_eq!(link.email, "first@example.com");
    change("second@example.com").await;
    assert_unknown(&app, &link.secret).await;
}

/// An owner with a verified address.
async fn verified(app: &App) -> Signed {
    let owner = app.company("Acme").await;
    let link = create(app, &owner).await.unwrap();
    verify(app, &link.secret).await.unwrap();
    owner
}

async fn recover(app: &App, secret: &str, new: &str) -> Result<(), ServiceError> {
    let request = edge(RecoverByLinkRequest {
        secret: secret.to_owned(),
        new_password: new.to_owned(),
        origin: None,
    });
    read(app.client().recover_by_link(request).await).map(drop)
}

async fn recipient(app: &App, name: &str) -> FindMailRecipientResponse {
    let request = edge(FindMailRecipientRequest {
        email_or_business_name: name.to_owned(),
    });
    read(app.client().find_mail_recipient(request).await).unwrap()
}

const NEW: &str = "Gravel-Pit-41";

#[tokio::test]
async fn recovery_link_sets_a_password_once_and_ends_sessions() {
    let app = App::new().await;
    let owner = verified(&app).await;
    let link = create_for(&app, &owner, MailLinkPurpose::Recovery)
        .await
        .unwrap();
    // It is not consumed by a password that is refused.
    let refused = recover(&app, &link.secret, "Acme").await.unwrap_err();
    assert_eq!(refused.kind, Kind::Invalid);
    recover(&app, &link.secret, NEW).await.unwrap();
    let again = recover(&app, &link.secret, NEW).await.unwrap_err();
    assert_eq!(again.kind, Kind::NotFound);
    assert!(app.resolve(&owner.token).await.is_err());
    assert_eq!(app.audited("password_recovery", "success", "true").await, 1);
}

#[tokio::test]
async fn recovery_link_ends_after_30_minutes() {
    let app = App::new().await;
    let owner = verified(&app).await;
    let link = create_for(&app, &owner, MailLinkPurpose::Recovery)
        .await
        .unwrap();
    app.execute("UPDATE users SET mail_link_expires_at = now()")
        .await;
    let late = recover(&app, &link.secret, NEW).await.unwrap_err();
    assert_eq!(late.kind, Kind::NotFound);
}

#[tokio::test]
async fn link_of_one_purpose_does_not_serve_the_other() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let refused = create_for(&app, &owner, MailLinkPurpose::Recovery).await;
    assert_eq!(refused.unwrap_err().kind, Kind::NotFound);
    let link = create(&app, &owner).await.unwrap();
    let refused = recover(&app, &link.secret, NEW).await.unwrap_err();
    assert_eq!(refused.kind, Kind::NotFound);
    verify(&app, &link.secret).await.unwrap();
    let link = create_for(&app, &owner, MailLinkPurpose::Recovery)
        .await
        .unwrap();
    assert_unknown(&app, &link.secret).await;
    recover(&app, &link.secret, NEW).await.unwrap();
}

#[tokio::test]
async fn recipient_is_a_person_with_a_verified_address() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let email = owner.user.email.clone().unwrap();
    assert_eq!(
        recipient(&app, &email).await,
        FindMailRecipientResponse::default()
    );
    let link = create(&app, &owner).await.unwrap();
    verify(&app, &link.secret).await.unwrap();
    for name in [email.as_str(), "Acme"] {
        let found = recipient(&app, name).await;
        assert_eq!(found.person_id, owner.user.id, "{name}");
        assert_eq!(found.company_id, owner.identity.company_id.to_string());
    }
    assert_eq!(
        recipient(&app, "nobody@example.com").await,
        FindMailRecipientResponse::default()
    );
}

async fn contacts(app: &App, company_id: Uuid) -> Result<ListContactsResponse, ServiceError> {
    let request = as_notifications(Service::Accounts, company_id, ListContactsRequest {});
    read(app.contacts().list_contacts(request).await)
}

#[tokio::test]
async fn contacts_are_the_people_of_the_company_with_an_address() {
    let app = App::new().await;
    let owner = verified(&app).await;
    app.company("Other").await;
    app.operator(&owner, "Oscar", "Ruiz").await;
    app.execute("UPDATE companies SET stale_after_days = 9, time_zone = 'America/Denver'")
        .await;
    let found = contacts(&app, owner.identity.company_id).await.unwrap();
    assert_eq!(found.time_zone, "America/Denver");
    assert_eq!(found.stale_after_days, 9);
    let [contact] = found.contacts.try_into().unwrap();
    assert_eq!(contact.person_id, owner.user.id);
    assert_eq!(Some(contact.email), owner.user.email);
    assert_eq!(contact.name, "Ana Ruiz");
    assert!(contact.verified);
}

#[tokio::test]
async fn contacts_of_an_unknown_company_are_not_found() {
    let app = App::new().await;
    let unknown = contacts(&app, Uuid::now_v7()).await.unwrap_err();
    assert_eq!(unknown.kind, Kind::NotFound);
}

#[tokio::test]
async fn active_sessions_are_those_of_the_company_that_have_not_ended() {
    let app = App::new().await;
    let (owner, other) = (app.company("Acme").await, app.company("Other").await);
    let second = app.sign_in("Acme", PASSWORD).await.unwrap();
    let second = app.signed(second).await;
    let active = async |company: &Signed| {
        let sessions = [&owner, &other, &second];
        let ids = sessions.map(|signed| signed.identity.session_id.to_string());
        let message = ListActiveSessionsRequest {
            session_ids: ids.to_vec(),
        };
        let company_id = company.identity.company_id;
        let request = as_notifications(Service::Accounts, company_id, message);
        let found = read(app.contacts().list_active_sessions(request).await).unwrap();
        let found = found.session_ids;
        ids.map(|id| found.contains(&id))
    };
    assert_eq!(active(&owner).await, [true, false, true]);
    assert_eq!(active(&other).await, [false, true, false]);
    let token = second.token.clone();
    app.client()
        .sign_out(edge(SignOutRequest { token }))
        .await
        .unwrap();
    assert_eq!(active(&owner).await, [true, false, false]);
    app.execute("UPDATE sessions SET expire = now()").await;
    assert_eq!(active(&owner).await, [false; 3]);
}

#[tokio::test]
async fn active_people_are_those_of_the_company() {
    let app = App::new().await;
    let (owner, other) = (app.company("Acme").await, app.company("Other").await);
    let ids = [&owner, &other].map(|signed| signed.user.id.clone());
    let mut message = ListActivePeopleRequest {
        person_ids: [ids.to_vec(), vec![Uuid::now_v7().to_string()]].concat(),
        operators_only: false,
    };
    let company_id = owner.identity.company_id;
    let request = as_notifications(Service::Accounts, company_id, message.clone());
    let found = read(app.contacts().list_active_people(request).await).unwrap();
    assert_eq!(found.person_ids, ids[..1]);
    message.operators_only = true;
    let request = as_notifications(Service::Accounts, company_id, message);
    let found = read(app.contacts().list_active_people(request).await).unwrap();
    assert!(found.person_ids.is_empty());
}
