//! Sends the facts of a service's outbox to the notifications service.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use hourmeter_proto::notifications::v1;
use hourmeter_proto::notifications::v1::notifications_service_client::NotificationsServiceClient;
use prost::Message as _;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::client::{Backend, CallerSigner, call_within};
use crate::db::{Database, LookupConnection};
use crate::error::ServiceError;
use crate::identity::{Service, Signer, Tenant};
use crate::rounds;
use crate::shutdown::BackgroundTasks;

/// Companies in one round.
const COMPANIES: i32 = 100;
/// Facts of a company in one round and one call.
const BATCH_SIZE: i64 = 100;
/// Companies served concurrently.
const CONCURRENCY: usize = 4;
/// A fact is sent again after this time unless it is confirmed.
const RETRY_SECONDS: i32 = 30;
const CALL_TIMEOUT: Duration = Duration::from_secs(5);

/// The outbox of a service. The database function `due_facts` returns the companies with facts to send.
pub trait FactOutbox: Send + Sync + 'static {
    /// A claimed fact.
    type Row: Send + Sync;

    /// Claims due facts of the company. They are due again after `retry_seconds` unless they are deleted.
    fn claim(
        connection: &mut PgConnection,
        tenant: Tenant,
        at_most: i64,
        retry_seconds: i32,
    ) -> impl Future<Output = Result<Vec<Self::Row>, ServiceError>> + Send;

    /// Deletes facts, except those that happened again meanwhile.
    fn delete(
        connection: &mut PgConnection,
        tenant: Tenant,
        facts: &[Self::Row],
    ) -> impl Future<Output = Result<(), ServiceError>> + Send;

    /// The fact for the notifications service; None: there is nothing to send any more.
    fn message(row: &Self::Row) -> Option<v1::Fact>;
}

/// The table `outbox` of a service, which has encoded facts.
#[derive(Debug)]
pub struct StoredFacts;

/// A row of `outbox`.
#[derive(Debug, sqlx_macros::FromRow)]
pub struct StoredFact {
    key: String,
    fact: Vec<u8>,
}

/// Stores a fact in `outbox`, unless one with its key waits there. Call it in the transaction of the change.
///
/// # Errors
/// If the database fails.
pub async fn store_fact(
    connection: &mut PgConnection,
    tenant: Tenant,
    fact: &v1::Fact,
) -> Result<(), ServiceError> {
    sqlx::query(
        "INSERT INTO outbox (company_id, key, fact, next_try_at) VALUES ($1, $2, $3, now())
        ON CONFLICT DO NOTHING",
    )
    .bind(tenant.company_id())
    .bind(&fact.key)
    .bind(fact.encode_to_vec())
    .execute(connection)
    .await?;
    Ok(())
}

impl FactOutbox for StoredFacts {
    type Row = StoredFact;

    async fn claim(
        connection: &mut PgConnection,
        tenant: Tenant,
        at_most: i64,
        retry_seconds: i32,
    ) -> Result<Vec<StoredFact>, ServiceError> {
        let claimed = sqlx::query_as(
            "WITH due AS (
                SELECT key
                FROM outbox
                WHERE company_id = $1 AND next_try_at <= now()
                ORDER BY next_try_at
                LIMIT $2
                FOR UPDATE SKIP LOCKED
            )
            UPDATE outbox o
            SET next_try_at = now() + make_interval(secs => $3)
            FROM due
            WHERE o.company_id = $1 AND o.key = due.key
            RETURNING o.key, o.fact",
        )
        .bind(tenant.company_id())
        .bind(at_most)
        .bind(retry_seconds);
        Ok(claimed.fetch_all(connection).await?)
    }

    async fn delete(
        connection: &mut PgConnection,
        tenant: Tenant,
        facts: &[StoredFact],
    ) -> Result<(), ServiceError> {
        let keys: Vec<&str> = facts.iter().map(|fact| fact.key.as_str()).collect();
        sqlx::query("DELETE FROM outbox WHERE company_id = $1 AND key = ANY ($2)")
            .bind(tenant.company_id())
            .bind(keys)
            .execute(connection)
            .await?;
        Ok(())
    }

    /// None: it can't be read.
    fn message(stored: &StoredFact) -> Option<v1::Fact> {
        v1::Fact::decode(stored.fact.as_slice()).ok()
    }
}

/// Sends the facts of the service's outbox until the process stops. Safe to run in several processes.
pub fn start_facts<O: FactOutbox>(
    service: Service,
    database: Database,
    notifications: Backend,
    signer: Signer,
    background: &BackgroundTasks,
) {
    let relay = FactRelay {
        service,
        database,
        client: NotificationsServiceClient::new(notifications),
        callers: CallerSigner::new(signer),
        outbox: PhantomData::<O>,
    };
    background.spawn(|stop| async move {
        let rounds = rounds::repeat(&stop, "send facts to notifications", || relay.round());
        stop.run_until_cancelled(rounds).await;
    });
}

struct FactRelay<O> {
    service: Service,
    database: Database,
    client: NotificationsServiceClient<Backend>,
    callers: Arc<CallerSigner>,
    outbox: PhantomData<O>,
}

impl<O: FactOutbox> FactRelay<O> {
    /// Sends due facts of some companies and returns whether there were any.
    async fn round(&self) -> Result<bool, ServiceError> {
        let mut lookup = self.database.lookup().await?;
        let companies = due(&mut lookup).await?;
        lookup.done();
        let sends = companies
            .into_iter()
            .map(|id| self.send(Tenant::from_lookup(id)));
        let mut results = futures::stream::iter(sends).buffer_unordered(CONCURRENCY);
        let mut found = Ok(false);
        while let Some(sent) = results.next().await {
            found = found.and_then(|found| Ok(sent? || found));
        }
        found
    }

    /// Claims and sends facts of a company and returns whether there were any.
    async fn send(&self, tenant: Tenant) -> Result<bool, ServiceError> {
        let mut tx = self.database.tenant(tenant).await?;
        let rows = O::claim(&mut tx, tenant, BATCH_SIZE, RETRY_SECONDS).await?;
        tx.commit().await?;
        let mut facts: Vec<v1::Fact> = rows.iter().filter_map(O::message).collect();
        // Notifications are numbered in this order.
        facts.sort_by_key(|fact| fact.happened_at.map(|at| (at.seconds, at.nanos)));
        if !facts.is_empty() {
            let message = v1::RecordFactsRequest { facts };
            let request = self.callers.request(self.service, tenant, message);
            let mut client = self.client.clone();
            call_within(CALL_TIMEOUT, client.record_facts(request)).await?;
        }
        let mut tx = self.database.tenant(tenant).await?;
        O::delete(&mut tx, tenant, &rows).await?;
        tx.commit().await?;
        Ok(!rows.is_empty())
    }
}

/// Companies with facts to send.
async fn due(lookup: &mut LookupConnection) -> Result<Vec<Uuid>, ServiceError> {
    let due = sqlx::query_scalar("SELECT due_facts($1)").bind(COMPANIES);
    Ok(due.fetch_all(&mut **lookup).await?)
}
