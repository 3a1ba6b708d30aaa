//! Numbers for text messages, and the codes that verify them.

use chrono::TimeDelta;
use hourmeter_proto::accounts::v1::Scope;
use hourmeter_proto::notifications::v1::sms_service_client::SmsServiceClient;
use hourmeter_proto::notifications::v1::*;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::{Identity, Service};
use hourmeter_runtime::testing::{as_person, operator_of, owner};

use crate::sms::{LAST, NUMBER, Yard};
use crate::support::{TestNotifications, now};

#[tokio::test]
async fn number_is_verified_by_the_code() {
    let yard = Yard::new().await;
    let operator = operator_of(&yard.owner);
    yard.set(&operator, "+1 (830) 555-0199", "es")
        .await
        .unwrap();
    assert_eq!(yard.found(&operator).await, (LAST.to_owned(), false));
    let [(to, text)] = yard.received().await.try_into().unwrap();
    assert_eq!(to, NUMBER);
    assert!(text.ends_with("es tu código de Hourmeter. Vence en 10 min. No lo compartas."));
    assert!(text.chars().count() <= 70, "{text}");
    let code = yard.code().await;
    let wrong = if code == "000000" { "000001" } else { "000000" };
    for wrong in [wrong, "", "12345", "abcdef"] {
        let failure = yard.verify(&operator, wrong).await.unwrap_err();
        assert_eq!(failure.kind, Kind::Invalid, "{wrong}");
        assert_eq!(failure.fields[0].0, "code");
    }
    // Another person's code is no use.
    let failure = yard.verify(&yard.owner, &code).await.unwrap_err();
    assert_eq!(failure.kind, Kind::Conflict);
    yard.verify(&operator, &code).await.unwrap();
    assert_eq!(yard.found(&operator).await, (LAST.to_owned(), true));
    assert_eq!(yard.found(&yard.owner).await, (String::new(), false));
    // The response may be lost.
    yard.verify(&operator, &code).await.unwrap();
    // The code is not stored in clear.
    let stored = yard
        .app
        .text("SELECT (s.*)::text || (SELECT string_agg((m.*)::text, '') FROM messages m) FROM sms_numbers s")
        .await;
    assert!(!stored.contains(&code), "{stored}");
}

#[tokio::test]
async fn code_ends_after_ten_minutes_and_five_wrong_ones() {
    let yard = Yard::new().await;
    let owner = &yard.owner;
    yard.set(owner, NUMBER, "en").await.unwrap();
    let first = yard.code().await;
    yard.app.clock.set(now() + TimeDelta::minutes(10));
    let failure = yard.verify(owner, &first).await.unwrap_err();
    assert_eq!(failure.message.code, "SMS_CODE_EXPIRED");

    yard.set(owner, NUMBER, "en").await.unwrap();
    let code = yard.code().await;
    let wrong = if code == "000000" { "000001" } else { "000000" };
    let tries = (0..5).map(|_| yard.verify(owner, wrong));
    let tries = futures::future::join_all(tries).await;
    assert!(
        tries
            .into_iter()
            .all(|tried| tried.unwrap_err().kind == Kind::Invalid)
    );
    let failure = yard.verify(owner, &code).await.unwrap_err();
    assert_eq!(failure.message.code, "SMS_CODE_EXPIRED");

    // The third code of the day is the last one.
    yard.set(owner, NUMBER, "en").await.unwrap();
    for change in [NUMBER, "+528155550199"] {
        let failure = yard.set(owner, change, "en").await.unwrap_err();
        assert_eq!(failure.message.code, "SMS_CODES_USED_UP");
    }
    let code = yard.code().await;
    yard.verify(owner, &code).await.unwrap();
    assert_eq!(yard.received().await.len(), 3);
    // Not even after the number was removed; a day later there are more.
    let request = as_person(Service::Notifications, owner, RemoveSmsNumberRequest {});
    yard.client().remove_sms_number(request).await.unwrap();
    assert_eq!(yard.found(owner).await, (String::new(), false));
    yard.set(owner, NUMBER, "en").await.unwrap_err();
    yard.app.clock.set(now() + TimeDelta::days(1));
    yard.set(owner, NUMBER, "en").await.unwrap();
}

#[tokio::test]
async fn codes_of_a_company_are_limited() {
    let yard = Yard::new().await;
    for _ in 0..30 {
        let operator = operator_of(&yard.owner);
        yard.set(&operator, NUMBER, "en").await.unwrap();
    }
    let failure = yard.set(&yard.owner, NUMBER, "en").await.unwrap_err();
    assert_eq!(failure.message.code, "SMS_CODES_USED_UP");
    yard.set(&owner(), NUMBER, "en").await.unwrap();
}

#[tokio::test]
async fn number_and_language_are_checked() {
    let yard = Yard::new().await;
    for (number, language, field) in [
        ("8305550199", "en", "number"),
        ("", "en", "number"),
        ("+447700900123", "en", "number"),
        (NUMBER, "fr", "language"),
    ] {
        let failure = yard.set(&yard.owner, number, language).await.unwrap_err();
        assert_eq!(failure.kind, Kind::Invalid);
        assert_eq!(failure.fields[0].0, field);
    }
    assert_eq!(yard.app.count_rows("sms_numbers").await, 0);
}

#[tokio::test]
async fn installation_without_provider_takes_no_number() {
    let app = TestNotifications::new().await;
    let owner = owner();
    let mut client = SmsServiceClient::new(app.backend.clone());
    let request = as_person(Service::Notifications, &owner, GetSmsNumberRequest {});
    let found = client.get_sms_number(request).await.unwrap().into_inner();
    assert_eq!(found, GetSmsNumberResponse::default());
    let message = SetSmsNumberRequest {
        number: NUMBER.to_owned(),
        language: "en".to_owned(),
    };
    let request = as_person(Service::Notifications, &owner, message);
    let refused = client.set_sms_number(request).await.unwrap_err();
    let refused = ServiceError::from_status(&refused);
    assert_eq!(refused.message.code, "SMS_NOT_CONFIGURED");
}

#[tokio::test]
async fn owner_with_the_operators_password_changes_no_number() {
    let yard = Yard::new().await;
    yard.join(&yard.owner, NUMBER, "en").await;
    let other = Identity {
        scope: Scope::Operator,
        ..yard.owner.clone()
    };
    let request = as_person(Service::Notifications, &other, GetSmsNumberRequest {});
    let found = yard.client().get_sms_number(request).await.unwrap();
    assert_eq!(found.into_inner(), GetSmsNumberResponse::default());
    let refused = yard.set(&other, "+528155550199", "es").await.unwrap_err();
    assert_eq!(refused.kind, Kind::Forbidden);
    let refused = yard.verify(&other, "000000").await.unwrap_err();
    assert_eq!(refused.kind, Kind::Forbidden);
    let request = as_person(Service::Notifications, &other, RemoveSmsNumberRequest {});
    yard.client().remove_sms_number(request).await.unwrap_err();
    let refused = yard.app.set_watch(&other, None).await.unwrap_err();
    assert_eq!(refused.kind, Kind::Forbidden);
    assert_eq!(yard.found(&yard.owner).await, (LAST.to_owned(), true));
}

#[tokio::test]
async fn code_of_a_replaced_number_verifies_nothing() {
    let yard = Yard::new().await;
    let owner = &yard.owner;
    yard.contacts.state().down = true;
    yard.set(owner, NUMBER, "en").await.unwrap();
    let tried = "messages WHERE kind = 'sms_code' AND problem <> ''";
    yard.app.wait_for(tried, 1).await;
    yard.set(owner, "+528155550199", "en").await.unwrap();
    yard.contacts.state().down = false;
    let received = yard.received_after_wait().await;
    let [(to, text)] = received.try_into().unwrap();
    assert_eq!(to, "+528155550199");
    assert_eq!(yard.states("suppressed").await, 1);
    yard.verify(owner, &text[..6]).await.unwrap();
}
