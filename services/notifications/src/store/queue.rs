//! Statements that queue messages.

use chrono::{DateTime, Utc};
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use uuid::Uuid;

use super::messages::MessageKind;
use super::watches::watched;
use crate::fact::Fact;

/// Queues a message for each row of a query. `$query` continues `SELECT $1, gen_random_uuid(), 'queued', $2,`
/// with the person, the kind, the time of the first attempt and `$columns`; `$2` is the time.
macro_rules! queue {
    ($columns:literal, $($query:tt)+) => {
        concat!(
            "INSERT INTO messages (
                company_id, id, state, created_at, person_id, kind, next_try_at, ",
            $columns,
            ")
            SELECT $1, gen_random_uuid(), 'queued', $2, ",
            $($query)+,
            " RETURNING 1"
        )
    };
}

/// Queues notifications for the browsers of those whom they notify and who want that. A browser gets at most
/// one push a minute; more are gathered.
pub const PUSH: &str = queue!(
    "subscription_id, notification_number",
    "s.person_id,
        'push',
        coalesce(
            (
                SELECT max(p.done_at) + interval '1 minute'
                FROM messages p
                WHERE p.company_id = $1
                  AND p.person_id = s.person_id
                  AND p.subscription_id = s.id
                  AND p.kind = 'push'
                  AND p.state = 'sent'
                  AND p.done_at > now() - interval '1 minute'
            ),
            now()
        ),
        s.id,
        n.number
    FROM notifications n
    JOIN push_subscriptions s
        ON s.company_id = $1
        AND (s.person_id = n.person_id OR (s.is_manager AND n.person_id IS NULL))
        AND s.person_id IS DISTINCT FROM n.actor_id
    LEFT JOIN settings t ON t.company_id = $1 AND t.person_id = s.person_id
    LEFT JOIN watches w ON w.company_id = $1 AND w.person_id = s.person_id
    WHERE n.company_id = $1
      AND n.number = ANY ($3)
      AND CASE n.fact ->> 'kind'
          WHEN 'flagged_update' THEN coalesce(t.flagged_push, true)
          WHEN 'returned_update' THEN coalesce(t.returned_push, true)
          ELSE coalesce(t.status_push, NOT s.is_manager)
      END
      AND (n.person_id IS NOT NULL OR ",
    watched!(),
    ")"
);

/// Queues text messages for those who want them. The first waits a minute for others.
pub const SMS: &str = queue!(
    "notification_number, postponed_until",
    "s.person_id,
        'sms',
        coalesce(q.next_try_at, now() + interval '1 minute'),
        n.number,
        q.postponed_until
    FROM notifications n
    JOIN sms_numbers s
        ON s.company_id = $1
        AND s.verified_at IS NOT NULL
        AND (s.person_id = n.person_id OR (s.is_manager AND n.person_id IS NULL))
        AND s.person_id IS DISTINCT FROM n.actor_id
    JOIN settings t ON t.company_id = $1 AND t.person_id = s.person_id
    LEFT JOIN watches w ON w.company_id = $1 AND w.person_id = s.person_id
    LEFT JOIN LATERAL (
        SELECT m.next_try_at, m.postponed_until
        FROM messages m
        WHERE m.company_id = $1
          AND m.person_id = s.person_id
          AND m.kind = 'sms'
          AND m.state = 'queued'
          AND m.attempts = 0
        ORDER BY m.next_try_at
        LIMIT 1
    ) q ON true
    WHERE n.company_id = $1
      AND n.number = ANY ($3)
      AND CASE n.fact ->> 'kind'
          WHEN 'flagged_update' THEN t.flagged_sms
          WHEN 'returned_update' THEN t.returned_sms
          ELSE t.status_sms
      END
      AND (n.person_id IS NOT NULL OR ",
    watched!(),
    ")"
);

/// Queues mail about flagged updates for those who want it. The first waits for others.
pub const FLAGGED_MAIL: &str = queue!(
    "notification_number, postponed_until",
    "s.person_id,
        'flagged_mail',
        coalesce(q.next_try_at, now() + interval '5 minutes'),
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
      AND n.number = ANY ($3)
      AND n.person_id IS NULL
      AND ",
    watched!()
);

/// Queues mail about the plan for all who verified an address: each of them has a row in `digests`.
pub const PLAN_MAIL: &str = queue!(
    "notification_number",
    "d.person_id, 'plan_mail', now(), n.number
    FROM notifications n
    JOIN digests d ON d.company_id = $1 AND d.person_id IS DISTINCT FROM n.actor_id
    WHERE n.company_id = $1 AND n.number = ANY ($3)"
);

/// Queues the notice to operators about a change of status, unless the notification is for one person.
pub const OPERATORS: &str = queue!(
    "notification_number",
    "coalesce(n.actor_id, '00000000-0000-0000-0000-000000000000'), 'operators', now(), n.number
    FROM notifications n
    WHERE n.company_id = $1 AND n.number = ANY ($3) AND n.person_id IS NULL"
);

/// Queues messages about these notifications by a statement.
pub async fn about(
    tx: &mut TenantTx,
    statement: &'static str,
    numbers: &[i64],
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let statement = tx.query(statement);
    tx.run(statement.bind(now).bind(numbers)).await
}

/// Queues mail about these security events: to the person, and to the address before a change.
pub async fn security_mail(
    tx: &mut TenantTx,
    events: &[(i64, &Fact)],
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    const QUEUE: &str = queue!(
        "notification_number, address",
        "e.person_id, 'security_mail', now(), e.number, e.address
        FROM unnest($3::bigint[], $4::uuid[], $5::text[]) AS e (number, person_id, address)"
    );
    let (mut numbers, mut people, mut addresses) = (Vec::new(), Vec::new(), Vec::new());
    for (number, fact) in events {
        let former = fact.former_address.as_deref().map(Some);
        for address in former.into_iter().chain([None]) {
            numbers.push(*number);
            people.push(fact.person_id());
            addresses.push(address);
        }
    }
    let statement = tx
        .query(QUEUE)
        .bind(now)
        .bind(numbers)
        .bind(people)
        .bind(addresses);
    tx.run(statement).await
}

/// Queues a test for the browsers of a person, unless one was queued in the last minute.
pub async fn test_push(
    tx: &mut TenantTx,
    person_id: Uuid,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    const QUEUE: &str = queue!(
        "subscription_id",
        "s.person_id, 'test_push', now(), s.id
        FROM push_subscriptions s
        WHERE s.company_id = $1 AND s.person_id = $3 AND NOT EXISTS (
            SELECT FROM messages
            WHERE company_id = $1
              AND person_id = $3
              AND kind = 'test_push'
              AND created_at > $2 - interval '1 minute'
        )"
    );
    let statement = tx.query(QUEUE);
    tx.run(statement.bind(now).bind(person_id)).await
}

/// Queues mail, unless some of this kind was queued for the person in the last minute.
pub async fn mail(
    tx: &mut TenantTx,
    kind: MessageKind,
    person_id: Uuid,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let statement = tx.query(
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
    );
    let statement = statement
        .bind(Uuid::now_v7())
        .bind(person_id)
        .bind(now)
        .bind(kind.as_str());
    tx.run(statement).await
}

/// Queues a code for the person's number.
pub async fn sms_code(
    tx: &mut TenantTx,
    person_id: Uuid,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    // Only the last code is valid.
    let statement = tx.query(
        "UPDATE messages
        SET state = 'suppressed', done_at = now()
        WHERE company_id = $1 AND person_id = $2 AND kind = 'sms_code' AND state = 'queued'",
    );
    tx.run(statement.bind(person_id)).await?;
    let statement = tx.query(
        "INSERT INTO messages (company_id, id, person_id, kind, state, next_try_at, created_at)
        VALUES ($1, $2, $3, 'sms_code', 'queued', now(), $4)",
    );
    tx.run(statement.bind(Uuid::now_v7()).bind(person_id).bind(now))
        .await
}
