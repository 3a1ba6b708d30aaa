use hourmeter_proto::accounts::v1::{
    ListSecurityQuestionsRequest, SetSecurityQuestionsRequest, User,
};
use hourmeter_runtime::error::{Kind, ServiceError};

use crate::support::{App, PASSWORD, Signed, assert_fields, by, edge, read, refusal};

const MISSING: &str = "Please fill in all security questions and answers.";

async fn questions(app: &App) -> Vec<String> {
    let request = edge(ListSecurityQuestionsRequest {});
    let answer = app.client().list_security_questions(request).await;
    answer.unwrap().into_inner().questions
}

async fn set(app: &App, who: &Signed, texts: [&str; 4]) -> Result<User, ServiceError> {
    let [question1, answer1, question2, answer2] = texts.map(str::to_owned);
    let request = SetSecurityQuestionsRequest {
        question1,
        answer1,
        question2,
        answer2,
    };
    let answer = app.client().set_security_questions(by(who, request)).await;
    read(answer).map(|answer| answer.user.unwrap())
}

#[tokio::test]
async fn list_security_questions_returns_at_least_ten() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    assert!(questions(&app).await.len() >= 10);
    let request = by(&owner, ListSecurityQuestionsRequest {});
    assert!(app.client().list_security_questions(request).await.is_ok());
}

#[tokio::test]
async fn set_security_questions_stores_hashes_and_replaces() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let q = questions(&app).await;
    let user = set(
        &app,
        &owner,
        [&q[0], " Rex the Dog ", &q[1], "Toyota Hilux"],
    )
    .await
    .unwrap();
    assert!(user.security_questions_set);
    assert_eq!(user.id, owner.user.id);
    assert!(
        app.sign_in("Acme", PASSWORD)
            .await
            .unwrap()
            .user
            .unwrap()
            .security_questions_set
    );
    let dump = app.text("SELECT u::text FROM users u").await;
    assert!(!dump.to_lowercase().contains("rex the dog") && !dump.contains("Toyota Hilux"));
    let first = app.text("SELECT answer1_hash FROM users").await;
    assert!(first.starts_with("$argon2id$"));
    set(&app, &owner, [&q[2], "Rex", &q[3], "Toyota"])
        .await
        .unwrap();
    assert_eq!(app.text("SELECT question1 FROM users").await, q[2]);
    assert_ne!(app.text("SELECT answer1_hash FROM users").await, first);
    assert_eq!(
        app.count("audit_events WHERE event = 'security_questions_set'")
            .await,
        2
    );
}

#[tokio::test]
async fn set_security_questions_names_invalid_fields() {
    let app = App::new().await;
    let owner = app.company("Ruiz Rentals").await;
    let q = questions(&app).await;
    let (one, two) = (q[0].as_str(), q[1].as_str());
    let email = owner.user.email.clone().unwrap();
    let long = "x".repeat(101);

    let failure = set(&app, &owner, ["", "", "", " "]).await.unwrap_err();
    let all = [
        "securityQuestion1",
        "securityAnswer1",
        "securityQuestion2",
        "securityAnswer2",
    ];
    assert_fields(&failure, &all);
    assert!(failure.fields.iter().all(|(_, text)| text == MISSING));
    assert_eq!(failure.message, MISSING);

    let failure = set(&app, &owner, [one, "Rex", one, "Toyota"])
        .await
        .unwrap_err();
    assert_fields(&failure, &["securityQuestion2"]);
    assert_eq!(
        failure.message,
        "Please choose different security questions."
    );

    let failure = set(&app, &owner, ["What is love?", "Rex", two, "Toyota"])
        .await
        .unwrap_err();
    assert_fields(&failure, &["securityQuestion1"]);

    let bad = [
        "x",
        " x ",
        long.as_str(),
        "a\0b",
        &email,
        "RUIZ  rentals",
        PASSWORD,
    ];
    for answer in bad.into_iter().chain([format!(" {PASSWORD} ").as_str()]) {
        let failure = set(&app, &owner, [one, answer, two, "Toyota"])
            .await
            .unwrap_err();
        assert_fields(&failure, &["securityAnswer1"]);
        let failure = set(&app, &owner, [one, "Rex", two, answer])
            .await
            .unwrap_err();
        assert_fields(&failure, &["securityAnswer2"]);
    }
    assert_eq!(app.count("users WHERE question1 IS NOT NULL").await, 0);
    assert_eq!(
        app.count("audit_events WHERE event = 'security_questions_set'")
            .await,
        0
    );
    let edge_lengths = set(&app, &owner, [one, "ab", two, &"x".repeat(100)]).await;
    assert!(edge_lengths.is_ok());
}

#[tokio::test]
async fn set_security_questions_requires_a_recent_sign_in() {
    let app = App::new().await;
    let mut owner = app.company("Acme").await;
    let q = questions(&app).await;
    owner.identity.entitlements.active = false;
    set(&app, &owner, [&q[0], "Rex", &q[1], "Toyota"])
        .await
        .unwrap();
    owner.identity.authenticated_at -= 31 * 60;
    let failure = set(&app, &owner, [&q[2], "Rex", &q[3], "Toyota"])
        .await
        .unwrap_err();
    assert_eq!(
        (failure.kind, &*failure.reason),
        (Kind::Forbidden, "REAUTH_REQUIRED")
    );
    assert_eq!(app.text("SELECT question1 FROM users").await, q[0]);
}

#[tokio::test]
async fn set_security_questions_changes_the_caller_only() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let manager = app.manager(&owner, "mo@mail.example").await;
    let q = questions(&app).await;
    set(&app, &manager, [&q[0], "Rex", &q[1], "Toyota"])
        .await
        .unwrap();
    assert_eq!(
        app.count("users WHERE question1 IS NOT NULL AND role = 'manager'")
            .await,
        1
    );
    assert_eq!(
        app.count("users WHERE question1 IS NOT NULL AND role = 'owner'")
            .await,
        0
    );
    let mut ghost = owner.clone();
    ghost.identity.user_id = uuid::Uuid::now_v7();
    let [question1, answer1] = [q[0].clone(), "Rex".to_owned()];
    let [question2, answer2] = [q[1].clone(), "Toyota".to_owned()];
    let request = SetSecurityQuestionsRequest {
        question1,
        answer1,
        question2,
        answer2,
    };
    let failure = refusal(
        app.client()
            .set_security_questions(by(&ghost, request))
            .await,
    );
    assert_eq!(failure.kind, Kind::Unauthenticated);
}
