//! Queued and sent messages.

use chrono::{DateTime, Utc};
use hourmeter_runtime::db::{LookupConnection, TenantRead, TenantTx};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::stored_enum;
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row as _};
use uuid::Uuid;

const MAX_PROBLEM: usize = 500;

/// A claimed message.
#[derive(Debug)]
pub struct QueuedMessage {
    pub id: Uuid,
    pub person_id: Uuid,
    pub kind: MessageKind,
    /// The browser of a push.
    pub subscription_id: Option<Uuid>,
    /// The notification of a push or a mail.
    pub notification_number: Option<i64>,
    /// Where it goes in place of the person's address.
    pub address: Option<String>,
    /// Including this one.
    pub attempts: i32,
    /// Whether it was queued so long ago that it is of no use any more.
    pub is_late: bool,
}

stored_enum! {
    pub enum MessageKind {
        /// A link that verifies the address.
        AddressVerification = "address_verification",
        /// A link that sets a new password.
        PasswordRecovery = "password_recovery",
        /// The digest of a morning; not sent if there is nothing to say.
        Digest = "digest",
        /// A digest that the person asked for.
        RequestedDigest = "requested_digest",
        /// A notification for a browser.
        Push = "push",
        /// A test that the person asked for.
        TestPush = "test_push",
        /// Mail about a flagged update.
        FlaggedMail = "flagged_mail",
        /// Mail about the security of the account, which nobody can turn off.
        SecurityMail = "security_mail",
        /// Mail about the plan, which nobody can turn off.
        PlanMail = "plan_mail",
        /// Notifications of operators about the status of a machine.
        Operators = "operators",
        /// A text message about a notification.
        Sms = "sms",
        /// A text message with the code that verifies the number.
        SmsCode = "sms_code",
    }
}

impl FromRow<'_, PgRow> for QueuedMessage {
    fn from_row(row: &PgRow) -> sqlx::Result<Self> {
        let kind = MessageKind::parse(row.try_get("kind")?);
        let unknown = || sqlx::Error::Decode("unknown kind of message".into());
        Ok(Self {
            id: row.try_get("id")?,
            person_id: row.try_get("person_id")?,
            kind: kind.ok_or_else(unknown)?,
            subscription_id: row.try_get("subscription_id")?,
            notification_number: row.try_get("notification_number")?,
            address: row.try_get("address")?,
            attempts: row.try_get("attempts")?,
            is_late: row.try_get("is_late")?,
        })
    }
}

fn names(kinds: &[MessageKind]) -> Vec<&'static str> {
    kinds.iter().map(|kind| kind.as_str()).collect()
}

/// What became of an attempt.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    Sent,
    /// It was sent as part of another message.
    Gathered,
    /// It is not to be sent any more, or there is nothing to say.
    Suppressed,
    /// It is of no use any more.
    Late,
    Failed(String),
    /// It waits for the end of quiet hours.
    Postponed {
        until: DateTime<Utc>,
        seconds: i32,
    },
    Later {
        seconds: i32,
        problem: String,
    },
}

/// Mail that was sent, newest first, and when.
pub async fn sent(
    reads: &mut TenantRead,
    at_most: i64,
) -> Result<Vec<(Uuid, DateTime<Utc>)>, ServiceError> {
    let sent = reads.query_as(
        "SELECT id, done_at
        FROM messages
        WHERE company_id = $1
          AND state = 'sent'
          AND subscription_id IS NULL
          AND kind NOT IN ('sms', 'sms_code')
        ORDER BY done_at DESC
        LIMIT $2",
    );
    Ok(sent.bind(at_most).fetch_all(&mut **reads).await?)
}

/// Companies with messages of these kinds to send.
pub async fn due(
    lookup: &mut LookupConnection,
    kinds: &[MessageKind],
    at_most: i32,
) -> Result<Vec<Uuid>, ServiceError> {
    let due = sqlx::query_scalar("SELECT due_messages_of($1, $2)")
        .bind(names(kinds))
        .bind(at_most);
    Ok(due.fetch_all(&mut **lookup).await?)
}

/// Claims due messages of the company of these kinds. They are due again after `lease_seconds` unless they are finished.
pub async fn claim(
    tx: &mut TenantTx,
    kinds: &[MessageKind],
    at_most: i64,
    lease_seconds: i32,
    now: DateTime<Utc>,
) -> Result<Vec<QueuedMessage>, ServiceError> {
    let claimed = tx.query_as(
        "WITH due AS (
            SELECT id
            FROM messages
            WHERE company_id = $1
              AND state = 'queued'
              AND next_try_at <= now()
              AND kind = ANY ($5)
            ORDER BY next_try_at
            LIMIT $2
            FOR UPDATE SKIP LOCKED
        )
        UPDATE messages m
        SET attempts = attempts + 1, next_try_at = now() + make_interval(secs => $3)
        FROM due
        WHERE m.company_id = $1 AND m.id = due.id
        RETURNING m.id, m.person_id, m.kind, m.subscription_id, m.notification_number, m.address,
            m.attempts,
            coalesce(
                $4::timestamptz - greatest(m.created_at, m.postponed_until) > CASE
                    WHEN m.kind = 'password_recovery' THEN interval '30 minutes'
                    WHEN m.kind IN ('digest', 'requested_digest') THEN interval '3 hours'
                    WHEN m.kind IN ('push', 'test_push', 'sms') THEN interval '1 hour'
                    WHEN m.kind = 'sms_code' THEN interval '10 minutes'
                    WHEN m.kind = 'flagged_mail' THEN interval '12 hours'
                    WHEN m.kind IN ('security_mail', 'plan_mail') THEN interval '3 days'
                END,
                false
            ) AS is_late",
    );
    let claimed = claimed
        .bind(at_most)
        .bind(lease_seconds)
        .bind(now)
        .bind(names(kinds));
    Ok(claimed.fetch_all(&mut **tx).await?)
}

/// Stores the outcome of an attempt.
pub async fn finish(tx: &mut TenantTx, id: Uuid, outcome: &Outcome) -> Result<(), ServiceError> {
    let until = match outcome {
        Outcome::Postponed { until, .. } => Some(*until),
        _ => None,
    };
    let (state, seconds, problem) = match outcome {
        Outcome::Sent => ("sent", 0, ""),
        Outcome::Gathered => ("gathered", 0, ""),
        Outcome::Postponed { seconds, .. } => ("queued", *seconds, ""),
        Outcome::Suppressed => ("suppressed", 0, ""),
        Outcome::Late => ("late", 0, ""),
        Outcome::Failed(problem) => ("failed", 0, problem.as_str()),
        Outcome::Later { seconds, problem } => ("queued", *seconds, problem.as_str()),
    };
    let problem: String = problem.chars().take(MAX_PROBLEM).collect();
    let statement = tx.query(
        "UPDATE messages
        SET state = $3,
            next_try_at = now() + make_interval(secs => $4),
            problem = $5,
            postponed_until = coalesce($6, postponed_until),
            attempts = CASE WHEN $6 IS NULL THEN attempts ELSE 0 END,
            done_at = now() + CASE WHEN $3 <> 'queued' THEN interval '0' END
        WHERE company_id = $1 AND id = $2 AND state = 'queued'",
    );
    let statement = statement
        .bind(id)
        .bind(state)
        .bind(seconds)
        .bind(problem)
        .bind(until);
    tx.run(statement).await
}

/// Deletes messages that left the queue more than 90 days ago, up to `at_most`, and returns how many.
pub async fn delete_old(lookup: &mut LookupConnection, at_most: i64) -> Result<i64, ServiceError> {
    let deleted = sqlx::query_scalar("SELECT forget_messages($1)").bind(at_most);
    Ok(deleted.fetch_one(&mut **lookup).await?)
}
