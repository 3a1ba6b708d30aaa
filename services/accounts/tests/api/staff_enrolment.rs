//! Support staff: enrolment with a code from the command line, and password changes.

use hourmeter_proto::accounts::v1::*;
use hourmeter_runtime::error::Kind;

use crate::staff_support::{Desk, EMAIL, NAME, enrolment_code};
use crate::support::{assert_fields, edge, read};

const CHOSEN: &str = "quarry road 8";

#[tokio::test]
async fn enrolment_sets_the_password_and_signs_in() {
    let desk = Desk::new().await;
    let output = desk
        .command(&["add", "--name", NAME, "--email", EMAIL])
        .await;
    let output = output.unwrap();
    assert!(
        !output.contains("assword:") && !output.contains("otpauth"),
        "{output}"
    );
    let code = enrolment_code(&output);
    let typed = code.replace('-', " ").to_uppercase();
    let (email, totp) = desk.start_enrolment(&typed).await.unwrap();
    assert_eq!(email, EMAIL);
    let now = totp.code(&desk.clock);
    let grant = desk.finish_enrolment(&code, &now, CHOSEN).await.unwrap();
    let user = grant.user.unwrap();
    assert_eq!((user.role(), user.scope()), (Role::Support, Scope::Staff));
    desk.app.resolve(&grant.token).await.unwrap();
    let failure = desk.start_enrolment(&code).await.unwrap_err();
    assert_eq!(failure.reason, "WRONG_ENROLMENT_CODE");
    let failure = desk
        .finish_enrolment(&code, &now, CHOSEN)
        .await
        .unwrap_err();
    assert_eq!(failure.reason, "WRONG_ENROLMENT_CODE");
    // The TOTP code is consumed too.
    assert!(desk.sign_in(EMAIL, CHOSEN, &now).await.is_err());
    desk.wait(30);
    let next = totp.code(&desk.clock);
    desk.sign_in(EMAIL, CHOSEN, &next).await.unwrap();
    let more = "actor_name = 'Sam Support' AND scope = 'staff'";
    assert_eq!(desk.app.audited("staff_enrolled", "success", more).await, 1);
}

#[tokio::test]
async fn enrolment_rejects_invalid_codes_and_passwords() {
    let desk = Desk::new().await;
    let code = desk.invited().await;
    for wrong in [
        "",
        "abcde-fghjk-mnpqr-stuvw",
        &code[1..],
        &"x".repeat(10_000),
    ] {
        let failure = desk.start_enrolment(wrong).await.unwrap_err();
        assert_fields(&failure, &["code"]);
    }
    // Finishing without starting fails.
    let failure = desk.finish_enrolment(&code, "123456", CHOSEN).await;
    assert_eq!(failure.unwrap_err().reason, "WRONG_ENROLMENT_CODE");
    let (_, old) = desk.start_enrolment(&code).await.unwrap();
    let (_, totp) = desk.start_enrolment(&code).await.unwrap();
    let good = totp.code(&desk.clock);
    let late = totp.code_at(desk.clock.now().timestamp() + 60);
    for (totp, password, fields) in [
        (&good, "12345", ["newPassword"].as_slice()),
        (&good, EMAIL, &["newPassword"]),
        (&good, NAME, &["newPassword"]),
        (&good, "password", &["newPassword"]),
        (&late, CHOSEN, &["totp"]),
        // A code of the previous secret.
        (&old.code(&desk.clock), CHOSEN, &["totp"]),
        (&late, "12345", &["totp", "newPassword"]),
    ] {
        let failure = desk.finish_enrolment(&code, totp, password).await;
        assert_fields(&failure.unwrap_err(), fields);
    }
    assert_eq!(desk.app.count("staff_sessions").await, 0);
    let tries = (0..5).map(|_| desk.finish_enrolment(&code, &good, CHOSEN));
    let done = futures::future::join_all(tries).await;
    assert_eq!(done.iter().filter(|tried| tried.is_ok()).count(), 1);
}

#[tokio::test]
async fn enrolment_code_expires_and_is_replaced_by_a_reset() {
    let desk = Desk::new().await;
    let code = desk.invited().await;
    let (_, totp) = desk.start_enrolment(&code).await.unwrap();
    let output = desk.command(&["reset", "--email", EMAIL]).await.unwrap();
    let again = enrolment_code(&output);
    assert!(desk.start_enrolment(&code).await.is_err());
    desk.start_enrolment(&again).await.unwrap();
    desk.app
        .execute("UPDATE staff_enrolments SET expires_at = expires_at - interval '72 hours'")
        .await;
    assert!(desk.start_enrolment(&again).await.is_err());
    let now = totp.code(&desk.clock);
    assert!(desk.finish_enrolment(&again, &now, CHOSEN).await.is_err());
}

#[tokio::test]
async fn staff_change_their_own_password() {
    let desk = Desk::new().await;
    let member = desk.member().await;
    let other = desk.signed_in(&member).await.token;
    let token = desk.signed_in(&member).await.token;
    let change = async |token: &str, current: &str, new: &str| {
        let request = ChangePasswordRequest {
            token: token.to_owned(),
            current_password: current.to_owned(),
            new_password: new.to_owned(),
            origin: None,
        };
        read(desk.client().change_password(edge(request)).await)
    };
    let failure = change(&token, "not it at all", CHOSEN).await.unwrap_err();
    assert_fields(&failure, &["currentPassword"]);
    assert_eq!(failure.reason, "WRONG_PASSWORD");
    let failure = change(&token, "", EMAIL).await.unwrap_err();
    assert_fields(&failure, &["currentPassword", "newPassword"]);
    let done = change(&token, &member.password, CHOSEN).await.unwrap();
    let grant = done.session.unwrap();
    assert_eq!(grant.user.unwrap().scope(), Scope::Staff);
    for ended in [&token, &other] {
        assert!(desk.app.resolve(ended).await.is_err());
    }
    desk.app.resolve(&grant.token).await.unwrap();
    let failure = change(&token, CHOSEN, "another tractor 7")
        .await
        .unwrap_err();
    assert_eq!(failure.kind, Kind::Unauthenticated);
    desk.wait(30);
    let code = member.code(&desk.clock);
    assert!(desk.sign_in(EMAIL, &member.password, &code).await.is_err());
    desk.sign_in(EMAIL, CHOSEN, &code).await.unwrap();
    for (outcome, count) in [("success", 1), ("failed", 1)] {
        let more = "scope = 'staff' AND actor_name = 'Sam Support'";
        assert_eq!(
            desk.app.audited("password_changed", outcome, more).await,
            count
        );
    }
}
