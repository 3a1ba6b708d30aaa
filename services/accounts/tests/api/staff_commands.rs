//! Support staff and passwords from the command line.

use hourmeter_accounts::{PasswordSettings, reset_password};
use hourmeter_proto::accounts::v1::{CreateManagerRequest, SignUpRequest, UpdateProfileRequest};
use hourmeter_runtime::db::connect_admin;
use hourmeter_runtime::error::Kind;

use crate::staff_support::{Desk, EMAIL, NAME, enrolment_code};
use crate::support::{PASSWORD, by, read};

#[tokio::test]
async fn staff_commands_add_list_reset_and_remove() {
    let desk = Desk::new().await;
    assert_eq!(
        desk.command(&["list"]).await.unwrap(),
        "There are no support staff.\n"
    );
    let output = desk
        .command(&["add", "--name", NAME, "--email", "Sam@Help.Example"])
        .await;
    let output = output.unwrap();
    assert!(output.starts_with("Added Sam Support.\n"), "{output}");
    let listed = desk.command(&["list"]).await.unwrap();
    assert!(
        listed.starts_with("sam@help.example  Sam Support  added 20"),
        "{listed}"
    );
    assert!(listed.ends_with(", has not enrolled\n"), "{listed}");
    let member = desk.enrolled(&enrolment_code(&output)).await;
    assert_eq!(member.email, EMAIL);
    let listed = desk.command(&["list"]).await.unwrap();
    assert!(!listed.contains("has not enrolled"), "{listed}");
    let session = desk.signed_in(&member).await;

    let output = desk.command(&["reset", "--email", EMAIL]).await.unwrap();
    assert!(
        desk.app.resolve(&session.token).await.is_err(),
        "its sessions end"
    );
    // Sign-in fails until the person has enrolled again.
    desk.wait(30);
    let old_code = member.code(&desk.clock);
    assert!(
        desk.sign_in(EMAIL, &member.password, &old_code)
            .await
            .is_err()
    );
    let again = desk.enrolled(&enrolment_code(&output)).await;
    let code = again.code(&desk.clock);
    assert!(desk.sign_in(EMAIL, &member.password, &code).await.is_err());
    let old_code = member.code(&desk.clock);
    assert!(
        desk.sign_in(EMAIL, &again.password, &old_code)
            .await
            .is_err()
    );
    let session = desk.sign_in(EMAIL, &again.password, &code).await.unwrap();

    let output = desk.command(&["remove", "--email", EMAIL]).await.unwrap();
    assert_eq!(output, "Removed sam@help.example.\n");
    assert!(desk.app.resolve(&session.token).await.is_err());
    desk.wait(30);
    let code = again.code(&desk.clock);
    let failure = desk
        .sign_in(EMAIL, &again.password, &code)
        .await
        .unwrap_err();
    assert_eq!(
        (failure.kind, &*failure.reason),
        (Kind::Unauthenticated, "SIGN_IN_REFUSED")
    );
    // The name stays in the audit log.
    let kept = "audit_events WHERE event = 'sign_in' AND actor_name = 'Sam Support'";
    assert!(desk.app.count(kept).await > 0);
    // Each command is audited once.
    let audited = desk
        .app
        .text(
            "SELECT string_agg(concat_ws(' ', event, outcome, actor_name, scope, target_name), ', ' \
             ORDER BY id)
            FROM audit_events
            WHERE event LIKE 'staff\\_%' AND actor_id IS NULL
                AND company_id = '00000000-0000-0000-0000-000000000000'",
        )
        .await;
    let line = |event: &str| format!("{event} success command line staff Sam Support");
    assert_eq!(
        audited,
        ["staff_added", "staff_reset", "staff_removed"]
            .map(line)
            .join(", ")
    );
}

#[tokio::test]
async fn failed_staff_commands_are_not_audited() {
    let desk = Desk::new().await;
    for arguments in [
        ["remove", "--email", EMAIL].as_slice(),
        &["reset", "--email", EMAIL],
        &["add", "--name", NAME, "--email", "nonsense"],
    ] {
        desk.command(arguments).await.unwrap_err();
    }
    let lines = "audit_events WHERE event LIKE 'staff\\_%'";
    assert_eq!(desk.app.count(lines).await, 0);
}

#[tokio::test]
async fn staff_secrets_are_hashed_or_sealed() {
    let desk = Desk::new().await;
    let output = desk
        .command(&["add", "--name", NAME, "--email", EMAIL])
        .await
        .unwrap();
    let code = enrolment_code(&output);
    let stored = "SELECT concat(s, e) FROM staff s LEFT JOIN staff_enrolments e ON true";
    assert!(!desk.app.text(stored).await.contains(&code));
    let member = desk.enrolled(&code).await;
    assert!(!desk.app.text(stored).await.contains(&member.password));
    let sealed = "staff WHERE octet_length(totp_box) = 272 AND octet_length(totp_nonce) = 24";
    assert_eq!(desk.app.count(sealed).await, 1);
}

#[tokio::test]
async fn staff_commands_report_errors() {
    let desk = Desk::new().await;
    let owner = desk.app.company("Acme").await;
    let taken = owner.user.email.unwrap();
    let hers = desk
        .app
        .manager(&desk.app.company("Borealis").await, "mo@mail.example")
        .await;
    let managers = hers.user.email.unwrap();
    desk.member().await;
    let long = "x".repeat(101);
    for (arguments, says) in [
        (["add", "--name", "Al", "--email", EMAIL], "already"),
        (["add", "--name", "Al", "--email", &taken], "a company"),
        (
            ["add", "--name", "Al", "--email", &managers.to_uppercase()],
            "a company",
        ),
        (
            ["add", "--name", " ", "--email", "al@help.example"],
            "empty",
        ),
        (
            ["add", "--name", &long, "--email", "al@help.example"],
            "at most",
        ),
        (
            ["add", "--name", "Al", "--email", "nonsense"],
            "valid email",
        ),
    ] {
        let error = desk.command(&arguments).await.unwrap_err().to_string();
        assert!(error.contains(says), "{arguments:?}: {error}");
    }
    for what in ["reset", "remove"] {
        let error = desk.command(&[what, "--email", "al@help.example"]).await;
        assert!(
            error
                .unwrap_err()
                .to_string()
                .contains("No member of staff"),
            "{what}"
        );
    }
    assert!(
        desk.command(&["add"])
            .await
            .unwrap_err()
            .to_string()
            .starts_with("usage:")
    );
    assert_eq!(desk.app.count("staff").await, 1);
}

#[tokio::test]
async fn sign_up_rejects_emails_of_staff() {
    let desk = Desk::new().await;
    desk.member().await;
    let request = |email: &str| SignUpRequest {
        business_name: "Acme".to_owned(),
        email: email.to_owned(),
        password: PASSWORD.to_owned(),
        ..SignUpRequest::default()
    };
    for email in [EMAIL, "SAM@help.example"] {
        let failure = desk.app.sign_up(request(email)).await.unwrap_err();
        assert_eq!(failure.kind, Kind::AlreadyExists);
        assert_eq!(
            failure.message,
            "That email or business name is already in use."
        );
    }
    assert_eq!(desk.app.count("companies").await, 0);
    let grant = desk.app.sign_up(request("ana@help.example")).await.unwrap();
    let owner = desk.app.signed(grant).await;

    // Nor can a person of a company get it later.
    let manager = CreateManagerRequest {
        first_name: "Mo".to_owned(),
        last_name: "Manager".to_owned(),
        email: EMAIL.to_owned(),
    };
    let profile = UpdateProfileRequest {
        email: Some(EMAIL.to_owned()),
        ..UpdateProfileRequest::default()
    };
    let added = desk.client().create_manager(by(&owner, manager)).await;
    let changed = desk.client().update_profile(by(&owner, profile)).await;
    for failure in [read(added).unwrap_err(), read(changed).unwrap_err()] {
        assert_eq!(failure.kind, Kind::AlreadyExists);
        assert_eq!(failure.message, "That email is already in use.");
    }
    assert_eq!(desk.app.count("users").await, 1);
}

#[tokio::test]
async fn concurrent_sign_up_and_staff_add_one_wins() {
    for _ in 0..5 {
        let desk = Desk::new().await;
        let request = SignUpRequest {
            business_name: "Acme".to_owned(),
            email: EMAIL.to_owned(),
            password: PASSWORD.to_owned(),
            ..SignUpRequest::default()
        };
        let arguments = ["add", "--name", NAME, "--email", EMAIL];
        let (signed_up, added) = tokio::join!(desk.app.sign_up(request), desk.command(&arguments));
        assert_eq!(
            usize::from(signed_up.is_ok()) + usize::from(added.is_ok()),
            1
        );
    }
}

#[tokio::test]
async fn service_role_can_not_change_staff() {
    let desk = Desk::new().await;
    desk.member().await;
    for sql in [
        "INSERT INTO staff SELECT gen_random_uuid(), 'x@x.example', name, password_hash,
            password_pepper_id, password_set_at, totp_key_id, totp_nonce, totp_box, 0, now(), now()
        FROM staff",
        "DELETE FROM staff",
        "TRUNCATE staff CASCADE",
        "UPDATE staff SET email = 'x@x.example'",
        "UPDATE staff SET name = 'x'",
        "INSERT INTO staff_enrolments SELECT id, sha256('x'), now() FROM staff",
        "UPDATE staff_enrolments SET expires_at = now() + interval '1 year'",
        "UPDATE staff_enrolments SET code_hash = sha256('x')",
        "UPDATE staff_sessions SET absolute_expires = now() + interval '1 year'",
        "UPDATE staff_sessions SET staff_id = gen_random_uuid()",
    ] {
        let mut service = connect_admin(&desk.app.test.url).await.unwrap();
        let refused = sqlx::query(sql).execute(&mut service).await.unwrap_err();
        let code = refused
            .as_database_error()
            .and_then(|error| error.code().map(String::from));
        assert_eq!(code.as_deref(), Some("42501"), "{sql}: {refused}");
    }
}

#[tokio::test]
async fn command_sets_a_temporary_password_for_an_owner() {
    let desk = Desk::new().await;
    let app = &desk.app;
    let owner = app.company("Acme").await;
    let email = owner.user.email.clone().unwrap();
    let command = async |email: &str| {
        let mut out = Vec::new();
        let (database, settings) = (&app.test.database, PasswordSettings::for_tests());
        let done = reset_password(database, &desk.secrets.peppers, settings, email, &mut out).await;
        done.map(|()| String::from_utf8(out).unwrap())
    };
    for wrong in ["nobody@mail.example", "nonsense", "Acme"] {
        command(wrong).await.unwrap_err();
    }
    assert!(app.resolve(&owner.token).await.is_ok());

    let output = command(&email.to_uppercase()).await.unwrap();
    let temporary = output.lines().next().unwrap();
    let temporary = temporary.strip_prefix("Temporary password: ").unwrap();
    assert!(app.resolve(&owner.token).await.is_err());
    assert!(app.sign_in(&email, PASSWORD).await.is_err());
    let grant = app.sign_in(&email, temporary).await.unwrap();
    let again = app.signed(grant).await;
    assert_eq!(app.notice_kinds(&again).await, Vec::<String>::new());
    let more = "actor_name = 'command line' AND detail = 'sign_in_password_set'";
    assert_eq!(app.audited("password_reset", "success", more).await, 1);
}
