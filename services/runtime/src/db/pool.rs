//! A service's connections, pooled by deadpool. The one returned last is used first: few connections
//! serve a steady load, and their plans and caches stay warm. sqlx's own pool uses all of them in
//! turn, and asks the server at every return.

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

use super::pool_meter::PoolMeter;

/// How long an idle connection counts as sound without a ping.
const TRUST_IDLE: Duration = Duration::from_secs(5);
/// An idle connection is closed after this time.
const IDLE: Duration = Duration::from_mins(10);
/// A connection is closed after this time: caches of the server's process grow, and after a
/// failover work returns to the right server.
const LIFETIME: Duration = Duration::from_mins(30);
/// How long opening a connection may take. It continues when the caller has left: over a slow
/// network it takes longer than callers wait, and none would ever be opened.
const OPENING: Duration = Duration::from_secs(5);
/// How long a database may take to answer a trivial query.
const ANSWER: Duration = Duration::from_secs(1);

/// The connections of one service.
#[derive(Debug)]
pub struct Pool {
    connections: Connections,
    /// How long callers wait for a connection.
    patience: Duration,
    meter: PoolMeter,
    /// Set once idle connections are being closed.
    sweeping: OnceLock<()>,
}

type Connections = deadpool::managed::Pool<Opener>;

#[derive(Debug)]
struct Opener(PgConnectOptions);

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
        patience: Duration,
        service: &'static str,
    ) -> Result<Self, deadpool::managed::BuildError> {
        let connections = Connections::builder(Opener(options))
            .max_size(max as usize)
            .queue_mode(QueueMode::Lifo)
            .runtime(Runtime::Tokio1)
            .timeouts(Timeouts {
                wait: Some(patience),
                create: Some(OPENING),
                recycle: Some(ANSWER),
            })
            .build()?;
        let meter = PoolMeter::new(service, max);
        let pool = connections.weak();
        meter.watch(move || {
            let status = pool.upgrade()?.status();
            Some((status.size - status.available, status.available))
        });
        Ok(Self {
            connections,
            patience,
            meter,
            sweeping: OnceLock::new(),
        })
    }

    /// Lends a connection. Fails with `PoolTimedOut` when none is free in time.
    pub async fn lend(&self) -> Result<Lease, sqlx::Error> {
        let since = Instant::now();
        let lent = timeout(self.patience, self.get()).await;
        let lent = lent.unwrap_or(Err(sqlx::Error::PoolTimedOut));
        self.meter.note(since, &lent);
        lent
    }

    async fn get(&self) -> Result<Lease, sqlx::Error> {
        let got = if self.connections.status().available > 0 {
            self.connections.get().await
        } else {
            self.sweeping.get_or_init(|| {
                tokio::spawn(close_idle(self.connections.weak()));
            });
            let connections = self.connections.clone();
            // In a task: opening continues when the caller leaves, and the connection becomes idle.
            let opening = async move { connections.get().await };
            let opening = opening.in_current_span().with_current_context();
            tokio::spawn(opening)
                .await
                .map_err(|_| sqlx::Error::WorkerCrashed)?
        };
        match got {
            Ok(connection) => Ok(Lease {
                connection: Some(connection),
                state: State::Sound,
            }),
            Err(PoolError::Backend(error)) => Err(error),
            Err(PoolError::Closed) => Err(sqlx::Error::PoolClosed),
            Err(_) => Err(sqlx::Error::PoolTimedOut),
        }
    }

    /// Whether the database answers. Connections that are all in use are no reason to say no.
    pub async fn answers(&self) -> bool {
        match self.lend().await {
            Ok(mut lease) => answers(&mut lease).await,
            // All are in use, or the server takes no connections: a new one shows which.
            Err(sqlx::Error::PoolTimedOut) => self.takes_connections().await,
            Err(_) => false,
        }
    }

    async fn takes_connections(&self) -> bool {
        match timeout(ANSWER, self.connections.manager().create()).await {
            Ok(Ok(mut connection)) => {
                let ready = answers(&mut connection).await;
                let _ = timeout(ANSWER, connection.close()).await;
                ready
            }
            // It has as many connections as it takes, ours among them.
            Ok(Err(sqlx::Error::Database(error))) => error.code().as_deref() == Some("53300"),
            Ok(Err(_)) | Err(_) => false,
        }
    }

    /// Closes all connections, waiting for those in use.
    pub async fn close(&self) {
        self.connections.close();
        while self.connections.status().size > 0 {
            sleep(Duration::from_millis(10)).await;
        }
    }
}

async fn close_idle(connections: WeakPool<Opener>) {
    loop {
        sleep(IDLE / 10).await;
        let Some(connections) = connections.upgrade() else {
            return;
        };
        connections.retain(|_, metrics| metrics.last_used() < IDLE);
    }
}

async fn answers(connection: &mut PgConnection) -> bool {
    let answer = timeout(ANSWER, connection.execute("SELECT 1"));
    matches!(answer.await, Ok(Ok(_)))
}

/// What is known of a connection on loan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It answered, and is in no transaction.
    Sound,
    /// It is in no transaction, but may be broken or in the middle of an answer.
    Used,
    /// A transaction is beginning or ending. Only the server knows whether it is in one.
    Changing,
    /// It is in a transaction.
    InTransaction,
}

/// A connection on loan. Dropped, it becomes idle: at once when it is sound, else after a check in
/// the background.
#[derive(Debug)]
pub struct Lease {
    connection: Option<Object<Opener>>,
    pub state: State,
}

impl Lease {
    /// Returns the connection, which is in no transaction and has answered everything.
    pub fn done(mut self) {
        self.state = State::Sound;
    }
}

impl Deref for Lease {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        self.connection
            .as_ref()
            .expect("a connection until the drop")
    }
}

impl DerefMut for Lease {
    fn deref_mut(&mut self) -> &mut PgConnection {
        self.connection
            .as_mut()
            .expect("a connection until the drop")
    }
}

impl Drop for Lease {
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
            let settled = timeout(ANSWER, settle(&mut connection, state)).await;
            if !matches!(settled, Ok(true)) {
                drop(Object::take(connection));
            }
        });
    }
}

/// Ends what the last user left, so that nothing of it reaches the next one. Returns whether the
/// connection may be used again.
async fn settle(connection: &mut PgConnection, state: State) -> bool {
    match state {
        State::Sound => true,
        State::Used => connection.ping().await.is_ok(),
        State::InTransaction => connection.execute("ROLLBACK").await.is_ok(),
        State::Changing => false,
    }
}
