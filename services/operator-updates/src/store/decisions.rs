//! The table `decisions`, the outbox.

use chrono::{DateTime, Utc};
use hourmeter_runtime::error::Failure;
use hourmeter_runtime::identity::Tenant;
use hourmeter_runtime::quantity::Quantity;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::domain::review::Terms;
use crate::domain::update::{FuelKind, Reviewer, Update};

/// How long a deliverer has a decision to itself, seconds; longer than any call takes.
const LEASE_SECONDS: i32 = 15;

/// A leased decision: which, and the fence of the lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Claim {
    pub company_id: Uuid,
    pub update_id: Uuid,
    pub attempts: i32,
}

/// What is delivered.
#[derive(Clone, Debug)]
pub struct Delivery {
    pub claim: Claim,
    pub equipment_id: Uuid,
    pub operator_id: Uuid,
    pub operator_name: String,
    pub terms: Terms,
    pub fuel_added: Quantity,
    pub fuel_kind: FuelKind,
    pub notes: String,
    pub captured_at: DateTime<Utc>,
}

/// How far a decision is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// There is none, or it is done.
    None,
    /// To be delivered.
    Queued,
    /// No more tries by itself.
    Parked,
}

#[derive(sqlx::FromRow)]
struct Row {
    equipment_id: Uuid,
    operator_id: Uuid,
    operator_name: String,
    reading: Option<i64>,
    overridden: bool,
    replace_meter: bool,
    fuel_added: i64,
    fuel_kind: String,
    notes: String,
    captured_at: DateTime<Utc>,
}

/// Queues a decision; without reviewer it is automatic. The caller has locked the submission.
pub async fn insert(
    connection: &mut PgConnection,
    tenant: Tenant,
    update: &Update,
    terms: &Terms,
    reviewer: Option<&Reviewer>,
) -> Result<(), Failure> {
    sqlx::query(
        "INSERT INTO decisions (
            company_id,
            update_id,
            equipment_id,
            captured_at,
            automatic,
            decided_by_id,
            decided_by,
            decided_at,
            reading,
            overridden,
            replace_meter
        )
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
    )
    .bind(tenant.company_id())
    .bind(update.id)
    .bind(update.equipment_id)
    .bind(update.captured_at)
    .bind(reviewer.is_none())
    .bind(reviewer.map(|reviewer| reviewer.id))
    .bind(reviewer.map_or("", |reviewer| reviewer.name.as_str()))
    .bind(reviewer.map_or(update.created_at, |reviewer| reviewer.at))
    .bind(terms.reading.map(Quantity::hundredths))
    .bind(terms.overridden)
    .bind(terms.replace_meter)
    .execute(connection)
    .await?;
    Ok(())
}

/// How far a submission's decision is.
pub async fn progress(
    connection: &mut PgConnection,
    tenant: Tenant,
    update_id: Uuid,
) -> Result<Progress, Failure> {
    let parked: Option<bool> = sqlx::query_scalar(
        "SELECT parked_at IS NOT NULL FROM decisions WHERE company_id = $1 AND update_id = $2",
    )
    .bind(tenant.company_id())
    .bind(update_id)
    .fetch_optional(connection)
    .await?;
    Ok(match parked {
        None => Progress::None,
        Some(false) => Progress::Queued,
        Some(true) => Progress::Parked,
    })
}

/// A manager stands behind a decision that was automatic, and a parked one is tried again. What
/// was decided stays: it may have taken effect already.
pub async fn confirm(
    connection: &mut PgConnection,
    tenant: Tenant,
    update_id: Uuid,
    reviewer: &Reviewer,
) -> Result<(), Failure> {
    sqlx::query(
        "UPDATE decisions
        SET automatic = false,
            decided_by_id = CASE WHEN automatic THEN $3 ELSE decided_by_id END,
            decided_by = CASE WHEN automatic THEN $4 ELSE decided_by END,
            decided_at = CASE WHEN automatic THEN $5 ELSE decided_at END,
            attempts = CASE WHEN parked_at IS NULL THEN attempts ELSE 0 END,
            parked_at = NULL
        WHERE company_id = $1 AND update_id = $2",
    )
    .bind(tenant.company_id())
    .bind(update_id)
    .bind(reviewer.id)
    .bind(&reviewer.name)
    .bind(reviewer.at)
    .execute(connection)
    .await?;
    Ok(())
}

/// Leases the first decision of this submission's equipment, if it is not after this submission
/// and nobody has it. Does not wait for the time of the next try.
pub async fn claim_first(
    connection: &mut PgConnection,
    tenant: Tenant,
    update: &Update,
) -> Result<Option<Claim>, Failure> {
    let claim = sqlx::query_as::<_, Claim>(
        "UPDATE decisions
        SET attempts = attempts + 1,
            leased_until = now() + make_interval(secs => $5)
        WHERE company_id = $1
          AND update_id = (
              SELECT update_id
              FROM decisions
              WHERE company_id = $1 AND equipment_id = $2 AND parked_at IS NULL
              ORDER BY captured_at, update_id
              LIMIT 1
          )
          AND (captured_at, update_id) <= ($3, $4)
          AND parked_at IS NULL
          AND (leased_until IS NULL OR leased_until <= now())
        RETURNING company_id, update_id, attempts",
    )
    .bind(tenant.company_id())
    .bind(update.equipment_id)
    .bind(update.captured_at)
    .bind(update.id)
    .bind(LEASE_SECONDS)
    .fetch_optional(connection)
    .await?;
    Ok(claim)
}

/// Leases decisions that are due, of any company. Needs a lookup connection.
pub async fn claim_due(connection: &mut PgConnection, most: i32) -> Result<Vec<Claim>, Failure> {
    let claims = sqlx::query_as::<_, Claim>(
        "SELECT company_id, update_id, attempts FROM claim_deliveries($1, $2)",
    )
    .bind(most)
    .bind(LEASE_SECONDS)
    .fetch_all(connection)
    .await?;
    Ok(claims)
}

/// What a lease is to deliver; none: somebody else did.
pub async fn find_delivery(
    connection: &mut PgConnection,
    tenant: Tenant,
    claim: Claim,
) -> Result<Option<Delivery>, Failure> {
    let row = sqlx::query_as::<_, Row>(
        "SELECT
            d.equipment_id,
            u.operator_id,
            u.operator_name,
            d.reading,
            d.overridden,
            d.replace_meter,
            u.fuel_added,
            u.fuel_kind,
            u.notes,
            d.captured_at
        FROM decisions d
        JOIN updates u ON u.company_id = d.company_id AND u.id = d.update_id
        WHERE d.company_id = $1 AND d.update_id = $2 AND d.attempts = $3",
    )
    .bind(tenant.company_id())
    .bind(claim.update_id)
    .bind(claim.attempts)
    .fetch_optional(connection)
    .await?;
    row.map(|row| row.into_delivery(claim)).transpose()
}

impl Row {
    fn into_delivery(self, claim: Claim) -> Result<Delivery, Failure> {
        let fuel_kind = FuelKind::from_name(&self.fuel_kind);
        Ok(Delivery {
            claim,
            equipment_id: self.equipment_id,
            operator_id: self.operator_id,
            operator_name: self.operator_name,
            terms: Terms {
                reading: self.reading.map(Quantity::from_hundredths),
                overridden: self.overridden,
                replace_meter: self.replace_meter,
            },
            fuel_added: Quantity::from_hundredths(self.fuel_added),
            fuel_kind: fuel_kind.ok_or_else(|| Failure::internal("a stored fuel is unknown"))?,
            notes: self.notes,
            captured_at: self.captured_at,
        })
    }
}

/// Stores the effect and ends the decision, whoever holds the lease now. The caller has locked the
/// submission. A repeat changes nothing.
pub async fn complete(
    connection: &mut PgConnection,
    tenant: Tenant,
    update_id: Uuid,
    before: Option<Quantity>,
    after: Option<Quantity>,
) -> Result<(), Failure> {
    sqlx::query(
        "WITH done AS (
            DELETE FROM decisions
            WHERE company_id = $1 AND update_id = $2
            RETURNING update_id, automatic, decided_by_id, decided_by, decided_at
        )
        UPDATE updates u
        SET status = CASE WHEN done.automatic THEN 'recent' ELSE 'applied' END,
            previous_usage = coalesce($3, u.previous_usage),
            applied_usage = $4,
            reviewed_by_id = done.decided_by_id,
            reviewed_by = done.decided_by,
            reviewed_at = CASE WHEN done.automatic THEN NULL ELSE done.decided_at END
        FROM done
        WHERE u.company_id = $1 AND u.id = done.update_id",
    )
    .bind(tenant.company_id())
    .bind(update_id)
    .bind(before.map(Quantity::hundredths))
    .bind(after.map(Quantity::hundredths))
    .execute(connection)
    .await?;
    Ok(())
}

/// Gives the lease back, to be tried within so many seconds.
pub async fn postpone(
    connection: &mut PgConnection,
    tenant: Tenant,
    claim: Claim,
    within_seconds: u32,
) -> Result<(), Failure> {
    sqlx::query(
        "UPDATE decisions
        SET leased_until = NULL,
            next_try_at = now() + make_interval(secs => random() * $4)
        WHERE company_id = $1 AND update_id = $2 AND attempts = $3",
    )
    .bind(tenant.company_id())
    .bind(claim.update_id)
    .bind(claim.attempts)
    .bind(f64::from(within_seconds))
    .execute(connection)
    .await?;
    Ok(())
}

/// Gives the lease back for good.
pub async fn park(
    connection: &mut PgConnection,
    tenant: Tenant,
    claim: Claim,
) -> Result<(), Failure> {
    sqlx::query(
        "UPDATE decisions
        SET leased_until = NULL, parked_at = now()
        WHERE company_id = $1 AND update_id = $2 AND attempts = $3",
    )
    .bind(tenant.company_id())
    .bind(claim.update_id)
    .bind(claim.attempts)
    .execute(connection)
    .await?;
    Ok(())
}

/// Takes the decision back; false when the lease was lost. The caller has locked the submission.
pub async fn withdraw(
    connection: &mut PgConnection,
    tenant: Tenant,
    claim: Claim,
) -> Result<bool, Failure> {
    let done = sqlx::query(
        "DELETE FROM decisions WHERE company_id = $1 AND update_id = $2 AND attempts = $3",
    )
    .bind(tenant.company_id())
    .bind(claim.update_id)
    .bind(claim.attempts)
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}
