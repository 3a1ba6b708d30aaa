//! Rehashing of outdated password hashes at sign-in.

use hourmeter_accounts::{
    DecoySecret, Keyring, PasswordSettings, Peppers, Secrets, generate_key_file,
};
use hourmeter_proto::accounts::v1::{ReauthenticateRequest, SignInOperatorRequest, SignInRequest};
use secrecy::ExposeSecret as _;

use crate::support::{App, Client, OPERATOR_PASSWORD, PASSWORD, client, edge};

const ONE: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const TWO: &str = "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=";

fn secrets(active: &str) -> Secrets {
    let file = format!(r#"{{"active":"{active}","keys":{{"one":"{ONE}","two":"{TWO}"}}}}"#);
    Secrets {
        peppers: Peppers::parse(&file).unwrap(),
        operator_password_keys: Keyring::parse(generate_key_file().unwrap().expose_secret())
            .unwrap(),
        decoy_secret: DecoySecret::parse(DecoySecret::generate().unwrap().expose_secret()).unwrap(),
    }
}

async fn app_with(active: &str) -> App {
    let mut app = App::new().await;
    app.client = client(&app.test, secrets(active), PasswordSettings::for_tests());
    app
}

fn later(app: &App, active: &str) -> Client {
    client(&app.test, secrets(active), PasswordSettings::for_tests())
}

async fn pepper_ids(app: &App) -> (String, String) {
    let own = app
        .text("SELECT password_pepper_id FROM users WHERE role = 'owner'")
        .await;
    let shared = app
        .text("SELECT operator_password_pepper_id FROM companies")
        .await;
    (own, shared)
}

#[tokio::test]
async fn sign_in_rehashes_outdated_passwords() {
    let app = app_with("one").await;
    let owner = app.company("Acme").await;
    app.set_operator_password(&owner).await;
    let username = app
        .operator(&owner, "Li", "Wu")
        .await
        .operator_username
        .unwrap();
    assert_eq!(pepper_ids(&app).await, ("one".to_owned(), "one".to_owned()));
    let set_at = app
        .text("SELECT password_set_at::text FROM users WHERE role = 'owner'")
        .await;

    let mut rotated = later(&app, "two");
    let request = |name: &str, password: &str| SignInOperatorRequest {
        operator_name: name.to_owned(),
        password: password.to_owned(),
        ..SignInOperatorRequest::default()
    };
    assert!(
        rotated
            .sign_in_operator(edge(request(&username, "wrong")))
            .await
            .is_err()
    );
    assert_eq!(pepper_ids(&app).await, ("one".to_owned(), "one".to_owned()));
    let operator = request(&username, OPERATOR_PASSWORD);
    rotated
        .sign_in_operator(edge(operator.clone()))
        .await
        .unwrap();
    assert_eq!(pepper_ids(&app).await, ("one".to_owned(), "two".to_owned()));
    rotated
        .sign_in_operator(edge(request("Acme", PASSWORD)))
        .await
        .unwrap();
    assert_eq!(pepper_ids(&app).await, ("two".to_owned(), "two".to_owned()));

    rotated.sign_in_operator(edge(operator)).await.unwrap();
    let request = SignInRequest {
        email_or_business_name: "Acme".to_owned(),
        password: PASSWORD.to_owned(),
        ..SignInRequest::default()
    };
    rotated.sign_in(edge(request)).await.unwrap();
    let after = app
        .text("SELECT password_set_at::text FROM users WHERE role = 'owner'")
        .await;
    assert_eq!(set_at, after);
}

#[tokio::test]
async fn reauthentication_rehashes_outdated_passwords() {
    let app = app_with("one").await;
    let owner = app.company("Acme").await;
    let request = ReauthenticateRequest {
        token: owner.token,
        password: PASSWORD.to_owned(),
        origin: None,
    };
    later(&app, "two")
        .reauthenticate(edge(request))
        .await
        .unwrap();
    let stored = "SELECT password_pepper_id FROM users";
    assert_eq!(app.text(stored).await, "two");
    let request = SignInRequest {
        email_or_business_name: "Acme".to_owned(),
        password: PASSWORD.to_owned(),
        ..SignInRequest::default()
    };
    later(&app, "one").sign_in(edge(request)).await.unwrap();
    assert_eq!(app.text(stored).await, "one");
}

#[tokio::test]
async fn sign_in_rehashes_weak_parameters() {
    let app = app_with("one").await;
    app.company("Acme").await;
    let mut strong = client(&app.test, secrets("one"), PasswordSettings::default());
    let request = SignInRequest {
        email_or_business_name: "Acme".to_owned(),
        password: PASSWORD.to_owned(),
        ..SignInRequest::default()
    };
    strong.sign_in(edge(request.clone())).await.unwrap();
    let stored = app.text("SELECT password_hash FROM users").await;
    assert!(
        stored.starts_with("$argon2id$v=19$m=47104,t=1,p=1$"),
        "{stored}"
    );
    strong.sign_in(edge(request)).await.unwrap();
    assert_eq!(app.text("SELECT password_hash FROM users").await, stored);
}

#[tokio::test]
async fn unknown_pepper_is_unavailable() {
    let app = app_with("two").await;
    app.company("Acme").await;
    let file = format!(r#"{{"active":"one","keys":{{"one":"{ONE}"}}}}"#);
    let lacking = Secrets {
        peppers: Peppers::parse(&file).unwrap(),
        ..secrets("one")
    };
    let mut before = client(&app.test, lacking, PasswordSettings::for_tests());
    for password in [PASSWORD, "wrong"] {
        let request = SignInRequest {
            email_or_business_name: "Acme".to_owned(),
            password: password.to_owned(),
            ..SignInRequest::default()
        };
        let answer = before.sign_in(edge(request)).await;
        assert_eq!(answer.unwrap_err().code(), tonic::Code::Unavailable);
    }
    let failed = app.audited("sign_in", "failed", "true").await;
    assert_eq!(failed, 0, "it is not a failed sign-in");
}
