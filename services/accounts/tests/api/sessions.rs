use hourmeter_proto::accounts::v1::{
    ReauthenticateRequest, Scope, SignInOperatorRequest, SignOutRequest,
};
use hourmeter_runtime::error::{Kind, ServiceError};

use crate::support::{App, OPERATOR_PASSWORD, PASSWORD, Signed, edge, read};

async fn sign_out(app: &App, token: &str) {
    let request = SignOutRequest {
        token: token.to_owned(),
    };
    app.client().sign_out(edge(request)).await.unwrap();
}

async fn confirm(app: &App, token: &str, password: &str) -> Result<Signed, ServiceError> {
    let request = ReauthenticateRequest {
        token: token.to_owned(),
        password: password.to_owned(),
        origin: None,
    };
    let answer = read(app.client().reauthenticate(edge(request)).await)?;
    Ok(app.signed(answer.session.unwrap()).await)
}

async fn let_pass(app: &App, what: &str) {
    app.let_pass(what).await;
}

async fn remembered(app: &App) -> String {
    app.remembered("Acme").await
}

#[tokio::test]
async fn token_is_stored_as_a_hash() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    assert_eq!(owner.token.len(), 43);
    let dump = app
        .text("SELECT string_agg(s::text, ' ') FROM sessions s")
        .await;
    assert!(!dump.contains(&owner.token));
    assert_eq!(app.count("sessions WHERE octet_length(sid) = 32").await, 1);
}

#[tokio::test]
async fn resolve_rejects_unknown_tokens() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let other = if owner.token.starts_with('A') {
        "B"
    } else {
        "A"
    };
    let changed = format!("{other}{}", &owner.token[1..]);
    for token in [
        "",
        "x",
        "%%%",
        &changed,
        &format!("{}=", owner.token),
        &"A".repeat(5000),
    ] {
        let failure = app.resolve(token).await.unwrap_err();
        assert_eq!(failure.kind, Kind::Unauthenticated);
    }
}

#[tokio::test]
async fn sign_out_ends_the_session_immediately() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let second = app.sign_in("Acme", PASSWORD).await.unwrap();
    sign_out(&app, &owner.token).await;
    assert!(app.resolve(&owner.token).await.is_err());
    assert!(app.resolve(&second.token).await.is_ok());
    for token in [owner.token.as_str(), "", "x", &"A".repeat(43)] {
        sign_out(&app, token).await;
    }
    assert_eq!(app.count("audit_events WHERE event = 'sign_out'").await, 1);
}

#[tokio::test]
async fn full_session_expires_after_two_idle_hours() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let_pass(&app, "119 minutes").await;
    assert!(app.resolve(&owner.token).await.is_ok());
    let_pass(&app, "119 minutes").await;
    assert!(
        app.resolve(&owner.token).await.is_ok(),
        "use extends the session"
    );
    let_pass(&app, "121 minutes").await;
    assert!(app.resolve(&owner.token).await.is_err());
}

#[tokio::test]
async fn full_session_expires_after_twelve_hours() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    for _ in 0..7 {
        let_pass(&app, "100 minutes").await;
        assert!(app.resolve(&owner.token).await.is_ok());
    }
    let_pass(&app, "21 minutes").await;
    assert!(app.resolve(&owner.token).await.is_err());
}

#[tokio::test]
async fn operator_session_expires_after_twelve_hours() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    app.set_operator_password(&owner).await;
    let grant = app.operate("Acme", OPERATOR_PASSWORD).await.unwrap();
    let_pass(&app, "719 minutes").await;
    assert!(app.resolve(&grant.token).await.is_ok());
    let_pass(&app, "2 minutes").await;
    assert!(app.resolve(&grant.token).await.is_err());
}

#[tokio::test]
async fn remembered_session_expires_after_30_days() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    app.set_operator_password(&owner).await;
    let full = remembered(&app).await;
    let request = SignInOperatorRequest {
        operator_name: "Acme".to_owned(),
        password: OPERATOR_PASSWORD.to_owned(),
        remember_me: true,
        ..SignInOperatorRequest::default()
    };
    let answer = read(app.client().sign_in_operator(edge(request)).await).unwrap();
    let operator = answer.session.unwrap().token;
    for _ in 0..2 {
        let_pass(&app, "359 hours").await;
        assert!(app.resolve(&full).await.is_ok());
        assert!(app.resolve(&operator).await.is_ok());
    }
    let_pass(&app, "121 minutes").await;
    assert!(app.resolve(&full).await.is_err());
    assert!(app.resolve(&operator).await.is_err());
}

#[tokio::test]
async fn resolve_records_use_once_a_minute() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let version = "SELECT xmin::text FROM sessions";
    let before = app.text(version).await;
    app.resolve(&owner.token).await.unwrap();
    assert_eq!(app.text(version).await, before);
    let_pass(&app, "61 seconds").await;
    let before = app.text(version).await;
    app.resolve(&owner.token).await.unwrap();
    let touched = app.text(version).await;
    assert_ne!(touched, before);
    app.resolve(&owner.token).await.unwrap();
    assert_eq!(app.text(version).await, touched);
}

#[tokio::test]
async fn session_limit_ends_the_oldest_of_the_scope() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    app.set_operator_password(&owner).await;
    let shared = app.operate("Acme", OPERATOR_PASSWORD).await.unwrap();
    let mut tokens = vec![owner.token.clone()];
    for _ in 1..20 {
        tokens.push(app.sign_in("Acme", PASSWORD).await.unwrap().token);
    }
    for token in &tokens {
        assert!(app.resolve(token).await.is_ok());
    }
    tokens.push(app.sign_in("Acme", PASSWORD).await.unwrap().token);
    assert!(app.resolve(&tokens[0]).await.is_err());
    for token in &tokens[1..] {
        assert!(app.resolve(token).await.is_ok());
    }
    assert!(app.resolve(&shared.token).await.is_ok());
    assert_eq!(
        app.count("audit_events WHERE event = 'session_crowded_out'")
            .await,
        1
    );
}

#[tokio::test]
async fn session_limit_holds_for_concurrent_sign_ins() {
    let app = App::new().await;
    app.company("Acme").await;
    let app = std::sync::Arc::new(app);
    let tries: Vec<_> = (0..40)
        .map(|_| {
            let app = app.clone();
            tokio::spawn(async move { app.sign_in("Acme", PASSWORD).await.is_ok() })
        })
        .collect();
    for one in tries {
        assert!(one.await.unwrap());
    }
    assert_eq!(app.count("sessions WHERE revoked_at IS NULL").await, 20);
}

#[tokio::test]
async fn sign_in_deletes_ended_sessions() {
    let app = App::new().await;
    app.company("Acme").await;
    let gone = app.sign_in("Acme", PASSWORD).await.unwrap();
    sign_out(&app, &gone.token).await;
    let_pass(&app, "3 days").await;
    app.sign_in("Acme", PASSWORD).await.unwrap();
    assert_eq!(app.count("sessions").await, 1);
    assert_eq!(
        app.count("audit_events WHERE event = 'session_expired'")
            .await,
        1
    );
}

#[tokio::test]
async fn role_change_ends_the_session() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let manager = app.manager(&owner, "mo@mail.example").await;
    app.execute(
        "UPDATE users SET role = 'operator', operator_username = 'mo1234' WHERE role = 'manager'",
    )
    .await;
    assert!(app.resolve(&manager.token).await.is_err());
    assert!(confirm(&app, &manager.token, PASSWORD).await.is_err());
}

#[tokio::test]
async fn reauthenticate_replaces_the_token() {
    let app = App::new().await;
    app.company("Acme").await;
    let token = remembered(&app).await;
    let before = app.resolve(&token).await.unwrap();
    let_pass(&app, "1 hour").await;
    let confirmed = confirm(&app, &token, PASSWORD).await.unwrap();
    assert_ne!(confirmed.token, token);
    assert!(app.resolve(&token).await.is_err());
    let after = app.resolve(&confirmed.token).await.unwrap();
    assert_eq!(after.session_id, before.session_id);
    let age = chrono_now() - after.authenticated_at.unwrap().seconds;
    assert!(age.abs() < 60, "{age}");
    // The 30 days count from sign-in.
    let_pass(&app, "720 hours").await;
    assert!(app.resolve(&confirmed.token).await.is_err());
    assert_eq!(
        app.count("audit_events WHERE event = 'reauthentication'")
            .await,
        1
    );
}

fn chrono_now() -> i64 {
    hourmeter_runtime::clock::Clock::system().now().timestamp()
}

#[tokio::test]
async fn reauthenticate_rejects_a_wrong_password() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    app.set_operator_password(&owner).await;
    let long = "x".repeat(100_000);
    for password in ["not it at all", OPERATOR_PASSWORD, &long] {
        let failure = confirm(&app, &owner.token, password).await.err().unwrap();
        assert_eq!(failure.kind, Kind::Unauthenticated);
        assert_eq!(failure.reason, "WRONG_PASSWORD");
    }
    let failure = confirm(&app, &owner.token, "").await.err().unwrap();
    assert_eq!(failure.kind, Kind::Invalid);
    assert!(app.resolve(&owner.token).await.is_ok());
    let failed = "audit_events WHERE event = 'reauthentication' AND outcome = 'failed'";
    assert_eq!(app.count(failed).await, 3);
}

#[tokio::test]
async fn reauthenticate_requires_an_active_full_session() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    app.set_operator_password(&owner).await;
    let shared = app.operate("Acme", OPERATOR_PASSWORD).await.unwrap();
    for password in [OPERATOR_PASSWORD, PASSWORD] {
        let failure = confirm(&app, &shared.token, password).await.err().unwrap();
        assert_eq!(failure.kind, Kind::Forbidden);
    }
    assert_eq!(
        app.resolve(&shared.token).await.unwrap().scope(),
        Scope::Operator
    );
    sign_out(&app, &owner.token).await;
    for token in [owner.token.as_str(), "", "x", &"A".repeat(43)] {
        let failure = confirm(&app, token, PASSWORD).await.err().unwrap();
        assert_eq!(
            (failure.kind, &*failure.reason),
            (Kind::Unauthenticated, "SIGN_IN_REQUIRED")
        );
    }
}

#[tokio::test]
async fn concurrent_reauthentications_leave_one_token() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let (one, other) = tokio::join!(
        confirm(&app, &owner.token, PASSWORD),
        confirm(&app, &owner.token, PASSWORD)
    );
    assert_eq!(usize::from(one.is_ok()) + usize::from(other.is_ok()), 1);
    assert!(app.resolve(&owner.token).await.is_err());
}
