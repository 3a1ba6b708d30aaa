//! A large company among companies of one machine, while the planner's statistics are older than the
//! large company: a plan that reads all rows of the company for each row exceeds the time limit of
//! statements.

use hourmeter_proto::equipment::v1;
use hourmeter_runtime::db::connect_admin;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::testing::as_person;
use sqlx::{AssertSqlSafe, Executor as _};
use uuid::Uuid;

use crate::support::{World, fold, page};

/// Inserts machines with a service task and a fuel entry each; every third is retired and the entry
/// of every third is void. `company` is an SQL expression of a company id.
fn machines(company: &str, machines: usize) -> String {
    format!(
        "WITH machine AS (
            INSERT INTO equipment (
                company_id, id, name, kind, unit, initial_usage, current_usage, alert_threshold,
                fuel, description, added_at, updated_at, retired_at, archive_id, retired_by,
                retirement_notes
            )
            SELECT {company}, gen_random_uuid(), 'Machine ' || n, 'tools', 'hours', 0, 0, 20,
                'gasoline', '', now(), now(), r.at, CASE WHEN r.at IS NOT NULL THEN gen_random_uuid() END,
                CASE WHEN r.at IS NOT NULL THEN 'Ann' END, CASE WHEN r.at IS NOT NULL THEN '' END
            FROM generate_series(1, {machines}) n,
                LATERAL (SELECT CASE WHEN n % 3 = 2 THEN now() END AS at) r
            RETURNING company_id, id, name
        ), task AS (
            INSERT INTO service_tasks (company_id, id, equipment_id, position, usage_interval)
            SELECT company_id, gen_random_uuid(), id, position, 25000
            FROM machine, generate_series(0, 1) AS position
        ), entry AS (
            INSERT INTO ledger (
                company_id, id, equipment_id, equipment_name, unit, kind, note_type, actor_id,
                actor_name, source, captured_at, recorded_at, fuel, fuel_kind, content
            )
            SELECT company_id, gen_random_uuid(), id, name, 'hours', 'usage', 'note', id, 'Ann',
                'manager', now(), now(), 100, 'gas', ''
            FROM machine
            RETURNING company_id, id, equipment_id, equipment_name
        )
        INSERT INTO ledger_voids (
            company_id, entry_id, equipment_id, reason, actor_id, actor_name, voided_at
        )
        SELECT company_id, id, equipment_id, 'x', id, 'Ann', now()
        FROM entry
        WHERE substr(equipment_name, 9)::integer % 3 = 1;"
    )
}

async fn fill(world: &World) {
    let mut admin = connect_admin(&world.database.admin_url).await.unwrap();
    let tables = ["equipment", "service_tasks", "ledger", "ledger_voids"];
    for table in tables {
        let manual = format!("ALTER TABLE {table} SET (autovacuum_enabled = off)");
        admin.execute(AssertSqlSafe(manual)).await.unwrap();
    }
    let small = machines("gen_random_uuid()", 300);
    admin.execute(AssertSqlSafe(small)).await.unwrap();
    // The most common company of the samples limits what the planner expects of any.
    let pair = machines(&format!("'{}'::uuid", Uuid::new_v4()), 2);
    admin.execute(AssertSqlSafe(pair)).await.unwrap();
    let analyze = format!("ANALYZE {}", tables.join(", "));
    admin.execute(AssertSqlSafe(analyze)).await.unwrap();
    let large = machines(&format!("'{}'::uuid", world.owner.company_id), 3000);
    admin.execute(AssertSqlSafe(large)).await.unwrap();
}

#[tokio::test]
async fn large_company_is_read_in_time_with_old_statistics() {
    let world = World::with_own_database().await;
    fill(&world).await;
    for (order, status) in [
        (0, 0),
        (1, 0),
        (2, 0),
        (3, 0),
        (4, 0),
        (5, 0),
        (0, 1),
        (5, 1),
    ] {
        let message = v1::ListEquipmentRequest {
            order,
            status,
            page: Some(page(500, "")),
            ..Default::default()
        };
        let request = as_person(Service::Equipment, &world.owner, message);
        let listed = fold(world.client().list_equipment(request).await).unwrap();
        let found = (listed.equipment.len(), listed.matching);
        assert_eq!(found, (500, Some(2000)), "order {order}, status {status}");
    }
    let request = as_person(Service::Equipment, &world.owner, v1::GetSummaryRequest {});
    let summary = fold(world.client().get_summary(request).await).unwrap();
    assert_eq!(summary.total, 2000);
    let archive = world.archive(Some(page(500, ""))).await.unwrap();
    assert_eq!(archive.retired.len(), 500);
    let history = world.history_page(v1::ListHistoryRequest {
        page: Some(page(500, "")),
        ..Default::default()
    });
    assert_eq!(history.await.unwrap().records.len(), 500);
    let fuel = world.fuel(v1::GetFuelSummaryRequest::default()).await;
    // One gallon of each machine whose entry is not void.
    assert_eq!(fuel.unwrap().gas.to_string(), "2000");
    // These rows are not in the projections.
    world.allow_wrong_projections();
}
