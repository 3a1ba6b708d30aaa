//! Password recovery by security questions, with the same behaviour for unknown names.

use std::time::{Duration, Instant};

use hourmeter_accounts::{PasswordSettings, Secrets};
use hourmeter_proto::accounts::v1::{
    ClientOrigin, RecoverPasswordRequest, StartRecoveryRequest, StartRecoveryResponse,
};
use hourmeter_runtime::error::{Kind, ServiceError};

use crate::support::{App, OPERATOR_PASSWORD, PASSWORD, Signed, assert_fields, client, edge, read};

const NEW: &str = "Gravel-Pit-41";
const WRONG: &str = "Security answers are incorrect. Please try again.";

async fn start(app: &App, name: &str) -> Result<StartRecoveryResponse, ServiceError> {
    let request = StartRecoveryRequest {
        email_or_business_name: name.to_owned(),
        origin: None,
    };
    read(app.client().start_recovery(edge(request)).await)
}

async fn recover(
    app: &App,
    name: &str,
    [answer1, answer2]: [&str; 2],
    new: &str,
) -> Result<(), ServiceError> {
    let request = RecoverPasswordRequest {
        email_or_business_name: name.to_owned(),
        answer1: answer1.to_owned(),
        answer2: answer2.to_owned(),
        new_password: new.to_owned(),
        origin: Some(ClientOrigin {
            address_prefix: "203.0.113.0/24".to_owned(),
        }),
    };
    read(app.client().recover_password(edge(request)).await).map(drop)
}

const RIGHT: [&str; 2] = ["Rex", "Toyota Hilux"];

async fn acme(app: &App) -> (Signed, String) {
    let owner = app.company("Acme").await;
    app.questions(&owner).await;
    let email = owner.user.email.clone().unwrap();
    (owner, email)
}

#[track_caller]
fn assert_wrong(failure: &ServiceError) {
    assert_eq!(failure.kind, Kind::Invalid, "{failure:?}");
    assert_eq!(
        (&*failure.reason, &*failure.message),
        ("WRONG_ANSWERS", WRONG)
    );
    assert!(failure.fields.is_empty());
}

#[tokio::test]
async fn start_recovery_time_is_the_same_for_unknown_names() {
    let app = App::new().await;
    let (_, email) = acme(&app).await;
    for name in [&*email, "unknown@acme.example"] {
        let began = Instant::now();
        start(&app, name).await.expect("questions");
        assert!(began.elapsed() >= Duration::from_millis(20), "{name}");
    }
}

#[tokio::test]
async fn start_recovery_returns_the_stored_questions() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let manager = app.manager(&owner, "mo@mail.example").await;
    let asked = app.questions(&owner).await;
    let email = owner.user.email.clone().unwrap();
    for name in ["Acme", " Acme ", &email, &email.to_uppercase()] {
        let answer = start(&app, name).await.unwrap();
        assert_eq!(
            [&answer.question1, &answer.question2],
            [&asked[0], &asked[1]],
            "{name}"
        );
        assert!(!answer.decoy);
    }
    assert!(start(&app, "mo@mail.example").await.unwrap().decoy);
    let asked = app.questions(&manager).await;
    let answer = start(&app, "MO@mail.example").await.unwrap();
    assert_eq!([answer.question1, answer.question2], asked);
    for empty in ["", "  "] {
        let failure = start(&app, empty).await.unwrap_err();
        assert_fields(&failure, &["emailOrBusinessName"]);
        assert_eq!(failure.message, "Email or business name is required");
    }
}

#[tokio::test]
async fn start_recovery_returns_stable_decoys() {
    let mut app = App::new().await;
    let secrets = Secrets::generate().unwrap();
    let settings = PasswordSettings::for_tests();
    app.client = client(&app.test, secrets.clone(), settings);
    let (owner, _) = acme(&app).await;
    let operator = app.operator(&owner, "Li", "Wu").await;
    let bare = app.company("Borealis").await.user.email.unwrap();
    let username = operator.operator_username.unwrap();
    let long = "x".repeat(100_000);
    let names = [
        "nobody@mail.example",
        "Nobody",
        // The business name is matched exactly.
        "acme",
        "Borealis",
        &bare,
        &username,
        "Ac\0me",
        "' OR 1=1",
        &long,
    ];
    let listed: Vec<String> = {
        use hourmeter_proto::accounts::v1::ListSecurityQuestionsRequest;
        let request = edge(ListSecurityQuestionsRequest {});
        let answer = app.client().list_security_questions(request).await;
        answer.unwrap().into_inner().questions
    };
    let mut pairs = Vec::new();
    for name in names {
        let first = start(&app, name).await.unwrap();
        assert!(first.decoy, "{name:.20}");
        assert_ne!(first.question1, first.question2);
        assert!(listed.contains(&first.question1) && listed.contains(&first.question2));
        assert_eq!(start(&app, name).await.unwrap(), first);
        pairs.push(first);
    }
    // Independent of spelling and of process start.
    let folded = start(&app, " NOBODY@MAIL.EXAMPLE ").await.unwrap();
    assert_eq!(folded, pairs[0]);
    app.client = client(&app.test, secrets, settings);
    for (name, pair) in names.iter().zip(&pairs) {
        assert_eq!(start(&app, name).await.unwrap(), *pair);
    }
    let mut differ = std::collections::BTreeSet::new();
    for number in 0..40 {
        let answer = start(&app, &format!("n{number}@mail.example"))
            .await
            .unwrap();
        differ.insert((answer.question1, answer.question2));
    }
    assert!(differ.len() > 20, "{}", differ.len());
}

#[tokio::test]
async fn recover_password_sets_password_and_ends_sessions() {
    let app = App::new().await;
    let (owner, email) = acme(&app).await;
    app.set_operator_password(&owner).await;
    let operator = app
        .operator(&owner, "Li", "Wu")
        .await
        .operator_username
        .unwrap();
    let operator = app.operate(&operator, OPERATOR_PASSWORD).await.unwrap();
    let mut new = NEW.to_owned();
    for (name, answers) in [
        (email.as_str(), RIGHT),
        ("Acme", ["  rEX ", "TOYOTA  HILUX"]),
        (&email.to_uppercase(), ["ｒｅｘ", "toyota\u{a0}hilux"]),
    ] {
        let mine = [
            app.operate("Acme", OPERATOR_PASSWORD).await.unwrap(),
            app.remembered_with(&email, if new == NEW { PASSWORD } else { &new })
                .await,
        ];
        let old = if new == NEW {
            PASSWORD.to_owned()
        } else {
            new.clone()
        };
        new.push('x');
        let sessions = app.count("sessions").await;
        recover(&app, name, answers, &new).await.unwrap();
        assert_eq!(app.count("sessions").await, sessions, "no session starts");
        for session in &mine {
            assert!(app.resolve(&session.token).await.is_err());
        }
        assert!(app.sign_in("Acme", &old).await.is_err());
        assert!(app.sign_in("Acme", &new).await.is_ok());
    }
    assert!(app.resolve(&owner.token).await.is_err());
    assert!(app.resolve(&operator.token).await.is_ok());
    let again = app.signed(app.sign_in("Acme", &new).await.unwrap()).await;
    assert_eq!(app.notice_kinds(&again).await, ["password_recovered"; 3]);
    assert!(again.user.security_questions_set);
    let who = format!(
        "actor_id = '{}' AND target_id = actor_id AND actor_name = 'Ana Ruiz'
        AND target_name = 'Ana Ruiz' AND address_prefix = '203.0.113.0/24'",
        owner.user.id
    );
    assert_eq!(app.audited("password_recovery", "success", &who).await, 3);
}

#[tokio::test]
async fn recover_password_hides_unknown_names() {
    let app = App::new().await;
    let (owner, email) = acme(&app).await;
    let operator = app
        .operator(&owner, "Li", "Wu")
        .await
        .operator_username
        .unwrap();
    app.manager(&owner, "mo@mail.example").await;
    let long = "x".repeat(100_000);
    let stored = "SELECT string_agg(u::text, ' ' ORDER BY id) FROM users u";
    let before = app.text(stored).await;
    let tries = [
        (email.as_str(), ["Rex", "Toyota"]),
        (&email, ["Max", "Toyota Hilux"]),
        (&email, ["Max", "Toyota"]),
        (&email, ["Toyota Hilux", "Rex"]),
        (&email, ["Rex", "Rex"]),
        (&email, ["Rex\0", "Toyota Hilux"]),
        (&email, [&long, &long]),
        ("acme", RIGHT),
        ("nobody@mail.example", RIGHT),
        ("mo@mail.example", RIGHT),
        (&operator, RIGHT),
        (&long, RIGHT),
        ("Ac\0me", RIGHT),
    ];
    for (name, answers) in tries {
        let failure = recover(&app, name, answers, NEW).await.unwrap_err();
        assert_wrong(&failure);
    }
    assert_eq!(app.text(stored).await, before);
    assert!(app.resolve(&owner.token).await.is_ok());
    assert!(app.notice_kinds(&owner).await.is_empty());
    let of_ana = format!(
        "target_id = '{}' AND target_name = 'Ana Ruiz'",
        owner.user.id
    );
    assert_eq!(app.audited("password_recovery", "failed", &of_ana).await, 7);
    let no_company = "target_id IS NULL AND company_id = '00000000-0000-0000-0000-000000000000'";
    assert_eq!(
        app.audited("password_recovery", "failed", no_company).await,
        5
    );
    assert_eq!(
        app.audited("password_recovery", "failed", "actor_id IS NULL")
            .await,
        13
    );
}

#[tokio::test]
async fn recover_password_validates_the_password_first() {
    let app = App::new().await;
    let (owner, email) = acme(&app).await;
    app.set_operator_password(&owner).await;
    let long = "x".repeat(129);
    for name in [email.as_str(), "nobody@mail.example"] {
        for bad in ["", "12345", "password", "Hourmeter", &long, name] {
            for answers in [RIGHT, ["Max", "Ford"]] {
                let failure = recover(&app, name, answers, bad).await.unwrap_err();
                assert_fields(&failure, &["newPassword"]);
            }
        }
    }
    let none = "detail IS NOT NULL";
    assert_eq!(app.audited("password_recovery", "failed", none).await, 0);
    // Words of the account are rejected only after correct answers.
    for bad in ["Ana Ruiz", "anaruiz", OPERATOR_PASSWORD] {
        let failure = recover(&app, &email, ["Max", "Ford"], bad)
            .await
            .unwrap_err();
        assert_wrong(&failure);
        let failure = recover(&app, "nobody@mail.example", RIGHT, bad)
            .await
            .unwrap_err();
        assert_wrong(&failure);
        let failure = recover(&app, &email, RIGHT, bad).await.unwrap_err();
        assert_fields(&failure, &["newPassword"]);
    }
    assert!(app.sign_in("Acme", PASSWORD).await.is_ok());
    let tried = "detail = 'operator_password' AND actor_name = 'Ana Ruiz'";
    assert_eq!(app.audited("password_recovery", "failed", tried).await, 1);
    // The longest password works.
    let longest = "Ñ🚜".repeat(64);
    recover(&app, &email, RIGHT, &longest).await.unwrap();
    assert!(app.sign_in("Acme", &longest).await.is_ok());
    assert!(
        app.sign_in("Acme", &longest.replace('Ñ', "N\u{303}"))
            .await
            .is_ok()
    );
    assert!(app.sign_in("Acme", &"Ñ🚜".repeat(63)).await.is_err());
}

#[tokio::test]
async fn recover_password_names_empty_fields() {
    let app = App::new().await;
    let failure = recover(&app, "", ["", " "], "").await.unwrap_err();
    let fields = [
        "emailOrBusinessName",
        "securityAnswer1",
        "securityAnswer2",
        "newPassword",
    ];
    assert_fields(&failure, &fields);
    let texts: Vec<&str> = failure.fields.iter().map(|(_, text)| &**text).collect();
    assert_eq!(
        texts,
        [
            "Email or business name is required",
            "Security answer 1 is required",
            "Security answer 2 is required",
            "Password must be at least 6 characters",
        ]
    );
}

#[tokio::test]
async fn concurrent_recoveries_one_wins() {
    let app = App::new().await;
    let (_, email) = acme(&app).await;
    for round in 0..5 {
        let (one, other) = (
            format!("Gravel-Pit-{round}a"),
            format!("Gravel-Pit-{round}b"),
        );
        let (first, second) = tokio::join!(
            recover(&app, &email, RIGHT, &one),
            recover(&app, "Acme", RIGHT, &other)
        );
        // Unless one started after the other had finished.
        assert!(first.is_ok() || second.is_ok());
        let opened = [
            app.sign_in("Acme", &one).await.is_ok(),
            app.sign_in("Acme", &other).await.is_ok(),
        ];
        assert_eq!(
            opened.into_iter().filter(|open| *open).count(),
            1,
            "round {round}"
        );
    }
}

#[tokio::test]
async fn recover_password_ends_concurrent_sign_ins() {
    let app = App::new().await;
    let (_, email) = acme(&app).await;
    let mut current = PASSWORD.to_owned();
    for round in 0..6 {
        let new = format!("Round-Pass-{round}");
        let (one, other, recovered) = tokio::join!(
            app.sign_in(&email, &current),
            app.sign_in("Acme", &current),
            recover(&app, &email, RIGHT, &new)
        );
        recovered.unwrap();
        for grant in [one, other].into_iter().flatten() {
            assert!(app.resolve(&grant.token).await.is_err(), "round {round}");
        }
        current = new;
    }
}
