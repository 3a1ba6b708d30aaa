use hourmeter_proto::accounts::v1::{DeleteEmployeeRequest, GetCurrentUserRequest, Role, Scope};
use hourmeter_runtime::error::Kind;

use crate::support::{App, OPERATOR_PASSWORD, by, read, refusal};

#[tokio::test]
async fn get_current_user_returns_the_caller_in_scope() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    app.set_operator_password(&owner).await;
    let username = app
        .operator(&owner, "Li", "Wu")
        .await
        .operator_username
        .unwrap();
    let operator = app
        .signed(app.operate(&username, OPERATOR_PASSWORD).await.unwrap())
        .await;
    let shared = app
        .signed(app.operate("Acme", OPERATOR_PASSWORD).await.unwrap())
        .await;
    let manager = app.manager(&owner, "mo@mail.example").await;
    let expected = [
        (&owner, Role::Owner, Scope::Full),
        (&manager, Role::Manager, Scope::Full),
        (&operator, Role::Operator, Scope::Operator),
        (&shared, Role::Operator, Scope::Operator),
    ];
    for (person, role, scope) in expected {
        let request = by(person, GetCurrentUserRequest {});
        let user = read(app.client().get_current_user(request).await)
            .unwrap()
            .user
            .unwrap();
        assert_eq!(user, person.user);
        assert_eq!((user.role(), user.scope()), (role, scope));
        assert_eq!(user.business_name, "Acme");
        assert_eq!(user.email.is_some(), scope == Scope::Full);
    }
}

#[tokio::test]
async fn get_current_user_hides_the_owner_from_the_shared_password() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    app.set_operator_password(&owner).await;
    let shared = app
        .signed(app.operate("Acme", OPERATOR_PASSWORD).await.unwrap())
        .await;
    let user = &shared.user;
    assert_eq!(user.business_name, "Acme");
    assert_eq!((&user.email, &user.secondary_email), (&None, &None));
    assert_eq!(
        (user.first_name.as_str(), user.last_name.as_str()),
        ("", "")
    );
    assert!(!user.security_questions_set);
}

#[tokio::test]
async fn get_current_user_rejects_removed_persons() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    app.set_operator_password(&owner).await;
    let employee = app.operator(&owner, "Li", "Wu").await;
    let username = employee.operator_username.unwrap();
    let operator = app
        .signed(app.operate(&username, OPERATOR_PASSWORD).await.unwrap())
        .await;
    let request = by(&owner, DeleteEmployeeRequest { id: employee.id });
    app.client().delete_employee(request).await.unwrap();
    let request = by(&operator, GetCurrentUserRequest {});
    let failure = refusal(app.client().get_current_user(request).await);
    assert_eq!(failure.kind, Kind::Unauthenticated);
}

#[tokio::test]
async fn get_current_user_rejects_other_companies() {
    let app = App::new().await;
    let mut owner = app.company("Acme").await;
    let other = app.company("Borealis").await;
    owner.identity.user_id = other.identity.user_id;
    let request = by(&owner, GetCurrentUserRequest {});
    let failure = refusal(app.client().get_current_user(request).await);
    assert_eq!(failure.kind, Kind::Unauthenticated);
}
