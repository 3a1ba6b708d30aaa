use hourmeter_proto::accounts::v1::{CompanySettings, FuelUnit, UpdateCompanySettingsRequest};
use hourmeter_runtime::error::{Kind, ServiceError};

use crate::support::{App, OPERATOR_PASSWORD, PASSWORD, Signed, assert_fields, by, read};

type Request = UpdateCompanySettingsRequest;

async fn update(
    app: &App,
    who: &Signed,
    request: Request,
) -> Result<CompanySettings, ServiceError> {
    let answer = app.client().update_company_settings(by(who, request)).await;
    read(answer).map(|answer| answer.settings.unwrap())
}

fn password(text: &str) -> Request {
    Request {
        operator_password: Some(text.to_owned()),
        ..Request::default()
    }
}

fn name(text: &str) -> Request {
    Request {
        company_name: Some(text.to_owned()),
        ..Request::default()
    }
}

fn zone(text: &str) -> Request {
    Request {
        time_zone: Some(text.to_owned()),
        ..Request::default()
    }
}

fn stale_after(days: u32) -> Request {
    Request {
        stale_after_days: Some(days),
        ..Request::default()
    }
}

fn litres() -> Request {
    Request {
        fuel_unit: FuelUnit::Litres.into(),
        ..Request::default()
    }
}

fn auto_apply(on: bool) -> Request {
    Request {
        auto_apply_updates: Some(on),
        ..Request::default()
    }
}

#[tokio::test]
async fn new_company_has_default_settings() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let settings = app.settings(&owner).await;
    assert_eq!(settings.id, owner.user.company_id);
    assert_eq!(settings.owner_id, owner.user.id);
    assert_eq!(
        (settings.company_name.as_str(), settings.time_zone.as_str()),
        ("Acme", "UTC")
    );
    assert!(!settings.operator_password_set && !settings.operator_password_stale);
    assert!(!settings.auto_apply_updates && !settings.earlier_warnings);
    assert_eq!(
        (settings.fuel_unit(), settings.stale_after_days),
        (FuelUnit::Gallons, 14)
    );
    assert_eq!(settings.created_at, settings.updated_at);
}

#[tokio::test]
async fn update_settings_changes_given_fields() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let manager = app.manager(&owner, "mo@mail.example").await;
    let after = update(&app, &manager, zone("America/Bogota"))
        .await
        .unwrap();
    assert_eq!(
        (after.time_zone.as_str(), after.company_name.as_str()),
        ("America/Bogota", "Acme")
    );
    assert!(
        update(&app, &owner, auto_apply(true))
            .await
            .unwrap()
            .auto_apply_updates
    );
    let found = app.resolve(&owner.token).await.unwrap();
    assert_eq!(
        (found.time_zone.as_str(), found.auto_apply_updates),
        ("America/Bogota", true)
    );
    let all = Request {
        operator_password: Some(OPERATOR_PASSWORD.to_owned()),
        company_name: Some(" Acme Two ".to_owned()),
        time_zone: Some("UTC".to_owned()),
        auto_apply_updates: Some(false),
        earlier_warnings: Some(true),
        fuel_unit: FuelUnit::Litres.into(),
        stale_after_days: Some(365),
    };
    let after = update(&app, &owner, all).await.unwrap();
    assert_eq!(
        (after.company_name.as_str(), after.time_zone.as_str()),
        ("Acme Two", "UTC")
    );
    assert!(after.operator_password_set && !after.auto_apply_updates && after.earlier_warnings);
    assert_eq!(
        (after.fuel_unit(), after.stale_after_days),
        (FuelUnit::Litres, 365)
    );
    assert_eq!(app.settings(&owner).await, after);
    assert_eq!(app.user(&owner).await.fuel_unit(), FuelUnit::Litres);
    assert_eq!(
        app.resolve(&owner.token).await.unwrap().stale_after_days,
        Some(365)
    );
    assert!(app.sign_in("Acme Two", PASSWORD).await.is_ok());
    assert!(app.sign_in("Acme", PASSWORD).await.is_err());
    // The unchanged name is not a change.
    let same = Request {
        company_name: Some("Acme Two".to_owned()),
        ..Request::default()
    };
    update(&app, &owner, same).await.unwrap();
    let settings = "detail = 'time_zone=UTC auto_apply_updates=off earlier_warnings=on \
        fuel_unit=litres stale_after_days=365'";
    assert_eq!(
        app.audited("settings_changed", "success", settings).await,
        1
    );
    let renamed = "target_name = 'Acme Two' AND actor_name = 'Ana Ruiz'";
    assert_eq!(app.audited("company_renamed", "success", renamed).await, 1);
    for (event, times) in [
        ("settings_changed", 3),
        ("company_renamed", 1),
        ("operator_password_set", 1),
    ] {
        let written = format!("audit_events WHERE event = '{event}' AND outcome = 'success'");
        assert_eq!(app.count(&written).await, times, "{event}");
    }
}

#[tokio::test]
async fn update_settings_rejects_an_empty_change() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let failure = update(&app, &owner, Request::default()).await.unwrap_err();
    assert_eq!(failure.kind, Kind::Invalid);
    assert_eq!(
        failure.message,
        "Please enter at least one setting to update."
    );
}

#[tokio::test]
async fn update_settings_rejects_a_taken_name() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    app.company("Borealis").await;
    for taken in ["Borealis", "BOREALIS", " borealis "] {
        let failure = update(&app, &owner, name(taken)).await.unwrap_err();
        assert_eq!(failure.kind, Kind::AlreadyExists);
        assert_eq!(failure.message, "That business name is already in use.");
    }
    assert_eq!(app.settings(&owner).await.company_name, "Acme");
    let own = update(&app, &owner, name("ACME")).await.unwrap();
    assert_eq!(own.company_name, "ACME");
    assert!(app.sign_in("ACME", PASSWORD).await.is_ok());
}

#[tokio::test]
async fn concurrent_renames_one_wins() {
    let app = App::new().await;
    let (one, two) = (app.company("Acme").await, app.company("Borealis").await);
    let (one, two) = tokio::join!(
        update(&app, &one, name("Coolibah")),
        update(&app, &two, name("coolibah"))
    );
    assert_eq!(usize::from(one.is_ok()) + usize::from(two.is_ok()), 1);
}

#[tokio::test]
async fn update_settings_names_invalid_fields() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    app.set_operator_password(&owner).await;
    let before = app.settings(&owner).await;
    let long = "zq".repeat(33);
    let wide = "🚜".repeat(64);
    for bad in [
        "",
        "zx9q4",
        &long,
        &wide,
        "zx9\nq4a",
        "password",
        "Hourmeter",
        "＊＊＊＊＊＊＊＊",
    ] {
        let failure = update(&app, &owner, password(bad)).await.unwrap_err();
        assert_fields(&failure, &["masterPassword"]);
    }
    for bad in ["", "A", "Ac\u{200B}me", "Ac\0me", &long.repeat(2)] {
        assert_fields(
            &update(&app, &owner, name(bad)).await.unwrap_err(),
            &["companyName"],
        );
    }
    for blank in ["", "  "] {
        let failure = update(&app, &owner, name(blank)).await.unwrap_err();
        assert_eq!(
            failure.fields[0].1.to_string(),
            "Company name cannot be empty."
        );
    }
    for bad in ["", "Moon/Base", "+02:00", "\0"] {
        assert_fields(
            &update(&app, &owner, zone(bad)).await.unwrap_err(),
            &["timeZone"],
        );
    }
    let all = Request {
        operator_password: Some("x".to_owned()),
        company_name: Some(String::new()),
        time_zone: Some("x".to_owned()),
        auto_apply_updates: Some(true),
        earlier_warnings: Some(true),
        fuel_unit: FuelUnit::Litres.into(),
        stale_after_days: Some(366),
    };
    let failure = update(&app, &owner, all).await.unwrap_err();
    assert_fields(
        &failure,
        &[
            "companyName",
            "masterPassword",
            "timeZone",
            "staleAfterDays",
        ],
    );
    assert_eq!(app.settings(&owner).await, before);
    assert!(app.operate("Acme", OPERATOR_PASSWORD).await.is_ok());
}

#[tokio::test]
async fn operator_password_is_hashed_and_sealed() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let long = "zq".repeat(32);
    update(&app, &owner, password(&long)).await.unwrap();
    assert!(app.operate("Acme", &long).await.is_ok());
    app.set_operator_password(&owner).await;
    let dump = app.text("SELECT c::text FROM companies c").await;
    assert!(!dump.contains(OPERATOR_PASSWORD));
    let sealed = "companies WHERE octet_length(operator_password_box) = 272
        AND octet_length(operator_password_nonce) = 24 AND operator_password_key_id = '1'";
    assert_eq!(app.count(sealed).await, 1);
}

#[tokio::test]
async fn operator_password_mask_means_unchanged() {
    let app = App::new().await;
    let mut owner = app.company("Acme").await;
    app.set_operator_password(&owner).await;
    let shared = app.operate("Acme", OPERATOR_PASSWORD).await.unwrap();
    let before = app.settings(&owner).await;
    // Not a change, so it needs neither a recent sign-in nor a subscription.
    owner.identity.authenticated_at -= 31 * 60;
    owner.identity.entitlements.active = false;
    assert_eq!(
        update(&app, &owner, password("********")).await.unwrap(),
        before
    );
    assert!(app.resolve(&shared.token).await.is_ok());
    assert!(app.operate("Acme", OPERATOR_PASSWORD).await.is_ok());
    assert!(app.operate("Acme", "********").await.is_err());
}

#[tokio::test]
async fn operator_password_must_differ_from_managers_passwords() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    app.manager(&owner, "mo@mail.example").await;
    update(&app, &owner, password("Managers-Own-5"))
        .await
        .unwrap();
    app.execute(
        "UPDATE users SET password_hash = c.operator_password_hash,
            password_pepper_id = c.operator_password_pepper_id
        FROM companies c WHERE role = 'manager'",
    )
    .await;
    app.set_operator_password(&owner).await;
    for taken in [PASSWORD, "Managers-Own-5", "zx9 tractor N\u{303}"] {
        let failure = update(&app, &owner, password(taken)).await.unwrap_err();
        assert_fields(&failure, &["masterPassword"]);
    }
    assert!(app.operate("Acme", OPERATOR_PASSWORD).await.is_ok());
    let tried = "audit_events WHERE event = 'operator_password_set' AND outcome = 'failed'";
    assert_eq!(app.count(tried).await, 3);
}

#[tokio::test]
async fn operator_password_change_ends_operator_sessions() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let other = app.company("Borealis").await;
    app.set_operator_password(&owner).await;
    app.set_operator_password(&other).await;
    let username = app
        .operator(&owner, "Li", "Wu")
        .await
        .operator_username
        .unwrap();
    app.execute("UPDATE companies SET operator_password_stale = true")
        .await;
    assert!(app.settings(&owner).await.operator_password_stale);
    let operator = app.operate(&username, OPERATOR_PASSWORD).await.unwrap();
    let shared = app.operate("Acme", OPERATOR_PASSWORD).await.unwrap();
    let elsewhere = app.operate("Borealis", OPERATOR_PASSWORD).await.unwrap();
    let after = update(&app, &owner, password("Another-Pass-8"))
        .await
        .unwrap();
    assert!(after.operator_password_set && !after.operator_password_stale);
    assert!(app.resolve(&operator.token).await.is_err());
    assert!(app.resolve(&shared.token).await.is_err());
    assert!(app.resolve(&owner.token).await.is_ok());
    assert!(app.resolve(&elsewhere.token).await.is_ok());
    assert!(app.operate(&username, OPERATOR_PASSWORD).await.is_err());
    assert!(app.operate(&username, "Another-Pass-8").await.is_ok());
}

#[tokio::test]
async fn password_and_name_require_a_recent_sign_in() {
    let app = App::new().await;
    let mut owner = app.company("Acme").await;
    owner.identity.authenticated_at -= 31 * 60;
    for request in [password(OPERATOR_PASSWORD), name("Acme Two")] {
        let failure = update(&app, &owner, request).await.unwrap_err();
        assert_eq!(
            (failure.kind, &*failure.reason),
            (Kind::Forbidden, "REAUTH_REQUIRED")
        );
    }
    assert!(update(&app, &owner, zone("America/Bogota")).await.is_ok());
    assert!(update(&app, &owner, auto_apply(true)).await.is_ok());
    let settings = app.settings(&owner).await;
    assert!(!settings.operator_password_set);
    assert_eq!(settings.company_name, "Acme");
}

#[tokio::test]
async fn inactive_subscription_allows_the_operator_password_only() {
    let app = App::new().await;
    let mut owner = app.company("Acme").await;
    owner.identity.entitlements.active = false;
    let with_zone = Request {
        time_zone: Some("UTC".to_owned()),
        ..password(OPERATOR_PASSWORD)
    };
    for request in [
        name("Acme Two"),
        zone("America/Bogota"),
        auto_apply(true),
        litres(),
        stale_after(7),
        with_zone,
    ] {
        let failure = update(&app, &owner, request).await.unwrap_err();
        assert_eq!(failure.kind, Kind::SubscriptionInactive);
        assert_eq!(failure.reason, "SUBSCRIPTION_INACTIVE");
    }
    assert!(!app.settings(&owner).await.operator_password_set);
    assert!(
        update(&app, &owner, password(OPERATOR_PASSWORD))
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn operator_password_attempts_are_audited_first() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let mo = app.manager(&owner, "mo@mail.example").await;
    app.company("Borealis").await;
    // A taken name is rejected first and reveals nothing about the password.
    for guess in [PASSWORD, "another-guess-1"] {
        let request = Request {
            company_name: Some("Borealis".to_owned()),
            ..password(guess)
        };
        let failure = update(&app, &mo, request).await.unwrap_err();
        assert_eq!(failure.kind, Kind::AlreadyExists);
    }
    assert_eq!(
        app.audited("operator_password_tried", "success", "true")
            .await,
        0
    );
    let failure = update(&app, &mo, password(PASSWORD)).await.unwrap_err();
    assert_eq!(
        (failure.kind, &*failure.reason),
        (Kind::Invalid, "PERSONAL_PASSWORD")
    );
    let by_mo = format!("actor_id = '{}'", mo.user.id);
    assert_eq!(
        app.audited("operator_password_tried", "success", &by_mo)
            .await,
        1
    );
    // Also if the later write fails: it waits for a locked row.
    let mut holder = app.admin().await;
    let company = owner.identity.company_id;
    let hold = format!("BEGIN; SELECT FROM companies WHERE company_id = '{company}' FOR UPDATE");
    sqlx::Executor::execute(&mut holder, sqlx::AssertSqlSafe(hold))
        .await
        .unwrap();
    let failure = update(&app, &mo, password(OPERATOR_PASSWORD))
        .await
        .unwrap_err();
    assert_eq!(failure.kind, Kind::Unavailable);
    drop(holder);
    assert_eq!(
        app.audited("operator_password_tried", "success", &by_mo)
            .await,
        2
    );
    assert!(!app.settings(&owner).await.operator_password_set);
}
