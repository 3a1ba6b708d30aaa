//! Companies that support staff name by id.

use std::slice;

use hourmeter_proto::accounts::v1::staff_service_client::StaffServiceClient;
use hourmeter_proto::accounts::v1::*;
use hourmeter_runtime::client::{Backend, signed};
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::{Caller, Service, Signer, StaffIdentity};
use hourmeter_runtime::testing::{GATEWAY_SECRET, backend};

use crate::staff_support::{Desk, NAME, by_staff};
use crate::support::{OPERATOR_PASSWORD, assert_fields, read};

fn service(desk: &Desk) -> Backend {
    let settings = hourmeter_accounts::PasswordSettings::for_tests();
    let database = desk.app.test.database.clone();
    let (clock, secrets) = (desk.clock.clone(), desk.secrets.clone());
    let routes = hourmeter_accounts::routes(database, clock.clone(), secrets, settings);
    backend(Service::Accounts, routes, clock)
}

async fn account(
    desk: &Desk,
    who: &StaffIdentity,
    id: &str,
) -> Result<GetAccountResponse, ServiceError> {
    let request = by_staff(
        who,
        GetAccountRequest {
            account_id: id.to_owned(),
        },
    );
    let mut client = StaffServiceClient::new(service(desk));
    read(client.get_account(request).await)
}

async fn find(
    desk: &Desk,
    who: &StaffIdentity,
    ids: &[String],
) -> Result<Vec<Account>, ServiceError> {
    let request = FindAccountsRequest {
        account_ids: ids.to_vec(),
    };
    let mut client = StaffServiceClient::new(service(desk));
    let answer = client.find_accounts(by_staff(who, request)).await;
    Ok(read(answer)?.accounts)
}

#[tokio::test]
async fn find_accounts_returns_known_companies_and_is_audited() {
    let desk = Desk::new().await;
    let first = desk.app.company("Acme").await;
    let second = desk.app.company("Borealis").await;
    desk.app.company("Caldera").await;
    desk.app.set_operator_password(&first).await;
    let who = desk.at_work().await;
    let unknown = uuid::Uuid::now_v7().to_string();
    let [first_id, second_id] =
        [&first, &second].map(|owner| owner.identity.company_id.to_string());
    let ids = [unknown.clone(), second_id.clone(), first_id.to_uppercase()];
    let mut found = find(&desk, &who, &ids).await.unwrap();
    found.sort_by_key(|account| account.business_name.clone());
    let names: Vec<_> = found
        .iter()
        .map(|account| &*account.business_name)
        .collect();
    assert_eq!(names, ["Acme", "Borealis"]);
    assert_eq!(found[0].email, first.user.email.unwrap());
    assert_eq!(found[0].created_at, first.user.created_at);
    assert!(found[0].operator_password_set && !found[1].operator_password_set);
    assert_eq!(
        found[..1],
        find(&desk, &who, slice::from_ref(&first_id)).await.unwrap()
    );
    let missing = slice::from_ref(&unknown);
    assert_eq!(find(&desk, &who, missing).await.unwrap(), []);
    let many = vec![unknown.clone(); 6];
    assert_eq!(find(&desk, &who, &many).await.unwrap(), []);
    assert_eq!(find(&desk, &who, &[]).await.unwrap(), []);
    let audited = async |more: &str| {
        let line = format!("actor_id = '{}' AND {more}", who.staff_id);
        desk.app.audited("accounts_listed", "success", &line).await
    };
    for detail in [
        format!("2 of 3 accounts {unknown} {second_id} {first_id}"),
        format!("0 of 1 accounts {unknown}"),
        "0 of 6 accounts".to_owned(),
        "0 of 0 accounts".to_owned(),
    ] {
        let line = format!("detail = '{detail}' AND target_id IS NULL");
        assert_eq!(audited(&line).await, 1, "{detail}");
    }
    let one = format!("detail = 'account' AND target_id = '{first_id}' AND target_name = 'Acme'");
    assert_eq!(audited(&one).await, 1);
    assert_eq!(audited("true").await, 5);
}

#[tokio::test]
async fn find_accounts_rejects_invalid_ids() {
    let desk = Desk::new().await;
    let who = desk.at_work().await;
    let many = |count| vec![uuid::Uuid::now_v7().to_string(); count];
    assert_eq!(find(&desk, &who, &many(500)).await.unwrap(), []);
    for bad in [many(501), vec!["Acme".to_owned()], vec![String::new()]] {
        let failure = find(&desk, &who, &bad).await.unwrap_err();
        assert_fields(&failure, &["accountIds"]);
    }
}

#[tokio::test]
async fn get_account_returns_people_and_acts_of_support() {
    let desk = Desk::new().await;
    let owner = desk.app.company("Acme").await;
    let other = desk.app.company("Borealis").await;
    desk.app.set_operator_password(&owner).await;
    desk.app.manager(&owner, "mo@mail.example").await;
    let operator = desk.app.operator(&owner, "Li", "Wu").await;
    desk.app.operator(&owner, "Jo", "Diaz").await;
    let id = owner.identity.company_id.to_string();
    let who = desk.at_work().await;
    let before = account(&desk, &who, &id).await.unwrap();
    let username = operator.operator_username.unwrap();
    desk.app
        .operate(&username, OPERATOR_PASSWORD)
        .await
        .unwrap();
    // The shared session acts as the owner, who did not sign in.
    desk.app.operate("Acme", OPERATOR_PASSWORD).await.unwrap();
    let reveal = RevealAccountOperatorPasswordRequest {
        account_id: id.clone(),
        reason: "The owner asked on the phone".to_owned(),
    };
    let mut client = desk.client();
    read(
        client
            .reveal_account_operator_password(by_staff(&who, reveal))
            .await,
    )
    .unwrap();

    let shown = account(&desk, &who, &id).await.unwrap();
    let company = shown.account.unwrap();
    assert_eq!((&company.id, &*company.business_name), (&id, "Acme"));
    assert!(company.operator_password_set);
    assert_eq!(shown.owner_name, "Ana Ruiz");
    assert_eq!((shown.managers, shown.operators), (1, 2));
    assert_eq!(shown.owner_last_sign_in_at, before.owner_last_sign_in_at);
    assert!(shown.owner_last_sign_in_at.is_some());
    let [earlier, later] = [before.last_sign_in_at, shown.last_sign_in_at]
        .map(|at| at.map(|at| (at.seconds, at.nanos)));
    assert!(later > earlier);
    assert!(before.events.is_empty());
    let [event] = &shown.events[..] else {
        panic!("{:?}", shown.events)
    };
    assert_eq!(event.event, "operator_password_revealed_by_support");
    assert_eq!(
        [&*event.actor_name, &*event.detail],
        [NAME, "The owner asked on the phone"]
    );

    let id = other.identity.company_id.to_string();
    let shown = account(&desk, &who, &id).await.unwrap();
    assert_eq!((shown.managers, shown.operators), (0, 0));
    assert!(shown.events.is_empty());
}

#[tokio::test]
async fn get_account_is_audited_and_rejects_unknown_ids() {
    let desk = Desk::new().await;
    let owner = desk.app.company("Acme").await;
    let id = owner.identity.company_id.to_string();
    let who = desk.at_work().await;
    account(&desk, &who, &id).await.unwrap();
    for unknown in [&uuid::Uuid::now_v7().to_string(), "", "Acme", "%"] {
        let failure = account(&desk, &who, unknown).await.unwrap_err();
        assert_eq!(failure.kind, Kind::NotFound, "{unknown}");
    }
    let line = format!(
        "actor_id = '{}' AND target_id = '{id}' AND target_name = 'Acme' AND detail = 'account'
        AND company_id = '00000000-0000-0000-0000-000000000000'",
        who.staff_id
    );
    let lines = desk.app.audited("accounts_listed", "success", &line).await;
    assert_eq!(lines, 1);
    let gateway = Signer::new("gateway", &GATEWAY_SECRET).unwrap();
    let caller = Caller::Person(Box::new(owner.identity.clone()));
    let message = GetAccountRequest { account_id: id };
    let request = signed(&gateway, Service::Accounts, &caller, message).unwrap();
    let mut client = StaffServiceClient::new(service(&desk));
    let failure = read(client.get_account(request).await).unwrap_err();
    assert_eq!(failure.kind, Kind::Forbidden);
}
