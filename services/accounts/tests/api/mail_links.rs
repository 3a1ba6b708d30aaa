//! Links that are mailed to people.

use hourmeter_proto::accounts::v1::*;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::testing::as_notifications;

use crate::support::{App, Signed, by, edge, read};

async fn create(app: &App, who: &Signed) -> Result<CreateMailLinkResponse, ServiceError> {
    let message = CreateMailLinkRequest {
        person_id: who.user.id.clone(),
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
