//! Every table and column is classified.

use hourmeter_records::{EXCLUDED_TABLES, is_secret, quantity};
use hourmeter_runtime::identity::Service;

use crate::world::World;

/// Tables of the platform, without company.
const PLATFORM: [(&str, &str); 6] = [
    ("_sqlx_migrations", "applied migrations"),
    (
        "operator_usernames",
        "usernames that are never reused; a keyed hash once no user has the name",
    ),
    ("staff", "the platform's own support staff"),
    ("staff_enrolments", "the platform's own support staff"),
    ("staff_sessions", "the platform's own support staff"),
    ("stripe_prices", "the platform's own prices"),
];

#[tokio::test]
async fn every_table_has_company_or_is_listed_as_platform() {
    let world = World::new().await;
    let counts = world.counts().await;
    let mut seen = Vec::new();
    for service in Service::ALL {
        for table in world.tables(service).await {
            let is_platforms = PLATFORM.iter().any(|(name, _)| *name == table.name);
            assert_ne!(table.has_company(), is_platforms, "{}", table.name);
            // Ensures that the tests of export and deletion cover every table.
            for company in world.companies.iter().filter(|_| table.has_company()) {
                let place = (
                    service.name().to_owned(),
                    table.name.clone(),
                    Some(*company),
                );
                assert!(
                    counts.contains_key(&place),
                    "seed/*.sql has no row in {place:?}"
                );
            }
            seen.push(table.name);
        }
    }
    let named = PLATFORM.iter().chain(&EXCLUDED_TABLES);
    for (name, _) in named {
        assert!(
            seen.iter().any(|table| table == name),
            "{name} is no table any more"
        );
    }
}

/// Columns that exports exclude today; a new one must be decided here.
const SECRETS: [&str; 51] = [
    "accounts.authenticators.totp_box",
    "accounts.authenticators.totp_key_id",
    "accounts.authenticators.totp_last_step",
    "accounts.authenticators.totp_nonce",
    "accounts.companies.operator_password_box",
    "accounts.companies.operator_password_hash",
    "accounts.companies.operator_password_key_id",
    "accounts.companies.operator_password_nonce",
    "accounts.companies.operator_password_pepper_id",
    "accounts.devices.public_key",
    "accounts.idempotency_keys.answer",
    "accounts.idempotency_keys.key",
    "accounts.idempotency_keys.request_hash",
    "accounts.passkey_challenges.challenge",
    "accounts.passkeys.credential_id",
    "accounts.passkeys.public_key",
    "accounts.recovery_codes.code_hash",
    "accounts.recovery_codes.code_pepper_id",
    "accounts.retired_tokens.sid",
    "accounts.sessions.next_sid",
    "accounts.sessions.sid",
    "accounts.users.answer1_hash",
    "accounts.users.answer1_pepper_id",
    "accounts.users.answer2_hash",
    "accounts.users.answer2_pepper_id",
    "accounts.users.calendar_secret_hash",
    "accounts.users.card_code_expires_at",
    "accounts.users.card_code_hash",
    "accounts.users.mail_link_hash",
    "accounts.users.password_hash",
    "accounts.users.password_pepper_id",
    "billing.idempotency_keys.answer",
    "billing.idempotency_keys.key",
    "billing.idempotency_keys.request_hash",
    "billing.outbox.fact",
    "billing.outbox.key",
    "billing.subscriptions.checkout_url",
    "equipment.idempotency_keys.answer",
    "equipment.idempotency_keys.key",
    "equipment.idempotency_keys.request_hash",
    "equipment.outbox.fact",
    "equipment.outbox.key",
    "notifications.digests.unsubscribe_key",
    "notifications.push_subscriptions.auth",
    "notifications.push_subscriptions.endpoint",
    "notifications.push_subscriptions.p256dh",
    "notifications.sms_numbers.code_expires_at",
    "notifications.sms_numbers.code_hash",
    "operator-updates.idempotency_keys.answer",
    "operator-updates.idempotency_keys.key",
    "operator-updates.idempotency_keys.request_hash",
];

#[tokio::test]
async fn exports_exclude_listed_secret_columns() {
    let world = World::new().await;
    let mut secrets = Vec::new();
    for service in Service::ALL {
        for table in world
            .tables(service)
            .await
            .iter()
            .filter(|table| table.has_company())
        {
            for column in table.columns.iter().filter(|column| is_secret(column)) {
                secrets.push(format!("{}.{}.{}", service.name(), table.name, column.name));
            }
        }
    }
    secrets.sort();
    let expected: Vec<&str> = SECRETS.to_vec();
    assert_eq!(secrets, expected);
}

#[tokio::test]
async fn every_whole_number_column_has_quantity() {
    let world = World::new().await;
    for service in Service::ALL {
        for table in world
            .tables(service)
            .await
            .iter()
            .filter(|table| table.has_company())
        {
            for column in &table.columns {
                let name = format!("{}.{}", table.name, column.name);
                assert!(
                    quantity(column).is_some(),
                    "{name}: hundredths, or a plain number?"
                );
            }
        }
    }
}
