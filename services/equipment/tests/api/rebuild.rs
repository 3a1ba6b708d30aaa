//! `check-projections` and `rebuild-projections`.

use futures::StreamExt as _;
use hourmeter_equipment::maintenance::{Mode, Task, TaskError};
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::Kind;
use hourmeter_runtime::identity::{Entitlements, Identity};
use uuid::Uuid;

use crate::support::{CONNECTIONS, World, increase, new_meter, void, with_usage};

pub fn maintained(name: &str) -> v1::EquipmentInput {
    v1::EquipmentInput {
        service_interval: Some(250.0),
        has_scheduled_maintenance: Some(true),
        maintenance_start_date: Some("2026-01-01".to_owned()),
        maintenance_interval: Some(1),
        ..with_usage(name, 100.0)
    }
}

/// Equipment with an entry of each kind.
async fn busy(world: &World) -> String {
    let made = world.create(maintained("Loader")).await.unwrap();
    let usage = v1::RecordUsageRequest {
        fuel_added: Some(12.5),
        ..increase(&made.id, 10.0)
    };
    world.record(usage).await.unwrap();
    let service = v1::MarkServicedRequest {
        id: made.id.clone(),
        ..Default::default()
    };
    world.serviced(service).await.unwrap();
    made.id
}

#[tokio::test]
async fn rebuild_finds_and_repairs_every_wrong_projection() {
    let world = World::with_own_database().await;
    let id = busy(&world).await;
    let retired = busy(&world).await;
    world.retire(&retired, "").await.unwrap();
    let right = world.get(&id).await.unwrap();
    for (invalid_fields, what) in [
        ("equipment SET current_usage = 5", "meter"),
        ("equipment SET meter_read_at = NULL", "last reading"),
        ("equipment SET total_gas = 7", "gasoline"),
        ("equipment SET total_diesel = 7", "diesel"),
        (
            "equipment SET approaching_usage = 7",
            "usage when service approaches",
        ),
        ("equipment SET due_usage = 7", "usage when service is due"),
        (
            "equipment SET overdue_usage = 7",
            "usage when service is overdue",
        ),
        (
            "equipment SET next_date = '2026-05-05'",
            "next service date",
        ),
        (
            "equipment SET use_low = 7, use_usual = 7, use_high = 7",
            "typical daily usage",
        ),
        ("equipment SET use_days = '{2026-03-09}'", "days of use"),
        ("equipment SET use_sums = '{7}'", "usage of these days"),
        ("service_tasks SET last_usage = 7", "last usage of task "),
        (
            "service_tasks SET start_date = '2026-01-02'",
            "start of task ",
        ),
        (
            "service_tasks SET next_date = '2026-05-05'",
            "next date of task ",
        ),
    ] {
        world.tamper(&format!("UPDATE {invalid_fields}")).await;
        let found = world.rebuild(Mode::Check).await;
        assert_eq!(found.len(), 2, "{invalid_fields}: {found:?}");
        assert!(
            found.iter().all(|row| row.what.starts_with(what)),
            "{found:?}"
        );
        assert!(
            found
                .iter()
                .any(|row| row.equipment_id.to_string() == retired)
        );
        assert_eq!(
            world.rebuild(Mode::Check).await,
            found,
            "a check changes nothing"
        );
        assert_eq!(world.rebuild(Mode::Repair).await, found);
        world.check_projections().await;
    }
    let after = world.get(&id).await.unwrap();
    let version = after.version;
    assert!(
        version > right.version,
        "forms that show wrong figures are stale"
    );
    assert_eq!(after, v1::Equipment { version, ..right });
}

#[tokio::test]
async fn check_during_entries_and_voids_finds_no_difference() {
    let world = World::new().await;
    let made = world.create(maintained("Loader")).await.unwrap();
    world.warm_up().await;
    // Retries while the service is busy, as the gateway does.
    let with_retries = async |number: usize| {
        loop {
            let usage = v1::RecordUsageRequest {
                fuel_added: Some(0.5),
                ..increase(&made.id, 1.0)
            };
            let answer = match number % 4 {
                0 => {
                    let entry = world.newest(&made.id).await;
                    let voiding = void(&made.id, &entry);
                    world.void_as(&world.owner, voiding).await.map(drop)
                }
                _ => world.record(usage).await.map(drop),
            };
            match answer {
                Err(failure) if failure.kind == Kind::Unavailable => {}
                // Another request may have voided the same entry.
                Err(failure) if failure.reason == "ALREADY_VOIDED" => return,
                other => return other.unwrap(),
            }
        }
    };
    world.record(increase(&made.id, 1.0)).await.unwrap();
    let entries = futures::stream::iter((0..60).map(with_retries));
    let entries = entries
        .buffer_unordered(CONNECTIONS - 2)
        .collect::<Vec<()>>();
    let checks = async {
        for _ in 0..20 {
            assert_eq!(world.rebuild(Mode::Check).await, []);
        }
    };
    futures::join!(entries, checks);
}

#[tokio::test]
async fn difference_display_is_one_line() {
    let world = World::with_own_database().await;
    let id = busy(&world).await;
    world
        .tamper("UPDATE equipment SET current_usage = 500, meter_read_at = NULL")
        .await;
    let found = world.rebuild(Mode::Repair).await;
    let lines: Vec<_> = found.iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [
            format!("equipment {id} \"Loader\": meter is 5, the ledger gives 110"),
            format!(
                "equipment {id} \"Loader\": last reading is none, \
                 the ledger gives 2026-03-10T12:00:00+00:00"
            ),
        ]
    );
}

/// Output and result of a command.
async fn run(world: &World, name: &str, arguments: &[&str]) -> (String, Result<(), TaskError>) {
    let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
    let task = Task::read(name, &arguments).unwrap();
    let mut report = Vec::new();
    let result = task.run(&world.database.database, &mut report).await;
    (String::from_utf8(report).unwrap(), result)
}

#[tokio::test]
async fn commands_cover_all_companies() {
    let world = World::with_own_database().await;
    let (report, result) = run(&world, "check-projections", &[]).await;
    assert_eq!(report, "Companies: 0. Differences: 0.\n");
    result.unwrap();
    busy(&world).await;
    // More equipment than one batch.
    for number in 0..45 {
        let who = Identity {
            company_id: Uuid::now_v7(),
            ..world.owner.clone()
        };
        let who = if number < 30 { &world.owner } else { &who };
        let many = Identity {
            entitlements: Entitlements {
                equipment_limit: -1,
                ..who.entitlements.clone()
            },
            ..who.clone()
        };
        world.create_as(&many, with_usage("A", 1.0)).await.unwrap();
    }
    let (report, result) = run(&world, "check-projections", &[]).await;
    assert_eq!(report, "Companies: 16. Differences: 0.\n");
    result.unwrap();

    world
        .tamper("UPDATE equipment SET total_gas = 1 WHERE name = 'A'")
        .await;
    let own = world.owner.company_id.to_string();
    let (report, result) = run(&world, "check-projections", &["--company", &own]).await;
    assert!(
        report.ends_with("\nCompanies: 1. Differences: 30.\n"),
        "{report}"
    );
    assert!(report.starts_with(&format!("company {own}, equipment ")));
    let error = result.unwrap_err();
    assert_eq!(error.to_string(), "projections differ from the ledger: 30");
    let (report, result) = run(&world, "rebuild-projections", &[]).await;
    assert!(
        report.ends_with("\nCompanies: 16. Differences: 45. Repaired: 45.\n"),
        "{report}"
    );
    result.unwrap();
    run(&world, "check-projections", &[]).await.1.unwrap();
}

#[tokio::test]
async fn rebuild_reports_a_ledger_out_of_range_without_changes() {
    let world = World::with_own_database().await;
    let made = world.create(new_meter("A")).await.unwrap();
    world.record(increase(&made.id, 10.0)).await.unwrap();
    world
        .tamper("UPDATE ledger SET increase = 100000000001")
        .await;
    let (report, result) = run(&world, "rebuild-projections", &[]).await;
    let line = format!(
        "equipment {} \"A\": meter is 10, the ledger gives a value out of range\n\
         Companies: 1. Differences: 1. Repaired: 0.\n",
        made.id
    );
    assert!(report.ends_with(&line), "{report}");
    assert!(matches!(result, Err(TaskError::Differences(1))));
    assert_eq!(
        world.get(&made.id).await.unwrap().current_usage.to_string(),
        "10"
    );
    world.allow_wrong_projections();
}

#[tokio::test]
async fn commands_report_their_usage() {
    let arguments = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
    for texts in [
        &["--company"][..],
        &["--company", "x"],
        &["x"],
        &["--company", "x", "y"],
    ] {
        let error = Task::read("check-projections", &arguments(texts)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "usage: check-projections [--company UUID]"
        );
    }
    assert!(Task::read("other", &[]).is_err());
}
