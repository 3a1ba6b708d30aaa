//! Peeking at a session writes nothing.

use hourmeter_proto::accounts::v1::ResolveSessionResponse;
use hourmeter_runtime::error::Kind;

use crate::staff_support::Desk;
use crate::support::{App, OPERATOR_PASSWORD};

/// All state that resolving could change, including rewritten rows.
async fn written(app: &App) -> String {
    let all = "SELECT concat_ws('|',
        (SELECT string_agg(concat(s.xmin, s), ' ' ORDER BY s.id) FROM sessions s),
        (SELECT string_agg(concat(s.xmin, s), ' ' ORDER BY s.id) FROM staff_sessions s),
        (SELECT string_agg(concat(t.xmin, t), ' ' ORDER BY t.sid) FROM retired_tokens t),
        (SELECT count(*) FROM audit_events),
        (SELECT count(*) FROM notices))";
    app.text(all).await
}

/// Peeks and asserts that nothing changed; None if the token is rejected.
async fn peek(app: &App, token: &str) -> Option<ResolveSessionResponse> {
    let before = written(app).await;
    let answer = app.peek(token).await;
    assert_eq!(written(app).await, before);
    match answer {
        Ok(found) => {
            assert_eq!((found.new_token.as_str(), found.new_token_seconds), ("", 0));
            Some(found)
        }
        Err(failure) => {
            assert_eq!(failure.kind, Kind::Unauthenticated);
            None
        }
    }
}

async fn is_known(app: &App, token: &str) -> bool {
    peek(app, token).await.is_some()
}

async fn is_alive(app: &App, token: &str) -> bool {
    app.resolve(token).await.is_ok()
}

async fn alarms(app: &App) -> (i64, i64) {
    (
        app.audited("session_reused", "failed", "true").await,
        app.count("notices WHERE kind = 'session_reused'").await,
    )
}

async fn due(app: &App) -> String {
    app.company("Acme").await;
    let token = app.remembered("Acme").await;
    app.let_pass("24 hours 1 second").await;
    token
}

#[tokio::test]
async fn peek_returns_the_same_as_resolve() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    app.set_operator_password(&owner).await;
    app.company("Beta").await;
    let shared = app.operate("Acme", OPERATOR_PASSWORD).await.unwrap();
    for token in [&owner.token, &shared.token] {
        let seen = peek(&app, token).await.unwrap();
        assert_eq!(seen, app.resolve(token).await.unwrap());
    }
}

#[tokio::test]
async fn peek_does_not_extend_idle_sessions() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    for _ in 0..7 {
        app.let_pass("17 minutes").await;
        assert!(is_known(&app, &owner.token).await);
    }
    app.let_pass("2 minutes").await;
    assert!(!is_known(&app, &owner.token).await);
    assert!(!is_alive(&app, &owner.token).await);
}

#[tokio::test]
async fn peek_does_not_rotate_tokens() {
    let app = App::new().await;
    let old = due(&app).await;
    let session = peek(&app, &old).await.unwrap().session_id;
    // A new token is only offered when the session is used.
    let new = app.resolve(&old).await.unwrap().new_token;
    assert_eq!(new.len(), 43);
    // Peeked but not used: the old token stays current.
    for _ in 0..2 {
        assert_eq!(peek(&app, &new).await.unwrap().session_id, session);
        assert_eq!(peek(&app, &old).await.unwrap().session_id, session);
        app.let_pass("10 minutes").await;
    }
    assert_eq!(app.count("retired_tokens").await, 0);
    assert_eq!(app.resolve(&new).await.unwrap().session_id, session);
    assert_eq!(app.count("retired_tokens").await, 1);
}

#[tokio::test]
async fn peek_rejects_old_tokens_without_ending_the_session() {
    let app = App::new().await;
    let old = due(&app).await;
    let new = app.resolve(&old).await.unwrap().new_token;
    app.resolve(&new).await.unwrap();
    app.let_pass("58 seconds").await;
    assert!(is_known(&app, &old).await);
    app.let_pass("3 seconds").await;
    assert!(!is_known(&app, &old).await);
    assert!(is_known(&app, &new).await);
    assert!(is_alive(&app, &new).await);
    assert_eq!(alarms(&app).await, (0, 0));
    // Use of the token still ends the session.
    assert!(!is_alive(&app, &old).await);
    assert_eq!(alarms(&app).await, (1, 1));
    assert!(!is_known(&app, &new).await);
}

#[tokio::test]
async fn peek_rejects_superseded_tokens_without_ending_the_session() {
    let app = App::new().await;
    let old = due(&app).await;
    let first = app.resolve(&old).await.unwrap().new_token;
    app.let_pass("2 minutes").await;
    let second = app.resolve(&old).await.unwrap().new_token;
    assert!(is_known(&app, &first).await && is_known(&app, &second).await);
    app.let_pass("61 seconds").await;
    assert!(!is_known(&app, &first).await);
    assert!(is_alive(&app, &second).await);
    assert_eq!(alarms(&app).await, (0, 0));
}

#[tokio::test]
async fn peek_rejects_ended_sessions() {
    for over in [
        "UPDATE sessions SET revoked_at = now()",
        "UPDATE sessions SET expire = now() - interval '1 second'",
        "UPDATE sessions SET absolute_expires = now() - interval '1 second'",
        "UPDATE sessions SET role = 'manager'",
        "DELETE FROM sessions",
    ] {
        let app = App::new().await;
        let old = due(&app).await;
        let new = app.resolve(&old).await.unwrap().new_token;
        app.resolve(&new).await.unwrap();
        app.let_pass("30 seconds").await;
        assert!(is_known(&app, &old).await && is_known(&app, &new).await);
        app.execute(over).await;
        assert!(!is_known(&app, &old).await, "{over}");
        assert!(!is_known(&app, &new).await, "{over}");
        assert_eq!(alarms(&app).await, (0, 0));
    }
}

#[tokio::test]
async fn peek_rejects_unknown_tokens() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let unknown_token = "A".repeat(43);
    let longer = format!("{}=", owner.token);
    for token in ["", "x", "%%%", &unknown_token, &longer, &"A".repeat(5000)] {
        assert!(!is_known(&app, token).await);
    }
}

#[tokio::test]
async fn peek_works_during_rotation() {
    let app = std::sync::Arc::new(App::new().await);
    let old = due(&app).await;
    let new = app.resolve(&old).await.unwrap().new_token;
    let tasks = (0..24).map(|number| {
        let (app, old, new) = (app.clone(), old.clone(), new.clone());
        tokio::spawn(async move {
            match number % 3 {
                0 => app.resolve(&new).await,
                1 => app.peek(&new).await,
                _ => app.peek(&old).await,
            }
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        assert!(task.await.unwrap().is_ok());
    }
    assert_eq!(alarms(&app).await, (0, 0));
}

#[tokio::test]
async fn peek_works_for_staff() {
    let desk = Desk::new().await;
    let member = desk.member().await;
    let token = desk.signed_in(&member).await.token;
    let app = &desk.app;
    app.execute(
        "UPDATE staff_sessions SET last_seen = last_seen - interval '14 min',
        expire = expire - interval '14 min'",
    )
    .await;
    let seen = peek(app, &token).await.unwrap();
    assert_eq!(seen, app.resolve(&token).await.unwrap());
    for over in [
        "UPDATE staff_sessions SET expire = now() - interval '1 second'",
        "UPDATE staff_sessions SET absolute_expires = now() - interval '1 second', expire = now() + interval '1 hour'",
        "UPDATE staff_sessions SET revoked_at = now(), absolute_expires = now() + interval '1 hour'",
    ] {
        app.execute(over).await;
        assert!(!is_known(app, &token).await, "{over}");
    }
}
