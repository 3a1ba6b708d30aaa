//! How people are notified.

use hourmeter_runtime::db::scoped;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use sqlx::{AssertSqlSafe, PgConnection};
use uuid::Uuid;

use crate::settings::{QuietHours, Settings};

#[derive(sqlx_macros::FromRow)]
struct Row {
    flagged_mail: bool,
    flagged_push: bool,
    returned_push: bool,
    status_push: Option<bool>,
    flagged_sms: Option<bool>,
    returned_sms: Option<bool>,
    status_sms: Option<bool>,
    quiet_start: Option<i32>,
    quiet_end: Option<i32>,
}

impl From<Row> for Settings {
    fn from(row: Row) -> Self {
        let minute = |of: Option<i32>| of.and_then(|minute| u16::try_from(minute).ok());
        let quiet = minute(row.quiet_start).zip(minute(row.quiet_end));
        Self {
            flagged_mail: row.flagged_mail,
            flagged_push: row.flagged_push,
            returned_push: row.returned_push,
            status_push: row.status_push,
            flagged_sms: row.flagged_sms,
            returned_sms: row.returned_sms,
            status_sms: row.status_sms,
            quiet_hours: quiet.map(|(start, end)| QuietHours { start, end }),
        }
    }
}

/// The person's settings, or the usual ones.
pub async fn find(
    connection: &mut PgConnection,
    tenant: Tenant,
    person_id: Uuid,
) -> Result<Settings, ServiceError> {
    let query = scoped(
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
    let row: Option<Row> = sqlx::query_as(AssertSqlSafe(query))
        .bind(tenant.company_id())
        .bind(person_id)
        .fetch_optional(connection)
        .await?;
    Ok(row.map_or_else(Settings::default, Into::into))
}

pub async fn set(
    connection: &mut PgConnection,
    tenant: Tenant,
    person_id: Uuid,
    settings: &Settings,
) -> Result<(), ServiceError> {
    let quiet = settings.quiet_hours;
    sqlx::query(
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
    )
    .bind(tenant.company_id())
    .bind(person_id)
    .bind(settings.flagged_mail)
    .bind(settings.flagged_push)
    .bind(settings.returned_push)
    .bind(quiet.map(|hours| i32::from(hours.start)))
    .bind(quiet.map(|hours| i32::from(hours.end)))
    .bind(settings.status_push)
    .bind(settings.flagged_sms)
    .bind(settings.returned_sms)
    .bind(settings.status_sms)
    .execute(connection)
    .await?;
    Ok(())
}

/// Ends the mail about flagged updates.
pub async fn stop_flagged_mail(
    connection: &mut PgConnection,
    tenant: Tenant,
    person_id: Uuid,
) -> Result<(), ServiceError> {
    sqlx::query(
        "UPDATE settings
        SET flagged_mail = false
        WHERE company_id = $1 AND person_id = $2",
    )
    .bind(tenant.company_id())
    .bind(person_id)
    .execute(connection)
    .await?;
    Ok(())
}
