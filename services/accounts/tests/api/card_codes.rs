//! One-time codes of printed access cards.

use hourmeter_proto::accounts::v1::*;
use hourmeter_runtime::error::{Kind, ServiceError};
use sqlx::Connection as _;

use crate::support::{App, OPERATOR_PASSWORD, Signed, assert_fields, by, read};

const PERSONAL: &str = "sturdy-crane-4711";

async fn codes(app: &App, who: &Signed, ids: &[&str]) -> Result<Vec<CardCode>, ServiceError> {
    let operator_ids = ids.iter().map(|&id| id.to_owned()).collect();
    let request = by(who, CreateCardCodesRequest { operator_ids });
    read(app.client().create_card_codes(request).await).map(|answer| answer.codes)
}

/// The owner, the operator's id and username, and a code of the operator.
async fn carded(app: &App) -> (Signed, String, String, String) {
    let owner = app.company("Acme").await;
    app.set_operator_password(&owner).await;
    let operator = app.operator(&owner, "Li", "Wu").await;
    let code = code_of(app, &owner, &operator.id).await;
    let username = operator.operator_username.unwrap();
    (owner, operator.id, username, code)
}

async fn code_of(app: &App, owner: &Signed, operator_id: &str) -> String {
    let [card] = &codes(app, owner, &[operator_id]).await.unwrap()[..] else {
        panic!("one code");
    };
    assert_eq!(card.operator_id, operator_id);
    card.code.clone()
}

async fn assert_refused(app: &App, username: &str, code: &str) {
    let failure = app.operate(username, code).await.unwrap_err();
    assert_eq!(failure.kind, Kind::Unauthenticated);
    assert_eq!(failure.message, "Invalid operator name or password");
}

#[tokio::test]
async fn card_code_signs_in_once() {
    let app = App::new().await;
    let (owner, operator_id, username, code) = carded(&app).await;
    let session = app
        .signed(app.operate(&username, &code).await.unwrap())
        .await;
    assert_eq!(session.user.id, operator_id);
    assert_eq!(session.user.company_id, owner.user.company_id);
    assert_eq!(session.user.scope(), Scope::Operator);
    assert_refused(&app, &username, &code).await;
    app.operate(&username, OPERATOR_PASSWORD).await.unwrap();
    let how = "audit_events WHERE event = 'sign_in' AND detail = 'operator_login_card_code'";
    assert_eq!(app.count(how).await, 1);
}

#[tokio::test]
async fn of_concurrent_scans_one_signs_in() {
    let app = App::new().await;
    let (_, _, username, code) = carded(&app).await;
    let scans = (0..4).map(|_| app.operate(&username, &code));
    let results = futures::future::join_all(scans).await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
}

#[tokio::test]
async fn card_code_is_the_operators_own() {
    let app = App::new().await;
    let (owner, _, username, code) = carded(&app).await;
    let other = app.operator(&owner, "Ana", "Paz").await;
    assert_refused(&app, &other.operator_username.unwrap(), &code).await;
    assert_refused(&app, "nobody", &code).await;
    // The company's name opens the shared session only with a password.
    assert_refused(&app, "Acme", &code).await;
    app.operate(&username, &code).await.unwrap();
}

#[tokio::test]
async fn new_card_replaces_the_code() {
    let app = App::new().await;
    let (owner, id, username, code) = carded(&app).await;
    let next = code_of(&app, &owner, &id).await;
    assert_refused(&app, &username, &code).await;
    app.operate(&username, &next).await.unwrap();
}

#[tokio::test]
async fn card_code_expires() {
    let app = App::new().await;
    let (_, _, username, code) = carded(&app).await;
    let soon = "UPDATE users SET card_code_expires_at = card_code_expires_at - interval '30 days'
        + interval '1 minute' WHERE card_code_hash IS NOT NULL";
    app.execute(soon).await;
    let in_time = "users WHERE card_code_expires_at BETWEEN now() AND now() + interval '1 minute'";
    assert_eq!(app.count(in_time).await, 1);
    app.execute("UPDATE users SET card_code_expires_at = now()")
        .await;
    assert_refused(&app, &username, &code).await;
}

#[tokio::test]
async fn password_changes_end_card_codes() {
    let app = App::new().await;
    let (owner, id, username, code) = carded(&app).await;
    let request = UpdateCompanySettingsRequest {
        operator_password: Some("another-sturdy-one".to_owned()),
        ..UpdateCompanySettingsRequest::default()
    };
    let changed = app
        .client()
        .update_company_settings(by(&owner, request))
        .await;
    read(changed).unwrap();
    assert_refused(&app, &username, &code).await;

    let code = code_of(&app, &owner, &id).await;
    let request = ResetUserPasswordRequest {
        user_id: id,
        new_password: Some(PERSONAL.to_owned()),
    };
    read(app.client().reset_user_password(by(&owner, request)).await).unwrap();
    assert_refused(&app, &username, &code).await;
}

#[tokio::test]
async fn card_code_waits_for_a_password_change() {
    let app = App::new().await;
    let (_, _, username, code) = carded(&app).await;
    let mut change = app.admin().await;
    let mut change = change.begin().await.unwrap();
    let lock = "SELECT FROM companies FOR NO KEY UPDATE";
    sqlx::query(lock).execute(&mut *change).await.unwrap();
    let ended = async {
        let waiting = "pg_stat_activity WHERE datname = current_database()
            AND wait_event_type = 'Lock' AND query LIKE '%companies%FOR SHARE'";
        while app.count(waiting).await == 0 {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        let end = "UPDATE users SET card_code_hash = NULL, card_code_expires_at = NULL";
        sqlx::query(end).execute(&mut *change).await.unwrap();
        change.commit().await.unwrap();
    };
    let (refused, ()) = tokio::join!(app.operate(&username, &code), ended);
    assert_eq!(refused.unwrap_err().kind, Kind::Unauthenticated);
}

#[tokio::test]
async fn operator_with_a_personal_password_signs_in_by_card() {
    let app = App::new().await;
    let (owner, id, username, _) = carded(&app).await;
    let request = ResetUserPasswordRequest {
        user_id: id.clone(),
        new_password: Some(PERSONAL.to_owned()),
    };
    read(app.client().reset_user_password(by(&owner, request)).await).unwrap();
    let code = code_of(&app, &owner, &id).await;
    app.operate(&username, &code).await.unwrap();
}

#[tokio::test]
async fn removed_operators_card_is_refused() {
    let app = App::new().await;
    let (owner, id, username, code) = carded(&app).await;
    let request = DeleteEmployeeRequest { id };
    read(app.client().delete_employee(by(&owner, request)).await).unwrap();
    assert_refused(&app, &username, &code).await;
}

#[tokio::test]
async fn codes_are_created_for_own_operators_only() {
    let app = App::new().await;
    let (owner, operator_id, username, code) = carded(&app).await;
    let other = app.company("Borealis").await;
    assert_eq!(codes(&app, &other, &[&operator_id]).await.unwrap(), []);
    assert_eq!(codes(&app, &owner, &[&owner.user.id]).await.unwrap(), []);
    let repeated = codes(&app, &other, &[&operator_id, &operator_id]).await;
    assert_eq!(repeated.unwrap(), []);
    app.operate(&username, &code).await.unwrap();
    let created = "audit_events WHERE event = 'card_codes_created'";
    assert_eq!(app.count(created).await, 1);
}

#[tokio::test]
async fn invalid_and_too_many_ids_are_refused() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let failure = codes(&app, &owner, &["nonsense"]).await.unwrap_err();
    assert_fields(&failure, &["operatorIds"]);
    let id = uuid::Uuid::now_v7().to_string();
    let ids = vec![id.as_str(); 501];
    let failure = codes(&app, &owner, &ids).await.unwrap_err();
    assert_fields(&failure, &["operatorIds"]);
    assert_eq!(codes(&app, &owner, &ids[1..]).await.unwrap(), []);
}
