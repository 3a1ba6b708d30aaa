use hourmeter_proto::accounts::v1::{ClientOrigin, Role, Scope, SignInRequest};
use hourmeter_runtime::error::Kind;
use uuid::Uuid;

use crate::support::{App, PASSWORD, assert_fields, edge, read, refusal};

const REFUSED: &str = "Invalid email, business name or password";

#[tokio::test]
async fn sign_in_matches_email_or_business_name() {
    let app = App::new().await;
    let owner = app.company("Ruiz Rentals").await;
    let email = owner.user.email.clone().unwrap();
    for name in [
        email.as_str(),
        &email.to_uppercase(),
        &format!(" {email} "),
        "Ruiz Rentals",
    ] {
        let grant = app.sign_in(name, PASSWORD).await.unwrap();
        let user = grant.user.unwrap();
        assert_eq!(user.id, owner.user.id, "{name}");
        assert_eq!((user.role(), user.scope()), (Role::Owner, Scope::Full));
    }
    for name in ["ruiz rentals", "RUIZ RENTALS", "Ruiz  Rentals", "Ruiz"] {
        assert!(app.sign_in(name, PASSWORD).await.is_err(), "{name}");
    }
    let manager = app.manager(&owner, "mo@mail.example").await;
    assert_eq!(manager.user.role(), Role::Manager);
    assert_eq!(manager.identity.owner_id, owner.identity.user_id);
}

#[tokio::test]
async fn sign_in_errors_are_the_same() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let other = app.company("Borealis").await;
    app.set_operator_password(&owner).await;
    let operator = app.operator(&owner, "Li", "Wu").await;
    let email = owner.user.email.clone().unwrap();
    app.execute("UPDATE users SET email = 'li@mail.example' WHERE role = 'operator'")
        .await;
    let long = "x".repeat(100_000);
    let wrong = [
        (email.as_str(), "not it at all"),
        ("nobody@mail.example", PASSWORD),
        ("Nobody Inc", PASSWORD),
        ("Acme", "Field-Pass-77"),
        ("Acme", " zx9 tractor Ñ"),
        ("Acme", "ZX9 TRACTOR Ñ"),
        ("Acme", "zx9 tractor"),
        ("li@mail.example", "Field-Pass-77"),
        (
            operator.operator_username.as_deref().unwrap(),
            "Field-Pass-77",
        ),
        ("Ac\0me", PASSWORD),
        ("Acme", "zx9\0"),
        (&long, PASSWORD),
        ("Acme", &long),
    ];
    let sessions = app.count("sessions").await;
    for (name, password) in wrong {
        let failure = app.sign_in(name, password).await.unwrap_err();
        assert_eq!(
            failure.kind,
            Kind::Unauthenticated,
            "{name:.20} {password:.20}"
        );
        assert_eq!(failure.message, REFUSED);
        assert!(failure.reason == "SIGN_IN_REFUSED" && failure.fields.is_empty());
    }
    assert_eq!(app.count("sessions").await, sessions);
    let failed = app
        .count("audit_events WHERE event = 'sign_in' AND outcome = 'failed'")
        .await;
    assert_eq!(failed, 13);
    let unknown = format!("audit_events WHERE company_id = '{}'", Uuid::nil());
    assert_eq!(app.count(&unknown).await, 6);
    let others = other.identity.company_id;
    let foreign = format!("audit_events WHERE outcome = 'failed' AND company_id = '{others}'");
    assert_eq!(app.count(&foreign).await, 0);
}

#[tokio::test]
async fn sign_in_normalizes_passwords() {
    let app = App::new().await;
    app.company("Acme").await;
    assert!(app.sign_in("Acme", "zx9 tractor N\u{303}").await.is_ok());
}

#[tokio::test]
async fn sign_in_names_empty_fields() {
    let app = App::new().await;
    let failure = app.sign_in(" ", "").await.unwrap_err();
    assert_fields(&failure, &["emailOrBusinessName", "password"]);
    assert_eq!(failure.message, "Please enter your email or business name");
    assert_eq!(failure.fields[1].1, "Password is required");
}

#[tokio::test]
async fn sign_in_replaces_the_previous_session() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let request = |previous: &str| SignInRequest {
        email_or_business_name: "Acme".to_owned(),
        password: PASSWORD.to_owned(),
        remember_me: true,
        previous_token: previous.to_owned(),
        origin: Some(ClientOrigin {
            address_prefix: "203.0.113.0/24".to_owned(),
        }),
        ..SignInRequest::default()
    };
    let answer = read(app.client().sign_in(edge(request(&owner.token))).await).unwrap();
    let grant = answer.session.unwrap();
    assert!(grant.remember_me);
    assert!(app.resolve(&owner.token).await.is_err());
    assert!(app.resolve(&grant.token).await.is_ok());
    for nonsense in ["x", "%%%", &grant.token[1..], &"A".repeat(43)] {
        assert!(
            app.client().sign_in(edge(request(nonsense))).await.is_ok(),
            "{nonsense}"
        );
    }
    let prefixed = "sessions WHERE ip_prefix = '203.0.113.0/24'";
    assert_eq!(app.count(prefixed).await, 5);
    let kept = "audit_events WHERE address_prefix = '203.0.113.0/24' AND event = 'sign_in'";
    assert_eq!(app.count(kept).await, 5);
}

#[tokio::test]
async fn failed_sign_in_keeps_the_previous_session() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let request = SignInRequest {
        email_or_business_name: "Acme".to_owned(),
        password: "not it at all".to_owned(),
        previous_token: owner.token.clone(),
        ..SignInRequest::default()
    };
    refusal(app.client().sign_in(edge(request)).await);
    assert!(app.resolve(&owner.token).await.is_ok());
}
