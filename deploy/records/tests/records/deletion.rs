//! Deletion removes all data of a company, keeps others', and can be repeated.

use std::time::Duration;

use hourmeter_records::{
    Deletion, Figure, RecordsError, Snapshot, delete, delete_due, figures, unfinished,
};
use hourmeter_runtime::identity::Service;
use sqlx::Executor as _;
use uuid::Uuid;

use crate::world::{NAMES, World};

fn deletion(world: &World) -> Deletion {
    Deletion {
        company: world.companies[0],
        confirm: NAMES[0].to_owned(),
        reason: "asked for by its owner".to_owned(),
        dry_run: false,
        even_if_paying: false,
        only_due: false,
        wait: None,
    }
}

async fn run(world: &World, deletion: &Deletion) -> Result<(u64, String), RecordsError> {
    let mut out = Vec::new();
    let done = delete(&world.owners(), deletion, &mut out).await?;
    let rows = done.iter().map(|(_, rows)| rows).sum();
    Ok((rows, String::from_utf8(out).unwrap()))
}

/// Whether rows of the company are left, and the figures of the other company.
async fn remaining(world: &World) -> (bool, Vec<Figure>) {
    let mut snapshot = Snapshot::now(&world.admins()).await.unwrap();
    let all = figures(&mut snapshot).await.unwrap().rows;
    let [company, other] = world.companies.map(Some);
    let is_left = all.keys().any(|(_, _, of)| *of == company);
    let others = all.into_iter().filter(|((_, _, of), _)| *of == other);
    (is_left, others.map(|(_, figure)| figure).collect())
}

#[tokio::test]
async fn delete_removes_company_and_keeps_others() {
    let world = World::new().await;
    let (_, others) = remaining(&world).await;
    let platform = |counts: crate::world::Counts| {
        let own = counts.into_iter().filter(|((_, table, of), _)| {
            table != "audit_events" && (of.is_none() || *of == Some(Uuid::nil()))
        });
        own.collect::<Vec<_>>()
    };
    let own = platform(world.counts().await);

    let dry = Deletion {
        dry_run: true,
        ..deletion(&world)
    };
    let before = world.counts().await;
    let (counted, output) = run(&world, &dry).await.unwrap();
    assert_eq!(world.counts().await, before, "a dry run changes nothing");
    assert!(output.contains("would be deleted"), "{output}");

    let (gone, output) = run(&world, &deletion(&world)).await.unwrap();
    assert_eq!(gone, counted);
    assert!(
        output.contains("cus_"),
        "who is to be deleted at Stripe: {output}"
    );
    let rows: i64 = before
        .iter()
        .filter(|((_, _, of), _)| *of == Some(world.companies[0]))
        .map(|(_, rows)| rows)
        .sum();
    assert_eq!(gone, rows.unsigned_abs());
    let (is_left, still) = remaining(&world).await;
    assert!(!is_left);
    assert_eq!(still, others);
    // Usernames stay reserved, and the platform's rows stay.
    assert_eq!(platform(world.counts().await), own);

    // One entry remains, and nothing names the company any more.
    for service in [Service::Accounts, Service::Billing] {
        let mut admin = world.admin(service).await;
        let lines: Vec<(String, String, String)> = sqlx::query_as(
            "SELECT event, target_name, detail FROM audit_events WHERE target_id = $1 ORDER BY at",
        )
        .bind(world.companies[0])
        .fetch_all(&mut admin)
        .await
        .unwrap();
        let of_staff = lines
            .iter()
            .filter(|(event, ..)| !event.starts_with("company_delet"));
        assert!(
            of_staff
                .clone()
                .all(|(_, name, detail)| name.is_empty() && detail.is_empty()),
            "{lines:?}"
        );
        assert_eq!(of_staff.count(), 1, "{lines:?}");
        let output = lines
            .iter()
            .filter(|(event, ..)| event.starts_with("company_delet"));
        let output: Vec<_> = output
            .map(|(event, _, reason)| (event.as_str(), reason.as_str()))
            .collect();
        let expected: &[(&str, &str)] = match service {
            Service::Accounts => &[
                ("company_deleted", "asked for by its owner"),
                ("company_deletion_finished", ""),
            ],
            _ => &[],
        };
        assert_eq!(output, expected);
    }
    let (again, _) = run(&world, &deletion(&world)).await.unwrap();
    assert_eq!(again, 0);
    let lines: i64 = sqlx::query_scalar("SELECT count(*) FROM audit_events WHERE target_id = $1")
        .bind(world.companies[0])
        .fetch_one(&mut world.admin(Service::Accounts).await)
        .await
        .unwrap();
    assert_eq!(lines, 3, "the second run wrote none");
    assert_eq!(remaining(&world).await.1, others);
}

#[tokio::test]
async fn delete_completes_interrupted_run() {
    for broken in [Service::OperatorUpdates, Service::Equipment] {
        let world = World::new().await;
        let (_, others) = remaining(&world).await;
        let mut out = Vec::new();
        let stopped = delete(&world.owners_without(broken), &deletion(&world), &mut out).await;
        assert!(stopped.is_err());
        assert!(remaining(&world).await.0, "it stopped half-way");
        let mut accounts = world.admin(Service::Accounts).await;
        let sessions: i64 =
            sqlx::query_scalar("SELECT count(*) FROM sessions WHERE company_id = $1")
                .bind(world.companies[0])
                .fetch_one(&mut accounts)
                .await
                .unwrap();
        assert_eq!(
            sessions, 0,
            "nobody of it is signed in from the first step on"
        );
        let open = unfinished(&world.owners()).await.unwrap();
        let open: Vec<_> = open.iter().map(|(company, _)| *company).collect();
        assert_eq!(open, [world.companies[0]]);
        run(&world, &deletion(&world)).await.unwrap();
        let (is_left, still) = remaining(&world).await;
        assert!(!is_left);
        assert_eq!(still, others);
        assert!(unfinished(&world.owners()).await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn delete_repeated_removes_late_rows() {
    let world = World::new().await;
    run(&world, &deletion(&world)).await.unwrap();
    let late = format!(
        "INSERT INTO company_state VALUES ('{}', now())",
        world.companies[0]
    );
    let mut admin = world.admin(Service::Equipment).await;
    admin.execute(sqlx::AssertSqlSafe(late)).await.unwrap();
    assert!(remaining(&world).await.0);
    assert_eq!(run(&world, &deletion(&world)).await.unwrap().0, 1);
    assert!(!remaining(&world).await.0);
}

/// Inserts rows of the company while a deletion waits, triggered by its output.
struct LateWriter<'a> {
    world: &'a World,
    output: Vec<u8>,
}

impl std::io::Write for LateWriter<'_> {
    fn write(&mut self, text: &[u8]) -> std::io::Result<usize> {
        self.output.write(text)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let company = self.world.companies[0];
        let late = async {
            for (service, sql) in [
                (
                    Service::Equipment,
                    format!("INSERT INTO company_state VALUES ('{company}', now())"),
                ),
                (
                    Service::Accounts,
                    format!(
                        "INSERT INTO audit_events (company_id, id, event, outcome, request_id)
                         VALUES ('{company}', gen_random_uuid(), 'sign_out', 'success', gen_random_uuid())"
                    ),
                ),
            ] {
                let mut admin = self.world.admin(service).await;
                admin.execute(sqlx::AssertSqlSafe(sql)).await.unwrap();
            }
        };
        let here = tokio::runtime::Handle::current();
        tokio::task::block_in_place(|| here.block_on(late));
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn delete_removes_rows_arriving_during_wait() {
    let world = World::new().await;
    let waiting = Deletion {
        wait: Some(Duration::from_millis(1)),
        ..deletion(&world)
    };
    let (counted, _) = run(
        &world,
        &Deletion {
            dry_run: true,
            ..waiting.clone()
        },
    )
    .await
    .unwrap();
    let mut out = LateWriter {
        world: &world,
        output: Vec::new(),
    };
    let done = delete(&world.owners(), &waiting, &mut out).await.unwrap();
    let gone: u64 = done.iter().map(|(_, rows)| rows).sum();
    assert_eq!(gone, counted + 2);
    assert!(String::from_utf8_lossy(&out.output).contains("Waiting"));
    assert!(!remaining(&world).await.0);
    let noted: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM audit_events WHERE event = 'company_deleted' AND target_id = $1",
    )
    .bind(world.companies[0])
    .fetch_one(&mut world.admin(Service::Accounts).await)
    .await
    .unwrap();
    assert_eq!(noted, 1);
}

/// An interrupted wait may have missed late rows.
#[tokio::test(flavor = "multi_thread")]
async fn delete_waits_again_after_interrupted_wait() {
    let world = World::new().await;
    let waiting = Deletion {
        wait: Some(Duration::from_millis(1)),
        ..deletion(&world)
    };
    run(&world, &deletion(&world)).await.unwrap();
    let mut accounts = world.admin(Service::Accounts).await;
    let noted =
        "UPDATE audit_events SET at = now() + interval '1 hour' WHERE event = 'company_deleted'";
    accounts.execute(noted).await.unwrap();
    let mut out = LateWriter {
        world: &world,
        output: Vec::new(),
    };
    delete(&world.owners(), &waiting, &mut out).await.unwrap();
    assert!(String::from_utf8_lossy(&out.output).contains("Waiting"));
    assert!(!remaining(&world).await.0);

    let noted =
        "UPDATE audit_events SET at = now() - interval '1 hour' WHERE event = 'company_deleted'";
    accounts.execute(noted).await.unwrap();
    let (_, output) = run(&world, &waiting).await.unwrap();
    assert!(!output.contains("Waiting"), "{output}");
}

#[tokio::test]
async fn delete_checks_name_and_payments_first() {
    let world = World::new().await;
    let before = world.counts().await;
    for away in [Service::Accounts, Service::Billing] {
        let mut out = Vec::new();
        let stopped = delete(&world.owners_without(away), &deletion(&world), &mut out).await;
        assert!(stopped.is_err());
        assert_eq!(world.counts().await, before);
    }
}

#[tokio::test]
async fn delete_refuses_wrong_name() {
    let world = World::new().await;
    let before = world.counts().await;
    for (company, confirm, expected) in [
        (world.companies[0], NAMES[1], "nothing was deleted"),
        (world.companies[0], "=ACME, \"Ltd\"", "nothing was deleted"),
        (Uuid::now_v7(), NAMES[0], "no data of company"),
        (Uuid::nil(), NAMES[0], "no data of company"),
    ] {
        let wrong = Deletion {
            company,
            confirm: confirm.to_owned(),
            ..deletion(&world)
        };
        let refused = run(&world, &wrong).await.unwrap_err().to_string();
        assert!(refused.contains(expected), "{refused}");
    }
    assert_eq!(world.counts().await, before);
}

#[tokio::test]
async fn delete_refuses_paying_company() {
    const RUNNING: &str = "sub_1 is running at stripe";
    const BEGIN: &str = "a checkout is open at stripe";
    let subscribed = "provider_subscription_id = 'sub_1'";
    for (status, more, refusal) in [
        ("active", subscribed, RUNNING),
        ("paused", subscribed, RUNNING),
        // The provider keeps retrying the card.
        (
            "expired",
            "provider_subscription_id = 'sub_1', payment_failed = true",
            RUNNING,
        ),
        (
            "trial",
            "checkout_expires_at = now() + interval '1 minute'",
            BEGIN,
        ),
        (
            "trial",
            "checkout_expires_at = now() - interval '1 second'",
            "",
        ),
        ("active", "provider_subscription_id = NULL", ""),
        ("canceled", subscribed, ""),
        ("expired", subscribed, ""),
        ("trial", "provider_subscription_id = NULL", ""),
    ] {
        let world = World::new().await;
        let sql =
            format!("UPDATE subscriptions SET status = '{status}', pause_end = now(), {more}");
        let mut admin = world.admin(Service::Billing).await;
        admin.execute(sqlx::AssertSqlSafe(sql)).await.unwrap();
        let result = run(&world, &deletion(&world)).await;
        if refusal.is_empty() {
            result.unwrap();
        } else {
            let refused = result.unwrap_err().to_string();
            assert!(refused.contains(refusal), "{status}, {more}: {refused}");
            assert!(remaining(&world).await.0);
            let all_the_same = Deletion {
                even_if_paying: true,
                ..deletion(&world)
            };
            run(&world, &all_the_same).await.unwrap();
        }
        assert!(!remaining(&world).await.0, "{status}, {more}");
    }
}

#[tokio::test]
async fn delete_due_removes_companies_that_are_due_and_do_not_pay() {
    let world = World::new().await;
    let [company, other] = world.companies;
    let due_in = async |company: Uuid, days: i32| {
        sqlx::query(
            "UPDATE companies SET deletion_due_at = now() + make_interval(days => $2)
             WHERE company_id = $1",
        )
        .bind(company)
        .bind(days)
        .execute(&mut world.admin(Service::Accounts).await)
        .await
        .unwrap();
    };
    let delete_due = async || {
        let mut out = Vec::new();
        let refused = delete_due(&world.owners(), None, &mut out).await.unwrap();
        (refused, String::from_utf8(out).unwrap())
    };
    let before = world.counts().await;
    due_in(company, 1).await;
    assert_eq!(delete_due().await, (0, String::new()));
    assert_eq!(world.counts().await, before);

    due_in(company, 0).await;
    let is_paying = "UPDATE subscriptions SET status = 'active', provider_subscription_id = 'sub_1'
        WHERE company_id = $1";
    let mut billing = world.admin(Service::Billing).await;
    let set = sqlx::query(is_paying).bind(company);
    set.execute(&mut billing).await.unwrap();
    let (refused, output) = delete_due().await;
    assert_eq!(refused, 1);
    assert!(output.contains("cancel it first"), "{output}");
    assert_eq!(world.counts().await, before);

    let canceled = "UPDATE subscriptions SET status = 'canceled' WHERE company_id = $1";
    let set = sqlx::query(canceled).bind(company);
    set.execute(&mut billing).await.unwrap();
    let (refused, output) = delete_due().await;
    assert_eq!(refused, 0);
    assert!(output.contains("rows deleted"), "{output}");
    let after = world.counts().await;
    let left = |company| after.keys().any(|(_, _, of)| *of == Some(company));
    assert!(!left(company) && left(other));
}

#[tokio::test]
async fn delete_refuses_a_deletion_that_was_canceled() {
    let world = World::new().await;
    let canceled = Deletion {
        only_due: true,
        ..deletion(&world)
    };
    let before = world.counts().await;
    let refused = run(&world, &canceled).await.unwrap_err();
    assert!(refused.to_string().contains("canceled"), "{refused}");
    assert_eq!(world.counts().await, before);
}
