//! How people are notified.

use hourmeter_runtime::db::{TenantRead, TenantTx};
use hourmeter_runtime::error::ServiceError;
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row as _};
use uuid::Uuid;

use crate::settings::{QuietHours, Settings};

impl FromRow<'_, PgRow> for Settings {
    fn from_row(row: &PgRow) -> sqlx::Result<Self> {
        let quiet_start: Option<i32> = row.try_get("quiet_start")?;
        let quiet_end: Option<i32> = row.try_get("quiet_end")?;
        Ok(Self {
            flagged_mail: row.try_get("flagged_mail")?,
            flagged_push: row.try_get("flagged_push")?,
            returned_push: row.try_get("returned_push")?,
            status_push: row.try_get("status_push")?,
            flagged_sms: row.try_get("flagged_sms")?,
            returned_sms: row.try_get("returned_sms")?,
            status_sms: row.try_get("status_sms")?,
            quiet_hours: quiet_start
                .zip(quiet_end)
                .map(|(start, end)| QuietHours { start, end }),
        })
    }
}

/// The person's settings, or the usual ones.
pub async fn find(reads: &mut TenantRead, person_id: Uuid) -> Result<Settings, ServiceError> {
    let query = reads.query_as(
        "SELECT
            flagged_mail,
            flagged_push,
            returned_push,
            status_push,
            flagged_sms,
            returned_sms,
            status_sms,
            quiet_start,
            quiet_end
        FROM settings
        WHERE company_id = $1 AND person_id = $2",
    );
    let settings: Option<Settings> = query.bind(person_id).fetch_optional(&mut **reads).await?;
    Ok(settings.unwrap_or_default())
}

pub async fn set(
    tx: &mut TenantTx,
    person_id: Uuid,
    settings: &Settings,
) -> Result<(), ServiceError> {
    let quiet = settings.quiet_hours;
    let statement = tx.query(
        "INSERT INTO settings (
            company_id,
            person_id,
            flagged_mail,
            flagged_push,
            returned_push,
            quiet_start,
            quiet_end,
            status_push,
            flagged_sms,
            returned_sms,
            status_sms
        ) VALUES (
            $1,
            $2,
            $3,
            $4,
            $5,
            $6,
            $7,
            $8,
            coalesce($9, false),
            coalesce($10, false),
            coalesce($11, false)
        )
        ON CONFLICT (company_id, person_id) DO UPDATE
        SET flagged_mail = excluded.flagged_mail,
            flagged_push = excluded.flagged_push,
            returned_push = excluded.returned_push,
            quiet_start = excluded.quiet_start,
            quiet_end = excluded.quiet_end,
            status_push = coalesce($8, settings.status_push),
            flagged_sms = coalesce($9, settings.flagged_sms),
            returned_sms = coalesce($10, settings.returned_sms),
            status_sms = coalesce($11, settings.status_sms)",
    );
    let statement = statement
        .bind(person_id)
        .bind(settings.flagged_mail)
        .bind(settings.flagged_push)
        .bind(settings.returned_push)
        .bind(quiet.map(|hours| hours.start))
        .bind(quiet.map(|hours| hours.end))
        .bind(settings.status_push)
        .bind(settings.flagged_sms)
        .bind(settings.returned_sms)
        .bind(settings.status_sms);
    tx.run(statement).await
}

pub async fn stop_flagged_mail(tx: &mut TenantTx, person_id: Uuid) -> Result<(), ServiceError> {
    let statement = tx.query(
        "UPDATE settings
        SET flagged_mail = false
        WHERE company_id = $1 AND person_id = $2",
    );
    tx.run(statement.bind(person_id)).await
}
