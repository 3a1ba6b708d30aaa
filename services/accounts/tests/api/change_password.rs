use hourmeter_proto::accounts::v1::{
    ChangePasswordRequest, ClientOrigin, SessionGrant, SignOutRequest, UpdateCompanySettingsRequest,
};
use hourmeter_runtime::error::{Kind, ServiceError};

use crate::support::{App, OPERATOR_PASSWORD, PASSWORD, assert_fields, by, edge, read};

const NEW: &str = "Gravel-Pit-41";

async fn change(
    app: &App,
    token: &str,
    current: &str,
    new: &str,
) -> Result<SessionGrant, ServiceError> {
    let request = ChangePasswordRequest {
        token: token.to_owned(),
        current_password: current.to_owned(),
        new_password: new.to_owned(),
        origin: Some(ClientOrigin {
            address_prefix: "203.0.113.0/24".to_owned(),
        }),
    };
    let answer = read(app.client().change_password(edge(request)).await)?;
    Ok(answer.session.unwrap())
}

#[tokio::test]
async fn change_password_ends_other_sessions_and_replaces_the_token() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    app.set_operator_password(&owner).await;
    let manager = app.manager(&owner, "mo@mail.example").await;
    let token = app.remembered("Acme").await;
    let before = app.resolve(&token).await.unwrap();
    let shared = app.operate("Acme", OPERATOR_PASSWORD).await.unwrap();
    app.let_pass("40 minutes").await;
    let grant = change(&app, &token, PASSWORD, NEW).await.unwrap();
    assert!(grant.remember_me);
    assert_eq!(grant.user.as_ref().unwrap().id, owner.user.id);
    for dead in [&token, &owner.token, &shared.token] {
        assert!(app.resolve(dead).await.is_err());
    }
    let after = app.resolve(&grant.token).await.unwrap();
    assert_eq!(after.session_id, before.session_id);
    let signed = app.signed(grant).await;
    let now = hourmeter_runtime::clock::Clock::system().now().timestamp();
    assert!(now - signed.identity.authenticated_at < 60);
    assert!(app.resolve(&manager.token).await.is_ok());
    assert!(app.sign_in("Acme", PASSWORD).await.is_err());
    assert!(app.sign_in("Acme", NEW).await.is_ok());
    // The 30 days count from sign-in.
    app.let_pass("719 hours 21 minutes").await;
    assert!(app.resolve(&signed.token).await.is_err());
    let named = "actor_name = 'Ana Ruiz' AND target_name = 'Ana Ruiz' AND scope = 'full'
        AND address_prefix = '203.0.113.0/24'";
    assert_eq!(app.audited("password_changed", "success", named).await, 1);
}

#[tokio::test]
async fn change_password_rejects_a_wrong_password() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    app.set_operator_password(&owner).await;
    let long = "x".repeat(100_000);
    for wrong in ["not it at all", OPERATOR_PASSWORD, &long, "zx9\0"] {
        let failure = change(&app, &owner.token, wrong, NEW).await.unwrap_err();
        assert_fields(&failure, &["currentPassword"]);
        assert_eq!(failure.reason, "WRONG_PASSWORD");
        assert_eq!(failure.message, "Your current password is incorrect.");
    }
    assert!(app.resolve(&owner.token).await.is_ok());
    assert!(app.sign_in("Acme", PASSWORD).await.is_ok());
    let tried = "detail = 'wrong_password' AND actor_name = 'Ana Ruiz'";
    assert_eq!(app.audited("password_changed", "failed", tried).await, 4);
}

#[tokio::test]
async fn change_password_rejects_invalid_passwords() {
    let app = App::new().await;
    let owner = app.company("Ruiz Rentals").await;
    app.set_operator_password(&owner).await;
    let failure = change(&app, &owner.token, "", "").await.unwrap_err();
    assert_fields(&failure, &["currentPassword", "newPassword"]);
    assert_eq!(failure.message, "Please enter your current password.");
    assert_eq!(failure.reason, "CURRENT_PASSWORD_MISSING");
    let long = "x".repeat(129);
    let email = owner.user.email.clone().unwrap();
    for bad in [
        "12345",
        "password",
        &long,
        "Ruiz Rentals",
        "ana ruiz",
        "Owner0",
        &email,
    ] {
        let failure = change(&app, &owner.token, PASSWORD, bad).await.unwrap_err();
        assert_fields(&failure, &["newPassword"]);
    }
    let failure = change(&app, &owner.token, PASSWORD, OPERATOR_PASSWORD)
        .await
        .unwrap_err();
    assert_fields(&failure, &["newPassword"]);
    assert_eq!(
        failure.message,
        "The password must not be the operator password."
    );
    let tried = "detail = 'operator_password'";
    assert_eq!(app.audited("password_changed", "failed", tried).await, 1);
    assert!(app.sign_in("Ruiz Rentals", PASSWORD).await.is_ok());
    let longest = "🚜Ñ".repeat(64);
    let grant = change(&app, &owner.token, PASSWORD, &longest)
        .await
        .unwrap();
    assert!(app.resolve(&grant.token).await.is_ok());
    assert!(app.sign_in("Ruiz Rentals", &longest).await.is_ok());
}

#[tokio::test]
async fn change_password_requires_an_active_full_session() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    app.set_operator_password(&owner).await;
    let username = app
        .operator(&owner, "Li", "Wu")
        .await
        .operator_username
        .unwrap();
    let operator = app.operate(&username, OPERATOR_PASSWORD).await.unwrap();
    let shared = app.operate("Acme", OPERATOR_PASSWORD).await.unwrap();
    for (token, current) in [
        (operator.token, OPERATOR_PASSWORD),
        (shared.token, PASSWORD),
    ] {
        let failure = change(&app, &token, current, NEW).await.unwrap_err();
        assert_eq!(failure.kind, Kind::Forbidden);
        assert!(app.resolve(&token).await.is_ok());
    }
    let request = SignOutRequest {
        token: owner.token.clone(),
    };
    app.client().sign_out(edge(request)).await.unwrap();
    for token in [owner.token.as_str(), "", "x", &"A".repeat(43)] {
        let failure = change(&app, token, PASSWORD, NEW).await.unwrap_err();
        assert_eq!(
            (failure.kind, &*failure.reason),
            (Kind::Unauthenticated, "SIGN_IN_REQUIRED")
        );
    }
    assert!(app.sign_in("Acme", PASSWORD).await.is_ok());
}

#[tokio::test]
async fn change_password_rejects_a_concurrent_operator_password() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let mut current = PASSWORD.to_owned();
    let mut token = owner.token.clone();
    for round in 0..6 {
        let new = format!("Round-Pass-{round}");
        let request = UpdateCompanySettingsRequest {
            operator_password: Some(new.clone()),
            ..UpdateCompanySettingsRequest::default()
        };
        let mut client = app.client();
        let set = client.update_company_settings(by(&owner, request));
        let (changed, set) = tokio::join!(change(&app, &token, &current, &new), set);
        assert!(changed.is_err() || set.is_err(), "round {round}");
        if let Ok(grant) = changed {
            (token, current) = (grant.token, new);
        }
    }
}

#[tokio::test]
async fn concurrent_password_changes_leave_one_token() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let (one, other) = tokio::join!(
        change(&app, &owner.token, PASSWORD, NEW),
        change(&app, &owner.token, PASSWORD, "Quarry-Road-8")
    );
    let grants: Vec<SessionGrant> = [one, other].into_iter().flatten().collect();
    assert_eq!(grants.len(), 1);
    assert!(app.resolve(&grants[0].token).await.is_ok());
    assert!(app.resolve(&owner.token).await.is_err());
}
