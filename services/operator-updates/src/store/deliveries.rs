//! The table `decisions`, the outbox: delivering decisions. To avoid deadlocks, callers that change
//! rows of several updates lock the updates first.

use chrono::{DateTime, Utc};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use hourmeter_runtime::quantity::Quantity;
use hourmeter_runtime::telemetry::trace;
use opentelemetry::trace::SpanContext;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::domain::check::Unit;
use crate::domain::retry::NextAttempt;
use crate::domain::review::{ApplyParams, REFUSED};
use crate::domain::update::{Effect, Fuel, Update};
use crate::store::decisions::ParamsRow;
use crate::store::updates::FuelRow;

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

#[derive(sqlx_macros::FromRow)]
struct Row {
    update_id: Uuid,
    attempts: i32,
    faults: i32,
    equipment_id: Uuid,
    reported_equipment_name: String,
    operator_id: Uuid,
    operator_name: String,
    decided_by_id: Option<Uuid>,
    decided_by: String,
    #[sqlx(flatten)]
    params: ParamsRow,
    new_usage: Option<i64>,
    usage_increase: Option<i64>,
    unit: Option<String>,
    attempt: i32,
    #[sqlx(flatten)]
    fuel: FuelRow,
    notes: String,
    captured_at: DateTime<Utc>,
    decided: Option<String>,
    reported: Option<String>,
}

/// Leases decisions in order, for each machine up to the update in `last`, and stops at one
/// that another deliverer has leased. Ignores the time of the next attempt.
pub async fn lease_until(
    connection: &mut PgConnection,
    tenant: Tenant,
    last: &[&Update],
    most: i64,
) -> Result<Vec<Lease>, ServiceError> {
    let leases = sqlx::query_as(
        "WITH queue AS (
            SELECT equipment_id, captured_at, update_id
            FROM (
                SELECT
                    d.equipment_id,
                    d.captured_at,
                    d.update_id,
                    bool_or(coalesce(d.leased_until > now(), false)) OVER (
                        PARTITION BY d.equipment_id
                        ORDER BY d.captured_at, d.update_id
                    ) AS held
                FROM unnest($2::uuid[], $3::timestamptz[], $4::uuid[])
                    AS last (equipment_id, captured_at, update_id)
                JOIN decisions d
                  ON d.company_id = $1
                 AND d.equipment_id = last.equipment_id
                 AND d.parked_at IS NULL
                 AND (d.captured_at, d.update_id) <= (last.captured_at, last.update_id)
            ) waiting
            WHERE NOT held
            ORDER BY equipment_id, captured_at, update_id
            LIMIT $5
        ),
        free AS (
            SELECT d.update_id
            FROM queue
            JOIN decisions d ON d.company_id = $1 AND d.update_id = queue.update_id
            WHERE d.parked_at IS NULL AND (d.leased_until IS NULL OR d.leased_until <= now())
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
            leased_until = now() + make_interval(secs => $6)
        FROM first_free
        WHERE d.company_id = $1 AND d.update_id = first_free.update_id
        RETURNING d.update_id, d.attempts",
    )
    .bind(tenant.company_id())
    .bind(map(last, |update| update.equipment_id))
    .bind(map(last, |update| update.captured_at))
    .bind(map(last, |update| update.id))
    .bind(most)
    .bind(LEASE_SECONDS)
    .fetch_all(connection)
    .await?;
    Ok(leases)
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
    connection: &mut PgConnection,
    tenant: Tenant,
    equipment_id: Uuid,
    most: i32,
) -> Result<Vec<Lease>, ServiceError> {
    let leases = sqlx::query_as(
        "WITH queue AS (
            SELECT
                d.captured_at,
                d.update_id,
                row_number() OVER (ORDER BY d.captured_at, d.update_id) AS place,
                first_value(d.attempts) OVER (ORDER BY d.captured_at, d.update_id) AS tries
            FROM decisions d
            WHERE d.company_id = $1 AND d.equipment_id = $2 AND d.parked_at IS NULL
            ORDER BY d.captured_at, d.update_id
            LIMIT $3
        ),
        free AS (
            SELECT d.update_id
            FROM queue
            JOIN decisions d ON d.company_id = $1 AND d.update_id = queue.update_id
            WHERE d.parked_at IS NULL
              AND (d.leased_until IS NULL OR d.leased_until <= now())
              AND (queue.place > 1 OR d.next_try_at <= now())
              AND queue.place <= greatest(1, $3 >> least(queue.tries, 16))
            FOR UPDATE OF d SKIP LOCKED
        ),
        first_free AS MATERIALIZED (
            SELECT q.update_id
            FROM (
                SELECT
                    queue.update_id,
                    bool_and(free.update_id IS NOT NULL) OVER (
                        ORDER BY queue.captured_at, queue.update_id
                    ) AS mine
                FROM queue
                LEFT JOIN free ON free.update_id = queue.update_id
            ) q
            WHERE q.mine
        )
        UPDATE decisions d
        SET attempts = d.attempts + 1,
            leased_until = now() + make_interval(secs => $4)
        FROM first_free
        WHERE d.company_id = $1 AND d.update_id = first_free.update_id
        RETURNING d.update_id, d.attempts",
    )
    .bind(tenant.company_id())
    .bind(equipment_id)
    .bind(most)
    .bind(LEASE_SECONDS)
    .fetch_all(connection)
    .await?;
    Ok(leases)
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
    connection: &mut PgConnection,
    tenant: Tenant,
    leases: &[Lease],
) -> Result<Vec<Delivery>, ServiceError> {
    let rows = sqlx::query_as::<_, Row>(
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
    )
    .bind(tenant.company_id())
    .bind(map(leases, |lease| lease.update_id))
    .bind(map(leases, |lease| lease.attempts))
    .fetch_all(connection)
    .await?;
    rows.into_iter().map(Delivery::try_from).collect()
}

fn trace_of(kept: Option<&str>) -> SpanContext {
    kept.map_or(SpanContext::NONE, trace::parse)
}

impl TryFrom<Row> for Delivery {
    type Error = ServiceError;

    fn try_from(row: Row) -> Result<Self, ServiceError> {
        Ok(Self {
            lease: Lease {
                update_id: row.update_id,
                attempts: row.attempts,
            },
            faults: row.faults,
            equipment_id: row.equipment_id,
            reported_equipment_name: row.reported_equipment_name,
            operator_id: row.operator_id,
            operator_name: row.operator_name,
            decided_by: row.decided_by_id.map(|id| (id, row.decided_by)),
            params: row.params.try_into()?,
            new_usage: row.new_usage.map(Quantity::from_hundredths),
            usage_increase: row.usage_increase.map(Quantity::from_hundredths),
            unit: row.unit.as_deref().and_then(Unit::from_name),
            attempt: row.attempt,
            fuel: row.fuel.try_into()?,
            notes: row.notes,
            captured_at: row.captured_at,
            decided: trace_of(row.decided.as_deref()),
            reported: trace_of(row.reported.as_deref()),
        })
    }
}

/// An application of an update: its id, and how often its entry had been voided before. A result
/// of an earlier application changes nothing.
pub type Application = (Uuid, i32);

/// Stores effects and deletes their decisions, even if the lease was lost. The caller has locked
/// the updates. A repeat changes nothing.
pub async fn complete(
    connection: &mut PgConnection,
    tenant: Tenant,
    effects: &[(Application, Effect)],
) -> Result<(), ServiceError> {
    sqlx::query(
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
    )
    .bind(tenant.company_id())
    .bind(map(effects, |((id, _), _)| *id))
    .bind(map(effects, |((_, attempt), _)| *attempt))
    .bind(map(effects, |(_, effect)| {
        effect.before.map(Quantity::hundredths)
    }))
    .bind(map(effects, |(_, effect)| {
        effect.after.map(Quantity::hundredths)
    }))
    .bind(REFUSED)
    .execute(connection)
    .await?;
    Ok(())
}

/// Returns leases with their next attempts. The caller has locked the updates.
pub async fn postpone(
    connection: &mut PgConnection,
    tenant: Tenant,
    tries: &[(Lease, NextAttempt)],
) -> Result<(), ServiceError> {
    sqlx::query(
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
    )
    .bind(tenant.company_id())
    .bind(map(tries, |(lease, _)| lease.update_id))
    .bind(map(tries, |(lease, _)| lease.attempts))
    .bind(map(tries, |(_, next)| next.faults))
    // Not by the database: Citus rejects a volatile function in an update.
    .bind(map(tries, |(_, next)| {
        next.max_wait.map(|wait| fastrand::f64() * f64::from(wait))
    }))
    .execute(connection)
    .await?;
    Ok(())
}

/// Deletes decisions and returns their updates, except those whose lease was lost. The caller
/// has locked the updates.
pub async fn discard(
    connection: &mut PgConnection,
    tenant: Tenant,
    leases: &[(Lease, i32)],
) -> Result<Vec<Uuid>, ServiceError> {
    let discarded = sqlx::query_scalar(
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
    )
    .bind(tenant.company_id())
    .bind(map(leases, |(lease, _)| lease.update_id))
    .bind(map(leases, |(lease, _)| lease.attempts))
    .bind(map(leases, |(_, attempt)| *attempt))
    .fetch_all(connection)
    .await?;
    Ok(discarded)
}

/// Deletes parked decisions. The caller has locked the updates.
pub async fn discard_parked(
    connection: &mut PgConnection,
    tenant: Tenant,
    ids: &[Uuid],
) -> Result<(), ServiceError> {
    sqlx::query(
        "DELETE FROM decisions
        WHERE company_id = $1 AND update_id = ANY ($2) AND parked_at IS NOT NULL",
    )
    .bind(tenant.company_id())
    .bind(ids)
    .execute(connection)
    .await?;
    Ok(())
}

fn map<T, U>(rows: &[T], column: impl FnMut(&T) -> U) -> Vec<U> {
    rows.iter().map(column).collect()
}
