//! How a process is told to stop: it says so first, goes on serving a little while, and only then
//! closes its doors, so that whoever sends it work can turn away in time.

use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// The two moments of a stop.
#[derive(Clone, Debug)]
pub struct Stop {
    asked: CancellationToken,
    due: CancellationToken,
}

/// Both moments at once.
impl From<CancellationToken> for Stop {
    fn from(token: CancellationToken) -> Self {
        Self {
            asked: token.clone(),
            due: token,
        }
    }
}

impl Stop {
    /// Asked for by SIGTERM, Ctrl-C or the end of the terminal, and due so long after it. A second
    /// signal makes it due at once.
    pub fn on_signal(wait: Duration) -> Self {
        let asked = CancellationToken::new();
        let due = CancellationToken::new();
        let stop = Self { asked, due };
        let signalled = stop.clone();
        tokio::spawn(async move {
            let Ok(mut signals) = Signals::new() else {
                return;
            };
            signals.next().await;
            tracing::info!(wait_seconds = wait.as_secs(), "stopping");
            signalled.asked.cancel();
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = signals.next() => {}
            }
            signalled.due.cancel();
        });
        stop
    }

    /// Asked for by `asked`, and due so long after it.
    pub fn after(asked: CancellationToken, wait: Duration) -> Self {
        let due = CancellationToken::new();
        let stop = Self { asked, due };
        let waiting = stop.clone();
        tokio::spawn(async move {
            waiting.asked.cancelled().await;
            tokio::time::sleep(wait).await;
            waiting.due.cancel();
        });
        stop
    }

    /// Cancelled when a stop was asked for: from now on the process is not ready for more.
    pub const fn asked(&self) -> &CancellationToken {
        &self.asked
    }

    /// Cancelled when no more connections are taken and running work is to come to its end.
    pub const fn due(&self) -> &CancellationToken {
        &self.due
    }
}

/// When a service does what no request asks for: not before its database was found as it should be,
/// and until a stop is due.
#[derive(Clone, Debug)]
pub struct Background {
    begins: CancellationToken,
    stop: CancellationToken,
}

/// At once.
impl From<CancellationToken> for Background {
    fn from(stop: CancellationToken) -> Self {
        let background = Self::waiting(stop);
        background.begin();
        background
    }
}

impl Background {
    /// Nothing is done before [`Background::begin`].
    pub fn waiting(stop: CancellationToken) -> Self {
        let begins = CancellationToken::new();
        Self { begins, stop }
    }

    /// Everything may be done from now on.
    pub fn begin(&self) {
        self.begins.cancel();
    }

    /// Does `work` as soon as it may be done, with what tells it to end. Needs a runtime.
    pub fn spawn<W>(&self, work: impl FnOnce(CancellationToken) -> W)
    where
        W: Future<Output = ()> + Send + 'static,
    {
        let work = work(self.stop.clone());
        let Self { begins, stop } = self.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = begins.cancelled() => work.await,
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
        let background = Background::waiting(CancellationToken::new());
        background.spawn(work(&done));
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert!(!done.is_cancelled());
        background.begin();
        done.cancelled().await;

        let at_once = CancellationToken::new();
        Background::from(CancellationToken::new()).spawn(work(&at_once));
        at_once.cancelled().await;
    }
}
