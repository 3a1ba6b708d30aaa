//! The table `decisions`, the outbox: delivering decisions. To avoid deadlocks, callers that change
//! rows of several updates lock the updates first.

use chrono::{DateTime, Utc};
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::quantity::Quantity;
use hourmeter_runtime::telemetry::trace;
use opentelemetry::trace::SpanContext;
use sqlx::postgres::PgRow;
use sqlx::{FromRow, PgConnection, Row as _};
use uuid::Uuid;

use super::column;
use super::columns::{fuel, quantity, unit};
use crate::domain::check::Unit;
use crate::domain::fuel::Fuel;
use crate::domain::retry::NextAttempt;
use crate::domain::review::{ApplyParams, REFUSED};
use crate::domain::update::{Effect, Update};

/// Longer than any call.
const LEASE_SECONDS: i32 = 15;

/// A lease of a decision; `attempts` is its fencing token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx_macros::FromRow)]
pub struct Lease {
    pub update_id: Uuid,
    pub attempts: i32,
}

/// The decisions of one machine, which are delivered in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx_macros::FromRow)]
pub struct Queue {
    pub company_id: Uuid,
    pub equipment_id: Uuid,
}

#[derive(Clone, Debug)]
pub struct Delivery {
    pub lease: Lease,
    pub faults: i32,
    pub equipment_id: Uuid,
    /// Name of the original equipment if a manager moved the update.
    pub reported_equipment_name: String,
    pub operator_id: Uuid,
    pub operator_name: String,
    /// None: applied automatically.
    pub decided_by: Option<(Uuid, String)>,
    pub params: ApplyParams,
    /// The reported reading.
    pub new_usage: Option<Quantity>,
    /// Reported; applied unless `params` has a reading.
    pub usage_increase: Option<Quantity>,
    /// Unit of the reported usage.
    pub unit: Option<Unit>,
    /// How often the entry of the update was voided.
    pub attempt: i32,
    pub fuel: Fuel,
    pub notes: String,
    pub captured_at: DateTime<Utc>,
    /// Trace of the request that decided; invalid if unknown.
    pub decided: SpanContext,
    /// Trace of the request that reported; invalid if unknown.
    pub reported: SpanContext,
}

impl FromRow<'_, PgRow> for Delivery {
    fn from_row(row: &PgRow) -> sqlx::Result<Self> {
        let decided_by_id: Option<Uuid> = row.try_get("decided_by_id")?;
        let decided_by = row.try_get("decided_by")?;
        Ok(Self {
            lease: Lease::from_row(row)?,
            faults: row.try_get("faults")?,
            equipment_id: row.try_get("equipment_id")?,
            reported_equipment_name: row.try_get("reported_equipment_name")?,
            operator_id: row.try_get("operator_id")?,
            operator_name: row.try_get("operator_name")?,
            decided_by: decided_by_id.map(|id| (id, decided_by)),
            params: ApplyParams::from_row(row)?,
            new_usage: quantity(row, "new_usage")?,
            usage_increase: quantity(row, "usage_increase")?,
            unit: unit(row)?,
            attempt: row.try_get("attempt")?,
            fuel: fuel(row)?,
            notes: row.try_get("notes")?,
            captured_at: row.try_get("captured_at")?,
            decided: trace_of(row.try_get("decided")?),
            reported: trace_of(row.try_get("reported")?),
        })
    }
}

/// Leases the decisions that `$queue` selects (`equipment_id`, `captured_at`, `update_id`), in order, and stops
/// for each machine at one that is leased or that `$condition` on the decision `d` leaves out. `$1` is the company, `$2` the seconds of the lease.
macro_rules! lease {
    ($queue:literal, $condition:literal) => {
        concat!(
            "WITH queue AS (",
            $queue,
            "),
            free AS (
                SELECT d.update_id
                FROM queue
                JOIN decisions d ON d.company_id = $1 AND d.update_id = queue.update_id
                WHERE d.parked_at IS NULL
                  AND (d.leased_until IS NULL OR d.leased_until <= now())
                  AND ",
            $condition,
            "
                FOR UPDATE OF d SKIP LOCKED
            ),
            -- Materialized, because a plan without statistics may compute it once for each row of d.
            first_free AS MATERIALIZED (
                SELECT q.update_id
                FROM (
                    SELECT
                        queue.update_id,
                        bool_and(free.update_id IS NOT NULL) OVER (
                            PARTITION BY queue.equipment_id
                            ORDER BY queue.captured_at, queue.update_id
                        ) AS mine
                    FROM queue
                    LEFT JOIN free ON free.update_id = queue.update_id
                ) q
                WHERE q.mine
            )
            UPDATE decisions d
            SET attempts = d.attempts + 1,
                leased_until = now() + make_interval(secs => $2)
            FROM first_free
            WHERE d.company_id = $1 AND d.update_id = first_free.update_id
            RETURNING d.update_id, d.attempts"
        )
    };
}

/// Leases decisions in order, for each machine up to the update in `last`, and stops at one
/// that another deliverer has leased. Ignores the time of the next attempt.
pub async fn lease_until(
    tx: &mut TenantTx,
    last: &[&Update],
    most: i64,
) -> Result<Vec<Lease>, ServiceError> {
    const LEASE: &str = lease!(
        "SELECT equipment_id, captured_at, update_id
        FROM (
            SELECT
                d.equipment_id,
                d.captured_at,
                d.update_id,
                bool_or(coalesce(d.leased_until > now(), false)) OVER (
                    PARTITION BY d.equipment_id
                    ORDER BY d.captured_at, d.update_id
                ) AS held
            FROM unnest($3::uuid[], $4::timestamptz[], $5::uuid[])
                AS last (equipment_id, captured_at, update_id)
            JOIN decisions d
              ON d.company_id = $1
             AND d.equipment_id = last.equipment_id
             AND d.parked_at IS NULL
             AND (d.captured_at, d.update_id) <= (last.captured_at, last.update_id)
        ) waiting
        WHERE NOT held
        ORDER BY equipment_id, captured_at, update_id
        LIMIT $6",
        "true"
    );
    let leases = tx
        .query_as(LEASE)
        .bind(LEASE_SECONDS)
        .bind(column(last, |update| update.equipment_id))
        .bind(column(last, |update| update.captured_at))
        .bind(column(last, |update| update.id))
        .bind(most);
    Ok(leases.fetch_all(&mut **tx).await?)
}

/// Queues whose first decision is due and not leased, in any company, longest due first. Needs a
/// lookup connection.
pub async fn due(connection: &mut PgConnection, most: i32) -> Result<Vec<Queue>, ServiceError> {
    let due = sqlx::query_as("SELECT company_id, equipment_id FROM due_queues($1)").bind(most);
    Ok(due.fetch_all(connection).await?)
}

/// Leases the first decisions of a queue in order, if the first one is due, and stops at one that
/// another deliverer has leased. The batch shrinks with each attempt of the first decision down to
/// one, so that a failing decision does not hold up others in its batch.
pub async fn lease_due(
    tx: &mut TenantTx,
    equipment_id: Uuid,
    most: i32,
) -> Result<Vec<Lease>, ServiceError> {
    const LEASE: &str = lease!(
        "SELECT
            d.equipment_id,
            d.captured_at,
            d.update_id,
            row_number() OVER (ORDER BY d.captured_at, d.update_id) AS place,
            first_value(d.attempts) OVER (ORDER BY d.captured_at, d.update_id) AS tries
        FROM decisions d
        WHERE d.company_id = $1 AND d.equipment_id = $3 AND d.parked_at IS NULL
        ORDER BY d.captured_at, d.update_id
        LIMIT $4",
        "(queue.place > 1 OR d.next_try_at <= now())
                  AND queue.place <= greatest(1, $4 >> least(queue.tries, 16))"
    );
    let leases = tx.query_as(LEASE);
    let leases = leases.bind(LEASE_SECONDS).bind(equipment_id).bind(most);
    Ok(leases.fetch_all(&mut **tx).await?)
}

/// Outbox state over all companies.
#[derive(Clone, Copy, Debug, PartialEq, sqlx_macros::FromRow)]
pub struct Backlog {
    pub waiting: i64,
    pub oldest_seconds: f64,
    pub parked: i64,
}

/// Needs a lookup connection.
pub async fn backlog(connection: &mut PgConnection) -> Result<Backlog, ServiceError> {
    let backlog = sqlx::query_as("SELECT waiting, oldest_seconds, parked FROM outbox_state()");
    Ok(backlog.fetch_one(connection).await?)
}

/// The deliveries of these leases in order, without those whose lease was lost.
pub async fn find_deliveries(
    tx: &mut TenantTx,
    leases: &[Lease],
) -> Result<Vec<Delivery>, ServiceError> {
    let deliveries = tx.query_as(
        "SELECT
            d.update_id,
            d.attempts,
            d.faults,
            d.equipment_id,
            u.reported_equipment_name,
            u.operator_id,
            u.operator_name,
            d.decided_by_id,
            d.decided_by,
            d.reading,
            d.overridden,
            d.replace_meter,
            d.meter_change,
            d.meter_final,
            d.meter_start,
            d.decided_fuel,
            d.decided_fuel_kind,
            u.new_usage,
            u.usage_increase,
            u.unit,
            u.attempt,
            u.fuel_added,
            u.fuel_kind,
            u.full_fill,
            u.notes,
            d.captured_at,
            d.traceparent AS decided,
            u.traceparent AS reported
        FROM unnest($2::uuid[], $3::integer[]) AS lease (update_id, attempts)
        JOIN decisions d
          ON d.company_id = $1
         AND d.update_id = lease.update_id
         AND d.attempts = lease.attempts
        JOIN updates u ON u.company_id = $1 AND u.id = d.update_id
        ORDER BY d.equipment_id, d.captured_at, d.update_id",
    );
    let deliveries = deliveries
        .bind(column(leases, |lease| lease.update_id))
        .bind(column(leases, |lease| lease.attempts));
    Ok(deliveries.fetch_all(&mut **tx).await?)
}

fn trace_of(kept: Option<&str>) -> SpanContext {
    kept.map_or(SpanContext::NONE, trace::parse)
}

/// An application of an update: its id, and how often its entry had been voided before. A result
/// of an earlier application changes nothing.
pub type Application = (Uuid, i32);

/// Stores effects and deletes their decisions, even if the lease was lost. The caller has locked
/// the updates. A repeat changes nothing.
pub async fn complete(
    tx: &mut TenantTx,
    effects: &[(Application, Effect)],
) -> Result<(), ServiceError> {
    let statement = tx.query(
        "WITH done AS (
            DELETE FROM decisions d
            USING unnest($2::uuid[], $3::integer[], $4::bigint[], $5::bigint[])
                AS effect (update_id, attempt, before, after)
            JOIN updates u
              ON u.company_id = $1
             AND u.id = effect.update_id
             AND u.attempt = effect.attempt
            WHERE d.company_id = $1 AND d.update_id = effect.update_id
            RETURNING
                d.update_id,
                d.automatic,
                d.decided_by_id,
                d.decided_by,
                d.decided_at,
                CASE WHEN d.overridden THEN d.reading END AS reading,
                d.decided_fuel,
                d.decided_fuel_kind,
                d.meter_change,
                d.meter_final,
                d.meter_start,
                effect.before,
                effect.after
        )
        UPDATE updates u
        SET status = CASE WHEN done.automatic THEN 'recent' ELSE 'applied' END,
            previous_usage = coalesce(done.before, u.previous_usage),
            applied_usage = done.after,
            applied_reading = done.reading,
            applied_fuel = done.decided_fuel,
            applied_fuel_kind = done.decided_fuel_kind,
            applied_meter_change = done.meter_change,
            applied_meter_final = done.meter_final,
            applied_meter_start = done.meter_start,
            acknowledged = false,
            flags = array_remove(u.flags, $6),
            was_refused = false,
            reviewed_by_id = done.decided_by_id,
            reviewed_by = done.decided_by,
            reviewed_at = CASE WHEN done.automatic THEN NULL ELSE done.decided_at END
        FROM done
        WHERE u.company_id = $1 AND u.id = done.update_id",
    );
    let statement = statement
        .bind(column(effects, |((id, _), _)| *id))
        .bind(column(effects, |((_, attempt), _)| *attempt))
        .bind(column(effects, |(_, effect)| {
            effect.before.map(Quantity::hundredths)
        }))
        .bind(column(effects, |(_, effect)| {
            effect.after.map(Quantity::hundredths)
        }))
        .bind(REFUSED);
    tx.run(statement).await
}

/// Returns leases with their next attempts. The caller has locked the updates.
pub async fn postpone(
    tx: &mut TenantTx,
    tries: &[(Lease, NextAttempt)],
) -> Result<(), ServiceError> {
    let statement = tx.query(
        "UPDATE decisions d
        SET leased_until = NULL,
            faults = try.faults,
            next_try_at = now() + make_interval(secs => coalesce(try.seconds, 0)),
            parked_at = now() + CASE WHEN try.seconds IS NULL THEN interval '0' END
        FROM unnest($2::uuid[], $3::integer[], $4::integer[], $5::float8[])
            AS try (update_id, attempts, faults, seconds)
        WHERE d.company_id = $1
          AND d.update_id = try.update_id
          AND d.attempts = try.attempts",
    );
    let statement = statement
        .bind(column(tries, |(lease, _)| lease.update_id))
        .bind(column(tries, |(lease, _)| lease.attempts))
        .bind(column(tries, |(_, next)| next.faults))
        // Not by the database: Citus rejects a volatile function in an update.
        .bind(column(tries, |(_, next)| {
            next.max_wait.map(|wait| fastrand::f64() * f64::from(wait))
        }));
    tx.run(statement).await
}

/// Deletes decisions and returns their updates, except those whose lease was lost. The caller
/// has locked the updates.
pub async fn discard(
    tx: &mut TenantTx,
    leases: &[(Lease, i32)],
) -> Result<Vec<Uuid>, ServiceError> {
    let discarded = tx.query_scalar(
        "DELETE FROM decisions d
        USING unnest($2::uuid[], $3::integer[], $4::integer[])
            AS lease (update_id, attempts, attempt)
        JOIN updates u
          ON u.company_id = $1
         AND u.id = lease.update_id
         AND u.attempt = lease.attempt
        WHERE d.company_id = $1
          AND d.update_id = lease.update_id
          AND d.attempts = lease.attempts
        RETURNING d.update_id",
    );
    let discarded = discarded
        .bind(column(leases, |(lease, _)| lease.update_id))
        .bind(column(leases, |(lease, _)| lease.attempts))
        .bind(column(leases, |(_, attempt)| *attempt));
    Ok(discarded.fetch_all(&mut **tx).await?)
}

/// Deletes parked decisions. The caller has locked the updates.
pub async fn discard_parked(tx: &mut TenantTx, ids: &[Uuid]) -> Result<(), ServiceError> {
    let statement = tx.query(
        "DELETE FROM decisions
        WHERE company_id = $1 AND update_id = ANY ($2) AND parked_at IS NOT NULL",
    );
    tx.run(statement.bind(ids)).await
}
