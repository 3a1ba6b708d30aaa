use hourmeter_proto::accounts::v1::{
    DeleteEmployeeRequest, Role, Scope, SignInOperatorRequest, UpdateCompanySettingsRequest,
};
use hourmeter_runtime::error::Kind;

use crate::support::{
    App, OPERATOR_PASSWORD, PASSWORD, Signed, assert_fields, by, edge, read, refusal,
};

const REFUSED: &str = "Invalid operator name or password";

async fn acme(app: &App) -> (Signed, String) {
    let owner = app.company("Acme").await;
    app.set_operator_password(&owner).await;
    let operator = app.operator(&owner, "Li", "Wu").await;
    (owner, operator.operator_username.unwrap())
}

#[tokio::test]
async fn operator_signs_in_with_the_shared_password() {
    let app = App::new().await;
    let (owner, username) = acme(&app).await;
    let request = SignInOperatorRequest {
        operator_name: username.clone(),
        password: OPERATOR_PASSWORD.to_owned(),
        remember_me: true,
        ..SignInOperatorRequest::default()
    };
    let answer = read(app.client().sign_in_operator(edge(request)).await).unwrap();
    let grant = answer.session.unwrap();
    assert!(grant.remember_me);
    let operator = app.signed(grant).await;
    assert_eq!(operator.user.role(), Role::Operator);
    assert_eq!(operator.user.scope(), Scope::Operator);
    assert_eq!(operator.user.operator_username, Some(username));
    assert_eq!(operator.user.company_id, owner.user.company_id);
    assert_eq!(operator.identity.display_name, "Li Wu");
    assert_eq!(operator.identity.owner_id, owner.identity.user_id);
}

#[tokio::test]
async fn owner_scope_depends_on_the_password() {
    let app = App::new().await;
    let (owner, _) = acme(&app).await;
    let shared = app.operate("Acme", OPERATOR_PASSWORD).await.unwrap();
    let shared = app.signed(shared).await;
    assert_eq!(shared.user.id, owner.user.id);
    assert_eq!(
        (shared.user.role(), shared.user.scope()),
        (Role::Operator, Scope::Operator)
    );
    assert_eq!(shared.identity.role, Role::Owner);
    assert_eq!(shared.identity.scope, Scope::Operator);
    assert_eq!(shared.identity.display_name, "Acme");
    let settings = hourmeter_proto::accounts::v1::GetCompanySettingsRequest {};
    let failure = refusal(
        app.client()
            .get_company_settings(by(&shared, settings))
            .await,
    );
    assert_eq!(failure.kind, Kind::Forbidden);

    let full = app
        .signed(app.operate("Acme", PASSWORD).await.unwrap())
        .await;
    assert_eq!(
        (full.user.role(), full.user.scope()),
        (Role::Owner, Scope::Full)
    );
    assert_eq!(full.identity.display_name, "Ana Ruiz");
}

#[tokio::test]
async fn shared_password_never_gives_full_scope() {
    let app = App::new().await;
    let (owner, _) = acme(&app).await;
    // Also if both passwords are the same.
    app.execute(
        "UPDATE users u SET password_hash = c.operator_password_hash,
            password_pepper_id = c.operator_password_pepper_id
        FROM companies c WHERE c.owner_id = u.id",
    )
    .await;
    let grant = app.operate("Acme", OPERATOR_PASSWORD).await.unwrap();
    assert_eq!(grant.user.unwrap().scope(), Scope::Operator);
    assert_eq!(owner.identity.scope, Scope::Full);
}

#[tokio::test]
async fn operator_sign_in_errors_are_the_same() {
    let app = App::new().await;
    let (owner, username) = acme(&app).await;
    let email = owner.user.email.clone().unwrap();
    app.manager(&owner, "mo@mail.example").await;
    let bare = app.company("Borealis").await;
    let lonely = app
        .operator(&bare, "Bo", "Berg")
        .await
        .operator_username
        .unwrap();
    let long = "x".repeat(100_000);
    let wrong = [
        (username.as_str(), "not it at all"),
        (&username, PASSWORD),
        (&username.to_uppercase(), OPERATOR_PASSWORD),
        (&username, "field-pass-77"),
        (&username, "Field-Pass-77 "),
        ("nobody1234", OPERATOR_PASSWORD),
        ("acme", OPERATOR_PASSWORD),
        (&email, PASSWORD),
        ("mo@mail.example", PASSWORD),
        (&lonely, OPERATOR_PASSWORD),
        (&lonely, PASSWORD),
        ("Borealis", OPERATOR_PASSWORD),
        ("li\0", OPERATOR_PASSWORD),
        (&long, OPERATOR_PASSWORD),
        (&username, &long),
    ];
    let sessions = app.count("sessions").await;
    for (name, password) in wrong {
        let failure = app.operate(name, password).await.unwrap_err();
        assert_eq!(
            failure.kind,
            Kind::Unauthenticated,
            "{name:.20} {password:.20}"
        );
        assert_eq!(failure.message, REFUSED);
        assert!(failure.reason == "OPERATOR_SIGN_IN_REFUSED" && failure.fields.is_empty());
    }
    assert_eq!(app.count("sessions").await, sessions);
}

#[tokio::test]
async fn operator_sign_in_names_empty_fields() {
    let app = App::new().await;
    let failure = app.operate("", "").await.unwrap_err();
    assert_fields(&failure, &["operatorName", "password"]);
}

#[tokio::test]
async fn personal_password_replaces_the_shared_one() {
    let app = App::new().await;
    let (_, username) = acme(&app).await;
    // The owner's own password represents one set by a reset.
    app.execute(
        "UPDATE users u SET password_hash = o.password_hash,
            password_pepper_id = o.password_pepper_id, password_set_at = now()
        FROM users o WHERE u.role = 'operator' AND o.role = 'owner'",
    )
    .await;
    assert!(app.operate(&username, OPERATOR_PASSWORD).await.is_err());
    let grant = app.operate(&username, PASSWORD).await.unwrap();
    assert_eq!(grant.user.unwrap().scope(), Scope::Operator);
    assert!(app.operate("Acme", OPERATOR_PASSWORD).await.is_ok());
}

#[tokio::test]
async fn username_takes_precedence_over_business_name() {
    let app = App::new().await;
    let (owner, username) = acme(&app).await;
    let namesake = app.company(&username).await;
    let grant = app.operate(&username, OPERATOR_PASSWORD).await.unwrap();
    assert_eq!(grant.user.unwrap().company_id, owner.user.company_id);
    assert!(app.operate(&username, PASSWORD).await.is_err());
    assert_ne!(namesake.user.company_id, owner.user.company_id);
}

#[tokio::test]
async fn operator_sign_in_rejects_another_companys_password() {
    let app = App::new().await;
    let (_, username) = acme(&app).await;
    let other = app.company("Borealis").await;
    let request = UpdateCompanySettingsRequest {
        operator_password: Some("Boreal-Pass-9".to_owned()),
        ..UpdateCompanySettingsRequest::default()
    };
    app.client()
        .update_company_settings(by(&other, request))
        .await
        .unwrap();
    assert!(app.operate(&username, "Boreal-Pass-9").await.is_err());
    assert!(app.operate("Acme", "Boreal-Pass-9").await.is_err());
    assert!(app.operate("Borealis", OPERATOR_PASSWORD).await.is_err());
}

#[tokio::test]
async fn operator_session_ends_with_a_concurrent_change() {
    let app = App::new().await;
    let (owner, _) = acme(&app).await;
    for round in 0..6 {
        let operator = app.operator(&owner, "Li", "Wu").await;
        let name = operator.operator_username.unwrap();
        let current = format!("Round-Pass-{round}");
        let set = |password: &str| {
            let request = UpdateCompanySettingsRequest {
                operator_password: Some(password.to_owned()),
                ..UpdateCompanySettingsRequest::default()
            };
            let mut client = app.client();
            let request = by(&owner, request);
            async move { client.update_company_settings(request).await }
        };
        set(&current).await.unwrap();
        let next = format!("Next-Pass-{round}");
        let (grants, changed) = tokio::join!(
            async {
                let tries = [app.operate(&name, &current), app.operate(&name, &current)];
                let [a, b] = tries;
                tokio::join!(a, b)
            },
            set(&next)
        );
        changed.unwrap();
        for grant in [grants.0, grants.1].into_iter().flatten() {
            assert!(app.resolve(&grant.token).await.is_err(), "round {round}");
        }
        let mut client = app.client();
        let delete = by(&owner, DeleteEmployeeRequest { id: operator.id });
        let (grant, deleted) =
            tokio::join!(app.operate(&name, &next), client.delete_employee(delete));
        deleted.unwrap();
        if let Ok(grant) = grant {
            assert!(app.resolve(&grant.token).await.is_err(), "round {round}");
        }
    }
}
