//! Under attack on a name or on a company's operator login, only known addresses may try to sign
//! in.

use hourmeter_proto::accounts::v1::{
    ClientOrigin, RecordAuditEventsRequest, Scope, SeenEvent, SignInOperatorRequest,
};
use hourmeter_runtime::error::{Kind, ServiceError};

use crate::support::{App, OPERATOR_PASSWORD, PASSWORD, Signed, edge, read};

const HOME: &str = "203.0.113.0/24";
const AWAY: &str = "198.51.100.0/24";
const A_DAY: Option<u64> = Some(86_400);

async fn acme(app: &App) -> (Signed, String) {
    let owner = app.company("Acme").await;
    app.set_operator_password(&owner).await;
    let operator = app.operator(&owner, "Li", "Wu").await;
    (owner, operator.operator_username.unwrap())
}

#[track_caller]
fn assert_limited(failure: &ServiceError, wait: Option<u64>) {
    assert_eq!(failure.kind, Kind::TooMany, "{failure:?}");
    assert_eq!(failure.retry_after, wait);
    assert_eq!(
        failure.message,
        "Too many attempts. Please wait and try again."
    );
    assert!(failure.fields.is_empty() && failure.reason == "TOO_MANY_ATTEMPTS");
}

async fn age_addresses(app: &App, days: &str) {
    app.execute(&format!(
        "UPDATE sign_in_addresses SET last_at = last_at - interval '{days}'"
    ))
    .await;
}

/// Inserts failed operator sign-ins in the past, by business name or username.
async fn fail(app: &App, owner: &Signed, by_business_name: bool, many: u32, ago: &str) {
    let company = owner.identity.company_id;
    let target = if by_business_name {
        format!("'{}'", owner.identity.user_id)
    } else {
        "gen_random_uuid()".to_owned()
    };
    app.execute(&format!(
        "INSERT INTO audit_events (company_id, id, at, event, outcome, request_id, detail,
            target_id)
        SELECT '{company}', gen_random_uuid(), now() - interval '{ago}', 'sign_in', 'failed',
            gen_random_uuid(), 'operator_login', {target}
        FROM generate_series(1, {many})"
    ))
    .await;
}

#[tokio::test]
async fn sign_in_under_attack_requires_a_known_address() {
    let app = App::new().await;
    app.company("Acme").await;
    for name in [
        "Acme",
        "owner0@mail.example",
        "nobody@mail.example",
        "Nobody",
    ] {
        for password in [PASSWORD, "not it at all"] {
            let failure = app
                .sign_in_from(name, password, AWAY, true)
                .await
                .unwrap_err();
            assert_limited(&failure, A_DAY);
        }
    }
    app.sign_in_from("Acme", PASSWORD, HOME, false)
        .await
        .unwrap();
    app.sign_in_from("Acme", PASSWORD, HOME, true)
        .await
        .unwrap();
    let wrong = app.sign_in_from("Acme", "not it at all", HOME, true).await;
    assert_eq!(wrong.unwrap_err().kind, Kind::Unauthenticated);
    let failure = app
        .sign_in_from("Acme", PASSWORD, AWAY, true)
        .await
        .unwrap_err();
    assert_limited(&failure, A_DAY);
    let named = format!("target_name = 'Ana Ruiz' AND address_prefix = '{AWAY}'");
    assert_eq!(app.audited("sign_in", "limited", &named).await, 5);
    let no_company = "target_id IS NULL AND company_id = '00000000-0000-0000-0000-000000000000'";
    assert_eq!(app.audited("sign_in", "limited", no_company).await, 4);
}

#[tokio::test]
async fn known_addresses_expire_after_30_days_and_belong_to_a_person() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let manager = app.manager(&owner, "mo@mail.example").await;
    let mo = manager.user.email.unwrap();
    app.sign_in_from("Acme", PASSWORD, HOME, false)
        .await
        .unwrap();
    let failure = app
        .sign_in_from(&mo, PASSWORD, HOME, true)
        .await
        .unwrap_err();
    assert_limited(&failure, A_DAY);
    age_addresses(&app, "29 days 23 hours").await;
    app.sign_in_from("Acme", PASSWORD, HOME, true)
        .await
        .unwrap();
    age_addresses(&app, "30 days 1 minute").await;
    let failure = app
        .sign_in_from("Acme", PASSWORD, HOME, true)
        .await
        .unwrap_err();
    assert_limited(&failure, A_DAY);
    // The person's next sign-in deletes old addresses.
    assert_eq!(app.count("sign_in_addresses").await, 1);
    app.sign_in_from(&mo, PASSWORD, HOME, false).await.unwrap();
    assert_eq!(app.count("sign_in_addresses").await, 2);
    app.sign_in_from("Acme", PASSWORD, AWAY, false)
        .await
        .unwrap();
    assert_eq!(app.count("sign_in_addresses").await, 2);
    // An empty address is not a known one.
    app.sign_in_from("Acme", PASSWORD, "", false).await.unwrap();
    let failure = app
        .sign_in_from("Acme", PASSWORD, "", true)
        .await
        .unwrap_err();
    assert_limited(&failure, A_DAY);
}

#[tokio::test]
async fn sign_up_makes_the_address_known() {
    let app = App::new().await;
    let request = hourmeter_proto::accounts::v1::SignUpRequest {
        business_name: "Acme".to_owned(),
        email: "ana@mail.example".to_owned(),
        password: PASSWORD.to_owned(),
        origin: Some(hourmeter_proto::accounts::v1::ClientOrigin {
            address_prefix: HOME.to_owned(),
        }),
        ..Default::default()
    };
    app.sign_up(request).await.unwrap();
    assert!(app.sign_in_from("Acme", PASSWORD, HOME, true).await.is_ok());
}

#[tokio::test]
async fn shared_password_makes_no_address_known_for_the_owner() {
    let app = App::new().await;
    let (_, username) = acme(&app).await;
    app.operate_from("Acme", OPERATOR_PASSWORD, AWAY, false)
        .await
        .unwrap();
    let failure = app
        .sign_in_from("Acme", PASSWORD, AWAY, true)
        .await
        .unwrap_err();
    assert_limited(&failure, A_DAY);
    assert!(
        app.operate_from("Acme", OPERATOR_PASSWORD, AWAY, true)
            .await
            .is_ok()
    );
    let failure = app
        .operate_from(&username, OPERATOR_PASSWORD, AWAY, true)
        .await
        .unwrap_err();
    assert_limited(&failure, A_DAY);
    app.operate_from(&username, OPERATOR_PASSWORD, AWAY, false)
        .await
        .unwrap();
    assert!(
        app.operate_from(&username, OPERATOR_PASSWORD, AWAY, true)
            .await
            .is_ok()
    );
    let failure = app
        .operate_from("nobody1", OPERATOR_PASSWORD, AWAY, true)
        .await
        .unwrap_err();
    assert_limited(&failure, A_DAY);
}

#[tokio::test]
async fn operator_login_locks_unknown_addresses_after_100_failures() {
    let app = App::new().await;
    let (owner, username) = acme(&app).await;
    let other = app.company("Borealis").await;
    app.set_operator_password(&other).await;
    let home = app
        .operate_from(&username, OPERATOR_PASSWORD, HOME, false)
        .await;
    home.unwrap();
    // Not counted: other failed sign-ins, successes, failures older than an hour, and those by business
    // name.
    fail(&app, &owner, false, 50, "61 minutes").await;
    let _ = app.sign_in("Acme", "not it at all").await;
    fail(&app, &owner, false, 97, "20 minutes").await;
    for name in [username.as_str(), "Acme", &username] {
        let failure = app.operate_from(name, "not it at all", AWAY, false).await;
        assert_eq!(failure.unwrap_err().kind, Kind::Unauthenticated);
    }
    assert!(
        app.operate_from(&username, OPERATOR_PASSWORD, AWAY, false)
            .await
            .is_ok()
    );
    app.execute(&format!(
        "DELETE FROM sign_in_addresses WHERE address_prefix = '{AWAY}'"
    ))
    .await;
    let failure = app.operate_from(&username, "not it", AWAY, false).await;
    assert_eq!(failure.unwrap_err().kind, Kind::Unauthenticated);
    assert!(app.notice_kinds(&owner).await.is_empty());

    for password in [OPERATOR_PASSWORD, "not it at all"] {
        let failure = app
            .operate_from(&username, password, AWAY, false)
            .await
            .unwrap_err();
        assert_eq!(failure.kind, Kind::TooMany);
        // Until the oldest of the 100 failures is an hour old.
        let wait = failure.retry_after.unwrap();
        assert!((2340..=2400).contains(&wait), "{wait}");
    }
    assert!(
        app.operate_from(&username, OPERATOR_PASSWORD, HOME, false)
            .await
            .is_ok()
    );
    for (name, password) in [
        ("Acme", OPERATOR_PASSWORD),
        ("Acme", PASSWORD),
        ("Borealis", OPERATOR_PASSWORD),
    ] {
        let open = app.operate_from(name, password, AWAY, false).await;
        assert!(open.is_ok(), "{name} {password}");
    }
    assert!(
        app.sign_in_from("Acme", PASSWORD, AWAY, false)
            .await
            .is_ok(),
        "the other login"
    );
    let unknown = app
        .operate_from("nobody1", "not it at all", AWAY, false)
        .await;
    assert_eq!(unknown.unwrap_err().kind, Kind::Unauthenticated);

    assert_eq!(
        app.notice_kinds(&owner).await,
        ["operator_sign_ins_blocked"]
    );
    let detail = "detail = 'operator_login' AND target_id IS NOT NULL";
    assert_eq!(app.audited("sign_in", "limited", detail).await, 2);
    // Limited attempts do not extend it.
    app.execute("UPDATE audit_events SET at = at - interval '40 minutes'")
        .await;
    assert!(
        app.operate_from(&username, OPERATOR_PASSWORD, AWAY, false)
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn failures_by_business_name_do_not_lock_operators() {
    let app = App::new().await;
    let (owner, username) = acme(&app).await;
    let home = app.operate_from("Acme", OPERATOR_PASSWORD, HOME, false);
    home.await.unwrap();
    fail(&app, &owner, true, 100, "1 minute").await;
    for password in [OPERATOR_PASSWORD, PASSWORD] {
        let failure = app.operate_from("Acme", password, AWAY, false).await;
        assert_eq!(failure.unwrap_err().kind, Kind::TooMany);
    }
    let operator = app.operate_from(&username, OPERATOR_PASSWORD, AWAY, false);
    assert!(operator.await.is_ok());

    // An address known by the shared password allows no other password.
    let shared = app.operate_from("Acme", OPERATOR_PASSWORD, HOME, false);
    assert!(shared.await.is_ok());
    let failure = app.operate_from("Acme", PASSWORD, HOME, false).await;
    assert_eq!(failure.unwrap_err().kind, Kind::Unauthenticated);
    let own = app.sign_in_from("Acme", PASSWORD, HOME, false).await;
    assert!(own.is_ok());
    let own = app.operate_from("Acme", PASSWORD, HOME, false).await;
    assert_eq!(own.unwrap().user.unwrap().scope(), Scope::Full);
}

#[tokio::test]
async fn own_password_under_attack_requires_a_known_address() {
    let app = App::new().await;
    let (_, username) = acme(&app).await;
    let operate = async |name: &str, password: &str, prefix: &str, all: bool| {
        let request = SignInOperatorRequest {
            operator_name: name.to_owned(),
            password: password.to_owned(),
            origin: Some(ClientOrigin {
                address_prefix: prefix.to_owned(),
            }),
            known_addresses_only: all,
            own_password_known_addresses_only: true,
            ..SignInOperatorRequest::default()
        };
        read(app.client().sign_in_operator(edge(request)).await)
    };
    for name in ["Acme", username.as_str()] {
        let shared = operate(name, OPERATOR_PASSWORD, AWAY, false).await;
        assert!(shared.is_ok(), "{name}");
    }
    // The same error as for a wrong password, so that it does not confirm a guess.
    for all in [false, true] {
        let right = operate("Acme", PASSWORD, AWAY, all).await.unwrap_err();
        let wrong = operate("Acme", "not it at all", AWAY, all).await;
        let wrong = wrong.unwrap_err();
        assert_eq!(right.kind, Kind::Unauthenticated);
        assert_eq!(
            (right.kind, right.message, right.retry_after),
            (wrong.kind, wrong.message, wrong.retry_after)
        );
    }
    app.sign_in_from("Acme", PASSWORD, AWAY, false)
        .await
        .unwrap();
    for all in [false, true] {
        assert!(operate("Acme", PASSWORD, AWAY, all).await.is_ok());
    }
}

#[tokio::test]
async fn rate_limited_sign_in_is_audited_for_the_company() {
    let app = App::new().await;
    let (owner, username) = acme(&app).await;
    let seen = |name: &str, at_operator_login: bool| SeenEvent {
        event: "sign_in".to_owned(),
        outcome: "limited".to_owned(),
        address_prefix: AWAY.to_owned(),
        request_id: uuid::Uuid::now_v7().to_string(),
        sign_in_name: name.to_owned(),
        at_operator_login,
        ..SeenEvent::default()
    };
    let events = vec![
        seen("Acme", false),
        seen(&owner.user.email.clone().unwrap().to_uppercase(), false),
        seen("Acme", true),
        seen(&username, true),
        seen("acme", false),
        seen(&username, false),
        seen("Nobody", true),
    ];
    let request = RecordAuditEventsRequest { events };
    read(app.client().record_audit_events(edge(request)).await).unwrap();
    let company = owner.identity.company_id;
    let from = format!("company_id = '{company}' AND address_prefix = '{AWAY}'");
    let own = format!("{from} AND detail = '' AND target_name = 'Ana Ruiz'");
    assert_eq!(app.audited("sign_in", "limited", &own).await, 2);
    for name in ["Ana Ruiz", "Li Wu"] {
        let line = format!("{from} AND detail = 'operator_login' AND target_name = '{name}'");
        assert_eq!(app.audited("sign_in", "limited", &line).await, 1, "{name}");
    }
    let no_company = "company_id = '00000000-0000-0000-0000-000000000000' AND target_id IS NULL";
    assert_eq!(app.audited("sign_in", "limited", no_company).await, 3);
}

#[tokio::test]
async fn lockout_notice_is_added_once_an_hour() {
    let app = App::new().await;
    let (owner, username) = acme(&app).await;
    fail(&app, &owner, false, 100, "1 minute").await;
    let app = std::sync::Arc::new(app);
    let tries: Vec<_> = (0..8)
        .map(|_| {
            let (app, name) = (app.clone(), username.clone());
            tokio::spawn(async move { app.operate_from(&name, "not it", AWAY, false).await })
        })
        .collect();
    for one in tries {
        assert_eq!(one.await.unwrap().unwrap_err().kind, Kind::TooMany);
    }
    assert_eq!(app.notice_kinds(&owner).await.len(), 1);
    app.execute("UPDATE notices SET at = at - interval '61 minutes'")
        .await;
    let _ = app.operate_from(&username, "not it", AWAY, false).await;
    assert_eq!(app.notice_kinds(&owner).await.len(), 2);
}

#[tokio::test]
async fn unknown_names_are_never_locked() {
    let app = App::new().await;
    let (mut owner, _) = acme(&app).await;
    owner.identity.company_id = uuid::Uuid::nil();
    fail(&app, &owner, false, 200, "1 minute").await;
    let failure = app
        .operate_from("nobody1", "not it", AWAY, false)
        .await
        .unwrap_err();
    assert_eq!(failure.kind, Kind::Unauthenticated);
}
