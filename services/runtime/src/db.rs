//! The only door to SQL.
//!
//! A service's role is subject to row-level security: without a company set it sees no row.
//! [`Database::tenant`] opens a transaction with the company set; [`Database::lookup`] is for the
//! few functions that work before or across companies, which the database itself defines.

mod migration;
mod pool_meter;

use futures::future::BoxFuture;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::{Duration, Instant};

use secrecy::{ExposeSecret as _, SecretString};
use sqlx::migrate::Migrator;
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{
    AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _, PgConnection, PgPool,
    Postgres,
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

pub use self::migration::{Patience, migrate, migrate_with};
use self::pool_meter::PoolMeter;
use crate::error::Failure;
use crate::identity::{Service, Tenant};
use crate::telemetry::{self, trace};

/// How long a connection may lie idle before it is tested again.
const TRUST_IDLE: Duration = Duration::from_secs(5);
/// How long a database may take to say that it is there.
const ANSWER: Duration = Duration::from_secs(1);
/// How long somebody waits for a connection.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long opening one may take. Goes on when whoever asked for it has left: over a slow line it
/// takes longer than they wait, and given up each time, none would ever be opened.
const OPENING: Duration = Duration::from_secs(5);

/// A service's connections, as its own role. Handlers cannot reach the pool inside.
#[derive(Clone, Debug)]
pub struct Database(Arc<Connections>);

#[derive(Debug)]
struct Connections {
    pool: PgPool,
    /// One for each connection: who waits for one does so here, and is forgotten on leaving.
    turns: Arc<Semaphore>,
    patience: Duration,
    meter: PoolMeter,
}

impl Database {
    /// Prepares connections; none is opened before the first use, so a database that is away at
    /// start does not stop the process.
    pub fn connect(url: &SecretString, max_connections: u32) -> Result<Self, Failure> {
        Self::connect_with(url, max_connections, PATIENCE)
    }

    /// The same, with a connection waited for as long as `patience`.
    pub fn connect_with(
        url: &SecretString,
        max_connections: u32,
        patience: Duration,
    ) -> Result<Self, Failure> {
        let options: PgConnectOptions = url.expose_secret().parse().map_err(Failure::internal)?;
        let meter = PoolMeter::new(service_of(options.get_username()));
        let options = options.options([
            ("statement_timeout", "3s"),
            ("lock_timeout", "1s"),
            ("idle_in_transaction_session_timeout", "10s"),
            // Row-level security and optional filters make planning cost more than running;
            // queries are written so that one plan serves every company.
            ("plan_cache_mode", "force_generic_plan"),
        ]);
        // Only traces want to know of statements.
        let options = if telemetry::export::is_on() {
            options
        } else {
            options.disable_statement_logging()
        };
        let pool = PgPoolOptions::new()
            .max_connections(max_connections)
            .acquire_timeout(OPENING)
            // A connection is tested when it comes back; once more only if it lay idle since.
            .test_before_acquire(false)
            .before_acquire(|connection, metadata| {
                let idle = metadata.idle_for > TRUST_IDLE;
                Box::pin(async move {
                    if idle {
                        connection.ping().await?;
                    }
                    Ok(true)
                })
            })
            .connect_lazy_with(options);
        let turns = Arc::new(Semaphore::new(max_connections as usize));
        let connections = Arc::new(Connections {
            pool,
            turns,
            patience,
            meter,
        });
        pool_meter::watch(&connections, max_connections);
        Ok(Self(connections))
    }

    /// Opens a transaction that sees one company's rows.
    pub fn tenant(&self, tenant: Tenant) -> BoxFuture<'_, Result<TenantTx, Failure>> {
        Box::pin(async move {
            // Formatted, because a parameter would need a round trip of its own; a UUID has no quotes.
            // A statement, because a distributed database passes that on, and set_config() not.
            let begin = format!(
                "BEGIN; SET LOCAL app.company_id = '{}'",
                tenant.company_id().as_hyphenated()
            );
            // A begin that is given up half-way would leave a transaction that the pool does not know
            // of, and the connection's next user would inherit its company; see `open`.
            let begin = |pool: PgPool| async move { pool.begin_with(AssertSqlSafe(begin)).await };
            let (tx, turn) = self.open(begin).await?;
            Ok(TenantTx { tx, tenant, turn })
        })
    }

    /// A connection without a company, for functions the database defines for lookups.
    pub fn lookup(&self) -> BoxFuture<'_, Result<LookupConnection, Failure>> {
        Box::pin(async move {
            let (connection, turn) = self.open(acquire).await?;
            Ok(LookupConnection { connection, turn })
        })
    }

    /// Opens something in a task of its own, so that a caller that goes away can't stop it
    /// half-way. What nobody waits for any more is given back to the pool.
    async fn open<T, F>(
        &self,
        opening: impl FnOnce(PgPool) -> F,
    ) -> Result<(T, OwnedSemaphorePermit), sqlx::Error>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, sqlx::Error>> + Send + 'static,
    {
        let since = Instant::now();
        let opening = opening(self.0.pool.clone());
        let opened = timeout(self.0.patience, async {
            let turn = self.0.turns.clone().acquire_owned().await;
            let turn = turn.map_err(|_| sqlx::Error::PoolClosed)?;
            let task = trace::spawn(async move { Ok((opening.await?, turn)) });
            task.await.map_err(|_| sqlx::Error::WorkerCrashed)?
        });
        let opened = opened.await.unwrap_or(Err(sqlx::Error::PoolTimedOut));
        self.0.meter.note(since, &opened);
        opened
    }

    /// Whether the database answers. Whether there is a connection left for others to use is another
    /// matter: what is busy is not away.
    pub fn is_ready(&self) -> BoxFuture<'_, bool> {
        Box::pin(async move {
            match self.open(acquire).await {
                Ok((mut connection, _turn)) => answers(&mut connection).await,
                // All in use, or the server takes no connections: a new one tells which.
                Err(sqlx::Error::PoolTimedOut) => self.takes_connections().await,
                Err(_) => false,
            }
        })
    }

    async fn takes_connections(&self) -> bool {
        let options = self.0.pool.connect_options();
        match timeout(ANSWER, options.connect()).await {
            Ok(Ok(mut connection)) => {
                let ready = answers(&mut connection).await;
                let _ = timeout(ANSWER, connection.close()).await;
                ready
            }
            // It has given out as many as it may, ours among them.
            Ok(Err(sqlx::Error::Database(error))) => error.code().as_deref() == Some("53300"),
            Ok(Err(_)) | Err(_) => false,
        }
    }

    /// Closes all connections, waiting for those in use.
    pub fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.0.pool.close().await;
        })
    }
}

async fn acquire(pool: PgPool) -> Result<PoolConnection<Postgres>, sqlx::Error> {
    pool.acquire().await
}

async fn answers(connection: &mut PgConnection) -> bool {
    let answer = timeout(ANSWER, connection.execute("SELECT 1"));
    matches!(answer.await, Ok(Ok(_)))
}

/// A transaction that sees one company's rows. Dropped without commit, it leaves nothing behind.
#[derive(Debug)]
pub struct TenantTx {
    tx: sqlx::Transaction<'static, Postgres>,
    tenant: Tenant,
    #[expect(dead_code, reason = "given back with the connection")]
    turn: OwnedSemaphorePermit,
}

impl TenantTx {
    /// Whose rows it sees; bind its id in every query all the same.
    pub const fn tenant(&self) -> Tenant {
        self.tenant
    }

    /// Makes it last. Answer success only after this.
    pub fn commit(self) -> BoxFuture<'static, Result<(), Failure>> {
        Box::pin(async move {
            // In a task of its own, as the beginning: of a caller that goes away half-way nobody knows
            // whether the transaction ended, and it would be rolled back once more, without being there.
            let task = trace::spawn(self.end());
            Ok(task.await.map_err(Failure::internal)??)
        })
    }

    async fn end(self) -> Result<(), sqlx::Error> {
        self.tx.commit().await
    }
}

impl Deref for TenantTx {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.tx
    }
}

impl DerefMut for TenantTx {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.tx
    }
}

/// A connection that sees no tenant row; only lookup functions answer on it.
#[derive(Debug)]
pub struct LookupConnection {
    connection: PoolConnection<Postgres>,
    #[expect(dead_code, reason = "given back with the connection")]
    turn: OwnedSemaphorePermit,
}

impl Deref for LookupConnection {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.connection
    }
}

impl DerefMut for LookupConnection {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.connection
    }
}

/// The roles and the database of one service on a server.
#[derive(Clone, Debug)]
pub struct Provision {
    /// Which service.
    pub service: Service,
    /// Name of the database, and of the role the service signs in with.
    pub database: String,
    /// Password of the service's role.
    pub service_password: SecretString,
    /// Password of the owner role, which only migrates.
    pub owner_password: SecretString,
}

impl Provision {
    /// The role the service signs in with: never owner, never above row-level security.
    pub fn role(&self) -> String {
        service_role(self.service)
    }

    /// The role that owns the tables and runs migrations.
    pub fn owner(&self) -> String {
        format!("{}_owner", self.role())
    }

    /// Creates or updates roles and database on the server of `admin`, a superuser's connection.
    /// May run again, and at the same time as another.
    pub fn run<'a>(&'a self, admin: &'a mut PgConnection) -> BoxFuture<'a, Result<(), Failure>> {
        Box::pin(async move {
            let (role, owner, database) = (self.role(), self.owner(), &self.database);
            // Roles are server-wide; two processes may be making them at the same time.
            admin.execute("SELECT pg_advisory_lock(4711)").await?;
            let result = async {
                create_role(admin, "tenant_lookup", "NOLOGIN").await?;
                create_role(admin, &role, "LOGIN").await?;
                create_role(admin, &owner, "LOGIN").await?;
                for (name, password) in [
                    (&role, &self.service_password),
                    (&owner, &self.owner_password),
                ] {
                    set_password(admin, name, password).await?;
                }
                run(admin, format!("GRANT tenant_lookup TO {owner}")).await?;
                let exists = sqlx::query("SELECT 1 FROM pg_database WHERE datname = $1")
                    .bind(database)
                    .fetch_optional(&mut *admin)
                    .await?;
                if exists.is_none() {
                    run(admin, format!("CREATE DATABASE {database} OWNER {owner}")).await?;
                    run(
                        admin,
                        format!("REVOKE ALL ON DATABASE {database} FROM PUBLIC"),
                    )
                    .await?;
                }
                run(
                    admin,
                    format!("GRANT CONNECT ON DATABASE {database} TO {role}"),
                )
                .await
            }
            .await;
            admin.execute("SELECT pg_advisory_unlock(4711)").await?;
            result
        })
    }

    /// Brings the schema up to date, as the owner role.
    pub fn migrate<'a>(
        &'a self,
        owner_url: &'a SecretString,
        steps: &'a Migrator,
    ) -> BoxFuture<'a, Result<(), Failure>> {
        Box::pin(async move { migrate(self.service, owner_url, steps).await })
    }
}

/// The role a service signs in with.
fn service_role(service: Service) -> String {
    format!("hourmeter_{}", service.name().replace('-', "_"))
}

/// Whose role this is; another's where the role is of another kind, as in tests.
fn service_of(role: &str) -> &'static str {
    let mut all = Service::ALL.into_iter();
    let service = all.find(|service| service_role(*service) == role);
    service.map_or("other", Service::name)
}

/// Opens a connection as the server's superuser.
pub fn connect_admin(url: &SecretString) -> BoxFuture<'_, Result<PgConnection, Failure>> {
    Box::pin(async move {
        let options: PgConnectOptions = url.expose_secret().parse().map_err(Failure::internal)?;
        Ok(options.disable_statement_logging().connect().await?)
    })
}

/// The same server, other role and database.
pub fn url_for(
    url: &SecretString,
    role: &str,
    password: &SecretString,
    database: &str,
) -> Result<SecretString, Failure> {
    let options: PgConnectOptions = url.expose_secret().parse().map_err(Failure::internal)?;
    let (host, port) = (options.get_host(), options.get_port());
    let password = password.expose_secret();
    Ok(format!("postgres://{role}:{password}@{host}:{port}/{database}").into())
}

async fn create_role(admin: &mut PgConnection, name: &str, kind: &str) -> Result<(), Failure> {
    let exists = sqlx::query("SELECT 1 FROM pg_roles WHERE rolname = $1")
        .bind(name)
        .fetch_optional(&mut *admin)
        .await?;
    if exists.is_some() {
        return Ok(());
    }
    run(
        admin,
        format!("CREATE ROLE {name} {kind} NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE"),
    )
    .await
}

async fn set_password(
    admin: &mut PgConnection,
    role: &str,
    password: &SecretString,
) -> Result<(), Failure> {
    let quoted = password.expose_secret().replace('\'', "''");
    run(admin, format!("ALTER ROLE {role} PASSWORD '{quoted}'")).await
}

/// Runs a statement made of our own names only.
async fn run(connection: &mut PgConnection, sql: String) -> Result<(), Failure> {
    connection.execute(AssertSqlSafe(sql)).await?;
    Ok(())
}
