//! A service's connections. The one given back last is used first: few connections serve a steady
//! load, and their plans and caches stay warm.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, Executor as _, PgConnection};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::pool_meter::PoolMeter;
use crate::telemetry::trace;

/// How long an idle connection counts as sound without a question.
const TRUST_IDLE: Duration = Duration::from_secs(5);
/// An idle connection is closed after this time.
const IDLE: Duration = Duration::from_mins(10);
/// A connection is closed after this time: caches of the server's process grow, and after a
/// failover work returns to the right server.
const LIFETIME: Duration = Duration::from_mins(30);
/// How long opening a connection may take. It goes on when the caller has left: over a slow network
/// it takes longer than callers wait, and none would ever be opened.
const OPENING: Duration = Duration::from_secs(5);
/// How long a database may take to answer a trivial question.
const ANSWER: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub struct Pool {
    options: PgConnectOptions,
    /// The last one is the warmest.
    idle: Mutex<Vec<Open>>,
    max: u32,
    /// One for each connection. Callers wait here for one.
    turns: Arc<Semaphore>,
    /// How long they wait.
    patience: Duration,
    pub meter: PoolMeter,
}

#[derive(Debug)]
struct Open {
    connection: PgConnection,
    opened: Instant,
    used: Instant,
}

impl Pool {
    /// Opens no connection before the first use.
    pub fn new(options: PgConnectOptions, max: u32, patience: Duration, meter: PoolMeter) -> Self {
        Self {
            options,
            idle: Mutex::default(),
            max,
            turns: Arc::new(Semaphore::new(max as usize)),
            patience,
            meter,
        }
    }

    /// How many connections are in use, and how many are idle.
    pub fn counts(&self) -> (u32, u32) {
        let free = u32::try_from(self.turns.available_permits()).unwrap_or(u32::MAX);
        let idle = u32::try_from(self.idle().len()).unwrap_or(u32::MAX);
        (self.max.saturating_sub(free), idle)
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Open>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lends a connection. Fails with `PoolTimedOut` when none is free in time.
    pub async fn lend(self: &Arc<Self>) -> Result<Lease, sqlx::Error> {
        let since = Instant::now();
        let lent = timeout(self.patience, self.lend_when_free()).await;
        let lent = lent.unwrap_or(Err(sqlx::Error::PoolTimedOut));
        self.meter.note(since, &lent);
        lent
    }

    async fn lend_when_free(self: &Arc<Self>) -> Result<Lease, sqlx::Error> {
        let turn = self.turns.clone().acquire_owned().await;
        let mut turn = turn.map_err(|_| sqlx::Error::PoolClosed)?;
        loop {
            let found = self.idle().pop();
            let Some(found) = found else {
                let pool = self.clone();
                // In a task: a caller that leaves doesn't end it, and the connection becomes idle.
                let opening = trace::spawn(async move { pool.open(turn).await });
                return opening.await.map_err(|_| sqlx::Error::WorkerCrashed)?;
            };
            let trusted = found.used.elapsed() < TRUST_IDLE;
            let mut lease = Lease {
                inside: Some((found, turn)),
                state: State::Used,
                pool: self.clone(),
            };
            if trusted || lease.ping().await.is_ok() {
                lease.state = State::Sound;
                return Ok(lease);
            }
            match lease.inside.take() {
                Some((_, again)) => turn = again,
                None => return Err(sqlx::Error::WorkerCrashed),
            }
        }
    }

    async fn open(self: Arc<Self>, turn: OwnedSemaphorePermit) -> Result<Lease, sqlx::Error> {
        let opening = timeout(OPENING, self.options.connect()).await;
        let connection = opening.unwrap_or(Err(sqlx::Error::PoolTimedOut))?;
        let opened = Instant::now();
        let open = Open {
            connection,
            opened,
            used: opened,
        };
        Ok(Lease {
            inside: Some((open, turn)),
            state: State::Sound,
            pool: self,
        })
    }

    fn keep(&self, mut open: Open) {
        if self.turns.is_closed() || open.opened.elapsed() > LIFETIME {
            return;
        }
        open.used = Instant::now();
        let mut idle = self.idle();
        idle.retain(|other| other.used.elapsed() < IDLE);
        idle.push(open);
    }

    /// Whether the database answers.
    pub async fn answers(self: &Arc<Self>) -> bool {
        match self.lend().await {
            Ok(mut lease) => answers(&mut lease).await,
            // All are in use, or the server takes no connections: a new one shows which.
            Err(sqlx::Error::PoolTimedOut) => self.takes_connections().await,
            Err(_) => false,
        }
    }

    async fn takes_connections(&self) -> bool {
        match timeout(ANSWER, self.options.connect()).await {
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
        let all = self.turns.acquire_many(self.max).await;
        self.turns.close();
        drop(all);
        let idle = std::mem::take(&mut *self.idle());
        for open in idle {
            let _ = timeout(ANSWER, open.connection.close()).await;
        }
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
    /// A transaction is beginning or ending.
    Changing,
    /// It is in a transaction.
    InTransaction,
}

/// A connection on loan. Dropped, it becomes idle: at once when it is sound, else after a check in
/// the background.
#[derive(Debug)]
pub struct Lease {
    inside: Option<(Open, OwnedSemaphorePermit)>,
    pub state: State,
    pool: Arc<Pool>,
}

impl Deref for Lease {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        let (open, _) = self.inside.as_ref().expect("a connection until the drop");
        &open.connection
    }
}

impl DerefMut for Lease {
    fn deref_mut(&mut self) -> &mut PgConnection {
        let (open, _) = self.inside.as_mut().expect("a connection until the drop");
        &mut open.connection
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let Some((mut open, turn)) = self.inside.take() else {
            return;
        };
        let (pool, state) = (self.pool.clone(), self.state);
        if state == State::Sound {
            pool.keep(open);
            return;
        }
        // Without a runtime the program ends, and its connections with it.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                let settling = timeout(ANSWER, settle(&mut open.connection, state));
                if matches!(settling.await, Ok(Ok(()))) {
                    pool.keep(open);
                }
                drop(turn);
            });
        }
    }
}

/// Ends what the last user left, so that nothing of it reaches the next one.
async fn settle(connection: &mut PgConnection, state: State) -> Result<(), sqlx::Error> {
    let inside = match state {
        State::Sound | State::Used => {
            connection.ping().await?;
            false
        }
        State::InTransaction => true,
        // Whether a statement that was cut off reached the server, only the server knows: in a
        // transaction `now()` is the time of its first statement. A failed one refuses the question.
        State::Changing => {
            let question = sqlx::query_scalar("SELECT now() < statement_timestamp()");
            match question.fetch_one(&mut *connection).await {
                Ok(inside) => inside,
                Err(sqlx::Error::Database(_)) => true,
                Err(error) => return Err(error),
            }
        }
    };
    if inside {
        connection.execute("ROLLBACK").await?;
    }
    Ok(())
}
