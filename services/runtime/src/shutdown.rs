//! How a process is told to stop: it says so first, goes on serving a little while, and only then
//! closes its doors, so that whoever sends it work can turn away in time.

use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// The two moments of a stop.
#[derive(Clone, Debug)]
pub struct Shutdown {
    requested: CancellationToken,
    draining: CancellationToken,
}

/// Both moments at once.
impl From<CancellationToken> for Shutdown {
    fn from(token: CancellationToken) -> Self {
        Self {
            requested: token.clone(),
            draining: token,
        }
    }
}

impl Shutdown {
    /// Asked for by SIGTERM, Ctrl-C or the end of the terminal, and draining so long after it. A second
    /// signal makes it draining at once.
    pub fn on_signal(wait: Duration) -> Self {
        let requested = CancellationToken::new();
        let draining = CancellationToken::new();
        let stop = Self {
            requested,
            draining,
        };
        let signalled = stop.clone();
        tokio::spawn(async move {
            let Ok(mut signals) = Signals::new() else {
                return;
            };
            signals.next().await;
            tracing::info!(wait_seconds = wait.as_secs(), "stopping");
            signalled.requested.cancel();
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = signals.next() => {}
            }
            signalled.draining.cancel();
        });
        stop
    }

    /// Asked for by `requested`, and draining so long after it.
    pub fn after(requested: CancellationToken, wait: Duration) -> Self {
        let draining = CancellationToken::new();
        let stop = Self {
            requested,
            draining,
        };
        let waiting = stop.clone();
        tokio::spawn(async move {
            waiting.requested.cancelled().await;
            tokio::time::sleep(wait).await;
            waiting.draining.cancel();
        });
        stop
    }

    /// Cancelled when a stop was requested for: from now on the process is not ready for more.
    pub const fn requested(&self) -> &CancellationToken {
        &self.requested
    }

    /// Cancelled when no more connections are taken and running work is to come to its end.
    pub const fn draining(&self) -> &CancellationToken {
        &self.draining
    }
}

/// When a service does what no request asks for: not before its database was found as it should be,
/// and until a stop is draining.
#[derive(Clone, Debug)]
pub struct BackgroundTasks {
    started: CancellationToken,
    stop: CancellationToken,
}

/// At once.
impl From<CancellationToken> for BackgroundTasks {
    fn from(stop: CancellationToken) -> Self {
        let background = Self::paused(stop);
        background.start();
        background
    }
}

impl BackgroundTasks {
    /// Nothing is done before [`BackgroundTasks::begin`].
    pub fn paused(stop: CancellationToken) -> Self {
        let started = CancellationToken::new();
        Self { started, stop }
    }

    /// Everything may be done from now on.
    pub fn start(&self) {
        self.started.cancel();
    }

    /// Does `work` as soon as it may be done, with what tells it to end. Needs a runtime.
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

struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
}

impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
            _ = self.hangup.recv() => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_beside_requests_waits_until_it_may_begin() {
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

        let at_once = CancellationToken::new();
        BackgroundTasks::from(CancellationToken::new()).spawn(work(&at_once));
        at_once.cancelled().await;
    }
}
