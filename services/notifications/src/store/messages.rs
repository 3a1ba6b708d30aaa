//! Queued and sent messages.

use chrono::{DateTime, Utc};
use hourmeter_runtime::db::{LookupConnection, scoped};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use sqlx::{AssertSqlSafe, PgConnection};
use uuid::Uuid;

use super::watches::watched;
use crate::fact::Fact;

const MAX_PROBLEM: usize = 500;

#[derive(sqlx_macros::FromRow)]
struct Row {
    id: Uuid,
    person_id: Uuid,
    kind: String,
    subscription_id: Option<Uuid>,
    notification_number: Option<i64>,
    address: Option<String>,
    attempts: i32,
    is_late: bool,
}

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

impl TryFrom<Row> for QueuedMessage {
    type Error = ServiceError;

    fn try_from(row: Row) -> Result<Self, ServiceError> {
        let mut kinds = MessageKind::ALL.into_iter();
        let kind = kinds.find(|kind| kind.name() == row.kind);
        Ok(Self {
            id: row.id,
            person_id: row.person_id,
            kind: kind.ok_or_else(|| ServiceError::internal("unknown kind of message"))?,
            subscription_id: row.subscription_id,
            notification_number: row.notification_number,
            address: row.address,
            attempts: row.attempts,
            is_late: row.is_late,
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageKind {
    /// A link that verifies the address.
    AddressVerification,
    /// A link that sets a new password.
    PasswordRecovery,
    /// The digest of a morning; not sent if there is nothing to say.
    Digest,
    /// A digest that the person asked for.
    RequestedDigest,
    /// A notification for a browser.
    Push,
    /// A test that the person asked for.
    TestPush,
    /// Mail about a flagged update.
    FlaggedMail,
    /// Mail about the security of the account, which nobody can turn off.
    SecurityMail,
    /// Mail about the plan, which nobody can turn off.
    PlanMail,
    /// Notifications of operators about the status of a machine.
    Operators,
    /// A text message about a notification.
    Sms,
    /// A text message with the code that verifies the number.
    SmsCode,
}

impl MessageKind {
    const ALL: [Self; 12] = [
        Self::AddressVerification,
        Self::PasswordRecovery,
        Self::Digest,
        Self::RequestedDigest,
        Self::Push,
        Self::TestPush,
        Self::FlaggedMail,
        Self::SecurityMail,
        Self::PlanMail,
        Self::Operators,
        Self::Sms,
        Self::SmsCode,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::AddressVerification => "address_verification",
            Self::PasswordRecovery => "password_recovery",
            Self::Digest => "digest",
            Self::RequestedDigest => "requested_digest",
            Self::Push => "push",
            Self::TestPush => "test_push",
            Self::FlaggedMail => "flagged_mail",
            Self::SecurityMail => "security_mail",
            Self::PlanMail => "plan_mail",
            Self::Operators => "operators",
            Self::Sms => "sms",
            Self::SmsCode => "sms_code",
        }
    }
}

fn names(kinds: &[MessageKind]) -> Vec<&'static str> {
    kinds.iter().map(|kind| kind.name()).collect()
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

/// Queues mail, unless some of this kind was queued for the person in the last minute.
pub async fn queue(
    connection: &mut PgConnection,
    tenant: Tenant,
    kind: MessageKind,
    person_id: Uuid,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    sqlx::query(
        "INSERT INTO messages (company_id, id, person_id, kind, state, next_try_at, created_at)
        SELECT $1, $2, $3, $5, 'queued', now(), $4
        WHERE NOT EXISTS (
            SELECT FROM messages
            WHERE company_id = $1
              AND person_id = $3
              AND kind = $5
              AND created_at > $4 - interval '1 minute'
        )
        RETURNING 1",
    )
    .bind(tenant.company_id())
    .bind(Uuid::now_v7())
    .bind(person_id)
    .bind(now)
    .bind(kind.name())
    .execute(connection)
    .await?;
    Ok(())
}

/// Queues mail about these notifications for those who want it. The first waits for others.
pub async fn queue_flagged(
    connection: &mut PgConnection,
    tenant: Tenant,
    numbers: &[i64],
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    const QUEUE: &str = concat!(
        "INSERT INTO messages (
            company_id,
            id,
            person_id,
            kind,
            state,
            next_try_at,
            created_at,
            notification_number,
            postponed_until
        )
        SELECT
            $1,
            gen_random_uuid(),
            s.person_id,
            'flagged_mail',
            'queued',
            coalesce(q.next_try_at, now() + interval '5 minutes'),
            $3,
            n.number,
            q.postponed_until
        FROM notifications n
        JOIN settings s
            ON s.company_id = $1
            AND s.flagged_mail
            AND s.person_id IS DISTINCT FROM n.actor_id
        LEFT JOIN watches w ON w.company_id = $1 AND w.person_id = s.person_id
        LEFT JOIN LATERAL (
            SELECT m.next_try_at, m.postponed_until
            FROM messages m
            WHERE m.company_id = $1
              AND m.person_id = s.person_id
              AND m.kind = 'flagged_mail'
              AND m.state = 'queued'
              AND m.attempts = 0
            ORDER BY m.next_try_at
            LIMIT 1
        ) q ON true
        WHERE n.company_id = $1
          AND n.number = ANY ($2)
          AND n.person_id IS NULL
          AND ",
        watched!(),
        " RETURNING 1"
    );
    sqlx::query(QUEUE)
        .bind(tenant.company_id())
        .bind(numbers)
        .bind(now)
        .execute(connection)
        .await?;
    Ok(())
}

/// Queues mail about these security events: to the person, and to the address before a change.
pub async fn queue_security(
    connection: &mut PgConnection,
    tenant: Tenant,
    events: &[(i64, &Fact)],
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let (mut numbers, mut people, mut addresses) = (Vec::new(), Vec::new(), Vec::new());
    for (number, fact) in events {
        let former = fact.former_address.as_deref().map(Some);
        for address in former.into_iter().chain([None]) {
            numbers.push(*number);
            people.push(fact.person_id());
            addresses.push(address);
        }
    }
    sqlx::query(
        "INSERT INTO messages (
            company_id,
            id,
            person_id,
            kind,
            state,
            next_try_at,
            created_at,
            notification_number,
            address
        )
        SELECT $1, gen_random_uuid(), e.person_id, 'security_mail', 'queued', now(), $2, e.number, e.address
        FROM unnest($3::bigint[], $4::uuid[], $5::text[]) AS e (number, person_id, address)
        RETURNING 1",
    )
    .bind(tenant.company_id())
    .bind(now)
    .bind(numbers)
    .bind(people)
    .bind(addresses)
    .execute(connection)
    .await?;
    Ok(())
}

/// Queues mail about the plan for all who verified an address.
pub async fn queue_plan(
    connection: &mut PgConnection,
    tenant: Tenant,
    numbers: &[i64],
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    // A verification starts a digest.
    sqlx::query(
        "INSERT INTO messages (
            company_id,
            id,
            person_id,
            kind,
            state,
            next_try_at,
            created_at,
            notification_number
        )
        SELECT $1, gen_random_uuid(), d.person_id, 'plan_mail', 'queued', now(), $2, n.number
        FROM notifications n
        JOIN digests d ON d.company_id = $1 AND d.person_id IS DISTINCT FROM n.actor_id
        WHERE n.company_id = $1 AND n.number = ANY ($3)
        RETURNING 1",
    )
    .bind(tenant.company_id())
    .bind(now)
    .bind(numbers)
    .execute(connection)
    .await?;
    Ok(())
}

/// Queues that operators are notified of these changes of a status, unless they are theirs already.
pub async fn queue_operators(
    connection: &mut PgConnection,
    tenant: Tenant,
    numbers: &[i64],
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    sqlx::query(
        "INSERT INTO messages (
            company_id,
            id,
            person_id,
            kind,
            state,
            next_try_at,
            created_at,
            notification_number
        )
        SELECT
            $1,
            gen_random_uuid(),
            coalesce(n.actor_id, '00000000-0000-0000-0000-000000000000'),
            'operators',
            'queued',
            now(),
            $2,
            n.number
        FROM notifications n
        WHERE n.company_id = $1 AND n.number = ANY ($3) AND n.person_id IS NULL
        RETURNING 1",
    )
    .bind(tenant.company_id())
    .bind(now)
    .bind(numbers)
    .execute(connection)
    .await?;
    Ok(())
}

/// Mail that was sent, newest first, and when.
pub async fn sent(
    connection: &mut PgConnection,
    tenant: Tenant,
    at_most: i64,
) -> Result<Vec<(Uuid, DateTime<Utc>)>, ServiceError> {
    let query = scoped(
        "SELECT id, done_at
        FROM messages
        WHERE company_id = $1
          AND state = 'sent'
          AND subscription_id IS NULL
          AND kind NOT IN ('sms', 'sms_code')
        ORDER BY done_at DESC
        LIMIT $2",
    );
    let sent = sqlx::query_as(AssertSqlSafe(query))
        .bind(tenant.company_id())
        .bind(at_most);
    Ok(sent.fetch_all(connection).await?)
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
    connection: &mut PgConnection,
    tenant: Tenant,
    kinds: &[MessageKind],
    at_most: i64,
    lease_seconds: i32,
    now: DateTime<Utc>,
) -> Result<Vec<QueuedMessage>, ServiceError> {
    let claimed = sqlx::query_as(
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
    )
    .bind(tenant.company_id())
    .bind(at_most)
    .bind(lease_seconds)
    .bind(now)
    .bind(names(kinds));
    let rows: Vec<Row> = claimed.fetch_all(connection).await?;
    rows.into_iter().map(TryInto::try_into).collect()
}

/// Stores the outcome of an attempt.
pub async fn finish(
    connection: &mut PgConnection,
    tenant: Tenant,
    id: Uuid,
    outcome: &Outcome,
) -> Result<(), ServiceError> {
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
    sqlx::query(
        "UPDATE messages
        SET state = $3,
            next_try_at = now() + make_interval(secs => $4),
            problem = $5,
            postponed_until = coalesce($6, postponed_until),
            attempts = CASE WHEN $6 IS NULL THEN attempts ELSE 0 END,
            done_at = now() + CASE WHEN $3 <> 'queued' THEN interval '0' END
        WHERE company_id = $1 AND id = $2 AND state = 'queued'",
    )
    .bind(tenant.company_id())
    .bind(id)
    .bind(state)
    .bind(seconds)
    .bind(problem)
    .bind(until)
    .execute(connection)
    .await?;
    Ok(())
}

/// Deletes messages that left the queue more than 90 days ago, up to `at_most`, and returns how many.
pub async fn delete_old(lookup: &mut LookupConnection, at_most: i64) -> Result<i64, ServiceError> {
    let deleted = sqlx::query_scalar("SELECT forget_messages($1)").bind(at_most);
    Ok(deleted.fetch_one(&mut **lookup).await?)
}
