//! Sign-in and sessions of support staff.

use hourmeter_accounts::PasswordSettings;
use hourmeter_proto::accounts::v1::*;
use hourmeter_runtime::error::Kind;

use crate::staff_support::{Desk, EMAIL, NAME, by_staff};
use crate::support::{PASSWORD, edge, read};

const REFUSED: &str = "Invalid email, business name or password";

#[tokio::test]
async fn staff_sign_in_requires_password_and_code() {
    let desk = Desk::new().await;
    let member = desk.member().await;
    let upper = EMAIL.to_uppercase();
    for email in [EMAIL, &upper] {
        desk.wait(30);
        let code = member.code(&desk.clock);
        let grant = desk.sign_in(email, &member.password, &code).await.unwrap();
        assert!(!grant.remember_me, "staff are not remembered");
        let user = grant.user.unwrap();
        assert_eq!((user.role(), user.scope()), (Role::Support, Scope::Staff));
        assert_eq!((&*user.company_id, &*user.first_name), ("", NAME));
        assert_eq!(user.email.as_deref(), Some(EMAIL));

        let found = desk.app.resolve(&grant.token).await.unwrap();
        assert_eq!((found.role(), found.scope()), (Role::Support, Scope::Staff));
        assert_eq!((&*found.company_id, &*found.owner_id), ("", ""));
        assert_eq!((&found.user_id, &*found.display_name), (&user.id, NAME));

        let who = desk.identity(&grant.token).await;
        let request = by_staff(&who, GetCurrentUserRequest {});
        let answer = desk.client().get_current_user(request).await;
        assert_eq!(answer.unwrap().into_inner().user.unwrap(), user);
    }
    let lines = "audit_events WHERE event = 'sign_in' AND outcome = 'success' AND scope = 'staff'
        AND company_id = '00000000-0000-0000-0000-000000000000' AND actor_name = 'Sam Support'";
    assert_eq!(desk.app.count(lines).await, 2);
}

#[tokio::test]
async fn staff_sign_in_without_code_requests_it() {
    let desk = Desk::new().await;
    let member = desk.member().await;
    for totp in ["", "  "] {
        let failure = desk
            .sign_in(EMAIL, &member.password, totp)
            .await
            .unwrap_err();
        assert_eq!(failure.kind, Kind::Unauthenticated);
        assert_eq!(failure.reason, "TOTP_REQUIRED");
        assert_eq!(
            failure.message,
            "Please enter the code of your authenticator."
        );
    }
    // A wrong one is rejected.
    let failure = desk.sign_in(EMAIL, "not it at all", "").await.unwrap_err();
    assert_eq!(
        (&*failure.reason, &*failure.message),
        ("SIGN_IN_REFUSED", REFUSED)
    );
    assert_eq!(desk.app.count("staff_sessions").await, 0);
}

#[tokio::test]
async fn staff_sign_in_errors_are_the_same() {
    let desk = Desk::new().await;
    let member = desk.member().await;
    let code = member.code(&desk.clock);
    let now = desk.clock.now().timestamp();
    let (early, late) = (member.code_at(now - 60), member.code_at(now + 60));
    let long = "1".repeat(10_000);
    for (email, password, totp) in [
        (EMAIL, "not it at all", code.as_str()),
        ("nobody@help.example", member.password.as_str(), &code),
        (EMAIL, &member.password, &early),
        (EMAIL, &member.password, &late),
        (EMAIL, &member.password, "abcdef"),
        (EMAIL, &member.password, &code[1..]),
        (EMAIL, &member.password, "12 34"),
        (EMAIL, &member.password, &long),
        (NAME, &member.password, &code),
    ] {
        let failure = desk.sign_in(email, password, totp).await.unwrap_err();
        assert_eq!(failure.kind, Kind::Unauthenticated, "{email} {totp:.9}");
        assert_eq!(
            (&*failure.reason, &*failure.message),
            ("SIGN_IN_REFUSED", REFUSED)
        );
    }
    assert_eq!(desk.app.count("staff_sessions").await, 0);
    // None of these consumed the code.
    desk.sign_in(EMAIL, &member.password, &code).await.unwrap();
}

#[tokio::test]
async fn staff_code_is_valid_once() {
    let desk = Desk::new().await;
    let member = desk.member().await;
    let now = desk.clock.now().timestamp();
    let [before, current, after] = [-30, 0, 30].map(|away| member.code_at(now + away));
    for (code, fine) in [
        (&before, true),
        (&before, false),
        (&after, true),
        (&after, false),
        // Earlier than the last used code.
        (&current, false),
    ] {
        let tried = desk.sign_in(EMAIL, &member.password, code).await;
        assert_eq!(tried.is_ok(), fine);
        if let Err(failure) = tried {
            assert_eq!(
                (&*failure.reason, &*failure.message),
                ("SIGN_IN_REFUSED", REFUSED)
            );
        }
    }
}

#[tokio::test]
async fn concurrent_uses_of_a_staff_code_one_wins() {
    let desk = Desk::new().await;
    let member = desk.member().await;
    let code = member.code(&desk.clock);
    let tries = (0..10).map(|_| desk.sign_in(EMAIL, &member.password, &code));
    let done = futures::future::join_all(tries).await;
    assert_eq!(done.iter().filter(|tried| tried.is_ok()).count(), 1);
    assert_eq!(desk.app.count("staff_sessions").await, 1);
}

#[tokio::test]
async fn staff_session_expires_when_idle_or_after_8_hours() {
    let desk = Desk::new().await;
    let member = desk.member().await;
    let sessions = |set: &'static str| desk.app.execute(set);
    for (moved, alive) in [
        (
            "UPDATE staff_sessions SET expire = expire - interval '14 min 50 s'",
            true,
        ),
        (
            "UPDATE staff_sessions SET expire = expire - interval '15 min'",
            false,
        ),
        (
            "UPDATE staff_sessions SET absolute_expires = absolute_expires - interval '7 h 59 min'",
            true,
        ),
        (
            "UPDATE staff_sessions SET absolute_expires = absolute_expires - interval '8 h'",
            false,
        ),
        ("UPDATE staff_sessions SET revoked_at = now()", false),
    ] {
        desk.app.execute("DELETE FROM staff_sessions").await;
        let grant = desk.signed_in(&member).await;
        sessions(moved).await;
        assert_eq!(
            desk.app.resolve(&grant.token).await.is_ok(),
            alive,
            "{moved}"
        );
    }
    // Use is recorded once a minute and never extends the total lifetime.
    desk.app.execute("DELETE FROM staff_sessions").await;
    let grant = desk.signed_in(&member).await;
    sessions(
        "UPDATE staff_sessions SET last_seen = now() - interval '2 min',
        expire = now() + interval '1 min', absolute_expires = now() + interval '5 min'",
    )
    .await;
    desk.app.resolve(&grant.token).await.unwrap();
    let capped =
        "staff_sessions WHERE expire = absolute_expires AND last_seen > now() - interval '1 min'";
    assert_eq!(desk.app.count(capped).await, 1);
}

#[tokio::test]
async fn staff_session_limit_ends_the_oldest() {
    let desk = Desk::new().await;
    let member = desk.member().await;
    let mut tokens = Vec::new();
    for _ in 0..21 {
        tokens.push(desk.signed_in(&member).await.token);
    }
    assert!(desk.app.resolve(&tokens[0]).await.is_err());
    for token in &tokens[1..] {
        assert!(desk.app.resolve(token).await.is_ok());
    }
    assert_eq!(
        desk.app
            .count("audit_events WHERE event = 'session_crowded_out'")
            .await,
        1
    );
}

#[tokio::test]
async fn staff_sign_out_is_audited() {
    let desk = Desk::new().await;
    let member = desk.member().await;
    let token = desk.signed_in(&member).await.token;
    for _ in 0..2 {
        let request = SignOutRequest {
            token: token.clone(),
        };
        desk.client().sign_out(edge(request)).await.unwrap();
    }
    assert!(desk.app.resolve(&token).await.is_err());
    let lines = "audit_events WHERE event = 'sign_out' AND actor_name = 'Sam Support'
        AND company_id = '00000000-0000-0000-0000-000000000000'";
    assert_eq!(desk.app.count(lines).await, 1);
}

#[tokio::test]
async fn staff_sign_in_replaces_the_previous_session() {
    let desk = Desk::new().await;
    let member = desk.member().await;
    let owner = desk.app.company("Acme").await;
    desk.wait(30);
    let request = |previous: &str| SignInRequest {
        email_or_business_name: EMAIL.to_owned(),
        password: member.password.clone(),
        totp: member.code(&desk.clock),
        previous_token: previous.to_owned(),
        ..SignInRequest::default()
    };
    let first = desk.sign_in_as(request(&owner.token)).await.unwrap();
    assert!(desk.app.resolve(&owner.token).await.is_err());
    desk.wait(30);
    let second = desk.sign_in_as(request(&first.token)).await.unwrap();
    assert!(desk.app.resolve(&first.token).await.is_err());
    // Also by a person of a company in the same browser.
    let request = SignInRequest {
        email_or_business_name: "Acme".to_owned(),
        password: PASSWORD.to_owned(),
        previous_token: second.token.clone(),
        ..SignInRequest::default()
    };
    desk.sign_in_as(request).await.unwrap();
    assert!(desk.app.resolve(&second.token).await.is_err());
}

#[tokio::test]
async fn staff_reauthentication_replaces_the_token() {
    let desk = Desk::new().await;
    let member = desk.member().await;
    let token = desk.signed_in(&member).await.token;
    desk.app
        .execute("UPDATE staff_sessions SET auth_time = now() - interval '40 min'")
        .await;
    let request = |token: &str, password: &str| ReauthenticateRequest {
        token: token.to_owned(),
        password: password.to_owned(),
        origin: None,
    };
    let wrong = request(&token, "not it at all");
    let failure = read(desk.client().reauthenticate(edge(wrong)).await).unwrap_err();
    assert_eq!(
        (failure.kind, &*failure.reason),
        (Kind::Unauthenticated, "WRONG_PASSWORD")
    );
    let right = request(&token, &member.password);
    let answer = desk.client().reauthenticate(edge(right.clone())).await;
    let grant = answer.unwrap().into_inner().session.unwrap();
    assert_eq!(grant.user.unwrap().scope(), Scope::Staff);
    assert!(desk.app.resolve(&token).await.is_err());
    assert!(read(desk.client().reauthenticate(edge(right)).await).is_err());
    desk.app.resolve(&grant.token).await.unwrap();
    let recent = "staff_sessions WHERE auth_time > now() - interval '1 min'";
    assert_eq!(desk.app.count(recent).await, 1);
    let tries = |outcome: &str| {
        format!(
            "audit_events WHERE event = 'reauthentication' AND outcome = '{outcome}' AND scope = 'staff'"
        )
    };
    assert_eq!(desk.app.count(&tries("failed")).await, 1);
    assert_eq!(desk.app.count(&tries("success")).await, 1);
}

#[tokio::test]
async fn staff_have_no_operator_login_or_recovery() {
    let desk = Desk::new().await;
    let member = desk.member().await;
    for name in [EMAIL, NAME] {
        let failure = desk.app.operate(name, &member.password).await.unwrap_err();
        assert_eq!(failure.kind, Kind::Unauthenticated);
    }
    let request = RecoverPasswordRequest {
        email_or_business_name: EMAIL.to_owned(),
        answer1: "answer".to_owned(),
        answer2: "answer".to_owned(),
        new_password: "another tractor 7".to_owned(),
        ..RecoverPasswordRequest::default()
    };
    let failure = read(desk.client().recover_password(edge(request)).await).unwrap_err();
    assert_eq!(failure.reason, "WRONG_ANSWERS");
    desk.signed_in(&member).await;
}

#[tokio::test]
async fn staff_sign_in_under_attack_requires_a_known_address() {
    let desk = Desk::new().await;
    let member = desk.member().await;
    let request = |address: &str, totp: String, guarded| SignInRequest {
        email_or_business_name: EMAIL.to_owned(),
        password: member.password.clone(),
        totp,
        known_addresses_only: guarded,
        origin: Some(ClientOrigin {
            address_prefix: address.to_owned(),
        }),
        ..SignInRequest::default()
    };
    let home = "203.0.113.0/24";
    let blocked = desk
        .sign_in_as(request(home, member.code(&desk.clock), true))
        .await;
    assert_eq!(blocked.unwrap_err().kind, Kind::TooMany);
    desk.sign_in_as(request(home, member.code(&desk.clock), false))
        .await
        .unwrap();
    desk.wait(30);
    for (address, fine) in [("192.0.2.0/24", false), (home, true)] {
        let tried = desk
            .sign_in_as(request(address, member.code(&desk.clock), true))
            .await;
        assert_eq!(tried.is_ok(), fine, "{address}");
    }
    desk.app
        .execute("UPDATE audit_events SET at = at - interval '30 days' WHERE outcome = 'success'")
        .await;
    desk.wait(30);
    let tried = desk
        .sign_in_as(request(home, member.code(&desk.clock), true))
        .await;
    assert_eq!(tried.unwrap_err().kind, Kind::TooMany);
}

#[tokio::test]
async fn staff_sign_in_fails_with_a_broken_secret() {
    let desk = Desk::new().await;
    let member = desk.member().await;
    desk.app
        .execute("UPDATE staff SET totp_box = set_byte(totp_box, 7, get_byte(totp_box, 7) # 1)")
        .await;
    let code = member.code(&desk.clock);
    let failure = desk
        .sign_in(EMAIL, &member.password, &code)
        .await
        .unwrap_err();
    assert_eq!(failure.kind, Kind::Internal);
    let line =
        "audit_events WHERE event = 'key_failure' AND outcome = 'failed' AND detail = 'totp'";
    assert_eq!(desk.app.count(line).await, 1);
    assert_eq!(desk.app.count("staff_sessions").await, 0);
}

#[tokio::test]
async fn staff_sign_in_rehashes_outdated_passwords() {
    let mut desk = Desk::new().await;
    let member = desk.member().await;
    desk.restart(desk.secrets.clone(), PasswordSettings::default());
    for _ in 0..2 {
        desk.signed_in(&member).await;
        let hash = desk.app.text("SELECT password_hash FROM staff").await;
        assert!(hash.contains("m=47104,"), "{hash}");
    }
}
