use hourmeter_proto::accounts::v1::{
    DeleteEmployeeRequest, ListEmployeesRequest, ResetUserPasswordRequest,
    UpdateCompanySettingsRequest,
};
use hourmeter_runtime::error::{Kind, ServiceError};
use uuid::Uuid;

use crate::support::{App, OPERATOR_PASSWORD, PASSWORD, Signed, assert_fields, by, read};

const NEW: &str = "Gravel-Pit-41";
const OTHER: &str = "Quarry-Road-8";

async fn reset(app: &App, who: &Signed, id: &str, new: Option<&str>) -> Result<(), ServiceError> {
    let request = ResetUserPasswordRequest {
        user_id: id.to_owned(),
        new_password: new.map(str::to_owned),
    };
    let answer = app.client().reset_user_password(by(who, request)).await;
    read(answer).map(drop)
}

/// Creates a company with an operator password and an operator; returns owner, operator id, username.
async fn crew(app: &App) -> (Signed, String, String) {
    let owner = app.company("Acme").await;
    app.set_operator_password(&owner).await;
    let operator = app.operator(&owner, "Li", "Wu").await;
    (owner, operator.id, operator.operator_username.unwrap())
}

async fn audited(app: &App, outcome: &str, detail: &str) -> i64 {
    let what = format!(
        "audit_events WHERE event = 'password_reset' AND outcome = '{outcome}'
        AND detail = '{detail}' AND actor_id IS NOT NULL AND target_id IS NOT NULL"
    );
    app.count(&what).await
}

async fn has_personal(app: &App, owner: &Signed, id: &str) -> bool {
    let request = by(owner, ListEmployeesRequest::default());
    let people = read(app.client().list_employees(request).await).unwrap();
    let person = people.employees.iter().find(|person| person.id == id);
    person.unwrap().has_personal_password
}

#[tokio::test]
async fn reset_sets_and_clears_an_operators_password() {
    let app = App::new().await;
    let (owner, id, username) = crew(&app).await;
    let elsewhere = app.operator(&owner, "Bo", "Berg").await;
    let other = elsewhere.operator_username.unwrap();
    let before = app.operate(&username, OPERATOR_PASSWORD).await.unwrap();
    let colleague = app.operate(&other, OPERATOR_PASSWORD).await.unwrap();

    reset(&app, &owner, &id, Some(NEW)).await.unwrap();
    assert!(app.resolve(&before.token).await.is_err());
    assert!(app.resolve(&colleague.token).await.is_ok());
    assert!(app.resolve(&owner.token).await.is_ok());
    assert!(app.operate(&username, OPERATOR_PASSWORD).await.is_err());
    let own = app.operate(&username, NEW).await.unwrap();
    assert!(app.operate(&other, OPERATOR_PASSWORD).await.is_ok());
    assert!(app.operate(&other, NEW).await.is_err());
    assert!(app.operate("Acme", NEW).await.is_err());
    assert!(has_personal(&app, &owner, &id).await);
    assert!(!has_personal(&app, &owner, &elsewhere.id).await);
    assert!(app.settings(&owner).await.operator_password_stale);

    reset(&app, &owner, &id, Some(OTHER)).await.unwrap();
    assert!(app.resolve(&own.token).await.is_err());
    assert!(app.operate(&username, NEW).await.is_err());
    let own = app.operate(&username, OTHER).await.unwrap();

    reset(&app, &owner, &id, None).await.unwrap();
    assert!(app.resolve(&own.token).await.is_err());
    assert!(app.operate(&username, OTHER).await.is_err());
    assert!(app.operate(&username, OPERATOR_PASSWORD).await.is_ok());
    assert!(!has_personal(&app, &owner, &id).await);
    // Clearing a missing password succeeds.
    reset(&app, &owner, &id, None).await.unwrap();
    assert_eq!(audited(&app, "success", "personal_password_set").await, 2);
    assert_eq!(
        audited(&app, "success", "personal_password_cleared").await,
        2
    );
    let dump = app
        .text("SELECT string_agg(u::text, ' ') FROM users u")
        .await;
    assert!(!dump.contains(NEW) && !dump.contains(OTHER));
}

#[tokio::test]
async fn reset_without_operator_password_marks_nothing_stale() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let operator = app.operator(&owner, "Li", "Wu").await;
    let username = operator.operator_username.unwrap();
    reset(&app, &owner, &operator.id, Some(NEW)).await.unwrap();
    assert!(!app.settings(&owner).await.operator_password_stale);
    assert!(app.operate(&username, NEW).await.is_ok());
    // An empty password is rejected after clearing.
    reset(&app, &owner, &operator.id, None).await.unwrap();
    for typed in [NEW, "", OPERATOR_PASSWORD] {
        assert!(app.operate(&username, typed).await.is_err());
    }
}

#[tokio::test]
async fn reset_sets_a_managers_password() {
    let app = App::new().await;
    let (owner, ..) = crew(&app).await;
    let manager = app.manager(&owner, "mo@mail.example").await;
    let second = app.manager(&owner, "max@mail.example").await;
    reset(&app, &owner, &manager.user.id, Some(NEW))
        .await
        .unwrap();
    assert!(app.resolve(&manager.token).await.is_err());
    assert!(app.resolve(&second.token).await.is_ok());
    assert!(app.sign_in("mo@mail.example", PASSWORD).await.is_err());
    assert!(app.sign_in("mo@mail.example", NEW).await.is_ok());
    assert!(!app.settings(&owner).await.operator_password_stale);
    // A manager may reset other managers and operators.
    reset(&app, &second, &manager.user.id, Some(OTHER))
        .await
        .unwrap();
    assert!(app.sign_in("mo@mail.example", OTHER).await.is_ok());
    assert_eq!(audited(&app, "success", "sign_in_password_set").await, 2);
    let failure = reset(&app, &owner, &manager.user.id, None).await;
    assert_fields(&failure.unwrap_err(), &["newPassword"]);
    assert!(app.sign_in("mo@mail.example", OTHER).await.is_ok());
}

#[tokio::test]
async fn reset_rejects_oneself_and_the_owner() {
    let app = App::new().await;
    let (owner, id, _) = crew(&app).await;
    let manager = app.manager(&owner, "mo@mail.example").await;
    for person in [&owner, &manager] {
        for new in [Some(NEW), None] {
            let failure = reset(&app, person, &person.user.id, new).await.unwrap_err();
            assert_fields(&failure, &["targetUserId"]);
            assert!(
                failure.message.contains("change password"),
                "{}",
                failure.message
            );
        }
    }
    for new in [Some(NEW), Some("x"), None] {
        let failure = reset(&app, &manager, &owner.user.id, new).await;
        assert_eq!(failure.unwrap_err().kind, Kind::Forbidden);
    }
    assert_eq!(audited(&app, "failed", "owner").await, 3);
    for token in [&owner.token, &manager.token] {
        assert!(app.resolve(token).await.is_ok());
    }
    assert!(app.sign_in("Acme", PASSWORD).await.is_ok());
    reset(&app, &manager, &id, Some(NEW)).await.unwrap();
}

#[tokio::test]
async fn reset_hides_other_companies() {
    let app = App::new().await;
    let (owner, ..) = crew(&app).await;
    let other = app.company("Borealis").await;
    app.set_operator_password(&other).await;
    let foreign = app.operator(&other, "Bo", "Berg").await;
    let username = foreign.operator_username.unwrap();
    let made_up = Uuid::now_v7().to_string();
    // The other company's id and owner are unknown, too.
    let ids = [
        foreign.id.as_str(),
        &other.user.id,
        &other.user.company_id,
        &owner.user.company_id,
        &made_up,
        "",
        "x",
        "' OR 1=1",
    ];
    for id in ids {
        for new in [Some(NEW), Some(""), None] {
            let failure = reset(&app, &owner, id, new).await.unwrap_err();
            assert_eq!(failure.kind, Kind::NotFound, "{id}");
            assert_eq!(failure.message, "Not found.");
        }
    }
    assert_eq!(
        app.count("audit_events WHERE event = 'unknown_object' AND detail = 'person'")
            .await,
        24
    );
    assert!(app.operate(&username, OPERATOR_PASSWORD).await.is_ok());
    assert!(app.sign_in("Borealis", PASSWORD).await.is_ok());
    assert!(app.resolve(&other.token).await.is_ok());
}

#[tokio::test]
async fn reset_applies_the_rules_of_the_target() {
    let app = App::new().await;
    let (owner, id, username) = crew(&app).await;
    let manager = app.manager(&owner, "mo.manager@mail.example").await;
    let before = app.operate(&username, OPERATOR_PASSWORD).await.unwrap();
    let named = app.operator(&owner, "Anastasia", "Wu").await;
    let long = "zq".repeat(65);
    for bad in [
        "",
        "zx9q4",
        &long,
        "password",
        "123456",
        "HourMeter",
        &username,
        OPERATOR_PASSWORD,
    ] {
        let failure = reset(&app, &owner, &id, Some(bad)).await.unwrap_err();
        assert_fields(&failure, &["newPassword"]);
    }
    for bad in [
        "mo.manager",
        "mo.manager@mail.example",
        "momanager",
        "manager",
        // A different spelling of the same password.
        "Field-Pass-７７",
        OPERATOR_PASSWORD,
    ] {
        let failure = reset(&app, &owner, &manager.user.id, Some(bad)).await;
        assert_fields(&failure.unwrap_err(), &["newPassword"]);
    }
    let failure = reset(&app, &owner, &named.id, Some("anastasia")).await;
    assert_fields(&failure.unwrap_err(), &["newPassword"]);
    assert_eq!(audited(&app, "failed", "operator_password").await, 3);
    // Nothing has changed.
    assert!(app.resolve(&before.token).await.is_ok());
    assert!(app.resolve(&manager.token).await.is_ok());
    assert!(app.operate(&username, OPERATOR_PASSWORD).await.is_ok());
    assert!(!app.settings(&owner).await.operator_password_stale);
    // Names of other persons are allowed.
    for good in ["anastasia", "zx9ñ4q", &"zq".repeat(64), "  zx9q4  "] {
        reset(&app, &owner, &id, Some(good)).await.unwrap();
        assert!(app.operate(&username, good).await.is_ok(), "{good}");
    }
}

#[tokio::test]
async fn reset_requires_a_recent_sign_in() {
    let app = App::new().await;
    let (mut owner, id, username) = crew(&app).await;
    owner.identity.entitlements.active = false;
    owner.identity.authenticated_at -= 31 * 60;
    let failure = reset(&app, &owner, &id, Some(NEW)).await.unwrap_err();
    assert_eq!(
        (failure.kind, &*failure.reason),
        (Kind::Forbidden, "REAUTH_REQUIRED")
    );
    assert!(app.operate(&username, OPERATOR_PASSWORD).await.is_ok());
    owner.identity.authenticated_at += 2 * 60;
    reset(&app, &owner, &id, Some(NEW)).await.unwrap();
    assert!(app.operate(&username, NEW).await.is_ok());
}

#[tokio::test]
async fn concurrent_reset_and_removal() {
    let app = App::new().await;
    let (owner, ..) = crew(&app).await;
    for _ in 0..10 {
        let operator = app.operator(&owner, "Li", "Wu").await;
        let username = operator.operator_username.unwrap();
        let remove = DeleteEmployeeRequest {
            id: operator.id.clone(),
        };
        let mut client = app.client();
        let (set, removed) = tokio::join!(
            reset(&app, &owner, &operator.id, Some(NEW)),
            client.delete_employee(by(&owner, remove))
        );
        removed.unwrap();
        if let Err(failure) = set {
            assert_eq!(failure.kind, Kind::NotFound);
        }
        assert!(app.operate(&username, NEW).await.is_err());
        assert!(app.operate(&username, OPERATOR_PASSWORD).await.is_err());
    }
}

#[tokio::test]
async fn reset_ends_concurrent_sign_ins() {
    let app = App::new().await;
    let (owner, id, username) = crew(&app).await;
    for round in 0..10 {
        let new = format!("{NEW}-{round}");
        let (signed_in, done) = tokio::join!(
            app.operate(&username, OPERATOR_PASSWORD),
            reset(&app, &owner, &id, Some(&new))
        );
        done.unwrap();
        if let Ok(grant) = signed_in {
            assert!(app.resolve(&grant.token).await.is_err());
        }
        reset(&app, &owner, &id, None).await.unwrap();
    }
}

#[tokio::test]
async fn reset_rejects_a_concurrent_operator_password() {
    let app = App::new().await;
    let (owner, ..) = crew(&app).await;
    let manager = app.manager(&owner, "mo@mail.example").await;
    for round in 0..10 {
        let one = format!("{NEW}-{round}");
        let settings = UpdateCompanySettingsRequest {
            operator_password: Some(one.clone()),
            ..UpdateCompanySettingsRequest::default()
        };
        let mut client = app.client();
        let (shared, own) = tokio::join!(
            client.update_company_settings(by(&owner, settings)),
            reset(&app, &owner, &manager.user.id, Some(&one))
        );
        let shared = read(shared).map(drop);
        assert!(
            shared.is_ok() != own.is_ok(),
            "{round}: {shared:?}, {own:?}"
        );
        let refused = shared.and(own).unwrap_err();
        assert!(
            matches!(refused.kind, Kind::Invalid | Kind::Stale),
            "{refused:?}"
        );
    }
}
