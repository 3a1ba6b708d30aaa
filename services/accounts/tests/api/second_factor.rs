//! Second factors of owners and managers: authenticators, recovery codes, and the requirement.

use hourmeter_accounts::reset_second_factor;
use hourmeter_proto::accounts::v1::*;
use hourmeter_runtime::error::{Kind, ServiceError};

use crate::second_factor_support::{at_origin, login};
use crate::staff_support::{Desk, Totp};
use crate::support::{OPERATOR_PASSWORD, PASSWORD, Signed, assert_fields, by, edge, read};

#[track_caller]
fn assert_wrong(tried: Result<SessionGrant, ServiceError>) {
    let failure = tried.expect_err("a refusal");
    assert_eq!(failure.kind, Kind::Unauthenticated);
    assert_eq!(failure.reason, "TOTP_WRONG");
}

fn with_code(who: &Signed, totp: String) -> SignInRequest {
    SignInRequest { totp, ..login(who) }
}

fn with_recovery_code(who: &Signed, code: &str) -> SignInRequest {
    SignInRequest {
        recovery_code: code.to_owned(),
        ..login(who)
    }
}

#[tokio::test]
async fn authenticator_setup_requires_codes_at_sign_in() {
    let desk = Desk::new().await;
    let owner = desk.app.company("Acme").await;
    let other = desk.enter(login(&owner)).await.unwrap();
    let confirm = async |code: String| {
        let request = at_origin(by(&owner, ConfirmAuthenticatorRequest { code }));
        read(desk.client().confirm_authenticator(request).await)
    };
    let failure = confirm("123456".to_owned()).await.unwrap_err();
    assert_eq!(failure.kind, Kind::Conflict);
    let request = by(&owner, StartAuthenticatorRequest {});
    let started = desk.client().start_authenticator(request).await.unwrap();
    let started = started.into_inner();
    let ending = format!("?secret={}&issuer=Hourmeter", started.secret);
    assert!(started.url.ends_with(&ending), "{}", started.url);
    let totp = Totp::read(&started.secret);
    let early = totp.code_at(desk.clock.now().timestamp() - 60);
    assert_fields(&confirm(early).await.unwrap_err(), &["code"]);
    // A pending authenticator is not required at sign-in.
    let before = desk.factor(&owner).await;
    assert_eq!(before.authenticator_since, None);
    desk.enter(login(&owner)).await.unwrap();

    let done = confirm(totp.code(&desk.clock)).await.unwrap();
    assert_eq!(done.recovery_codes.len(), 10);
    let factor = done.second_factor.unwrap();
    assert!(factor.authenticator_since.is_some() && factor.passkeys_offered);
    assert_eq!((factor.recovery_codes_left, factor.required), (10, false));
    assert!(desk.app.resolve(&other.token).await.is_err());
    desk.app.resolve(&owner.token).await.unwrap();

    let failure = desk.enter(login(&owner)).await.unwrap_err();
    assert_eq!(
        (failure.kind, &*failure.reason),
        (Kind::Unauthenticated, "TOTP_REQUIRED")
    );
    let named: Vec<&str> = failure.fields.iter().map(|(name, _)| &**name).collect();
    assert_eq!(named, ["totp", "recoveryCode"]);
    // The code that confirmed it is consumed.
    assert_wrong(desk.enter(with_code(&owner, totp.code(&desk.clock))).await);
    desk.wait(30);
    let request = SignInRequest {
        password: "not it at all".to_owned(),
        ..with_code(&owner, totp.code(&desk.clock))
    };
    let failure = desk.enter(request).await.unwrap_err();
    assert_eq!(
        (failure.kind, &*failure.reason),
        (Kind::Unauthenticated, "SIGN_IN_REFUSED")
    );
    desk.enter(with_code(&owner, totp.code(&desk.clock)))
        .await
        .unwrap();
    for (event, detail) in [("sign_in", "totp_required"), ("sign_in", "totp_wrong")] {
        let more = format!("detail = '{detail}' AND target_id = '{}'", owner.user.id);
        assert_eq!(
            desk.app.audited(event, "failed", &more).await,
            1,
            "{detail}"
        );
    }
    assert_eq!(
        desk.app
            .audited("second_factor_on", "success", "true")
            .await,
        1
    );
}

#[tokio::test]
async fn authenticator_code_is_valid_once() {
    let desk = Desk::new().await;
    let owner = desk.app.company("Acme").await;
    let (totp, _) = desk.authenticator(&owner).await;
    let now = desk.clock.now().timestamp();
    for (away, good) in [
        (-60, false),
        (60, false),
        (-30, true),
        (-30, false),
        (30, true),
        (30, false),
        // Earlier than the last used code.
        (0, false),
    ] {
        let tried = desk
            .enter(with_code(&owner, totp.code_at(now + away)))
            .await;
        assert_eq!(tried.is_ok(), good, "{away}");
    }
    desk.wait(60);
    let code = totp.code(&desk.clock);
    let tries = (0..10).map(|_| desk.enter(with_code(&owner, code.clone())));
    let done = futures::future::join_all(tries).await;
    assert_eq!(done.iter().filter(|tried| tried.is_ok()).count(), 1);
}

#[tokio::test]
async fn authenticator_can_be_replaced() {
    let desk = Desk::new().await;
    let owner = desk.app.company("Acme").await;
    let (old, codes) = desk.authenticator(&owner).await;
    let (new, none) = desk.authenticator(&owner).await;
    assert!(none.is_empty());
    assert_wrong(desk.enter(with_code(&owner, old.code(&desk.clock))).await);
    desk.enter(with_code(&owner, new.code(&desk.clock)))
        .await
        .unwrap();
    // Recovery codes stay valid.
    desk.enter(with_recovery_code(&owner, &codes[0]))
        .await
        .unwrap();
}

#[tokio::test]
async fn recovery_code_is_valid_once() {
    let desk = Desk::new().await;
    let owner = desk.app.company("Acme").await;
    let manager = desk.app.manager(&owner, "mo@mail.example").await;
    let (_, codes) = desk.authenticator(&owner).await;
    let (_, others) = desk.authenticator(&manager).await;
    let typed = format!(" {} ", codes[0].replace('-', " ").to_uppercase());
    desk.enter(with_recovery_code(&owner, &typed))
        .await
        .unwrap();
    for wrong in [
        &codes[0],
        &others[0],
        "abcde-fghjk",
        "-",
        &"x".repeat(10_000),
    ] {
        assert_wrong(desk.enter(with_recovery_code(&owner, wrong)).await);
    }
    let factor = desk.factor(&owner).await;
    assert_eq!(factor.recovery_codes_left, 9);
    assert_eq!(
        desk.app
            .audited("recovery_code_used", "success", "true")
            .await,
        1
    );
    assert_eq!(desk.app.notice_kinds(&owner).await, ["recovery_code_used"]);
    let tries = (0..10).map(|_| desk.enter(with_recovery_code(&owner, &codes[1])));
    let done = futures::future::join_all(tries).await;
    assert_eq!(done.iter().filter(|tried| tried.is_ok()).count(), 1);

    let request = by(&owner, ReplaceRecoveryCodesRequest {});
    let replaced = desk.client().replace_recovery_codes(request).await.unwrap();
    let replaced = replaced.into_inner().recovery_codes;
    assert_eq!(replaced.len(), 10);
    assert_wrong(desk.enter(with_recovery_code(&owner, &codes[2])).await);
    desk.enter(with_recovery_code(&owner, &replaced[0]))
        .await
        .unwrap();
    desk.enter(with_recovery_code(&manager, &others[0]))
        .await
        .unwrap();
}

#[tokio::test]
async fn operator_login_with_own_password_requires_the_second_factor() {
    let desk = Desk::new().await;
    let owner = desk.app.company("Acme").await;
    desk.app.set_operator_password(&owner).await;
    let (totp, codes) = desk.authenticator(&owner).await;
    let failure = desk.app.operate("Acme", PASSWORD).await.unwrap_err();
    assert_eq!(
        (failure.kind, &*failure.reason),
        (Kind::Unauthenticated, "TOTP_REQUIRED")
    );
    let operate = async |totp: String, recovery_code: &str| {
        let request = SignInOperatorRequest {
            operator_name: "Acme".to_owned(),
            password: PASSWORD.to_owned(),
            totp,
            recovery_code: recovery_code.to_owned(),
            ..SignInOperatorRequest::default()
        };
        let answer = read(desk.client().sign_in_operator(edge(request)).await);
        answer.map(|answer| answer.session.unwrap())
    };
    let late = totp.code_at(desk.clock.now().timestamp() + 60);
    assert_wrong(operate(late, "").await);
    let grant = operate(totp.code(&desk.clock), "").await.unwrap();
    assert_eq!(grant.user.unwrap().scope(), Scope::Full);
    operate(String::new(), &codes[0]).await.unwrap();
    // The shared password needs no second factor and gives operator scope only.
    let grant = desk.app.operate("Acme", OPERATOR_PASSWORD).await.unwrap();
    assert_eq!(grant.user.unwrap().scope(), Scope::Operator);
}

#[tokio::test]
async fn recovery_by_questions_keeps_the_second_factor() {
    let desk = Desk::new().await;
    let owner = desk.app.company("Acme").await;
    desk.app.questions(&owner).await;
    let (totp, _) = desk.authenticator(&owner).await;
    let new = "another tractor 7";
    let request = RecoverPasswordRequest {
        email_or_business_name: "Acme".to_owned(),
        answer1: "Rex".to_owned(),
        answer2: "Toyota Hilux".to_owned(),
        new_password: new.to_owned(),
        ..RecoverPasswordRequest::default()
    };
    desk.client().recover_password(edge(request)).await.unwrap();
    let request = |totp| SignInRequest {
        password: new.to_owned(),
        ..with_code(&owner, totp)
    };
    let failure = desk.enter(request(String::new())).await.unwrap_err();
    assert_eq!(failure.reason, "TOTP_REQUIRED");
    desk.enter(request(totp.code(&desk.clock))).await.unwrap();
}

#[tokio::test]
async fn turn_off_second_factor_deletes_it() {
    let desk = Desk::new().await;
    let owner = desk.app.company("Acme").await;
    let turn_off = async || {
        let request = by(&owner, TurnOffSecondFactorRequest {});
        read(desk.client().turn_off_second_factor(request).await)
    };
    turn_off().await.unwrap();
    desk.authenticator(&owner).await;
    desk.passkey(&owner).await;
    turn_off().await.unwrap();
    desk.enter(login(&owner)).await.unwrap();
    for table in ["authenticators", "passkeys", "recovery_codes"] {
        assert_eq!(desk.app.count(table).await, 0, "{table}");
    }
    assert_eq!(
        desk.app
            .audited("second_factor_off", "success", "true")
            .await,
        1
    );
    let kinds = desk.app.notice_kinds(&owner).await;
    assert_eq!(kinds, ["second_factor_off", "passkey_added"]);
    let request = by(&owner, ReplaceRecoveryCodesRequest {});
    let failure = read(desk.client().replace_recovery_codes(request).await).unwrap_err();
    assert_eq!(failure.kind, Kind::Conflict);
}

#[tokio::test]
async fn second_factor_changes_require_a_recent_sign_in() {
    let desk = Desk::new().await;
    let mut owner = desk.app.company("Acme").await;
    desk.authenticator(&owner).await;
    owner.identity.authenticated_at = desk.clock.now().timestamp() - 31 * 60;
    let client = desk.client();
    let reasons = [
        read(
            client
                .clone()
                .start_authenticator(by(&owner, StartAuthenticatorRequest {}))
                .await,
        )
        .unwrap_err(),
        read(
            client
                .clone()
                .confirm_authenticator(by(&owner, ConfirmAuthenticatorRequest::default()))
                .await,
        )
        .unwrap_err(),
        read(
            client
                .clone()
                .start_passkey(by(&owner, StartPasskeyRequest {}))
                .await,
        )
        .unwrap_err(),
        read(
            client
                .clone()
                .add_passkey(by(&owner, AddPasskeyRequest::default()))
                .await,
        )
        .unwrap_err(),
        read(
            client
                .clone()
                .remove_passkey(by(&owner, RemovePasskeyRequest::default()))
                .await,
        )
        .unwrap_err(),
        read(
            client
                .clone()
                .replace_recovery_codes(by(&owner, ReplaceRecoveryCodesRequest {}))
                .await,
        )
        .unwrap_err(),
        read(
            client
                .clone()
                .turn_off_second_factor(by(&owner, TurnOffSecondFactorRequest {}))
                .await,
        )
        .unwrap_err(),
        read(
            client
                .clone()
                .reset_second_factor(by(&owner, ResetSecondFactorRequest::default()))
                .await,
        )
        .unwrap_err(),
        desk.require(&owner, true).await.unwrap_err(),
    ];
    for failure in reasons {
        assert_eq!(failure.reason, "REAUTH_REQUIRED");
    }
    desk.factor(&owner).await;
}

#[tokio::test]
async fn requirement_limits_sessions_without_second_factor() {
    let desk = Desk::new().await;
    let owner = desk.app.company("Acme").await;
    desk.app.set_operator_password(&owner).await;
    let manager = desk.app.manager(&owner, "mo@mail.example").await;
    let failure = desk.require(&owner, true).await.unwrap_err();
    assert_eq!(failure.kind, Kind::Conflict);
    desk.authenticator(&owner).await;
    assert!(desk.require(&owner, true).await.unwrap().required);
    desk.require(&owner, true).await.unwrap();
    assert_eq!(
        desk.app
            .audited("second_factor_required", "success", "detail = 'on'")
            .await,
        1
    );

    // Current and new sessions are limited.
    let missing = async |token: &str| {
        let used = desk.app.resolve(token).await.unwrap();
        let peeked = desk.app.peek(token).await.unwrap();
        assert_eq!(used.second_factor_missing, peeked.second_factor_missing);
        used.second_factor_missing
    };
    assert!(missing(&manager.token).await);
    assert!(!missing(&owner.token).await);
    let grant = desk.enter(login(&manager)).await.unwrap();
    assert!(grant.user.clone().unwrap().second_factor_missing);
    let limited = desk.app.signed(grant).await;
    assert!(limited.identity.second_factor_missing);
    assert!(desk.app.user(&limited).await.second_factor_missing);
    let request = by(&limited, ListEmployeesRequest::default());
    let failure = read(desk.client().list_employees(request).await).unwrap_err();
    assert_eq!(
        (failure.kind, &*failure.reason),
        (Kind::Forbidden, "SECOND_FACTOR_REQUIRED")
    );
    // Operator sessions are not limited.
    let shared = desk.app.operate("Acme", OPERATOR_PASSWORD).await.unwrap();
    assert!(!missing(&shared.token).await);

    let (totp, _) = desk.authenticator(&limited).await;
    assert!(!missing(&limited.token).await);
    let grant = desk
        .enter(with_code(&manager, totp.code(&desk.clock)))
        .await;
    assert!(!grant.unwrap().user.unwrap().second_factor_missing);
    let request = by(&manager, TurnOffSecondFactorRequest {});
    let failure = read(desk.client().turn_off_second_factor(request).await).unwrap_err();
    assert_eq!(failure.kind, Kind::Conflict);
    // Other companies are not affected.
    let stranger = desk.app.company("Borealis").await;
    assert!(!missing(&stranger.token).await);
    desk.require(&owner, false).await.unwrap();
    let request = by(&manager, TurnOffSecondFactorRequest {});
    desk.client().turn_off_second_factor(request).await.unwrap();
    assert!(!missing(&limited.token).await);
}

#[tokio::test]
async fn owner_resets_a_managers_second_factor() {
    let desk = Desk::new().await;
    let owner = desk.app.company("Acme").await;
    let manager = desk.app.manager(&owner, "mo@mail.example").await;
    let operator = desk.app.operator(&owner, "Li", "Wu").await;
    let stranger = desk.app.company("Borealis").await;
    let theirs = desk.app.manager(&stranger, "bo@mail.example").await;
    desk.authenticator(&manager).await;
    desk.passkey(&manager).await;
    desk.authenticator(&theirs).await;
    let reset = async |who: &Signed, id: &str| {
        let user_id = id.to_owned();
        let request = by(who, ResetSecondFactorRequest { user_id });
        read(desk.client().reset_second_factor(request).await)
    };
    for id in [&owner.user.id, &operator.id, &theirs.user.id, "nonsense"] {
        assert_eq!(reset(&owner, id).await.unwrap_err().kind, Kind::NotFound);
    }
    let failure = reset(&manager, &manager.user.id).await.unwrap_err();
    assert_eq!(failure.kind, Kind::Forbidden);
    let listed = async |who: &Signed| {
        let request = by(who, ListEmployeesRequest::default());
        let people = desk.client().list_employees(request).await.unwrap();
        let people = people.into_inner().employees;
        people.iter().filter(|person| person.second_factor).count()
    };
    assert_eq!(listed(&owner).await, 1);

    reset(&owner, &manager.user.id).await.unwrap();
    assert!(desk.app.resolve(&manager.token).await.is_err());
    assert_eq!(listed(&owner).await, 0);
    let grant = desk.enter(login(&manager)).await.unwrap();
    let again = desk.app.signed(grant).await;
    let kinds = desk.app.notice_kinds(&again).await;
    assert_eq!(kinds, ["second_factor_reset", "passkey_added"]);
    let more = "actor_name = 'Ana Ruiz' AND target_name = 'Mo Manager'";
    assert_eq!(
        desk.app
            .audited("second_factor_reset", "success", more)
            .await,
        1
    );
    assert_eq!(listed(&stranger).await, 1);
}

#[tokio::test]
async fn command_resets_an_owners_second_factor() {
    let desk = Desk::new().await;
    let owner = desk.app.company("Acme").await;
    let (totp, _) = desk.authenticator(&owner).await;
    let email = owner.user.email.clone().unwrap();
    let command = async |email: &str| {
        let mut out = Vec::new();
        let done = reset_second_factor(&desk.app.test.database, email, &mut out).await;
        done.map(|()| String::from_utf8(out).unwrap())
    };
    for wrong in ["nobody@mail.example", "nonsense", "Acme"] {
        command(wrong).await.unwrap_err();
    }
    let failure = desk.enter(login(&owner)).await.unwrap_err();
    assert_eq!(failure.reason, "TOTP_REQUIRED");
    let output = command(&email.to_uppercase()).await.unwrap();
    assert_eq!(
        output,
        format!("{email} has no second factor and no sessions now.\n")
    );
    assert!(desk.app.resolve(&owner.token).await.is_err());
    desk.enter(with_code(&owner, totp.code(&desk.clock)))
        .await
        .unwrap();
    let more = format!(
        "actor_name = 'command line' AND company_id = '{}'",
        owner.identity.company_id
    );
    assert_eq!(
        desk.app
            .audited("second_factor_reset", "success", &more)
            .await,
        1
    );
}

#[tokio::test]
async fn second_factor_secrets_are_sealed_or_hashed() {
    let desk = Desk::new().await;
    let owner = desk.app.company("Acme").await;
    let request = by(&owner, StartAuthenticatorRequest {});
    let started = desk.client().start_authenticator(request).await.unwrap();
    let secret = started.into_inner().secret;
    let (_, codes) = desk.authenticator(&owner).await;
    let sealed = "authenticators WHERE octet_length(totp_box) = 272";
    assert_eq!(desk.app.count(sealed).await, 1);
    let stored = desk
        .app
        .text("SELECT concat(string_agg(a::text, ''), string_agg(r::text, '')) FROM authenticators a, recovery_codes r")
        .await;
    assert!(!stored.contains(&secret) && !stored.contains(&codes[0]));
    // A secret that is moved to another person or company cannot be decrypted.
    let manager = desk.app.manager(&owner, "mo@mail.example").await;
    let (totp, _) = desk.authenticator(&manager).await;
    desk.app
        .execute(&format!(
            "UPDATE authenticators a SET totp_nonce = b.totp_nonce, totp_box = b.totp_box
            FROM authenticators b WHERE a.user_id = '{}' AND b.user_id = '{}'",
            owner.user.id, manager.user.id
        ))
        .await;
    let tried = desk.enter(with_code(&owner, totp.code(&desk.clock))).await;
    assert_eq!(tried.unwrap_err().kind, Kind::Internal);
    assert_eq!(
        desk.app
            .audited("key_failure", "failed", "detail = 'totp'")
            .await,
        1
    );
}
