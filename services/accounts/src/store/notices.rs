//! What people are told at their next sign-in.

use chrono::{DateTime, Utc};
use hourmeter_runtime::db::scoped;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use sqlx::{AssertSqlSafe, PgConnection};
use uuid::Uuid;

/// How many are shown at a time; the rest follows as they are put away.
const MOST: i64 = 50;

/// What may be told; the reuse of a token is told by the database itself.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// The password was set anew by the security questions.
    PasswordRecovered,
    /// Somebody else set the password.
    PasswordSetByOwner,
    /// Too many failed operator sign-ins: only known addresses are let in.
    OperatorSignInsBlocked,
    /// The second factor was turned off.
    SecondFactorOff,
    /// Somebody else took the second factor away.
    SecondFactorReset,
    /// A passkey was added.
    PasskeyAdded,
    /// A recovery code signed in.
    RecoveryCodeUsed,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Self::PasswordRecovered => "password_recovered",
            Self::PasswordSetByOwner => "password_set_by_owner",
            Self::OperatorSignInsBlocked => "operator_sign_ins_blocked",
            Self::SecondFactorOff => "second_factor_off",
            Self::SecondFactorReset => "second_factor_reset",
            Self::PasskeyAdded => "passkey_added",
            Self::RecoveryCodeUsed => "recovery_code_used",
        }
    }
}

/// One notice.
#[derive(Debug, sqlx_macros::FromRow)]
pub struct Notice {
    /// The notice.
    pub id: Uuid,
    /// A stable word.
    pub kind: String,
    /// When it happened.
    pub at: DateTime<Utc>,
}

/// What a person has not put away yet, newest first.
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
        .bind(MOST)
        .fetch_all(connection)
        .await?;
    Ok(notices)
}

/// Tells a person.
pub async fn tell(
    connection: &mut PgConnection,
    tenant: Tenant,
    user_id: Uuid,
    kind: Kind,
) -> Result<(), ServiceError> {
    sqlx::query(
        "INSERT INTO notices (
            company_id,
            id,
            user_id,
            kind
        ) VALUES ($1, $2, $3, $4)",
    )
    .bind(tenant.company_id())
    .bind(Uuid::now_v7())
    .bind(user_id)
    .bind(kind.name())
    .execute(connection)
    .await?;
    Ok(())
}

/// Tells a company's owner, unless the same was told within the last hour.
pub async fn tell_owner_hourly(
    connection: &mut PgConnection,
    tenant: Tenant,
    kind: Kind,
) -> Result<(), ServiceError> {
    if told_lately(connection, tenant, kind).await? {
        return Ok(());
    }
    // Held, so that of several at once one tells.
    let owner: Option<Uuid> = sqlx::query_scalar(
        "SELECT id
        FROM users
        WHERE company_id = $1 AND role = 'owner'
        FOR NO KEY UPDATE",
    )
    .bind(tenant.company_id())
    .fetch_optional(&mut *connection)
    .await?;
    match owner {
        Some(owner) if !told_lately(connection, tenant, kind).await? => {
            tell(connection, tenant, owner, kind).await
        }
        _ => Ok(()),
    }
}

/// Whether anybody in the company was told the same within the last hour.
async fn told_lately(
    connection: &mut PgConnection,
    tenant: Tenant,
    kind: Kind,
) -> Result<bool, ServiceError> {
    let told = sqlx::query_scalar(
        "SELECT EXISTS (
            SELECT FROM notices
            WHERE company_id = $1 AND kind = $2 AND at > now() - interval '1 hour'
        )",
    )
    .bind(tenant.company_id())
    .bind(kind.name())
    .fetch_one(connection)
    .await?;
    Ok(told)
}

/// Puts a person's notice away, again or for the first time; false when the person has no such.
pub async fn dismiss(
    connection: &mut PgConnection,
    tenant: Tenant,
    user_id: Uuid,
    id: Uuid,
) -> Result<bool, ServiceError> {
    let done = sqlx::query(
        "UPDATE notices
        SET dismissed_at = coalesce(dismissed_at, now())
        WHERE company_id = $1 AND user_id = $2 AND id = $3",
    )
    .bind(tenant.company_id())
    .bind(user_id)
    .bind(id)
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// The person has a password of their own choice now: that somebody else set it is over.
pub async fn own_password_chosen(
    connection: &mut PgConnection,
    tenant: Tenant,
    user_id: Uuid,
) -> Result<(), ServiceError> {
    sqlx::query(
        "UPDATE notices
        SET dismissed_at = now()
        WHERE company_id = $1 AND user_id = $2 AND kind = $3 AND dismissed_at IS NULL",
    )
    .bind(tenant.company_id())
    .bind(user_id)
    .bind(Kind::PasswordSetByOwner.name())
    .execute(connection)
    .await?;
    Ok(())
}
