//! Lists all companies for support staff.

use hourmeter_proto::accounts::v1::*;
use hourmeter_proto::common::v1::PageRequest;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::testing::staff;

use crate::staff_support::by_staff;
use crate::support::{App, assert_fields, read};

async fn page(
    app: &App,
    search: &str,
    limit: u32,
    cursor: &str,
) -> Result<(Vec<Account>, String), ServiceError> {
    let request = ListAccountsRequest {
        search: search.to_owned(),
        page: Some(PageRequest {
            limit,
            cursor: cursor.to_owned(),
        }),
    };
    let answer = read(
        app.client()
            .list_accounts(by_staff(&staff(), request))
            .await,
    )?;
    Ok((answer.accounts, answer.page.unwrap().next_cursor))
}

async fn names(app: &App, search: &str) -> Vec<String> {
    let (accounts, _) = page(app, search, 0, "").await.unwrap();
    accounts
        .into_iter()
        .map(|account| account.business_name)
        .collect()
}

#[tokio::test]
async fn list_accounts_is_newest_first() {
    let app = App::new().await;
    let first = app.company("Acme").await;
    let second = app.company("Borealis").await;
    app.set_operator_password(&first).await;
    app.operator(&first, "Li", "Wu").await;
    app.manager(&first, "mo@mail.example").await;
    let (accounts, next) = page(&app, "", 0, "").await.unwrap();
    assert_eq!((accounts.len(), &*next), (2, ""));
    assert_eq!(accounts[0].business_name, "Borealis");
    let account = &accounts[1];
    assert_eq!(account.id, first.identity.company_id.to_string());
    assert_eq!(account.email, first.user.email.unwrap());
    assert!(account.operator_password_set && !accounts[0].operator_password_set);
    assert_eq!(accounts[0].created_at, second.user.created_at);
    let whole = ListAccountsRequest::default();
    let answer = app.client().list_accounts(by_staff(&staff(), whole)).await;
    assert_eq!(answer.unwrap().into_inner().accounts, accounts);
}

#[tokio::test]
async fn list_accounts_finds_by_id() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    app.company("Borealis").await;
    let id = owner.identity.company_id.to_string();
    assert_eq!(names(&app, &id).await, ["Acme"]);
    assert_eq!(names(&app, &id.to_uppercase()).await, ["Acme"]);
    assert_eq!(names(&app, &id[..35]).await, [""; 0]);
}

#[tokio::test]
async fn list_accounts_searches_names_and_owner_emails() {
    let app = App::new().await;
    for name in [
        "Ruiz Rentals",
        "100% Diesel",
        "A_B Hire",
        "Café Mañana",
        "C\\D Works",
    ] {
        app.company(name).await;
    }
    app.manager(&app.company("Solo").await, "ruiz@mail.example")
        .await;
    let found = |search: &'static str| names(&app, search);
    assert_eq!(
        found("RUIZ").await,
        ["Ruiz Rentals"],
        "not by a manager's e-mail"
    );
    assert_eq!(found("ruiz  rent").await, ["Ruiz Rentals"]);
    assert_eq!(found("ｒｕｉｚ").await, ["Ruiz Rentals"]);
    assert_eq!(found("%").await, ["100% Diesel"]);
    assert_eq!(found("_").await, ["A_B Hire"]);
    assert_eq!(found("\\").await, ["C\\D Works"]);
    assert_eq!(found("mañana").await, ["Café Mañana"]);
    assert_eq!(found("MAN\u{303}ANA").await, ["Café Mañana"]);
    assert_eq!(found("OWNER2@mail").await, ["A_B Hire"]);
    assert_eq!(found("mail.example").await.len(), 6);
    assert_eq!(found("  ").await.len(), 6);
    assert!(found("' OR true --").await.is_empty());
    assert!(found("no such thing").await.is_empty());
}

#[tokio::test]
async fn list_accounts_pages_have_no_gaps_or_repeats() {
    let app = App::new().await;
    for number in 0..7 {
        app.company(&format!("Company {number}")).await;
    }
    // Some have the same creation time.
    app.execute(
        "UPDATE companies SET created_at = date_trunc('day', created_at) WHERE name < 'Company 5'",
    )
    .await;
    for search in ["", "company"] {
        let whole = names(&app, search).await;
        assert_eq!(whole.len(), 7);
        for limit in [1, 2, 3, 6, 7, 8] {
            let (mut all, mut cursor) = (Vec::new(), String::new());
            loop {
                let (accounts, next) = page(&app, search, limit, &cursor).await.unwrap();
                assert!(accounts.len() <= limit as usize && !accounts.is_empty());
                all.extend(accounts.into_iter().map(|account| account.business_name));
                if next.is_empty() {
                    break;
                }
                cursor = next;
            }
            assert_eq!(all, whole, "{search} {limit}");
        }
    }
}

#[tokio::test]
async fn list_accounts_returns_at_most_500() {
    let app = App::new().await;
    many(&app, 501).await;
    let (accounts, next) = page(&app, "", 0, "").await.unwrap();
    assert_eq!(accounts.len(), 500);
    let (rest, end) = page(&app, "", 0, &next).await.unwrap();
    assert_eq!((rest.len(), &*end), (1, ""));
}

#[tokio::test]
async fn list_accounts_rejects_invalid_requests() {
    let app = App::new().await;
    let long = "x".repeat(201);
    for (search, limit, cursor, field) in [
        (long.as_str(), 0, "", "search"),
        ("a\0b", 0, "", "search"),
        ("a\nb", 0, "", "search"),
        ("", 501, "", "limit"),
        ("", 1, "%%%", "cursor"),
        ("", 1, "Zm9v", "cursor"),
        // [9223372036854775807, all zero]
        (
            "",
            1,
            "WzkyMjMzNzIwMzY4NTQ3NzU4MDcsIjAwMDAwMDAwLTAwMDAtMDAwMC0wMDAwLTAwMDAwMDAwMDAwMCJd",
            "cursor",
        ),
    ] {
        let failure = page(&app, search, limit, cursor).await.unwrap_err();
        assert_fields(&failure, &[field]);
    }
    assert!(page(&app, &"x".repeat(200), 500, "").await.is_ok());
}

/// Inserts companies with owners and operators directly.
async fn many(app: &App, count: u32) {
    let company = app.company("Template").await.identity.company_id;
    app.execute(&format!(
        "WITH made AS (
            SELECT gen_random_uuid() AS company_id, gen_random_uuid() AS owner_id, n
            FROM generate_series(1, {count} - 1) n
        ), companies AS (
            INSERT INTO companies (company_id, name, name_key, owner_id, time_zone, created_at, updated_at)
            SELECT company_id, 'Firm ' || n || ' of Ridge', 'firm ' || n || ' of ridge', owner_id, 'UTC',
                now() - make_interval(mins => n), now()
            FROM made
        )
        INSERT INTO users (company_id, id, role, email, password_hash, password_pepper_id,
            password_set_at, created_at, updated_at)
        SELECT made.company_id, owner_id, 'owner', 'boss' || n || '@mail' || n % 97 || '.example',
            u.password_hash, u.password_pepper_id, now(), now(), now()
        FROM made, users u WHERE u.company_id = '{company}' AND u.role = 'owner'"
    ))
    .await;
}

/// Run by hand: `cargo nextest run -p hourmeter-accounts --run-ignored only fifty_thousand --no-capture`.
#[tokio::test]
#[ignore = "a measurement"]
async fn list_accounts_searches_50_000_companies_quickly() {
    let app = App::new().await;
    many(&app, 50_000).await;
    app.execute(
        "INSERT INTO users (company_id, id, role, operator_username, created_at, updated_at)
        SELECT c.company_id, gen_random_uuid(), 'operator', 'op' || n || c.company_id, now(), now()
        FROM companies c, generate_series(1, 9) n",
    )
    .await;
    app.execute("ANALYZE").await;
    let mut deep = String::new();
    for _ in 0..90 {
        deep = page(&app, "", 500, &deep).await.unwrap().1;
    }
    for (what, search, cursor) in [
        ("first page", "", ""),
        ("page after 45,000", "", deep.as_str()),
        ("common name", "ridge", ""),
        ("rare name", "firm 49998 of", ""),
        ("rare e-mail", "boss49998@", ""),
        ("nothing", "no such thing", ""),
    ] {
        let mut times = Vec::new();
        for _ in 0..21 {
            let start = std::time::Instant::now();
            page(&app, search, 50, cursor).await.unwrap();
            times.push(start.elapsed());
        }
        times.sort();
        eprintln!("{what}: p50 {:?}, slowest {:?}", times[10], times[20]);
        assert!(times[10].as_millis() < 500, "{what}");
    }
}

#[tokio::test]
async fn list_accounts_is_audited() {
    let app = App::new().await;
    app.company("Acme").await;
    let member = staff();
    for search in ["", "acme"] {
        let request = ListAccountsRequest {
            search: search.to_owned(),
            page: None,
        };
        let request = by_staff(&member, request);
        app.client().list_accounts(request).await.unwrap();
    }
    for detail in ["", "search"] {
        let line = format!(
            "actor_id = '{}' AND detail = '{detail}'
            AND company_id = '00000000-0000-0000-0000-000000000000'",
            member.staff_id
        );
        assert_eq!(app.audited("accounts_listed", "success", &line).await, 1);
    }
}
