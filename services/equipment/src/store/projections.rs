//! Reads projections with the entries they derive from, and stores them.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::quantity::Quantity;
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use super::columns::{OfMachine, column, triple_columns};
use super::projection_rows::{MachineLedger, PlanRow};
use crate::domain::fold::{Folded, Marks};
use crate::domain::ledger::{Fact, MeterMove, Placed};

/// Most machines whose ledgers are in memory at once.
pub const BATCH: usize = 50;

/// Ids of companies with equipment, after a given one.
pub async fn companies(
    connection: &mut PgConnection,
    after: Uuid,
    limit: i64,
) -> Result<Vec<Uuid>, ServiceError> {
    Ok(
        sqlx::query_scalar("SELECT company_id FROM companies_with_equipment($1, $2)")
            .bind(after)
            .bind(limit)
            .fetch_all(connection)
            .await?,
    )
}

/// Ids of active and retired equipment, after a given one.
pub async fn ids(tx: &mut TenantTx, after: Uuid, limit: i64) -> Result<Vec<Uuid>, ServiceError> {
    Ok(tx
        .query_scalar(
            "SELECT id
            FROM equipment
            WHERE company_id = $1
              AND id > $2
            ORDER BY id
            LIMIT $3",
        )
        .bind(after)
        .bind(limit)
        .fetch_all(&mut **tx)
        .await?)
}

/// Locks equipment, active or retired, until commit, in the order of ids to avoid deadlocks. False: none
/// was found.
pub async fn lock(tx: &mut TenantTx, ids: &[Uuid]) -> Result<bool, ServiceError> {
    let locked = tx
        .query(
            "SELECT 1
            FROM equipment
            WHERE company_id = $1
              AND id = ANY($2)
            ORDER BY id
            FOR NO KEY UPDATE",
        )
        .bind(ids)
        .execute(&mut **tx)
        .await?;
    Ok(locked.rows_affected() > 0)
}

/// Sorted by id. Consistent only under the row locks.
pub async fn load(tx: &mut TenantTx, ids: &[Uuid]) -> Result<Vec<MachineLedger>, ServiceError> {
    let machines: Vec<MachineLedger> = tx
        .query_as(
            "SELECT
                id,
                name,
                unit,
                initial_usage,
                initial_offset,
                initial_read,
                added_at,
                last_fact_at,
                fuel_period,
                current_usage,
                meter_offset,
                use_low,
                use_usual,
                use_high,
                use_days,
                use_sums,
                use_zone,
                (SELECT time_zone FROM company_state WHERE company_id = $1) AS company_zone,
                usual_fill,
                meter_read_at,
                total_gas,
                total_diesel,
                approaching_usage,
                due_usage,
                overdue_usage,
                next_date,
                special_points
            FROM equipment
            WHERE company_id = $1
              AND id = ANY($2)
            ORDER BY id",
        )
        .bind(ids)
        .fetch_all(&mut **tx)
        .await?;
    let mut machines: BTreeMap<Uuid, MachineLedger> = machines
        .into_iter()
        .map(|machine| (machine.id, machine))
        .collect();
    for OfMachine { equipment_id, item } in plans(tx, ids).await? {
        if let Some(machine) = machines.get_mut(&equipment_id) {
            machine.stored.tasks.insert(item.plan.id, item.marks);
            machine.task_names.insert(item.plan.id, item.name);
            machine.initial.tasks.push(item.plan);
        }
    }
    for OfMachine { equipment_id, item } in facts(tx, ids).await? {
        if let Some(machine) = machines.get_mut(&equipment_id) {
            machine.facts.push(item);
        }
    }
    Ok(machines.into_values().collect())
}

async fn plans(tx: &mut TenantTx, ids: &[Uuid]) -> Result<Vec<OfMachine<PlanRow>>, ServiceError> {
    Ok(tx
        .query_as(
            "SELECT
                equipment_id,
                id,
                name,
                created_at,
                usage_interval,
                calendar_interval,
                calendar_unit,
                initial_last_usage,
                initial_start_date,
                last_usage,
                start_date,
                next_date,
                basis,
                first_usage,
                first_date,
                warning_percent,
                warning_usage,
                warning_days,
                snoozed_until_date,
                snoozed_until_usage
            FROM service_tasks
            WHERE company_id = $1
              AND equipment_id = ANY($2)
            ORDER BY equipment_id, position",
        )
        .bind(ids)
        .fetch_all(&mut **tx)
        .await?)
}

/// Entries that count and state something.
async fn facts(tx: &mut TenantTx, ids: &[Uuid]) -> Result<Vec<OfMachine<Fact>>, ServiceError> {
    Ok(tx
        .query_as(
            "SELECT
                l.equipment_id,
                l.id,
                coalesce(l.fact_at, l.captured_at) AS captured_at,
                l.fact_at IS NOT NULL AS reordered,
                l.sequence,
                l.recorded_at,
                l.usage_before,
                l.usage_after,
                l.meter_effect,
                l.increase,
                l.reading,
                l.final_given,
                l.new_unit,
                l.unit,
                l.meter_change,
                l.meter_final,
                l.meter_start,
                l.fuel,
                l.fuel_kind,
                l.fuel_period,
                l.full_fill,
                l.task_id,
                l.mark,
                l.mark_usage,
                l.mark_date,
                CASE WHEN l.kind = 'service' THEN l.performed_on END AS service_day
            FROM ledger l
            WHERE l.company_id = $1
              AND l.equipment_id = ANY($2)
              AND (
                  l.meter_effect IS NOT NULL
                  OR l.fuel > 0
                  OR l.mark IS NOT NULL
                  OR l.kind = 'service'
              )
              AND NOT EXISTS (
                  SELECT 1
                  FROM ledger_voids v
                  WHERE v.company_id = $1
                    AND v.equipment_id = ANY($2)
                    AND v.entry_id = l.id
              )",
        )
        .bind(ids)
        .fetch_all(&mut **tx)
        .await?)
}

/// Loads one machine, active or retired.
pub async fn load_one(tx: &mut TenantTx, id: Uuid) -> Result<MachineLedger, ServiceError> {
    let found = load(tx, &[id]).await?;
    found.into_iter().next().ok_or_else(ServiceError::not_found)
}

/// Stores projections under the row lock of their equipment, and raises its version.
pub async fn store(
    tx: &mut TenantTx,
    ledger: &MachineLedger,
    folded: &Folded,
    updated_at: Option<DateTime<Utc>>,
) -> Result<(), ServiceError> {
    let (id, projection) = (ledger.id, &folded.projection);
    let used = &projection.daily_use;
    let [approaching, due, overdue] = triple_columns(projection.due.usage);
    let special = Some(&projection.due.special).filter(|points| !points.is_empty());
    let [low, usual, high] = triple_columns(used.rates);
    tx.query(
        "UPDATE equipment
        SET current_usage = $3,
            meter_read_at = $4,
            total_gas = $5,
            total_diesel = $6,
            approaching_usage = $7,
            due_usage = $8,
            overdue_usage = $9,
            next_date = $10,
            meter_offset = $12,
            usual_fill = $13,
            last_fact_at = $14,
            use_low = $15,
            use_usual = $20,
            usual_daily_use = $20,
            use_high = $21,
            use_days = $16,
            use_sums = $17,
            use_zone = $18,
            special_points = $19,
            has_special_points = $19 IS NOT NULL,
            updated_at = coalesce($11, updated_at),
            version = version + 1
        WHERE company_id = $1
          AND id = $2",
    )
    .bind(id)
    .bind(projection.meter.usage)
    .bind(projection.read_at)
    .bind(projection.gas)
    .bind(projection.diesel)
    .bind(approaching)
    .bind(due)
    .bind(overdue)
    .bind(projection.due.next_date)
    .bind(updated_at)
    .bind(projection.meter.offset)
    .bind(projection.usual_fill)
    .bind(projection.last_fact_at)
    .bind(low)
    .bind(&used.days)
    .bind(&used.sums)
    .bind(used.zone.map(Tz::name))
    .bind(special.map(Json))
    .bind(usual)
    .bind(high)
    .execute(&mut **tx)
    .await?;
    store_marks(tx, id, &projection.tasks).await?;
    store_placed(tx, &ledger.facts, folded).await
}

/// Stores usage before and after of the entries where it has changed.
async fn store_placed(
    tx: &mut TenantTx,
    facts: &[Fact],
    folded: &Folded,
) -> Result<(), ServiceError> {
    let moved: Vec<(&Fact, Option<&Placed>)> = folded
        .moved(facts)
        .map(|fact| (fact, folded.placed.get(&fact.id)))
        .collect();
    if moved.is_empty() {
        return Ok(());
    }
    let usage = |of: fn(MeterMove) -> Quantity| {
        column(&moved, |(_, placed)| placed.map(|placed| of(placed.moved)))
    };
    let last = |fact: &Fact, placed: Option<&Placed>| {
        let new = fact.meter?.new_meter()?;
        Some(new.replacement(placed?.shown).last)
    };
    let statement = tx
        .query(
            "UPDATE ledger l
            SET usage_before = row.usage_before,
                usage_after = row.usage_after,
                increase = row.increase,
                meter_final = row.meter_final
            FROM unnest($2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
                AS row (id, usage_before, usage_after, increase, meter_final)
            WHERE l.company_id = $1
              AND l.id = row.id",
        )
        .bind(column(&moved, |(fact, _)| fact.id))
        .bind(usage(|moved| moved.before))
        .bind(usage(|moved| moved.after))
        .bind(column(&moved, |(fact, _)| fact.meter?.increase()))
        .bind(column(&moved, |(fact, placed)| last(fact, *placed)));
    tx.run(statement).await
}

/// Stores all marks in one statement that changes only rows that differ.
async fn store_marks(
    tx: &mut TenantTx,
    equipment: Uuid,
    tasks: &BTreeMap<Uuid, Marks>,
) -> Result<(), ServiceError> {
    let marks: Vec<&Marks> = tasks.values().collect();
    let statement = tx
        .query(
            "UPDATE service_tasks t
            SET last_usage = row.last_usage,
                start_date = row.start_date,
                next_date = row.next_date
            FROM unnest($3::uuid[], $4::bigint[], $5::date[], $6::date[])
                AS row (id, last_usage, start_date, next_date)
            WHERE t.company_id = $1
              AND t.equipment_id = $2
              AND t.id = row.id
              AND (t.last_usage, t.start_date, t.next_date)
                  IS DISTINCT FROM (row.last_usage, row.start_date, row.next_date)",
        )
        .bind(equipment)
        .bind(tasks.keys().collect::<Vec<_>>())
        .bind(column(&marks, |mark| mark.last_usage))
        .bind(column(&marks, |mark| mark.start))
        .bind(column(&marks, |mark| mark.next));
    tx.run(statement).await
}
