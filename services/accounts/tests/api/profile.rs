use hourmeter_proto::accounts::v1::{Language, UpdateProfileRequest, User};
use hourmeter_runtime::error::{Kind, ServiceError};

use crate::support::{App, OPERATOR_PASSWORD, PASSWORD, Signed, assert_fields, by, read};

fn empty() -> UpdateProfileRequest {
    UpdateProfileRequest::default()
}

fn names(first: &str, last: &str) -> UpdateProfileRequest {
    UpdateProfileRequest {
        first_name: Some(first.to_owned()),
        last_name: Some(last.to_owned()),
        ..empty()
    }
}

fn email(email: &str) -> UpdateProfileRequest {
    UpdateProfileRequest {
        email: Some(email.to_owned()),
        ..empty()
    }
}

fn secondary(email: &str) -> UpdateProfileRequest {
    UpdateProfileRequest {
        secondary_email: Some(email.to_owned()),
        ..empty()
    }
}

async fn update(
    app: &App,
    who: &Signed,
    request: UpdateProfileRequest,
) -> Result<User, ServiceError> {
    let answer = app.client().update_profile(by(who, request)).await;
    read(answer).map(|answer| answer.user.unwrap())
}

/// The same person, who signed in 31 minutes ago.
fn long_ago(who: &Signed) -> Signed {
    let mut who = who.clone();
    who.identity.authenticated_at -= 31 * 60;
    who
}

async fn crew(app: &App) -> (Signed, Signed, Signed) {
    let owner = app.company("Acme").await;
    app.set_operator_password(&owner).await;
    let username = app
        .operator(&owner, "Li", "Wu")
        .await
        .operator_username
        .unwrap();
    let operator = app.operate(&username, OPERATOR_PASSWORD).await.unwrap();
    let shared = app.operate("Acme", OPERATOR_PASSWORD).await.unwrap();
    (owner, app.signed(operator).await, app.signed(shared).await)
}

#[tokio::test]
async fn update_profile_changes_only_given_fields() {
    let app = App::new().await;
    let (owner, operator, _) = crew(&app).await;
    let owner = long_ago(&owner);
    let changed = update(&app, &owner, names(" Zoë ", "Ruiz-Núñez"))
        .await
        .unwrap();
    assert_eq!(
        (&*changed.first_name, &*changed.last_name),
        ("Zoë", "Ruiz-Núñez")
    );
    assert_eq!(changed.email, owner.user.email);
    assert_eq!(app.user(&owner).await, changed);
    let resolved = app.resolve(&owner.token).await.unwrap();
    assert_eq!(resolved.display_name, "Zoë Ruiz-Núñez");
    let only_last = UpdateProfileRequest {
        last_name: Some(String::new()),
        ..empty()
    };
    let changed = update(&app, &owner, only_last.clone()).await.unwrap();
    assert_eq!((&*changed.first_name, &*changed.last_name), ("Zoë", ""));
    let changed = update(&app, &operator, names("Lin", "Wong")).await.unwrap();
    assert_eq!((&*changed.first_name, &*changed.last_name), ("Lin", "Wong"));
    // Only the owner's name may be empty.
    let failure = update(&app, &operator, only_last).await.unwrap_err();
    assert_fields(&failure, &["lastName"]);
    assert_eq!(
        app.audited("profile_changed", "success", "detail = 'name'")
            .await,
        3
    );
    // A change without effect is not audited.
    for request in [empty(), names("Lin", "Wong")] {
        assert_eq!(update(&app, &operator, request).await.unwrap(), changed);
    }
    assert_eq!(app.audited("profile_changed", "success", "true").await, 3);
}

#[tokio::test]
async fn update_profile_email_requires_a_recent_sign_in() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let manager = app.manager(&owner, "mo@mail.example").await;
    for (person, new) in [
        (&owner, "ana.new@mail.example"),
        (&manager, "mo.new@mail.example"),
    ] {
        let old = person.user.email.clone().unwrap();
        let stale = long_ago(person);
        for request in [email(new), secondary("second@mail.example")] {
            let failure = update(&app, &stale, request).await.unwrap_err();
            assert_eq!(
                (failure.kind, &*failure.reason),
                (Kind::Forbidden, "REAUTH_REQUIRED")
            );
        }
        assert_eq!(app.user(person).await.email.as_deref(), Some(&*old));
        // The same address in another case is not a change.
        let same = UpdateProfileRequest {
            secondary_email: Some(String::new()),
            ..email(&old.to_uppercase())
        };
        update(&app, &stale, same).await.unwrap();

        let changed = update(&app, person, email(&new.to_uppercase()))
            .await
            .unwrap();
        assert_eq!(changed.email.as_deref(), Some(new));
        assert!(app.sign_in(new, PASSWORD).await.is_ok());
        assert!(app.sign_in(&old, PASSWORD).await.is_err());
        assert!(app.resolve(&person.token).await.is_ok());
        let changed = update(&app, person, secondary(" Second@Mail.example "))
            .await
            .unwrap();
        assert_eq!(
            changed.secondary_email.as_deref(),
            Some("second@mail.example")
        );
        assert!(app.sign_in("second@mail.example", PASSWORD).await.is_err());
        let changed = update(&app, person, secondary(" ")).await.unwrap();
        assert_eq!(changed.secondary_email, None);
    }
    assert_eq!(
        app.audited("email_changed", "success", "detail = 'email'")
            .await,
        2
    );
    assert_eq!(
        app.audited("email_changed", "success", "detail = 'secondary_email'")
            .await,
        4
    );
    assert_eq!(app.audited("profile_changed", "success", "true").await, 0);
}

#[tokio::test]
async fn update_profile_rejects_taken_emails() {
    let app = App::new().await;
    let (owner, operator, _) = crew(&app).await;
    let other = app.company("Borealis").await;
    let manager = app.manager(&owner, "mo@mail.example").await;
    let taken = other.user.email.clone().unwrap();
    for (person, taken) in [
        (&owner, taken.as_str()),
        (&manager, &taken.to_uppercase()),
        (&other, "mo@mail.example"),
    ] {
        let failure = update(&app, person, email(taken)).await.unwrap_err();
        assert_eq!(failure.kind, Kind::AlreadyExists);
        assert_eq!(failure.fields[0].0, "email");
        assert_eq!(failure.message, "That email is already in use.");
        assert_eq!(app.user(person).await.email, person.user.email);
    }
    // An operator's e-mail is contact data: it need not be unique, and no recent sign-in is needed to
    // change it.
    let operator = long_ago(&operator);
    let changed = update(&app, &operator, email(&taken)).await.unwrap();
    assert_eq!(changed.email.as_deref(), Some(&*taken));
    assert!(app.operate(&taken, OPERATOR_PASSWORD).await.is_err());
    let grant = app.sign_in(&taken, PASSWORD).await.unwrap();
    assert_eq!(grant.user.unwrap().id, other.user.id);
    let changed = update(&app, &operator, email("")).await.unwrap();
    assert_eq!(changed.email, None);
    assert_eq!(
        app.audited("profile_changed", "success", "detail = 'contact'")
            .await,
        2
    );
}

#[tokio::test]
async fn update_profile_names_invalid_fields() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let before = app.user(&owner).await;
    let long = "x".repeat(101);
    let all = UpdateProfileRequest {
        first_name: Some(long.clone()),
        last_name: Some("a\0b".to_owned()),
        email: Some("nobody".to_owned()),
        secondary_email: Some("a@b".to_owned()),
        ..empty()
    };
    let failure = update(&app, &owner, all).await.unwrap_err();
    assert_fields(
        &failure,
        &["firstName", "lastName", "email", "secondaryEmail"],
    );
    assert_eq!(failure.fields[2].1, "Please enter a valid email address.");
    assert_eq!(
        failure.fields[3].1,
        "Please enter a valid secondary email address."
    );
    for bad in [
        "",
        " ",
        "a",
        "a@",
        "a b@c.co",
        "a@b..co",
        &format!("{}@c.co", "x".repeat(300)),
    ] {
        let failure = update(&app, &owner, email(bad)).await.unwrap_err();
        assert_fields(&failure, &["email"]);
    }
    for bad in ["a\nb", "a\u{202E}b", &long] {
        let failure = update(&app, &owner, names(bad, "Ruiz")).await.unwrap_err();
        assert_fields(&failure, &["firstName"]);
    }
    assert_eq!(app.user(&owner).await, before);
    let longest = "ñ".repeat(100);
    assert!(
        update(&app, &owner, names(&longest, &longest))
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn update_profile_rejects_the_shared_password() {
    let app = App::new().await;
    let (owner, _, shared) = crew(&app).await;
    for request in [empty(), names("Eve", "Evil"), email("eve@mail.example")] {
        let failure = update(&app, &shared, request).await.unwrap_err();
        assert_eq!(failure.kind, Kind::Forbidden);
    }
    assert_eq!(app.user(&owner).await.first_name, "Ana");
}

#[tokio::test]
async fn new_passwords_must_differ_from_new_names() {
    use hourmeter_proto::accounts::v1::ChangePasswordRequest;

    use crate::support::edge;
    let app = App::new().await;
    let owner = app.company("Acme").await;
    update(&app, &owner, names("Esmeralda", "Quintanilla"))
        .await
        .unwrap();
    update(&app, &owner, email("q.esmeralda@mail.example"))
        .await
        .unwrap();
    for bad in [
        "esmeralda",
        "Quintanilla",
        "Esmeralda Quintanilla",
        "q.esmeralda",
    ] {
        let request = ChangePasswordRequest {
            token: owner.token.clone(),
            current_password: PASSWORD.to_owned(),
            new_password: bad.to_owned(),
            origin: None,
        };
        let failure = read(app.client().change_password(edge(request)).await).unwrap_err();
        assert_fields(&failure, &["newPassword"]);
    }
}

#[tokio::test]
async fn update_profile_stores_the_language_of_one_person() {
    let app = App::new().await;
    let (owner, operator, shared) = crew(&app).await;
    assert_eq!(app.user(&owner).await.language(), Language::Unspecified);
    let spanish = UpdateProfileRequest {
        language: Language::Spanish.into(),
        ..empty()
    };
    let changed = update(&app, &long_ago(&owner), spanish).await.unwrap();
    assert_eq!(changed.language(), Language::Spanish);
    let renamed = update(&app, &owner, names("Zoë", "Ruiz")).await.unwrap();
    assert_eq!(renamed.language(), Language::Spanish);
    // Also in a session of the owner's with the shared password.
    for other in [&operator, &shared] {
        let language = app.user(other).await.language();
        assert_eq!(language, Language::Unspecified);
    }
}
