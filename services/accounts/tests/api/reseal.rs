//! Rotation of the keys that seal operator passwords and TOTP secrets.

use std::collections::BTreeMap;

use hourmeter_accounts::{CommandError, Keyring, PasswordSettings, Secrets, reseal};
use hourmeter_proto::accounts::v1::{
    RevealOperatorPasswordRequest, SignInRequest, StartAuthenticatorRequest,
};

use crate::second_factor_support::login;
use crate::staff_support::{Desk, EMAIL};
use crate::support::{OPERATOR_PASSWORD, Signed, by};

const KEYS: [(&str, &str); 3] = [
    ("1", "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA="),
    ("2", "ISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+P0A="),
    ("3", "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVpbXF1eX2A="),
];

fn keyring(active: &str, ids: &[&str]) -> Keyring {
    let keys: BTreeMap<_, _> = KEYS
        .into_iter()
        .filter(|(id, _)| ids.contains(id))
        .collect();
    let file = serde_json::json!({"active": active, "keys": keys});
    Keyring::parse(&file.to_string()).unwrap()
}

fn with(secrets: &Secrets, keyring: Keyring) -> Secrets {
    Secrets {
        operator_password_keys: keyring,
        ..secrets.clone()
    }
}

/// Restarts the service with these keys.
fn rotate(desk: &mut Desk, active: &str, ids: &[&str]) {
    let secrets = with(&desk.secrets, keyring(active, ids));
    desk.restart(secrets, PasswordSettings::for_tests());
}

async fn desk() -> Desk {
    Desk::with(with(&crate::support::secrets(), keyring("1", &["1"]))).await
}

async fn run(desk: &Desk) -> (Result<(), CommandError>, String) {
    let mut out = Vec::new();
    let keyring = &desk.secrets.operator_password_keys;
    let done = reseal(&desk.app.test.database, keyring, &mut out).await;
    (done, String::from_utf8(out).unwrap())
}

async fn reveal(desk: &Desk, who: &Signed) -> Option<String> {
    let request = by(who, RevealOperatorPasswordRequest {});
    let answer = desk.client().reveal_operator_password(request).await;
    answer
        .ok()
        .map(|answer| answer.into_inner().operator_password)
}

#[tokio::test]
async fn reseal_rotates_a_key() {
    let mut desk = desk().await;
    let mut companies = Vec::new();
    for name in ["Acme", "Borealis", "Coolibah"] {
        let owner = desk.app.company(name).await;
        desk.app.set_operator_password(&owner).await;
        companies.push(owner);
    }
    desk.app.company("Without").await;
    let member = desk.member().await;
    let (done, output) = run(&desk).await;
    done.unwrap();
    assert_eq!(output, "Key 1: 0 re-encrypted, 4 rows; active.\n");

    // Add the new key, then activate it; both keys decrypt.
    rotate(&mut desk, "2", &["1", "2"]);
    desk.app.set_operator_password(&companies[0]).await;
    for owner in &companies {
        assert_eq!(
            reveal(&desk, owner).await.as_deref(),
            Some(OPERATOR_PASSWORD)
        );
    }
    let set_at =
        "SELECT string_agg(operator_password_set_at::text, ',' ORDER BY name) FROM companies";
    let before = desk.app.text(set_at).await;
    let session = desk.signed_in(&member).await;
    let (done, output) = run(&desk).await;
    done.unwrap();
    assert_eq!(
        output,
        "Key 1: 3 re-encrypted, 0 rows; no row uses it; the key can be removed.\n\
        Key 2: 0 re-encrypted, 4 rows; active.\n"
    );
    assert_eq!(
        desk.app.text(set_at).await,
        before,
        "the passwords are the same"
    );

    // Remove the old key; passwords, codes and sessions stay valid.
    rotate(&mut desk, "2", &["2"]);
    for owner in &companies {
        assert_eq!(
            reveal(&desk, owner).await.as_deref(),
            Some(OPERATOR_PASSWORD)
        );
    }
    assert!(desk.app.operate("Acme", OPERATOR_PASSWORD).await.is_ok());
    assert!(desk.app.resolve(&session.token).await.is_ok());
    desk.signed_in(&member).await;
    let (done, output) = run(&desk).await;
    done.unwrap();
    assert_eq!(output, "Key 2: 0 re-encrypted, 4 rows; active.\n");
}

#[tokio::test]
async fn reseal_reports_broken_copies() {
    let mut desk = desk().await;
    let broken = desk.app.company("Acme").await;
    let lost = desk.app.company("Borealis").await;
    let fine = desk.app.company("Coolibah").await;
    for owner in [&broken, &lost, &fine] {
        desk.app.set_operator_password(owner).await;
    }
    desk.member().await;
    desk.app
        .execute(
            "UPDATE companies SET operator_password_box =
                set_byte(operator_password_box, 9, get_byte(operator_password_box, 9) # 1)
            WHERE name = 'Acme'",
        )
        .await;
    desk.app
        .execute("UPDATE companies SET operator_password_key_id = '3' WHERE name = 'Borealis'")
        .await;
    desk.app
        .execute("UPDATE staff SET totp_box = set_byte(totp_box, 9, get_byte(totp_box, 9) # 1)")
        .await;
    rotate(&mut desk, "2", &["1", "2"]);
    let (done, output) = run(&desk).await;
    assert!(matches!(done, Err(CommandError::Broken(3))), "{done:?}");
    assert!(
        output.contains("Key 1: 1 re-encrypted, 2 rows; still in use.\n"),
        "{output}"
    );
    assert!(
        output.contains("Key 2: 0 re-encrypted, 1 rows; active.\n"),
        "{output}"
    );
    assert!(
        output.contains("Key 3: 0 re-encrypted, 1 rows; still in use.\n"),
        "{output}"
    );
    let (acme, borealis) = (broken.identity.company_id, lost.identity.company_id);
    let expected = format!("Failed to decrypt: operator password of company {acme} (key 1)");
    assert!(output.contains(&expected), "{output}");
    let expected =
        format!("operator password of company {borealis} (key 3): sealed with an unknown key");
    assert!(output.contains(&expected), "{output}");
    assert!(!output.contains(OPERATOR_PASSWORD));
    let failures = "audit_events WHERE event = 'key_failure' AND outcome = 'failed'";
    assert_eq!(desk.app.count(failures).await, 3);
    assert_eq!(
        reveal(&desk, &fine).await.as_deref(),
        Some(OPERATOR_PASSWORD)
    );

    // With the correct key id, the copy can be re-encrypted.
    desk.app
        .execute("UPDATE companies SET operator_password_key_id = '1' WHERE name = 'Borealis'")
        .await;
    run(&desk).await.0.unwrap_err();
    assert_eq!(
        reveal(&desk, &lost).await.as_deref(),
        Some(OPERATOR_PASSWORD)
    );
}

#[tokio::test]
async fn reseal_runs_concurrently() {
    let mut desk = desk().await;
    let mut companies = Vec::new();
    for number in 0..12 {
        let owner = desk.app.company(&format!("Company {number}")).await;
        desk.app.set_operator_password(&owner).await;
        companies.push(owner);
    }
    let member = desk.member().await;
    rotate(&mut desk, "2", &["1", "2"]);
    let setting = async {
        for owner in &companies {
            desk.app.set_operator_password(owner).await;
        }
        desk.signed_in(&member).await;
    };
    let (one, two, ()) = tokio::join!(run(&desk), run(&desk), setting);
    one.0.unwrap();
    two.0.unwrap();
    rotate(&mut desk, "2", &["2"]);
    for owner in &companies {
        assert_eq!(
            reveal(&desk, owner).await.as_deref(),
            Some(OPERATOR_PASSWORD)
        );
    }
    assert!(
        desk.sign_in(EMAIL, &member.password, "")
            .await
            .unwrap_err()
            .reason
            == "TOTP_REQUIRED"
    );
}

#[tokio::test]
async fn reseal_resumes_after_an_interruption() {
    let mut desk = desk().await;
    for number in 0..20 {
        let owner = desk.app.company(&format!("Company {number}")).await;
        desk.app.set_operator_password(&owner).await;
    }
    rotate(&mut desk, "2", &["1", "2"]);
    let stopped = tokio::time::timeout(std::time::Duration::from_millis(30), run(&desk)).await;
    drop(stopped);
    let (done, output) = run(&desk).await;
    done.unwrap();
    assert!(
        output.contains("Key 2: 0 re-encrypted, 20 rows; active.\n"),
        "{output}"
    );
    assert!(
        output.contains(" 0 rows; no row uses it; the key can be removed.\n"),
        "{output}"
    );
}

#[tokio::test]
async fn reseal_includes_authenticators() {
    let mut desk = desk().await;
    let owner = desk.app.company("Acme").await;
    let (totp, _) = desk.authenticator(&owner).await;
    let request = by(&owner, StartAuthenticatorRequest {});
    desk.client().start_authenticator(request).await.unwrap();
    rotate(&mut desk, "2", &["1", "2"]);
    let (done, output) = run(&desk).await;
    done.unwrap();
    assert_eq!(
        output,
        "Key 1: 2 re-encrypted, 0 rows; no row uses it; the key can be removed.\n\
        Key 2: 0 re-encrypted, 2 rows; active.\n"
    );
    rotate(&mut desk, "2", &["2"]);
    let request = SignInRequest {
        totp: totp.code(&desk.clock),
        ..login(&owner)
    };
    desk.enter(request).await.unwrap();
    // One that does not open stays and is expected.
    desk.app
        .execute(
            "UPDATE authenticators SET totp_key_id = '1', totp_box = set_byte(totp_box, 7, 0) \
            WHERE pending",
        )
        .await;
    let (done, output) = run(&desk).await;
    assert!(matches!(done, Err(CommandError::Broken(1))));
    let name = format!(
        "Failed to decrypt: authenticator secret of user {}",
        owner.user.id
    );
    assert!(output.contains(&name), "{output}");
}

#[tokio::test]
async fn reseal_moves_the_other_copies_of_a_company_with_a_broken_one() {
    let mut desk = desk().await;
    let owner = desk.app.company("Acme").await;
    desk.app.set_operator_password(&owner).await;
    let (totp, _) = desk.authenticator(&owner).await;
    let broken_box = "set_byte(operator_password_box, 9, get_byte(operator_password_box, 9) # 1)";
    let damage = format!("UPDATE companies SET operator_password_box = {broken_box}");
    desk.app.execute(&damage).await;
    let stored = "SELECT encode(operator_password_nonce || operator_password_box, 'hex') \
        FROM companies";
    let before = desk.app.text(stored).await;
    rotate(&mut desk, "2", &["1", "2"]);
    let (done, output) = run(&desk).await;
    assert!(matches!(done, Err(CommandError::Broken(1))), "{done:?}");
    assert!(
        output.contains("Key 1: 1 re-encrypted, 1 rows; still in use.\n"),
        "{output}"
    );
    assert_eq!(
        desk.app.text(stored).await,
        before,
        "a broken copy stays as it is"
    );
    let failures = "audit_events WHERE event = 'key_failure' AND detail = 'operator_password'";
    assert_eq!(desk.app.count(failures).await, 1);
    rotate(&mut desk, "2", &["2"]);
    let request = SignInRequest {
        totp: totp.code(&desk.clock),
        ..login(&owner)
    };
    desk.enter(request).await.unwrap();
}
