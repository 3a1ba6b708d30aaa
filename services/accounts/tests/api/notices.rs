use hourmeter_proto::accounts::v1::{
    ChangePasswordRequest, DismissNoticeRequest, ResetUserPasswordRequest,
};
use hourmeter_runtime::error::{Kind, ServiceError};
use uuid::Uuid;

use crate::support::{App, OPERATOR_PASSWORD, PASSWORD, Signed, by, edge, read};

async fn dismiss(app: &App, who: &Signed, id: &str) -> Result<(), ServiceError> {
    let request = DismissNoticeRequest { id: id.to_owned() };
    read(app.client().dismiss_notice(by(who, request)).await).map(drop)
}

/// Inserts a notice in the past.
async fn insert_notice(app: &App, who: &Signed, kind: &str, ago: &str) -> String {
    let id = Uuid::now_v7();
    let (company, user) = (who.identity.company_id, who.identity.user_id);
    app.execute(&format!(
        "INSERT INTO notices (company_id, id, user_id, kind, at)
        VALUES ('{company}', '{id}', '{user}', '{kind}', now() - interval '{ago}')"
    ))
    .await;
    id.to_string()
}

#[tokio::test]
async fn notices_are_newest_first_until_dismissed() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let old = insert_notice(&app, &owner, "session_reused", "2 days").await;
    let new = insert_notice(&app, &owner, "password_recovered", "1 day").await;
    let mut notices = app.user(&owner).await.notices;
    // A new company's first steps are the newest.
    notices.drain(..2);
    assert_eq!((&notices[0].id, &notices[1].id), (&new, &old));
    assert!(notices[0].at.unwrap().seconds > notices[1].at.unwrap().seconds);
    let grant = app.sign_in("Acme", PASSWORD).await.unwrap();
    assert_eq!(grant.user.unwrap().notices[2..], notices);

    dismiss(&app, &owner, &new).await.unwrap();
    assert_eq!(app.notice_kinds(&owner).await, ["session_reused"]);
    // A repeat has no effect.
    let put_away = "SELECT dismissed_at::text FROM notices WHERE dismissed_at IS NOT NULL";
    let at = app.text(put_away).await;
    dismiss(&app, &owner, &new).await.unwrap();
    assert_eq!(app.text(put_away).await, at);
    dismiss(&app, &owner, &old).await.unwrap();
    assert!(app.notice_kinds(&owner).await.is_empty());
}

#[tokio::test]
async fn notices_of_other_persons_are_hidden() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    app.set_operator_password(&owner).await;
    let manager = app.manager(&owner, "mo@mail.example").await;
    let other = app.company("Borealis").await;
    let id = insert_notice(&app, &owner, "session_reused", "1 day").await;
    let shared = app.operate("Acme", OPERATOR_PASSWORD).await.unwrap();
    let shared = app.signed(shared).await;
    let made_up = Uuid::now_v7().to_string();
    for (who, id) in [
        (&manager, id.as_str()),
        (&other, &id),
        // The shared password does not identify the owner.
        (&shared, &id),
        (&owner, &made_up),
        (&owner, ""),
        (&owner, "' OR 1=1"),
    ] {
        let failure = dismiss(&app, who, id).await.unwrap_err();
        assert_eq!(failure.kind, Kind::NotFound, "{id}");
    }
    for who in [&manager, &other, &shared] {
        assert!(app.notice_kinds(who).await.is_empty());
    }
    assert_eq!(app.notice_kinds(&owner).await, ["session_reused"]);
    assert_eq!(
        app.audited("unknown_object", "failed", "detail = 'notice'")
            .await,
        6
    );
}

#[tokio::test]
async fn notice_reports_a_password_set_by_another_person() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let manager = app.manager(&owner, "mo@mail.example").await;
    let operator = app.operator(&owner, "Li", "Wu").await;
    for (user_id, password) in [
        (manager.user.id, "Gravel-Pit-41"),
        (operator.id, "Gravel-Pit-42"),
    ] {
        let request = ResetUserPasswordRequest {
            user_id,
            new_password: Some(password.to_owned()),
        };
        app.client()
            .reset_user_password(by(&owner, request))
            .await
            .unwrap();
    }
    let grant = app
        .sign_in("mo@mail.example", "Gravel-Pit-41")
        .await
        .unwrap();
    let kinds: Vec<String> = grant
        .user
        .unwrap()
        .notices
        .into_iter()
        .map(|n| n.kind)
        .collect();
    assert_eq!(kinds, ["password_set_by_owner"]);
    assert_eq!(app.count("notices WHERE kind NOT LIKE 'first_%'").await, 1);
    // Deleted when the person chooses a password.
    let request = ChangePasswordRequest {
        token: grant.token,
        current_password: "Gravel-Pit-41".to_owned(),
        new_password: "my-own-choice-7".to_owned(),
        origin: None,
    };
    let changed = read(app.client().change_password(edge(request)).await).unwrap();
    assert_eq!(changed.session.unwrap().user.unwrap().notices, []);
    let named = "target_name IN ('Mo Manager', 'Li Wu') AND actor_name = 'Ana Ruiz'";
    assert_eq!(app.audited("password_reset", "success", named).await, 2);
}
