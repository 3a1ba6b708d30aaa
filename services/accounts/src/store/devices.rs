//! Enrolled phones and their people.

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Identity, Tenant};
use sqlx::PgConnection;
use uuid::Uuid;

use super::sessions::Resolved;

/// Maximum number of active phones of a company.
const MAX_DEVICES: i64 = 500;
/// Maximum number of active phones that one person enrolled.
const MAX_DEVICES_OF_PERSON: i64 = 20;
/// How long a removed phone is listed, and how long it delivers what was captured on it.
pub const KEPT_AFTER_REMOVAL: TimeDelta = TimeDelta::days(90);
const MAX_LISTED: i64 = 1000;
/// The precision of the last contact, which saves a write for each update of a phone that sends many.
const CONTACT_PRECISION: TimeDelta = TimeDelta::minutes(1);
/// How often refused requests in the name of one phone are recorded.
const REFUSAL_INTERVAL: TimeDelta = TimeDelta::hours(1);

#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub struct Device {
    pub id: Uuid,
    pub label: String,
    pub public_key: Vec<u8>,
    pub enrolled_at: DateTime<Utc>,
    pub removed_at: Option<DateTime<Utc>>,
}

/// Finds a phone and locks it until the transaction ends.
pub async fn lock(tx: &mut TenantTx, id: Uuid) -> Result<Option<Device>, ServiceError> {
    let device = tx
        .query_as(
            "SELECT
                id,
                label,
                public_key,
                enrolled_at,
                removed_at
            FROM devices
            WHERE company_id = $1 AND id = $2
            FOR UPDATE",
        )
        .bind(id);
    Ok(device.fetch_optional(&mut **tx).await?)
}

/// Whether the caller can't enrol one more phone.
pub async fn limit_reached(tx: &mut TenantTx, identity: &Identity) -> Result<bool, ServiceError> {
    let is_full = sqlx::query_scalar(
        "SELECT count(*) >= $3 OR count(*) FILTER (WHERE enrolled_by = $2) >= $4
        FROM devices
        WHERE company_id = $1 AND removed_at IS NULL",
    )
    .bind(identity.company_id)
    .bind(identity.user_id)
    .bind(MAX_DEVICES)
    .bind(MAX_DEVICES_OF_PERSON);
    Ok(is_full.fetch_one(&mut **tx).await?)
}

pub async fn insert(
    tx: &mut TenantTx,
    identity: &Identity,
    device: &Device,
) -> Result<(), ServiceError> {
    sqlx::query(
        "INSERT INTO devices (
            company_id,
            id,
            label,
            public_key,
            enrolled_by,
            enrolled_at,
            last_contact
        ) VALUES ($1, $2, $3, $4, $5, $6, $6)",
    )
    .bind(identity.company_id)
    .bind(device.id)
    .bind(&device.label)
    .bind(&device.public_key)
    .bind(identity.user_id)
    .bind(device.enrolled_at)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Adds the caller to the people of a phone; false if the caller is one of them.
pub async fn add_person(
    tx: &mut TenantTx,
    identity: &Identity,
    device_id: Uuid,
    now: DateTime<Utc>,
) -> Result<bool, ServiceError> {
    let insert = sqlx::query(
        "INSERT INTO device_people (company_id, device_id, person_id, name, username, added_at)
        VALUES ($1, $2, $3, $4, (
            SELECT operator_username FROM users WHERE company_id = $1 AND id = $3
        ), $5)
        ON CONFLICT (company_id, device_id, person_id) DO UPDATE
        SET name = excluded.name,
            username = excluded.username,
            added_at = excluded.added_at,
            removed_at = NULL
        WHERE device_people.removed_at IS NOT NULL",
    )
    .bind(identity.company_id)
    .bind(device_id)
    .bind(identity.user_id)
    .bind(&identity.display_name)
    .bind(now);
    Ok(insert.execute(&mut **tx).await?.rows_affected() == 1)
}

/// Removes the caller from the people of a phone: false if the caller has left it, None if the caller
/// never was one of them.
pub async fn remove_person(
    tx: &mut TenantTx,
    identity: &Identity,
    device_id: Uuid,
    now: DateTime<Utc>,
) -> Result<Option<bool>, ServiceError> {
    let was_on_it = sqlx::query_scalar(
        "WITH removed AS (
            UPDATE device_people
            SET removed_at = $4
            WHERE company_id = $1 AND device_id = $2 AND person_id = $3 AND removed_at IS NULL
            RETURNING person_id
        )
        SELECT EXISTS (SELECT FROM removed)
        FROM device_people
        WHERE company_id = $1 AND device_id = $2 AND person_id = $3",
    )
    .bind(identity.company_id)
    .bind(device_id)
    .bind(identity.user_id)
    .bind(now);
    Ok(was_on_it.fetch_optional(&mut **tx).await?)
}

/// Removes a person who is being deleted from the people of all phones.
pub async fn remove_deleted_person(
    tx: &mut TenantTx,
    person_id: Uuid,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let statement = tx
        .query(
            "UPDATE device_people
            SET removed_at = $3
            WHERE company_id = $1 AND person_id = $2 AND removed_at IS NULL",
        )
        .bind(person_id)
        .bind(now);
    tx.run(statement).await
}

/// Removes a phone; false if it was removed before.
pub async fn remove(
    tx: &mut TenantTx,
    identity: &Identity,
    id: Uuid,
    now: DateTime<Utc>,
) -> Result<bool, ServiceError> {
    let update = sqlx::query(
        "UPDATE devices
        SET removed_at = $3, removed_by = $4
        WHERE company_id = $1 AND id = $2 AND removed_at IS NULL",
    )
    .bind(identity.company_id)
    .bind(id)
    .bind(now)
    .bind(identity.user_id);
    Ok(update.execute(&mut **tx).await?.rows_affected() == 1)
}

/// Records that a phone reached the server.
pub async fn touch(tx: &mut TenantTx, id: Uuid, now: DateTime<Utc>) -> Result<(), ServiceError> {
    let statement = tx
        .query(
            "UPDATE devices
            SET last_contact = $3
            WHERE company_id = $1 AND id = $2 AND last_contact <= $4",
        )
        .bind(id)
        .bind(now)
        .bind(now - CONTACT_PRECISION);
    tx.run(statement).await
}

/// Returns the label of the phone if a refused request is to be recorded now.
pub async fn note_refusal(
    tx: &mut TenantTx,
    id: Uuid,
    now: DateTime<Utc>,
) -> Result<Option<String>, ServiceError> {
    let label = tx
        .query_scalar(
            "UPDATE devices
            SET refused_at = $3
            WHERE company_id = $1 AND id = $2 AND (refused_at IS NULL OR refused_at <= $4)
            RETURNING label",
        )
        .bind(id)
        .bind(now)
        .bind(now - REFUSAL_INTERVAL);
    Ok(label.fetch_optional(&mut **tx).await?)
}

/// A phone as managers see it.
#[derive(Debug, sqlx_macros::FromRow)]
pub struct ListedDevice {
    pub id: Uuid,
    pub label: String,
    /// Name of the person.
    pub enrolled_by: String,
    pub enrolled_at: DateTime<Utc>,
    pub last_contact: DateTime<Utc>,
    pub removed_at: Option<DateTime<Utc>>,
    /// Active people.
    pub people_ids: Vec<Uuid>,
    /// Their names, in the same order.
    pub people_names: Vec<String>,
}

/// Active phones first, then those that were removed lately. The names of people are today's, as
/// `display_name` makes them.
pub async fn list(
    tx: &mut TenantTx,
    now: DateTime<Utc>,
) -> Result<Vec<ListedDevice>, ServiceError> {
    let devices = tx
        .query_as(
            "SELECT
                d.id,
                d.label,
                coalesce(max(n.name) FILTER (WHERE p.person_id = d.enrolled_by), '') AS enrolled_by,
                d.enrolled_at,
                d.last_contact,
                d.removed_at,
                coalesce(
                    array_agg(p.person_id ORDER BY n.name, p.person_id)
                        FILTER (WHERE p.removed_at IS NULL AND u.id IS NOT NULL),
                    '{}'
                ) AS people_ids,
                coalesce(
                    array_agg(n.name ORDER BY n.name, p.person_id)
                        FILTER (WHERE p.removed_at IS NULL AND u.id IS NOT NULL),
                    '{}'
                ) AS people_names
            FROM devices d
            JOIN companies c ON c.company_id = d.company_id
            LEFT JOIN device_people p ON p.company_id = d.company_id AND p.device_id = d.id
            LEFT JOIN users u ON u.company_id = p.company_id AND u.id = p.person_id
            CROSS JOIN LATERAL (
                SELECT CASE
                    WHEN u.id IS NULL THEN p.name
                    WHEN u.role <> 'operator' THEN c.name
                    ELSE coalesce(nullif(trim(u.first_name || ' ' || u.last_name), ''), c.name)
                END AS name
            ) n
            WHERE d.company_id = $1 AND (d.removed_at IS NULL OR d.removed_at > $2)
            GROUP BY d.company_id, d.id
            ORDER BY d.removed_at IS NOT NULL, d.enrolled_at DESC, d.id
            LIMIT $3",
        )
        .bind(now - KEPT_AFTER_REMOVAL)
        .bind(MAX_LISTED);
    Ok(devices.fetch_all(&mut **tx).await?)
}

/// Company and key of a phone that the person is, or was, on.
pub async fn find_key(
    connection: &mut PgConnection,
    device_id: Uuid,
    person_id: Uuid,
) -> Result<Option<(Tenant, Vec<u8>)>, ServiceError> {
    let found: Option<(Uuid, Vec<u8>)> = sqlx::query_as("SELECT * FROM find_device($1, $2)")
        .bind(device_id)
        .bind(person_id)
        .fetch_optional(connection)
        .await?;
    Ok(found.map(|(company_id, key)| (Tenant::from_lookup(company_id), key)))
}

/// Companies and keys of a phone.
pub async fn find_keys(
    connection: &mut PgConnection,
    device_id: Uuid,
) -> Result<Vec<(Tenant, Vec<u8>)>, ServiceError> {
    let found: Vec<(Uuid, Vec<u8>)> = sqlx::query_as("SELECT * FROM find_device_keys($1)")
        .bind(device_id)
        .fetch_all(connection)
        .await?;
    let found = found.into_iter();
    Ok(found
        .map(|(company_id, key)| (Tenant::from_lookup(company_id), key))
        .collect())
}

/// Everyone who is, or was, on a phone, and when they left it or the company.
pub async fn people(
    tx: &mut TenantTx,
    device_id: Uuid,
) -> Result<Vec<(Uuid, Option<DateTime<Utc>>)>, ServiceError> {
    let people = tx
        .query_as(
            "SELECT
                p.person_id,
                CASE
                    WHEN u.id IS NULL THEN coalesce(p.removed_at, p.added_at)
                    ELSE p.removed_at
                END
            FROM device_people p
            LEFT JOIN users u ON u.company_id = p.company_id AND u.id = p.person_id
            WHERE p.company_id = $1 AND p.device_id = $2
            ORDER BY p.person_id",
        )
        .bind(device_id);
    Ok(people.fetch_all(&mut **tx).await?)
}

/// What a person may do with a phone in place of a session. A person who was deleted has the role
/// `operator`, and as first name the name when the person was added.
#[derive(Debug, sqlx_macros::FromRow)]
pub struct DeviceSession {
    pub label: String,
    pub device_removed_at: Option<DateTime<Utc>>,
    pub person_removed_at: Option<DateTime<Utc>>,
    #[sqlx(flatten)]
    pub session: Resolved,
}

pub async fn session(
    tx: &mut TenantTx,
    device_id: Uuid,
    person_id: Uuid,
) -> Result<Option<DeviceSession>, ServiceError> {
    // The last release deletes a person without noting the time here: everything counts as captured
    // afterwards.
    let session = tx
        .query_as(
            "SELECT
                d.label,
                d.removed_at AS device_removed_at,
                CASE
                    WHEN u.id IS NULL THEN coalesce(p.removed_at, p.added_at)
                    ELSE p.removed_at
                END AS person_removed_at,
                d.id AS session_id,
                d.company_id,
                p.person_id AS user_id,
                coalesce(u.role, 'operator') AS role,
                'operator' AS scope,
                p.added_at AS auth_time,
                coalesce(u.first_name, p.name) AS first_name,
                coalesce(u.last_name, '') AS last_name,
                c.name AS company_name,
                c.time_zone,
                c.auto_apply_updates,
                c.created_at AS company_created_at,
                c.owner_id,
                NULL::integer AS new_token_seconds,
                false AS second_factor_missing,
                c.stale_after_days
            FROM devices d
            JOIN device_people p ON p.company_id = d.company_id AND p.device_id = d.id
            JOIN companies c ON c.company_id = d.company_id
            LEFT JOIN users u ON u.company_id = p.company_id AND u.id = p.person_id
            WHERE d.company_id = $1 AND d.id = $2 AND p.person_id = $3",
        )
        .bind(device_id)
        .bind(person_id);
    Ok(session.fetch_optional(&mut **tx).await?)
}
