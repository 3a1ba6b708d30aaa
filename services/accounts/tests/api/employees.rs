use std::collections::BTreeSet;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hourmeter_accounts::hash_released_usernames;
use hourmeter_proto::accounts::v1::{
    CreateOperatorRequest, DeleteEmployeeRequest, Employee, ListEmployeesRequest, Role,
    UpdateEmployeeRequest,
};
use hourmeter_proto::common::v1::PageRequest;
use hourmeter_runtime::error::{Kind, ServiceError};
use uuid::Uuid;

use crate::support::{App, OPERATOR_PASSWORD, Signed, assert_fields, by, read, refusal};

async fn list(app: &App, who: &Signed, limit: u32, cursor: &str) -> (Vec<Employee>, String) {
    let page = Some(PageRequest {
        limit,
        cursor: cursor.to_owned(),
    });
    let request = by(who, ListEmployeesRequest { page });
    let answer = read(app.client().list_employees(request).await).unwrap();
    (answer.employees, answer.page.unwrap().next_cursor)
}

async fn rename(
    app: &App,
    who: &Signed,
    id: &str,
    names: [&str; 2],
) -> Result<Employee, ServiceError> {
    let [first_name, last_name] = names.map(str::to_owned);
    let request = UpdateEmployeeRequest {
        id: id.to_owned(),
        first_name,
        last_name,
    };
    let answer = app.client().update_employee(by(who, request)).await;
    read(answer).map(|answer| answer.employee.unwrap())
}

async fn delete(app: &App, who: &Signed, id: &str) -> Result<(), ServiceError> {
    let request = DeleteEmployeeRequest { id: id.to_owned() };
    read(app.client().delete_employee(by(who, request)).await).map(drop)
}

#[tokio::test]
async fn create_operator_derives_the_username() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let cases = [
        ("María José", "mariajose"),
        ("Борис", "boris"),
        ("...", "operator"),
    ];
    for (first, stem) in cases {
        let employee = app.operator(&owner, first, "Ruiz").await;
        assert_eq!(employee.role(), Role::Operator);
        assert_eq!(
            (employee.first_name.as_str(), employee.last_name.as_str()),
            (first, "Ruiz")
        );
        assert!(employee.email.is_none() && !employee.has_personal_password);
        let username = employee.operator_username.unwrap();
        let digits = username.strip_prefix(stem).unwrap();
        assert!(
            digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_digit()),
            "{username}"
        );
    }
    assert_eq!(
        app.count("audit_events WHERE event = 'operator_added'")
            .await,
        3
    );
}

#[tokio::test]
async fn create_operator_validates_names() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let operator = app.operator(&owner, "Li", "Wu").await;
    let long = "x".repeat(101);
    let cases: [(&str, &str, &[&str]); 6] = [
        ("", "", &["firstName", "lastName"]),
        (" ", "Wu", &["firstName"]),
        ("Li", "", &["lastName"]),
        ("L\0i", "Wu", &["firstName"]),
        ("Li", "W\nu", &["lastName"]),
        (&long, &long, &["firstName", "lastName"]),
    ];
    for (first, last, fields) in cases {
        let (first_name, last_name) = (first.to_owned(), last.to_owned());
        let request = by(
            &owner,
            CreateOperatorRequest {
                first_name,
                last_name,
            },
        );
        assert_fields(
            &refusal(app.client().create_operator(request).await),
            fields,
        );
        let failure = rename(&app, &owner, &operator.id, [first, last])
            .await
            .unwrap_err();
        assert_fields(&failure, fields);
    }
    let failure = rename(&app, &owner, &operator.id, ["", ""])
        .await
        .unwrap_err();
    assert_eq!(failure.message, "Please fill in all required fields.");
    assert_eq!(app.count("users").await, 2);
    assert_eq!(app.count("operator_usernames").await, 1);
    assert_eq!(
        app.count("users WHERE first_name = 'Li' AND last_name = 'Wu'")
            .await,
        1
    );
    let longest = "x".repeat(100);
    assert!(
        rename(&app, &owner, &operator.id, [&longest, &longest])
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn create_operator_adds_digits_and_skips_taken_usernames() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    app.execute(
        "INSERT INTO operator_usernames (username, stem)
        SELECT 'li' || lpad(n::text, 4, '0'), 'li' FROM generate_series(0, 998) n",
    )
    .await;
    let last_of_four = app
        .operator(&owner, "Li", "Wu")
        .await
        .operator_username
        .unwrap();
    assert_eq!(last_of_four.len(), 6);
    let first_of_five = app
        .operator(&owner, "Li", "Wu")
        .await
        .operator_username
        .unwrap();
    assert_eq!(first_of_five.len(), 7);
    // Nine in ten candidates are taken, but the stem does not get more digits.
    app.execute(
        "INSERT INTO operator_usernames (username, stem)
        SELECT 'bo' || lpad(n::text, 4, '0'), 'other' FROM generate_series(0, 8999) n",
    )
    .await;
    let free = app
        .operator(&owner, "Bo", "Berg")
        .await
        .operator_username
        .unwrap();
    assert!(free.as_str() >= "bo9000", "{free}");
}

#[tokio::test]
async fn concurrent_create_operator_gives_unique_usernames() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    app.execute(
        "INSERT INTO operator_usernames (username, stem)
        SELECT 'li' || lpad(n::text, 4, '0'), 'other' FROM generate_series(0, 9899) n",
    )
    .await;
    let tries: Vec<_> = (0..8)
        .map(|_| {
            let (mut client, owner) = (app.client(), owner.clone());
            let request = CreateOperatorRequest {
                first_name: "Li".to_owned(),
                last_name: "Wu".to_owned(),
            };
            tokio::spawn(async move { client.create_operator(by(&owner, request)).await })
        })
        .collect();
    let mut names = BTreeSet::new();
    let mut made = 0;
    for one in tries {
        // With 1 % free usernames, some attempts find none and fail with a retryable error.
        if let Ok(answer) = one.await.unwrap() {
            made += 1;
            names.insert(answer.into_inner().employee.unwrap().operator_username);
        }
    }
    assert_eq!(names.len(), made);
    assert!(made >= 1);
}

#[tokio::test]
async fn released_usernames_are_never_reused() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let operator = app.operator(&owner, "Li", "Wu").await;
    let username = operator.operator_username.unwrap();
    delete(&app, &owner, &operator.id).await.unwrap();
    let kept = format!("operator_usernames WHERE username = '{username}'");
    assert_eq!(app.count(&kept).await, 1);
    app.execute(&format!(
        "INSERT INTO operator_usernames (username, stem)
        SELECT 'li' || lpad(n::text, 4, '0'), 'other' FROM generate_series(0, 9999) n
        WHERE 'li' || lpad(n::text, 4, '0') <> '{username}'"
    ))
    .await;
    let names = ["Li".to_owned(), "Wu".to_owned()];
    let [first_name, last_name] = names;
    let request = by(
        &owner,
        CreateOperatorRequest {
            first_name,
            last_name,
        },
    );
    let failure = refusal(app.client().create_operator(request).await);
    assert_eq!(failure.kind, Kind::Unavailable);
}

#[tokio::test]
async fn released_usernames_are_hashed_and_reserved() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let gone = app.operator(&owner, "Li", "Wu").await;
    let here = app.operator(&owner, "Bo", "Berg").await;
    delete(&app, &owner, &gone.id).await.unwrap();
    hash_released_usernames(&app.test.database, &app.secrets)
        .await
        .unwrap();
    let (gone, here) = (
        gone.operator_username.unwrap(),
        here.operator_username.unwrap(),
    );
    let kept = "SELECT string_agg(concat(username, ' ', stem), ' ') FROM operator_usernames";
    let kept = app.text(kept).await;
    let words: Vec<_> = kept.split(' ').collect();
    assert!(words.contains(&here.as_str()), "{kept}");
    assert!(
        !words.contains(&gone.as_str()) && !words.contains(&"li"),
        "{kept}"
    );
    // A repeat changes nothing.
    hash_released_usernames(&app.test.database, &app.secrets)
        .await
        .unwrap();
    assert_eq!(app.count("operator_usernames").await, 2);
    app.execute(&format!(
        "INSERT INTO operator_usernames (username, stem)
        SELECT 'li' || lpad(n::text, 4, '0'), 'other' FROM generate_series(0, 9999) n
        WHERE 'li' || lpad(n::text, 4, '0') <> '{gone}'"
    ))
    .await;
    let request = CreateOperatorRequest {
        first_name: "Li".to_owned(),
        last_name: "Wu".to_owned(),
    };
    let failure = refusal(app.client().create_operator(by(&owner, request)).await);
    assert_eq!(failure.kind, Kind::Unavailable);
}

#[tokio::test]
async fn create_operator_skips_business_names() {
    let app = App::new().await;
    let owner = app.company("zed0007").await;
    app.execute(
        "INSERT INTO operator_usernames (username, stem)
        SELECT 'zed' || lpad(n::text, 4, '0'), 'other' FROM generate_series(0, 9999) n
        WHERE n <> 7",
    )
    .await;
    let (first_name, last_name) = ("Zed".to_owned(), "Zorn".to_owned());
    let request = by(
        &owner,
        CreateOperatorRequest {
            first_name,
            last_name,
        },
    );
    assert_eq!(
        refusal(app.client().create_operator(request).await).kind,
        Kind::Unavailable
    );
}

#[tokio::test]
async fn update_employee_keeps_the_username() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let operator = app.operator(&owner, "Li", "Wu").await;
    let renamed = rename(&app, &owner, &operator.id, [" Lin ", "Wong"])
        .await
        .unwrap();
    assert_eq!(
        (renamed.first_name.as_str(), renamed.last_name.as_str()),
        ("Lin", "Wong")
    );
    assert_eq!(renamed.operator_username, operator.operator_username);
    assert_eq!(renamed.created_at, operator.created_at);
    assert_eq!(
        app.count("audit_events WHERE event = 'operator_changed'")
            .await,
        1
    );
}

#[tokio::test]
async fn delete_employee_ends_sessions_and_marks_the_password_stale() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let before = app.operator(&owner, "Bo", "Berg").await;
    delete(&app, &owner, &before.id).await.unwrap();
    assert!(
        !app.settings(&owner).await.operator_password_stale,
        "there is none yet"
    );
    app.set_operator_password(&owner).await;
    let operator = app.operator(&owner, "Li", "Wu").await;
    let username = operator.operator_username.unwrap();
    let grant = app.operate(&username, OPERATOR_PASSWORD).await.unwrap();
    delete(&app, &owner, &operator.id).await.unwrap();
    assert!(app.resolve(&grant.token).await.is_err());
    assert!(app.operate(&username, OPERATOR_PASSWORD).await.is_err());
    assert!(app.settings(&owner).await.operator_password_stale);
    assert!(app.resolve(&owner.token).await.is_ok());
    assert_eq!(
        app.count("audit_events WHERE event = 'operator_removed'")
            .await,
        2
    );
    assert_eq!(
        delete(&app, &owner, &operator.id).await.unwrap_err().kind,
        Kind::NotFound
    );
}

#[tokio::test]
async fn employee_rpcs_hide_other_companies() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    app.set_operator_password(&owner).await;
    let other = app.company("Borealis").await;
    let foreign = app.operator(&other, "Bo", "Berg").await;
    let made_up = Uuid::now_v7().to_string();
    let ids = [foreign.id.as_str(), &made_up, "", "x", "' OR 1=1"];
    for id in ids {
        for failure in [
            rename(&app, &owner, id, ["Li", "Wu"]).await.unwrap_err(),
            delete(&app, &owner, id).await.unwrap_err(),
        ] {
            assert_eq!(failure.kind, Kind::NotFound, "{id}");
            assert_eq!(failure.message, "Not found.");
        }
    }
    assert_eq!(app.count("users").await, 3);
    assert_eq!(app.count("users WHERE first_name = 'Bo'").await, 1);
    assert!(!app.settings(&owner).await.operator_password_stale);
    assert_eq!(
        app.count("audit_events WHERE event = 'unknown_object'")
            .await,
        10
    );
}

#[tokio::test]
async fn inactive_subscription_allows_removal_only() {
    let app = App::new().await;
    let mut owner = app.company("Acme").await;
    let operator = app.operator(&owner, "Li", "Wu").await;
    owner.identity.entitlements.active = false;
    let (first_name, last_name) = ("Bo".to_owned(), "Berg".to_owned());
    let request = by(
        &owner,
        CreateOperatorRequest {
            first_name,
            last_name,
        },
    );
    let failure = refusal(app.client().create_operator(request).await);
    assert_eq!(failure.kind, Kind::SubscriptionInactive);
    let failure = rename(&app, &owner, &operator.id, ["Bo", "Berg"])
        .await
        .unwrap_err();
    assert_eq!(failure.kind, Kind::SubscriptionInactive);
    assert!(delete(&app, &owner, &operator.id).await.is_ok());
}

#[tokio::test]
async fn list_employees_is_newest_first() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    app.operator(&app.company("Borealis").await, "Bo", "Berg")
        .await;
    let first = app.operator(&owner, "Li", "Wu").await;
    let second = app.operator(&owner, "Al", "Abe").await;
    let manager = app.manager(&owner, "mo@mail.example").await;
    app.execute("UPDATE users SET email = 'li@mail.example' WHERE role = 'operator'")
        .await;
    let (all, next) = list(&app, &owner, 0, "").await;
    assert_eq!(next, "");
    let ids: Vec<_> = all.iter().map(|person| person.id.as_str()).collect();
    assert_eq!(
        ids,
        [&*manager.user.id, &*second.id, &*first.id, &*owner.user.id]
    );
    assert_eq!(all[0].role(), Role::Manager);
    assert_eq!(all[0].email.as_deref(), Some("mo@mail.example"));
    assert_eq!(all[3].email, owner.user.email);
    assert!(all[0].operator_username.is_none() && all[1].operator_username.is_some());
    assert!(
        all[1].email.is_none(),
        "an operator's address is contact data"
    );
    assert!(all.iter().all(|person| !person.has_personal_password));

    let mut paged = Vec::new();
    let mut cursor = String::new();
    loop {
        let (mut page, next) = list(&app, &manager, 1, &cursor).await;
        assert_eq!(page.len(), 1);
        paged.append(&mut page);
        if next.is_empty() {
            break;
        }
        cursor = next;
    }
    assert_eq!(paged, all);
}

#[tokio::test]
async fn list_employees_rejects_invalid_pages() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    for (limit, cursor, field) in [
        (501, "", "limit"),
        (1, "%%%", "cursor"),
        (1, "Zm9v", "cursor"),
    ] {
        let page = Some(PageRequest {
            limit,
            cursor: cursor.to_owned(),
        });
        let request = by(&owner, ListEmployeesRequest { page });
        assert_fields(
            &refusal(app.client().list_employees(request).await),
            &[field],
        );
    }
}

#[tokio::test]
async fn list_employees_rejects_invalid_cursors() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let cursor = |at: &str| {
        let key = format!("[{at},\"{}\"]", Uuid::nil());
        BASE64_URL_SAFE_NO_PAD.encode(key)
    };
    // Invalid times; times after 2199, before 1900, and in the year -262000.
    for at in [
        "9223372036854775807",
        "7258118400000000",
        "-2208988800000001",
        "-8330000000000000000",
        "1.5",
        "null",
    ] {
        let page = Some(PageRequest {
            limit: 1,
            cursor: cursor(at),
        });
        let request = by(&owner, ListEmployeesRequest { page });
        let failure = refusal(app.client().list_employees(request).await);
        assert_fields(&failure, &["cursor"]);
    }
    for (at, found) in [("7258118399999999", 1), ("-2208988800000000", 0)] {
        let (people, _) = list(&app, &owner, 1, &cursor(at)).await;
        assert_eq!(people.len(), found, "{at}");
    }
}
