//! Daily rotation of the token of a remembered session; reuse of an old token ends the session.

use hourmeter_proto::accounts::v1::{
    ReauthenticateRequest, ResolveSessionResponse, SignOutRequest,
};
use hourmeter_runtime::error::Kind;

use crate::support::{App, PASSWORD, edge, read};

const DAYS_29: u32 = 29 * 24 * 60 * 60;

async fn due(app: &App) -> String {
    app.company("Acme").await;
    let token = app.remembered("Acme").await;
    app.let_pass("24 hours 1 second").await;
    token
}

async fn resolve(app: &App, token: &str) -> ResolveSessionResponse {
    app.resolve(token).await.unwrap()
}

/// Uses a token that is due for rotation; returns the new one.
async fn rotate(app: &App, token: &str) -> String {
    let new = resolve(app, token).await.new_token;
    assert_eq!(new.len(), 43);
    new
}

async fn is_dead(app: &App, token: &str) -> bool {
    let failure = app.resolve(token).await.err();
    failure.is_some_and(|failure| failure.kind == Kind::Unauthenticated)
}

async fn reused(app: &App) -> i64 {
    let more = "actor_name = 'Ana Ruiz' AND target_id IS NOT NULL";
    app.audited("session_reused", "failed", more).await
}

#[tokio::test]
async fn rotation_is_for_remembered_sessions_after_a_day() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let token = app.remembered("Acme").await;
    app.let_pass("23 hours 59 minutes").await;
    let before = resolve(&app, &token).await;
    assert_eq!(
        (before.new_token.as_str(), before.new_token_seconds),
        ("", 0)
    );
    // Other sessions do not live that long.
    app.execute(
        "UPDATE sessions SET expire = now() + interval '1 hour',
        absolute_expires = now() + interval '1 hour' WHERE NOT remember",
    )
    .await;
    app.let_pass("2 minutes").await;
    assert_eq!(resolve(&app, &owner.token).await.new_token, "");
    let after = resolve(&app, &token).await;
    assert_eq!(after.new_token.len(), 43);
    assert_ne!(after.new_token, token);
    assert!((DAYS_29 - 120..=DAYS_29).contains(&after.new_token_seconds));
    assert_eq!(after.session_id, before.session_id);
}

#[tokio::test]
async fn rotation_keeps_the_old_token_for_a_minute() {
    let app = App::new().await;
    let old = due(&app).await;
    let before = resolve(&app, &old).await;
    let new = before.new_token.clone();
    // Until then the old token is the current one.
    app.let_pass("10 minutes").await;
    let used = resolve(&app, &new).await;
    assert_eq!(used.session_id, before.session_id);
    assert_eq!(used.new_token, "");
    app.let_pass("58 seconds").await;
    assert_eq!(resolve(&app, &old).await.session_id, before.session_id);
    assert_eq!(resolve(&app, &old).await.new_token, "");
    assert!(app.resolve(&new).await.is_ok());
    assert_eq!(reused(&app).await, 0);
}

#[tokio::test]
async fn reuse_of_an_old_token_ends_the_session() {
    let app = App::new().await;
    let old = due(&app).await;
    let new = rotate(&app, &old).await;
    let other = app.sign_in("Acme", PASSWORD).await.unwrap();
    resolve(&app, &new).await;
    app.let_pass("61 seconds").await;
    assert!(is_dead(&app, &old).await);
    assert!(is_dead(&app, &new).await);
    assert!(is_dead(&app, &old).await);
    assert_eq!(reused(&app).await, 1);
    // Other sessions continue and show the notice.
    let other = app.signed(other).await;
    assert_eq!(app.notice_kinds(&other).await, ["session_reused"]);
}

#[tokio::test]
async fn reuse_of_a_much_older_token_ends_the_session() {
    let app = App::new().await;
    let first = due(&app).await;
    let second = rotate(&app, &first).await;
    resolve(&app, &second).await;
    app.let_pass("25 hours").await;
    let third = rotate(&app, &second).await;
    resolve(&app, &third).await;
    assert!(is_dead(&app, &first).await);
    assert!(is_dead(&app, &third).await);
    assert_eq!(reused(&app).await, 1);
}

#[tokio::test]
async fn rotation_survives_a_lost_response() {
    let app = App::new().await;
    let old = due(&app).await;
    let lost = rotate(&app, &old).await;
    app.let_pass("59 seconds").await;
    assert_eq!(resolve(&app, &old).await.new_token, "");
    app.let_pass("2 seconds").await;
    let new = rotate(&app, &old).await;
    assert_ne!(new, lost);
    app.let_pass("10 minutes").await;
    assert!(app.resolve(&new).await.is_ok());
    assert_eq!(reused(&app).await, 0);
}

#[tokio::test]
async fn concurrent_requests_get_one_new_token() {
    let app = std::sync::Arc::new(App::new().await);
    let old = due(&app).await;
    let many = |token: &str| {
        let tries = (0..24).map(|_| {
            let (app, token) = (app.clone(), token.to_owned());
            tokio::spawn(async move { app.resolve(&token).await.unwrap() })
        });
        tries.collect::<Vec<_>>()
    };
    let mut given = Vec::new();
    for one in many(&old) {
        let answer = one.await.unwrap();
        given.extend(Some(answer.new_token).filter(|token| !token.is_empty()));
    }
    assert_eq!(given.len(), 1);
    // Concurrent first uses of the new token, mixed with uses of the old one.
    let (first, late) = (many(&given[0]), many(&old));
    for one in first.into_iter().chain(late) {
        assert_eq!(one.await.unwrap().new_token, "");
    }
    assert_eq!(app.count("retired_tokens").await, 1);
    assert_eq!(reused(&app).await, 0);
}

#[tokio::test]
async fn rotation_does_not_extend_the_session() {
    let app = App::new().await;
    let mut token = due(&app).await;
    for day in 2..30 {
        let answer = resolve(&app, &token).await;
        let left = (31 - day) * 24 * 60 * 60;
        assert!(
            (left - 60..=left).contains(&answer.new_token_seconds),
            "day {day}"
        );
        token = answer.new_token;
        resolve(&app, &token).await;
        app.let_pass("24 hours 1 second").await;
    }
    assert!(app.resolve(&token).await.is_ok());
    app.let_pass("24 hours").await;
    assert!(is_dead(&app, &token).await);
}

#[tokio::test]
async fn reauthentication_leaves_one_token() {
    for by_new in [false, true] {
        let app = App::new().await;
        let old = due(&app).await;
        let new = rotate(&app, &old).await;
        if by_new {
            resolve(&app, &new).await;
        }
        // With the old token, before the first use of the new one and within a minute after it.
        let request = ReauthenticateRequest {
            token: old.clone(),
            password: PASSWORD.to_owned(),
            origin: None,
        };
        let answer = read(app.client().reauthenticate(edge(request)).await).unwrap();
        let confirmed = answer.session.unwrap().token;
        app.let_pass("5 minutes").await;
        assert!(is_dead(&app, &old).await);
        assert!(is_dead(&app, &new).await);
        assert!(app.resolve(&confirmed).await.is_ok());
        assert_eq!(reused(&app).await, 0);
        // The next rotation is a day later.
        app.let_pass("23 hours").await;
        assert_eq!(resolve(&app, &confirmed).await.new_token, "");
    }
}

#[tokio::test]
async fn sign_out_accepts_any_token_of_the_session() {
    for which in 0..3 {
        let app = App::new().await;
        let old = due(&app).await;
        let new = rotate(&app, &old).await;
        if which == 2 {
            resolve(&app, &new).await;
        }
        let token = if which == 1 { &new } else { &old };
        let request = SignOutRequest {
            token: token.clone(),
        };
        app.client().sign_out(edge(request)).await.unwrap();
        assert!(
            is_dead(&app, &old).await && is_dead(&app, &new).await,
            "{which}"
        );
        let named = "actor_name = 'Ana Ruiz'";
        assert_eq!(app.audited("sign_out", "success", named).await, 1);
        assert_eq!(reused(&app).await, 0);
    }
}

#[tokio::test]
async fn rotation_skips_ended_sessions() {
    let app = App::new().await;
    let old = due(&app).await;
    let new = rotate(&app, &old).await;
    app.let_pass("29 days").await;
    assert!(is_dead(&app, &new).await && is_dead(&app, &old).await);
    assert_eq!(app.count("retired_tokens").await, 0);
}

#[tokio::test]
async fn previous_release_finds_rotated_sessions() {
    let app = App::new().await;
    let token = due(&app).await;
    let one_argument = "SELECT count(*)::text FROM sessions s, resolve_session(s.sid) r
        WHERE s.remember AND r.new_token_seconds IS NULL";
    assert_eq!(app.text(one_argument).await, "1");
    assert_eq!(rotate(&app, &token).await.len(), 43);
}

#[tokio::test]
async fn tokens_are_stored_as_hashes() {
    let app = App::new().await;
    let old = due(&app).await;
    let new = rotate(&app, &old).await;
    let later = {
        resolve(&app, &new).await;
        app.let_pass("25 hours").await;
        rotate(&app, &new).await
    };
    let dump = "SELECT (SELECT string_agg(s::text, ' ') FROM sessions s)
        || (SELECT string_agg(t::text, ' ') FROM retired_tokens t)";
    let dump = app.text(dump).await;
    for token in [old, new, later] {
        assert!(!dump.contains(&token));
    }
}

#[tokio::test]
async fn reuse_of_a_superseded_token_ends_the_session() {
    let app = App::new().await;
    let old = due(&app).await;
    let first = rotate(&app, &old).await;
    // The new token is not used, and the old one is used again.
    app.let_pass("2 minutes").await;
    let second = rotate(&app, &old).await;
    assert_ne!(first, second);
    // Responses may arrive out of order: both tokens are valid for a minute.
    app.let_pass("58 seconds").await;
    assert!(resolve(&app, &first).await.new_token.is_empty());
    app.let_pass("2 minutes").await;
    assert!(is_dead(&app, &first).await);
    assert!(is_dead(&app, &old).await);
    assert!(is_dead(&app, &second).await);
    assert_eq!(reused(&app).await, 1);
}

#[tokio::test]
async fn wrongly_retired_token_keeps_its_session() {
    let app = App::new().await;
    let old = due(&app).await;
    let new = rotate(&app, &old).await;
    resolve(&app, &new).await;
    // The state that a concurrent request with the old token could leave.
    app.execute(
        "INSERT INTO retired_tokens (company_id, sid, session_id, valid_until)
        SELECT company_id, sid, id, now() + interval '1 minute' FROM sessions WHERE remember",
    )
    .await;
    app.let_pass("24 hours 1 second").await;
    let next = rotate(&app, &new).await;
    resolve(&app, &next).await;
    // Requests in flight with the old token are accepted.
    resolve(&app, &new).await;
    assert_eq!(reused(&app).await, 0);
}

#[tokio::test]
async fn concurrently_used_token_is_not_retired() {
    let app = App::new().await;
    let old = due(&app).await;
    let new = rotate(&app, &old).await;
    app.let_pass("2 minutes").await;
    // Activates the new token, and commits after a request with the old one has started.
    let mut other = app.admin().await;
    let take = "BEGIN; UPDATE sessions
        SET sid = next_sid, token_at = now(), next_sid = NULL, next_at = NULL WHERE remember";
    sqlx::Executor::execute(&mut other, take).await.unwrap();
    let (client, token) = (app.client(), old.clone());
    let request = hourmeter_proto::accounts::v1::ResolveSessionRequest {
        token,
        ..Default::default()
    };
    let late = tokio::spawn(async move {
        let mut client = client;
        client.resolve_session(crate::support::edge(request)).await
    });
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    sqlx::Executor::execute(&mut other, "COMMIT").await.unwrap();
    drop(late.await.unwrap());
    let own = "retired_tokens t JOIN sessions s ON s.sid = t.sid";
    assert_eq!(app.count(own).await, 0);
    resolve(&app, &new).await;
}

#[tokio::test]
async fn reuse_is_audited_with_address_and_request() {
    let app = App::new().await;
    let old = due(&app).await;
    let new = rotate(&app, &old).await;
    resolve(&app, &new).await;
    app.let_pass("2 minutes").await;
    let request_id = uuid::Uuid::now_v7();
    let request = hourmeter_proto::accounts::v1::ResolveSessionRequest {
        token: old,
        origin: Some(hourmeter_proto::accounts::v1::ClientOrigin {
            address_prefix: "203.0.113.0/24".to_owned(),
        }),
        request_id: request_id.to_string(),
        ..Default::default()
    };
    let answer = app
        .client()
        .resolve_session(crate::support::edge(request))
        .await;
    assert!(answer.is_err());
    let noted = format!("address_prefix = '203.0.113.0/24' AND request_id = '{request_id}'");
    assert_eq!(app.audited("session_reused", "failed", &noted).await, 1);
}
