//! Background work in tasks.

use hourmeter_runtime::telemetry::names;
use tokio::task::JoinSet;

/// Works on each input in its own task, so that a panic or a slow one does not affect the others, at most
/// `limit` at once. Returns the results, None for a panic. `what` is the subject of its log line.
pub async fn in_tasks<I, W>(
    inputs: impl IntoIterator<Item = I>,
    limit: usize,
    what: &str,
    work: impl Fn(I) -> W,
) -> Vec<Option<W::Output>>
where
    W: Future<Output: Send> + Send + 'static,
{
    let mut inputs = inputs.into_iter();
    let mut running = JoinSet::new();
    let mut results = Vec::new();
    loop {
        while running.len() < limit
            && let Some(input) = inputs.next()
        {
            running.spawn(work(input));
        }
        let Some(ended) = running.join_next().await else {
            return results;
        };
        let ended = ended.inspect_err(|panic| {
            names::PANICS.count(names::NO_LABELS);
            tracing::error!(%panic, "{what} panicked");
        });
        results.push(ended.ok());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test]
    async fn in_tasks_keeps_the_limit_and_survives_a_panic() {
        let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let work = |input: usize| {
            let (running, most) = (running.clone(), most.clone());
            async move {
                most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                tokio::task::yield_now().await;
                running.fetch_sub(1, Ordering::SeqCst);
                assert_ne!(input, 3, "a panic for the test");
                input
            }
        };
        let mut results = in_tasks(0..10, 4, "a test", work).await;
        results.sort_unstable();
        let mut expected: Vec<_> = (0..10).map(|input| (input != 3).then_some(input)).collect();
        expected.sort_unstable();
        assert_eq!(results, expected);
        assert_eq!(most.load(Ordering::SeqCst), 4);
    }
}
