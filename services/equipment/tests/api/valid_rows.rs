//! The database refuses rows that the service can't write.

use hourmeter_runtime::db::connect_admin;
use sqlx::{AssertSqlSafe, Executor as _};

use crate::support::{World, increase, named};

/// Values that make a valid usage entry invalid.
const LEDGER: &[&str] = &[
    "kind = 'other'",
    "note_type = 'other'",
    "source = 'other'",
    "usage_before = NULL",
    "usage_after = NULL",
    "fuel = -1, fuel_kind = 'gas'",
    "fuel = 1",
    "fuel_kind = 'gas'",
    "fuel = 1, fuel_kind = 'other'",
    "cost = -1",
    "meter_effect = 'other'",
    "usage_before = NULL, usage_after = NULL",
    "meter_effect = 'replacement'",
    "meter_change = 'replaced', meter_final = 1, meter_start = 1",
    "meter_effect = 'replacement', meter_change = 'other', meter_final = 1, meter_start = 1",
    "meter_effect = 'replacement', meter_change = 'replaced', meter_final = -1, meter_start = 1",
    "meter_effect = 'replacement', meter_change = 'replaced', meter_final = 1, meter_start = -1",
    "mark = 'other', task_id = id",
    "mark = 'given'",
    "mark_usage = 1",
    "mark_date = '2026-01-01'",
];

/// Values that make a valid equipment row invalid.
const EQUIPMENT: &[&str] = &[
    "name = ''",
    "kind = 'other kind'",
    "serial_number = ''",
    "unit = 'other'",
    "initial_usage = -1",
    "current_usage = -1",
    "current_usage = 100000000001",
    "usual_daily_use = -1",
    "usual_fill = 0",
    "lifespan = 99",
    "alert_threshold = 11",
    "fuel = 'other'",
    "total_gas = -1",
    "total_diesel = -1",
    "retired_at = now()",
];

/// Values that keep the rows valid.
const VALID: [(&str, &str); 5] = [
    ("ledger", "fuel = 1, fuel_kind = 'diesel', cost = 0"),
    (
        "ledger",
        "meter_effect = 'replacement', meter_change = 'rolled_over', meter_final = 0, meter_start = 0",
    ),
    (
        "ledger",
        "mark = 'given', task_id = id, mark_usage = 1, mark_date = '2026-01-01'",
    ),
    (
        "equipment",
        "serial_number = NULL, lifespan = 100, usual_daily_use = 0, usual_fill = 1",
    ),
    (
        "equipment",
        "retired_at = now(), archive_id = id, retired_by = '', retirement_notes = ''",
    ),
];

#[tokio::test]
async fn check_constraints_refuse_invalid_rows() {
    let world = World::new().await;
    let item = world.create(named("Loader")).await.unwrap();
    world.record(increase(&item.id, 1.0)).await.unwrap();
    let mut admin = connect_admin(&world.database.admin_url).await.unwrap();
    let company = world.owner.company_id;
    let mut change = async |table: &str, values: &str| {
        let statement =
            format!("BEGIN; UPDATE {table} SET {values} WHERE company_id = '{company}'; ROLLBACK");
        let done = admin.execute(AssertSqlSafe(statement)).await;
        if done.is_err() {
            admin.execute("ROLLBACK").await.unwrap();
        }
        done.map(|done| done.rows_affected())
    };
    for (table, invalid) in [("ledger", LEDGER), ("equipment", EQUIPMENT)] {
        for values in invalid {
            let refused = change(table, values).await.unwrap_err();
            let refused = refused.into_database_error().unwrap();
            let expected = format!("{table}_valid");
            assert_eq!(refused.constraint(), Some(&*expected), "{table}: {values}");
        }
    }
    for (table, values) in VALID {
        change(table, values).await.unwrap();
    }
}
