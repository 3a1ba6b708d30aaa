//! Security events that accounts sends to notifications.

use std::time::Duration;

use hourmeter_proto::accounts::v1::*;
use hourmeter_proto::notifications::v1::fact::What;
use hourmeter_proto::notifications::v1::{Fact, SecurityEvent, SecurityEventKind};
use hourmeter_runtime::client::REQUEST_BROWSER;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Service, Signer};
use hourmeter_runtime::testing::{ACCOUNTS_SECRET, FakeNotifications, as_notifications};
use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;

use crate::second_factor_support::login;
use crate::staff_support::Desk;
use crate::support::{App, PASSWORD, Signed, by, edge, read};

const CHROME: &str = "Chrome, Windows";
const FIREFOX: &str = "Firefox, Mac";
const NEW: &str = "Gravel-Pit-41";

/// Sends the events of the service to the fake until the guard is dropped.
fn start(app: &App, notifications: &FakeNotifications) -> DropGuard {
    let stop = CancellationToken::new();
    hourmeter_accounts::start_security_events(
        app.test.database.clone(),
        notifications.backend(),
        Signer::new("accounts", &ACCOUNTS_SECRET).unwrap(),
        &stop.clone().into(),
    );
    stop.drop_guard()
}

/// Waits for facts of a company, in order of arrival.
async fn facts(notifications: &FakeNotifications, company_id: Uuid, count: usize) -> Vec<Fact> {
    for _ in 0..200 {
        let facts = notifications.facts(company_id);
        if facts.len() >= count {
            return facts;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("no {count} facts");
}

/// Waits until the outbox is empty.
async fn sent(app: &App) {
    for _ in 0..200 {
        if app.count("security_events").await == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("events are left");
}

/// The kinds of the events that wait in the outbox, in order.
async fn waiting(app: &App) -> String {
    app.text(
        "SELECT coalesce(string_agg(replace(kind, 'SECURITY_EVENT_KIND_', ''), ' ' ORDER BY id), '')
        FROM security_events",
    )
    .await
}

fn event(fact: &Fact) -> &SecurityEvent {
    let Some(What::SecurityEvent(event)) = &fact.what else {
        panic!("{fact:?}");
    };
    event
}

fn from<T>(browser: &'static str, mut request: tonic::Request<T>) -> tonic::Request<T> {
    let browser = browser.parse().unwrap();
    request.metadata_mut().insert(REQUEST_BROWSER, browser);
    request
}

async fn change_password(app: &App, who: &Signed, current: &str) -> Result<(), ServiceError> {
    let request = ChangePasswordRequest {
        token: who.token.clone(),
        current_password: current.to_owned(),
        new_password: NEW.to_owned(),
        origin: None,
    };
    let request = from(CHROME, edge(request));
    read(app.client().change_password(request).await).map(drop)
}

async fn change_email(app: &App, who: &Signed, email: &str) -> Result<(), ServiceError> {
    let request = UpdateProfileRequest {
        email: Some(email.to_owned()),
        ..UpdateProfileRequest::default()
    };
    read(app.client().update_profile(by(who, request)).await).map(drop)
}

#[tokio::test]
async fn changed_password_is_sent_once() {
    let app = App::new().await;
    let (owner, other) = (app.company("Acme").await, app.company("Other").await);
    let notifications = FakeNotifications::default();
    let _stop = start(&app, &notifications);
    change_password(&app, &owner, PASSWORD).await.unwrap();
    let company = owner.identity.company_id;
    let [fact] = facts(&notifications, company, 1).await.try_into().unwrap();
    assert_eq!(fact.actor_id, "");
    assert!(fact.happened_at.is_some());
    let expected = SecurityEvent {
        person_id: owner.user.id.clone(),
        kind: SecurityEventKind::PasswordChanged.into(),
        browser: CHROME.to_owned(),
        former_address: String::new(),
    };
    assert_eq!(*event(&fact), expected);
    sent(&app).await;
    assert_eq!(notifications.facts(company).len(), 1);
    assert!(notifications.facts(other.identity.company_id).is_empty());
}

#[tokio::test]
async fn event_keeps_its_key_when_it_is_sent_again() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let company = owner.identity.company_id;
    let notifications = FakeNotifications::default();
    notifications.state().response_lost = true;
    let stop = start(&app, &notifications);
    change_password(&app, &owner, PASSWORD).await.unwrap();
    facts(&notifications, company, 1).await;
    // The process ends before the response.
    drop(stop);
    assert_eq!(app.count("security_events").await, 1);
    notifications.state().response_lost = false;
    app.execute("UPDATE security_events SET next_try_at = now()")
        .await;
    let _stop = start(&app, &notifications);
    let all = facts(&notifications, company, 2).await;
    assert!(all.iter().all(|fact| fact.key == all[0].key), "{all:?}");
    sent(&app).await;
}

#[tokio::test]
async fn refused_changes_are_no_events() {
    let app = App::new().await;
    let (owner, other) = (app.company("Acme").await, app.company("Other").await);
    change_password(&app, &owner, "wrong-password")
        .await
        .unwrap_err();
    let taken = other.user.email.unwrap();
    change_email(&app, &owner, &taken).await.unwrap_err();
    app.sign_in("Acme", "wrong-password").await.unwrap_err();
    assert_eq!(waiting(&app).await, "");
}

#[tokio::test]
async fn new_browser_is_an_event_except_for_the_first() {
    let app = App::new().await;
    let sign_up = SignUpRequest {
        business_name: "Acme".to_owned(),
        email: "ana@mail.example".to_owned(),
        password: PASSWORD.to_owned(),
        ..SignUpRequest::default()
    };
    let request = from(CHROME, edge(sign_up));
    read(app.client().sign_up(request).await).unwrap();
    let enter = async |browser: &'static str| {
        let request = SignInRequest {
            email_or_business_name: "Acme".to_owned(),
            password: PASSWORD.to_owned(),
            ..SignInRequest::default()
        };
        let request = from(browser, edge(request));
        read(app.client().sign_in(request).await).unwrap();
        let count = app.count("security_events").await;
        app.execute("DELETE FROM security_events").await;
        count
    };
    assert_eq!(enter(CHROME).await, 0);
    assert_eq!(enter(FIREFOX).await, 1);
    assert_eq!(enter(FIREFOX).await, 0);
    app.execute("UPDATE browsers SET last_at = now() - interval '89 days'")
        .await;
    assert_eq!(enter(CHROME).await, 0);
    app.execute("UPDATE browsers SET last_at = now() - interval '91 days'")
        .await;
    assert_eq!(enter(CHROME).await, 1);
    assert_eq!(enter(CHROME).await, 0);
    // A browser without a name is one, too.
    assert_eq!(enter("").await, 1);
    assert_eq!(enter("").await, 0);
}

#[tokio::test]
async fn changed_address_names_the_former_one_if_it_was_verified() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let former = "SELECT coalesce(max(former_email), '') FROM security_events";
    change_email(&app, &owner, "first@mail.example")
        .await
        .unwrap();
    assert_eq!(waiting(&app).await, "EMAIL_CHANGED");
    assert_eq!(app.text(former).await, "");

    let link = CreateMailLinkRequest {
        person_id: owner.user.id.clone(),
        purpose: MailLinkPurpose::Verification.into(),
    };
    let company = owner.identity.company_id;
    let request = as_notifications(Service::Accounts, company, link);
    let link = read(app.contacts().create_mail_link(request).await).unwrap();
    let request = edge(VerifyEmailRequest {
        secret: link.secret,
        origin: None,
    });
    read(app.client().verify_email(request).await).unwrap();
    change_email(&app, &owner, "second@mail.example")
        .await
        .unwrap();
    assert_eq!(waiting(&app).await, "EMAIL_CHANGED EMAIL_CHANGED");
    assert_eq!(app.text(former).await, "first@mail.example");
    // The same address, or another name, is no change.
    change_email(&app, &owner, "second@mail.example")
        .await
        .unwrap();
    assert_eq!(app.count("security_events").await, 2);
}

#[tokio::test]
async fn recovered_and_reset_passwords_are_events_of_the_person() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let manager = app.manager(&owner, "mo@mail.example").await;
    let operator = app.operator(&owner, "Li", "Wu").await;
    app.questions(&owner).await;
    let recover = RecoverPasswordRequest {
        email_or_business_name: "Acme".to_owned(),
        answer1: "Rex".to_owned(),
        answer2: "Toyota Hilux".to_owned(),
        new_password: NEW.to_owned(),
        origin: None,
    };
    let recovered = app.client().recover_password(edge(recover)).await;
    read(recovered).unwrap();
    for user_id in [&manager.user.id, &operator.id] {
        let reset = ResetUserPasswordRequest {
            user_id: user_id.clone(),
            new_password: Some(NEW.to_owned()),
        };
        let reset = app.client().reset_user_password(by(&owner, reset)).await;
        read(reset).unwrap();
    }
    assert_eq!(waiting(&app).await, "PASSWORD_RECOVERED PASSWORD_RESET");
    let expected = format!(
        "security_events WHERE kind LIKE '%RESET' AND user_id = '{}'",
        manager.user.id
    );
    assert_eq!(app.count(&expected).await, 1);
}

#[tokio::test]
async fn second_factor_changes_are_events() {
    let desk = Desk::new().await;
    let owner = desk.app.company("Acme").await;
    let (_, codes) = desk.authenticator(&owner).await;
    desk.passkey(&owner).await;
    let factor = desk.factor(&owner).await;
    let request = RemovePasskeyRequest {
        id: factor.passkeys[0].id.clone(),
    };
    let removed = desk.client().remove_passkey(by(&owner, request)).await;
    read(removed).unwrap();
    let entered = SignInRequest {
        recovery_code: codes[0].clone(),
        ..login(&owner)
    };
    desk.enter(entered).await.unwrap();
    let request = by(&owner, ReplaceRecoveryCodesRequest {});
    read(desk.client().replace_recovery_codes(request).await).unwrap();
    let request = by(&owner, TurnOffSecondFactorRequest {});
    read(desk.client().turn_off_second_factor(request).await).unwrap();
    assert_eq!(
        waiting(&desk.app).await,
        "AUTHENTICATOR_ADDED PASSKEY_ADDED PASSKEY_REMOVED RECOVERY_CODE_USED \
         RECOVERY_CODES_REPLACED SECOND_FACTOR_OFF"
    );
}
