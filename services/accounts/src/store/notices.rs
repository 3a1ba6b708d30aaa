//! Notices that are shown at the next sign-in.

use chrono::{DateTime, Utc};
use hourmeter_runtime::db::{TenantTx, scoped};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use hourmeter_runtime::stored_enum;
use sqlx::{AssertSqlSafe, PgConnection};
use uuid::Uuid;

/// Notices shown together; others follow when these are dismissed.
const MOST: i64 = 50;

stored_enum! {
    /// Kinds of notices. The notice of a reused token is inserted by a database function.
    pub enum Kind {
        PasswordRecovered = "password_recovered",
        PasswordSetByOwner = "password_set_by_owner",
        OperatorSignInsBlocked = "operator_sign_ins_blocked",
        SecondFactorOff = "second_factor_off",
        SecondFactorReset = "second_factor_reset",
        PasskeyAdded = "passkey_added",
        RecoveryCodeUsed = "recovery_code_used",
        /// The list of first steps of a new company.
        FirstSteps = "first_steps",
        /// A first step that only the client knows: the access cards have not been printed yet.
        FirstCards = "first_cards",
    }
}

#[derive(Debug, sqlx_macros::FromRow)]
pub struct Notice {
    pub id: Uuid,
    pub kind: String,
    pub at: DateTime<Utc>,
}

/// Lists the notices of a person, newest first.
pub async fn list(
    connection: &mut PgConnection,
    tenant: Tenant,
    user_id: Uuid,
) -> Result<Vec<Notice>, ServiceError> {
    let sql = scoped(
        "SELECT
            id,
            kind,
            at
        FROM notices
        WHERE company_id = $1 AND user_id = $2 AND dismissed_at IS NULL
        ORDER BY at DESC, id DESC
        LIMIT $3",
    );
    let notices = sqlx::query_as(AssertSqlSafe(sql))
        .bind(tenant.company_id())
        .bind(user_id)
        .bind(MOST);
    Ok(notices.fetch_all(connection).await?)
}

pub async fn add(tx: &mut TenantTx, user_id: Uuid, kind: Kind) -> Result<(), ServiceError> {
    let statement = tx
        .query(
            "INSERT INTO notices (
                company_id,
                id,
                user_id,
                kind
            ) VALUES ($1, $2, $3, $4)",
        )
        .bind(Uuid::now_v7())
        .bind(user_id)
        .bind(kind.as_str());
    tx.run(statement).await
}

/// Adds a notice for the owner, unless there was the same one within the last hour.
pub async fn add_for_owner_hourly(tx: &mut TenantTx, kind: Kind) -> Result<(), ServiceError> {
    if was_added_recently(tx, kind).await? {
        return Ok(());
    }
    // Locked, so that concurrent calls add one notice.
    let owner: Option<Uuid> = tx
        .query_scalar(
            "SELECT id
            FROM users
            WHERE company_id = $1 AND role = 'owner'
            FOR NO KEY UPDATE",
        )
        .fetch_optional(&mut **tx)
        .await?;
    match owner {
        Some(owner) if !was_added_recently(tx, kind).await? => add(tx, owner, kind).await,
        _ => Ok(()),
    }
}

/// Whether the company had the same notice within the last hour.
async fn was_added_recently(tx: &mut TenantTx, kind: Kind) -> Result<bool, ServiceError> {
    let exists = tx
        .query_scalar(
            "SELECT EXISTS (
                SELECT FROM notices
                WHERE company_id = $1 AND kind = $2 AND at > now() - interval '1 hour'
            )",
        )
        .bind(kind.as_str());
    Ok(exists.fetch_one(&mut **tx).await?)
}

/// Dismisses a notice; repeatable; false if the person has no such notice.
pub async fn dismiss(tx: &mut TenantTx, user_id: Uuid, id: Uuid) -> Result<bool, ServiceError> {
    let update = tx
        .query(
            "UPDATE notices
            SET dismissed_at = coalesce(dismissed_at, now())
            WHERE company_id = $1 AND user_id = $2 AND id = $3",
        )
        .bind(user_id)
        .bind(id);
    Ok(update.execute(&mut **tx).await?.rows_affected() == 1)
}

/// Deletes the notice that another person set the password.
pub async fn delete_password_set_by_other(
    tx: &mut TenantTx,
    user_id: Uuid,
) -> Result<(), ServiceError> {
    let statement = tx
        .query(
            "UPDATE notices
            SET dismissed_at = now()
            WHERE company_id = $1 AND user_id = $2 AND kind = $3 AND dismissed_at IS NULL",
        )
        .bind(user_id)
        .bind(Kind::PasswordSetByOwner.as_str());
    tx.run(statement).await
}
