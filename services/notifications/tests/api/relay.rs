//! Facts on their way from the outbox of a service, with calls that fail.

use std::time::Duration;

use hourmeter_proto::notifications::v1::Fact;
use hourmeter_runtime::client::{Backend, GrpcRequest};
use hourmeter_runtime::db::connect_admin;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::facts::{FactOutbox, start_facts};
use hourmeter_runtime::identity::{Service, Signer, Tenant};
use hourmeter_runtime::testing::{RELAY_SECRET, owner};
use sqlx::{Executor as _, PgConnection};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;
use uuid::Uuid;

use crate::support::{TestNotifications, flagged};

/// The table `outbox` of this test.
struct Outbox;

impl FactOutbox for Outbox {
    type Row = Uuid;

    async fn claim(
        connection: &mut PgConnection,
        tenant: Tenant,
        at_most: i64,
        retry_seconds: i32,
    ) -> Result<Vec<Uuid>, ServiceError> {
        let claimed = sqlx::query_scalar(
            "WITH due AS (
                SELECT id FROM outbox WHERE company_id = $1 AND next_try_at <= now()
                LIMIT $2
                FOR UPDATE SKIP LOCKED
            )
            UPDATE outbox o
            SET next_try_at = now() + make_interval(secs => $3)
            FROM due
            WHERE o.id = due.id
            RETURNING o.id",
        )
        .bind(tenant.company_id())
        .bind(at_most)
        .bind(retry_seconds);
        Ok(claimed.fetch_all(connection).await?)
    }

    async fn delete(
        connection: &mut PgConnection,
        _: Tenant,
        facts: &[Uuid],
    ) -> Result<(), ServiceError> {
        let delete = sqlx::query("DELETE FROM outbox WHERE id = ANY ($1)").bind(facts);
        delete.execute(connection).await?;
        Ok(())
    }

    fn message(id: &Uuid) -> Option<Fact> {
        Some(flagged(&id.to_string()))
    }
}

const TABLE: &str = "
    CREATE TABLE outbox (
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
        company_id uuid NOT NULL,
        next_try_at timestamptz NOT NULL DEFAULT now()
    );
    GRANT SELECT, UPDATE, DELETE ON outbox TO hourmeter_notifications;
    CREATE FUNCTION due_facts(at_most integer) RETURNS SETOF uuid LANGUAGE sql SECURITY DEFINER AS
        $$ SELECT DISTINCT company_id FROM public.outbox WHERE next_try_at <= now() LIMIT at_most $$;";

const FACTS: usize = 300;

/// A third of the calls fail before they arrive, and a third of the responses are lost.
fn unreliable(backend: Backend) -> Backend {
    Backend::new(tower::service_fn(move |request: GrpcRequest| {
        let backend = backend.clone();
        async move {
            let chance = fastrand::u8(0..3);
            if chance == 0 {
                return Err(tonic::Status::unavailable("lost"));
            }
            let response = backend.oneshot(request).await;
            if chance == 1 {
                return Err(tonic::Status::unavailable("lost"));
            }
            response
        }
    }))
}

/// Starts a relay, as another process does.
fn start(app: &TestNotifications) -> CancellationToken {
    let stop = CancellationToken::new();
    let signer = Signer::new("operator-updates", &RELAY_SECRET).unwrap();
    let database = app.database.database.clone();
    let backend = unreliable(app.backend.clone());
    start_facts::<Outbox>(
        Service::OperatorUpdates,
        database,
        backend,
        signer,
        &stop.clone().into(),
    );
    stop
}

#[tokio::test]
async fn facts_are_recorded_once_whatever_fails() {
    let app = TestNotifications::new().await;
    let mut admin = connect_admin(&app.database.admin_url).await.unwrap();
    admin.execute(TABLE).await.unwrap();
    let companies = [owner(), owner(), owner()].map(|owner| owner.company_id);
    let mut relays = [start(&app), start(&app)];
    for number in 0..FACTS {
        sqlx::query("INSERT INTO outbox (company_id) VALUES ($1)")
            .bind(companies[fastrand::usize(0..companies.len())])
            .execute(&mut admin)
            .await
            .unwrap();
        tokio::time::sleep(Duration::from_millis(10)).await;
        if number % 50 == 0 {
            // A process is killed, and its facts become due again.
            let relay = &mut relays[fastrand::usize(0..2)];
            relay.cancel();
            *relay = start(&app);
            let due = "UPDATE outbox SET next_try_at = now()";
            admin.execute(due).await.unwrap();
        }
    }
    for _ in 0..300 {
        let left: i64 = sqlx::query_scalar("SELECT count(*) FROM outbox")
            .fetch_one(&mut admin)
            .await
            .unwrap();
        if left == 0 {
            break;
        }
        let due = "UPDATE outbox SET next_try_at = now()";
        admin.execute(due).await.unwrap();
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(app.count_rows("outbox").await, 0);
    let recorded = app.count_rows("notifications").await;
    assert_eq!(usize::try_from(recorded).unwrap(), FACTS);
    relays.iter().for_each(CancellationToken::cancel);
}
