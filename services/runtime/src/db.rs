//! Database access. All SQL of the services goes through this module.
//!
//! A service's role is subject to row-level security: without a company set it sees no rows.
//! [`Database::tenant`] opens a transaction with the company set; [`Database::lookup`] is for the
//! database functions that work before a company is known or across companies.

mod migration;
mod pool;
mod provision;

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use secrecy::{ExposeSecret as _, SecretString};
use sqlx::postgres::{PgArguments, PgConnectOptions, PgRow};
use sqlx::query::{Query, QueryAs, QueryScalar};
use sqlx::{
    AssertSqlSafe, ConnectOptions as _, Executor as _, FromRow, PgConnection, Postgres, SqlSafeStr,
};
use uuid::Uuid;

pub use self::migration::{MigrationTimeouts, migrate, migrate_with};
use self::pool::{Pool, PooledConnection, State};
pub use self::provision::{Provision, connect_admin, url_for};
use crate::error::ServiceError;
use crate::identity::{Service, Tenant};
use crate::telemetry;

/// Default time to wait for a connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(1);

/// The connection pool of a service, with the service's own role.
#[derive(Clone, Debug)]
pub struct Database(Arc<Pool>);

impl Database {
    /// Creates the pool, which connects at the first use: the database may be down at the start.
    pub fn connect(url: &SecretString, max_connections: u32) -> Result<Self, ServiceError> {
        Self::connect_with(url, max_connections, ACQUIRE_TIMEOUT)
    }

    /// [`Database::connect`] with another time to wait for a connection.
    pub fn connect_with(
        url: &SecretString,
        max_connections: u32,
        acquire_timeout: Duration,
    ) -> Result<Self, ServiceError> {
        let options = parse_url(url)?;
        let service = service_of(options.get_username());
        let options = options.options([
            ("statement_timeout", "3s"),
            ("lock_timeout", "1s"),
            ("idle_in_transaction_session_timeout", "10s"),
        ]);
        // Row-level security and optional filters make planning more expensive than execution;
        // queries are written so that one plan fits every company, and migrations set the rows
        // per company that the planner expects. Citus must see the company to find its shard, so
        // a URL may set another mode.
        let mode = "plan_cache_mode";
        let options = match options.get_options() {
            Some(own) if own.contains(mode) => options,
            _ => options.options([(mode, "force_generic_plan")]),
        };
        // Statements are logged for traces only.
        let options = if telemetry::export::is_on() {
            options
        } else {
            options.disable_statement_logging()
        };
        let pool = Pool::new(options, max_connections, acquire_timeout, service);
        Ok(Self(Arc::new(pool.map_err(ServiceError::internal)?)))
    }

    /// Opens a transaction that sees one company's rows.
    pub fn tenant(&self, tenant: Tenant) -> BoxFuture<'_, Result<TenantTx, ServiceError>> {
        self.begin(tenant, String::new())
    }

    /// Opens a transaction that also holds the company's advisory lock `id`; waits for it.
    pub fn tenant_with_lock(
        &self,
        tenant: Tenant,
        id: Uuid,
    ) -> BoxFuture<'_, Result<TenantTx, ServiceError>> {
        self.begin(tenant, format!("; {}", advisory_lock(tenant, id)))
    }

    fn begin(&self, tenant: Tenant, then: String) -> BoxFuture<'_, Result<TenantTx, ServiceError>> {
        Box::pin(async move {
            let mut connection = self.0.lend().await?;
            // Formatted, because a parameter needs another round trip; a UUID contains no quotes.
            let company = tenant.company_id();
            let begin = format!("BEGIN; SET LOCAL app.company_id = '{company}'{then}");
            connection.state = State::Changing;
            connection.execute(AssertSqlSafe(begin)).await?;
            connection.state = State::InTransaction;
            Ok(TenantTx { connection, tenant })
        })
    }

    /// Takes a connection for single queries of one company's rows, without a transaction. Only
    /// [`scoped`] queries see rows.
    pub fn read(&self, tenant: Tenant) -> BoxFuture<'_, Result<TenantRead, ServiceError>> {
        Box::pin(async move {
            let mut connection = self.0.lend().await?;
            connection.state = State::Used;
            Ok(TenantRead { connection, tenant })
        })
    }

    /// Takes a connection without a company, for the database's lookup functions.
    pub fn lookup(&self) -> BoxFuture<'_, Result<LookupConnection, ServiceError>> {
        Box::pin(async move {
            let mut connection = self.0.lend().await?;
            connection.state = State::Used;
            Ok(LookupConnection { connection })
        })
    }

    /// Whether the database answers; true also while all connections are in use.
    pub fn is_ready(&self) -> BoxFuture<'_, bool> {
        Box::pin(self.0.answers())
    }

    /// Closes all connections; waits for those in use.
    pub fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.0.close())
    }
}

/// A statement of [`TenantTx::query`].
pub type Statement<'q> = Query<'q, Postgres, PgArguments>;
/// A query of rows, of [`TenantTx::query_as`] or [`TenantRead::query_as`].
pub type RowQuery<'q, R> = QueryAs<'q, Postgres, R, PgArguments>;
/// A query of a column, of [`TenantTx::query_scalar`] or [`TenantRead::query_scalar`].
pub type ColumnQuery<'q, T> = QueryScalar<'q, Postgres, T, PgArguments>;

/// A transaction that sees one company's rows. Dropping it rolls back.
#[derive(Debug)]
pub struct TenantTx {
    connection: PooledConnection,
    tenant: Tenant,
}

impl TenantTx {
    /// The company whose rows it sees. Queries must also filter by its id.
    pub const fn tenant(&self) -> Tenant {
        self.tenant
    }

    /// A statement with the company's id as `$1`.
    pub fn query<'q>(&self, sql: impl SqlSafeStr) -> Statement<'q> {
        sqlx::query(sql).bind(self.tenant.company_id())
    }

    /// A query of rows with the company's id as `$1`.
    pub fn query_as<'q, R>(&self, sql: impl SqlSafeStr) -> RowQuery<'q, R>
    where
        R: for<'r> FromRow<'r, PgRow>,
    {
        sqlx::query_as(sql).bind(self.tenant.company_id())
    }

    /// A query of a column with the company's id as `$1`.
    pub fn query_scalar<'q, T>(&self, sql: impl SqlSafeStr) -> ColumnQuery<'q, T>
    where
        (T,): for<'r> FromRow<'r, PgRow>,
    {
        sqlx::query_scalar(sql).bind(self.tenant.company_id())
    }

    /// Runs a statement that returns no rows.
    pub fn run<'a>(
        &'a mut self,
        statement: Statement<'a>,
    ) -> BoxFuture<'a, Result<(), ServiceError>> {
        Box::pin(async move {
            statement.execute(&mut *self.connection).await?;
            Ok(())
        })
    }

    /// Takes the company's advisory lock `id` until the end of the transaction; waits for it.
    pub fn lock(&mut self, id: Uuid) -> BoxFuture<'_, Result<(), ServiceError>> {
        Box::pin(async move {
            let lock = advisory_lock(self.tenant, id);
            self.connection.execute(AssertSqlSafe(lock)).await?;
            Ok(())
        })
    }

    /// Commits. Report success only afterwards.
    pub fn commit(mut self) -> BoxFuture<'static, Result<(), ServiceError>> {
        Box::pin(async move {
            self.connection.state = State::Changing;
            self.connection.execute("COMMIT").await?;
            self.connection.done();
            Ok(())
        })
    }
}

fn advisory_lock(tenant: Tenant, id: Uuid) -> String {
    let company = tenant.company_id();
    format!("SELECT pg_advisory_xact_lock(hashtextextended('{company}{id}', 0))")
}

/// The text around a query, and around the company's parameter, that sets the company within the
/// same statement, so that the query needs no transaction.
///
/// PostgreSQL evaluates a condition without columns once, before it scans anything, and the value
/// that `set_config` sets here ends with the statement. `OFFSET 0` prevents that a condition of the
/// query is evaluated first.
pub const SCOPE: [&str; 3] = [
    "SELECT * FROM (",
    " OFFSET 0) AS found WHERE (SELECT set_config('app.company_id', ",
    "::uuid::text, true)) IS NOT NULL",
];

/// Wraps a query so that it sees one company's rows without a transaction. `$1` is the company id.
pub fn scoped(query: &str) -> String {
    let [begin, middle, end] = SCOPE;
    format!("{begin}{query}{middle}$1{end}")
}

/// A connection for single queries of one company's rows; see [`Database::read`].
#[derive(Debug)]
pub struct TenantRead {
    connection: PooledConnection,
    tenant: Tenant,
}

impl TenantRead {
    /// The company whose rows it sees.
    pub const fn tenant(&self) -> Tenant {
        self.tenant
    }

    /// A [`scoped`] query of rows with the company's id as `$1`.
    pub fn query_as<'q, R>(&self, sql: &'static str) -> RowQuery<'q, R>
    where
        R: for<'r> FromRow<'r, PgRow>,
    {
        sqlx::query_as(AssertSqlSafe(scoped(sql))).bind(self.tenant.company_id())
    }

    /// A [`scoped`] query of a column with the company's id as `$1`.
    pub fn query_scalar<'q, T>(&self, sql: &'static str) -> ColumnQuery<'q, T>
    where
        (T,): for<'r> FromRow<'r, PgRow>,
    {
        sqlx::query_scalar(AssertSqlSafe(scoped(sql))).bind(self.tenant.company_id())
    }

    /// Gives the connection back after the last answer. One that is dropped is checked first.
    pub fn done(self) {
        self.connection.done();
    }
}

/// A connection that sees no tenant's rows, for lookup functions.
#[derive(Debug)]
pub struct LookupConnection {
    connection: PooledConnection,
}

impl LookupConnection {
    /// Gives the connection back after the last answer. One that is dropped is checked first.
    pub fn done(self) {
        self.connection.done();
    }
}

/// Lets queries run on its connection.
macro_rules! deref_to_connection {
    ($($name:ident),+) => {$(
        impl Deref for $name {
            type Target = PgConnection;

            fn deref(&self) -> &PgConnection {
                &self.connection
            }
        }

        impl DerefMut for $name {
            fn deref_mut(&mut self) -> &mut PgConnection {
                &mut self.connection
            }
        }
    )+};
}

deref_to_connection!(TenantTx, TenantRead, LookupConnection);

fn parse_url(url: &SecretString) -> Result<PgConnectOptions, ServiceError> {
    url.expose_secret().parse().map_err(ServiceError::internal)
}

fn service_role(service: Service) -> String {
    format!("hourmeter_{}", service.name().replace('-', "_"))
}

/// The service of a role; "other" for roles of tests and tools.
fn service_of(role: &str) -> &'static str {
    let mut all = Service::ALL.into_iter();
    let service = all.find(|service| service_role(*service) == role);
    service.map_or("other", Service::name)
}

/// Runs a statement that contains no user input.
async fn run(connection: &mut PgConnection, sql: String) -> Result<(), ServiceError> {
    connection.execute(AssertSqlSafe(sql)).await?;
    Ok(())
}
