//! Secret addresses of calendars.

use hourmeter_proto::accounts::v1::*;
use hourmeter_runtime::error::{Kind, ServiceError};

use crate::support::{App, PASSWORD, Signed, by, edge, read};

async fn create(app: &App, who: &Signed) -> Result<String, ServiceError> {
    let request = by(who, CreateCalendarFeedRequest {});
    let created = read(app.client().create_calendar_feed(request).await)?;
    Ok(created.secret)
}

async fn delete(app: &App, who: &Signed) {
    let request = by(who, DeleteCalendarFeedRequest {});
    read(app.client().delete_calendar_feed(request).await).unwrap();
}

async fn exists(app: &App, who: &Signed) -> bool {
    let request = by(who, GetCalendarFeedRequest {});
    let found = read(app.client().get_calendar_feed(request).await).unwrap();
    found.created_at.is_some()
}

async fn resolve(app: &App, secret: &str) -> Result<ResolveCalendarFeedResponse, ServiceError> {
    let request = edge(ResolveCalendarFeedRequest {
        secret: secret.to_owned(),
    });
    read(app.client().resolve_calendar_feed(request).await)
}

async fn assert_unknown(app: &App, secret: &str) {
    assert_eq!(resolve(app, secret).await.unwrap_err().kind, Kind::NotFound);
}

#[tokio::test]
async fn calendar_feed_resolves_to_its_person() {
    let app = App::new().await;
    let (owner, other) = (app.company("Acme").await, app.company("Other").await);
    assert!(!exists(&app, &owner).await);
    let secret = create(&app, &owner).await.unwrap();
    assert!(exists(&app, &owner).await);
    assert!(!exists(&app, &other).await);
    let found = resolve(&app, &secret).await.unwrap();
    assert_eq!(found.language(), Language::Unspecified);
    let session = found.session.unwrap();
    let of_cookie = app.resolve(&owner.token).await.unwrap();
    let expected = ResolveSessionResponse {
        session_id: owner.user.id.clone(),
        authenticated_at: session.authenticated_at,
        ..of_cookie
    };
    assert_eq!(session, expected);
    assert_eq!(
        app.audited("calendar_feed_created", "success", "true")
            .await,
        1
    );
    let stored = format!("users WHERE position('{secret}' IN users::text) > 0");
    assert_eq!(app.count(&stored).await, 0);
}

#[tokio::test]
async fn calendar_feed_in_the_persons_language() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let secret = create(&app, &owner).await.unwrap();
    app.execute("UPDATE users SET language = 'es'").await;
    let found = resolve(&app, &secret).await.unwrap();
    assert_eq!(found.language(), Language::Spanish);
}

#[tokio::test]
async fn new_calendar_feed_ends_the_earlier_one() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let first = create(&app, &owner).await.unwrap();
    let second = create(&app, &owner).await.unwrap();
    assert_unknown(&app, &first).await;
    resolve(&app, &second).await.unwrap();
    delete(&app, &owner).await;
    delete(&app, &owner).await;
    assert_unknown(&app, &second).await;
    assert!(!exists(&app, &owner).await);
    assert_eq!(
        app.audited("calendar_feed_deleted", "success", "true")
            .await,
        1
    );
}

#[tokio::test]
async fn calendar_feed_ends_with_a_new_password() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let manager = app.manager(&owner, "mia@mail.example").await;
    let (of_owner, of_manager) = (
        create(&app, &owner).await.unwrap(),
        create(&app, &manager).await.unwrap(),
    );
    let request = ChangePasswordRequest {
        token: owner.token.clone(),
        current_password: PASSWORD.to_owned(),
        new_password: "another-long-passphrase-1".to_owned(),
        ..ChangePasswordRequest::default()
    };
    read(app.client().change_password(edge(request)).await).unwrap();
    assert_unknown(&app, &of_owner).await;
    resolve(&app, &of_manager).await.unwrap();
    let reset = ResetUserPasswordRequest {
        user_id: manager.user.id.clone(),
        new_password: Some("another-long-passphrase-2".to_owned()),
    };
    read(app.client().reset_user_password(by(&owner, reset)).await).unwrap();
    assert_unknown(&app, &of_manager).await;
}

#[tokio::test]
async fn calendar_feed_of_a_removed_manager_is_unknown() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let manager = app.manager(&owner, "mia@mail.example").await;
    let secret = create(&app, &manager).await.unwrap();
    let request = DeleteEmployeeRequest {
        id: manager.user.id.clone(),
    };
    read(app.client().delete_employee(by(&owner, request)).await).unwrap();
    assert_unknown(&app, &secret).await;
}

#[tokio::test]
async fn calendar_feed_of_other_texts_is_unknown() {
    let app = App::new().await;
    let secret = create(&app, &app.company("Acme").await).await.unwrap();
    for text in ["", "x", &secret[1..], &format!("{secret}A"), "' OR true --"] {
        assert_unknown(&app, text).await;
    }
}
