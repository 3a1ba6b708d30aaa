use hourmeter_proto::accounts::v1::{Role, Scope, SignUpRequest};
use hourmeter_runtime::error::Kind;

use crate::support::{App, PASSWORD, assert_fields};

const TAKEN: &str = "That email or business name is already in use.";

fn request(name: &str, email: &str) -> SignUpRequest {
    SignUpRequest {
        business_name: name.to_owned(),
        email: email.to_owned(),
        password: PASSWORD.to_owned(),
        ..SignUpRequest::default()
    }
}

#[tokio::test]
async fn sign_up_creates_a_signed_in_owner() {
    let app = App::new().await;
    let grant = app
        .sign_up(SignUpRequest {
            first_name: " Ana ".to_owned(),
            last_name: "Ruiz".to_owned(),
            time_zone: "America/Mexico_City".to_owned(),
            ..request("  Ruiz Rentals ", "Ana@Mail.EXAMPLE")
        })
        .await
        .unwrap();
    assert!(!grant.remember_me);
    let owner = app.signed(grant).await;
    let user = &owner.user;
    assert_eq!((user.role(), user.scope()), (Role::Owner, Scope::Full));
    assert_eq!(user.business_name, "Ruiz Rentals");
    assert_eq!(user.email.as_deref(), Some("ana@mail.example"));
    assert_eq!(
        (user.first_name.as_str(), user.last_name.as_str()),
        ("Ana", "Ruiz")
    );
    assert!(!user.security_questions_set && user.operator_username.is_none());
    assert!(user.created_at.is_some());
    let notices: Vec<_> = user.notices.iter().map(|notice| &*notice.kind).collect();
    assert_eq!(notices, ["first_cards", "first_steps"]);

    let found = app.resolve(&owner.token).await.unwrap();
    assert_eq!(found.owner_id, user.id);
    assert_eq!(found.time_zone, "America/Mexico_City");
    assert_eq!(found.display_name, "Ana Ruiz");
    assert_eq!(found.company_created_at, user.created_at);
    assert!(!found.auto_apply_updates);
    assert_eq!(app.count("audit_events WHERE event = 'sign_up'").await, 1);
    assert_eq!(app.count("audit_events WHERE event = 'sign_in'").await, 1);
    let stored = app.text("SELECT password_hash FROM users").await;
    assert!(stored.starts_with("$argon2id$v=19$"));
}

#[tokio::test]
async fn sign_up_defaults_to_utc() {
    let app = App::new().await;
    for (i, zone) in ["", "Moon/Base", "🚜"].into_iter().enumerate() {
        let request = SignUpRequest {
            time_zone: zone.to_owned(),
            ..request(&format!("Acme {i}"), &format!("a{i}@mail.example"))
        };
        let grant = app.sign_up(request).await.unwrap();
        assert_eq!(app.resolve(&grant.token).await.unwrap().time_zone, "UTC");
        let found = app.resolve(&grant.token).await.unwrap();
        assert_eq!(found.display_name, format!("Acme {i}"));
    }
}

#[tokio::test]
async fn sign_up_rejects_taken_names_and_emails() {
    let app = App::new().await;
    app.sign_up(request("Straße  Eins", "ana@mail.example"))
        .await
        .unwrap();
    let again = [
        ("STRASSE EINS", "other@mail.example"),
        ("ｓｔｒａｓｓｅ eins", "other@mail.example"),
        ("Another", "ANA@mail.example"),
        ("Straße  Eins", "ana@mail.example"),
    ];
    for (name, email) in again {
        let failure = app.sign_up(request(name, email)).await.unwrap_err();
        assert_eq!(failure.kind, Kind::AlreadyExists, "{name} {email}");
        assert_eq!(failure.message, TAKEN);
        assert!(failure.fields.is_empty());
    }
    assert_eq!(app.count("companies").await, 1);
    assert_eq!(app.count("users").await, 1);
    assert_eq!(app.count("sessions").await, 1);
}

#[tokio::test]
async fn sign_up_ignores_operators_contact_addresses() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    app.operator(&owner, "Li", "Wu").await;
    app.execute("UPDATE users SET email = 'li@mail.example' WHERE role = 'operator'")
        .await;
    assert!(
        app.sign_up(request("Wu Works", "li@mail.example"))
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn concurrent_sign_ups_one_wins() {
    let app = App::new().await;
    for round in 0..5 {
        let (a, b) = (format!("Round {round}"), format!("ROUND  {round}"));
        let first = request(&a, &format!("a{round}@mail.example"));
        let second = request(&b, &format!("b{round}@mail.example"));
        let (first, second) = tokio::join!(app.sign_up(first), app.sign_up(second));
        let (won, lost): (Vec<_>, Vec<_>) = [first, second].into_iter().partition(Result::is_ok);
        assert_eq!(won.len(), 1);
        assert_eq!(lost[0].as_ref().unwrap_err().message, TAKEN);
    }
    assert_eq!(app.count("companies").await, 5);
}

#[tokio::test]
async fn sign_up_names_all_invalid_fields() {
    let app = App::new().await;
    let failure = app.sign_up(SignUpRequest::default()).await.unwrap_err();
    assert_fields(&failure, &["businessName", "email", "password"]);
    let texts: Vec<_> = failure.fields.iter().map(|(_, text)| &**text).collect();
    assert_eq!(
        texts,
        [
            "Business name must be at least 2 characters",
            "Please enter a valid email address",
            "Password must be at least 6 characters",
        ]
    );
    let good = || request("Acme", "ana@mail.example");
    let long = "x".repeat(101);
    for name in [
        "",
        "A",
        " A ",
        "Ac\u{200B}me",
        "Ac\0me",
        "Ac\nme",
        "Ac\u{202E}me",
        &long,
    ] {
        let request = SignUpRequest {
            business_name: name.to_owned(),
            ..good()
        };
        assert_fields(&app.sign_up(request).await.unwrap_err(), &["businessName"]);
    }
    let too_long = format!("a@{}.example", "a.".repeat(124));
    for email in [
        "", "a", "a@b", "a b@c.co", "a\0@b.co", "a@b@c.co", &too_long,
    ] {
        let request = SignUpRequest {
            email: email.to_owned(),
            ..good()
        };
        assert_fields(&app.sign_up(request).await.unwrap_err(), &["email"]);
    }
    let too_long = "zq".repeat(65);
    for password in ["", "zx9q4", "123456", "Password", "HourMeter", &too_long] {
        let request = SignUpRequest {
            password: password.to_owned(),
            ..good()
        };
        assert_fields(&app.sign_up(request).await.unwrap_err(), &["password"]);
    }
    for (first, last, field) in [("\0", "", "firstName"), ("", long.as_str(), "lastName")] {
        let (first_name, last_name) = (first.to_owned(), last.to_owned());
        let request = SignUpRequest {
            first_name,
            last_name,
            ..good()
        };
        assert_fields(&app.sign_up(request).await.unwrap_err(), &[field]);
    }
    for table in ["companies", "users", "sessions", "audit_events"] {
        assert_eq!(app.count(table).await, 0, "{table}");
    }
}

#[tokio::test]
async fn sign_up_rejects_guessable_passwords() {
    let app = App::new().await;
    for password in [
        "Ruiz Rentals",
        "ruizrentals",
        "anastasia.x",
        "Anastasia",
        "Anastasia Ruiz",
    ] {
        let request = SignUpRequest {
            password: password.to_owned(),
            first_name: "Anastasia".to_owned(),
            last_name: "Ruiz".to_owned(),
            ..request("Ruiz Rentals", "anastasia.x@mail.example")
        };
        assert_fields(&app.sign_up(request).await.unwrap_err(), &["password"]);
    }
}

#[tokio::test]
async fn sign_up_replaces_the_previous_session() {
    let app = App::new().await;
    let first = app.company("Acme").await;
    let request = SignUpRequest {
        previous_token: first.token.clone(),
        ..request("Another", "another@mail.example")
    };
    let grant = app.sign_up(request).await.unwrap();
    assert_ne!(grant.token, first.token);
    assert!(app.resolve(&first.token).await.is_err());
    assert!(app.resolve(&grant.token).await.is_ok());
    let company = first.identity.company_id;
    let replaced =
        format!("audit_events WHERE event = 'session_replaced' AND company_id = '{company}'");
    assert_eq!(app.count(&replaced).await, 1);
}

#[tokio::test]
async fn failed_sign_up_keeps_the_previous_session() {
    let app = App::new().await;
    let first = app.company("Acme").await;
    let request = SignUpRequest {
        previous_token: first.token.clone(),
        ..request("ACME", "another@mail.example")
    };
    assert!(app.sign_up(request).await.is_err());
    assert!(app.resolve(&first.token).await.is_ok());
}

#[tokio::test]
async fn sign_up_supports_all_scripts() {
    let app = App::new().await;
    let longest = "🚜Ñ".repeat(50);
    // The name, another spelling of it, and a similar-looking one.
    let names = [
        (
            "Muñoz Máquinas",
            "Mun\u{303}oz Ma\u{301}quinas",
            "MUÑOZ  máquinas",
        ),
        ("Ａｃｍｅ Ｃｏ", "Ａｃｍｅ Ｃｏ", "acme co"),
        ("شركة المعدات", "شركة المعدات", "شركة  المعدات"),
        ("ציוד כבד", "ציוד כבד", "ציוד\u{a0}כבד"),
        ("🚜 Tractors", "🚜 Tractors", "🚜 TRACTORS"),
        ("深圳机械", "深圳机械", " 深圳机械 "),
        ("Ǆungla", "Ǆungla", "džungla"),
        (
            &longest,
            &longest.replace('Ñ', "N\u{303}"),
            &longest.to_lowercase(),
        ),
    ];
    for (i, (name, typed, alike)) in names.into_iter().enumerate() {
        let grant = app
            .sign_up(request(name, &format!("a{i}@mail.example")))
            .await;
        let owner = grant.unwrap().user.unwrap();
        assert_eq!(owner.business_name, name);
        for typed in [name, typed] {
            let grant = app.sign_in(typed, PASSWORD).await.unwrap();
            assert_eq!(grant.user.unwrap().id, owner.id, "{typed}");
        }
        let failure = app
            .sign_up(request(alike, "b@mail.example"))
            .await
            .unwrap_err();
        assert_eq!(failure.kind, Kind::AlreadyExists, "{alike}");
    }
    // Looks like an existing name: bidirectional overrides and invisible characters.
    for hidden in [
        "Acme\u{200D} Co",
        "\u{202E}oC emcA",
        "Acme\u{2066} Co",
        "Acme Co\u{FE0F}",
    ] {
        let failure = app
            .sign_up(request(hidden, "b@mail.example"))
            .await
            .unwrap_err();
        assert_fields(&failure, &["businessName"]);
    }
}

#[tokio::test]
async fn sign_up_uses_all_128_characters_of_a_password() {
    let app = App::new().await;
    for (i, longest) in ["zq".repeat(64), "🚜".repeat(128), "Ñ9".repeat(64)]
        .into_iter()
        .enumerate()
    {
        let name = format!("Acme {i}");
        let one = SignUpRequest {
            password: longest.clone(),
            ..request(&name, &format!("a{i}@mail.example"))
        };
        app.sign_up(one.clone()).await.unwrap();
        assert!(app.sign_in(&name, &longest).await.is_ok());
        let mut cut = longest.clone();
        cut.pop();
        assert!(app.sign_in(&name, &cut).await.is_err());
        let more = SignUpRequest {
            password: format!("{longest}x"),
            ..request("Other", "other@mail.example")
        };
        assert_fields(&app.sign_up(more).await.unwrap_err(), &["password"]);
    }
}
