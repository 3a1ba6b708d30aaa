//! Changes of an update's state. Callers have locked the rows and checked the rules.

use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::quantity::Quantity;
use uuid::Uuid;

use crate::domain::check::BELOW_METER;
use crate::domain::review::REFUSED;
use crate::domain::update::{Reviewer, Status, Update};
use crate::equipment::VoidedUpdate;

/// Stores the new equipment and what its meter shows. Keeps the original name until the update is
/// moved back.
pub async fn set_equipment(tx: &mut TenantTx, update: &Update) -> Result<(), ServiceError> {
    let statement = tx.query(
        "UPDATE updates
        SET reported_equipment_id = CASE
                WHEN reported_equipment_id = $3 THEN NULL
                ELSE coalesce(reported_equipment_id, equipment_id)
            END,
            reported_equipment_name = CASE
                WHEN reported_equipment_id = $3 THEN ''
                WHEN reported_equipment_id IS NULL THEN equipment_name
                ELSE reported_equipment_name
            END,
            equipment_id = $3,
            equipment_name = $4,
            previous_usage = $5,
            was_refused = false
        WHERE company_id = $1 AND id = $2",
    );
    let statement = statement
        .bind(update.id)
        .bind(update.equipment_id)
        .bind(&update.equipment_name)
        .bind(update.previous_usage.map(Quantity::hundredths));
    tx.run(statement).await
}

/// Stores the results of the checks. `lost_flags`: it had flags before.
pub async fn set_checked(
    tx: &mut TenantTx,
    update: &Update,
    lost_flags: bool,
) -> Result<(), ServiceError> {
    let statement = tx.query(
        "UPDATE updates
        SET late = $3,
            below_current = $4,
            flags = $5,
            became_clean = $5 = '{}'::text[] AND (became_clean OR $6)
        WHERE company_id = $1 AND id = $2",
    );
    let statement = statement
        .bind(update.id)
        .bind(update.late)
        .bind(update.below_current)
        .bind(&update.flags)
        .bind(lost_flags);
    tx.run(statement).await
}

/// Stores a manager's decision, or a withdrawal by the author.
pub async fn set_reviewed(
    tx: &mut TenantTx,
    ids: &[Uuid],
    status: Status,
    reviewer: &Reviewer,
    reject_reason: &str,
) -> Result<(), ServiceError> {
    let statement = tx.query(
        "UPDATE updates
        SET acknowledged = status = 'recent',
            status = $3,
            became_clean = false,
            reviewed_by_id = $4,
            reviewed_by = $5,
            reviewed_at = $6,
            reject_reason = $7,
            before_rejection_reason = CASE WHEN taken_back_at IS NULL THEN '' ELSE reject_reason END,
            before_rejection_by = taken_back_by,
            before_rejection_at = taken_back_at,
            taken_back_by = '',
            taken_back_at = NULL
        WHERE company_id = $1 AND id = ANY ($2)",
    );
    let statement = statement
        .bind(ids)
        .bind(status.as_str())
        .bind(reviewer.id)
        .bind(&reviewer.name)
        .bind(reviewer.at)
        .bind(reject_reason);
    tx.run(statement).await
}

/// Removes a rejection: the updates are pending, or taken back, again.
pub async fn set_unrejected(tx: &mut TenantTx, ids: &[Uuid]) -> Result<(), ServiceError> {
    let statement = tx.query(
        "UPDATE updates
        SET status = CASE WHEN before_rejection_at IS NULL THEN 'pending' ELSE 'rejected' END,
            reviewed_by_id = NULL,
            reviewed_by = '',
            reviewed_at = NULL,
            reject_reason = before_rejection_reason,
            taken_back_by = before_rejection_by,
            taken_back_at = before_rejection_at
        WHERE company_id = $1 AND id = ANY ($2)",
    );
    tx.run(statement.bind(ids)).await
}

/// Removes the review: the updates are pending, or recent, again.
pub async fn set_unreviewed(
    tx: &mut TenantTx,
    ids: &[Uuid],
    status: Status,
) -> Result<(), ServiceError> {
    let statement = tx.query(
        "UPDATE updates
        SET acknowledged = false,
            status = $3,
            became_clean = false,
            reviewed_by_id = NULL,
            reviewed_by = '',
            reviewed_at = NULL,
            reject_reason = '',
            applied_usage = CASE WHEN $3 = 'pending' THEN NULL ELSE applied_usage END,
            applied_reading = CASE WHEN $3 = 'pending' THEN NULL ELSE applied_reading END,
            applied_fuel = CASE WHEN $3 = 'pending' THEN NULL ELSE applied_fuel END,
            applied_fuel_kind = CASE WHEN $3 = 'pending' THEN NULL ELSE applied_fuel_kind END,
            applied_meter_change =
                CASE WHEN $3 = 'pending' THEN NULL ELSE applied_meter_change END,
            applied_meter_final =
                CASE WHEN $3 = 'pending' THEN NULL ELSE applied_meter_final END,
            applied_meter_start =
                CASE WHEN $3 = 'pending' THEN NULL ELSE applied_meter_start END,
            taken_back_by = '',
            taken_back_at = NULL
        WHERE company_id = $1 AND id = ANY ($2)",
    );
    tx.run(statement.bind(ids).bind(status.as_str())).await
}

/// Takes an update back whose entry was voided, once for each void; if an undo voided it, it is pending
/// again. Returns its operator and its equipment if it was not known to be voided.
pub async fn take_back(
    tx: &mut TenantTx,
    voided: &VoidedUpdate,
) -> Result<Option<(Uuid, Uuid)>, ServiceError> {
    let query = tx.query_as(
        "UPDATE updates
        SET status = 'rejected',
            attempt = $3,
            reject_reason = $4,
            taken_back_by = $5,
            taken_back_at = $6,
            applied_usage = NULL,
            applied_reading = NULL,
            applied_fuel = NULL,
            applied_fuel_kind = NULL,
            applied_meter_change = NULL,
            applied_meter_final = NULL,
            applied_meter_start = NULL,
            acknowledged = false,
            below_current = false,
            flags = '{}'
        WHERE company_id = $1 AND id = $2 AND attempt < $3
        RETURNING operator_id, equipment_id",
    );
    let taken_back = query
        .bind(voided.id)
        .bind(voided.attempt)
        .bind(&voided.reason)
        .bind(&voided.by)
        .bind(voided.at)
        .fetch_optional(&mut **tx)
        .await?;
    if taken_back.is_some() {
        // The effect was voided before its result was stored.
        let statement = tx.query("DELETE FROM decisions WHERE company_id = $1 AND update_id = $2");
        tx.run(statement.bind(voided.id)).await?;
    }
    if taken_back.is_some() && voided.undone {
        set_unreviewed(tx, &[voided.id], Status::Pending).await?;
    }
    Ok(taken_back)
}

pub async fn set_below_current(tx: &mut TenantTx, ids: &[Uuid]) -> Result<(), ServiceError> {
    let statement = tx.query(
        "UPDATE updates
        SET below_current = true,
            flags = array_prepend($3, array_remove(array_remove(flags, $3), $4))
        WHERE company_id = $1 AND id = ANY ($2)",
    );
    tx.run(statement.bind(ids).bind(BELOW_METER).bind(REFUSED))
        .await
}

/// Flags updates that the equipment service refused. `until_restored`: because their machine is not in use.
pub async fn set_refused(
    tx: &mut TenantTx,
    ids: &[Uuid],
    until_restored: bool,
) -> Result<(), ServiceError> {
    let statement = tx.query(
        "UPDATE updates
        SET flags = array_append(array_remove(flags, $3), $3), was_refused = NOT $4
        WHERE company_id = $1 AND id = ANY ($2)",
    );
    tx.run(statement.bind(ids).bind(REFUSED).bind(until_restored))
        .await
}

/// These are not applied automatically any more.
pub async fn leave_clean(tx: &mut TenantTx, ids: &[Uuid]) -> Result<(), ServiceError> {
    let statement =
        tx.query("UPDATE updates SET became_clean = false WHERE company_id = $1 AND id = ANY ($2)");
    tx.run(statement.bind(ids)).await
}
