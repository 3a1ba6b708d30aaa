//! Rows from before service tasks, voids and fuel periods, after the migrations that added them.

use hourmeter_equipment::MIGRATIONS;
use hourmeter_equipment::maintenance::Mode;
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::db::{connect_admin, migrate};
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::testing;
use sqlx::migrate::Migrator;
use sqlx::{AssertSqlSafe, Executor as _};

use crate::fuel::{days, gas};
use crate::meters::replaced;
use crate::support::{World, increase, with_usage};

/// The last migration before.
const BEFORE: i64 = 20_261_121_000_001;

/// A company's rows from before: each status, every kind of entry, meters without readings, retired
/// machines, and a restored one.
const ROWS: &str = "
    INSERT INTO equipment (
        company_id, id, name, serial_number, kind, unit, initial_usage, current_usage,
        meter_read_at, alert_threshold, fuel, total_gas, total_diesel, description, added_at,
        updated_at, version, retired_at, archive_id, retired_by, retirement_notes
    )
    SELECT
        '{company}', ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid,
        'Machine ' || n, NULL, 'machinery', 'hours', first, now, read_at, 20, 'diesel', gas,
        diesel, '', '2026-01-01', '2026-03-01', 5, gone,
        CASE WHEN gone IS NOT NULL THEN gen_random_uuid() END,
        CASE WHEN gone IS NOT NULL THEN 'Olivia' END,
        CASE WHEN gone IS NOT NULL THEN 'Sold' END
    FROM (VALUES
        (1, 10000, 13000, '2026-02-03T10:00Z'::timestamptz, 500, 250, NULL::timestamptz),
        (2, 0, 0, '2026-01-01', 0, 0, NULL),
        (3, 0, 0, NULL, 0, 0, NULL),
        (4, 20000, 20000, '2026-01-01', 0, 0, NULL),
        (5, 10000, 12000, '2026-01-02', 0, 100, '2026-03-01'),
        (6, 10000, 12750, '2026-01-02', 0, 0, NULL)
    ) rows (n, first, now, read_at, gas, diesel, gone);

    INSERT INTO service_tasks (
        company_id, id, equipment_id, position, usage_interval, last_usage, start_date,
        calendar_interval, calendar_unit, next_date
    )
    SELECT
        '{company}', gen_random_uuid(),
        ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 0, every, last, start,
        CASE WHEN start IS NOT NULL THEN 1 END,
        CASE WHEN start IS NOT NULL THEN 'months' END,
        (start + interval '1 month')::date
    FROM (VALUES
        (1, 2500, 11500, '2026-02-20'::date),
        (2, 0, 0, NULL),
        (3, 5000, NULL, '2026-01-15'),
        (4, 10000, 10000, NULL),
        (5, 1000, 11000, NULL),
        (6, 2500, 10000, NULL)
    ) rows (n, every, last, start);

    INSERT INTO ledger (
        company_id, id, equipment_id, equipment_name, unit, kind, note_type, actor_id, actor_name,
        source, captured_at, recorded_at, usage_before, usage_after, reading, fuel, fuel_kind,
        performed_on, content
    )
    SELECT
        '{company}', gen_random_uuid(),
        ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'Machine ' || n, 'hours',
        kind,
        CASE kind WHEN 'usage' THEN 'usage_update' WHEN 'service' THEN 'maintenance' ELSE 'note' END,
        gen_random_uuid(), 'Olivia', source, captured_at, coalesce(recorded_at, captured_at),
        before, after, reading, fuel, CASE WHEN fuel > 0 THEN fuel_kind END, performed_on, kind
    FROM (VALUES
        (1, 'usage', 'manager', '2026-01-10T10:00Z'::timestamptz, NULL::timestamptz,
            10000, 11000, 11000, 300, 'gas', NULL::date),
        (1, 'usage', 'operator', '2026-01-11T10:00Z', '2026-01-12T10:00Z',
            11000, 11500, 11500, 250, 'diesel', NULL),
        (1, 'service', 'manager', '2026-01-20T10:00Z', NULL,
            11500, 11500, NULL, 0, NULL, '2026-01-20'),
        (1, 'note', 'manager', '2026-01-21T10:00Z', NULL, NULL, NULL, NULL, 0, NULL, NULL),
        (1, 'usage', 'operator', '2026-01-05T10:00Z', '2026-01-22T10:00Z',
            NULL, NULL, 10900, 200, 'gas', NULL),
        (1, 'edit', 'manager', '2026-02-02T10:00Z', NULL,
            11500, 12000, 12000, 0, NULL, NULL),
        (1, 'usage', 'manager', '2026-02-03T10:00Z', NULL, 12000, 13000, 13000, 0, NULL, NULL),
        (5, 'usage', 'manager', '2026-01-02', NULL, 10000, 12000, 12000, 100, 'diesel', NULL),
        (5, 'retirement', 'manager', '2026-03-01', NULL, 12000, 12000, NULL, 0, NULL, NULL),
        (6, 'usage', 'manager', '2026-01-02', NULL, 10000, 12750, 12750, 0, NULL, NULL),
        (6, 'retirement', 'manager', '2026-02-01', NULL, 12750, 12750, NULL, 0, NULL, NULL),
        (6, 'restoration', 'manager', '2026-02-02', NULL, 12750, 12750, NULL, 0, NULL, NULL)
    ) rows (n, kind, source, captured_at, recorded_at, before, after, reading, fuel, fuel_kind,
        performed_on)";

fn machine(number: u32) -> String {
    format!("00000000-0000-4000-8000-{number:012}")
}

/// A migrated service with those rows.
async fn upgraded() -> World {
    let before = MIGRATIONS.iter().filter(|step| step.version <= BEFORE);
    let before = Migrator::with_migrations(before.cloned().collect());
    let database = testing::database(Service::Equipment, &before).await;
    let owner = testing::owner();
    let rows = ROWS.replace("{company}", &owner.company_id.to_string());
    let mut admin = connect_admin(&database.admin_url).await.unwrap();
    admin.execute(AssertSqlSafe(rows)).await.unwrap();
    let url = &database.owner_url;
    migrate(Service::Equipment, url, &MIGRATIONS).await.unwrap();
    let world = World::on(database, owner);
    // As after each rollout.
    world.rebuild(Mode::Repair).await;
    world
}

#[tokio::test]
async fn upgrade_projections_match_the_ledger() {
    let world = upgraded().await;
    world.check_projections().await;
    // 10, 5, 5 and 10 on four days.
    let found = world.get(&machine(1)).await.unwrap();
    let typical = (found.usual_daily_use, found.usual_fill);
    assert_eq!(typical, (Some(7.5), Some(2.5)));
    assert_eq!(found.meter_reading.to_string(), "130");
    let other = world.get(&machine(6)).await.unwrap();
    assert_eq!((other.usual_daily_use, other.usual_fill), (None, None));
}

#[tokio::test]
async fn upgrade_keeps_lists_and_figures() {
    let world = upgraded().await;
    // The day is 10 March 2026.
    for (number, status) in [
        (1, v1::ServiceStatus::Good),
        (2, v1::ServiceStatus::Good),
        (3, v1::ServiceStatus::Overdue),
        (4, v1::ServiceStatus::TimeForService),
        (6, v1::ServiceStatus::Overdue),
    ] {
        let found = world.get(&machine(number)).await.unwrap();
        assert_eq!(found.service_status(), status, "{number}");
        let request = v1::ListEquipmentRequest {
            status: status.into(),
            search: found.name.to_uppercase(),
            ..Default::default()
        };
        let (names, _) = world.list(request).await.unwrap();
        assert_eq!(names, [found.name], "{number}");
    }
    let found = world.fuel(days("", "")).await.unwrap();
    let totals = [found.total, found.gas, found.diesel];
    assert_eq!(totals.map(|total| total.to_string()), ["8.5", "5", "3.5"]);
    let history = world.history(&machine(1)).await.unwrap();
    // A late report, a correction and an increase, newest first.
    let readings: Vec<_> = history.iter().map(|entry| entry.reading).collect();
    let edit = Some(120.0);
    let (late, report) = (Some(109.0), Some(115.0));
    assert_eq!(readings, [None, edit, late, None, None, report, None]);
}

#[tokio::test]
async fn upgrade_entries_can_be_voided() {
    let world = upgraded().await;
    let id = machine(1);
    let before = world.get(&id).await.unwrap();
    let of_kind = async |kind: v1::HistoryKind, nth: usize| {
        let history = world.history(&id).await.unwrap();
        let mut found = history.into_iter().filter(|entry| entry.kind() == kind);
        found.nth(nth).unwrap().id
    };
    // Marks of old services are not recorded by entry, so they stay.
    let service = of_kind(v1::HistoryKind::Service, 0).await;
    let found = world.void(&id, &service).await.unwrap().equipment.unwrap();
    assert_eq!(found.last_service_usage, before.last_service_usage);
    assert_eq!(found.maintenance_start_date, before.maintenance_start_date);
    // Voiding an increase subtracts it.
    let last = of_kind(v1::HistoryKind::Usage, 0).await;
    let found = world.void(&id, &last).await.unwrap().equipment.unwrap();
    assert_eq!(found.current_usage.to_string(), "120");
    // The later correction stays; the fuel is removed.
    let first = of_kind(v1::HistoryKind::Usage, 3).await;
    let found = world.void(&id, &first).await.unwrap().equipment.unwrap();
    assert_eq!(found.current_usage.to_string(), "120");
    assert_eq!(found.total_gas_used.to_string(), "2");
    world.check_projections().await;
}

#[tokio::test]
async fn upgrade_equipment_can_be_used() {
    let world = upgraded().await;
    for number in [1, 2, 3, 4, 6] {
        let id = machine(number);
        let usage = v1::RecordUsageRequest {
            usage_increase: Some(1.5),
            ..gas(&id, 2.0)
        };
        world.record(usage).await.unwrap();
        if number != 2 {
            let done = v1::MarkServicedRequest {
                id: id.clone(),
                ..Default::default()
            };
            world.serviced(done).await.unwrap();
        }
    }
    world.reset_fuel().await.unwrap();
    let row = world.retired(&machine(5)).await.unwrap();
    assert_eq!(row.total_diesel_used.to_string(), "1");
    let back = world.restore(&row.id).await.unwrap();
    assert_eq!(back.total_fuel_used.to_string(), "0");
    world.record(increase(&back.id, 1.0)).await.unwrap();
    world.check_projections().await;
}

#[tokio::test]
async fn upgrade_accepts_entries_of_old_processes() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    // As written before meter replacements existed.
    let entry = format!(
        "INSERT INTO ledger (
            company_id, id, equipment_id, equipment_name, unit, kind, note_type, actor_id,
            actor_name, source, captured_at, recorded_at, usage_before, usage_after, reading, fuel,
            fuel_kind, content, sequence, meter_effect, fuel_period
        )
        SELECT company_id, gen_random_uuid(), id, name, unit, 'usage', 'usage_update',
            gen_random_uuid(), 'Olivia', 'manager', meter_read_at, meter_read_at, 10000, 10500, NULL,
            300, 'gas', '', 2, 'increase', fuel_period
        FROM equipment
        WHERE id = '{0}';
        UPDATE equipment
        SET current_usage = current_usage + 500, total_gas = total_gas + 300, version = version + 1
        WHERE id = '{0}'",
        made.id
    );
    world.tamper(&entry).await;
    let found = world.get(&made.id).await.unwrap();
    assert_eq!((found.current_usage, found.meter_reading), (105.0, 105.0));
    let record = &world.history(&made.id).await.unwrap()[0];
    assert_eq!(
        (record.usage, &record.meter_replacement),
        (Some(105.0), &None)
    );
    world.replace(replaced(&made.id)).await.unwrap();
    world.check_projections().await;
}
