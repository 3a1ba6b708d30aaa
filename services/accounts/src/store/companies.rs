//! Companies and their settings.

use chrono::{DateTime, Utc};
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use uuid::Uuid;

use crate::domain::names::BusinessName;
use crate::passwords::Hashed;
use crate::secrets::Sealed;

#[derive(Debug, sqlx_macros::FromRow)]
#[expect(clippy::struct_excessive_bools, reason = "columns of a row")]
pub struct Company {
    pub id: Uuid,
    pub owner_id: Uuid,
    pub name: String,
    pub operator_password_set: bool,
    /// Whether a removed person still knows it.
    pub operator_password_stale: bool,
    pub time_zone: String,
    pub auto_apply_updates: bool,
    /// Whether lists and forms show the badges that warn earlier.
    pub earlier_warnings: bool,
    pub fuel_unit: String,
    /// Days without a reading after which a meter is stale; 0: never.
    pub stale_after_days: i32,
    /// When it will be deleted.
    pub deletion_due_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// Inserts a company. The owner must be inserted in the same transaction.
pub async fn insert(
    tx: &mut TenantTx,
    name: &BusinessName,
    owner_id: Uuid,
    time_zone: &str,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    tx.query(
        "INSERT INTO companies (
            company_id,
            name,
            name_key,
            owner_id,
            time_zone,
            created_at,
            updated_at
        ) VALUES ($1, $2, $3, $4, $5, $6, $6)",
    )
    .bind(&name.name)
    .bind(&name.key)
    .bind(owner_id)
    .bind(time_zone)
    .bind(now)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

pub async fn find(tx: &mut TenantTx) -> Result<Option<Company>, ServiceError> {
    let company = tx.query_as(
        "SELECT
            company_id AS id,
            owner_id,
            name,
            operator_password_hash IS NOT NULL AS operator_password_set,
            operator_password_stale,
            time_zone,
            auto_apply_updates,
            earlier_warnings,
            fuel_unit,
            stale_after_days,
            deletion_due_at,
            created_at,
            updated_at
        FROM companies
        WHERE company_id = $1",
    );
    Ok(company.fetch_optional(&mut **tx).await?)
}

/// Changes to settings; None keeps the value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    pub name: Option<BusinessName>,
    pub time_zone: Option<&'static str>,
    pub auto_apply_updates: Option<bool>,
    /// Whether lists and forms show the badges that warn earlier.
    pub earlier_warnings: Option<bool>,
    pub fuel_unit: Option<&'static str>,
    /// Days without a reading after which a meter is stale; 0: never.
    pub stale_after_days: Option<i32>,
}

impl Changes {
    /// The new settings without the name, for the audit log: `time_zone=UTC fuel_unit=litres`.
    pub fn to_audit_detail(&self) -> String {
        let flag = |value: Option<bool>| value.map(|on| if on { "on" } else { "off" }.to_owned());
        let settings = [
            ("time_zone", self.time_zone.map(str::to_owned)),
            ("auto_apply_updates", flag(self.auto_apply_updates)),
            ("earlier_warnings", flag(self.earlier_warnings)),
            ("fuel_unit", self.fuel_unit.map(str::to_owned)),
            (
                "stale_after_days",
                self.stale_after_days.map(|days| days.to_string()),
            ),
        ];
        let given = settings
            .into_iter()
            .filter_map(|(name, value)| Some(format!("{name}={}", value?)));
        given.collect::<Vec<_>>().join(" ")
    }
}

pub async fn update(
    tx: &mut TenantTx,
    changes: &Changes,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    tx.query(
        "UPDATE companies
        SET name = coalesce($2, name),
            name_key = coalesce($3, name_key),
            time_zone = coalesce($4, time_zone),
            auto_apply_updates = coalesce($5, auto_apply_updates),
            earlier_warnings = coalesce($6, earlier_warnings),
            fuel_unit = coalesce($7, fuel_unit),
            stale_after_days = coalesce($8, stale_after_days),
            updated_at = $9
        WHERE company_id = $1",
    )
    .bind(changes.name.as_ref().map(|name| &name.name))
    .bind(changes.name.as_ref().map(|name| &name.key))
    .bind(changes.time_zone)
    .bind(changes.auto_apply_updates)
    .bind(changes.earlier_warnings)
    .bind(changes.fuel_unit)
    .bind(changes.stale_after_days)
    .bind(now)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

pub async fn set_operator_password(
    tx: &mut TenantTx,
    hashed: &Hashed,
    sealed: &Sealed,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let statement = tx
        .query(
            "UPDATE companies
            SET operator_password_hash = $2,
                operator_password_pepper_id = $3,
                operator_password_key_id = $4,
                operator_password_nonce = $5,
                operator_password_box = $6,
                operator_password_set_at = clock_timestamp(),
                operator_password_stale = false,
                updated_at = $7
            WHERE company_id = $1",
        )
        .bind(&hashed.hash)
        .bind(&hashed.pepper_id)
        .bind(&sealed.key_id)
        .bind(&sealed.nonce)
        .bind(&sealed.sealed_box)
        .bind(now);
    tx.run(statement).await
}

/// Schedules the company's deletion; None cancels it.
pub async fn set_deletion_due(
    tx: &mut TenantTx,
    due_at: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let statement = tx
        .query(
            "UPDATE companies
            SET deletion_due_at = $2, updated_at = $3
            WHERE company_id = $1",
        )
        .bind(due_at)
        .bind(now);
    tx.run(statement).await
}

/// Locks the company's row. Lock order: company before persons.
pub async fn lock(tx: &mut TenantTx) -> Result<(), ServiceError> {
    let statement = tx.query("SELECT FROM companies WHERE company_id = $1 FOR NO KEY UPDATE");
    tx.run(statement).await
}

/// Marks the operator password, if there is one, as known to a removed person.
pub async fn mark_operator_password_stale(
    tx: &mut TenantTx,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let statement = tx
        .query(
            "UPDATE companies
            SET operator_password_stale = operator_password_hash IS NOT NULL, updated_at = $2
            WHERE company_id = $1",
        )
        .bind(now);
    tx.run(statement).await
}
