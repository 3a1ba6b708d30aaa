//! The audit log: what happened in a company, who did it, and from where. Append-only.
//!
//! Each service has its own table `audit_events` and writes an entry in the transaction of the
//! change; the gateway merges the tables. Entries are kept for 400 days.

use chrono::{DateTime, Utc};
use futures::future::BoxFuture;
use hourmeter_proto::accounts::v1::Scope;
pub use hourmeter_proto::common::v1::AuditEventType;
use hourmeter_proto::common::v1::{AuditEvent, AuditQuery, PageResponse};
use prost_types::Timestamp;
use sqlx::{AssertSqlSafe, PgConnection};
use uuid::Uuid;

use crate::clock::{read_timestamp, timestamp};
use crate::db::Database;
use crate::error::ServiceError;
use crate::identity::{Identity, StaffIdentity, Tenant};
use crate::page::{Page, TimeKey, is_storable};
use crate::refusals;
use crate::rounds;
use crate::shutdown::BackgroundTasks;

/// The tenant of entries without a company: the platform's audit log.
pub const NO_COMPANY: Tenant = Tenant::from_lookup(Uuid::nil());

/// Entries deleted by one statement.
const DELETE_BATCH: i64 = 1000;
/// Events that a query may filter by.
const MAX_EVENTS: usize = 50;

/// Who does something, and from where.
#[derive(Clone, Debug)]
pub struct AuditContext {
    /// The request id, as in the logs.
    pub request_id: Uuid,
    /// Client network, /24 or /64; empty: unknown.
    pub address_prefix: String,
    /// The person; None: unknown.
    pub actor_id: Option<Uuid>,
    /// The person's name; empty: unknown.
    pub actor_name: String,
    /// Scope of the session.
    pub scope: Scope,
    /// Browser and system, such as "Chrome, Windows"; not in the audit log. Empty: unknown.
    pub browser: String,
}

impl AuditContext {
    /// For a call with a session.
    pub fn from_identity(identity: &Identity) -> Self {
        Self {
            request_id: identity.request_id,
            address_prefix: identity.address_prefix.clone(),
            actor_id: Some(identity.user_id),
            actor_name: identity.display_name.clone(),
            scope: identity.scope,
            browser: String::new(),
        }
    }

    /// For a call of support staff.
    pub fn from_staff(staff: &StaffIdentity) -> Self {
        Self {
            request_id: staff.request_id,
            address_prefix: staff.address_prefix.clone(),
            actor_id: Some(staff.staff_id),
            actor_name: staff.display_name.clone(),
            scope: Scope::Staff,
            browser: String::new(),
        }
    }

    /// For an operator action from the command line, which is anonymous.
    pub fn command_line() -> Self {
        Self {
            request_id: Uuid::now_v7(),
            address_prefix: String::new(),
            actor_id: None,
            actor_name: "command line".to_owned(),
            scope: Scope::Staff,
            browser: String::new(),
        }
    }

    /// The context once the person is known.
    #[must_use]
    pub fn with_actor(&self, actor_id: Uuid, actor_name: &str, scope: Scope) -> Self {
        Self {
            actor_id: Some(actor_id),
            actor_name: actor_name.to_owned(),
            scope,
            ..self.clone()
        }
    }
}

/// The result of an audited action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditOutcome {
    /// The action took effect.
    Success,
    /// The action was refused.
    Failed,
    /// A rate limit or lockout refused the action.
    Limited,
}

impl AuditOutcome {
    /// The stored value.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failed => "failed",
            Self::Limited => "limited",
        }
    }

    /// Parses a stored value.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Success, Self::Failed, Self::Limited]
            .into_iter()
            .find(|outcome| outcome.name() == name)
    }
}

/// An entry to write.
#[derive(Clone, Copy, Debug)]
pub struct AuditEntry<'a> {
    /// What it is about.
    pub event: AuditEventType,
    /// The result.
    pub outcome: AuditOutcome,
    /// The object of the action.
    pub target_id: Option<Uuid>,
    /// The object's current name; may be empty.
    pub target_name: &'a str,
    /// A stable code, or the reason that support staff gave; never a secret.
    pub detail: &'a str,
}

impl<'a> AuditEntry<'a> {
    /// An action that took effect.
    pub const fn success(event: AuditEventType) -> Self {
        Self {
            event,
            outcome: AuditOutcome::Success,
            target_id: None,
            target_name: "",
            detail: "",
        }
    }

    /// A refused action.
    pub const fn failed(event: AuditEventType) -> Self {
        Self {
            outcome: AuditOutcome::Failed,
            ..Self::success(event)
        }
    }

    /// Sets the object of the action.
    #[must_use]
    pub const fn target(self, target_id: Uuid, target_name: &'a str) -> Self {
        Self {
            target_id: Some(target_id),
            target_name,
            ..self
        }
    }

    /// Sets the detail.
    #[must_use]
    pub const fn detail(self, detail: &'a str) -> Self {
        Self { detail, ..self }
    }
}

/// Writes an entry. Call it in the transaction of the change.
pub fn record<'a>(
    connection: &'a mut PgConnection,
    tenant: Tenant,
    context: &'a AuditContext,
    entry: &'a AuditEntry<'_>,
) -> BoxFuture<'a, Result<(), ServiceError>> {
    Box::pin(async move {
        sqlx::query(
            "INSERT INTO audit_events (
            company_id,
            id,
            event,
            outcome,
            actor_id,
            actor_name,
            scope,
            address_prefix,
            request_id,
            target_id,
            target_name,
            detail
        ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        )
        .bind(tenant.company_id())
        .bind(Uuid::now_v7())
        .bind(entry.event.name())
        .bind(entry.outcome.name())
        .bind(context.actor_id)
        .bind(&context.actor_name)
        .bind(scope_name(context.scope))
        .bind(&context.address_prefix)
        .bind(context.request_id)
        .bind(entry.target_id)
        .bind(entry.target_name)
        .bind(entry.detail)
        .execute(connection)
        .await?;
        Ok(())
    })
}

#[derive(Debug)]
struct Query {
    events: Vec<String>,
    actor_id: Option<Uuid>,
    from: Option<DateTime<Utc>>,
    to: Option<DateTime<Utc>>,
    page: Page<TimeKey>,
    before: (DateTime<Utc>, Uuid),
}

impl Query {
    /// Validates a request; None selects the whole log.
    fn read(query: Option<&AuditQuery>) -> Result<Self, ServiceError> {
        let empty = AuditQuery::default();
        let query = query.unwrap_or(&empty);
        let is_known = |event: &String| AuditEventType::from_name(event).is_some();
        if query.events.len() > MAX_EVENTS || !query.events.iter().all(is_known) {
            return Err(ServiceError::field("event", refusals::AUDIT_EVENT_UNKNOWN));
        }
        let actor_id = match query.actor_id.as_str() {
            "" => None,
            text => Some(
                Uuid::parse_str(text)
                    .map_err(|_| ServiceError::field("actor", refusals::NOT_AN_ID))?,
            ),
        };
        let page = Page::from_request(query.page.as_ref())?;
        Ok(Self {
            events: query.events.clone(),
            actor_id,
            from: instant("from", query.from.as_ref())?,
            to: instant("to", query.to.as_ref())?,
            before: page.before()?,
            page,
        })
    }
}

fn instant(field: &str, at: Option<&Timestamp>) -> Result<Option<DateTime<Utc>>, ServiceError> {
    let Some(at) = at else {
        return Ok(None);
    };
    let read = read_timestamp(*at).filter(|read| is_storable(*read));
    read.map(Some)
        .ok_or_else(|| ServiceError::field(field, refusals::NOT_A_TIME))
}

/// The columns of a [`Row`] without the network, which support staff must not see.
const COLUMNS: &str = "id, at, event, outcome, actor_id, actor_name, scope, request_id, \
                       target_id, target_name, detail";

#[derive(sqlx_macros::FromRow)]
struct Row {
    id: Uuid,
    at: DateTime<Utc>,
    event: String,
    outcome: String,
    actor_id: Option<Uuid>,
    actor_name: String,
    scope: String,
    address_prefix: String,
    request_id: Uuid,
    target_id: Option<Uuid>,
    target_name: String,
    detail: String,
}

/// Returns a page of a company's entries, newest first; without a query, of all entries.
pub fn list<'a>(
    database: &'a Database,
    tenant: Tenant,
    query: Option<&'a AuditQuery>,
) -> BoxFuture<'a, Result<(Vec<AuditEvent>, PageResponse), ServiceError>> {
    Box::pin(async move {
        let query = Query::read(query)?;
        let mut tx = database.tenant(tenant).await?;
        let sql = format!(
            "SELECT {COLUMNS}, address_prefix
            FROM audit_events
            WHERE company_id = $1
              AND (cardinality($2::text[]) = 0 OR event = ANY($2))
              AND ($3::uuid IS NULL OR actor_id = $3)
              AND at >= coalesce($4, '-infinity'::timestamptz)
              AND at < coalesce($5, 'infinity'::timestamptz)
              AND (at, id) < ($6, $7)
            ORDER BY at DESC, id DESC
            LIMIT $8"
        );
        let mut rows: Vec<Row> = sqlx::query_as(AssertSqlSafe(sql))
            .bind(tenant.company_id())
            .bind(&query.events)
            .bind(query.actor_id)
            .bind(query.from)
            .bind(query.to)
            .bind(query.before.0)
            .bind(query.before.1)
            .bind(query.page.sql_limit())
            .fetch_all(&mut *tx)
            .await?;
        tx.commit().await?;
        let next = query
            .page
            .cut(&mut rows, |last| (last.at.timestamp_micros(), last.id));
        Ok((rows.into_iter().map(Into::into).collect(), next))
    })
}

/// Returns the newest 100 of a company's entries of these events, newest first, as support staff see them:
/// without networks.
pub fn list_for_staff<'a>(
    database: &'a Database,
    tenant: Tenant,
    events: &'a [AuditEventType],
) -> BoxFuture<'a, Result<Vec<AuditEvent>, ServiceError>> {
    Box::pin(async move {
        // Names and not a parameter, so that a plan can use the index of one event.
        let names: Vec<_> = events.iter().map(|event| event.name()).collect();
        let sql = format!(
            "SELECT {COLUMNS}, '' AS address_prefix
            FROM audit_events
            WHERE company_id = $1 AND event IN ('{}')
            ORDER BY at DESC, id DESC
            LIMIT 100",
            names.join("', '")
        );
        let mut tx = database.tenant(tenant).await?;
        let rows: Vec<Row> = sqlx::query_as(AssertSqlSafe(sql))
            .bind(tenant.company_id())
            .fetch_all(&mut *tx)
            .await?;
        tx.commit().await?;
        Ok(rows.into_iter().map(Into::into).collect())
    })
}

impl From<Row> for AuditEvent {
    fn from(row: Row) -> Self {
        Self {
            id: row.id.to_string(),
            at: Some(timestamp(row.at)),
            event: row.event,
            outcome: row.outcome,
            actor_id: row.actor_id.map(|id| id.to_string()),
            actor_name: row.actor_name,
            scope: row.scope,
            address_prefix: row.address_prefix,
            request_id: row.request_id.to_string(),
            target_id: row.target_id.map(|id| id.to_string()),
            target_name: row.target_name,
            detail: row.detail,
        }
    }
}

/// The stored value of a scope.
pub const fn scope_name(scope: Scope) -> &'static str {
    match scope {
        Scope::Full => "full",
        Scope::Operator => "operator",
        Scope::Staff => "staff",
        Scope::Unspecified => "",
    }
}

/// Deletes entries older than 400 days, now and every hour. The service's role may not delete
/// entries; the database function `forget_audit_events` refuses to delete younger ones.
pub fn start_retention(database: Database, background: &BackgroundTasks) {
    background.spawn(|stop| async move {
        let delete = || delete_expired(&database);
        rounds::hourly(stop, "delete expired audit entries", delete).await;
    });
}

/// Deletes all entries older than 400 days; returns their number.
pub async fn delete_expired(database: &Database) -> Result<i64, ServiceError> {
    let mut deleted = 0;
    loop {
        let mut lookup = database.lookup().await?;
        let count: i64 = sqlx::query_scalar("SELECT forget_audit_events($1)")
            .bind(DELETE_BATCH)
            .fetch_one(&mut *lookup)
            .await?;
        deleted += count;
        if count < DELETE_BATCH {
            return Ok(deleted);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn query_read_rejects_invalid_filters() {
        let read = |change: fn(&mut AuditQuery)| {
            let mut query = AuditQuery::default();
            change(&mut query);
            Query::read(Some(&query)).map_err(|failure| failure.fields[0].0.clone())
        };
        assert!(Query::read(None).is_ok());
        assert!(read(|query| query.events = vec!["sign_in".into()]).is_ok());
        for (change, field) in [
            (
                (|query| query.events = vec!["sign".into()]) as fn(&mut AuditQuery),
                "event",
            ),
            (|query| query.events = vec!["export".into(); 51], "event"),
            (|query| query.actor_id = "me".into(), "actor"),
            (
                |query| {
                    query.from = Some(Timestamp {
                        seconds: i64::MAX,
                        nanos: 0,
                    });
                },
                "from",
            ),
            (
                |query| {
                    query.to = Some(Timestamp {
                        seconds: 0,
                        nanos: -1,
                    });
                },
                "to",
            ),
        ] {
            assert_eq!(read(change).expect_err("a refusal"), field);
        }
    }
}
