//! Idempotent requests.

use hourmeter_proto::accounts::v1::*;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::idempotency::IDEMPOTENCY_HEADER;
use tonic::Request;

use crate::support::{App, OPERATOR_PASSWORD, Signed, by, read};

fn keyed<T>(who: &Signed, key: &str, message: T) -> Request<T> {
    let mut request = by(who, message);
    let key = key.parse().unwrap();
    request.metadata_mut().insert(IDEMPOTENCY_HEADER, key);
    request
}

fn operator(first: &str) -> CreateOperatorRequest {
    CreateOperatorRequest {
        first_name: first.to_owned(),
        last_name: "Wu".to_owned(),
    }
}

fn manager(email: &str) -> CreateManagerRequest {
    CreateManagerRequest {
        first_name: "Mo".to_owned(),
        last_name: "Meier".to_owned(),
        email: email.to_owned(),
    }
}

fn assert_reused<T: std::fmt::Debug>(answer: Result<T, ServiceError>) {
    let failure = answer.unwrap_err();
    assert_eq!(failure.kind, Kind::KeyReused);
    assert_eq!(failure.http_status(), 422);
}

#[tokio::test]
async fn create_operator_repeat_adds_one_person() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let create = async |key: &str, first: &str| {
        let request = keyed(&owner, key, operator(first));
        read(app.client().create_operator(request).await)
    };
    let first = create("k", "Li").await.unwrap();
    assert_eq!(create("k", "Li").await.unwrap(), first);
    assert_reused(create("k", "Lu").await);
    assert_eq!(app.count("users WHERE role = 'operator'").await, 1);
    assert_eq!(app.audited("operator_added", "success", "true").await, 1);
    assert_ne!(create("l", "Li").await.unwrap(), first);
    // An invalid request claims no key.
    assert!(create("m", "").await.is_err());
    assert!(create("m", "Lu").await.is_ok());
}

#[tokio::test]
async fn concurrent_create_operator_repeats_add_one_person() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let answers = futures::future::join_all((0..8).map(|_| async {
        let request = keyed(&owner, "k", operator("Li"));
        read(app.client().create_operator(request).await)
    }));
    let answers = answers.await;
    let first = answers.iter().find_map(|answer| answer.as_ref().ok());
    for answer in &answers {
        match answer {
            Ok(answer) => assert_eq!(Some(answer), first),
            // Timed out waiting for a lock or a connection.
            Err(failure) => assert!(
                failure.reason == "IDEMPOTENCY_KEY_IN_PROGRESS"
                    || failure.kind == Kind::Unavailable,
                "{failure:?}"
            ),
        }
    }
    assert_eq!(app.count("users WHERE role = 'operator'").await, 1);
}

#[tokio::test]
async fn create_operator_repeat_during_the_first_is_a_conflict() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let request = keyed(&owner, "k", operator("Li"));
    app.client().create_operator(request).await.unwrap();
    app.execute("UPDATE idempotency_keys SET answer = NULL")
        .await;
    let request = keyed(&owner, "k", operator("Li"));
    let failure = read(app.client().create_operator(request).await).unwrap_err();
    assert_eq!(
        (failure.http_status(), &*failure.reason),
        (409, "IDEMPOTENCY_KEY_IN_PROGRESS")
    );
    // A claim without a response is abandoned after a minute.
    app.execute("UPDATE idempotency_keys SET created_at = created_at - interval '61 seconds'")
        .await;
    let request = keyed(&owner, "k", operator("Li"));
    assert!(app.client().create_operator(request).await.is_ok());
}

#[tokio::test]
async fn create_manager_repeat_returns_the_same_password() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let create = async |key: &str, email: &str| {
        let request = keyed(&owner, key, manager(email));
        read(app.client().create_manager(request).await)
    };
    let first = create("k", "mo@mail.example").await.unwrap();
    let again = create("k", "mo@mail.example").await.unwrap();
    assert_eq!(again, first);
    let temporary = &again.temporary_password;
    assert!(app.sign_in("mo@mail.example", temporary).await.is_ok());
    assert_reused(create("k", "al@mail.example").await);
    let taken = create("l", "mo@mail.example").await.unwrap_err();
    assert_eq!(taken.kind, Kind::AlreadyExists);
    assert_eq!(app.count("users WHERE role = 'manager'").await, 1);
    // The stored response does not contain the password.
    let kept = app
        .text("SELECT encode(answer, 'escape') FROM idempotency_keys WHERE key = 'k'")
        .await;
    assert!(kept.contains("mo@mail.example") && !kept.contains(temporary.as_str()));
}

#[tokio::test]
async fn settings_and_profile_repeats_change_once() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let rename = async |key: &str, name: &str| {
        let request = UpdateCompanySettingsRequest {
            company_name: Some(name.to_owned()),
            ..UpdateCompanySettingsRequest::default()
        };
        let request = keyed(&owner, key, request);
        read(app.client().update_company_settings(request).await)
    };
    let first = rename("k", "Acme Two").await.unwrap();
    rename("l", "Acme Three").await.unwrap();
    assert_eq!(rename("k", "Acme Two").await.unwrap(), first);
    assert_eq!(app.settings(&owner).await.company_name, "Acme Three");
    assert_reused(rename("k", "Acme Four").await);

    let call_me = async |key: &str, name: &str| {
        let request = UpdateProfileRequest {
            first_name: Some(name.to_owned()),
            ..UpdateProfileRequest::default()
        };
        let request = keyed(&owner, key, request);
        read(app.client().update_profile(request).await)
    };
    let first = call_me("k", "Bea").await.unwrap();
    call_me("l", "Cleo").await.unwrap();
    assert_eq!(call_me("k", "Bea").await.unwrap(), first);
    assert_eq!(app.user(&owner).await.first_name, "Cleo");
    assert_reused(call_me("k", "Dora").await);
}

#[tokio::test]
async fn requests_with_passwords_claim_no_key() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let request = UpdateCompanySettingsRequest {
        operator_password: Some(OPERATOR_PASSWORD.to_owned()),
        ..UpdateCompanySettingsRequest::default()
    };
    let request = keyed(&owner, "k", request);
    app.client().update_company_settings(request).await.unwrap();
    assert_eq!(app.count("idempotency_keys").await, 0);
}

#[tokio::test]
async fn keys_are_deleted_with_their_person() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let mo = app.manager(&owner, "mo@mail.example").await;
    let request = keyed(&mo, "k", operator("Li"));
    app.client().create_operator(request).await.unwrap();
    assert_eq!(app.count("idempotency_keys").await, 1);
    let id = mo.user.id.clone();
    let request = by(&owner, DeleteEmployeeRequest { id });
    app.client().delete_employee(request).await.unwrap();
    assert_eq!(app.count("idempotency_keys").await, 0);
}
