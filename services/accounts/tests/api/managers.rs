//! Adding, changing and removing managers.

use hourmeter_proto::accounts::v1::{
    CreateManagerRequest, CreateManagerResponse, DeleteEmployeeRequest, Role, UpdateEmployeeRequest,
};
use hourmeter_runtime::error::{Kind, ServiceError};

use crate::support::{App, PASSWORD, Signed, assert_fields, by, read};

async fn create(
    app: &App,
    who: &Signed,
    [first, last, email]: [&str; 3],
) -> Result<CreateManagerResponse, ServiceError> {
    let request = CreateManagerRequest {
        first_name: first.to_owned(),
        last_name: last.to_owned(),
        email: email.to_owned(),
    };
    read(app.client().create_manager(by(who, request)).await)
}

async fn rename(app: &App, who: &Signed, id: &str) -> Result<(), ServiceError> {
    let request = UpdateEmployeeRequest {
        id: id.to_owned(),
        first_name: "Moses".to_owned(),
        last_name: "Meyer".to_owned(),
    };
    read(app.client().update_employee(by(who, request)).await).map(drop)
}

async fn delete(app: &App, who: &Signed, id: &str) -> Result<(), ServiceError> {
    let request = DeleteEmployeeRequest { id: id.to_owned() };
    read(app.client().delete_employee(by(who, request)).await).map(drop)
}

const MO: [&str; 3] = ["Mo", "Meier", "Mo@Mail.example"];

#[tokio::test]
async fn create_manager_temporary_password_signs_in() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let made = create(&app, &owner, MO).await.unwrap();
    let employee = made.employee.unwrap();
    assert_eq!(employee.role(), Role::Manager);
    assert_eq!(employee.email.as_deref(), Some("mo@mail.example"));
    assert!(employee.operator_username.is_none() && !employee.has_personal_password);
    let password = made.temporary_password;
    assert!(password.len() >= 12 && password.is_ascii(), "{password}");
    let grant = app.sign_in("mo@mail.example", &password).await.unwrap();
    let manager = app.signed(grant).await;
    assert_eq!(manager.user.role(), Role::Manager);
    assert_eq!(manager.identity.company_id, owner.identity.company_id);
    assert_eq!(app.notice_kinds(&manager).await, ["password_set_by_owner"]);
    let dump = app
        .text("SELECT string_agg(u::text, ' ') FROM users u")
        .await;
    assert!(!dump.contains(&password));
    let named = format!(
        "actor_name = 'Ana Ruiz' AND target_name = 'Mo Meier' AND target_id = '{}'",
        employee.id
    );
    assert_eq!(app.audited("manager_added", "success", &named).await, 1);
    // Another manager gets another password.
    let other = ["Al", "Abe", "al@mail.example"];
    assert_ne!(
        create(&app, &owner, other)
            .await
            .unwrap()
            .temporary_password,
        password
    );
}

#[tokio::test]
async fn create_manager_is_for_owners_only() {
    let app = App::new().await;
    let mut owner = app.company("Acme").await;
    let manager = app.manager(&owner, "mo@mail.example").await;
    let failure = create(&app, &manager, ["Al", "Abe", "al@mail.example"])
        .await
        .unwrap_err();
    assert_eq!(failure.kind, Kind::Forbidden);
    owner.identity.entitlements.active = false;
    let failure = create(&app, &owner, ["Al", "Abe", "al@mail.example"])
        .await
        .unwrap_err();
    assert_eq!(failure.kind, Kind::SubscriptionInactive);
    assert_eq!(app.count("users").await, 2);
}

#[tokio::test]
async fn create_manager_rejects_taken_emails() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let other = app.company("Borealis").await;
    create(&app, &owner, MO).await.unwrap();
    let taken = other.user.email.clone().unwrap();
    for email in ["mo@mail.example", " MO@MAIL.EXAMPLE ", &taken] {
        for who in [&owner, &other] {
            let failure = create(&app, who, ["Al", "Abe", email]).await.unwrap_err();
            assert_eq!(failure.kind, Kind::AlreadyExists, "{email}");
            assert_eq!(failure.fields[0].0, "email");
        }
    }
    assert_eq!(app.count("users").await, 3);
    // An operator's contact address is not a sign-in name.
    app.operator(&owner, "Li", "Wu").await;
    app.execute("UPDATE users SET email = 'li@mail.example' WHERE role = 'operator'")
        .await;
    assert!(
        create(&app, &owner, ["Al", "Abe", "li@mail.example"])
            .await
            .is_ok()
    );
    let app = std::sync::Arc::new(app);
    let tries: Vec<_> = (0..6)
        .map(|_| {
            let (app, owner) = (app.clone(), owner.clone());
            tokio::spawn(async move {
                create(&app, &owner, ["Al", "Abe", "al@mail.example"])
                    .await
                    .is_ok()
            })
        })
        .collect();
    let mut made = 0;
    for one in tries {
        made += usize::from(one.await.unwrap());
    }
    assert_eq!(made, 1);
}

#[tokio::test]
async fn create_manager_names_invalid_fields() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let long = "x".repeat(101);
    for bad in [["", " ", ""], [&long, "a\0b", "nobody"]] {
        let failure = create(&app, &owner, bad).await.unwrap_err();
        assert_fields(&failure, &["firstName", "lastName", "email"]);
    }
    assert_eq!(app.count("users").await, 1);
}

#[tokio::test]
async fn owner_updates_and_deletes_managers() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    app.set_operator_password(&owner).await;
    let made = create(&app, &owner, MO).await.unwrap();
    let id = made.employee.unwrap().id;
    let grant = app
        .sign_in("mo@mail.example", &made.temporary_password)
        .await
        .unwrap();
    rename(&app, &owner, &id).await.unwrap();
    assert_eq!(
        app.resolve(&grant.token).await.unwrap().display_name,
        "Moses Meyer"
    );
    delete(&app, &owner, &id).await.unwrap();
    assert!(app.resolve(&grant.token).await.is_err());
    assert!(
        app.sign_in("mo@mail.example", &made.temporary_password)
            .await
            .is_err()
    );
    assert!(app.settings(&owner).await.operator_password_stale);
    assert!(app.resolve(&owner.token).await.is_ok());
    for event in ["manager_changed", "manager_removed"] {
        let named = format!("target_id = '{id}' AND target_name = 'Moses Meyer'");
        assert_eq!(app.audited(event, "success", &named).await, 1, "{event}");
    }
    assert_eq!(
        delete(&app, &owner, &id).await.unwrap_err().kind,
        Kind::NotFound
    );
    // The address can be used again.
    assert!(create(&app, &owner, MO).await.is_ok());
}

#[tokio::test]
async fn managers_can_not_change_managers_or_owner() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let mo = app.manager(&owner, "mo@mail.example").await;
    let al = app.manager(&owner, "al@mail.example").await;
    let other = app.company("Borealis").await;
    let cases = [
        (
            &mo,
            &al.user.id,
            Kind::Forbidden,
            "Only the owner can remove a manager.",
        ),
        (
            &mo,
            &owner.user.id,
            Kind::Forbidden,
            "The owner can't be removed.",
        ),
        (
            &mo,
            &mo.user.id,
            Kind::Invalid,
            "You can't remove yourself.",
        ),
        (
            &owner,
            &owner.user.id,
            Kind::Invalid,
            "You can't remove yourself.",
        ),
        (&other, &al.user.id, Kind::NotFound, "Not found."),
    ];
    for (who, id, kind, text) in cases {
        let failure = delete(&app, who, id).await.unwrap_err();
        assert_eq!((failure.kind, &*failure.message), (kind, text));
        let failure = rename(&app, who, id).await.unwrap_err();
        assert_eq!(failure.kind, kind);
    }
    for person in [&owner, &mo, &al] {
        assert_eq!(app.user(person).await.first_name, person.user.first_name);
    }
    let named = "target_name IN ('Mo Manager', 'Ana Ruiz') AND detail IN ('remove', 'change')";
    assert_eq!(app.audited("permission_denied", "failed", named).await, 4);
    assert!(!app.settings(&owner).await.operator_password_stale);
    assert!(app.sign_in("al@mail.example", PASSWORD).await.is_ok());
}

#[tokio::test]
async fn employee_changes_are_audited_with_names() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let operator = app.operator(&owner, "Li", "Wu").await;
    rename(&app, &owner, &operator.id).await.unwrap();
    delete(&app, &owner, &operator.id).await.unwrap();
    for (event, name) in [
        ("operator_added", "Li Wu"),
        ("operator_changed", "Moses Meyer"),
        ("operator_removed", "Moses Meyer"),
    ] {
        let named = format!(
            "target_id = '{}' AND target_name = '{name}' AND actor_name = 'Ana Ruiz'
            AND address_prefix <> ''",
            operator.id
        );
        assert_eq!(app.audited(event, "success", &named).await, 1, "{event}");
    }
}

#[tokio::test]
async fn create_manager_is_limited_to_50() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let company = owner.identity.company_id;
    app.execute(&format!(
        "INSERT INTO users (company_id, id, role, email, first_name, last_name,
            password_hash, password_pepper_id, password_set_at, created_at, updated_at)
        SELECT company_id, gen_random_uuid(), 'manager', 'm' || n || '@mail.example', 'Mo', 'Meier',
            password_hash, password_pepper_id, now(), now(), now()
        FROM users, generate_series(1, 49) n
        WHERE company_id = '{company}' AND role = 'owner'"
    ))
    .await;
    let last = create(&app, &owner, MO).await.unwrap();
    let failure = create(&app, &owner, ["Al", "Ay", "al@mail.example"]).await;
    let failure = failure.unwrap_err();
    assert_eq!(
        (failure.http_status(), &*failure.reason),
        (409, "MANAGER_LIMIT_REACHED")
    );
    assert_eq!(
        failure.message,
        "A company can have at most 50 managers. Please remove one before adding another."
    );
    // The limit is per company, and a removal makes room.
    let other = app.company("Borealis").await;
    assert!(
        create(&app, &other, ["Al", "Ay", "bo@mail.example"])
            .await
            .is_ok()
    );
    delete(&app, &owner, &last.employee.unwrap().id)
        .await
        .unwrap();
    assert!(
        create(&app, &owner, ["Al", "Ay", "al@mail.example"])
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn employee_changes_require_a_recent_sign_in() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let operator = app.operator(&owner, "Li", "Wu").await;
    let mut stale = owner.clone();
    stale.identity.authenticated_at -= 31 * 60;
    for failure in [
        create(&app, &stale, MO).await.map(drop).unwrap_err(),
        delete(&app, &stale, &operator.id).await.unwrap_err(),
    ] {
        assert_eq!(failure.reason, "REAUTH_REQUIRED");
    }
    assert!(create(&app, &owner, MO).await.is_ok());
    assert!(delete(&app, &owner, &operator.id).await.is_ok());
}
