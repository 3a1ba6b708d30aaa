//! The connection pool, by deadpool, last in first out: few connections serve a steady load, so
//! that their plans and caches stay warm. sqlx's own pool rotates through all connections and pings
//! the server at every return.

use std::ops::{Deref, DerefMut};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use deadpool::Runtime;
use deadpool::managed::{
    Manager, Metrics, Object, PoolError, QueueMode, RecycleError, RecycleResult, Timeouts, WeakPool,
};
use opentelemetry::trace::FutureExt as _;
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, Executor as _, PgConnection};
use tokio::time::{sleep, timeout};
use tracing::Instrument as _;

use crate::telemetry::{Counter, Histogram, names, on_scrape};

/// Connections that were idle for longer are pinged before use.
const TRUST_IDLE: Duration = Duration::from_secs(5);
/// An idle connection is closed after this time.
const IDLE_TIMEOUT: Duration = Duration::from_mins(10);
/// A connection is closed after this time, because caches of its server process grow, and so that
/// load returns after a failover.
const LIFETIME: Duration = Duration::from_mins(30);
/// Connect timeout. Connecting continues after the caller has given up, because over a slow network
/// it can take longer than callers wait.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Timeout of a trivial query.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(1);

/// The connections of one service.
#[derive(Debug)]
pub struct Pool {
    connections: Connections,
    acquire_timeout: Duration,
    acquired: Histogram,
    timeouts: Counter,
    /// Set once the task that closes idle connections runs.
    sweeping: OnceLock<()>,
}

type Connections = deadpool::managed::Pool<Opener>;

struct Opener(PgConnectOptions);

/// Without the options, whose `Debug` has the password.
impl std::fmt::Debug for Opener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Opener")
    }
}

impl Manager for Opener {
    type Type = PgConnection;
    type Error = sqlx::Error;

    async fn create(&self) -> Result<PgConnection, sqlx::Error> {
        self.0.connect().await
    }

    async fn recycle(
        &self,
        connection: &mut PgConnection,
        metrics: &Metrics,
    ) -> RecycleResult<sqlx::Error> {
        if metrics.age() > LIFETIME {
            return Err(RecycleError::message("past its lifetime"));
        }
        if metrics.last_used() > TRUST_IDLE {
            connection.ping().await?;
        }
        Ok(())
    }
}

impl Pool {
    /// Opens no connection before the first use.
    pub fn new(
        options: PgConnectOptions,
        max: u32,
        acquire_timeout: Duration,
        service: &'static str,
    ) -> Result<Self, deadpool::managed::BuildError> {
        let connections = Connections::builder(Opener(options))
            .max_size(max as usize)
            .queue_mode(QueueMode::Lifo)
            .runtime(Runtime::Tokio1)
            .timeouts(Timeouts {
                wait: Some(acquire_timeout),
                create: Some(CONNECT_TIMEOUT),
                recycle: Some(RESPONSE_TIMEOUT),
            })
            .build()?;
        names::DB_CONNECTIONS_MAX.gauge([service]).set(max);
        watch(service, connections.weak());
        Ok(Self {
            connections,
            acquire_timeout,
            acquired: names::DB_ACQUIRE.histogram([service]),
            timeouts: names::DB_TIMEOUTS.counter([service]),
            sweeping: OnceLock::new(),
        })
    }

    /// Takes a connection. Fails with `PoolTimedOut` if none is free in time.
    pub async fn lend(&self) -> Result<PooledConnection, sqlx::Error> {
        let since = Instant::now();
        let lent = timeout(self.acquire_timeout, self.get()).await;
        let lent = lent.unwrap_or(Err(sqlx::Error::PoolTimedOut));
        self.acquired.record(since.elapsed());
        if matches!(lent, Err(sqlx::Error::PoolTimedOut)) {
            self.timeouts.increment(1);
        }
        lent
    }

    async fn get(&self) -> Result<PooledConnection, sqlx::Error> {
        let got = if self.connections.status().available > 0 {
            self.connections.get().await
        } else {
            self.sweeping.get_or_init(|| {
                tokio::spawn(close_idle(self.connections.weak()));
            });
            let connections = self.connections.clone();
            // In a task, so that connecting continues when the caller gives up.
            let opening = async move { connections.get().await };
            let opening = opening.in_current_span().with_current_context();
            tokio::spawn(opening)
                .await
                .map_err(|_| sqlx::Error::WorkerCrashed)?
        };
        match got {
            Ok(connection) => Ok(PooledConnection {
                connection: Some(connection),
                state: State::Sound,
            }),
            Err(PoolError::Backend(error)) => Err(error),
            Err(PoolError::Closed) => Err(sqlx::Error::PoolClosed),
            Err(_) => Err(sqlx::Error::PoolTimedOut),
        }
    }

    /// Whether the database answers; true also while all connections are in use.
    pub async fn answers(&self) -> bool {
        match self.lend().await {
            Ok(mut lease) => answers(&mut lease).await,
            // Either all are in use or the server accepts none: a new connection shows which.
            Err(sqlx::Error::PoolTimedOut) => self.takes_connections().await,
            Err(_) => false,
        }
    }

    async fn takes_connections(&self) -> bool {
        match timeout(RESPONSE_TIMEOUT, self.connections.manager().create()).await {
            Ok(Ok(mut connection)) => {
                let ready = answers(&mut connection).await;
                let _ = timeout(RESPONSE_TIMEOUT, connection.close()).await;
                ready
            }
            // The server is at its maximum of connections, so it is up.
            Ok(Err(sqlx::Error::Database(error))) => error.code().as_deref() == Some("53300"),
            Ok(Err(_)) | Err(_) => false,
        }
    }

    /// Closes all connections; waits for those in use.
    pub async fn close(&self) {
        self.connections.close();
        while self.connections.status().size > 0 {
            sleep(Duration::from_millis(10)).await;
        }
    }
}

async fn close_idle(connections: WeakPool<Opener>) {
    loop {
        sleep(IDLE_TIMEOUT / 10).await;
        let Some(connections) = connections.upgrade() else {
            return;
        };
        connections.retain(|_, metrics| metrics.last_used() < IDLE_TIMEOUT);
    }
}

async fn answers(connection: &mut PgConnection) -> bool {
    let answer = timeout(RESPONSE_TIMEOUT, connection.execute("SELECT 1"));
    matches!(answer.await, Ok(Ok(_)))
}

/// The transaction state of a leased connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Not in a transaction, all responses read.
    Sound,
    /// Not in a transaction, but possibly broken or with unread responses.
    Used,
    /// BEGIN or COMMIT was sent; only the server knows whether there is a transaction.
    Changing,
    InTransaction,
}

/// A leased connection. Dropping returns it: at once if it is sound, else after a check.
#[derive(Debug)]
pub struct PooledConnection {
    connection: Option<Object<Opener>>,
    pub state: State,
}

impl PooledConnection {
    /// Returns the connection, which must not be in a transaction or have unread responses.
    pub fn done(mut self) {
        self.state = State::Sound;
    }
}

impl Deref for PooledConnection {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        self.connection
            .as_ref()
            .expect("a connection until the drop")
    }
}

impl DerefMut for PooledConnection {
    fn deref_mut(&mut self) -> &mut PgConnection {
        self.connection
            .as_mut()
            .expect("a connection until the drop")
    }
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        let Some(mut connection) = self.connection.take() else {
            return;
        };
        let state = self.state;
        if state == State::Sound {
            return;
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            drop(Object::take(connection));
            return;
        };
        runtime.spawn(async move {
            let reset = timeout(RESPONSE_TIMEOUT, reset(&mut connection, state)).await;
            if !matches!(reset, Ok(true)) {
                drop(Object::take(connection));
            }
        });
    }
}

/// Ends an open transaction, so that it does not reach the next user. Returns whether the connection
/// may be reused.
async fn reset(connection: &mut PgConnection, state: State) -> bool {
    match state {
        State::Sound => true,
        State::Used => connection.ping().await.is_ok(),
        State::InTransaction => connection.execute("ROLLBACK").await.is_ok(),
        State::Changing => false,
    }
}

/// Sets the gauges of used and idle connections at each scrape, until the pool is dropped.
fn watch(service: &'static str, connections: WeakPool<Opener>) {
    let gauge = |state| names::DB_CONNECTIONS.gauge([service, state]);
    let (used, idle) = (gauge("used"), gauge("idle"));
    on_scrape(move || {
        let status = connections.upgrade()?.status();
        let in_use = status.size - status.available;
        used.set(u32::try_from(in_use).unwrap_or(u32::MAX));
        idle.set(u32::try_from(status.available).unwrap_or(u32::MAX));
        Some(())
    });
}
