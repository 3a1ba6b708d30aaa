use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_runtime::db::{TenantRead, TenantTx, scoped};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use hourmeter_runtime::page::Page;
use hourmeter_runtime::quantity::Quantity;
use hourmeter_runtime::telemetry::trace;
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, FromRow, PgConnection, Row as _};
use uuid::Uuid;

use super::columns::{decided_fuel, fuel, known, quantity, replacement, unit};
use crate::domain::check::{REPEATED, REPEATED_WITHIN, Unit};
use crate::domain::update::{Capture, Decision, Status, Update};

/// Sort key of a list: received or decided at, in microseconds, and id.
pub type Key = (i64, Uuid);

impl FromRow<'_, PgRow> for Update {
    fn from_row(row: &PgRow) -> sqlx::Result<Self> {
        let status = Status::parse(row.try_get("status")?);
        let taken_back_at: Option<DateTime<Utc>> = row.try_get("taken_back_at")?;
        let taken_back_by = row.try_get("taken_back_by")?;
        Ok(Self {
            id: row.try_get("id")?,
            equipment_id: row.try_get("equipment_id")?,
            equipment_name: row.try_get("equipment_name")?,
            reported_equipment_name: row.try_get("reported_equipment_name")?,
            operator_id: row.try_get("operator_id")?,
            operator_name: row.try_get("operator_name")?,
            new_usage: quantity(row, "new_usage")?,
            usage_increase: quantity(row, "usage_increase")?,
            unit: unit(row)?,
            fuel: fuel(row)?,
            notes: row.try_get("notes")?,
            status: known(status, "status")?,
            decision: match row.try_get("delivering")? {
                None => Decision::None,
                Some(true) => Decision::Queued,
                Some(false) => Decision::Parked,
            },
            client_id: row.try_get("client_id")?,
            captured_at: row.try_get("captured_at")?,
            capture: Capture {
                device: row.try_get("captured_on_device")?,
                device_removed: row.try_get("device_was_removed")?,
                person_removed: row.try_get("person_was_removed")?,
            },
            previous_usage: quantity(row, "previous_usage")?,
            applied_usage: quantity(row, "applied_usage")?,
            applied_reading: quantity(row, "applied_reading")?,
            applied_fuel: decided_fuel(row, "applied_fuel", "applied_fuel_kind")?,
            applied_replacement: replacement(row)?,
            late: row.try_get("late")?,
            below_current: row.try_get("below_current")?,
            flags: row.try_get("flags")?,
            reviewed_by_id: row.try_get("reviewed_by_id")?,
            reviewed_by: row.try_get("reviewed_by")?,
            reviewed_at: row.try_get("reviewed_at")?,
            reject_reason: row.try_get("reject_reason")?,
            attempt: row.try_get("attempt")?,
            acknowledged: row.try_get("acknowledged")?,
            taken_back: taken_back_at.map(|at| (taken_back_by, at)),
            created_at: row.try_get("created_at")?,
        })
    }
}

/// Selects updates. Only pending ones can have a decision. One that was taken back is stored as
/// rejected, as the last release knows it.
macro_rules! select_updates {
    ($($rest:literal),+) => {
        concat!(
            "SELECT
                u.id,
                u.equipment_id,
                u.equipment_name,
                u.reported_equipment_name,
                u.operator_id,
                u.operator_name,
                u.new_usage,
                u.usage_increase,
                u.unit,
                u.fuel_added,
                u.fuel_kind,
                u.full_fill,
                u.notes,
                CASE WHEN u.taken_back_at IS NULL THEN u.status ELSE 'taken_back' END AS status,
                CASE WHEN u.status = 'pending' THEN (
                    SELECT d.parked_at IS NULL
                    FROM decisions d
                    WHERE d.company_id = $1 AND d.update_id = u.id
                ) END AS delivering,
                u.client_id,
                u.captured_at,
                u.captured_on_device,
                u.device_was_removed,
                u.person_was_removed,
                u.previous_usage,
                u.applied_usage,
                u.applied_reading,
                u.applied_fuel,
                u.applied_fuel_kind,
                u.applied_meter_change AS meter_change,
                u.applied_meter_final AS meter_final,
                u.applied_meter_start AS meter_start,
                u.late,
                u.below_current,
                u.flags,
                u.reviewed_by_id,
                u.reviewed_by,
                u.reviewed_at,
                u.reject_reason,
                u.attempt,
                u.acknowledged,
                u.taken_back_by,
                u.taken_back_at,
                u.created_at
            FROM updates u ",
            $($rest),+
        )
    };
}

/// Stores an update and adds the `repeated` flag in one statement, with the conditions of
/// [`super::waiting::repeats`]. Returns all flags; None if the client id is known. The transaction
/// holds the operator's lock.
pub async fn insert(
    tx: &mut TenantTx,
    update: &Update,
) -> Result<Option<Vec<String>>, ServiceError> {
    // Fractions of a second are ignored.
    let within = TimeDelta::seconds(i64::from(REPEATED_WITHIN) + 1);
    let flags = tx.query_scalar(
        "INSERT INTO updates (
            company_id,
            id,
            equipment_id,
            equipment_name,
            operator_id,
            operator_name,
            new_usage,
            fuel_added,
            fuel_kind,
            notes,
            status,
            client_id,
            captured_at,
            previous_usage,
            late,
            below_current,
            created_at,
            traceparent,
            usage_increase,
            unit,
            full_fill,
            captured_on_device,
            device_was_removed,
            person_was_removed,
            flags
        )
        SELECT
            $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
            $23, $24, $25, $26, $27, $28,
            CASE WHEN EXISTS (
                SELECT
                FROM updates
                WHERE company_id = $1
                  AND operator_id = $5
                  AND captured_at > $20
                  AND captured_at < $21
                  AND equipment_id = $3
                  AND new_usage IS NOT DISTINCT FROM $7
                  AND usage_increase IS NOT DISTINCT FROM $23
                  AND fuel_added = $8
                  AND status <> 'rejected'
                  AND (
                      new_usage IS NOT NULL
                      OR usage_increase IS NOT NULL
                      OR fuel_added > 0
                      OR notes = $10
                  )
            ) THEN $19::text[] || $22::text ELSE $19::text[] END
        ON CONFLICT ON CONSTRAINT updates_client_id_key DO NOTHING
        RETURNING flags",
    );
    let flags = flags
        .bind(update.id)
        .bind(update.equipment_id)
        .bind(&update.equipment_name)
        .bind(update.operator_id)
        .bind(&update.operator_name)
        .bind(update.new_usage.map(Quantity::hundredths))
        .bind(update.fuel.added.hundredths())
        .bind(update.fuel.kind.as_str())
        .bind(&update.notes)
        .bind(update.status.as_str())
        .bind(&update.client_id)
        .bind(update.captured_at)
        .bind(update.previous_usage.map(Quantity::hundredths))
        .bind(update.late)
        .bind(update.below_current)
        .bind(update.created_at)
        .bind(trace::current())
        .bind(&update.flags)
        .bind(update.captured_at - within)
        .bind(update.captured_at + within)
        .bind(REPEATED)
        .bind(update.usage_increase.map(Quantity::hundredths))
        .bind(update.unit.map(Unit::as_str))
        .bind(update.fuel.full)
        .bind(&update.capture.device)
        .bind(update.capture.device_removed)
        .bind(update.capture.person_removed);
    Ok(flags.fetch_optional(&mut **tx).await?)
}

pub async fn find(tx: &mut TenantTx, id: Uuid) -> Result<Update, ServiceError> {
    let mut found = find_all(tx, &[id]).await?;
    found.pop().ok_or_else(ServiceError::not_found)
}

pub async fn find_all(tx: &mut TenantTx, ids: &[Uuid]) -> Result<Vec<Update>, ServiceError> {
    let rows = tx.query_as(select_updates!(
        "WHERE u.company_id = $1 AND u.id = ANY ($2)"
    ));
    Ok(rows.bind(ids).fetch_all(&mut **tx).await?)
}

/// Locks an update until the transaction ends. Lock it before its decision.
pub async fn lock(tx: &mut TenantTx, id: Uuid) -> Result<Update, ServiceError> {
    let mut locked = lock_all(tx, &[id]).await?;
    locked.pop().ok_or_else(ServiceError::not_found)
}

/// Locks updates in the order of their ids to avoid deadlocks.
pub async fn lock_all(tx: &mut TenantTx, ids: &[Uuid]) -> Result<Vec<Update>, ServiceError> {
    let statement = tx.query(
        "SELECT id
        FROM updates
        WHERE company_id = $1 AND id = ANY ($2)
        ORDER BY id
        FOR UPDATE",
    );
    tx.run(statement.bind(ids)).await?;
    // A separate statement, which sees the rows as they are after waiting.
    find_all(tx, ids).await
}

pub async fn id_of_client_id(
    connection: &mut PgConnection,
    tenant: Tenant,
    client_id: &str,
) -> Result<Option<Uuid>, ServiceError> {
    let sql = scoped("SELECT id FROM updates WHERE company_id = $1 AND client_id = $2");
    let id = sqlx::query_scalar(AssertSqlSafe(sql))
        .bind(tenant.company_id())
        .bind(client_id);
    Ok(id.fetch_optional(connection).await?)
}

/// Separate statements, because the planner uses the partial index of pending rows only for a
/// constant condition.
macro_rules! list_where {
    ($time:literal, $condition:literal) => {
        select_updates!(
            "WHERE u.company_id = $1
              AND ($2::uuid IS NULL OR u.operator_id = $2)
              AND ($3::timestamptz IS NULL OR (",
            $time,
            ", u.id) < ($3, $4))",
            $condition,
            "
            ORDER BY ",
            $time,
            " DESC, u.id DESC
            LIMIT $5"
        )
    };
}

/// Which updates a list has.
pub struct Filter {
    /// None: of all persons.
    pub operator: Option<Uuid>,
    /// Empty: in any.
    pub statuses: Vec<Status>,
    /// Only decided ones, by the time of the last decision.
    pub by_decision: bool,
}

/// Newest first.
pub async fn list(
    reads: &mut TenantRead,
    filter: &Filter,
    page: &mut Page<Key>,
) -> Result<Vec<Update>, ServiceError> {
    let after = page.after;
    let time = after.and_then(|(micros, _)| DateTime::from_timestamp_micros(micros));
    let statuses = filter.statuses.as_slice();
    let sql = match (filter.by_decision, statuses) {
        (false, []) => list_where!("u.created_at", ""),
        (false, [Status::Pending]) => list_where!("u.created_at", " AND u.status = 'pending'"),
        (false, _) => list_where!(
            "u.created_at",
            " AND CASE WHEN u.taken_back_at IS NULL THEN u.status ELSE 'taken_back' END = ANY ($6)"
        ),
        (true, _) => list_where!(
            "coalesce(u.taken_back_at, u.reviewed_at)",
            " AND coalesce(u.taken_back_at, u.reviewed_at) IS NOT NULL
              AND ($6 = '{}'::text[]
                  OR CASE WHEN u.taken_back_at IS NULL THEN u.status ELSE 'taken_back' END = ANY ($6))"
        ),
    };
    let mut query = reads
        .query_as(sql)
        .bind(filter.operator)
        .bind(time)
        .bind(after.map(|(_, id)| id))
        .bind(page.sql_limit());
    if filter.by_decision || !matches!(statuses, [] | [Status::Pending]) {
        let names: Vec<_> = statuses.iter().map(|status| status.as_str()).collect();
        query = query.bind(names);
    }
    let rows = query.fetch(&mut **reads);
    Ok(page.gather(rows, |row: &Update| row.notes.len()).await?)
}

/// Pending updates of one person or of all.
pub async fn count_pending(
    reads: &mut TenantRead,
    operator: Option<Uuid>,
) -> Result<i64, ServiceError> {
    let count = reads.query_scalar(
        "SELECT count(*)
        FROM updates
        WHERE company_id = $1
          AND status = 'pending'
          AND ($2::uuid IS NULL OR operator_id = $2)",
    );
    Ok(count.bind(operator).fetch_one(&mut **reads).await?)
}
