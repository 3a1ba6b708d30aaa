//! Passkeys of owners and managers.

use hourmeter_proto::accounts::v1::*;
use hourmeter_runtime::error::{Kind, ServiceError};

use crate::second_factor_support::{Answer, Device, at_origin, encode, login};
use crate::staff_support::Desk;
use crate::support::{Signed, assert_fields, by, edge, read};

/// A sign-in with a passkey response.
fn with(who: &Signed, passkey: PasskeyAssertion) -> SignInRequest {
    SignInRequest {
        passkey: Some(passkey),
        ..login(who)
    }
}

#[track_caller]
fn assert_wrong(tried: Result<SessionGrant, ServiceError>) {
    let failure = tried.expect_err("a refusal");
    assert_eq!(failure.kind, Kind::Unauthenticated);
    assert_eq!(failure.reason, "TOTP_WRONG");
}

#[tokio::test]
async fn add_passkey_and_sign_in() {
    let desk = Desk::new().await;
    let owner = desk.app.company("Acme").await;
    let other = desk.enter(login(&owner)).await.unwrap();
    let options = desk.start_passkey(&owner).await;
    assert_eq!(options.rp_id, "app.example.com");
    assert_eq!(options.user_name, owner.user.email.clone().unwrap());
    assert_eq!(options.display_name, "Ana Ruiz");
    let device = Device::new();
    let answer = Answer::to(&options.challenge);
    let added = desk.add_passkey(&owner, device.add(&answer)).await.unwrap();
    assert_eq!(added.recovery_codes.len(), 10);
    assert_eq!(added.second_factor.unwrap().passkeys[0].name, "Phone");
    // Sessions started without it have ended, except the one that added it.
    assert!(desk.app.resolve(&other.token).await.is_err());
    desk.app.resolve(&owner.token).await.unwrap();

    let failure = desk.enter(login(&owner)).await.unwrap_err();
    assert_eq!(failure.reason, "TOTP_REQUIRED");
    let named: Vec<&str> = failure.fields.iter().map(|(name, _)| &**name).collect();
    assert_eq!(named, ["passkey", "recoveryCode"]);
    let asked = desk.challenge(&owner).await.unwrap();
    assert_eq!(asked.rp_id, "app.example.com");
    assert_eq!(asked.credential_ids, [encode(&device.id)]);
    let answer = Answer::to(&asked.challenge);
    desk.enter(with(&owner, device.sign(&answer)))
        .await
        .unwrap();
    let factor = desk.factor(&owner).await;
    assert!(factor.passkeys_offered && factor.passkeys[0].last_used_at.is_some());
    // A second passkey creates no recovery codes, and the browser gets the existing credential ids.
    let options = desk.start_passkey(&owner).await;
    assert_eq!(options.exclude_credential_ids, [encode(&device.id)]);
    let answer = Answer::to(&options.challenge);
    let more = desk.add_passkey(&owner, Device::new().add(&answer)).await;
    assert!(more.unwrap().recovery_codes.is_empty());
    assert_eq!(
        desk.app.audited("passkey_added", "success", "true").await,
        2
    );
    assert_eq!(
        desk.app.notice_kinds(&owner).await,
        ["passkey_added", "passkey_added"]
    );
}

#[tokio::test]
async fn passkey_challenge_is_valid_once_for_person_and_purpose() {
    let desk = Desk::new().await;
    let owner = desk.app.company("Acme").await;
    let manager = desk.app.manager(&owner, "mo@mail.example").await;
    let (device, _) = desk.passkey(&owner).await;
    let (others, _) = desk.passkey(&manager).await;
    let challenge = async |who| desk.challenge(who).await.unwrap().challenge;

    let used = Answer::to(&challenge(&owner).await);
    let entered = desk.enter(with(&owner, device.sign(&used))).await;
    entered.unwrap();
    assert_wrong(desk.enter(with(&owner, device.sign(&used))).await);
    // Also after a wrong response.
    let spoilt = Answer {
        origin: "https://evil.example",
        ..Answer::to(&challenge(&owner).await)
    };
    assert_wrong(desk.enter(with(&owner, device.sign(&spoilt))).await);
    let repeated = Answer::to(&spoilt.challenge);
    assert_wrong(desk.enter(with(&owner, device.sign(&repeated))).await);
    // A challenge of another person, one for adding, and one that was not issued.
    for foreign in [
        challenge(&manager).await,
        desk.start_passkey(&owner).await.challenge,
        encode(&[7; 32]),
        encode(&[7; 31]),
    ] {
        let answer = Answer::to(&foreign);
        assert_wrong(desk.enter(with(&owner, device.sign(&answer))).await);
    }
    let answer = Answer::to(&challenge(&owner).await);
    let failure = desk.add_passkey(&owner, Device::new().add(&answer)).await;
    assert_fields(&failure.unwrap_err(), &["attestationObject"]);
    // The passkey of another person is rejected for the owner.
    let answer = Answer::to(&challenge(&owner).await);
    assert_wrong(desk.enter(with(&owner, others.sign(&answer))).await);

    for (seconds, good) in [(299, true), (300, false)] {
        let answer = Answer::to(&challenge(&owner).await);
        desk.wait(seconds);
        let tried = desk.enter(with(&owner, device.sign(&answer))).await;
        assert_eq!(tried.is_ok(), good, "{seconds}");
    }
    let options = desk.start_passkey(&owner).await;
    desk.wait(300);
    let answer = Answer::to(&options.challenge);
    let late = desk.add_passkey(&owner, Device::new().add(&answer)).await;
    assert_fields(&late.unwrap_err(), &["attestationObject"]);
}

#[tokio::test]
async fn passkey_response_for_another_origin_or_unverified_user_is_rejected() {
    let desk = Desk::new().await;
    let owner = desk.app.company("Acme").await;
    let (device, _) = desk.passkey(&owner).await;
    let spoilt: [fn(Answer) -> Answer; 4] = [
        |answer| Answer {
            origin: "https://evil.example",
            ..answer
        },
        |answer| Answer {
            party: "evil.example",
            ..answer
        },
        |answer| Answer {
            flags: 0b001,
            ..answer
        },
        |answer| Answer {
            flags: 0b100,
            ..answer
        },
    ];
    for spoil in spoilt {
        let asked = desk.challenge(&owner).await.unwrap();
        let answer = spoil(Answer::to(&asked.challenge));
        assert_wrong(desk.enter(with(&owner, device.sign(&answer))).await);
        let options = desk.start_passkey(&owner).await;
        let answer = spoil(Answer::to(&options.challenge));
        let failure = desk.add_passkey(&owner, Device::new().add(&answer)).await;
        assert_fields(&failure.unwrap_err(), &["attestationObject"]);
    }
    let refused = desk
        .app
        .audited("sign_in", "failed", "detail = 'passkey_wrong'");
    assert_eq!(refused.await, 4);
}

#[tokio::test]
async fn passkey_counter_must_increase() {
    let desk = Desk::new().await;
    let owner = desk.app.company("Acme").await;
    let (device, _) = desk.passkey(&owner).await;
    for (count, good) in [(5, true), (5, false), (4, false), (0, false), (6, true)] {
        let asked = desk.challenge(&owner).await.unwrap();
        let answer = Answer {
            count,
            ..Answer::to(&asked.challenge)
        };
        let tried = desk.enter(with(&owner, device.sign(&answer))).await;
        assert_eq!(tried.is_ok(), good, "{count}");
    }
    let refused = desk
        .app
        .audited("sign_in", "failed", "detail = 'passkey_counter'");
    assert_eq!(refused.await, 3);
}

#[tokio::test]
async fn passkey_of_another_company_is_unknown() {
    let desk = Desk::new().await;
    let owner = desk.app.company("Acme").await;
    let stranger = desk.app.company("Borealis").await;
    let (device, _) = desk.passkey(&owner).await;
    desk.passkey(&stranger).await;
    let asked = desk.challenge(&stranger).await.unwrap();
    let answer = Answer::to(&asked.challenge);
    assert_wrong(desk.enter(with(&stranger, device.sign(&answer))).await);
    let asked = desk.challenge(&owner).await.unwrap();
    let answer = Answer::to(&asked.challenge);
    assert_wrong(desk.enter(with(&stranger, device.sign(&answer))).await);

    let id = desk.factor(&owner).await.passkeys[0].id.clone();
    for who in [
        &stranger,
        &desk.app.manager(&owner, "mo@mail.example").await,
    ] {
        let request = by(who, RemovePasskeyRequest { id: id.clone() });
        let failure = read(desk.client().remove_passkey(request).await).unwrap_err();
        assert_eq!(failure.kind, Kind::NotFound);
    }
    assert_eq!(desk.factor(&owner).await.passkeys.len(), 1);
}

#[tokio::test]
async fn passkey_challenge_requires_password_and_passkey() {
    let desk = Desk::new().await;
    let owner = desk.app.company("Acme").await;
    let failure = desk.challenge(&owner).await.unwrap_err();
    assert_eq!(failure.kind, Kind::Conflict);
    desk.passkey(&owner).await;
    let member = desk.member().await;
    for (name, password) in [
        ("Acme", "not it at all"),
        ("Nobody", "not it at all"),
        (&member.email, &member.password),
    ] {
        let request = StartPasskeySignInRequest {
            email_or_business_name: name.to_owned(),
            password: password.to_owned(),
            ..StartPasskeySignInRequest::default()
        };
        let request = at_origin(edge(request));
        let failure = read(desk.client().start_passkey_sign_in(request).await).unwrap_err();
        assert_eq!(
            (failure.kind, &*failure.reason),
            (Kind::Unauthenticated, "SIGN_IN_REFUSED")
        );
        assert_eq!(failure.message, "Invalid email, business name or password");
    }
    assert_eq!(desk.app.count("passkey_challenges").await, 0);
}

#[tokio::test]
async fn passkeys_require_a_supported_origin() {
    let desk = Desk::new().await;
    let owner = desk.app.company("Acme").await;
    let (device, _) = desk.passkey(&owner).await;
    let request = by(&owner, GetSecondFactorRequest {});
    let answer = desk.client().get_second_factor(request).await.unwrap();
    let factor = answer.into_inner().second_factor.unwrap();
    assert!(!factor.passkeys_offered);
    let request = by(&owner, StartPasskeyRequest {});
    let failure = read(desk.client().start_passkey(request).await).unwrap_err();
    assert_eq!(failure.kind, Kind::Conflict);
    let failure = read(desk.client().sign_in(edge(login(&owner))).await).unwrap_err();
    let named: Vec<&str> = failure.fields.iter().map(|(name, _)| &**name).collect();
    assert_eq!(named, ["recoveryCode"]);
    let asked = desk.challenge(&owner).await.unwrap();
    let passkey = device.sign(&Answer::to(&asked.challenge));
    let tried = desk.client().sign_in(edge(with(&owner, passkey))).await;
    assert_wrong(read(tried).map(|done| done.session.unwrap()));
}

#[tokio::test]
async fn remove_last_passkey_turns_the_second_factor_off() {
    let desk = Desk::new().await;
    let owner = desk.app.company("Acme").await;
    desk.passkey(&owner).await;
    desk.passkey(&owner).await;
    let ids: Vec<String> = desk
        .factor(&owner)
        .await
        .passkeys
        .into_iter()
        .map(|passkey| passkey.id)
        .collect();
    let remove = async |id: &str| {
        let request = by(&owner, RemovePasskeyRequest { id: id.to_owned() });
        read(desk.client().remove_passkey(request).await)
    };
    desk.require(&owner, true).await.unwrap();
    remove(&ids[0]).await.unwrap();
    assert_eq!(remove(&ids[0]).await.unwrap_err().kind, Kind::NotFound);
    // The company requires a second factor, so the last one stays.
    assert_eq!(remove(&ids[1]).await.unwrap_err().kind, Kind::Conflict);
    assert_eq!(desk.factor(&owner).await.passkeys.len(), 1);
    desk.require(&owner, false).await.unwrap();
    remove(&ids[1]).await.unwrap();
    assert_eq!(desk.factor(&owner).await.recovery_codes_left, 0);
    desk.enter(login(&owner)).await.unwrap();
    assert_eq!(
        desk.app.audited("passkey_removed", "success", "true").await,
        2
    );
    assert_eq!(
        desk.app
            .audited("second_factor_off", "success", "true")
            .await,
        1
    );
}

#[tokio::test]
async fn passkey_response_malformed_is_rejected() {
    let desk = Desk::new().await;
    let owner = desk.app.company("Acme").await;
    desk.passkey(&owner).await;
    for text in [
        "",
        "%",
        &encode(b"{}"),
        &encode(&[0xff; 100]),
        &"A".repeat(100_000),
    ] {
        let passkey = PasskeyAssertion {
            credential_id: text.to_owned(),
            client_data_json: text.to_owned(),
            authenticator_data: text.to_owned(),
            signature: text.to_owned(),
        };
        assert_wrong(desk.enter(with(&owner, passkey)).await);
        let request = AddPasskeyRequest {
            name: "Phone".to_owned(),
            client_data_json: text.to_owned(),
            attestation_object: text.to_owned(),
        };
        let failure = desk.add_passkey(&owner, request).await.unwrap_err();
        assert_fields(&failure, &["attestationObject"]);
    }
    for name in ["", " ", &"x".repeat(101)] {
        let options = desk.start_passkey(&owner).await;
        let request = AddPasskeyRequest {
            name: name.to_owned(),
            ..Device::new().add(&Answer::to(&options.challenge))
        };
        let failure = desk.add_passkey(&owner, request).await.unwrap_err();
        assert_fields(&failure, &["name"]);
    }
}
