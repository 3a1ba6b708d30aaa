//! Graceful shutdown in two phases: the process first reports that it is not ready and keeps
//! serving for a while, so that clients and load balancers can switch to other replicas. Then it
//! drains: it accepts no more connections and finishes the open requests.

use std::time::Duration;

use futures::future::select_all;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// The two phases of a shutdown.
#[derive(Clone, Debug, Default)]
pub struct Shutdown {
    requested: CancellationToken,
    draining: CancellationToken,
}

/// Both phases start together.
impl From<CancellationToken> for Shutdown {
    fn from(token: CancellationToken) -> Self {
        Self {
            requested: token.clone(),
            draining: token,
        }
    }
}

impl Shutdown {
    /// Requested by SIGTERM, SIGINT or SIGHUP; draining starts `wait` later, or at a second signal.
    pub fn on_signal(wait: Duration) -> Self {
        let shutdown = Self::default();
        let signalled = shutdown.clone();
        tokio::spawn(async move {
            let kinds = [
                SignalKind::terminate(),
                SignalKind::interrupt(),
                SignalKind::hangup(),
            ];
            let signals: Result<Vec<_>, _> = kinds.into_iter().map(signal).collect();
            let Ok(mut signals) = signals else {
                return;
            };
            next_of(&mut signals).await;
            tracing::info!(wait_seconds = wait.as_secs(), "shutting down");
            signalled.requested.cancel();
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = next_of(&mut signals) => {}
            }
            signalled.draining.cancel();
        });
        shutdown
    }

    /// Requested by `requested`; draining starts `wait` later.
    pub fn after(requested: CancellationToken, wait: Duration) -> Self {
        let draining = CancellationToken::new();
        let shutdown = Self {
            requested,
            draining,
        };
        let waiting = shutdown.clone();
        tokio::spawn(async move {
            waiting.requested.cancelled().await;
            tokio::time::sleep(wait).await;
            waiting.draining.cancel();
        });
        shutdown
    }

    /// Cancelled when a shutdown was requested: the process is no longer ready.
    pub const fn requested(&self) -> &CancellationToken {
        &self.requested
    }

    /// Cancelled when no more connections are accepted and open requests must finish.
    pub const fn draining(&self) -> &CancellationToken {
        &self.draining
    }
}

/// Spawns the background tasks of a service: they start after the self-check of the database and
/// run until draining starts.
#[derive(Clone, Debug)]
pub struct BackgroundTasks {
    started: CancellationToken,
    stop: CancellationToken,
}

/// Tasks start immediately.
impl From<CancellationToken> for BackgroundTasks {
    fn from(stop: CancellationToken) -> Self {
        let background = Self::paused(stop);
        background.start();
        background
    }
}

impl BackgroundTasks {
    /// Tasks wait for [`BackgroundTasks::start`].
    pub fn paused(stop: CancellationToken) -> Self {
        let started = CancellationToken::new();
        Self { started, stop }
    }

    /// Starts the waiting tasks and those spawned later.
    pub fn start(&self) {
        self.started.cancel();
    }

    /// Spawns `work` with a token that is cancelled when it must end. Needs a Tokio runtime.
    pub fn spawn<W>(&self, work: impl FnOnce(CancellationToken) -> W)
    where
        W: Future<Output = ()> + Send + 'static,
    {
        let work = work(self.stop.clone());
        let Self { started, stop } = self.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = started.cancelled() => work.await,
                () = stop.cancelled() => {}
            }
        });
    }
}

/// Waits for any of the signals.
async fn next_of(signals: &mut [Signal]) {
    select_all(signals.iter_mut().map(|signal| Box::pin(signal.recv()))).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn background_tasks_wait_for_start() {
        let done = CancellationToken::new();
        let work = |done: &CancellationToken| {
            let done = done.clone();
            |_| async move { done.cancel() }
        };
        let background = BackgroundTasks::paused(CancellationToken::new());
        background.spawn(work(&done));
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert!(!done.is_cancelled());
        background.start();
        done.cancelled().await;

        let immediate = CancellationToken::new();
        BackgroundTasks::from(CancellationToken::new()).spawn(work(&immediate));
        immediate.cancelled().await;
    }
}
